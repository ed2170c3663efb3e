#ifndef TARE_RUN_RUN_NEXT_H
#define TARE_RUN_RUN_NEXT_H
/*
 * Where the next attempt should run so that the deadline is kept and the cost is least: on spot, on
 * demand, or is it better to wait for spot? The rules are those of the simulator (opt/spot/spot.h,
 * spot_tare() of opt/spot/spot_dp.h over the shipped markets; Uniform Progress where prices are not
 * known or the job is too long for that), asked for the next tick of ten minutes (less for short
 * jobs). With no markets it takes no time.
 */
#include "base/jw.h"
#include "opt/spot/spot.h"
#include "opt/spot/spot_market.h"
#include "run/run_known.h"

/* turns of one; those of which it is known what was remembered */
struct run_market {
	struct spot_counts all, by_memory[SPOT_MEMORY];
};
struct run_plan {        /* what the user says of the whole job; zero-initialised: nothing */
	int64_t work_ms; /* without interruptions; 0 = not told */
	int64_t steps;   /* or so many steps; 0 = not told */
	/* from asking for a machine to the first step; 0: measured, and RUN_BOOT_MS for the
	 * machine */
	int64_t restart_ms;
	int64_t od_nano, spot_nano; /* USD an hour; -1 or 0 with no_prices: not known */
	bool has_prices;
	enum spot_hold here; /* what this attempt runs on; SPOT_NONE = not known */
	/* Markets with ticks of gap_ms: how many, at most max are written. NULL: none. */
	size_t (*markets)(void *ctx, int64_t gap_ms, struct run_market *ret, size_t max);
	void *markets_ctx;
	/* what to set where the next attempt is started, in words of that place; NULL: nothing is
	 * known */
	const char *on_demand_set, *spot_set;
};
#define RUN_BOOT_MS 300000 /* of a machine with GPUs: as in tare plan (boot_minutes) */
/* of program and state, before it was measured: as in tare plan (restart_minutes) */
#define RUN_RESTORE_MS 360000

struct run_next_ask {
	const struct run_plan *plan;
	const struct run_known *known;
	int64_t now_ms, deadline_ms; /* wall clock; INT64_MAX = none */
	int64_t safe_step;           /* -1 = none */
	int64_t ran_ms;              /* the attempt that has just ended */
	/* its machine was taken away: spot is not to be had at the moment */
	bool taken;
};
struct run_next {
	bool known;          /* else only why is told */
	enum spot_hold hold; /* NONE: wait for spot */
	const char *rule;    /* "must", "price", "tare", "uniform" */
	int64_t left_ms;     /* work */
	/* begun on demand at this time at the latest, it is in time; INT64_MIN = never had to be
	 * known */
	int64_t on_demand_ms;
	int64_t done_ms; /* begun on demand now, it is done then */
	int64_t deadline_ms;
	bool late;            /* not even on demand fits */
	double usd;           /* expected to the end; NAN = not known */
	const char *currency; /* of usd; NULL: USD. The caller's */
	const char *set;      /* what to set, NULL */
	char why[200];
};
/* Never fails: what cannot be worked out is not known. At most 256 MiB and about a second, for the
 * rule "tare"; nothing is kept. */
void run_next(const struct run_next_ask *a, struct run_next *ret);
/* The same without the rule: does it still fit? For the start of an attempt; costs nothing. */
void run_next_fits(const struct run_next_ask *a, struct run_next *ret);
/* "spot", "on_demand", "wait"; NULL: not known */
const char *run_next_word(const struct run_next *n);
/* An object, or null: hold, rule, why, set, work_left_s, on_demand_by, deadline, late, expected,
 * currency, set. */
void run_next_put(struct jw *j, const struct run_next *n);

#endif
