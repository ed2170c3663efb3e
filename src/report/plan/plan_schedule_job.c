/* `tare plan schedule` of one job: its cheapest start or pieces at each place. */
#include <math.h>

#include "base/str.h"
#include "base/tm.h"
#include "report/grid.h"
#include "report/plan/plan_schedule.h"

#define SHOWN 15 /* places of the table */

static bool at_once_cost(const void *row, union col_value *ret)
{
	const struct schedule_option *o = row;

	ret->money = nano_to_dec(o->now_nano) + o->egress;
	return o->now_nano >= 0;
}

static const struct col piece_cols[] = {
	{ "from", COL_TIME, offsetof(struct schedule_piece, from_ms), NULL, "it runs from then",
	  .always = true },
	{ "to", COL_TIME, offsetof(struct schedule_piece, to_ms), NULL, "until then",
	  .always = true },
	{ 0 },
};
static const struct col option_cols[] = {
	{ "place", COL_TEXT, offsetof(struct schedule_option, name), NULL,
	  "as the prices name it; empty: they name none", .always = true },
	{ "feasible", COL_BOOL, offsetof(struct schedule_option, feasible), NULL,
	  "whether it can be done by the deadline there", 0 },
	{ "start", COL_TIME, offsetof(struct schedule_option, start_ms), NULL, "best start",
	  offsetof(struct schedule_option, feasible) },
	{ "end", COL_TIME, offsetof(struct schedule_option, end_ms), NULL, "and its end",
	  offsetof(struct schedule_option, feasible) },
	{ "run_cost", COL_NANO, offsetof(struct schedule_option, run_nano), "money",
	  "of the machines", offsetof(struct schedule_option, feasible) },
	{ "egress_cost", COL_DEC, offsetof(struct schedule_option, egress), "money",
	  "of moving its data there and back", 0 },
	{ "cost", COL_DEC, offsetof(struct schedule_option, total), "money", "both",
	  offsetof(struct schedule_option, feasible) },
	{ "at_once_cost", COL_DEC, .get = at_once_cost, .unit = "money",
	  .help = "both, started at once; null: it cannot be" },
	{ "pieces", COL_LIST(struct schedule_option, piece, npiece, piece_cols),
	  .help = "where pieces are better than one run" },
	{ 0 },
};
struct row {
	const char *mode, *currency;
	const struct schedule_option *option;
	size_t n;
	int64_t from_ms, deadline_ms, at_once_nano;
	const char *home;
	struct schedule_option best;
	bool feasible;
	double saving_frac;
};
static const struct col cols[] = {
	{ "mode", COL_TEXT, offsetof(struct row, mode), NULL, "job", .always = true },
	{ "currency", COL_TEXT, offsetof(struct row, currency), NULL, "of all amounts",
	  .always = true },
	{ "from", COL_TIME, offsetof(struct row, from_ms), NULL, "earliest start", .always = true },
	{ "deadline", COL_TIME, offsetof(struct row, deadline_ms), NULL, "latest end",
	  .always = true },
	{ "home", COL_TEXT, offsetof(struct row, home), NULL, "where its data lie", 0 },
	{ "best", COL_ROW, offsetof(struct row, best), NULL,
	  "the cheapest place; null: no place is in time", offsetof(struct row, feasible),
	  .sub = option_cols },
	{ "at_once_cost", COL_NANO, offsetof(struct row, at_once_nano), "money",
	  "at home, started at once; null: it cannot be", 0 },
	{ "saving_frac", COL_NUM, offsetof(struct row, saving_frac), "fraction",
	  "what the best one costs less than that", .digits = 6 },
	{ "places", COL_LIST(struct row, option, n, option_cols), .help = "cheapest first" },
	{ 0 },
};
const struct col_doc schedule_job_doc = { "tare.plan-schedule/1", "plan schedule",
					  "when and where a job is cheapest", cols,
					  &schedule_fleet_doc };

static const char *format_usd(struct grid *g, bool known, dec v)
{
	char b[DEC_BUF];
	if (known)
		return arena_printf(&g->mem, "%s",
				    dec_format_people(b, v, v < DEC_ONE * 100 ? 4 : 2));
	return "-";
}

static const char *format_minute(struct arena *a, int64_t ms)
{
	char t[TM_BUF];
	return arena_printf(a, "%.10s %.5s", tm_format(t, ms), tm_format(t, ms) + 11);
}

void schedule_job_print(const struct schedule_job_ask *q, const struct schedule_job_answer *a,
			const struct out_as *as, struct str *out)
{
	if (as->format == OUT_JSON) {
		const struct row row = {
			.mode = "job",
			.currency = "USD",
			.option = a->option,
			.n = a->n,
			.from_ms = a->from_ms,
			.deadline_ms = a->deadline_ms,
			.at_once_nano = a->at_home ? a->at_home->now_nano : UNKNOWN_I64,
			.home = a->home,
			.best = a->option[0],
			.feasible = a->option[0].feasible,
			.saving_frac = a->saving_frac,
		};

		cols_doc(&schedule_job_doc, &row, out);
		return;
	}

	char b[DEC_BUF];
	struct arena own = { 0 }, *mem = &own;
	const struct schedule_option *home = a->at_home, *o = a->option;
	if (!o->feasible) {
		str_addz(out,
			 "No place has prices for the whole of the job before its deadline.\n");
		return;
	}
	str_addf(out, "Cheapest: %s%sfrom %s", o->name, text_if(*o->name, " "),
		 format_minute(mem, o->start_ms));
	str_addf(out, " to %s UTC, %s $/job", format_minute(mem, o->end_ms),
		 dec_format_people(b, o->total, 4));
	if (home)
		str_addf(out, " (%s at home, at once: %.1f %% less)",
			 dec_format_people(b, nano_to_dec(home->now_nano), 4),
			 100 * a->saving_frac);
	str_addz(out, ".\n");
	for (size_t i = 0; i < o->npiece && o->npiece > 1; i++)
		str_addf(out, "  piece %zu: %s to %s\n", i + 1,
			 format_minute(mem, o->piece[i].from_ms),
			 format_minute(mem, o->piece[i].to_ms));
	str_addc(out, '\n');
	arena_free(mem);

	static const char *const head[] = { "start (UTC)", "run", "data", "$/job", "at once" };
	struct grid g = { 0 };
	grid_add_col(&g, "place", GRID_LEFT, true);
	for (size_t i = 0; i < sizeof head / sizeof *head; i++)
		grid_add_col(&g, head[i], grid_side(i), false);
	for (size_t i = 0; i < a->n && i < SHOWN; i++) {
		const char **c = grid_add_row(&g, GRID_PLAIN);
		c[0] = filled_or(o[i].name, "(prices)");
		c[1] = o[i].feasible ? format_minute(&g.mem, o[i].start_ms) : "no price in time";
		c[2] = format_usd(&g, o[i].feasible, nano_to_dec(o[i].run_nano));
		c[3] = format_usd(&g, true, o[i].egress);
		c[4] = format_usd(&g, o[i].feasible, o[i].total);
		c[5] = format_usd(&g, o[i].now_nano >= 0, nano_to_dec(o[i].now_nano) + o[i].egress);
	}
	if (as->format == OUT_MD)
		grid_md(&g, out);
	else
		grid_table(&g, as->width, as->colour, out);
	if (a->n > SHOWN)
		str_addf(out, "... and %zu more places (-o json has all)\n", a->n - SHOWN);
	grid_free(&g);
	if (isnan(q->a.egress_gb) && a->n > 1)
		str_addz(out, "\nNo data is charged: say what follows the job with --egress-gb.\n");
}
