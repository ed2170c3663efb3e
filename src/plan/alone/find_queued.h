#ifndef TARE_PLAN_ALONE_FIND_QUEUED_H
#define TARE_PLAN_ALONE_FIND_QUEUED_H
/*
 * What idle GPUs kept others from doing: GPU time that idled while a job that would have fitted on
 * it waited, by who held it. From the job list (submission, start, end, machine) and the ledger's
 * idle hours; a lower bound, see find_queued.c.
 */
#include "plan/plan.h"

/* Adds plan_queued rows and plan_waited jobs to the plan, and notes on what was not looked at.
 * O(events x (waiting jobs + shapes of jobs x machines that idle)) within a cluster and model. */
void find_queued(const struct fleet *f, struct plan *p);
#endif
