#ifndef TARE_PLAN_LEVERS_H
#define TARE_PLAN_LEVERS_H
/* The propose functions behind the rows of levers.c, a file lever_<name>.c each; see lever.h for
 * their contract. */
#include "plan/alone/habits.h"
#include "plan/lever/lever.h"

#define LEVER_PROPOSE(name) \
	int lever_##name##_propose(const struct lever_in *in, struct rec_list *out, struct err *err)
LEVER_PROPOSE(stop_idle);
LEVER_PROPOSE(storage);
LEVER_PROPOSE(trim_time);
LEVER_PROPOSE(input_bound);
LEVER_PROPOSE(schedule);
LEVER_PROPOSE(share);
LEVER_PROPOSE(rightsize_count);
LEVER_PROPOSE(rightsize_gpu);
LEVER_PROPOSE(region);
LEVER_PROPOSE(spot);
LEVER_PROPOSE(commit);
LEVER_PROPOSE(advice);

void rec_free(struct rec *r); /* its lists; the rest is in an arena */
bool plan_rule_matches(const struct plan_rule *r, const struct work *w);
/* Deadlines as the settings want them (rules.c); after fleet_load(). */
void plan_apply_rules(const struct plan_conf *c, struct fleet *f);
#endif
