/* See spot_trace.h. */
#include "feed/planner/spot_trace.h"
#include <errno.h>
#include <math.h>
#include "base/num.h"
#include "base/str.h"
#include "base/tab.h"
#include "base/tm.h"

#define MAX_TICKS 200000000u

struct cols {
	int market, gap, bits, overhead, window, start, price;
};

static int tell_bad(const struct tab *t, int col, struct sv cell, const char *what, struct err *err)
{
	return err_set(err, -EINVAL, "line %lld, column %.*s: '%.*s' is %s", (long long)t->line,
		       SVF(t->col[col]), (int)min_size(cell.n, 40), text_or(cell.p, ""), what);
}

static int read_bits(const struct tab *t, int col, struct sv cell, struct arena *mem,
		     struct spot_trace *ret, struct err *err)
{
	bool *has = arena_alloc(mem, cell.n + 1);

	for (size_t i = 0; i < cell.n; i++) {
		if (cell.p[i] != '0' && cell.p[i] != '1')
			return tell_bad(t, col, cell, "not a row of 0 and 1", err);
		has[i] = cell.p[i] == '0';
	}
	ret->has_spot = has;
	ret->n = cell.n;
	if (cell.n)
		return 0;
	return tell_bad(t, col, cell, "empty", err);
}

/* "1.31x105 1.30x60": runs of a price and how many ticks it held; together as many as the row has
 * ticks. */
static int read_prices(const struct tab *t, int col, struct sv cell, struct arena *mem,
		       struct spot_trace *ret, struct err *err)
{
	double *usd = arena_alloc(mem, ret->n * sizeof *usd);
	struct sv rest = cell;
	size_t n = 0;

	while (rest.p) {
		struct sv ticks, one = sv_trim(sv_cut(rest, ' ', &rest)), price;
		int64_t k;
		double v;
		if (!one.n)
			continue;
		price = sv_cut(one, 'x', &ticks);
		bool read = ticks.p && sv_f64(price, &v) >= 0 && sv_i64(ticks, &k) >= 0;
		bool fits = read && k >= 1 && (size_t)k <= ret->n - n;
		if (!fits || !(v >= 0 && v < 1e9))
			return tell_bad(t, col, one,
					"not a price x ticks within the ticks of its row", err);
		for (size_t end = n + (size_t)k; n < end; n++)
			usd[n] = v;
	}
	ret->spot_usd_h = usd;
	if (n == ret->n)
		return 0;
	return tell_bad(t, col, cell, "of fewer ticks than its row", err);
}

static int read_row(const struct tab *t, const struct cols *c, const struct sv *cell,
		    struct spot_traces *out, struct err *err)
{
	struct spot_trace x = { .overhead_ms = -1, .window = -1, .start_ms = INT64_MIN };
	struct sv gap = sv_trim(cell[c->gap]);
	double v;

	if (sv_f64(gap, &v) < 0 || !(v >= 1 && v <= 86400))
		return tell_bad(t, c->gap, gap, "not a tick from 1 to 86400 s", err);
	x.gap_ms = llround(v * 1000);
	if (c->overhead >= 0) {
		struct sv o = sv_trim(cell[c->overhead]);
		if (sv_f64(o, &v) < 0 || !(v >= 0 && v <= 1000))
			return tell_bad(t, c->overhead, o, "not a number of hours from 0 to 1000",
					err);
		x.overhead_ms = llround(v * MS_HOUR);
	}
	x.market = arena_strn(&out->mem, text_or(cell[c->market].p, ""), cell[c->market].n);
	int r = read_bits(t, c->bits, sv_trim(cell[c->bits]), &out->mem, &x, err);
	if (r < 0)
		return r;
	if (c->window >= 0 && (sv_i64(sv_trim(cell[c->window]), &x.window) < 0 || x.window < 0))
		return tell_bad(t, c->window, cell[c->window], "not a number of a window", err);
	if (c->start >= 0 && tm_parse(sv_trim(cell[c->start]), 0, &x.start_ms) < 0)
		x.start_ms = INT64_MIN; /* some files number their starts */
	if (c->price >= 0)
		r = read_prices(t, c->price, sv_trim(cell[c->price]), &out->mem, &x, err);
	if (r >= 0)
		*vec_push(&out->v) = x;
	return r;
}

static int read_rows(struct tab *t, struct spot_traces *out, struct err *err)
{
	struct cols c = { tab_col(t, "env"),
			  tab_col(t, "gap_seconds"),
			  tab_col(t, "preempted_bits"),
			  tab_col(t, "restart_overhead_hours"),
			  tab_col(t, "window"),
			  tab_col(t, "start_time"),
			  tab_col(t, "spot_price_rle_usd_hour") };
	const struct sv *cell;
	size_t ticks = 0;
	int r;

	if (c.market < 0)
		c.market = tab_col(t, "zone_gpu");
	if (c.market < 0)
		c.market = tab_col(t, "market");
	if (c.market < 0 || c.gap < 0 || c.bits < 0) {
		const char *missing = "env";
		if (c.gap < 0)
			missing = "gap_seconds";
		else if (c.bits < 0)
			missing = "preempted_bits";
		err_set(err, -EINVAL, "no column '%s'", missing);
		err_hint(
			err,
			"a history of spot markets has the columns env, gap_seconds, preempted_bits and, for scenarios, restart_overhead_hours");
		return -EINVAL;
	}
	while ((r = tab_next(t, &cell, err)) == 1) {
		if ((r = read_row(t, &c, cell, out, err)) < 0)
			return r;
		ticks += out->v.v[out->v.n - 1].n;
		if (ticks > MAX_TICKS)
			return err_set(err, -E2BIG, "more than %u ticks: cut the file", MAX_TICKS);
	}
	if (r == 0 && !out->v.n)
		return err_set(err, -ENODATA, "no rows");
	return r;
}

int spot_traces_read(struct input *in, struct spot_traces *ret, struct err *err)
{
	struct tab_csv_opt o = { 0 };
	struct tab *t;
	int r = tab_csv_open(in, &o, &t, err);

	*ret = (struct spot_traces){ 0 };
	if (r >= 0) {
		r = read_rows(t, ret, err);
		tab_close(t);
	}
	if (r < 0) {
		err_prefix(err, "'%s'", input_name(in));
		spot_traces_free(ret);
	}
	return r;
}

int spot_traces_load(const char *path, struct spot_traces *ret, struct err *err)
{
	struct input *in;
	int r = input_open(path, &in, err);

	*ret = (struct spot_traces){ 0 };
	if (r < 0)
		return r;
	r = spot_traces_read(in, ret, err);
	input_close(in);
	return r;
}

void spot_traces_free(struct spot_traces *t)
{
	vec_free(&t->v);
	arena_free(&t->mem);
}
