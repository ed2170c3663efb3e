/* Pools: GPUs whose owners name no GPUs. */
#include <stdlib.h>

#include "base/num.h"
#include "book/post/post.h"
#include "base/sort.h"

static dec price_of(const struct holding *h) /* -1: unknown, before all known ones */
{
	if (h->raw->has_usd_gpu_hour)
		return h->raw->usd_gpu_hour;
	return -1;
}

static int by_price(const void *a, const void *b)
{
	const struct holding *x = *(const struct holding *const *)a,
			     *y = *(const struct holding *const *)b;
	dec px = price_of(x), py = price_of(y);

	if (px != py)
		return cmp_dec(px, py);
	int c = sv_cmp(x->raw->currency, y->raw->currency);
	if (c)
		return c;
	if (x->a.from_ms != y->a.from_ms)
		return cmp_i64(x->a.from_ms, y->a.from_ms);
	if (x < y)
		return -1;
	return x > y;
}

static bool same_price(const struct holding *x, const struct holding *y)
{
	return x->raw->has_usd_gpu_hour == y->raw->has_usd_gpu_hour &&
	       x->raw->usd_gpu_hour == y->raw->usd_gpu_hour &&
	       sv_eq(x->raw->currency, y->raw->currency);
}

/* Of which nobody says which they are. */
static int64_t gpus_left(const struct holding *h)
{
	return h->a.gpus_milli - 1000 * (int64_t)h->ngpu;
}

/* GPUs that only allocations speak of: each allocation's own time is paid time, at its own
 * price. */
int post_unrecorded_pool(struct post *p, struct err *err)
{
	struct holding **h = arena_alloc(&p->mem, (p->hold.n + 1) * sizeof *h);
	struct attrib_alloc *a = arena_alloc(&p->mem, (p->hold.n + 1) * sizeof *a);
	int rc = 0;

	size_t nhold = 0;
	for (size_t i = 0; i < p->hold.n; i++) /* less the GPUs that are closed one by one */
		if (gpus_left(&p->hold.v[i]) > 0)
			h[nhold++] = &p->hold.v[i];
	sort_items(h, nhold, sizeof *h, by_price);
	for (size_t i = 0, n; i < nhold && !rc; i += n) {
		struct attrib_paid paid = { .from_ms = INT64_MAX,
					    .to_ms = INT64_MIN,
					    .quality = QUALITY_ASSUMED,
					    .owner = ATTRIB_NOBODY,
					    .unheld_state = STATE_UNKNOWN };
		struct attrib_rest rest;
		struct attrib_out out = { entry_emit, p, &rest };
		for (n = 0; i + n < nhold && same_price(h[i], h[i + n]); n++) {
			a[n] = h[i + n]->a;
			a[n].gpus_milli = gpus_left(h[i + n]);
			paid.from_ms = min_i64(a[n].from_ms, paid.from_ms);
			paid.to_ms = max_i64(a[n].to_ms, paid.to_ms);
		}
		paid_own_price(p->book, h[i]->raw->has_usd_gpu_hour, h[i]->raw->usd_gpu_hour,
			       h[i]->raw->currency, &paid);
		paid.tag = entry_bare_tag(p, (enum priced)paid.tag);
		entry_start(p, &rest, paid.currency);
		struct attrib_pool of = { .paid = &paid, .npaid = 1, .alloc = a, .nalloc = n };
		rc = attrib_pool(&p->book->opt.conf->attrib, &of, &out, err);
		post_count_rest(p->book, &rest);
		if (!rc)
			rc = entry_flush(p, err);
	}
	return rc;
}

int post_recorded_pool(struct post *p, struct err *err)
{
	int rc = 0;

	/* Rates become exact amounts per hour: a node's price need not divide by its GPUs. Pools
	 * are merged already. */
	if (p->scope.kind != SCOPE_POOL) {
		struct paid_node m = { .node = p->paid.node };
		const struct paid_nodes of = { .node = &p->paid,
					       .n = 1,
					       .currency = p->book->opt.conf->currency };
		rc = paid_merge(&p->mem, &of, &m, err);
		vec_free(&p->paid.interval);
		p->paid.interval.v = m.interval.v;
		p->paid.interval.n = m.interval.n;
		p->paid.interval.cap = m.interval.cap;
		for (size_t i = 0; i < m.rest.n && !rc; i++) {
			m.rest.v[i].scope = p->key;
			rc = entry_remainder(p, &m.rest.v[i], err);
		}
		vec_free(&m.rest);
		entry_number_charges(p);
	}
	struct attrib_paid *paid = arena_alloc(&p->mem, (p->paid.interval.n + 1) * sizeof *paid);
	struct attrib_alloc *a = arena_alloc(&p->mem, (p->hold.n + 1) * sizeof *a);
	struct intern currency = { 0 };

	post_currencies(p, &currency);
	for (size_t i = 0; i < p->hold.n; i++)
		a[i] = p->hold.v[i].a;
	for (size_t k = 0; k < currency.n && !rc; k++) {
		struct attrib_rest rest;
		struct attrib_out out = { entry_emit, p, &rest };
		size_t n = post_intervals(p, currency.text[k], 0, 0, paid);
		struct attrib_pool of = {
			.paid = paid, .npaid = n, .alloc = a, .nalloc = p->hold.n
		};
		if (p->nseries && p->nmachine)
			rc = post_pool_seen(p, paid, n, &of.seen, &of.nseen, err);
		entry_start(p, &rest, currency.text[k]);
		if (!rc)
			rc = entry_paid(p, -1, paid, n, err);
		if (!rc)
			rc = attrib_pool(&p->book->opt.conf->attrib, &of, &out, err);
		post_count_rest(p->book, &rest);
		if (!rc && p->metered)
			rc = energy_post(&p->energy, &p->metered->terms, entry_energy,
					 entry_rest_energy, p, err);
		if (!rc)
			rc = entry_flush(p, err);
	}
	intern_free(&currency);
	return rc;
}
