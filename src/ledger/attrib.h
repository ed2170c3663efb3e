#ifndef TARE_LEDGER_ATTRIB_H
#define TARE_LEDGER_ATTRIB_H
/*
 * Attribution: samples + allocations + paid time -> closed entries (docs/LEDGER.md). Pure: no
 * clock, file or store.
 *
 * attrib_gpu()   one physical GPU whose allocations name it
 * attrib_pool()  GPUs x time of a node or (cluster, model) whose allocations do not name GPUs
 *
 * Both work hour by hour in one pass over their inputs; memory is that of one hour. Per hour the
 * milliseconds of all entries add to the milliseconds paid, and their nano amounts to the hour's
 * amount rounded half-even; this is asserted.
 */
#include "base/err.h"
#include "base/setting.h"
#include "ledger/share.h"
#include "model/model.h"

struct attrib_conf {
	double idle_util_pct;      /* at or below: idle; default 0 */
	double underused_util_pct; /* below: underused; default 25 */
	double empty_bytes;        /* default 500 MiB */
	double empty_frac;         /* of the GPU; default 0.01 */
	/* SM activity at or below which "busy" is contradicted; default 0.01 */
	double stalled_sm_frac;
	double stalled_power_frac_tdp; /* power at or below which it is; default 0.22 */
	bool mig_share_by_memory;      /* for share_geom_of() */
	/* idle_held this long at the end of an allocation is "finished"; default 1800 */
	double finished_after_s;
};
/* the section `thresholds:` of the settings, into a struct attrib_conf */
extern const struct setting attrib_settings[];
void attrib_conf_default(struct attrib_conf *c);

/* An interval of paid time of one GPU (pool: of all its GPUs), with one price. In time order, not
 * overlapping. */
struct attrib_paid {
	int64_t from_ms, to_ms;
	/* pool: GPUs paid in this interval; GPU: 1000, or less for a fractional GPU */
	int64_t gpus_milli;
	/* pool: false = what is not allocated is not known to have been paid */
	bool gpus_known;
	struct sv purchase, currency;
	/* assumed when the interval was taken from an allocation or sample */
	enum quality quality;
	/* Per basis either a rate per GPU and hour, or the exact nano amount of this interval
	 * (which then lies within one hour), or neither. */
	bool has_rate[BASIS_N], has_amount[BASIS_N];
	dec rate_gpu_hour[BASIS_N];
	int64_t amount_nano[BASIS_N];
	/* a node record or bill covers it: unheld time is what unheld_state says; else it does not
	 * exist */
	bool recorded;
	/* what unheld time is where no reading tells: STATE_UNALLOCATED where somebody would have
	 * seen an owner, else STATE_UNKNOWN; and how sure that is */
	enum state unheld_state;
	enum cause unheld_cause;
	enum quality unheld_quality;
	/* owner of unheld time (bill tags of the resource); ATTRIB_NOBODY */
	size_t owner;
	/* the caller's: entries of intervals with different tags are kept apart and carry it */
	int tag;
};
#define ATTRIB_NOBODY ((size_t)-1)

/* What unheld time of a recorded GPU is by an agent that watched it: instead of what the paid
 * interval says. In time order, not overlapping. */
struct attrib_told {
	int64_t from_ms, to_ms;
	enum state state; /* STATE_UNALLOCATED or STATE_UNKNOWN */
	enum cause cause;
};

struct attrib_alloc {
	int64_t from_ms, to_ms;
	size_t owner;       /* the caller's index, handed back in entries */
	int64_t gpus_milli; /* pool: GPUs held; GPU: ignored */
	enum share_kind share_kind;
	int64_t share_ppb; /* declared share of a GPU, -1 = equal among the undeclared */
	int mig_compute, mig_memory, mig_start; /* MIG: slices and place, start -1 = not known */
	/* pool: slices of the whole GPU, 0 = 7 and 8 (a GPU: those of struct attrib_gpu) */
	int mig_gpu_compute, mig_gpu_memory;
	struct sv mig;    /* MIG id as samples name it, or {NULL,0} */
	struct sv job_id; /* to match samples that name a job */
	/* another name of the job that samples may have: the number Slurm gives the element
	 * "1234_7" of an array, a pod's bare name */
	struct sv job_alias;
	/* STATE_LOST or STATE_OVERHEAD wins over telemetry; else STATE_NONE */
	enum state end_state;
	enum cause end_cause;
	/* which of several GPUs it holds is not known, and they read differently: readings of the
	 * GPU are not taken for its own */
	bool doubt;
	bool notebook, service; /* evidence for the cause of idle_held */
	enum quality quality;
};

/* The next sample in time order: 1, 0 at the end, negative. mig and job_id: {NULL,0} = of the whole
 * GPU, of nobody in particular. */
struct attrib_sample {
	struct sv mig, job_id;
	/* slices of the instance, where the sample's source tells its profile; else 0 */
	int mig_compute, mig_memory;
	/* owner of the job named by the sample when no allocation matches; ATTRIB_NOBODY */
	size_t owner;
	const struct sample *s;
};
typedef int attrib_next_fn(void *ctx, struct attrib_sample *ret, struct err *err);

/*
 * Does a reading that names this MIG instance, job or both speak for this allocation, while that
 * lasts? What both name must be the same, and one name at least both must have. A reading that
 * names neither is of the whole GPU, and of whoever holds it.
 */
bool attrib_reads(const struct attrib_alloc *a, struct sv mig, struct sv job);

struct attrib_entry {
	int64_t hour_ms;
	size_t owner; /* ATTRIB_NOBODY: nobody */
	enum state state;
	enum cause cause;
	enum quality quality;
	struct sv purchase, currency;
	int tag;               /* of the paid interval */
	int64_t ms, util_ms;   /* util_ms UNKNOWN_I64 */
	int64_t nano[BASIS_N]; /* UNKNOWN_NANO */
};
typedef int attrib_emit_fn(void *ctx, const struct attrib_entry *e, struct err *err);

/* What rounding left: exact minus booked. price(10^-12 per hour) x ms, so / 3,600,000 gives 10^-12
 * of the currency. */
struct attrib_rest {
	/* the caller sets hour and hour_ctx (or zeroes the struct); the rest is written */
	__int128 pico_ms[BASIS_N];
	/* and this many 1/SHARE_ONE of a pico_ms more (>= 0): only odd shares of unrecorded
	 * GPUs leave any */
	int64_t pico_ms_part[BASIS_N];
	struct sv currency; /* of the rest; intervals with another currency are -EINVAL */
	/* the caller's: what is counted below is of this time; both 0: of all of it */
	int64_t counted_from_ms, counted_to_ms;
	/* time in which shares added to more than the GPU and were scaled */
	int64_t oversubscribed_ms;
	/* Set by the caller before the call, or NULL: called once per hour with that hour's part of
	 * pico_ms, for windows and partial rebuilds, and with what its entries have from rates. */
	void (*hour)(void *ctx, int64_t hour_ms, const __int128 pico_ms[BASIS_N],
		     const int64_t rated_nano[BASIS_N]);
	void *hour_ctx;
	/* allocated while the GPU was recorded but not paid: a finding, no entry (pool:
	 * GPU-milliseconds) */
	int64_t unpaid_alloc_ms;
};

struct attrib_gpu {
	const struct attrib_paid *paid;
	size_t npaid;
	const struct attrib_alloc *alloc;
	size_t nalloc; /* by from */
	const struct attrib_told *told;
	size_t ntold;
	double mem_total_bytes, tdp_w; /* of the model, NAN = not known; readings win */
	struct share_geom geom;
};

/* What comes of it: entries, one by one, and what rounding left of them. */
struct attrib_out {
	attrib_emit_fn *emit;
	void *emit_ctx;
	struct attrib_rest *rest;
};

/*
 * A GPU. next may be NULL (no samples). Without any paid interval the allocations' and samples' own
 * intervals count as paid: pass them as intervals with recorded = false. Throughput: millions of
 * samples per second and core; O(allocations of the GPU) memory.
 */
int attrib_gpu(const struct attrib_conf *conf, const struct attrib_gpu *g, attrib_next_fn *next,
	       void *next_ctx, const struct attrib_out *out, struct err *err);

/* What readings of the pool's GPUs say of its time, whoever held it: GPU-ms of one kind in a paid
 * interval. */
struct attrib_seen {
	size_t paid; /* number of the interval */
	/* ATTRIB_NOBODY; else of a job that its readings name and no allocation knows */
	size_t owner;
	enum state state;
	enum cause cause;
	enum quality quality;
	int64_t ms, util_ms; /* util_ms UNKNOWN_I64 */
};

struct attrib_pool {
	const struct attrib_paid *paid;
	size_t npaid;
	const struct attrib_alloc *alloc;
	size_t nalloc;
	/* by attrib_seen_cmp(), each kind once; of intervals that lie within an hour and in which
	 * no allocation begins or ends */
	const struct attrib_seen *seen;
	size_t nseen;
};
/* By interval; then in the order in which those take it who hold GPUs and name none: work that was
 * read, as far as it goes, then GPUs that read as empty, and those of others last. */
int attrib_seen_cmp(const void *a, const void *b);
/*
 * A pool. What is held is `unknown` unless end_state says otherwise: which GPUs it is on is not
 * known, so readings tell only what the time is that is left.
 */
int attrib_pool(const struct attrib_conf *conf, const struct attrib_pool *of,
		const struct attrib_out *out, struct err *err);

#endif
