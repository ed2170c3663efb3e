/*
 * The demo fleet's bill: FOCUS 1.2 as AWS exports it, a row an instance and hour for machines, a
 * row a day for everything else. All sums are integers of nano-dollars, so that the wasteful
 * fleet's rows add up to 200,000.00 exactly.
 */
#include <stdio.h>

#include "base/dec.h"
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "demo/files_in.h"

#define NANO       1000000000LL
#define TOTAL_NANO (200000 * NANO)

/* One row; NULL texts are written as empty fields, which FOCUS reads as null. */
struct row {
	const char *category, *frequency, *description, *pricing, *service_category, *service,
		*subcategory, *sku, *usage_type, *unit, *zone;
	char resource[96], name[64], tags[200], details[96];
	const char *resource_type;
	bool plan; /* covered by, or paying for, the savings plan */
	const char *plan_status;
	int64_t from_s, to_s;
	int64_t billed, effective, list, contracted; /* nano */
	int64_t unit_list, unit_paid;                /* nano per unit */
	int64_t quantity_nano;
};

#define PLAN_ARN "arn:aws:savingsplans::210987654321:savingsplan/6f1c2d3e-demo"
static const char header[] =
	"AvailabilityZone,BilledCost,BillingAccountId,BillingAccountName,BillingCurrency,BillingPeriodEnd,BillingPeriodStart,ChargeCategory,ChargeClass,"
	"ChargeDescription,ChargeFrequency,ChargePeriodEnd,ChargePeriodStart,CommitmentDiscountCategory,CommitmentDiscountId,CommitmentDiscountName,"
	"CommitmentDiscountStatus,CommitmentDiscountType,ConsumedQuantity,ConsumedUnit,ContractedCost,ContractedUnitPrice,EffectiveCost,InvoiceId,"
	"InvoiceIssuerName,ListCost,ListUnitPrice,PricingCategory,PricingQuantity,PricingUnit,ProviderName,PublisherName,RegionId,RegionName,ResourceId,"
	"ResourceName,ResourceType,ServiceCategory,ServiceName,ServiceSubcategory,SkuId,SkuPriceDetails,SkuPriceId,SubAccountId,SubAccountName,Tags,"
	"x_UsageType\n";

static void add_nano(struct str *s, int64_t nano)
{
	char buf[DEC_BUF];

	str_addz(s, dec_format(buf, nano_to_dec(nano)));
	str_addc(s, ',');
}

static void add_text(struct str *s, const char *z)
{
	str_addz(s, text_or(z, ""));
	str_addc(s, ',');
}

static void add_quoted(struct str *s, const char *z) /* JSON in a CSV field */
{
	if (z[0]) {
		str_addc(s, '"');
		for (; *z; z++)
			str_addz(s, *z == '"' ? "\"\"" : (char[]){ *z, 0 });
		str_addc(s, '"');
	}
	str_addc(s, ',');
}

static void add_time(struct str *s, int64_t t_s)
{
	char buf[TM_BUF];

	add_text(s, tm_format(buf, t_s * MS_SECOND));
}

static void add_row(struct str *s, const struct row *r)
{
	add_text(s, r->zone);
	add_nano(s, r->billed);
	str_addz(s, "210987654321,Example AI,USD,2026-11-01T00:00:00Z,2026-10-01T00:00:00Z,");
	add_text(s, r->category);
	str_addc(s, ',');
	add_quoted(s, r->description);
	add_text(s, r->frequency);
	add_time(s, r->to_s);
	add_time(s, r->from_s);
	if (r->plan)
		str_addf(s, "Spend,%s,compute-1y,%s,Savings Plan,", PLAN_ARN,
			 text_or(r->plan_status, ""));
	else
		str_addz(s, ",,,,,");
	add_nano(s, r->quantity_nano);
	add_text(s, r->unit);
	add_nano(s, r->contracted);
	add_nano(s, r->unit_paid);
	add_nano(s, r->effective);
	str_addz(s, "2026-10-EX-0042,\"Amazon Web Services, Inc.\",");
	add_nano(s, r->list);
	add_nano(s, r->unit_list);
	add_text(s, r->pricing);
	add_nano(s, r->quantity_nano);
	add_text(s, r->unit);
	str_addz(s, "AWS,\"Amazon Web Services, Inc.\",us-east-1,US East (N. Virginia),");
	add_text(s, r->resource);
	add_text(s, r->name);
	add_text(s, r->resource_type);
	add_text(s, r->service_category);
	add_text(s, r->service);
	add_text(s, r->subcategory);
	add_text(s, r->sku);
	add_quoted(s, r->details);
	str_addf(s, "%s.JRTCKXETXF,310987654321,ml-platform,", r->sku);
	add_quoted(s, r->tags);
	str_addf(s, "%s\n", r->usage_type);
}

/* ---- machines ---------------------------------------------------------------------------- */

static int64_t cost_nano(int64_t rate_nano_h, int64_t seconds)
{
	return (int64_t)((__int128)rate_nano_h * seconds / 3600);
}

static void machine_row(const struct demo_node *n, int64_t from_s, int64_t to_s, struct row *r)
{
	const struct demo_machine *m = n->machine;
	int64_t end_s = min_i64(to_s, n->to_s), start_s = max_i64(from_s, n->from_s);
	int64_t rate = 0;

	if (!r->plan)
		rate = m->rate_nano_h;
	r->from_s = from_s;
	r->to_s = to_s;
	r->effective = cost_nano(m->rate_nano_h, end_s - start_s);
	r->list = cost_nano(m->list_nano_h, end_s - start_s);
	r->quantity_nano = cost_nano(NANO, end_s - start_s);
	if (n->last_nano >= 0 && to_s >= n->to_s) { /* the begun hour that makes the sum exact */
		r->effective = r->list = n->last_nano;
		r->quantity_nano = (int64_t)((__int128)n->last_nano * NANO / m->rate_nano_h);
	}
	r->billed = rate ? r->effective : 0;
	r->contracted = r->plan ? r->list : r->effective;
}

static void machine_rows(const struct demo_fleet *f, const struct demo_node *n, struct demo_text *t)
{
	const struct demo_machine *m = n->machine;
	struct row r = { .category = "Usage",
			 .frequency = "Usage-Based",
			 .service_category = "Compute",
			 .service = "Amazon Elastic Compute Cloud",
			 .subcategory = "Virtual Machines",
			 .resource_type = "Instance",
			 .unit = "Hours",
			 .zone = n->zone,
			 .unit_list = m->list_nano_h,
			 .unit_paid = m->rate_nano_h };
	char usage[64], about[128], sku[32];
	bool spot = !strcmp(m->purchase, "spot");
	struct str tags = { 0 };

	r.plan = !strcmp(m->purchase, "savings_plan");
	r.plan_status = "Used";
	r.pricing = "Standard";
	if (spot)
		r.pricing = "Dynamic";
	else if (r.plan)
		r.pricing = "Committed";
	snprintf(usage, sizeof usage, "%s:%s", spot ? "SpotUsage" : "BoxUsage", m->type);
	snprintf(about, sizeof about, "%s Linux %s instance hour", spot ? "Spot" : "On Demand",
		 m->type);
	snprintf(sku, sizeof sku, "DEMO%012llX",
		 (unsigned long long)(demo_bits(1, (uint64_t)m->list_nano_h, spot, 0) &
				      0xffffffffffff));
	snprintf(r.resource, sizeof r.resource, "arn:aws:ec2:us-east-1:310987654321:instance/%s",
		 n->id);
	snprintf(r.details, sizeof r.details, "{\"InstanceType\":\"%s\",\"GpuCount\":%d}", m->type,
		 m->gpus);
	/* Half of the machines carry the tag as "Team": people type. */
	str_addf(&tags, "{\"Name\":\"%s\"", n->name);
	if (n->team)
		str_addf(&tags, ",\"%s\":\"%s\"",
			 f->kind == DEMO_WASTEFUL && n->id[5] % 2 ? "Team" : "team", n->team);
	if (n->cluster == DEMO_SERVING)
		str_addf(&tags, ",\"kubernetes.io/cluster\":\"serving\"");
	str_addc(&tags, '}');
	snprintf(r.tags, sizeof r.tags, "%s", str_z(&tags));
	str_free(&tags);
	r.usage_type = usage;
	r.description = about;
	r.sku = sku;
	for (int64_t h = n->from_s / 3600 * 3600; h < n->to_s; h += 3600) {
		machine_row(n, h, h + 3600, &r);
		add_row(&t->s, &r);
	}
}

/* ---- everything else --------------------------------------------------------------------- */

static const struct line {
	const char *service_category, *service, *subcategory, *usage_type, *description, *unit,
		*resource, *tags;
	int64_t nano, tidy_nano; /* of the whole period; -1 = what is left to the round sum */
	int64_t unit_nano;
} lines[] = {
	{ "Storage", "Amazon Simple Storage Service", "Object Storage", "TimedStorage-ByteHrs",
	  "Standard storage: data sets", "GB-Mo", "arn:aws:s3:::example-datasets",
	  "{\"Name\":\"datasets\",\"team\":\"vision\"}", 1480 * NANO, 690 * NANO, 23000000 },
	{ "Storage", "Amazon Simple Storage Service", "Object Storage", "TimedStorage-ByteHrs",
	  "Standard storage: checkpoints, never expired", "GB-Mo",
	  "arn:aws:s3:::example-checkpoints", "{\"Name\":\"checkpoints\"}", 620 * NANO, 95 * NANO,
	  23000000 },
	{ "Storage", "Amazon Elastic Compute Cloud", "Block Storage", "EBS:VolumeUsage.gp3",
	  "General Purpose gp3 provisioned storage", "GB-Mo",
	  "arn:aws:ec2:us-east-1:310987654321:volume/vol-0c0ffee0demo0001",
	  "{\"Name\":\"gpu-legacy-scratch\"}", 730 * NANO, 0, 80000000 },
	{ "Networking", "AWS Data Transfer", "Content Delivery", "DataTransfer-Out-Bytes",
	  "data transfer out to the internet", "GB", "arn:aws:s3:::example-serving",
	  "{\"Name\":\"serving\",\"team\":\"search\"}", 640 * NANO, 410 * NANO, 90000000 },
	{ "Networking", "AWS Data Transfer", "Network Connectivity", "DataTransfer-Regional-Bytes",
	  "data transfer between zones", "GB", "arn:aws:s3:::example-datasets",
	  "{\"Name\":\"datasets\",\"team\":\"vision\"}", 310 * NANO, 40 * NANO, 10000000 },
	{ "Networking", "Amazon Virtual Private Cloud", "Network Infrastructure",
	  "TransitGateway-Bytes", "data between nodes by transit gateway", "GB",
	  "arn:aws:ec2:us-east-1:310987654321:transit-gateway/tgw-0demo", "{\"Name\":\"ml-net\"}",
	  -1, 120 * NANO, 20000000 },
	{ "Compute", "Amazon Elastic Kubernetes Service", "Containers",
	  "AmazonEKS-Hours:perCluster", "Kubernetes control planes", "Hours",
	  "arn:aws:eks:us-east-1:310987654321:cluster/serving",
	  "{\"Name\":\"serving\",\"team\":\"search\"}", 146 * NANO, 73 * NANO, 100000000 },
};
#define NLINES (sizeof lines / sizeof *lines)
#define DAYS   31 /* thirty whole ones and ten hours */

/* What a line costs on each day: by hours, the parts adding up to the whole. */
static void by_day(int64_t nano, int64_t *part)
{
	__int128 hours[DAYS];

	for (int d = 0; d < DAYS; d++)
		hours[d] = d < DAYS - 1 ? 24 : DEMO_HOURS - 24 * (DAYS - 1);
	split_largest_remainder(nano, DAYS, hours, part);
}

static void line_rows(const struct line *l, int64_t nano, struct demo_text *t)
{
	struct row r = { .category = "Usage",
			 .frequency = "Usage-Based",
			 .pricing = "Standard",
			 .service_category = l->service_category,
			 .service = l->service,
			 .subcategory = l->subcategory,
			 .usage_type = l->usage_type,
			 .description = l->description,
			 .unit = l->unit,
			 .sku = "DEMO0000LINE",
			 .resource_type = "",
			 .unit_list = l->unit_nano,
			 .unit_paid = l->unit_nano };
	int64_t part[DAYS];

	snprintf(r.resource, sizeof r.resource, "%s", l->resource);
	snprintf(r.tags, sizeof r.tags, "%s", l->tags);
	by_day(nano, part);
	for (int d = 0; d < DAYS && nano; d++) {
		r.from_s = DEMO_FROM_S + d * 86400LL;
		r.to_s = r.from_s + 86400 < DEMO_TO_S ? r.from_s + 86400 : DEMO_TO_S;
		r.billed = r.effective = r.list = r.contracted = part[d];
		r.quantity_nano = (int64_t)((__int128)part[d] * NANO / l->unit_nano);
		add_row(&t->s, &r);
	}
}

/* The savings plan's fee, a row a day: billed here, and spread over the machines it covers as their
 * effective cost. */
static void plan_rows(const struct demo_fleet *f, struct demo_text *t)
{
	struct row r = { .category = "Purchase",
			 .frequency = "Recurring",
			 .pricing = "Standard",
			 .service_category = "Compute",
			 .service = "Savings Plans for AWS Compute usage",
			 .subcategory = "Virtual Machines",
			 .usage_type = "ComputeSP:1yrNoUpfront",
			 .description = "1 year No Upfront Compute Savings Plan",
			 .unit = "Hours",
			 .sku = "DEMO0000PLAN",
			 .resource_type = "",
			 .plan = true };
	int64_t rate_h = 0, part[DAYS];

	for (size_t i = 0; i < f->node.n; i++)
		if (!strcmp(f->node.v[i].machine->purchase, "savings_plan"))
			rate_h += f->node.v[i].machine->rate_nano_h;
	if (!rate_h)
		return;
	snprintf(r.resource, sizeof r.resource, "%s", PLAN_ARN);
	r.unit_list = r.unit_paid = rate_h;
	by_day(rate_h * DEMO_HOURS, part);
	for (int d = 0; d < DAYS; d++) {
		r.from_s = DEMO_FROM_S + d * 86400LL;
		r.to_s = r.from_s + 86400 < DEMO_TO_S ? r.from_s + 86400 : DEMO_TO_S;
		r.billed = r.list = r.contracted = part[d];
		r.quantity_nano = (r.to_s - r.from_s) / 3600 * NANO;
		add_row(&t->s, &r);
	}
}

int demo_write_bill(const struct demo_fleet *f, const struct demo_out *out, struct err *err)
{
	struct demo_text t = { .out = out };
	bool tidy = f->kind == DEMO_TIDY;
	int64_t left = TOTAL_NANO; /* what the machines leave, later what the lines do */

	for (size_t i = 0; i < f->node.n; i++) {
		const struct demo_node *n = &f->node.v[i];
		struct row r = { 0 };
		for (int64_t h = n->from_s / 3600 * 3600; h < n->to_s; h += 3600) {
			machine_row(n, h, h + 3600, &r);
			left -= r.effective;
		}
	}

	str_addz(&t.s, header);
	for (size_t i = 0; i < f->node.n && t.rc == 0; i++) {
		machine_rows(f, &f->node.v[i], &t);
		demo_flush(&t, err);
	}
	for (size_t i = 0; i < NLINES; i++)
		left -= max_i64(lines[i].nano, 0);
	for (size_t i = 0; i < NLINES; i++) {
		int64_t nano = lines[i].nano;
		if (tidy)
			nano = lines[i].tidy_nano;
		else if (nano < 0)
			nano = left;
		line_rows(&lines[i], nano, &t);
	}
	plan_rows(f, &t);
	return demo_finish(&t, err);
}
