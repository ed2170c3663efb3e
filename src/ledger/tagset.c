#include "ledger/tagset.h"

#include <jansson.h>
#include <stdlib.h>
#include <strings.h>

#include "base/among.h"
#include "base/jw.h"
#include "base/sort.h"

#define TAGS_MAX_BYTES ((size_t)1 << 20)
#define TAGS_MAX       1000

static json_t *load_object(struct sv text)
{
	text = sv_trim(text);
	if (!text.n || text.n > TAGS_MAX_BYTES)
		return NULL;
	if (text.p[0] == '{')
		return json_loadb(text.p, text.n, 0, NULL);
	/* Some exports write the members without the braces around them. */
	struct str s = { 0 };
	str_addc(&s, '{');
	str_addsv(&s, text);
	str_addc(&s, '}');
	json_t *j = json_loadb(s.p, s.n, 0, NULL);
	str_free(&s);
	return j;
}

static struct sv text_of(struct arena *mem, const json_t *v)
{
	if (json_is_string(v))
		return (struct sv){ arena_strn(mem, json_string_value(v), json_string_length(v)),
				    json_string_length(v) };
	if (json_is_null(v))
		return SV_NULL;
	char *z = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS |
					JSON_REAL_PRECISION(15));
	struct sv r = SV_NULL;
	if (z)
		r = (struct sv){ arena_sv(mem, sv_of(z)), strlen(z) };
	free(z);
	return r;
}

static int by_key(const void *a, const void *b)
{
	return sv_cmp(((const struct tag *)a)->key, ((const struct tag *)b)->key);
}

static struct sv write_json(struct arena *mem, const struct tagset *t)
{
	struct str s = { 0 };
	struct jw w;
	jw_init(&w, &s, 0);
	jw_obj(&w);
	for (size_t i = 0; i < t->tag.n; i++) {
		jw_key(&w, t->tag.v[i].key.p);
		jw_sv(&w, t->tag.v[i].value);
	}
	jw_end_obj(&w);
	struct sv r = { arena_strn(mem, s.p, s.n), s.n };
	str_free(&s);
	return r;
}

bool tagset_read(struct arena *mem, struct sv json, struct tagset *ret)
{
	const char *key;
	json_t *v;
	*ret = (struct tagset){ 0 };
	json_t *j = load_object(json);
	if (!json_is_object(j) || json_object_size(j) > TAGS_MAX) {
		json_decref(j);
		return false;
	}
	json_object_foreach(j, key, v)
	{
		struct sv value = text_of(mem, v);
		if (value.p && *key)
			*vec_push(&ret->tag) =
				(struct tag){ { arena_sv(mem, sv_of(key)), strlen(key) }, value };
	}
	json_decref(j);
	if (ret->tag.n) {
		sort_items(ret->tag.v, ret->tag.n, sizeof *ret->tag.v, by_key);
		ret->json = write_json(mem, ret);
	}
	return true;
}

void tagset_free(struct tagset *t)
{
	vec_free(&t->tag);
}

static char plain_char(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	if (char_among(c, "-./ "))
		return '_';
	return c;
}

static struct sv without_prefix(struct sv k)
{
	static const char *const prefix[] = {
		"resourcetags/user:", "resource_tags_user_", "user:", "user_", "labels.", "labels/"
	};
	for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++) {
		size_t n = strlen(prefix[i]);
		if (k.n > n && !strncasecmp(k.p, prefix[i], n))
			return sv_from(k, n);
	}
	return k;
}

static bool keys_alike(struct sv a, struct sv b)
{
	if (a.n != b.n)
		return false;
	for (size_t i = 0; i < a.n; i++)
		if (plain_char(a.p[i]) != plain_char(b.p[i]))
			return false;
	return true;
}

bool tagset_same_key(struct sv a, struct sv b)
{
	return keys_alike(without_prefix(a), without_prefix(b));
}

struct sv tagset_get(const struct tagset *t, struct sv key)
{
	for (size_t i = 0; i < t->tag.n; i++)
		if (sv_eq(t->tag.v[i].key, key))
			return t->tag.v[i].value;
	for (size_t i = 0; i < t->tag.n; i++)
		if (tagset_same_key(t->tag.v[i].key, key))
			return t->tag.v[i].value;
	return SV_NULL;
}

struct sv tagset_common(struct arena *mem, struct sv a, struct sv b)
{
	struct tagset x, y;
	size_t n = 0;

	tagset_read(mem, a, &x);
	tagset_read(mem, b, &y);
	for (size_t i = 0, k = 0; i < x.tag.n && k < y.tag.n;) {
		int c = by_key(&x.tag.v[i], &y.tag.v[k]);
		if (!c && sv_eq(x.tag.v[i].value, y.tag.v[k].value))
			x.tag.v[n++] = x.tag.v[i];
		i += c <= 0;
		k += c >= 0;
	}
	x.tag.n = n;
	struct sv r = n ? write_json(mem, &x) : SV_NULL;
	tagset_free(&x);
	tagset_free(&y);
	return r;
}

struct sv tagset_slurm_number(struct arena *mem, struct sv json)
{
	static const struct sv key = { "slurm_job_id", 12 };
	struct tagset tags = { 0 };
	struct sv number = SV_NULL;

	if (sv_has(json, key) && tagset_read(mem, json, &tags))
		number = tagset_get(&tags, key);
	tagset_free(&tags);
	return number;
}
