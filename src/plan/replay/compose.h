#ifndef TARE_PLAN_REPLAY_COMPOSE_H
#define TARE_PLAN_REPLAY_COMPOSE_H
/*
 * Inside of the composition: a composer holds what stays the same, a comp is one composed set.
 * compose.c chooses between sets, stage.c composes one, range.c gives ranges, replay.c runs all
 * together, sensitivity.c asks what if. The way from outside is plan.h.
 */
#include "plan/alone/habits.h"
#include "plan/plan.h"
#include "sim/boot.h"

/* How the cost of workloads is spread over the blocks (weeks, or days of a short history) of the
 * window, and the common draws. */
struct range_load {
	uint64_t key;
	double total; /* nano over the window */
};
struct range {
	struct boot boot;
	/* [nwork][nblock] part of a workload's cost in each block; a row adds up to 1 */
	float *share;
	/* [nwork] what free time of a machine costs at most: all that the machine does; INFINITY */
	double *most;
	double *total; /* [nblock] of the baseline */
	/* demand that drifts together; group [nwork]: which, UINT32_MAX: none */
	double load_sd;
	uint32_t *group;
	VEC(struct range_load) load;
	bool days;   /* blocks are days: fewer than three weeks of history */
	bool single; /* one block: the range is from nothing to twice */
};
void range_make(struct range *r, const struct fleet *f, const struct plan_conf *conf, int draws,
		uint64_t seed);
void range_free(struct range *r);

/* A saving by block, as the bootstrap sees it; lo and hi: how much more it may save, how much
 * less. */
struct spread_part {
	uint32_t group;
	double gain;
};
struct spread {
	double *gain, *more, *less;
	struct spread_part *part; /* [npart] of the gain, by demand that drifts together */
	size_t npart;
	double fee, fee_more, fee_less;
	double most; /* of a gain: all that the machines cost; INFINITY */
	uint64_t key;
	/* saves or is even in every block at the expensive end of its own range: no draw is a
	 * loss */
	bool safe;
};
/* less than a week of history is no low risk, and no what-if */
#define SURE_WINDOW_MS (7 * 86400000LL)
/* base [change.n]: cost of each changed work before. Memory of mem. */
void spread_of(const struct range *r, const struct rec *rec, const int64_t *base, struct arena *mem,
	       struct spread *ret);
void spread_limits(const struct range *r, const struct spread *s, int64_t *ret_p05,
		   int64_t *ret_p95);
/* Of the part saved, in each draw of what that draw would have cost. */
struct range_frac {
	double p05, median, p95;
};
/*
 * The part that the first k of s [n] save together: ret [n + 1], ret[0] nothing. With `from`: what
 * they save beyond the first `from`; those before it are left as they are.
 */
void range_fracs(const struct range *r, const struct spread *s, size_t n, size_t from,
		 struct range_frac *ret);

/* before [ndraw]: what each draw would have cost; saved [n][ndraw] (NULL: not asked for): what s
 * [n] save in it. */
void range_draws(const struct range *r, const struct spread *s, size_t n, double *before,
		 double *saved);

struct barred {
	const char *id, *why;
};
struct composer {
	const struct lever *table; /* [LEVER_N] */
	const struct fleet *fleet;
	const struct catalog *catalog;
	const struct plan_conf *conf;
	const struct plan_opt *o;
	int64_t now_ms;
	double within_days; /* only what is in force by then; INFINITY */
	struct arena *mem;
	struct range range;
	struct habits habits;
	struct use *start;     /* [nwork] the history */
	struct rec_list alone; /* proposed from the history itself */
	struct text_list alone_note;
	struct left_list left[LEVER_N]; /* of the history itself */
	bool noted[LEVER_N];            /* it said why by itself */
	/* carried out as printed they would do harm: id, and why */
	VEC(struct barred) barred;
	struct rec_list made; /* every recommendation ever made, to free those not kept */
	struct err *err;
};

/* One composed set. */
struct comp {
	struct use *use; /* [nwork] after it */
	int64_t fee_nano, cost_nano;
	struct rec_list taken;     /* in order */
	VEC(int64_t) saving;       /* [taken.n] */
	VEC(struct spread) spread; /* [taken.n] */
	struct rec_list refused;
	struct text_list why, note; /* why [refused.n] */
	VEC(bool) may_come;         /* [refused.n] for its risk or work alone: may be taken later */
	VEC(int) noted_by;          /* [note.n] the lever that said it */
	struct rec_list proposed[TIER_N][LEVER_N];
	bool asked[TIER_N][LEVER_N];
	VEC(const char *) contested; /* ids of taken ones that keep others out */
	int64_t slack_nano;          /* what a better choice inside a stage could gain at most */
};

/*
 * The order of composition: tier by tier, and in a tier stage by stage. A step is one stage of one
 * tier.
 */
#define STEP(tier, stage) ((int)(tier)*1000 + (stage))
#define STEP_TIER(step)   ((enum tier)((step) / 1000))
#define STEP_STAGE(step)  ((step) % 1000)
/* Does the lever belong to this stage, and was it asked for? In a fleet without prices those that
 * compare prices do not. */
bool lever_is_in(const struct composer *cp, int lever, int stage);
/* What one lever proposes, advice too, where works are run and paid as in use [nwork]: *out (empty
 * before), ids unlike each other. note: what it says; left: what it looked at and left, NULL = not
 * asked for. A lever without data is a note; else negative errno, said in cp->err. */
int lever_ask(struct composer *cp, int lever, const struct use *use, struct text_list *note,
	      struct left_list *left, struct rec_list *out);
/* Choose among the proposals of a step and apply. ban [nban]: ids not to be taken, as an
 * alternative is tried. Negative errno, said in cp->err: c is then half done. */
int stage_run(struct composer *cp, struct comp *c, int step, const char *const *ban, size_t nban);
/* Take r: its changes into c->use, its costs into c's. *s is copied, r is kept. */
void comp_apply(struct comp *c, const struct composer *cp, struct rec *r, const struct spread *s);
void comp_free(struct comp *c);

/* From the set to the plan (compose_out.c). */
void plan_fill(const struct composer *cp, const struct comp *c, struct plan *p);
/* saving from the history itself, UNKNOWN_NANO */
int64_t plan_alone(const struct composer *cp, const char *id);
/* Levers that gave nothing, and why (left.c): fills p->left. */
void plan_tell_left(const struct composer *cp, struct plan *p);
void plan_left_free(struct composer *cp);
void plan_note_once(struct plan *p, const char *z);

/* All together on the virtual clock: jobs with their final uses. Fills p->replay, after p->rec. */
int plan_replay(const struct composer *cp, const struct comp *c, struct plan *p, struct err *err);
/* machines and times to result (fleet_after.c) */
void plan_fleet_after(const struct composer *cp, const struct comp *c, struct plan *p);
/* prices, growth (sensitivity.c) */
void plan_sensitivity(const struct composer *cp, const struct comp *c, struct plan *p);

#endif
