#include "answer/plan/plan_forecast.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/plan/plan_demand.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/tm.h"

/* The first four weeks train the weights; they are not counted where a history is long enough to
 * spare them. */
#define TRAIN_HOURS 672
#define MAX_SERIES  20000
/* In a back-test of some weeks a twentieth is no difference. */
#define WORSE      1.05
#define RATE_HOURS 168 /* of the newest of which units are priced */

struct paid { /* for a series: in all hours and in the newest; what has no price costs nothing */
	double priced_ms;
	double nano, ms, late_nano, late_ms;
};

struct build {
	const struct forecast_ask *q;
	struct forecast_answer *a;
	VEC(struct forecast_series) series;
	VEC(struct paid) paid; /* [series.n] of the ledger's */
	VEC(const struct forecast_planned *) outside;
};

int64_t forecast_start_ms(const struct forecast_answer *a)
{
	return a->from_ms + (int64_t)a->n * MS_HOUR;
}

/* ---- what is planned --------------------------------------------------------------------- */

static struct forecast_series *series_add(struct build *b, const char *team, const char *model)
{
	struct forecast_series *s = vec_push(&b->series);
	*s = (struct forecast_series){ .team = team, .model = model, .unit_hour = NAN };
	*vec_push(&b->paid) = (struct paid){ 0 };
	s->y = xmalloc((b->a->n + 1) * sizeof *s->y);
	s->planned = xcalloc(b->a->horizon, sizeof *s->planned);
	return s;
}

static void lay_all(struct build *b)
{
	int64_t end = forecast_start_ms(b->a) + (int64_t)b->a->horizon * MS_HOUR;
	for (size_t i = 0; i < b->q->nplanned; i++) {
		const struct forecast_planned *p = &b->q->planned[i];
		struct forecast_series *s = NULL;
		for (size_t k = 0; k < b->series.n && !s; k++) {
			struct forecast_series *x = &b->series.v[k];
			if (!x->team || (!strcmp(x->team, p->team) && !strcmp(x->model, p->model)))
				s = x;
		}
		if (p->to_ms <= forecast_start_ms(b->a) || p->from_ms >= end) {
			*vec_push(&b->outside) = p;
			continue;
		}
		if (!s) {
			s = series_add(b, p->team, p->model);
			for (size_t k = 0; k < b->a->n; k++)
				/* a team that is not in the ledger: nothing is known of it but its
				 * plan */
				s->y[k] = NAN;
		}

		/* GPUs of the plan in each hour ahead; part of an hour counts as its part. */
		for (size_t k = 0; k < b->a->horizon; k++) {
			int64_t h = forecast_start_ms(b->a) + (int64_t)k * MS_HOUR,
				from = max_i64(p->from_ms, h), to = min_i64(p->to_ms, h + MS_HOUR);
			if (to > from)
				s->planned[k] += p->units * (double)(to - from) / (double)MS_HOUR;
			s->planned_max = fmax(s->planned_max, s->planned[k]);
		}
	}
}

/* ---- history ----------------------------------------------------------------------------- */

static int from_file(struct build *b, struct err *err)
{
	if (b->q->jobs) {
		struct demand d;
		int r = plan_demand_of_jobs(b->q->file, b->q->hours, &d, err);

		if (r < 0)
			return r;
		b->a->from_ms = d.from_ms;
		b->a->n = d.n;
		memcpy(series_add(b, NULL, NULL)->y, d.units, d.n * sizeof *d.units);
		demand_free(&d);
		return 0;
	}

	struct plan_series s;
	int r = plan_series_of(b->q->file, &s, err);

	if (r < 0)
		return r;
	b->a->from_ms = s.from_ms;
	b->a->n = b->q->hours && b->q->hours < s.n ? b->q->hours : s.n;
	memcpy(series_add(b, NULL, NULL)->y, s.v, b->a->n * sizeof *s.v);
	plan_series_free(&s);
	return 0;
}

/*
 * Machines of a model in a cluster. What nobody held nor watched is a gap in what is known, no
 * demand, where other hours of the pool are watched: before a job list begins, after it ends.
 * Where no hour is, or the same machines never are, it counts as held by nobody known.
 */
struct pool {
	const char *cluster, *model;
	int64_t *ms, *unwatched_ms; /* [n] by the hour */
	bool seen_whole;            /* some hour of it is watched in whole */
	size_t gaps;
	bool *gap;        /* [n] */
	VEC(uint32_t) of; /* series with use in it */
};
enum { BY_TEAM, BY_MODEL, BY_CLUSTER, BY_HOUR, BY_N };
#define GAP_FRAC 0.1 /* less is a machine that started or ended within the hour */

struct held {
	struct intern pool_key, series_key;
	VEC(struct pool) pool;
	bool *known; /* [n] hours in which the ledger knows anything */
};

/* Its hour; false: it is of no hour of the history. */
static bool hour_of(const struct build *b, const struct ledger_row *row, size_t *ret)
{
	int64_t t;

	if (!row->is_gpu || tm_parse(row->dim[BY_HOUR], 0, &t) < 0)
		return false;
	if (t < b->a->from_ms || t >= forecast_start_ms(b->a))
		return false;
	*ret = (size_t)((t - b->a->from_ms) / MS_HOUR);
	return true;
}

static struct pool *pool_of(const struct build *b, struct held *d, const struct ledger_row *row)
{
	struct str k = { 0 };
	size_t n = b->a->n + 1;

	str_addf(&k, "%.*s\n%.*s", SVF(row->dim[BY_CLUSTER]), SVF(row->dim[BY_MODEL]));
	uint32_t id = intern_add(&d->pool_key, str_sv(&k));
	str_free(&k);
	if (id == d->pool.n)
		*vec_push(&d->pool) = (struct pool){
			.cluster = arena_printf(b->q->ask.mem, "%.*s", SVF(row->dim[BY_CLUSTER])),
			.model = arena_printf(b->q->ask.mem, "%.*s", SVF(row->dim[BY_MODEL])),
			.ms = xcalloc(n, sizeof(int64_t)),
			.unwatched_ms = xcalloc(n, sizeof(int64_t)),
			.gap = xcalloc(n, sizeof(bool)),
		};
	return &d->pool.v[id];
}

static double unwatched_frac(const struct pool *p, size_t h)
{
	return (double)p->unwatched_ms[h] / (double)p->ms[h];
}

static void find_gaps(struct pool *p, size_t n)
{
	double least = 1;

	for (size_t h = 0; h < n; h++)
		if (p->ms[h] > 0)
			least = fmin(least, unwatched_frac(p, h));
	p->seen_whole = least < GAP_FRAC;
	for (size_t h = 0; h < n; h++) {
		double bound = p->seen_whole ? GAP_FRAC : 1 - GAP_FRAC;
		if (p->ms[h] <= 0 || least >= 1 - GAP_FRAC)
			continue;
		p->gap[h] = unwatched_frac(p, h) >= bound;
		p->gaps += p->gap[h];
	}
}

/* One row of the ledger: held GPUs of that hour. */
static int take(struct build *b, const struct ledger_row *row, struct held *d, struct err *err)
{
	struct pool *p;
	size_t h;

	if (!hour_of(b, row, &h))
		return 0;
	d->known[h] = true;
	p = pool_of(b, d, row);
	int64_t ms = row->ms;
	if (p->seen_whole || p->gap[h])
		ms -= row->unwatched_ms;
	if (row->state == STATE_UNALLOCATED || ms <= 0)
		return 0;
	struct str k = { 0 };
	str_addf(&k, "%.*s\n%.*s", SVF(row->dim[BY_TEAM]), SVF(row->dim[BY_MODEL]));
	uint32_t id = intern_add(&d->series_key, str_sv(&k));
	str_free(&k);
	if (id >= MAX_SERIES)
		return err_set(err, -E2BIG, "more than %d teams and models", MAX_SERIES);
	if (id == b->series.n) {
		struct forecast_series *s =
			series_add(b, arena_printf(b->q->ask.mem, "%.*s", SVF(row->dim[BY_TEAM])),
				   arena_printf(b->q->ask.mem, "%.*s", SVF(row->dim[BY_MODEL])));
		memset(s->y, 0, b->a->n * sizeof *s->y);
	}
	struct forecast_series *s = &b->series.v[id];
	struct paid *paid = &b->paid.v[id];
	double priced = (double)(row->ms - row->unpriced_ms);
	bool late = h + RATE_HOURS >= b->a->n;
	if (priced > 0 && !(paid->priced_ms > 0))
		s->currency = arena_printf(b->q->ask.mem, "%.*s", SVF(row->currency));
	else if (priced > 0 && s->currency && !sv_is(row->currency, s->currency))
		s->currency = NULL;
	paid->priced_ms += priced;
	paid->ms += (double)row->ms;
	paid->nano += (double)row->nano;
	paid->late_ms += late ? (double)row->ms : 0;
	paid->late_nano += late ? (double)row->nano : 0;
	s->y[h] += (double)ms / (double)MS_HOUR;
	for (size_t i = 0; i < p->of.n; i++)
		if (p->of.v[i] == id)
			return 0;
	*vec_push(&p->of) = id;
	return 0;
}

/* What is not known of the hours of a series. */
static void forget_gaps(struct build *b, const struct held *d)
{
	VEC(const char *) note = { 0 };

	for (size_t k = 0; k < b->series.n; k++)
		for (size_t h = 0; h < b->a->n; h++)
			if (!d->known[h])
				b->series.v[k].y[h] = NAN;
	for (size_t i = 0; i < d->pool.n; i++) {
		const struct pool *p = &d->pool.v[i];
		if (!p->gaps)
			continue;
		for (size_t k = 0; k < p->of.n; k++)
			for (size_t h = 0; h < b->a->n; h++)
				if (p->gap[h])
					b->series.v[p->of.v[k]].y[h] = NAN;
		*vec_push(&note) = arena_printf(
			b->q->ask.mem,
			"%s in %s: nobody watched %zu of %zu hours (no job list or readings of them): who held what then is not known, and not counted.",
			filled_or(p->model, "GPUs"), filled_or(p->cluster, "no cluster"), p->gaps,
			b->a->n);
	}
	double unpriced = 0, all = 0;
	for (size_t k = 0; k < b->series.n; k++) {
		unpriced += b->paid.v[k].ms - b->paid.v[k].priced_ms;
		all += b->paid.v[k].ms;
	}
	if (unpriced > 0 && unpriced < all)
		*vec_push(&note) = arena_printf(
			b->q->ask.mem,
			"%.1f of %.1f GPU-hours of the history have no price: the money is of the rest",
			unpriced / MS_HOUR, all / MS_HOUR);
	b->a->note = arena_copy(b->q->ask.mem, note.v, note.n, sizeof *note.v);
	b->a->nnote = note.n;
	vec_free(&note);
}

static int held_load(struct build *b, const struct ledger_row *row, size_t n, struct err *err)
{
	struct held d = { .known = xcalloc(b->a->n + 1, sizeof(bool)) };
	size_t h;
	int r = 0;

	for (size_t i = 0; i < n; i++)
		if (hour_of(b, &row[i], &h)) {
			struct pool *p = pool_of(b, &d, &row[i]);
			p->ms[h] += row[i].ms;
			p->unwatched_ms[h] += row[i].unwatched_ms;
		}
	for (size_t i = 0; i < d.pool.n; i++)
		find_gaps(&d.pool.v[i], b->a->n);
	for (size_t i = 0; i < n && r >= 0; i++)
		r = take(b, &row[i], &d, err);
	if (r >= 0)
		forget_gaps(b, &d);
	for (size_t i = 0; i < d.pool.n; i++) {
		free(d.pool.v[i].ms);
		free(d.pool.v[i].unwatched_ms);
		free(d.pool.v[i].gap);
		vec_free(&d.pool.v[i].of);
	}
	vec_free(&d.pool);
	free(d.known);
	intern_free(&d.pool_key);
	intern_free(&d.series_key);
	return r;
}

static int from_ledger(struct build *b, struct err *err)
{
	static const enum dim dim[BY_N] = { [BY_TEAM] = DIM_TEAM,
					    [BY_MODEL] = DIM_GPU_MODEL,
					    [BY_CLUSTER] = DIM_CLUSTER,
					    [BY_HOUR] = DIM_HOUR };
	struct ledger_row *row;
	size_t n = 0;
	int64_t from, to;
	int r = store_seen_span(b->q->ask.store, &from, &to, err);
	if (r < 0)
		return r;
	if (from == UNKNOWN_MS) {
		err_set(err, -ENODATA, "the ledger is empty");
		err_hint(err, "tare import FILE, or tare demo");
		return -ENODATA;
	}
	from = max_i64(b->q->ask.since_ms, from);
	to = min_i64(b->q->ask.until_ms, to);
	b->a->from_ms = tm_floor(from + MS_HOUR - 1, MS_HOUR); /* whole hours only */
	int64_t hours = (tm_floor(to, MS_HOUR) - b->a->from_ms) / MS_HOUR;
	if (hours < 1)
		return err_set(err, -ENODATA, "no whole hour of the ledger in this window");
	b->a->n = hours > DEMAND_MAX_HOURS ? DEMAND_MAX_HOURS : (size_t)hours;

	struct ledger_query q = { .dim = dim,
				  .ndim = BY_N,
				  .since_ms = b->a->from_ms,
				  .until_ms = forecast_start_ms(b->a),
				  .basis = BASIS_EFFECTIVE };
	r = store_ledger(b->q->ask.store, &q, b->q->ask.mem, &row, &n, err);
	if (r < 0)
		return r;
	return held_load(b, row, n, err);
}

/* ---- forecasts --------------------------------------------------------------------------- */

static int by_use(const void *a, const void *b)
{
	const struct forecast_series *x = a, *y = b;
	if (!x->team || !y->team)
		return 0;
	int c = strcmp(x->team, y->team);
	if (c)
		return c;
	return strcmp(x->model, y->model);
}

int answer_plan_forecast(const struct forecast_ask *q, struct forecast_answer *ret, struct err *err)
{
	struct build b = { .q = q, .a = ret };
	int r;

	*ret = (struct forecast_answer){ .horizon = q->horizon };
	r = q->file ? from_file(&b, err) : from_ledger(&b, err);
	if (r >= 0)
		lay_all(&b);
	for (size_t i = 0; r >= 0 && i < b.series.n; i++) {
		struct forecast_series *s = &b.series.v[i];
		struct forecast_opt o = { .horizon = ret->horizon, .worse = WORSE };
		const struct paid *paid = &b.paid.v[i];
		if (!(paid->priced_ms > 0))
			s->unit_hour = NAN;
		else if (paid->late_ms > 0)
			s->unit_hour = paid->late_nano * 1e-9 / paid->late_ms * MS_HOUR;
		else if (paid->ms > 0)
			s->unit_hour = paid->nano * 1e-9 / paid->ms * MS_HOUR;
		if (q->file) { /* one series: there is time to test at every day of it */
			o.origins = SIZE_MAX;
			o.score_from = ret->n >= 2 * TRAIN_HOURS + o.horizon ? TRAIN_HOURS : 0;
		}
		r = forecast_run(&o, ret->n, s->y, &s->f, err);
		ret->any |= r >= 0 && s->f.state == FORECAST_OK;
	}
	if (r >= 0 && b.series.n)
		sort_items(b.series.v, b.series.n, sizeof *b.series.v, by_use);
	vec_free(&b.paid);
	ret->series = b.series.v;
	ret->nseries = b.series.n;
	ret->outside = b.outside.v;
	ret->noutside = b.outside.n;
	return r;
}

void forecast_answer_free(struct forecast_answer *a)
{
	for (size_t i = 0; i < a->nseries; i++) {
		free(a->series[i].y);
		free(a->series[i].planned);
		forecast_free(&a->series[i].f);
	}
	free(a->series);
	free(a->outside);
}
