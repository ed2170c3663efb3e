#include "book/price_update.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/tm.h"

/* ---- what is known already --------------------------------------------------------------- */

struct known_price {
	int64_t from_ms;
	dec hour, upfront;
	int lo_pct, hi_pct;
	int64_t next; /* earlier one of the same place, -1 */
};
struct known {
	struct intern key;
	VEC(int64_t) head; /* by number of the key */
	VEC(struct known_price) price;
};

static uint32_t known_key(struct known *k, const struct price *p)
{
	struct str s = { 0 };
	const struct sv part[] = {
		p->provider,  p->region,   p->zone, p->instance_type,
		p->gpu_model, p->purchase, p->term, sv_or(p->currency, SV("USD"))
	};
	for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
		str_addsv(&s, part[i]);
		str_addc(&s, '\n');
	}
	uint32_t id = intern_add(&k->key, str_sv(&s));
	str_free(&s);
	while (k->head.n <= id)
		*vec_push(&k->head) = -1;
	return id;
}

static void known_add(struct known *k, const struct price *p)
{
	uint32_t id = known_key(k, p);
	int64_t n = (int64_t)k->price.n;
	*vec_push(&k->price) = (struct known_price){
		p->from_ms,   p->hour, p->upfront, p->interruption_lo_pct, p->interruption_hi_pct,
		k->head.v[id]
	};
	k->head.v[id] = n;
}

/* Does the last row known up to that moment say the same? */
static bool known_has(struct known *k, const struct price *p)
{
	const struct known_price *last = NULL;
	uint32_t id = known_key(k, p); /* may move head */
	for (int64_t i = k->head.v[id]; i >= 0; i = k->price.v[i].next) {
		const struct known_price *x = &k->price.v[i];
		if (x->from_ms <= p->from_ms && (!last || x->from_ms > last->from_ms))
			last = x;
	}
	if (!last || last->hour != p->hour || last->upfront != p->upfront)
		return false;
	return last->lo_pct == p->interruption_lo_pct && last->hi_pct == p->interruption_hi_pct;
}

/* ---- one provider ------------------------------------------------------------------------ */

struct update {
	const struct price_update_opt *opt;
	struct store *store; /* NULL: a dry run */
	struct known known;
	struct price_fetch fetch;
	int (*ask)(struct price_fetch *f, struct err *err);
	const struct feed_sink *to; /* while asking */
	int64_t nknown;
};

static int on_price(void *ctx, const struct price *p, struct err *err)
{
	struct update *u = ctx;
	if (known_has(&u->known, p)) {
		u->nknown++;
		u->fetch.report->rows_kept--; /* counted as kept when it was handed on */
		return 0;
	}
	known_add(&u->known, p);
	return u->to->price(u->to->ctx, p, err);
}

static int run_update(void *ctx, const struct feed_sink *sink, struct feed_report *report,
		      struct err *err)
{
	struct update *u = ctx;
	const struct feed_sink own = { .ctx = u, .price = on_price };
	u->to = sink;
	u->fetch.sink = &own;
	u->fetch.report = report;
	return u->ask(&u->fetch, err);
}

static int update_provider(struct update *u, const char *provider, struct price_update_done *ret,
			   struct err *err)
{
	const struct price_update_opt *opt = u->opt;
	struct book_opt o = { .conf = opt->conf,
			      .command = "tare price update",
			      .at_ms = UNKNOWN_MS,
			      .now_ms = opt->fetch.now_ms,
			      .said = opt->said,
			      .progress_ctx = opt->ctx };
	const struct book_file *f = NULL;
	struct book *b = NULL;
	char day[TM_BUF];
	const char *name = arena_printf(opt->mem, "prices:%s:%s", provider,
					tm_format_date(day, opt->fetch.now_ms));
	u->nknown = 0;
	int r = book_begin(u->store, &o, &b, err);
	if (r >= 0)
		r = book_add_rows(b, &(struct book_rows){ name, "prices", run_update, u }, &f, err);
	if (r >= 0) {
		*ret = (struct price_update_done){ .provider = provider,
						   .read = f->report.rows_read,
						   .added = f->report.rows_kept,
						   .known = u->nknown,
						   .skipped = f->report.rows_skipped };
		for (size_t i = 0; i < f->report.notes.n; i++)
			*vec_push(&ret->notes) = arena_printf(opt->mem, "%s", f->report.notes.v[i]);
	}
	if (r >= 0 && u->store && ret->added > 0)
		r = book_commit(b, err);
	book_free(b);
	return r;
}

/* ---- what to ask ------------------------------------------------------------------------- */

static void add_region(struct arena *mem, const char ***list, size_t *n, struct sv name)
{
	for (size_t i = 0; i < *n; i++)
		if (sv_is(name, (*list)[i]))
			return;
	*list = xrealloc(*list, (*n + 1) * sizeof **list);
	(*list)[(*n)++] = arena_sv(mem, name);
}

/* Those named; without it the regions of the provider's nodes in the store. The list is
 * malloc'ed. */
static int regions_of(struct update *u, const char *provider, const char ***ret, size_t *ret_n,
		      struct err *err)
{
	struct sv rest = sv_of(u->opt->region);
	struct node *node;
	size_t n = 0;
	int r = 0;
	*ret = NULL;
	*ret_n = 0;
	while (rest.p) {
		struct sv name = sv_trim(sv_cut(rest, ',', &rest));
		if (!name.n)
			continue;

		/* One --region serves several providers, whose names look different: "us-east-1",
		 * "eastus", "us-east1". */
		bool dash = memchr(name.p, '-', name.n) != NULL,
		     numbered = name.n > 2 && name.p[name.n - 2] == '-',
		     fits = dash && numbered == !strcmp(provider, "aws");
		if (!strcmp(provider, "azure"))
			fits = !dash;
		if (fits)
			add_region(u->opt->mem, ret, ret_n, name);
	}
	if (!u->opt->region && u->opt->store)
		r = store_nodes(u->opt->store, NULL, u->opt->mem, &node, &n, err);
	for (size_t i = 0; i < n; i++)
		if (node[i].region.n &&
		    !strcmp(catalog_provider(u->fetch.catalog, node[i].provider), provider))
			add_region(u->opt->mem, ret, ret_n, node[i].region);
	return r;
}

static const struct {
	const char *provider;
	int (*ask)(struct price_fetch *f, struct err *err);
	bool needs_region;
} sources[] = {
	{ "aws", prices_aws_fetch, true },
	{ "azure", prices_azure_fetch, true },
	{ "gcp", prices_gcp_fetch, false },
};

/* 1 asked, 0 left out with a reason, negative = failed. */
static int ask_one(struct update *u, size_t i, bool named, struct price_update_done *ret,
		   struct err *err)
{
	const char *provider = sources[i].provider, **region = NULL;
	size_t nregion = 0;
	*ret = (struct price_update_done){ .provider = provider };
	if (!strcmp(provider, "gcp") && !u->fetch.google_key) {
		if (named) {
			err_set(err, -EACCES, "gcp: Google's catalogue wants an API key");
			err_hint(err, "set TARE_GOOGLE_API_KEY");
			return -EACCES;
		}
		*vec_push(&ret->notes) =
			"gcp: not asked: Google's catalogue wants an API key in TARE_GOOGLE_API_KEY";
		return 0;
	}
	int r = regions_of(u, provider, &region, &nregion, err);
	if (r >= 0 && !nregion && (sources[i].needs_region || u->opt->region)) {
		*vec_push(&ret->notes) = arena_printf(
			u->opt->mem,
			"%s: not asked: no region of it was named and the store has no node there",
			provider);
		if (named)
			r = err_set(err, -EINVAL, "%s: say which regions with --region", provider);
		free(region);
		return r;
	}
	u->ask = sources[i].ask;
	u->fetch.region = region;
	u->fetch.nregion = nregion;
	if (r >= 0)
		r = update_provider(u, provider, ret, err);
	free(region);
	if (r < 0)
		return r;
	return 1;
}

/* ---- all of them ------------------------------------------------------------------------- */

static bool is_named(const char *list, const char *provider)
{
	struct sv rest = sv_of(list);
	while (rest.p)
		if (sv_ieq(sv_trim(sv_cut(rest, ',', &rest)), sv_of(provider)))
			return true;
	return false;
}

int price_update(const struct price_update_opt *opt, struct price_update *ret, struct err *err)
{
	struct update u = { .opt = opt,
			    .store = opt->dry_run ? NULL : opt->store,
			    .fetch = opt->fetch };
	struct price *known;
	size_t nknown = 0;
	int r = price_fetch_open(&u.fetch, err);

	*ret = (struct price_update){ 0 };
	if (r < 0)
		return r;
	if (opt->store)
		r = store_prices(opt->store, opt->mem, &known, &nknown, err);
	for (size_t i = 0; i < nknown; i++)
		if (sv_starts(known[i].source, SV("prices:")))
			known_add(&u.known, &known[i]);
	for (size_t i = 0; r >= 0 && i < sizeof sources / sizeof *sources; i++) {
		struct price_update_done done;
		struct err failed = { 0 };
		if (opt->provider && !is_named(opt->provider, sources[i].provider))
			continue;
		if (ask_one(&u, i, opt->provider != NULL, &done, &failed) < 0) {
			opt->failed(opt->ctx, &failed);
			vec_free(&done.notes);
		} else {
			*vec_push(&ret->done) = done;
		}
	}
	intern_free(&u.known.key);
	vec_free(&u.known.head);
	vec_free(&u.known.price);
	price_fetch_close(&u.fetch);
	if (r < 0)
		return r;
	return 0;
}

void price_update_free(struct price_update *u)
{
	for (size_t i = 0; i < u->done.n; i++)
		vec_free(&u->done.v[i].notes);
	vec_free(&u->done);
}
