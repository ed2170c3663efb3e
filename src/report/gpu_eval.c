#include "report/gpu_eval.h"

#include <math.h>

#include "base/str.h"
#include "model/known.h"
#include "report/grid.h"
#include "report/text.h"

static void print_grid(struct grid *g, const struct out_as *as, struct str *out)
{
	if (as->format == OUT_MD)
		grid_md(g, out);
	else
		grid_table(g, as->width, as->colour, out);
	grid_free(g);
}

/* ---- tables of training speeds ----------------------------------------------------------- */

struct score_row {
	const char *gpu;
	struct transfer_score s;
};
struct transfer_row {
	int64_t pairs;
	struct score_row *card;
	size_t n;
	struct transfer_score all;
	double below_frac, macro_mape, macro_one_factor;
};
#define NUM(key, S, member, text)                                                \
	{                                                                        \
		key, COL_NUM, offsetof(S, member), "fraction", text, .digits = 4 \
	}
#define SCORE(S, member)                                                          \
	{                                                                         \
		"predictions", COL_INT, offsetof(S, member.predictions),          \
		"count",       "made",  .always = true                            \
	},                                                                        \
		NUM("mape_frac", S, member.mape, "mean absolute relative error"), \
		NUM("one_factor_mape_frac", S, member.mape_one_factor,            \
		    "that of one factor for each GPU"),                           \
		NUM("within_range_frac", S, member.within_frac,                   \
		    "of the predictions within their range")
static const struct col score_cols[] = {
	{ "gpu_model", COL_TEXT, offsetof(struct score_row, gpu), NULL, "left out and predicted",
	  .always = true },
	SCORE(struct score_row, s),
	{ 0 },
};
static const struct col transfer_cols[] = {
	{ "pairs", COL_INT, offsetof(struct transfer_row, pairs), "count",
	  "of own measurements drawn for each system", .always = true },
	{ "left_out", COL_LIST(struct transfer_row, card, n, score_cols), .help = "by GPU model" },
	SCORE(struct transfer_row, all),
	NUM("below_one_factor_frac", struct transfer_row, below_frac,
	    "by which the error is below that of one factor"),
	NUM("mean_over_gpus_mape_frac", struct transfer_row, macro_mape,
	    "mean of the errors of the GPU models"),
	NUM("mean_over_gpus_one_factor_mape_frac", struct transfer_row, macro_one_factor,
	    "the same of one factor"),
	{ 0 },
};
static const struct col_doc transfer_doc = {
	"tare.plan-gpu-evaluate/1", "plan gpu --evaluate",
	"predicted speeds on GPU models that the table has not", transfer_cols
};

static void transfer_json(const struct gpu_eval_ask *q, const struct gpu_eval *e, struct str *out)
{
	const struct transfer_eval *v = &e->transfer;
	struct arena mem = { 0 };
	struct score_row *card = arena_zalloc(&mem, (v->ncard + 1) * sizeof *card);
	const struct transfer_row row = {
		.pairs = q->pairs,
		.card = card,
		.n = v->ncard,
		.all = v->all,
		.below_frac = 1 - v->all.mape / v->all.mape_one_factor,
		.macro_mape = v->macro_mape,
		.macro_one_factor = v->macro_one_factor,
	};

	for (size_t i = 0; i < v->ncard; i++)
		card[i] = (struct score_row){ e->gpu[v->card[i].card], v->card[i] };
	cols_doc(&transfer_doc, &row, out);
	arena_free(&mem);
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
		grid_add_col(&g, head[i], grid_side(i), false);
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

struct regret {
	int64_t choices;
	double right_frac, mean, worst, cheapest_hour, fastest;
};
struct choice_row {
	struct regret submitter, card;
	const char *priced, *unpriced;
};
static const struct col regret_cols[] = {
	{ "choices", COL_INT, offsetof(struct regret, choices), "count", "made", .always = true },
	NUM("cheapest_chosen_frac", struct regret, right_frac,
	    "of the choices that were the cheapest GPU"),
	NUM("mean_cost_regret_frac", struct regret, mean, "cost above that of the cheapest, mean"),
	NUM("worst_cost_regret_frac", struct regret, worst,
	    "cost above that of the cheapest, at most"),
	NUM("cheapest_hour_regret_frac", struct regret, cheapest_hour,
	    "the mean, had the least price of an hour been chosen"),
	NUM("fastest_regret_frac", struct regret, fastest, "the mean, had the fastest been chosen"),
	{ 0 },
};
static const struct col choice_cols[] = {
	{ "held_out_submitter", COL_ROW, offsetof(struct choice_row, submitter), NULL,
	  "choices without the results of the submitter", .sub = regret_cols },
	{ "held_out_gpu", COL_ROW, offsetof(struct choice_row, card), NULL,
	  "choices without the results of the GPU model", .sub = regret_cols },
	{ "usd_gpu_hour", COL_TEXT, offsetof(struct choice_row, priced), NULL,
	  "GPU models and their prices", .always = true },
	{ "without_price", COL_TEXT, offsetof(struct choice_row, unpriced), NULL,
	  "GPU models that do not count", .always = true },
	{ 0 },
};
const struct col_doc gpu_eval_doc = {
	"tare.plan-gpu-evaluate/1", "plan gpu --evaluate",
	"what choosing a GPU by prediction costs above the best, in MLPerf", choice_cols,
	&transfer_doc
};

static struct regret regret(const struct gpu_regret *r)
{
	double n = (double)r->choices;

	return (struct regret){
		.choices = r->choices,
		.right_frac = (double)r->right / n,
		.mean = r->ours / n,
		.worst = num_if(r->choices, r->worst),
		.cheapest_hour = r->cheapest_hour / n,
		.fastest = r->fastest / n,
	};
}

static void regret_row(struct grid *g, const char *name, const struct gpu_regret *r)
{
	const char **cell = grid_add_row(g, GRID_PLAIN);
	double n = (double)r->choices;
	cell[0] = name;
	cell[1] = arena_printf(&g->mem, "%lld", (long long)r->choices);
	cell[2] = text_or_dash(r->choices,
			       arena_printf(&g->mem, "%.0f %%", 100 * (double)r->right / n));
	cell[3] = text_or_dash(r->choices, arena_printf(&g->mem, "%.2f %%", 100 * r->ours / n));
	cell[4] = text_or_dash(r->choices, arena_printf(&g->mem, "%.1f %%", 100 * r->worst));
	cell[5] = text_or_dash(r->choices,
			       arena_printf(&g->mem, "%.1f %%", 100 * r->cheapest_hour / n));
	cell[6] = text_or_dash(r->choices, arena_printf(&g->mem, "%.1f %%", 100 * r->fastest / n));
}

/* The GPUs of the file and what they cost; those without a price do not count. */
static void name_prices(const struct gpu_eval *e, struct str *priced, struct str *unpriced)
{
	for (size_t i = 0; i < e->nprice; i++) {
		const struct gpu_eval_price *p = &e->price[i];
		if (p->nano_gpu_hour != INT64_MIN)
			str_addf(priced, "%s%s %.2f", text_if(priced->n, ", "), p->gpu,
				 (double)p->nano_gpu_hour / 1e9);
		else
			str_addf(unpriced, "%s%s", text_if(unpriced->n, ", "), p->gpu);
	}
}

static void choice_json(const struct gpu_eval *e, const struct str *priced,
			const struct str *unpriced, struct str *out)
{
	const struct choice_row row = { regret(&e->submitter), regret(&e->card), str_z(priced),
					str_z(unpriced) };

	cols_doc(&gpu_eval_doc, &row, out);
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
		grid_add_col(&g, head[i], grid_side(i), false);
	regret_row(&g, "submitter", &e->submitter);
	regret_row(&g, "GPU model", &e->card);
	str_addz(
		out,
		"Cost of the work on the GPU chosen by prediction, above that on the GPU that measured cheapest.\n\n");
	print_grid(&g, as, out);
	str_addf(out, "\nCheapest %s price per GPU, $/h: %s.\n", text_or(purchase, "on_demand"),
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
