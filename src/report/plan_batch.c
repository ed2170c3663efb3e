#include "report/plan_batch.h"

#include <limits.h>
#include <math.h>

struct row {
	struct batch_in in;
	struct batch_plan p;
	int safe, absolute, replicas, staggered; /* INT_MIN: not known, or none */
	double capacity_qps, load_frac;
};
static const struct col cols[] = {
	{ "slo_ms", COL_NUM, offsetof(struct row, in.slo_ms), "ms", "bound of a request's latency",
	  .digits = 6 },
	{ "qps", COL_NUM, offsetof(struct row, in.qps), "1/s", "requests a second, where asked",
	  .digits = 6 },
	{ "alpha_ms", COL_NUM, offsetof(struct row, in.model.alpha_ms), "ms",
	  "latency of a batch, its constant part", .digits = 6 },
	{ "beta_ms", COL_NUM, offsetof(struct row, in.model.beta_ms), "ms",
	  "latency of a batch, for each request in it", .digits = 6 },
	{ "fit_r2", COL_NUM, offsetof(struct row, in.model.r2), NULL,
	  "R2 of that line through the measured batches; null: fewer than three", .digits = 6 },
	{ "feasible", COL_BOOL, offsetof(struct row, p.feasible), NULL,
	  "whether a request alone meets the bound", 0 },
	{ "wait_bound_ms", COL_NUM, offsetof(struct row, p.wait_bound_ms), "ms",
	  "what is left for waiting and everything else", .digits = 6 },
	{ "start_wait_lo_ms", COL_NUM, offsetof(struct row, p.start_lo_ms), "ms",
	  "a wait to start with, at least", .digits = 6 },
	{ "start_wait_hi_ms", COL_NUM, offsetof(struct row, p.start_hi_ms), "ms",
	  "a wait to start with, at most", .digits = 6 },
	{ "safe_batch", COL_I32, offsetof(struct row, safe), "count",
	  "largest batch with which a request may wait for a running one; null: none or not known",
	  0 },
	{ "largest_batch", COL_I32, offsetof(struct row, absolute), "count",
	  "largest batch that meets the bound if nothing waits; null: none or not known", 0 },
	{ "capacity_qps", COL_NUM, offsetof(struct row, capacity_qps), "1/s",
	  "requests a second of one replica at the safe batch", .digits = 6 },
	{ "replicas", COL_I32, offsetof(struct row, replicas), "count",
	  "for the rate, each at 90 % at most; null: not asked or not known", 0 },
	{ "staggered_batch", COL_I32, offsetof(struct row, staggered), "count",
	  "largest batch when replicas start in turn; null: none or not known", 0 },
	{ "load_frac", COL_NUM, offsetof(struct row, load_frac), "fraction",
	  "part of its capacity that each replica serves", .digits = 6 },
	{ 0 },
};
const struct col_doc plan_batch_doc = { "tare.plan-batch/1", "plan batch",
					"batches of requests under a bound of latency", cols };

static int some(bool known, int v)
{
	return known && v ? v : INT_MIN;
}

static void print_json(const struct batch_in *in, const struct batch_plan *p, struct str *out)
{
	bool known = !isnan(in->model.beta_ms);
	const struct row row = {
		.in = *in,
		.p = *p,
		.safe = some(known, p->safe),
		.absolute = some(known, p->absolute),
		.replicas = some(known, p->replicas),
		.staggered = some(known, p->staggered),
		.capacity_qps = known ? p->capacity_qps : NAN,
		.load_frac = known ? p->load_frac : NAN,
	};

	cols_doc(&plan_batch_doc, &row, out);
}

static void print_text(const struct batch_in *in, const struct batch_plan *p, struct str *out)
{
	if (!p->feasible) {
		str_addf(out, "A bound of %g ms cannot be met: one request alone takes %.4g ms.\n",
			 in->slo_ms, batch_latency_ms(&in->model, 1));
		return;
	}
	str_addf(out, "Bound %g ms: up to %.4g ms for waiting and everything else.\n", in->slo_ms,
		 p->wait_bound_ms);
	str_addf(out, "Start with a wait of %.3g-%.3g ms and tune it on measured percentiles.\n",
		 p->start_lo_ms, p->start_hi_ms);
	if (isnan(in->model.beta_ms)) {
		str_addz(
			out,
			"\nWith a profile of several batch sizes (--profile, or --item-ms) the batch and the replicas follow too.\n");
		return;
	}
	str_addf(out, "\nLatency of a batch: %.4g + %.4g ms per request", in->model.alpha_ms,
		 in->model.beta_ms);
	if (!isnan(in->model.r2))
		str_addf(out, " (fit, R2 %.3f)", in->model.r2);
	str_addc(out, '\n');
	if (!p->safe) {
		str_addf(
			out,
			"No batch is safe: a request that waits for another one misses the bound.\n");
		return;
	}
	str_addf(
		out,
		"Largest batch  %d safe (waits for a running batch, then its own), %d if nothing waits\n",
		p->safe, p->absolute);
	str_addf(out,
		 "Capacity       %.4g requests/s a replica at batch %d; at full load never wait\n",
		 p->capacity_qps, p->safe);
	if (p->replicas)
		str_addf(
			out,
			"Replicas       %d for %g requests/s, each at %.0f %%; a safe batch fills in %.4g ms\n",
			p->replicas, in->qps, p->load_frac * 100, p->fill_ms);
}

void plan_batch_print(const struct batch_answer *a, const struct out_as *as, struct str *out)
{
	if (as->format == OUT_JSON)
		print_json(&a->in, &a->plan, out);
	else
		print_text(&a->in, &a->plan, out);
}
