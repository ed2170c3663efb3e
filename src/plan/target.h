#ifndef TARE_PLAN_TARGET_H
#define TARE_PLAN_TARGET_H
/*
 * The least risky set of recommendations that reaches a target in time: as few of high risk as can
 * be, then as few of medium risk, then the least work, then the largest saving, such that
 *
 *   after <= (1 - target_frac) x baseline,  and each is in force within_days after today.
 *
 * A team does one thing at a time, in the order of the plan, for effort_days each; a recommendation
 * is in force within_days (of the recommendation) after its work was begun, and begins after those
 * it needs are in force.
 */
#include "plan/plan.h"

struct target_step {
	size_t rec;                 /* in plan.rec */
	double start_day, done_day; /* from today */
	const char *team;           /* "" = the platform */
};
struct target {
	VEC(struct target_step) step; /* [plan.rec.n] in order of start */
	bool reached;
	double saved_frac; /* of the plan given back */
	/* where it is not reached: what could be saved with the same limits but for the time; else
	 * saved_frac */
	double most_frac;
	double last_day; /* when the last step is in force */
	/* every subset was looked at (at most 2^20); else larger ones were thinned out one by
	 * one */
	bool exact;
};
/*
 * ret_plan: only what was chosen, with its own marginal savings; where the target is out of reach,
 * what gets nearest in time. What can be decided at all is as in plan_make(). Errors: -EINVAL for a
 * target not in (0, 1] or no time. target_free() and plan_free() by the caller.
 */
int plan_target(const struct fleet *f, const struct catalog *cat, const struct plan_conf *conf,
		const struct plan_opt *o, int64_t now_ms, double target_frac, double within_days,
		struct plan *ret_plan, struct target *ret, struct err *err);
void target_free(struct target *t);
/* The same with other levers, for tests. */
int plan_target_with(const struct lever table[LEVER_N], const struct fleet *f,
		     const struct catalog *cat, const struct plan_conf *conf,
		     const struct plan_opt *o, int64_t now_ms, double target_frac,
		     double within_days, struct plan *ret_plan, struct target *ret,
		     struct err *err);

#endif
