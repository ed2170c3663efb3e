#include "feed/tags.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>

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
