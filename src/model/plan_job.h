#ifndef TARE_MODEL_PLAN_JOB_H
#define TARE_MODEL_PLAN_JOB_H
/* A job of a list beside a store, as feed/planner/plan_csv.h reads it. */
#include <stdbool.h>
#include <stdint.h>
#include "base/mem.h"

struct plan_job {
	/* submit: when it was asked for, the start where the list does not tell; start: when it
	 * ran, the submit where the list does not tell */
	int64_t submit_ms, start_ms, length_ms;
	int64_t deadline_ms; /* UNKNOWN_MS */
	double units;        /* a part of a GPU too */
	double egress_gb;    /* NAN */
	int preemptible;     /* 1, 0, -1 not said */
	const char *id, *team, *model;
	int64_t line;
};
/* The units of a job where only whole machines are given out: rounded up, which adds to rounded
 * where it is not the same. */
static inline int64_t plan_job_whole_units(const struct plan_job *j, int64_t *rounded)
{
	int64_t whole = (int64_t)j->units;
	bool part = (double)whole < j->units;
	*rounded += part;
	return whole + part;
}
struct plan_jobs {
	VEC(struct plan_job) v;
	struct intern text;
};
#endif
