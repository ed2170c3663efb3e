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
#define WORSE       1.05
#define RATE_HOURS  168 /* of the newest of which units are priced */
#define FIXED_HOURS 672 /* four whole weeks of commitments, and of what is no GPU time */
#define ENDED_HOURS 48  /* without a line, and a commitment has ended: a line may come so late */

struct paid { /* for a series: in all hours and in the newest; what has no price costs nothing */
	double priced_ms;
	double nano, ms, late_nano, late_ms;
	double fixed_nano;    /* of the newest: however much is used */
	double standing_nano; /* of the newest: on rented machines that are always there */
};

struct ahead { /* of a currency, at what the newest hours cost: for all hours ahead */
	const char *currency;
	double fixed, standing, rented, other[KIND_N];
};

struct build {
	const struct forecast_ask *q;
	struct forecast_answer *a;
	VEC(struct forecast_series) series;
	VEC(struct paid) paid; /* [series.n] of the ledger's */
	VEC(const struct forecast_planned *) outside;
	VEC(struct ahead) ahead;
};

int64_t forecast_start_ms(const struct forecast_answer *a)
{
	return a->from_ms + (int64_t)a->n * MS_HOUR;
}

double forecast_mean(const struct forecast_answer *a, const struct forecast_series *s, int q)
{
	double sum = 0;

	if (s->f.state != FORECAST_OK || !s->f.point)
		return NAN;
	for (size_t i = 0; i < a->horizon; i++)
		sum += (q < 0 ? s->f.point[i] : s->f.quantile[q][i]) + s->planned[i];
	return sum / (double)a->horizon;
}

double forecast_cost(const struct forecast_answer *a, const struct forecast_series *s, int q)
{
	if (!s->currency)
		return NAN;
	return forecast_mean(a, s, q) * (double)a->horizon * s->unit_hour;
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
	uint32_t provider;
	int64_t *ms, *unwatched_ms; /* [n] by the hour */
	int64_t *rented_ms;         /* [n] of it, paid by the hour */
	int64_t standing_ms;        /* an hour: of the newest hours the least that is rented */
	bool seen_whole;            /* some hour of it is watched in whole */
	size_t gaps;
	bool *gap;        /* [n] */
	VEC(uint32_t) of; /* series with use in it */
};
enum {
	BY_TEAM,
	BY_MODEL,
	BY_CLUSTER,
	BY_HOUR,
	BY_PROVIDER,
	BY_KIND,
	BY_PURCHASE,
	BY_COMMITMENT,
	BY_N
};
#define GAP_FRAC 0.1 /* less is a machine that started or ended within the hour */

/* What the newest hours of a provider cost in a currency, beside what series hold; or one of its
 * commitments, or all it has that is owned. */
struct spent {
	uint32_t provider;
	const char *currency;
	bool fixed;           /* paid however much is used: only nano */
	size_t first, last;   /* hours of it */
	double nano;          /* of what is fixed */
	double rented_nano;   /* by the hour, held by nobody, on machines that come and go */
	double standing_nano; /* by the hour, held or not, on machines that are always there */
	double other_nano[KIND_N];
};

struct held {
	struct intern pool_key, series_key, spent_key, provider;
	VEC(struct pool) pool;
	VEC(size_t) end; /* [provider.n] the hour after the last that is known of it */
	VEC(struct spent) spent;
	bool *known; /* [n] hours in which the ledger knows anything */
};

/* Its hour; false: it is of no hour of the history. */
static bool hour_of(const struct build *b, const struct ledger_row *row, size_t *ret)
{
	int64_t t;

	if (tm_parse(row->dim[BY_HOUR], 0, &t) < 0)
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

	str_addf(&k, "%.*s\n%.*s\n%.*s", SVF(row->dim[BY_CLUSTER]), SVF(row->dim[BY_MODEL]),
		 SVF(row->dim[BY_PROVIDER]));
	uint32_t id = intern_add(&d->pool_key, str_sv(&k));
	str_free(&k);
	if (id == d->pool.n)
		*vec_push(&d->pool) = (struct pool){
			.cluster = arena_printf(b->q->ask.mem, "%.*s", SVF(row->dim[BY_CLUSTER])),
			.model = arena_printf(b->q->ask.mem, "%.*s", SVF(row->dim[BY_MODEL])),
			.provider = intern_add(&d->provider, row->dim[BY_PROVIDER]),
			.ms = xcalloc(n, sizeof(int64_t)),
			.unwatched_ms = xcalloc(n, sizeof(int64_t)),
			.rented_ms = xcalloc(n, sizeof(int64_t)),
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

/* Paid however much is used. */
static bool is_fixed(const struct ledger_row *row)
{
	struct sv way = row->dim[BY_PURCHASE];

	if (kind_of(row->dim[BY_KIND]) == KIND_COMMITMENT_UNUSED)
		return true;
	return row->is_gpu && way.n && !sv_is(way, "on_demand") && !sv_is(way, "spot");
}

/* Rented machines that nobody gives back are paid for whether they are used or not. */
static void find_standing(struct pool *p, size_t end)
{
	int64_t least = INT64_MAX;

	for (size_t h = end > RATE_HOURS ? end - RATE_HOURS : 0; h < end; h++)
		least = min_i64(least, p->rented_ms[h]);
	if (end)
		p->standing_ms = least;
}

/* The part of a row that is of machines that are always there. */
static double standing_frac(const struct pool *p, size_t h)
{
	if (!p->standing_ms || p->rented_ms[h] <= 0)
		return 0;
	return fmin(1, (double)p->standing_ms / (double)p->rented_ms[h]);
}

static struct spent *spent_of(const struct build *b, const struct ledger_row *row, struct held *d)
{
	uint32_t provider = intern_add(&d->provider, row->dim[BY_PROVIDER]);
	bool fixed = is_fixed(row);
	struct str k = { 0 };

	str_addf(&k, "%u\n%.*s\n", provider, SVF(row->currency));
	if (fixed)
		str_addf(&k, "fixed %.*s",
			 SVF(sv_or(row->dim[BY_COMMITMENT], row->dim[BY_PURCHASE])));
	uint32_t id = intern_add(&d->spent_key, str_sv(&k));
	str_free(&k);
	if (id == d->spent.n)
		*vec_push(&d->spent) = (struct spent){
			.provider = provider,
			.currency = arena_printf(b->q->ask.mem, "%.*s", SVF(row->currency)),
			.fixed = fixed,
			.first = SIZE_MAX,
		};
	return &d->spent.v[id];
}

/* A row of the last four weeks, of what is paid in any case or is no GPU time. */
static void add_weeks(struct spent *spent, const struct ledger_row *row, size_t h)
{
	int kind = kind_of(row->dim[BY_KIND]);

	if (spent->fixed) {
		spent->nano += (double)row->nano;
		spent->first = min_size(spent->first, h);
		spent->last = max_size(spent->last, h);
	} else if (!row->is_gpu && kind >= 0) {
		spent->other_nano[kind] += (double)row->nano;
	}
}

/* What of a row of GPU time is held, in ms; the cost of what is not. */
static int64_t held_of(const struct pool *p, const struct ledger_row *row, size_t h,
		       double *ret_free_nano)
{
	int64_t ms = row->ms;

	*ret_free_nano = 0;
	if (p->seen_whole || p->gap[h]) {
		ms -= row->unwatched_ms;
		*ret_free_nano = p->gap[h] ? 0 : (double)row->unwatched_nano;
	}
	if (row->state != STATE_UNALLOCATED)
		return max_i64(ms, 0);
	*ret_free_nano = (double)row->nano;
	return 0;
}

/* The series of a row; -E2BIG: there are too many. */
static int series_of(struct build *b, struct held *d, const struct ledger_row *row, uint32_t *ret,
		     struct err *err)
{
	struct arena *mem = b->q->ask.mem;
	struct str k = { 0 };

	str_addf(&k, "%.*s\n%.*s", SVF(row->dim[BY_TEAM]), SVF(row->dim[BY_MODEL]));
	*ret = intern_add(&d->series_key, str_sv(&k));
	str_free(&k);
	if (*ret >= MAX_SERIES)
		return err_set(err, -E2BIG, "more than %d teams and models", MAX_SERIES);
	if (*ret == b->series.n) {
		struct forecast_series *s =
			series_add(b, arena_printf(mem, "%.*s", SVF(row->dim[BY_TEAM])),
				   arena_printf(mem, "%.*s", SVF(row->dim[BY_MODEL])));
		memset(s->y, 0, b->a->n * sizeof *s->y);
	}
	return 0;
}

/* What a row says of the price of its series. late: it is of the last week. */
static void add_paid(const struct build *b, uint32_t id, const struct ledger_row *row, bool late,
		     double standing_frac)
{
	struct forecast_series *s = &b->series.v[id];
	struct paid *paid = &b->paid.v[id];
	double priced = (double)(row->ms - row->unpriced_ms), nano = (double)row->nano;

	if (priced > 0 && !(paid->priced_ms > 0))
		s->currency = arena_printf(b->q->ask.mem, "%.*s", SVF(row->currency));
	else if (priced > 0 && s->currency && !sv_is(row->currency, s->currency))
		s->currency = NULL;
	paid->priced_ms += priced;
	paid->ms += (double)row->ms;
	paid->nano += nano;
	if (!late)
		return;
	paid->late_ms += (double)row->ms;
	paid->late_nano += nano;
	if (is_fixed(row))
		paid->fixed_nano += nano;
	else
		paid->standing_nano += nano * standing_frac;
}

/* One row of the ledger: held GPUs of that hour, and what is paid beside them. */
static int take_row(struct build *b, const struct ledger_row *row, struct held *d, struct err *err)
{
	size_t h;
	uint32_t id;

	if (!hour_of(b, row, &h))
		return 0;

	struct spent *spent = spent_of(b, row, d);
	size_t end = d->end.v[spent->provider];
	bool late = h < end && h + RATE_HOURS >= end;

	if (h < end && h + FIXED_HOURS >= end)
		add_weeks(spent, row, h);
	if (!row->is_gpu)
		return 0;
	d->known[h] = true;
	struct pool *p = pool_of(b, d, row);
	double free_nano, frac = standing_frac(p, h);
	int64_t ms = held_of(p, row, h, &free_nano);
	if (late && !spent->fixed) {
		spent->standing_nano += (double)row->nano * frac;
		spent->rented_nano += free_nano * (1 - frac);
	}
	if (!ms)
		return 0;
	int r = series_of(b, d, row, &id, err);
	if (r < 0)
		return r;
	add_paid(b, id, row, late, frac);
	b->series.v[id].y[h] += (double)ms / (double)MS_HOUR;
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
	char t[TM_BUF];

	for (size_t k = 0; k < b->series.n; k++)
		for (size_t h = 0; h < b->a->n; h++)
			if (!d->known[h])
				b->series.v[k].y[h] = NAN;
	for (size_t i = 0; i < d->pool.n; i++) {
		const struct pool *p = &d->pool.v[i];
		for (size_t k = 0; k < p->of.n; k++)
			for (size_t h = 0; h < b->a->n; h++)
				if (p->gap[h] || h >= d->end.v[p->provider])
					b->series.v[p->of.v[k]].y[h] = NAN;
		if (!p->gaps)
			continue;
		*vec_push(&note) = arena_printf(
			b->q->ask.mem,
			"%s in %s: nobody watched %zu of %zu hours (no job list or readings of them): who held what then is not known, and not counted.",
			filled_or(p->model, "GPUs"), filled_or(p->cluster, "no cluster"), p->gaps,
			b->a->n);
	}
	for (size_t i = 0; i < d->provider.n; i++) {
		bool has_gpus = false;
		for (size_t k = 0; k < d->pool.n; k++)
			has_gpus |= d->pool.v[k].provider == i;
		if (has_gpus && d->end.v[i] < b->a->n && d->provider.text[i].n)
			*vec_push(&note) = arena_printf(
				b->q->ask.mem,
				"%.*s: nothing is known from %.16s on: what was held then is not counted.",
				SVF(d->provider.text[i]),
				tm_format(t, b->a->from_ms + (int64_t)d->end.v[i] * MS_HOUR));
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

static struct ahead *ahead_of(struct build *b, const char *currency)
{
	for (size_t i = 0; i < b->ahead.n; i++)
		if (!strcmp(b->ahead.v[i].currency, currency))
			return &b->ahead.v[i];
	struct ahead *ret = vec_push(&b->ahead);
	*ret = (struct ahead){ .currency = currency };
	return ret;
}

static int held_load(struct build *b, const struct ledger_row *row, size_t n, struct err *err)
{
	struct held d = { .known = xcalloc(b->a->n + 1, sizeof(bool)) };
	size_t h;
	int r = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t provider = intern_add(&d.provider, row[i].dim[BY_PROVIDER]);
		int kind = kind_of(row[i].dim[BY_KIND]);
		/* fees, taxes and credits reach over hours of which nothing is known */
		bool tells = row[i].is_gpu || (kind > KIND_GPU && kind <= KIND_NETWORK);

		if (provider == d.end.n)
			*vec_push(&d.end) = 0;
		if (!hour_of(b, &row[i], &h))
			continue;
		size_t next = h + 1;
		if (!row[i].is_gpu) { /* what is charged by the day stands at its start */
			int64_t at_ms = b->a->from_ms + (int64_t)h * MS_HOUR;
			int64_t day_ms = tm_floor(at_ms, MS_DAY) + MS_DAY;
			next = (size_t)((day_ms - b->a->from_ms) / MS_HOUR);
		}
		if (tells)
			d.end.v[provider] = max_size(d.end.v[provider], min_size(next, b->a->n));
		if (row[i].is_gpu) {
			struct pool *p = pool_of(b, &d, &row[i]);
			p->ms[h] += row[i].ms;
			p->unwatched_ms[h] += row[i].unwatched_ms;
			if (!is_fixed(&row[i]))
				p->rented_ms[h] += row[i].ms;
		}
	}
	for (size_t i = 0; i < d.end.n; i++)
		if (d.end.v[i] + RATE_HOURS <= b->a->n)
			d.end.v[i] = b->a->n; /* it is no longer used */
	for (size_t i = 0; i < d.pool.n; i++) {
		find_gaps(&d.pool.v[i], b->a->n);
		find_standing(&d.pool.v[i], d.end.v[d.pool.v[i].provider]);
	}
	for (size_t i = 0; i < n && r >= 0; i++)
		r = take_row(b, &row[i], &d, err);
	if (r >= 0)
		forget_gaps(b, &d);
	for (size_t i = 0; r >= 0 && i < d.spent.n; i++) {
		const struct spent *x = &d.spent.v[i];
		size_t end = d.end.v[x->provider];
		struct ahead *to = ahead_of(b, x->currency);
		double scale = 1e-9 * (double)b->a->horizon;
		if (x->fixed) { /* a new one is of the hours since it is there */
			if (x->last + ENDED_HOURS >= end && x->first < end)
				to->fixed += x->nano * scale / (double)(end - x->first);
			continue;
		}
		to->rented += x->rented_nano * scale / (double)min_size(end, RATE_HOURS);
		to->standing += x->standing_nano * scale / (double)min_size(end, RATE_HOURS);
		for (int k = 0; k < KIND_N; k++)
			to->other[k] += x->other_nano[k] * scale /
					(double)min_size(end, FIXED_HOURS);
	}
	for (size_t i = 0; i < d.pool.n; i++) {
		free(d.pool.v[i].ms);
		free(d.pool.v[i].unwatched_ms);
		free(d.pool.v[i].rented_ms);
		free(d.pool.v[i].gap);
		vec_free(&d.pool.v[i].of);
	}
	vec_free(&d.pool);
	vec_free(&d.end);
	vec_free(&d.spent);
	free(d.known);
	intern_free(&d.pool_key);
	intern_free(&d.series_key);
	intern_free(&d.spent_key);
	intern_free(&d.provider);
	return r;
}

static int from_ledger(struct build *b, struct err *err)
{
	static const enum dim dim[BY_N] = {
		[BY_TEAM] = DIM_TEAM,         [BY_MODEL] = DIM_GPU_MODEL,
		[BY_CLUSTER] = DIM_CLUSTER,   [BY_HOUR] = DIM_HOUR,
		[BY_PROVIDER] = DIM_PROVIDER, [BY_KIND] = DIM_KIND,
		[BY_PURCHASE] = DIM_PURCHASE, [BY_COMMITMENT] = DIM_COMMITMENT
	};
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

static dec to_cents(double v)
{
	return (dec)llround(v * 100) * (DEC_ONE / 100);
}

/* What is held as it is forecast, and what is paid beside it. */
static void add_up_costs(struct build *b)
{
	static const int quantile_of[FORECAST_CASES] = { -1, 1, 3 };
	struct forecast_cost *cost = arena_zalloc(b->q->ask.mem, (b->ahead.n + 1) * sizeof *cost);

	b->a->cost = cost;
	for (size_t i = 0; i < b->ahead.n; i++) {
		const struct ahead *x = &b->ahead.v[i];
		double held[FORECAST_CASES] = { 0 }, of_fixed[FORECAST_CASES] = { 0 },
		       of_standing[FORECAST_CASES] = { 0 }, rented = x->rented;
		dec beside = 0;

		for (size_t k = 0; k < b->series.n; k++) {
			const struct forecast_series *s = &b->series.v[k];
			const struct paid *paid = &b->paid.v[k];
			double part = paid->fixed_nano / fmax(paid->late_nano, 1),
			       standing = paid->standing_nano / fmax(paid->late_nano, 1);
			if (!s->currency || strcmp(s->currency, x->currency))
				continue;
			if (isnan(forecast_cost(b->a, s, -1))) {
				/* no forecast: as in the newest hours */
				rented +=
					(paid->late_nano - paid->fixed_nano - paid->standing_nano) *
					1e-9 * (double)b->a->horizon /
					(double)min_size(b->a->n, RATE_HOURS);
				continue;
			}
			for (int c = 0; c < FORECAST_CASES; c++) {
				double v = forecast_cost(b->a, s, quantile_of[c]);
				held[c] += v;
				of_fixed[c] += v * part;
				of_standing[c] += v * standing;
			}
		}
		*cost = (struct forecast_cost){ .currency = x->currency };
		for (int k = 0; k < KIND_N; k++) {
			cost->other[k] = to_cents(x->other[k]);
			beside += cost->other[k];
		}
		for (int c = 0; c < FORECAST_CASES; c++) {
			cost->held[c] = to_cents(held[c]);
			cost->fixed[c] = to_cents(fmax(0, x->fixed - of_fixed[c]));
			cost->rented[c] = to_cents(rented + fmax(0, x->standing - of_standing[c]));
			cost->total[c] = cost->held[c] + cost->fixed[c] + cost->rented[c] + beside;
		}
		b->a->ncost += cost->total[FORECAST_HIGH] != 0 || cost->total[0] != 0;
		cost = &b->a->cost[b->a->ncost];
	}

	const char **note = arena_alloc(b->q->ask.mem,
					(b->a->nnote + b->series.n + 1) * sizeof *note);

	for (size_t i = 0; i < b->a->nnote; i++)
		note[i] = b->a->note[i];
	for (size_t k = 0; k < b->series.n && b->a->ncost; k++) {
		const struct forecast_series *s = &b->series.v[k];
		bool mixed = !s->currency && b->paid.v[k].priced_ms > 0;
		if (!mixed && (!(s->planned_max > 0) || !isnan(forecast_cost(b->a, s, -1))))
			continue;
		const char *why = "what it costs is in no sum: it is paid in several currencies";
		if (!mixed && isnan(s->unit_hour))
			why = "what is planned of it is in no sum: nothing tells its price";
		else if (!mixed)
			why = "what is planned of it is in no sum: there is no forecast of the rest";
		note[b->a->nnote++] = arena_printf(b->q->ask.mem, "%s %s: %s.",
						   filled_or(s->team, "(nobody)"),
						   filled_or(s->model, "(unknown)"), why);
	}
	b->a->note = note;
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
	if (r >= 0)
		add_up_costs(&b);
	if (r >= 0 && b.series.n)
		sort_items(b.series.v, b.series.n, sizeof *b.series.v, by_use);
	vec_free(&b.paid);
	vec_free(&b.ahead);
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
