/*
 * Training techniques: early stopping, a budget for tuning, compression, transfer learning. Their
 * worth lies in curves of loss and accuracy that a ledger does not have, so nothing here is
 * replayed: estimated, marked as advice, never in a sum, and since each could change model quality
 * only shown when asked for. What each says is where the money is and what to measure first.
 */
#include <math.h>
#include <stdlib.h>

#include "base/tm.h"
#include "plan/levers.h"
#include "plan/work.h"

#define SWEEP_RUNS 8      /* of one kind by one owner: somebody is tuning */
#define LONG_MS    MS_DAY /* a run so long is worth a better start */
#define WORTH_FRAC 0.005  /* of the fleet's cost: below this no advice */

struct idea {
	enum technique technique;
	const char *tail, *title, *source, *risk;
	double lo_frac, hi_frac; /* of the cost of the works it is for */
	bool (*is_for)(const struct lever_in *in, const struct work *w, const struct intern *sweep,
		       const int64_t *runs);
};

static bool is_training(const struct work *w)
{
	return w->kind == WORK_JOB && !w->notebook &&
	       (!strcmp(w->workload, "training") || !strcmp(w->workload, "research"));
}

static bool any_training(const struct lever_in *in, const struct work *w,
			 const struct intern *sweep, const int64_t *runs)
{
	(void)in;
	(void)sweep;
	(void)runs;
	return is_training(w) && w->end_ms - w->start_ms >= MS_HOUR;
}

static bool in_sweep(const struct lever_in *in, const struct work *w, const struct intern *sweep,
		     const int64_t *runs)
{
	if (!is_training(w))
		return false;
	int64_t i = intern_find(sweep, sv_of(arena_printf(in->mem, "%s\x1f%s", work_owner(w),
							  work_pattern(in->mem, w))));

	return i >= 0 && runs[i] >= SWEEP_RUNS;
}

static bool serves(const struct lever_in *in, const struct work *w, const struct intern *sweep,
		   const int64_t *runs)
{
	(void)in;
	(void)sweep;
	(void)runs;
	return w->kind == WORK_SERVICE;
}

static bool is_long(const struct lever_in *in, const struct work *w, const struct intern *sweep,
		    const int64_t *runs)
{
	(void)in;
	(void)sweep;
	(void)runs;
	return is_training(w) && w->end_ms - w->start_ms >= LONG_MS;
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
	{ TECHNIQUE_COMPRESS, "compression",
	  "serve in 8 bits or smaller: quantisation, pruning, distillation",
	  "half the bytes of a weight are half the memory traffic; MLPerf Inference allows 1 % less accuracy",
	  "Accuracy may fall on rare inputs first.", 0.1, 0.5, serves },
	{ TECHNIQUE_TRANSFER, "transfer-learning",
	  "start from a trained model instead of random weights",
	  "estimate: no measurement of this fleet",
	  "A pretrained model brings its licence and its bias.", 0.1, 0.5, is_long },
};

static void count_sweeps(const struct lever_in *in, struct intern *sweep, int64_t **runs)
{
	VEC(int64_t) n = { 0 };

	for (size_t i = 0; i < in->fleet->work.n; i++) {
		const struct work *w = &in->fleet->work.v[i];
		if (!is_training(w))
			continue;
		uint32_t k = intern_add(sweep,
					sv_of(arena_printf(in->mem, "%s\x1f%s", work_owner(w),
							   work_pattern(in->mem, w))));
		if (k == n.n)
			*vec_push(&n) = 0;
		n.v[k]++;
	}
	*runs = n.v;
}

static void advise(const struct lever_in *in, struct rec_list *out, const struct idea *t,
		   double cost, double ms, size_t works)
{
	struct rec *r = rec_new(in, out, "advice", t->tail);

	r->advice = r->quality_risk = true;
	r->risk = RISK_HIGH;
	r->confidence_frac = 0.3;
	r->effort_days = 5;
	r->within_days = 30;
	r->title = t->title;
	r->p05_nano = (int64_t)(cost * t->lo_frac);
	r->p95_nano = (int64_t)(cost * t->hi_frac);
	r->saving_nano = (r->p05_nano + r->p95_nano) / 2;
	rec_evidence(in, r, QUALITY_MEASURED, "works it is for", "", "ledger", "%zu", works);
	rec_evidence(in, r, QUALITY_MEASURED, "what they cost in the window", in->fleet->currency,
		     "ledger", "%.2f", cost / 1e9);
	rec_evidence(in, r, QUALITY_MEASURED, "their GPU time", "GPU·h", "ledger", "%.0f",
		     ms / MS_HOUR);
	rec_evidence(in, r, QUALITY_ASSUMED, "part of it that may go", "frac", t->source,
		     "%.2f to %.2f", t->lo_frac, t->hi_frac);
	rec_action(r, ACTION_TECHNIQUE)->technique.technique = t->technique;
	rec_risk(in, r, "%s", t->risk);
}

int lever_advice_propose(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	struct intern sweep = { 0 };
	struct arena scratch = { 0 };
	/* names of kinds of a million jobs need not live as long as the plan */
	struct lever_in look = *in;
	int64_t *runs;

	(void)err;
	look.mem = &scratch;
	count_sweeps(&look, &sweep, &runs);
	for (size_t k = 0; k < sizeof techniques / sizeof *techniques; k++) {
		double cost = 0, ms = 0;
		size_t works = 0;
		for (size_t i = 0; i < in->fleet->work.n; i++) {
			const struct work *w = &in->fleet->work.v[i];
			if (!techniques[k].is_for(&look, w, &sweep, runs) ||
			    in->use[i].cost_nano <= 0)
				continue;
			cost += (double)in->use[i].cost_nano;
			ms += (double)w->ms;
			works++;
		}
		if (works && cost >= (double)in->fleet->cost_nano * WORTH_FRAC)
			advise(in, out, &techniques[k], cost, ms, works);
	}
	free(runs);
	arena_free(&scratch);
	intern_free(&sweep);
	return 0;
}
