/*
 * Google Cloud's billing export (BigQuery tables gcp_billing_export_v1_* and
 * gcp_billing_export_resource_v1_*) as JSON lines with nested objects, or flattened to CSV or
 * Parquet with columns "sku.description" or "sku_description".
 *
 * Billed = cost + sum of credits (they are negative): what the invoice says. A promotion is no
 * price of the use but money given back, and a line of its own, as other clouds have it. Google
 * amortises nothing in this export, so effective is the same but for fees of commitments, which are
 * spread over what they cover (gcp_commit.h) and have no list price, as what they cover has its
 * own; contracted is the cost before credits, list is cost_at_list. GPUs, cores and memory of one
 * machine are lines of their own with the machine's resource; its type is in the system labels.
 */
#include <errno.h>
#include <stdio.h>

#include "base/num.h"
#include "base/tm.h"
#include "feed/bill/gcp_commit.h"
#include "feed/feeds.h"
#include "base/jscan.h"

/* nested from here: */
enum {
	G_COST,
	G_FROM,
	G_TO,
	G_CURRENCY,
	G_ACCOUNT,
	G_COST_TYPE,
	G_LIST,
	G_CREDITS,
	G_LABELS,
	G_SYSTEM_LABELS,
	G_SERVICE,
	G_SKU_ID,
	G_SKU,
	G_PROJECT,
	G_PROJECT_NAME,
	G_REGION,
	G_LOCATION,
	G_ZONE,
	G_RESOURCE,
	G_RESOURCE_NAME,
	G_AMOUNT,
	G_UNIT,
	G_PRICING_AMOUNT,
	G_PRICING_UNIT,
	G_MONTH,
	G_ADJUSTMENT,
	G_CREDITS_AMOUNT,
	G_CREDITS_TYPE,
	G_MACHINE,
	G_N
};
static const char *const names[] = { "cost",
				     "usage_start_time",
				     "usage_end_time",
				     "currency",
				     "billing_account_id",
				     "cost_type",
				     "cost_at_list",
				     "credits",
				     "labels",
				     "system_labels",
				     "service.description|service_description",
				     "sku.id|sku_id",
				     "sku.description|sku_description",
				     "project.id|project_id",
				     "project.name|project_name",
				     "location.region|location_region|region",
				     "location.location|location_location",
				     "location.zone|location_zone|zone",
				     "resource.global_name|resource_global_name",
				     "resource.name|resource_name",
				     "usage.amount|usage_amount",
				     "usage.unit|usage_unit",
				     "usage.amount_in_pricing_units|usage_amount_in_pricing_units",
				     "usage.pricing_unit|usage_pricing_unit",
				     "invoice.month|invoice_month",
				     "adjustment_info.description|adjustment_info_description",
				     "credits.amount|credits_amount|total_credits",
				     "credits.type|credits_type",
				     "machine_spec|machine_type",
				     NULL };

struct gcp {
	struct bill_rows w;
	int outer[G_N]; /* column with the object a nested value is in, -1 */
	char key[G_N][40];
	struct str labels;
	struct gcp_commit commit;
};

static struct sv read_text(struct gcp *g, int i)
{
	struct sv v = bill_text(&g->w, i);

	if (v.n || g->outer[i] < 0)
		return v;
	return jscan_text(jscan_get(g->w.cell[g->outer[i]], g->key[i]));
}

static bool read_number(struct gcp *g, int i, dec *ret)
{
	struct sv v = read_text(g, i);

	if (!v.n)
		return false;
	if (dec_parse(v, 0, ret) == 0)
		return true;
	bill_bad(&g->w, i, "'%.*s' is not a decimal", (int)min_size(v.n, 60), v.p);
	return false;
}

/* ---- credits and labels ------------------------------------------------------------------ */

static void add_credit(struct gcp *g, struct sv amount, dec *sum)
{
	dec v;

	if (!amount.n)
		return;
	if (dec_parse(amount, 0, &v) < 0 || !dec_fits_nano(v) || !dec_fits_nano(*sum))
		bill_bad(&g->w, G_CREDITS, "'%.*s' is not an amount of a credit",
			 (int)min_size(amount.n, 60), amount.p);
	else
		*sum += v;
}

struct credits {
	dec sum;        /* of all */
	dec covered;    /* of those for a committed quantity, not for an amount of money */
	dec promotion;  /* given back */
	bool committed; /* one of them is for a commitment */
};

static void count_credit(struct credits *c, struct sv type, dec amount)
{
	bool committed = sv_ihas(type, SV("COMMITTED_USAGE"));

	c->committed |= committed;
	if (committed && !sv_ihas(type, SV("DOLLAR")))
		c->covered += amount;
	if (sv_ihas(type, SV("PROMOTION")))
		c->promotion += amount;
}

static struct credits credits_of(struct gcp *g)
{
	struct sv list = bill_text(&g->w, G_CREDITS), key, item;
	struct credits c = { 0 };
	size_t at = 0;

	add_credit(g, bill_text(&g->w, G_CREDITS_AMOUNT), &c.sum);
	if (list.n && list.p[0] != '[' && list.p[0] != '{')
		add_credit(g, list, &c.sum);
	else if (list.n && list.p[0] == '{')
		add_credit(g, jscan_text(jscan_get(list, "amount")), &c.sum);
	count_credit(&c, bill_text(&g->w, G_CREDITS_TYPE), c.sum);
	while (list.n && list.p[0] == '[' && jscan_next(list, &at, &key, &item)) {
		dec before = c.sum;
		add_credit(g, jscan_text(jscan_get(item, "amount")), &c.sum);
		count_credit(&c, jscan_get(item, "type"), c.sum - before);
	}
	return c;
}

/* [{"key":"team","value":"nlp"}] -> {"team":"nlp"} */
static struct sv labels_of(struct gcp *g)
{
	struct sv list = bill_text(&g->w, G_LABELS), none, item;
	size_t at = 0;

	if (list.n && list.p[0] == '{')
		return bill_json(&g->w, G_LABELS);
	if (!list.n || list.p[0] != '[')
		return SV_NULL;
	str_clear(&g->labels);
	while (jscan_next(list, &at, &none, &item)) {
		struct sv k = jscan_get(item, "key"), v = jscan_get(item, "value");
		if (k.n < 3 || *k.p != '"')
			continue;
		str_addc(&g->labels, g->labels.n ? ',' : '{');
		str_addsv(&g->labels, k);
		str_addc(&g->labels, ':');
		str_addsv(&g->labels, v.n && *v.p == '"' ? v : SV("\"\""));
	}
	if (!g->labels.n)
		return SV_NULL;
	str_addc(&g->labels, '}');
	return str_sv(&g->labels);
}

static struct sv machine_of(struct gcp *g)
{
	struct sv list = bill_text(&g->w, G_SYSTEM_LABELS), none, item,
		  direct = bill_text(&g->w, G_MACHINE);
	size_t at = 0;

	if (list.n && list.p[0] == '{')
		return jscan_text(jscan_get(list, "compute.googleapis.com/machine_spec"));
	while (list.n && list.p[0] == '[' && jscan_next(list, &at, &none, &item))
		if (sv_is(jscan_text(jscan_get(item, "key")),
			  "compute.googleapis.com/machine_spec"))
			return jscan_text(jscan_get(item, "value"));
	return direct;
}

/* ---- a row ------------------------------------------------------------------------------- */

/* invoice.month: "202411". Google's invoice is that of its month: late charges of the month before
 * stand in it. */
static void read_month(struct gcp *g, struct bill_line *b)
{
	struct sv v = read_text(g, G_MONTH);
	int64_t m;

	b->period_from_ms = b->period_to_ms = UNKNOWN_MS;
	if (!v.n)
		return;
	bool number = v.n == 6 && sv_i64(v, &m) == 0;
	if (!number || !within_i64(m % 100, 1, 12) || m < 190000) {
		bill_bad(&g->w, G_MONTH, "'%.*s' is not a month such as 202411",
			 (int)min_size(v.n, 60), v.p);
		return;
	}
	b->period_from_ms = tm_from_civil(
		(struct civil){ .year = (int)(m / 100), .month = (int)(m % 100), .day = 1 });
	b->period_to_ms = tm_month_start(b->period_from_ms, 1);
	b->invoice = v;
}

static struct sv category_of(struct gcp *g, struct sv sku)
{
	struct sv t = bill_text(&g->w, G_COST_TYPE);

	if (sv_ieq(t, SV("tax")))
		return SV("Tax");
	if (sv_ieq(t, SV("adjustment")) || sv_ieq(t, SV("rounding_error")))
		return SV("Adjustment");
	if (t.n && !sv_ieq(t, SV("regular")))
		bill_word(&g->w, "cost_type", t);
	if (sv_starts(sku, SV("Commitment")))
		return SV("Purchase");
	return SV("Usage");
}

static void read_texts(struct gcp *g, struct bill_line *b, bool committed)
{
	b->provider = SV("gcp");
	b->currency = bill_text(&g->w, G_CURRENCY);
	if (!b->currency.n)
		bill_bad(&g->w, G_CURRENCY, "is empty");
	b->account = bill_text(&g->w, G_ACCOUNT);
	b->sub_account = read_text(g, G_PROJECT);
	b->sub_account_name = read_text(g, G_PROJECT_NAME);
	b->service_name = read_text(g, G_SERVICE);
	b->sku_id = read_text(g, G_SKU_ID);
	b->usage_type = read_text(g, G_SKU);
	b->charge_description = b->usage_type;
	b->charge_category = category_of(g, b->usage_type);
	if (sv_is(b->charge_category, "Adjustment") && read_text(g, G_ADJUSTMENT).n)
		b->charge_description = read_text(g, G_ADJUSTMENT);
	b->instance_type = machine_of(g);
	b->region = read_text(g, G_REGION);
	if (!b->region.n)
		b->region = read_text(g, G_LOCATION);
	b->zone = read_text(g, G_ZONE);
	b->resource_id = read_text(g, G_RESOURCE);
	b->resource_name = read_text(g, G_RESOURCE_NAME);
	if (!b->resource_id.n)
		b->resource_id = b->resource_name;
	bool purchase = sv_is(b->charge_category, "Purchase"),
	     spot = sv_ihas(b->usage_type, SV("Preemptible"));
	if (purchase || committed)
		b->commitment_type = SV("Committed use discount");
	if (spot)
		b->pricing_category = SV("Dynamic");
	else if (committed)
		b->pricing_category = SV("Committed");
	else if (sv_is(b->charge_category, "Usage"))
		b->pricing_category = SV("Standard");
	else
		b->pricing_category = SV_NULL;
	b->tags = labels_of(g);
}

static int read_row(struct gcp *g, struct err *err)
{
	struct bill_rows *w = &g->w;
	struct bill_evidence e = { 0 };
	struct bill_line b = { 0 };
	struct credits credits = credits_of(g);
	int rc = 0;
	dec cost = 0, list = 0, net;
	bool has = bill_amount(w, G_COST, &cost);

	net = cost + credits.sum - credits.promotion;
	if (!dec_fits_nano(net) || !dec_fits_nano(credits.promotion))
		bill_bad(w, G_COST, "cost and credits together are too large");
	b.has_cost[BASIS_BILLED] = b.has_cost[BASIS_EFFECTIVE] = b.has_contracted = has;
	b.cost[BASIS_BILLED] = b.cost[BASIS_EFFECTIVE] = has ? net : 0;
	b.contracted = cost;
	b.has_cost[BASIS_LIST] = bill_amount(w, G_LIST, &list);
	b.cost[BASIS_LIST] = list;
	b.has_quantity = read_number(g, G_PRICING_AMOUNT, &b.quantity);
	b.unit = read_text(g, G_PRICING_UNIT);
	if (!b.has_quantity && (b.has_quantity = read_number(g, G_AMOUNT, &b.quantity)))
		b.unit = read_text(g, G_UNIT);
	bill_usage_time(w, G_FROM, G_TO, &b);
	read_month(g, &b);
	read_texts(g, &b, credits.committed);
	if (!bill_good(w, &rc, err))
		return rc;
	struct bill_line back = b;
	bool purchase = sv_is(b.charge_category, "Purchase");
	if (purchase) {
		b.has_cost[BASIS_LIST] = false;
		bill_take_row(w, &b);
		gcp_commit_fee(&g->commit, &b);
	}
	if (!purchase && credits.covered < 0)
		gcp_commit_covered(&g->commit, &b, credits.covered);
	if (!purchase && (rc = bill_give(w, &b, &e, err)) < 0)
		return rc;
	if (!credits.promotion)
		return 0;
	back.charge_category = SV("Credit");
	back.has_quantity = back.has_contracted = back.has_cost[BASIS_LIST] = false;
	back.cost[BASIS_BILLED] = back.cost[BASIS_EFFECTIVE] = credits.promotion;
	return bill_give(w, &back, &e, err);
}

static int gcp_run(struct feed_run *r, struct err *err)
{
	static const int needed[] = { G_COST, G_FROM, G_CURRENCY, -1 };
	struct gcp *g = xcalloc(1, sizeof *g);
	int rc = bill_rows_open(&g->w, r, names, needed, err);

	/* "sku.description" may also be member "description" of the objects in column "sku" */
	for (int i = 0; i < G_N && !rc; i++) {
		struct sv rest, path = sv_cut(sv_of(names[i]), '|', &rest), key,
				group = sv_cut(path, '.', &key);
		char name[40];
		g->outer[i] = -1;
		if (i < G_SERVICE || !key.n)
			continue;
		snprintf(name, sizeof name, "%.*s", SVF(group));
		g->outer[i] = tab_find(r->tab->col, r->tab->ncol, name, true);
		snprintf(g->key[i], sizeof g->key[i], "%.*s", SVF(key));
	}
	if (!rc) {
		g->w.has_sum[SUM_BILLED] = g->w.has_sum[SUM_EFFECTIVE] =
			g->w.has_sum[SUM_CONTRACTED] = true;
		g->w.has_sum[SUM_LIST] = bill_has(&g->w, G_LIST);
		while ((rc = bill_rows_next(&g->w, err)) > 0)
			if ((rc = read_row(g, err)) < 0)
				break;
		if (!rc)
			rc = gcp_commit_give(&g->commit, &g->w, err);
		bill_rows_close(&g->w);
	}
	gcp_commit_free(&g->commit);
	str_free(&g->labels);
	free(g);
	return rc;
}

static int gcp_detect(struct sv head, const struct sv *col, size_t ncol)
{
	int score = 0;

	if (bill_named(col, ncol, names[G_ACCOUNT]))
		score = 5;
	(void)head;
	/* nobody else has the start of the usage beside a cost; the rest may have been left out */
	if (!bill_named(col, ncol, names[G_COST]) || !bill_named(col, ncol, names[G_FROM]))
		return 0;
	if (bill_named(col, ncol, names[G_CURRENCY]))
		score += 5;
	if (bill_named(col, ncol, "sku|sku.id|sku.description"))
		score += 5;
	return 80 + score;
}

const struct feed feed_gcp_billing = {
	.kind = "gcp-billing",
	.group = "bills",
	.about = "Google Cloud billing export: JSON lines, CSV, Parquet",
	.tabular = true,
	.bill = true,
	.detect = gcp_detect,
	.run = gcp_run
};
