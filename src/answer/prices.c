#include "answer/prices.h"

#include <stdlib.h>
#include <string.h>

bool prices_only_owned(const struct prices_ask *a)
{
	const struct price_query *q = &a->query;
	bool placed = q->provider || q->region_glob || q->instance_type,
	     sized = q->count_milli || q->min_vram_gib > 0;

	return a->owned && !q->gpu && !placed && !q->npurchase && !sized;
}

/* Prices of the user's files and of updates. */
static int add_stored(const struct prices_ask *q, struct err *err)
{
	struct price *p;
	size_t n = 0;
	int r = q->ask.store ? store_prices(q->ask.store, q->ask.mem, &p, &n, err) : 0;

	for (size_t i = 0; i < n && r >= 0; i++)
		r = catalog_add_price(q->catalog, &p[i], err);
	return r;
}

/* The rows of the currency wanted, in order, with room for one more; the others are counted. */
static struct price_row *only_currency(const struct prices_ask *q, const struct price_row *row,
				       size_t n, struct prices_answer *ret)
{
	struct price_row *kept = arena_alloc(q->ask.mem, (n + 1) * sizeof *kept);

	for (size_t i = 0; i < n; i++) {
		if (!strcmp(q->currency, "any") ||
		    sv_ieq(sv_of(q->currency), sv_of(row[i].currency))) {
			kept[ret->n++] = row[i];
			continue;
		}
		ret->hidden++;
		ret->hidden_currency = row[i].currency;
	}
	return kept;
}

static void insert_owned(const struct prices_ask *q, struct price_row *row, size_t *n)
{
	const struct gpu_spec *g = catalog_gpu(q->catalog, sv_of(q->query.gpu));
	dec hour = catalog_owned_gpu_hour(q->owned);
	size_t i = 0;

	while (i < *n && row[i].gpu_milli && !row[i].no_quote && row[i].gpu_hour <= hour)
		i++;
	memmove(row + i + 1, row + i, (*n - i) * sizeof *row);
	row[i] = (struct price_row){ .provider = "owned",
				     .gpu_model = g ? g->model : NULL,
				     .purchase = "owned",
				     .currency = "USD",
				     .source = "--owned",
				     .gpu_milli = 1000,
				     .hour = hour,
				     .effective_hour = hour,
				     .gpu_hour = hour,
				     .from_ms = UNKNOWN_MS,
				     .to_ms = UNKNOWN_MS,
				     .as_of_ms = q->ask.now_ms,
				     .interruption_lo_pct = -1,
				     .interruption_hi_pct = -1,
				     .interruption_as_of_ms = UNKNOWN_MS };
	(*n)++;
}

int answer_prices(const struct prices_ask *q, struct prices_answer *ret, struct err *err)
{
	struct prices_answer a = { .at_ms = q->query.at_ms, .history = q->query.history };
	struct price_query listed = q->query;
	struct price_row *row = NULL, *kept;
	size_t n = 0;
	int r = 0;

	listed.no_quotes = true; /* a list shows facts; the term says what such a row is */
	if (!prices_only_owned(q)) {
		r = add_stored(q, err);
		r = r < 0 ? r : catalog_prices(q->catalog, &listed, &row, &n, err);
	}
	if (r >= 0) {
		kept = only_currency(q, row, n, &a);
		if (q->owned)
			insert_owned(q, kept, &a.n);
		a.row = kept;
		*ret = a;
	}
	free(row);
	return r < 0 ? r : 0;
}
