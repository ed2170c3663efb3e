#ifndef TARE_PLAN_FLEET_FLEET_H
#define TARE_PLAN_FLEET_FLEET_H
/*
 * The fleet's own history in a window, as the levers see it: works (who held what, when, what it
 * did, what it cost), nodes, services. Read once from the store, then only read. The sum of
 * cost_nano over all workloads of a currency is the ledger's sum in the window, to the nano.
 *
 * Basis of all amounts: effective cost (billed where that is unknown). Time without an amount is
 * unpriced: counted, never guessed. Where nothing at all has a price, amounts are GPU-hours
 * (in_gpu_hours), and levers that compare prices are not asked.
 * All texts are terminated, "" = not known, interned in the fleet (equal texts are equal pointers).
 */
#include "base/mem.h"
#include "base/num.h"
#include "base/tm.h"
#include "catalog/catalog.h"
#include "ledger/conf.h"
#include "ledger/exchange.h"
#include "model/action.h"
#include "model/model.h"
#include "opt/size/idle.h"
#include "plan/lever/own_rate.h"
#include "store/store.h"

struct text_list {
	const char **v;
	size_t n, cap;
}; /* for vec_push() */

struct bill_seen;

enum workload_kind {
	/* a job (all its attempts) on one node or pool; a job on several nodes is several works
	 * with the same `job` */
	WORKLOAD_JOB,
	/* a replica of a service: workload inference, or the name of a service in the request
	 * log */
	WORKLOAD_SERVICE,
	WORKLOAD_FREE, /* time of a node or GPU that nobody held */
	/* ledger lines that are no GPU time: storage, egress, unused commitment, ... */
	WORKLOAD_LINE,
	/* GPU time of which nobody tells whose it is nor what it did (a machine that only a bill
	 * knows): counted, never changed as a job */
	WORKLOAD_UNKNOWN,
};

/* An hour of a workload. Milliseconds are GPU-milliseconds (share applied). */
struct workload_hour {
	int64_t hour_ms;
	/* busy: busy and underused; idle: idle_held and idle_empty (free time is neither) */
	int64_t ms, busy_ms, idle_ms, unknown_ms;
	int64_t nano;
	/* the CPUs of its machine worked, GPUs or not; only for workloads held for CPU_HOURS_MS or
	 * longer */
	bool cpu_worked;
};

#define GPU_FLOOR_PCT  5
#define CPU_HOURS_MS   (14 * 86400000LL)
#define GPU_HELD_BYTES (1024.0 * 1024 * 1024)

/* From telemetry; NAN or UNKNOWN_MS where nothing was read. A workload without readings has
 * covered_frac 0. */
struct workload_stats {
	double covered_frac;                /* of the work's GPU time with a valid utilisation */
	double util_mean_pct, util_p95_pct; /* over all its GPUs and time */
	double active_util_mean_pct;        /* over the readings above the idle bound */
	double idle_frac;                   /* of the readings: at or below the idle bound */
	double sm_mean_frac, tensor_mean_frac, dram_mean_frac, occupancy_mean_frac,
		pcie_mean_bytes_s, cpu_mean_pct, power_mean_w;
	/* at or below the idle bound, NAN; part of its GPU time with a power reading */
	double power_idle_w, power_frac;
	/* its part of what its GPUs were read to take, and of the time of these readings, by its
	 * share of each GPU (fleet_power.h): the works of a GPU have together what was read of
	 * it */
	double energy_j, energy_ms;
	double mem_p99_bytes; /* of its fullest GPU */
	double mem_peak_bytes, mem_total_bytes;
	/* seen in telemetry; of these, with work in more than 1 % of the readings (and at least 2
	 * of them) */
	int gpus, gpus_used;
	/* of the readings of the GPUs not in use: above the idle bound; NAN where all are in
	 * use */
	double spare_active_frac;
	/* GPUs that it needs: work above GPU_FLOOR_PCT for two readings or 30 s, or memory that
	 * lies there: GPU_HELD_BYTES or more */
	int gpus_needed;
	/* the same by work alone; and when the last of them began to, an instant */
	int gpus_worked;
	int64_t all_worked_ms;
	/* of the GPUs that worked, from its start to the last work: what its speed depends on */
	double work_util_mean_pct;
	double cpu_peak_pct; /* of its machine */
	/* the fullest GPU's memory never moved from its first reading on, NAN; of its size */
	double mem_flat_frac;
	double step_ms; /* of the coarsest reading, NAN */
	/* end of the last reading with work on a GPU, or on the CPUs of a machine of its own */
	int64_t last_active_ms;
	/* instants: first reading above the idle bound, end of the last one */
	int64_t first_busy_ms, last_busy_ms;
	const uint32_t *util_hist; /* [101] readings by whole percent, or NULL */
};

struct workload {
	enum workload_kind kind;
	enum kind line_kind; /* of WORKLOAD_LINE */
	const char *job, *name, *user, *team, *project, *env, *workload, *cluster, *node, *currency,
		*service;
	const char *provider, *region, *zone, *instance_type, *gpu_model, *purchase;
	const char *namespace_; /* of Kubernetes; "" = not told */
	const char *queue;      /* partition of Slurm; "" = not told */
	enum controller controller;
	const char *resource;   /* id: of a line where the bill names one, else of its machine */
	bool several_resources; /* of a line: its name is that of more than one, `resource` is "" */
	/* of its machine, by the labels on the bill; NULL = not known */
	const char *node_pool, *pool_cluster;
	bool notebook;
	/* all attempts together, not cut to the window; UNKNOWN_MS */
	int64_t submit_ms, start_ms, end_ms;
	int64_t held_ms;       /* from start to end without the time between attempts */
	int64_t last_start_ms; /* of its last attempt */
	int64_t longer_ago_ms; /* the longest attempt before that; 0: it had one */
	int64_t limit_ms;      /* booked time, UNKNOWN_MS */
	/* when it must be done: see fleet_load(); UNKNOWN_MS for services, free time, lines */
	int64_t deadline_ms;
	int attempts;
	/* 1 yes, 0 no, -1 not known: the owner's word, manifests, a restore drill */
	int checkpointable;
	const struct drill *drill; /* that says so (plan/proof/drill.h); NULL */
	const char *end_state;     /* "COMPLETED", "FAILED", ... */
	int64_t gpus_milli;        /* GPUs held (share applied); of free time: GPUs of the node */
	enum share_kind share_kind;
	/* the machine can be given back (on_demand, spot); else its cost stays when nobody uses
	 * it */
	bool elastic;
	/* in the window */
	int64_t ms, cost_nano, unpriced_ms, measured_ms;
	int64_t assumed_ms; /* of time of nobody: only a list that may be partial says so */
	/* GPU time that the catalogue priced; and of a bill's lines that have both, what was paid
	 * and their list price */
	int64_t catalog_ms, paid_nano, list_nano;
	int64_t state_ms[STATE_N], state_nano[STATE_N], cause_nano[CAUSE_N];
	size_t hour0, nhour; /* its hours in fleet.hour, in order of time */
	size_t node_index;   /* in fleet.node, SIZE_MAX */
	size_t job_index;    /* in fleet.job, SIZE_MAX */
	/* jobs or readings tell of its machine until then, a whole hour; 0: never, or to the end
	 * of the window */
	int64_t told_ms;
	struct workload_stats stats;
};

/* Has some of its time, or the line, an amount? Else what it costs is not known, and is no 0. */
static inline bool workload_is_priced(const struct workload *w)
{
	return w->kind == WORKLOAD_LINE || w->cost_nano || w->unpriced_ms < w->ms;
}

/* A job of a list, all its machines and attempts, not cut to the window. */
struct fleet_job {
	/* that it held GPUs, without the time between attempts; its longest attempt */
	int64_t held_ms, longest_ms;
	/* of all attempts, from the submit, or the end of the one before, to the start: UNKNOWN_MS
	 * where no submit is told */
	int64_t wait_ms;
	/* GPUs x time of these; 0 where the list does not say how many */
	int64_t held_gpu_ms, wait_gpu_ms;
	const char *end_state; /* of the attempt that ended last; "" */
	int attempts;          /* on whatever machines; those that ran at once are one */
	size_t workloads;      /* in fleet.workload */
};

struct fleet_node { /* a paid interval of a machine */
	const char *node, *cluster, *provider, *region, *zone, *instance_type, *gpu_model,
		*purchase, *currency;
	const char *resource;               /* its id in the cloud; "" or NULL = not known */
	int64_t gpus_milli, from_ms, to_ms; /* cut to the window */
	bool elastic;
	bool gone; /* the machine was given back permanently: what it cost is no cost of today */
	int64_t cost_nano, ms; /* of its GPU time in the window */
	double told_nano_hour; /* price of the whole machine, of the node list; NAN */
	double vcpu, ram_gib;  /* of the node list, else of the instance type; NAN */
	bool host_told;        /* by the node list */
	bool unrecorded; /* known by its workloads alone: it may have more GPUs than they held */
};

struct fleet_host {
	/* what a job holds of its machine beside its GPUs; of all jobs with a machine, where the
	 * job list says it of any */
	size_t workload; /* in fleet.workload */
	const char *node;
	int64_t submit_ms;                                      /* UNKNOWN_MS */
	int64_t from_ms, to_ms, gpus_milli, cpu_milli, ram_mib; /* 0 = not known */
};

/* What jobs ask of one machine, equal ones once: of all jobs, with a machine or without. */
struct fleet_ask {
	const char *cluster;
	int64_t gpus_milli, cpu_milli, ram_mib; /* 0 = not known */
	bool part;                              /* of a GPU */
	int64_t jobs, gpu_ms;
};

/* Jobs that hold no GPU were on a machine: who stops it would end them. */
struct fleet_present {
	const char *node;
	struct idle_span span; /* cut to the window */
};

struct fleet_minute {
	int64_t t_ms, count, ok;
	double p50_ms, p95_ms, p99_ms;
}; /* latencies NAN */
struct fleet_service {
	const char *service;
	size_t min0, nmin; /* in fleet.minute, in order of time */
	int64_t requests;
	/* of the log, as its stamps show it: what is counted in one row; UNKNOWN_MS where rows are
	 * too few or too far apart to tell */
	int64_t step_ms;
	int days; /* with a row in them */
};

struct fleet_point {
	int64_t step, t_ms; /* t UNKNOWN_MS */
	double value;
};
/* A metric of a training run. */
struct fleet_curve {
	const char *run, *metric;
	const char *config; /* what the run was started with; "" = not told */
	const char *job;    /* of the works that made it; "" = none that is known */
	enum better better; /* as told */
	/* in fleet.point, by step: no more than 1,025. Of a longer curve the first, every
	 * `every`-th behind it (a power of 2; 1: all) and the last */
	size_t point0, npoint, every;
	double low, high; /* of all its points */
};

/* A GPU as the readings show it, whoever held it. */
struct fleet_gpu {
	const char *node, *gpu, *gpu_model;
	int64_t n; /* readings of its use */
	/* time of these; at or below the idle bound; in use below the bound of half-used */
	int64_t ms, idle_ms, under_ms;
	double util_mean_pct, util_high_pct;    /* by time; the 99th percentile; NAN: none */
	double mem_peak_bytes, mem_total_bytes; /* NAN: not told */
};
struct fleet_gpus_hour { /* of all GPUs */
	int64_t hour_ms, ms, idle_ms;
	/* read in it; with use above the idle bound, the most at one instant */
	int gpus, worked;
};
#define FLEET_LOAD_MS (5 * 60000LL) /* use is added up over intervals of so long */

/* The "currency" of a fleet of which nothing has a price: an amount is a time in GPU-hours. */
#define FLEET_GPU_HOURS "GPU·h"

/* What is charged in a currency that the fleet is not planned in: in none of its workloads. */
struct fleet_other {
	const char *currency;
	int64_t gpu_ms;
	__int128 nano;
};

struct fleet {
	struct arena mem;
	struct intern text;
	/* the one planned in: that with the largest sum; the rest is in `other` */
	const char *currency;
	VEC(struct fleet_other) other;
	bool in_gpu_hours;          /* nothing has a price: currency is FLEET_GPU_HOURS */
	int64_t since_ms, until_ms; /* the window: of the data where it was left open */
	int64_t bill_since_ms; /* before it was cut to what is known: bills alone tell of all */
	/* what is covered of it, where its first or last hour is not all of it; 0: all */
	int64_t covered_ms;
	bool last_in_part; /* of its last hour only a part is covered */
	int64_t data_from_ms, data_to_ms;
	VEC(struct workload) workload;
	VEC(struct workload_hour) hour;
	VEC(struct fleet_node) node;
	VEC(struct fleet_minute) minute;
	VEC(struct fleet_service) service;
	VEC(struct fleet_job) job; /* none of a slice */
	VEC(struct fleet_host) host;
	VEC(struct fleet_ask) ask;
	VEC(struct fleet_present) present; /* by node and start */
	VEC(struct fleet_gpu) gpu;         /* with readings; those of a slice are none */
	struct fleet_gpus_hour *gpus_hour; /* [ngpus_hour] of the window, each hour */
	size_t ngpus_hour;
	double under_pct; /* the bound of half-used */
	double peak_gpus; /* use of all GPUs together, in GPUs, in the busiest five minutes ... */
	int64_t peak_ms;  /* ... from here on */
	int64_t readings, allocations; /* rows in the window */
	VEC(struct fleet_curve) curve; /* by run; those of a slice are none */
	VEC(struct fleet_point) point;
	int64_t cost_nano; /* sum of all workloads */
	int64_t gpu_ms, unknown_ms, unpriced_ms, measured_ms;
	struct own_rates own_rates; /* what is paid of list */
	struct bill_seen *bill;     /* plan/alone/bill_seen.h; NULL: no bill, or a slice */
	struct exchange exchange;   /* the rates that were imported */
	/* sentences: what could not be used and why (other currencies, jobs longer than the
	 * history, ...) */
	struct text_list note;
	/* the same with the amounts as they were recorded, where these are of how it is now
	 * (alone/level.h): workloads and nodes have the same numbers; in mem. NULL: these are it */
	const struct fleet *past;
};

struct fleet_opt {
	const struct conf *conf;
	const struct catalog *catalog;
	int64_t since_ms, until_ms; /* INT64_MIN, INT64_MAX = the ledger's span */
	/* of the run time, where nothing better is known; default 0.25 */
	double deadline_slack_frac;
	void (*progress)(void *ctx, const char *label, int64_t rows);
	void *progress_ctx;
};
/*
 * A job's deadline: start + the larger of its booked time and run time x (1 + slack). Returns 0;
 * -ENODATA with a hint when the ledger is empty in the window; errors of the store. One pass over
 * the entries and one over the samples of the window.
 */
int fleet_load(struct store *s, const struct fleet_opt *o, struct fleet *ret, struct err *err);
void fleet_free(struct fleet *f);
/* The time that its amounts are of, for what they come to a month: the window, of whose first and
 * last hour only what any machine or work was there for. */
int64_t fleet_span_ms(const struct fleet *f);
/* Sets covered_ms and last_in_part: when works and nodes are all in. O(works + nodes). */
void fleet_cover(struct fleet *f);
/* Sets told_ms of all workloads. O(hours of all workloads). */
void fleet_find_told(struct fleet *f);
/* As it was recorded: what looks back, at what was lost or not used, reads this. */
static inline const struct fleet *fleet_past(const struct fleet *f)
{
	if (f->past)
		return f->past;
	return f;
}
/* What of a workload's cost, as it was recorded, is not its own now. */
static inline int64_t fleet_moved_nano(const struct fleet *f, size_t workload)
{
	return fleet_past(f)->workload.v[workload].cost_nano - f->workload.v[workload].cost_nano;
}
/* Until when the hours of the window are covered in whole. */
static inline int64_t fleet_whole_until(const struct fleet *f)
{
	if (f->last_in_part && f->until_ms - MS_HOUR > f->since_ms)
		return f->until_ms - MS_HOUR;
	return f->until_ms;
}
/* A silence at the window's end of up to so long is a source that ended earlier than another; what
 * is longer is time of which nobody knows: 1 % of the window, as machines that are to be stopped
 * are watched over 99 % of it. */
static inline int64_t fleet_tail_ms(const struct fleet *f)
{
	return max_i64((f->until_ms - f->since_ms) / 100, MS_HOUR);
}
/* How far what is known of its machine reaches: sources end at different times, and a machine is
 * judged by its own. */
static inline int64_t fleet_told_until(const struct fleet *f, const struct workload *w)
{
	if (w->told_ms && w->told_ms < f->until_ms)
		return w->told_ms;
	return f->until_ms;
}
/* Time of nobody that begins where that ends: of who is on the machine it says nothing. */
static inline bool fleet_is_after_told(const struct fleet *f, const struct workload *w)
{
	bool nobody = w->kind == WORKLOAD_UNKNOWN || (w->kind == WORKLOAD_JOB && !*w->job);

	return nobody && w->told_ms && w->nhour &&
	       f->hour.v[w->hour0].hour_ms + MS_HOUR >= w->told_ms;
}
/* An hour of which nobody knows for so long that its machine might have been taken, used and given
 * back again; missing readings between idle ones are not that. release_ms: after that time idle it
 * is given back. */
static inline bool fleet_is_dark(const struct fleet *f, const struct workload *w,
				 const struct workload_hour *h, int64_t release_ms)
{
	int64_t gpus_milli = w->gpus_milli;

	if (w->node_index != SIZE_MAX)
		gpus_milli = f->node.v[w->node_index].gpus_milli;
	return h->ms * 1000 >= release_ms * gpus_milli;
}
/* The first of a machine in present[], and whether the k-th still is; O(log n). */
size_t fleet_present_first(const struct fleet *f, const char *node);
bool fleet_present_is(const struct fleet *f, size_t k, const char *node);
/* Was a job without GPUs on it after since_ms? */
bool fleet_present_since(const struct fleet *f, const char *node, int64_t since_ms);
/* The job of a workload; NULL: no list tells of it. */
static inline const struct fleet_job *fleet_job_of(const struct fleet *f, const struct workload *w)
{
	if (w->job_index < f->job.n && f->job.v[w->job_index].held_ms != UNKNOWN_MS)
		return &f->job.v[w->job_index];
	return NULL;
}
/* The part of f in [from, to): works cut by their hours, costs likewise (statistics stay those of
 * the whole work). For back-tests. */
void fleet_slice(const struct fleet *f, int64_t from_ms, int64_t to_ms, struct fleet *ret);
/* step_ms and days of a service whose minutes are in the fleet. O(n log n). */
void fleet_log_measure(const struct fleet *f, struct fleet_service *s);
/* The log of a service by its interned name; NULL: none, or no request in it. */
const struct fleet_service *fleet_log_of(const struct fleet *f, const char *service);
/* Minutes from the first row to the last, those without one too. */
double fleet_log_minutes(const struct fleet *f, const struct fleet_service *s);
/* GPUs' worth of work in its highest minute, where its requests keep busy_gpus busy in the
 * mean. */
double fleet_log_peak(const struct fleet *f, const struct fleet_service *s, double busy_gpus);

/* Where a price comes from, the nearest to the customer first. */
enum rate_basis {
	RATE_YOURS,    /* a price file of the customer's */
	RATE_CONTRACT, /* the catalogue's, times what is paid of list for its family (own_rate.h) */
	RATE_LIST,     /* the catalogue's list price */
	RATE_MARKET,   /* what a market asks: spot, capacity blocks; nobody has a discount on it */
	RATE_BASIS_N
};
/*
 * What one GPU costs an hour, in nano-units of the fleet's currency, at the instant; effective over
 * the term for commitments.
 */
struct rate {
	int64_t nano_gpu_hour;
	const char *instance_type, *term, *source; /* of the catalogue */
	int64_t gpus_milli;                        /* of that type */
	int64_t as_of_ms;
	int64_t upfront_nano_gpu; /* for the term */
	/* measured: a listed price; estimated: advised or inferred */
	enum quality quality;
	int interruption_lo_pct, interruption_hi_pct;
	enum rate_basis basis;
	double factor;              /* of the catalogue's price, in its own currency; 1: as it is */
	const char *price_currency; /* of the catalogue's price */
};
/* Rows that somebody advises or infers are no list: estimated. */
enum quality price_row_quality(const struct price_row *p);

/* What a price of the catalogue is to the fleet's customer: times factor, in its currency. */
struct rate_scale {
	double factor;
	enum rate_basis basis;
};
/*
 * fleet NULL: prices in USD, as they are listed. false: it is in another currency, and neither an
 * own rate of its family nor an exchange rate says what it is in the fleet's. now_ms: the newest
 * exchange rate up to then is taken.
 */
bool fleet_rate_scale(const struct fleet *f, const struct price_row *p, int64_t now_ms,
		      struct rate_scale *ret);
/*
 * What a dollar of the settings is in the fleet's currency, by the newest exchange rate up to
 * now_ms; 1 for a fleet in dollars. NAN: no rate is known.
 */
double fleet_usd(const struct fleet *f, int64_t now_ms);
/*
 * The catalogue puts a price of the customer's own before others of its currency alone. Drops from
 * row[n], of any currency and all in force, what an own price speaks for: same machine, place, way
 * to buy and term (an own one without a term: any), where it can be said in the fleet's currency.
 * The new n; the order stays. O(n x own rows).
 */
size_t fleet_rates_yours(const struct fleet *f, struct price_row *row, size_t n, int64_t now_ms);
/* "", "list price", "0.800 of list, as the bill has it", ...; of a fleet in currency. Text in
 * mem. */
const char *rate_says(struct arena *mem, const char *currency, const struct rate_scale *s,
		      const char *price_currency);

struct price_ask {
	const struct catalog *catalog;
	const struct fleet *fleet; /* whose customer asks; NULL: list prices in USD */
	const char *provider, *region, *zone;
	/* NULL or "": the cheapest type with that model and count at that place */
	const char *instance_type;
	const char *gpu_model, *purchase;
	int64_t gpus_milli; /* 0 = any number of whole ones */
	int64_t at_ms;
};
/*
 * The one place where a plan asks what a machine costs that it does not see paid. Of several prices
 * the customer's own files win, then the cheapest. false: no price is known, or none that can be
 * said in the fleet's currency.
 */
bool fleet_rate(const struct price_ask *q, struct rate *ret);

#endif
