/*
 * What the rules look at: means, tails and pauses of a window.
 *
 * A pause is a run of steps of at least PAUSE_S in which utilisation is below STILL between parts
 * that are busy. Pauses are taken out of the means, so that a run that writes a checkpoint every
 * few minutes is judged by how it trains, and the checkpoint by itself.
 */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "model/known.h"
#include "opt/diagnose/diagnose_in.h"
#include "base/sort.h"

/* a step below this did nothing that counts: NVML's own sampling shows 1 to 3 % for a monitor
 * alone */
#define STILL_PCT 5.0
/* shorter gaps are waits for data; a checkpoint of 1 GB at 250 MB/s takes 4 s */
#define PAUSE_S 4.0
/* outside of pauses a run has to work, else the "pauses" are how it works */
#define BUSY_PCT       20.0
#define PAUSE_MAX_FRAC 0.6
/* NVML clocks event reasons: software power cap, hardware power brake */
#define BIT_POWER   (0x4 | 0x80)
#define BIT_THERMAL (0x20 | 0x40)
#define BIT_SLOW    0x8 /* hardware slowdown: heat or power, it does not say which */

struct mean {
	double sum, sq, w;
};

static void take_value(struct mean *m, double v, double w)
{
	if (!isfinite(v))
		return;
	m->sum += v * w;
	m->sq += v * v * w;
	m->w += w;
}

static double mean_of(const struct mean *m)
{
	if (m->w > 0)
		return m->sum / m->w;
	return NAN;
}

static double sd_of(const struct mean *m)
{
	double u = mean_of(m), var = NAN;

	if (m->w > 0)
		var = m->sq / m->w - u * u;
	if (isnan(var))
		return NAN;
	return sqrt(max_double(0, var));
}

/* Utilisation of a step in percent, from SM activity where that is all there is (MIG instances). */
static double util_of(const struct diag_step *s)
{
	double u = s->value[METRIC_GPU_UTIL_PCT], sm = s->value[METRIC_SM_ACTIVE_FRAC];

	if (isnan(u))
		u = sm * 100;
	if (u < 0)
		return NAN;
	return min_double(100, u);
}

static double width_ms(const struct diag_step *s)
{
	return max_int(s->step_ms, 0);
}

/* ---- pauses ------------------------------------------------------------------------------ */

struct pause_walk {
	const struct diag_dev *dev;
	struct mean busy; /* utilisation outside */
	struct mean length, gap;
	struct mean write_in, write_out, tx_in, tx_out;
	int64_t last_start;
	int n;
	double total_ms;
};

/* End of the run of still steps that begins at i (exclusive), i itself when step i is not still.
 * Steps without a reading belong to the run they are in. */
static size_t still_run(const struct diag_dev *d, size_t i, double *ret_ms)
{
	size_t last = i;

	*ret_ms = 0;
	if (!(util_of(&d->step[i]) < STILL_PCT))
		return i;
	for (size_t k = i; k < d->n && !(util_of(&d->step[k]) >= STILL_PCT); k++)
		if (!isnan(util_of(&d->step[k])))
			last = k;
	for (size_t k = i; k <= last; k++)
		*ret_ms += width_ms(&d->step[k]);
	return last + 1;
}

static void pause_step(struct pause_walk *w, const struct diag_step *s, bool in)
{
	take_value(in ? &w->write_in : &w->write_out, s->extra[DIAG_X_DISK_WRITE_BYTES_S],
		   width_ms(s));
	take_value(in ? &w->tx_in : &w->tx_out, s->value[METRIC_PCIE_TX_BYTES_S], width_ms(s));
	if (!in)
		take_value(&w->busy, util_of(s), width_ms(s));
}

/* The pauses into `pause` ([n], set to true); false when there are none worth the name. */
static bool find_pauses(const struct diag_dev *d, struct pause_walk *w, struct diag_feat *f)
{
	double ms;

	*w = (struct pause_walk){ .dev = d };
	for (size_t i = 0; i < d->n;) {
		size_t to = still_run(d, i, &ms);
		/* At the edge of the window nobody knows how long it is: no pause, and no work
		 * either. */
		if (to > i && ms >= PAUSE_S * 1000 && i > 0 && to < d->n) {
			const struct diag_step *s = w->dev->step;

			if (w->n)
				take_value(&w->gap, (double)(s[i].t_ms - w->last_start), 1);
			w->last_start = s[i].t_ms;
			take_value(&w->length, ms / 1000, 1);
			w->total_ms += ms;
			w->n++;
			for (size_t k = i; k < to; k++)
				pause_step(w, &s[k], true);
		} else if (to > i && ms >= PAUSE_S * 1000) {
			;
		} else {
			for (size_t k = i; k < (to > i ? to : i + 1); k++)
				pause_step(w, &d->step[k], false);
		}
		i = to > i ? to : i + 1;
	}
	if (!w->n || !(mean_of(&w->busy) >= BUSY_PCT) ||
	    w->total_ms > PAUSE_MAX_FRAC * f->window_ms)
		return false;
	f->pauses = w->n;
	f->pause_frac = w->total_ms / f->window_ms;
	f->pause_mean_s = mean_of(&w->length);
	f->pause_cv = w->gap.w >= 2 ? sd_of(&w->gap) / mean_of(&w->gap) : NAN;
	/* 1 MB/s: logs are no checkpoint */
	f->pause_writes = mean_of(&w->write_in) / fmax(mean_of(&w->write_out), 1e6);
	f->pause_tx = mean_of(&w->tx_in) / fmax(mean_of(&w->tx_out), 1e7);
	return true;
}

/* ---- means ------------------------------------------------------------------------------- */

struct sums {
	struct mean m[METRIC_N], x[DIAG_X_N];
	struct mean util, still, clock, thermal, power_bits, slow, nvlink, nic;
	double mem, running, low[512]; /* mem, running: largest */
	size_t nlow;
};

static void take_step(struct sums *s, const struct diag_step *t, size_t stride, size_t i)
{
	double w = width_ms(t), u = util_of(t);

	for (int m = 0; m < METRIC_N; m++)
		take_value(&s->m[m], t->value[m], w);
	for (int x = 0; x < DIAG_X_N; x++)
		take_value(&s->x[x], t->extra[x], w);
	take_value(&s->util, u / 100, w);
	take_value(&s->still, isnan(u) ? NAN : u < STILL_PCT, w);
	take_value(&s->nvlink,
		   fmax(t->value[METRIC_NVLINK_RX_BYTES_S], t->value[METRIC_NVLINK_TX_BYTES_S]), w);
	take_value(&s->nic, fmax(t->value[METRIC_NIC_RX_BYTES_S], t->value[METRIC_NIC_TX_BYTES_S]),
		   w);
	s->mem = fmax(s->mem, t->value[METRIC_MEM_USED_BYTES]);
	s->running = fmax(s->running, t->extra[DIAG_X_RUNNING]);
	if (u >= STILL_PCT) {
		take_value(&s->clock, t->value[METRIC_SM_CLOCK_MHZ], w);
	}
	double bits = t->value[METRIC_THROTTLE_BITS];
	if (u >= STILL_PCT && bits >= 0 && bits < 9007199254740992.0) { /* 2^53 */
		uint64_t b = (uint64_t)bits;
		take_value(&s->thermal, (b & BIT_THERMAL) != 0, w);
		take_value(&s->power_bits, (b & BIT_POWER) != 0, w);
		take_value(&s->slow, (b & BIT_SLOW) && !(b & (BIT_THERMAL | BIT_POWER)), w);
	}
	if (i % stride == 0 && s->nlow < sizeof s->low / sizeof *s->low && !isnan(u))
		s->low[s->nlow++] = u / 100;
}

void diag_feat_of(const struct diag_dev *d, struct diag_feat *f)
{
	struct sums s = { .mem = NAN, .running = NAN };
	struct pause_walk w;
	struct mean all = { 0 };
	double ms;

	*f = (struct diag_feat){
		.pause_cv = NAN, .pause_writes = NAN, .pause_tx = NAN, .pause_mean_s = NAN
	};
	for (size_t i = 0; i < d->n; i++) {
		f->window_ms += width_ms(&d->step[i]);
		take_value(&all, util_of(&d->step[i]) / 100, width_ms(&d->step[i]));
		f->steps += !isnan(util_of(&d->step[i]));
	}
	f->known_ms = all.w;
	f->util_all = mean_of(&all);
	bool pauses = find_pauses(d, &w, f);
	for (size_t i = 0, stride = d->n / 500 + 1; i < d->n;) {
		size_t to = pauses ? still_run(d, i, &ms) : i;
		bool skip = to > i && ms >= PAUSE_S * 1000;
		for (size_t k = i; k < (to > i ? to : i + 1) && !skip; k++)
			take_step(&s, &d->step[k], stride, k);
		i = to > i ? to : i + 1;
	}
	f->util = mean_of(&s.util);
	f->util_low = NAN; /* the lowest 5 % */
	if (s.nlow) {
		sort_items(s.low, s.nlow, sizeof *s.low, rising_double);
		f->util_low = s.low[s.nlow / 20];
	}
	f->still = mean_of(&s.still);
	f->sm = mean_of(&s.m[METRIC_SM_ACTIVE_FRAC]);
	f->occupancy = mean_of(&s.m[METRIC_OCCUPANCY_FRAC]);
	f->tensor = mean_of(&s.m[METRIC_TENSOR_ACTIVE_FRAC]);
	f->dram = mean_of(&s.m[METRIC_DRAM_ACTIVE_FRAC]);
	f->mem_util = mean_of(&s.m[METRIC_MEM_UTIL_PCT]) / 100;
	f->fill = num_if(f->util > 0.01, fmin(f->sm / f->util, 1));
	if (isnan(f->sm))
		f->fill = NAN;
	const struct diag_facts *k = &d->facts;
	double power = mean_of(&s.m[METRIC_POWER_W]), board = known_or(k->tdp_w, k->power_limit_w),
	       total = k->mem_total_bytes;
	f->power = part_of(power, board);
	f->power_sd = part_of(sd_of(&s.m[METRIC_POWER_W]), board);
	f->power_of_limit = part_of(power, k->power_limit_w);
	f->capped = part_of(k->power_limit_w, k->tdp_w);
	f->mem = part_of(s.mem, isnan(total) ? mean_of(&s.m[METRIC_MEM_TOTAL_BYTES]) : total);
	f->clock = part_of(mean_of(&s.clock), k->sm_clock_max_mhz);
	f->temp = mean_of(&s.m[METRIC_TEMP_CELSIUS]);
	f->temp_room = k->temp_slowdown_celsius - f->temp;
	f->bits_thermal = mean_of(&s.thermal);
	f->bits_power = mean_of(&s.power_bits);
	f->bits_slow = mean_of(&s.slow);
	f->rx_bytes_s = mean_of(&s.m[METRIC_PCIE_RX_BYTES_S]);
	f->tx_bytes_s = mean_of(&s.m[METRIC_PCIE_TX_BYTES_S]);
	f->nvlink_bytes_s = mean_of(&s.nvlink);
	f->rx = part_of(f->rx_bytes_s, k->pcie_bytes_s);
	f->tx = part_of(f->tx_bytes_s, k->pcie_bytes_s);
	f->nvlink = part_of(f->nvlink_bytes_s, k->nvlink_bytes_s);
	f->nic = part_of(mean_of(&s.nic), k->nic_bytes_s);

	double host = mean_of(&s.x[DIAG_X_HOST_CPU_PCT]);

	f->main_cpu = mean_of(&s.x[DIAG_X_MAIN_CPU_PCT]) / 100;
	f->loader_cpu = mean_of(&s.x[DIAG_X_LOADER_CPU_PCT]) / 100;
	f->loaders = mean_of(&s.x[DIAG_X_LOADERS]);
	f->worker = num_if(f->loaders >= 0.5, f->loader_cpu / f->loaders);
	f->host_cpu = (isnan(host) ? mean_of(&s.m[METRIC_CPU_UTIL_PCT]) : host) / 100;
	f->disk_read = mean_of(&s.x[DIAG_X_DISK_READ_BYTES_S]);
	f->disk_write = mean_of(&s.x[DIAG_X_DISK_WRITE_BYTES_S]);
	f->step_s = mean_of(&s.x[DIAG_X_STEP_S]);
	f->queue = mean_of(&s.x[DIAG_X_QUEUE]);
	f->running = mean_of(&s.x[DIAG_X_RUNNING]);
	f->running_top = s.running;
	f->batch = mean_of(&s.x[DIAG_X_BATCH]);
}

/* All members are doubles, so the mean is taken over them as an array. */
void diag_feat_mean(const struct diag_feat *v, size_t n, int skip, struct diag_feat *ret)
{
	enum { DOUBLES = sizeof(struct diag_feat) / sizeof(double) };
	double sum[DOUBLES] = { 0 }, out[DOUBLES], x[DOUBLES];
	int count[DOUBLES] = { 0 };
	double pauses = 0;

	for (size_t i = 0; i < n; i++) {
		if ((int)i == skip)
			continue;
		memcpy(x, &v[i], sizeof x);
		for (int k = 0; k < DOUBLES; k++)
			if (isfinite(x[k])) {
				sum[k] += x[k];
				count[k]++;
			}
		pauses = max_double(v[i].pauses, pauses);
	}
	for (int k = 0; k < DOUBLES; k++)
		out[k] = num_if(count[k], sum[k] / count[k]);
	memcpy(ret, out, sizeof *ret);
	ret->pauses = pauses;
}
