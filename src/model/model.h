#ifndef TARE_MODEL_MODEL_H
#define TARE_MODEL_MODEL_H
/*
 * The nouns that every room shares, as plain structs with units in the names. Text members are
 * views that the giver owns (valid during the call they are given in, or as long as the arena they
 * were loaded into); {NULL,0} = not known. What the words mean: the ledger model in docs/LEDGER.md.
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
	STATE_NONE, /* entries that are no GPU time, or unknown: of a machine that may have GPUs */
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
	/* unknown: allocated without a valid reading; paid, and nobody watched. Stores hold these
	 * numbers: only append. */
	CAUSE_UNREAD,
	CAUSE_UNWATCHED,
	CAUSE_N
};
enum quality { QUALITY_MEASURED, QUALITY_ESTIMATED, QUALITY_ASSUMED, QUALITY_N };
/* where an entry's amounts come from: a bill, the node's or import's own price, the catalogue */
enum priced { PRICED_NOT, PRICED_BILL, PRICED_RECORD, PRICED_CATALOG, PRICED_N };
enum basis { BASIS_BILLED, BASIS_EFFECTIVE, BASIS_LIST, BASIS_N };
enum share_kind { SHARE_WHOLE, SHARE_MIG, SHARE_MPS, SHARE_TIMESLICE, SHARE_FRACTION, SHARE_N };

/* Names as they are printed and stored ("idle_held", "cross_zone"); "" for *_NONE. The inverse
 * returns the value or -1. */
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
int share_kind_of(struct sv name);
/* True for the words of the contract; other values of `purchase` and `workload` are kept and
 * reported. */
/* on_demand spot reserved_1y reserved_3y committed_1y committed_3y savings_plan owned; reserved (of
 * a length that is not told) capacity_block */
bool purchase_is_known(struct sv name);
/*
 * A FOCUS file with this column has texts as text_csv() writes them for spreadsheets: its own
 * export, but --raw. What it put before them is taken away when the file is read.
 */
#define FOCUS_QUOTED "x_TextQuote"

/* What cannot be given back before its term ends. */
enum commitment {
	COMMITMENT_NONE,
	COMMITMENT_RESERVATION,
	COMMITMENT_USE, /* committed use */
	COMMITMENT_SAVINGS_PLAN,
	COMMITMENT_N
};
struct purchase_terms {
	enum commitment commitment;
	int years; /* 0 = not said */
};
/*
 * What a purchase binds to, told from the words of the contract or of a provider ("Reserved
 * Instance", "SavingsPlan", "Compute Flexible CUD", "reserved_3y"), in any case. The one place that
 * reads these words: ask it.
 */
struct purchase_terms purchase_terms(struct sv word);
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
	struct sv currency; /* {NULL,0}: the configured one */
	/* of the host, as far as jobs may have it: cores in 1/1000, MiB; 0 or UNKNOWN_I64 = not
	 * known */
	int64_t cpu_milli, ram_mib;
};

/* An owner holds a share of GPUs from..to. */
struct allocation {
	struct sv job_id, user, team, project, env, workload, name, gpu_model, gpu_ids, mig_profile,
		state, node, cluster;
	/* evidence for virtual tags: Slurm account, Kubernetes namespace, partition */
	struct sv account, namespace_, queue;
	struct sv tags; /* JSON object text of further tags, or {NULL,0} */
	struct sv currency;
	int64_t gpus_milli; /* GPUs in 1/1000, before share */
	enum share_kind share_kind;
	int64_t share_ppb; /* share of each GPU in 1e-9, -1 = not declared */
	int mig_start;     /* memory slice where the instance starts, -1 = not known */
	/* UNKNOWN_MS where not known; end unknown = still running */
	int64_t submit_ms, start_ms, end_ms;
	bool open_end;      /* end_ms was filled in with the end of the data, the job went on */
	int64_t limit_ms;   /* booked time, UNKNOWN_MS */
	int checkpointable; /* 1 yes, 0 no, -1 not known */
	int attempt;        /* 0 = first; requeues count up */
	dec usd_gpu_hour;   /* price given at import where no node record covers it */
	bool has_usd_gpu_hour;
	/* of the host, that it holds beside its GPUs: as asked for or given; 0 or UNKNOWN_I64 = not
	 * known */
	int64_t cpu_milli, ram_mib;
};
/*
 * The newest import of an allocation holds: does a later one of v[n] tell v[i] again, of the same
 * job, machine, GPUs and start? v has the oldest first within (start, job). GPUs of another model
 * or MIG profile in a row that says all else alike are another part of the job. Those without a
 * job's id stand for themselves. O(rows of the same start and job).
 */
bool allocation_told_again(const struct allocation *v, size_t n, size_t i);

/*
 * Somebody watched a node, or the nodes of a cluster, and would have seen who holds their GPUs:
 * time in which nobody is named is then known to be nobody's (docs/LEDGER.md, Witnesses).
 */
struct witness {
	/* node {NULL,0}: every node of the cluster; cluster {NULL,0} too: of every cluster that the
	 * file's jobs name */
	struct sv cluster, node;
	/* both UNKNOWN_MS: as far as the file's jobs of that cluster reach */
	int64_t from_ms, to_ms;
	/* measured: whoever held was seen; assumed: the list may be partial */
	enum quality quality;
};

/* The same as the store keeps it; source: batch and file. */
struct witness_told {
	int64_t source;
	struct witness w;
};
struct witness_jobs { /* the jobs of a source in one cluster on one node */
	int64_t source;
	struct sv cluster, node; /* {NULL,0} = the jobs do not say */
	int64_t from_ms, to_ms;  /* first submit or start, last end or, of one without, start */
	struct sv user_first, user_last; /* by name; {NULL,0} = none has one */
	int64_t without_user;
};

/* Jobs or pods that hold none of its GPUs were on a machine: no allocation, but who stops it would
 * break them. */
struct presence {
	struct sv cluster, node;
	int64_t from_ms, to_ms;
	bool goes_on; /* at to_ms, the end of what the source knows, one still ran */
};
struct presence_told {
	int64_t source; /* batch and file */
	struct presence p;
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
	/* why clocks are held back: NVML's clocks event reasons, a bit mask */
	METRIC_THROTTLE_BITS,
	METRIC_ENERGY_J, /* counter since the driver was loaded */
	/* NIC: of the machine */
	METRIC_NVLINK_RX_BYTES_S,
	METRIC_NVLINK_TX_BYTES_S,
	METRIC_NIC_RX_BYTES_S,
	METRIC_NIC_TX_BYTES_S,
	METRIC_ECC_UNCORRECTED, /* counter */
	METRIC_XID,             /* code of the last driver error in this step, 0 = none */
	METRIC_PROC_COUNT,      /* processes on it */
	METRIC_N
};
/* more is no reading: 100 of percentages, 1 of shares, else HUGE_VAL */
double metric_most(enum metric m);
const char *metric_name(enum metric m); /* the native column name, such as "gpu_util_pct" */
int metric_of(struct sv name);

/* Readings of a GPU, MIG instance or process over [t, t + step). A NAN is a reading that is not
 * there. */
struct sample {
	int64_t t_ms;
	int32_t step_ms; /* > 0 */
	double value[METRIC_N];
};
/* Whose readings. gpu is a uuid or an index on the node; identity inside is "node/gpu" or the uuid
 * alone. */
struct sample_key {
	struct sv node, gpu, mig, job_id;
	struct sv mig_profile; /* of mig, where its readings say it: "1g.10gb" */
	/* usually from --set or labels */
	struct sv gpu_model, cluster, user, team, project, env, workload;
	dec usd_gpu_hour;
	bool has_usd_gpu_hour;
	struct sv currency;
};

/* Which way a metric of a training run is better. */
enum better { BETTER_UNKNOWN, BETTER_LOWER, BETTER_HIGHER };
/* A value of a metric that a training run logged. */
struct curve_point {
	struct sv run;    /* of the tracker, no other's; never empty */
	struct sv job;    /* that made it, its id or its name, where the source says; {NULL,0} */
	struct sv config; /* what it was started with; equal texts, equal runs; {NULL,0} */
	struct sv metric; /* never empty */
	enum better better;
	int64_t step, t_ms; /* t UNKNOWN_MS */
	double value;       /* finite */
};

/* What happened to a GPU or a machine, as an agent tells it (docs/AGENT-FORMAT.md): "lost",
 * "back", "driver_lost", ... */
struct incident {
	struct sv node, gpu, mig; /* gpu {NULL,0}: the machine */
	struct sv kind;
	int64_t t_ms, code; /* code: an XID, a length in ms, else 0 */
};

/* Requests of a service in a minute or any other interval; count rows of the same latency, or a
 * histogram. */
struct request_row {
	int64_t t_ms;
	/* status: "ok" when {NULL,0}; "2..", "ok", "success" count as successful */
	struct sv service, tenant, status;
	int64_t count;     /* >= 1 */
	double latency_ms; /* NAN = not known; of each of the count requests */
	/* "10:5;50:20;+Inf:1": upper bound in ms : requests in that bin (not cumulative) */
	struct sv latency_histogram;
	int64_t tokens_in, tokens_out; /* totals of the row, UNKNOWN_I64 */
	int64_t gpu_ms;                /* total GPU time, UNKNOWN_I64 */
	/* totals of the time in which requests read their input (prefill) and wrote their output
	 * (decode), UNKNOWN_I64 */
	int64_t prefill_ms, decode_ms;
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
	/* band per month, -1 = not known; hi 100 = open */
	int interruption_lo_pct, interruption_hi_pct;
};

/* One unit of a currency is so many of another on a day. */
struct exchange_rate {
	struct sv from, to; /* as bills write them: "USD" */
	int64_t day_ms;     /* its start, UTC */
	dec rate;           /* above 0 */
};

/* A charge period of a day to this is spread over its days; a longer one is a term, no use. That of
 * a purchase is a term where it is longer than a billing period. */
#define BILL_SPREAD_MAX_MS     (1200 * INT64_C(86400000))
#define BILL_SPREAD_MAX_FEE_MS (62 * INT64_C(86400000))

/* A line of a bill, FOCUS's words for everybody's bills. Costs in the billing currency. */
struct bill_line {
	struct sv provider, account, account_name, sub_account, sub_account_name, invoice, currency;
	struct sv charge_category; /* Usage Purchase Tax Credit Adjustment */
	struct sv charge_class, charge_frequency, charge_description;
	struct sv pricing_category; /* Standard Dynamic Committed Other */
	struct sv service_category, service_name, sku_id, sku_price_id;
	/* AWS usage type, Azure meter, GCP SKU description: evidence for the kind */
	struct sv usage_type;
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
	/* worked out by the classifier in feed/bill/bill.c */
	enum kind kind;
	struct sv gpu_model;
	int64_t gpu_milli; /* GPUs of the resource; 0 = not a GPU line */
	struct sv purchase;
	/* the reservation of capacity that it is of, which is no discount. Status: Used, time of a
	 * machine in it; Unused, time of it in which there was none; else (Reserved, Cancelled) no
	 * time of its own */
	struct sv capacity_id, capacity_status;
	int32_t rows; /* of its file that it stands for; a row of several lines is the first's */
};

struct arena;
/* Its texts, by their places in it; the line with its texts in mem. Those up to the tags are
 * columns of stores in this order: a new one goes behind them. */
#define BILL_LINE_TEXTS    32
#define BILL_LINE_TAGS_END 27
extern const size_t bill_line_text_at[BILL_LINE_TEXTS];
/* Its quantity is of GPUs and not of machines where the bill writes it: Google's SKUs of GPUs, the
 * "GPU Hours" of Oracle. In a struct bill_line it is the machine's: of 8 GPUs an eighth. */
bool bill_line_counts_gpus(const struct bill_line *b);
/* Of a reservation of capacity and of no machine: what of it was not used, or what it counts beside
 * the lines that charge it. */
bool bill_line_is_capacity(const struct bill_line *b);
struct bill_line bill_line_copy(struct arena *mem, const struct bill_line *b);

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

/* What a bill says of an amount beside whose it is: where on the bill it stands. */
struct billed_as {
	struct sv cloud_service; /* the bill's: FOCUS ServiceName */
	struct sv account;       /* the sub account's id, else the billing account's */
	struct sv invoice, billing_account;
	struct sv charge_category; /* FOCUS: Usage Purchase Tax Credit Adjustment */
	struct sv instance_type;   /* of the node or the line */
	struct sv commitment;      /* id of the discount, reservation or savings plan */
};

/* A row of the fact table. */
struct entry {
	int64_t hour_ms; /* start of the hour */
	enum kind kind;
	struct sv gpu; /* "node/index", uuid; "" for pools and lines that are no GPU */
	/* key of what is rebuilt together, see model/scope.h */
	struct sv scope;
	struct sv node, cluster, provider, region, zone, gpu_model, purchase, currency;
	struct owner owner;
	struct sv service; /* that was served, as request logs name it */
	struct billed_as charge;
	enum state state;
	enum cause cause;
	enum quality quality;
	int64_t ms; /* GPU-milliseconds (share applied) */
	/* sum of ms x utilisation over pieces with a valid reading, UNKNOWN_I64 when none has
	 * one */
	int64_t util_ms;
	int64_t nano[BASIS_N]; /* nano-units of the currency, UNKNOWN_NANO */
	enum priced priced;
};

#endif
