/*
 * Techniques of training and serving whose worth no number of the fleet tells: what they say is
 * where the money is, a range that others measured, and what to measure first. Estimated, marked as
 * advice, never in a sum; what could change a model's quality is only shown when asked for. What
 * the fleet's own runs tell (lever_training.c) comes before, and is not estimated again.
 */
#include <math.h>
#include <stdlib.h>

#include "base/tm.h"
#include "model/job_end.h"
#include "plan/levers.h"
#include "plan/lever/training.h"
#include "plan/workload.h"

#define SWEEP_RUNS 8      /* of one kind by one owner: somebody is tuning */
#define LONG_MS    MS_DAY /* a run so long is worth a better start */
#define WORTH_FRAC 0.005  /* of the fleet's cost: below this no advice */
/* part of the time that 16 bits save over 32: 10th and 90th percentile of the 1,140 pairs of system
 * and model that the benchmark below measured in both */
#define MIXED_LO 0.01
#define MIXED_HI 0.54

struct idea {
	enum technique technique;
	const char *tail, *title, *source, *risk;
	double lo_frac, hi_frac; /* of the cost of the workloads it is for */
	bool (*is_for)(const struct lever_in *in, const struct workload *w,
		       const struct intern *sweep, const int64_t *runs);
	bool keeps_quality; /* it leaves the model as it is */
};

static bool is_training(const struct workload *w)
{
	if (w->kind != WORKLOAD_JOB || w->notebook)
		return false;
	return !strcmp(w->workload, "training") || !strcmp(w->workload, "research");
}

static bool any_training(const struct lever_in *in, const struct workload *w,
			 const struct intern *sweep, const int64_t *runs)
{
	(void)in;
	(void)sweep;
	(void)runs;
	return is_training(w) && w->end_ms - w->start_ms >= MS_HOUR;
}

static bool in_sweep(const struct lever_in *in, const struct workload *w,
		     const struct intern *sweep, const int64_t *runs)
{
	if (!is_training(w))
		return false;
	int64_t i = intern_find(sweep, sv_of(arena_printf(in->mem, "%s\x1f%s", workload_owner(w),
							  workload_pattern(in->mem, w))));

	return i >= 0 && runs[i] >= SWEEP_RUNS;
}

static bool is_service(const struct lever_in *in, const struct workload *w,
		       const struct intern *sweep, const int64_t *runs)
{
	(void)in;
	(void)sweep;
	(void)runs;
	return w->kind == WORKLOAD_SERVICE;
}

static bool is_long(const struct lever_in *in, const struct workload *w, const struct intern *sweep,
		    const int64_t *runs)
{
	(void)in;
	(void)sweep;
	(void)runs;
	return is_training(w) && w->end_ms - w->start_ms >= LONG_MS;
}

/* Its work of an hour or more was lost, as far as is known. */
static bool failed_late(const struct lever_in *in, const struct workload *w,
			const struct intern *sweep, const int64_t *runs)
{
	(void)in;
	(void)sweep;
	(void)runs;
	enum job_end end = job_end_of(sv_of(w->end_state));
	bool failed = end == JOB_END_FAILED || end == JOB_END_NODE_FAILED || end == JOB_END_TIMEOUT;

	if (!is_training(w) || !failed)
		return false;
	return w->checkpointable != 1 && w->end_ms - w->start_ms >= MS_HOUR;
}

/* The ranges are wide on purpose: they come from other people's fleets. */
static const struct idea techniques[] = {
	{ TECHNIQUE_STOP_EARLY, "early-stopping",
	  "stop runs when the validation loss no longer falls",
	  "Jeon et al., ATC 2019: three of four jobs were there after 40 % of their epochs",
	  "A loss may fall again after a plateau.", 0.05, 0.45, any_training },
	{ TECHNIQUE_BUDGET, "tuning-budget",
	  "give each sweep a budget: successive halving instead of full runs",
	  "Li et al., JMLR 2018 (Hyperband); Li et al., MLSys 2020 (ASHA)",
	  "A trial that learns late is stopped early.", 0.3, 0.7, in_sweep },
	{ TECHNIQUE_QUANTISE, "quantisation", "serve in 8 bits or smaller: quantisation",
	  "half the bytes of a weight are half the memory traffic; MLPerf Inference allows 1 % less accuracy",
	  "Accuracy may fall on rare inputs first.", 0.1, 0.5, is_service },
	{ TECHNIQUE_COMPRESS, "compression", "serve a smaller model: pruning, distillation",
	  "Sanh et al. 2019: DistilBERT is 40 % smaller and 60 % faster with 97 % of the score",
	  "Accuracy may fall on rare inputs first.", 0.1, 0.4, is_service },
	{ TECHNIQUE_MIXED_PRECISION, "mixed-precision",
	  "train in 16 bits where runs still use 32: autocast, bf16",
	  "Micikevicius et al., ICLR 2018; measured fp16 over fp32: lambdal/deeplearning-benchmark, 2025-12-17",
	  "A loss may diverge in 16 bits; bf16 needs no loss scale.", MIXED_LO, MIXED_HI,
	  any_training },
	{ TECHNIQUE_CHECKPOINT, "checkpoint-frequency",
	  "save runs often enough that a failure loses minutes, not the run",
	  "Young 1974, Daly 2006: half an interval is lost instead of the run",
	  "A checkpoint that is never restored in a test is none.", 0.5, 0.9, failed_late,
	  .keeps_quality = true },
	{ TECHNIQUE_TRANSFER, "transfer-learning",
	  "start from a trained model instead of random weights",
	  "estimate: no measurement of this fleet",
	  "A pretrained model brings its licence and its bias.", 0.1, 0.5, is_long },
};

/* Its own curves have told what this technique is worth. */
static bool is_told(const struct training *own, enum technique t, const struct workload *w)
{
	if (t == TECHNIQUE_STOP_EARLY)
		return intern_find(&own->early, sv_of(w->job)) >= 0;
	return t == TECHNIQUE_BUDGET && intern_find(&own->sweep, sv_of(w->job)) >= 0;
}

int lever_advice_propose(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	struct intern sweep = { 0 };
	struct arena scratch = { 0 };
	/* names of kinds of a million jobs need not live as long as the plan */
	struct lever_in look = *in;
	struct training own;
	int64_t *runs;

	(void)err;
	training_propose(in, out, &own);
	look.mem = &scratch;

	VEC(int64_t) n = { 0 };

	for (size_t i = 0; i < look.fleet->workload.n; i++) {
		const struct workload *w = &look.fleet->workload.v[i];
		if (!is_training(w))
			continue;
		uint32_t k = intern_add(&sweep,
					sv_of(arena_printf(look.mem, "%s\x1f%s", workload_owner(w),
							   workload_pattern(look.mem, w))));
		if (k == n.n)
			*vec_push(&n) = 0;
		n.v[k]++;
	}
	runs = n.v;
	for (size_t k = 0; k < sizeof techniques / sizeof *techniques; k++) {
		double cost = 0, ms = 0;
		size_t workloads = 0;
		for (size_t i = 0; i < in->fleet->workload.n; i++) {
			const struct workload *w = &in->fleet->workload.v[i];
			int64_t nano = in->use[i].cost_nano + fleet_moved_nano(in->fleet, i);
			if (nano <= 0 || is_told(&own, techniques[k].technique, w) ||
			    !techniques[k].is_for(&look, w, &sweep, runs))
				continue;
			cost += (double)nano;
			ms += (double)w->ms;
			workloads++;
		}
		if (!workloads || cost < (double)in->fleet->cost_nano * WORTH_FRAC)
			continue;

		const struct idea *t = &techniques[k];
		struct rec *r = rec_new(in, out, "advice", t->tail);
		r->advice = true;
		r->quality_risk = !t->keeps_quality;
		r->tier = TIER_TRIAL;
		r->risk = RISK_HIGH;
		r->confidence_frac = 0.3;
		r->effort_days = 5;
		r->within_days = 30;
		r->title = t->title;
		r->p05_nano = (int64_t)(cost * t->lo_frac);
		r->p95_nano = (int64_t)(cost * t->hi_frac);
		r->saving_nano = (r->p05_nano + r->p95_nano) / 2;
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED, "workloads it is for",
						.source = "ledger" },
			     "%zu", workloads);
		rec_tell_cost(in, r, cost, ms);
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_ASSUMED, "part of it that may go",
						.unit = "frac", .source = t->source },
			     "%.2f to %.2f", t->lo_frac, t->hi_frac);
		rec_action(r, ACTION_TECHNIQUE)->technique.technique = t->technique;
		rec_risk(in, r, "%s", t->risk);
	}
	training_free(&own);
	free(runs);
	arena_free(&scratch);
	intern_free(&sweep);
	return 0;
}
