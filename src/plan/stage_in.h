#ifndef TARE_PLAN_STAGE_IN_H
#define TARE_PLAN_STAGE_IN_H
/* What the two files of a stage share: stage.c asks the levers, chooses and applies,
 * stage_why.c sees what may not be. Nobody else includes it. */
#include "plan/replay/compose.h"

struct cand {
	struct rec *r;
	int lever;
	int64_t *base; /* [change.n] cost of each changed work before it, its needs applied */
	int64_t gain;
	struct spread spread;
	bool needed;     /* another proposal of the stage needs it */
	const char *why; /* not to be taken; NULL = may be */
	bool may_come;   /* that is for its risk or work alone: people may take it up later */
};
struct stage {
	struct composer *cp;
	struct comp *c;
	VEC(struct cand) cand;
	VEC(uint32_t) edge, need; /* pairs */
};

bool stage_listed(const char *id, const char *const *list, size_t n);
/* Why it may not be taken, whatever the others are; NULL = it may. Drops the changes of workloads
 * that another lever excludes. */
const char *stage_why_not(const struct composer *cp, const struct comp *c, struct cand *x);
/* The rule of lever.h, by its replay and spread. */
enum risk stage_risk(const struct composer *cp, const struct comp *c, const struct cand *x);
#endif
