#ifndef TARE_PLAN_REPLAY_CALENDAR_H
#define TARE_PLAN_REPLAY_CALENDAR_H
/* When the items of a plan are worked on: the arithmetic that target.c shares with
 * plan_calendar(). */
#include "plan/plan.h"

struct calendar_item {
	int team;              /* equal numbers: one after the other */
	double effort, within; /* days */
	const size_t *need;    /* [nneed] items before it that must be in force first */
	size_t nneed;
};
struct calendar {
	struct arena mem;
	struct calendar_item *v; /* [n] in the order of the plan */
	size_t n;
};
void calendar_read(const struct plan *p, struct calendar *ret);
void calendar_free(struct calendar *c);
/*
 * Start and end of each item that is in (in [n], NULL: all), in days from today; start and done
 * [n], of the others left as they are. Returns the last day.
 */
double calendar_lay(const struct calendar *c, const bool *in, double *start, double *done);

#endif
