/* See points.h. */
#include <errno.h>
#include "base/num.h"
#include "base/tab.h"
#include "base/tm.h"
#include "feed/planner/points.h"

#define MAX_ROWS 50000000

static int first_col(const struct tab *t, const char *const *name)
{
	int c = -1;
	for (; *name && c < 0; name++)
		c = tab_col(t, *name);
	return c;
}

struct columns {
	int time, value, who; /* -1: there is none */
};

static int read_rows(struct tab *t, struct columns col, struct intern *names, struct points *ret,
		     struct err *err)
{
	const struct sv *cell;
	int r;
	while ((r = tab_next(t, &cell, err)) == 1) {
		struct point p = { .who = POINT_NOBODY };
		struct sv at = sv_trim(cell[col.time]);
		if (tm_parse_number(at, 0, 1000, &p.t_ms) < 0 && tm_parse(at, 0, &p.t_ms) < 0)
			return err_set(err, -EINVAL, "line %lld, column %.*s: '%.*s' is not a time",
				       (long long)t->line, SVF(t->col[col.time]),
				       SVF(cell[col.time]));
		if (sv_f64(sv_trim(cell[col.value]), &p.value) < 0 ||
		    !(p.value >= 0 && p.value < 1e18))
			return err_set(
				err, -EINVAL,
				"line %lld, column value: '%.*s' is not a number of 0 or more",
				(long long)t->line, SVF(cell[col.value]));
		if (col.who >= 0 && sv_trim(cell[col.who]).n)
			p.who = intern_add(names, sv_trim(cell[col.who]));
		ret->nobody += p.who == POINT_NOBODY;
		if (ret->v.n == MAX_ROWS)
			return err_set(err, -E2BIG, "more than %d rows: cut the window", MAX_ROWS);
		*vec_push(&ret->v) = p;
	}
	if (r == 0 && !ret->v.n)
		return err_set(err, -ENODATA, "no rows");
	return r;
}

static bool is_before(const struct point *a, const struct point *b)
{
	if (a->t_ms != b->t_ms)
		return a->t_ms < b->t_ms;
	return a->who < b->who;
}

/* Merge sort from the bottom: equal keys keep their order, so equal files give equal replays. */
static void sort_points(struct points *p)
{
	struct point *from = p->v.v, *to = xmalloc((p->v.n + 1) * sizeof *to);
	size_t n = p->v.n;
	for (size_t w = 1; w < n; w *= 2) {
		for (size_t lo = 0; lo < n; lo += 2 * w) {
			size_t a = lo, mid = min_size(lo + w, n), b = mid,
			       hi = min_size(mid + w, n);
			for (size_t k = lo; k < hi; k++) {
				if (a < mid && (b >= hi || !is_before(&from[b], &from[a])))
					to[k] = from[a++];
				else
					to[k] = from[b++];
			}
		}
		struct point *t = from;
		from = to;
		to = t;
	}
	if (from != p->v.v)
		memcpy(p->v.v, from, n * sizeof *from);
	free(from == p->v.v ? to : from);
}

int points_read(struct input *in, struct intern *names, struct points *ret, struct err *err)
{
	static const char *const times[] = { "time", "timestamp", "timestamp_anon", NULL };
	static const char *const whos[] = { "container", "container_ip", "service",
					    "pod",       "job_id",       NULL };
	struct tab_csv_opt o = { .max_row_bytes = 65536 };
	struct tab *t;
	int r = tab_csv_open(in, &o, &t, err);
	memset(ret, 0, sizeof *ret);
	if (r < 0)
		return r;
	struct columns col = { first_col(t, times), tab_col(t, "value"), first_col(t, whos) };
	if (col.time < 0 || col.value < 0) {
		r = err_set(err, -EINVAL, "no column '%s'", col.time < 0 ? "time" : "value");
		err_hint(
			err,
			"a series has the columns time (or timestamp, timestamp_anon), value and container");
	} else {
		r = read_rows(t, col, names, ret, err);
	}
	tab_close(t);
	if (r < 0) {
		err_prefix(err, "'%s'", input_name(in));
		points_free(ret);
		return r;
	}
	sort_points(ret);
	return 0;
}

void points_free(struct points *p)
{
	vec_free(&p->v);
	p->nobody = 0;
}
