/* See exchange.h. */
#include "ledger/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/tm.h"

#define NANO_MAX INT64_C(9000000000000000000)

static int pair_cmp(const struct exchange_rate *r, struct sv from, struct sv to)
{
	int d = sv_cmp(r->from, from);

	if (d)
		return d;
	return sv_cmp(r->to, to);
}

struct placed {
	struct exchange_rate r;
	size_t at;
};

static int by_pair_and_day(const void *pa, const void *pb)
{
	const struct placed *a = pa, *b = pb;
	int d = pair_cmp(&a->r, b->r.from, b->r.to);

	if (!d)
		d = cmp_i64(a->r.day_ms, b->r.day_ms);
	if (d)
		return d;
	return cmp_size(a->at, b->at);
}

void exchange_take(struct exchange *x, struct exchange_rate *v, size_t n)
{
	struct placed *p = xcalloc(n + 1, sizeof *p);
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		p[i] = (struct placed){ v[i], i };
	if (n)
		sort_items(p, n, sizeof *p, by_pair_and_day);
	for (size_t i = 0; i < n; i++) {
		const struct exchange_rate *r = &p[i].r;
		bool same_day = kept && v[kept - 1].day_ms == r->day_ms;
		if (same_day && !pair_cmp(&v[kept - 1], r->from, r->to))
			kept--;
		v[kept++] = *r;
	}
	free(p);
	*x = (struct exchange){ v, kept };
}

/* Behind the rows of the pair up to the day? */
static bool is_later(const struct exchange_rate *x, struct sv from, struct sv to, int64_t day_ms)
{
	int d = pair_cmp(x, from, to);

	return d > 0 || (!d && x->day_ms > day_ms);
}

/* The last row of the pair up to the day; NULL: none that is new enough. */
static const struct exchange_rate *last_of(const struct exchange *x, struct sv from, struct sv to,
					   int64_t day_ms, int max_days)
{
	size_t later = first_where(i, x->n, is_later(&x->v[i], from, to, day_ms));
	const struct exchange_rate *r = NULL;

	if (later)
		r = &x->v[later - 1];
	if (!r || pair_cmp(r, from, to))
		return NULL;
	if (max_days < 0 || day_ms - r->day_ms <= (int64_t)max_days * MS_DAY)
		return r;
	return NULL;
}

/* The pair as it stands, or turned round. */
static bool find_pair(const struct exchange *x, struct sv from, struct sv to, int64_t day_ms,
		      int max_days, struct exchange_found *ret)
{
	const struct exchange_rate *r = last_of(x, from, to, day_ms, max_days), *back;

	if (r) {
		*ret = (struct exchange_found){ r->rate, r->day_ms };
		return true;
	}
	back = last_of(x, to, from, day_ms, max_days);
	if (back)
		*ret = (struct exchange_found){ div_half_even(DEC_ONE * DEC_ONE, back->rate),
						back->day_ms };
	return back != NULL;
}

/* By way of a third currency, the first by name that has both on hand. */
static bool find_by_way(const struct exchange *x, struct sv from, struct sv to, int64_t day_ms,
			int max_days, struct exchange_found *ret)
{
	for (size_t i = 0; i < x->n; i++) {
		struct sv way = sv_eq(x->v[i].from, from) ? x->v[i].to : x->v[i].from;
		struct exchange_found a, b;
		bool of_it = sv_eq(x->v[i].from, from) || sv_eq(x->v[i].to, from);
		bool again = i && !pair_cmp(&x->v[i - 1], x->v[i].from, x->v[i].to);
		if (!of_it || again)
			continue;
		if (!find_pair(x, from, way, day_ms, max_days, &a) ||
		    !find_pair(x, way, to, day_ms, max_days, &b))
			continue;
		*ret = (struct exchange_found){ div_half_even(a.rate * b.rate, DEC_ONE),
						min_i64(a.day_ms, b.day_ms) };
		return ret->rate > 0;
	}
	return false;
}

bool exchange_at(const struct exchange *x, const char *from, const char *to, int64_t at_ms,
		 int max_days, struct exchange_found *ret)
{
	int64_t day_ms = tm_floor(at_ms, MS_DAY);
	struct exchange_found f = { DEC_ONE, day_ms };
	struct sv a = sv_of(from), b = sv_of(to);

	if (!sv_eq(a, b) && !find_pair(x, a, b, day_ms, max_days, &f) &&
	    !find_by_way(x, a, b, day_ms, max_days, &f))
		return false;
	*ret = f;
	return true;
}

int64_t exchange_nano(int64_t nano, dec rate)
{
	dec v = dec_muldiv(rate, nano < 0 ? -nano : nano, 1000000000); /* 10^-12 */
	dec whole = div_half_even(v, 1000);

	whole = min_dec(whole, NANO_MAX);
	return (int64_t)(nano < 0 ? -whole : whole);
}
