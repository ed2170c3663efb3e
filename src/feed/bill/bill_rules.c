/*
 * Rules are tried in the order of kind_of_line(); the first that holds decides. What they look for
 * are the texts the providers print: AWS usage types and price descriptions, Azure meters, GCP SKU
 * descriptions, FOCUS categories.
 */
#include "feed/bill/bill_rules.h"
#include "base/jscan.h"
#include "base/num.h"
#include "base/str.h"

/* ---- words ------------------------------------------------------------------------------- */

static bool has_any(struct sv text, const char *const *word)
{
	for (; *word; word++)
		if (sv_ihas(text, sv_of(*word)))
			return true;
	return false;
}
#define ANY(text, ...) has_any(text, (const char *const[]){ __VA_ARGS__, NULL })

/* In the usage type or in the description. */
static bool line_has_any(const struct bill_line *b, const char *const *word)
{
	return has_any(b->usage_type, word) || has_any(b->charge_description, word);
}
#define ANY2(b, ...) line_has_any(b, (const char *const[]){ __VA_ARGS__, NULL })

/* ---- instance type ----------------------------------------------------------------------- */

static const struct instance_type *lookup_type(const struct catalog *c, const struct bill_line *b,
					       struct sv name)
{
	name = sv_trim(name);
	if (name.n < 3 || name.n > 64)
		return NULL;
	const struct instance_type *t = catalog_instance(c, b->provider, name);
	if (!t && sv_starts(name, SV("ml."))) /* SageMaker: the same machines with a prefix */
		t = catalog_instance(c, b->provider, sv_from(name, 3));
	return t;
}

/* Words of a description that look like a type's name: "$32.77 per On Demand Linux p4d.24xlarge
 * Instance Hour". */
static const struct instance_type *from_words(const struct catalog *c, const struct bill_line *b,
					      struct sv text)
{
	const struct instance_type *t;

	while (text.n) {
		size_t n = 0, skip;
		while (n < text.n && !strchr(" ,;|()", text.p[n]))
			n++;
		struct sv word = { text.p, n };
		bool name = memchr(word.p, '.', n) || memchr(word.p, '_', n) ||
			    memchr(word.p, '-', n);
		bool amount = n && (within_int(word.p[0], '0', '9') || word.p[0] == '$');
		if (name && !amount && (t = lookup_type(c, b, word)))
			return t;
		skip = n < text.n ? n + 1 : n;
		text.p += skip;
		text.n -= skip;
	}
	return NULL;
}

/* Part behind the last colon: "USW2-BoxUsage:p4d.24xlarge". */
static struct sv behind_colon(struct sv usage_type)
{
	for (size_t i = usage_type.n; i-- > 0;)
		if (usage_type.p[i] == ':')
			return (struct sv){ usage_type.p + i + 1, usage_type.n - i - 1 };
	return SV_NULL;
}

bool bill_is_azure_size(struct sv v)
{
	return sv_starts(v, SV("Standard_")) || sv_starts(v, SV("Basic_"));
}

/* The name of the type as the bill gives it, known to the catalogue or not. */
static struct sv named_type(const struct bill_line *b, const struct bill_evidence *e)
{
	static const char *const keys[] = { "InstanceType",      "x_InstanceType", "ServiceType",
					    "x_SkuInstanceType", "VMSize",         "machineType" };
	struct sv v;

	if (b->instance_type.n)
		return b->instance_type;
	for (size_t i = 0; e->details.n && i < sizeof keys / sizeof *keys; i++)
		if ((v = jscan_text(jscan_get(e->details, keys[i]))).n &&
		    (strcmp(keys[i], "ServiceType") || bill_is_azure_size(v)))
			return v;
	v = behind_colon(b->usage_type);
	if (v.n && memchr(v.p, '.', v.n) && ANY(b->usage_type, "Usage:", "Unused", ":ml."))
		return v;
	return SV_NULL;
}

/* ---- purchase ---------------------------------------------------------------------------- */

/* Offer terms of the AWS price list, the middle part of a rate code SKU.TERM.RATE: the same six for
 * 1 and 3 years everywhere. */
static int aws_term_years(struct sv sku_price_id)
{
	static const char *const one[] = { "4NA7Y494T4", "HU7G6KETJZ", "6QCMYABX3D",
					   "7NE97W5U4E", "CUZHX8X6JH", "VJWZNREJX2" };
	static const char *const three[] = { "BPH4J8HBKS", "38NPMPTW36", "NQ3QZPMQV9",
					     "Z2E3P23VKM", "R5XV2EPZQZ", "MZU6U2429S" };
	struct sv rest, term;

	sv_cut(sku_price_id, '.', &rest);
	term = sv_cut(rest, '.', &rest);
	for (size_t i = 0; i < 6; i++) {
		if (sv_is(term, one[i]))
			return 1;
		if (sv_is(term, three[i]))
			return 3;
	}
	return 0;
}

static int years_in(struct sv text)
{
	if (ANY(text, "3 year", "3-year", "3 yr", "3yr", "36 month", "36-month", "three year",
		"three-year", "P3Y"))
		return 3;
	if (ANY(text, "1 year", "1-year", "1 yr", "1yr", "12 month", "12-month", "one year",
		"one-year", "P1Y"))
		return 1;
	return 0;
}

static int term_years(const struct bill_line *b, const struct bill_evidence *e)
{
	int y;

	if (sv_is(e->term, "36") || sv_is(e->term, "3"))
		return 3;
	if (sv_is(e->term, "12") || sv_is(e->term, "1"))
		return 1;
	if ((y = years_in(e->term)) || (y = years_in(b->commitment_type)) ||
	    (y = aws_term_years(b->sku_price_id)))
		return y;
	return years_in(b->charge_description);
}

/* Without a term the provider's own word is kept: a reservation of unknown length is none of the
 * contract's words. */
static struct sv committed_word(const struct bill_line *b, const struct bill_evidence *e)
{
	static const struct {
		const char *word, *y1, *y3; /* without and with a term */
	} of[COMMITMENT_N] = {
		[COMMITMENT_NONE] = { "Committed", "Committed", "Committed" },
		[COMMITMENT_RESERVATION] = { "reserved", "reserved_1y", "reserved_3y" },
		[COMMITMENT_USE] = { "Committed", "committed_1y", "committed_3y" },
		[COMMITMENT_SAVINGS_PLAN] = { "savings_plan", "savings_plan", "savings_plan" },
	};
	struct sv t = b->commitment_type;
	enum commitment k = purchase_terms(t.n ? t : b->commitment_id).commitment;
	int years = term_years(b, e);

	if (years && k != COMMITMENT_NONE)
		return sv_of(years == 3 ? of[k].y3 : of[k].y1);
	if (t.n && k != COMMITMENT_SAVINGS_PLAN)
		return t;
	return sv_of(of[k].word);
}

static bool is_spot(const struct bill_line *b)
{
	return sv_ieq(b->pricing_category, SV("Dynamic")) ||
	       ANY(b->usage_type, "SpotUsage", "Spot Preemptible", "Preemptible ",
		   "Low Priority") ||
	       sv_ends(b->usage_type, SV(" Spot"));
}

static struct sv purchase_of(const struct bill_line *b, const struct bill_evidence *e)
{
	if (is_spot(b))
		return SV("spot");
	if (sv_ieq(b->pricing_category, SV("Committed")) || b->commitment_type.n ||
	    b->commitment_id.n)
		return committed_word(b, e);
	if (sv_ieq(b->pricing_category, SV("Standard")) || ANY(b->usage_type, "BoxUsage"))
		return SV("on_demand");
	return SV_NULL;
}

/* ---- kind -------------------------------------------------------------------------------- */

/*
 * Transfer: AWS usage types DataTransfer-Out-Bytes, DataTransfer-Regional-Bytes,
 * USE1-USW2-AWS-Out-Bytes; Azure meters "Standard Data Transfer Out", "Inter-Availability Zone Data
 * Transfer"; GCP SKUs "Network Inter Zone Egress", "Network Internet Data Transfer Out".
 */
static bool is_transfer(const struct bill_line *b, enum kind *ret)
{
	if (!ANY2(b, "data transfer", "DataTransfer", "-In-Bytes", "-Out-Bytes", "-Out-OBytes",
		  "egress", "ingress"))
		return false;
	if (ANY2(b, "regional data transfer", "-Regional-", "-xAZ-", "inter zone", "inter-zone",
		 "interzone", "availability zone", "between EC2 AZs"))
		*ret = KIND_CROSS_ZONE;
	else if (ANY2(b, "transfer out", "-Out-", "egress", "data transfer to "))
		*ret = KIND_EGRESS;
	else
		*ret = KIND_NETWORK;
	return true;
}

static bool is_storage(const struct bill_line *b)
{
	if (sv_ieq(b->service_category, SV("Storage")) ||
	    ANY(b->service_name, "Simple Storage", "AmazonS3", "Elastic File System", "AmazonEFS",
		"FSx", "Elastic Block Store", "Storage", "Filestore", "Managed Disks", "Glacier",
		"NetApp Files"))
		return true;
	return ANY(b->usage_type, "EBS:Volume", "EBS:Snapshot", "TimedStorage", "Storage PD",
		   "PD Capacity", "Snapshot", "backed PD") ||
	       ANY(b->charge_description, "GB-month", "GB-mo of", "provisioned storage",
		   "snapshot data");
}

static bool is_network(const struct bill_line *b)
{
	return sv_ieq(b->service_category, SV("Networking")) ||
	       ANY(b->service_name, "Load Balanc", "Virtual Private Cloud", "Virtual Network",
		   "Cloud NAT", "VPN", "DNS", "CloudFront", "Bandwidth", "ExpressRoute",
		   "Direct Connect", "Networking", "NAT Gateway", "Transit Gateway") ||
	       ANY(b->usage_type, "NatGateway", "LoadBalancer", "LCUUsage", "PublicIPv4",
		   "VpcEndpoint", "TransitGateway", "ElasticIP", "External IP");
}

static bool is_licence(const struct bill_line *b)
{
	return ANY(b->service_name, "licens", "licenc", "marketplace") ||
	       ANY2(b, "licensing fee", "marketplace hourly software", "software usage",
		    "license purchase");
}

/* What is billed beside a machine under its name and is not its time. */
static bool is_extra(const struct bill_line *b)
{
	return ANY(b->usage_type, "EBSOptimized", "CPUCredits", "EBS:", "CW:", "DataProcessing");
}

/* Amounts of data or calls: no time of a machine. GiBy.h and byte-seconds, of its memory, are. */
static bool counts_no_time(struct sv unit)
{
	return ANY(unit, "request", "operation", "transaction", "GB-mo", "GiB-mo") ||
	       (ANY(unit, "GB", "GiB", "TB", "TiB", "byte") &&
		!ANY(unit, "hour", "hrs", "second", ".h", ".s"));
}

/* AWS bills a machine's time as BoxUsage (SpotUsage, HostUsage, Host:ml.) and much else under its
 * name; what a usage type does not say its hours do. */
static bool is_aws_machine(const struct bill_line *b)
{
	return !b->usage_type.n ||
	       ANY(b->usage_type, "BoxUsage", "SpotUsage", "DedicatedUsage", "HostUsage",
		   "HeavyUsage", "SchedUsage", ":ml.") ||
	       ANY(b->unit, "hour", "hrs");
}

bool bill_is_commitment(struct sv arn)
{
	return sv_has(arn, SV(":reserved-instances/")) || sv_has(arn, SV(":savingsplan/"));
}

bool bill_is_capacity(struct sv id)
{
	return sv_has(id, SV(":capacity-reservation/")) ||
	       ANY(id, "/capacityReservationGroups/", "/capacityReservations/");
}

bool bill_is_empty_capacity(struct sv usage_type)
{
	return sv_has(usage_type, SV("UnusedBox")) || sv_has(usage_type, SV("UnusedDed"));
}

/* Of AWS what counts the machines that are reserved, at a rate of 0. */
static bool counts_capacity(const struct bill_line *b)
{
	struct sv t = b->usage_type;

	if (!sv_is(b->provider, "aws"))
		return false;
	return sv_starts(t, SV("Reservation:")) || sv_has(t, SV("-Reservation:")) ||
	       sv_has(t, SV("DedicatedRes:"));
}

void bill_find_capacity(struct bill_line *b)
{
	bool of_machine = ANY(b->usage_type, "BoxUsage", "SpotUsage", "DedicatedUsage"),
	     of_aws = sv_is(b->provider, "aws"), itself = bill_is_capacity(b->resource_id);

	if (of_aws && bill_is_empty_capacity(b->usage_type))
		b->capacity_status = SV("Unused");
	else if (counts_capacity(b))
		b->capacity_status = SV("Reserved");
	else if (of_aws && of_machine && b->capacity_id.n)
		b->capacity_status = SV("Used");
	else if (!b->capacity_status.n && itself)
		/* Azure: a machine in it has lines of its own */
		b->capacity_status = SV("Unused");
	else if (!b->capacity_status.n && b->capacity_id.n)
		b->capacity_status = SV("Used");
	if (b->capacity_status.n && !b->capacity_id.n)
		b->capacity_id = b->resource_id;
}

bool bill_is_fee(const struct bill_line *b)
{
	bool of_commitment = b->commitment_id.n || b->commitment_type.n;

	if (sv_is(b->charge_category, "Purchase"))
		return of_commitment || bill_is_commitment(b->resource_id);
	/* the discount of a reservation's fee names no machine */
	if (sv_is(b->charge_category, "Adjustment") && !b->resource_id.n)
		return sv_is(b->commitment_type, "Reserved Instance") ||
		       sv_has(b->usage_type, SV("HeavyUsage"));
	return bill_is_commitment(b->resource_id);
}

bool bill_is_credit(const struct bill_line *b)
{
	if (sv_is(b->charge_class, "Correction"))
		return true;
	if (sv_is(b->charge_category, "Adjustment"))
		return !sv_is(b->provider, "aws") && !sv_is(b->commitment_status, "Used");
	return sv_is(b->charge_category, "Credit");
}

/* Time of a machine, by the texts of the line. */
static bool is_compute(const struct bill_line *b)
{
	bool disk = ANY(b->usage_type, "Local SSD", "SSD backed Local"), /* of the host */
		told = ANY(b->service_category, "Compute", "AI and Machine Learning",
			   "Machine Learning");

	if (is_extra(b))
		return false;
	if (!disk && counts_no_time(b->unit))
		return false;
	if (b->service_category.n && !told && !sv_ieq(b->service_category, SV("Other")))
		return false;
	if (!told && b->service_name.n &&
	    !ANY(b->service_name, "Compute", "EC2", "Virtual Machine", "Machine Learning",
		 "SageMaker", "Vertex AI", "Bare Metal", "GPU"))
		return false;
	return !sv_is(b->provider, "aws") || is_aws_machine(b);
}

bool bill_is_compute(const struct bill_line *b)
{
	return b->kind == KIND_OTHER && is_compute(b);
}

/* All types of this provider that have GPUs are in the catalogue. */
static bool is_whole(struct sv provider)
{
	return sv_is(provider, "aws") || sv_is(provider, "azure") || sv_is(provider, "gcp");
}

bool bill_is_unknown_machine(const struct bill_line *b)
{
	/* Oracle's machines without GPUs are told by their cores and memory */
	if (is_whole(b->provider) || ANY(b->unit, "cpu", "core", "GB", "GiB"))
		return false;
	if (b->charge_class.n || b->commitment_status.n)
		return false;
	return sv_is(b->charge_category, "Usage") && bill_is_compute(b);
}

/* "Nvidia Tesla A100 GPU running in Americas", "Nvidia H100 80GB GPU attached to Spot Preemptible
 * VMs running in ..." */
static bool is_gpu_sku(const struct catalog *c, const struct bill_line *b, struct verdict *v)
{
	struct sv text = sv_or(b->usage_type, b->charge_description);

	if (!sv_ihas(text, SV("nvidia ")) || !sv_ihas(text, SV(" gpu")))
		return false;
	for (size_t i = 0; i + 7 < text.n; i++)
		if (sv_ieq((struct sv){ text.p + i, 7 }, SV("nvidia "))) {
			text.p += i;
			text.n -= i;
			break;
		}
	for (size_t i = 7; i + 4 <= text.n; i++)
		if (sv_ieq((struct sv){ text.p + i, 4 }, SV(" gpu"))) {
			const struct gpu_spec *g = catalog_gpu(c, (struct sv){ text.p, i });
			if (!g && !sv_is(b->provider, "gcp")) /* a sentence, no SKU */
				return false;
			v->gpu_model = g ? sv_of(g->model) : SV_NULL;
			v->counts = COUNTS_GPU;
			v->gpu_milli = 0; /* as many as the quantity says */
			return true;
		}
	return false;
}

#define MODEL_WORDS 4             /* "RTX PRO 6000 Blackwell" */
#define WORDS_MAX   32            /* of a text that are looked at */
#define NO_WORD     " ,;|()"      /* what parts the words of a description, */
#define NO_NAME     " ,;|()-_./:" /* and those of the name of a type or SKU */

static size_t cut_words(struct sv text, const char *apart, struct sv *ret)
{
	size_t n = 0, at = 0;

	while (at < text.n && n < WORDS_MAX) {
		size_t from = at;
		while (at < text.n && !strchr(apart, text.p[at]))
			at++;
		if (at > from)
			ret[n++] = (struct sv){ text.p + from, at - from };
		at++;
	}
	return n;
}

static bool says_gpus(struct sv word)
{
	return sv_ieq(word, SV("gpu")) || sv_ieq(word, SV("gpus"));
}

/* "8x", "x8", "8gpu", and "8" before "gpus": a number of GPUs, 0: none. */
static int64_t count_of_word(struct sv word, struct sv next, bool *ret_says)
{
	bool x = word.n && (word.p[0] | 32) == 'x';
	size_t at = x, first = x;
	int64_t n = 0;

	while (at < word.n && at < 4 && within_int(word.p[at], '0', '9'))
		n = n * 10 + word.p[at++] - '0';
	struct sv rest = sv_from(word, at);
	*ret_says = says_gpus(rest.n ? rest : next);
	bool times = x ? !rest.n : sv_ieq(rest, SV("x"));
	if (at == first || !within_i64(n, 1, 64))
		return 0;
	if (times || (!x && *ret_says))
		return n;
	return 0;
}

/* "h100x8", "8xh100": both in one word. */
static const struct gpu_spec *gpu_and_count(const struct catalog *c, struct sv word,
					    int64_t *ret_count)
{
	const struct gpu_spec *g = NULL;

	for (size_t i = 1; i + 1 < word.n && !g; i++) {
		struct sv count = sv_from(word, i + 1), name = { word.p, i };
		int64_t n = 0;
		if ((word.p[i] | 32) != 'x')
			continue;
		if (i <= 2 && within_int(*word.p, '0', '9')) {
			count = name;
			name = sv_from(word, i + 1);
		}
		if (sv_i64(count, &n) == 0 && within_i64(n, 1, 64))
			g = catalog_gpu(c, name);
		if (g)
			*ret_count = n;
	}
	return g;
}

/* Beside the words [first, end) that name a model; none: first is n, and only what says GPUs. */
static int64_t count_beside(const struct sv *w, size_t n, size_t first, size_t end)
{
	size_t before = first < n ? first : 0;
	bool says;

	while (before > 0 && says_gpus(w[before - 1]))
		before--;
	if (before > 0) {
		int64_t count = count_of_word(w[before - 1], before < n ? w[before] : SV_NULL,
					      &says);
		if (count)
			return count;
	}
	for (size_t i = end; i < n; i++) {
		struct sv next = i + 1 < n ? w[i + 1] : SV_NULL;
		int64_t count = count_of_word(w[i], next, &says);
		bool beside = first < n && (i == end || i + 1 == n);
		/* "BM.GPU.H100.8", "H100-2-80G" */
		bool digit = beside && w[i].n == 1 && within_int(*w[i].p, '1', '8');
		if (digit && i == end && strchr("-_.", w[i].p[-1]))
			return *w[i].p - '0';
		if (count && (says || beside))
			return count;
	}
	return 0;
}

/* "Compute - GPU - H100", "8x NVIDIA H100 SXM", "gpu_8x_a10": the GPU that some words of the text
 * name, the most of them that do; count: how many, left as it is where no word beside says it. */
static const struct gpu_spec *gpu_of_words(const struct catalog *c, struct sv text,
					   const char *apart, int64_t *ret_count)
{
	static const char *const no_model[] = { "gpu", "compute", "standard", NULL };
	struct sv w[WORDS_MAX];
	size_t n = cut_words(text, apart, w), first = 0, end = 0;
	const struct gpu_spec *model = NULL;
	int64_t count = 0;

	for (; first < n && !model; first += !model) {
		for (size_t i = first; i < n && i < first + MODEL_WORDS; i++) {
			size_t len = (size_t)(w[i].p + w[i].n - w[first].p);
			const struct gpu_spec *g = catalog_gpu(c, (struct sv){ w[first].p, len });
			if (!g || has_any(w[first], no_model))
				continue;
			model = g;
			end = i + 1;
		}
		if (!model && ret_count && (model = gpu_and_count(c, w[first], &count)))
			end = first + 1;
	}
	if (!count && ret_count)
		count = count_beside(w, n, first, end);
	if (count)
		*ret_count = count;
	return model;
}

/* Oracle bills a machine by its GPUs: "Compute - GPU - H100", 96 "GPU Hours". */
static bool is_gpu_hours(const struct catalog *c, const struct bill_line *b, struct verdict *v)
{
	if (is_whole(b->provider) || !bill_line_counts_gpus(b))
		return false;
	const struct gpu_spec *g = gpu_of_words(c, b->charge_description, NO_WORD, NULL);
	if (!g)
		g = gpu_of_words(c, b->usage_type, NO_WORD, NULL);
	if (!g)
		return false;
	v->gpu_model = sv_of(g->model);
	v->counts = COUNTS_GPU;
	v->gpu_milli = 0; /* as many as the quantity says */
	return true;
}

/*
 * A machine whose type the catalogue does not have: what its columns say of its GPUs, else what the
 * type, the SKU or the description does, else the user. Words of AWS, Azure and Google are not
 * looked at: their types are known, and "A2" is one of Google's.
 */
static bool is_told_gpu(const struct catalog *c, const struct bill_line *b,
			const struct bill_evidence *e, struct verdict *v)
{
	static const char *const model_keys[] = { "GpuModel", "GpuType", "GpuName", "x_GpuModel" },
				 *const count_keys[] = { "GpuCount", "x_GpuCount", "Gpus" };
	const struct sv words[] = { v->instance_type, b->sku_id, b->usage_type,
				    b->charge_description };
	struct sv model = SV_NULL, count = SV_NULL;
	const struct gpu_spec *g = NULL;
	int64_t n = 0, told;

	for (size_t i = 0; !model.n && i < sizeof model_keys / sizeof *model_keys; i++)
		model = jscan_text(jscan_get(e->details, model_keys[i]));
	for (size_t i = 0; !count.n && i < sizeof count_keys / sizeof *count_keys; i++)
		count = jscan_text(jscan_get(e->details, count_keys[i]));
	bool columns = count.n && sv_i64(count, &told) == 0 && within_i64(told, 1, 1024);
	if (!columns && (is_whole(b->provider) || !is_compute(b)))
		return false;
	if (model.n)
		g = gpu_of_words(c, model, NO_WORD, &n);
	for (size_t i = 0; !is_whole(b->provider) && i < sizeof words / sizeof *words; i++) {
		const struct gpu_spec *one = gpu_of_words(c, words[i], NO_NAME, n ? NULL : &n);
		g = g ? g : one;
	}
	bool told_model = !g && e->gpu_model.n, told_count = !n && !columns;
	if (told_model)
		g = catalog_gpu(c, e->gpu_model);
	if (!n && sv_i64(e->gpu_count, &told) == 0)
		n = told;
	if (columns)
		sv_i64(count, &n);
	/* no count without a word of a GPU, no time without a count */
	bool known = columns || g || e->gpu_count.n;
	if (!known || !within_i64(n, 1, 1024))
		return false;
	v->told = told_model || told_count;
	v->gpu_model = g ? sv_of(g->model) : sv_or(model, e->gpu_model);
	v->gpu_milli = n * 1000;
	v->counts = COUNTS_INSTANCE;
	return true;
}

static bool is_gpu(const struct catalog *c, const struct bill_line *b,
		   const struct bill_evidence *e, struct verdict *v)
{
	struct sv name;
	const struct instance_type *t = NULL;

	name = named_type(b, e);
	if (name.n)
		t = lookup_type(c, b, name);
	if (!t && !name.n)
		t = from_words(c, b, b->charge_description);
	if (!t && !name.n)
		t = lookup_type(c, b, b->sku_id);
	if (!t && !name.n && sv_is(b->provider, "azure"))
		t = lookup_type(c, b, b->usage_type); /* meter names: "ND96isr H100 v5" */
	v->instance_type = t ? sv_of(t->name) : name;
	if (is_extra(b))
		return false;
	bool sku = is_gpu_sku(c, b, v) || is_gpu_hours(c, b, v);
	if (t && t->gpu_model) {
		v->gpu_model = sv_of(t->gpu_model);
		v->gpu_milli = t->gpu_milli;
		/* Lines that count its cores, memory or disks ride with its GPUs. */
		bool part = ANY(b->usage_type, " Core ", " Ram ", "Instance Core", "Instance Ram",
				"Local SSD", "SSD backed Local", "vCPU");
		if (sku)
			v->counts = COUNTS_GPU;
		else if (!part)
			v->counts = COUNTS_INSTANCE;
		else
			v->counts = COUNTS_OTHER;
		return true;
	}
	if (sku)
		return true;
	return !t && is_told_gpu(c, b, e, v);
}

static enum kind kind_of_line(const struct catalog *c, const struct bill_line *b,
			      const struct bill_evidence *e, struct verdict *v)
{
	enum kind k;

	if (sv_ieq(b->charge_category, SV("Tax")))
		return KIND_OTHER;
	if (is_transfer(b, &k))
		return k;
	if (is_licence(b))
		return KIND_LICENCE;
	if (!sv_ieq(b->service_category, SV("Storage")) && is_gpu(c, b, e, v))
		return KIND_GPU;
	if (is_storage(b))
		return KIND_STORAGE;
	if (is_network(b))
		return KIND_NETWORK;
	return KIND_OTHER;
}

/* ---- all of them ------------------------------------------------------------------------- */

void bill_judge(const struct catalog *c, const struct bill_line *b, const struct bill_evidence *e,
		struct verdict *v)
{
	*v = (struct verdict){ 0 };
	v->kind = kind_of_line(c, b, e, v);
	if ((e->is_fee || bill_is_fee(b)) && v->kind == KIND_GPU)
		v->kind = KIND_OTHER;
	bool counts = bill_line_is_capacity(b) && !sv_ieq(b->capacity_status, SV("Unused"));
	if (counts && v->kind == KIND_GPU)
		v->kind = KIND_OTHER;
	/* nobody's GPU time: a line of its own, the model stays for reports */
	if (sv_ieq(b->commitment_status, SV("Unused")))
		v->kind = KIND_COMMITMENT_UNUSED;
	v->of_gpu = v->kind == KIND_GPU;
	if (!v->of_gpu)
		v->gpu_milli = 0;
	if (bill_is_credit(b) && v->kind != KIND_COMMITMENT_UNUSED)
		v->kind = KIND_OTHER;
	v->purchase = purchase_of(b, e);
}
