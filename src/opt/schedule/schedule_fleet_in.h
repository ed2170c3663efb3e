#ifndef TARE_OPT_SCHEDULE_SCHEDULE_FLEET_IN_H
#define TARE_OPT_SCHEDULE_SCHEDULE_FLEET_IN_H
/* Inside the scheduling of a fleet: schedule_fleet.c places jobs, schedule_fleet_bound.c says what
 * no schedule can cost less than. */
#include "opt/schedule/schedule_fleet.h"

struct slot_work {
	const struct slot_problem *f;
	int64_t *room;   /* [cells] free units */
	double *lambda;  /* [cells] price of capacity, nano a unit-slot */
	double *sum;     /* [nplace][nslot + 1] prefix sums of price + lambda */
	__int128 *exact; /* [nplace][nslot + 1] prefix sums of price */
	int32_t *gap;    /* [nplace][nslot + 1] slots without a price so far */
	uint32_t *order;
	struct slot_answer *a;
};

static inline size_t slot_cell(const struct slot_work *w, size_t p, size_t t)
{
	return p * w->f->nslot + t;
}

static inline size_t slot_pre(const struct slot_work *w, size_t p, size_t t)
{
	return p * (w->f->nslot + 1) + t;
}

static inline int64_t slot_move(const struct slot_job *j, size_t p)
{
	if (j->move_nano)
		return j->move_nano[p];
	return 0;
}

/* Prefix sums of price + lambda, again. */
void slot_sum_up(struct slot_work *w);
/* Cheapest start of job j in price + lambda; with `fit` only where there is room. Returns its cost
 * or INFINITY. */
double slot_cheapest(const struct slot_work *w, const struct slot_job *j, bool fit,
		     int32_t *ret_place, int32_t *ret_start);

/* Bounds over the jobs that run. Subgradient ascent from the lambda in place; ret_lambda [cells]:
 * the best seen. */
double slot_ascend(struct slot_work *w, double target, double *ret_lambda);
/* The transportation bound, -1 where it is too large; its potentials give lambda a good start. */
int slot_flow_bound(struct slot_work *w, int64_t *ret_nano, struct err *err);

#endif
