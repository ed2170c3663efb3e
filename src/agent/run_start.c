/* The attempt after an interruption, on the same machine or on a new one. */
#include "agent/run.h"

#include <signal.h>
#include <stdlib.h>

/* From now; -1: it never had to be known. */
static int64_t on_demand_in(const struct run_next *n, int64_t now_ms)
{
	if (!n->known || n->on_demand_ms == INT64_MIN)
		return -1;
	if (n->on_demand_ms > now_ms)
		return n->on_demand_ms - now_ms;
	return 0;
}

int run_start_next(const struct launch *l, const struct run_opt *o, const struct run_end *end,
		   int64_t now_ms, struct err *err)
{
	struct str next = { 0 };
	struct jw j;
	int r;

	jw_init(&j, &next, 0);
	run_next_put(&j, &end->next);
	struct launch_what w = {
		.why = end->why,
		.job = o->job ? o->job : getenv("SLURM_JOB_ID"),
		.dir = o->dir,
		.store = o->store,
		.step = end->step,
		.argv = o->argv,
		.next = str_sv(&next),
		.hold = run_next_word(&end->next),
		.on_demand_in_ms = on_demand_in(&end->next, now_ms),
	};
	signal(SIGTERM, SIG_IGN);
	r = launch_do(l, &w, err);
	str_free(&next);
	return r;
}
