/* See demand.h: a difference array, one entry up where a job begins and one down behind its last
 * hour. */
#include <errno.h>
#include <math.h>
#include "base/mem.h"
#include "base/num.h"
#include "base/tm.h"
#include "opt/capacity/demand.h"

int demand_init(struct demand *d, int64_t from_ms, size_t n, struct err *err)
{
	if (!n || n > DEMAND_MAX_HOURS)
		return err_set(err, -EINVAL, "demand over %zu hours: 1 to %d can be held", n,
			       DEMAND_MAX_HOURS);
	*d = (struct demand){ .from_ms = from_ms,
			      .n = n,
			      .units = xcalloc(n + 1, sizeof *d->units) };
	return 0;
}

int demand_add(struct demand *d, const struct demand_job *j, struct err *err)
{
	const int64_t far = (int64_t)1 << 60;
	if (j->length_ms < 0 || !within_double(j->units, 0, 1e9) || j->length_ms > far ||
	    !within_i64(j->start_ms, -far, far))
		return err_set(err, -EINVAL, "job %lld: a length and 0 to 10^9 units are wanted",
			       (long long)d->jobs + 1);
	int64_t first = tm_floor(j->start_ms - d->from_ms, MS_HOUR) / MS_HOUR;
	int64_t end = tm_floor(j->start_ms + j->length_ms - d->from_ms + MS_HOUR - 1, MS_HOUR) /
		      MS_HOUR;
	if (end <= first)
		end = first + 1;
	d->jobs++;
	if (end <= 0 || first >= (int64_t)d->n) {
		d->outside++;
		return 0;
	}
	d->units[max_i64(first, 0)] += j->units;
	d->units[min_i64(end, (int64_t)d->n)] -= j->units;
	return 0;
}

void demand_close(struct demand *d)
{
	double now = 0;
	for (size_t i = 0; i < d->n; i++) {
		now += d->units[i];
		d->units[i] = fabs(round(now * 1e6) / 1e6);
	}
}

void demand_free(struct demand *d)
{
	free(d->units);
	*d = (struct demand){ 0 };
}

int demand_of_jobs(size_t njob, const struct demand_job *job, size_t n, struct demand *ret,
		   struct err *err)
{
	int64_t first = INT64_MAX, last = INT64_MIN;
	for (size_t i = 0; i < njob; i++) {
		first = min_i64(job[i].start_ms, first);
		last = max_i64(job[i].start_ms, last);
	}
	if (!njob)
		return err_set(err, -ENODATA, "no job, so no demand");
	if (first < -((int64_t)1 << 60) || last > ((int64_t)1 << 60))
		return err_set(err, -EINVAL, "a job starts outside of any calendar");
	int r = demand_init(ret, first, n ? n : (size_t)((last - first) / MS_HOUR) + 1, err);
	for (size_t i = 0; i < njob && r >= 0; i++)
		r = demand_add(ret, &job[i], err);
	if (r < 0)
		demand_free(ret);
	else
		demand_close(ret);
	return r;
}
