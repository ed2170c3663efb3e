/* What providers do not sell, and on what terms they commit: data/not_offered.csv and
 * data/commitment_terms.csv. A data folder without them knows nothing of either. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <strings.h>
#include <unistd.h>
#include "base/str.h"
#include "base/tm.h"
#include "catalog/in.h"

static bool is_there(const struct catalog *c, const char *file)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof path, "%s/%s", c->dir, file);

	return n > 0 && (size_t)n < sizeof path && access(path, F_OK) == 0;
}

static int load_not_offered(struct catalog *c, struct err *err)
{
	static const char *const col[] = { "provider", "region", "instance_type",
					   "purchase", "from",   "source",
					   NULL };
	struct table t;
	int r = table_open(&t, c->dir, "not_offered.csv", col, err);

	if (r < 0)
		return r;
	*vec_push(&c->texts) = t.text;
	while ((r = table_next(&t, err)) > 0) {
		struct not_offered *x = vec_push(&c->not_offered);
		*x = (struct not_offered){ .provider = t.cell[0],
					   .region = t.cell[1],
					   .instance_type = t.cell[2],
					   .purchase = t.cell[3],
					   .source = source_name(c, t.cell[5]) };
		if (tm_parse(sv_of(t.cell[4]), 0, &x->from_ms) < 0)
			return table_bad(&t, "from", t.cell[4], err);
	}
	return r;
}

static int load_terms(struct catalog *c, struct err *err)
{
	static const char *const col[] = { "provider", "mechanism",     "terms",
					   "payment",  "discount_text", "max_discount_pct",
					   "as_of",    "source",        NULL };
	struct table t;
	int r = table_open(&t, c->dir, "commitment_terms.csv", col, err);

	if (r < 0)
		return r;
	*vec_push(&c->texts) = t.text;
	while ((r = table_next(&t, err)) > 0) {
		struct commitment_terms *x = vec_push(&c->terms);
		*x = (struct commitment_terms){ .provider = t.cell[0],
						.mechanism = t.cell[1],
						.terms = filled_or(t.cell[2], NULL),
						.payment = filled_or(t.cell[3], NULL),
						.discount = filled_or(t.cell[4], NULL),
						.as_of_ms = UNKNOWN_MS,
						.source = t.cell[7] };
		if (table_f64(&t, 5, &x->max_discount_pct, err) < 0)
			return -EBADMSG;
		if (*t.cell[6] && tm_parse(sv_of(t.cell[6]), 0, &x->as_of_ms) < 0)
			return table_bad(&t, "as_of", t.cell[6], err);
	}
	return r;
}

int offers_load(struct catalog *c, struct err *err)
{
	int r = 0;

	if (is_there(c, "not_offered.csv"))
		r = load_not_offered(c, err);
	if (r >= 0 && is_there(c, "commitment_terms.csv"))
		r = load_terms(c, err);
	return r;
}

const struct not_offered *catalog_not_offered_at(const struct catalog *c, size_t i)
{
	if (i < c->not_offered.n)
		return &c->not_offered.v[i];
	return NULL;
}

const struct commitment_terms *catalog_terms_at(const struct catalog *c, size_t i)
{
	if (i < c->terms.n)
		return &c->terms.v[i];
	return NULL;
}

bool not_offered_covers(const struct not_offered *x, const char *purchase)
{
	enum commitment a = purchase_terms(sv_of(x->purchase)).commitment,
			b = purchase_terms(sv_of(purchase)).commitment;

	if (a)
		return a == b;
	return !strcmp(x->purchase, purchase);
}

const struct not_offered *catalog_not_offered(const struct catalog *c, const char *provider,
					      const char *region, const char *instance_type,
					      const char *purchase, int64_t at_ms)
{
	for (size_t i = 0; i < c->not_offered.n; i++) {
		const struct not_offered *x = &c->not_offered.v[i];
		bool here = !strcmp(x->region, "global") ||
			    (region && !strcasecmp(x->region, region));
		bool then = at_ms == UNKNOWN_MS || x->from_ms <= at_ms;
		if (here && then && !strcmp(x->provider, provider) &&
		    !strcasecmp(x->instance_type, instance_type) && not_offered_covers(x, purchase))
			return x;
	}
	return NULL;
}

const struct not_offered *catalog_not_committed(const struct catalog *c, const char *provider,
						const char *region, const char *instance_type,
						int64_t at_ms)
{
	const struct not_offered *x = catalog_not_offered(c, provider, region, instance_type,
							  "reserved", at_ms);

	if (x)
		return x;
	return catalog_not_offered(c, provider, region, instance_type, "committed", at_ms);
}
