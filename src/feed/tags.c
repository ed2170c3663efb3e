#include "feed/tags.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/jscan.h"
#include "base/jw.h"
#include "base/str.h"

const char *const tags_team[] = { "team", "cost_team", "squad", NULL };
const char *const tags_project[] = { "project", "proj", NULL };
const char *const tags_env[] = { "env", "environment", "stage", NULL };
const char *const tags_workload[] = { "workload", "workload_type", "workload-type",
				      "workload_class", NULL };
const char *const tags_user[] = { "user", "owner", "username", NULL };

void tags_clear(struct tags *t)
{
	str_clear(&t->json);
	arena_free(&t->mem);
	t->n = 0;
}

void tags_free(struct tags *t)
{
	str_free(&t->json);
	arena_free(&t->mem);
	t->n = 0;
}

void tags_add(struct tags *t, struct sv key, struct sv value)
{
	key = sv_trim(key);
	if (!key.n || !value.p)
		return;
	if (t->n == TAGS_MAX || key.n > TAGS_TEXT_MAX)
		return;
	for (size_t i = 0; i < t->n; i++)
		if (sv_eq(t->key[i], key))
			return;
	value = sv_trim(value);
	if (value.n > TAGS_TEXT_MAX)
		value.n = TAGS_TEXT_MAX;
	t->key[t->n] = (struct sv){ arena_strn(&t->mem, key.p, key.n), key.n };
	t->value[t->n++] = (struct sv){ arena_strn(&t->mem, value.p, value.n), value.n };
}

size_t tags_add_pairs(struct tags *t, struct sv text)
{
	char sep = memchr(text_or(text.p, ""), ';', text.n) ? ';' : ',';
	size_t found = 0;

	while (text.n) {
		struct sv rest, value, key = sv_cut(sv_cut(text, sep, &rest), '=', &value);
		key = sv_trim(key);
		if (value.p && key.n) {
			tags_add(t, key, value);
			found++;
		}
		text = rest;
	}
	return found;
}

int tags_add_json(struct tags *t, struct sv text)
{
	json_t *o = json_loadb(text.p, text.n, 0, NULL), *v;
	const char *key;
	char z[64];

	if (!json_is_object(o)) {
		json_decref(o);
		return -EINVAL;
	}
	json_object_foreach(o, key, v)
	{
		if (json_is_string(v)) {
			tags_add(t, sv_of(key),
				 (struct sv){ json_string_value(v), json_string_length(v) });
		} else if (json_is_integer(v)) {
			snprintf(z, sizeof z, "%lld", (long long)json_integer_value(v));
			tags_add(t, sv_of(key), sv_of(z));
		} else if (json_is_real(v)) {
			snprintf(z, sizeof z, "%.12g", json_real_value(v));
			tags_add(t, sv_of(key), sv_of(z));
		} else if (json_is_boolean(v)) {
			tags_add(t, sv_of(key), json_is_true(v) ? SV("true") : SV("false"));
		}
	}
	json_decref(o);
	return 0;
}

static bool has_one_form(struct sv json)
{
	struct sv key, value, last = SV_NULL;
	size_t at = 0, members = 0, bytes = 2; /* the braces */

	if (memchr(json.p, '\\', json.n))
		return false;
	while (jscan_next(json, &at, &key, &value)) {
		bool plain = value.n &&
			     (*value.p == '"' || sv_is(value, "true") || sv_is(value, "false"));
		if (!plain || (members && sv_cmp(last, key) >= 0))
			return false;
		bytes += key.n + value.n + 3 + (members > 0); /* quotes, colon, comma */
		last = key;
		members++;
	}
	return members && bytes == json.n;
}

struct sv tags_one_form(struct str *buf, struct sv json)
{
	const char *key;
	json_t *v;
	void *next;

	if (!json.n || has_one_form(json))
		return json;
	json_t *o = json_loadb(json.p, json.n, 0, NULL);
	if (!json_is_object(o)) {
		json_decref(o);
		return json;
	}
	json_object_foreach_safe(o, next, key, v) if (json_is_null(v)) json_object_del(o, key);
	bool any = json_object_size(o) > 0;
	char *z = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(15));
	json_decref(o);
	str_clear(buf);
	if (z)
		str_addz(buf, z);
	free(z);
	if (any)
		return str_sv(buf);
	return SV_NULL;
}

struct sv tags_get(const struct tags *t, const char *const *names)
{
	for (; *names; names++)
		for (size_t i = 0; i < t->n; i++)
			if (sv_ieq(t->key[i], sv_of(*names)) && t->value[i].n)
				return t->value[i];
	return SV_NULL;
}

struct sv tags_json(struct tags *t)
{
	struct jw w;

	if (!t->n)
		return SV_NULL;
	str_clear(&t->json);
	jw_init(&w, &t->json, 0);
	jw_obj(&w);
	for (size_t i = 0; i < t->n; i++) {
		jw_key(&w, t->key[i].p); /* terminated copy */
		jw_sv(&w, t->value[i]);
	}
	jw_end_obj(&w);
	return sv_trim(str_sv(&t->json));
}
