/*
 * A line is first taken apart and checked without changing it (keys and values as views), then the texts are unescaped in place, where
 * they can only shrink. That keeps numbers as they were written and needs no memory per row.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/tab.h"

#define BUF_BYTES ((size_t)1 << 20)
#define MAX_LINE_BYTES ((size_t)16 << 20)
#define HEAD_ROWS 1000
#define HEAD_BYTES ((size_t)64 << 20)
#define MAX_KEYS ((size_t)16384)
#define MAX_DEPTH 64

enum value_type { VALUE_NULL, VALUE_TEXT, VALUE_SCALAR, VALUE_NESTED };

struct member {
	struct sv key, value; /* texts without their quotes */
	enum value_type type;
	bool key_escaped, value_escaped;
};

struct jsonl {
	struct tab tab;
	struct input *in;
	char *buf;
	size_t cap, at, end;
	bool eof;
	int64_t line; /* of the text at `at` */

	struct member *member;
	size_t nmember, cap_member;
	struct intern cols; /* column names, by number */
	struct sv *cell;
	int64_t *seen; /* [ncol] row in which the column was last set */
	int64_t row;
	int failed;
	struct err why;
};

/* Reading a line. */
struct scan {
	const char *p, *end;
	const char *wrong; /* what was met, or NULL */
	int depth;
};

static bool bad(struct scan *s, const char *what)
{
	if (!s->wrong)
		s->wrong = what;
	return false;
}

static void skip_blanks(struct scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\r' || *s->p == '\n'))
		s->p++;
}

static bool take(struct scan *s, char c)
{
	skip_blanks(s);
	bool yes = s->p < s->end && *s->p == c;
	s->p += yes;
	return yes;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Four hex digits, or -1. */
static int hex4(const char *p)
{
	int v = 0;
	for (int i = 0; i < 4; i++) {
		int d = hex_digit(p[i]);
		if (d < 0)
			return -1;
		v = v * 16 + d;
	}
	return v;
}

static bool scan_escape(struct scan *s)
{
	if (s->end - s->p < 2)
		return bad(s, "a text is not closed");
	char c = s->p[1];
	if (c == 'u') {
		int v = s->end - s->p < 6 ? -1 : hex4(s->p + 2);
		if (v <= 0)
			return bad(s, v ? "an escape in a text is not one of JSON's" : "a text holds a NUL character");
		s->p += 6;
		return true;
	}
	if (!c || !strchr("\"\\/bfnrt", c))
		return bad(s, "an escape in a text is not one of JSON's");
	s->p += 2;
	return true;
}

/* At the opening quote; *ret: what is between the quotes. */
static bool scan_text(struct scan *s, struct sv *ret, bool *ret_escaped)
{
	const char *start = ++s->p;
	*ret_escaped = false;
	for (;;) {
		if (s->p == s->end)
			return bad(s, "a text is not closed");
		unsigned char c = (unsigned char)*s->p;
		if (c == '"')
			break;
		if (c < 0x20)
			return bad(s, "a text holds a control character");
		if (c != '\\') {
			s->p++;
			continue;
		}
		*ret_escaped = true;
		if (!scan_escape(s))
			return false;
	}
	*ret = (struct sv){ start, (size_t)(s->p - start) };
	s->p++;
	return true;
}

static size_t scan_digits(struct scan *s)
{
	const char *start = s->p;
	while (s->p < s->end && (unsigned char)(*s->p - '0') <= 9)
		s->p++;
	return (size_t)(s->p - start);
}

static bool scan_number(struct scan *s)
{
	if (s->p < s->end && *s->p == '-')
		s->p++;
	bool zero = s->p < s->end && *s->p == '0';
	size_t n = scan_digits(s);
	if (n == 0 || (zero && n > 1))
		return bad(s, "a value is neither text, number, true, false, null, object nor array");
	if (s->p < s->end && *s->p == '.') {
		s->p++;
		if (!scan_digits(s))
			return bad(s, "a number has no digits behind its point");
	}
	if (s->p < s->end && (*s->p == 'e' || *s->p == 'E')) {
		s->p++;
		if (s->p < s->end && (*s->p == '-' || *s->p == '+'))
			s->p++;
		if (!scan_digits(s))
			return bad(s, "a number has no digits in its exponent");
	}
	return true;
}

static bool scan_value(struct scan *s);

/* Members or items up to the closing bracket, which is taken too. */
static bool scan_nested(struct scan *s, char close)
{
	struct sv text;
	bool escaped;
	if (++s->depth > MAX_DEPTH)
		return bad(s, "it is nested deeper than 64 levels");
	s->p++;
	bool first = true;
	while (!take(s, close)) {
		if (!first && !take(s, ','))
			return bad(s, "a comma or closing bracket is missing");
		first = false;
		skip_blanks(s);
		if (close == '}') {
			if (s->p == s->end || *s->p != '"' || !scan_text(s, &text, &escaped))
				return bad(s, "a key is missing");
			if (!take(s, ':'))
				return bad(s, "a colon is missing behind a key");
		}
		if (!scan_value(s))
			return false;
	}
	s->depth--;
	return true;
}

static bool scan_word(struct scan *s, struct sv word)
{
	if (!sv_starts((struct sv){ s->p, (size_t)(s->end - s->p) }, word))
		return bad(s, "a value is neither text, number, true, false, null, object nor array");
	s->p += word.n;
	return true;
}

static bool scan_value(struct scan *s)
{
	struct sv text;
	bool escaped;
	skip_blanks(s);
	if (s->p == s->end)
		return bad(s, "the line ends in the middle");
	switch (*s->p) {
	case '"': return scan_text(s, &text, &escaped);
	case '{': return scan_nested(s, '}');
	case '[': return scan_nested(s, ']');
	case 't': return scan_word(s, SV("true"));
	case 'f': return scan_word(s, SV("false"));
	case 'n': return scan_word(s, SV("null"));
	default: return scan_number(s);
	}
}

static bool scan_member(struct scan *s, struct member *m)
{
	skip_blanks(s);
	if (s->p == s->end || *s->p != '"')
		return bad(s, "a key is missing");
	if (!scan_text(s, &m->key, &m->key_escaped))
		return false;
	if (!take(s, ':'))
		return bad(s, "a colon is missing behind a key");
	skip_blanks(s);
	const char *start = s->p;
	m->value_escaped = false;
	if (s->p < s->end && *s->p == '"') {
		m->type = VALUE_TEXT;
		return scan_text(s, &m->value, &m->value_escaped);
	}
	if (!scan_value(s))
		return false;
	m->type = *start == 'n' ? VALUE_NULL : *start == '{' || *start == '[' ? VALUE_NESTED : VALUE_SCALAR;
	m->value = (struct sv){ start, (size_t)(s->p - start) };
	return true;
}

/* Take the line apart into j->member; NULL or what is wrong with it. */
static const char *scan_line(struct jsonl *j, struct sv line)
{
	struct scan s = { line.p, line.p + line.n, NULL, 1 };
	j->nmember = 0;
	if (!take(&s, '{'))
		return "the line is no JSON object";
	while (!take(&s, '}')) {
		if (j->nmember && !take(&s, ','))
			return "a comma or closing bracket is missing";
		if (j->nmember == MAX_KEYS)
			return "there are too many keys";
		if (j->nmember == j->cap_member) {
			j->cap_member = j->cap_member ? j->cap_member * 2 : 64;
			j->member = xrealloc(j->member, j->cap_member * sizeof *j->member);
		}
		if (!scan_member(&s, &j->member[j->nmember]))
			return s.wrong;
		j->nmember++;
	}
	skip_blanks(&s);
	return s.p == s.end ? NULL : "something follows the object";
}

static char *put_utf8(char *o, unsigned c)
{
	if (c < 0x80) {
		*o++ = (char)c;
	} else if (c < 0x800) {
		*o++ = (char)(0xc0 | c >> 6);
		*o++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*o++ = (char)(0xe0 | c >> 12);
		*o++ = (char)(0x80 | (c >> 6 & 0x3f));
		*o++ = (char)(0x80 | (c & 0x3f));
	} else {
		*o++ = (char)(0xf0 | c >> 18);
		*o++ = (char)(0x80 | (c >> 12 & 0x3f));
		*o++ = (char)(0x80 | (c >> 6 & 0x3f));
		*o++ = (char)(0x80 | (c & 0x3f));
	}
	return o;
}

/* The character of the \u escape at p and the bytes it takes; half a surrogate pair is U+FFFD. */
static unsigned unicode_escape(const char *p, const char *end, size_t *ret_n)
{
	unsigned hi = (unsigned)hex4(p + 2);
	*ret_n = 6;
	if (hi < 0xd800 || hi > 0xdfff)
		return hi;
	int lo = hi < 0xdc00 && end - p >= 12 && p[6] == '\\' && p[7] == 'u' ? hex4(p + 8) : -1;
	if (lo < 0xdc00 || lo > 0xdfff)
		return 0xfffd;
	*ret_n = 12;
	return 0x10000 + ((hi - 0xd800) << 10) + ((unsigned)lo - 0xdc00);
}

/* In place; the escapes were checked. */
static void unescape(struct sv *v)
{
	char *base = (char *)(uintptr_t)v->p, *o = base;
	const char *p = base, *end = base + v->n;
	while (p < end) {
		if (*p != '\\') {
			*o++ = *p++;
		} else if (p[1] == 'u') {
			size_t n;
			o = put_utf8(o, unicode_escape(p, end, &n));
			p += n;
		} else {
			static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
			const char *q = strchr(from, p[1]);
			*o++ = q ? to[q - from] : p[1];
			p += 2;
		}
	}
	v->n = (size_t)(o - base);
}

/* Blanks outside texts out, in place. */
static void compact(struct sv *v)
{
	char *base = (char *)(uintptr_t)v->p, *o = base;
	bool text = false;
	for (size_t i = 0; i < v->n; i++) {
		char c = base[i];
		if (!text && (c == ' ' || c == '\t' || c == '\r'))
			continue;
		*o++ = c;
		if (c == '"')
			text = !text;
		else if (text && c == '\\')
			*o++ = base[++i];
	}
	v->n = (size_t)(o - base);
}

static int fail(struct jsonl *j, int code, const struct err *err)
{
	j->failed = code;
	if (err)
		j->why = *err;
	return code;
}

/* Read until the buffer is full or the input ends; what is unread moves to the front. */
static int refill(struct jsonl *j, struct err *err)
{
	memmove(j->buf, j->buf + j->at, j->end - j->at);
	j->end -= j->at;
	j->at = 0;
	if (j->end > j->cap / 2) {
		j->cap *= 2;
		j->buf = xrealloc(j->buf, j->cap);
	}
	while (j->end < j->cap && !j->eof) {
		int64_t got = input_read(j->in, j->buf + j->end, j->cap - j->end, err);
		if (got < 0)
			return fail(j, (int)got, err);
		j->eof = got == 0;
		j->end += (size_t)got;
	}
	return 0;
}

/* The line that starts at `from` in the buffer: 1, 0 where the buffer ends before it does. */
static bool line_at(const struct jsonl *j, size_t from, struct sv *ret)
{
	const char *nl = from < j->end ? memchr(j->buf + from, '\n', j->end - from) : NULL;
	if (!nl && (!j->eof || from >= j->end))
		return false;
	*ret = (struct sv){ j->buf + from, nl ? (size_t)(nl - (j->buf + from)) : j->end - from };
	return true;
}

/* The next line: 1, 0 at the end, or an error. */
static int take_line(struct jsonl *j, struct sv *ret, struct err *err)
{
	for (;;) {
		if (line_at(j, j->at, ret)) {
			if (ret->n > MAX_LINE_BYTES)
				break;
			j->at += ret->n + 1 < j->end - j->at ? ret->n + 1 : j->end - j->at;
			j->tab.line = j->line++;
			return 1;
		}
		if (j->eof)
			return 0;
		if (j->end - j->at > MAX_LINE_BYTES)
			break;
		int rc = refill(j, err);
		if (rc)
			return rc;
	}
	err_set(err, -EMSGSIZE, "'%s' line %lld: the line is longer than %zu bytes", input_name(j->in), (long long)j->line, MAX_LINE_BYTES);
	err_hint(err, "JSON lines have one object a line; is this one array or a file of another kind?");
	return fail(j, -EMSGSIZE, err);
}

static int bad_row(const struct jsonl *j, struct err *err, const char *what)
{
	return err_set(err, -EDOM, "'%s' line %lld: %s", input_name(j->in), (long long)j->tab.line, what);
}

/* Column of the i-th member: rows mostly have the same keys in the same order. */
static int64_t column_of(const struct jsonl *j, struct sv key, size_t guess)
{
	if (guess < j->cols.n && sv_eq(j->cols.text[guess], key))
		return (int64_t)guess;
	return intern_find(&j->cols, key);
}

static int fill_cells(struct jsonl *j, struct err *err)
{
	int64_t col = -1;
	j->row++;
	memset(j->cell, 0, j->tab.ncol * sizeof *j->cell);
	for (size_t i = 0; i < j->nmember; i++) {
		struct member *m = &j->member[i];
		if (m->key_escaped)
			unescape(&m->key);
		col = column_of(j, m->key, (size_t)(col + 1));
		if (col < 0) {
			err_set(err, -EDOM, "'%s' line %lld: the key '%.*s' does not occur in the first %d rows", input_name(j->in),
				(long long)j->tab.line, m->key.n > 100 ? 100 : (int)m->key.n, m->key.p, HEAD_ROWS);
			err_hint(err, "put a row with all keys first");
			return -EDOM;
		}
		if (j->seen[col] == j->row)
			return err_set(err, -EDOM, "'%s' line %lld: the key '%.*s' is there twice", input_name(j->in), (long long)j->tab.line,
				       m->key.n > 100 ? 100 : (int)m->key.n, m->key.p);
		j->seen[col] = j->row;
		if (m->value_escaped)
			unescape(&m->value);
		if (m->type == VALUE_NESTED)
			compact(&m->value);
		j->cell[col] = m->type == VALUE_NULL ? SV_NULL : m->value;
	}
	return 0;
}

static int jsonl_next(struct tab *t, const struct sv **ret_cell, struct err *err)
{
	struct jsonl *j = (struct jsonl *)t;
	struct sv line;
	if (j->failed) {
		if (err)
			*err = j->why;
		return j->failed;
	}
	do {
		int rc = take_line(j, &line, err);
		if (rc <= 0)
			return rc;
	} while (sv_trim(line).n == 0);
	const char *wrong = scan_line(j, line);
	if (wrong)
		return bad_row(j, err, wrong);
	int rc = fill_cells(j, err);
	if (rc)
		return rc;
	*ret_cell = j->cell;
	return 1;
}

static void jsonl_close(struct tab *t)
{
	struct jsonl *j = (struct jsonl *)t;
	intern_free(&j->cols);
	free(j->buf);
	free(j->member);
	free(j->cell);
	free(j->seen);
	free(j);
}

static const struct tab_ops jsonl_ops = { jsonl_next, jsonl_close };

/* The keys of the line into the columns; the buffer stays as it is, as the line will be read again. */
static void note_keys(struct jsonl *j)
{
	struct str copy = { 0 };
	for (size_t i = 0; i < j->nmember && j->cols.n < MAX_KEYS; i++) {
		struct sv key = j->member[i].key;
		if (j->member[i].key_escaped) {
			str_clear(&copy);
			str_addsv(&copy, key);
			key = str_sv(&copy);
			unescape(&key);
		}
		intern_add(&j->cols, key);
	}
	str_free(&copy);
}

/* Look through the first rows for the keys, taking nothing. */
static int read_head(struct jsonl *j, struct err *err)
{
	size_t from = 0;
	int rows = 0;
	int64_t line_no = 0;
	while (rows < HEAD_ROWS) {
		struct sv line;
		if (!line_at(j, from, &line)) {
			if (j->eof || j->end >= HEAD_BYTES || j->end - from > MAX_LINE_BYTES)
				break;
			int rc = refill(j, err);
			if (rc)
				return rc;
			continue;
		}
		from += line.n + 1;
		line_no++;
		if (sv_trim(line).n == 0)
			continue;
		const char *wrong = scan_line(j, line);
		if (wrong && rows == 0)
			return err_set(err, -EBADMSG, "'%s' line %lld: %s", input_name(j->in), (long long)line_no, wrong);
		if (!wrong)
			note_keys(j);
		rows++;
	}
	if (rows)
		return 0;
	if (j->eof)
		return err_set(err, -ENODATA, "'%s' is empty: there is not one JSON object", input_name(j->in));
	return err_set(err, -EMSGSIZE, "'%s' line %lld: the line is longer than %zu bytes", input_name(j->in), (long long)line_no + 1, MAX_LINE_BYTES);
}

static void skip_bom(struct jsonl *j)
{
	if (j->end >= 3 && !memcmp(j->buf, "\xef\xbb\xbf", 3))
		memset(j->buf, ' ', 3);
}

int tab_jsonl_open(struct input *in, struct tab **ret, struct err *err)
{
	struct jsonl *j = xcalloc(1, sizeof *j);
	j->tab.ops = &jsonl_ops;
	j->tab.format = "jsonl";
	j->in = in;
	j->line = 1;
	j->cap = BUF_BYTES;
	j->buf = xmalloc(j->cap);
	int rc = refill(j, err);
	if (!rc) {
		skip_bom(j);
		rc = read_head(j, err);
	}
	if (rc) {
		jsonl_close(&j->tab);
		return rc;
	}
	j->tab.ncol = j->cols.n;
	j->tab.col = j->cols.text;
	j->cell = xcalloc(j->cols.n, sizeof *j->cell);
	j->seen = xcalloc(j->cols.n, sizeof *j->seen);
	*ret = &j->tab;
	return 0;
}
