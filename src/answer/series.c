#include "answer/series.h"

#include <errno.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/tm.h"
#include "store/dim.h"

bool dim_is_time(enum dim d)
{
	switch (d) {
	case DIM_HOUR:
	case DIM_DAY:
	case DIM_WEEK:
	case DIM_MONTH:
	case DIM_QUARTER: return true;
	default: return false;
	}
}

bool report_filters_time(const struct report_ask *q)
{
	for (size_t i = 0; i < q->filter.v.n; i++)
		if (dim_is_time(q->filter.v.v[i].dim))
			return true;
	return false;
}

/* ---- steps of time ----------------------------------------------------------------------- */

static int64_t step_start(enum dim d, int64_t ms)
{
	int year, week;

	switch (d) {
	case DIM_HOUR: return tm_floor(ms, MS_HOUR);
	case DIM_DAY: return tm_floor(ms, MS_DAY);
	case DIM_WEEK: tm_iso_week(ms, &year, &week); return tm_from_iso_week(year, week);
	case DIM_QUARTER: return tm_month_start(ms, -((tm_civil(ms).month - 1) % 3));
	default: return tm_month_start(ms, 0);
	}
}

static int64_t step_next(enum dim d, int64_t start_ms)
{
	switch (d) {
	case DIM_HOUR: return start_ms + MS_HOUR;
	case DIM_DAY: return start_ms + MS_DAY;
	case DIM_WEEK: return start_ms + 7 * MS_DAY;
	case DIM_QUARTER: return tm_month_start(start_ms, 3);
	default: return tm_month_start(start_ms, 1);
	}
}

/* As the store keeps it (store/dim.h). */
static int64_t step_number(enum dim d, int64_t ms)
{
	struct civil c = tm_civil(ms);
	int year, week;

	switch (d) {
	case DIM_HOUR: return ms;
	case DIM_DAY: return tm_day(ms);
	case DIM_WEEK: tm_iso_week(ms, &year, &week); return (int64_t)year * 100 + week;
	case DIM_QUARTER: return (int64_t)c.year * 10 + (c.month + 2) / 3;
	default: return tm_month(ms);
	}
}

struct spans {
	VEC(struct span) v;
};

/* When somebody watched, whatever there was to be seen: job sources and what says --covers. */
static int watched_spans(const struct report_ask *q, struct spans *ret, struct err *err)
{
	struct witness_told *told;
	struct witness_jobs *jobs;
	size_t ntold, njobs;
	int r = store_witness_told(q->ask.store, q->ask.mem, &told, &ntold, err);

	if (r >= 0)
		r = store_witness_jobs(q->ask.store, q->ask.mem, &jobs, &njobs, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < ntold; i++)
		if (told[i].w.from_ms != UNKNOWN_MS && told[i].w.to_ms != UNKNOWN_MS)
			*vec_push(&ret->v) = (struct span){ told[i].w.from_ms, told[i].w.to_ms };
	for (size_t i = 0; i < njobs; i++)
		if (jobs[i].from_ms != UNKNOWN_MS && jobs[i].to_ms != UNKNOWN_MS)
			*vec_push(&ret->v) = (struct span){ jobs[i].from_ms, jobs[i].to_ms };
	return 0;
}

int answer_steps(const struct report_ask *q, enum dim d, struct report_steps *ret, struct err *err)
{
	VEC(const char *) value = { 0 };
	VEC(bool) recorded = { 0 };
	struct intern entered = { 0 };
	struct spans watched = { 0 };
	int64_t from, to;
	bool too_many = false;
	int r = store_data_span(q->ask.store, &from, &to, err);

	if (r < 0)
		return r;
	*ret = (struct report_steps){ 0 };
	if (from == UNKNOWN_MS || q->since_ms == UNKNOWN_MS || q->until_ms == UNKNOWN_MS)
		return 0;
	int64_t last = max_i64(to, q->ask.now_ms), end = q->until_ms;
	end = min_i64(end, last); /* the future is no hole */

	/* The values of time in which the ledger has an entry of anybody. */
	struct report_dims by = { .dim = { d }, .name = { dim_name(d) }, .n = 1 };
	struct report_cell *cell;
	size_t n;
	r = report_cells(q, &by, false, &cell, &n, err);
	for (size_t i = 0; r == 0 && i < n; i++)
		intern_add(&entered, sv_of(cell[i].dim[0]));
	if (r >= 0)
		r = watched_spans(q, &watched, err);
	for (int64_t at = step_start(d, q->since_ms); r == 0 && at < end && !too_many;) {
		int64_t next = step_next(d, at);
		struct sv text = dim_text(d, step_number(d, at), q->ask.mem);
		*vec_push(&value) = text.p;
		bool inside = at < to &&
			      from < next; /* a watch that saw nothing yet is no record */
		bool seen = false;
		for (size_t k = 0; k < watched.v.n && inside && !seen; k++)
			seen = watched.v.v[k].from_ms < next && at < watched.v.v[k].to_ms;
		*vec_push(&recorded) = intern_find(&entered, text) >= 0 || seen;
		too_many = value.n > SERIES_STEPS_MAX;
		at = next;
	}
	if (r == 0 && !too_many)
		*ret = (struct report_steps){
			arena_copy(q->ask.mem, value.v, value.n, sizeof *value.v),
			arena_copy(q->ask.mem, recorded.v, recorded.n, sizeof *recorded.v), value.n
		};
	ret->too_many = too_many;
	intern_free(&entered);
	vec_free(&watched.v);
	vec_free(&value);
	vec_free(&recorded);
	return r;
}

/* ---- columns ----------------------------------------------------------------------------- */

struct column {
	const char *value;
	double share; /* the largest that it has of the cost of a currency */
	dec cost;     /* where all is in one currency, else 0 */
	int64_t ms;
};

static int earliest_first(const void *a, const void *b)
{
	return strcmp(((const struct column *)a)->value, ((const struct column *)b)->value);
}

static int costliest_first(const void *a, const void *b)
{
	const struct column *x = a, *y = b;

	if (x->cost != y->cost)
		return cmp_dec(y->cost, x->cost);
	if (x->share != y->share)
		return cmp_double(y->share, x->share);
	if (x->ms != y->ms)
		return cmp_i64(y->ms, x->ms);
	return strcmp(x->value, y->value);
}

struct column_cost { /* of a column in one currency */
	uint32_t value, currency;
	dec cost;
};
struct costs {
	struct intern currency;
	VEC(dec) total;       /* [currency] */
	struct intern column; /* value and currency */
	VEC(struct column_cost) cost;
};

/* Costs of the values by currency: amounts of two are not added, and not compared but as shares of
 * all in theirs. */
static void rank_costs(const struct report_series *s, size_t at, const struct intern *known,
		       struct column *v)
{
	struct costs m = { 0 };
	struct str key = { 0 };

	for (size_t i = 0; i < s->ncell; i++) {
		const struct report_cell *c = &s->cell[i];
		if (!c->cost)
			continue;
		uint32_t value = (uint32_t)intern_find(known, sv_of(c->dim[at]));
		uint32_t currency = intern_add(&m.currency, sv_of(c->currency));
		if (currency == m.total.n)
			*vec_push(&m.total) = 0;
		m.total.v[currency] += c->cost;
		str_clear(&key);
		str_addf(&key, "%u %u", value, currency);
		uint32_t id = intern_add(&m.column, str_sv(&key));
		if (id == m.cost.n)
			*vec_push(&m.cost) = (struct column_cost){ value, currency, 0 };
		m.cost.v[id].cost += c->cost;
	}
	for (size_t i = 0; i < m.cost.n; i++) {
		const struct column_cost *x = &m.cost.v[i];
		double share = dec_to_double(x->cost) / dec_to_double(m.total.v[x->currency]);
		if (m.total.n == 1)
			v[x->value].cost = x->cost;
		else if (m.total.v[x->currency] && share > v[x->value].share)
			v[x->value].share = share;
	}
	intern_free(&m.currency);
	intern_free(&m.column);
	vec_free(&m.total);
	vec_free(&m.cost);
	str_free(&key);
}

/* Only those that there are; times in their order. */
static int values_of(const struct report_ask *q, size_t at, bool time, struct report_series *s,
		     struct err *err)
{
	struct intern known = { 0 };
	VEC(struct column) v = { 0 };

	for (size_t i = 0; i < s->ncell; i++) {
		const struct report_cell *c = &s->cell[i];
		size_t id = intern_add(&known, sv_of(c->dim[at]));
		if (id == v.n)
			*vec_push(&v) = (struct column){ .value = c->dim[at] };
		if (c->is_gpu)
			v.v[id].ms += c->ms;
	}
	rank_costs(s, at, &known, v.v);
	size_t n = v.n;
	const char **value = arena_alloc(q->ask.mem, (n + 1) * sizeof *value);
	bool *recorded = arena_alloc(q->ask.mem, (n + 1) * sizeof *recorded);
	if (n)
		sort_items(v.v, n, sizeof *v.v, time ? earliest_first : costliest_first);
	for (size_t i = 0; i < n; i++) {
		value[i] = v.v[i].value;
		recorded[i] = true;
	}
	s->step = (struct report_steps){ value, recorded, n, n > SERIES_STEPS_MAX };
	intern_free(&known);
	vec_free(&v);
	if (!s->step.too_many)
		return 0;
	err_set(err, -E2BIG, "--pivot %s would have %zu columns, more than %d", s->dim, n,
		SERIES_STEPS_MAX);
	err_hint(err, "Make it rows: --by %s", s->dim);
	return -E2BIG;
}

int answer_series(const struct report_ask *q, const struct report_dims *d, const char *by,
		  struct report_series *ret, struct err *err)
{
	struct report_dims dims = *d;
	struct report_series s = { 0 };
	struct report_cell *cell;
	int r = report_dims_add(&dims, by, q->ask.mem, err);

	if (r == 0 && dims.n != d->n + 1)
		r = err_set(err, -EINVAL, "one dimension at a time can be in columns: '%s'", by);
	if (r >= 0)
		r = report_cells(q, &dims, true, &cell, &s.ncell, err);
	if (r < 0)
		return r;
	s.cell = cell;
	s.dim = dims.name[d->n];
	s.is_time = dim_is_time(dims.dim[d->n]);
	s.is_time = s.is_time && !report_filters_time(q);
	r = s.is_time ? answer_steps(q, dims.dim[d->n], &s.step, err) : 0;
	if (r == 0 && (!s.is_time || s.step.too_many)) {
		s.is_time = false;
		r = values_of(q, d->n, dim_is_time(dims.dim[d->n]), &s, err);
	}
	if (r >= 0)
		*ret = s;
	return r;
}

const char *series_trend_by(const struct report_ask *q)
{
	if (q->since_ms == UNKNOWN_MS || q->until_ms == UNKNOWN_MS)
		return NULL;
	int64_t span = q->until_ms - q->since_ms;
	if (span < 3 * MS_HOUR)
		return NULL;
	if (span <= 3 * MS_DAY)
		return "hour";
	if (span <= 120 * MS_DAY)
		return "day";
	return "week";
}
