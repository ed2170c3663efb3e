#ifndef TARE_RUN_RUN_WHEN_H
#define TARE_RUN_RUN_WHEN_H
/* When to save, to stop, to end: pure. All times are ms; `now` and `at` of one clock. */
#include <stdbool.h>
#include <stdint.h>

struct run_cost {           /* what was measured; -1 = nothing yet */
	int64_t stall_ms;   /* training stood still for a checkpoint */
	int64_t save_ms;    /* from the asking to safe */
	int64_t push_ms;    /* and to the object store; 0 where there is none */
	int64_t restart_ms; /* from the start to the first step */
};
struct run_hazard {
	double prior_h, seen_h;
	int interruptions;
};

/* Mean time between interruptions: spot_mtbi_h() of opt/spot/spot_seen.h. */
double run_mtbi_h(const struct run_hazard *h);
/*
 * Work between two checkpoints: exact optimum for a constant hazard (opt/spot/spot_job.h), no less
 * than half a minute and than twice the time a checkpoint takes to be safe, no more than four
 * hours. Before a cost is known RUN_FIRST_MS.
 */
int64_t run_interval_ms(const struct run_cost *c, const struct run_hazard *h);
/* Share of the time that goes into checkpoints, work done again and restarts, at this interval; NAN
 * before a cost is known. */
double run_loss_frac(const struct run_cost *c, const struct run_hazard *h, int64_t interval_ms);

struct run_times {
	int64_t stop_at; /* ask it to save and end */
	int64_t term_at; /* SIGTERM */
	int64_t kill_at; /* SIGKILL, to the whole tree */
	int64_t end_at;  /* nothing is begun any more: what is not safe now will not be */
};
/*
 * The machine goes at `at`. The end lies a tenth of what is left before it (0.3 to 10 s: clocks
 * differ, and the platform is not exact); the kill leaves the time that copying away takes, but
 * never more than half; the stop comes as late as twice what was measured allows, at least 25 s
 * before the end. In a notice shorter than that everything begins at once.
 */
void run_plan_stop(int64_t now, int64_t at, const struct run_cost *c, struct run_times *ret);

#define RUN_FIRST_MS 300000
#define RUN_LEAST_MS 30000
#define RUN_MOST_MS  14400000

#endif
