/*
 * The files that a fleet's cron job would have one morning: gen-year DIR GPUS DAY [SEED]. DAY 0 is
 * 2025-01-01; the files are of that day, named by it, in the formats of tare's own kinds and FOCUS:
 *
 *   nodes.csv            machines of 8 GPUs, all year; written on day 0 alone
 *   jobs-DATE.csv        jobs that touched the day, as sacct -S DATE tells them: those that run at
 *                        its end have no end
 *   samples-DATE.csv     a row a GPU and minute
 *   requests-DATE.csv    a row a minute, service and tenant, with a histogram of 15 bins
 *   bill-MONTH.csv       the bill of the month so far, all days of it, hour by hour for machines;
 *                        what it says of the last three days is not final yet
 *   bill-MONTH.csv       of the month before, on the third of a month: that is its last export
 *
 * Four in five machines train (1,500 jobs a day on 1,000 GPUs, of 1 to 8 GPUs, minutes to days),
 * one in five serves. Equal arguments give equal bytes; a day hangs on no other.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

#define GPUS       8
#define MINUTE     60
#define HOUR       3600
#define DAY        86400
#define WEEK       (7 * DAY)
#define FIRST_S    1735689600LL /* 2025-01-01 */
#define FIRST_YEAR 2025
#define SERVICES   10
#define GPUS_A_LOG 25 /* a service and tenant for so many GPUs */
#define FINAL_DAYS 3  /* a bill's newest days are told again */
#define MIB        (1LL << 20)

struct job {
	int node, first, gpus;
	int64_t start_s, end_s; /* since FIRST_S */
	uint64_t id;            /* also what its readings hang on */
};

struct year {
	const char *dir;
	int nnode, day;
	uint64_t seed;
	struct job *job; /* those that touch the day, by node and GPU */
	size_t njob, cap;
};

/* ---- numbers ----------------------------------------------------------------------------- */

static uint64_t draw(uint64_t *state)
{
	return *state = random_mix(*state);
}

static int64_t draw_below(uint64_t *state, int64_t n)
{
	return (int64_t)(draw(state) >> 1) % n;
}

/* Days of the months of 2025 and on; no leap years within reach matter to a bench of one. */
static const int month_days[12] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

struct date {
	int year, month, day; /* from 1 */
};

static struct date date_of(int day)
{
	struct date d = { FIRST_YEAR + day / 365, 0, day % 365 };

	while (d.day >= month_days[d.month])
		d.day -= month_days[d.month++];
	d.month++;
	d.day++;
	return d;
}

static void put_time(FILE *f, int64_t at_s)
{
	struct date d = date_of((int)(at_s / DAY));
	int64_t s = at_s % DAY;

	fprintf(f, "%d-%02d-%02dT%02d:%02d:%02dZ", d.year, d.month, d.day, (int)(s / HOUR),
		(int)(s / MINUTE % 60), (int)(s % 60));
}

static FILE *create(const struct year *y, const char *name, int day, const char *header)
{
	static char buf[1 << 20];
	struct date d = date_of(day);
	char path[4096];
	FILE *f;

	if (day < 0)
		snprintf(path, sizeof path, "%s/%s.csv", y->dir, name);
	else if (!strcmp(name, "bill"))
		snprintf(path, sizeof path, "%s/bill-%d-%02d.csv", y->dir, d.year, d.month);
	else
		snprintf(path, sizeof path, "%s/%s-%d-%02d-%02d.csv", y->dir, name, d.year, d.month,
			 d.day);
	f = fopen(path, "w");
	if (!f) {
		perror(path);
		exit(1);
	}
	setvbuf(f, buf, _IOFBF, sizeof buf); /* one file is open at a time */
	fprintf(f, "%s\n", header);
	return f;
}

static void finish(FILE *f)
{
	if (ferror(f) | fclose(f)) {
		perror("gen-year");
		exit(1);
	}
}

/* ---- the fleet --------------------------------------------------------------------------- */

static bool serves(int node)
{
	return node % 5 == 4;
}

static uint64_t resource_of(int node)
{
	return random_mix(0x1d + (uint64_t)node) >> 8;
}

static void add_job(struct year *y, struct job j)
{
	int64_t from_s = (int64_t)y->day * DAY;

	if (j.end_s <= from_s || j.start_s >= from_s + DAY)
		return;
	if (y->njob == y->cap) {
		y->cap = y->cap ? y->cap * 2 : 1024;
		y->job = realloc(y->job, y->cap * sizeof *y->job);
		if (!y->job)
			exit(1);
	}
	y->job[y->njob++] = j;
}

/* One after another on the same GPUs, from a moment to another; some wait, a few run for days. */
static void fill_gpus(struct year *y, struct job j, int64_t from_s, int64_t to_s, uint64_t bits)
{
	for (int64_t at_s = from_s; at_s < to_s;) {
		double z = (double)(draw_below(&bits, 2001) + draw_below(&bits, 2001) +
				    draw_below(&bits, 2001) - 3000) /
			   1000;                                  /* about normal */
		int64_t length_s = (int64_t)(exp(9.2 + 1.1 * z)); /* median 2.75 h */
		j.start_s = at_s;
		j.end_s = at_s + length_s;
		if (j.end_s > to_s)
			j.end_s = to_s;
		j.id = draw(&bits);
		add_job(y, j);
		at_s = j.end_s + draw_below(&bits, 2 * HOUR);
	}
}

/* A machine is cut into parts of 1 to 8 GPUs for a day or two, then otherwise. */
static void fill_training(struct year *y, int node, int64_t end_s)
{
	static const int cut[][GPUS] = {
		{ 8 },          { 8 },          { 4, 4 }, { 4, 2, 2 },
		{ 2, 2, 2, 2 }, { 4, 2, 1, 1 }, { 4, 4 }, { 2, 2, 1, 1, 1, 1 },
	};
	uint64_t bits = random_mix(y->seed ^ (uint64_t)node << 20);

	for (int64_t at_s = 0; at_s < end_s;) {
		const int *part = cut[draw_below(&bits, 8)];
		int64_t to_s = at_s + 12 * HOUR + draw_below(&bits, 36 * HOUR);
		int first = 0;
		for (int k = 0; k < GPUS && part[k]; k++) {
			struct job j = { .node = node, .first = first, .gpus = part[k] };
			first += part[k];
			fill_gpus(y, j, at_s, to_s, draw(&bits));
		}
		at_s = to_s;
	}
}

/* A replica a GPU, rolled out again each week. */
static void fill_serving(struct year *y, int node, int64_t end_s)
{
	for (int gpu = 0; gpu < GPUS; gpu++) {
		int64_t at_s = -(int64_t)(random_mix((uint64_t)node * GPUS + (uint64_t)gpu) % WEEK);
		for (; at_s < end_s; at_s += WEEK) {
			struct job j = { .node = node, .first = gpu, .gpus = 1 };
			j.start_s = at_s < 0 ? 0 : at_s;
			j.end_s = at_s + WEEK;
			j.id = random_mix(y->seed ^ (uint64_t)(at_s + WEEK) << 16 ^
					  (uint64_t)(node * GPUS + gpu));
			add_job(y, j);
		}
	}
}

static void write_nodes(const struct year *y)
{
	FILE *f = create(
		y, "nodes", -1,
		"node,provider,region,zone,instance_type,gpu_model,gpu_count,purchase,from,to,cluster,resource_id");

	for (int i = 0; i < y->nnode; i++)
		fprintf(f,
			"gpu-%04d,aws,us-east-1,us-east-1%c,p4d.24xlarge,A100-SXM4-40GB,%d,on_demand,2025-01-01T00:00:00Z,,%s,i-%017llx\n",
			i, 'a' + i % 3, GPUS, serves(i) ? "serving" : "training",
			(unsigned long long)resource_of(i));
	finish(f);
}

static void write_jobs(const struct year *y)
{
	static const char *const teams[] = { "vision", "nlp",    "search",   "speech",
					     "robots", "growth", "platform", "biology" };
	FILE *f = create(
		y, "jobs", y->day,
		"job_id,user,team,project,workload,name,gpu_model,gpus,gpu_ids,share_kind,submit,start,end,state,node,checkpointable,cluster");
	int64_t until_s = ((int64_t)y->day + 1) * DAY;

	for (size_t i = 0; i < y->njob; i++) {
		const struct job *j = &y->job[i];
		int user = (int)(j->id % 200), service = (j->node / 5 + j->first) % SERVICES;
		bool serving = serves(j->node), running = j->end_s > until_s;
		fprintf(f, "%llu,", (unsigned long long)(j->id % 100000000000));
		if (serving)
			fprintf(f, "deploy,platform,serving,inference,chat%02d,", service);
		else
			fprintf(f, "user%03d,%s,%s-%d,training,train-%llu,", user, teams[user % 8],
				teams[user % 8], user / 8 % 3,
				(unsigned long long)(j->id >> 40 & 7));
		fprintf(f, "A100-SXM4-40GB,%d,", j->gpus);
		for (int k = 0; k < j->gpus; k++)
			fprintf(f, "%s%d", k ? ";" : "", j->first + k);
		fputs(",whole,", f);
		put_time(f, j->start_s);
		fputc(',', f);
		put_time(f, j->start_s);
		fputc(',', f);
		if (!running)
			put_time(f, j->end_s);
		fprintf(f, ",%s,gpu-%04d,%s,%s\n",
			running           ? "RUNNING"
			: j->id % 16 == 0 ? "FAILED"
					  : "COMPLETED",
			j->node, j->id % 3 ? "true" : "false", serving ? "serving" : "training");
	}
	finish(f);
}

/* ---- telemetry --------------------------------------------------------------------------- */

/* Requests of a service in per cent of its mean: days and nights, weekends. */
static int load_pct(int64_t at_s, int service)
{
	double day = sin(6.283185307 * ((double)(at_s % DAY) / DAY - 0.3 - 0.02 * service));

	return (int)((100 + 60 * day) * (at_s / DAY % 7 < 5 ? 1.0 : 0.6));
}

static int busy_pct(const struct job *j, int gpu, int64_t at_s, uint64_t bits)
{
	int64_t age_s = at_s - j->start_s;
	int level = 35 + (int)(j->id >> 8 & 63), noise = (int)(bits & 7) + (int)(bits >> 3 & 3) - 5;

	if (serves(j->node))
		return load_pct(at_s, (j->node / 5 + j->first) % SERVICES) / 3 + noise + 8;
	if (j->id % 11 == 0 && age_s > 30 * MINUTE)
		return 0; /* it hangs, and holds its GPUs */
	if (age_s < 4 * MINUTE || (j->id % 7 == 0 && gpu > j->first))
		return 0; /* starts; uses the first of its GPUs alone */
	if (age_s / MINUTE % 60 < 3)
		return level / 4 + noise + 5; /* saves */
	return level + noise;
}

static void write_samples(const struct year *y)
{
	FILE *f = create(y, "samples", y->day,
			 "time,node,gpu,gpu_util_pct,sm_active_frac,mem_used_bytes,power_w,step_s");
	size_t n = (size_t)y->nnode * GPUS;
	size_t *at = calloc(n + 1, sizeof *at), *first = calloc(n + 1, sizeof *first);
	char stamp[64];

	/* jobs are by node, within it by part and time: a cursor a GPU goes over those of its node
	 *  */
	for (size_t i = y->njob; i-- > 0;)
		first[y->job[i].node] = i;
	for (int64_t at_s = (int64_t)y->day * DAY; at_s < ((int64_t)y->day + 1) * DAY;
	     at_s += MINUTE) {
		struct date d = date_of((int)(at_s / DAY));
		snprintf(stamp, sizeof stamp, "%d-%02d-%02dT%02d:%02d:00Z", d.year, d.month, d.day,
			 (int)(at_s % DAY / HOUR), (int)(at_s / MINUTE % 60));
		for (size_t g = 0; g < n; g++) {
			int node = (int)(g / GPUS), gpu = (int)(g % GPUS);
			uint64_t bits = random_mix(y->seed ^ g << 36 ^ (uint64_t)at_s);
			size_t k = first[node] + at[g];
			const struct job *j = NULL;
			for (; k < y->njob && y->job[k].node == node; k++) {
				const struct job *o = &y->job[k];
				bool holds = gpu >= o->first && gpu < o->first + o->gpus;
				if (holds && o->end_s > at_s) {
					j = o->start_s <= at_s ? o : NULL;
					break;
				}
			}
			at[g] = k - first[node];
			int util = j ? busy_pct(j, gpu, at_s, bits) : 0;
			util = util < 0 ? 0 : util > 100 ? 100 : util;
			int64_t mib = j ? 2000 + (int64_t)(j->id >> 20 & 0x7fff) : 3;
			int watts = (j ? 62 : 50) + (int)(bits >> 12 & 3) + util * 3;
			int sm = util ? 6 + util * (6 + (int)(bits >> 8 & 255) % 3) : 0;
			fprintf(f, "%s,gpu-%04d,%d,%d,0.%03d,%lld,%d,60\n", stamp, node, gpu, util,
				sm, (long long)(mib * MIB), watts);
		}
	}
	free(at);
	free(first);
	finish(f);
}

/* ---- requests ---------------------------------------------------------------------------- */

static void write_requests(const struct year *y)
{
	static const int bound[] = { 5,   10,  25,   50,   75,   100,  250,
				     500, 750, 1000, 2500, 5000, 7500, 10000 };
	FILE *f = create(y, "requests", y->day,
			 "time,service,tenant,count,latency_histogram,tokens_in,tokens_out,status");

	for (int64_t at_s = (int64_t)y->day * DAY; at_s < ((int64_t)y->day + 1) * DAY;
	     at_s += MINUTE)
		for (int k = 0; k < y->nnode * GPUS / GPUS_A_LOG + 1; k++) {
			int service = k % SERVICES, tenant = k / SERVICES, total = 0;
			uint64_t bits = random_mix(y->seed ^ (uint64_t)k << 44 ^ (uint64_t)at_s ^
						   0x7e);
			int mean = (40 + 30 * service) * load_pct(at_s, service) / 100 /
				   (1 + tenant);
			int part[15];
			for (int b = 0; b < 15; b++) {
				double x = (b - 4 - service / 2) / 2.0;
				part[b] = (int)(mean * exp(-x * x / 2) *
						(0.3 + (double)(bits >> (4 * b) & 15) / 80));
				total += part[b];
			}
			if (!total)
				continue;
			put_time(f, at_s);
			fprintf(f, ",chat%02d,tenant-%d,%d,", service, tenant, total);
			for (int b = 0; b < 14; b++)
				fprintf(f, "%d:%d;", bound[b], part[b]);
			fprintf(f, "+Inf:%d,%d,%d,ok\n", part[14],
				total * (500 + (int)(bits & 255)),
				total * (120 + (int)(bits >> 8 & 63)));
		}
	finish(f);
}

/* ---- the bill ---------------------------------------------------------------------------- */

struct charge {
	int64_t from_s, to_s;
	int64_t micro; /* dollars */
	const char *category, *service, *sku, *usage, *unit, *type;
	uint64_t resource;
	const char *prefix; /* of the resource's id */
	const char *tags;
	char period[64]; /* BillingPeriodEnd,BillingPeriodStart */
};

static void put_charge(FILE *f, const struct charge *c)
{
	long long whole = (long long)(c->micro / 1000000), part = (long long)(c->micro % 1000000);

	fprintf(f, "%lld.%06lld,210987654321,USD,%s,Usage,\"%s\",", whole, part, c->period,
		c->usage);
	put_time(f, c->to_s);
	fputc(',', f);
	put_time(f, c->from_s);
	fprintf(f, ",1,%s,%lld.%06lld,%lld.%06lld,%lld.%06lld,Standard,1,%s,AWS,", c->unit, whole,
		part, whole, part, whole, part, c->unit);
	fprintf(f,
		"\"Amazon Web Services, Inc.\",us-east-1,%s%017llx,%s,%s,%s,%s,310987654321,%s,%s\n",
		c->prefix, (unsigned long long)c->resource, c->type, c->category, c->service,
		c->sku, c->tags, c->usage);
}

/* What it says of its newest days is told again with the next. */
static int64_t restated(const struct year *y, int64_t micro, int day, int upto, uint64_t what)
{
	if (upto - day > FINAL_DAYS)
		return micro;
	uint64_t bits = random_mix(y->seed ^ what << 20 ^ (uint64_t)day << 8 ^
				   (uint64_t)(upto - day));
	return bits % 50 ? micro : micro + (int64_t)(bits >> 8) % (micro / 100 + 1);
}

static void bill_machines(const struct year *y, FILE *f, struct charge *c, int day, int upto)
{
	c->category = "Compute";
	c->service = "Amazon Elastic Compute Cloud";
	c->sku = "SKU4P4D";
	c->usage = "BoxUsage:p4d.24xlarge";
	c->unit = "Hours";
	c->type = "Instance";
	c->prefix = "i-";
	for (int h = 0; h < 24; h++)
		for (int i = 0; i < y->nnode; i++) {
			uint64_t what = (uint64_t)h << 16 | (uint64_t)i;
			c->from_s = (int64_t)day * DAY + h * HOUR;
			c->to_s = c->from_s + HOUR;
			c->resource = resource_of(i);
			c->tags = serves(i) ? "\"{\"\"env\"\": \"\"prod\"\"}\""
					    : "\"{\"\"env\"\": \"\"research\"\"}\"";
			c->micro = restated(y, 32772600, day, upto, what);
			put_charge(f, c);
		}
}

/* Disks, a row each and day; storage, transfer and other services, some hundred rows a day. */
static void bill_rest(const struct year *y, FILE *f, struct charge *c, int day, int upto)
{
	static const char *const other[][4] = {
		{ "Storage", "Amazon Simple Storage Service", "TimedStorage-ByteHrs", "GB-Mo" },
		{ "Networking", "AWS Data Transfer", "DataTransfer-Regional-Bytes", "GB" },
		{ "Management and Governance", "Amazon CloudWatch", "CW:Requests", "Requests" },
		{ "Security", "AWS Key Management Service", "KMS-Requests", "Requests" },
	};

	c->from_s = (int64_t)day * DAY;
	c->to_s = c->from_s + DAY;
	c->type = "";
	for (int i = 0; i < y->nnode * 3; i++) {
		const char *const *o = other[i % 4];
		bool disk = i < y->nnode;
		uint64_t what = 1u << 24 | (uint64_t)i;
		c->category = disk ? "Storage" : o[0];
		c->service = disk ? "Amazon Elastic Compute Cloud" : o[1];
		c->sku = disk ? "SKUGP3" : "SKUOTHER";
		c->usage = disk ? "EBS:VolumeUsage.gp3" : o[2];
		c->unit = disk ? "GB-Mo" : o[3];
		c->prefix = disk ? "vol-" : "arn-";
		c->resource = random_mix(0x701 + (uint64_t)i) >> 8;
		c->tags = "\"{\"\"env\"\": \"\"prod\"\"}\"";
		c->micro = restated(
			y, 200000 + (int64_t)(random_mix(what ^ (uint64_t)day << 32) % 4000000),
			day, upto, what);
		put_charge(f, c);
	}
}

/* The month of `upto`, up to and with that day. */
static void write_bill(const struct year *y, int upto)
{
	struct date d = date_of(upto);
	struct charge c = { 0 };
	FILE *f = create(
		y, "bill", upto,
		"BilledCost,BillingAccountId,BillingCurrency,BillingPeriodEnd,BillingPeriodStart,ChargeCategory,ChargeDescription,"
		"ChargePeriodEnd,ChargePeriodStart,ConsumedQuantity,ConsumedUnit,ContractedCost,EffectiveCost,ListCost,PricingCategory,"
		"PricingQuantity,PricingUnit,ProviderName,PublisherName,RegionId,ResourceId,ResourceType,ServiceCategory,ServiceName,SkuId,"
		"SubAccountId,Tags,x_UsageType");

	snprintf(c.period, sizeof c.period, "%d-%02d-01T00:00:00Z,%d-%02d-01T00:00:00Z",
		 d.year + d.month / 12, d.month % 12 + 1, d.year, d.month);
	for (int day = upto - d.day + 1; day <= upto; day++) {
		bill_machines(y, f, &c, day, upto);
		bill_rest(y, f, &c, day, upto);
	}
	finish(f);
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: gen-year DIR GPUS DAY [SEED]\n");
		return 2;
	}
	struct year y = { .dir = argv[1],
			  .nnode = (atoi(argv[2]) + GPUS - 1) / GPUS,
			  .day = atoi(argv[3]),
			  .seed = argc > 4 ? strtoull(argv[4], NULL, 10) : 1 };
	int64_t end_s = ((int64_t)y.day + 1) * DAY;
	struct date d = date_of(y.day);

	for (int i = 0; i < y.nnode; i++) {
		if (serves(i))
			fill_serving(&y, i, end_s);
		else
			fill_training(&y, i, end_s);
	}
	if (y.day == 0)
		write_nodes(&y);
	write_jobs(&y);
	write_samples(&y);
	write_requests(&y);
	write_bill(&y, y.day);
	if (d.day == FINAL_DAYS && y.day > d.day)
		write_bill(&y, y.day - d.day);
	free(y.job);
	return 0;
}
