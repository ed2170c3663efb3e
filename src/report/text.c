#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clean.h"
#include "base/num.h"
#include "base/percent.h"
#include "base/str.h"
#include "base/tm.h"
#include "model/known.h"
#include "model/model.h"

/* ---- UTF-8 ------------------------------------------------------------------------------- */

/* The next character of s at *i; -1 for a broken byte, which is skipped alone. */
static long next_char(struct sv s, size_t *i)
{
	const unsigned char *p = (const unsigned char *)s.p + *i;
	size_t left = s.n - *i, n = 0;
	static const long least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	long c = 0;

	if (p[0] < 0x80)
		n = 1;
	else if ((p[0] & 0xe0) == 0xc0)
		n = 2;
	else if ((p[0] & 0xf0) == 0xe0)
		n = 3;
	else if ((p[0] & 0xf8) == 0xf0)
		n = 4;
	if (n == 1)
		c = p[0];
	else if (n)
		c = p[0] & (0x7f >> n);
	if (!n || n > left) {
		++*i;
		return -1;
	}
	for (size_t k = 1; k < n; k++) {
		if ((p[k] & 0xc0) != 0x80) {
			++*i;
			return -1;
		}
		c = c << 6 | (p[k] & 0x3f);
	}
	if (!within_i64(c, least[n], 0x10ffff) || within_i64(c, 0xd800, 0xdfff)) {
		++*i;
		return -1;
	}
	*i += n;
	return c;
}

/* Ranges of two columns and of none; the coarse ones of Unicode's East Asian Width W and F and of
 * categories Mn, Me, Cf. */
static bool in_ranges(long c, const long (*r)[2], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c >= r[i][0] && c <= r[i][1])
			return true;
	return false;
}

static int char_width(long c)
{
	static const long none[][2] = { { 0x300, 0x36f },   { 0x483, 0x489 },    { 0x591, 0x5bd },
					{ 0x610, 0x61a },   { 0x64b, 0x65f },    { 0x93c, 0x93c },
					{ 0x94d, 0x94d },   { 0xe31, 0xe31 },    { 0xe34, 0xe3a },
					{ 0xe47, 0xe4e },   { 0x1ab0, 0x1aff },  { 0x1dc0, 0x1dff },
					{ 0x200b, 0x200f }, { 0x202a, 0x202e },  { 0x2060, 0x2064 },
					{ 0x20d0, 0x20ff }, { 0xfe00, 0xfe0f },  { 0xfe20, 0xfe2f },
					{ 0xfeff, 0xfeff }, { 0xe0100, 0xe01ef } };
	static const long wide[][2] = {
		{ 0x1100, 0x115f },   { 0x231a, 0x231b },   { 0x23e9, 0x23ec },
		{ 0x2614, 0x2615 },   { 0x26a1, 0x26a1 },   { 0x2705, 0x2705 },
		{ 0x2728, 0x2728 },   { 0x274c, 0x274c },   { 0x2e80, 0x303e },
		{ 0x3041, 0x33ff },   { 0x3400, 0x4dbf },   { 0x4e00, 0x9fff },
		{ 0xa000, 0xa4cf },   { 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },
		{ 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },   { 0xffe0, 0xffe6 },
		{ 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff }, { 0x1f900, 0x1f9ff },
		{ 0x20000, 0x3fffd }
	};

	if (c < 0x300)
		return 1;
	if (in_ranges(c, none, sizeof none / sizeof *none))
		return 0;
	if (in_ranges(c, wide, sizeof wide / sizeof *wide))
		return 2;
	return 1;
}

int text_width(struct sv s)
{
	int w = 0;

	for (size_t i = 0; i < s.n;) {
		long c = next_char(s, &i);
		w += c < 0 ? 1 : char_width(c);
	}
	return w;
}

/* Where to cut so that what lies before takes at most max columns. */
static size_t cut_head(struct sv s, int max)
{
	int w = 0;

	for (size_t i = 0; i < s.n;) {
		size_t from = i;
		long c = next_char(s, &i);
		w += c < 0 ? 1 : char_width(c);
		if (w > max)
			return from;
	}
	return s.n;
}

/* Control characters and broken bytes as "?". */
static struct sv clean_text(struct arena *a, struct sv s)
{
	char *buf = arena_alloc(a, s.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.n;) {
		size_t from = i;
		long c = next_char(s, &i);
		if (c < 0 || char_acts((uint32_t)c)) {
			buf[n++] = '?';
			continue;
		}
		memcpy(buf + n, s.p + from, i - from);
		n += i - from;
	}
	buf[n] = 0;
	return (struct sv){ buf, n };
}

static bool is_of_number(char c)
{
	return within_int(c, '0', '9') || c == '.' || c == ',';
}

/* The number among words that a cut at byte `at` would part, as [*ret_from, *ret_to): half of its
 * digits would be another amount. A text that is all one number is a name: an id, an address. */
static bool number_parted(struct sv t, size_t at, size_t *ret_from, size_t *ret_to)
{
	size_t from = at, to = at;

	while (from > 0 && is_of_number(t.p[from - 1]))
		from--;
	while (to < t.n && is_of_number(t.p[to]))
		to++;
	if (from == at || to == at || (from == 0 && to == t.n))
		return false;
	bool sign = from > 0 && strchr("+-", t.p[from - 1]);
	if (sign)
		from--;
	bool begins = from == 0 || strchr(" (", t.p[from - 1]);
	bool ends = to == t.n || strchr(" ):;%", t.p[to]);
	*ret_from = from;
	*ret_to = to;
	return begins && ends;
}

char *text_line(struct arena *a, struct sv s, int max)
{
	struct sv t = clean_text(a, s);

	if (max > 0) {
		int width = text_width(t);

		if (width <= max)
			return arena_sv(a, t);
		if (max < 3)
			return arena_strn(a, t.p, cut_head(t, max));
		size_t head = cut_head(t, (max - 1) / 2),
		       tail = cut_head(t, width - (max - 1 - (max - 1) / 2));
		if (text_width(sv_from(t, tail)) > max - 1 - (max - 1) / 2) {
			/* a wide character was halved */
			size_t i = tail;
			next_char(t, &i);
			tail = i;
		}
		size_t from, to;
		if (number_parted(t, head, &from, &to))
			head = from;
		if (number_parted(t, tail, &from, &to))
			tail = to;
		return arena_printf(a, "%.*s…%.*s", (int)head, t.p, (int)(t.n - tail), t.p + tail);
	}
	return (char *)t.p;
}

char *text_line_head(struct arena *a, struct sv s, int max)
{
	struct sv t = clean_text(a, s);

	if (max <= 0 || text_width(t) <= max)
		return (char *)t.p;
	size_t head = cut_head(t, max - 1), from, to;
	if (number_parted(t, head, &from, &to))
		head = from;
	return arena_printf(a, "%.*s…", (int)head, t.p);
}

/* ---- numbers ----------------------------------------------------------------------------- */

char *text_money(struct arena *a, dec v, int digits)
{
	char buf[DEC_BUF * 2];

	dec_format_people(buf, v, digits);
	if (v && (buf[strspn(buf, "-0.,")] == 0)) {
		/* What stands for a value that is not zero but would be printed as zero:
		 * "<0.01". */
		bool negative = v < 0;
		if (!digits)
			return arena_printf(a, negative ? ">-1" : "<1");
		return arena_printf(a, "%s0.%0*d", negative ? ">-" : "<", digits, 1);
	}
	return arena_printf(a, "%s", buf);
}

/* Up to the end of the command that s begins with, "(tare report)" or "`tare report`"; 0 if
 * none. */
static size_t command_bytes(struct sv s)
{
	static const char *const begin[] = { "(tare ", "`tare " };

	for (size_t i = 0; i < sizeof begin / sizeof *begin; i++) {
		if (s.n < strlen(begin[i]) || memcmp(s.p, begin[i], strlen(begin[i])) != 0)
			continue;
		const char *close = memchr(s.p + 1, *begin[i] == '(' ? ')' : '`', s.n - 1);
		const char *line = memchr(s.p, '\n', s.n);
		if (close && (!line || close < line))
			return (size_t)(close - s.p);
	}
	return 0;
}

size_t text_word(struct sv s)
{
	size_t n = command_bytes(s);

	/* a bracket may stand before a backquote: "(`tare price update`)" */
	if (!n && s.n > 1 && *s.p == '(')
		n = command_bytes((struct sv){ s.p + 1, s.n - 1 });
	while (n < s.n && s.p[n] != ' ' && s.p[n] != '\n')
		n++;
	return n;
}

/* Where the line is cut: at the last blank within room (beyond the indent), else at the next. */
static size_t fold_at(struct sv line, size_t in, size_t room)
{
	size_t cols = 0, cut = 0;

	for (size_t at = 0; at < line.n;) {
		size_t n = text_word((struct sv){ line.p + at, line.n - at });
		cols += (size_t)text_width((struct sv){ line.p + at, n });
		if (cols > room && cut > in)
			return cut;
		at += n;
		for (; at < line.n && (line.p[at] == ' ' || line.p[at] == '\n'); at++, cols++)
			cut = at;
	}
	return line.n;
}

void text_fold(struct str *out, struct sv line, size_t hang, size_t width)
{
	size_t in = hang;

	while (in < line.n && line.p[in] == ' ')
		in++;
	/* the first line brings its own blanks, the others get them */
	for (size_t own = in, added = 0; line.n; own = 0, added = in) {
		size_t cut = fold_at(line, own, width - added);
		size_t end = cut;
		while (end && line.p[end - 1] == ' ')
			end--;
		str_addf(out, "%*s%.*s\n", (int)added, "", (int)end, line.p);
		line = sv_from(line, min_size(cut + 1, line.n));
	}
}

char *text_gpu_hours(struct arena *a, int64_t ms, int digits)
{
	return text_money(a, dec_muldiv(DEC_ONE, ms, MS_HOUR), digits);
}

char *text_count(struct arena *a, int64_t n, const char *what)
{
	return arena_printf(a, "%s %s%s", text_money(a, (dec)n * DEC_ONE, 0), what, plural(n));
}

const char *text_day(struct arena *a, int64_t ms)
{
	char buf[TM_BUF];

	if (ms == UNKNOWN_MS)
		return "-";
	return arena_printf(a, "%s", tm_format_date(buf, ms));
}

void text_pad_to(struct str *out, size_t line_from, int col)
{
	int w = text_width((struct sv){ str_z(out) + line_from, out->n - line_from });

	str_addf(out, "%*s", col > w ? col - w : 1, "");
}

double text_frac(__int128 part, __int128 whole)
{
	return num_if(whole, (double)part / (double)whole);
}

char *text_share(struct arena *a, __int128 part, __int128 whole)
{
	char buf[PERCENT_BUF];

	return arena_printf(a, "%s",
			    percent_text(buf, percent_alone(part, whole, PERCENT_UNITS),
					 PERCENT_UNITS, part, whole));
}

void text_shares(struct arena *a, __int128 whole, size_t n, const __int128 *part, char **ret)
{
	text_shares_of(a, whole, whole, n, part, ret);
}

void text_shares_of(struct arena *a, __int128 some, __int128 whole, size_t n, const __int128 *part,
		    char **ret)
{
	int64_t *pct = xcalloc(n + 1, sizeof *pct);
	char buf[PERCENT_BUF];

	percent_split(some, n, part, percent_alone(some, whole, PERCENT_UNITS), pct);
	for (size_t i = 0; i < n; i++)
		ret[i] = arena_printf(a, "%s",
				      percent_text(buf, pct[i], PERCENT_UNITS, part[i], whole));
	free(pct);
}

char *text_seconds(char *buf, int64_t ms)
{
	return dec_format(buf, (dec)ms * (DEC_ONE / 1000));
}

/* ---- windows ----------------------------------------------------------------------------- */

/* Whole days and some hours read well; anything else is said by its two ends. */
static char *length_words(struct arena *a, int64_t ms)
{
	if (ms % MS_DAY == 0)
		return arena_printf(a, ms == MS_DAY ? "1 day" : "%lld days",
				    (long long)(ms / MS_DAY));
	if (ms % MS_HOUR == 0 && ms <= 31 * MS_DAY)
		return arena_printf(a, "%lld h", (long long)(ms / MS_HOUR));
	return NULL;
}

static char *minute_words(struct arena *a, int64_t ms)
{
	struct civil c = tm_civil(ms);

	return arena_printf(a, "%04d-%02d-%02d %02d:%02d", c.year, c.month, c.day, c.hour,
			    c.minute);
}

char *text_window(struct arena *a, int64_t since_ms, int64_t until_ms)
{
	char from[TM_BUF], to[TM_BUF];

	if (since_ms == UNKNOWN_MS && until_ms == UNKNOWN_MS)
		return arena_printf(a, "all of the ledger");
	if (since_ms == UNKNOWN_MS)
		return arena_printf(a, "until %s", tm_format(to, until_ms));
	if (until_ms == UNKNOWN_MS)
		return arena_printf(a, "since %s", tm_format(from, since_ms));
	const char *len = length_words(a, until_ms - since_ms);
	if (until_ms == since_ms) /* lies behind all data */
		return arena_printf(a, "since %s",
				    since_ms % MS_DAY ? tm_format(from, since_ms)
						      : tm_format_date(from, since_ms));
	if (len) {
		/* The last day of the window is the one that its open end closes. */
		char buf[TM_BUF];
		char *until_words;
		if (until_ms % MS_DAY == 0)
			until_words = arena_printf(a, "%s", tm_format_date(buf, until_ms - 1));
		else
			until_words = arena_printf(a, "%s UTC", minute_words(a, until_ms));
		return arena_printf(a, "%s to %s", len, until_words);
	}
	if (since_ms % MS_MINUTE == 0 && until_ms % MS_MINUTE == 0)
		return arena_printf(a, "%s to %s UTC", minute_words(a, since_ms),
				    minute_words(a, until_ms));
	return arena_printf(a, "%s to %s", tm_format(from, since_ms), tm_format(to, until_ms));
}

char *text_these(struct arena *a, int64_t since_ms, int64_t until_ms)
{
	const char *len = NULL;

	if (since_ms != UNKNOWN_MS && until_ms != UNKNOWN_MS)
		len = length_words(a, until_ms - since_ms);
	if (!len)
		return arena_printf(a, "this window");
	if (strcmp(len, "1 day"))
		return arena_printf(a, "these %s", len);
	return arena_printf(a, "this day");
}

/* ---- escapes ----------------------------------------------------------------------------- */

void text_html(struct str *out, struct sv s)
{
	for (size_t i = 0; i < s.n;) {
		size_t from = i;
		long c = next_char(s, &i);
		if (c < 0)
			str_addz(out, "\xef\xbf\xbd");
		else if (c == '&')
			str_addz(out, "&amp;");
		else if (c == '<')
			str_addz(out, "&lt;");
		else if (c == '>')
			str_addz(out, "&gt;");
		else if (c == '"')
			str_addz(out, "&quot;");
		else if (c == '\'')
			str_addz(out, "&#39;");
		else if (!char_acts((uint32_t)c))
			str_add(out, s.p + from, i - from);
	}
}

static bool csv_raw;

void text_csv_raw(bool raw)
{
	csv_raw = raw;
}

bool text_csv_is_raw(void)
{
	return csv_raw;
}

void text_csv(struct str *out, struct sv s)
{
	bool formula = !csv_raw && cell_wants_quote(s);
	bool quote = s.n && (s.p[0] == ' ' || s.p[s.n - 1] == ' ');

	for (size_t i = 0; i < s.n && !quote; i++)
		quote = memchr(",\"\n\r\t", s.p[i], 5) != NULL;
	str_addz(out, text_if(quote, "\""));
	str_addz(out, text_if(formula, "'"));

	/* What acts on a terminal becomes "?"; the ends of lines may stay, quoted. */
	for (size_t i = 0; i < s.n;) {
		size_t from = i;
		long c = next_char(s, &i);
		bool blank = c == '\t' || c == '\n' || c == '\r';
		bool acts = c < 0 || (char_acts((uint32_t)c) && !blank);
		if (s.p[from] == '"')
			str_addc(out, '"');
		if (acts && !csv_raw)
			str_addc(out, '?');
		else
			str_add(out, s.p + from, i - from);
	}

	str_addz(out, text_if(quote, "\""));
}
