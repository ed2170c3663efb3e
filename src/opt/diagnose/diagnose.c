/*
 * Causes of low utilisation from counters.
 *
 * A GPU's time is split into what its counters can tell apart (Yasin 2014 does so for processors):
 *
 *   1 = pauses + gaps (no kernel: 1 - util) + kernels that leave SMs empty (util - sm) + kernels
 *   that fill it (sm)
 *
 * Pauses are checkpoints; gaps are waits for data, for the processors that prepare it, for copies,
 * for the host that starts kernels; empty SMs are small batches, short kernels or collectives; full
 * SMs may still be bound by memory bandwidth or run on slow clocks. Each part is given to the cause
 * whose other traces are there: link load, processor time, written bytes, throttle reasons, peers.
 * Rules are in diagnose_rules.c and diagnose_more.c, what they look at in diagnose_feat.c.
 *
 * Sources: the decision tree over DCGM profiling fields of docs/ALGORITHMS.md; NVIDIA DCGM
 * documentation, "Profiling metrics" (what SM activity, tensor and DRAM activity mean); Williams et
 * al. 2009 (roofline); Gao et al., ICSE 2024 (causes of low utilisation in 400 jobs: data
 * operations 46 %, model 45 %).
 * What we changed: confidences instead of a tree, several causes at once, and no answer where a
 * signal that would decide is missing.
 */
#include "base/tm.h"
#include "opt/diagnose/diagnose.h"

#include <math.h>

#include "base/num.h"
#include "opt/diagnose/diagnose_in.h"

#define WINDOW_MIN_MS MS_MINUTE /* below a minute a burst looks like a habit */
#define KNOWN_MIN     0.5       /* of the window has to be measured */
#define IDLE_FRAC     0.01      /* nothing ran */
#define GOOD_UTIL     0.8       /* with one of the next three, or power: well used */
#define GOOD_SM       0.6
#define GOOD_TENSOR   0.3
#define GOOD_DRAM     0.5
#define GOOD_POWER    0.55 /* of TDP: idle boards draw 0.1 to 0.2 */

struct diag_finding diag_start(enum diag_cause c, int dev)
{
	return (struct diag_finding){ .cause = c, .dev = dev, .lost_frac = NAN };
}

void diag_say(struct diag_finding *f, const char *metric, double value, double limit)
{
	if (!isnan(value) && !isnan(limit) && f->nevidence < DIAG_EVIDENCE)
		f->evidence[f->nevidence++] = (struct diag_evidence){ metric, value, limit,
								      value > limit };
}

void diag_add(struct diag_look *l, const struct diag_finding *f)
{
	struct diag_result *r = l->ret;
	/* What telling a finding is: how sure, and how much it costs. */
	double w = f->confidence * (0.2 + known_or(f->lost_frac, 0.3));
	int at = r->n;

	if (!(f->confidence >= 0.5))
		return;
	for (int i = 0; i < r->n; i++) /* the same on several GPUs: once, for all of them */
		if (r->finding[i].cause == f->cause && f->cause != DIAG_STRAGGLER) {
			struct diag_finding *o = &r->finding[i];
			/* of one GPU's time each; diag_run() makes it a mean */
			o->lost_frac += f->lost_frac;
			o->confidence = fmax(o->confidence, f->confidence);
			o->dev = -1;
			return;
		}
	while (at > 0 && w > l->score[at - 1])
		at--;
	if (at >= DIAG_FINDINGS)
		return;
	int last = r->n;
	if (r->n >= DIAG_FINDINGS)
		last = DIAG_FINDINGS - 1;
	for (int i = last; i > at; i--) {
		r->finding[i] = r->finding[i - 1];
		l->score[i] = l->score[i - 1];
	}
	r->finding[at] = *f;
	l->score[at] = w;
	r->n = last + 1;
}

void diag_miss(struct diag_look *l, const char *metric)
{
	struct diag_result *r = l->ret;

	for (int i = 0; i < r->nmissing; i++)
		if (!strcmp(r->missing[i], metric))
			return;
	if (r->nmissing < DIAG_MISSING)
		r->missing[r->nmissing++] = metric;
}

const struct diag_finding *diag_has(const struct diag_look *l, enum diag_cause c)
{
	for (int i = 0; i < l->ret->n; i++)
		if (l->ret->finding[i].cause == c)
			return &l->ret->finding[i];
	return NULL;
}

/* Well used: busy, and a second signal says so too. Power alone is not enough where something that
 * might be wrong could not be looked at. */
static bool is_well_used(const struct diag_look *l)
{
	const struct diag_feat *f = &l->all;

	if (!(f->util >= GOOD_UTIL))
		return false;
	if (!isnan(f->sm))
		return f->sm >= GOOD_SM;
	if (f->tensor >= GOOD_TENSOR || f->dram >= GOOD_DRAM)
		return true;
	return f->power >= GOOD_POWER && !l->ret->nmissing;
}

static enum diag_verdict find_verdict(struct diag_look *l)
{
	const struct diag_feat *f = &l->all;

	if (l->ret->n)
		return DIAG_FOUND;
	if (f->util_all <= IDLE_FRAC)
		return DIAG_IDLE;
	if (is_well_used(l))
		return DIAG_HEALTHY;

	/* What would tell more about a GPU on which nothing was found. */
	if (isnan(f->sm))
		diag_miss(l, metric_name(METRIC_SM_ACTIVE_FRAC));
	if (isnan(f->power) && isnan(f->sm))
		diag_miss(l, metric_name(METRIC_POWER_W));
	if (f->util < GOOD_UTIL && isnan(f->main_cpu) && !l->dev[0].facts.serving)
		diag_miss(l, diag_extra_name(DIAG_X_MAIN_CPU_PCT));
	if (f->util < GOOD_UTIL && isnan(f->loader_cpu) && !l->dev[0].facts.serving)
		diag_miss(l, diag_extra_name(DIAG_X_LOADER_CPU_PCT));
	if (isnan(f->rx))
		diag_miss(l, isnan(f->rx_bytes_s) ? metric_name(METRIC_PCIE_RX_BYTES_S)
						  : "pcie link speed");

	return DIAG_UNKNOWN;
}

#define DEVS_MAX 64 /* of one job on one machine; of more the first are looked at */

void diag_run(const struct diag_dev *dev, size_t ndev, struct diag_result *ret)
{
	struct diag_feat one[DEVS_MAX];
	struct diag_look l = { .dev = dev,
			       .ndev = min_size(ndev, DEVS_MAX),
			       .one = one,
			       .straggler = -1,
			       .ret = ret };

	*ret = (struct diag_result){ .verdict = DIAG_UNKNOWN, .util_pct = NAN };
	for (size_t i = 0; i < l.ndev; i++) {
		diag_feat_of(&dev[i], &one[i]);
		ret->window_ms = max_i64((int64_t)one[i].window_ms, ret->window_ms);
	}
	for (size_t i = 0; i < l.ndev; i++)
		if (one[i].window_ms < WINDOW_MIN_MS ||
		    one[i].known_ms < KNOWN_MIN * one[i].window_ms) {
			diag_miss(&l, one[i].window_ms < WINDOW_MIN_MS
					      ? "60 s of readings"
					      : metric_name(METRIC_GPU_UTIL_PCT));
			return;
		}
	if (!l.ndev)
		return;
	diag_feat_mean(one, l.ndev, -1, &l.all);
	ret->util_pct = l.all.util_all * 100;
	if (l.all.util_all > IDLE_FRAC)
		diag_rules(&l);
	ret->verdict = find_verdict(&l);
	for (int i = 0; i < ret->n; i++) /* per-GPU causes of several GPUs were added up */
		if (ret->finding[i].dev == -1 &&
		    (ret->finding[i].cause == DIAG_THERMAL || ret->finding[i].cause == DIAG_POWER ||
		     ret->finding[i].cause == DIAG_HUNG))
			ret->finding[i].lost_frac /= (double)l.ndev;
}
