#ifndef TARE_MODEL_MODEL_H
#define TARE_MODEL_MODEL_H
/*
 * The nouns that every room shares, as plain structs with units in the names. Text members are views that the giver
 * owns (valid during the call they are given in, or as long as the arena they were loaded into); {NULL,0} = not known.
 * What the words mean: the ledger model in docs/LEDGER.md.
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/dec.h"
#include "base/str.h"

/* Unknown numbers have values of their own. */
#define UNKNOWN_MS   INT64_MIN
#define UNKNOWN_NANO INT64_MIN
#define UNKNOWN_I64  INT64_MIN

enum kind { /* of a ledger entry */
	    KIND_GPU,
	    KIND_STORAGE,
	    KIND_EGRESS,
	    KIND_CROSS_ZONE,
	    KIND_NETWORK,
	    KIND_LICENCE,
	    KIND_ENERGY,
	    KIND_COMMITMENT_UNUSED,
	    KIND_OTHER,
	    KIND_N
};
enum state {
	STATE_NONE, /* entries that are no GPU time */
	STATE_BUSY,
	STATE_UNDERUSED,
	STATE_IDLE_HELD,
	STATE_IDLE_EMPTY,
	STATE_UNALLOCATED,
	STATE_LOST,
	STATE_OVERHEAD,
	STATE_UNKNOWN,
	STATE_N
};
enum cause {
	CAUSE_NONE,
	/* underused */
	CAUSE_INPUT,
	CAUSE_SMALL_BATCH,
	CAUSE_TRANSFER,
	CAUSE_BANDWIDTH,
	CAUSE_LAUNCH,
	CAUSE_IMBALANCE,
	CAUSE_THROTTLED,
	CAUSE_UNKNOWN,
	/* idle_held */
	CAUSE_WARM_SERVER,
	CAUSE_FINISHED,
	CAUSE_STALLED,
	CAUSE_NOTEBOOK,
	/* idle_empty */
	CAUSE_NEVER_LAUNCHED,
	CAUSE_EXITED,
	CAUSE_WAITING,
	/* unallocated */
	CAUSE_FREE,
	CAUSE_STRANDED,
	CAUSE_DRAINING,
	CAUSE_DOWN,
	CAUSE_BOOTING,
	/* lost */
	CAUSE_PREEMPTED,
	CAUSE_EVICTED,
	CAUSE_FAILED,
	CAUSE_CANCELLED,
	CAUSE_NODE_FAILURE,
	CAUSE_HUNG,
	CAUSE_REPEATED,
	/* overhead */
	CAUSE_BOOT,
	CAUSE_PULL,
	CAUSE_RESTORE,
	CAUSE_CHECKPOINT,
	CAUSE_COMPILE,
	CAUSE_N
};
enum quality { QUALITY_MEASURED, QUALITY_ESTIMATED, QUALITY_ASSUMED, QUALITY_N };
enum priced {
	PRICED_NOT,
	PRICED_BILL,
	PRICED_RECORD,
	PRICED_CATALOG,
	PRICED_N
}; /* where an entry's amounts come from: a bill, the node's or import's own price, the catalogue */
enum basis { BASIS_BILLED, BASIS_EFFECTIVE, BASIS_LIST, BASIS_N };
enum share_kind { SHARE_WHOLE, SHARE_MIG, SHARE_MPS, SHARE_TIMESLICE, SHARE_FRACTION, SHARE_N };

/* Names as they are printed and stored ("idle_held", "cross_zone"); "" for *_NONE. The inverse returns the value or -1. */
const char *kind_name(enum kind k);
const char *state_name(enum state s);
const char *cause_name(enum cause c);
const char *quality_name(enum quality q);
const char *basis_name(enum basis b);
const char *priced_name(enum priced p); /* "", "bill", "record", "catalog" */
const char *share_kind_name(enum share_kind s);
int kind_of(struct sv name);
int state_of(struct sv name);
int cause_of(struct sv name);
int quality_of(struct sv name);
int basis_of(struct sv name);
int share_kind_of(struct sv name);
/* True for the words of the contract; other values of `purchase` and `workload` are kept and reported. */
bool purchase_is_known(
	struct
	sv name); /* on_demand spot reserved_1y reserved_3y committed_1y committed_3y savings_plan owned */
bool workload_is_known(struct sv name); /* training inference research evaluation batch */

/* A node and the time it was paid for. */
struct node {
	struct sv node, provider, region, zone, instance_type, gpu_model, cluster, purchase,
		resource_id;
	struct sv gpu_ids;      /* ";"-separated uuids, in index order; {NULL,0} = not known */
	int64_t gpu_milli;      /* GPUs in 1/1000 (a g4-standard-6 has 125) */
	int64_t from_ms, to_ms; /* to UNKNOWN_MS: still paid */
	dec usd_hour;           /* of the whole node */
	bool has_usd_hour;
	struct sv currency; /* {NULL,0}: USD */
	int64_t cpu_milli,
		ram_mib; /* of the host, as far as jobs may have it: cores in 1/1000, MiB; 0 or UNKNOWN_I64 = not known */
};

/* An owner holds a share of GPUs from..to. */
struct allocation {
	struct sv job_id, user, team, project, env, workload, name, gpu_model, gpu_ids, mig_profile,
		state, node, cluster;
	struct sv account, namespace_,
		queue; /* evidence for virtual tags: Slurm account, Kubernetes namespace, partition */
	struct sv tags; /* JSON object text of further tags, or {NULL,0} */
	struct sv currency;
	int64_t gpus_milli; /* GPUs in 1/1000, before share */
	enum share_kind share_kind;
	int64_t share_ppb; /* share of each card in 1e-9, -1 = not declared */
	int mig_start;     /* memory slice where the instance starts, -1 = not known */
	int64_t submit_ms, start_ms,
		end_ms;     /* UNKNOWN_MS where not known; end unknown = still running */
	bool open_end;      /* end_ms was filled in with the end of the data, the job went on */
	int64_t limit_ms;   /* booked time, UNKNOWN_MS */
	int checkpointable; /* 1 yes, 0 no, -1 not known */
	int attempt;        /* 0 = first; requeues count up */
	dec usd_gpu_hour;   /* price given at import where no node record covers it */
	bool has_usd_gpu_hour;
	int64_t cpu_milli,
		ram_mib; /* of the host, that it holds beside its GPUs: as asked for or given; 0 or UNKNOWN_I64 = not known */
};

enum metric {
	METRIC_GPU_UTIL_PCT,
	METRIC_SM_ACTIVE_FRAC,
	METRIC_OCCUPANCY_FRAC,
	METRIC_TENSOR_ACTIVE_FRAC,
	METRIC_DRAM_ACTIVE_FRAC,
	METRIC_MEM_USED_BYTES,
	METRIC_MEM_TOTAL_BYTES,
	METRIC_POWER_W,
	METRIC_TEMP_CELSIUS,
	METRIC_PCIE_RX_BYTES_S,
	METRIC_PCIE_TX_BYTES_S,
	METRIC_CPU_UTIL_PCT,
	METRIC_MEM_UTIL_PCT, /* time in which device memory was read or written */
	METRIC_SM_CLOCK_MHZ,
	METRIC_MEM_CLOCK_MHZ,
	METRIC_THROTTLE_BITS, /* why clocks are held back: NVML's clocks event reasons, a bit mask */
	METRIC_ENERGY_J,      /* counter since the driver was loaded */
	METRIC_NVLINK_RX_BYTES_S,
	METRIC_NVLINK_TX_BYTES_S,
	METRIC_NIC_RX_BYTES_S,
	METRIC_NIC_TX_BYTES_S,  /* NIC: of the machine */
	METRIC_ECC_UNCORRECTED, /* counter */
	METRIC_XID,             /* code of the last driver error in this step, 0 = none */
	METRIC_PROC_COUNT,      /* processes on it */
	METRIC_N
};
double metric_most(
	enum metric m); /* more is no reading: 100 of percentages, 1 of shares, else HUGE_VAL */
const char *metric_name(enum metric m); /* the native column name, such as "gpu_util_pct" */
int metric_of(struct sv name);

/* Readings of a GPU, MIG instance or process over [t, t + step). A NAN is a reading that is not there. */
struct sample {
	int64_t t_ms;
	int32_t step_ms; /* > 0 */
	double value[METRIC_N];
};
/* Whose readings. gpu is a uuid or an index on the node; identity inside is "node/gpu" or the uuid alone. */
struct sample_key {
	struct sv node, gpu, mig, job_id;
	struct sv gpu_model, cluster, user, team, project, env,
		workload; /* usually from --set or labels */
	dec usd_gpu_hour;
	bool has_usd_gpu_hour;
	struct sv currency;
};

/* What happened to a card or a machine, as an agent tells it (docs/AGENT-FORMAT.md): "lost", "back", "driver_lost", ... */
struct incident {
	struct sv node, gpu, mig; /* gpu {NULL,0}: the machine */
	struct sv kind;
	int64_t t_ms, code; /* code: an XID, a length in ms, else 0 */
};

/* Requests of a service in a minute or any other stretch; count rows of the same latency, or a histogram. */
struct request_row {
	int64_t t_ms;
	struct sv service, tenant,
		status; /* status: "ok" when {NULL,0}; "2..", "ok", "success" count as successful */
	int64_t count;  /* >= 1 */
	double latency_ms; /* NAN = not known; of each of the count requests */
	struct sv
		latency_histogram; /* "10:5;50:20;+Inf:1": upper bound in ms : requests in that bin (not cumulative) */
	int64_t tokens_in, tokens_out; /* totals of the row, UNKNOWN_I64 */
	int64_t gpu_ms;                /* total GPU time, UNKNOWN_I64 */
};

/* A price over time and place. */
struct price {
	struct sv provider, region, zone, instance_type, gpu_model, purchase, term, currency,
		source;
	int64_t gpu_milli;      /* of the instance, 0 = not known (then per GPU: 1000) */
	dec upfront;            /* for the whole term, 0 */
	dec hour;               /* per instance and hour */
	int64_t from_ms, to_ms; /* to UNKNOWN_MS: until a later row replaces it */
	/* spot rows */
	int interruption_lo_pct,
		interruption_hi_pct; /* band per month, -1 = not known; hi 100 = open */
};

/* A line of a bill, FOCUS's words for everybody's bills. Costs in the billing currency. */
struct bill_line {
	struct sv provider, account, account_name, sub_account, sub_account_name, invoice, currency;
	struct sv charge_category; /* Usage Purchase Tax Credit Adjustment */
	struct sv charge_class, charge_frequency, charge_description;
	struct sv pricing_category; /* Standard Dynamic Committed Other */
	struct sv service_category, service_name, sku_id, sku_price_id;
	struct sv
		usage_type; /* AWS usage type, Azure meter, GCP SKU description: evidence for the kind */
	struct sv instance_type;
	struct sv region, zone, resource_id, resource_name, resource_type;
	struct sv commitment_id, commitment_type, commitment_status; /* status: Used Unused */
	struct sv tags;                                              /* JSON object text */
	int64_t from_ms, to_ms;                                      /* charge period */
	int64_t period_from_ms, period_to_ms; /* billing period, UNKNOWN_MS */
	dec quantity;                         /* consumed (else pricing) quantity */
	bool has_quantity;
	struct sv unit;
	dec cost[BASIS_N];
	bool has_cost[BASIS_N];
	dec contracted;
	bool has_contracted;
	/* worked out by the classifier in feed/bill.c */
	enum kind kind;
	struct sv gpu_model;
	int64_t gpu_milli; /* GPUs of the resource; 0 = not a GPU line */
	struct sv purchase;
};

/* Who: the fields of an owner and where each came from. */
enum owner_field {
	OWNER_USER,
	OWNER_TEAM,
	OWNER_PROJECT,
	OWNER_ENV,
	OWNER_WORKLOAD,
	OWNER_JOB,
	OWNER_RUN,
	OWNER_N
};
enum owner_source {
	FROM_NOWHERE,
	FROM_MEASURED,
	FROM_TAG,
	FROM_RULE,
	FROM_DEFAULT,
	FROM_INFERENCE
};
struct owner {
	struct sv field[OWNER_N];
	enum owner_source source[OWNER_N];
	struct sv tags; /* JSON object text or {NULL,0} */
};
const char *owner_field_name(enum owner_field f); /* "user" ... "job" "run" */

/* A row of the fact table. */
struct entry {
	int64_t hour_ms; /* start of the hour */
	enum kind kind;
	struct sv gpu; /* "node/index", uuid; "" for pools and lines that are no GPU */
	struct sv
		scope; /* what is rebuilt together: node, pool ("cluster/model") or "bill:<account>" */
	struct sv node, cluster, provider, region, zone, gpu_model, purchase, currency;
	struct owner owner;
	enum state state;
	enum cause cause;
	enum quality quality;
	int64_t ms; /* GPU-milliseconds (share applied) */
	int64_t util_ms; /* sum of ms x utilisation over pieces with a valid reading, UNKNOWN_I64 when none has one */
	int64_t nano[BASIS_N]; /* nano-units of the currency, UNKNOWN_NANO */
	enum priced priced;
};

#endif
