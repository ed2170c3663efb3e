#ifndef TARE_PLAN_REPLAY_TARGET_H
#define TARE_PLAN_REPLAY_TARGET_H
/*
 * The least risky set of recommendations that reaches a target in time: one whose saving is at
 * least target_frac in 95 % of the draws of all of it together (plan_draws), each item in force
 * within_days after today by plan_calendar(). Of these the set with as few as can be that bind,
 * then that are to be tried first, then of high and medium risk, then as few items, then as little
 * bound money, then as little work; then the largest saving.
 */
#include "plan/plan.h"

/* What was asked for and keeps recommendations out. */
enum target_limit { LIMIT_RISK, LIMIT_EFFORT, LIMIT_LEVERS, LIMIT_LEAST_SAVING, LIMIT_N };

/* Less than this part of today's cost is nothing that a limit holds back. */
#define TARGET_ADDS_FRAC 0.0005

struct target {
	struct plan_date *step; /* [nstep] in order of start */
	size_t nstep;
	bool reached;
	double chance;     /* that the plan given back saves the part asked for */
	double saved_frac; /* its median */
	/* where it is not reached: what could be saved with the same limits but for the time; else
	 * saved_frac */
	double most_frac;
	double soonest_day; /* and when the first item of that is in force; NAN: none is known */
	/* where it is not reached: what all that is known would save more in the same time without
	 * this limit alone, and without any of them; 0: none, or that it was not asked for */
	double adds_frac[LIMIT_N], all_add_frac;
	double last_day; /* when the last step is in force */
	/* every subset was looked at (at most 2^20); else larger ones were thinned out one by
	 * one */
	bool exact;
};
/*
 * ret_plan: only what was chosen, with its own marginal savings; where the target is out of reach,
 * what meets it with the largest probability, in->within_days from today. What can be decided at
 * all is as in plan_make(). Errors: -EINVAL for a target not in (0, 1] or no time. target_free()
 * and plan_free() by the caller.
 */
int plan_target(const struct plan_in *in, double target_frac, struct plan *ret_plan,
		struct target *ret, struct err *err);
void target_free(struct target *t);

#endif
