#ifndef TARE_PLAN_LEVER_MOVE_H
#define TARE_PLAN_LEVER_MOVE_H
/*
 * All runs of a habit onto another machine: what becomes of each, what it costs there with the boot
 * of the machine and the wait until it is given back, and the typed actions that do it: a pool that
 * grows from none, and what the submissions ask for from now on, with one limit.
 */
#include "plan/proof/gate.h"
#include "plan/proof/settle.h"

struct move {
	const struct habit_runs *h;
	const struct sold *to;
	int gpus;
	double time, time_lo, time_hi; /* there against now; 1: as long */
	int64_t limit_ms;              /* to book there, UNKNOWN_MS: as it is */
	bool is_default;               /* runs that need more GPUs stay where they are */
};

/* The machine on which its runs are in the state of the plan, and what that costs an hour; false:
 * they are not all on one, or no price is known. */
bool move_from(const struct lever_in *in, const struct habit_runs *h, struct use *ret,
	       struct rate *ret_rate);
/* Changes, after settle(): the jobs and the machines that they leave. */
void move_runs(const struct lever_in *in, struct settle *s, struct rec *r, const struct move *m);
/* The lines: pool, submissions. */
void move_actions(const struct lever_in *in, struct rec *r, const struct move *m);
/* Saving of the whole of r against the state, nano; at the expensive end of its ranges too. */
double rec_saving(const struct lever_in *in, const struct rec *r, double *ret_least);
/* Most machines that its runs hold at once, in the uses of r or of the state. */
int64_t move_peak(const struct lever_in *in, const struct habit_runs *h, const struct rec *r);

#endif
