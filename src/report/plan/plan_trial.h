#ifndef TARE_REPORT_PLAN_PLAN_TRIAL_H
#define TARE_REPORT_PLAN_PLAN_TRIAL_H
/* What to try first, what has to come out, what came of it; and how levers did so far. */
#include "answer/plan/plan_outcome.h"
#include "answer/plan/plan_trial.h"
#include "report/plan/plan_view.h"

struct trial_view {
	const struct plan_view *plan;
	size_t rec; /* its place in the plan; SIZE_MAX: advice */
	const struct plan_trial *trial;
	const struct trial_result *result;
	const struct trial_record *kept; /* NULL: none came to anything before */
};
extern const struct col_doc plan_trial_doc, plan_trial_scores_doc;
void plan_print_trial(const struct trial_view *v, enum out_format f, struct str *out);
void plan_print_trial_scores(const struct trial_scores *s, const struct outcomes *o,
			     const struct out_as *as, struct str *out);
#endif
