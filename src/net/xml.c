#include "net/xml.h"

#include <errno.h>

#include "base/utf8.h"

static bool starts_at(const struct xml_scan *x, struct sv what)
{
	return x->text.n - x->at >= what.n && !memcmp(x->text.p + x->at, what.p, what.n);
}

/* Behind the next `end`, or -EBADMSG. */
static int skip_past(struct xml_scan *x, struct sv end)
{
	const char *p = memmem(x->text.p + x->at, x->text.n - x->at, end.p, end.n);

	if (!p)
		return -EBADMSG;
	x->at = (size_t)(p - x->text.p) + end.n;
	return 0;
}

static struct sv local_name(struct sv tag)
{
	struct sv rest, name;
	size_t n = 0;

	while (n < tag.n && !strchr(" \t\r\n/", tag.p[n]))
		n++;
	tag.n = n;
	name = sv_cut(tag, ':', &rest);
	if (rest.p)
		return rest;
	return name;
}

static int element_end(struct xml_scan *x, struct sv name, struct sv text, struct sv *ret_name,
		       struct sv *ret_text)
{
	if (!x->depth || !sv_eq(x->open[x->depth - 1], name))
		return -EBADMSG;
	x->depth--;
	*ret_name = name;
	*ret_text = x->leaf ? text : SV_NULL;
	x->leaf = false;
	return XML_END;
}

static int read_markup(struct xml_scan *x, struct sv *ret_name, struct sv *ret_text, bool *skipped)
{
	size_t start = x->at;
	struct sv tag;

	*skipped = true;
	if (starts_at(x, SV("<?")))
		return skip_past(x, SV("?>"));
	if (starts_at(x, SV("<!--")))
		return skip_past(x, SV("-->"));
	if (starts_at(x, SV("<!"))) /* DTD, CDATA: nobody who answers us needs them */
		return -EBADMSG;
	*skipped = false;
	if (skip_past(x, SV(">")) < 0)
		return -EBADMSG;
	tag = (struct sv){ x->text.p + start + 1, x->at - start - 2 };
	if (!tag.n)
		return -EBADMSG;
	if (tag.p[0] == '/')
		return element_end(x, local_name(sv_from(tag, 1)),
				   (struct sv){ x->text.p + x->from, start - x->from }, ret_name,
				   ret_text);
	struct sv name = local_name(tag);
	if (!name.n || (size_t)x->depth == sizeof x->open / sizeof *x->open)
		return -EBADMSG;
	x->open[x->depth++] = name;
	x->from = x->at;
	x->leaf = true;
	x->close_next = tag.p[tag.n - 1] == '/';
	*ret_name = name;
	return XML_START;
}

int xml_next(struct xml_scan *x, struct sv *ret_name, struct sv *ret_text)
{
	*ret_text = SV_NULL;
	if (x->close_next) {
		x->close_next = false;
		return element_end(x, x->open[x->depth - 1], SV(""), ret_name, ret_text);
	}
	for (;;) {
		bool skipped;
		const char *p = NULL;
		if (x->at < x->text.n)
			p = memchr(x->text.p + x->at, '<', x->text.n - x->at);
		if (!p) {
			if (x->depth)
				return -EBADMSG;
			return XML_DONE;
		}
		x->at = (size_t)(p - x->text.p);
		int rc = read_markup(x, ret_name, ret_text, &skipped);
		if (rc < 0 || !skipped)
			return rc;
	}
}

/* The character that "&name;" stands for; 0 none. An entity is never shorter than its UTF-8. */
static uint32_t read_entity(struct sv name)
{
	static const struct {
		const char *name;
		char c;
	} known[] = {
		{ "lt", '<' }, { "gt", '>' }, { "amp", '&' }, { "quot", '"' }, { "apos", '\'' }
	};
	uint32_t v = 0;

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (sv_is(name, known[i].name))
			return (uint32_t)known[i].c;
	if (name.n < 2 || name.n > 8 || name.p[0] != '#')
		return 0;
	bool hex = name.p[1] == 'x';
	for (size_t i = hex ? 2 : 1; i < name.n; i++) {
		const char *digits = "0123456789abcdef", *p = strchr(digits, name.p[i] | 32);
		if (!p || !*p || (!hex && p - digits > 9))
			return 0;
		v = v * (hex ? 16 : 10) + (uint32_t)(p - digits);
		if (v > 0x10ffff)
			return 0;
	}
	if (v >= 0xd800 && v < 0xe000)
		return 0;
	return v;
}

char *xml_text(struct arena *a, struct sv raw)
{
	char *out = arena_alloc(a, raw.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < raw.n; i++) {
		if (!raw.p[i])
			return NULL;
		if (raw.p[i] != '&') {
			out[n++] = raw.p[i];
			continue;
		}
		const char *semi = memchr(raw.p + i, ';', raw.n - i);
		uint32_t c = 0;
		if (semi)
			c = read_entity(
				(struct sv){ raw.p + i + 1, (size_t)(semi - raw.p) - i - 1 });
		if (!c)
			return NULL;
		n += utf8_put(out + n, c);
		i = (size_t)(semi - raw.p);
	}
	out[n] = 0;
	return out;
}

struct sv xml_find(struct sv doc, const char *name)
{
	struct xml_scan x = { .text = doc };
	struct sv got, text;
	int e;

	while (doc.p && (e = xml_next(&x, &got, &text)) > 0)
		if (e == XML_END && text.p && sv_is(got, name))
			return text;
	return SV_NULL;
}

void xml_add(struct str *out, struct sv text)
{
	for (size_t i = 0; i < text.n; i++)
		switch (text.p[i]) {
		case '<': str_addz(out, "&lt;"); break;
		case '>': str_addz(out, "&gt;"); break;
		case '&': str_addz(out, "&amp;"); break;
		case '"': str_addz(out, "&quot;"); break;
		default: str_addc(out, text.p[i]);
		}
}
