#include "answer/plan_asked.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/jw.h"
#include "base/near.h"
#include "base/sh.h"
#include "base/tm.h"
#include "plan/levers.h"
#include "store/control.h"

#define KEY_LAST "plan.last"
#define DRAWS    400 /* of the bootstrap: the 5th percentile stands on 20 draws */

/* The texts of plan_asked by the names of their options. */
static const struct {
	const char *name;
	size_t at;
} fields[PLAN_ASKED_TEXTS] = {
	{ "lever", offsetof(struct plan_asked, lever) },
	{ "risk", offsetof(struct plan_asked, risk) },
	{ "effort", offsetof(struct plan_asked, effort) },
	{ "min-saving", offsetof(struct plan_asked, min_saving) },
	{ "horizon", offsetof(struct plan_asked, horizon) },
	{ "target-frac", offsetof(struct plan_asked, target_frac) },
	{ "within", offsetof(struct plan_asked, within) },
	{ "seed", offsetof(struct plan_asked, seed) },
};

const char **plan_asked_text(struct plan_asked *a, size_t i, const char **ret_name)
{
	if (ret_name)
		*ret_name = fields[i].name;
	return (const char **)(void *)((char *)a + fields[i].at);
}

static const char *text_of(const struct plan_asked *a, size_t i)
{
	return *(const char *const *)(const void *)((const char *)a + fields[i].at);
}

const char *plan_asked_words(const struct plan_asked *a, struct arena *mem)
{
	struct str s = { 0 };

	for (size_t i = 0; i < PLAN_ASKED_TEXTS; i++)
		if (text_of(a, i))
			str_addf(&s, "%s--%s %s", s.n ? " " : "", fields[i].name,
				 sh_show(mem, text_of(a, i)));
	if (a->quality)
		str_addf(&s, "%s--quality", s.n ? " " : "");
	const char *z = arena_strn(mem, str_z(&s), s.n);
	str_free(&s);
	return z;
}

/* ---- options ----------------------------------------------------------------------------- */

static int unknown_lever(struct sv w, struct err *err)
{
	const char *names[LEVER_N], *near;
	char word[64];

	err_set(err, -EINVAL, "--lever: '%.*s' is no lever", (int)(w.n < 60 ? w.n : 60), w.p);
	for (int i = 0; i < LEVER_N; i++)
		names[i] = levers[i].name;
	snprintf(word, sizeof word, "%.*s", (int)(w.n < 60 ? w.n : 60), w.p);
	near = near_word(word, names, LEVER_N);
	if (near)
		err_hint(err, "Did you mean '%s'?", near);
	else
		err_hint(err, "See: tare help plan");
	return -EINVAL;
}

static int read_levers(const struct plan_asked *a, struct plan_opt *o, struct err *err)
{
	struct sv rest = sv_of(a->lever);

	while (rest.p) {
		struct sv w = sv_trim(sv_cut(rest, ',', &rest));
		int i = LEVER_N;
		for (i = 0; w.n && i < LEVER_N; i++)
			if (sv_is(w, levers[i].name))
				break;
		if (!w.n)
			continue;
		if (i == LEVER_N)
			return unknown_lever(w, err);
		if (!levers[i].propose)
			return err_set(err, -EINVAL, "--lever: '%s' is not in this version of tare",
				       levers[i].name);
		o->levers |= LEVER_BIT(i);
	}
	if (a->lever && !o->levers)
		return err_set(err, -EINVAL, "--lever names none");
	return 0;
}

static int read_risk(const struct plan_asked *a, struct plan_opt *o, struct err *err)
{
	static const char *const words[] = { "low", "medium", "high" };

	o->max_risk = RISK_MEDIUM;
	if (!a->risk)
		return 0;
	for (int i = 0; i < 3; i++)
		if (!strcmp(words[i], a->risk)) {
			o->max_risk = (enum risk)i;
			return 0;
		}
	return err_set(err, -EINVAL, "--risk: '%s' is none of low, medium, high", a->risk);
}

static int read_amounts(const struct plan_asked *a, struct plan_opt *o, struct err *err)
{
	dec usd = 0;
	int64_t ms;

	o->max_effort_days = INFINITY;
	o->horizon_days = 0;
	if (a->effort && (sv_f64(sv_of(a->effort), &o->max_effort_days) < 0 ||
			  !(o->max_effort_days >= 0) || o->max_effort_days > 1e6))
		return err_set(err, -EINVAL, "--effort: '%s' is no number of days", a->effort);
	if (a->min_saving && (dec_parse(sv_of(a->min_saving), DEC_GROUPED, &usd) < 0 || usd < 0 ||
			      !dec_fits_nano(usd)))
		return err_set(err, -EINVAL, "--min-saving: '%s' is no amount a month",
			       a->min_saving);
	o->min_saving_nano_month = dec_to_nano(usd);
	if (a->horizon && (tm_parse_span(sv_of(a->horizon), &ms) < 0 || ms < MS_DAY))
		return err_set(err, -EINVAL,
			       "--horizon: '%s' is no span of a day or more, such as 90d or 1y",
			       a->horizon);
	if (a->horizon)
		o->horizon_days = (double)ms / MS_DAY;
	return 0;
}

static int read_target(const struct plan_asked *a, struct plan_want *w, struct err *err)
{
	w->target_frac = NAN;
	if (!a->target_frac && !a->within)
		return 0;
	if (!a->target_frac || !a->within)
		return err_set(
			err, -EINVAL,
			"--target-frac and --within go together, such as --target-frac 0.4 --within 21d");
	if (sv_f64(sv_of(a->target_frac), &w->target_frac) < 0 ||
	    !(w->target_frac > 0 && w->target_frac < 1))
		return err_set(err, -EINVAL,
			       "--target-frac: '%s' is no share between 0 and 1, such as 0.4",
			       a->target_frac);
	if (tm_parse_span(sv_of(a->within), &w->within_ms) < 0)
		return err_set(err, -EINVAL, "--within: '%s' is no span such as 21d", a->within);
	return 0;
}

void plan_lever_words(struct str *out)
{
	for (size_t i = 0; i < LEVER_N; i++)
		if (levers[i].propose)
			str_addf(out, "%s ", levers[i].name);
}

int plan_asked_read(const struct plan_asked *a, struct plan_want *ret, struct err *err)
{
	struct plan_opt *o = &ret->opt;
	int64_t seed = 1;
	int r;

	*ret = (struct plan_want){ .opt = { .draws = DRAWS,
					    .price_factor = 1,
					    .growth_factor = 1,
					    .quality_advice = a->quality } };
	if ((r = read_levers(a, o, err)) < 0 || (r = read_risk(a, o, err)) < 0 ||
	    (r = read_amounts(a, o, err)) < 0 || (r = read_target(a, ret, err)) < 0)
		return r;
	if (a->seed && sv_i64(sv_of(a->seed), &seed) < 0)
		return err_set(err, -EINVAL, "--seed: '%s' is no whole number", a->seed);
	o->seed = (uint64_t)seed;
	return 0;
}

/* ---- memory ------------------------------------------------------------------------------ */

void plan_last_keep(const char *dir, const struct plan_asked *a, const struct plan *p)
{
	struct str s = { 0 };
	struct err err;
	struct jw w;

	jw_init(&w, &s, 0);
	jw_obj(&w);
	for (size_t i = 0; i < PLAN_ASKED_TEXTS; i++)
		jw_put_str(&w, fields[i].name, text_of(a, i));
	jw_key(&w, "quality");
	jw_bool(&w, a->quality);
	jw_key(&w, "since_ms");
	jw_int(&w, a->since_ms);
	jw_key(&w, "until_ms");
	jw_int(&w, a->until_ms);
	jw_key(&w, "ids");
	jw_arr(&w);
	for (size_t i = 0; i < p->rec.v.n; i++)
		jw_str(&w, p->rec.v.v[i]->id);
	jw_end_arr(&w);
	jw_end_obj(&w);
	/* a folder that cannot be written to: "explain" asks for the plan again */
	control_set(dir, KEY_LAST, str_z(&s), &err);
	str_free(&s);
}

static const char *json_text(struct arena *a, const json_t *o, const char *key)
{
	const char *z = json_string_value(json_object_get(o, key));

	return z ? arena_sv(a, sv_of(z)) : NULL;
}

static void read_ids(const json_t *ids, struct arena *mem, struct plan_last *ret)
{
	size_t i;
	json_t *id;

	ret->id = arena_alloc(mem, (json_array_size(ids) + 1) * sizeof *ret->id);
	json_array_foreach((json_t *)ids, i, id)
	{
		if (json_string_value(id))
			ret->id[ret->n++] = arena_sv(mem, sv_of(json_string_value(id)));
	}
}

void plan_last_read(const char *dir, struct arena *mem, struct plan_last *ret)
{
	struct control_setting *set;
	struct err err;
	size_t n;
	json_t *o;

	*ret = (struct plan_last){ 0 };
	if (control_settings(dir, KEY_LAST, mem, &set, &n, &err) < 0 || !n)
		return;
	o = json_loads(set[0].value, 0, NULL);
	if (json_is_object(o)) {
		for (size_t i = 0; i < PLAN_ASKED_TEXTS; i++)
			*plan_asked_text(&ret->asked, i, NULL) = json_text(mem, o, fields[i].name);
		ret->asked.quality = json_is_true(json_object_get(o, "quality"));
		ret->asked.since_ms = json_integer_value(json_object_get(o, "since_ms"));
		ret->asked.until_ms = json_integer_value(json_object_get(o, "until_ms"));
		read_ids(json_object_get(o, "ids"), mem, ret);
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
		err_hint(err, "See: tare plan");
		return NULL;
	}
	if (n < 1 || (uint64_t)n > l->n) {
		err_set(err, -ENOENT, "the last plan has no number %s: it ends at %zu", word, l->n);
		err_hint(err, "See it again: tare plan");
		return NULL;
	}
	return l->id[n - 1];
}
