#include "report/plan/plan_batch.h"

#include <limits.h>
#include <math.h>

#include "model/known.h"

struct row {
	struct batch_in in;
	struct batch_plan p;
	struct batch_replay replay;
	/* INT_MIN: not known, or none */
	int safe, absolute, replicas, staggered, poisson;
	double capacity_qps, load_frac;
	const char *arrivals;
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
	  "the fewest whose replay keeps the bound; null: not asked or not known", 0 },
	{ "staggered_batch", COL_I32, offsetof(struct row, staggered), "count",
	  "largest batch, of those for replicas that start in turn, whose replay keeps the bound; null: none or not known",
	  0 },
	{ "load_frac", COL_NUM, offsetof(struct row, load_frac), "fraction",
	  "part of its capacity that each replica serves", .digits = 6 },
	{ "arrivals", COL_TEXT, offsetof(struct row, arrivals), NULL,
	  "what was replayed: requests (a file), poisson, or bursts (poisson too)", 0 },
	{ "replayed_requests", COL_INT, offsetof(struct row, replay.requests), "count",
	  "of one replay", offsetof(struct row, replay.done) },
	{ "p99_ms", COL_NUM, offsetof(struct row, replay.p99_ms), "ms",
	  "99th percentile with these replicas at the safe batch: the worse of one queue and in turn",
	  .digits = 6 },
	{ "p99_one_fewer_ms", COL_NUM, offsetof(struct row, replay.p99_fewer_ms), "ms",
	  "with one replica fewer; null: there is one", .digits = 6 },
	{ "p99_staggered_ms", COL_NUM, offsetof(struct row, replay.p99_staggered_ms), "ms",
	  "at the staggered batch", .digits = 6 },
	{ "poisson_replicas", COL_I32, offsetof(struct row, poisson), "count",
	  "what would do if requests came independently; null: as many, or not asked", 0 },
	{ 0 },
};
const struct col_doc plan_batch_doc = { "tare.plan-batch/1", "plan batch",
					"batches of requests under a bound of latency", cols };

static int known_or_none(bool known, int v)
{
	if (known && v)
		return v;
	return INT_MIN;
}

static void print_text(const struct batch_answer *a, struct str *out)
{
	const struct batch_in *in = &a->in;
	const struct batch_plan *p = &a->plan;

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
			"Replicas       %d for %.4g requests/s, each at %.0f %%; a safe batch fills in %.4g ms\n",
			p->replicas, in->qps, p->load_frac * 100, p->fill_ms);
	if (a->replay.done) {
		static const char *const how[] = {
			[BATCH_BURSTS] = "independent, and in bursts of 0.7 to 1.3 times the rate",
			[BATCH_POISSON] = "independent of each other",
			[BATCH_TRACE] = "as the file has them",
		};
		const struct batch_replay *r = &a->replay;

		str_addf(out, "Replayed       p99 %.4g ms of %g", r->p99_ms, a->in.slo_ms);
		if (!isnan(r->p99_fewer_ms))
			str_addf(out, "; with %d it would be %.4g ms", p->replicas - 1,
				 r->p99_fewer_ms);
		str_addf(out,
			 "\n               %lld requests, %s; one queue, and given out in turn\n",
			 (long long)r->requests, how[r->arrivals]);
		if (p->staggered > p->safe)
			str_addf(out, "               p99 %.4g ms with batches of up to %d\n",
				 r->p99_staggered_ms, p->staggered);
		if (r->poisson_replicas)
			str_addf(
				out,
				"               %d would do if they never came in bursts (--arrivals poisson); --requests replays yours\n",
				r->poisson_replicas);
	}
}

void plan_batch_print(const struct batch_answer *a, const struct out_as *as, struct str *out)
{
	if (as->format == OUT_JSON) {
		const struct batch_in *in = &a->in;
		const struct batch_plan *p = &a->plan;
		bool known = !isnan(in->model.beta_ms);
		struct row row = {
			.in = *in,
			.p = *p,
			.safe = known_or_none(known, p->safe),
			.absolute = known_or_none(known, p->absolute),
			.replicas = known_or_none(known, p->replicas),
			.staggered = known_or_none(known, p->staggered),
			.capacity_qps = num_if(known, p->capacity_qps),
			.load_frac = num_if(known, p->load_frac),
			.replay = { .p99_ms = NAN, .p99_fewer_ms = NAN, .p99_staggered_ms = NAN },
			.poisson = known_or_none(true, a->replay.poisson_replicas),
		};

		if (a->replay.done) {
			row.replay = a->replay;
			row.arrivals = batch_arrivals_name(a->replay.arrivals);
		}
		cols_doc(&plan_batch_doc, &row, out);
	} else
		print_text(a, out);
}
