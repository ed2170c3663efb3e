#include "net/expo.h"

#include <assert.h>
#include <errno.h>
#include <math.h>

#include "base/num.h"

struct scan {
	const char *p, *end;
};

static void skip_blanks(struct scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t'))
		s->p++;
}

static bool name_char(char c, bool colon)
{
	return (within_int(c, 'a', 'z')) || within_int(c, 'A', 'Z') || within_int(c, '0', '9') ||
	       c == '_' || (colon && c == ':');
}

static struct sv read_name(struct scan *s, bool colon)
{
	const char *from = s->p;

	while (s->p < s->end && name_char(*s->p, colon))
		s->p++;
	return (struct sv){ from, (size_t)(s->p - from) };
}

/* Behind the opening quote. Sets the raw text and whether it has escapes; false where no quote
 * closes it. */
static bool read_quoted(struct scan *s, struct sv *ret, bool *escapes)
{
	const char *from = s->p;

	*escapes = false;
	for (; s->p < s->end && *s->p != '"'; s->p++)
		if (*s->p == '\\') {
			*escapes = true;
			if (++s->p == s->end)
				return false;
		}
	if (s->p == s->end)
		return false;
	*ret = (struct sv){ from, (size_t)(s->p - from) };
	s->p++;
	return true;
}

/* Values with escapes are written one behind the other; views are set when the buffer no longer
 * moves. */
static void unescape_value(struct str *out, struct sv raw)
{
	for (size_t i = 0; i < raw.n; i++) {
		char c = raw.p[i];
		if (c == '\\' && i + 1 < raw.n) {
			c = raw.p[++i];
			if (c == 'n')
				c = '\n';
		}
		str_addc(out, c);
	}
}

static const char *read_labels(struct scan *s, struct expo_line *l)
{
	size_t escaped_at[EXPO_LABELS_MAX];
	bool escaped[EXPO_LABELS_MAX];

	assert(!l->nlabel); /* one list of labels a line */
	for (;;) {
		struct expo_label *one = &l->label[l->nlabel];
		skip_blanks(s);
		if (s->p < s->end && *s->p == '}')
			break;
		if (l->nlabel == EXPO_LABELS_MAX)
			return "too many labels";
		one->name = read_name(s, false);
		skip_blanks(s);
		if (!one->name.n || s->p == s->end || *s->p++ != '=')
			return "a label without a name or =";
		skip_blanks(s);
		if (s->p == s->end || *s->p++ != '"' ||
		    !read_quoted(s, &one->value, &escaped[l->nlabel]))
			return "a label value without its quotes";
		escaped_at[l->nlabel] = l->unescaped.n;
		if (escaped[l->nlabel])
			unescape_value(&l->unescaped, one->value);
		l->nlabel++;
		skip_blanks(s);
		if (s->p < s->end && *s->p == ',')
			s->p++;
		else if (s->p == s->end || *s->p != '}')
			return "labels that are not closed";
	}
	s->p++;
	for (size_t i = 0, next; i < l->nlabel; i++) {
		for (next = i + 1; next < l->nlabel && !escaped[next]; next++)
			;
		if (escaped[i])
			l->label[i].value = (struct sv){ str_z(&l->unescaped) + escaped_at[i],
							 (next < l->nlabel ? escaped_at[next]
									   : l->unescaped.n) -
								 escaped_at[i] };
	}
	return NULL;
}

static struct sv read_word(struct scan *s)
{
	const char *from;

	skip_blanks(s);
	from = s->p;
	while (s->p < s->end && *s->p != ' ' && *s->p != '\t')
		s->p++;
	return (struct sv){ from, (size_t)(s->p - from) };
}

static bool read_value(struct sv w, double *ret)
{
	struct sv plain = w;
	double sign = 1;

	if (w.n && (w.p[0] == '+' || w.p[0] == '-')) {
		sign = w.p[0] == '-' ? -1 : 1;
		plain = sv_from(w, 1);
	}
	if (sv_ieq(plain, SV("nan")))
		*ret = NAN;
	else if (sv_ieq(plain, SV("inf")) || sv_ieq(plain, SV("infinity")))
		*ret = sign * INFINITY;
	else
		return sv_f64(w, ret) == 0;
	return true;
}

static bool time_of(struct sv w, int64_t *ret_ms)
{
	double t;

	if (sv_f64(w, &t) < 0 || !(fabs(t) < 1e15))
		return false;
	if (memchr(w.p, '.', w.n) || fabs(t) < 1e11)
		*ret_ms = (int64_t)floor(t * 1000 + 0.5);
	else
		*ret_ms = (int64_t)t;
	return true;
}

int expo_parse(struct sv line, struct expo_line *ret, const char **ret_why)
{
	struct scan s = { line.p, line.p + line.n };
	const char *why = NULL;

	str_clear(&ret->unescaped);
	ret->nlabel = 0;
	ret->t_ms = INT64_MIN;
	skip_blanks(&s);
	if (s.p == s.end || *s.p == '#')
		return 0;
	ret->name = read_name(&s, true);
	if (!ret->name.n || (ret->name.p[0] >= '0' && ret->name.p[0] <= '9'))
		why = "no metric name";
	skip_blanks(&s);
	if (!why && s.p < s.end && *s.p == '{') {
		s.p++;
		why = read_labels(&s, ret);
	}
	struct sv v = why ? SV_NULL : read_word(&s), t;
	if (!why && !read_value(v, &ret->value))
		why = v.n ? "a value that is no number" : "no value";
	if (!why && (t = read_word(&s)).n && t.p[0] != '#' && !time_of(t, &ret->t_ms))
		why = "a time that is no number";
	if (!why)
		return 1;
	*ret_why = why;
	return -EINVAL;
}

struct sv expo_label(const struct expo_line *l, const char *const *names)
{
	for (; *names; names++)
		for (size_t i = 0; i < l->nlabel; i++)
			if (l->label[i].value.n && sv_ieq(l->label[i].name, sv_of(*names)))
				return l->label[i].value;
	return SV_NULL;
}

void expo_line_free(struct expo_line *l)
{
	str_free(&l->unescaped);
}
