/* One job: at each place the cheapest start or pieces, then the place with data on its way. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/plan/plan_schedule_in.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/tm.h"

static int look_at(const struct schedule_job_ask *q, const struct schedule_place *p,
		   const struct schedule_job_answer *a, struct schedule_option *o, struct err *err)
{
	struct schedule_job j = { a->from_ms, a->deadline_ms, q->length_ms, q->units,
				  q->restart_ms };
	struct schedule_start s;
	int r = schedule_start(&p->series, &j, &s, err);

	if (r < 0)
		return r;
	*o = (struct schedule_option){ .name = p->name,
				       .feasible = s.feasible,
				       .start_ms = s.start_ms,
				       .end_ms = s.start_ms + q->length_ms,
				       .run_nano = s.cost_nano,
				       .now_nano = s.now_nano };

	/* Slots may lie worse than free starts: pieces are taken where they are better than one
	 * run. */
	struct schedule_pieces cut = { 0 };
	if (q->preemptible && (r = schedule_pieces(&p->series, &j, q->a.slot_ms, &cut, err)) < 0)
		return r;
	if (cut.feasible && (!o->feasible || cut.cost_nano < o->run_nano)) {
		o->feasible = true;
		o->run_nano = cut.cost_nano;
		o->start_ms = cut.piece[0].from_ms;
		o->end_ms = cut.piece[cut.n - 1].to_ms;
		o->piece = arena_copy(q->a.mem, cut.piece, cut.n, sizeof *cut.piece);
		o->npiece = cut.n;
	}
	schedule_pieces_free(&cut);

	double gb = known_or(q->a.egress_gb, 0) + known_or(q->a.back_gb, 0);
	if (strcmp(p->name, a->home) != 0 && gb > 0)
		o->egress = dec_muldiv(q->a.egress_usd_gb, llround(gb * 1000), 1000);
	o->total = o->feasible ? nano_to_dec(o->run_nano) + o->egress : -1;
	return 0;
}

static int by_total(const void *a, const void *b)
{
	const struct schedule_option *x = a, *y = b;
	if (x->feasible != y->feasible) {
		if (x->feasible)
			return -1;
		return 1;
	}
	if (x->feasible && x->total != y->total)
		return cmp_dec(x->total, y->total);
	return strcmp(x->name, y->name);
}

static int look_at_all(const struct schedule_job_ask *q, const struct schedule_places *p,
		       struct schedule_job_answer *a, struct err *err)
{
	int r = 0;

	a->from_ms = q->a.from_ms == UNKNOWN_MS ? p->first_ms : q->a.from_ms;
	a->deadline_ms = p->end_ms;
	if (q->deadline_ms != UNKNOWN_MS)
		a->deadline_ms = q->deadline_ms;
	else if (q->within_ms != UNKNOWN_MS)
		a->deadline_ms = a->from_ms + q->within_ms;
	if (p->end_ms <= a->from_ms)
		return err_set(err, -ENODATA, "no price lies behind --from");
	if (a->deadline_ms <= a->from_ms)
		return err_set(err, -EINVAL, "the deadline does not lie behind the earliest start");
	a->home = p->home;
	a->n = p->place.n;
	a->option = arena_zalloc(q->a.mem, a->n * sizeof *a->option);
	for (size_t i = 0; i < a->n && r >= 0; i++)
		r = look_at(q, &p->place.v[i], a, &a->option[i], err);
	if (r < 0)
		return r;
	sort_items(a->option, a->n, sizeof *a->option, by_total);

	const struct schedule_option *best = a->option, *home = NULL;

	for (size_t i = 0; i < a->n && !home; i++)
		if (!strcmp(a->option[i].name, a->home))
			home = &a->option[i];
	a->at_home = home && home->now_nano >= 0 ? home : NULL;
	a->saving_frac = NAN;
	if (a->at_home && best->feasible && home->now_nano > 0)
		a->saving_frac = 1 - dec_to_double(best->total) /
					     dec_to_double(nano_to_dec(home->now_nano));
	return 0;
}

int answer_schedule_job(const struct schedule_job_ask *q, struct schedule_job_answer *ret,
			struct err *err)
{
	struct schedule_places p = { 0 };
	int r = schedule_places_read(&q->a, &p, err);

	*ret = (struct schedule_job_answer){ 0 };
	if (r >= 0)
		r = look_at_all(q, &p, ret, err);
	schedule_places_free(&p);
	return r;
}
