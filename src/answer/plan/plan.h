#ifndef TARE_ANSWER_PLAN_PLAN_H
#define TARE_ANSWER_PLAN_PLAN_H
/* What to change in the fleet, and what it saves. */
#include "answer/ask.h"
#include "answer/energy.h"
#include "answer/plan/plan_asked.h"
#include "answer/plan/plan_decide.h"
#include "answer/plan/plan_trial.h"
#include "plan/proof/drill.h"
#include "plan/lever/own_speed.h"
#include "plan/replay/target.h"

struct plan_ask {
	struct ask ask;          /* its store is needed; the window is that of asked */
	struct catalog *catalog; /* gets the store's prices */
	const struct plan_conf *conf;
	struct plan_asked asked;
	struct plan_want want; /* what asked says */
	/* called with each table as it is read, NULL: it is over. NULL: nobody */
	void (*progress)(void *ctx, const char *label, int64_t rows);
	void *ctx;
	struct plan_watch watch; /* called as the plan is made */
};
/* A step of the calendar: recommendation plan->rec.v.v[rec]. */
struct plan_step {
	size_t rec;
	int64_t start_ms, done_ms;
	const char *owner;
};
struct plan_answer {            /* stays where it is: parts point to each other */
	struct plan_conf conf;  /* the asked one, with the speeds of own */
	struct own_speeds own;  /* what tare profile measured */
	struct drills drills;   /* what tare run drill has shown */
	struct plan_marks mark; /* what people have decided */
	struct trial_records trials;
	struct plan_opt opt; /* as the plan was made */
	struct fleet fleet;
	struct plan plan;
	struct plan_energy energy; /* that its items save */
	struct plan_step *step;    /* [nstep] by time */
	size_t nstep;
	struct plan_week week[PLAN_WEEKS]; /* from today on, if all of it is done */
	struct plan_week month[PLAN_MONTHS];
	/* of the target: saved by then; at most with more time; the probability that it is met */
	double reached_frac, most_frac, chance_frac;
	double soonest_day; /* when the first of what is known is in force (plan/replay/target.h) */
	bool reached;       /* in 95 % of the draws */
	/* not reached: what limits hold back, each alone and all together (plan/replay/target.h) */
	double limit_adds_frac[LIMIT_N], limits_add_frac;
	bool has_fleet, has_plan;
};
/*
 * Returns 0 or a negative errno; -ENODATA: nothing can be decided. plan_answer_free() in any case.
 */
int answer_plan(const struct plan_ask *q, struct plan_answer *ret, struct err *err);
void plan_answer_free(struct plan_answer *a);
/* The plan of the first half of the history, scored on the second. The caller frees ret->row. */
int answer_plan_backtest(const struct plan_ask *q, const struct plan_answer *a,
			 struct backtest *ret, struct err *err);

/* Place in the plan, SIZE_MAX = not in it. */
size_t plan_place(const struct plan *p, const char *id);
size_t plan_advice_place(const struct plan *p, const char *id);  /* the same in plan.advice */
size_t plan_refused_place(const struct plan *p, const char *id); /* in plan.refused */
const char *plan_owner(const struct rec *r);                     /* its team, or "platform" */
#endif
