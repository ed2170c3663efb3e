#ifndef TARE_PLAN_PLAN_H
#define TARE_PLAN_PLAN_H
/*
 * The plan: the best set of recommendations, composed in order, each with its marginal saving; the
 * sum of the savings is baseline - after, to the nano, and in $/month too (amounts of a month are
 * differences of rounded running totals). What cannot be known is said, never guessed.
 */
#include "plan/lever/lever.h"

struct finding { /* what was observed, in money; independent of what can be done about it */
	/* "idle_held/notebook", "too_many_gpus", "on_demand_interruptible", "overbooked",
	 * "forgotten_node", "stranded", ... */
	const char *cause;
	const char *title; /* one sentence */
	VEC(struct subject) subject;
	int64_t nano; /* over the window; UNKNOWN_NANO: dollars without an exchange rate */
	int64_t gpu_ms;
	enum quality quality;
	VEC(struct evidence) evidence;
	VEC(struct action) action; /* what to do where no lever does it */
	/* has something about it in the plan, its advice or what was refused; "" = none */
	const char *lever;
	const char *by_hand; /* what people can do where no lever acts on it */
};

/* Whose jobs waited while GPUs idled on which they would have fitted. */
struct plan_waiter {
	const char *team; /* workload_owner() */
	size_t jobs;
	int64_t wait_ms; /* of theirs: what they would not have waited */
};
/*
 * GPUs that idled meanwhile: free ones of a cluster, or those that an owner held and did nothing
 * with. The amounts stand in findings about use too: it is what they could have been, no further
 * cost.
 */
struct plan_queued {
	const char *owner, *cluster; /* owner "": nobody held them */
	int64_t gpu_ms, nano, wait_ms;
	size_t jobs;
	const struct workload *most; /* free time or owner with most of the money */
	int64_t most_nano;
	const struct plan_waiter *waiter; /* [nwaiter] longest wait first */
	size_t nwaiter;
};
/* A job that waited, and for how much of it there were idle GPUs. */
struct plan_waited {
	const char *job;
	int64_t wait_ms, free_ms, held_ms; /* free, held: by the part of its GPUs */
	const char *holder;                /* with most of held_ms, "" */
	int64_t holder_ms;
};

/* Told what is being worked at and how far it is: `done` of about `of` steps; of 0: nobody
 * knows. */
struct plan_watch {
	void (*told)(void *ctx, const char *what, const char *unit, int64_t done, int64_t of);
	void *ctx; /* told NULL: nobody watches */
};

struct plan_opt {
	uint32_t levers;        /* bit per lever, 0 = all */
	enum risk max_risk;     /* default medium */
	double max_effort_days; /* of one recommendation, INFINITY */
	int64_t min_saving_nano_month;
	double horizon_days; /* how far ahead commitments are judged; 0 = each over its own term */
	bool quality_advice; /* also what could change model quality */
	int draws;           /* of the bootstrap, 400 */
	/* if nonly: only recommendations with these ids */
	const char *const *only;
	size_t nonly;
	/* why the others are refused then; NULL: "not asked for" */
	const char *why_only;
	const char *const *dismissed;
	size_t ndismissed;                  /* ids that people do not want */
	double price_factor, growth_factor; /* sensitivity: 1, 1 */
	uint64_t seed;
	struct plan_watch watch;
	/* the levers' word is taken for what their actions do: for tests of the composition
	 * alone */
	bool unexecuted;
};

struct plan_case {
	const char *name;
	int64_t baseline_nano, after_nano;
}; /* "prices +10 %" */

/* What the items of a tier save together, after those of the tiers before it. */
struct plan_tier {
	size_t items;
	dec saving_month, p05_month, p95_month;
	dec after_month;    /* left to pay after it */
	int64_t bound_nano; /* that cannot be taken back */
};
/* Machines of a kind at once, at most, over the window. */
struct plan_pool {
	const char *instance_type, *region, *purchase;
	int64_t before, after; /* machines */
};

/*
 * The draws behind the ranges: what each item saves, after those before it, and what would have
 * been paid without any, over the window. The same draw of two items is of the same future, so
 * that items are added up draw by draw.
 */
struct plan_draws {
	int n;
	double *before; /* [n] */
	double *saved;  /* [rec.n][n] */
	bool safe;      /* no draw of all together is a loss */
};

/* Time to result of a habit's runs, medians: from the start to the last work, with the boot of a
 * machine that is not there yet. */
struct plan_result {
	const char *name, *team;
	size_t runs;
	double before_h, after_h;
};

#define RECENT_DAYS 28
struct plan {
	struct arena mem;
	const struct fleet *fleet;
	double month_hours, window_hours;
	int64_t baseline_nano, after_nano; /* over the window */
	/* of the part saved, each draw against what it would have cost; the headline is the
	 * median */
	double saving_frac, saving_frac_p05, saving_frac_p95;
	/* of a month with the demand of the history; replayed: the point on the history itself */
	dec baseline_month, after_month, after_month_p05, after_month_p95, replayed_month;
	/* a month of how the last RECENT_DAYS cost; meaningless in less than twice as many days */
	dec recent_month;
	bool has_recent;
	struct plan_tier tier[TIER_N];
	VEC(struct plan_pool) pool;     /* largest first */
	VEC(struct plan_result) result; /* of habits whose runs take longer or run elsewhere */
	struct rec_list rec;            /* chosen, in order */
	VEC(dec) saving_month; /* [rec.n], adds up to baseline_month - after_month exactly */
	VEC(dec) p05_month;
	VEC(dec) p95_month;
	struct plan_draws draws;
	struct rec_list advice; /* shown apart */
	/* proposed and not taken: too risky, excluded by another, dismissed, below the minimum; */
	struct rec_list refused;
	struct text_list refused_why; /* [refused.n] */
	VEC(struct finding) finding;
	const struct plan_queued *queued; /* [nqueued] most money first */
	size_t nqueued;
	const struct plan_waited *waited; /* [nwaited] those with any such time, by job */
	size_t nwaited;
	struct text_list note;
	struct text_list left;    /* levers that looked and have nothing to propose, and why */
	struct rec_replay replay; /* of all together */
	VEC(struct plan_case) sensitivity;
	bool exact;         /* the set is proven best */
	int64_t bound_nano; /* else: no set costs less than this */
	bool undecidable;   /* nothing can be decided: exit 3, notes say why */
};
/* What a plan is made of. */
struct plan_in {
	const struct lever *table; /* [LEVER_N] levers, or of a test */
	const struct fleet *fleet;
	const struct catalog *catalog;
	const struct plan_conf *conf;
	const struct plan_opt *opt;
	int64_t now_ms;
	double within_days; /* only what is in force by then; 0: whenever it is */
};
/* All but what was observed: plan_findings(). */
int plan_make(const struct plan_in *in, struct plan *ret, struct err *err);
void plan_free(struct plan *p);
/* An amount over the window as one of a month. */
dec plan_month(const struct plan *p, int64_t window_nano);
/* This part of v, to a thousand-millionth of it; less than nothing is a loss. */
dec plan_part(dec v, double frac);

/* ---- when (calendar.c) ------------------------------------------------------------------- */

struct plan_date {
	size_t rec;                 /* in plan.rec */
	double start_day, done_day; /* from today: work begins; in force for everybody */
	const char *team;           /* who does it, "" = the platform */
};
/*
 * All items of the plan in order of start, ret [rec.n]. A team does one thing at a time, in the
 * order of the plan, for effort_days each; an item is in force within_days after its work was
 * begun, and begins after those it needs are in force.
 */
void plan_calendar(const struct plan *p, struct plan_date *ret);

/* Since today, at the end of the week: what was saved (a growing part of it between the end of an
 * item's work and the day when it is in force), and what the work until then cost. */
struct plan_week {
	int week; /* 1 .. PLAN_WEEKS; of a month its number */
	dec saved, p05, p95, work;
	bool has_work; /* what a day of work costs is known */
};
#define PLAN_WEEKS  52
#define PLAN_MONTHS 12
/* work_day: what a day of somebody's work costs in the fleet's currency (plan.work_day_usd); NAN:
 * not known. */
void plan_weeks(const struct plan *p, double work_day, struct plan_week ret[PLAN_WEEKS]);
/* The same at the ends of months of month_hours each. */
void plan_months(const struct plan *p, double work_day, struct plan_week ret[PLAN_MONTHS]);
/* The probability that all of it saves at least this part. */
double plan_chance(const struct plan *p, double frac);

/* findings.c; arena of the plan. */
void plan_findings(const struct fleet *f, const struct plan_conf *conf, const struct catalog *cat,
		   int64_t now_ms, struct plan *p);

/* Plan on the first half of the history, score on the second (backtest.c); in arena mem. */
struct backtest_row {
	const char *id, *lever, *title;
	dec predicted_month, p05_month, p95_month, realised_month;
	bool known; /* the second half could tell: else neither of these two is told */
	bool within;
};
struct backtest {
	VEC(struct backtest_row) row;
	int64_t outcomes, within, unknown;
	dec predicted_month, realised_month; /* of the outcomes */
};
int plan_backtest(const struct plan_in *in, struct arena *mem, struct backtest *ret,
		  struct err *err);
#endif
