#include "base/tm.h"
#include "report/simulate/simulate_spot.h"

#include <math.h>

#include "base/mem.h"
#include "model/known.h"
#include "model/model.h"
#include "report/col.h"

/* ---- JSON -------------------------------------------------------------------------------- */

/* One sum of a policy, of either kind of replay: bound, halves and cells share the columns. */
struct sum_row {
	int64_t scenarios, late;
	dec mean_cost;
	double interruptions, restarts, moves; /* means; NAN: not told */
	struct simulate_spot_cell cell;
	const char *const *zone;
	size_t nzone;
};
struct score_row {
	const char *policy;
	struct sum_row all, half[2];
	double above_bound_frac, above_uniform_frac, costlier_frac, worst_frac;
	bool is_bound, has_halves;
	const struct sum_row *by;
	size_t nby;
};
struct policies {
	const char *currency;
	const struct score_row *score;
	size_t n;
	int64_t plans_made;
};

static bool has_cell(const struct sum_row *s)
{
	return s->cell.restart_ms != UNKNOWN_MS;
}

static bool get_restart(const void *row, union col_value *ret)
{
	const struct sum_row *s = row;

	ret->x = (double)s->cell.restart_ms / MS_HOUR;
	return has_cell(s);
}

static bool get_deadline(const void *row, union col_value *ret)
{
	const struct sum_row *s = row;

	ret->x = (double)s->cell.deadline_ms / MS_HOUR;
	return has_cell(s);
}

static bool get_zones(const void *row, union col_value *ret)
{
	const struct sum_row *s = row;

	ret->rows.p = s->zone;
	ret->rows.n = s->nzone;
	return s->zone != NULL;
}

static bool get_below_uniform(const void *row, union col_value *ret)
{
	ret->x = -((const struct score_row *)row)->above_uniform_frac;
	return isfinite(ret->x);
}

#define COST_COLS(S, at)                                                                           \
	{ "scenarios",        COL_INT,       offsetof(S, at scenarios), "count",                   \
	  "runs of the task", .always = true },                                                    \
		{ "mean_cost",                                                                     \
		  COL_DEC,                                                                         \
		  offsetof(S, at mean_cost),                                                       \
		  "money",                                                                         \
		  "what a run costs on average",                                                   \
		  .always = true },                                                                \
	{                                                                                          \
		"late", COL_INT, offsetof(S, at late), "count", "runs that missed their deadline", \
			.always = true                                                             \
	}
#define MEAN_COLS(S, at)                                                                         \
	{ "interruptions_mean",                                                                  \
	  COL_NUM,                                                                               \
	  offsetof(S, at interruptions),                                                         \
	  "count",                                                                               \
	  "spot machines taken away, a run",                                                     \
	  .digits = 3,                                                                           \
	  .optional = true },                                                                    \
		{ "restarts_mean",                                                               \
		  COL_NUM,                                                                       \
		  offsetof(S, at restarts),                                                      \
		  "count",                                                                       \
		  "times a run began again from its checkpoint, a run",                          \
		  .digits = 3,                                                                   \
		  .optional = true },                                                            \
	{                                                                                        \
		"moves_mean", COL_NUM, offsetof(S, at moves), "count", "changes of zone, a run", \
			.digits = 3, .optional = true                                            \
	}

static const struct col half_cols[] = { COST_COLS(struct sum_row, ), { 0 } };
static const struct col by_cols[] = {
	{ "restart_h", COL_NUM, .get = get_restart, .unit = "hours", .digits = 6, .optional = true,
	  .help = "what each restart takes" },
	{ "deadline_h", COL_NUM, .get = get_deadline, .unit = "hours", .digits = 6,
	  .optional = true, .help = "from a run's start to its deadline" },
	{ "zones", COL_TEXTS, .get = get_zones, .optional = true,
	  .help = "zones to be had together; not told where each history is of one zone" },
	COST_COLS(struct sum_row, ),
	MEAN_COLS(struct sum_row, ),
	{ 0 },
};
static const struct col score_cols[] = {
	{ "policy", COL_TEXT, offsetof(struct score_row, policy), NULL,
	  "greedy, uniform, on-demand, tare, or offline: the bound, which knows every tick",
	  .always = true },
	COST_COLS(struct score_row, all.),
	MEAN_COLS(struct score_row, all.),
	{ "above_bound_frac", COL_NUM, offsetof(struct score_row, above_bound_frac), "share",
	  "cost above the bound's; null: the bound did not run", .digits = 6 },
	{ "below_uniform_frac", COL_NUM, .get = get_below_uniform, .unit = "share", .digits = 6,
	  .help = "cost below the uniform policy's; null: it did not run" },
	{ "dearer_than_uniform_frac", COL_NUM, offsetof(struct score_row, costlier_frac), "share",
	  "of the runs, cost more than the uniform policy's; not told for zones", .digits = 6,
	  .optional = true },
	{ "worst_above_uniform_frac", COL_NUM, offsetof(struct score_row, worst_frac), "share",
	  "most that a run cost above the uniform policy's; not told for zones", .digits = 6,
	  .optional = true },
	{ "even_windows", COL_ROW, .at = offsetof(struct score_row, half[0]),
	  .has_at = offsetof(struct score_row, has_halves), .sub = half_cols, .optional = true,
	  .help = "runs from every other start" },
	{ "odd_windows", COL_ROW, .at = offsetof(struct score_row, half[1]),
	  .has_at = offsetof(struct score_row, has_halves), .sub = half_cols, .optional = true,
	  .help = "runs from the starts between" },
	{ "by", COL_LIST(struct score_row, by, nby, by_cols),
	  .help = "the runs by restart and deadline, or by zones" },
	{ 0 },
};
static const struct col policies_cols[] = {
	{ "currency", COL_TEXT, offsetof(struct policies, currency), NULL, "of every cost",
	  .always = true },
	{ "policies", COL_LIST(struct policies, score, n, score_cols),
	  .help = "those asked for, each on the same histories" },
	{ "plans_made", COL_INT, offsetof(struct policies, plans_made), "count",
	  "times that the policy tare made the plans of a market: once for each length of a tick and each restart; not told for zones",
	  .optional = true },
	{ 0 },
};
const struct col_doc simulate_spot_doc = { "tare.simulate-spot/1", "simulate spot",
					   "policies for spot machines on histories",
					   policies_cols };

static double mean_of(int64_t sum, int64_t n)
{
	return (double)sum / (double)n;
}

static struct sum_row spot_sum(const struct simulate_spot_sum *s)
{
	return (struct sum_row){ .scenarios = s->n,
				 .late = s->late,
				 .mean_cost = s->mean_usd,
				 .interruptions = NAN,
				 .restarts = NAN,
				 .moves = NAN,
				 .cell.restart_ms = UNKNOWN_MS };
}

static struct sum_row zones_sum(const struct simulate_zones_sum *t, bool is_bound)
{
	bool runs = !is_bound;

	return (struct sum_row){ .scenarios = t->n,
				 .late = t->late,
				 .mean_cost = dec_from_double(t->mean_usd),
				 .interruptions = num_if(runs, mean_of(t->interruptions, t->n)),
				 .restarts = num_if(runs, mean_of(t->restarts, t->n)),
				 .moves = num_if(runs, mean_of(t->moves, t->n)),
				 .cell.restart_ms = UNKNOWN_MS };
}

/* ---- table ------------------------------------------------------------------------------- */

static void put_percent(struct str *out, double frac)
{
	if (isnan(frac))
		str_addf(out, " %10s", "-");
	else
		str_addf(out, " %+9.2f%%", frac * 100);
}

static void put_mean(struct str *out, int width, double mean)
{
	if (isnan(mean))
		str_addf(out, " %*s", width, "-");
	else
		str_addf(out, " %*.2f", width, mean);
}

static void put_table(const struct policies *p, bool has_moves, struct str *out)
{
	bool has_bound = false;

	str_addf(out, "%-10s %10s %16s %6s %14s%s %10s %10s\n", "policy", "scenarios",
		 "mean $/task", "late", "interruptions", text_if(has_moves, "      moves"),
		 "to bound", "to uniform");
	for (size_t i = 0; i < p->n; i++) {
		const struct score_row *x = &p->score[i];
		char money[DEC_BUF];
		str_addf(out, "%-10s %10lld %16s %6lld", x->policy, (long long)x->all.scenarios,
			 dec_format_fixed(money, x->all.mean_cost, 5), (long long)x->all.late);
		put_mean(out, 14, x->all.interruptions);
		if (has_moves)
			put_mean(out, 10, x->all.moves);
		put_percent(out, x->above_bound_frac);
		put_percent(out, x->above_uniform_frac);
		str_addc(out, '\n');
		has_bound |= x->is_bound;
	}
	if (has_bound)
		str_addz(out, "\noffline knows every tick beforehand: the bound, not a policy.\n");
}

/* ------------------------------------------------------------------------------------------ */

void simulate_spot_print(const struct simulate_spot *a, const struct out_as *as, struct str *out)
{
	struct arena mem = { 0 };
	struct score_row *v = arena_zalloc(&mem, (a->n + 1) * sizeof *v);

	for (size_t i = 0; i < a->n; i++) {
		const struct simulate_spot_score *x = &a->score[i];
		struct sum_row *by = arena_zalloc(&mem, (a->ncell + 1) * sizeof *by);

		v[i] = (struct score_row){ .policy = x->policy,
					   .is_bound = x->is_bound,
					   .all = spot_sum(&x->all),
					   .half = { spot_sum(&x->half[0]), spot_sum(&x->half[1]) },
					   .above_bound_frac = x->above_bound_frac,
					   .above_uniform_frac = x->above_uniform_frac,
					   .costlier_frac = x->costlier_frac,
					   .worst_frac = x->worst_above_uniform_frac,
					   .has_halves = a->has_halves,
					   .by = by,
					   .nby = a->ncell };
		if (!x->is_bound) {
			v[i].all.interruptions = mean_of(x->all.interruptions, x->all.n);
			v[i].all.restarts = mean_of(x->all.restarts, x->all.n);
		}
		for (size_t k = 0; k < a->ncell; k++) {
			by[k] = spot_sum(&x->by[k]);
			by[k].cell = a->cell[k];
		}
	}
	const struct policies p = { "USD", v, a->n, a->planned };
	if (as->format == OUT_JSON)
		cols_doc(&simulate_spot_doc, &p, out);
	else
		put_table(&p, false, out);
	arena_free(&mem);
}

void simulate_zones_print(const struct simulate_zones *a, const struct out_as *as, struct str *out)
{
	struct arena mem = { 0 };
	struct score_row *v = arena_zalloc(&mem, (a->n + 1) * sizeof *v);

	for (size_t i = 0; i < a->n; i++) {
		const struct simulate_zones_score *x = &a->score[i];
		struct sum_row *by = arena_alloc(&mem, sizeof *by);

		*by = zones_sum(&x->all, x->is_bound);
		by->zone = a->zone;
		by->nzone = a->nzone;
		v[i] = (struct score_row){ .policy = x->policy,
					   .is_bound = x->is_bound,
					   .all = zones_sum(&x->all, x->is_bound),
					   .above_bound_frac = x->above_bound_frac,
					   .above_uniform_frac = x->above_uniform_frac,
					   .costlier_frac = NAN,
					   .worst_frac = NAN,
					   .by = by,
					   .nby = 1 };
	}
	const struct policies p = { "USD", v, a->n, UNKNOWN_I64 };
	if (as->format == OUT_JSON)
		cols_doc(&simulate_spot_doc, &p, out);
	else
		put_table(&p, true, out);
	arena_free(&mem);
}
