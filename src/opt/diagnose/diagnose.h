#ifndef TARE_OPT_DIAGNOSE_DIAGNOSE_H
#define TARE_OPT_DIAGNOSE_DIAGNOSE_H
/*
 * Why is a GPU used so little? From a window of readings of one device, or of the devices of one
 * job, the causes: what says so, how sure it is, what to change, and which share of the time it
 * costs. Pure: no clock, no file; the method stands in diagnose.c. A cause whose signals are not
 * there is never guessed: the answer is then DIAG_UNKNOWN with the signals that are missing.
 *
 *   struct diag_step step[60]; // one a second; after diag_step_init() everything is unknown
 *   struct diag_dev dev = { .step = step, .n = 60 };
 *   struct diag_result r;
 *   diag_facts_init(&dev.facts);
 *   ... // fill in what is known
 *   diag_run(&dev, 1, &r);
 *   for (int i = 0; i < r.n; i++)
 *           printf("%s: %s\n", diag_cause_name(r.finding[i].cause),
 *                  diag_change(r.finding[i].cause));
 */
#include <stdbool.h>
#include "base/str.h"
#include "model/model.h"

enum diag_cause {
	DIAG_SMALL_BATCH, /* kernels that fill a part of the GPU */
	DIAG_CPU,         /* waits for preprocessing: processors are busy */
	/* waits for data: processors are not busy either (disk, network, lock) */
	DIAG_LOADER,
	DIAG_BANDWIDTH,   /* memory bandwidth is the limit, not arithmetic */
	DIAG_PCIE,        /* copies from the host */
	DIAG_CONCURRENCY, /* a server takes fewer requests at a time than the GPU could */
	DIAG_CHECKPOINT,  /* regular pauses in which state is written */
	DIAG_LAUNCH,      /* kernels so short that the host cannot start them fast enough */
	DIAG_COMM,        /* waits for other GPUs: collectives */
	DIAG_THERMAL,
	DIAG_POWER,     /* clocks held back by heat; by the power limit */
	DIAG_STRAGGLER, /* one GPU of several makes the others wait, or has less to do */
	DIAG_HUNG,      /* claims 100 % and does nothing */
	/* a server with fewer requests than it could take: nothing is slow, there is too much
	 * GPU */
	DIAG_LOW_LOAD,
	DIAG_N
};
enum diag_verdict {
	DIAG_HEALTHY, /* enough signals, none of the causes */
	DIAG_FOUND,
	DIAG_IDLE,    /* nothing ran in the window */
	DIAG_UNKNOWN, /* not enough signals: ret->missing */
	DIAG_VERDICT_N
};

/* Readings beside those of enum metric. Rates and counts over the step; NAN = not known. */
enum diag_extra {
	DIAG_X_MAIN_CPU_PCT, /* the busiest process that uses the GPU, 100 = one processor */
	/* sum of its processes that do not use the GPU, 100 = one processor; 0 = there are none */
	DIAG_X_LOADER_CPU_PCT,
	DIAG_X_LOADERS,      /* how many of those run */
	DIAG_X_HOST_CPU_PCT, /* of the machine, or of the processors the job may use, 0..100 */
	/* of the job's processes, else of the machine */
	DIAG_X_DISK_READ_BYTES_S,
	DIAG_X_DISK_WRITE_BYTES_S,
	DIAG_X_STEP_S,  /* time of a training step, as the program tells it */
	DIAG_X_QUEUE,   /* serving: requests that wait */
	DIAG_X_RUNNING, /* serving: requests being worked on */
	DIAG_X_BATCH,   /* serving: mean batch size */
	DIAG_X_N
};
struct diag_step { /* [t, t + step) */
	int64_t t_ms;
	int32_t step_ms;
	/* METRIC_CPU_UTIL_PCT is used as the machine's where DIAG_X_HOST_CPU_PCT is missing */
	double value[METRIC_N];
	double extra[DIAG_X_N];
};
void diag_step_init(struct diag_step *s);       /* all NAN */
const char *diag_extra_name(enum diag_extra x); /* "loader_cpu_pct" */

struct diag_facts {                  /* of the device; NAN = not known */
	double tdp_w, power_limit_w; /* the board's, and what is enforced now */
	double mem_total_bytes;
	double pcie_bytes_s, nvlink_bytes_s; /* peak of one direction; all links together */
	double nic_bytes_s;                  /* peak of the machine's network, one direction */
	double sm_clock_max_mhz, temp_slowdown_celsius;
	double cpus;                   /* processors the job may use */
	double running_max, batch_max; /* serving: the server's limits */
	/* what it is, where that is known (both false: not known) */
	bool serving, training;
};
void diag_facts_init(struct diag_facts *f); /* all NAN */

struct diag_dev {
	struct diag_facts facts;
	const struct diag_step *step; /* [n] in the order of time */
	size_t n;
};

struct diag_evidence {
	const char *metric;  /* "gpu_util_pct", "pcie_rx_frac" ... static text */
	double value, limit; /* limit: what it was held against */
	/* value is above the limit (else below) and that speaks for the cause */
	bool above;
};
#define DIAG_EVIDENCE 5
#define DIAG_FINDINGS 4
struct diag_finding {
	enum diag_cause cause;
	int dev;           /* position of the device it is about, -1 = all of them */
	double confidence; /* 0.5..1 */
	double time_frac;  /* of the window: how long it was so */
	/* of the devices' time: what would come back without it; what it costs */
	double lost_frac;
	struct diag_evidence evidence[DIAG_EVIDENCE];
	int nevidence;
};
#define DIAG_MISSING 6
struct diag_result {
	enum diag_verdict verdict;
	struct diag_finding finding[DIAG_FINDINGS]; /* [n] most telling first */
	int n;
	/* [nmissing] names of metrics that would decide what is open, also where something was
	 * found; static */
	const char *missing[DIAG_MISSING];
	int nmissing;
	int64_t window_ms; /* time the readings cover */
	double util_pct;   /* mean over devices, NAN */
};

/*
 * ndev devices of one job over one window (60 s at the least for a verdict; windows of 5 to 15
 * minutes see pauses). Always answers. O(readings), allocates nothing. Readings of different
 * devices need not be aligned.
 */
void diag_run(const struct diag_dev *dev, size_t ndev, struct diag_result *ret);

const char *diag_cause_name(enum diag_cause c);     /* "small_batch" */
const char *diag_cause_title(enum diag_cause c);    /* "batch too small" */
const char *diag_change(enum diag_cause c);         /* a sentence: what to change */
const char *diag_verdict_name(enum diag_verdict v); /* "healthy" "found" "idle" "unknown" */
/* The ledger's word for it: CAUSE_INPUT, ...; CAUSE_UNKNOWN where the ledger has none. */
enum cause diag_ledger_cause(enum diag_cause c);
/* What it costs a day: lost_frac x devices x 24 h x rate. NAN where the rate is. For display
 * through dec. */
double diag_cost_day(const struct diag_finding *f, size_t ndev, double usd_gpu_hour);
/* "gpu_util_pct 31.2 < 60, loader_cpu_pct 98 > 85": one line of the evidence. */
void diag_evidence_text(const struct diag_finding *f, struct str *out);

#endif
