#include "model/model.h"
#include "base/mem.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stddef.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const char *const KINDS[KIND_N] = {
	[KIND_GPU] = "gpu",         [KIND_STORAGE] = "storage",
	[KIND_EGRESS] = "egress",   [KIND_CROSS_ZONE] = "cross_zone",
	[KIND_NETWORK] = "network", [KIND_LICENCE] = "licence",
	[KIND_ENERGY] = "energy",   [KIND_COMMITMENT_UNUSED] = "commitment_unused",
	[KIND_OTHER] = "other",
};

static const char *const STATES[STATE_N] = {
	[STATE_NONE] = "",
	[STATE_BUSY] = "busy",
	[STATE_UNDERUSED] = "underused",
	[STATE_IDLE_HELD] = "idle_held",
	[STATE_IDLE_EMPTY] = "idle_empty",
	[STATE_UNALLOCATED] = "unallocated",
	[STATE_LOST] = "lost",
	[STATE_OVERHEAD] = "overhead",
	[STATE_UNKNOWN] = "unknown",
};

static const char *const CAUSES[CAUSE_N] = {
	[CAUSE_NONE] = "",
	[CAUSE_INPUT] = "input",
	[CAUSE_SMALL_BATCH] = "small_batch",
	[CAUSE_TRANSFER] = "transfer",
	[CAUSE_BANDWIDTH] = "bandwidth",
	[CAUSE_LAUNCH] = "launch",
	[CAUSE_IMBALANCE] = "imbalance",
	[CAUSE_THROTTLED] = "throttled",
	[CAUSE_UNKNOWN] = "unknown",
	[CAUSE_WARM_SERVER] = "warm_server",
	[CAUSE_FINISHED] = "finished",
	[CAUSE_STALLED] = "stalled",
	[CAUSE_NOTEBOOK] = "notebook",
	[CAUSE_NEVER_LAUNCHED] = "never_launched",
	[CAUSE_EXITED] = "exited",
	[CAUSE_WAITING] = "waiting",
	[CAUSE_FREE] = "free",
	[CAUSE_STRANDED] = "stranded",
	[CAUSE_DRAINING] = "draining",
	[CAUSE_DOWN] = "down",
	[CAUSE_BOOTING] = "booting",
	[CAUSE_PREEMPTED] = "preempted",
	[CAUSE_EVICTED] = "evicted",
	[CAUSE_FAILED] = "failed",
	[CAUSE_CANCELLED] = "cancelled",
	[CAUSE_NODE_FAILURE] = "node_failure",
	[CAUSE_HUNG] = "hung",
	[CAUSE_REPEATED] = "repeated",
	[CAUSE_BOOT] = "boot",
	[CAUSE_PULL] = "pull",
	[CAUSE_RESTORE] = "restore",
	[CAUSE_CHECKPOINT] = "checkpoint",
	[CAUSE_COMPILE] = "compile",
	[CAUSE_UNREAD] = "unread",
	[CAUSE_UNWATCHED] = "unwatched",
};

static const char *const QUALITIES[QUALITY_N] = { "measured", "estimated", "assumed" };
static const char *const PRICED[PRICED_N] = { "", "bill", "record", "catalog" };
static const char *const BASES[BASIS_N] = { "billed", "effective", "list" };
static const char *const SHARE_KINDS[SHARE_N] = { "whole", "mig", "mps", "timeslice", "fraction" };

static const char *const METRICS[METRIC_N] = {
	[METRIC_GPU_UTIL_PCT] = "gpu_util_pct",
	[METRIC_SM_ACTIVE_FRAC] = "sm_active_frac",
	[METRIC_OCCUPANCY_FRAC] = "occupancy_frac",
	[METRIC_TENSOR_ACTIVE_FRAC] = "tensor_active_frac",
	[METRIC_DRAM_ACTIVE_FRAC] = "dram_active_frac",
	[METRIC_MEM_USED_BYTES] = "mem_used_bytes",
	[METRIC_MEM_TOTAL_BYTES] = "mem_total_bytes",
	[METRIC_POWER_W] = "power_w",
	[METRIC_TEMP_CELSIUS] = "temp_celsius",
	[METRIC_PCIE_RX_BYTES_S] = "pcie_rx_bytes_s",
	[METRIC_PCIE_TX_BYTES_S] = "pcie_tx_bytes_s",
	[METRIC_CPU_UTIL_PCT] = "cpu_util_pct",
	[METRIC_MEM_UTIL_PCT] = "mem_util_pct",
	[METRIC_SM_CLOCK_MHZ] = "sm_clock_mhz",
	[METRIC_MEM_CLOCK_MHZ] = "mem_clock_mhz",
	[METRIC_THROTTLE_BITS] = "throttle_bits",
	[METRIC_ENERGY_J] = "energy_j",
	[METRIC_NVLINK_RX_BYTES_S] = "nvlink_rx_bytes_s",
	[METRIC_NVLINK_TX_BYTES_S] = "nvlink_tx_bytes_s",
	[METRIC_NIC_RX_BYTES_S] = "nic_rx_bytes_s",
	[METRIC_NIC_TX_BYTES_S] = "nic_tx_bytes_s",
	[METRIC_ECC_UNCORRECTED] = "ecc_uncorrected",
	[METRIC_XID] = "xid",
	[METRIC_PROC_COUNT] = "proc_count",
};

static const char *const OWNER_FIELDS[OWNER_N] = { "user",     "team", "project", "env",
						   "workload", "job",  "run" };

static const char *const PURCHASES[] = { "on_demand",     "spot",         "reserved_1y",
					 "reserved_3y",   "committed_1y", "committed_3y",
					 "savings_plan",  "owned",        "reserved",
					 "capacity_block" };
static const char *const WORKLOADS[] = { "training", "inference", "research", "evaluation",
					 "batch" };

static const char *name_at(const char *const *list, size_t n, size_t i)
{
	assert(i < n);
	return list[i];
}

static int find_name(const char *const *list, size_t n, struct sv name)
{
	for (size_t i = 0; i < n; i++)
		if (sv_is(name, list[i]))
			return (int)i;
	return -1;
}

const char *kind_name(enum kind k)
{
	return name_at(KINDS, COUNT(KINDS), k);
}

const char *state_name(enum state s)
{
	return name_at(STATES, COUNT(STATES), s);
}

const char *cause_name(enum cause c)
{
	return name_at(CAUSES, COUNT(CAUSES), c);
}

const char *quality_name(enum quality q)
{
	return name_at(QUALITIES, COUNT(QUALITIES), q);
}

const char *basis_name(enum basis b)
{
	return name_at(BASES, COUNT(BASES), b);
}

const char *priced_name(enum priced p)
{
	return name_at(PRICED, COUNT(PRICED), p);
}

const char *share_kind_name(enum share_kind s)
{
	return name_at(SHARE_KINDS, COUNT(SHARE_KINDS), s);
}

double metric_most(enum metric m)
{
	switch (m) {
	case METRIC_GPU_UTIL_PCT:
	case METRIC_MEM_UTIL_PCT: return 100;
	case METRIC_SM_ACTIVE_FRAC:
	case METRIC_OCCUPANCY_FRAC:
	case METRIC_TENSOR_ACTIVE_FRAC:
	case METRIC_DRAM_ACTIVE_FRAC: return 1;
	default: return HUGE_VAL;
	}
}

const char *metric_name(enum metric m)
{
	return name_at(METRICS, COUNT(METRICS), m);
}

const char *owner_field_name(enum owner_field f)
{
	return name_at(OWNER_FIELDS, COUNT(OWNER_FIELDS), f);
}

int kind_of(struct sv name)
{
	return find_name(KINDS, COUNT(KINDS), name);
}

int state_of(struct sv name)
{
	return find_name(STATES, COUNT(STATES), name);
}

int cause_of(struct sv name)
{
	return find_name(CAUSES, COUNT(CAUSES), name);
}

int quality_of(struct sv name)
{
	return find_name(QUALITIES, COUNT(QUALITIES), name);
}

int share_kind_of(struct sv name)
{
	return find_name(SHARE_KINDS, COUNT(SHARE_KINDS), name);
}

int metric_of(struct sv name)
{
	return find_name(METRICS, COUNT(METRICS), name);
}

/* Among the words of a text, apart from letters and digits beside it. */
static bool has_word(struct sv text, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= text.n; i++) {
		bool begins = !i || !isalnum((unsigned char)text.p[i - 1]),
		     ends = i + n == text.n || !isalnum((unsigned char)text.p[i + n]);
		if (begins && ends && sv_ieq((struct sv){ text.p + i, n }, sv_of(word)))
			return true;
	}
	return false;
}

struct purchase_terms purchase_terms(struct sv word)
{
	struct purchase_terms t = { .commitment = COMMITMENT_NONE };
	bool plan = sv_ihas(word, SV("savings plan")) || sv_ihas(word, SV("savingsplan")) ||
		    sv_ihas(word, SV("savings_plan"));

	if (plan || has_word(word, "sp"))
		t.commitment = COMMITMENT_SAVINGS_PLAN;
	else if (sv_ihas(word, SV("reserv")) || has_word(word, "ri") || has_word(word, "ris"))
		t.commitment = COMMITMENT_RESERVATION;
	else if (sv_ihas(word, SV("commit")) || has_word(word, "cud") || has_word(word, "cuds"))
		t.commitment = COMMITMENT_USE;
	if (t.commitment && (sv_ends(word, SV("_1y")) || sv_ends(word, SV("_3y"))))
		t.years = word.p[word.n - 2] - '0';
	return t;
}

bool purchase_is_known(struct sv name)
{
	return find_name(PURCHASES, COUNT(PURCHASES), name) >= 0;
}

bool workload_is_known(struct sv name)
{
	return find_name(WORKLOADS, COUNT(WORKLOADS), name) >= 0;
}

static bool is_other_part(const struct allocation *a, const struct allocation *b)
{
	if (sv_eq(a->gpu_model, b->gpu_model) && sv_eq(a->mig_profile, b->mig_profile))
		return false;
	bool same_end = a->end_ms == b->end_ms && a->open_end == b->open_end,
	     same_job = sv_eq(a->name, b->name) && sv_eq(a->cluster, b->cluster);

	if (!same_end || !same_job)
		return false;
	return a->attempt == b->attempt && sv_eq(a->state, b->state);
}

bool allocation_told_again(const struct allocation *v, size_t n, size_t i)
{
	const struct allocation *a = &v[i];

	for (size_t k = i + 1; k < n; k++) {
		const struct allocation *b = &v[k];
		if (!a->job_id.n || b->start_ms != a->start_ms || !sv_eq(b->job_id, a->job_id))
			return false;
		bool same_gpus = sv_eq(b->gpu_ids, a->gpu_ids) && b->mig_start == a->mig_start;
		if (same_gpus && sv_eq(b->node, a->node) && !is_other_part(a, b))
			return true;
	}
	return false;
}

/* ---- lines of bills ---------------------------------------------------------------------- */

const size_t bill_line_text_at[BILL_LINE_TEXTS] = {
#define T(m) offsetof(struct bill_line, m)
	T(provider),
	T(account),
	T(account_name),
	T(sub_account),
	T(sub_account_name),
	T(invoice),
	T(currency),
	T(charge_category),
	T(charge_class),
	T(charge_frequency),
	T(charge_description),
	T(pricing_category),
	T(service_category),
	T(service_name),
	T(sku_id),
	T(sku_price_id),
	T(usage_type),
	T(instance_type),
	T(region),
	T(zone),
	T(resource_id),
	T(resource_name),
	T(resource_type),
	T(commitment_id),
	T(commitment_type),
	T(commitment_status),
	T(tags),
	T(unit),
	T(gpu_model),
	T(purchase),
	T(capacity_id),
	T(capacity_status),
#undef T
};

bool bill_line_is_capacity(const struct bill_line *b)
{
	return b->capacity_status.n && !sv_is(b->capacity_status, "Used");
}

bool bill_line_counts_gpus(const struct bill_line *b)
{
	static const char *const unit[] = { "gpu hour", "gpu-hour", "gpu hr", "gpu hrs",
					    "gpuhour" };
	struct sv sku = sv_or(b->usage_type, b->charge_description);

	for (size_t i = 0; i < sizeof unit / sizeof *unit; i++)
		if (sv_ihas(b->unit, sv_of(unit[i])))
			return true;
	return sv_is(b->provider, "gcp") && sv_ihas(sku, SV("nvidia ")) && sv_ihas(sku, SV(" gpu"));
}

struct bill_line bill_line_copy(struct arena *mem, const struct bill_line *b)
{
	struct bill_line l = *b;

	for (size_t i = 0; i < BILL_LINE_TEXTS; i++) {
		struct sv *v = (struct sv *)((char *)&l + bill_line_text_at[i]);
		if (v->p)
			v->p = arena_strn(mem, v->p, v->n);
	}
	return l;
}
