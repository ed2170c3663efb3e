/*
 * The store's share of a bill import, without classification: bench-bill-append CSV DIR reads a
 * FOCUS CSV and stores its lines. Prints wall seconds of reading alone (with --read-only) or of
 * reading and storing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/tm.h"
#include "store/store.h"

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const char *const text_name[] = { "ProviderName",
					 "BillingAccountId",
					 "BillingAccountName",
					 "SubAccountId",
					 "SubAccountName",
					 "BillingCurrency",
					 "ChargeCategory",
					 "ChargeFrequency",
					 "ChargeDescription",
					 "PricingCategory",
					 "ServiceCategory",
					 "ServiceName",
					 "SkuId",
					 "SkuPriceId",
					 "x_UsageType",
					 "RegionId",
					 "AvailabilityZone",
					 "ResourceId",
					 "ResourceName",
					 "ResourceType",
					 "CommitmentDiscountId",
					 "CommitmentDiscountType",
					 "CommitmentDiscountStatus",
					 "Tags",
					 "ConsumedUnit" };
#define NTEXT (sizeof text_name / sizeof *text_name)

static void read_texts(struct bill_line *b, const struct sv *c, const int *at)
{
	struct sv *const to[] = { &b->provider,
				  &b->account,
				  &b->account_name,
				  &b->sub_account,
				  &b->sub_account_name,
				  &b->currency,
				  &b->charge_category,
				  &b->charge_frequency,
				  &b->charge_description,
				  &b->pricing_category,
				  &b->service_category,
				  &b->service_name,
				  &b->sku_id,
				  &b->sku_price_id,
				  &b->usage_type,
				  &b->region,
				  &b->zone,
				  &b->resource_id,
				  &b->resource_name,
				  &b->resource_type,
				  &b->commitment_id,
				  &b->commitment_type,
				  &b->commitment_status,
				  &b->tags,
				  &b->unit };
	for (size_t i = 0; i < NTEXT; i++)
		*to[i] = c[at[i]];
}

int main(int argc, char **argv)
{
	struct err err = { 0 };
	struct input *in;
	struct tab *tab;
	struct store *s = NULL;
	const struct sv *c;
	int64_t batch, rows = 0;
	int at[NTEXT], r = 0;
	if (argc < 3)
		return 2;
	if (input_open(argv[1], &in, &err) ||
	    tab_csv_open(in, &(struct tab_csv_opt){ 0 }, &tab, &err))
		goto fail;
	bool store = strcmp(argv[2], "--read-only") != 0;
	if (store && (store_open(argv[2], STORE_WRITE, 0, "bench", &s, &err) ||
		      store_begin(s, &batch, &err)))
		goto fail;
	for (size_t i = 0; i < NTEXT; i++)
		at[i] = tab_col(tab, text_name[i]);
	static const char *const time_name[] = { "ChargePeriodStart", "ChargePeriodEnd",
						 "BillingPeriodStart", "BillingPeriodEnd" };
	static const char *const cost_name[] = { "BilledCost", "EffectiveCost", "ListCost",
						 "ContractedCost", "ConsumedQuantity" };
	int time_at[4], cost_at[5];
	for (int i = 0; i < 4; i++)
		time_at[i] = tab_col(tab, time_name[i]);
	for (int i = 0; i < 5; i++)
		cost_at[i] = tab_col(tab, cost_name[i]);
	double start = now();
	while ((r = tab_next(tab, &c, &err)) > 0) {
		struct bill_line b = { .kind = KIND_OTHER, .purchase = SV("on_demand") };
		int64_t *const time_to[] = { &b.from_ms, &b.to_ms, &b.period_from_ms,
					     &b.period_to_ms };
		dec *const cost_to[] = { &b.cost[0], &b.cost[1], &b.cost[2], &b.contracted,
					 &b.quantity };
		bool *const has_to[] = { &b.has_cost[0], &b.has_cost[1], &b.has_cost[2],
					 &b.has_contracted, &b.has_quantity };
		read_texts(&b, c, at);
		for (int i = 0; i < 4; i++)
			if (tm_parse(c[time_at[i]], 0, time_to[i]))
				*time_to[i] = UNKNOWN_MS;
		for (int i = 0; i < 5; i++)
			*has_to[i] = c[cost_at[i]].p &&
				     dec_parse(c[cost_at[i]], 0, cost_to[i]) == 0;
		if (store && (r = store_add_bill(s, 0, "", &b, &err)))
			goto fail;
		rows++;
	}
	double read = now() - start;
	if (r == 0 && store)
		r = store_commit(s, 0, "bench",
				 &(struct batch_file){ argv[1], "focus", "h", "s", "{}", 0, 0 }, 1,
				 &err);
	if (r < 0)
		goto fail;
	double committed = now() - start;
	store_close(s);
	printf("%lld rows: read %.2f s, committed %.2f s, closed %.2f s\n", (long long)rows, read,
	       committed, now() - start);
	tab_close(tab);
	input_close(in);
	return 0;
fail:
	fprintf(stderr, "bench-bill-append: %s\n", err.msg);
	return 1;
}
