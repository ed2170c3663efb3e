#include "report/plan/plan_capacity.h"

#include <math.h>

#include "base/str.h"
#include "model/known.h"
#include "model/model.h"

struct row {
	struct capacity_ask q;
	int64_t bare, gpus, peak; /* UNKNOWN_I64: no rate was asked about */
	double load_frac;
	const char *band, *advice;
};
static const struct col cols[] = {
	{ "qps", COL_NUM, offsetof(struct row, q.qps), "1/s",
	  "requests a second that were asked about", .digits = 6 },
	{ "gpu_qps", COL_NUM, offsetof(struct row, q.gpu_qps), "1/s", "what one GPU serves",
	  .digits = 6 },
	{ "headroom_frac", COL_NUM, offsetof(struct row, q.headroom_frac), "fraction",
	  "room for peaks, of the rate", .digits = 6 },
	{ "gpus_without_headroom", COL_INT, offsetof(struct row, bare), "count",
	  "GPUs that just serve the rate", 0 },
	{ "gpus", COL_INT, offsetof(struct row, gpus), "count", "GPUs with room for peaks", 0 },
	{ "gpus_for_peak", COL_INT, offsetof(struct row, peak), "count",
	  "GPUs that just serve the rate and its head-room; `gpus` has that room on whole ones",
	  0 },
	{ "load_frac", COL_NUM, offsetof(struct row, load_frac), "fraction",
	  "part of its rate that each of them then serves", .digits = 6 },
	{ "util_frac", COL_NUM, offsetof(struct row, q.util_frac), "fraction",
	  "utilisation that was asked about", .digits = 6 },
	{ "band", COL_TEXT, offsetof(struct row, band), NULL,
	  "of the utilisation, else of the load: consolidate, low, healthy, busy, at risk or unknown",
	  .always = true },
	{ "advice", COL_TEXT, offsetof(struct row, advice), NULL, "what to do in that band",
	  .always = true },
	{ 0 },
};
const struct col_doc plan_capacity_doc = { "tare.plan-capacity/1", "plan capacity",
					   "GPUs for a rate of requests", cols };

/* Head-room is taken on whole GPUs: of few it is most of one, which is no reason to consolidate. */
static const char *advice_of(const struct capacity_answer *a)
{
	if (a->band == BAND_CONSOLIDATE && a->peak < a->gpus)
		return "what is more than a peak needs is for the loss of one: start with fewer";
	return capacity_band_advice(a->band);
}

static void print_band(const char *what, double frac, const char *advice, struct str *out)
{
	str_addf(out, "%s %.1f %%: %s; %s.\n", what, frac * 100,
		 capacity_band_name(capacity_band(frac)), advice);
}

void plan_capacity_print(const struct capacity_ask *q, const struct capacity_answer *a,
			 const struct out_as *as, struct str *out)
{
	if (as->format == OUT_JSON) {
		bool rate = !isnan(q->qps);
		const struct row row = {
			.q = *q,
			.bare = i64_if(rate, a->bare),
			.gpus = i64_if(rate, a->gpus),
			.peak = i64_if(rate, a->peak),
			.load_frac = a->load_frac,
			.band = capacity_band_name(a->band),
			.advice = advice_of(a),
		};

		cols_doc(&plan_capacity_doc, &row, out);
	} else {
		if (!isnan(q->qps)) {
			str_addf(
				out,
				"%g requests/s at %g per GPU: %lld GPU%s, %lld with %g %% head-room.\n",
				q->qps, q->gpu_qps, (long long)a->bare, plural(a->bare),
				(long long)a->gpus, q->headroom_frac * 100);
			if (a->peak < a->gpus)
				str_addf(
					out,
					"Head-room is taken on whole GPUs: %lld just serve %g %% more requests.\n",
					(long long)a->peak, q->headroom_frac * 100);
			const char *advice = advice_of(a);
			if (!isnan(q->util_frac))
				advice = capacity_band_advice(capacity_band(a->load_frac));
			if (a->gpus)
				print_band("Each then runs at", a->load_frac, advice, out);
		}
		if (!isnan(q->util_frac))
			print_band("Utilisation", q->util_frac, capacity_band_advice(a->band), out);
		str_addz(
			out,
			"\nBands of serving: below 40 % consolidate, 60-80 % healthy, above 85 % at risk.\n");
	}
}
