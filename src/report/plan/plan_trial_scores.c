/* How the proposals of each lever did: decisions, trials, and speeds told against measured. */
#include <math.h>

#include "base/dec.h"
#include "base/tm.h"
#include "report/grid.h"
#include "report/plan/plan_trial.h"
#include "report/text.h"

#define IN(member) offsetof(struct trial_score, member)
#define COUNT(key, member, about)                            \
	{                                                    \
		key, COL_SIZE, IN(member), "count", about, 0 \
	}
static const struct col score_cols[] = {
	{ "lever", COL_TEXT, IN(lever), .always = true, .help = "what kind of change" },
	COUNT("accepted", accepted, "decisions that stand"),
	COUNT("applied", applied, "items whose lines were given out, accepted or not"),
	COUNT("dismissed", dismissed, "that people do not want"),
	COUNT("go", go, "trials that came to go"),
	COUNT("no_go", no_go, "trials that came to no go"),
	COUNT("open", open, "trials that decided nothing"),
	COUNT("measured", measured, "trials with a speed"),
	COUNT("within", within, "of these, at the slow end of the range or above"),
	{ "speed_ratio", COL_NUM, IN(speed_ratio), .digits = 4,
	  .help = "median of measured over told; 1: as told; null: nothing measured" },
	COUNT("realised", realised,
	      "applied items whose outcome is told and that stand alone in their subject"),
	{ "realised_ratio", COL_NUM, IN(realised_ratio), .digits = 4,
	  .help = "of these, median of what they came to over what was told; null: none" },
	{ 0 },
};

static bool get_saved(const void *row, int64_t nano, union col_value *ret)
{
	ret->n = nano;
	return !((const struct outcome *)row)->why;
}

static bool get_realised(const void *row, union col_value *ret)
{
	return get_saved(row, ((const struct outcome *)row)->realised_nano, ret);
}

static bool get_p05(const void *row, union col_value *ret)
{
	return get_saved(row, ((const struct outcome *)row)->p05_nano, ret);
}

static bool get_p95(const void *row, union col_value *ret)
{
	return get_saved(row, ((const struct outcome *)row)->p95_nano, ret);
}

#define OUT(member) offsetof(struct outcome, member)
static const struct col outcome_cols[] = {
	{ "id", COL_TEXT, COL_VIA(struct outcome, of, id), .always = true,
	  .help = "of what was applied" },
	{ "lever", COL_TEXT, COL_VIA(struct outcome, of, lever), .help = "what kind of change" },
	{ "at", COL_TIME, COL_VIA(struct outcome, of, at_ms), .help = "its lines were given out" },
	{ "saving_month", COL_NANO, COL_VIA(struct outcome, of, saving_nano), .unit = "money",
	  .help = "as it was told" },
	{ "realised_month", COL_NANO, .get = get_realised, .unit = "money",
	  .help = "of all items of its subject, at the prices of before; null: see why" },
	{ "p05", COL_NANO, .get = get_p05, .unit = "money", .help = "of it, 5th percentile" },
	{ "p95", COL_NANO, .get = get_p95, .unit = "money", .help = "of it, 95th percentile" },
	{ "together", COL_SIZE, OUT(together), "count", "items of this subject, with it", 0 },
	{ "together_saving_month", COL_NANO, OUT(told_nano), "money",
	  "what these were told to save", 0 },
	{ "since", COL_TIME, OUT(from_ms), .help = "they are in force; looked at from then" },
	{ "until", COL_TIME, OUT(to_ms), .help = "looked at until then" },
	{ "why", COL_WORD, OUT(why), .help = "why nothing can be told; null: it can" },
	{ 0 },
};

struct scores {
	const struct trial_score *v;
	const struct outcome *outcome;
	size_t n, noutcome;
	const char *currency;
};
static const struct col cols[] = {
	{ "levers", COL_LIST(struct scores, v, n, score_cols),
	  .help = "that anything is known of" },
	{ "currency", COL_WORD, offsetof(struct scores, currency),
	  .help = "of the amounts; null: there are none" },
	{ "outcomes", COL_LIST(struct scores, outcome, noutcome, outcome_cols),
	  .help = "of what was applied, by time" },
	{ 0 },
};
const struct col_doc plan_trial_scores_doc = { "tare.plan-trial-scores/1", "plan trial --scores",
					       "what came of the proposals of each lever", cols };

static const char *format_part(struct arena *a, size_t n, size_t of)
{
	return text_or_dash(of, arena_printf(a, "%zu of %zu", n, of));
}

static const char *format_amount(struct arena *a, int64_t nano)
{
	char buf[DEC_BUF];

	return arena_printf(a, "%s", dec_format_people(buf, nano_to_dec(nano), 0));
}

static void put_outcomes(const struct outcomes *o, const struct out_as *as, struct str *out)
{
	struct grid g = { 0 };
	char day[TM_BUF];

	grid_add_col(&g, "applied", GRID_LEFT, true);
	grid_add_col(&g, arena_printf(&g.mem, "told %s/month", o->currency), GRID_RIGHT, false);
	grid_add_col(&g, "came to", GRID_RIGHT, false);
	grid_add_col(&g, "9 of 10 cases", GRID_RIGHT, false);
	grid_add_col(&g, "items", GRID_RIGHT, false);
	grid_add_col(&g, "since", GRID_RIGHT, false);
	for (size_t i = 0; i < o->n; i++) {
		const struct outcome *k = &o->v[i];
		const char **cell = grid_add_row(&g, GRID_PLAIN);
		cell[0] = text_line(&g.mem, sv_of(k->of->id), 0);
		cell[1] = format_amount(&g.mem, k->of->saving_nano);
		cell[2] = k->why ? "-" : format_amount(&g.mem, k->realised_nano);
		if (k->why)
			cell[3] = "-";
		else
			cell[3] = arena_printf(&g.mem, "%s to %s",
					       format_amount(&g.mem, k->p05_nano),
					       format_amount(&g.mem, k->p95_nano));
		cell[4] = arena_printf(&g.mem, "%zu", k->together);
		cell[5] = arena_printf(&g.mem, "%s", tm_format_date(day, k->from_ms));
	}
	str_addz(out, "\n");
	if (as->format == OUT_MD)
		grid_md(&g, out);
	else
		grid_table(&g, columns_or_80(as->width), as->colour, out);
	for (size_t i = 0; i < o->n; i++)
		if (o->v[i].why)
			str_addf(out, "%s: %s\n", text_line(&g.mem, sv_of(o->v[i].of->id), 0),
				 text_line(&g.mem, sv_of(o->v[i].why), 0));
	str_addz(
		out,
		"\ncame to: of its clusters, the work done since at the cost of before, less what it cost\n"
		"at the prices of before. items: applied to the same, and only told together.\n");
	grid_free(&g);
}

void plan_print_trial_scores(const struct trial_scores *s, const struct outcomes *o,
			     const struct out_as *as, struct str *out)
{
	struct grid g = { 0 };
	const struct scores doc = { s->v, o->v, s->n, o->n, o->currency };

	if (as->format == OUT_JSON) {
		cols_doc(&plan_trial_scores_doc, &doc, out);
		return;
	}
	if (as->format == OUT_CSV) {
		cols_csv(score_cols, s->v, s->n, sizeof *s->v, out);
		return;
	}
	if (!s->n) {
		str_addz(out,
			 "Nothing was decided and nothing was tried yet: tare plan trial ID\n");
		return;
	}

	static const char *const heads[] = { "lever", "accepted", "given out", "dismissed",
					     "go",    "in range", "speed",     "saved" };

	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
		grid_add_col(&g, heads[i], grid_side(i), !i);
	for (size_t i = 0; i < s->n; i++) {
		const struct trial_score *k = &s->v[i];
		const char **cell = grid_add_row(&g, GRID_PLAIN);
		cell[0] = k->lever;
		cell[1] = arena_printf(&g.mem, "%zu", k->accepted);
		cell[2] = arena_printf(&g.mem, "%zu", k->applied);
		cell[3] = arena_printf(&g.mem, "%zu", k->dismissed);
		cell[4] = format_part(&g.mem, k->go, k->go + k->no_go);
		cell[5] = format_part(&g.mem, k->within, k->measured);
		cell[6] = text_or_dash(isfinite(k->speed_ratio),
				       arena_printf(&g.mem, "%.2f", k->speed_ratio));
		cell[7] = text_or_dash(isfinite(k->realised_ratio),
				       arena_printf(&g.mem, "%.2f", k->realised_ratio));
	}
	if (as->format == OUT_MD)
		grid_md(&g, out);
	else
		grid_table(&g, columns_or_80(as->width), as->colour, out);
	str_addz(
		out,
		"\nin range: measured speeds at the slow end of the range or above. speed: measured\n"
		"over told, median. saved: what came of applied items that stand alone over what was\n"
		"told, median. On your own history: tare plan --backtest\n");
	grid_free(&g);
	if (o->n)
		put_outcomes(o, as, out);
}
