/* What a kWh weighs where a region is: data/carbon.csv. */
#include <errno.h>
#include <math.h>
#include "catalog/in.h"

static int load_carbon(struct catalog *c, struct err *err)
{
	static const char *const col[] = { "provider", "region", "country", "g_kwh",
					   "year",     "source", NULL };
	struct table t;
	int r = table_open(&t, c->dir, "carbon.csv", col, err);

	if (r < 0)
		return r;
	*vec_push(&c->texts) = t.text;
	while ((r = table_next(&t, err)) > 0) {
		struct carbon x = { .provider = t.cell[0],
				    .region = t.cell[1],
				    .country = t.cell[2],
				    .source = t.cell[5] };
		if (table_f64(&t, 3, &x.g_kwh, err) < 0 || table_int(&t, 4, &x.year, err) < 0)
			return -EBADMSG;
		if (!(x.g_kwh >= 0))
			return table_bad(&t, "g_kwh", t.cell[3], err);
		*vec_push(&c->carbons) = x;
	}
	return r;
}

int catalog_carbons(struct catalog *c, const struct carbon **ret, size_t *ret_n, struct err *err)
{
	int r = 0;

	if (!c->carbons_loaded)
		r = load_carbon(c, err);
	c->carbons_loaded = r >= 0;
	*ret = c->carbons.v;
	*ret_n = r < 0 ? 0 : c->carbons.n;
	return r;
}
