/* Recursive descent over the text itself; see jscan.h. */
#include "base/jscan.h"

#include "base/num.h"

struct scan {
	const char *p, *end;
};

static void blanks(struct scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r'))
		s->p++;
}

static bool take(struct scan *s, char c)
{
	blanks(s);
	if (s->p == s->end || *s->p != c)
		return false;
	s->p++;
	return true;
}

static bool is_hex(char c)
{
	return within_int(c, '0', '9') || within_int(c, 'a', 'f') || within_int(c, 'A', 'F');
}

static bool string(struct scan *s)
{
	if (!take(s, '"'))
		return false;
	while (s->p < s->end) {
		char c = *s->p++;
		if (c == '"')
			return true;
		if ((unsigned char)c < ' ')
			return false;
		if (c != '\\')
			continue;
		if (s->p == s->end || !*s->p || !strchr("\"\\/bfnrtu", *s->p))
			return false;
		if (*s->p++ == 'u') {
			if (s->end - s->p < 4 || !is_hex(s->p[0]) || !is_hex(s->p[1]))
				return false;
			if (!is_hex(s->p[2]) || !is_hex(s->p[3]))
				return false;
			s->p += 4;
		}
	}
	return false;
}

static bool digits(struct scan *s)
{
	const char *from = s->p;

	while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
		s->p++;
	return s->p > from;
}

static bool number(struct scan *s)
{
	if (s->p < s->end && *s->p == '-')
		s->p++;
	if (s->p < s->end && *s->p == '0')
		s->p++;
	else if (!digits(s))
		return false;
	if (s->p < s->end && *s->p == '.') {
		s->p++;
		if (!digits(s))
			return false;
	}
	if (s->p < s->end && (*s->p == 'e' || *s->p == 'E')) {
		s->p++;
		if (s->p < s->end && (*s->p == '+' || *s->p == '-'))
			s->p++;
		return digits(s);
	}
	return true;
}

static bool word(struct scan *s, const char *w, size_t n)
{
	if ((size_t)(s->end - s->p) < n || memcmp(s->p, w, n))
		return false;
	s->p += n;
	return true;
}

static bool value(struct scan *s, int depth);

static bool list(struct scan *s, char open, char close, int depth)
{
	if (!take(s, open))
		return false;
	if (take(s, close))
		return true;
	do {
		if (open == '{' && (!string(s) || !take(s, ':')))
			return false;
		if (!value(s, depth - 1))
			return false;
	} while (take(s, ','));
	return take(s, close);
}

static bool value(struct scan *s, int depth)
{
	blanks(s);
	if (s->p == s->end || depth < 0)
		return false;
	switch (*s->p) {
	case '{': return list(s, '{', '}', depth);
	case '[': return list(s, '[', ']', depth);
	case '"': return string(s);
	case 't': return word(s, "true", 4);
	case 'f': return word(s, "false", 5);
	case 'n': return word(s, "null", 4);
	default: return number(s);
	}
}

bool jscan_is_object(struct sv text)
{
	struct scan s;

	if (!text.n)
		return false;
	s = (struct scan){ text.p, text.p + text.n };
	if (!list(&s, '{', '}', JSCAN_DEPTH))
		return false;
	blanks(&s);
	return s.p == s.end;
}

bool jscan_next(struct sv text, size_t *at, struct sv *ret_key, struct sv *ret_value)
{
	struct scan s;
	struct sv key = SV_NULL;

	if (!text.n)
		return false;
	s = (struct scan){ text.p + *at, text.p + text.n };
	if (!*at) {
		blanks(&s);
		if (s.p == s.end || (*s.p != '{' && *s.p != '['))
			return false;
		s.p++;
	} else if (!take(&s, ',')) {
		return false;
	}
	blanks(&s);
	const char *from = s.p;
	if (!value(&s, JSCAN_DEPTH))
		return false;
	struct sv v = { from, (size_t)(s.p - from) };
	if (*from == '"' && take(&s, ':')) {
		key = (struct sv){ v.p + 1, v.n - 2 };
		blanks(&s);
		from = s.p;
		if (!value(&s, JSCAN_DEPTH))
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
