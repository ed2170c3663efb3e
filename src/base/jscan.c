/*
 * Recursive descent over the text itself: it is checked without changing it, keys and values are
 * views. Texts are unescaped in place afterwards, where they can only shrink. So numbers stay as
 * they were written, and a row needs no memory.
 */
#include "base/jscan.h"

#include <stdint.h>
#include <string.h>

#include "base/among.h"
#include "base/mem.h"
#include "base/utf8.h"

#define LINE_DEPTH 64

struct scan {
	const char *p, *end;
	const char *wrong; /* what was met, or NULL */
	int depth;         /* levels that may still be opened */
	bool raw;          /* nobody unescapes it, so a NUL character may be in it */
};

static struct scan scan_of(struct sv text, int depth, bool raw)
{
	const char *p = text.p ? text.p : ""; /* no text has no address one may add to */

	return (struct scan){ p, p + text.n, NULL, depth, raw };
}

static bool set_wrong(struct scan *s, const char *what)
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

static bool take_char(struct scan *s, char c)
{
	skip_blanks(s);
	bool yes = s->p < s->end && *s->p == c;
	s->p += yes;
	return yes;
}

/* Four hex digits, or -1. */
static int read_hex4(const char *p)
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
		return set_wrong(s, "a string is not closed");
	char c = s->p[1];
	if (c == 'u') {
		int v = -1;
		if (s->end - s->p >= 6)
			v = read_hex4(s->p + 2);
		if (v < 0)
			return set_wrong(s, "an escape in a string is not one of JSON's");
		if (!v && !s->raw)
			return set_wrong(s, "a string holds a NUL character");
		s->p += 6;
		return true;
	}
	if (!c || !strchr("\"\\/bfnrt", c))
		return set_wrong(s, "an escape in a string is not one of JSON's");
	s->p += 2;
	return true;
}

static const bool stops_text[256] = { [0 ... 0x1f] = true, ['"'] = true, ['\\'] = true };

/* At the opening quote; *ret: what is between the quotes. */
static bool scan_text(struct scan *s, struct sv *ret, bool *ret_escaped)
{
	const char *start = ++s->p;
	*ret_escaped = false;
	for (;;) {
		const char *p = s->p;
		while (p < s->end && !stops_text[(unsigned char)*p])
			p++;
		s->p = p;
		if (p == s->end)
			return set_wrong(s, "a string is not closed");
		if (*p == '"')
			break;
		if (*p != '\\')
			return set_wrong(s, "a string holds a control character");
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
		return set_wrong(
			s, "a value is neither text, number, true, false, null, object nor array");
	if (s->p < s->end && *s->p == '.') {
		s->p++;
		if (!scan_digits(s))
			return set_wrong(s, "a number has no digits behind its point");
	}
	if (s->p < s->end && (*s->p == 'e' || *s->p == 'E')) {
		s->p++;
		if (s->p < s->end && (*s->p == '-' || *s->p == '+'))
			s->p++;
		if (!scan_digits(s))
			return set_wrong(s, "a number has no digits in its exponent");
	}
	return true;
}

static bool scan_value(struct scan *s);

/* Members or items up to the closing bracket, which is taken too. */
static bool scan_nested(struct scan *s, char close)
{
	struct sv text;
	bool escaped;
	if (--s->depth < 0)
		return set_wrong(s, "it is nested deeper than 64 levels");
	s->p++;
	bool ended = take_char(s, close);
	while (!ended) {
		skip_blanks(s);
		if (close == '}') {
			if (s->p == s->end || *s->p != '"' || !scan_text(s, &text, &escaped))
				return set_wrong(s, "a key is missing");
			if (!take_char(s, ':'))
				return set_wrong(s, "a colon is missing behind a key");
		}
		if (!scan_value(s))
			return false;
		ended = !take_char(s, ',');
		if (ended && !take_char(s, close))
			return set_wrong(s, "a comma or closing bracket is missing");
	}
	s->depth++;
	return true;
}

static bool scan_word(struct scan *s, struct sv word)
{
	if (!sv_starts((struct sv){ s->p, (size_t)(s->end - s->p) }, word))
		return set_wrong(
			s, "a value is neither text, number, true, false, null, object nor array");
	s->p += word.n;
	return true;
}

static bool scan_value(struct scan *s)
{
	struct sv text;
	bool escaped;
	skip_blanks(s);
	if (s->p == s->end)
		return set_wrong(s, "the line ends in the middle");
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

/* ---- members and items one after the other ----------------------------------------------- */

bool jscan_is_object(struct sv text)
{
	struct scan s = scan_of(text, JSCAN_DEPTH, true);

	skip_blanks(&s);
	if (s.p == s.end || *s.p != '{' || !scan_nested(&s, '}'))
		return false;
	skip_blanks(&s);
	return s.p == s.end;
}

bool jscan_next(struct sv text, size_t *at, struct sv *ret_key, struct sv *ret_value)
{
	struct scan s = scan_of(text, JSCAN_DEPTH, true);
	struct sv key = SV_NULL;

	s.p += *at;
	if (!*at) {
		skip_blanks(&s);
		if (s.p == s.end || (*s.p != '{' && *s.p != '['))
			return false;
		s.p++;
	} else if (!take_char(&s, ',')) {
		return false;
	}
	skip_blanks(&s);
	const char *from = s.p;
	if (!scan_value(&s))
		return false;
	struct sv v = { from, (size_t)(s.p - from) };
	if (*from == '"' && take_char(&s, ':')) {
		key = (struct sv){ v.p + 1, v.n - 2 };
		skip_blanks(&s);
		from = s.p;
		if (!scan_value(&s))
			return false;
		v = (struct sv){ from, (size_t)(s.p - from) };
	}
	*at = (size_t)(s.p - text.p);
	*ret_key = key;
	*ret_value = v;
	return true;
}

struct sv jscan_get(struct sv object, const char *key)
{
	struct sv k, v;
	size_t at = 0;

	while (jscan_next(object, &at, &k, &v))
		if (k.p && sv_ieq(k, sv_of(key)))
			return v;
	return SV_NULL;
}

struct sv jscan_text(struct sv v)
{
	bool nested = v.n && (v.p[0] == '{' || v.p[0] == '[');
	if (!v.n || nested || v.p[0] == 'n')
		return SV_NULL;
	if (v.p[0] == '"')
		return (struct sv){ v.p + 1, v.n - 2 };
	return v;
}

/* ---- all members of an object at once ---------------------------------------------------- */

static bool scan_member(struct scan *s, struct jscan_member *m)
{
	skip_blanks(s);
	if (s->p == s->end || *s->p != '"')
		return set_wrong(s, "a key is missing");
	if (!scan_text(s, &m->key, &m->key_escaped))
		return false;
	if (!take_char(s, ':'))
		return set_wrong(s, "a colon is missing behind a key");
	skip_blanks(s);
	const char *start = s->p;
	m->value_escaped = false;
	if (s->p < s->end && *s->p == '"') {
		m->type = JSCAN_TEXT;
		return scan_text(s, &m->value, &m->value_escaped);
	}
	if (!scan_value(s))
		return false;
	if (*start == 'n')
		m->type = JSCAN_NULL;
	else if (*start == '{' || *start == '[')
		m->type = JSCAN_NESTED;
	else
		m->type = JSCAN_SCALAR;
	m->value = (struct sv){ start, (size_t)(s->p - start) };
	return true;
}

const char *jscan_members(struct jscan_members *j, struct sv line)
{
	struct scan s = scan_of(line, LINE_DEPTH - 1, false);
	j->n = 0;
	if (!take_char(&s, '{'))
		return "the line is no JSON object";
	while (!take_char(&s, '}')) {
		if (j->n && !take_char(&s, ','))
			return "a comma or closing bracket is missing";
		if (j->n == JSCAN_MAX_KEYS)
			return "there are too many keys";
		if (j->n == j->cap)
			vec_grow(j, 64);
		if (!scan_member(&s, &j->v[j->n]))
			return s.wrong;
		j->n++;
	}
	skip_blanks(&s);
	if (s.p == s.end)
		return NULL;
	return "something follows the object";
}

/* The character of the \u escape at p and the bytes it takes; half a surrogate pair is U+FFFD. */
static unsigned unicode_escape(const char *p, const char *end, size_t *ret_n)
{
	unsigned hi = (unsigned)read_hex4(p + 2);
	*ret_n = 6;
	if (hi < 0xd800 || hi > 0xdfff)
		return hi;
	int lo = -1;
	if (hi < 0xdc00 && end - p >= 12 && p[6] == '\\' && p[7] == 'u')
		lo = read_hex4(p + 8);
	if (lo < 0xdc00 || lo > 0xdfff)
		return 0xfffd;
	*ret_n = 12;
	return 0x10000 + ((hi - 0xd800) << 10) + ((unsigned)lo - 0xdc00);
}

void jscan_unescape(struct sv *v)
{
	char *base = (char *)(uintptr_t)v->p, *o = base;
	const char *p = base, *end = base + v->n;
	while (p < end) {
		if (*p != '\\') {
			*o++ = *p++;
		} else if (p[1] == 'u') {
			size_t n;
			o += utf8_put(o, unicode_escape(p, end, &n));
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

void jscan_compact(struct sv *v)
{
	char *base = (char *)(uintptr_t)v->p, *o = base;
	bool text = false;
	for (size_t i = 0; i < v->n; i++) {
		char c = base[i];
		if (!text && char_is_blank(c))
			continue;
		*o++ = c;
		if (c == '"')
			text = !text;
		else if (text && c == '\\')
			*o++ = base[++i];
	}
	v->n = (size_t)(o - base);
}
