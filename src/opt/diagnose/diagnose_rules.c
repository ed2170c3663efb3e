/*
 * The rules for one GPU, or for GPUs that all do the same (means over them). Each asks for what
 * its cause would do to the readings:
 *
 *   confidence = min over conditions of ramp(reading, not at all, plainly)      reported from 0.5
 *
 * A condition whose reading is missing is left open: where the others hold, the metric is named in
 * `missing`, and the cause is not reported. Conditions that only support (a second signal) widen
 * nothing: they are evidence.
 *
 * Constants: where a source gives one it is named; the others are midpoints between what the cause
 * and its nearest neighbour look like in physics (docs/ALGORITHMS.md, "Diagnosis").
 */
#include <math.h>

#include "base/num.h"
#include "model/known.h"
#include "opt/diagnose/diagnose_in.h"

#define GAP_MIN 0.05 /* of the time without a kernel: below this there is nothing to win */
/* SM activity while a kernel runs: "small kernels" below (DCGM profiling guide: SM activity below
 * 0.5 is inefficient use) */
#define FILL_LOW      0.45
#define FILL_COPY     0.02 /* copies alone: 0.00 on an H200, whose utilisation they make 97 % */
#define COPY_PEAK     0.8  /* of the link's peak a large pinned copy reaches ... */
#define COPY_PAGEABLE 0.42 /* ... and one from pageable memory, at the least */
/* bytes a second that may be a limit where the link's speed is not known (PCIe 3.0 x4 is 3.9
 * GB/s) */
#define RX_MUCH     3e9
#define WORKER_BUSY 0.75 /* of a processor: a loader that computes; waiting ones are far below */
/* of TDP: idle boards draw 0.1 to 0.2, a spinning collective little more */
#define HUNG_POWER 0.3

static double least_known(double a, double b)
{
	if (isnan(a))
		return b;
	if (isnan(b))
		return a;
	return fmin(a, b);
}

/* A condition without which the cause is not claimed: not known is not met. */
static double need_known(double c)
{
	return known_or(c, 0);
}

/*
 * How full the GPU is while something runs: SM activity, or else what the board draws above idle
 * for that time (0.14 of TDP idle; small kernels add a tenth or two, large ones half and more). 1 =
 * plainly full, 0 = plainly not.
 */
static double gpu_fullness(const struct diag_feat *f)
{
	double clock = 1;

	if (!isnan(f->clock))
		clock = fmax(f->clock, 0.5);
	if (!isnan(f->fill))
		return diag_ramp(f->fill, FILL_LOW - 0.15, FILL_LOW + 0.15);
	if (f->util > 0.1)
		return diag_ramp((f->power - 0.14) / (f->util * clock * clock), 0.28, 0.48);
	return NAN;
}

/* ---- of one GPU ------------------------------------------------------------------------- */

/* Nothing that moves: no copies, no memory traffic, no tensor work. NAN-free: what is not known
 * does not speak. */
static bool nothing_moves(const struct diag_feat *f)
{
	if (f->dram > 0.03 || f->tensor > 0.01 || f->rx > 0.01)
		return false;
	if (f->tx > 0.01 || f->nvlink > 0.01 || f->mem_util > 0.03)
		return false;
	return !(f->sm > 0.25);
}

static void rule_thermal(struct diag_look *l, int dev)
{
	const struct diag_feat *f = &l->one[dev];
	struct diag_finding r = diag_start(DIAG_THERMAL, dev);
	bool near = f->temp_room < 4;
	double share = f->bits_thermal + (near ? f->bits_slow : 0), c;

	if (!isnan(f->bits_thermal)) {
		c = diag_ramp(share, 0.05, 0.35);
		c = least_known(c, isnan(f->clock) ? NAN : diag_ramp(f->clock, 1.0, 0.94));
	} else { /* without the driver's word: hot and slow */
		c = near ? 0.9 * need_known(diag_ramp(f->clock, 0.97, 0.88)) : 0;
		share = near ? 1 : 0;
		if (near && isnan(f->clock))
			diag_miss(l, metric_name(METRIC_THROTTLE_BITS));
	}
	if (!(c >= 0.5))
		return;
	diag_say(&r, "thermal_throttle_frac", share, 0.2);
	diag_say(&r, "sm_clock_frac", f->clock, 0.97);
	diag_say(&r, metric_name(METRIC_TEMP_CELSIUS), f->temp,
		 l->dev[dev].facts.temp_slowdown_celsius);
	r.confidence = c;
	r.time_frac = fmin(share, 1);
	r.lost_frac = isnan(f->clock) ? NAN : fmax(0, 1 - f->clock) * f->util_all;
	diag_add(l, &r);
}

/* A GPU at its full limit under dense work is held back too, and well used: only clocks that are
 * plainly lost count. */
static void rule_power(struct diag_look *l, int dev)
{
	const struct diag_feat *f = &l->one[dev];
	struct diag_finding r = diag_start(DIAG_POWER, dev);
	double share = f->bits_power + (f->temp_room > 8 ? f->bits_slow : 0),
	       at = f->capped < 0.9 ? 0.93 : 0.86, c;

	if (!isnan(f->bits_power))
		c = least_known(diag_ramp(share, 0.1, 0.5),
				isnan(f->clock) ? (f->capped < 0.9 ? 0.8 : 0.2)
						: diag_ramp(f->clock, at + 0.04, at - 0.04));
	else
		c = 0.9 * least_known(need_known(diag_ramp(f->power_of_limit, 0.9, 0.97)),
				      need_known(diag_ramp(f->clock, at + 0.02, at - 0.06)));
	if (isnan(f->bits_power) && isnan(f->clock) && f->power_of_limit > 0.95)
		diag_miss(l, metric_name(METRIC_THROTTLE_BITS));
	if (!(c >= 0.5))
		return;
	diag_say(&r, "power_throttle_frac", share, 0.3);
	diag_say(&r, "sm_clock_frac", f->clock, at);
	diag_say(&r, "power_frac_limit", f->power_of_limit, 0.9);
	diag_say(&r, "limit_frac_tdp", f->capped, 0.9);
	r.confidence = c;
	r.time_frac = isnan(f->bits_power) ? 1 : fmin(share, 1);
	r.lost_frac = isnan(f->clock) ? NAN : fmax(0, 1 - f->clock) * f->util_all;
	diag_add(l, &r);
}

/* ---- of all GPUs ------------------------------------------------------------------------ */

static void rule_pause(struct diag_look *l)
{
	const struct diag_feat *f = &l->all;
	struct diag_finding r = diag_start(DIAG_CHECKPOINT, -1);
	/* fmax ignores NAN */
	double mark = fmax(diag_ramp(f->pause_writes, 1.5, 4), diag_ramp(f->pause_tx, 1.5, 4));
	double regular = 0;

	if (f->pauses >= 6 && f->util >= 0.7)
		regular = diag_ramp(f->pause_cv, 0.3, 0.1);
	if (!(f->pauses >= 1) || !(f->pause_frac >= 0.02))
		return;
	if (f->queue > 0.5 || l->dev[0].facts.serving)
		return;
	/*
	 * Regular alone will do only where nobody knows what is written, the GPU is plainly busy
	 * between, and there are six or more: a serving fleet has three evenly spaced quiet minutes
	 * in many an hour, by chance (seen in a public trace).
	 */
	bool unwritten = f->pause_writes < 1.5 || f->pause_mean_s < 6;
	if (isnan(mark) && !(regular >= 0.5)) {
		diag_miss(l, diag_extra_name(DIAG_X_DISK_WRITE_BYTES_S));
		return;
	}
	r.confidence = fmax(need_known(mark), unwritten ? 0 : 0.7 * regular);
	diag_say(&r, "pause_frac", f->pause_frac, 0.02);
	diag_say(&r, "pauses", f->pauses, 0.5);
	diag_say(&r, "pause_s", f->pause_mean_s, 4);
	diag_say(&r, "pause_disk_write_ratio", f->pause_writes, 3);
	diag_say(&r, "pause_pcie_tx_ratio", f->pause_tx, 3);
	r.time_frac = r.lost_frac = f->pause_frac;
	diag_add(l, &r);
}

/* Share of the time in which data goes to the GPU, from the link's load; with gaps that are as
 * long as a pageable copy takes, that. */
static double copy_share(const struct diag_feat *f)
{
	double pinned = fmin(f->rx / COPY_PEAK, 1), pageable = fmin(f->rx / COPY_PAGEABLE, 1);

	if (1 - f->util > pinned)
		return fmin(pageable, 1 - f->util);
	return pinned;
}

static bool both_ways(const struct diag_feat *f)
{
	return f->tx > 0.6 * f->rx;
}

static void rule_pcie(struct diag_look *l)
{
	const struct diag_feat *f = &l->all;
	struct diag_finding r = diag_start(DIAG_PCIE, -1);
	/* What is not covered by kernels: copies that overlap with full SMs cost nothing. */
	double free_time = isnan(f->sm) ? 1 - f->util : 1 - f->sm,
	       c = need_known(diag_ramp(f->rx, 0.06, 0.24));

	c = least_known(c, diag_ramp(free_time, 0.2, 0.4));
	/* GPUs without links of their own reduce over PCIe: as much out as in */
	if (l->ndev > 1 && both_ways(f))
		return;
	if (!(c >= 0.5))
		return;
	diag_say(&r, "pcie_rx_frac", f->rx, 0.15);
	diag_say(&r, metric_name(METRIC_SM_ACTIVE_FRAC), f->sm, 0.7);
	diag_say(&r, "gpu_util_pct", f->util * 100, 80);
	r.confidence = c;
	r.time_frac = copy_share(f);
	r.lost_frac = fmin(copy_share(f), free_time);
	diag_add(l, &r);
}

static void rule_comm(struct diag_look *l)
{
	const struct diag_feat *f = &l->all;
	struct diag_finding r = diag_start(DIAG_COMM, -1);
	const char *metric;

	double pcie = num_if(l->ndev > 1 && both_ways(f), fmin(f->rx, f->tx) * 1.2),
	       link_load = fmax(fmax(f->nvlink, f->nic), pcie);

	if (link_load == f->nvlink)
		metric = "nvlink_frac";
	else if (link_load == f->nic)
		metric = "nic_frac";
	else
		metric = "pcie_both_ways_frac";
	double load = link_load, c = need_known(diag_ramp(load, 0.1, 0.3));

	if (l->straggler >= 0 && load < 0.3)
		return;
	/* A collective fills few SMs: where the GPU computes meanwhile SM activity stays high and
	 * nothing is lost. */
	c = least_known(c, isnan(f->sm) ? diag_ramp(f->power, 0.85, 0.65)
					: diag_ramp(f->sm, 0.85, 0.7));
	if (isnan(load) && l->ndev > 1 && f->util > 0.85 && f->sm < 0.6)
		diag_miss(l, metric_name(METRIC_NVLINK_RX_BYTES_S));
	if (!(c >= 0.5))
		return;
	diag_say(&r, metric, load, 0.2);
	diag_say(&r, metric_name(METRIC_SM_ACTIVE_FRAC), f->sm, 0.75);
	diag_say(&r, "power_frac_tdp", f->power, 0.75);
	r.confidence = c;
	r.time_frac = fmin(load / COPY_PEAK, 1);
	r.lost_frac = fmin(r.time_frac, isnan(f->sm) ? 1 : 1 - f->sm);
	diag_add(l, &r);
}

/*
 * No workers: the main process prepares the data. Is it at work in the gaps? It may spin while the
 * GPU works (then only what it uses beyond that counts) or sleep (then all it uses is in the
 * gaps); where the two readings of the same number differ, nobody can tell: NAN.
 */
static double main_in_gaps(const struct diag_feat *f)
{
	double gap = fmax(1 - f->util, 0.01),
	       spins = diag_ramp((f->main_cpu - f->util) / gap, 0.5, 0.9),
	       sleeps = diag_ramp(f->main_cpu / gap, 0.5, 0.9);

	if (spins >= 0.5)
		return spins;
	if (sleeps < 0.1 || (sleeps >= 0.5 && f->main_cpu < 0.8 * f->util))
		return sleeps;
	return NAN;
}

/* Share of the busy processors' time that is the job's own, 0..1; NAN = not known. */
static double own_part(const struct diag_feat *f, double cpus)
{
	double own = f->main_cpu;

	if (!isnan(f->loader_cpu))
		own = f->loader_cpu + known_or(f->main_cpu, 0);
	if (cpus >= 1 && f->host_cpu > 0)
		return fmin(own / (f->host_cpu * cpus), 1);
	return NAN;
}

/*
 * How much a machine without a free processor says: nothing where others have taken them, which the
 * job's own part shows. A job alone on its machine has nearly all, one of four that share it evenly
 * a quarter; below a sixth it is others' work.
 */
static double host_bound(const struct diag_feat *f, double cpus)
{
	double own = diag_ramp(own_part(f, cpus), 0.15, 0.3),
	       host = diag_ramp(f->host_cpu, 0.75, 0.95);

	if (isnan(own))
		return host;
	return fmin(host, own);
}

/* Others have taken the processors: whether the job would need them nobody can tell from here. */
static bool cpu_taken(const struct diag_feat *f, double cpus)
{
	return f->host_cpu >= 0.85 && host_bound(f, cpus) < 0.5;
}

/* Do processors explain the gaps? 1 = they are at their limit, 0 = they wait as well; NAN = not
 * known. */
static double cpu_bound(const struct diag_feat *f, double cpus)
{
	double host = host_bound(f, cpus),
	       worker = diag_ramp(f->worker, WORKER_BUSY - 0.2, WORKER_BUSY + 0.1);
	double own = num_if(f->loaders < 0.5, main_in_gaps(f));
	/* more workers than processors */
	double crowded = cpus >= 1 ? diag_ramp((f->loader_cpu + f->main_cpu) / cpus, 0.75, 0.92)
				   : NAN;
	double most = fmax(fmax(worker, own), fmax(host, crowded));

	if (isnan(worker) && isnan(own)) {
		if (host >= 0.5)
			return host;
		return NAN;
	}
	if (most < 0.5 && cpu_taken(f, cpus))
		return NAN;
	return most;
}

/*
 * Is the thread that feeds the GPU at work in the gaps? While it waits for loaders it sleeps;
 * while it starts kernels, copies or prepares data itself it runs. While the GPU computes it may
 * do either.
 */
static bool host_at_work(const struct diag_feat *f, double gap)
{
	return f->main_cpu > 1 - 0.4 * gap && f->main_cpu > 0.75;
}

/* Is what would tell processors from loader and copies read? What is missing is named; *c is less
 * where it is only likely. */
static bool input_told(struct diag_look *l, bool cpu, double busy, double *c)
{
	const struct diag_feat *f = &l->all;
	double full = gpu_fullness(f);

	if (cpu && f->loaders < 0.5 && !(full > (l->ndev > 1 ? 0.2 : 0.5)) &&
	    !(f->host_cpu > 0.8)) {
		if (isnan(f->fill))
			diag_miss(l, metric_name(METRIC_SM_ACTIVE_FRAC));
		return false;
	}
	if (isnan(busy)) {
		const char *missing = diag_extra_name(DIAG_X_LOADER_CPU_PCT);
		if (cpu_taken(f, l->dev[0].facts.cpus))
			missing = "a time when others leave it processors";
		else if (f->loaders < 0.5)
			missing = "profiler trace";
		diag_miss(l, missing);
		return false;
	}
	if (!cpu && isnan(f->rx) && (isnan(f->rx_bytes_s) || f->rx_bytes_s > RX_MUCH)) {
		diag_miss(l, isnan(f->rx_bytes_s) ? metric_name(METRIC_PCIE_RX_BYTES_S)
						  : "pcie link speed");
		if (f->rx_bytes_s > RX_MUCH)
			return false;
		*c *= 0.8;
	}
	return true;
}

static void rule_input(struct diag_look *l)
{
	const struct diag_feat *f = &l->all;
	double gap = 1 - f->util, busy = cpu_bound(f, l->dev[0].facts.cpus),
	       copies = isnan(f->rx) ? 0 : fmin(f->rx / COPY_PAGEABLE, 1), c;
	bool cpu = busy >= 0.5;
	struct diag_finding r = diag_start(cpu ? DIAG_CPU : DIAG_LOADER, -1);

	if (l->dev[0].facts.serving || !isnan(f->queue))
		return;
	/* Workers that never wait cannot be ahead: then small gaps will do (several GPUs hide
	 * theirs by spinning in the collective), and it is not the copies. */
	double scale = 1;
	bool asleep = f->main_cpu < f->util + 0.3 * gap && copies < 0.2; /* a copy keeps it awake */
	if (f->worker > 0.85)
		scale = 0.4;
	double copied = known_or(f->rx, 0) / COPY_PEAK;
	if (copies > 0.2)
		copied = copies;
	if (!(f->worker > 0.85) && !asleep)
		gap -= copied;
	c = diag_ramp(gap, GAP_MIN * scale, (GAP_MIN + 0.1) * scale);
	if (!(c >= 0.5))
		return;
	/* Kernels too short for the host leave gaps as well, but do not fill the GPU while they
	 * run. */
	if (!cpu && host_at_work(f, 1 - f->util))
		return;
	if (!input_told(l, cpu, busy, &c))
		return;
	diag_say(&r, "gpu_util_pct", f->util * 100, 100 * (1 - GAP_MIN));
	diag_say(&r, "loader_cpu_each", f->worker, WORKER_BUSY);
	diag_say(&r, "main_cpu", f->main_cpu, 0.85);
	diag_say(&r, "host_cpu_frac", f->host_cpu, 0.85);
	r.confidence = least_known(c, cpu ? busy : 1 - busy);
	r.time_frac = r.lost_frac = gap;
	diag_add(l, &r);
}

static void find_launch(struct diag_look *l)
{
	const struct diag_feat *f = &l->all;
	struct diag_finding r = diag_start(DIAG_LAUNCH, -1);
	double gap = 1 - f->util, full = gpu_fullness(f), c;

	if (isnan(full))
		c = 0.7;
	else if (isnan(f->fill))
		c = 0.9 - 0.6 * full;
	else
		c = 1.2 - full;
	if (c < 0.5 || diag_ramp(gap, GAP_MIN, GAP_MIN + 0.1) < 0.5)
		return;
	if (f->rx > 0.12 || f->rx_bytes_s > RX_MUCH)
		return;
	if (isnan(f->main_cpu)) {
		diag_miss(l, diag_extra_name(DIAG_X_MAIN_CPU_PCT));
		return;
	}
	/* Without SM activity only where nothing else can keep the thread busy: workers prepare the
	 * data, and they wait. */
	if (isnan(full) && !(f->worker < 0.5)) {
		diag_miss(l, metric_name(METRIC_SM_ACTIVE_FRAC));
		return;
	}
	c = fmin(c, diag_ramp(gap, GAP_MIN, GAP_MIN + 0.1));
	c = least_known(c, host_at_work(f, gap) ? 1 : diag_ramp(f->main_cpu, 0.75, 0.95));
	diag_say(&r, "gpu_util_pct", f->util * 100, 100 * (1 - GAP_MIN));
	diag_say(&r, "sm_active_while_busy_frac", f->fill, FILL_LOW);
	diag_say(&r, "main_cpu", f->main_cpu, 0.85);
	diag_say(&r, "loader_cpu_each", f->worker, WORKER_BUSY);
	r.confidence = c;
	r.time_frac = 1;
	r.lost_frac = isnan(f->sm) ? gap : 1 - f->sm;
	diag_add(l, &r);
}

static void small_batch(struct diag_look *l)
{
	const struct diag_feat *f = &l->all;
	struct diag_finding r = diag_start(DIAG_SMALL_BATCH, -1);
	const struct diag_finding *comm = diag_has(l, DIAG_COMM);
	double c = diag_ramp(f->fill, FILL_LOW + 0.1, FILL_LOW - 0.1);

	/* a collective leaves most SMs empty: that is its time, not the batch's */
	if (comm && !(f->fill < 0.2))
		return;
	/* a GPU that only copies is busy with no SM at all: there is no batch */
	if (diag_has(l, DIAG_PCIE) && f->fill < FILL_COPY)
		return;
	/* slow clocks draw little too */
	if (isnan(f->fill) && (diag_has(l, DIAG_THERMAL) || diag_has(l, DIAG_POWER)))
		return;
	if (isnan(f->fill)) { /* power has to say it, beside memory that hardly moves */
		c = least_known(need_known(diag_ramp(f->power, 0.5, 0.36)),
				need_known(diag_ramp(f->mem_util, 0.45, 0.3))) *
		    0.8;
		if (f->power < 0.55 || isnan(f->power))
			diag_miss(l, metric_name(METRIC_SM_ACTIVE_FRAC));
	}
	c = least_known(c, isnan(f->dram) ? NAN : diag_ramp(f->dram, 0.7, 0.5));
	diag_say(&r, "gpu_util_pct", f->util * 100, 85);
	diag_say(&r, "sm_active_while_busy_frac", f->fill, FILL_LOW);
	diag_say(&r, "power_frac_tdp", f->power, 0.5);
	diag_say(&r, "mem_used_frac", f->mem, 0.5);
	r.confidence = c;
	r.time_frac = f->util;
	r.lost_frac = isnan(f->sm) ? NAN : f->util - f->sm;
	diag_add(l, &r);
}

static void rule_bandwidth(struct diag_look *l)
{
	const struct diag_feat *f = &l->all;
	struct diag_finding r = diag_start(DIAG_BANDWIDTH, -1);
	/* NAN: below */
	double while_busy = num_if(f->util > 0.05, f->dram / f->util),
	       c = diag_ramp(while_busy, 0.5, 0.65);

	/* NVML's own figure counts time in which anything was read or written: it is higher than
	 * the bandwidth used */
	if (isnan(f->dram))
		c = 0.8 * need_known(diag_ramp(f->mem_util / f->util, 0.6, 0.85));
	c = least_known(c, diag_ramp(f->util, 0.3, 0.5));
	c = least_known(c, isnan(f->tensor) ? NAN : diag_ramp(f->tensor / f->util, 0.35, 0.2));
	if (isnan(f->dram) && isnan(f->mem_util) && f->util > 0.85 && isnan(f->tensor) &&
	    f->sm > 0.6)
		diag_miss(l, metric_name(METRIC_DRAM_ACTIVE_FRAC));
	if (!(c >= 0.5))
		return;
	diag_say(&r, metric_name(METRIC_DRAM_ACTIVE_FRAC), f->dram, 0.55);
	diag_say(&r, metric_name(METRIC_MEM_UTIL_PCT), num_if(isnan(f->dram), f->mem_util * 100),
		 70);
	diag_say(&r, metric_name(METRIC_TENSOR_ACTIVE_FRAC), f->tensor, 0.25);
	diag_say(&r, metric_name(METRIC_SM_ACTIVE_FRAC), f->sm, 0.3);
	r.confidence = c;
	r.time_frac = f->util;
	r.lost_frac = isnan(f->dram) ? NAN : fmax(0, f->util - f->dram);
	diag_add(l, &r);
}

/* Busy by its counter, and nothing on it moves. */
static void rule_hung(struct diag_look *l, int dev)
{
	const struct diag_feat *feat = &l->one[dev];
	struct diag_finding r = diag_start(DIAG_HUNG, dev);
	/* With nothing but power to go by, it has to be that of an idle board. */
	bool second = !isnan(feat->sm) || !isnan(feat->dram) || !isnan(feat->tensor) ||
		      !isnan(feat->mem_util);
	double top = second ? HUNG_POWER : 0.2,
	       c = need_known(diag_ramp(feat->util_low, 0.9, 0.99));

	if (!(c >= 0.5) || !nothing_moves(feat))
		return;
	/* Without power: the counters that move in any work have to be there and stand
	 * still. */
	bool counted = feat->sm < 0.25 && feat->dram < 0.02 && feat->tensor < 0.005;
	if (isnan(feat->power) && !counted) {
		diag_miss(l, metric_name(METRIC_POWER_W));
		return;
	}
	c = isnan(feat->power) ? 0.8 * c
			       : least_known(c, diag_ramp(feat->power, top + 0.08, top - 0.04));
	diag_say(&r, "gpu_util_pct", feat->util * 100, 95);
	diag_say(&r, "power_frac_tdp", feat->power, top);
	diag_say(&r, metric_name(METRIC_SM_ACTIVE_FRAC), feat->sm, 0.25);
	diag_say(&r, metric_name(METRIC_DRAM_ACTIVE_FRAC), feat->dram, 0.03);
	r.confidence = c;
	r.time_frac = r.lost_frac = 1;
	diag_add(l, &r);
}

/* ---- all rules --------------------------------------------------------------------------- */

void diag_rules(struct diag_look *l)
{
	for (size_t i = 0; i < l->ndev; i++)
		rule_hung(l, (int)i);
	if (diag_has(l, DIAG_HUNG))
		return;
	diag_rules_group(l);
	if (l->straggler >= 0) /* the rest is about the others */
		diag_feat_mean(l->one, l->ndev, l->straggler, &l->all);
	for (size_t i = 0; i < l->ndev; i++) {
		rule_thermal(l, (int)i);
		rule_power(l, (int)i);
	}
	rule_pause(l);
	rule_pcie(l);
	rule_comm(l);
	diag_rules_serving(l);
	rule_bandwidth(l);
	rule_input(l);
	/* Launch gaps and small batches leave SMs empty. When the GPU is always busy it is the
	 * limit and its kernels are small; when there are gaps and the host's thread is at its
	 * limit, the host is. */
	if (l->straggler >= 0 || l->all.util < 0.05)
		return;
	if (l->dev[0].facts.serving || !isnan(l->all.queue))
		return;
	if (!diag_has(l, DIAG_CPU) && !diag_has(l, DIAG_LOADER) && !diag_has(l, DIAG_PCIE))
		find_launch(l);
	if (l->all.util >= 0.85 && !diag_has(l, DIAG_LAUNCH))
		small_batch(l);
}
