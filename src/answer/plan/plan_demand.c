/* Files of jobs and of demand, read for the planners; see plan_demand.h. */
#include "answer/plan/plan_demand.h"

int plan_demand_of_jobs(const char *path, size_t hours, struct demand *ret, struct err *err)
{
	struct input *in = NULL;
	struct plan_jobs jobs;
	int r = input_open(path, &in, err);
	if (r < 0)
		return r;
	r = plan_jobs_read(in, &jobs, err);
	if (r >= 0) {
		size_t n = jobs.v.n;
		struct demand_job *d = xmalloc(n * sizeof *d);
		for (size_t i = 0; i < n; i++) {
			const struct plan_job *j = &jobs.v.v[i];
			d[i] = (struct demand_job){ j->start_ms, j->length_ms, j->units };
		}
		r = demand_of_jobs(n, d, hours, ret, err);
		free(d);
		if (r < 0)
			err_prefix(err, "'%s': ", path);
		plan_jobs_free(&jobs);
	}
	input_close(in);
	return r;
}

int plan_series_of(const char *path, struct plan_series *ret, struct err *err)
{
	struct input *in = NULL;
	int r = input_open(path, &in, err);
	if (r < 0)
		return r;
	r = plan_series_read(in, ret, err);
	input_close(in);
	return r;
}
