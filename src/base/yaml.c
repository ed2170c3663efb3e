#include "base/yaml.h"

#include <errno.h>
#include <stdlib.h>

#include <xxhash.h>
#include <yaml.h>

#include "base/among.h"
#include "base/input.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/str.h"

#define MAX_DEPTH 32
#define MAX_BYTES ((size_t)4 << 20)

struct yaml_doc {
	struct arena mem;
	char *name;
	struct yaml *root;
	uint64_t digest;
};

/* A document being read: libyaml's events, one ahead. */
struct reader {
	yaml_parser_t parser;
	yaml_event_t event;
	bool has_event;
	struct yaml_doc *doc;
	struct err *err;
};

static int tell_wrong(struct reader *r, size_t line, const char *what)
{
	return err_set(r->err, -EINVAL, "'%s' line %zu: %s", r->doc->name, line + 1, what);
}

static int next_event(struct reader *r)
{
	if (r->has_event)
		yaml_event_delete(&r->event);
	r->has_event = yaml_parser_parse(&r->parser, &r->event);
	if (r->has_event)
		return 0;
	if (r->parser.error == YAML_MEMORY_ERROR)
		return err_nomem(r->err);
	const char *what = text_or(r->parser.problem, "this is no YAML");
	return tell_wrong(r,
			  r->parser.error == YAML_READER_ERROR ? r->parser.mark.line
							       : r->parser.problem_mark.line,
			  what);
}

/* What we refuse of YAML, in the current event. */
static const char *refused_syntax(const yaml_event_t *e)
{
	const yaml_char_t *anchor = NULL, *tag = NULL;
	switch (e->type) {
	case YAML_ALIAS_EVENT: return "aliases (*name) are not supported: write the value out";
	case YAML_SCALAR_EVENT:
		anchor = e->data.scalar.anchor;
		tag = e->data.scalar.tag;
		if (memchr(e->data.scalar.value, 0, e->data.scalar.length))
			return "a string holds a NUL character";
		break;
	case YAML_SEQUENCE_START_EVENT:
		anchor = e->data.sequence_start.anchor;
		tag = e->data.sequence_start.tag;
		break;
	case YAML_MAPPING_START_EVENT:
		anchor = e->data.mapping_start.anchor;
		tag = e->data.mapping_start.tag;
		break;
	default: break;
	}
	if (anchor)
		return "anchors (&name) are not supported: write the value out";
	if (tag)
		return "tags (!name) are not supported";
	return NULL;
}

/* Read a key: the current event, which must be a scalar. */
static int read_key(struct reader *r, const struct intern *seen, const char **ret)
{
	const yaml_event_t *e = &r->event;
	size_t line = e->start_mark.line;
	const char *no = refused_syntax(e);
	if (no)
		return tell_wrong(r, line, no);
	if (e->type != YAML_SCALAR_EVENT)
		return tell_wrong(r, line, "a key must be plain text");
	const char *z = (const char *)e->data.scalar.value;
	if (!strcmp(z, "<<") && e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
		return tell_wrong(r, line,
				  "merge keys (<<) are not supported: write the members out");
	if (intern_find(seen, sv_of(z)) >= 0)
		return err_set(r->err, -EINVAL, "'%s' line %zu: the key '%s' is there twice",
			       r->doc->name, line + 1, z);
	*ret = arena_strn(&r->doc->mem, z, strlen(z));
	return 0;
}

/* The value at the current event, with its members or items, up to its end event. */
static int read_node(struct reader *r, int depth, struct yaml **ret)
{
	const yaml_event_t *e = &r->event;
	const char *no = refused_syntax(e);
	if (!no && depth > MAX_DEPTH)
		no = "it is nested deeper than 32 levels";
	if (no)
		return tell_wrong(r, e->start_mark.line, no);
	struct yaml *y = arena_zalloc(&r->doc->mem, sizeof *y);
	y->line = (int)e->start_mark.line + 1;
	*ret = y;
	if (e->type == YAML_SCALAR_EVENT) {
		const char *z = (const char *)e->data.scalar.value;
		bool nothing = !*z || TEXT_AMONG(z, "~", "null", "Null", "NULL");
		if (nothing && e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE) {
			y->type = YAML_NULL;
			return 0;
		}
		y->type = YAML_TEXT;
		y->text = arena_strn(&r->doc->mem, z, e->data.scalar.length);
		return 0;
	}

	bool map = e->type == YAML_MAPPING_START_EVENT;
	y->type = map ? YAML_MAPPING : YAML_SEQ;
	struct yaml **tail = &y->child;
	struct intern seen = { 0 };
	int rc;
	while (!(rc = next_event(r)) && e->type != YAML_SEQUENCE_END_EVENT &&
	       e->type != YAML_MAPPING_END_EVENT) {
		const char *key = NULL;
		int line = (int)e->start_mark.line + 1;
		if (map) {
			rc = read_key(r, &seen, &key);
			if (!rc)
				intern_add(&seen, sv_of(key));
			if (!rc)
				rc = next_event(r);
		}
		if (!rc)
			rc = read_node(r, depth + 1, tail);
		if (rc)
			break;
		(*tail)->key = key;
		(*tail)->line = line;
		tail = &(*tail)->next;
	}
	intern_free(&seen);
	return rc;
}

static int read_stream(struct reader *r)
{
	int rc = next_event(r); /* start of the stream */
	if (!rc)
		rc = next_event(r);
	if (rc)
		return rc;
	if (r->event.type == YAML_STREAM_END_EVENT) {
		r->doc->root = arena_zalloc(&r->doc->mem, sizeof *r->doc->root);
		r->doc->root->line = 1;
		return 0;
	}
	rc = next_event(r); /* behind the start of the document */
	if (!rc)
		rc = read_node(r, 1, &r->doc->root);
	if (!rc)
		rc = next_event(r); /* end of the document */
	if (!rc)
		rc = next_event(r);
	if (!rc && r->event.type != YAML_STREAM_END_EVENT)
		rc = tell_wrong(r, r->event.start_mark.line,
				"a second document starts: one a file is supported");
	return rc;
}

int yaml_parse(const char *name, struct sv text, struct yaml_doc **ret, struct err *err)
{
	if (text.n > MAX_BYTES)
		return err_set(err, -EINVAL, "'%s' is larger than 4 MiB", name);
	struct yaml_doc *d = xcalloc(1, sizeof *d);
	d->name = xstrdup(name);
	d->digest = XXH3_64bits(text.n ? text.p : "", text.n);
	struct reader r = { .doc = d, .err = err };
	int rc = 0;
	if (!yaml_parser_initialize(&r.parser))
		rc = err_nomem(err);
	if (!rc) {
		yaml_parser_set_input_string(&r.parser,
					     (const unsigned char *)(text.n ? text.p : ""), text.n);
		rc = read_stream(&r);
		if (r.has_event)
			yaml_event_delete(&r.event);
		yaml_parser_delete(&r.parser);
	}
	if (rc)
		yaml_free(d);
	else
		*ret = d;
	return rc;
}

int yaml_load(const char *path, struct yaml_doc **ret, struct err *err)
{
	struct input *in;
	int rc = input_open(path, &in, err);
	if (rc)
		return rc;
	char *buf = xmalloc(MAX_BYTES + 1);
	size_t n = 0;
	int64_t got = 1;
	while (n <= MAX_BYTES && (got = input_read(in, buf + n, MAX_BYTES + 1 - n, err)) > 0)
		n += (size_t)got;
	rc = got < 0 ? (int)got : yaml_parse(path, (struct sv){ buf, n }, ret, err);
	free(buf);
	input_close(in);
	return rc;
}

const struct yaml *yaml_root(const struct yaml_doc *d)
{
	return d->root;
}

const char *yaml_name(const struct yaml_doc *d)
{
	return d->name;
}

uint64_t yaml_digest(const struct yaml_doc *d)
{
	return d->digest;
}

void yaml_doc_free(struct yaml_doc *d)
{
	if (!d)
		return;
	arena_free(&d->mem);
	free(d->name);
	free(d);
}

const struct yaml *yaml_get(const struct yaml *map, const char *key)
{
	if (!map || map->type != YAML_MAPPING)
		return NULL;
	for (const struct yaml *y = map->child; y; y = y->next)
		if (!strcmp(y->key, key))
			return y;
	return NULL;
}

int yaml_bad_value(const struct yaml_doc *d, const struct yaml *y, struct err *err,
		   const char *wanted)
{
	const char *is;
	const char *quote = text_if(y->type == YAML_TEXT, "'");
	if (y->type == YAML_SEQ)
		is = "a list";
	else if (y->type == YAML_MAPPING)
		is = "a mapping";
	else
		is = y->text;
	return err_set(err, -EINVAL, "'%s' line %d: '%s' must be %s, not %s%.100s%s", d->name,
		       y->line, y->key, wanted, quote, is, quote);
}

/* 1: *ret is the member's text; 0: it is absent or null; or an error. */
static int get_text(const struct yaml_doc *d, const struct yaml *map, const char *key,
		    const char *wanted, const struct yaml **ret, struct err *err)
{
	const struct yaml *y = yaml_get(map, key);
	if (!y || y->type == YAML_NULL)
		return 0;
	*ret = y;
	if (y->type == YAML_TEXT)
		return 1;
	return yaml_bad_value(d, y, err, wanted);
}

int yaml_text(const struct yaml_doc *d, const struct yaml *map, const char *key, const char **ret,
	      struct err *err)
{
	const struct yaml *y;
	int rc = get_text(d, map, key, "a string", &y, err);
	if (rc > 0)
		*ret = y->text;
	if (rc < 0)
		return rc;
	return 0;
}

int yaml_i64(const struct yaml_doc *d, const struct yaml *map, const char *key,
	     struct yaml_range range, int64_t *ret, struct err *err)
{
	const struct yaml *y;
	char wanted[100];
	int64_t v;
	snprintf(wanted, sizeof wanted, "a whole number from %lld to %lld", (long long)range.lo,
		 (long long)range.hi);
	int rc = get_text(d, map, key, wanted, &y, err);
	if (rc <= 0)
		return rc;
	if (sv_i64(sv_of(y->text), &v) || v < range.lo || v > range.hi)
		return yaml_bad_value(d, y, err, wanted);
	*ret = v;
	return 0;
}

int yaml_dec(const struct yaml_doc *d, const struct yaml *map, const char *key, dec *ret,
	     struct err *err)
{
	const struct yaml *y;
	int rc = get_text(d, map, key, "a decimal number", &y, err);
	if (rc <= 0)
		return rc;
	if (dec_parse(sv_of(y->text), 0, ret))
		return yaml_bad_value(d, y, err, "a decimal number");
	return 0;
}

int yaml_bool(const struct yaml_doc *d, const struct yaml *map, const char *key, bool *ret,
	      struct err *err)
{
	static const char *const words[] = { "false", "true", "no", "yes", "off", "on" };
	const struct yaml *y;
	int rc = get_text(d, map, key, "true or false", &y, err);
	if (rc <= 0)
		return rc;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (sv_ieq(sv_of(y->text), sv_of(words[i]))) {
			*ret = i % 2;
			return 0;
		}
	return yaml_bad_value(d, y, err, "true or false");
}

int yaml_check_keys(const struct yaml_doc *d, const struct yaml *map, const char *const *allowed,
		    struct err *err)
{
	size_t n = 0;
	if (!map || map->type == YAML_NULL)
		return 0;
	if (map->type != YAML_MAPPING)
		return err_set(err, -EINVAL, "'%s' line %d: a mapping (key: value) is wanted here",
			       d->name, map->line);
	while (allowed[n])
		n++;
	for (const struct yaml *y = map->child; y; y = y->next) {
		size_t i = 0;
		while (i < n && strcmp(y->key, allowed[i]))
			i++;
		if (i < n)
			continue;
		err_set(err, -EINVAL, "'%s' line %d: '%.100s' is not a key known here", d->name,
			y->line, y->key);
		const char *near = near_word(y->key, allowed, n);
		struct str all = { 0 };
		for (i = 0; i < n; i++)
			str_addf(&all, "%s%s", text_if(i, ", "), allowed[i]);
		if (near)
			err_hint(err, "did you mean '%s'?", near);
		else if (n)
			err_hint(err, "known are: %s", str_z(&all));
		str_free(&all);
		return -EINVAL;
	}
	return 0;
}
