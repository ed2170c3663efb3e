/*
 * Azure cost exports: enterprise agreement, customer agreement, pay-as-you-go; headers in any case,
 * localised ones carry the name in brackets: "Kategorie der Verbrauchseinheit (MeterCategory)". One
 * row is a resource's day.
 *
 * An actual-cost export has the fees of reservations and 0 for what they covered, an amortised one
 * has the spread cost and no fees, so that it cannot tell what was invoiced for commitments; which
 * one it is shows in the row:
 *   covered usage with a cost  -> billed unknown, effective that cost (amortised)
 *   covered usage without      -> billed 0, effective unknown         (actual)
 *   purchase of a commitment   -> billed its price, effective 0
 *   UnusedReservation, UnusedSavingsPlan -> billed unknown, effective that cost, nobody used it
 * Quantity counts single units whatever the unit of measure says: in a real row 3 of "100 Hours" at
 * 0.025 cost 0.075.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/jw.h"
#include "base/num.h"
#include "base/tm.h"
#include "feed/bill/bill_rows.h"
#include "feed/feeds.h"
#include "base/jscan.h"

enum {
	Z_COST,
	Z_DATE,
	Z_PERIOD_FROM,
	Z_PERIOD_TO,
	Z_CURRENCY,
	Z_ACCOUNT,
	Z_ACCOUNT_NAME,
	Z_SUB,
	Z_SUB_NAME,
	Z_INVOICE,
	Z_CHARGE,
	Z_FREQUENCY,
	Z_PRODUCT,
	Z_MODEL,
	Z_FAMILY,
	Z_METER_CATEGORY,
	Z_METER_ID,
	Z_METER,
	Z_REGION,
	Z_ZONE,
	Z_RESOURCE,
	Z_RESOURCE_NAME,
	Z_RESOURCE_TYPE,
	Z_RESERVATION,
	Z_TERM,
	Z_ORDER_NAME,
	Z_TAGS,
	Z_COST_CENTER,
	Z_INFO,
	Z_QUANTITY,
	Z_UNIT,
	Z_LIST,
	Z_PAYG,
	Z_RATE,
	Z_PRICE
};
static const char *const names[] = {
	"CostInBillingCurrency|PreTaxCost|Cost",
	"Date|UsageDateTime|UsageDate|UsageStart",
	"BillingPeriodStartDate|BillingPeriodStart",
	"BillingPeriodEndDate|BillingPeriodEnd",
	"BillingCurrency|BillingCurrencyCode|Currency",
	"BillingAccountId|BillingProfileId",
	"BillingAccountName|BillingProfileName",
	"SubscriptionId|SubscriptionGuid",
	"SubscriptionName",
	"InvoiceId",
	"ChargeType",
	"Frequency",
	"ProductName|Product",
	"PricingModel",
	"ServiceFamily",
	"MeterCategory|ServiceName",
	"MeterId",
	"MeterName",
	"ResourceLocation|ResourceLocationNormalized|Location|MeterRegion",
	"AvailabilityZone",
	"ResourceId|InstanceId|InstanceName",
	"ResourceName",
	"ConsumedService|ResourceType",
	"ReservationId|BenefitId",
	"Term",
	"ProductOrderName|BenefitName|ReservationName",
	"Tags",
	"CostCenter",
	"AdditionalInfo",
	"Quantity|UsageQuantity|ConsumedQuantity",
	"UnitOfMeasure",
	"PaygCostInBillingCurrency",
	"PayGPrice",
	"ExchangeRatePricingToBilling",
	"EffectivePrice|ResourceRate",
	NULL
};

struct azure {
	struct bill_rows w;
	struct str tags, with_center, info, resource, region;
	bool assumed_currency;
	int64_t uncosted;
	int64_t priced, off; /* rows with price, quantity and cost; far from each other */
};

/* ---- headers ----------------------------------------------------------------------------- */

/* "Maßeinheit (UnitOfMeasure)" -> "UnitOfMeasure" */
static struct sv plain_name(struct sv name)
{
	name = sv_trim(name);
	if (!name.n || name.p[name.n - 1] != ')')
		return name;
	for (size_t i = name.n - 1; i-- > 0;)
		if (name.p[i] == '(')
			return sv_trim((struct sv){ name.p + i + 1, name.n - i - 2 });
	return name;
}

struct renamed { /* the same rows under the names in brackets */
	struct tab tab;
	struct tab *inner;
	struct sv col[];
};

static int renamed_next(struct tab *t, const struct sv **ret_cell, struct err *err)
{
	struct renamed *n = (struct renamed *)t;
	int rc = tab_next(n->inner, ret_cell, err);

	t->line = n->inner->line;
	return rc;
}

static void renamed_close(struct tab *t)
{
	free(t);
}

/* ---- cells ------------------------------------------------------------------------------- */

/* JSON objects that some exports write without their braces. */
static struct sv add_braces(struct bill_rows *w, int i, struct str *buf, bool count)
{
	struct sv v = bill_text(w, i);

	if (!v.n)
		return SV_NULL;
	if (v.p[0] == '{' && jscan_is_object(v))
		return v;
	str_clear(buf);
	str_addf(buf, "{%.*s}", SVF(v));
	if (jscan_is_object(str_sv(buf)))
		return str_sv(buf);
	w->bad_tags += count;
	return SV_NULL;
}

/* With the column CostCenter as one of them, "cost_center", where none has that name. */
static struct sv tags_of(struct azure *a)
{
	struct sv tags = add_braces(&a->w, Z_TAGS, &a->tags, true), key, value;
	struct sv center = bill_text(&a->w, Z_COST_CENTER);
	size_t at = 0;
	struct jw w;

	if (!center.n || jscan_get(tags, "cost_center").n)
		return tags;
	str_clear(&a->with_center);
	jw_init(&w, &a->with_center, 0);
	jw_obj(&w);
	jw_key(&w, "cost_center");
	jw_sv(&w, center);
	jw_end_obj(&w);
	if (!tags.n || !jscan_next(tags, &at, &key, &value))
		return str_sv(&a->with_center);
	/* the others follow in the place of the bracket */
	a->with_center.p[a->with_center.n - 1] = ',';
	str_addsv(&a->with_center, sv_from(tags, 1));
	return str_sv(&a->with_center);
}

static const char *const old_region[][2] = {
	/* names that pay-as-you-go exports still use */
	{ "euwest", "westeurope" },
	{ "eunorth", "northeurope" },
	{ "apsoutheast", "southeastasia" },
	{ "apeast", "eastasia" },
};

/* "US East 2", "EASTUS2" -> "eastus2" */
static struct sv region_of(struct azure *a)
{
	struct sv v = bill_text(&a->w, Z_REGION);
	bool us = v.n > 3 && sv_ieq((struct sv){ v.p, 3 }, SV("US "));

	str_clear(&a->region);
	for (size_t i = us ? 3 : 0; i < v.n; i++) {
		char c = v.p[i];
		if (us && c >= '0' && c <= '9') {
			str_addz(&a->region, "us");
			us = false;
		}
		if (c != ' ')
			str_addc(&a->region, c >= 'A' && c <= 'Z' ? (char)(c + 32) : c);
	}
	if (us)
		str_addz(&a->region, "us");
	for (size_t i = 0; i < sizeof old_region / sizeof *old_region; i++)
		if (sv_is(str_sv(&a->region), old_region[i][0]))
			return sv_of(old_region[i][1]);
	if (a->region.n)
		return str_sv(&a->region);
	return SV_NULL;
}

/* The machines of a scale set share its id; Kubernetes calls them <id>/virtualMachines/<number>,
 * the number of "pool-vmss_7". */
static struct sv resource_of(struct azure *a, struct sv info)
{
	struct sv id = bill_text(&a->w, Z_RESOURCE), vm = jscan_text(jscan_get(info, "VMName"));
	size_t i = vm.n;

	while (i > 0 && vm.p[i - 1] >= '0' && vm.p[i - 1] <= '9')
		i--;
	if (!sv_ihas(id, SV("/virtualMachineScaleSets/")) || sv_ihas(id, SV("/virtualMachines/")) ||
	    i == vm.n)
		return id;
	if (i == 0 || vm.p[i - 1] != '_')
		return id;
	str_clear(&a->resource);
	str_addf(&a->resource, "%.*s/virtualMachines/%.*s", SVF(id), (int)(vm.n - i), vm.p + i);
	return str_sv(&a->resource);
}

/* ---- a row ------------------------------------------------------------------------------- */

static const struct charge {
	const char *name, *category;
	bool unused, known;
} charges[] = {
	{ "Usage", "Usage", false, true },
	{ "Purchase", "Purchase", false, true },
	{ "Tax", "Tax", false, true },
	{ "UnusedReservation", "Usage", true, true },
	{ "UnusedSavingsPlan", "Usage", true, true },
	{ "Refund", "Credit", false, true },
	{ "RoundingAdjustment", "Adjustment", false, true },
};

static struct charge charge_of(struct bill_rows *w)
{
	struct sv v = bill_text(w, Z_CHARGE);

	if (!v.n)
		return charges[0];
	for (size_t i = 0; i < sizeof charges / sizeof *charges; i++)
		if (sv_ieq(v, sv_of(charges[i].name)))
			return charges[i];
	bill_word(w, "ChargeType", v);
	return (struct charge){ "", "Adjustment", false, false };
}

static void read_model(struct bill_rows *w, struct bill_line *b, const struct charge *c)
{
	struct sv model = bill_text(w, Z_MODEL);
	bool reserved = sv_ieq(model, SV("Reservation")) ||
			sv_ieq(sv_of(c->name), SV("UnusedReservation"));
	bool plan = sv_ieq(model, SV("SavingsPlan")) ||
		    sv_ieq(sv_of(c->name), SV("UnusedSavingsPlan"));

	b->commitment_id = bill_text(w, Z_RESERVATION);
	/* older exports have no pricing model */
	if (!plan && !model.n && b->commitment_id.n)
		reserved = true;
	if (reserved)
		b->commitment_type = SV("Reservation");
	else if (plan)
		b->commitment_type = SV("Savings Plan");
	else
		b->commitment_type = SV_NULL;
	if (sv_ieq(model, SV("Spot")))
		b->pricing_category = SV("Dynamic");
	else if (reserved || plan)
		b->pricing_category = SV("Committed");
	else if (sv_ieq(model, SV("OnDemand")) || (!model.n && !strcmp(c->category, "Usage")))
		b->pricing_category = SV("Standard");
	else
		b->pricing_category = SV_NULL;
	if (c->unused)
		b->commitment_status = SV("Unused");
	else if ((reserved || plan) && !strcmp(c->category, "Usage"))
		b->commitment_status = SV("Used");
}

static void set_cost(struct bill_line *b, enum basis basis, bool has, dec v)
{
	b->has_cost[basis] = has;
	b->cost[basis] = has ? v : 0;
}

/* Price of the sheet x quantity, where the price is plainly per unit ("1 Hour") and the rates of
 * exchange are known. */
static void read_list(struct bill_rows *w, struct bill_line *b)
{
	dec price, rate = DEC_ONE, list = 0;
	bool has = bill_amount(w, Z_LIST, &list);
	struct sv unit = bill_text(w, Z_UNIT);

	if (!has && b->has_quantity && sv_starts(unit, SV("1 ")) && bill_dec(w, Z_PAYG, &price)) {
		bool has_rate = bill_dec(w, Z_RATE, &rate);
		double value = dec_to_double(price) * dec_to_double(b->quantity) *
			       dec_to_double(rate);
		if (value > -1e6 && value < 1e6 && price < DEC_ONE * 1000000 && price > -DEC_ONE &&
		    (!has_rate || rate == DEC_ONE)) {
			list = dec_muldiv(b->quantity, (int64_t)max_dec(price, 0),
					  (int64_t)DEC_ONE);
			has = true;
		}
	}
	set_cost(b, BASIS_LIST, has, list);
}

static void read_costs(struct azure *a, struct bill_line *b, const struct charge *c)
{
	struct bill_rows *w = &a->w;
	dec cost = 0;
	bool has = bill_amount(w, Z_COST, &cost), covered = sv_is(b->pricing_category, "Committed");

	b->has_quantity = bill_dec(w, Z_QUANTITY, &b->quantity);
	b->unit = bill_text(w, Z_UNIT);
	/* "100 Hours": see above */
	while (b->unit.n && (within_int(*b->unit.p, '0', '9') || *b->unit.p == ' ')) {
		b->unit.p++;
		b->unit.n--;
	}
	set_cost(b, BASIS_BILLED, has, cost);
	set_cost(b, BASIS_EFFECTIVE, has, cost);
	bool covered_use = covered && !strcmp(c->category, "Usage"), costs = has && cost != 0;
	if (c->unused || (covered_use && costs)) {
		set_cost(b, BASIS_BILLED, false, 0);
	} else if (covered_use) {
		set_cost(b, BASIS_EFFECTIVE, false, 0);
		a->uncosted++;
	} else if (!strcmp(c->category, "Purchase") && b->commitment_type.n) {
		set_cost(b, BASIS_EFFECTIVE, has, 0);
	}
	read_list(w, b);
}

/* Price x quantity is the cost, within a factor of two, where both are in one currency: columns
 * that changed places show in it. */
static void check_price(struct azure *a, const struct bill_line *b)
{
	struct bill_rows *w = &a->w;
	dec price, rate;
	bool converted = bill_dec(w, Z_RATE, &rate) && rate != DEC_ONE;

	if (converted || !b->has_quantity || !b->has_cost[BASIS_BILLED] ||
	    !bill_dec(w, Z_PRICE, &price))
		return;
	double cost = fabs(dec_to_double(b->cost[BASIS_BILLED])),
	       of_price = fabs(dec_to_double(price) * dec_to_double(b->quantity));
	if (cost <= 0 || of_price <= 0)
		return;
	a->priced++;
	a->off += of_price > 2 * cost || cost > 2 * of_price;
}

static void read_texts(struct azure *a, struct bill_line *b, const struct charge *c)
{
	struct bill_rows *w = &a->w;
	struct sv info = add_braces(w, Z_INFO, &a->info, false),
		  size = jscan_text(jscan_get(info, "ServiceType"));

	b->provider = SV("azure");
	b->currency = bill_text(w, Z_CURRENCY);
	if (!b->currency.n) {
		b->currency = SV("USD");
		a->assumed_currency = true;
	}
	b->account = bill_text(w, Z_ACCOUNT);
	b->account_name = bill_text(w, Z_ACCOUNT_NAME);
	b->sub_account = bill_text(w, Z_SUB);
	b->sub_account_name = bill_text(w, Z_SUB_NAME);
	b->invoice = bill_text(w, Z_INVOICE);
	b->charge_category = sv_of(c->category);
	b->charge_frequency = bill_text(w, Z_FREQUENCY);
	b->charge_description = bill_text(w, Z_PRODUCT);
	b->service_category = bill_text(w, Z_FAMILY);
	b->service_name = bill_text(w, Z_METER_CATEGORY);
	if (!b->service_name.n)
		b->service_name = bill_text(w, Z_RESOURCE_TYPE);
	b->sku_id = bill_text(w, Z_METER_ID);
	b->usage_type = bill_text(w, Z_METER);
	if (bill_is_azure_size(size))
		b->instance_type = size;
	b->region = region_of(a);
	b->zone = bill_text(w, Z_ZONE);
	b->resource_id = resource_of(a, info);
	b->resource_name = jscan_text(jscan_get(info, "VMName"));
	if (!b->resource_name.n)
		b->resource_name = bill_text(w, Z_RESOURCE_NAME);
	b->resource_type = bill_text(w, Z_RESOURCE_TYPE);
	b->tags = tags_of(a);
}

static int read_row(struct azure *a, struct err *err)
{
	struct bill_rows *w = &a->w;
	struct bill_evidence e = { 0 };
	struct bill_line b = { 0 };
	struct charge c = charge_of(w);
	int rc = 0;

	read_texts(a, &b, &c);
	read_model(w, &b, &c);
	read_costs(a, &b, &c);
	check_price(a, &b);
	b.from_ms = bill_time(w, Z_DATE);
	if (b.from_ms == UNKNOWN_MS)
		bill_bad(w, Z_DATE, "is empty");
	else
		b.to_ms = b.from_ms + MS_DAY;
	b.period_from_ms = bill_time(w, Z_PERIOD_FROM);
	b.period_to_ms = bill_time(w, Z_PERIOD_TO);
	if (b.period_to_ms != UNKNOWN_MS) /* given as its last day */
		b.period_to_ms += MS_DAY;
	bill_note_day(w, Z_DATE, &b);
	if (b.commitment_type.n) {
		e.term = bill_text(w, Z_TERM);
		/* "Reserved VM Instance, Standard_E2s_v3, CA Central, 3 Years" */
		if (!e.term.n)
			e.term = bill_text(w, Z_ORDER_NAME);
	}
	if (bill_good(w, &rc, err))
		return bill_give(w, &b, &e, err);
	return rc;
}

static int azure_run(struct feed_run *r, struct err *err)
{
	static const int needed[] = { Z_COST, Z_DATE, -1 };
	struct azure *a = xcalloc(1, sizeof *a);
	static const struct tab_ops ops = { renamed_next, renamed_close };
	struct tab *outer = r->tab;
	int rc;

	struct renamed *n = xcalloc(1, sizeof *n + outer->ncol * sizeof *n->col);

	for (size_t i = 0; i < outer->ncol; i++)
		n->col[i] = plain_name(outer->col[i]);
	n->inner = outer;
	n->tab = (struct tab){
		.ops = &ops, .format = outer->format, .ncol = outer->ncol, .col = n->col
	};
	r->tab = &n->tab;
	rc = bill_rows_open(&a->w, r, names, needed, err);
	if (!rc) {
		a->w.has_sum[SUM_BILLED] = a->w.has_sum[SUM_EFFECTIVE] = true;
		a->w.has_sum[SUM_LIST] = bill_has(&a->w, Z_LIST) || bill_has(&a->w, Z_PAYG);
		while ((rc = bill_rows_next(&a->w, err)) > 0)
			if ((rc = read_row(a, err)) < 0)
				break;
		bill_rows_close(&a->w);
	}
	if (a->off >= 10 && a->off > a->priced / 2)
		feed_note(
			r->report,
			"in %lld of %lld rows price times quantity is not the cost, not by half: look whether the columns of "
			"quantity and cost changed places before you trust a sum",
			(long long)a->off, (long long)a->priced);
	if (a->assumed_currency)
		feed_note(
			r->report,
			"rows without a currency are taken as USD; say another with --set BillingCurrency=CODE");
	if (a->uncosted)
		feed_note(
			r->report,
			"rows covered by a commitment without a cost, whose effective cost is unknown (the amortised export has it): %lld",
			(long long)a->uncosted);
	tab_close(r->tab);
	r->tab = outer;
	str_free(&a->tags);
	str_free(&a->with_center);
	str_free(&a->info);
	str_free(&a->resource);
	str_free(&a->region);
	free(a);
	return rc;
}

/*
 * A cost and a date alone may be anybody's; two more columns that Azure has, or one that only Azure
 * has, make it sure. Every schema has many: an agreement's own name for the cost is not needed.
 */
static int azure_detect(struct sv head, const struct sv *col, size_t ncol)
{
	static const struct {
		const char *names;
		int score;
	} marks[] = { { "CostInBillingCurrency|PreTaxCost", 40 },
		      { "MeterCategory", 40 },
		      { "MeterSubCategory", 40 },
		      { "MeterId", 40 },
		      { "MeterName", 40 },
		      { "MeterRegion", 40 },
		      { "ConsumedService", 40 },
		      { "AdditionalInfo", 40 },
		      { "SubscriptionGuid", 40 },
		      { "SubscriptionId", 20 },
		      { "SubscriptionName", 20 },
		      { "ResourceGroup|ResourceGroupName", 20 },
		      { "ResourceLocation", 20 },
		      { "InstanceId", 20 },
		      { "ChargeType", 20 },
		      { "PricingModel", 20 },
		      { "UnitOfMeasure", 20 },
		      { "BillingPeriodStartDate|BillingPeriodStart", 20 },
		      { "BillingAccountId|BillingProfileId", 20 },
		      { "InvoiceSectionId|InvoiceSectionName", 20 },
		      { "OfferId", 20 },
		      { "PublisherType", 20 },
		      { "ServiceFamily", 20 } };
	struct sv *plain = xcalloc(ncol + 1, sizeof *plain);
	int score = 0;

	(void)head;
	for (size_t i = 0; i < ncol; i++)
		plain[i] = plain_name(col[i]);
	bool has_both = bill_named(plain, ncol, names[Z_COST]) &&
			bill_named(plain, ncol, names[Z_DATE]);
	for (size_t k = 0; has_both && k < sizeof marks / sizeof *marks; k++)
		if (bill_named(plain, ncol, marks[k].names))
			score += marks[k].score;
	free(plain);
	if (score < 40)
		return 0;
	if (score < 55)
		return 40 + score;
	return 95;
}

const struct feed feed_azure_cost = {
	.kind = "azure-cost",
	.group = "bills",
	.about = "Azure cost exports: EA, MCA, pay-as-you-go, localised headers",
	.tabular = true,
	.bill = true,
	.ragged = true,
	.detect = azure_detect,
	.run = azure_run
};
