#ifndef TARE_PLAN_LEVER_LEVER_H
#define TARE_PLAN_LEVER_LEVER_H
/*
 * A lever: one way to pay less for the same work. Each is one file lever_<name>.c and one row in
 * levers.def. A lever looks at a *state* of the plan (how each work is run and paid after the
 * recommendations chosen so far), replays its idea on the history and appends recommendations. It
 * changes nothing itself: compose.c applies what is chosen, so that the savings of the list add up
 * without counting a dollar twice.
 */
#include "model/action.h"
#include "plan/advice.h"
#include "plan/fleet/fleet.h"
#include "plan/plan_conf.h"

enum risk { RISK_LOW, RISK_MEDIUM, RISK_HIGH };
/*
 * low: no misses in replay, 5th percentile of the saving above 0, no interruption or sharing;
 * medium: also spot and sharing, at most 1 % misses; high: everything else that is proposed at all.
 */
const char *risk_name(enum risk r); /* "low" "medium" "high" */

/*
 * What a signature under it means. Sure: reversible, measured, and nothing that it touches can run
 * longer, get less memory, hit a shorter limit or be interrupted than plan.gates allow. Trial: a
 * small experiment decides. Binds: money that cannot be taken back. An item's tier is the worst of
 * its own and of what it depends on; a plan is composed tier by tier, so that each prefix of tiers
 * stands alone.
 */
enum tier { TIER_SURE, TIER_TRIAL, TIER_BINDS, TIER_N };
const char *tier_name(enum tier t);  /* "sure" "trial" "binds" */
const char *tier_label(enum tier t); /* for people: "Ready" "Try first" "Commit" */

/* How a workload is run and paid. The first state is the history itself. */
struct use {
	const char *provider, *region, *zone, *instance_type, *gpu_model, *purchase;
	int64_t gpus_milli;       /* GPUs paid for */
	int64_t start_ms, end_ms; /* paid from, to (start == end: gone) */
	double slowdown;          /* run time against history, 1 = as it was */
	double slowdown_hi;       /* the same at the slow end of what is known */
	double off_frac;          /* of [start, end) switched off by a timetable */
	int64_t limit_ms;         /* booked, after which it is killed; UNKNOWN_MS */
	/* of free time: the machine is given back when nobody holds it, and comes when asked for */
	bool released;
	int64_t cost_nano; /* over the window */
	uint32_t levers;   /* bit per lever (index in the table) that changed it */
	enum tier tier;    /* the worst of what changed it */
};

struct evidence {
	enum quality quality;
	const char *metric, *value, *unit, *source, *window;
};
/* "team" = "vision", "cluster" = ..., what the recommendation is about */
struct subject {
	const char *key, *value;
};

/* What happens to one work. lo/hi: cost after at the 5th and 95th percentile of the lever's own
 * replay (lo <= hi), equal to cost when that is sure. */
struct rec_change {
	uint32_t workload;
	struct use after;
	int64_t lo_nano, hi_nano;
	/*
	 * Of the free time of a machine that others leave too: what counts is the difference to
	 * base_nano, its cost when it was proposed, and several recommendations may change it.
	 */
	bool shared;
	int64_t base_nano;
};

struct rec_replay {
	int64_t since_ms, until_ms;
	int64_t jobs, deadline_misses;
	int64_t requests, slo_violations;
	int64_t oom;
	int64_t cut;                        /* by a limit, or for the want of a machine or GPUs */
	int64_t requeues;                   /* of a smaller default: they ran on the old shape */
	double interruptions;               /* expected, over the window */
	double p99_before_ms, p99_after_ms; /* NAN where no service is touched */
	const char *p99_service;            /* whose: the one nearest to its limit; NULL */
	double p99_of_limit;                /* its p99_after_ms over that; NAN */
	/* of a service's highest minute, on what is left of its replicas when the machine with most
	 * of them is lost; the highest of the services; NAN */
	double lost_load_frac;
};

/* A job that begins so much later at the slow end, as its machine was given back before. */
struct rec_wait {
	uint32_t workload;
	int64_t ms;
};

struct rec {
	/* "spot-vision-v100": lever and subject, stable from run to run; unique in a plan */
	const char *id;
	const char *about; /* the subject as rec_new() was told it: equal texts, equal subject */
	const char *lever, *title;
	VEC(struct subject) subject;
	VEC(struct rec_change) change;
	VEC(struct rec_wait) wait;
	/* added to the cost over the window: commitment fees, egress; usually 0 */
	int64_t fee_nano, fee_lo_nano, fee_hi_nano;
	struct rec_replay replay;
	enum risk risk;
	enum tier tier;
	int64_t bound_nano; /* that cannot be taken back once it is done; 0: none */
	double effort_days, confidence_frac; /* confidence that the saving lies in its range */
	/* from the decision until it is in force (work, approvals, ramp) */
	double within_days;
	const char *team; /* who has to do it, "" = the platform */
	/* estimated, not replayed: shown apart, never in the sums (training techniques, "measure
	 * first") */
	bool advice;
	/* of advice that says what there is (plan/advice.h): ADVICE_NONE for the rest */
	enum advice_kind kind;
	dec cost_month; /* of a month, of what it is about; in no sum */
	bool has_cost;
	int64_t gpu_ms; /* the GPU time that such advice is about, over the window; 0: not told */
	/* what the history would have to show before it can be proposed: it is refused with that */
	const char *not_yet;
	/* it was worked out and would save nothing: it is refused with that */
	const char *no_gain;
	/* saves nothing itself: a step that makes a later saving possible ("add checkpoints");
	 * listed with 0, has no changes */
	bool prepares;
	/* jobs come onto machines that they were not on: no timetable may switch these off */
	bool packs;
	bool quality_risk;           /* could change model quality: only shown when asked for */
	struct text_list depends_on; /* ids */
	VEC(struct evidence) evidence;
	/* in the order in which they are done; what is printed is made of them
	 * (report/action/action_text.h) */
	VEC(struct action) action;
	struct text_list risk_text;
	/* filled in by compose.c */
	/* marginal, in the order of the plan, over the window */
	int64_t saving_nano, p05_nano, p95_nano;
	int64_t alone_nano; /* if it were the only one */
};
struct rec_list {
	VEC(struct rec *) v;
};

/* Things of one kind that a lever looked at and left as they are: 12 "runs" "without a limit" */
struct left {
	const char *what, *why;
	size_t n;
};
struct left_list {
	struct left *v;
	size_t n, cap;
};

struct habits; /* plan/alone/habits.h */
struct lever_in {
	const struct fleet *fleet;
	const struct use *use;       /* [fleet->workload.n] the state to start from */
	const struct habits *habits; /* of the fleet (plan/alone/habits.h) */
	const struct catalog *catalog;
	const struct plan_conf *conf;
	int64_t now_ms; /* prices in force: now, not those of the history */
	uint64_t seed;
	struct arena *mem;      /* for everything in recommendations; lives as long as the plan */
	struct text_list *note; /* sentences about what could not be decided and why */
	struct left_list *left; /* lever_left(); NULL: not asked for */
	/* how far ahead commitments are judged; 0 = each over its own term */
	double horizon_days;
};

struct lever {
	const char *name, *about;
	int stage;         /* order of composition: levers of a lower stage are applied first */
	uint32_t excludes; /* bit per lever: not both on one work */
	/* Append recommendations (each with at least one change, or fee, or advice). 0 or a
	 * negative errno. Deterministic. */
	int (*propose)(const struct lever_in *in, struct rec_list *out, struct err *err);
};
enum lever_id {
#define LEVER(id, name, stage, excludes, has, text) LEVER_##id,
#include "plan/levers.def"
#undef LEVER
	LEVER_N
};
extern const struct lever levers[LEVER_N]; /* propose NULL: no such lever in this version */
int lever_index(const char *name);         /* or -1 */
#define LEVER_BIT(i) (1u << (i))

/* Helpers for levers (levers.c). All memory is in->mem. */
/* id "<lever>-<tail>", lower case, [a-z0-9._-], with a hash where the tail has other characters */
struct rec *rec_new(const struct lever_in *in, struct rec_list *out, const char *lever,
		    const char *id_tail);
/* "" is left out */
void rec_subject(const struct lever_in *in, struct rec *r, const char *key, const char *value);
/* A change with the sure cost; the returned one may be given its lo and hi. after is a copy of the
 * work's current use that the caller edits. */
struct rec_change *rec_change(const struct lever_in *in, struct rec *r, uint32_t workload);
/* "SOURCE, DATE": whence a price is and of which day */
const char *lever_rate_source(const struct lever_in *in, const struct rate *rate);
/*
 * The part by which a list price of that day may have moved by the end of the history, either way:
 * 10 % a year behind the first half (assumed), 30 % at most. 0: it is young, not dated, the
 * customer's own, or a market's. With r, that it is so old is a risk of it.
 */
double lever_price_age(const struct lever_in *in, struct rec *r, enum rate_basis basis,
		       int64_t as_of_ms);
/* "$/GPU·h", "EUR/GPU·h": of prices in the fleet's currency */
const char *lever_rate_unit(const struct lever_in *in);
/* One more action, all of it not told; valid until the next one. */
struct action *rec_action(struct rec *r, enum action_kind kind);
/* What the works that it is about cost in the window, in nano of the fleet's currency, and their
 * GPU time. */
void rec_tell_cost(const struct lever_in *in, struct rec *r, double nano, double gpu_ms);
/* fmt: its value; unit NULL is "". The window is the history's. */
void rec_evidence(const struct lever_in *in, struct rec *r, struct evidence e, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Four letters or digits that tell its pools from those of others: of its id. */
const char *rec_tag(const struct lever_in *in, const struct rec *r);
/* Prices of a machine now, in any currency; region "": everywhere. The purchases are the
 * caller's. */
struct price_query lever_price_query(const struct lever_in *in, const char *provider,
				     const char *region, const char *instance_type);
void rec_tier(struct rec *r, enum tier t); /* the worse of what it is and this */
/* Advice that its team could try in two weeks with three days of work: medium risk. */
void rec_advise_trial(struct rec *r, const char *team);
void rec_risk(const struct lever_in *in, struct rec *r, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void plan_note(const struct lever_in *in, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * n of what ("runs") it leaves as they are, and why ("run once"): said for a
 * lever that proposes nothing and noted nothing. Both texts live as long as the plan.
 */
void lever_left(const struct lever_in *in, const char *what, const char *why, size_t n);
/* cost of a workload that runs on gpus_milli GPUs for ms of wall time at a rate; half-even. */
int64_t use_cost(int64_t nano_gpu_hour, int64_t gpus_milli, int64_t ms);
/* Wall time of the work inside the window, ms; the part its use pays for after trimming and
 * timetables. */
int64_t use_ms(const struct fleet *f, const struct use *u);
/* Does the plan leave this work alone: frozen team, opted out of this lever, machine that cannot be
 * given back. */
bool workload_is_frozen(const struct lever_in *in, const struct workload *w, const char *lever);

#endif
