/* Interruption bands of spot capacity, per month, by place and day. */
#include <errno.h>
#include <stdlib.h>
#include "base/num.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/tm.h"
#include "catalog/in.h"

static int place_cmp(const struct band *x, const char *provider, const char *region,
		     const char *type)
{
	int r = strcmp(x->provider, provider);
	if (!r)
		r = strcmp(x->region, region);
	if (r)
		return r;
	return strcmp(x->instance_type, type);
}

static int band_cmp(const void *a, const void *b)
{
	const struct band *x = a, *y = b;
	int r = place_cmp(x, y->provider, y->region, y->instance_type);
	if (r)
		return r;
	return cmp_i64(x->from_ms, y->from_ms);
}

int band_load(struct catalog *c, struct err *err)
{
	static const char *const col[] = { "provider", "region", "instance_type", "from", "lo_pct",
					   "hi_pct",   NULL };
	struct table t;
	if (c->bands_loaded)
		return 0;
	int r = table_open(&t, c->dir, "spot_bands.csv", col, err);
	if (r < 0)
		return r;
	*vec_push(&c->texts) = t.text;
	while ((r = table_next(&t, err)) > 0) {
		struct band b = { .provider = t.cell[0],
				  .region = t.cell[1],
				  .instance_type = t.cell[2] };
		if (tm_parse(sv_of(t.cell[3]), 0, &b.from_ms) < 0)
			return table_bad(&t, "from", t.cell[3], err);
		if (table_int(&t, 4, &b.lo_pct, err) < 0 || table_int(&t, 5, &b.hi_pct, err) < 0)
			return -EBADMSG;
		*vec_push(&c->bands) = b;
	}
	c->bands_loaded = r == 0;
	c->bands_sorted = false;
	return r;
}

/* The last band known at that time, else the first one after it: bands move slowly and carry their
 * day. */
const struct band *band_find(struct catalog *c, const char *provider, const char *region,
			     const char *instance_type, int64_t at_ms)
{
	if (!c->bands_sorted && c->bands.n)
		sort_items(c->bands.v, c->bands.n, sizeof *c->bands.v, band_cmp);
	c->bands_sorted = true;
	const struct band *v = c->bands.v;
	size_t at = first_where(i, c->bands.n,
				place_cmp(&v[i], provider, region, instance_type) >= 0);
	const struct band *best = NULL;
	for (; at < c->bands.n && !place_cmp(&v[at], provider, region, instance_type); at++)
		if (!best || v[at].from_ms <= at_ms)
			best = &v[at];
	return best;
}
