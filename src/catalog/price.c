/* Price rows: the shipped files, rows added by users and updates, their order, which of them is in
 * force when. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <strings.h>
#include "base/num.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "catalog/in.h"

static const struct {
	const char *file, *provider; /* provider "" stands in the file's own column */
} files[FILE_N] = {
	[FILE_AWS] = { "prices_aws.csv", "aws" },
	[FILE_AZURE] = { "prices_azure.csv", "azure" },
	[FILE_GCP] = { "prices_gcp.csv", "gcp" },
	[FILE_NEO] = { "prices_neocloud.csv", "" },
};

bool price_file_serves(enum price_file f, const char *provider)
{
	if (!provider)
		return true;
	if (f != FILE_NEO)
		return !strcmp(provider, files[f].provider);
	for (int i = 0; i < FILE_NEO; i++)
		if (!strcmp(provider, files[i].provider))
			return false;
	return true;
}

/* ---- order ------------------------------------------------------------------------------- */

/* provider, type, model, region, zone, purchase, term, currency, rank */
static int key_cmp(const struct prow *x, const struct prow *y)
{
	int r = strcmp(x->provider, y->provider);
	if (!r)
		r = strcmp(x->instance_type, y->instance_type);
	if (!r)
		r = strcmp(x->gpu_model, y->gpu_model);
	if (!r)
		r = strcmp(x->region, y->region);
	if (!r)
		r = strcmp(x->zone, y->zone);
	if (!r)
		r = strcmp(x->purchase, y->purchase);
	if (!r)
		r = strcmp(x->term, y->term);
	if (!r)
		r = strcmp(x->currency, y->currency);
	if (r)
		return r;
	return (int)x->rank - (int)y->rank;
}

/* and from, seq */
static int prow_cmp(const void *a, const void *b)
{
	const struct prow *x = a, *y = b;
	int r = key_cmp(x, y);
	if (!r)
		r = cmp_i64(x->from_ms, y->from_ms);
	if (r)
		return r;
	return cmp_u64(x->seq, y->seq);
}

/* Sort, and end every row where the next one of its place begins; of several with the same start
 * the last one stays. */
static void put_in_order(struct prices *p)
{
	bool sorted = true;
	for (size_t i = 1; i < p->n && sorted; i++)
		sorted = prow_cmp(&p->v[i - 1], &p->v[i]) <= 0;
	if (!sorted)
		sort_items(p->v, p->n, sizeof *p->v, prow_cmp);
	for (size_t i = 0; i < p->n; i++) {
		struct prow *x = &p->v[i];
		x->to_ms = x->end_ms;
		if (i + 1 < p->n && key_cmp(x, x + 1) == 0 &&
		    (x->end_ms == UNKNOWN_MS || x->end_ms > x[1].from_ms))
			x->to_ms = x[1].from_ms;
	}
	p->sorted = true;
}

static int prow_cmp_instance(const struct prow *x, const char *provider, const char *instance_type)
{
	int r = strcmp(x->provider, provider);

	if (r)
		return r;
	return strcmp(x->instance_type, instance_type);
}

void prices_range(const struct prices *p, const char *provider, const char *instance_type,
		  size_t *ret_lo, size_t *ret_hi)
{
	*ret_lo = first_where(i, p->n, prow_cmp_instance(&p->v[i], provider, instance_type) >= 0);
	*ret_hi = first_where(i, p->n, prow_cmp_instance(&p->v[i], provider, instance_type) > 0);
}

/* Does the source itself say that this is no price to be had? */
static bool term_is_no_quote(const char *term)
{
	struct sv t = sv_of(term);
	return sv_is(t, CATALOG_PLACEHOLDER_TERM) || sv_is(t, CATALOG_FROM_TERM) ||
	       sv_ends(t, SV(" " CATALOG_FROM_TERM));
}

/* ---- shipped files ----------------------------------------------------------------------- */

static int read_time(const struct table *t, int i, const char *column, int64_t *ret,
		     struct err *err)
{
	if (!*t->cell[i]) {
		*ret = UNKNOWN_MS;
		return 0;
	}
	if (tm_parse(sv_of(t->cell[i]), 0, ret) < 0)
		return table_bad(t, column, t->cell[i], err);
	return 0;
}

static int read_row(const struct catalog *c, const struct table *t, const char *provider,
		    struct prow *p, const struct instance **last, struct err *err)
{
	const char *const *x = t->cell;
	*p = (struct prow){ .provider = provider,
			    .region = x[0],
			    .zone = x[1],
			    .instance_type = x[2],
			    .gpu_model = x[3],
			    .purchase = x[5],
			    .term = x[6],
			    .currency = x[8],
			    .source = x[11],
			    .no_quote = term_is_no_quote(x[6]),
			    .den = 1,
			    .lo_pct = -1,
			    .hi_pct = -1 };
	if (dec_parse(sv_of(x[7]), 0, &p->hour) < 0)
		return table_bad(t, "price_hour", x[7], err);
	if (read_time(t, 9, "from", &p->from_ms, err) < 0 ||
	    read_time(t, 10, "to", &p->end_ms, err) < 0)
		return -EBADMSG;
	p->as_of_ms = p->from_ms;
	for (size_t i = 0; i < c->sources.n; i++)
		if (!strcmp(c->sources.v[i].id, p->source)) {
			p->source = c->sources.v[i].name;
			p->as_of_ms = c->sources.v[i].as_of_ms;
			break;
		}
	/* GPU model and count: the row's own, else its instance type's */
	if (*p->gpu_model) {
		if (count_parse(sv_of(x[4]), &p->num, &p->den) < 0)
			return table_bad(t, "gpu_count", x[4], err);
		return 0;
	}
	if (!*last || strcmp((*last)->t.name, p->instance_type))
		*last = instance_find(c, p->provider, sv_of(p->instance_type));
	if (!*last)
		return table_bad(t, "instance_type", p->instance_type, err);
	p->gpu_model = text_or((*last)->t.gpu_model, "");
	p->no_gpu = !(*last)->t.gpu_model;
	p->num = (*last)->num;
	p->den = (*last)->den;
	return 0;
}

static int price_load(struct catalog *c, enum price_file f, struct err *err)
{
	static const char *const col[] = { "region",    "zone",       "instance_type",
					   "gpu_model", "gpu_count",  "purchase",
					   "term",      "price_hour", "currency",
					   "from",      "to",         "source",
					   "provider",  NULL };
	const char *columns[sizeof col / sizeof *col];
	struct prices *p = &c->shipped[f];
	const struct instance *last = NULL;
	struct table t;
	if (p->loaded)
		return 0;
	memcpy(columns, col, sizeof col);
	if (f != FILE_NEO)
		columns[12] = NULL;
	int r = table_open(&t, c->dir, files[f].file, columns, err);
	if (r < 0)
		return r;
	*vec_push(&c->texts) = t.text;
	p->n = 0;
	while ((r = table_next(&t, err)) > 0) {
		struct prow row;
		r = read_row(c, &t, f == FILE_NEO ? t.cell[12] : files[f].provider, &row, &last,
			     err);
		if (r < 0)
			return r;
		row.seq = (uint32_t)p->n;
		*vec_push(p) = row;
	}
	if (r < 0)
		return r;
	put_in_order(p);
	p->loaded = true;
	return 0;
}

int price_ready(struct catalog *c, const char *provider, struct err *err)
{
	for (int f = 0; f < FILE_N; f++) {
		int r = 0;
		if (price_file_serves((enum price_file)f, provider))
			r = price_load(c, (enum price_file)f, err);
		if (r < 0)
			return r;
	}
	int r = band_load(c, err);
	if (r < 0)
		return r;
	if (!c->added.sorted)
		put_in_order(&c->added);
	return 0;
}

/* ---- added rows -------------------------------------------------------------------------- */

static const char *keep_name(struct catalog *c, struct sv s)
{
	if (s.n)
		return intern_z(&c->names, intern_add(&c->names, s));
	return "";
}

const char *region_id(const struct catalog *c, const char *provider, struct sv region)
{
	char low[96];
	size_t n = 0;
	region = sv_trim(region);
	if (!region.n || sv_is(region, "*"))
		return "global";
	for (size_t i = 0; i < region.n && n < sizeof low; i++)
		if (region.p[i] != ' ' || strcmp(provider, "azure")) /* "East US" is "eastus" */
			low[n++] = (char)tolower((unsigned char)region.p[i]);
	struct intern *names = (struct intern *)&c->names; /* a cache, see catalog_provider() */
	return intern_z(names, intern_add(names, (struct sv){ low, n }));
}

int catalog_add_price(struct catalog *c, const struct price *in, struct err *err)
{
	struct prow p = { .from_ms = in->from_ms,
			  .end_ms = in->to_ms,
			  .as_of_ms = in->from_ms,
			  .hour = in->hour,
			  .upfront = in->upfront,
			  .lo_pct = in->interruption_lo_pct,
			  .hi_pct = in->interruption_hi_pct,
			  .seq = ++c->seq };
	if (in->from_ms == UNKNOWN_MS)
		return err_set(err, -EINVAL, "a price of '%.*s' has no day from which it holds",
			       SVF(in->provider));
	if (in->gpu_milli < 0 || in->hour < 0)
		return err_set(err, -EINVAL, "a price of '%.*s' is negative", SVF(in->provider));
	p.provider = catalog_provider(c, in->provider);
	p.region = region_id(c, p.provider, in->region);
	p.zone = keep_name(c, in->zone);
	p.instance_type = keep_name(c, in->instance_type);
	p.purchase = keep_name(c, in->purchase);
	p.term = keep_name(c, in->term);
	p.currency = in->currency.n ? keep_name(c, in->currency) : "USD";
	p.source = in->source.n ? keep_name(c, in->source) : "user";
	p.rank = sv_starts(in->source, SV("prices:")) ? RANK_FETCHED : RANK_USER;
	p.part = !strcmp(p.term, CATALOG_PART_TERM);
	p.no_quote = term_is_no_quote(p.term);

	/* which GPUs, and how many: as the row says, else as its instance type does */
	const struct gpu_spec *gpu = catalog_gpu(c, in->gpu_model);
	const struct instance *type = NULL;
	if (in->instance_type.n)
		type = instance_find(c, p.provider, in->instance_type);
	p.gpu_model = gpu ? gpu->model : keep_name(c, in->gpu_model);
	p.num = in->gpu_milli;
	p.den = 1000;
	if (type) {
		/* one spelling, so that the row meets the shipped ones */
		p.instance_type = type->t.name;
		if (!*p.gpu_model)
			p.gpu_model = text_or(type->t.gpu_model, "");
		if (p.num == type->t.gpu_milli || !p.num) {
			p.num = type->t.gpu_model ? type->num : 0;
			p.den = type->den;
		}
	}
	if (!p.num && !*p.instance_type)
		p.num = 1000; /* a model alone is the price of one GPU */
	p.no_gpu = !*p.gpu_model;

	if (!strcmp(p.term, CATALOG_BAND_TERM)) {
		*vec_push(&c->bands) = (struct band){ .provider = p.provider,
						      .region = p.region,
						      .instance_type = p.instance_type,
						      .from_ms = p.from_ms,
						      .lo_pct = p.lo_pct,
						      .hi_pct = p.hi_pct };
		c->bands_sorted = false;
		return 0;
	}
	*vec_push(&c->added) = p;
	c->added.sorted = false;
	return 0;
}

/* ---- out --------------------------------------------------------------------------------- */

const char *const catalog_binding[CATALOG_BINDING] = { "savings_plan", "reserved_1y",
						       "committed_1y", "reserved_3y",
						       "committed_3y" };

/* Years of the commitment, 0 = not known. A savings plan says them in its term. */
int catalog_term_years(const char *purchase, const char *term)
{
	const char *words[] = { purchase, term };
	for (int i = 0; i < 2; i++) {
		const char *digit = NULL;
		if (words[i])
			digit = strpbrk(words[i], "13");
		if (digit && strchr("yY_- ", digit[1]) && strcasestr(digit, "y"))
			return *digit - '0';
	}
	return 0;
}

void prow_out(const struct catalog *c, const struct prow *p, struct price_row *ret)
{
	*ret = (struct price_row){ .provider = p->provider,
				   .region = p->region,
				   .zone = filled_or(p->zone, NULL),
				   .instance_type = filled_or(p->instance_type, NULL),
				   .gpu_model = filled_or(p->gpu_model, NULL),
				   .purchase = filled_or(p->purchase, NULL),
				   .term = filled_or(p->term, NULL),
				   .currency = p->currency,
				   .source = p->source,
				   .gpu_milli = p->num && !p->no_gpu ? count_milli(p->num, p->den)
								     : 0,
				   .hour = p->hour,
				   .upfront = p->upfront,
				   .from_ms = p->from_ms,
				   .to_ms = p->to_ms,
				   .as_of_ms = p->as_of_ms,
				   .interruption_lo_pct = p->lo_pct,
				   .interruption_hi_pct = p->hi_pct,
				   .interruption_as_of_ms = UNKNOWN_MS,
				   .no_quote = p->no_quote,
				   .own = p->rank == RANK_USER };
	int years = 0;
	if (p->upfront > 0)
		years = catalog_term_years(p->purchase, p->term);
	ret->effective_hour = p->hour;
	if (years)
		ret->effective_hour += dec_muldiv(p->upfront, 1, (int64_t)years * 8760);
	if (p->num && !p->no_gpu)
		ret->gpu_hour = dec_muldiv(ret->effective_hour, p->den, p->num);
	if (p->to_ms != UNKNOWN_MS)
		ret->as_of_ms = p->to_ms;
	if (strcmp(p->purchase, "spot"))
		return;
	if (p->lo_pct >= 0) {
		ret->interruption_as_of_ms = p->from_ms;
		return;
	}
	const struct band *b = band_find((struct catalog *)c, p->provider, p->region,
					 p->instance_type, p->from_ms);
	if (b) {
		ret->interruption_lo_pct = b->lo_pct;
		ret->interruption_hi_pct = b->hi_pct;
		ret->interruption_as_of_ms = b->from_ms;
	}
}
