/* See jstream.h. A state per byte; texts are gathered in one buffer. */
#include <errno.h>
#include <stdlib.h>
#include "base/among.h"
#include "base/mem.h"
#include "base/jstream.h"
#include "base/utf8.h"

#define DEPTH_MAX 64
#define TEXT_MAX  ((size_t)1 << 20)

enum want {
	WANT_VALUE,
	WANT_VALUE_OR_END,
	WANT_KEY,
	WANT_KEY_OR_END,
	WANT_COLON,
	WANT_COMMA_OR_END,
	WANT_NOTHING
};
enum inside { IN_NOTHING, IN_TEXT, IN_ESCAPE, IN_UNICODE, IN_WORD };

struct jstream {
	const struct jstream_ops *ops;
	void *ctx;
	enum want want;
	enum inside inside;
	bool is_key;
	struct str text;
	size_t cut;            /* texts longer than this are cut; 0: TEXT_MAX, and an error */
	unsigned code, digits; /* of \uXXXX */
	unsigned high;         /* first half of a surrogate pair */
	size_t depth;          /* open containers */
	bool object[DEPTH_MAX];
	struct str key[DEPTH_MAX];
	int64_t at;
};

struct jstream *jstream_new(const struct jstream_ops *ops, void *ctx)
{
	struct jstream *j = xcalloc(1, sizeof *j);
	j->ops = ops;
	j->ctx = ctx;
	return j;
}

void jstream_free(struct jstream *j)
{
	if (!j)
		return;
	str_free(&j->text);
	for (size_t i = 0; i < DEPTH_MAX; i++)
		str_free(&j->key[i]);
	free(j);
}

size_t jstream_depth(const struct jstream *j)
{
	return j->depth;
}

struct sv jstream_key(const struct jstream *j, size_t i)
{
	if (i < j->depth)
		return str_sv(&j->key[i]);
	return SV_NULL;
}

bool jstream_at(const struct jstream *j, size_t i, const char *key)
{
	return i < j->depth && sv_is(str_sv(&j->key[i]), key);
}

static int tell_bad(const struct jstream *j, const char *what, struct err *err)
{
	return err_set(err, -EBADMSG, "not JSON at byte %lld: %s", (long long)j->at, what);
}

static void after_value(struct jstream *j)
{
	j->want = j->depth ? WANT_COMMA_OR_END : WANT_NOTHING;
}

static int tell_scalar(struct jstream *j, bool quoted, struct err *err)
{
	after_value(j);
	if (j->ops->scalar)
		return j->ops->scalar(j->ctx, j, str_sv(&j->text), quoted, err);
	return 0;
}

static int close_container(struct jstream *j, bool object, struct err *err)
{
	if (!j->depth || j->object[j->depth - 1] != object)
		return tell_bad(j, "a bracket that nothing opened", err);
	j->depth--; /* the path is now that of the container */
	after_value(j);
	if (j->ops->close)
		return j->ops->close(j->ctx, j, err);
	return 0;
}

static int start_value(struct jstream *j, char c, struct err *err)
{
	if (c == '{' || c == '[') {
		if (j->depth >= DEPTH_MAX)
			return tell_bad(j, "nested too deep", err);
		j->object[j->depth] = c == '{';
		str_clear(&j->key[j->depth]);
		j->depth++;
		j->want = c == '{' ? WANT_KEY_OR_END : WANT_VALUE_OR_END;
		return 0;
	}
	if (c == ']' && j->want == WANT_VALUE_OR_END)
		return close_container(j, false, err);
	str_clear(&j->text);
	if (c == '"') {
		j->inside = IN_TEXT;
		j->is_key = false;
		return 0;
	}
	if (!strchr("-0123456789tfn", c) || !c)
		return tell_bad(j, "no value", err);
	j->inside = IN_WORD;
	str_addc(&j->text, c);
	return 0;
}

static int read_outside(struct jstream *j, char c, struct err *err)
{
	if (char_is_blank(c) || c == '\n')
		return 0;
	switch (j->want) {
	case WANT_VALUE:
	case WANT_VALUE_OR_END: return start_value(j, c, err);
	case WANT_KEY_OR_END:
		if (c == '}')
			return close_container(j, true, err);
		/* fall through */
	case WANT_KEY:
		if (c != '"')
			return tell_bad(j, "no key", err);
		str_clear(&j->text);
		j->inside = IN_TEXT;
		j->is_key = true;
		return 0;
	case WANT_COLON:
		j->want = WANT_VALUE;
		if (c == ':')
			return 0;
		return tell_bad(j, "no ':' after a key", err);
	case WANT_COMMA_OR_END:
		if (c == ',') {
			j->want = j->object[j->depth - 1] ? WANT_KEY : WANT_VALUE;
			return 0;
		}
		if (c == '}' || c == ']')
			return close_container(j, c == '}', err);
		return tell_bad(j, "no ',' after a value", err);
	case WANT_NOTHING: break;
	}
	return tell_bad(j, "text after the end", err);
}

static int end_text(struct jstream *j, struct err *err)
{
	j->inside = IN_NOTHING;
	if (!j->is_key)
		return tell_scalar(j, true, err);
	str_clear(&j->key[j->depth - 1]);
	str_addsv(&j->key[j->depth - 1], str_sv(&j->text));
	j->want = WANT_COLON;
	return 0;
}

static int read_escape(struct jstream *j, char c, struct err *err)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *p = NULL;
	if (c)
		p = strchr(from, c);
	j->inside = IN_TEXT;
	if (c == 'u') {
		j->inside = IN_UNICODE;
		j->code = j->digits = 0;
		return 0;
	}
	if (!p)
		return tell_bad(j, "a wrong escape", err);
	str_addc(&j->text, to[p - from]);
	return 0;
}

static int read_unicode(struct jstream *j, char c, struct err *err)
{
	static const char hex[] = "0123456789abcdef";
	const char *p = NULL;
	if (c)
		p = strchr(hex, c | 0x20);
	if (!p)
		return tell_bad(j, "a wrong \\u", err);
	j->code = j->code << 4 | (unsigned)(p - hex);
	if (++j->digits < 4)
		return 0;

	unsigned code = j->code;
	char utf8[4];
	j->inside = IN_TEXT;
	if (code >= 0xd800 && code < 0xdc00) {
		j->high = code;
		return 0;
	}
	if (code >= 0xdc00 && code < 0xe000)
		code = j->high ? 0x10000 + ((j->high - 0xd800) << 10) + (code - 0xdc00) : 0xfffd;
	j->high = 0;
	str_add(&j->text, utf8, utf8_put(utf8, code));
	return 0;
}

static int end_word(struct jstream *j, struct err *err)
{
	double v;
	struct sv w = str_sv(&j->text);
	j->inside = IN_NOTHING;
	if (!SV_AMONG(w, "true", "false", "null") && sv_f64(w, &v) < 0)
		return tell_bad(j, "neither number nor true, false, null", err);
	return tell_scalar(j, false, err);
}

/* Take what belongs to the text or word begun; returns bytes taken or a negative errno. */
static int64_t go_on(struct jstream *j, const char *p, size_t n, struct err *err)
{
	size_t k = 0;
	int r = 0;
	switch (j->inside) {
	case IN_TEXT:
		while (k < n && p[k] != '"' && p[k] != '\\')
			k++;
		str_add(&j->text, p, k);
		if (k < n) {
			if (p[k] == '"')
				r = end_text(j, err);
			else
				j->inside = IN_ESCAPE;
			k++;
		}
		break;
	case IN_WORD:
		while (k < n && p[k] && strchr("+-.0123456789eEtrufalsn", p[k]))
			k++;
		str_add(&j->text, p, k);
		if (k < n)
			r = end_word(j, err);
		break;
	case IN_ESCAPE: r = read_escape(j, p[k++], err); break;
	case IN_UNICODE: r = read_unicode(j, p[k++], err); break;
	case IN_NOTHING: r = read_outside(j, p[k++], err); break;
	}
	if (j->cut && j->text.n > j->cut)
		j->text.n = j->cut;
	if (j->text.n > TEXT_MAX)
		r = tell_bad(j, "a string of more than a megabyte", err);
	if (r < 0)
		return r;
	return (int64_t)k;
}

void jstream_cut(struct jstream *j, size_t max)
{
	j->cut = max;
}

int jstream_feed(struct jstream *j, struct sv text, struct err *err)
{
	while (text.n) {
		int64_t k = go_on(j, text.p, text.n, err);
		if (k < 0)
			return (int)k;
		j->at += k;
		text.p += k;
		text.n -= (size_t)k;
	}
	return 0;
}

int jstream_end(struct jstream *j, struct err *err)
{
	if (j->inside == IN_WORD && !j->depth) {
		int r = end_word(j, err);
		if (r < 0)
			return r;
	}
	if (j->want == WANT_NOTHING && j->inside == IN_NOTHING)
		return 0;
	return tell_bad(j, "the text ends too early", err);
}
