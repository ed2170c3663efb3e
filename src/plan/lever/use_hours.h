#ifndef TARE_PLAN_LEVER_USE_HOURS_H
#define TARE_PLAN_LEVER_USE_HOURS_H
/* In which hours of the week works are used that are held day and night; in words. Pure. */
#include "opt/schedule/schedule.h"
#include "plan/fleet/fleet.h"

struct use_hours {
	/* hours of workloads, UTC, 0 = Monday 00:00: known, and of these with use */
	int64_t known[WEEK_HOURS], used[WEEK_HOURS];
};

/* Adds a workload's hours. Use is what the lever schedule takes for it: workload_hour_use().
 * O(hours). */
void use_hours_add(struct use_hours *u, const struct fleet *f, const struct workload *w);
/* Of the known hours those with use; NAN where none is known. */
double use_hours_frac(const struct use_hours *u);
/*
 * "6 h a day, mostly 10:00-16:00 UTC on working days": the shortest interval of the day with nine
 * tenths of the use; where it is longer than half a day, "at no fixed hours". In arena a.
 */
const char *use_hours_text(struct arena *a, const struct use_hours *u);
/*
 * Part of its known hours in which a workload was used that is held day and night: a week or
 * longer, read over WORKLOAD_COVERED_FRAC of it, used in at most a third of them. A development
 * box, a notebook that stays open, a quiet service. NAN: it is none.
 */
double always_on_use_frac(const struct fleet *f, const struct workload *w);
#endif
