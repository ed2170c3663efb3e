#ifndef TARE_PLAN_LEVERS_H
#define TARE_PLAN_LEVERS_H
/* The propose functions behind the rows of levers.def, a file lever_<name>.c each (see lever.h for
 * their contract), and the rules of the settings. */
#include "plan/alone/habits.h"
#include "plan/lever/lever.h"

#define LEVER(id, name, stage, excludes, has, text)                                 \
	int lever_##name##_propose(const struct lever_in *in, struct rec_list *out, \
				   struct err *err);
#include "plan/levers.def"
#undef LEVER

void rec_free(struct rec *r); /* its lists; the rest is in an arena */
/* All of r->when hold: a field that the work does not have matches no glob. A rule without any
 * matches nothing. */
bool plan_rule_matches(const struct plan_rule *r, const struct workload *w);
/* Deadlines as the settings want them (rules.c); after fleet_load(). */
void plan_apply_rules(const struct plan_conf *c, struct fleet *f);
#endif
