/* Readings of a workload summed up: by time for means, in histograms for quantiles, by GPU for
 * memory and use. */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/tm.h"
#include "model/known.h"
#include "plan/fleet/fleet_acc.h"

#define WORK_PART     100 /* a GPU is in use with work in more than 1/100 of its readings ... */
#define WORK_READINGS 2   /* ... and in at least so many: a stray one is none */
/* of a GPU: quantiles of memory are right to 0.5 % of the GPU, rounded up */
#define MEM_BINS 200

struct sum {
	double v;
	double ms;
}; /* weighted by time */

struct gpu_stats {
	const char *gpu;                               /* id, interned in the fleet */
	int64_t n, busy, floor_n, floor_ms, worked_ms; /* worked: the instant it began to */
	double util_ms, ms;
	double mem_peak, mem_least, mem_total;
	uint32_t mem[MEM_BINS + 1];
	struct gpu_stats *next;
};

struct acc { /* of a workload */
	struct gpu_stats *gpu;
	uint32_t *hist; /* [101], in the fleet */
	int64_t n, idle, ms;
	double util_ms, active_util_ms, active_ms;
	double model_bytes; /* memory of a GPU of this model, NAN */
	struct sum metric[METRIC_N], idle_power;
	int64_t first_busy_ms, last_busy_ms, last_cpu_ms;
	double cpu_peak, step;
	struct workload_hour *hour; /* [nhour] of a long work, without a gap; else none */
	float *cpu_hour;            /* [nhour] the most */
	size_t nhour;
};

double fleet_model_bytes(const struct loader *l, struct sv model)
{
	const struct gpu_spec *g = NULL;

	if (l->opt->catalog && model.n)
		g = catalog_gpu(l->opt->catalog, model);
	if (g)
		return g->memory_gib * 1073741824.0;
	return NAN;
}

struct acc *acc_new(struct loader *l, const struct workload *w)
{
	struct acc *a = arena_zalloc(&l->mem, sizeof *a);

	a->hist = arena_zalloc(&l->f->mem, 101 * sizeof(uint32_t));
	/* Of a slice the GPU's size says nothing. */
	if (w->share_kind == SHARE_MIG)
		a->model_bytes = NAN;
	else
		a->model_bytes = fleet_model_bytes(l, sv_of(w->gpu_model));
	a->first_busy_ms = a->last_busy_ms = a->last_cpu_ms = UNKNOWN_MS;
	a->cpu_peak = a->step = NAN;

	struct workload_hour *h = l->f->hour.v + w->hour0;
	bool whole = w->nhour &&
		     h[w->nhour - 1].hour_ms - h[0].hour_ms == (int64_t)(w->nhour - 1) * MS_HOUR;
	if (whole && w->end_ms - w->start_ms >= CPU_HOURS_MS) {
		a->hour = h;
		a->nhour = w->nhour;
		a->cpu_hour = arena_zalloc(&l->mem, w->nhour * sizeof *a->cpu_hour);
	}
	return a;
}

static struct gpu_stats *gpu_of(struct loader *l, struct acc *a, const char *gpu)
{
	for (struct gpu_stats *c = a->gpu; c; c = c->next)
		if (c->gpu == gpu)
			return c;
	struct gpu_stats *c = arena_zalloc(&l->mem, sizeof *c);
	c->gpu = gpu;
	c->worked_ms = UNKNOWN_MS;
	c->next = a->gpu;
	return a->gpu = c;
}

static void add_util(struct acc *a, struct gpu_stats *c, const struct sample *s, double step,
		     double idle_bound)
{
	double u = s->value[METRIC_GPU_UTIL_PCT];

	if (isnan(u))
		return;
	u = clamp_double(u, 0, 100);
	c->util_ms += u * step;
	c->ms += step;
	if (u > GPU_FLOOR_PCT) {
		c->floor_n++;
		c->floor_ms += s->step_ms;
		if (c->worked_ms == UNKNOWN_MS)
			c->worked_ms = s->t_ms;
	}
	a->hist[(int)(u + 0.5)]++;
	a->n++;
	c->n++;
	a->ms += s->step_ms;
	a->util_ms += u * step;
	if (u <= idle_bound) {
		a->idle++;
		return;
	}
	c->busy++;
	a->active_util_ms += u * step;
	a->active_ms += step;
	if (a->first_busy_ms == UNKNOWN_MS || s->t_ms < a->first_busy_ms)
		a->first_busy_ms = s->t_ms;
	if (s->t_ms + s->step_ms > a->last_busy_ms)
		a->last_busy_ms = s->t_ms + s->step_ms;
}

static void add_memory(struct gpu_stats *c, const struct sample *s, double model_bytes)
{
	double used = s->value[METRIC_MEM_USED_BYTES], total = s->value[METRIC_MEM_TOTAL_BYTES];

	if (isnan(used) || used < 0)
		return;
	if (isnan(total) || total <= 0)
		total = model_bytes;
	if (!(c->mem_peak > 0 && c->mem_least < used))
		c->mem_least = used;
	c->mem_peak = max_double(used, c->mem_peak);
	if (isnan(total) || total <= 0)
		return;
	c->mem_total = max_double(total, c->mem_total);
	double bin = ceil(used / total * MEM_BINS);
	c->mem[bin > MEM_BINS ? MEM_BINS : (int)bin]++;
}

/* Work of the CPUs: a quarter of the most that was seen, and what no idle machine does. */
#define CPU_WORKS_PART 4
#define CPU_WORKS_PCT  5

void acc_add(struct loader *l, struct acc *a, const char *gpu, const struct sample *s,
	     double model_bytes, double idle_bound)
{
	struct gpu_stats *c = gpu_of(l, a, gpu);
	double step = s->step_ms;

	a->step = fmax(a->step, step);
	add_util(a, c, s, step, idle_bound);
	double cpu = s->value[METRIC_CPU_UTIL_PCT];
	if (!isnan(cpu)) {
		a->cpu_peak = fmax(a->cpu_peak, cpu);
		int64_t at = -1;
		if (a->nhour)
			at = (s->t_ms - a->hour[0].hour_ms) / MS_HOUR;
		if (at >= 0 && at < (int64_t)a->nhour)
			a->cpu_hour[at] = fmaxf(a->cpu_hour[at], (float)cpu);
		if (cpu > CPU_WORKS_PCT && cpu * CPU_WORKS_PART > a->cpu_peak)
			a->last_cpu_ms = max_i64(s->t_ms + s->step_ms, a->last_cpu_ms);
	}
	add_memory(c, s, isnan(model_bytes) ? a->model_bytes : model_bytes);
	for (int m = 0; m < METRIC_N; m++)
		if (!isnan(s->value[m])) {
			a->metric[m].v += s->value[m] * step;
			a->metric[m].ms += step;
		}
	if (s->value[METRIC_GPU_UTIL_PCT] <= idle_bound && !isnan(s->value[METRIC_POWER_W])) {
		a->idle_power.v += s->value[METRIC_POWER_W] * step;
		a->idle_power.ms += step;
	}
}

/* ---- the end ----------------------------------------------------------------------------- */

static double hist_quantile_of(const uint32_t *hist, int bins, int64_t n, double q)
{
	int64_t want = (int64_t)ceil(q * (double)n), seen = 0;

	for (int i = 0; i < bins; i++)
		if ((seen += hist[i]) >= want && seen)
			return i;
	return NAN;
}

static double sum_mean(const struct sum *s)
{
	if (s->ms > 0)
		return s->v / s->ms;
	return NAN;
}

/* One reading at work among many is a stray one; where there are hardly any, as of a job that took
 * a minute, they are all that is known: such a GPU is not said to be unused. */
static bool in_use(const struct gpu_stats *c)
{
	bool enough = c->busy >= WORK_READINGS || c->n < WORK_READINGS;

	return enough && c->busy * WORK_PART > c->n;
}

static void conclude_needs(const struct acc *a, struct workload *w)
{
	struct workload_stats *s = &w->stats;
	double util_ms = 0, ms = 0, fullest = 0;

	for (const struct gpu_stats *c = a->gpu; c; c = c->next) {
		/* as the requirement of two readings or half a minute has it */
		bool worked = c->floor_n >= 2 || c->floor_ms >= 30000;
		s->gpus_worked += worked;
		s->gpus_needed += worked || c->mem_peak >= GPU_HELD_BYTES;
		if (worked && (s->all_worked_ms == UNKNOWN_MS || c->worked_ms > s->all_worked_ms))
			s->all_worked_ms = c->worked_ms;
		if (worked) {
			util_ms += c->util_ms;
			ms += c->ms;
		}
		if (c->mem_peak <= fullest || c->mem_total <= 0)
			continue;
		fullest = c->mem_peak;
		if (c->mem_least > 0.98 * c->mem_peak)
			s->mem_flat_frac = c->mem_least / c->mem_total;
		else
			s->mem_flat_frac = 0;
	}
	if (ms > 0 && w->end_ms > w->start_ms && a->last_busy_ms > w->start_ms) {
		double run = (double)(w->end_ms - w->start_ms),
		       worked = (double)(a->last_busy_ms - w->start_ms);
		s->work_util_mean_pct = fmin(100, util_ms / ms * fmax(1, run / worked));
	}
	s->cpu_peak_pct = a->cpu_peak;
	s->step_ms = a->step;
	s->last_active_ms = a->last_busy_ms;
	if (a->last_cpu_ms != UNKNOWN_MS && a->last_cpu_ms > s->last_active_ms)
		s->last_active_ms = a->last_cpu_ms;
}

void acc_conclude(const struct acc *a, struct workload *w)
{
	struct workload_stats *s = &w->stats;
	const struct sum *m = a->metric;
	double rx = sum_mean(&m[METRIC_PCIE_RX_BYTES_S]), tx = sum_mean(&m[METRIC_PCIE_TX_BYTES_S]);
	/* A share of a GPU covers its share of the GPU's time. */
	double share = 1;

	if (w->gpus_milli > 0 && w->gpus_milli < 1000)
		share = (double)w->gpus_milli / 1000;
	int64_t spare = 0, spare_busy = 0;
	for (const struct gpu_stats *c = a->gpu; c; c = c->next) {
		int64_t n = 0;
		for (int i = 0; i <= MEM_BINS; i++)
			n += c->mem[i];
		double p99 = n ? hist_quantile_of(c->mem, MEM_BINS + 1, n, 0.99) / MEM_BINS *
					     c->mem_total
			       : c->mem_peak;
		p99 = min_double(c->mem_peak, p99);
		s->gpus += c->n > 0;
		s->gpus_used += in_use(c);
		if (!in_use(c))
			spare += c->n;
		if (!in_use(c))
			spare_busy += c->busy;
		if (!(n || c->mem_peak > 0))
			continue;
		if (isnan(s->mem_p99_bytes) || p99 > s->mem_p99_bytes)
			s->mem_p99_bytes = p99;
		if (isnan(s->mem_peak_bytes) || c->mem_peak > s->mem_peak_bytes)
			s->mem_peak_bytes = c->mem_peak;
		if (c->mem_total > 0 &&
		    (isnan(s->mem_total_bytes) || c->mem_total > s->mem_total_bytes))
			s->mem_total_bytes = c->mem_total;
	}
	s->spare_active_frac = num_if(spare, (double)spare_busy / (double)spare);
	conclude_needs(a, w);
	for (size_t i = 0; i < a->nhour; i++)
		a->hour[i].cpu_worked = a->cpu_hour[i] > CPU_WORKS_PCT &&
					a->cpu_hour[i] * CPU_WORKS_PART > a->cpu_peak;
	s->covered_frac = w->ms > 0 ? fmin(1, (double)a->ms * share / (double)w->ms) : 0;
	s->sm_mean_frac = sum_mean(&m[METRIC_SM_ACTIVE_FRAC]);
	s->tensor_mean_frac = sum_mean(&m[METRIC_TENSOR_ACTIVE_FRAC]);
	s->dram_mean_frac = sum_mean(&m[METRIC_DRAM_ACTIVE_FRAC]);
	s->occupancy_mean_frac = sum_mean(&m[METRIC_OCCUPANCY_FRAC]);
	if (isnan(rx))
		s->pcie_mean_bytes_s = tx;
	else if (isnan(tx))
		s->pcie_mean_bytes_s = rx;
	else
		s->pcie_mean_bytes_s = rx + tx;
	s->cpu_mean_pct = sum_mean(&m[METRIC_CPU_UTIL_PCT]);
	s->power_mean_w = sum_mean(&m[METRIC_POWER_W]);
	s->power_idle_w = sum_mean(&a->idle_power);
	s->power_frac = w->ms > 0 ? fmin(1, m[METRIC_POWER_W].ms * share / (double)w->ms) : 0;
	if (!a->n)
		return;
	s->util_mean_pct = a->util_ms / (double)a->ms;
	s->util_p95_pct = hist_quantile_of(a->hist, 101, a->n, 0.95);
	s->active_util_mean_pct = num_if(a->active_ms > 0, a->active_util_ms / a->active_ms);
	s->idle_frac = (double)a->idle / (double)a->n;
	s->first_busy_ms = a->first_busy_ms;
	s->last_busy_ms = a->last_busy_ms;
	s->util_hist = a->hist;
}
