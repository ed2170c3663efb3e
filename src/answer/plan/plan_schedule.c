#include "answer/plan/plan_schedule.h"

#include <errno.h>
#include <string.h>

#include "answer/plan/plan_schedule_in.h"
#include "base/near.h"
#include "base/num.h"
#include "base/tm.h"
#include "feed/planner/plan_csv.h"

bool schedule_allowed(const struct schedule_ask *q, const char *place)
{
	for (size_t i = 0; i < q->nallow; i++)
		if (sv_glob(sv_of(place), sv_of(q->allow[i])))
			return true;
	return !q->nallow;
}

static int group_places(const struct schedule_ask *q, const struct plan_prices *all,
			struct schedule_places *p, struct err *err)
{
	for (size_t i = 0, k; i < all->v.n; i = k) {
		const struct plan_price *v = &all->v.v[i];
		for (k = i + 1; k < all->v.n && all->v.v[k].place == v->place; k++)
			if (all->v.v[k].machine != v->machine || all->v.v[k].window != v->window) {
				bool machine = all->v.v[k].machine != v->machine;
				err_set(err, -EINVAL, "the prices of '%s' are of several %s",
					v->place, machine ? "machines" : "windows");
				err_hint(err,
					 machine ? "choose one, such as --machine %s"
						 : "choose one, such as --window 0",
					 v->machine);
				return -EINVAL;
			}
		if (!schedule_allowed(q, v->place) && (!q->home || strcmp(q->home, v->place)))
			continue;

		/* Rows [i, k) are of one place: its steps; a gap between runs has no
		 * price. */
		size_t n = k - i;
		size_t from = p->step.n;
		for (size_t j = 0; j < n; j++) {
			if (j && v[j].at_ms == v[j - 1].at_ms)
				return err_set(err, -EEXIST,
					       "two prices of '%s' for the same instant",
					       v[j].place);
			*vec_push(&p->step) = (struct price_step){
				v[j].at_ms, v[j].usd_hour < 0 ? -1 : dec_to_nano(v[j].usd_hour)
			};
			if (v[j].until_ms != UNKNOWN_MS && j + 1 < n &&
			    v[j].until_ms < v[j + 1].at_ms)
				*vec_push(&p->step) = (struct price_step){ v[j].until_ms, -1 };
		}
		/* the last price holds as long as the one before it did, a single one for a year */
		const struct plan_price *last = &v[n - 1];
		int64_t end = last->until_ms;
		if (last->until_ms == UNKNOWN_MS)
			end = last->at_ms + (n > 1 ? last->at_ms - v[n - 2].at_ms : 365 * MS_DAY);
		*vec_push(&p->place) = (struct schedule_place){ arena_sv(q->mem, sv_of(v->place)),
								{ p->step.n - from, NULL, end } };
	}
	size_t at = 0;
	for (size_t i = 0; i < p->place.n; at += p->place.v[i++].series.n)
		p->place.v[i].series.step = p->step.v + at;
	if (p->place.n)
		return 0;
	return err_set(err, -ENODATA, "no place of the prices is allowed");
}

int schedule_places_read(const struct schedule_ask *q, struct schedule_places *ret, struct err *err)
{
	struct plan_prices_opt o = { .spot = q->prices.spot,
				     .machine = q->prices.machine,
				     .window = q->prices.window };
	struct plan_prices all = { 0 };
	struct input *in = NULL;
	int r = input_open(q->prices.file, &in, err);

	if (r < 0)
		return r;
	r = plan_prices_read(in, &o, &all, err);
	input_close(in);
	if (r >= 0)
		r = group_places(q, &all, ret, err);
	plan_prices_free(&all);
	if (r < 0)
		return r;

	/* The data would lie where no price is, and each place pay for moving it: mostly a typing
	 * error. */
	const char **name = arena_alloc(q->mem, (ret->place.n + 1) * sizeof *name);
	bool found = !q->home;
	for (size_t i = 0; i < ret->place.n && !found; i++) {
		name[i] = ret->place.v[i].name;
		found = !strcmp(name[i], q->home);
	}
	if (!found) {
		err_set(err, -EINVAL, "--home: the prices have no '%s'", q->home);
		const char *near = near_word(q->home, name, ret->place.n);
		if (near)
			err_hint(err, "did you mean '%s'?", near);
		return -EINVAL;
	}
	ret->first_ms = INT64_MAX;
	ret->end_ms = INT64_MIN;
	for (size_t i = 0; i < ret->place.n; i++) {
		const struct price_series *s = &ret->place.v[i].series;
		ret->first_ms = min_i64(s->step[0].at_ms, ret->first_ms);
		ret->end_ms = max_i64(s->end_ms, ret->end_ms);
	}
	ret->home = q->home ? q->home : ret->place.v[0].name;
	return 0;
}

void schedule_places_free(struct schedule_places *p)
{
	vec_free(&p->place);
	vec_free(&p->step);
}
