#ifndef TARE_PROFILE_PROFILE_H
#define TARE_PROFILE_PROFILE_H
/*
 * What a command did with the GPUs of this machine: readings of each device from its start to its
 * end (profile_run.c takes them, profile_file.c keeps and reads them again), and what they say
 * (profile_stats.c, profile_verdict.c; both pure).
 *
 * A device is the command's where one of its processes was on it. Where the driver names no process
 * of it (another pid namespace, a recording), the devices that it may see and that moved while it
 * ran stand in for them, and `how` says so.
 */
#include "watch/watch.h"
#include "opt/diagnose/diagnose.h"

/* held per device; more are merged two and two (4.5 h at 1 s, then steps of 2 s, and so on): some 5
 * MB */
#define PROFILE_MOST_STEPS 16384

enum profile_how { PROFILE_NOT, PROFILE_BY_PROCESS, PROFILE_BY_VISIBLE, PROFILE_BY_CHANGE };
const char *profile_how_name(enum profile_how h); /* "" "process" "visible" "change" */

struct profile_dev {
	/* model: the catalogue's, "" = not in it */
	char uuid[96], name[96], model[64], mig_profile[24];
	int index;
	bool is_mig;
	int64_t share_ppb; /* of the physical GPU: 10^9, less for an instance */
	struct diag_facts facts;
	enum profile_how how;
	int64_t first_ms, last_ms; /* of the command on it; UNKNOWN_MS = never */
	int64_t shared_ms;         /* of that time: another's process was on it too */
	double mem_start_bytes;    /* before the command; NAN */
	bool busy_before;          /* something ran on it before the command */
	/* the GPU's counter at the first and last reading; NAN */
	double energy_start_j, energy_end_j;
	double peak[METRIC_N]; /* of every reading; NAN */
	/* in time order; extra of diagnose.h filled in */
	struct {
		struct diag_step *v;
		size_t n, cap;
	} step;
	struct diag_step last; /* the one added last, as it was given */
};

struct profile_host_step {
	int64_t t_ms;
	int32_t step_ms;
	float cmd_cpu_pct;  /* of the command, 100 = one processor */
	float host_cpu_pct; /* of all processors, 0..100 */
	float rss_bytes, disk_read_bytes_s, disk_write_bytes_s;
	float procs;
};

struct profile {
	struct arena mem;
	/* command: as one line, fit to be printed; driver, problem: of the feed, may be NULL */
	const char *id, *command, *node, *driver, *problem;
	/* NULL = not known; workload: the ledger's word (training, inference ...) */
	const char *user, *team, *project, *env, *workload, *job;
	/* why the inference server told nothing at the end; NULL = it did, or none was named. Not
	 * kept in files */
	const char *serving_why;
	const char *work; /* what --workload named it, "bert-large"; NULL */
	int64_t start_ms, end_ms, interval_ms;
	/* time that no reading covers: the machine slept, or was too busy */
	int64_t gap_ms;
	/* as the shell has it: 128 + n for a signal; -1 = it was running still when this was
	 * written */
	int exit_code;
	int64_t steps;          /* as told, UNKNOWN_I64 */
	int cpus, cpus_allowed; /* of the machine; what the command may use */
	double cpu_s, rss_peak_bytes;
	int64_t procs_seen, procs_left; /* left: still running at its end */
	struct watch_rate rate;
	/* [ndev] all that were seen; the command's have how != PROFILE_NOT */
	struct profile_dev *dev;
	size_t ndev;
	VEC(struct profile_host_step) host;
	struct profile_host_step host_last; /* the one added last, as it was given */
	bool merged;                        /* steps were merged */
};
void profile_free(struct profile *p);
/* the one with this identity, new ones are added */
struct profile_dev *profile_dev_of(struct profile *p, const char *uuid, int index);
/* merges where there are too many */
void profile_add_step(struct profile *p, struct profile_dev *d, const struct diag_step *s);
void profile_add_host(struct profile *p, const struct profile_host_step *s);

/* ---- what it says ------------------------------------------------------------------------ */

/* weighted by time; NAN without a reading */
struct profile_stat {
	double p50, p95, p99, mean, peak;
	int64_t n;
};
/* value [n], weight [n] > 0, NAN values do not count; quantile: the smallest value that so much of
 * the weight is not above. O(n log n). */
void profile_stat_of(const double *value, const double *weight, size_t n, struct profile_stat *ret);

enum profile_verdict {
	PROFILE_NO_GPU,    /* there is none, or none was used */
	PROFILE_TOO_SHORT, /* fewer than 30 s or 20 readings */
	PROFILE_UNREAD,    /* no utilisation and nothing in its place */
	PROFILE_OVERPROVISIONED,
	PROFILE_UNDERUTILIZED,
	PROFILE_WELL_UTILIZED
};
/* "no_gpu" "too_short" "unread" "overprovisioned" "underutilized" "well_utilized" */
const char *profile_verdict_name(enum profile_verdict v);
enum profile_second { SECOND_NONE, SECOND_SM, SECOND_POWER };
struct profile_judgement {
	enum profile_verdict verdict, by_util; /* by_util: what utilisation alone would say */
	enum profile_second second;            /* the signal beside it */
	bool contradicted;                     /* the second signal lowered it */
	int confidence;                        /* 0 low, 1 medium, 2 high */
	const char *why;                       /* a sentence; in the arena given */
};
/* Means over the command's time on its devices. util in percent, sm 0..1, power over the limit
 * 0..1; NAN = not known. covered_ms: with readings. */
struct profile_judged {
	double util_pct, sm_frac, power_frac, stalled_power_frac;
	int64_t covered_ms, readings;
};
void profile_judge(const struct profile_judged *in, struct arena *a, struct profile_judgement *ret);

#define PROFILE_STATS (METRIC_N + DIAG_X_N)
struct profile_report {
	size_t ndev;                           /* used */
	const struct profile_dev **dev;        /* [ndev] */
	struct profile_stat (*each)[METRIC_N]; /* [ndev] in its time on the device */
	/* over all of them; memory and temperature: of the fullest, the hottest */
	struct profile_stat all[METRIC_N];
	struct profile_stat cmd_cpu, host_cpu; /* cmd: 100 = one processor */
	double energy_j;
	/* measured: the GPU's counter; estimated: power over time */
	enum quality energy_quality;
	double power_limit_w;       /* mean of the devices used; NAN */
	double mem_total_bytes;     /* of the device whose memory is told: the fullest */
	int64_t elapsed_ms, gpu_ms; /* gpu: from the first to the last use of any device */
	int64_t before_ms;          /* from the start to the first use */
	int64_t shared_ms;
	struct profile_judgement judged;
	struct diag_result diag;
	double steps_s; /* over gpu_ms; NAN */
	bool has_cost;
	/* the price of a GPU x the GPUs used, an instance by its share */
	dec cost, cost_hour, cost_1000_steps;
	bool has_cost_1000;
	/* of the GPUs that it could see and did not use, an hour */
	dec idle_hour;
	int unused; /* so many */
};
/* All in p->mem. conf: thresholds of the ledger. */
void profile_report_make(struct profile *p, const struct conf *conf, struct profile_report *ret);

#endif
