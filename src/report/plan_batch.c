#include "report/plan_batch.h"

#include <math.h>

#include "base/jw.h"

static void whole(struct jw *w, const char *key, int v) /* 0 = not known or none */
{
	jw_key(w, key);
	if (v)
		jw_int(w, v);
	else
		jw_null(w);
}

static void print_json(const struct batch_in *in, const struct batch_plan *p, struct str *out)
{
	struct jw w;
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.plan-batch/1");
	jw_put_num(&w, "slo_ms", in->slo_ms, 6);
	jw_put_num(&w, "qps", in->qps, 6);
	jw_put_num(&w, "alpha_ms", in->model.alpha_ms, 6);
	jw_put_num(&w, "beta_ms", in->model.beta_ms, 6);
	jw_put_num(&w, "fit_r2", in->model.r2, 6);
	jw_key(&w, "feasible");
	jw_bool(&w, p->feasible);
	jw_put_num(&w, "wait_bound_ms", p->wait_bound_ms, 6);
	jw_put_num(&w, "start_wait_lo_ms", p->start_lo_ms, 6);
	jw_put_num(&w, "start_wait_hi_ms", p->start_hi_ms, 6);
	bool known = !isnan(in->model.beta_ms);
	whole(&w, "safe_batch", known ? p->safe : 0);
	whole(&w, "largest_batch", known ? p->absolute : 0);
	jw_put_num(&w, "capacity_qps", known ? p->capacity_qps : NAN, 6);
	whole(&w, "replicas", known ? p->replicas : 0);
	whole(&w, "staggered_batch", known ? p->staggered : 0);
	jw_put_num(&w, "load_frac", known ? p->load_frac : NAN, 6);
	jw_end_obj(&w);
	str_addc(out, '\n');
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
