/* tare price: what GPUs cost, when and where; what owned ones cost; asking the providers. */
#include <errno.h>
#include <math.h>
#include "answer/prices.h"
#include "base/near.h"
#include "base/num.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/price_update.h"
#include "report/prices/price_update.h"
#include "report/prices/prices.h"

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
		if (sv_is(key, k[i].key)) {
			if (k[i].money)
				return dec_parse(value, 0, k[i].money);
			return sv_f64(value, k[i].number);
		}
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
			return err_set(err, -EINVAL, "--owned: '%.*s' is not a number for '%.*s'",
				       SVF(value), SVF(key));
	}
	/* a century and a megawatt are typing errors */
	bool has_years = t->years > 0 && t->years <= 100;
	if (!has_years || t->purchase <= 0 || !within_dec(t->residual, 0, t->purchase))
		return err_set(
			err, -EINVAL,
			"--owned wants a purchase price, years, and a residual value between nothing and the price");
	bool can_draw = within_double(t->power_w, 0, 1e6) && within_double(t->pue, 1, 10) &&
			within_double(t->utilisation_hours_year, 0, 8784);
	if (!can_draw || t->usd_kwh < 0 || t->other_usd_month < 0)
		return err_set(
			err, -EINVAL,
			"--owned: power, PUE (1 to 10), $/kWh and hours a year (to 8784) must be what a data centre can have");
	return 0;
}

/* ---- what is asked ----------------------------------------------------------------------- */

struct asked {
	const char *url[URL_N]; /* of update */
	struct price_query q;
	double count, min_vram_gib;
	struct opt_list purchase;
	int64_t limit;
	bool limit_given; /* else only a table has one */
	const char *currency, *owned;
};

/* Words for several ways to buy. */
static const struct {
	const char *word;
	const char *means[7]; /* NULL-terminated */
} groups[] = {
	{ "reserved", { "reserved", "reserved_1y", "reserved_3y" } },
	{ "commit",
	  { "reserved", "reserved_1y", "reserved_3y", "committed_1y", "committed_3y",
	    "savings_plan" } },
};

static int add_purchase(const char *word, struct price_query *q, const char **list, struct err *err)
{
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
		if (strcmp(word, groups[i].word))
			continue;
		for (size_t k = 0; groups[i].means[k]; k++)
			list[q->npurchase++] = groups[i].means[k];
		return 0;
	}
	if (!purchase_is_known(sv_of(word))) {
		err_set(err, -EINVAL, "--purchase: '%s' is not a way to buy", word);
		err_hint(
			err,
			"the words are on_demand spot reserved_1y reserved_3y committed_1y committed_3y savings_plan capacity_block owned; reserved and commit stand for all of these");
		return -EINVAL;
	}
	list[q->npurchase++] = word;
	return 0;
}

static int fill_ask(struct cli *c, struct asked *a, struct err *err)
{
	struct price_query *q = &a->q;

	if (!isnan(a->count))
		q->count_milli = llround(a->count * 1000);
	if (!isnan(a->min_vram_gib))
		q->min_vram_gib = a->min_vram_gib;
	if (q->at_ms == UNKNOWN_MS)
		q->at_ms = c->now_ms;
	const char **list = arena_alloc(&c->mem, (a->purchase.n + 1) * sizeof groups->means);
	int r = 0;

	q->npurchase = 0;
	for (size_t i = 0; i < a->purchase.n && r >= 0; i++)
		r = add_purchase(a->purchase.v[i], q, list, err);
	q->purchase = list;
	return r;
}

static int list_prices(struct cli *c, struct asked *asked, struct catalog *cat, struct str *out,
		       struct err *err)
{
	struct prices_ask q = { .catalog = cat };
	struct prices_answer a;
	struct owned_terms terms;
	struct out_as as = cli_out_as(c);
	bool all = !asked->limit_given && as.format != OUT_TABLE;
	struct store *store = NULL;
	int r = fill_ask(c, asked, err);

	q.query = asked->q;
	q.currency = asked->currency;
	if (r >= 0 && asked->owned) {
		r = parse_owned(asked->owned, &terms, err);
		q.owned = &terms;
	}
	if (r >= 0 && !prices_only_owned(&q)) {
		r = cli_open_store(c, STORE_READ, &store, err);
		if (r == -ENOENT)
			r = 0; /* without a store there are only the shipped prices */
	}
	q.ask = cli_ask(c, store, cat);
	if (r >= 0)
		r = answer_prices(&q, &a, err);
	if (r >= 0)
		prices_print(&a, all ? 0 : (size_t)asked->limit, &as, out);
	if (store)
		store_close(store);
	return r;
}

static int run_price(struct cli *c)
{
	struct catalog *cat = NULL;
	struct err err = { 0 };
	struct str out = { 0 };
	struct asked x = { .q = { .currency = "*" } };
	bool update = c->narg == 1 && !strcmp(c->arg[0], "update");
	if (c->narg > 1)
		return cli_usage_error(c, "one GPU at a time: tare price --gpu %s", c->arg[0]);
	if (c->narg && !update && near_word(c->arg[0], &(const char *){ "update" }, 1))
		return cli_usage_error(c, "'%s': did you mean tare price update?", c->arg[0]);
	if (cli_read_opts(c, &x, &err) < 0)
		return cli_fail(&err);
	if (c->narg && !update && x.q.gpu)
		return cli_usage_error(c, "'%s' and --gpu %s: which of them?", c->arg[0], x.q.gpu);
	if (c->narg && !update)
		x.q.gpu = c->arg[0]; /* tare price H100 */
	if (update)
		return price_update_run(c, x.q.provider, x.q.region_glob, &x.purchase, x.url);
	int r = catalog_open(NULL, &cat, &err);
	if (r >= 0)
		r = list_prices(c, &x, cat, &out, &err);
	int code = cli_end(r, &err, &out);
	catalog_free(cat);
	return code;
}

static const struct cli_opt opts[] = {
	{ "gpu", "MODEL", "GPU in any spelling; \"A100\" means all kinds of A100", .type = OPT_TEXT,
	  .at = offsetof(struct asked, q.gpu) },
	{ "count", "N", "machines with exactly this many GPUs (fractions too: 0.125)",
	  .type = OPT_NUM, .at = offsetof(struct asked, count), .lo = 1e-12, .hi = 1e6,
	  .what = "number of GPUs" },
	{ "min-vram", "GIB", "at least this much memory per GPU", .type = OPT_NUM,
	  .at = offsetof(struct asked, min_vram_gib), .hi = INFINITY, .what = "size in GiB" },
	{ "provider", "P",
	  "aws, azure, gcp, coreweave, lambda, ...; update: a list of aws, azure, gcp",
	  .type = OPT_TEXT, .at = offsetof(struct asked, q.provider) },
	{ "region", "GLOB", "regions, such as 'us-*'; update: names, separated by commas",
	  .type = OPT_TEXT, .at = offsetof(struct asked, q.region_glob) },
	{ "purchase", "P[,P...]",
	  "on_demand, spot, reserved_1y, reserved_3y, committed_1y, committed_3y, savings_plan, capacity_block, owned; or reserved, commit: all such",
	  .type = OPT_LIST, .at = offsetof(struct asked, purchase) },
	{ "instance", "TYPE", "one instance type", .type = OPT_TEXT,
	  .at = offsetof(struct asked, q.instance_type) },
	{ "at", "T", "prices in force at this instant (default: now)", .type = OPT_TIME,
	  .at = offsetof(struct asked, q.at_ms) },
	{ "history", NULL, "every price over time", .type = OPT_FLAG,
	  .at = offsetof(struct asked, q.history) },
	{ "currency", "CUR", "prices in this currency (default: USD), or any", .type = OPT_TEXT,
	  .at = offsetof(struct asked, currency), .def = "USD" },
	{ "limit", "N", "at most so many rows (default: 40 in a table, else all; 0: all)",
	  .type = OPT_INT, .at = offsetof(struct asked, limit),
	  .has = offsetof(struct asked, limit_given), .hi = INFINITY, .def = "40",
	  .what = "number of rows" },
	{ "owned", "KEY=V[,...]",
	  "add hardware of your own: purchase, years, residual, power_w, pue, usd_kwh, other_usd_month, hours_year (per GPU)",
	  .type = OPT_TEXT, .at = offsetof(struct asked, owned) },
	{ "accelerators", NULL, "also machines whose accelerator is no GPU", .type = OPT_FLAG,
	  .at = offsetof(struct asked, q.accelerators) },
	{ "parts", NULL, "also GPUs priced without the machine around them", .type = OPT_FLAG,
	  .at = offsetof(struct asked, q.parts) },
	{ "price-url-aws", "URL", "update: another address of AWS's price list", .type = OPT_TEXT,
	  .at = offsetof(struct asked, url[URL_AWS_LIST]) },
	{ "price-url-aws-ec2", "URL", "update: another address of EC2's API", .type = OPT_TEXT,
	  .at = offsetof(struct asked, url[URL_AWS_EC2]) },
	{ "price-url-aws-advisor", "URL", "update: another address of the spot advisor's file",
	  .type = OPT_TEXT, .at = offsetof(struct asked, url[URL_AWS_ADVISOR]) },
	{ "price-url-azure", "URL", "update: another address of Azure's retail prices",
	  .type = OPT_TEXT, .at = offsetof(struct asked, url[URL_AZURE]) },
	{ "price-url-gcp", "URL", "update: another address of Google's catalogue", .type = OPT_TEXT,
	  .at = offsetof(struct asked, url[URL_GCP]) },
	{ 0 },
};

const struct cli_cmd cmd_price_def = {
	.name = "price",
	.group = "bring",
	.summary = "what GPUs cost, when and where; owned ones too",
	.usage =
		"[[--gpu] MODEL] [--count N] [--region GLOB] ... | update [--provider P,...] [--region R,...]",
	.examples =
		"tare price H100\ntare price --gpu H100 --count 8 --region 'us-*'\n"
		"tare price --gpu A100 --min-vram 80 --purchase spot\n"
		"tare price --instance p5.48xlarge --region us-east-1 --history\n"
		"# one GPU of your own beside what it would cost elsewhere\n"
		"tare price --gpu H100 --owned purchase=30000,years=4,residual=3000,power_w=700,pue=1.4,usd_kwh=0.12\n"
		"# ask AWS and Azure what they charge now\n"
		"tare price update --provider aws,azure --region us-east-1,eastus",
	.about =
		"Prices of whole machines, cheapest per GPU-hour first. What is paid upfront is spread over the term. \"as of\" is the last day the\n"
		"source speaks for. \"lost/month\" is the band of spot interruptions per month that the provider states.\n\n"
		"What a provider is known not to sell is said as \"not offered\", with the day of its list; no price is made up for it. With a\n"
		"commitment asked of one provider its terms follow: a discount \"up to\" is a ceiling and no price. Capacity blocks are paid upfront.\n\n"
		"Prices from files (tare import --as prices) win over those from updates, and these over the shipped ones, where they hold.\n"
		"Rows that are no quotes by their own source (the term says placeholder, or from) come last; nothing is priced or chosen by them.\n\n"
		"update asks AWS (list prices, reservations, interruption bands; spot history too where AWS_ACCESS_KEY_ID and\n"
		"AWS_SECRET_ACCESS_KEY are set), Azure (pay-as-you-go, spot, reservations, savings plans) and Google (with TARE_GOOGLE_API_KEY:\n"
		"machines whose parts all have a price) and appends what is new. Without --region it takes the regions of the store's nodes. A price list of one\n"
		"AWS region is some hundred megabytes, and so is that of savings plans, which is read only with --purchase savings_plan (or\n"
		"--purchase on_demand,spot,savings_plan for everything). --since says how far back spot history goes (default 30 days).",
	.common = CLI_STORE | CLI_OUTPUT | CLI_WINDOW | CLI_ACT,
	.opt = opts,
	.docs = CLI_DOCS(&price_update_doc, &prices_doc),
	.run = run_price,
};
