#ifndef TARE_OPT_DIAGNOSE_DIAGNOSE_IN_H
#define TARE_OPT_DIAGNOSE_DIAGNOSE_IN_H
/* Inside of the diagnosis: what is worked out of a device's window (diagnose_feat.c), and the rules
 * that look at it (diagnose_rules.c). */
#include "base/num.h"
#include "opt/diagnose/diagnose.h"

/* Means over the window without its pauses, unless said otherwise; NAN = not known. Fractions are
 * of the device's peak or of time. */
struct diag_feat {
	double steps; /* steps with a reading of utilisation or SM activity */
	double window_ms, known_ms;
	double util, util_all; /* 0..1; _all: pauses too */
	double util_low;       /* 5th percentile */
	double still;          /* share of steps with utilisation below 5 % */
	double sm, occupancy, tensor, dram, mem_util;
	double fill;            /* SM activity while something runs: sm / util */
	double mem;             /* of memory, largest */
	double power, power_sd; /* of TDP (else the limit); standard deviation of it */
	double capped;          /* limit / TDP */
	double power_of_limit;
	/* of the peak of one direction; nvlink, nic: the larger direction */
	double rx, tx, nvlink, nic;
	double rx_bytes_s, tx_bytes_s, nvlink_bytes_s;
	double clock;           /* SM clock while busy, of its maximum */
	double temp, temp_room; /* degrees Celsius, below where the hardware slows down */
	double bits_thermal, bits_power, bits_slow; /* share of busy steps with these reasons */
	/* processors: 1 = one; host_cpu: 0..1 of all */
	double main_cpu, loader_cpu, loaders, host_cpu;
	double worker; /* loader_cpu / loaders */
	double disk_read, disk_write;
	double step_s, queue, running, running_top, batch; /* running_top: largest */
	/* pauses: intervals of at least 4 s in which nothing ran, between intervals in which much
	 * did */
	double pauses;
	double pause_frac, pause_mean_s, pause_cv; /* cv: of the distance between them */
	/* written (device to host) in pauses over elsewhere, NAN; large = nothing elsewhere */
	double pause_writes, pause_tx;
};
void diag_feat_of(const struct diag_dev *dev, struct diag_feat *ret);
/* Mean of devices; what only some of them know is the mean of those. skip: position to leave out,
 * -1 none. */
void diag_feat_mean(const struct diag_feat *f, size_t n, int skip, struct diag_feat *ret);

struct diag_look { /* one run */
	const struct diag_dev *dev;
	size_t ndev;
	const struct diag_feat *one; /* [ndev] */
	struct diag_feat all;
	int straggler; /* position, -1 */
	struct diag_result *ret;
	double score[DIAG_FINDINGS];
};
/* All rules; appends to look->ret. */
void diag_rules(struct diag_look *l);
void diag_rules_serving(struct diag_look *l);
void diag_rules_group(struct diag_look *l);

/* Helpers of the rules. */
/* 0 at zero, 1 at one, straight between; NAN stays */
static inline double diag_ramp(double x, double zero, double one)
{
	double r = (x - zero) / (one - zero);
	return clamp_double(r, 0, 1);
}
struct diag_finding diag_start(enum diag_cause c, int dev);
/* evidence; nothing for NAN */
void diag_say(struct diag_finding *f, const char *metric, double value, double limit);
/* keeps it where confidence is at least one half */
void diag_add(struct diag_look *l, const struct diag_finding *f);
void diag_miss(struct diag_look *l, const char *metric);
const struct diag_finding *diag_has(const struct diag_look *l, enum diag_cause c);

#endif
