#include "answer/prices.h"

#include <stdlib.h>
#include <string.h>

#include "answer/stored_prices.h"

bool prices_only_owned(const struct prices_ask *a)
{
	const struct price_query *q = &a->query;
	bool placed = q->provider || q->region_glob || q->instance_type;
	bool sized = q->count_milli || q->min_vram_gib > 0;

	if (q->gpu || placed)
		return false;
	return a->owned && !q->npurchase && !sized;
}

static void insert_owned(const struct prices_ask *q, struct price_row *row, size_t *n)
{
	const struct gpu_spec *g = catalog_gpu(q->catalog, sv_of(q->query.gpu));
	dec hour = catalog_owned_gpu_hour(q->owned);
	size_t i = 0;

	for (; i < *n; i++) {
		bool dearer = row[i].gpu_hour > hour;
		if (!row[i].gpu_milli || row[i].no_quote || dearer)
			break;
	}
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

static bool is_of_gpu(const struct prices_ask *q, const struct not_offered *x)
{
	const struct instance_type *t = catalog_instance(q->catalog, sv_of(x->provider),
							 sv_of(x->instance_type));
	const struct gpu_spec *g[8];
	size_t n = q->query.gpu ? catalog_gpu_family(q->catalog, sv_of(q->query.gpu), g, 8) : 0;
	bool sized = !q->query.count_milli || (t && t->gpu_milli == q->query.count_milli);

	if (!sized)
		return false;
	for (size_t i = 0; i < n && t && t->gpu_model; i++)
		if (!strcmp(g[i]->model, t->gpu_model))
			return true;
	return !q->query.gpu;
}

/* Some other source has a price of it: an update, a file of the user's. */
static bool has_price(const struct not_offered *x, const struct price_row *row, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct price_row *p = &row[i];
		bool named = p->instance_type && p->purchase && p->region;
		bool there = !strcmp(x->region, "global") ||
			     (named && !strcmp(x->region, p->region));
		if (!named || !there || strcmp(p->provider, x->provider) != 0)
			continue;
		if (sv_ieq(sv_of(p->instance_type), sv_of(x->instance_type)) &&
		    not_offered_covers(x, p->purchase))
			return true;
	}
	return false;
}

static void add_not_offered(const struct prices_ask *q, const struct price_row *row, size_t n,
			    struct prices_answer *ret)
{
	const struct price_query *w = &q->query;
	const char *provider = w->provider ? catalog_provider(q->catalog, sv_of(w->provider))
					   : NULL;
	const struct not_offered *x;
	size_t many = 0;

	while (catalog_not_offered_at(q->catalog, many))
		many++;
	ret->none = arena_alloc(q->ask.mem, (many + 1) * sizeof *ret->none);
	for (size_t i = 0; (x = catalog_not_offered_at(q->catalog, i)) != NULL; i++) {
		bool here = !w->region_glob || !strcmp(x->region, "global") ||
			    sv_glob(sv_of(x->region), sv_of(w->region_glob));
		bool then = w->at_ms == UNKNOWN_MS || x->from_ms <= w->at_ms;
		bool named = !w->instance_type ||
			     sv_ieq(sv_of(w->instance_type), sv_of(x->instance_type));
		bool theirs = !provider || !strcmp(provider, x->provider);
		bool asked = !w->npurchase && w->instance_type;
		for (size_t k = 0; k < w->npurchase && !asked; k++)
			asked = not_offered_covers(x, w->purchase[k]);
		if (!named || !theirs || !asked)
			continue;
		if (!here || !then)
			continue;
		if (is_of_gpu(q, x) && !has_price(x, row, n))
			ret->none[ret->nnone++] = *x;
	}
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
		r = stored_prices_add(q->ask.store, q->catalog, q->ask.mem, err);
		if (r >= 0)
			r = catalog_prices(q->catalog, &listed, &row, &n, err);
	}
	if (r >= 0) {
		add_not_offered(q, row, n, &a);

		const struct price_query *w = &q->query;
		const char *provider = w->provider
					       ? catalog_provider(q->catalog, sv_of(w->provider))
					       : NULL;
		const struct commitment_terms *x;
		bool commits = false;
		size_t many = 0;

		for (size_t i = 0; i < w->npurchase; i++)
			commits |= purchase_terms(sv_of(w->purchase[i])).commitment ||
				   !strcmp(w->purchase[i], "capacity_block");
		while (catalog_terms_at(q->catalog, many))
			many++;
		a.terms = arena_alloc(q->ask.mem, (many + 1) * sizeof *a.terms);
		for (size_t i = 0; commits && (x = catalog_terms_at(q->catalog, i)) != NULL; i++)
			if (provider && !strcmp(provider, x->provider))
				a.terms[a.nterms++] = *x;

		/* The rows of the currency wanted, in order, with room for one more; the others are
		 * counted. */
		kept = arena_alloc(q->ask.mem, (n + 1) * sizeof *kept);
		for (size_t i = 0; i < n; i++)
			if (!strcmp(q->currency, "any") ||
			    sv_ieq(sv_of(q->currency), sv_of(row[i].currency)))
				kept[a.n++] = row[i];
			else {
				a.hidden++;
				a.hidden_currency = row[i].currency;
			}
		if (q->owned)
			insert_owned(q, kept, &a.n);
		a.row = kept;
		*ret = a;
	}
	free(row);
	if (r < 0)
		return r;
	return 0;
}
