#include "report/gpu_eval.h"

#include <math.h>

#include "base/jw.h"
#include "report/grid.h"

static void print_grid(struct grid *g, const struct out_as *as, struct str *out)
{
	if (as->format == OUT_MD)
		grid_md(g, out);
	else
		grid_table(g, as->width, as->colour, out);
	grid_free(g);
}

/* ---- tables of training speeds ----------------------------------------------------------- */

static void score_json(struct jw *w, const struct transfer_score *s)
{
	jw_key(w, "predictions");
	jw_int(w, s->predictions);
	jw_put_num(w, "mape_frac", s->mape, 4);
	jw_put_num(w, "one_factor_mape_frac", s->mape_one_factor, 4);
	jw_put_num(w, "within_range_frac", s->within_frac, 4);
}

static void transfer_json(const struct gpu_eval_ask *q, const struct gpu_eval *e, struct str *out)
{
	const struct transfer_eval *v = &e->transfer;
	struct jw w;
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.plan-gpu-evaluate/1");
	jw_key(&w, "pairs");
	jw_int(&w, q->pairs);
	jw_key(&w, "left_out");
	jw_arr(&w);
	for (size_t i = 0; i < v->ncard; i++) {
		jw_obj(&w);
		jw_key(&w, "gpu_model");
		jw_str(&w, e->gpu[v->card[i].card]);
		score_json(&w, &v->card[i]);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	score_json(&w, &v->all);
	jw_put_num(&w, "below_one_factor_frac", 1 - v->all.mape / v->all.mape_one_factor, 4);
	jw_put_num(&w, "mean_over_gpus_mape_frac", v->macro_mape, 4);
	jw_put_num(&w, "mean_over_gpus_one_factor_mape_frac", v->macro_one_factor, 4);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static void score_row(struct grid *g, const char *name, const struct transfer_score *s,
		      enum grid_style style)
{
	const char **cell = grid_add_row(g, style);
	cell[0] = name;
	cell[1] = arena_printf(&g->mem, "%lld", (long long)s->predictions);
	cell[2] = arena_printf(&g->mem, "%.2f %%", s->mape * 100);
	cell[3] = arena_printf(&g->mem, "%.2f %%", s->mape_one_factor * 100);
	cell[4] = arena_printf(&g->mem, "%.0f %%", s->within_frac * 100);
}

static void transfer_text(const struct gpu_eval_ask *q, const struct gpu_eval *e,
			  const struct out_as *as, struct str *out)
{
	const struct transfer_eval *v = &e->transfer;
	static const char *const head[] = { "left out", "predictions", "error", "one-factor",
					    "in range" };
	struct grid g = { 0 };
	for (int i = 0; i < 5; i++)
		grid_add_col(&g, head[i], i ? GRID_RIGHT : GRID_LEFT, false);
	for (size_t i = 0; i < v->ncard; i++)
		score_row(&g, e->gpu[v->card[i].card], &v->card[i], GRID_PLAIN);
	score_row(&g, "all", &v->all, GRID_TOTAL);
	str_addf(
		out,
		"Speed on a GPU model that the table has not, from two own measurements: mean absolute\nrelative error over %lld random pairs for each system.\n\n",
		(long long)q->pairs);
	print_grid(&g, as, out);
	str_addf(
		out,
		"\nMean over GPU models: %.2f %%, one-factor %.2f %%. All: %.0f %% below the one-factor model.\n",
		v->macro_mape * 100, v->macro_one_factor * 100,
		(1 - v->all.mape / v->all.mape_one_factor) * 100);
}

/* ---- MLPerf ------------------------------------------------------------------------------ */

static void regret_json(struct jw *w, const char *key, const struct gpu_regret *r)
{
	double n = (double)r->choices;
	jw_key(w, key);
	jw_obj(w);
	jw_key(w, "choices");
	jw_int(w, r->choices);
	jw_put_num(w, "cheapest_chosen_frac", (double)r->right / n, 4);
	jw_put_num(w, "mean_cost_regret_frac", r->ours / n, 4);
	jw_put_num(w, "worst_cost_regret_frac", r->choices ? r->worst : NAN, 4);
	jw_put_num(w, "cheapest_hour_regret_frac", r->cheapest_hour / n, 4);
	jw_put_num(w, "fastest_regret_frac", r->fastest / n, 4);
	jw_end_obj(w);
}

static void regret_row(struct grid *g, const char *name, const struct gpu_regret *r)
{
	const char **cell = grid_add_row(g, GRID_PLAIN);
	double n = (double)r->choices;
	cell[0] = name;
	cell[1] = arena_printf(&g->mem, "%lld", (long long)r->choices);
	cell[2] = r->choices ? arena_printf(&g->mem, "%.0f %%", 100 * (double)r->right / n) : "-";
	cell[3] = r->choices ? arena_printf(&g->mem, "%.2f %%", 100 * r->ours / n) : "-";
	cell[4] = r->choices ? arena_printf(&g->mem, "%.1f %%", 100 * r->worst) : "-";
	cell[5] = r->choices ? arena_printf(&g->mem, "%.1f %%", 100 * r->cheapest_hour / n) : "-";
	cell[6] = r->choices ? arena_printf(&g->mem, "%.1f %%", 100 * r->fastest / n) : "-";
}

/* The GPUs of the file and what they cost; those without a price do not count. */
static void name_prices(const struct gpu_eval *e, struct str *priced, struct str *unpriced)
{
	for (size_t i = 0; i < e->nprice; i++) {
		const struct gpu_eval_price *p = &e->price[i];
		if (p->nano_gpu_hour != INT64_MIN)
			str_addf(priced, "%s%s %.2f", priced->n ? ", " : "", p->gpu,
				 (double)p->nano_gpu_hour / 1e9);
		else
			str_addf(unpriced, "%s%s", unpriced->n ? ", " : "", p->gpu);
	}
}

static void choice_json(const struct gpu_eval *e, const struct str *priced,
			const struct str *unpriced, struct str *out)
{
	struct jw w;
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_put_str(&w, "schema", "tare.plan-gpu-evaluate/1");
	regret_json(&w, "held_out_submitter", &e->submitter);
	regret_json(&w, "held_out_gpu", &e->card);
	jw_put_str(&w, "usd_gpu_hour", str_z(priced));
	jw_put_str(&w, "without_price", str_z(unpriced));
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static void choice_text(const struct gpu_eval_ask *q, const struct gpu_eval *e,
			const struct str *priced, const struct str *unpriced,
			const struct out_as *as, struct str *out)
{
	static const char *const head[] = { "held out",      "choices", "cheapest found",
					    "cost regret",   "worst",   "by $/h alone",
					    "by speed alone" };
	const char *purchase = q->market.purchase;
	struct grid g = { 0 };
	for (int i = 0; i < 7; i++)
		grid_add_col(&g, head[i], i ? GRID_RIGHT : GRID_LEFT, false);
	regret_row(&g, "submitter", &e->submitter);
	regret_row(&g, "GPU model", &e->card);
	str_addz(
		out,
		"Cost of the work on the GPU chosen by prediction, above that on the GPU that measured cheapest.\n\n");
	print_grid(&g, as, out);
	str_addf(out, "\nCheapest %s price per GPU, $/h: %s.\n", purchase ? purchase : "on_demand",
		 str_z(priced));
	if (unpriced->n)
		str_addf(out, "No price, left out: %s.\n", str_z(unpriced));
}

static void print_choice(const struct gpu_eval_ask *q, const struct gpu_eval *e,
			 const struct out_as *as, struct str *out)
{
	struct str priced = { 0 }, unpriced = { 0 };

	name_prices(e, &priced, &unpriced);
	if (as->format == OUT_JSON)
		choice_json(e, &priced, &unpriced, out);
	else
		choice_text(q, e, &priced, &unpriced, as, out);
	str_free(&priced);
	str_free(&unpriced);
}

void gpu_eval_print(const struct gpu_eval_ask *q, const struct gpu_eval *e, const struct out_as *as,
		    struct str *out)
{
	if (e->mlperf)
		print_choice(q, e, as, out);
	else if (as->format == OUT_JSON)
		transfer_json(q, e, out);
	else
		transfer_text(q, e, as, out);
}
