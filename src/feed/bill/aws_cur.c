/*
 * AWS cost and usage reports: 2.0 ("line_item_unblended_cost", tags as JSON in one column) and
 * legacy ("lineItem/UnblendedCost", a column per tag). Billed is the unblended cost; effective
 * spreads commitments over what used them, as AWS documents for amortised cost:
 *
 *   Usage                    unblended cost
 *   DiscountedUsage          reservation effective cost
 *   SavingsPlanCoveredUsage  savings plan effective cost
 *   SavingsPlanNegation      0 (takes back the on-demand cost of what the plan covered)
 *   RIFee                    0, and a line of its own for what nobody used: unused upfront + unused
 *                            recurring
 *   SavingsPlanRecurringFee  0, and a line for total commitment - used commitment
 *   SavingsPlanUpfrontFee, Fee of a reservation: 0
 *
 * An account with a discount (an Enterprise Discount Program's, say) has net columns, "the actual
 * after-discount cost": effective is then the net one of each of these, and the lines of the
 * discount have what their own net cost says, 0. Where a file lacks one of the net columns it
 * needs, all is before the discount, whose lines then are effective as billed: in neither case does
 * it count twice.
 *
 * Rows of split cost allocation divide the cost of their parent resource: aws_split.h.
 */
#include "base/jscan.h"
#include "base/num.h"
#include "feed/bill/aws_split.h"
#include "feed/bill/bill_rows.h"
#include "feed/feeds.h"

/* The columns, in the order of names[]. */
enum {
	C_TYPE,
	C_COST,
	C_NET,
	C_FROM,
	C_TO,
	C_PERIOD_FROM,
	C_PERIOD_TO,
	C_CURRENCY,
	C_PAYER,
	C_PAYER_NAME,
	C_ACCOUNT,
	C_ACCOUNT_NAME,
	C_INVOICE,
	C_PRODUCT,
	C_PRODUCT_NAME,
	C_FAMILY,
	C_USAGE_TYPE,
	C_DESCRIPTION,
	C_RESOURCE,
	C_ZONE,
	C_REGION,
	C_AMOUNT,
	C_UNIT,
	C_INSTANCE,
	C_SKU,
	C_RATE_CODE,
	C_TERM,
	C_LEASE,
	C_LIST,
	C_RI_ARN,
	C_RI_EFFECTIVE,
	C_RI_UNUSED_UPFRONT,
	C_RI_UNUSED_RECURRING,
	C_RI_NET,
	C_RI_NET_UNUSED_UPFRONT,
	C_RI_NET_UNUSED_RECURRING,
	C_SP_ARN,
	C_SP_EFFECTIVE,
	C_SP_NET,
	C_SP_UPFRONT,
	C_SP_RECURRING,
	C_SP_NET_UPFRONT,
	C_SP_NET_RECURRING,
	C_SP_TOTAL,
	C_SP_USED,
	C_SP_TERM,
	C_SP_TYPE,
	C_PARENT,
	C_SPLIT,
	C_SPLIT_UNUSED,
	C_SPLIT_NET,
	C_SPLIT_NET_UNUSED,
	C_TAGS,
	C_CAPACITY,
	C_CAPACITY_STATUS,
	C_COST_CATEGORY,
	C_PRODUCT_MAP,
	C_N
};
static const char *const names[C_N + 1] = {
	"line_item_line_item_type|lineItem/LineItemType",
	"line_item_unblended_cost|lineItem/UnblendedCost",
	"line_item_net_unblended_cost|lineItem/NetUnblendedCost",
	"line_item_usage_start_date|lineItem/UsageStartDate",
	"line_item_usage_end_date|lineItem/UsageEndDate",
	"bill_billing_period_start_date|bill/BillingPeriodStartDate",
	"bill_billing_period_end_date|bill/BillingPeriodEndDate",
	"line_item_currency_code|lineItem/CurrencyCode",
	"bill_payer_account_id|bill/PayerAccountId",
	"bill_payer_account_name",
	"line_item_usage_account_id|lineItem/UsageAccountId",
	"line_item_usage_account_name",
	"bill_invoice_id|bill/InvoiceId",
	"line_item_product_code|lineItem/ProductCode",
	"product_product_name|product/ProductName",
	"product_product_family|product/productFamily",
	"line_item_usage_type|lineItem/UsageType",
	"line_item_line_item_description|lineItem/LineItemDescription",
	"line_item_resource_id|lineItem/ResourceId",
	"line_item_availability_zone|lineItem/AvailabilityZone",
	"product_region_code|product/regionCode|product/region|product_region",
	"line_item_usage_amount|lineItem/UsageAmount",
	"pricing_unit|pricing/unit",
	"product_instance_type|product/instanceType",
	"product_sku|product/sku",
	"pricing_rate_code|pricing/RateCode",
	"pricing_term|pricing/term",
	"pricing_lease_contract_length|pricing/LeaseContractLength",
	"pricing_public_on_demand_cost|pricing/publicOnDemandCost",
	"reservation_reservation_a_r_n|reservation/ReservationARN",
	"reservation_effective_cost|reservation/EffectiveCost",
	"reservation_unused_amortized_upfront_fee_for_billing_period|reservation/UnusedAmortizedUpfrontFeeForBillingPeriod",
	"reservation_unused_recurring_fee|reservation/UnusedRecurringFee",
	"reservation_net_effective_cost|reservation/NetEffectiveCost",
	"reservation_net_unused_amortized_upfront_fee_for_billing_period|reservation/NetUnusedAmortizedUpfrontFeeForBillingPeriod",
	"reservation_net_unused_recurring_fee|reservation/NetUnusedRecurringFee",
	"savings_plan_savings_plan_a_r_n|savingsPlan/SavingsPlanARN",
	"savings_plan_savings_plan_effective_cost|savingsPlan/SavingsPlanEffectiveCost",
	"savings_plan_net_savings_plan_effective_cost|savingsPlan/NetSavingsPlanEffectiveCost",
	"savings_plan_amortized_upfront_commitment_for_billing_period|savingsPlan/AmortizedUpfrontCommitmentForBillingPeriod",
	"savings_plan_recurring_commitment_for_billing_period|savingsPlan/RecurringCommitmentForBillingPeriod",
	"savings_plan_net_amortized_upfront_commitment_for_billing_period|savingsPlan/NetAmortizedUpfrontCommitmentForBillingPeriod",
	"savings_plan_net_recurring_commitment_for_billing_period|savingsPlan/NetRecurringCommitmentForBillingPeriod",
	"savings_plan_total_commitment_to_date|savingsPlan/TotalCommitmentToDate",
	"savings_plan_used_commitment|savingsPlan/UsedCommitment",
	"savings_plan_purchase_term|savingsPlan/PurchaseTerm",
	"savings_plan_offering_type|savingsPlan/OfferingType",
	"split_line_item_parent_resource_id|splitLineItem/ParentResourceId",
	"split_line_item_split_cost|splitLineItem/SplitCost",
	"split_line_item_unused_cost|splitLineItem/UnusedCost",
	"split_line_item_net_split_cost|splitLineItem/NetSplitCost",
	"split_line_item_net_unused_cost|splitLineItem/NetUnusedCost",
	"resource_tags|tags",
	"capacity_reservation_capacity_reservation_arn",
	"capacity_reservation_capacity_reservation_status",
	"cost_category",
	"product",
	NULL
};

enum type {
	TYPE_USAGE,
	TYPE_DISCOUNTED,
	TYPE_SP_COVERED,
	TYPE_SP_NEGATION,
	TYPE_SP_FEE,
	TYPE_SP_UPFRONT,
	TYPE_RI_FEE,
	TYPE_FEE,
	TYPE_TAX,
	TYPE_CREDIT,
	TYPE_REFUND,
	TYPE_DISCOUNT,
	TYPE_OTHER
};
static const struct {
	const char *name, *category;
	enum type type;
} types[] = {
	{ "Usage", "Usage", TYPE_USAGE },
	{ "DiscountedUsage", "Usage", TYPE_DISCOUNTED },
	{ "SavingsPlanCoveredUsage", "Usage", TYPE_SP_COVERED },
	{ "SavingsPlanNegation", "Adjustment", TYPE_SP_NEGATION },
	{ "SavingsPlanRecurringFee", "Purchase", TYPE_SP_FEE },
	{ "SavingsPlanUpfrontFee", "Purchase", TYPE_SP_UPFRONT },
	{ "RIFee", "Purchase", TYPE_RI_FEE },
	{ "Fee", "Purchase", TYPE_FEE },
	{ "Tax", "Tax", TYPE_TAX },
	{ "Credit", "Credit", TYPE_CREDIT },
	{ "Refund", "Credit", TYPE_REFUND },
	{ "BundledDiscount", "Adjustment", TYPE_DISCOUNT },
	{ "EdpDiscount", "Adjustment", TYPE_DISCOUNT },
	{ "PrivateRateDiscount", "Adjustment", TYPE_DISCOUNT },
	{ "RiVolumeDiscount", "Adjustment", TYPE_DISCOUNT },
	{ "Discount", "Adjustment", TYPE_DISCOUNT },
};

struct tag_col {
	int col;
	struct sv key;
};
struct aws {
	struct bill_rows w;
	/* a column a tag: resourceTags/user:KEY, or resource_tags_user_key */
	VEC(struct tag_col) tag;
	struct str json;
	struct aws_split split;
	bool split_net; /* the file has net columns of split costs too */
	bool net;       /* the file has the net columns that its commitments need */
};

static enum type type_of(struct bill_rows *w, struct sv name, const char **ret_category)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (sv_is(name, types[i].name)) {
			*ret_category = types[i].category;
			return types[i].type;
		}
	bill_word(w, "line item type", name);
	*ret_category = "Adjustment";
	return TYPE_OTHER;
}

/* ---- tags -------------------------------------------------------------------------------- */

/* cells are plain text: quotes, backslashes and control characters are escaped */
static void add_json_text(struct str *s, struct sv v)
{
	str_addc(s, '"');
	for (size_t i = 0; i < v.n; i++) {
		unsigned char c = (unsigned char)v.p[i];
		if (c == '"' || c == '\\')
			str_addc(s, '\\');
		if (c < ' ')
			str_addf(s, "\\u%04x", c);
		else
			str_addc(s, (char)c);
	}
	str_addc(s, '"');
}

/* user:KEY and user_KEY are the owner's own tags, without the prefix; aws:KEY keep theirs. */
static struct sv tag_name(struct sv key)
{
	static const struct sv user[] = { { "user:", 5 },
					  { "user_", 5 },
					  { "userAttribute/", 14 } };

	for (size_t i = 0; i < sizeof user / sizeof *user; i++)
		if (key.n > user[i].n && sv_ieq((struct sv){ key.p, user[i].n }, user[i]))
			return sv_from(key, user[i].n);
	return key;
}

/* KEY of "resourceTags/KEY" and its other spellings, {NULL,0} for other columns. */
static struct sv tag_of_column(struct sv name)
{
	for (size_t i = 1; i + 1 < name.n; i++) {
		struct sv front = { name.p, i };
		if (strchr("/_-. ", name.p[i]) && tab_find(&front, 1, "resourceTags", true) == 0)
			return (struct sv){ name.p + i + 1, name.n - i - 1 };
	}
	return SV_NULL;
}

static struct sv tags_of_columns(struct aws *a)
{
	str_clear(&a->json);
	for (size_t i = 0; i < a->tag.n; i++) {
		struct sv v = sv_trim(a->w.cell[a->tag.v[i].col]);
		if (!v.n)
			continue;
		str_addc(&a->json, a->json.n ? ',' : '{');
		add_json_text(&a->json, a->tag.v[i].key);
		str_addc(&a->json, ':');
		add_json_text(&a->json, v);
	}
	if (!a->json.n)
		return SV_NULL;
	str_addc(&a->json, '}');
	return str_sv(&a->json);
}

/* The map of 2.0 with the prefixes of its keys taken off; its keys and values are JSON already. */
static struct sv tags_of_map(struct aws *a, struct sv map)
{
	struct sv key, value;
	size_t at = 0;

	if (!map.n || (!sv_has(map, SV("\"user")) && !sv_has(map, SV("userAttribute/"))))
		return map;
	str_clear(&a->json);
	while (jscan_next(map, &at, &key, &value)) {
		key = tag_name(key);
		str_addc(&a->json, a->json.n ? ',' : '{');
		str_addf(&a->json, "\"%.*s\":", SVF(key));
		str_addsv(&a->json, value);
	}
	str_addc(&a->json, '}');
	return str_sv(&a->json);
}

static struct sv read_tags(struct aws *a)
{
	if (a->tag.n)
		return tags_of_columns(a);
	return tags_of_map(a, bill_json(&a->w, C_TAGS));
}

/* ---- a row ------------------------------------------------------------------------------- */

static void set_cost(struct bill_line *b, enum basis basis, bool has, dec v)
{
	b->has_cost[basis] = has;
	b->cost[basis] = has ? v : 0;
}

/* The net column where the file has those and the row fills this one, else the other. */
static int effective_col(const struct aws *a, int net, int gross)
{
	if (a->net && bill_text(&a->w, net).n)
		return net;
	return gross;
}

static bool read_effective(struct aws *a, int net, int gross, dec *ret)
{
	return bill_amount(&a->w, effective_col(a, net, gross), ret);
}

/* Of a discount: the column may name a reservation of capacity, which is none. */
static struct sv reserved_instance_of(const struct bill_rows *w)
{
	struct sv arn = bill_text(w, C_RI_ARN);

	if (bill_is_capacity(arn))
		return SV_NULL;
	return arn;
}

static void read_costs(struct aws *a, enum type type, struct bill_line *b)
{
	struct bill_rows *w = &a->w;
	dec billed = 0, v = 0;
	bool has_billed = bill_amount(w, C_COST, &billed), has;

	set_cost(b, BASIS_BILLED, has_billed, billed);
	switch (type) {
	case TYPE_DISCOUNTED:
		has = read_effective(a, C_RI_NET, C_RI_EFFECTIVE, &v);
		set_cost(b, BASIS_EFFECTIVE, has, v);
		break;
	case TYPE_SP_COVERED:
		has = read_effective(a, C_SP_NET, C_SP_EFFECTIVE, &v);
		set_cost(b, BASIS_EFFECTIVE, has, v);
		break;
	case TYPE_SP_NEGATION:
	case TYPE_SP_FEE:
	case TYPE_SP_UPFRONT:
	case TYPE_RI_FEE: set_cost(b, BASIS_EFFECTIVE, true, 0); break;
	case TYPE_FEE: /* of a reservation: spread over its use; any other fee is what it is */
		has = reserved_instance_of(w).n || read_effective(a, C_NET, C_COST, &v);
		set_cost(b, BASIS_EFFECTIVE, has, v);
		break;
	default:
		has = read_effective(a, C_NET, C_COST, &v);
		set_cost(b, BASIS_EFFECTIVE, has, v);
		break;
	}
	v = 0;
	has = bill_amount(w, C_LIST, &v);
	set_cost(b, BASIS_LIST, has, v);
	b->has_quantity = bill_dec(w, C_AMOUNT, &b->quantity);
}

static struct sv region_of(struct bill_rows *w, struct sv zone)
{
	struct sv r = bill_text(w, C_REGION);

	/* us-east-1a, and the local zones us-east-1-bos-1a and us-west-2-lax-1, are in the region
	 * that they begin with; other lines have the region itself in the column of the zone */
	if (r.n)
		return r;
	for (size_t i = 1; i < zone.n; i++)
		if (zone.p[i - 1] == '-' && within_int(zone.p[i], '0', '9')) {
			while (i < zone.n && within_int(zone.p[i], '0', '9'))
				i++;
			return (struct sv){ zone.p, i };
		}
	return zone;
}

static bool is_savings_plan(enum type type)
{
	switch (type) {
	case TYPE_SP_COVERED:
	case TYPE_SP_NEGATION:
	case TYPE_SP_FEE:
	case TYPE_SP_UPFRONT: return true;
	default: return false;
	}
}

/* How often a fee is charged; nothing where the line is no fee. */
static struct sv frequency_of(enum type type)
{
	switch (type) {
	case TYPE_RI_FEE:
	case TYPE_SP_FEE: return SV("Recurring");
	case TYPE_FEE:
	case TYPE_SP_UPFRONT: return SV("One-Time");
	default: return SV_NULL;
	}
}

static void read_commitment(struct bill_rows *w, enum type type, struct bill_line *b,
			    struct bill_evidence *e)
{
	struct sv ri = reserved_instance_of(w), sp = bill_text(w, C_SP_ARN), arn = b->resource_id;
	bool spot = sv_has(b->usage_type, SV("SpotUsage"));

	if (type == TYPE_DISCOUNTED || type == TYPE_RI_FEE || (ri.n && type != TYPE_TAX)) {
		b->commitment_id = ri;
		b->commitment_type = SV("Reserved Instance");
		e->term = bill_text(w, C_LEASE);
	} else if (is_savings_plan(type)) {
		b->commitment_id = sp;
		b->commitment_type = SV("Savings Plan");
		e->term = bill_text(w, C_SP_TERM);
	} else if (type == TYPE_DISCOUNT && bill_is_commitment(arn)) {
		b->commitment_id = arn; /* of its fee */
		b->commitment_type = sv_has(arn, SV(":savingsplan/")) ? SV("Savings Plan")
								      : SV("Reserved Instance");
	}
	if (spot)
		b->pricing_category = SV("Dynamic");
	else if (type == TYPE_DISCOUNTED || type == TYPE_SP_COVERED)
		b->pricing_category = SV("Committed");
	else if (type == TYPE_USAGE || sv_is(bill_text(w, C_TERM), "OnDemand"))
		b->pricing_category = SV("Standard");
	else
		b->pricing_category = SV_NULL;
	if (type == TYPE_DISCOUNTED || type == TYPE_SP_COVERED)
		b->commitment_status = SV("Used");
	else
		b->commitment_status = SV_NULL;
}

static bool is_machine_time(struct sv usage_type)
{
	return sv_has(usage_type, SV("BoxUsage")) || sv_has(usage_type, SV("SpotUsage")) ||
	       sv_has(usage_type, SV("DedicatedUsage"));
}

static void read_texts(struct aws *a, struct bill_line *b, const char *category)
{
	struct bill_rows *w = &a->w;

	b->provider = SV("aws");
	b->currency = bill_text(w, C_CURRENCY);
	if (!b->currency.n)
		bill_bad(w, C_CURRENCY, "is empty");
	b->account = bill_text(w, C_PAYER);
	b->account_name = bill_text(w, C_PAYER_NAME);
	b->sub_account = bill_text(w, C_ACCOUNT);
	b->sub_account_name = bill_text(w, C_ACCOUNT_NAME);
	b->invoice = bill_text(w, C_INVOICE);
	b->charge_category = sv_of(category);
	b->charge_description = bill_text(w, C_DESCRIPTION);
	b->service_name = bill_text(w, C_PRODUCT_NAME);
	if (!b->service_name.n)
		b->service_name = bill_text(w, C_PRODUCT);
	b->sku_id = bill_text(w, C_SKU);
	b->sku_price_id = bill_text(w, C_RATE_CODE);
	b->usage_type = bill_text(w, C_USAGE_TYPE);
	b->unit = bill_text(w, C_UNIT);
	/* amounts of machines are hours, whatever the column of the unit says or leaves out */
	if (is_machine_time(b->usage_type) || bill_is_empty_capacity(b->usage_type))
		b->unit = SV("Hrs");
	b->instance_type = bill_text(w, C_INSTANCE);
	if (!b->instance_type.n)
		b->instance_type =
			jscan_text(jscan_get(bill_text(w, C_PRODUCT_MAP), "instance_type"));
	b->zone = bill_text(w, C_ZONE);
	b->region = region_of(w, b->zone);
	b->resource_id = bill_text(w, C_RESOURCE);
	b->resource_type = bill_text(w, C_FAMILY);
	b->tags = read_tags(a);
	b->capacity_id = bill_text(w, C_CAPACITY);
	b->capacity_status = bill_text(w, C_CAPACITY_STATUS);
	if (!b->capacity_id.n && bill_is_capacity(bill_text(w, C_RI_ARN)))
		b->capacity_id = bill_text(w, C_RI_ARN);
}

/*
 * A part of a savings plan's commitment, after the discount: the columns of commitment are before
 * it, so the part is scaled by net / gross of the fee's own columns that have both, or of the whole
 * line where none has. As it is where the two make no sense.
 */
static dec net_of_plan(struct aws *a, dec part)
{
	struct bill_rows *w = &a->w;
	dec gross = 0, net = 0, before = 0, after = 0;

	if (!a->net)
		return part;
	if (bill_amount(w, C_SP_UPFRONT, &before) && bill_amount(w, C_SP_NET_UPFRONT, &after)) {
		gross += before;
		net += after;
	}
	if (bill_amount(w, C_SP_RECURRING, &before) && bill_amount(w, C_SP_NET_RECURRING, &after)) {
		gross += before;
		net += after;
	}
	bool said = gross > 0 || (bill_amount(w, C_NET, &net) && bill_amount(w, C_COST, &gross));
	bool usable = said && gross > 0 && net >= 0 && net <= gross;
	if (!usable || !dec_fits_nano(part) || !dec_fits_nano(gross) || !dec_to_nano(gross))
		return part;
	return dec_muldiv(part, dec_to_nano(net), dec_to_nano(gross));
}

/* 0 where the row does not say it. */
static dec read_unused_reservation(struct aws *a)
{
	return bill_amount_or_zero(&a->w,
				   effective_col(a, C_RI_NET_UNUSED_UPFRONT, C_RI_UNUSED_UPFRONT)) +
	       bill_amount_or_zero(
		       &a->w, effective_col(a, C_RI_NET_UNUSED_RECURRING, C_RI_UNUSED_RECURRING));
}

/* 0 where the row does not say both. */
static dec read_unused_plan(struct aws *a)
{
	dec total = 0, used = 0;
	bool has_total = bill_amount(&a->w, C_SP_TOTAL, &total),
	     has_used = bill_amount(&a->w, C_SP_USED, &used);

	if (has_total && has_used)
		return net_of_plan(a, total - used);
	return 0;
}

/* What of a commitment nobody used, as a line beside that of its fee; false: nothing. */
static bool unused_of(struct aws *a, enum type type, const struct bill_line *fee,
		      struct bill_line *ret)
{
	dec unused = 0;
	int col = C_SP_TOTAL;

	if (type == TYPE_RI_FEE) {
		unused = read_unused_reservation(a);
		col = C_RI_UNUSED_RECURRING;
	} else if (type == TYPE_SP_FEE) {
		unused = read_unused_plan(a);
	}
	if (unused == 0)
		return false;
	if (!dec_fits_nano(unused))
		bill_bad(&a->w, col, "the unused part is too large");
	*ret = *fee;
	ret->charge_category = SV("Usage");
	ret->pricing_category = SV("Committed");
	ret->commitment_status = SV("Unused");
	ret->has_quantity = false;
	set_cost(ret, BASIS_BILLED, true, 0);
	set_cost(ret, BASIS_EFFECTIVE, true, unused);
	set_cost(ret, BASIS_LIST, false, 0);
	return true;
}

/* A row of split cost allocation: a part of its machine's line, which it adds no money to. */
static int read_split(struct aws *a, struct err *err)
{
	struct bill_rows *w = &a->w;
	struct bill_line b = { 0 };
	dec cost = bill_amount_or_zero(w, a->split_net ? C_SPLIT_NET : C_SPLIT);
	dec unused = bill_amount_or_zero(w, a->split_net ? C_SPLIT_NET_UNUSED : C_SPLIT_UNUSED);
	int rc = 0;

	bill_usage_time(w, C_FROM, C_TO, &b);
	b.tags = read_tags(a);
	if (!dec_fits_nano(cost + unused))
		bill_bad(w, C_SPLIT, "is too large");
	if (bill_good(w, &rc, err))
		aws_split_row(&a->split, bill_text(w, C_PARENT), &b, cost + unused);
	return rc;
}

/* What of a machine's line the split costs of the file are a part of: 0 of a discount. */
static dec split_whole_of(struct aws *a, enum type type, const struct bill_line *b)
{
	int gross = C_COST;

	if (type == TYPE_DISCOUNT)
		return 0;
	if (a->split_net)
		return b->cost[BASIS_EFFECTIVE]; /* 0 where it has none */
	if (type == TYPE_DISCOUNTED)
		gross = C_RI_EFFECTIVE;
	if (type == TYPE_SP_COVERED)
		gross = C_SP_EFFECTIVE;
	return bill_amount_or_zero(&a->w, gross);
}

/* Time of a machine, or a discount on it, in a file that has rows of split cost allocation. */
static bool may_be_split(const struct bill_rows *w, enum type type, const struct bill_line *b)
{
	switch (type) {
	case TYPE_USAGE:
	case TYPE_DISCOUNTED:
	case TYPE_SP_COVERED:
	case TYPE_DISCOUNT:
		return bill_has(w, C_SPLIT) && b->resource_id.n && is_machine_time(b->usage_type);
	default: return false;
	}
}

static int read_row(struct aws *a, struct err *err)
{
	struct bill_rows *w = &a->w;
	struct bill_evidence e = { 0 };
	struct bill_line b = { 0 }, unused;
	const char *category;
	enum type type = type_of(w, bill_text(w, C_TYPE), &category);
	int rc = 0;

	if (bill_text(w, C_PARENT).n && bill_has(w, C_SPLIT))
		return read_split(a, err);
	if (bill_text(w, C_PARENT).n) {
		feed_skip(
			w->r, w->r->tab->line, bill_text(w, C_RESOURCE),
			"a share of its parent resource, whose own line is counted, that does not say how much: export split_line_item_split_cost and split_line_item_unused_cost too");
		return 0;
	}
	read_costs(a, type, &b);
	bill_usage_time(w, C_FROM, C_TO, &b);
	b.period_from_ms = bill_time(w, C_PERIOD_FROM);
	b.period_to_ms = bill_time(w, C_PERIOD_TO);
	bill_note_day(w, C_FROM, &b);
	read_texts(a, &b, category);
	read_commitment(w, type, &b, &e);
	if (type == TYPE_REFUND)
		b.charge_class = SV("Correction");
	bool has_unused = unused_of(a, type, &b, &unused);
	if (!bill_good(w, &rc, err))
		return rc;
	b.charge_frequency = frequency_of(type);
	if (may_be_split(w, type, &b)) {
		bill_take_row(w, &b);
		if (aws_split_hold(&a->split, &b, &e, split_whole_of(a, type, &b)))
			return 0;
	}
	rc = bill_give(w, &b, &e, err);
	if (rc < 0 || !has_unused)
		return rc;
	return bill_give(w, &unused, &e, err);
}

/* The net cost, and for each column of a commitment's cost that the file has its net one. */
static bool has_net_columns(const struct bill_rows *w)
{
	static const struct {
		int gross, net;
	} pair[] = {
		{ C_RI_EFFECTIVE, C_RI_NET },
		{ C_RI_UNUSED_UPFRONT, C_RI_NET_UNUSED_UPFRONT },
		{ C_RI_UNUSED_RECURRING, C_RI_NET_UNUSED_RECURRING },
		{ C_SP_EFFECTIVE, C_SP_NET },
	};

	if (!bill_has(w, C_NET))
		return false;
	for (size_t i = 0; i < sizeof pair / sizeof *pair; i++)
		if (bill_has(w, pair[i].gross) && !bill_has(w, pair[i].net))
			return false;
	return true;
}

static int aws_run(struct feed_run *r, struct err *err)
{
	struct aws *a = xcalloc(1, sizeof *a);
	static const int needed[] = { C_TYPE, C_COST, C_FROM, C_CURRENCY, -1 };
	int rc = bill_rows_open(&a->w, r, names, needed, err);

	if (!rc) {
		a->net = has_net_columns(&a->w);
		for (size_t i = 0; i < r->tab->ncol; i++) {
			struct sv key = tag_of_column(r->tab->col[i]);
			if (key.n)
				*vec_push(&a->tag) = (struct tag_col){ (int)i, tag_name(key) };
		}
		a->split_net = a->net && bill_has(&a->w, C_SPLIT_NET) &&
			       bill_has(&a->w, C_SPLIT_NET_UNUSED);
		a->w.has_sum[SUM_BILLED] = a->w.has_sum[SUM_EFFECTIVE] = true;
		a->w.has_sum[SUM_LIST] = bill_has(&a->w, C_LIST);
		while ((rc = bill_rows_next(&a->w, err)) > 0)
			if ((rc = read_row(a, err)) < 0)
				break;
		if (!rc)
			rc = aws_split_give(&a->split, &a->w, err);
		bill_rows_close(&a->w);
	}
	aws_split_free(&a->split);
	str_free(&a->json);
	vec_free(&a->tag);
	free(a);
	return rc;
}

static int aws_detect(struct sv head, const struct sv *col, size_t ncol)
{
	int score = 0;

	(void)head;
	if (bill_named(col, ncol, names[C_TYPE]))
		score += 50;
	if (bill_named(col, ncol, names[C_COST]))
		score += 45;
	return score;
}

const struct feed feed_aws_cur = { .kind = "aws-cur",
				   .group = "bills",
				   .about = "AWS cost and usage reports, 2.0 and legacy",
				   .tabular = true,
				   .bill = true,
				   .detect = aws_detect,
				   .run = aws_run };
