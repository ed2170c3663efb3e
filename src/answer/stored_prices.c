/* See stored_prices.h. */
#include "answer/stored_prices.h"

int stored_prices_add(struct store *store, struct catalog *catalog, struct arena *mem,
		      struct err *err)
{
	struct price *p;
	size_t n = 0;
	int r = 0;

	if (store)
		r = store_prices(store, mem, &p, &n, err);
	for (size_t i = 0; i < n && r >= 0; i++)
		r = catalog_add_price(catalog, &p[i], err);
	return r;
}
