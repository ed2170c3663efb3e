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

/* By judgement. */
#define SWEEP_RUNS 8       /* of one kind by one owner: somebody is tuning */
#define SHORT_MS   MS_HOUR /* runs below it have little to stop early, to speed up or to lose */
#define LONG_MS    MS_DAY  /* a run so long is worth a better start */
#define WORTH_FRAC 0.005   /* of the fleet's cost: below this no advice */
/* part of the time that 16 bits save over 32: 10th and 90th percentile of the 1,140 pairs of system
 * and model that the benchmark below measured in both */
#define MIXED_LO 0.01
#define MIXED_HI 0.54

/* How many training runs there are of each kind and owner. */
struct sweeps {
	struct intern kind;
	VEC(int64_t) runs; /* by number in kind */
	struct arena *mem; /* of names that nobody needs afterwards */
};

struct idea {
	enum technique technique;
	const char *tail; /* of the recommendation's id, behind "advice-" */
	const char *title, *source, *risk;
	double lo_frac, hi_frac; /* of the cost of the workloads it is for */
	bool (*is_for)(const struct workload *w, const struct sweeps *s);
	bool keeps_quality; /* it leaves the model as it is */
};

static bool is_training(const struct workload *w)
{
	if (w->kind != WORKLOAD_JOB || w->notebook)
		return false;
	return !strcmp(w->workload, "training") || !strcmp(w->workload, "research");
}

static bool any_training(const struct workload *w, const struct sweeps *s)
{
	(void)s;
	return is_training(w) && w->end_ms - w->start_ms >= SHORT_MS;
}

static struct sv name_kind(const struct sweeps *s, const struct workload *w)
{
	return sv_of(
		arena_printf(s->mem, "%s\x1f%s", workload_owner(w), workload_pattern(s->mem, w)));
}

static void count_runs(const struct fleet *f, struct sweeps *s)
{
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		if (!is_training(w))
			continue;
		uint32_t k = intern_add(&s->kind, name_kind(s, w));
		if (k == s->runs.n)
			*vec_push(&s->runs) = 0;
		s->runs.v[k]++;
	}
}

static bool in_sweep(const struct workload *w, const struct sweeps *s)
{
	if (!is_training(w))
		return false;
	int64_t k = intern_find(&s->kind, name_kind(s, w));

	return k >= 0 && s->runs.v[k] >= SWEEP_RUNS;
}

static bool is_service(const struct workload *w, const struct sweeps *s)
{
	(void)s;
	return w->kind == WORKLOAD_SERVICE;
}

static bool is_long(const struct workload *w, const struct sweeps *s)
{
	(void)s;
	return is_training(w) && w->end_ms - w->start_ms >= LONG_MS;
}

/* An hour of its work or more was lost, as far as is known. */
static bool failed_late(const struct workload *w, const struct sweeps *s)
{
	(void)s;
	enum job_end end = job_end_of(sv_of(w->end_state));
	bool failed = end == JOB_END_FAILED || end == JOB_END_NODE_FAILED || end == JOB_END_TIMEOUT;

	if (!is_training(w) || !failed)
		return false;
	return w->checkpointable != 1 && w->end_ms - w->start_ms >= SHORT_MS;
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

/* The workloads a technique is for: cost (nano) and GPU time over the window, how many. */
struct reach {
	double cost_nano, gpu_ms;
	size_t workloads;
};

static struct reach find_reach(const struct lever_in *in, const struct idea *t,
			       const struct training *own, const struct sweeps *s)
{
	struct reach to = { 0 };

	for (size_t i = 0; i < in->fleet->workload.n; i++) {
		const struct workload *w = &in->fleet->workload.v[i];
		int64_t nano = in->use[i].cost_nano + fleet_moved_nano(in->fleet, i);
		if (nano <= 0 || is_told(own, t->technique, w) || !t->is_for(w, s))
			continue;
		to.cost_nano += (double)nano;
		to.gpu_ms += (double)w->ms;
		to.workloads++;
	}
	return to;
}

static void advise_technique(const struct lever_in *in, const struct idea *t, struct reach to,
			     struct rec_list *out)
{
	struct rec *r = rec_new(in, out, "advice", t->tail);

	r->advice = true;
	r->quality_risk = !t->keeps_quality;
	r->tier = TIER_TRIAL;
	r->risk = RISK_HIGH;
	/* by judgement: a week of somebody's work, in force within a month of tries */
	r->confidence_frac = 0.3;
	r->effort_days = 5;
	r->within_days = 30;
	r->title = t->title;
	r->p05_nano = (int64_t)(to.cost_nano * t->lo_frac);
	r->p95_nano = (int64_t)(to.cost_nano * t->hi_frac);
	r->saving_nano = (r->p05_nano + r->p95_nano) / 2;
	rec_evidence(
		in, r,
		(struct evidence){ QUALITY_MEASURED, "workloads it is for", .source = "ledger" },
		"%zu", to.workloads);
	rec_tell_cost(in, r, to.cost_nano, to.gpu_ms);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ASSUMED, "part of it that may go", .unit = "frac",
					.source = t->source },
		     "%.2f to %.2f", t->lo_frac, t->hi_frac);
	rec_action(r, ACTION_TECHNIQUE)->technique.technique = t->technique;
	rec_risk(in, r, "%s", t->risk);
}

int lever_advice_propose(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	struct arena scratch = { 0 }; /* a million jobs' names need not live as long as the plan */
	struct sweeps s = { .mem = &scratch };
	struct training own;

	(void)err;
	training_propose(in, out, &own);
	count_runs(in->fleet, &s);
	for (size_t k = 0; k < sizeof techniques / sizeof *techniques; k++) {
		struct reach to = find_reach(in, &techniques[k], &own, &s);
		if (to.workloads && to.cost_nano >= (double)in->fleet->cost_nano * WORTH_FRAC)
			advise_technique(in, &techniques[k], to, out);
	}
	training_free(&own);
	vec_free(&s.runs);
	intern_free(&s.kind);
	arena_free(&scratch);
	return 0;
}
