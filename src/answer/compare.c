#include "answer/compare.h"

#include <errno.h>
#include <stdio.h>

#include "answer/series.h"
#include "base/near.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"

/* ---- what is asked ----------------------------------------------------------------------- */

int compare_with_of(const char *text, struct compare_with *ret, struct err *err)
{
	static const char *const word[] = { "previous", "lastmonth", "lastquarter", "lastyear" };

	for (int i = 0; i < COMPARE_SPAN; i++)
		if (!strcmp(text, word[i])) {
			*ret = (struct compare_with){ (enum compare_how)i, 0 };
			return 0;
		}
	ret->how = COMPARE_SPAN;
	if (tm_parse_span(sv_of(text), &ret->span_ms) == 0)
		return 0;
	err_set(err, -EINVAL, "--compare does not know '%.200s'", text);
	const char *near = near_word(text, word, COMPARE_SPAN);
	if (near)
		err_hint(err, "Did you mean: --compare %s", near);
	else
		err_hint(
			err,
			"It takes previous, lastmonth, lastquarter, lastyear, or a duration (7d): how much earlier the other window is");
	return -EINVAL;
}

int compare_dims_fit(const struct report_dims *d, struct err *err)
{
	for (size_t i = 0; i < d->n; i++) {
		if (!dim_is_time(d->dim[i]))
			continue;
		err_set(err, -EINVAL, "--compare has no row by %s: no two windows share one",
			d->name[i]);
		err_hint(err, "For a course over time leave --compare out, or see --pivot %s",
			 d->name[i]);
		return -EINVAL;
	}
	return 0;
}

/* ---- windows ----------------------------------------------------------------------------- */

#define DEFAULT_MAX_MS (30 * MS_DAY)

/* The ledger keeps whole hours, each by its beginning: those that begin in a window count. */
static int64_t next_hour(int64_t ms)
{
	return -tm_floor(-ms, MS_HOUR);
}

/* Where no beginning is given: of a window of no certain length the later half. */
static int64_t default_since(const struct compare_with *with, int64_t from_ms, int64_t to_ms,
			     int64_t until_ms)
{
	int64_t last = until_ms - 1, step = MS_HOUR;
	int64_t half = (min_i64(until_ms, to_ms) - from_ms) / 2;

	switch (with->how) {
	case COMPARE_LASTMONTH: return tm_month_start(last, 0);
	case COMPARE_LASTQUARTER: return tm_month_start(last, -((tm_civil(last).month - 1) % 3));
	case COMPARE_LASTYEAR: return tm_month_start(last, 1 - tm_civil(last).month);
	case COMPARE_SPAN: return until_ms - with->span_ms;
	default: break;
	}
	if (half >= MS_DAY)
		step = MS_DAY;
	half = half > DEFAULT_MAX_MS ? DEFAULT_MAX_MS : tm_floor(half, step);
	if (half <= 0)
		half = MS_HOUR;
	return until_ms - half;
}

/* How many months a window is that is a month, a quarter or a year of the calendar; 0: none. */
static int calendar_months(int64_t since_ms, int64_t until_ms)
{
	static const int length[] = { 1, 3, 12 };
	int month = tm_civil(since_ms).month - 1;

	for (size_t i = 0; i < sizeof length / sizeof *length; i++)
		if (since_ms == tm_month_start(since_ms, 0) && month % length[i] == 0 &&
		    until_ms == tm_add_months(since_ms, length[i]))
			return length[i];
	return 0;
}

static int64_t earlier_ms(const struct compare_with *with, int64_t ms, int64_t length_ms,
			  int months)
{
	switch (with->how) {
	case COMPARE_LASTMONTH: return tm_add_months(ms, -1);
	case COMPARE_LASTQUARTER: return tm_add_months(ms, -3);
	case COMPARE_LASTYEAR: return tm_add_months(ms, -12);
	case COMPARE_SPAN: return ms - with->span_ms;
	case COMPARE_PREVIOUS: break;
	}
	if (months)
		return tm_add_months(ms, -months);
	return ms - length_ms;
}

int compare_windows(struct report_ask *q, const struct compare_with *with,
		    struct compare_windows *ret, struct err *err)
{
	struct compare_windows w;
	int64_t from, to;
	int r = store_seen_span(q->ask.store, &from, &to, err);

	if (r < 0)
		return r;
	if (from == UNKNOWN_MS)
		return err_set(err, -ENODATA, "the ledger is empty: there is nothing to compare");
	w.until_ms[1] = q->ask.until_ms == INT64_MAX ? to : q->ask.until_ms;
	if (q->ask.since_ms == INT64_MIN)
		w.since_ms[1] = default_since(with, from, to, w.until_ms[1]);
	else
		w.since_ms[1] = q->ask.since_ms;
	if (w.since_ms[1] >= w.until_ms[1]) /* lies behind all that there is */
		w.until_ms[1] = w.since_ms[1] + MS_HOUR;
	int64_t length = w.until_ms[1] - w.since_ms[1];
	int months = 0;
	if (q->ask.since_ms != INT64_MIN && q->ask.until_ms != INT64_MAX)
		months = calendar_months(w.since_ms[1], w.until_ms[1]);
	w.since_ms[0] = earlier_ms(with, w.since_ms[1], length, months);
	w.until_ms[0] = earlier_ms(with, w.until_ms[1], length, months);
	if (w.until_ms[0] > w.since_ms[1]) {
		err_set(err, -EINVAL,
			"the two windows overlap: the other one begins earlier by less than the window is long");
		err_hint(err, "Use --compare previous, or a shorter window with --since");
		return -EINVAL;
	}
	for (int i = 1; i >= 0; i--) {
		int64_t since = max_i64(w.since_ms[i], from), until = min_i64(w.until_ms[i], to);
		w.from_ms[i] = next_hour(since);
		w.to_ms[i] = next_hour(until);
		w.hours[i] = (w.to_ms[i] - w.from_ms[i]) / MS_HOUR;
		if (w.hours[i] <= 0) {
			char a[TM_BUF], b[TM_BUF];

			err_set(err, -ENODATA,
				"the ledger holds nothing of the window %s, %s to %s",
				i ? "asked about" : "before", tm_format(a, w.since_ms[i]),
				tm_format(b, w.until_ms[i]));
			err_hint(
				err,
				"It reaches from %s to %s: choose two windows in it with --since, --until and --compare",
				tm_format(a, from), tm_format(b, to));
			return -ENODATA;
		}
	}
	q->ask.since_ms = q->since_ms = w.since_ms[1];
	q->ask.until_ms = q->until_ms = w.until_ms[1];
	*ret = w;
	return 0;
}

/* ---- rows -------------------------------------------------------------------------------- */

struct klass { /* of a row */
	size_t row;
	struct compare_class k;
};
struct gathering {
	const struct report_ask *q;
	const char *home; /* the configured currency */
	size_t ndim;
	size_t class_at[3]; /* where model, purchase and region stand among the dimensions */
	struct intern row_key, class_key;
	VEC(struct compared) row;
	VEC(struct compare_side) side[2]; /* [row] */
	VEC(struct klass) klass;
	struct str key;
};

static void add_cell(struct gathering *g, int w, const struct report_cell *c)
{
	size_t id;
	const char *currency = c->currency;

	if (!*c->currency)
		currency = g->home;
	str_clear(&g->key);
	str_addz(&g->key, currency);
	for (size_t i = 0; i < g->ndim; i++) {
		str_addc(&g->key, 0);
		str_addz(&g->key, c->dim[i]);
	}
	id = intern_add(&g->row_key, str_sv(&g->key));
	if (id == g->row.n) {
		*vec_push(&g->row) = (struct compared){ .dim = c->dim, .currency = currency };
		*vec_push(&g->side[0]) = (struct compare_side){ 0 };
		*vec_push(&g->side[1]) = (struct compare_side){ 0 };
	}
	struct compared *r = &g->row.v[id];
	struct compare_side *s = &g->side[w].v[id];

	if (!c->is_gpu) {
		s->other += c->cost;
		return;
	}
	if (c->unpriced_ms) { /* cells of q->by_price have all a price, or none */
		r->unpriced_ms[w] += c->ms;
		return;
	}
	str_clear(&g->key);
	str_addf(&g->key, "%zu", id);
	for (int i = 0; i < 3; i++) {
		str_addc(&g->key, 0);
		str_addz(&g->key, c->dim[g->class_at[i]]);
	}
	size_t at = intern_add(&g->class_key, str_sv(&g->key));
	if (at == g->klass.n)
		*vec_push(&g->klass) = (struct klass){ .row = id };
	struct compare_class *k = &g->klass.v[at].k;
	k->cost[w] += c->cost;
	k->gpu_ms[w] += c->ms;
	s->cost += c->cost;

	static const bool is_read[STATE_N] = { [STATE_BUSY] = true,
					       [STATE_UNDERUSED] = true,
					       [STATE_IDLE_HELD] = true,
					       [STATE_IDLE_EMPTY] = true };

	r->gpu_ms[w] += c->ms;
	if (is_read[c->state])
		r->read_ms[w] += c->ms;
	if (c->state == STATE_BUSY)
		r->busy_ms[w] += c->ms;
	else if (c->state == STATE_UNDERUSED && c->util_ms != UNKNOWN_I64)
		r->busy_ms[w] += c->util_ms;
}

/* The classes of a row stand together: by row, as they came within it. */
static int cmp_klass(const void *a, const void *b)
{
	size_t x = ((const struct klass *)a)->row, y = ((const struct klass *)b)->row;

	return cmp_size(x, y);
}

static int finish_compare(struct gathering *g, const int64_t hours[2], struct err *err)
{
	struct arena *a = g->q->ask.mem;
	struct compare_class *k = arena_alloc(a, (g->klass.n + 1) * sizeof *k);
	size_t at = 0;

	sort_items(g->klass.v, g->klass.n, sizeof *g->klass.v, cmp_klass);
	for (size_t i = 0; i < g->klass.n; i++)
		k[i] = g->klass.v[i].k;
	for (size_t i = 0; i < g->row.n; i++) {
		struct compared *r = &g->row.v[i];
		struct compare_side side[2];
		bool none[2]; /* the row has nothing in this window */
		size_t from = at;

		while (at < g->klass.n && g->klass.v[at].row == i)
			at++;
		for (int w = 0; w < 2; w++) {
			struct compare_side *s = &g->side[w].v[i];
			bool cost = s->cost || s->other;
			none[w] = !r->gpu_ms[w] && !r->unpriced_ms[w] && !cost;
			s->gpu_ms = r->gpu_ms[w];
			if (!r->read_ms[w])
				r->busy_ms[w] = UNKNOWN_I64;
			s->busy_ms = r->busy_ms[w];
			r->has[w] = !r->unpriced_ms[w] || r->gpu_ms[w] || cost;
			side[w] = *s;
		}

		/* what has a price in no window is not known to have cost nothing in one of them */
		for (int w = 0; w < 2; w++)
			r->has[w] = r->has[w] && (!none[w] || r->has[!w]);
		r->booked = side[0].cost + side[0].other;
		r->booked_other = side[0].other;
		if (compare_row(side, hours, k + from, at - from, &r->parts) != 0)
			return err_set(err, -ERANGE, "an amount is too large to be compared");
	}
	return 0;
}

/* d with the dimensions of a class, and where these are. */
static int add_class_dims(struct gathering *g, struct report_dims *d, struct err *err)
{
	static const char *const name[] = { "gpu_model", "purchase", "region" };

	for (int i = 0; i < 3; i++) {
		int r = 0;
		if (!report_dims_has(d, name[i]))
			r = report_dims_add(d, name[i], g->q->ask.mem, err);
		if (r < 0)
			return r;
		for (size_t k = 0; k < d->n; k++)
			if (!strcmp(d->name[k], name[i]))
				g->class_at[i] = k;
	}
	return 0;
}

int answer_compare(const struct report_ask *q, const struct report_dims *d,
		   const struct compare_windows *w, struct compare_answer *ret, struct err *err)
{
	struct gathering g = { .q = q, .ndim = d->n };
	struct report_dims dims = *d;
	int r = add_class_dims(&g, &dims, err);

	g.home = text_or(q->ask.conf->currency, "USD");
	for (int i = 0; i < 2 && r >= 0; i++) {
		struct report_ask one = *q;
		struct report_cell *cell;
		size_t n;

		one.ask.since_ms = w->from_ms[i];
		one.ask.until_ms = w->to_ms[i];
		one.by_price = true;
		r = report_cells(&one, &dims, true, &cell, &n, err);
		for (size_t k = 0; r == 0 && k < n; k++)
			add_cell(&g, i, &cell[k]);
	}
	if (r >= 0)
		r = finish_compare(&g, w->hours, err);
	if (r >= 0)
		*ret = (struct compare_answer){
			*w, arena_copy(q->ask.mem, g.row.v, g.row.n, sizeof *g.row.v), g.row.n
		};
	intern_free(&g.row_key);
	intern_free(&g.class_key);
	vec_free(&g.row);
	vec_free(&g.side[0]);
	vec_free(&g.side[1]);
	vec_free(&g.klass);
	str_free(&g.key);
	return r;
}
