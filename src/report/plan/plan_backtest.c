/* The plan of the first half of the history, scored on the second: how far its ranges can be
 * trusted. */
#include "base/str.h"
#include "report/plan/plan_formats.h"

#include <math.h>

#include "report/grid.h"
#include "report/text.h"

static const struct col row_cols[] = {
	{ "id", COL_TEXT, offsetof(struct backtest_row, id), NULL, "of the recommendation",
	  .always = true },
	{ "lever", COL_TEXT, offsetof(struct backtest_row, lever), NULL, "what made it",
	  .always = true },
	{ "title", COL_TEXT, offsetof(struct backtest_row, title), NULL, "what is to be done",
	  .always = true },
	{ "predicted_month", COL_DEC, offsetof(struct backtest_row, predicted_month), "money",
	  "saving by the first half of the history", 0 },
	{ "p05", COL_DEC, offsetof(struct backtest_row, p05_month), "money",
	  "of its range, 5th percentile", 0 },
	{ "p95", COL_DEC, offsetof(struct backtest_row, p95_month), "money",
	  "of its range, 95th percentile", 0 },
	{ "realised_month", COL_DEC, offsetof(struct backtest_row, realised_month), "money",
	  "saving in the second half; null: its machines were not watched then",
	  offsetof(struct backtest_row, known) },
	{ "within", COL_BOOL, offsetof(struct backtest_row, within), NULL,
	  "whether that lies within the range", offsetof(struct backtest_row, known) },
	{ 0 },
};
struct row {
	double month_hours, calibration_frac;
	const char *currency;
	const struct backtest_row *row;
	size_t n;
	dec predicted_month, realised_month;
	int64_t outcomes, within, unknown;
};
static const struct col cols[] = {
	{ "month_hours", COL_NUM, offsetof(struct row, month_hours), "h", "hours of a month",
	  .digits = 6 },
	{ "currency", COL_TEXT, offsetof(struct row, currency), NULL, "of all amounts", 0 },
	{ "rows", COL_LIST(struct row, row, n, row_cols), .help = "in the order of the plan" },
	{ "predicted_month", COL_DEC, offsetof(struct row, predicted_month), "money",
	  "of all outcomes", 0 },
	{ "realised_month", COL_DEC, offsetof(struct row, realised_month), "money",
	  "of all outcomes", 0 },
	{ "outcomes", COL_INT, offsetof(struct row, outcomes), "count",
	  "that the second half could tell", .always = true },
	{ "within", COL_INT, offsetof(struct row, within), "count", "of them within their range",
	  .always = true },
	{ "unknown", COL_INT, offsetof(struct row, unknown), "count",
	  "of the plan that the second half could not tell, in no sum", .always = true },
	{ "calibration_frac", COL_NUM, offsetof(struct row, calibration_frac), "fraction",
	  "of the outcomes within their range; 0.9 would be perfect", .digits = 6 },
	{ 0 },
};
const struct col_doc plan_backtest_doc = {
	"tare.plan-backtest/1", "plan --backtest",
	"the plan of the first half of the history, scored on the second", cols
};

void plan_print_backtest(const struct backtest *b, const struct plan_view *v, enum out_format f,
			 struct str *out)
{
	struct grid g = { 0 };

	if (f == OUT_JSON) {
		const char *currency = v->plan->fleet->currency;
		const struct row row = {
			.month_hours = v->plan->month_hours,
			.currency = filled_or(currency, NULL),
			.row = b->row.v,
			.n = b->row.n,
			.predicted_month = b->predicted_month,
			.realised_month = b->realised_month,
			.outcomes = b->outcomes,
			.within = b->within,
			.unknown = b->unknown,
			.calibration_frac = text_frac(b->within, b->outcomes),
		};

		cols_doc(&plan_backtest_doc, &row, out);
		return;
	}
	if (f == OUT_CSV) {
		cols_csv(row_cols, b->row.v, b->row.n, sizeof *b->row.v, out);
		return;
	}

	static const char *const heads[] = { "planned on the first half", "foretold", "range",
					     "came", "within" };
	int digits = plan_digits(v->plan);

	for (size_t i = 0; i < 5; i++)
		grid_add_col(&g, heads[i], grid_side(i && i < 4), i == 0);
	for (size_t i = 0; i < b->row.n; i++) {
		const struct backtest_row *r = &b->row.v[i];
		const char **cell = grid_add_row(&g, GRID_PLAIN);
		cell[0] = text_line(&g.mem, sv_of(r->title), 0);
		cell[1] = plan_money(&g.mem, r->predicted_month, digits);
		cell[2] = plan_range(&g.mem, r->p05_month, r->p95_month);
		cell[3] = "-";
		cell[4] = "unknown";
		if (!r->known)
			continue;
		cell[3] = plan_money(&g.mem, r->realised_month, digits);
		cell[4] = r->within ? "yes" : "no";
	}
	const char **cell = grid_add_row(&g, GRID_TOTAL);
	cell[1] = plan_money(&g.mem, b->predicted_month, digits);
	cell[3] = plan_money(&g.mem, b->realised_month, digits);
	str_addf(out, "Planned on the first half of the history, scored on the second; %s\n\n",
		 plan_unit(&g.mem, v->plan));
	if (f == OUT_MD)
		grid_md(&g, out);
	else
		grid_table(&g, columns_or_80(v->width), v->colour, out);
	str_addf(out,
		 "\n%lld of %lld outcomes lie within their range (%s; 90 %% would be perfect).\n",
		 (long long)b->within, (long long)b->outcomes,
		 text_share(&g.mem, b->within, b->outcomes));
	if (b->unknown)
		str_addf(
			out,
			"%lld more cannot be told, and is in no sum: the machines were not watched in the second half.\n",
			(long long)b->unknown);
	grid_free(&g);
}
