#include "answer/plan/plan_asked.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/jw.h"
#include "base/tm.h"
#include "base/near.h"
#include "base/sh.h"
#include "base/str.h"
#include "plan/levers.h"
#include "store/control.h"

#define KEY_LAST "plan.last"
#define DRAWS    400 /* of the bootstrap: the 5th percentile stands on 20 draws */

const char *plan_asked_words(const struct plan_asked *a, struct arena *mem)
{
	struct str s = { 0 };

	for (size_t i = 0; i < a->nword; i++) {
		const struct plan_asked_word *w = &a->word[i];
		str_addf(&s, "%s--%s", text_if(s.n, " "), w->name);
		if (w->value)
			str_addf(&s, " %s", sh_show(mem, w->value));
	}
	const char *z = arena_strn(mem, str_z(&s), s.n);
	str_free(&s);
	return z;
}

/* ---- options ----------------------------------------------------------------------------- */

int plan_levers_read(const char *const *name, size_t n, uint32_t *ret, struct err *err)
{
	*ret = 0;
	for (size_t k = 0; k < n; k++) {
		int i = 0;
		while (i < LEVER_N && strcmp(levers[i].name, name[k]) != 0)
			i++;
		if (i == LEVER_N) {
			const char *names[LEVER_N], *near;

			err_set(err, -EINVAL, "--lever: '%.60s' is not a lever", name[k]);
			for (int j = 0; j < LEVER_N; j++)
				names[j] = levers[j].name;
			near = near_word(name[k], names, LEVER_N);
			if (near)
				err_hint(err, "Did you mean '%s'?", near);
			else
				err_hint(err, "See: tare help plan");
			return -EINVAL;
		}
		if (!levers[i].propose)
			return err_set(err, -EINVAL, "--lever: '%s' is not in this version of tare",
				       levers[i].name);
		*ret |= LEVER_BIT(i);
	}
	return 0;
}

void plan_lever_words(struct str *out)
{
	for (size_t i = 0; i < LEVER_N; i++)
		if (levers[i].propose)
			str_addf(out, "%s ", levers[i].name);
}

struct plan_want plan_want_default(void)
{
	return (struct plan_want){ .opt = { .max_risk = RISK_MEDIUM,
					    .max_effort_days = INFINITY,
					    .draws = DRAWS,
					    .seed = 1,
					    .price_factor = 1,
					    .growth_factor = 1 },
				   .target_frac = NAN };
}

/* ---- memory ------------------------------------------------------------------------------ */

/* What may be saved, else what it is about, in money or GPU time; titles without their numbers. */
struct plan_said plan_said_of(const struct plan *p, const struct rec *r, struct arena *mem)
{
	struct plan_said s = { .id = r->id };
	char *words = arena_strn(mem, r->title, strlen(r->title)), *to = words;

	for (const char *z = r->title; *z; z++)
		if (!strchr("0123456789.,", *z))
			*to++ = *z;
	*to = 0;
	s.words = words;
	if (r->p95_nano > 0 && r->p95_nano != UNKNOWN_NANO)
		s.amount = dec_to_double(plan_month(p, r->p95_nano));
	else if (r->has_cost)
		s.amount = dec_to_double(r->cost_month);
	else if (p->window_hours > 0)
		s.amount = (double)r->gpu_ms / (double)MS_HOUR / p->window_hours;
	return s;
}

void plan_last_keep(const char *dir, const struct plan_asked *a, const struct plan *p)
{
	struct str s = { 0 };
	struct err err;
	struct jw w;

	jw_init(&w, &s, 0);
	jw_obj(&w);
	for (size_t i = 0; i < a->nword; i++) {
		jw_key(&w, a->word[i].name);
		if (a->word[i].value)
			jw_str(&w, a->word[i].value);
		else
			jw_bool(&w, true);
	}
	jw_key(&w, "since_ms");
	jw_int(&w, a->since_ms);
	jw_key(&w, "until_ms");
	jw_int(&w, a->until_ms);
	jw_key(&w, "ids");
	jw_arr(&w);
	for (size_t i = 0; i < p->rec.v.n; i++)
		jw_str(&w, p->rec.v.v[i]->id);
	jw_end_arr(&w);

	struct arena mem = { 0 };

	jw_key(&w, "advice");
	jw_arr(&w);
	for (size_t i = 0; i < p->advice.v.n; i++) {
		struct plan_said said = plan_said_of(p, p->advice.v.v[i], &mem);
		jw_obj(&w);
		jw_put_str(&w, "id", said.id);
		jw_put_str(&w, "words", said.words);
		jw_put_num(&w, "amount", said.amount, 6);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_key(&w, "refused");
	jw_arr(&w);
	for (size_t i = 0; i < p->refused.v.n; i++) {
		jw_obj(&w);
		jw_put_str(&w, "id", p->refused.v.v[i]->id);
		jw_put_str(&w, "why", i < p->refused_why.n ? p->refused_why.v[i] : "");
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	arena_free(&mem);
	jw_end_obj(&w);
	/* a folder that cannot be written to: "explain" asks for the plan again */
	control_set(dir, KEY_LAST, str_z(&s), &err);
	str_free(&s);
}

static const char *read_member(const json_t *o, const char *key, struct arena *mem)
{
	const char *z = json_string_value(json_object_get(o, key));

	if (z)
		return arena_sv(mem, sv_of(z));
	return "";
}

void plan_last_read(const char *dir, const char *store, struct arena *mem, struct plan_last *ret)
{
	struct control_setting *set;
	struct err err;
	size_t n;
	json_t *o;

	*ret = (struct plan_last){ .store = store };
	if (control_settings(dir, KEY_LAST, mem, &set, &n, &err) < 0 || !n)
		return;
	o = json_loads(set[0].value, 0, NULL);
	if (json_is_object(o)) {
		/* Members that are texts, or true. */
		struct plan_asked_word *word =
			arena_alloc(mem, (json_object_size(o) + 1) * sizeof *word);
		const char *name;
		json_t *v;

		json_object_foreach((json_t *)o, name, v)
		{
			const char *z = json_string_value(v);
			if (z || json_is_true(v))
				word[ret->asked.nword++] = (struct plan_asked_word){
					arena_sv(mem, sv_of(name)),
					z ? arena_sv(mem, sv_of(z)) : NULL
				};
		}
		ret->asked.word = word;

		ret->asked.since_ms = json_integer_value(json_object_get(o, "since_ms"));
		ret->asked.until_ms = json_integer_value(json_object_get(o, "until_ms"));

		const json_t *ids = json_object_get(o, "ids");
		size_t i;
		json_t *id;

		ret->id = arena_alloc(mem, (json_array_size(ids) + 1) * sizeof *ret->id);
		json_array_foreach((json_t *)ids, i, id)
		{
			if (json_string_value(id))
				ret->id[ret->n++] = arena_sv(mem, sv_of(json_string_value(id)));
		}
		/* None of a store of before, which kept the ids of the list alone. */
		const json_t *said = json_object_get(o, "advice"),
			     *refused = json_object_get(o, "refused");
		struct plan_said *a = arena_alloc(mem, (json_array_size(said) + 1) * sizeof *a);
		struct plan_not_taken *f = arena_alloc(mem,
						       (json_array_size(refused) + 1) * sizeof *f);
		json_array_foreach((json_t *)said, i, v) a[ret->nadvice++] =
			(struct plan_said){ read_member(v, "id", mem), read_member(v, "words", mem),
					    json_number_value(json_object_get(v, "amount")) };
		json_array_foreach((json_t *)refused, i, v)
			f[ret->nrefused++] = (struct plan_not_taken){ read_member(v, "id", mem),
								      read_member(v, "why", mem) };
		ret->advice = a;
		ret->refused = f;
		ret->found = true;
	}
	json_decref(o);
}

const char *plan_last_id(const struct plan_last *l, const char *word, struct err *err)
{
	int64_t n;

	if (sv_i64(sv_of(word), &n) < 0)
		return word;
	if (!l->n) {
		err_set(err, -ENOENT,
			l->found ? "the last plan recommends nothing: there is no number %s"
				 : "no plan was made yet: there is no number %s",
			word);
		err_hint(err, "See: tare plan%s", l->store);
		return NULL;
	}
	if (n < 1 || (uint64_t)n > l->n) {
		err_set(err, -ENOENT, "the last plan has no number %s: it ends at %zu", word, l->n);
		err_hint(err, "See it again: tare plan%s", l->store);
		return NULL;
	}
	return l->id[n - 1];
}
