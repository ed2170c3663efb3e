#include "answer/plan/plan_outcome.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/stored_prices.h"
#include "base/jw.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/tm.h"
#include "store/control.h"

#define KEY_OUTCOME     "plan.outcome."
#define WITHIN_DAYS_MAX 3650 /* what is kept was written by us, and may be damaged */

static int set_key(const char *dir, const char *key, const char *id, const char *value,
		   struct err *err)
{
	struct str s = { 0 };

	str_addf(&s, "%s%s", key, id);
	int r = control_set(dir, str_z(&s), value, err);
	str_free(&s);
	return r;
}

int outcome_keep(const char *dir, const struct plan *p, size_t at, int64_t at_ms, struct err *err)
{
	const struct rec *rec = p->rec.v.v[at];
	struct control_setting *before;
	struct arena mem = { 0 };
	struct str s = { 0 };
	bool kept = false;
	size_t n;
	int r = control_settings(dir, PLAN_KEY_APPLIED, &mem, &before, &n, err);

	/* Its lines may be printed again: the first time counts. */
	for (size_t i = 0; r >= 0 && i < n; i++)
		kept |= !strcmp(before[i].key + strlen(PLAN_KEY_APPLIED), rec->id);
	if (r >= 0 && !kept) {
		const char **subject = outcome_subject(p->fleet, rec, &mem, &n);
		struct jw w;

		jw_init(&w, &s, 0);
		jw_obj(&w);
		jw_put_str(&w, "lever", rec->lever);
		jw_put_str(&w, "currency", p->fleet->currency);
		jw_key(&w, "at");
		jw_time(&w, at_ms);
		jw_put_num(&w, "within_days", rec->within_days, 3);
		jw_put_int(&w, "saving_nano", dec_to_nano(p->saving_month.v[at]));
		jw_put_int(&w, "p05_nano", dec_to_nano(p->p05_month.v[at]));
		jw_put_int(&w, "p95_nano", dec_to_nano(p->p95_month.v[at]));
		jw_key(&w, "subject");
		jw_arr(&w);
		for (size_t i = 0; i < n; i++)
			jw_str(&w, subject[i]);
		jw_end_arr(&w);
		jw_end_obj(&w);
		r = set_key(dir, PLAN_KEY_APPLIED, rec->id, str_z(&s), err);
	}
	str_free(&s);
	arena_free(&mem);
	if (r < 0)
		return r;
	return 0;
}

int outcome_forget(const char *dir, const char *id, struct err *err)
{
	int r = set_key(dir, PLAN_KEY_APPLIED, id, NULL, err);

	if (r < 0)
		return r;
	return set_key(dir, KEY_OUTCOME, id, NULL, err);
}

/* ---- reading ----------------------------------------------------------------------------- */

static const char *text_of(struct arena *mem, const json_t *o, const char *key)
{
	const char *z = json_string_value(json_object_get(o, key));

	if (z)
		return arena_sv(mem, sv_of(z));
	return "";
}

/* false: it does not say when, so there is no before and after. */
static bool read_applied(const struct control_setting *kept, struct arena *mem,
			 struct outcome_applied *ret)
{
	json_t *o = json_loads(kept->value, 0, NULL);
	const json_t *subject = json_object_get(o, "subject"), *one;
	const char *at = json_string_value(json_object_get(o, "at"));
	double within = json_number_value(json_object_get(o, "within_days"));
	size_t i;

	*ret = (struct outcome_applied){
		.id = kept->key + strlen(PLAN_KEY_APPLIED),
		.lever = text_of(mem, o, "lever"),
		.currency = text_of(mem, o, "currency"),
		.within_days = within > 0 && within < WITHIN_DAYS_MAX ? within : 0,
		.saving_nano = json_integer_value(json_object_get(o, "saving_nano")),
		.p05_nano = json_integer_value(json_object_get(o, "p05_nano")),
		.p95_nano = json_integer_value(json_object_get(o, "p95_nano")),
		.subject = arena_alloc(mem, (json_array_size(subject) + 1) * sizeof(char *)),
	};
	json_array_foreach((json_t *)subject, i, one)
	{
		const char *z = json_string_value(one);
		if (z)
			ret->subject[ret->nsubject++] = arena_sv(mem, sv_of(z));
	}
	bool found = at && tm_parse(sv_of(at), 0, &ret->at_ms) == 0;
	json_decref(o);
	return found;
}

static int by_time(const void *pa, const void *pb)
{
	const struct outcome_applied *a = pa, *b = pb;

	if (a->at_ms != b->at_ms)
		return cmp_i64(a->at_ms, b->at_ms);
	return strcmp(a->id, b->id);
}

/* What was told, kept beside what was applied. A folder that cannot be written to forgets it, which
 * is no error: the next answer finds it in the ledger again. */
static void keep_told(const char *dir, const struct outcome *o, int64_t now_ms)
{
	struct str s = { 0 };
	struct err ignored;
	struct jw w;

	jw_init(&w, &s, 0);
	jw_obj(&w);
	jw_key(&w, "at");
	jw_time(&w, now_ms);
	jw_key(&w, "since");
	jw_time(&w, o->from_ms);
	jw_key(&w, "until");
	jw_time(&w, o->to_ms);
	jw_put_int(&w, "together", (int64_t)o->together);
	jw_put_int(&w, "told_nano", o->told_nano);
	jw_put_int(&w, "realised_nano", o->realised_nano);
	jw_put_int(&w, "p05_nano", o->p05_nano);
	jw_put_int(&w, "p95_nano", o->p95_nano);
	jw_end_obj(&w);
	(void)set_key(dir, KEY_OUTCOME, o->of->id, str_z(&s), &ignored);
	str_free(&s);
}

int answer_plan_outcomes(const struct plan_ask *q, struct outcomes *ret, struct err *err)
{
	const char *dir = store_dir(q->ask.store);
	struct fleet_opt o = { .conf = q->ask.conf,
			       .catalog = q->catalog,
			       .since_ms = INT64_MIN,
			       .until_ms = INT64_MAX,
			       .deadline_slack_frac = q->conf->deadline_slack_frac,
			       .progress = q->progress,
			       .progress_ctx = q->ctx };
	struct control_setting *kept;
	struct fleet f;
	size_t n;

	*ret = (struct outcomes){ .currency = "" };
	int r = control_settings(dir, PLAN_KEY_APPLIED, q->ask.mem, &kept, &n, err);
	if (r < 0)
		return r;
	ret->applied = arena_alloc(q->ask.mem, (n + 1) * sizeof *ret->applied);
	ret->v = arena_zalloc(q->ask.mem, (n + 1) * sizeof *ret->v);
	for (size_t i = 0; i < n; i++)
		if (read_applied(&kept[i], q->ask.mem, &ret->applied[ret->n]))
			ret->n++;
	if (!ret->n)
		return 0;
	sort_items(ret->applied, ret->n, sizeof *ret->applied, by_time);
	r = stored_prices_add(q->ask.store, q->catalog, q->ask.mem, err);
	if (r >= 0)
		r = fleet_load(q->ask.store, &o, &f, err);
	if (q->progress)
		q->progress(q->ctx, NULL, 0);
	if (r < 0)
		return r;
	outcomes_tell(&f, q->conf, ret->applied, ret->n, q->ask.mem, ret->v);
	ret->currency = arena_sv(q->ask.mem, sv_of(f.currency));
	for (size_t i = 0; i < ret->n; i++)
		if (!ret->v[i].why)
			keep_told(dir, &ret->v[i], q->ask.now_ms);
	fleet_free(&f);
	return 0;
}

/* ---- scores ------------------------------------------------------------------------------ */

void outcomes_score(const struct outcomes *all, struct trial_scores *s)
{
	double *ratio = xcalloc(all->n + 1, sizeof *ratio);

	for (size_t l = 0; l < s->n; l++) {
		size_t n = 0;
		for (size_t i = 0; i < all->n; i++) {
			const struct outcome *o = &all->v[i];
			bool counts = !o->why && o->together == 1 && o->told_nano > 0;
			if (counts && !strcmp(o->of->lever, s->v[l].lever))
				ratio[n++] = (double)o->realised_nano / (double)o->told_nano;
		}
		sort_items(ratio, n, sizeof *ratio, rising_double);
		s->v[l].realised = n;
		s->v[l].realised_ratio = n ? (ratio[n / 2] + ratio[(n - 1) / 2]) / 2 : NAN;
	}
	free(ratio);
}
