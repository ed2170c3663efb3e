/* See arrivals.h. */
#include "feed/planner/arrivals.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tab.h"
#include "base/tm.h"

#define MAX_ROWS 2000000

/* What tm_parse() cuts: the digits of a fraction behind the third. */
static double below_ms(struct sv v)
{
	double place = 0.1, sum = 0;
	size_t i = 0;

	while (i < v.n && v.p[i] != '.')
		i++;
	for (i += 4; i < v.n && v.p[i] >= '0' && v.p[i] <= '9'; i++, place /= 10)
		sum += place * (v.p[i] - '0');
	return sum;
}

/* origin_ms: taken off instants, so that what is below a millisecond is not lost; UNKNOWN: set. */
static int read_time(struct sv v, int64_t *origin_ms, double *ret)
{
	int64_t ms;

	if (sv_f64(v, ret) >= 0) {
		*ret *= 1000;
		if (fabs(*ret) < 1e15)
			return 0;
		return -ERANGE;
	}
	if (tm_parse(v, 0, &ms) < 0)
		return -EINVAL;
	if (*origin_ms == INT64_MIN)
		*origin_ms = ms;
	*ret = (double)(ms - *origin_ms) + below_ms(v);
	return 0;
}

/* A row of an access log in minutes is many requests at times that nobody knows. */
static int one_request(const struct tab *t, int count, const struct sv *cell, struct err *err)
{
	double n = 1;

	if (count < 0 || !sv_trim(cell[count]).n)
		return 0;
	if (sv_f64(sv_trim(cell[count]), &n) >= 0 && n == 1)
		return 0;
	err_set(err, -EINVAL, "line %lld, column %.*s: '%.*s' requests in one row",
		(long long)t->line, SVF(t->col[count]), SVF(cell[count]));
	err_hint(err, "A trace has a row per request with its own time; for sums by the minute "
		      "give the busiest minute's rate with --qps");
	return -EINVAL;
}

static int read_rows(struct tab *t, int col, struct arrivals *ret, struct err *err)
{
	static const char *const kind[] = { "seconds", "an instant" };
	const struct sv *cell;
	int64_t origin_ms = INT64_MIN;
	int count = tab_col(t, "count"), r;
	bool first_is_instant = false;

	while ((r = tab_next(t, &cell, err)) == 1) {
		double ms, number;
		struct sv at = sv_trim(cell[col]);
		bool is_instant = sv_f64(at, &number) < 0;
		if (read_time(at, &origin_ms, &ms) < 0) {
			if (at.n)
				err_set(err, -EINVAL,
					"line %lld, column %.*s: '%.*s' is not a time",
					(long long)t->line, SVF(t->col[col]), SVF(at));
			else
				err_set(err, -EINVAL, "line %lld, column %.*s: empty",
					(long long)t->line, SVF(t->col[col]));
			err_hint(err, "Write seconds (12.0347) or an instant "
				      "(2026-11-16T18:17:03Z), or leave the line out");
			return -EINVAL;
		}
		/* in one kind: seconds from anywhere and instants have no common beginning */
		if (!ret->t_ms.n)
			first_is_instant = is_instant;
		if (is_instant != first_is_instant) {
			err_set(err, -EINVAL,
				"line %lld, column %.*s: %s, where the first row has %s",
				(long long)t->line, SVF(t->col[col]), kind[is_instant],
				kind[first_is_instant]);
			err_hint(err, "Write all times of the column in one way");
			return -EINVAL;
		}
		int bad = one_request(t, count, cell, err);
		if (bad)
			return bad;
		if (ret->t_ms.n == MAX_ROWS) {
			err_set(err, -E2BIG, "more than %d requests", MAX_ROWS);
			err_hint(err, "cut the busiest hours out of it");
			return -E2BIG;
		}
		*vec_push(&ret->t_ms) = ms;
	}
	if (r == 0 && !ret->t_ms.n) {
		err_set(err, -ENODATA, "no rows: a trace has a row per request");
		err_hint(err, "Without a trace leave --requests out: bursts are replayed then");
		return -ENODATA;
	}
	return r;
}

static int find_col(struct tab *t, struct err *err)
{
	static const char *const name[] = { "time",    "timestamp",    "timestamp_anon",
					    "arrival", "arrival_time", "arrived_at",
					    "t" };
	int col = -1;

	for (size_t i = 0; i < sizeof name / sizeof *name && col < 0; i++)
		col = tab_col(t, name[i]);
	if (col >= 0)
		return col;
	struct str has = { 0 };
	for (size_t i = 0; i < t->ncol && has.n < 80; i++)
		str_addf(&has, "%s%.*s", text_if(i, ", "), SVF(t->col[i]));
	err_set(err, -EINVAL, "no column 'time' in the header: %s", str_z(&has));
	err_hint(
		err,
		"A trace is a CSV with a row per request and its time (or timestamp, arrival, t): seconds or an instant");
	str_free(&has);
	return -EINVAL;
}

int arrivals_read(struct input *in, struct arrivals *ret, struct err *err)
{
	struct tab_csv_opt o = { .max_row_bytes = 65536 };
	struct tab *t;
	int r;

	memset(ret, 0, sizeof *ret);
	if ((r = tab_csv_open(in, &o, &t, err)) < 0)
		return r;
	r = find_col(t, err);
	if (r >= 0)
		r = read_rows(t, r, ret, err);
	tab_close(t);
	if (r < 0) {
		err_prefix(err, "'%s'", input_name(in));
		arrivals_free(ret);
		return r;
	}
	/* in order and from 0 */
	bool sorted = true;
	for (size_t i = 1; i < ret->t_ms.n && sorted; i++)
		sorted = ret->t_ms.v[i - 1] <= ret->t_ms.v[i];
	if (!sorted)
		sort_items(ret->t_ms.v, ret->t_ms.n, sizeof *ret->t_ms.v, rising_double);
	double first = ret->t_ms.v[0];
	for (size_t i = 0; i < ret->t_ms.n; i++)
		ret->t_ms.v[i] -= first;
	return 0;
}

void arrivals_free(struct arrivals *a)
{
	vec_free(&a->t_ms);
}
