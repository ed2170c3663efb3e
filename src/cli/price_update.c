/* tare price update: what to ask the providers, and what came of it. */
#include "cli/price_update.h"

#include <errno.h>
#include <stdlib.h>

#include "base/jw.h"
#include "base/tm.h"
#include "book/price_update.h"

#define SINCE_DAYS 30 /* of spot history when --since is not given */

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

static void keys_of(struct price_fetch *f, struct sigv4_key *key)
{
	const char *id = getenv("AWS_ACCESS_KEY_ID"), *secret = getenv("AWS_SECRET_ACCESS_KEY"),
		   *google = getenv("TARE_GOOGLE_API_KEY");
	if (id && *id && secret && *secret) {
		*key = (struct sigv4_key){ id, secret, getenv("AWS_SESSION_TOKEN") };
		f->aws_key = key;
	}
	if (!google || !*google)
		google = getenv("GOOGLE_API_KEY");
	f->google_key = google && *google ? google : NULL;
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

/* ---- what came of it --------------------------------------------------------------------- */

static void print_json(const struct price_update *u, struct str *out)
{
	struct jw w;
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.price-update/1");
	jw_key(&w, "providers");
	jw_arr(&w);
	for (size_t i = 0; i < u->done.n; i++) {
		const struct price_update_done *o = &u->done.v[i];
		jw_obj(&w);
		jw_key(&w, "provider");
		jw_str(&w, o->provider);
		const struct {
			const char *key;
			int64_t v;
		} count[] = { { "rows_read", o->read },
			      { "rows_added", o->added },
			      { "rows_known", o->known },
			      { "rows_skipped", o->skipped } };
		for (size_t k = 0; k < sizeof count / sizeof *count; k++) {
			jw_key(&w, count[k].key);
			jw_int(&w, count[k].v);
		}
		jw_key(&w, "notes");
		jw_arr(&w);
		for (size_t k = 0; k < o->notes.n; k++)
			jw_str(&w, o->notes.v[k]);
		jw_end_arr(&w);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static void print_text(const struct price_update *u, bool dry, struct str *out)
{
	for (size_t i = 0; i < u->done.n; i++) {
		const struct price_update_done *o = &u->done.v[i];
		if (o->read)
			str_addf(
				out,
				"%-6s %lld rows read, %lld new prices%s, %lld known already, %lld of no GPU machine\n",
				o->provider, (long long)o->read, (long long)o->added,
				dry ? " (not kept)" : "", (long long)o->known,
				(long long)o->skipped);
		for (size_t k = 0; k < o->notes.n; k++)
			str_addf(out, "%s\n", o->notes.v[k]);
	}
}

/* ---- the command ------------------------------------------------------------------------- */

struct asking {
	struct cli *c;
	int code;
};

static void said(void *ctx, const char *line)
{
	cli_said(((struct asking *)ctx)->c, line);
}

static void failed(void *ctx, const struct err *err)
{
	((struct asking *)ctx)->code = cli_fail(err);
}

static int tell(struct cli *c, const struct price_update *u, int code)
{
	struct str out = { 0 };

	if (c->output == OUT_JSON)
		print_json(u, &out);
	else if (!c->quiet)
		print_text(u, c->dry_run, &out);
	int r = cli_write(&out);
	str_free(&out);
	return code == EXIT_DONE ? r : code;
}

int price_update_run(struct cli *c)
{
	struct asking a = { .c = c, .code = EXIT_DONE };
	struct price_update_opt o = { .dry_run = c->dry_run,
				      .provider = cli_value(c, "provider"),
				      .region = cli_value(c, "region"),
				      .conf = &c->conf,
				      .mem = &c->mem,
				      .said = said,
				      .failed = failed,
				      .ctx = &a };
	struct price_fetch *f = &o.fetch;
	struct sigv4_key key;
	struct catalog *catalog = NULL;
	struct price_update u = { 0 };
	struct err err = { 0 };
	int r = catalog_open(NULL, &catalog, &err), code;

	f->now_ms = c->now_ms;
	f->since_ms = c->since_ms > INT64_MIN ? c->since_ms : c->now_ms - SINCE_DAYS * MS_DAY;
	f->catalog = catalog;
	f->want = want_of(c);
	urls_of(c, f);
	keys_of(f, &key);
	if (r >= 0)
		r = http_new(NULL, &f->http, &err);
	if (r >= 0)
		r = cli_open_store(c, c->dry_run ? STORE_READ : STORE_WRITE, &o.store, &err);
	if (r == -ENOENT && c->dry_run)
		r = 0;
	r = r < 0 ? r : price_update(&o, &u, &err);
	code = r < 0 ? cli_fail(&err) : tell(c, &u, a.code);
	price_update_free(&u);
	if (o.store)
		store_close(o.store);
	http_free(f->http);
	catalog_free(catalog);
	return code;
}
