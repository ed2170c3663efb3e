/*
 * FOCUS 1.0 to 1.3 (FinOps Open Cost and Usage Specification). Columns come in any order, x_
 * columns and others are ignored, the version is told from the columns because files carry none.
 * Empty and NULL are nothing; a missing cost is unknown, never 0.
 */
#include <errno.h>

#include "base/among.h"
#include "base/num.h"
#include "base/tm.h"
#include "feed/bill/bill_rows.h"
#include "feed/feeds.h"
#include "feed/tags.h"

enum {
	F_BILLED,
	F_EFFECTIVE,
	F_LIST,
	F_CONTRACTED,
	F_FROM,
	F_TO,
	F_PERIOD_FROM,
	F_PERIOD_TO,
	F_CURRENCY,
	F_PROVIDER,
	F_PROVIDER_OLD,
	F_ACCOUNT,
	F_ACCOUNT_NAME,
	F_SUB,
	F_SUB_NAME,
	F_INVOICE,
	F_CATEGORY,
	F_CLASS,
	F_FREQUENCY,
	F_DESCRIPTION,
	F_PRICING,
	F_SERVICE_CATEGORY,
	F_SERVICE,
	F_SKU,
	F_SKU_PRICE,
	F_METER,
	F_DETAILS,
	F_REGION,
	F_ZONE,
	F_RESOURCE,
	F_RESOURCE_NAME,
	F_RESOURCE_TYPE,
	F_COMMIT,
	F_COMMIT_TYPE,
	F_COMMIT_STATUS,
	F_TAGS,
	F_QUANTITY,
	F_UNIT,
	F_PRICING_QUANTITY,
	F_PRICING_UNIT,
	F_TERM,
	F_INSTANCE,
	F_ALLOCATED_TAGS,
	F_GPU_MODEL,
	F_GPU_COUNT,
	F_CAPACITY,
	F_CAPACITY_STATUS
};
static const char *const names[] = { "BilledCost",
				     "EffectiveCost",
				     "ListCost",
				     "ContractedCost",
				     "ChargePeriodStart",
				     "ChargePeriodEnd",
				     "BillingPeriodStart",
				     "BillingPeriodEnd",
				     "BillingCurrency",
				     "ServiceProviderName",
				     "ProviderName|PublisherName|InvoiceIssuerName",
				     "BillingAccountId",
				     "BillingAccountName",
				     "SubAccountId",
				     "SubAccountName",
				     "InvoiceId|x_InvoiceId",
				     "ChargeCategory",
				     "ChargeClass",
				     "ChargeFrequency",
				     "ChargeDescription",
				     "PricingCategory",
				     "ServiceCategory",
				     "ServiceName",
				     "SkuId",
				     "SkuPriceId",
				     "x_UsageType|x_SkuMeterName|SkuMeter|x_SkuDescription",
				     "SkuPriceDetails|x_SkuDetails",
				     "RegionId",
				     "AvailabilityZone",
				     "ResourceId",
				     "ResourceName",
				     "ResourceType",
				     "CommitmentDiscountId",
				     "CommitmentDiscountType",
				     "CommitmentDiscountStatus",
				     "Tags",
				     "ConsumedQuantity",
				     "ConsumedUnit",
				     "PricingQuantity",
				     "PricingUnit",
				     "x_SkuTerm|x_CommitmentDiscountTerm",
				     "x_InstanceType|x_SkuInstanceType",
				     "AllocatedTags",
				     "gpu_model|x_GpuModel|x_GpuType",
				     "gpu_count|x_GpuCount",
				     "CapacityReservationId",
				     "CapacityReservationStatus",
				     NULL };

/* A row of a split charge (1.3) belongs to whom it was allocated: AllocatedTags win over those of
 * the resource. */
static struct sv allocated_tags(struct bill_rows *w, struct tags *merged, struct sv own)
{
	struct sv allocated = bill_text(w, F_ALLOCATED_TAGS);

	if (!allocated.n)
		return SV_NULL;
	tags_clear(merged);
	if (tags_add_json(merged, allocated) < 0)
		w->bad_tags++;
	if (own.n)
		(void)tags_add_json(merged, own); /* is an object: looked at before */
	return tags_json(merged);
}

static void read_texts(struct bill_rows *w, struct bill_line *b)
{
	struct sv provider = bill_text(w, F_PROVIDER);

	b->provider = bill_provider(w->classifier,
				    provider.n ? provider : bill_text(w, F_PROVIDER_OLD));
	b->currency = bill_text(w, F_CURRENCY);
	if (!b->currency.n)
		bill_bad(w, F_CURRENCY, "is empty");
	b->account = bill_text(w, F_ACCOUNT);
	b->account_name = bill_text(w, F_ACCOUNT_NAME);
	b->sub_account = bill_text(w, F_SUB);
	b->sub_account_name = bill_text(w, F_SUB_NAME);
	b->invoice = bill_text(w, F_INVOICE);
	b->charge_category = bill_text(w, F_CATEGORY);
	if (!b->charge_category.n)
		b->charge_category = SV("Usage");
	b->charge_class = bill_text(w, F_CLASS);
	b->charge_frequency = bill_text(w, F_FREQUENCY);
	b->charge_description = bill_text(w, F_DESCRIPTION);
	b->pricing_category = bill_text(w, F_PRICING);
	b->service_category = bill_text(w, F_SERVICE_CATEGORY);
	b->service_name = bill_text(w, F_SERVICE);
	b->sku_id = bill_text(w, F_SKU);
	b->sku_price_id = bill_text(w, F_SKU_PRICE);
	b->usage_type = bill_text(w, F_METER);
	b->instance_type = bill_text(w, F_INSTANCE);
	b->region = bill_text(w, F_REGION);
	b->zone = bill_text(w, F_ZONE);
	b->resource_id = bill_text(w, F_RESOURCE);
	b->resource_name = bill_text(w, F_RESOURCE_NAME);
	b->resource_type = bill_text(w, F_RESOURCE_TYPE);
	b->commitment_id = bill_text(w, F_COMMIT);
	b->commitment_type = bill_text(w, F_COMMIT_TYPE);
	b->commitment_status = bill_text(w, F_COMMIT_STATUS);
	b->tags = bill_json(w, F_TAGS);
	b->capacity_id = bill_text(w, F_CAPACITY);
	b->capacity_status = bill_text(w, F_CAPACITY_STATUS);
}

static int read_rows(struct bill_rows *w, struct tags *merged, struct err *err)
{
	struct bill_evidence e;
	struct bill_line b;
	int rc;

	while ((rc = bill_rows_next(w, err)) > 0) {
		memset(&b, 0, sizeof b);
		b.has_cost[BASIS_BILLED] = bill_amount(w, F_BILLED, &b.cost[BASIS_BILLED]);
		b.has_cost[BASIS_EFFECTIVE] = bill_amount(w, F_EFFECTIVE, &b.cost[BASIS_EFFECTIVE]);
		b.has_cost[BASIS_LIST] = bill_amount(w, F_LIST, &b.cost[BASIS_LIST]);
		b.has_contracted = bill_amount(w, F_CONTRACTED, &b.contracted);
		b.has_quantity = bill_dec(w, F_QUANTITY, &b.quantity);
		b.unit = bill_text(w, F_UNIT);
		if (!b.has_quantity &&
		    (b.has_quantity = bill_dec(w, F_PRICING_QUANTITY, &b.quantity)))
			b.unit = bill_text(w, F_PRICING_UNIT);
		b.from_ms = bill_time(w, F_FROM);
		b.to_ms = bill_time(w, F_TO);
		b.period_from_ms = bill_time(w, F_PERIOD_FROM);
		b.period_to_ms = bill_time(w, F_PERIOD_TO);
		if (b.from_ms == UNKNOWN_MS)
			bill_bad(w, F_FROM, "is empty");
		if (b.to_ms == UNKNOWN_MS)
			bill_bad(w, F_TO, "is empty");
		if (b.to_ms < b.from_ms)
			bill_bad(w, F_TO, "'%.*s' is before the start of the charge period",
				 SVF(bill_text(w, F_TO)));
		bill_note_day(w, F_FROM, &b);
		read_texts(w, &b);
		e = (struct bill_evidence){ .details = bill_text(w, F_DETAILS),
					    .term = bill_text(w, F_TERM),
					    .owner_tags = allocated_tags(w, merged, b.tags),
					    .gpu_model = bill_text(w, F_GPU_MODEL),
					    .gpu_count = bill_text(w, F_GPU_COUNT) };
		if (!bill_good(w, &rc, err)) {
			if (rc < 0)
				return rc;
			continue;
		}
		if (!SV_AMONG(b.charge_category, "Usage", "Purchase", "Tax", "Credit",
			      "Adjustment"))
			bill_word(w, "ChargeCategory", b.charge_category);
		if ((rc = bill_give(w, &b, &e, err)) < 0)
			return rc;
	}
	return rc;
}

static const char *version_of(const struct tab *t)
{
	static const struct {
		const char *version, *column[7];
	} marks[] = {
		{ "1.3",
		  { "ServiceProviderName", "HostProviderName", "AllocatedMethodId",
		    "AllocatedResourceId", "AllocatedTags", "ContractApplied" } },
		{ "1.2",
		  { "InvoiceId", "BillingAccountType", "SubAccountType", "PricingCurrency",
		    "PricingCurrencyEffectiveCost" } },
		{ "1.1",
		  { "SkuMeter", "SkuPriceDetails", "ServiceSubcategory", "CapacityReservationId",
		    "CommitmentDiscountQuantity", "CommitmentDiscountUnit" } },
	};

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		for (const char *const *c = marks[i].column; *c; c++)
			if (tab_find(t->col, t->ncol, *c, true) >= 0)
				return marks[i].version;
	return "1.0";
}

static int focus_run(struct feed_run *r, struct err *err)
{
	struct bill_rows *w = xcalloc(1, sizeof *w);
	struct tags merged = { .n = 0 };
	int rc = bill_rows_open(w, r, names, NULL, err);

	if (!rc) {
		for (int i = 0; i < BILL_SUMS; i++)
			w->has_sum[i] = bill_has(w, F_BILLED + i);
		feed_note(r->report, "columns of FOCUS %s", version_of(r->tab));
		struct sv count = w->fixed[F_GPU_COUNT];
		int64_t n = 0;
		if (count.n && (sv_i64(count, &n) < 0 || !within_i64(n, 1, 1024)))
			rc = err_set(err, -EINVAL,
				     "--set gpu_count: '%.*s' is not a number from 1 to 1024",
				     SVF(count));
		if (!rc)
			rc = read_rows(w, &merged, err);
		bool said = w->fixed[F_GPU_MODEL].n || w->fixed[F_GPU_COUNT].n;
		if (said && !w->used_gpu && !w->unknown_machines)
			feed_note(
				r->report,
				"--set gpu_model, gpu_count: no row needs it; it is for machines of which the bill does not say which GPUs they have, and not of AWS, Azure or Google, whose types say it");
		bill_rows_close(w);
	}
	tags_free(&merged);
	free(w);
	return rc;
}

static int focus_detect(struct sv head, const struct sv *col, size_t ncol)
{
	int score = 0;

	if (bill_named(col, ncol, names[F_CATEGORY]))
		score = 5;
	(void)head;
	if (bill_named(col, ncol, names[F_BILLED]))
		score += 30;
	if (bill_named(col, ncol, names[F_FROM]))
		score += 30;
	if (bill_named(col, ncol, names[F_TO]))
		score += 30;
	return score;
}

static const char *const required[] = { "BilledCost", "ChargePeriodStart", "ChargePeriodEnd",
					"BillingCurrency", NULL };

const struct feed feed_focus = { .kind = "focus",
				 .group = "bills",
				 .about = "FOCUS 1.0 to 1.3 bills of any provider",
				 .tabular = true,
				 .bill = true,
				 .detect = focus_detect,
				 .required = required,
				 .run = focus_run };
