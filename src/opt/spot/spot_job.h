#ifndef TARE_OPT_SPOT_SPOT_JOB_H
#define TARE_OPT_SPOT_SPOT_JOB_H
/*
 * A job on spot machines before it runs: what will it cost, when will it be done, how often is it
 * interrupted, how often should it save?
 *
 * Interruptions come at a constant hazard (a month's band says no more); each costs a restart and
 * what was done since the last checkpoint, all of it where there are none. After an interruption
 * another spot machine is found within the restart time. With checkpoints and a deadline the job
 * moves to on demand as soon as what is saved, one restart and one checkpoint would only just fit:
 * such jobs are not late as long as on-demand machines are to be had. Without checkpoints it tries
 * again on spot while a whole run still fits, then once on demand; that one may be late.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

/* ---- how often to save ------------------------------------------------------------------- */

/* stall: what one checkpoint stops the job for; mtbi: mean time between interruptions. Same unit,
 * both > 0; the answer is work between two. */
double spot_interval_young(double stall, double mtbi); /* sqrt(2 d M); Young 1974 */
double spot_interval_daly(double stall, double mtbi);  /* higher order; Daly 2006 */
/* M (1 + W0(-exp(-1 - d/M))): exact for constant hazard */
double spot_interval_exact(double stall, double mtbi);
/* A notice long enough for saving (stall <= 0.8 notice) leaves only the interruptions without
 * notice, a share q: M / q. q = 0: INFINITY. */
double spot_interval_notice(double stall, double mtbi, double notice, double without_notice_frac);
/* Mean time to do `work` with checkpoints every tau: M e^{R/M} (e^{(tau+d)/M} - 1) work / tau. */
double spot_mean_time(double work, double tau, double stall, double restart, double mtbi);
/* Interruptions an hour of a chance a month: -ln(1 - pct/100) / 730; 0 for 0. pct in [0, 100). */
double spot_hazard_of_month(double pct);

/*
 * What a spot price may become, against today's: from all 989 spot series of the shipped Google
 * prices. Within a quarter 5 % of the moves went below LO and 5 % above HI; within a year 1 % went
 * above HI_OLD, which is for a price that is only advised, or older than OLD_DAYS.
 */
#define SPOT_MOVE_LO       0.70
#define SPOT_MOVE_HI       1.21
#define SPOT_MOVE_HI_OLD   1.62
#define SPOT_MOVE_OLD_DAYS 120

/* ---- a job ------------------------------------------------------------------------------- */

#define SPOT_MAX_PLACES 32
struct spot_place { /* a zone or an instance type; prices of all machines of the job */
	double month_lo_pct, month_hi_pct, hazard_h; /* of a machine, as in struct spot_job */
	double spot_usd_h;
	int machines;
};
struct spot_job {
	double work_h;     /* of the run without interruptions */
	double start_h;    /* paid before the first step: boot of the first machine */
	double restart_h;  /* after an interruption: boot, start, restore */
	int machines;      /* it stops when one of them goes: the hazard times this; 0 = 1 */
	double stall_h;    /* of one checkpoint */
	double every_h;    /* work between checkpoints; INFINITY or 0: none */
	double deadline_h; /* from the start; INFINITY = none */
	/* chance of an interruption in a month: drawn evenly from the band; 0 <= lo <= hi < 100 */
	double month_lo_pct, month_hi_pct;
	double hazard_h;             /* if > 0: interruptions an hour, instead of the band */
	double od_usd_h, spot_usd_h; /* of all machines of the job */
	/* range of the spot price, drawn evenly; both 0: sure */
	double spot_lo_usd_h, spot_hi_usd_h;
	/* share of the interruptions that are saved on notice: nothing but the restart is lost */
	double notice_saved_frac;
	/*
	 * Places in the order in which they are taken: each attempt runs in the first that has
	 * machines again. A place that took its machines back has none for away_h; while all are
	 * away the job waits for the first to come back, if the deadline allows it, else it goes on
	 * demand. With places, the hazard, the spot price and the machines above are not used (the
	 * range of the price is: as a factor over spot_usd_h). nplace = 0: one place, never away.
	 */
	const struct spot_place *place;
	int nplace;
	double away_h;
};
struct spot_outcome {
	double usd, usd_p05, usd_p50, usd_p95; /* mean and quantiles of the cost */
	double hours, hours_p95;               /* from start to end */
	double finish_frac;                    /* done by the deadline */
	/* of the runs: given up after SPOT_MAX_INTERRUPTIONS; where it is not 0, costs and hours
	 * are the least they can be */
	double stuck_frac;
	int runs; /* replayed: fewer than asked for where they are long */
	double interruptions, lost_h, stall_h, restart_h; /* means a run; lost: work done again */
	double od_frac;                                   /* of the cost: paid on demand */
	double moved_frac;                                /* of the runs: ended on demand */
	double od_usd;                  /* the same job on demand, uninterrupted */
	double waited_h;                /* mean hours without a machine, for a place to come back */
	double spot_h[SPOT_MAX_PLACES]; /* mean hours on spot in each place */
};
/*
 * Seeded Monte Carlo of n runs (1 to 1,000,000; 2,000 tells a percent); a draw is a function of
 * (seed, run, interruption), so that alternatives meet the same interruptions. -EINVAL for input
 * that makes no sense. A run with more than SPOT_MAX_INTERRUPTIONS ends there as not done. O(n *
 * interruptions), and bounded: after 20 million interruptions no run follows the 100th (the mean of
 * so many is sure), and none the 20th where all were given up.
 */
#define SPOT_MAX_INTERRUPTIONS 100000
int spot_job_run(const struct spot_job *j, int n, uint64_t seed, struct spot_outcome *ret,
		 struct err *err);

/*
 * The interval to use: that of the theory for the mean hazard, but short enough that the deadline
 * leaves room for losing one (a quarter of the slack) and not under the stall itself. INFINITY
 * where there is no hazard.
 */
double spot_job_interval(const struct spot_job *j);

#endif
