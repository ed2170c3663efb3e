#include "answer/plan/plan_demand.h"

int plan_demand_of_jobs(const char *path, size_t hours, struct demand *ret, struct err *err)
{
	struct input *in = NULL;
	struct plan_jobs j;
	int r = input_open(path, &in, err);
	if (r < 0)
		return r;
	r = plan_jobs_read(in, &j, err);
	if (r >= 0) {
		struct demand_job *d = xmalloc(j.v.n * sizeof *d);
		for (size_t i = 0; i < j.v.n; i++)
			d[i] = (struct demand_job){ j.v.v[i].start_ms, j.v.v[i].length_ms,
						    j.v.v[i].units };
		r = demand_of_jobs(j.v.n, d, hours, ret, err);
		free(d);
		if (r < 0)
			err_prefix(err, "'%s': ", path);
		plan_jobs_free(&j);
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
