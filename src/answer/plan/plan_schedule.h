#ifndef TARE_ANSWER_PLAN_PLAN_SCHEDULE_H
#define TARE_ANSWER_PLAN_PLAN_SCHEDULE_H
/*
 * When and where is it cheapest? One job at the places of a price list (plan_schedule_job.c), many
 * jobs on the machines of each place (plan_schedule_fleet.c), on and off hours of a fleet from its
 * use (plan_schedule_table.c). Answers lie in mem.
 */
#include "base/dec.h"
#include "base/mem.h"
#include "model/model.h"
#include "opt/schedule/schedule.h"

struct schedule_prices_ask {
	const char *file;
	bool spot;           /* where both are there, spot prices */
	const char *machine; /* only of this type, or NULL */
	int64_t window;      /* of spot price windows, -1 = any */
};
struct schedule_ask { /* of one job or many */
	struct arena *mem;
	struct schedule_prices_ask prices;
	int64_t slot_ms;          /* runs of pieces and of many jobs begin and end on such */
	int64_t from_ms;          /* earliest start, UNKNOWN_MS: the first price */
	double egress_gb;         /* data that follow a job away from home, NAN: not told */
	double back_gb;           /* results that come back, NAN */
	dec egress_usd_gb;        /* price of a gigabyte between places */
	const char *home;         /* where the data lie, NULL: the first place by name */
	const char *const *allow; /* [nallow] patterns of places that may be chosen; none: all */
	size_t nallow;
};

/* ---- one job ----------------------------------------------------------------------------- */

struct schedule_job_ask {
	struct schedule_ask a;
	int64_t length_ms, restart_ms, units; /* restart: lost at each start after the first */
	int64_t deadline_ms;                  /* UNKNOWN_MS: within_ms from the earliest start on */
	int64_t within_ms;                    /* UNKNOWN_MS: the end of the prices */
	bool preemptible;                     /* may be stopped and go on later */
};
struct schedule_option {  /* at one place */
	const char *name; /* "" where the prices name none */
	bool feasible;
	int64_t start_ms, end_ms, run_nano;
	int64_t now_nano;             /* started at once, -1: cannot be */
	dec egress, total;            /* total -1: not feasible */
	struct schedule_piece *piece; /* [npiece] where pieces are better than one run */
	size_t npiece;
};
struct schedule_job_answer {
	int64_t from_ms, deadline_ms;
	const char *home;
	struct schedule_option *option; /* [n] places, cheapest first */
	size_t n;
	/* at home at once: what would be done without thinking; NULL: it cannot be */
	const struct schedule_option *at_home;
	double saving_frac; /* of the first option against that, NAN */
};
/* Returns 0 or a negative errno; -ENODATA: no price is of use. */
int answer_schedule_job(const struct schedule_job_ask *q, struct schedule_job_answer *ret,
			struct err *err);

/* ---- many jobs --------------------------------------------------------------------------- */

struct schedule_fleet_ask {
	struct schedule_ask a;
	const char *jobs;
	int64_t capacity; /* machines at each place at any time, -1: no limit */
	int64_t slack_ms; /* deadline of jobs that state none, behind start + length */
};
struct schedule_run {
	const char *id; /* "" = none */
	int64_t line, units;
	const char *place; /* NULL: no room before its deadline */
	int64_t start_ms, end_ms;
};
struct schedule_fleet_answer {
	size_t nplace;
	const char *home;
	struct schedule_run *run;    /* [n] in the order of the file */
	size_t n, outside, left_out; /* outside: not within the prices, no part of n */
	int64_t rounded_up; /* jobs of a part of a machine, which were given the whole of it */
	int64_t shift_ms;   /* jobs were moved by this, as their times do not meet the prices' */
	int64_t cost_nano, flow_nano, price_nano; /* and two bounds from below; < 0 = not known */
	double gap_frac;
	dec at_once; /* all at home as they come, without limit */
	bool has_at_once;
};
/* Returns 0 or a negative errno; -ENODATA: no job lies within the prices. */
int answer_schedule_fleet(const struct schedule_fleet_ask *q, struct schedule_fleet_answer *ret,
			  struct err *err);

/* ---- on and off hours -------------------------------------------------------------------- */

struct schedule_table_ask {
	const char *usage; /* use by the hour */
	struct timetable_opt opt;
	int32_t offset_s; /* of local time */
};
struct schedule_table_answer {
	struct timetable t;
	struct on_interval on[WEEK_HOURS / 2]; /* [n] where there is enough history */
	size_t n;
};
/* Returns 0 or a negative errno; too little history is an answer. */
int answer_schedule_table(const struct schedule_table_ask *q, struct schedule_table_answer *ret,
			  struct err *err);
#endif
