#include "base/clean.h"

#include "base/num.h"

size_t sv_utf8(const char *text, size_t n, uint32_t *ret_code)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t len = 0;
	if (p[0] < 0x80)
		len = 1;
	else if (p[0] >= 0xc2 && p[0] < 0xe0)
		len = 2;
	else if (p[0] >= 0xe0 && p[0] < 0xf0)
		len = 3;
	else if (p[0] >= 0xf0 && p[0] < 0xf5)
		len = 4;
	uint32_t code = len == 1 ? p[0] : p[0] & (0x7fu >> len);

	if (!len || len > n)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3fu);
	}
	if (len == 3 && (code < 0x800 || (code >= 0xd800 && code < 0xe000)))
		return 0;
	if (len == 4 && !within_u64(code, 0x10000, 0x10ffff))
		return 0; /* overlong, surrogate, beyond the last */
	*ret_code = code;
	return len;
}

bool char_acts(uint32_t c)
{
	if (c < 0x20 || (c >= 0x7f && c < 0xa0))
		return true;
	if (c == 0x2028 || c == 0x2029 || within_u64(c, 0x202a, 0x202e))
		return true;
	return within_u64(c, 0x2066, 0x2069);
}

/* ---- cells of spreadsheets --------------------------------------------------------------- */

static size_t quotes_of(struct sv s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] == '\'')
		n++;
	return n;
}

static bool begins_formula(struct sv s)
{
	return s.n && memchr("=+-@\t\r\n", s.p[0], 7);
}

/* "-3.00", "+3 %", "1e9", "-" */
static bool is_number(struct sv s)
{
	size_t i = s.n && (s.p[0] == '-' || s.p[0] == '+');

	if (s.n == 1 && s.p[0] == '-')
		return true;
	if (i == s.n || s.p[i] < '0' || s.p[i] > '9')
		return false;
	while (i < s.n && (within_int(s.p[i], '0', '9') || s.p[i] == '.' || s.p[i] == ','))
		i++;
	return i == s.n || sv_is(sv_from(s, i), " %");
}

bool cell_wants_quote(struct sv text)
{
	size_t q = quotes_of(text);

	return begins_formula(sv_from(text, q)) && (q || !is_number(text));
}

struct sv cell_plain(struct sv cell)
{
	size_t q = quotes_of(cell);

	if (q && begins_formula(sv_from(cell, q)))
		return sv_from(cell, 1);
	return cell;
}

enum what { KEEP, BLANK, DROP };

/* Unicode 15: general category Cc, Zl, Zp -> a blank; Cf that hides or turns text (joiners, marks,
 * overrides, isolates, tags) -> nothing. */
static enum what what_is(uint32_t c)
{
	if (c <= ' ' || within_u64(c, 0x7f, 0x9f) || within_u64(c, 0x2028, 0x2029))
		return BLANK;
	if (c == 0xad || c == 0x61c || c == 0x180e)
		return DROP;
	if (within_u64(c, 0x200b, 0x200f) || within_u64(c, 0x202a, 0x202e) ||
	    within_u64(c, 0x2060, 0x206f))
		return DROP;
	if (c == 0xfeff || within_u64(c, 0xfff9, 0xfffb) || within_u64(c, 0xe0000, 0xe007f))
		return DROP;
	return KEEP;
}

bool sv_is_clean(struct sv in)
{
	for (size_t at = 0, len; at < in.n; at += len) {
		uint32_t code;
		len = sv_utf8(in.p + at, in.n - at, &code);
		if (!len || (code != ' ' && what_is(code) != KEEP))
			return false;
	}
	return true;
}

size_t sv_clean(struct sv in, char *out, size_t cap)
{
	size_t n = 0, at = 0, end = min_size(in.n, cap * 8);
	bool blank = false;

	while (at < end) {
		uint32_t code = 0;
		size_t len = sv_utf8(in.p + at, end - at, &code);
		const char *from = "\xef\xbf\xbd";
		enum what w = KEEP;
		if (len) {
			from = in.p + at;
			w = what_is(code);
		}
		at += len ? len : 1;
		if (!len)
			len = 3;
		blank |= w == BLANK && n > 0;
		if (w != KEEP)
			continue;
		if (n + blank + len >= cap)
			break;
		if (blank)
			out[n++] = ' ';
		memcpy(out + n, from, len);
		n += len;
		blank = false;
	}
	out[n] = 0;
	return n;
}

struct sv arena_clean(struct arena *a, struct sv in)
{
	char clean[CLEAN_MAX + 1];
	size_t n = sv_clean(in, clean, sizeof clean);

	if (n)
		return (struct sv){ arena_strn(a, clean, n), n };
	return SV_NULL;
}
