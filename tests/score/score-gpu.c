/*
 * How good tare's choice of a GPU is, on published tables of speeds (gpu_eval.h).
 *
 * usage: score-gpu [--also TABLE]... [--pairs N] [--seed N] [--json] TABLE
 *
 * TABLE: Lambda's training tables (CSV), Gavel's throughputs (JSON), MLPerf inference results (CSV)
 * or a CSV with gpu, workload, speed (and gpus, batch, class); .gz and .zst too. Prices are those
 * of the catalogue (TARE_DATA, TARE_NOW). --json: a line of the figures that are held to a goal.
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/jw.h"
#include "base/tm.h"
#include "gpu_eval.h"
#include "report/grid.h"

#define ALSO_MAX 16
#define WIDTH    120
#define EXIT_BAD 2 /* as tare exits on a wrong use and on what it cannot read */

static void put_grid(struct grid *g, struct str *out)
{
	grid_table(g, WIDTH, false, out);
	grid_free(g);
}

/* ---- tables of training speeds ----------------------------------------------------------- */

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

static void print_transfer(const struct gpu_eval_ask *q, const struct gpu_eval *e, struct str *out)
{
	static const char *const head[] = { "left out", "predictions", "error", "one-factor",
					    "in range" };
	const struct transfer_eval *v = &e->transfer;
	struct grid g = { 0 };

	for (int i = 0; i < 5; i++)
		grid_add_col(&g, head[i], grid_side(i), false);
	for (size_t i = 0; i < v->ngpu; i++)
		score_row(&g, e->gpu[v->gpu[i].gpu], &v->gpu[i], GRID_PLAIN);
	score_row(&g, "all", &v->all, GRID_TOTAL);
	str_addf(
		out,
		"Speed on a GPU model that the table has not, from two own measurements: mean absolute\nrelative error over %d random pairs for each system.\n\n",
		q->pairs);
	put_grid(&g, out);
	str_addf(
		out,
		"\nMean over GPU models: %.2f %%, one-factor %.2f %%. All: %.0f %% below the one-factor model.\n",
		v->macro_mape * 100, v->macro_one_factor * 100,
		(1 - v->all.mape / v->all.mape_one_factor) * 100);
}

/* ---- MLPerf ------------------------------------------------------------------------------ */

static const char *percent(struct grid *g, const char *format, double frac)
{
	if (isnan(frac))
		return "-";
	return arena_printf(&g->mem, format, 100 * frac);
}

static void regret_row(struct grid *g, const char *name, const struct gpu_regret *r)
{
	const char **cell = grid_add_row(g, GRID_PLAIN);
	double n = (double)r->choices;

	cell[0] = name;
	cell[1] = arena_printf(&g->mem, "%lld", (long long)r->choices);
	cell[2] = percent(g, "%.0f %%", (double)r->right / n);
	cell[3] = percent(g, "%.2f %%", r->ours / n);
	cell[4] = percent(g, "%.1f %%", r->choices ? r->worst : NAN);
	cell[5] = percent(g, "%.1f %%", r->cheapest_hour / n);
	cell[6] = percent(g, "%.1f %%", r->fastest / n);
}

static void print_prices(const struct gpu_eval *e, struct str *out)
{
	struct str unpriced = { 0 };
	const char *gap = "\nCheapest on_demand price per GPU, $/h: ";

	for (size_t i = 0; i < e->nprice; i++) {
		const struct gpu_eval_price *p = &e->price[i];
		if (p->nano_gpu_hour == INT64_MIN) {
			str_addf(&unpriced, "%s%s", text_if(unpriced.n, ", "), p->gpu);
			continue;
		}
		str_addf(out, "%s%s %.2f", gap, p->gpu, (double)p->nano_gpu_hour / 1e9);
		gap = ", ";
	}
	str_addz(out, ".\n");
	if (unpriced.n)
		str_addf(out, "No price, left out: %s.\n", str_z(&unpriced));
	str_free(&unpriced);
}

static void print_choice(const struct gpu_eval *e, struct str *out)
{
	static const char *const head[] = { "held out",      "choices", "cheapest found",
					    "cost regret",   "worst",   "by $/h alone",
					    "by speed alone" };
	struct grid g = { 0 };

	for (int i = 0; i < 7; i++)
		grid_add_col(&g, head[i], grid_side(i), false);
	regret_row(&g, "submitter", &e->submitter);
	regret_row(&g, "GPU model", &e->model);
	str_addz(
		out,
		"Cost of the work on the GPU chosen by prediction, above that on the GPU that measured cheapest.\n\n");
	put_grid(&g, out);
	print_prices(e, out);
}

/* ------------------------------------------------------------------------------------------ */

static void print_json(const struct gpu_eval *e, struct str *out)
{
	struct jw w;

	jw_init(&w, out, 0);
	jw_obj(&w);
	if (e->mlperf) {
		jw_put_num(&w, "submitter_regret_frac",
			   e->submitter.ours / (double)e->submitter.choices, 4);
		jw_put_num(&w, "gpu_regret_frac", e->model.ours / (double)e->model.choices, 4);
	} else {
		jw_put_int(&w, "predictions", e->transfer.all.predictions);
		jw_put_num(&w, "mape_frac", e->transfer.all.mape, 4);
		jw_put_num(&w, "one_factor_mape_frac", e->transfer.all.mape_one_factor, 4);
	}
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static int score(const struct gpu_eval_ask *q, bool json, struct err *err)
{
	struct gpu_eval e;
	struct str out = { 0 };
	int r = gpu_eval_make(q, &e, err);

	if (r < 0)
		return r;
	if (json)
		print_json(&e, &out);
	else if (e.mlperf)
		print_choice(&e, &out);
	else
		print_transfer(q, &e, &out);
	fputs(str_z(&out), stdout);
	str_free(&out);
	gpu_eval_free(&e);
	return 0;
}

static int usage(void)
{
	fputs("usage: score-gpu [--also TABLE]... [--pairs N] [--seed N] [--json] TABLE\n", stderr);
	return EXIT_BAD;
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "also", required_argument, NULL, 'a' },
						 { "pairs", required_argument, NULL, 'p' },
						 { "seed", required_argument, NULL, 's' },
						 { "json", no_argument, NULL, 'j' },
						 { 0 } };
	const char *also[ALSO_MAX];
	struct arena mem = { 0 };
	struct catalog *cat = NULL;
	struct err err = { 0 };
	struct gpu_eval_ask q = {
		.market.now_ms = tm_now_ms(), .mem = &mem, .also = also, .pairs = 20, .seed = 1
	};
	bool json = false;

	for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		if (c == 'a' && q.nalso < ALSO_MAX)
			also[q.nalso++] = optarg;
		else if (c == 'p')
			q.pairs = atoi(optarg);
		else if (c == 's')
			q.seed = strtoull(optarg, NULL, 10);
		else if (c == 'j')
			json = true;
		else
			return usage();
	}
	if (optind + 1 != argc || q.pairs < 1)
		return usage();
	q.file = argv[optind];
	int r = catalog_open(NULL, &cat, &err);
	q.cat = cat;
	if (r >= 0)
		r = score(&q, json, &err);
	if (r < 0)
		fprintf(stderr, "score-gpu: %s\n%s%s%s", err.msg, text_if(err.hint[0], "      "),
			err.hint, text_if(err.hint[0], "\n"));
	catalog_free(cat);
	arena_free(&mem);
	return r < 0 ? EXIT_BAD : 0;
}
