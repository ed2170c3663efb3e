/* See migprof.h. */
#include <errno.h>
#include <math.h>
#include "base/tab.h"
#include "feed/planner/migprof.h"

#define MAX_ROWS 200000 /* 11 published models have 225 rows each */

static int cell_number(struct tab *t, const struct sv *cells, int col, const double range[2],
		       double *ret, struct err *err)
{
	const struct sv cell = cells[col];
	const double lo = range[0], hi = range[1];

	if (sv_f64(sv_trim(cell), ret) < 0 || !(*ret >= lo && *ret <= hi))
		return err_set(err, -EINVAL,
			       "line %lld, column %.*s: '%.*s' is not a number from %g to %g",
			       (long long)t->line, SVF(t->col[col]), SVF(cell), lo, hi);
	return 0;
}

static int find_col(struct tab *t, const char *const *name, struct err *err)
{
	for (const char *const *n = name; *n; n++) {
		int c = tab_col(t, *n);
		if (c >= 0)
			return c;
	}
	err_set(err, -EINVAL, "no column '%s'", name[0]);
	err_hint(
		err,
		"a profile has Mig instance, Batch size, Workload Number, Throughput, Latency (s), or slices, batch, procs, throughput, latency_ms");
	return -EINVAL;
}

static int read_rows(struct tab *t, const int *col, double to_ms, struct migprof *ret,
		     struct err *err)
{
	const struct sv *cell;
	int r;
	while ((r = tab_next(t, &cell, err)) == 1) {
		static const double hi[5] = { 64, 65536, 65536, 1e12, 1e9 };
		double v[5];
		for (int i = 0; i < 5; i++)
			if ((r = cell_number(t, cell, col[i], (const double[]){ i < 3, hi[i] },
					     &v[i], err)) < 0)
				return r;
		if (v[0] != floor(v[0]) || v[1] != floor(v[1]) || v[2] != floor(v[2]))
			return err_set(err, -EINVAL,
				       "line %lld: slices, batch and processes are whole numbers",
				       (long long)t->line);
		if (ret->row.n == MAX_ROWS)
			return err_set(err, -E2BIG, "more than %d rows are no profile of a service",
				       MAX_ROWS);
		*vec_push(&ret->row) = (struct migprof_row){ (int)v[0], (int)v[1], (int)v[2], v[3],
							     v[4] * to_ms };
	}
	if (r == 0 && !ret->row.n)
		return err_set(err, -ENODATA, "no rows: a profile needs at least one measurement");
	return r;
}

int migprof_read(struct input *in, struct migprof *ret, struct err *err)
{
	static const char *const name[5][4] = { { "Mig instance", "slices", NULL },
						{ "Batch size", "batch", NULL },
						{ "Workload Number", "procs", NULL },
						{ "Throughput", "throughput", NULL },
						{ "Latency", "latency_ms", NULL } };
	struct tab_csv_opt o = { .max_row_bytes = 65536 };
	struct tab *t;
	int col[5], r;
	memset(ret, 0, sizeof *ret);
	if ((r = tab_csv_open(in, &o, &t, err)) < 0)
		return r;
	for (int i = 0; i < 5 && r >= 0; i++)
		r = col[i] = find_col(t, name[i], err);
	if (r >= 0)
		r = read_rows(t, col, sv_ieq(t->col[col[4]], SV("latency_ms")) ? 1 : 1000, ret,
			      err);
	tab_close(t);
	if (r < 0) {
		err_prefix(err, "'%s'", input_name(in));
		migprof_free(ret);
	}
	if (r < 0)
		return r;
	return 0;
}

void migprof_free(struct migprof *p)
{
	vec_free(&p->row);
}

static bool is_not_used(struct sv cell)
{
	if (!cell.n || sv_ieq(cell, SV("N/A")))
		return true;
	return sv_ieq(cell, SV("NA")) || sv_is(cell, "-");
}

static int tab_cell(struct tab *t, struct sv cell, size_t col, double *ret, struct err *err)
{
	cell = sv_trim(cell);
	*ret = NAN;
	if (is_not_used(cell))
		return 0;
	if (sv_f64(cell, ret) < 0 || !(*ret >= 0 && *ret <= 1e12))
		return err_set(err, -EINVAL,
			       "line %lld, column %zu: '%.*s' is neither a number nor N/A",
			       (long long)t->line, col + 1, SVF(cell));
	return 0;
}

/* 1: the line was a header, all of whose cells are words, and is taken, 0: it is none. */
static int take_header(struct tab *t, const struct sv *cell, struct migtab *ret, struct err *err)
{
	size_t words = 0;
	double v;

	for (size_t i = 0; i < t->ncol; i++)
		words += !is_not_used(sv_trim(cell[i])) && sv_f64(sv_trim(cell[i]), &v) < 0;
	if (!words)
		return 0;
	if (words < t->ncol)
		return err_set(
			err, -EINVAL,
			"line %lld: some columns have a name and others none: a header names every column, numbers and N/A are a scenario",
			(long long)t->line);
	ret->name = xcalloc(t->ncol, sizeof *ret->name);
	for (size_t i = 0; i < t->ncol; i++) {
		struct sv name = sv_trim(cell[i]);
		ret->name[i] = xstrndup(name.p, name.n);
	}
	return 1;
}

int migtab_read(struct input *in, struct migtab *ret, struct err *err)
{
	struct tab_csv_opt o = { .no_header = true, .max_row_bytes = 65536, .sep = ',' };
	VEC(double) v = { 0 };
	const struct sv *cell;
	struct tab *t;
	int r;
	memset(ret, 0, sizeof *ret);
	if ((r = tab_csv_open(in, &o, &t, err)) < 0)
		return r;
	ret->ncol = t->ncol;
	for (bool first = true; (r = tab_next(t, &cell, err)) == 1; first = false) {
		int header = 0;
		if (first)
			header = take_header(t, cell, ret, err);
		if (header == 1)
			continue;
		r = header;
		for (size_t i = 0; i < t->ncol && r >= 0; i++)
			r = tab_cell(t, cell[i], i, vec_push(&v), err);
		if (r >= 0 && ++ret->nrow > 10000)
			r = err_set(err, -E2BIG, "more than 10,000 scenarios");
		if (r < 0)
			break;
	}
	tab_close(t);
	if (r == 0 && !ret->nrow)
		r = err_set(err, -ENODATA,
			    "no rows: a table has a row per scenario and a column per service");
	ret->v = v.v;
	if (r < 0) {
		err_prefix(err, "'%s'", input_name(in));
		migtab_free(ret);
	}
	if (r < 0)
		return r;
	return 0;
}

void migtab_free(struct migtab *t)
{
	for (size_t i = 0; t->name && i < t->ncol; i++)
		free(t->name[i]);
	free(t->name);
	free(t->v);
	memset(t, 0, sizeof *t);
}

/* ---- a layout ---------------------------------------------------------------------------- */

enum { RUN_GPU, RUN_START, RUN_PROFILE, RUN_SERVICE, RUN_N };

static int read_running(struct tab *t, const int *col, struct mig_running *ret, struct err *err)
{
	const struct sv *cell;
	int r;

	while ((r = tab_next(t, &cell, err)) == 1) {
		struct sv profile = sv_trim(cell[col[RUN_PROFILE]]),
			  service = sv_trim(cell[col[RUN_SERVICE]]);
		double gpu, start;
		if ((r = cell_number(t, cell, col[RUN_GPU], (const double[]){ 0, 4095 }, &gpu,
				     err)) < 0 ||
		    (r = cell_number(t, cell, col[RUN_START], (const double[]){ 0, 15 }, &start,
				     err)) < 0)
			return r;
		if (gpu != floor(gpu) || start != floor(start))
			return err_set(err, -EINVAL, "line %lld: gpu and start are whole numbers",
				       (long long)t->line);
		if (!profile.n || !service.n)
			return err_set(err, -EINVAL, "line %lld: no %s", (long long)t->line,
				       profile.n ? "service" : "profile");
		if (ret->row.n == MAX_ROWS)
			return err_set(err, -E2BIG, "more than %d instances", MAX_ROWS);
		*vec_push(&ret->row) = (struct mig_running_row){ t->line, (int)gpu, (int)start,
								 xstrndup(profile.p, profile.n),
								 xstrndup(service.p, service.n) };
	}
	if (r == 0 && !ret->row.n)
		return err_set(err, -ENODATA, "no rows: a layout has a row per instance");
	return r;
}

int mig_running_read(struct input *in, struct mig_running *ret, struct err *err)
{
	static const char *const name[RUN_N] = { "gpu", "start", "profile", "service" };
	struct tab_csv_opt o = { .max_row_bytes = 65536 };
	struct tab *t;
	int col[RUN_N], r;

	memset(ret, 0, sizeof *ret);
	if ((r = tab_csv_open(in, &o, &t, err)) < 0)
		return r;
	for (int i = 0; i < RUN_N && r >= 0; i++)
		if ((col[i] = tab_col(t, name[i])) < 0) {
			r = err_set(err, -EINVAL, "no column '%s'", name[i]);
			err_hint(
				err,
				"a layout has the columns gpu, start, profile, service: what tare plan mig --scenario N -o csv prints");
		}
	if (r >= 0)
		r = read_running(t, col, ret, err);
	tab_close(t);
	if (r < 0) {
		err_prefix(err, "'%s'", input_name(in));
		mig_running_free(ret);
	}
	if (r < 0)
		return r;
	return 0;
}

void mig_running_free(struct mig_running *r)
{
	for (size_t i = 0; i < r->row.n; i++) {
		free(r->row.v[i].profile);
		free(r->row.v[i].service);
	}
	vec_free(&r->row);
}
