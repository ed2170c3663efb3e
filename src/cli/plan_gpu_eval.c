/*
 * tare plan gpu --evaluate: how good the predictions are on files of measured speeds.
 *
 *   tables of training speeds   leave one GPU model out, two own measurements, beside the
 *                               one-factor model: opt/transfer
 *   MLPerf results              the cost of choosing a GPU by prediction against choosing it by
 *                               what was measured: plan_gpu_regret.c
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "base/jw.h"
#include "cli/plan_gpu_eval.h"
#include "feed/speedfile.h"
#include "plan/gpu_speed.h"

static int card_of(const struct catalog *cat, const struct gpu_spec *g)
{
	for (int i = 0; catalog_gpu_at(cat, (size_t)i); i++)
		if (catalog_gpu_at(cat, (size_t)i) == g)
			return i;
	return -1;
}

const char *eval_card_name(const struct eval *e, int card)
{
	return catalog_gpu_at(e->cat, (size_t)card)->model;
}

static void add_rows(struct eval *e, const struct speed_file *f, bool test)
{
	for (size_t i = 0; i < f->row.n; i++) {
		const struct speed_row *r = &f->row.v[i];
		int work = (int)intern_add(&e->work, sv_of(r->job)),
		    family = (int)intern_add(&e->family, sv_of(r->family));
		struct transfer_cell cell = { { card_of(e->cat, r->gpu), r->gpus, r->layout },
					      { work, work, family, r->batch, r->work_gpus },
					      r->speed };
		*vec_push(&e->train) = cell;
		if (test) {
			*vec_push(&e->test) = cell;
			*vec_push(&e->submitter) = arena_strn(&e->c->mem, r->submitter,
							      strlen(r->submitter));
		}
	}
}

static int read_file(struct eval *e, const char *path, bool test, struct err *err)
{
	struct input *in;
	struct speed_file f;
	int r = input_open(path, &in, err);
	if (r < 0)
		return r;
	r = speed_file_read(in, e->cat, &f, err);
	input_close(in);
	if (r < 0)
		return r;
	if (test) {
		e->fp32 = f.fp32;
		e->mlperf = f.kind == SPEED_MLPERF;
	}
	add_rows(e, &f, test);
	speed_file_free(&f);
	return 0;
}

static int whole(const struct cli *c, const char *name, int64_t other, int64_t lo, int64_t hi,
		 int64_t *ret, struct err *err)
{
	const char *z = cli_value(c, name);
	*ret = other;
	if (z && (sv_i64(sv_of(z), ret) < 0 || *ret < lo || *ret > hi))
		return err_set(err, -EINVAL, "--%s: '%s' is no number from %lld to %lld", name, z,
			       (long long)lo, (long long)hi);
	return 0;
}

static int load(struct eval *e, struct err *err)
{
	const char **also;
	size_t n = cli_values(e->c, "also", &also);
	int r = whole(e->c, "pairs", 20, 1, 1000, &e->pairs, err);
	if (r >= 0)
		r = whole(e->c, "seed", 1, 0, INT64_MAX, &e->seed, err);
	if (r >= 0)
		r = read_file(e, cli_value(e->c, "evaluate"), true, err);
	for (size_t i = 0; i < n && r >= 0; i++)
		r = read_file(e, also[i], false, err);
	const struct gpu_spec *g;
	for (size_t i = 0; r >= 0 && (g = catalog_gpu_at(e->cat, i)); i++)
		*vec_push(&e->card) = (struct transfer_card){ gpu_peak_tflops(g, e->fp32),
							      g->bandwidth_gb_s };
	return r;
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

static void transfer_json(const struct eval *e, const struct transfer_eval *v, struct str *out)
{
	struct jw w;
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.plan-gpu-evaluate/1");
	jw_key(&w, "pairs");
	jw_int(&w, e->pairs);
	jw_key(&w, "left_out");
	jw_arr(&w);
	for (size_t i = 0; i < v->ncard; i++) {
		jw_obj(&w);
		jw_key(&w, "gpu_model");
		jw_str(&w, eval_card_name(e, v->card[i].card));
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

static void score_row(struct grid *g, struct arena *mem, const char *name,
		      const struct transfer_score *s, enum grid_style style)
{
	const char **cell = grid_add_row(g, style);
	cell[0] = name;
	cell[1] = arena_printf(mem, "%lld", (long long)s->predictions);
	cell[2] = arena_printf(mem, "%.2f %%", s->mape * 100);
	cell[3] = arena_printf(mem, "%.2f %%", s->mape_one_factor * 100);
	cell[4] = arena_printf(mem, "%.0f %%", s->within_frac * 100);
}

void eval_print_grid(const struct eval *e, struct grid *g, struct str *out)
{
	if (e->c->output == OUT_MD)
		grid_md(g, out);
	else
		grid_table(g, e->c->width, e->c->colour, out);
	grid_free(g);
}

static void transfer_text(const struct eval *e, const struct transfer_eval *v, struct str *out)
{
	static const char *const head[] = { "left out", "predictions", "error", "one-factor",
					    "in range" };
	struct grid g = { 0 };
	for (int i = 0; i < 5; i++)
		grid_add_col(&g, head[i], i ? GRID_RIGHT : GRID_LEFT, false);
	for (size_t i = 0; i < v->ncard; i++)
		score_row(&g, &e->c->mem, eval_card_name(e, v->card[i].card), &v->card[i],
			  GRID_PLAIN);
	score_row(&g, &e->c->mem, "all", &v->all, GRID_TOTAL);
	str_addf(
		out,
		"Speed on a GPU model that the table has not, from two own measurements: mean absolute\nrelative error over %lld random pairs for each system.\n\n",
		(long long)e->pairs);
	eval_print_grid(e, &g, out);
	str_addf(
		out,
		"\nMean over GPU models: %.2f %%, one-factor %.2f %%. All: %.0f %% below the one-factor model.\n",
		v->macro_mape * 100, v->macro_one_factor * 100,
		(1 - v->all.mape / v->all.mape_one_factor) * 100);
}

static int evaluate_transfer(struct eval *e, struct str *out, struct err *err)
{
	struct transfer_eval v;
	int r = transfer_evaluate(e->card.n, e->card.v, e->train.n, e->train.v, e->test.n,
				  e->test.v, (int)e->pairs, (uint64_t)e->seed, &v, err);
	if (r < 0)
		return r;
	if (e->c->output == OUT_JSON)
		transfer_json(e, &v, out);
	else
		transfer_text(e, &v, out);
	transfer_eval_free(&v);
	return 0;
}

int plan_gpu_evaluate(struct cli *c, const struct catalog *cat, struct str *out, struct err *err)
{
	struct eval e = { .c = c, .cat = cat };
	int r = load(&e, err);
	if (r >= 0)
		r = e.mlperf ? eval_choice(&e, out, err) : evaluate_transfer(&e, out, err);
	vec_free(&e.card);
	vec_free(&e.test);
	vec_free(&e.train);
	vec_free(&e.submitter);
	intern_free(&e.work);
	intern_free(&e.family);
	return r;
}
