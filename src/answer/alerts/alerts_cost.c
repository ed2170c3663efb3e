/* What alerts cost: the ledger's hours of their GPUs. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "answer/alerts/alerts_in.h"
#include "base/num.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/tm.h"
#include "ledger/gpu_names.h"

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
		if (!row[i].dim[0].n || tm_parse(row[i].dim[1], 0, &t) < 0)
			continue;
		uint32_t gpu = intern_add(&h->gpu, row[i].dim[0]);
		if (!priced)
			continue;
		*vec_push(&h->v) =
			(struct hour){ .key = gpu,
				       .hour_ms = t,
				       .ms = row[i].ms - row[i].unpriced_ms,
				       .nano = row[i].nano,
				       .currency = arena_sv(r->q->ask.mem, row[i].currency) };
	}
	if (rc >= 0 && h->v.n)
		sort_items(h->v.v, h->v.n, sizeof *h->v.v, by_hour);
	return rc;
}

/* As the ledger was posted (book/post/hold.c): by the record, else by as many GPUs as the bill gave
 * the node, then by the order of its series. */
static void name_gpus(const struct replay *r, const struct hours *h, const struct node *node,
		      size_t nnode, struct sv name, struct gpu_names *ret)
{
	struct arena *mem = r->q->ask.mem;
	size_t first = first_where(k, nnode, sv_cmp(node[k].node, name) >= 0), n = 0, bare = 0;

	while (first + n < nnode && sv_eq(node[first + n].node, name))
		n++;
	while (intern_find(&h->gpu, sv_of(arena_printf(mem, "%.*s/%zu", SVF(name), bare))) >= 0)
		bare++;
	ret->node = name;
	gpu_names_records(ret, node + first, n, bare, mem);
	for (size_t i = first_where(k, r->nseries, sv_cmp(r->series[k].key.node, name) >= 0);
	     i < r->nseries && sv_eq(r->series[i].key.node, name); i++)
		gpu_names_read(ret, r->series[i].key.gpu, mem);
}

/* The number of an alert's GPU among those of the ledger, -1: it has none such. */
static int64_t ledger_gpu(const struct hours *h, const struct gpu_names *names, struct sv gpu)
{
	long i = gpu_names_find(names, gpu);

	if (i >= 0) {
		assert((size_t)i < names->v.n && names->v.v);
		return intern_find(&h->gpu, names->v.v[i].key);
	}
	return intern_find(&h->gpu, gpu);
}

static void price_fired(const struct hours *h, int64_t key, struct fired *f)
{
	size_t first_hour = 0, n = 0;

	if (key >= 0) { /* the hours of a GPU stand together in the sorted rows */
		first_hour = first_where(k, h->v.n, h->v.v[k].key >= (uint32_t)key);
		n = first_where(k, h->v.n, h->v.v[k].key > (uint32_t)key) - first_hour;
	}
	if (!n)
		return;
	const struct hour *v = h->v.v + first_hour;
	for (size_t j = 0, end; j < n; j = end) {
		int64_t from = max_i64(f->from_ms, v[j].hour_ms), hour_ms = 0;
		int64_t to = min_i64(f->to_ms, v[j].hour_ms + MS_HOUR);
		/* entries of the hour in several states */
		for (end = j; end < n && v[end].hour_ms == v[j].hour_ms; end++)
			hour_ms += v[end].ms;
		for (size_t k = j; k < end && to > from; k++) {
			if (f->currency && strcmp(f->currency, v[k].currency) != 0)
				continue;
			f->currency = v[k].currency;
			f->has_cost = true;
			f->cost += dec_muldiv((dec)v[k].nano * 1000, to - from,
					      max_i64(hour_ms, to - from));
		}
	}
}

int replay_price(struct replay *r, struct err *err)
{
	struct hours h = { 0 };
	struct intern names = { 0 };
	VEC(struct gpu_names) of = { 0 };
	struct node *node = NULL;
	int64_t first = INT64_MAX;
	size_t nnode = 0;
	int rc;

	for (size_t i = 0; i < r->v.n; i++)
		first = min_i64(r->v.v[i].from_ms, first);
	if (!r->v.n)
		return 0;
	rc = load_hours(r, first, &h, err);
	if (rc >= 0)
		rc = store_nodes(r->q->ask.store, NULL, r->q->ask.mem, &node, &nnode, err);
	for (size_t i = 0; rc >= 0 && i < r->v.n; i++) {
		/* The GPU's cost in each hour, by the part of the hour in which it fired. A MIG
		 * instance's part of the GPU is not told apart here: unknown. */
		struct fired *f = &r->v.v[i];
		if (f->field[ALERT_MIG][0])
			continue;
		uint32_t id = intern_add(&names, sv_of(f->field[ALERT_NODE]));
		if (id == of.n) {
			struct gpu_names *g = vec_push(&of);
			*g = (struct gpu_names){ 0 };
			if (names.text[id].n)
				name_gpus(r, &h, node, nnode, names.text[id], g);
		}
		price_fired(&h, ledger_gpu(&h, &of.v[id], sv_of(f->field[ALERT_GPU])), f);
	}
	for (size_t i = 0; i < of.n; i++)
		gpu_names_free(&of.v[i]);
	vec_free(&of);
	vec_free(&h.v);
	intern_free(&h.gpu);
	intern_free(&names);
	return rc;
}
