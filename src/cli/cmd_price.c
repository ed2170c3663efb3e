/* tare price: what GPUs cost, when and where; what owned ones cost; asking the providers. */
#include <errno.h>
#include "answer/prices.h"
#include "base/tm.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/price_update.h"
#include "report/prices.h"

#define TABLE_ROWS 40

/* ---- owned hardware ---------------------------------------------------------------------- */

static int owned_key(struct owned_terms *t, struct sv key, struct sv value)
{
	const struct {
		const char *key;
		dec *money;
		double *number;
	} k[] = {
		{ "purchase", &t->purchase, NULL },
		{ "residual", &t->residual, NULL },
		{ "usd_kwh", &t->usd_kwh, NULL },
		{ "other_usd_month", &t->other_usd_month, NULL },
		{ "years", NULL, &t->years },
		{ "power_w", NULL, &t->power_w },
		{ "pue", NULL, &t->pue },
		{ "hours_year", NULL, &t->utilisation_hours_year },
	};
	for (size_t i = 0; i < sizeof k / sizeof *k; i++)
		if (sv_is(key, k[i].key))
			return k[i].money ? dec_parse(value, 0, k[i].money)
					  : sv_f64(value, k[i].number);
	return -ENOENT;
}

/* "purchase=30000,years=4,residual=3000,power_w=700,pue=1.4,usd_kwh=0.12" */
static int parse_owned(const char *text, struct owned_terms *t, struct err *err)
{
	struct sv rest = sv_of(text);
	*t = (struct owned_terms){ .pue = 1 };
	while (rest.p) {
		struct sv value, pair = sv_trim(sv_cut(rest, ',', &rest)),
				 key = sv_trim(sv_cut(pair, '=', &value));
		if (!pair.n)
			continue;
		int r = owned_key(t, key, sv_trim(value));
		if (r == -ENOENT) {
			err_set(err, -EINVAL, "--owned: '%.*s' is none of its keys", SVF(key));
			err_hint(
				err,
				"the keys are purchase, years, residual, power_w, pue, usd_kwh, other_usd_month, hours_year");
			return -EINVAL;
		}
		if (r < 0)
			return err_set(err, -EINVAL, "--owned: '%.*s' is no number for '%.*s'",
				       SVF(value), SVF(key));
	}
	/* a century and a megawatt are typing errors */
	if (!(t->years > 0 && t->years <= 100) || t->purchase <= 0 || t->residual < 0 ||
	    t->residual > t->purchase)
		return err_set(
			err, -EINVAL,
			"--owned wants a purchase price, years, and a residual value between nothing and the price");
	if (!(t->power_w >= 0 && t->power_w <= 1e6) || !(t->pue >= 1 && t->pue <= 10) ||
	    t->usd_kwh < 0 || t->other_usd_month < 0 ||
	    !(t->utilisation_hours_year >= 0 && t->utilisation_hours_year <= 8784))
		return err_set(
			err, -EINVAL,
			"--owned: power, PUE (1 to 10), $/kWh and hours a year (to 8784) must be what a data centre can have");
	return 0;
}

/* ---- what is asked ----------------------------------------------------------------------- */

static int purchases_of(struct cli *c, struct price_query *q, struct err *err)
{
	struct sv rest = sv_of(cli_value(c, "purchase"));
	const char **word = arena_alloc(&c->mem, (rest.n / 2 + 2) * sizeof *word);
	while (rest.p) {
		struct sv w = sv_trim(sv_cut(rest, ',', &rest));
		if (!w.n)
			continue;
		if (!purchase_is_known(w)) {
			err_set(err, -EINVAL, "--purchase: '%.*s' is no way to buy", SVF(w));
			err_hint(
				err,
				"the words are on_demand spot reserved_1y reserved_3y committed_1y committed_3y savings_plan owned");
			return -EINVAL;
		}
		word[q->npurchase++] = arena_sv(&c->mem, w);
	}
	q->purchase = word;
	return 0;
}

static int query_of(struct cli *c, struct price_query *q, struct err *err)
{
	const char *count = cli_value(c, "count"), *vram = cli_value(c, "min-vram"),
		   *at = cli_value(c, "at");
	dec n;
	*q = (struct price_query){ .gpu = cli_value(c, "gpu"),
				   .provider = cli_value(c, "provider"),
				   .region_glob = cli_value(c, "region"),
				   .instance_type = cli_value(c, "instance"),
				   .currency = "*",
				   .at_ms = c->now_ms,
				   .history = cli_flag(c, "history"),
				   .parts = cli_flag(c, "parts"),
				   .accelerators = cli_flag(c, "accelerators") };
	if (count && (dec_parse(sv_of(count), 0, &n) < 0 || n <= 0 || n > DEC_ONE * 1000000))
		return err_set(err, -EINVAL, "--count: '%s' is no number of GPUs", count);
	if (count)
		q->count_milli = (int64_t)((n * 1000 + DEC_ONE / 2) / DEC_ONE);
	if (vram && (sv_f64(sv_of(vram), &q->min_vram_gib) < 0 || !(q->min_vram_gib >= 0)))
		return err_set(err, -EINVAL, "--min-vram: '%s' is no size in GiB", vram);
	if (at && tm_parse(sv_of(at), 0, &q->at_ms) < 0)
		return err_set(err, -EINVAL,
			       "--at: '%s' is no time such as 2026-11-20 or 2026-11-20T12:00:00Z",
			       at);
	return purchases_of(c, q, err);
}

static int limit_of(struct cli *c, size_t *ret, struct err *err)
{
	const char *limit = cli_value(c, "limit");
	int64_t n;

	if (limit && (sv_i64(sv_of(limit), &n) < 0 || n < 0))
		return err_set(err, -EINVAL, "--limit: '%s' is no number of rows", limit);
	if (limit)
		*ret = (size_t)n;
	return 0;
}

static int list(struct cli *c, struct catalog *cat, struct str *out, struct err *err)
{
	const char *currency = cli_value(c, "currency"), *owned = cli_value(c, "owned");
	struct prices_ask q = { .catalog = cat, .currency = currency ? currency : "USD" };
	struct prices_answer a;
	struct owned_terms terms;
	struct out_as as = cli_out_as(c);
	struct store *store = NULL;
	size_t limit = TABLE_ROWS;
	int r = query_of(c, &q.query, err);

	r = r < 0 ? r : limit_of(c, &limit, err);
	if (r >= 0 && owned) {
		r = parse_owned(owned, &terms, err);
		q.owned = &terms;
	}
	if (r >= 0 && !prices_only_owned(&q)) {
		r = cli_open_store(c, STORE_READ, &store, err);
		r = r == -ENOENT ? 0 : r; /* without a store there are only the shipped prices */
	}
	q.ask = cli_ask(c, store, cat);
	r = r < 0 ? r : answer_prices(&q, &a, err);
	if (r >= 0)
		prices_print(&a, limit, &as, out);
	if (store)
		store_close(store);
	return r;
}

static int run(struct cli *c)
{
	struct catalog *cat = NULL;
	struct err err = { 0 };
	struct str out = { 0 };
	if (c->narg == 1 && !strcmp(c->arg[0], "update"))
		return price_update_run(c);
	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	int r = catalog_open(NULL, &cat, &err);
	if (r >= 0)
		r = list(c, cat, &out, &err);
	int code = r < 0 ? cli_fail(&err) : cli_write(&out);
	str_free(&out);
	catalog_free(cat);
	return code;
}

static const struct cli_opt opts[] = {
	{ "gpu", "MODEL", "GPU in any spelling; \"A100\" means all kinds of A100", 0, false, NULL },
	{ "count", "N", "machines with exactly this many GPUs (fractions too: 0.125)", 0, false,
	  NULL },
	{ "min-vram", "GIB", "at least this much memory per GPU", 0, false, NULL },
	{ "provider", "P",
	  "aws, azure, gcp, coreweave, lambda, ...; update: a list of aws, azure, gcp", 0, false,
	  NULL },
	{ "region", "GLOB", "regions, such as 'us-*'; update: names, separated by commas", 0, false,
	  NULL },
	{ "purchase", "P[,P...]",
	  "on_demand, spot, reserved_1y, reserved_3y, committed_1y, committed_3y, savings_plan, owned",
	  0, false, NULL },
	{ "instance", "TYPE", "one instance type", 0, false, NULL },
	{ "at", "T", "prices in force at this instant (default: now)", 0, false, NULL },
	{ "history", NULL, "every price over time", 0, false, NULL },
	{ "currency", "CUR", "prices in this currency (default: USD), or any", 0, false, NULL },
	{ "limit", "N", "rows of the table (default: 40; 0: all)", 0, false, NULL },
	{ "owned", "KEY=V[,...]",
	  "add hardware of your own: purchase, years, residual, power_w, pue, usd_kwh, other_usd_month, hours_year (per GPU)",
	  0, false, NULL },
	{ "accelerators", NULL, "also machines whose accelerator is no GPU", 0, false, NULL },
	{ "parts", NULL, "also GPUs priced without the machine around them", 0, false, NULL },
	{ "price-url-aws", "URL", "update: another address of AWS's price list", 0, false, NULL },
	{ "price-url-aws-ec2", "URL", "update: another address of EC2's API", 0, false, NULL },
	{ "price-url-aws-advisor", "URL", "update: another address of the spot advisor's file", 0,
	  false, NULL },
	{ "price-url-azure", "URL", "update: another address of Azure's retail prices", 0, false,
	  NULL },
	{ "price-url-gcp", "URL", "update: another address of Google's catalogue", 0, false, NULL },
	{ 0 },
};

const struct cli_cmd cmd_price_def = {
	.name = "price",
	.group = "bring",
	.summary = "what GPUs cost, when and where; owned ones too",
	.usage =
		"[--gpu MODEL] [--count N] [--region GLOB] ... | update [--provider P,...] [--region R,...]",
	.examples =
		"tare price --gpu H100 --count 8 --region 'us-*'\n"
		"tare price --gpu A100 --min-vram 80 --purchase spot\n"
		"tare price --instance p5.48xlarge --region us-east-1 --history\n"
		"# one card of your own beside what it would cost elsewhere\n"
		"tare price --gpu H100 --owned purchase=30000,years=4,residual=3000,power_w=700,pue=1.4,usd_kwh=0.12\n"
		"# ask AWS and Azure what they charge now\n"
		"tare price update --provider aws,azure --region us-east-1,eastus",
	.about =
		"Prices of whole machines, cheapest per GPU-hour first. What is paid upfront is spread over the term. \"as of\" is the last day the\n"
		"source speaks for. \"lost/month\" is the band of spot interruptions per month that the provider states.\n\n"
		"Prices from files (tare import --as prices) win over those from updates, and these over the shipped ones, where they hold.\n\n"
		"update asks AWS (list prices, reservations, interruption bands; spot history too where AWS_ACCESS_KEY_ID and\n"
		"AWS_SECRET_ACCESS_KEY are set), Azure (pay-as-you-go, spot, reservations, savings plans) and Google (with TARE_GOOGLE_API_KEY:\n"
		"machines whose parts all have a price) and appends what is new. Without --region it takes the regions of the store's nodes. A price list of one\n"
		"AWS region is some hundred megabytes, and so is that of savings plans, which is read only with --purchase savings_plan (or\n"
		"--purchase on_demand,spot,savings_plan for everything). --since says how far back spot history goes (default 30 days).",
	.common = CLI_STORE | CLI_OUTPUT | CLI_WINDOW | CLI_ACT,
	.opt = opts,
	.run = run,
};
