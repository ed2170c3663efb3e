/*
 * Ranges: what the saving will be in the next month. The blocks of the history (weeks; days where
 * there are fewer than three weeks) are drawn with replacement, the same draws for all
 * recommendations; each recommendation adds its own uncertainty (prices, interruptions: the lo and
 * hi of its changes) as a normal with those as 5th and 95th percentile. The spread of few blocks is
 * widened (sim/boot.h), and again because a month to come differs from its mean as the weeks of the
 * history do: with window W and month M,
 *
 *   variance of a month to come = variance of the mean (the bootstrap's) x (1 + W / M).
 *
 * And demand drifts: what jobs of a cluster cost in a month to come is that of the history times
 * exp(sd z), z normal, one for each cluster and draw, with sd = plan.demand_sd_frac; machines that
 * are paid whoever asks do not drift. Who gives machines back saves at most what they cost.
 */
#include <math.h>
#include <stdlib.h>
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "plan/replay/compose.h"
#include "sim/draw.h"

#define WEEK       (7 * MS_DAY)
#define MAX_BLOCKS 26 /* half a year of weeks says as much as more: longer blocks then */
/* the 5th percentile is then the 20th value: its own error is about 1 % of probability */
#define DRAWS    400
#define NORMAL95 1.645

static int blocks_of(const struct fleet *f, bool *ret_days)
{
	int64_t span = f->until_ms - f->since_ms, weeks = span / WEEK, days = span / MS_DAY;

	*ret_days = weeks < 3;
	if (weeks >= 3) {
		if (weeks > MAX_BLOCKS)
			return MAX_BLOCKS;
		return (int)weeks;
	}
	if (days < 1)
		return 1;
	return (int)days;
}

#define NO_GROUP UINT32_MAX

static double load_drift(const struct range *r, uint32_t group, int draw)
{
	return exp(r->load_sd * draw_normal(draw_bits(r->load.v[group].key, 5, (uint64_t)draw))) -
	       1;
}

/* Of free time of a machine: what all of it costs over the window. */
static double most_of(const struct fleet *f, const struct workload *w)
{
	double cost = 0, paid = 0, span = (double)(f->until_ms - f->since_ms);

	if (w->kind != WORKLOAD_FREE || w->node_index == SIZE_MAX)
		return INFINITY;
	size_t k = w->node_index;
	while (k && f->node.v[k - 1].node == f->node.v[k].node)
		k--;
	for (; k < f->node.n && f->node.v[k].node == f->node.v[w->node_index].node; k++) {
		cost += (double)f->node.v[k].cost_nano;
		paid += (double)(f->node.v[k].to_ms - f->node.v[k].from_ms);
	}
	if (cost <= 0 || paid <= 0)
		return INFINITY;
	return cost * fmax(span / paid, 1);
}

void range_make(struct range *r, const struct fleet *f, const struct plan_conf *conf, int draws,
		uint64_t seed)
{
	double month_hours = conf->month_hours;
	int n = blocks_of(f, &r->days);
	double window_hours = (double)(f->until_ms - f->since_ms) / (double)MS_HOUR;

	boot_make(&r->boot, n, draws > 0 ? draws : DRAWS, seed);
	r->boot.widen *= sqrt(1 + window_hours / month_hours);
	r->single = n == 1;
	r->load_sd = conf->demand_sd_frac;

	/* Jobs on machines that can be given back, by cluster, else by owner: their demand drifts
	 * together. */
	struct intern name = { 0 };

	r->group = xcalloc(f->workload.n + 1, sizeof *r->group);
	for (size_t w = 0; w < f->workload.n; w++) {
		const struct workload *k = &f->workload.v[w];
		r->group[w] = NO_GROUP;
		if (k->kind != WORKLOAD_JOB || !k->elastic || r->load_sd <= 0)
			continue;
		r->group[w] = intern_add(&name, sv_of(filled_or(k->cluster, k->team)));
		if (r->group[w] == r->load.n)
			*vec_push(&r->load) = (struct range_load){ .key = draw_text(filled_or(
									   k->cluster, k->team)) };
		r->load.v[r->group[w]].total += (double)k->cost_nano;
	}
	intern_free(&name);

	r->share = xcalloc(f->workload.n * (size_t)n + 1, sizeof *r->share);
	r->total = xcalloc((size_t)n, sizeof *r->total);
	r->most = xcalloc(f->workload.n + 1, sizeof *r->most);
	for (size_t w = 0; w < f->workload.n; w++) {
		float *share = r->share + w * (size_t)n;
		const struct workload *k = &f->workload.v[w];
		double span = (double)(f->until_ms - f->since_ms), sum = 0;
		for (size_t i = 0; i < k->nhour; i++)
			sum += (double)f->hour.v[k->hour0 + i].nano;

		/* Machines that are paid whether used or not, and lines without hours, cost the
		 * same in every week. */
		bool even = (!k->elastic && k->kind != WORKLOAD_LINE) || !(sum > 0);
		for (int b = 0; b < n && even; b++)
			share[b] = 1.0f / (float)n;
		for (size_t i = 0; i < k->nhour && !even; i++) {
			const struct workload_hour *h = &f->hour.v[k->hour0 + i];
			int b = (int)((double)(h->hour_ms - f->since_ms) / span * n);
			share[clamp_int(b, 0, n - 1)] += (float)((double)h->nano / sum);
		}
		r->most[w] = most_of(f, k);
		for (int b = 0; b < n; b++)
			r->total[b] += share[b] * (double)k->cost_nano;
	}
}

void range_free(struct range *r)
{
	boot_free(&r->boot);
	free(r->share);
	free(r->most);
	free(r->total);
	free(r->group);
	vec_free(&r->load);
}

void spread_of(const struct range *r, const struct rec *rec, const int64_t *base, struct arena *mem,
	       struct spread *ret)
{
	size_t n = (size_t)r->boot.nblock;

	*ret = (struct spread){ .gain = arena_zalloc(mem, 3 * n * sizeof(double)),
				.key = draw_text(rec->id) };
	ret->more = ret->gain + n;
	ret->less = ret->more + n;
	for (size_t i = 0; i < rec->change.n; i++) {
		const struct rec_change *c = &rec->change.v[i];
		const float *share = r->share + c->workload * n;
		ret->most += r->most[c->workload];
		for (size_t k = 0; k < n; k++) {
			ret->gain[k] += share[k] * (double)(base[i] - c->after.cost_nano);
			ret->more[k] += share[k] * (double)(c->after.cost_nano - c->lo_nano);
			ret->less[k] += share[k] * (double)(c->hi_nano - c->after.cost_nano);
		}
	}

	if (!rec->change.n)
		ret->most = INFINITY;

	/* Its gain by group of demand; memory of mem. */
	double *gain = xcalloc(r->load.n + 1, sizeof *gain);

	for (size_t i = 0; i < rec->change.n; i++) {
		uint32_t g = r->group[rec->change.v[i].workload];
		if (g != NO_GROUP)
			gain[g] += (double)(base[i] - rec->change.v[i].after.cost_nano);
	}
	for (size_t g = 0; g < r->load.n; g++)
		ret->npart += gain[g] != 0;
	ret->part = arena_alloc(mem, (ret->npart + 1) * sizeof *ret->part);
	ret->npart = 0;
	for (uint32_t g = 0; g < r->load.n; g++)
		if (gain[g] != 0)
			ret->part[ret->npart++] = (struct spread_part){ g, gain[g] };
	free(gain);

	ret->fee = (double)rec->fee_nano;
	ret->fee_more = (double)(rec->fee_nano - rec->fee_lo_nano);
	ret->fee_less = (double)(rec->fee_hi_nano - rec->fee_nano);
	ret->safe = rec->fee_nano <= 0 && rec->fee_hi_nano <= 0;
	for (size_t k = 0; k < n; k++)
		ret->safe &= ret->gain[k] - ret->less[k] >= 0;
}

/* How far a draw of blocks is from the history, of amounts by block. A single block says nothing:
 * then up to as much again, either way. */
static double block_deviation(const struct range *r, const double *amount, int draw)
{
	const uint16_t *count = r->boot.count + (size_t)draw * (size_t)r->boot.nblock;
	double sum = 0;

	if (r->single)
		return amount[0] * draw_normal(draw_bits(1, 2, (uint64_t)draw)) / NORMAL95;
	for (int k = 0; k < r->boot.nblock; k++)
		sum += (count[k] - 1.0) * amount[k];
	return sum * r->boot.widen;
}

static double sum_of(const struct range *r, const double *v)
{
	double sum = 0;

	for (int k = 0; k < r->boot.nblock; k++)
		sum += v[k];
	return sum;
}

static double spread_draw(const struct range *r, const struct spread *s, int draw)
{
	double z = draw_normal(draw_bits(s->key, 3, (uint64_t)draw)) / NORMAL95;
	double own = z < 0 ? -z * (sum_of(r, s->more) + s->fee_more)
			   : -z * (sum_of(r, s->less) + s->fee_less);

	double sum = sum_of(r, s->gain) - s->fee + block_deviation(r, s->gain, draw) + own;
	for (size_t i = 0; i < s->npart; i++)
		sum += s->part[i].gain * load_drift(r, s->part[i].group, draw);
	return sum;
}

void spread_limits(const struct range *r, const struct spread *s, int64_t *ret_p05,
		   int64_t *ret_p95)
{
	double *v = xcalloc((size_t)r->boot.ndraw, sizeof *v);

	for (int d = 0; d < r->boot.ndraw; d++) {
		v[d] = spread_draw(r, s, d);
		if (s->safe && v[d] < 0)
			/* widening must not turn what never loses into a loss; sums of draws are
			 * not cut, they would be skewed */
			v[d] = 0;
		/* nor into more than the machines cost */
		v[d] = fmin(v[d], s->most);
	}
	int n = r->boot.ndraw;
	*ret_p05 = (int64_t)llround(boot_quantile(v, n, 0.05));
	*ret_p95 = (int64_t)llround(boot_quantile(v, n, 0.95));
	free(v);
}

void range_draws(const struct range *r, const struct spread *s, size_t n, double *before,
		 double *saved)
{
	size_t ndraw = (size_t)r->boot.ndraw;

	for (size_t d = 0; d < ndraw; d++) {
		before[d] = sum_of(r, r->total) + block_deviation(r, r->total, (int)d);
		for (uint32_t g = 0; g < r->load.n; g++)
			before[d] += r->load.v[g].total * load_drift(r, g, (int)d);
	}
	for (size_t i = 0; i < n && saved; i++)
		for (size_t d = 0; d < ndraw; d++)
			saved[i * ndraw + d] = spread_draw(r, &s[i], (int)d);
}

void range_fracs(const struct range *r, const struct spread *s, size_t n, size_t from,
		 struct range_frac *ret)
{
	size_t ndraw = (size_t)r->boot.ndraw;
	double *before = xcalloc(2 * ndraw, sizeof *before), *saved = before + ndraw;
	double *v = xcalloc(ndraw, sizeof *v);
	bool safe = true;

	range_draws(r, NULL, 0, before, NULL);
	if (!from)
		ret[0] = (struct range_frac){ 0, 0, 0 };
	for (size_t i = from; i < n; i++) {
		safe &= s[i].safe;
		for (size_t d = 0; d < ndraw; d++)
			saved[d] += spread_draw(r, &s[i], (int)d);
		for (size_t d = 0; d < ndraw; d++) {
			/* the widening of a few days is no loss where in each of them the changes
			 * save */
			double less = 0;
			if (!(safe && saved[d] < 0))
				less = saved[d];
			v[d] = before[d] > 0 ? fmin(less / before[d], 1) : 0;
		}
		ret[i + 1].p05 = boot_quantile(v, (int)ndraw, 0.05);
		ret[i + 1].median = boot_quantile(v, (int)ndraw, 0.5);
		ret[i + 1].p95 = boot_quantile(v, (int)ndraw, 0.95);
	}
	free(v);
	free(before);
}
