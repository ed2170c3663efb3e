#include "answer/plan_demand.h"

#include <errno.h>
#include <math.h>

#include "base/tm.h"

static int jobs_demand(const struct plan_jobs *j, size_t hours, struct demand *ret, struct err *err)
{
	struct demand_job *d = xmalloc(j->v.n * sizeof *d);
	for (size_t i = 0; i < j->v.n; i++)
		d[i] = (struct demand_job){ j->v.v[i].start_ms, j->v.v[i].length_ms,
					    j->v.v[i].units };
	int r = demand_of_jobs(j->v.n, d, hours, ret, err);
	free(d);
	return r;
}

int plan_demand_of_jobs(const char *path, size_t hours, struct demand *ret, struct err *err)
{
	struct input *in = NULL;
	struct plan_jobs j;
	int r = input_open(path, &in, err);
	if (r < 0)
		return r;
	r = plan_jobs_read(in, &j, err);
	if (r >= 0) {
		r = jobs_demand(&j, hours, ret, err);
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

int plan_demand_of_series(const char *path, bool gaps, struct demand *ret, struct err *err)
{
	struct plan_series s;
	int r = plan_series_of(path, &s, err);
	if (r < 0)
		return r;
	r = demand_init(ret, s.from_ms, s.n, err);
	for (size_t i = 0; i < s.n && r >= 0; i++) {
		char t[TM_BUF];
		ret->units[i] = isnan(s.v[i]) ? -1 : (int64_t)ceil(s.v[i]);
		if (ret->units[i] < 0 && !gaps) {
			r = err_set(err, -ENODATA, "'%s': no units are known for the hour %s", path,
				    tm_format(t, s.from_ms + (int64_t)i * MS_HOUR));
			err_hint(err, "give every hour a row; write 0 where there was no demand");
			demand_free(ret);
		}
	}
	plan_series_free(&s);
	return r;
}
