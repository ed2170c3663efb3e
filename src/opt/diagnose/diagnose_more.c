/* The rules for servers, and for several GPUs of one job. */
#include <math.h>
#include <stddef.h>

#include "base/num.h"
#include "opt/diagnose/diagnose_in.h"

/* ---- serving ----------------------------------------------------------------------------- */

/*
 * Requests wait, and as many as may are worked on. If these could not even fill half a batch, the
 * limit keeps the batch small; if they could, it is the batching. A limit that is not known shows
 * as a number that never moves.
 */
static bool few_at_a_time(const struct diag_look *l)
{
	const struct diag_feat *f = &l->all;
	double most = l->dev[0].facts.batch_max;

	if (isnan(most))
		return !(f->running > 4 * f->batch && f->running > 12);
	if (most <= f->running)
		return false;
	return f->running < 0.6 * most || f->running < 4;
}

void diag_rules_serving(struct diag_look *l)
{
	const struct diag_feat *f = &l->all;

	if (!l->dev[0].facts.serving && isnan(f->queue))
		return;
	if (isnan(f->queue) || isnan(f->running)) {
		if (!(f->util > 0.8 && f->sm > 0.7))
			diag_miss(l, isnan(f->queue) ? diag_extra_name(DIAG_X_QUEUE)
						     : diag_extra_name(DIAG_X_RUNNING));
		if (isnan(f->queue))
			return;
	}
	if (!isnan(f->running) && few_at_a_time(l)) {
		struct diag_finding r = diag_start(DIAG_CONCURRENCY, -1);
		double cap = l->dev[0].facts.running_max, room = known_or(f->sm, f->util);
		double at_limit = diag_ramp(f->running / cap, 0.7, 0.9);
		if (isnan(cap))
			at_limit = 0.8 * diag_ramp(f->running / f->running_top, 0.55, 0.8);
		double c = fmin(diag_ramp(f->queue, 0.3, 1), at_limit);

		/* A GPU that is always busy has room too, where its SMs are empty or its batches
		 * are. */
		c = fmin(c, isnan(f->sm) && f->batch < 12 ? 0.9 : diag_ramp(room, 0.85, 0.65));
		diag_say(&r, "queue", f->queue, 0.5);
		diag_say(&r, "running", f->running, isnan(cap) ? 0 : 0.85 * cap);
		diag_say(&r, metric_name(METRIC_SM_ACTIVE_FRAC), f->sm, 0.75);
		diag_say(&r, "gpu_util_pct", f->util * 100, 75);
		r.confidence = c;
		r.time_frac = 1;
		r.lost_frac = fmax(0, 1 - room);
		diag_add(l, &r);
	}
	if (!isnan(f->batch) && !diag_has(l, DIAG_CONCURRENCY)) {
		struct diag_finding finding = diag_start(DIAG_SMALL_BATCH, -1);
		double most = l->dev[0].facts.batch_max,
		       c = isnan(most) ? diag_ramp(f->batch, 6, 3)
				       : diag_ramp(f->batch / most, 0.5, 0.3);

		if (most <= 4)
			c = 1; /* the server is told not to batch */
		c = fmin(c, diag_ramp(f->queue, 0.3, 1));
		c = fmin(c, diag_ramp(f->util, 0.5, 0.7));
		c = isnan(f->fill) ? 0.8 * c : fmin(c, diag_ramp(f->fill, 0.65, 0.45));
		diag_say(&finding, "batch", f->batch, isnan(most) ? 4 : fmax(0.4 * most, 4));
		diag_say(&finding, "queue", f->queue, 0.5);
		diag_say(&finding, "sm_active_while_busy_frac", f->fill, 0.55);
		finding.confidence = c;
		finding.time_frac = f->util;
		finding.lost_frac = isnan(f->sm) ? NAN : f->util - f->sm;
		diag_add(l, &finding);
	} else if (isnan(f->batch) && f->queue > 0.5 && f->fill < 0.5)
		diag_miss(l, diag_extra_name(DIAG_X_BATCH));

	struct diag_finding r = diag_start(DIAG_LOW_LOAD, -1);
	double cap = l->dev[0].facts.running_max, used = f->running / cap;

	r.confidence = fmin(diag_ramp(f->queue, 1, 0.3), diag_ramp(f->util, 0.8, 0.6));
	if (!isnan(used))
		r.confidence = fmin(r.confidence, diag_ramp(used, 0.85, 0.6));
	diag_say(&r, "queue", f->queue, 0.5);
	diag_say(&r, "running_frac", used, 0.7);
	diag_say(&r, "gpu_util_pct", f->util * 100, 70);
	r.time_frac = 1;
	r.lost_frac = 1 - f->util;
	diag_add(l, &r);
}

/* ---- several GPUs ----------------------------------------------------------------------- */

/* A reading of each GPU in which GPUs that do the same agree; the distance at which they no
 * longer do. */
struct side {
	const char *metric;
	size_t at; /* offset in struct diag_feat */
	double apart;
};
#define SIDE(name, member, apart)                               \
	{                                                       \
		name, offsetof(struct diag_feat, member), apart \
	}
static const struct side SIDES[] = {
	SIDE("gpu_util_frac", util_all, 0.2),
	SIDE("sm_active_frac", sm, 0.15),
	SIDE("tensor_active_frac", tensor, 0.1),
	SIDE("dram_active_frac", dram, 0.15),
	SIDE("power_frac_tdp", power, 0.15),
	SIDE("sm_clock_frac", clock, 0.1),
	SIDE("step_s", step_s, NAN),
};

static double read_side(const struct diag_feat *f, const struct side *s)
{
	double v;

	memcpy(&v, (const char *)f + s->at, sizeof v);
	return v;
}

/* Distance of GPU k from the middle of the others, less how far these are spread themselves; of
 * `apart`. */
static double find_apartness(const struct diag_look *l, const struct side *s, size_t k,
			     double *ret_others)
{
	double lo = INFINITY, hi = -INFINITY, own = read_side(&l->one[k], s), sum = 0;
	size_t n = 0;

	*ret_others = NAN;
	for (size_t i = 0; i < l->ndev; i++) {
		double v = read_side(&l->one[i], s);
		if (i == k || isnan(v))
			continue;
		lo = fmin(lo, v);
		hi = fmax(hi, v);
		sum += v;
		n++;
	}
	if (!n || isnan(own))
		return NAN;
	*ret_others = sum / (double)n;
	double apart = isnan(s->apart) ? 0.15 * *ret_others : s->apart, far = 0;
	if (own > hi)
		far = own - hi;
	else if (own < lo)
		far = lo - own;
	return (far - (n > 1 ? 0.5 * (hi - lo) : 0)) / apart;
}

/*
 * GPUs that all wait for data take turns in waiting for each other: which one is late is chance.
 * Out of step is a GPU only beside others that are always busy (or spin in the collective, which
 * looks busy) or plainly alike, or whose clocks or steps differ.
 */
static bool counts_apart(const struct diag_look *l, const struct side *s, size_t k)
{
	struct diag_feat rest;

	if (s->at == offsetof(struct diag_feat, clock) ||
	    s->at == offsetof(struct diag_feat, step_s))
		return true;
	diag_feat_mean(l->one, l->ndev, (int)k, &rest);
	if (l->one[k].util_all < 0.03)
		return true;
	/* The others agree to a few hundredths. */
	double lo = INFINITY, hi = -INFINITY;
	for (size_t i = 0; i < l->ndev; i++) {
		if (i == k)
			continue;
		lo = fmin(lo, l->one[i].util_all);
		hi = fmax(hi, l->one[i].util_all);
	}
	bool agree = l->ndev > 3 && hi - lo < 0.04;
	return (rest.util > 0.95 || agree) && !(rest.worker > 0.8);
}

void diag_rules_group(struct diag_look *l)
{
	double most = 0, others;

	l->straggler = -1;
	for (size_t k = 0; k < l->ndev && l->ndev > 1; k++)
		for (size_t i = 0; i < sizeof SIDES / sizeof *SIDES; i++) {
			double a = find_apartness(l, &SIDES[i], k, &others);
			if (a > most && counts_apart(l, &SIDES[i], k)) {
				most = a;
				l->straggler = (int)k;
			}
		}
	if (most < 1)
		l->straggler = -1;
	if (l->straggler < 0)
		return;
	size_t k = (size_t)l->straggler;
	struct diag_finding r = diag_start(DIAG_STRAGGLER, (int)k);
	const struct diag_feat *f = &l->one[k];
	struct diag_feat rest;
	for (size_t i = 0; i < sizeof SIDES / sizeof *SIDES; i++) {
		double a = find_apartness(l, &SIDES[i], k, &others);
		if (a >= 0.5)
			diag_say(&r, SIDES[i].metric, read_side(f, &SIDES[i]), others);
	}
	diag_feat_mean(l->one, l->ndev, (int)k, &rest);
	bool unused = f->util_all < 0.03;
	double theirs = known_or(rest.sm, rest.util_all), own = known_or(f->sm, f->util_all);
	r.confidence = diag_ramp(most, 0.5, 1.5) * (l->ndev > 2 ? 1 : 0.8);
	r.time_frac = 1;
	/* Unused: its own time. Waiting for its data: all wait with it. More to do: the others wait
	 * by as much as they do less. */
	bool starved = rest.util_all - f->util_all > 0.15;
	if (unused)
		r.lost_frac = 1.0 / (double)l->ndev;
	else if (starved)
		r.lost_frac = rest.util_all - f->util_all;
	else
		r.lost_frac = fabs(own - theirs) * (double)(l->ndev - 1) / (double)l->ndev;
	diag_add(l, &r);
	if (!diag_has(l, DIAG_STRAGGLER))
		l->straggler = -1;
}
