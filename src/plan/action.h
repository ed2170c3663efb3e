#ifndef TARE_PLAN_ACTION_H
#define TARE_PLAN_ACTION_H
/* Actions (model/action.h) against the works of a fleet: what has no action saves nothing, so each
 * work that a recommendation changes must be meant by one of its actions. */
#include "plan/lever/lever.h"

/* Would a submission like this work be one of these, by what is known when it is made; GPUs are
 * those that it asked for. Script and image are in no job list yet: a habit with one matches
 * nothing. */
bool habit_matches(const struct habit *h, const struct workload *w);
/* Is this action about this work: its submission, its service, its machine, its line of the bill.
 * after: how it is run once the recommendation is taken. */
bool action_means(const struct action *a, const struct workload *w, const struct use *after);
#endif
