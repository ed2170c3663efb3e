/* What the readings of a command say in numbers. Pure. See profile.h. */
#include <math.h>
#include <stdlib.h>
#include "base/tm.h"
#include "base/num.h"
#include "model/known.h"
#include "profile/profile.h"
#include "base/sort.h"

struct point {
	double v, w;
};

static int by_value(const void *a, const void *b)
{
	double x = ((const struct point *)a)->v, y = ((const struct point *)b)->v;
	return cmp_double(x, y);
}

/*
 * The smallest value at or below which lies a share q of the weight: for equal weights the value of
 * rank ceil(q n), a reading that was there and no mean of two. The margin is for sums of weights
 * that are no powers of two.
 */
static double weighted_quantile(const struct point *p, size_t n, double total, double q)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		if ((sum += p[i].w) >= q * total * (1 - 1e-12))
			return p[i].v;
	return p[n - 1].v;
}

void profile_stat_of(const double *value, const double *weight, size_t n, struct profile_stat *ret)
{
	struct point *p = xcalloc(n + 1, sizeof *p);
	double total = 0, sum = 0;
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(value[i]) && weight[i] > 0) {
			p[k++] = (struct point){ value[i], weight[i] };
			total += weight[i];
			sum += value[i] * weight[i];
		}
	*ret = (struct profile_stat){ NAN, NAN, NAN, NAN, NAN, (int64_t)k };
	if (k) {
		sort_items(p, k, sizeof *p, by_value);
		*ret = (struct profile_stat){ weighted_quantile(p, k, total, .5),
					      weighted_quantile(p, k, total, .95),
					      weighted_quantile(p, k, total, .99),
					      sum / total,
					      p[k - 1].v,
					      (int64_t)k };
	}
	free(p);
}

/* ---- of devices -------------------------------------------------------------------------- */

struct columns {
	VEC(double) value, weight;
};

static void add_metric(struct columns *c, const struct profile_dev *d, int m)
{
	for (size_t i = 0; i < d->step.n; i++)
		if (d->step.v[i].t_ms + d->step.v[i].step_ms > d->first_ms &&
		    d->step.v[i].t_ms <= d->last_ms) {
			*vec_push(&c->value) = d->step.v[i].value[m];
			*vec_push(&c->weight) = d->step.v[i].step_ms;
		}
}

static void end_columns(struct columns *c, struct profile_stat *ret)
{
	profile_stat_of(c->value.v, c->weight.v, c->value.n, ret);
	vec_clear(&c->value);
	vec_clear(&c->weight);
}

static void sum_metrics(struct profile_report *r)
{
	struct columns c = { { 0 }, { 0 } };

	for (int m = 0; m < METRIC_N; m++) {
		for (size_t i = 0; i < r->ndev; i++) {
			add_metric(&c, r->dev[i], m);
			end_columns(&c, &r->each[i][m]);
			if (r->each[i][m].n)
				/* that of readings before they were merged */
				r->each[i][m].peak = fmax(r->each[i][m].peak, r->dev[i]->peak[m]);
		}
		for (size_t i = 0; i < r->ndev; i++)
			add_metric(&c, r->dev[i], m);
		end_columns(&c, &r->all[m]);
		if (!r->ndev || (m != METRIC_MEM_USED_BYTES && m != METRIC_TEMP_CELSIUS))
			continue;
		/* memory and temperature are of the GPU that has most: the others do not make room
		 * for it, nor cool it */
		r->all[m] = r->each[0][m];
		for (size_t i = 1; i < r->ndev; i++)
			if (isnan(r->all[m].peak) || r->each[i][m].peak > r->all[m].peak)
				r->all[m] = r->each[i][m];
	}
	vec_free(&c.value);
	vec_free(&c.weight);
}

static double power_over_time(const struct profile_dev *d)
{
	double j = 0;
	bool any = false;
	for (size_t i = 0; i < d->step.n; i++)
		if (!isnan(d->step.v[i].value[METRIC_POWER_W])) {
			j += d->step.v[i].value[METRIC_POWER_W] * d->step.v[i].step_ms / 1000;
			any = true;
		}
	if (any)
		return j;
	return NAN;
}

static void sum_cost(const struct profile *p, struct profile_report *r)
{
	int64_t used_ppb = 0, unused = 0;
	if (p->steps > 0 && r->gpu_ms > 0)
		r->steps_s = (double)p->steps / ((double)r->gpu_ms / 1000);
	else
		r->steps_s = NAN;
	for (size_t i = 0; i < p->ndev; i++)
		if (p->dev[i].how != PROFILE_NOT)
			used_ppb += p->dev[i].share_ppb;
		else
			unused += !p->dev[i].is_mig;
	r->unused = (int)unused;
	if (!p->rate.known || !r->ndev)
		used_ppb = 0;
	r->cost_hour = dec_muldiv(p->rate.usd_gpu_hour, used_ppb, 1000000000);
	r->cost = dec_muldiv(r->cost_hour, max_i64(r->elapsed_ms, 0), MS_HOUR);
	r->idle_hour = p->rate.known ? p->rate.usd_gpu_hour * unused : 0;
	r->has_cost = p->rate.known && r->ndev;
	r->has_cost_1000 = r->has_cost && p->steps > 0;
	if (r->has_cost_1000)
		r->cost_1000_steps = dec_muldiv(r->cost, 1000, p->steps);
}

/* ---- all together ------------------------------------------------------------------------ */

/* Time with readings of the command on it, and how many there are: the larger of in's and its. */
static void count_read(const struct profile_dev *d, struct profile_judged *in)
{
	int64_t ms = 0, n = 0;

	for (size_t k = 0; k < d->step.n; k++) {
		const struct diag_step *s = &d->step.v[k];
		bool read = !isnan(s->value[METRIC_GPU_UTIL_PCT]) ||
			    !isnan(s->value[METRIC_SM_ACTIVE_FRAC]);
		bool during = s->t_ms + s->step_ms > d->first_ms && s->t_ms <= d->last_ms;
		if (read && during)
			ms += s->step_ms;
		n += read && during;
	}
	in->covered_ms = max_i64(ms, in->covered_ms);
	in->readings = max_i64(n, in->readings);
}

/* A GPU of several that does next to nothing, or only seems to work, is hidden by the mean of
 * all. */
static void judge_each(struct profile *p, double stalled_frac, struct profile_report *r)
{
	struct profile_judgement *all = &r->judged, weak = { 0 };
	bool judged = all->verdict == PROFILE_WELL_UTILIZED ||
		      all->verdict == PROFILE_UNDERUTILIZED;
	size_t n = 0, first = 0;

	for (size_t i = 0; i < r->ndev && judged && r->ndev > 1; i++) {
		const struct profile_stat *x = r->each[i];
		struct profile_judgement one;
		struct profile_judged in = {
			.util_pct = x[METRIC_GPU_UTIL_PCT].mean,
			.sm_frac = x[METRIC_SM_ACTIVE_FRAC].mean,
			.power_frac = x[METRIC_POWER_W].mean / r->dev[i]->facts.power_limit_w,
			.stalled_power_frac = stalled_frac,
		};
		count_read(r->dev[i], &in);
		profile_judge(&in, &p->mem, &one);
		if (one.verdict != PROFILE_OVERPROVISIONED && !one.contradicted)
			continue;
		if (!n++) {
			weak = one;
			first = i;
		}
	}
	if (!n)
		return;
	all->verdict = PROFILE_UNDERUTILIZED;
	all->why = arena_printf(&p->mem, "%zu of %zu GPUs do little, GPU %d: %s; all of them: %s",
				n, r->ndev, r->dev[first]->index, weak.why, all->why);
}

static void judge_use(struct profile *p, const struct conf *conf, struct profile_report *r)
{
	struct profile_judged j = { r->all[METRIC_GPU_UTIL_PCT].mean,
				    r->all[METRIC_SM_ACTIVE_FRAC].mean,
				    r->all[METRIC_POWER_W].mean / r->power_limit_w,
				    conf->attrib.stalled_power_frac_tdp,
				    0,
				    0 };
	for (size_t i = 0; i < r->ndev; i++)
		count_read(r->dev[i], &j);
	if (!r->ndev) {
		r->judged = (struct profile_judgement){
			PROFILE_NO_GPU, PROFILE_NO_GPU, SECOND_NONE, false, 0, ""
		};
		return;
	}
	profile_judge(&j, &p->mem, &r->judged);
	judge_each(p, conf->attrib.stalled_power_frac_tdp, r);
}

static void diagnose_devs(struct profile *p, struct profile_report *r)
{
	struct diag_dev *d = arena_zalloc(&p->mem, (r->ndev + 1) * sizeof *d);
	for (size_t i = 0; i < r->ndev; i++) {
		const struct profile_dev *x = r->dev[i];
		size_t from = 0, to = x->step.n;
		while (from < to && x->step.v[from].t_ms + x->step.v[from].step_ms <= x->first_ms)
			from++;
		while (to > from && x->step.v[to - 1].t_ms > x->last_ms)
			to--;
		d[i] = (struct diag_dev){ x->facts, x->step.n ? x->step.v + from : NULL,
					  to - from };
	}
	diag_run(d, r->ndev, &r->diag);
}

void profile_report_make(struct profile *p, const struct conf *conf, struct profile_report *ret)
{
	*ret = (struct profile_report){ 0 };
	ret->dev = arena_zalloc(&p->mem, (p->ndev + 1) * sizeof *ret->dev);
	for (size_t i = 0; i < p->ndev; i++)
		if (p->dev[i].how != PROFILE_NOT)
			ret->dev[ret->ndev++] = &p->dev[i];
	ret->each = arena_zalloc(&p->mem, (ret->ndev + 1) * sizeof *ret->each);
	sum_metrics(ret);

	struct columns c = { { 0 }, { 0 } };

	for (int k = 0; k < 2; k++) {
		for (size_t i = 0; i < p->host.n; i++) {
			*vec_push(&c.value) = (double)(k ? p->host.v[i].host_cpu_pct
							 : p->host.v[i].cmd_cpu_pct);
			*vec_push(&c.weight) = p->host.v[i].step_ms;
		}
		end_columns(&c, k ? &ret->host_cpu : &ret->cmd_cpu);
	}
	vec_free(&c.value);
	vec_free(&c.weight);
	ret->energy_j = num_if(ret->ndev, 0);
	ret->energy_quality = QUALITY_MEASURED;
	for (size_t i = 0; i < ret->ndev; i++) {
		const struct profile_dev *d = ret->dev[i];
		double j = d->energy_end_j - d->energy_start_j;
		if (!(j > 0)) { /* no counter, or the driver started again */
			j = power_over_time(d);
			ret->energy_quality = QUALITY_ESTIMATED;
		}
		ret->energy_j += j;
	}

	double power = 0, n = 0, most = -1;
	ret->mem_total_bytes = NAN;
	for (size_t i = 0; i < ret->ndev; i++) {
		const struct diag_facts *f = &ret->dev[i]->facts;
		double w = known_or(f->power_limit_w, f->tdp_w);
		if (ret->each[i][METRIC_MEM_USED_BYTES].peak > most) {
			most = ret->each[i][METRIC_MEM_USED_BYTES].peak;
			ret->mem_total_bytes = f->mem_total_bytes;
		}
		power += known_or(w, 0);
		n += !isnan(w);
	}
	ret->power_limit_w = num_if(n > 0, power / n);

	int64_t from = INT64_MAX, to = INT64_MIN;
	for (size_t i = 0; i < ret->ndev; i++) {
		from = min_i64(ret->dev[i]->first_ms, from);
		to = max_i64(ret->dev[i]->last_ms, to);
		ret->shared_ms = max_i64(ret->dev[i]->shared_ms, ret->shared_ms);
	}
	ret->elapsed_ms = p->end_ms - p->start_ms;
	ret->gpu_ms = from < to ? to - from : 0;
	ret->before_ms = ret->ndev && from > p->start_ms ? from - p->start_ms : 0;
	sum_cost(p, ret);
	judge_use(p, conf, ret);
	diagnose_devs(p, ret);
}
