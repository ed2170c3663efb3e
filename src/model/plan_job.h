#ifndef TARE_MODEL_PLAN_JOB_H
#define TARE_MODEL_PLAN_JOB_H
/* A job of a list beside a store, as feed/plan_csv.h reads it. */
#include <stdint.h>
#include "base/mem.h"

struct plan_job {
	int64_t start_ms, length_ms;
	int64_t deadline_ms; /* UNKNOWN_MS */
	int64_t units;
	double egress_gb; /* NAN */
	int preemptible;  /* 1, 0, -1 not said */
	const char *id, *team, *model;
	int64_t line;
};
struct plan_jobs {
	VEC(struct plan_job) v;
	struct intern text;
};
#endif
