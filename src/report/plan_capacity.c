#include "report/plan_capacity.h"

#include <math.h>

#include "base/jw.h"

static void gpus(struct jw *w, const char *key, const struct capacity_ask *q, int64_t v)
{
	jw_key(w, key);
	if (isnan(q->qps))
		jw_null(w);
	else
		jw_int(w, v);
}

static void print_json(const struct capacity_ask *q, const struct capacity_answer *a,
		       struct str *out)
{
	struct jw w;
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.plan-capacity/1");
	jw_put_num(&w, "qps", q->qps, 6);
	jw_put_num(&w, "gpu_qps", q->gpu_qps, 6);
	jw_put_num(&w, "headroom_frac", q->headroom_frac, 6);
	gpus(&w, "gpus_without_headroom", q, a->bare);
	gpus(&w, "gpus", q, a->gpus);
	jw_put_num(&w, "load_frac", a->load_frac, 6);
	jw_put_num(&w, "util_frac", q->util_frac, 6);
	jw_key(&w, "band");
	jw_str(&w, capacity_band_name(a->band));
	jw_key(&w, "advice");
	jw_str(&w, capacity_band_advice(a->band));
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static void print_band(const char *what, double frac, struct str *out)
{
	enum capacity_band b = capacity_band(frac);
	str_addf(out, "%s %.1f %%: %s; %s.\n", what, frac * 100, capacity_band_name(b),
		 capacity_band_advice(b));
}

static void print_text(const struct capacity_ask *q, const struct capacity_answer *a,
		       struct str *out)
{
	if (!isnan(q->qps)) {
		str_addf(out,
			 "%g requests/s at %g per GPU: %lld GPU%s, %lld with %g %% head-room.\n",
			 q->qps, q->gpu_qps, (long long)a->bare, a->bare == 1 ? "" : "s",
			 (long long)a->gpus, q->headroom_frac * 100);
		if (a->gpus)
			print_band("Each then runs at", a->load_frac, out);
	}
	if (!isnan(q->util_frac))
		print_band("Utilisation", q->util_frac, out);
	str_addz(
		out,
		"\nBands of serving: below 40 % consolidate, 60-80 % healthy, above 85 % at risk.\n");
}

void plan_capacity_print(const struct capacity_ask *q, const struct capacity_answer *a,
			 const struct out_as *as, struct str *out)
{
	if (as->format == OUT_JSON)
		print_json(q, a, out);
	else
		print_text(q, a, out);
}
