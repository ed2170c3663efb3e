/*
 * tare price update: dated prices from the providers' own interfaces into the store. History is
 * never overwritten: a row is added where a price differs from the one known for that moment, so
 * asking twice adds nothing. A provider's rows are in whole or not at all.
 */
#include <errno.h>
#include <stdlib.h>
#include "base/jw.h"
#include "base/tm.h"
#include "book/book.h"
#include "cli/price_update.h"
#include "feed/prices.h"

#define SINCE_DAYS 30 /* of spot history when --since is not given */

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
	const struct sv part[] = { p->provider,  p->region,
				   p->zone,      p->instance_type,
				   p->gpu_model, p->purchase,
				   p->term,      p->currency.n ? p->currency : SV("USD") };
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
	return last && last->hour == p->hour && last->upfront == p->upfront &&
	       last->lo_pct == p->interruption_lo_pct && last->hi_pct == p->interruption_hi_pct;
}

static void known_free(struct known *k)
{
	intern_free(&k->key);
	vec_free(&k->head);
	vec_free(&k->price);
}

/* ---- one provider ------------------------------------------------------------------------ */

struct update {
	struct cli *cli;
	struct store *store; /* NULL: a dry run without a store */
	struct catalog *catalog;
	struct known known;
	struct price_fetch fetch;
	int (*ask)(struct price_fetch *f, struct err *err);
	const struct feed_sink *to; /* while asking */
	int64_t nknown;
	struct sigv4_key key;
};
struct outcome {
	const char *provider;
	int64_t read, added, known, skipped;
	VEC(const char *) notes;
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

static int run(void *ctx, const struct feed_sink *sink, struct feed_report *report, struct err *err)
{
	struct update *u = ctx;
	const struct feed_sink own = { .ctx = u, .price = on_price };
	u->to = sink;
	u->fetch.sink = &own;
	u->fetch.report = report;
	return u->ask(&u->fetch, err);
}

static int update_provider(struct update *u, const char *provider, struct outcome *ret,
			   struct err *err)
{
	struct cli *c = u->cli;
	struct book_opt o = { .conf = &c->conf,
			      .command = "tare price update",
			      .at_ms = UNKNOWN_MS,
			      .now_ms = c->now_ms,
			      .said = cli_said,
			      .progress_ctx = c };
	const struct book_file *f = NULL;
	struct book *b = NULL;
	char day[TM_BUF];
	const char *name = arena_printf(&c->mem, "prices:%s:%s", provider,
					tm_format_date(day, c->now_ms));
	u->nknown = 0;
	int r = book_begin(u->store, &o, &b, err);
	if (r >= 0)
		r = book_add_rows(b, name, "prices", run, u, &f, err);
	if (r >= 0) {
		*ret = (struct outcome){ .provider = provider,
					 .read = f->report.rows_read,
					 .added = f->report.rows_kept,
					 .known = u->nknown,
					 .skipped = f->report.rows_skipped };
		for (size_t i = 0; i < f->report.notes.n; i++)
			*vec_push(&ret->notes) = arena_printf(&c->mem, "%s", f->report.notes.v[i]);
	}
	if (r >= 0 && u->store && ret->added > 0)
		r = book_commit(b, err);
	book_free(b);
	return r;
}

/* ---- what to ask ------------------------------------------------------------------------- */

/* One --region serves several providers, whose names look different: "us-east-1", "eastus",
 * "us-east1". */
static bool region_fits(const char *provider, struct sv name)
{
	bool dash = memchr(name.p, '-', name.n) != NULL,
	     numbered = name.n > 2 && name.p[name.n - 2] == '-';
	if (!strcmp(provider, "azure"))
		return !dash;
	return dash && numbered == !strcmp(provider, "aws");
}

static void add_region(struct cli *c, const char ***list, size_t *n, struct sv name)
{
	for (size_t i = 0; i < *n; i++)
		if (sv_is(name, (*list)[i]))
			return;
	*list = xrealloc(*list, (*n + 1) * sizeof **list);
	(*list)[(*n)++] = arena_sv(&c->mem, name);
}

/* --region R,...; without it the regions of the provider's nodes in the store. The list is
 * malloc'ed. */
static int regions_of(struct update *u, const char *provider, const char ***ret, size_t *ret_n,
		      struct err *err)
{
	struct sv rest = sv_of(cli_value(u->cli, "region"));
	struct node *node;
	size_t n = 0;
	int r = 0;
	*ret = NULL;
	*ret_n = 0;
	while (rest.p) {
		struct sv name = sv_trim(sv_cut(rest, ',', &rest));
		if (name.n && region_fits(provider, name))
			add_region(u->cli, ret, ret_n, name);
	}
	if (!cli_value(u->cli, "region") && u->store)
		r = store_nodes(u->store, NULL, &u->cli->mem, &node, &n, err);
	for (size_t i = 0; i < n; i++)
		if (node[i].region.n &&
		    !strcmp(catalog_provider(u->catalog, node[i].provider), provider))
			add_region(u->cli, ret, ret_n, node[i].region);
	return r;
}

static void urls_of(struct cli *c, struct price_fetch *f)
{
	static const char *const name[URL_N] = { [URL_AWS_LIST] = "price-url-aws",
						 [URL_AWS_EC2] = "price-url-aws-ec2",
						 [URL_AWS_ADVISOR] = "price-url-aws-advisor",
						 [URL_AZURE] = "price-url-azure",
						 [URL_GCP] = "price-url-gcp" };
	for (int i = 0; i < URL_N; i++)
		f->url[i] = cli_value(c, name[i]);
}

static void keys_of(struct update *u)
{
	const char *id = getenv("AWS_ACCESS_KEY_ID"), *secret = getenv("AWS_SECRET_ACCESS_KEY"),
		   *google = getenv("TARE_GOOGLE_API_KEY");
	if (id && *id && secret && *secret) {
		u->key = (struct sigv4_key){ id, secret, getenv("AWS_SESSION_TOKEN") };
		u->fetch.aws_key = &u->key;
	}
	if (!google || !*google)
		google = getenv("GOOGLE_API_KEY");
	u->fetch.google_key = google && *google ? google : NULL;
}

/* --purchase narrows what AWS is asked, whose lists are big; savings plans only come when named. */
static unsigned want_of(struct cli *c)
{
	struct sv rest = sv_of(cli_value(c, "purchase"));
	unsigned want = 0;
	while (rest.p) {
		struct sv w = sv_trim(sv_cut(rest, ',', &rest));
		if (sv_is(w, "savings_plan"))
			want |= PRICE_SAVINGS;
		else if (sv_is(w, "spot"))
			want |= PRICE_SPOT;
		else if (w.n)
			want |= PRICE_LIST;
	}
	return want;
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
static int ask_one(struct update *u, size_t i, bool named, struct outcome *ret, struct err *err)
{
	const char *provider = sources[i].provider, **region = NULL;
	size_t nregion = 0;
	*ret = (struct outcome){ .provider = provider };
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
	if (r >= 0 && !nregion && (sources[i].needs_region || cli_value(u->cli, "region"))) {
		*vec_push(&ret->notes) = arena_printf(
			&u->cli->mem,
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
	return r < 0 ? r : 1;
}

/* ---- what came of it --------------------------------------------------------------------- */

static void print_json(const struct outcome *o, size_t n, struct str *out)
{
	struct jw w;
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.price-update/1");
	jw_key(&w, "providers");
	jw_arr(&w);
	for (size_t i = 0; i < n; i++) {
		jw_obj(&w);
		jw_key(&w, "provider");
		jw_str(&w, o[i].provider);
		const struct {
			const char *key;
			int64_t v;
		} count[] = { { "rows_read", o[i].read },
			      { "rows_added", o[i].added },
			      { "rows_known", o[i].known },
			      { "rows_skipped", o[i].skipped } };
		for (size_t k = 0; k < sizeof count / sizeof *count; k++) {
			jw_key(&w, count[k].key);
			jw_int(&w, count[k].v);
		}
		jw_key(&w, "notes");
		jw_arr(&w);
		for (size_t k = 0; k < o[i].notes.n; k++)
			jw_str(&w, o[i].notes.v[k]);
		jw_end_arr(&w);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static void print_text(const struct outcome *o, size_t n, bool dry, struct str *out)
{
	for (size_t i = 0; i < n; i++) {
		if (o[i].read)
			str_addf(
				out,
				"%-6s %lld rows read, %lld new prices%s, %lld known already, %lld of no GPU machine\n",
				o[i].provider, (long long)o[i].read, (long long)o[i].added,
				dry ? " (not kept)" : "", (long long)o[i].known,
				(long long)o[i].skipped);
		for (size_t k = 0; k < o[i].notes.n; k++)
			str_addf(out, "%s\n", o[i].notes.v[k]);
	}
}

static int load_known(struct update *u, struct err *err)
{
	struct price *p;
	size_t n = 0;
	int r = u->store ? store_prices(u->store, &u->cli->mem, &p, &n, err) : 0;
	for (size_t i = 0; i < n; i++)
		if (sv_starts(p[i].source, SV("prices:")))
			known_add(&u->known, &p[i]);
	return r;
}

static bool is_named(const char *list, const char *provider)
{
	struct sv rest = sv_of(list);
	while (rest.p)
		if (sv_ieq(sv_trim(sv_cut(rest, ',', &rest)), sv_of(provider)))
			return true;
	return false;
}

/* All named (or all) providers, one after the other; those that answered stay in when another
 * fails. */
static int ask_all(struct update *u)
{
	struct cli *c = u->cli;
	const char *named = cli_value(c, "provider");
	struct outcome o[3];
	struct str out = { 0 };
	size_t n = 0;
	int code = EXIT_DONE;
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
		struct err err = { 0 };
		if (named && !is_named(named, sources[i].provider))
			continue;
		int r = ask_one(u, i, named != NULL, &o[n], &err);
		if (r < 0)
			code = cli_fail(&err);
		else
			n++;
		if (r < 0)
			vec_free(&o[n].notes);
	}
	if (c->output == OUT_JSON)
		print_json(o, n, &out);
	else if (!c->quiet)
		print_text(o, n, c->dry_run, &out);
	int r = cli_write(&out);
	for (size_t i = 0; i < n; i++)
		vec_free(&o[i].notes);
	str_free(&out);
	return code == EXIT_DONE ? r : code;
}

int price_update(struct cli *c)
{
	struct update u = { .cli = c };
	struct http *http = NULL;
	struct err err = { 0 };
	u.fetch = (struct price_fetch){ .now_ms = c->now_ms,
					.since_ms = c->since_ms > INT64_MIN
							    ? c->since_ms
							    : c->now_ms - SINCE_DAYS * MS_DAY };
	urls_of(c, &u.fetch);
	keys_of(&u);
	u.fetch.want = want_of(c);
	int r = catalog_open(NULL, &u.catalog, &err);
	if (r >= 0)
		r = http_new(NULL, &http, &err);
	if (r >= 0)
		r = cli_open_store(c, c->dry_run ? STORE_READ : STORE_WRITE, &u.store, &err);
	if (r == -ENOENT && c->dry_run)
		r = 0;
	if (r >= 0)
		r = load_known(&u, &err);
	if (c->dry_run) {
		store_close(u.store);
		u.store = NULL;
	}
	u.fetch.catalog = u.catalog;
	u.fetch.http = http;
	int code = r < 0 ? cli_fail(&err) : ask_all(&u);
	if (u.store)
		store_close(u.store);
	known_free(&u.known);
	http_free(http);
	catalog_free(u.catalog);
	return code;
}
