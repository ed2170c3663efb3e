#ifndef TARE_PLAN_LEVER_STOP_IDLE_H
#define TARE_PLAN_LEVER_STOP_IDLE_H
/* The parts of the lever stop_idle: machines (lever_stop_idle.c), works (lever_idle_workloads.c),
 * and what can only be told: room that is paid anyway, machines that nobody watched
 * (lever_idle_room.c). */
#include "plan/workload.h"

/* The recommendation with this tail among out [first..), or a new one with what most of them
 * have. */
struct rec *stop_idle_rec(const struct lever_in *in, struct rec_list *out, size_t first,
			  const char *tail);
/* The work costs this much from now on: it is gone, or off for the part of its time that is not
 * paid. */
void stop_idle_cost(const struct lever_in *in, struct rec *r, size_t workload, int64_t cost,
		    bool gone);
/* What is left of a use when `freed` of the work's money in the history goes; what an earlier
 * choice took already is scaled the same way. */
int64_t stop_idle_left(const struct workload *w, const struct use *u, int64_t freed);
/* of all workloads of a recommendation, in the history */
double stop_idle_gpu_hours(const struct fleet *f, const struct rec *r);
/* Append what can be stopped among jobs and services. */
void stop_idle_workloads(const struct lever_in *in, struct rec_list *out);
/* Advice about machines that are paid whoever uses them; notes about those that nobody watched. */
void stop_idle_room(const struct lever_in *in, struct rec_list *out);

#endif
