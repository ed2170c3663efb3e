/* tare price update: what to ask the providers, and what came of it. */
#include "cli/price_update.h"

#include <errno.h>
#include <stdlib.h>

#include "base/str.h"
#include "base/tm.h"
#include "report/prices/price_update.h"

#define SINCE_DAYS 30 /* of spot history when --since is not given */

/* ---- the command ------------------------------------------------------------------------- */

struct asking {
	struct cli *c;
	int code;
};

static void show_said(void *ctx, const char *line)
{
	cli_said(((struct asking *)ctx)->c, line);
}

static void tell_failed(void *ctx, const struct err *err)
{
	((struct asking *)ctx)->code = cli_fail(err);
}

static int tell_update(struct cli *c, const struct price_update *u, int code)
{
	struct str out = { 0 };

	if (c->output == OUT_JSON || !c->quiet)
		price_update_print(u, c->dry_run, c->output, &out);
	int r = cli_write(&out);
	str_free(&out);
	if (code == EXIT_DONE)
		return r;
	return code;
}

int price_update_run(struct cli *c, const char *provider, const char *region,
		     const struct opt_list *purchase, const char *const *url)
{
	struct asking a = { .c = c, .code = EXIT_DONE };
	struct price_update_opt o = { .dry_run = c->dry_run,
				      .provider = provider,
				      .region = region,
				      .conf = &c->conf,
				      .mem = &c->mem,
				      .said = show_said,
				      .failed = tell_failed,
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
	/* --purchase narrows what AWS is asked, whose lists are big; savings plans only come when
	 * named. */
	for (size_t i = 0; i < purchase->n; i++) {
		if (!strcmp(purchase->v[i], "savings_plan"))
			f->want |= PRICE_SAVINGS;
		else if (!strcmp(purchase->v[i], "spot"))
			f->want |= PRICE_SPOT;
		else
			f->want |= PRICE_LIST;
	}
	for (int i = 0; i < URL_N; i++)
		f->url[i] = url[i];
	const char *id = getenv("AWS_ACCESS_KEY_ID"), *secret = getenv("AWS_SECRET_ACCESS_KEY"),
		   *google = getenv("TARE_GOOGLE_API_KEY");
	if (*text_or(id, "") && *text_or(secret, "")) {
		key = (struct sigv4_key){ id, secret, getenv("AWS_SESSION_TOKEN") };
		f->aws_key = &key;
	}
	if (!google || !*google)
		google = getenv("GOOGLE_API_KEY");
	f->google_key = filled_or(google, NULL);
	if (r >= 0)
		r = cli_open_store(c, c->dry_run ? STORE_READ : STORE_WRITE, &o.store, &err);
	if (r == -ENOENT && c->dry_run)
		r = 0;
	if (r >= 0)
		r = price_update(&o, &u, &err);
	code = r < 0 ? cli_fail(&err) : tell_update(c, &u, a.code);
	price_update_free(&u);
	if (o.store)
		store_close(o.store);
	catalog_free(catalog);
	return code;
}
