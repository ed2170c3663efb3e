/* What alerts cost: the ledger's hours of their GPUs. */
#include <stdlib.h>
#include <string.h>

#include "answer/alerts/alerts_in.h"
#include "base/num.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/tm.h"

struct hour {
	uint32_t key;
	int64_t hour_ms, ms;
	__int128 nano;
	const char *currency;
};
struct hours {
	struct intern gpu;
	VEC(struct hour) v;
};

static int by_hour(const void *a, const void *b)
{
	const struct hour *x = a, *y = b;

	if (x->key != y->key)
		return cmp_u64(x->key, y->key);
	return cmp_i64(x->hour_ms, y->hour_ms);
}

static int load_hours(struct replay *r, int64_t from_ms, struct hours *h, struct err *err)
{
	static const enum dim dim[] = { DIM_GPU, DIM_HOUR };
	struct ledger_query q = { .dim = dim,
				  .ndim = 2,
				  .since_ms = tm_floor(from_ms, MS_HOUR),
				  .until_ms = tm_floor(r->until_ms + MS_HOUR - 1, MS_HOUR),
				  .basis = BASIS_EFFECTIVE };
	struct ledger_row *row;
	size_t n;
	int rc = store_ledger(r->q->ask.store, &q, r->q->ask.mem, &row, &n, err);

	for (size_t i = 0; rc >= 0 && i < n; i++) {
		int64_t t;
		bool priced = row[i].is_gpu && row[i].ms > 0 && row[i].unpriced_ms != row[i].ms;
		if (!priced || !row[i].dim[0].n || tm_parse(row[i].dim[1], 0, &t) < 0)
			continue;
		*vec_push(&h->v) =
			(struct hour){ .key = intern_add(&h->gpu, row[i].dim[0]),
				       .hour_ms = t,
				       .ms = row[i].ms - row[i].unpriced_ms,
				       .nano = row[i].nano,
				       .currency = arena_sv(r->q->ask.mem, row[i].currency) };
	}
	if (rc >= 0 && h->v.n)
		sort_items(h->v.v, h->v.n, sizeof *h->v.v, by_hour);
	return rc;
}

static void add_cost(struct fired *f, const struct hour *h, int64_t fired_ms, int64_t hour_ms)
{
	if (f->currency && strcmp(f->currency, h->currency) != 0)
		return;
	f->currency = h->currency;
	f->has_cost = true;
	f->cost += dec_muldiv((dec)h->nano * 1000, fired_ms, hour_ms);
}

int replay_price(struct replay *r, struct err *err)
{
	struct hours h = { 0 };
	int64_t first = INT64_MAX;
	int rc;

	for (size_t i = 0; i < r->v.n; i++)
		first = min_i64(r->v.v[i].from_ms, first);
	if (!r->v.n)
		return 0;
	rc = load_hours(r, first, &h, err);
	for (size_t i = 0; rc >= 0 && i < r->v.n; i++) {
		/* The GPU's cost in each hour, by the part of the hour in which it fired. A MIG
		 * instance's part of the GPU is not told apart here: unknown. */
		struct fired *f = &r->v.v[i];
		const char *gpu = f->field[ALERT_GPU];
		int64_t key = intern_find(&h.gpu, sv_of(gpu));
		size_t first_hour = 0, n = 0;

		if (key < 0)
			key = intern_find(&h.gpu, sv_of(arena_printf(r->q->ask.mem, "%s/%s",
								     f->field[ALERT_NODE], gpu)));
		if (key >= 0) { /* the hours of a GPU stand together in the sorted rows */
			first_hour = first_where(k, h.v.n, h.v.v[k].key >= (uint32_t)key);
			n = first_where(k, h.v.n, h.v.v[k].key > (uint32_t)key) - first_hour;
		}
		const struct hour *v = h.v.v + first_hour;
		for (size_t j = 0, end; j < n && !f->field[ALERT_MIG][0]; j = end) {
			int64_t from = max_i64(f->from_ms, v[j].hour_ms), hour_ms = 0;
			int64_t to = min_i64(f->to_ms, v[j].hour_ms + MS_HOUR);
			/* entries of the hour in several states */
			for (end = j; end < n && v[end].hour_ms == v[j].hour_ms; end++)
				hour_ms += v[end].ms;
			for (size_t k = j; k < end && to > from; k++)
				add_cost(f, &v[k], to - from, max_i64(hour_ms, to - from));
		}
	}
	vec_free(&h.v);
	intern_free(&h.gpu);
	return rc;
}
