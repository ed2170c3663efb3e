/* How the proposals of each lever did: decisions, trials, and speeds told against measured. */
#include <math.h>

#include "report/grid.h"
#include "report/plan_trial.h"
#include "report/text.h"

#define IN(member) offsetof(struct trial_score, member)
#define COUNT(key, member, about)                            \
	{                                                    \
		key, COL_SIZE, IN(member), "count", about, 0 \
	}
static const struct col score_cols[] = {
	{ "lever", COL_TEXT, IN(lever), .always = true, .help = "what kind of change" },
	COUNT("accepted", accepted, "decisions that stand"),
	COUNT("applied", applied, "of which the lines were given out"),
	COUNT("dismissed", dismissed, "that people do not want"),
	COUNT("go", go, "trials that came to go"),
	COUNT("no_go", no_go, "trials that came to no go"),
	COUNT("open", open, "trials that decided nothing"),
	COUNT("measured", measured, "trials with a speed"),
	COUNT("within", within, "of these, at the slow end of the range or above"),
	{ "speed_ratio", COL_NUM, IN(speed_ratio), .digits = 4,
	  .help = "median of measured over told; 1: as told; null: nothing measured" },
	{ 0 },
};
struct scores {
	const struct trial_score *v;
	size_t n;
};
static const struct col cols[] = {
	{ "levers", COL_LIST(struct scores, v, n, score_cols),
	  .help = "that anything is known of" },
	{ 0 },
};
const struct col_doc plan_trial_scores_doc = { "tare.plan-trial-scores/1", "plan trial --scores",
					       "what came of the proposals of each lever", cols };

static const char *part(struct arena *a, size_t n, size_t of)
{
	return of ? arena_printf(a, "%zu of %zu", n, of) : "-";
}

static void put_grid(const struct trial_scores *s, struct grid *g)
{
	static const char *const heads[] = { "lever", "accepted", "given out", "dismissed",
					     "go",    "in range", "speed" };

	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
		grid_add_col(g, heads[i], i ? GRID_RIGHT : GRID_LEFT, !i);
	for (size_t i = 0; i < s->n; i++) {
		const struct trial_score *k = &s->v[i];
		const char **cell = grid_add_row(g, GRID_PLAIN);
		cell[0] = k->lever;
		cell[1] = arena_printf(&g->mem, "%zu", k->accepted);
		cell[2] = arena_printf(&g->mem, "%zu", k->applied);
		cell[3] = arena_printf(&g->mem, "%zu", k->dismissed);
		cell[4] = part(&g->mem, k->go, k->go + k->no_go);
		cell[5] = part(&g->mem, k->within, k->measured);
		cell[6] = isfinite(k->speed_ratio) ? arena_printf(&g->mem, "%.2f", k->speed_ratio)
						   : "-";
	}
}

void plan_print_trial_scores(const struct trial_scores *s, const struct out_as *as, struct str *out)
{
	struct grid g = { 0 };
	const struct scores doc = { s->v, s->n };

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
	put_grid(s, &g);
	if (as->format == OUT_MD)
		grid_md(&g, out);
	else
		grid_table(&g, as->width > 0 ? as->width : 80, as->colour, out);
	str_addz(
		out,
		"\nin range: measured speeds at the slow end of the range or above. speed: measured\n"
		"over told, median. On your own history: tare plan --backtest\n");
	grid_free(&g);
}
