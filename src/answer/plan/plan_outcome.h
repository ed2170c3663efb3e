#ifndef TARE_ANSWER_PLAN_PLAN_OUTCOME_H
#define TARE_ANSWER_PLAN_PLAN_OUTCOME_H
/*
 * What was applied, kept in the control state when its lines were given out, and what it came to by
 * the ledger since (plan/proof/outcome.h).
 */
#include "answer/plan/plan.h"
#include "plan/proof/outcome.h"

struct outcomes {
	struct outcome_applied *applied; /* [n] by time */
	struct outcome *v;               /* [n] */
	size_t n;
	const char *currency; /* of the fleet; "" = none was looked at */
};
/* Keep item `at` of the plan (p->rec) as applied, by its id, in the store's folder dir, where it is
 * not yet: the first at_ms stays. Returns 0 or a negative errno. */
int outcome_keep(const char *dir, const struct plan *p, size_t at, int64_t at_ms, struct err *err);
/* Forget it: it was not applied after all. An id that is not kept is no error. 0 or a negative
 * errno. */
int outcome_forget(const char *dir, const char *id, struct err *err);
/*
 * All that was applied, looked at in the ledger of all time; nothing applied: nothing is read. In
 * q->ask.mem. What was told is kept, too, so that scores can be read without a look. An entry that
 * cannot be read any more is left out. Returns 0 or a negative errno: *ret is not to be read then.
 */
int answer_plan_outcomes(const struct plan_ask *q, struct outcomes *ret, struct err *err);
/* Into s->v[], by lever: how many items can be told and stand alone, and the median of what each
 * realised over what it was told to save; NAN: none. */
void outcomes_score(const struct outcomes *all, struct trial_scores *s);
#endif
