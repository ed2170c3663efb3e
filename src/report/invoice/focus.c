#include "base/num.h"
#include "base/str.h"
#include "model/known.h"
#include "report/invoice/focus_pieces.h"

#include <assert.h>
#include <stdlib.h>

#include "base/jw.h"
#include "base/sort.h"
#include "base/tm.h"
#include "ledger/split.h"
#include "report/text.h"

/* clang-format off */
#define COLUMNS(X) \
	X(AllocatedMethodDetails) X(AllocatedMethodId) X(AllocatedResourceId) \
	X(AllocatedResourceName) X(AllocatedTags) X(AvailabilityZone) X(BilledCost) \
	X(BillingAccountId) X(BillingAccountName) X(BillingAccountType) X(BillingCurrency) \
	X(BillingPeriodEnd) X(BillingPeriodStart) X(CapacityReservationId) \
	X(CapacityReservationStatus) X(ChargeCategory) X(ChargeClass) X(ChargeDescription) \
	X(ChargeFrequency) X(ChargePeriodEnd) X(ChargePeriodStart) \
	X(CommitmentDiscountCategory) X(CommitmentDiscountId) X(CommitmentDiscountName) \
	X(CommitmentDiscountQuantity) X(CommitmentDiscountStatus) X(CommitmentDiscountType) \
	X(CommitmentDiscountUnit) X(ConsumedQuantity) X(ConsumedUnit) X(ContractApplied) \
	X(ContractedCost) X(ContractedUnitPrice) X(EffectiveCost) X(HostProviderName) \
	X(InvoiceId) X(InvoiceIssuerName) X(ListCost) X(ListUnitPrice) X(PricingCategory) \
	X(PricingCurrency) X(PricingCurrencyContractedUnitPrice) \
	X(PricingCurrencyEffectiveCost) X(PricingCurrencyListUnitPrice) X(PricingQuantity) \
	X(PricingUnit) X(ProviderName) X(PublisherName) X(RegionId) X(RegionName) \
	X(ResourceId) X(ResourceName) X(ResourceType) X(ServiceCategory) X(ServiceName) \
	X(ServiceProviderName) X(ServiceSubcategory) X(SkuId) X(SkuMeter) X(SkuPriceDetails) \
	X(SkuPriceId) X(SubAccountId) X(SubAccountName) X(SubAccountType) X(Tags)
/* clang-format on */
/* Ours; names must start with x_. */
/* clang-format off */
#define OWN_COLUMNS(X) \
	X(x_CostSource) X(x_GpuModel) X(x_GpuSeconds) X(x_IdleGpuSeconds) X(x_InstanceType) \
	X(x_LostGpuSeconds) X(x_UsageType)
/* clang-format on */

#define ENUM(c) C_##c,
#define NAME(c) #c,
enum column { COLUMNS(ENUM) C_FOCUS, C_BEFORE_OWN = C_FOCUS - 1, OWN_COLUMNS(ENUM) C_N };
static const char *const names[] = { COLUMNS(NAME) OWN_COLUMNS(NAME) };

#define METHOD "tare:gpu-seconds" /* AllocatedMethodId: shares of GPU time */

const char *const *focus_columns(size_t *ret_n)
{
	*ret_n = C_FOCUS;
	return names;
}

/* ---- rows -------------------------------------------------------------------------------- */

struct row {
	struct arena mem;
	struct sv cell[C_N]; /* {NULL,0} = null */
};

static void set_cell(struct row *r, enum column c, struct sv v)
{
	r->cell[c] = sv_or(v, SV_NULL);
}

static void set_z(struct row *r, enum column c, const char *z)
{
	set_cell(r, c, sv_of(z));
}

static void set_time(struct row *r, enum column c, int64_t ms)
{
	char *buf = arena_alloc(&r->mem, TM_BUF);

	if (ms != UNKNOWN_MS)
		set_z(r, c, tm_format(buf, ms));
}

static void set_dec(struct row *r, enum column c, bool known, dec v)
{
	r->cell[c] = known ? sv_of(dec_format(arena_alloc(&r->mem, DEC_BUF), v)) : SV_NULL;
}

static void set_seconds(struct row *r, enum column c, int64_t ms)
{
	r->cell[c] = sv_of(text_seconds(arena_alloc(&r->mem, DEC_BUF), ms));
}

static void put_row(struct focus *f, const struct row *r, struct str *out)
{
	for (size_t i = 0; i < C_N; i++) {
		if (i)
			str_addc(out, ',');
		text_csv(out, r->cell[i]);
	}
	str_addz(out, text_csv_is_raw() ? "\n" : ",'\n");
	f->counts.rows++;
}

void focus_header(struct str *out)
{
	for (size_t i = 0; i < C_N; i++)
		str_addf(out, "%s%s", text_if(i, ","), names[i]);
	str_addz(out, text_csv_is_raw() ? "\n" : "," FOCUS_QUOTED "\n");
}

static void set_periods(struct row *r, int64_t from_ms, int64_t to_ms, int64_t period_from_ms,
			int64_t period_to_ms)
{
	int64_t from, to;

	/* First instant of the month of t, and of the next one. */
	from = tm_month_start(from_ms, 0);
	to = tm_month_start(from_ms, 1);

	set_time(r, C_ChargePeriodStart, from_ms);
	set_time(r, C_ChargePeriodEnd, to_ms);
	set_time(r, C_BillingPeriodStart, period_from_ms == UNKNOWN_MS ? from : period_from_ms);
	set_time(r, C_BillingPeriodEnd, period_to_ms == UNKNOWN_MS ? to : period_to_ms);
}

static void set_provider(struct row *r, struct sv provider)
{
	static const enum column of[] = { C_HostProviderName, C_InvoiceIssuerName, C_ProviderName,
					  C_PublisherName, C_ServiceProviderName };

	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		set_cell(r, of[i], provider);
}

/* Subcategories are required since 1.1 and are not kept from bills: the general one of the
 * category. */
static void set_service(struct row *r, struct sv category, struct sv name, bool gpu)
{
	struct sv c = sv_or(category, gpu ? SV("Compute") : SV("Other"));

	set_cell(r, C_ServiceCategory, c);
	set_cell(r, C_ServiceName, sv_or(name, gpu ? SV("GPU instances") : SV("Other")));
	if (gpu && sv_is(c, "Compute"))
		set_z(r, C_ServiceSubcategory, "Virtual Machines");
	else
		set_z(r, C_ServiceSubcategory, arena_printf(&r->mem, "Other (%.*s)", SVF(c)));
}

static void set_origin(struct row *r, const struct bill_line *b)
{
	set_provider(r, b->provider);
	set_cell(r, C_AvailabilityZone, b->zone);
	set_cell(r, C_BillingAccountId, b->account);
	set_cell(r, C_BillingAccountName, b->account_name);
	set_cell(r, C_BillingCurrency, b->currency);
	set_periods(r, b->from_ms, b->to_ms, b->period_from_ms, b->period_to_ms);
	bool of_capacity = sv_is(b->capacity_status, "Used") || sv_is(b->capacity_status, "Unused");
	if (of_capacity) { /* the only two that FOCUS has */
		set_cell(r, C_CapacityReservationId, b->capacity_id);
		set_cell(r, C_CapacityReservationStatus, b->capacity_status);
	}
	set_cell(r, C_ChargeCategory, sv_or(b->charge_category, SV("Usage")));
	set_cell(r, C_ChargeClass, b->charge_class);
	set_cell(r, C_ChargeDescription, b->charge_description);
	set_cell(r, C_ChargeFrequency, sv_or(b->charge_frequency, SV("Usage-Based")));
	set_cell(r, C_CommitmentDiscountId, b->commitment_id);
	set_cell(r, C_CommitmentDiscountStatus, b->commitment_status);
	set_cell(r, C_CommitmentDiscountType, b->commitment_type);
	set_cell(r, C_ConsumedUnit, b->unit);
	set_cell(r, C_InvoiceId, b->invoice);
	set_cell(r, C_PricingCategory, b->pricing_category);
	set_cell(r, C_PricingUnit, b->unit);
	set_cell(r, C_RegionId, b->region);
	set_cell(r, C_RegionName, b->region);
	set_cell(r, C_ResourceId, b->resource_id);
	set_cell(r, C_ResourceName, b->resource_name);
	set_cell(r, C_ResourceType, b->resource_type);
	set_service(r, b->service_category, b->service_name, b->gpu_milli > 0);
	set_cell(r, C_SkuId, b->sku_id);
	set_cell(r, C_SkuPriceId, b->sku_price_id);

	/* Instance type and GPU count under the names FOCUS has for them. */
	struct sv instance_type = b->instance_type;
	int64_t gpu_milli = b->gpu_milli;
	struct str s = { 0 };
	struct jw w;
	if (instance_type.n || gpu_milli > 0) {
		jw_init(&w, &s, 0);
		jw_obj(&w);
		if (gpu_milli > 0) {
			jw_key(&w, "GpuCount");
			jw_num(&w, (double)gpu_milli / 1000, 3);
		}
		if (instance_type.n) {
			jw_key(&w, "InstanceType");
			jw_sv(&w, instance_type);
		}
		jw_end_obj(&w);
		set_cell(r, C_SkuPriceDetails, (struct sv){ arena_sv(&r->mem, str_sv(&s)), s.n });
		str_free(&s);
	}

	set_cell(r, C_SubAccountId, b->sub_account);
	set_cell(r, C_SubAccountName, b->sub_account_name);
	set_cell(r, C_Tags, b->tags);
	set_z(r, C_x_CostSource, priced_name(PRICED_BILL));
	set_cell(r, C_x_GpuModel, b->gpu_model);
	set_cell(r, C_x_InstanceType, b->instance_type);
	set_cell(r, C_x_UsageType, b->usage_type);
}

/* ---- the allocated side ------------------------------------------------------------------ */

static void set_piece(struct focus *f, struct row *r, const struct piece *p, dec ratio)
{
	static const enum owner_field by[] = { OWNER_JOB, OWNER_RUN, OWNER_USER, OWNER_PROJECT,
					       OWNER_TEAM };
	const struct who *w = &f->who.v[p->who];
	char ratio_text[DEC_BUF], seconds[DEC_BUF];
	struct str s = { 0 };
	struct jw j;

	set_z(r, C_AllocatedMethodId, METHOD);
	set_z(r, C_AllocatedResourceId, w->unallocated ? "idle" : "unknown");
	set_z(r, C_AllocatedResourceName, w->unallocated ? "Idle: held by nobody" : "unknown");
	for (size_t i = 0; i < sizeof by / sizeof *by && !w->unallocated; i++)
		if (w->field[by[i]].n) {
			set_cell(r, C_AllocatedResourceId, w->field[by[i]]);
			set_cell(r, C_AllocatedResourceName,
				 w->field[OWNER_RUN].n ? w->field[OWNER_RUN] : w->field[by[i]]);
			break;
		}
	jw_init(&j, &s, 0);
	jw_obj(&j);
	for (int i = 0; i < OWNER_N; i++)
		if (w->field[i].n && i != OWNER_JOB && i != OWNER_RUN) {
			jw_key(&j, owner_field_name((enum owner_field)i));
			jw_sv(&j, w->field[i]);
		}
	if (w->unallocated) {
		jw_key(&j, "state");
		jw_str(&j, state_name(STATE_UNALLOCATED));
	}
	jw_end_obj(&j);
	set_cell(r, C_AllocatedTags, (struct sv){ arena_sv(&r->mem, str_sv(&s)), s.n });
	str_free(&s);
	dec_format(ratio_text, ratio);
	set_z(r, C_AllocatedMethodDetails,
	      arena_printf(
		      &r->mem,
		      "{\"Elements\":[{\"AllocatedRatio\":%s,\"UsageUnit\":\"GPU-Seconds\",\"UsageQuantity\":%s}]}",
		      ratio_text, text_seconds(seconds, p->ms)));
	set_seconds(r, C_x_GpuSeconds, p->ms);
	set_seconds(r, C_x_IdleGpuSeconds, p->idle_ms);
	set_seconds(r, C_x_LostGpuSeconds, p->lost_ms);
}

/* Shares of 1 by GPU time, in steps of 10^-12 that add up to 1. */
static void fill_ratios(const struct piece *p, size_t n, __int128 *weight, __int128 *ret)
{
	for (size_t i = 0; i < n; i++)
		weight[i] = p[i].ms;
	bool any = split_parts(DEC_ONE, 1, n, weight, ret);
	assert(any);
	(void)any;
}

/* ---- bill lines -------------------------------------------------------------------------- */

enum { M_BILLED, M_EFFECTIVE, M_LIST, M_CONTRACTED, M_QUANTITY, M_N };

struct metrics {
	bool known[M_N];
	dec v[M_N];
};

static void set_metric(struct row *r, int m, bool known, dec v)
{
	static const enum column of[] = { C_BilledCost, C_EffectiveCost, C_ListCost,
					  C_ContractedCost, C_ConsumedQuantity };

	set_dec(r, of[m], known, v);
	if (m == M_QUANTITY)
		set_dec(r, C_PricingQuantity, known, v);
}

void focus_line(struct focus *f, const struct bill_line *b, struct sv scope, struct str *out)
{
	struct metrics m = (struct metrics){
		.known = { b->has_cost[BASIS_BILLED], b->has_cost[BASIS_EFFECTIVE],
			   b->has_cost[BASIS_LIST], b->has_contracted, b->has_quantity },
		.v = { b->cost[BASIS_BILLED], b->cost[BASIS_EFFECTIVE], b->cost[BASIS_LIST],
		       b->contracted, b->quantity },
	};
	if (b->has_quantity && b->gpu_milli > 0 && bill_line_counts_gpus(b))
		m.v[M_QUANTITY] = dec_muldiv(b->quantity, b->gpu_milli, 1000);
	struct row r = { 0 };
	size_t n;
	struct piece *p = focus_pieces(f, b, scope, &r.mem, &n);

	set_origin(&r, b);
	f->counts.lines++;
	if (n && !focus_is_anonymous(f, p, n)) {
		__int128 *part = arena_alloc(&r.mem, (M_N + 2) * n * sizeof *part),
			 *weight = part + M_N * n, *ratio = weight + n;

		fill_ratios(p, n, weight, ratio);
		for (int k = 0; k < M_N; k++)
			if (m.known[k])
				split_parts(m.v[k], 1, n, weight, part + (size_t)k * n);
		for (size_t i = 0; i < n; i++) {
			for (int k = 0; k < M_N; k++)
				set_metric(&r, k, m.known[k], part[(size_t)k * n + i]);
			set_piece(f, &r, &p[i], ratio[i]);
			put_row(f, &r, out);
		}
		f->counts.split_lines++;
	} else {
		for (int k = 0; k < M_N; k++)
			set_metric(&r, k, m.known[k], m.v[k]);
		put_row(f, &r, out);
	}
	arena_free(&r.mem);
}

/* ---- time without a bill ----------------------------------------------------------------- */

static void unbilled_group(struct focus *f, struct group *g, struct str *out)
{
	struct row r = { 0 };
	size_t n = g->piece.n;
	__int128 *weight = arena_alloc(&r.mem, 2 * (n + 1) * sizeof *weight),
		 *ratio = weight + n + 1;
	int64_t ms = 0;

	qsort_r(g->piece.v, n, sizeof *g->piece.v, focus_cmp_pieces, f);

	const struct entry *e = &g->origin;
	bool gpu = e->kind == KIND_GPU, spot = sv_is(e->purchase, "spot");
	struct sv provider = sv_or(e->provider, SV("own"));

	set_provider(&r, provider);
	set_cell(&r, C_AvailabilityZone, e->zone);
	set_cell(&r, C_BillingAccountId, sv_or(e->cluster, provider));
	set_cell(&r, C_BillingCurrency, sv_or(e->currency, SV("USD")));
	set_periods(&r, e->hour_ms, e->hour_ms + MS_HOUR, UNKNOWN_MS, UNKNOWN_MS);
	set_z(&r, C_ChargeCategory, "Usage");
	set_z(&r, C_ChargeDescription,
	      gpu ? "GPU time that no bill covers"
		  : arena_printf(&r.mem, "%s that no bill covers", kind_name(e->kind)));
	set_z(&r, C_ChargeFrequency, "Usage-Based");
	set_z(&r, C_PricingCategory, spot ? "Dynamic" : "Standard");
	set_cell(&r, C_RegionId, e->region);
	set_cell(&r, C_RegionName, e->region);
	set_cell(&r, C_ResourceId, sv_or(e->node, e->scope));
	set_cell(&r, C_ResourceName, sv_or(e->node, e->scope));
	set_service(&r, SV_NULL, SV_NULL, gpu);
	set_z(&r, C_x_CostSource, priced_name(e->priced));
	set_cell(&r, C_x_GpuModel, e->gpu_model);
	for (size_t i = 0; i < n; i++)
		ms += g->piece.v[i].ms;
	if (ms > 0)
		fill_ratios(g->piece.v, n, weight, ratio);
	for (size_t i = 0; i < n; i++) {
		const struct piece *p = &g->piece.v[i];
		set_dec(&r, C_BilledCost, true,
			p->nano[BASIS_BILLED] == UNKNOWN_NANO ? 0
							      : nano_to_dec(p->nano[BASIS_BILLED]));
		set_dec(&r, C_EffectiveCost, true, nano_to_dec(p->nano[BASIS_EFFECTIVE]));
		set_dec(&r, C_ListCost, p->nano[BASIS_LIST] != UNKNOWN_NANO,
			nano_to_dec(known_i64_or(p->nano[BASIS_LIST], 0)));
		if (ms > 0)
			set_piece(f, &r, p, ratio[i]);
		put_row(f, &r, out);
		f->counts.unbilled_rows++;
	}
	arena_free(&r.mem);
}

static int cmp_groups(const void *pa, const void *pb)
{
	const struct group *a = *(struct group *const *)pa, *b = *(struct group *const *)pb;
	int d = cmp_i64(a->origin.hour_ms, b->origin.hour_ms);

	if (!d)
		d = sv_cmp(a->origin.scope, b->origin.scope);
	if (d)
		return d;
	return (a > b) - (a < b); /* then as they came */
}

void focus_unbilled(struct focus *f, struct str *out)
{
	VEC(struct group *) v = { 0 };

	for (size_t i = 0; i < f->group.n; i++)
		if (f->group.v[i].origin.priced != PRICED_BILL)
			*vec_push(&v) = &f->group.v[i];
	if (v.n)
		sort_items(v.v, v.n, sizeof *v.v, cmp_groups);
	for (size_t i = 0; i < v.n; i++)
		unbilled_group(f, v.v[i], out);
	vec_free(&v);
}
