/* The plan of the first half of the history, scored on the second: how far its ranges can be
 * trusted. */
#include "report/plan_formats.h"

#include <math.h>

#include "report/grid.h"
#include "report/plan_json.h"
#include "report/text.h"

static void put_json(const struct backtest *b, const struct plan_view *v, struct str *out)
{
	struct jw w;

	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_put_text(&w, "schema", "tare.plan-backtest/1");
	jw_put_num(&w, "month_hours", v->plan->month_hours, 6);
	jw_put_text(&w, "currency", v->plan->fleet->currency);
	jw_key(&w, "rows");
	jw_arr(&w);
	for (size_t i = 0; i < b->row.n; i++) {
		const struct backtest_row *r = &b->row.v[i];
		jw_obj(&w);
		jw_put_text(&w, "id", r->id);
		jw_put_text(&w, "lever", r->lever);
		jw_put_text(&w, "title", r->title);
		jw_put_dec(&w, "predicted_month", true, r->predicted_month);
		jw_put_dec(&w, "p05", true, r->p05_month);
		jw_put_dec(&w, "p95", true, r->p95_month);
		jw_put_dec(&w, "realised_month", true, r->realised_month);
		jw_key(&w, "within");
		jw_bool(&w, r->within);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_put_dec(&w, "predicted_month", true, b->predicted_month);
	jw_put_dec(&w, "realised_month", true, b->realised_month);
	jw_put_int(&w, "outcomes", b->outcomes);
	jw_put_int(&w, "within", b->within);
	jw_put_num(&w, "calibration_frac", text_frac(b->within, b->outcomes), 6);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static void put_csv(const struct backtest *b, struct str *out)
{
	char n[4][DEC_BUF];

	str_addz(out, "id,lever,title,predicted_month,p05,p95,realised_month,within\n");
	for (size_t i = 0; i < b->row.n; i++) {
		const struct backtest_row *r = &b->row.v[i];
		text_csv(out, sv_of(r->id));
		plan_csv_cell(out, r->lever);
		plan_csv_cell(out, r->title);
		str_addf(out, ",%s,%s,%s,%s,%s\n", dec_format(n[0], r->predicted_month),
			 dec_format(n[1], r->p05_month), dec_format(n[2], r->p95_month),
			 dec_format(n[3], r->realised_month), r->within ? "true" : "false");
	}
}

static void put_grid(const struct backtest *b, const struct plan *p, struct grid *g)
{
	static const char *const heads[] = { "planned on the first half", "foretold", "range",
					     "came", "within" };
	int digits = plan_digits(p);

	for (size_t i = 0; i < 5; i++)
		grid_add_col(g, heads[i], i && i < 4 ? GRID_RIGHT : GRID_LEFT, i == 0);
	for (size_t i = 0; i < b->row.n; i++) {
		const struct backtest_row *r = &b->row.v[i];
		const char **cell = grid_add_row(g, GRID_PLAIN);
		cell[0] = text_line(&g->mem, sv_of(r->title), 0);
		cell[1] = plan_money(&g->mem, r->predicted_month, digits);
		cell[2] = plan_range(&g->mem, r->p05_month, r->p95_month);
		cell[3] = plan_money(&g->mem, r->realised_month, digits);
		cell[4] = r->within ? "yes" : "no";
	}
	const char **cell = grid_add_row(g, GRID_TOTAL);
	cell[1] = plan_money(&g->mem, b->predicted_month, digits);
	cell[3] = plan_money(&g->mem, b->realised_month, digits);
}

void plan_print_backtest(const struct backtest *b, const struct plan_view *v, enum out_format f,
			 struct str *out)
{
	struct grid g = { 0 };

	if (f == OUT_JSON) {
		put_json(b, v, out);
		return;
	}
	if (f == OUT_CSV) {
		put_csv(b, out);
		return;
	}
	put_grid(b, v->plan, &g);
	str_addf(out, "Planned on the first half of the history, scored on the second; %s\n\n",
		 plan_unit(&g.mem, v->plan));
	if (f == OUT_MD)
		grid_md(&g, out);
	else
		grid_table(&g, v->width > 0 ? v->width : 80, v->colour, out);
	str_addf(out,
		 "\n%lld of %lld outcomes lie within their range (%s; 90 %% would be perfect).\n",
		 (long long)b->within, (long long)b->outcomes,
		 text_share(&g.mem, b->within, b->outcomes));
	grid_free(&g);
}
