#include "report/plan/plan_commit.h"

#include <math.h>

#include "base/str.h"
#include "base/tm.h"
#include "model/known.h"
#include "report/grid.h"
#include "report/text.h"

#define TABLE_BUYS 15
/* times before 1980 are hours counted from 0, not dates */
#define DATES_FROM_MS (10 * 365 * MS_DAY)

static double cost_ratio(double cost, const struct commit_answer *a)
{
	return num_if(a->best.cost > 0, cost / a->best.cost);
}

/* ---- JSON, CSV --------------------------------------------------------------------------- */

struct buy_row {
	int64_t hour, at_ms, term_hours, units;
	double rate_frac;
};
struct term_row {
	struct commit_term t;
	double break_even_h, static_level;
};
struct rule_row {
	const char *name;
	dec cost;
	double ratio, coverage_frac, utilisation_frac;
};
struct offer_row {
	const char *name;
	int64_t units;
	double rate, break_even_frac;
};
struct row {
	const char *rule, *unit;
	int64_t hours, gaps;
	dec cost, on_demand, optimum;
	double ratio;
	struct commit_result own;
	struct term_row *term;
	size_t nterm;
	struct rule_row *other;
	size_t nother;
	bool compare, offers;
	int64_t units;
	dec upfront, saving_hour;
	double coverage_frac, utilisation_frac;
	struct offer_row *offer;
	struct buy_row *buy;
	size_t nbuy;
};
static const struct col buy_cols[] = {
	{ "hour", COL_INT, offsetof(struct buy_row, hour), "h", "of the demand, from 0",
	  .always = true },
	{ "time", COL_TIME, offsetof(struct buy_row, at_ms), NULL,
	  "of that hour; null: the demand has no dates", .json_only = true },
	{ "term_hours", COL_INT, offsetof(struct buy_row, term_hours), "h", "of the term",
	  .always = true },
	{ "rate_frac", COL_NUM, offsetof(struct buy_row, rate_frac), "fraction",
	  "of the price on demand", .digits = 9 },
	{ "units", COL_INT, offsetof(struct buy_row, units), "count", "bought then",
	  .always = true },
	{ 0 },
};
static const struct col term_cols[] = {
	{ "term_hours", COL_INT, offsetof(struct term_row, t.hours), "h", "of the term",
	  .always = true },
	{ "rate_frac", COL_NUM, offsetof(struct term_row, t.rate_frac), "fraction",
	  "of the price on demand", .digits = 9 },
	{ "break_even_hours", COL_NUM, offsetof(struct term_row, break_even_h), "h",
	  "a unit pays off when used so many of them", .digits = 6 },
	{ "static_level_hindsight", COL_NUM, offsetof(struct term_row, static_level), "count",
	  "units that would have been best to hold all the time", .digits = 3 },
	{ 0 },
};
static const struct col rule_cols[] = {
	{ "policy", COL_TEXT, offsetof(struct rule_row, name), NULL, "how it buys",
	  .always = true },
	{ "cost", COL_DEC, offsetof(struct rule_row, cost), "money", "of all hours", 0 },
	{ "ratio", COL_NUM, offsetof(struct rule_row, ratio), NULL, "to the optimum", .digits = 6 },
	{ "coverage_frac", COL_NUM, offsetof(struct rule_row, coverage_frac), "fraction",
	  "of the demand that commitments served", .digits = 6 },
	{ "utilisation_frac", COL_NUM, offsetof(struct rule_row, utilisation_frac), "fraction",
	  "of the hours committed to that were used", .digits = 6 },
	{ 0 },
};
static const struct col offer_cols[] = {
	{ "name", COL_TEXT, offsetof(struct offer_row, name), NULL, "as it was given",
	  .always = true },
	{ "units", COL_INT, offsetof(struct offer_row, units), "count", "to hold", .always = true },
	{ "effective_hour", COL_NUM, offsetof(struct offer_row, rate), "money",
	  "of a unit, with money down and what that costs", .digits = 9 },
	{ "break_even_frac", COL_NUM, offsetof(struct offer_row, break_even_frac), "fraction",
	  "of its hours that a unit must be used; above 1: it never pays off", .digits = 6 },
	{ 0 },
};
static const struct col today_cols[] = {
	{ "units", COL_INT, offsetof(struct row, units), "count", "of all offers", .always = true },
	{ "upfront", COL_DEC, offsetof(struct row, upfront), "money", "down, for all of them", 0 },
	{ "coverage_frac", COL_NUM, offsetof(struct row, coverage_frac), "fraction",
	  "of the demand forecast that they serve", .digits = 6 },
	{ "utilisation_frac", COL_NUM, offsetof(struct row, utilisation_frac), "fraction",
	  "of their hours that are used", .digits = 6 },
	{ "expected_saving_hour", COL_DEC, offsetof(struct row, saving_hour), "money",
	  "an hour, against on demand", 0 },
	{ "offers", COL_LIST(struct row, offer, nterm, offer_cols), .help = "in the order given" },
	{ 0 },
};
static const struct col cols[] = {
	{ "policy", COL_TEXT, offsetof(struct row, rule), NULL, "how it buys", .always = true },
	{ "hours", COL_INT, offsetof(struct row, hours), "h", "of demand", .always = true },
	{ "hours_without_row", COL_INT, offsetof(struct row, gaps), "h",
	  "of these without a row or a value, which count as 0", .always = true },
	{ "unit", COL_TEXT, offsetof(struct row, unit), NULL,
	  "of the costs: USD, or hours of one unit on demand where no price was given",
	  .always = true },
	{ "cost", COL_DEC, offsetof(struct row, cost), "money", "of all hours", 0 },
	{ "on_demand_cost", COL_DEC, offsetof(struct row, on_demand), "money",
	  "with no commitments", 0 },
	{ "optimum_cost", COL_DEC, offsetof(struct row, optimum), "money",
	  "the least that was possible, with all of the demand known before", 0 },
	{ "ratio", COL_NUM, offsetof(struct row, ratio), NULL, "cost to the optimum", .digits = 6 },
	{ "coverage_frac", COL_NUM, offsetof(struct row, own.coverage_frac), "fraction",
	  "of the demand that commitments served", .digits = 6 },
	{ "utilisation_frac", COL_NUM, offsetof(struct row, own.utilisation_frac), "fraction",
	  "of the hours committed to that were used", .digits = 6 },
	{ "terms", COL_LIST(struct row, term, nterm, term_cols), .help = "that can be bought" },
	{ "policies", COL_LIST(struct row, other, nother, rule_cols),
	  .has_at = offsetof(struct row, compare), .optional = true,
	  .help = "every way to buy, where asked to compare" },
	{ "today", COL_ROW, 0, NULL,
	  "what to hold from the end of the data on, where offers were given",
	  offsetof(struct row, offers), .sub = today_cols, .optional = true },
	{ "purchases", COL_LIST(struct row, buy, nbuy, buy_cols), .help = "in order of time" },
	{ 0 },
};
const struct col_doc plan_commit_doc = {
	"tare.plan-commit/1", "plan commit",
	"commitments from day to day, against the best that was possible", cols
};

static dec money_of(const struct commit_ask *q, double unit_hours)
{
	return (dec)roundl((long double)unit_hours * (long double)q->price * 1e6L) * 1000000;
}

static struct buy_row buy_row(const struct commit_answer *a, const struct commit_buy *b)
{
	int64_t at_ms = a->from_ms + b->hour * MS_HOUR;

	return (struct buy_row){
		.hour = b->hour,
		.at_ms = i64_if(at_ms >= DATES_FROM_MS, at_ms),
		.term_hours = a->term[b->term].hours,
		.units = b->units,
		.rate_frac = a->term[b->term].rate_frac,
	};
}

static struct term_row term_row(const struct commit_answer *a, const struct commit_term *t)
{
	return (struct term_row){
		.t = *t,
		.break_even_h = t->rate_frac * (double)t->hours,
		.static_level = commit_static_level(a->demand, a->nhour, t->rate_frac),
	};
}

static struct rule_row rule_row(const struct commit_ask *q, const struct commit_answer *a,
				enum commit_rule rule)
{
	const struct commit_result *r = &a->other[rule];

	return (struct rule_row){ commit_rule_name(rule), money_of(q, r->cost),
				  cost_ratio(r->cost, a), r->coverage_frac, r->utilisation_frac };
}

static struct buy_row *buy_rows(const struct commit_answer *a, struct arena *mem)
{
	struct buy_row *ret = arena_zalloc(mem, (a->own.nbuy + 1) * sizeof *ret);

	for (size_t i = 0; i < a->own.nbuy; i++)
		ret[i] = buy_row(a, &a->own.buy[i]);
	return ret;
}

static void print_json(const struct commit_ask *q, const struct commit_answer *a, struct str *out)
{
	struct arena mem = { 0 };
	struct term_row term[COMMIT_MAX_TERMS];
	struct rule_row other[COMMIT_RULES];
	struct offer_row offer[COMMIT_MAX_TERMS];
	const struct portfolio *p = &a->today;
	const struct row row = {
		.rule = commit_rule_name(q->rule),
		.unit = q->priced ? "USD" : "on-demand hours of one unit",
		.hours = (int64_t)a->nhour,
		.gaps = a->gaps,
		.cost = money_of(q, a->own.cost),
		.on_demand = money_of(q, a->own.on_demand_cost),
		.optimum = money_of(q, a->best.cost),
		.ratio = cost_ratio(a->own.cost, a),
		.own = a->own,
		.term = term,
		.nterm = a->nterm,
		.other = other,
		.nother = COMMIT_RULES,
		.compare = q->compare,
		.offers = q->noffer,
		.units = p->units,
		.upfront = dec_counted(q->noffer, dec_from_double(p->upfront)),
		.saving_hour = (dec)roundl((long double)p->expected_saving_hour * 1e6L) * 1000000,
		.coverage_frac = p->coverage_frac,
		.utilisation_frac = p->utilisation_frac,
		.offer = offer,
		.buy = buy_rows(a, &mem),
		.nbuy = a->own.nbuy,
	};

	for (size_t i = 0; i < a->nterm; i++) {
		term[i] = term_row(a, &a->term[i]);
		if (q->noffer)
			offer[i] = (struct offer_row){ q->offer[i].name, p->part[i].units,
						       p->part[i].rate,
						       p->part[i].break_even_frac };
	}
	for (int i = 0; i < COMMIT_RULES; i++)
		other[i] = rule_row(q, a, (enum commit_rule)i);
	cols_doc(&plan_commit_doc, &row, out);
	arena_free(&mem);
}

/* ---- text -------------------------------------------------------------------------------- */

static const char *format_pct(struct arena *m, double frac)
{
	return text_or_dash(!isnan(frac), arena_printf(m, "%.1f %%", frac * 100));
}

static void add_row(struct grid *g, const struct commit_ask *q, const struct commit_answer *a,
		    const char *name, const struct commit_result *r, enum grid_style style)
{
	const char **cell = grid_add_row(g, style);
	double part = cost_ratio(r->cost, a);
	cell[0] = name;
	cell[1] = text_money(&g->mem, dec_from_double(r->cost * q->price), q->priced ? 2 : 0);
	cell[2] = text_or_dash(!isnan(part), arena_printf(&g->mem, "%.4f", part));
	cell[3] = format_pct(&g->mem, r->coverage_frac);
	cell[4] = format_pct(&g->mem, r->utilisation_frac);
	cell[5] = arena_printf(&g->mem, "%zu", r->nbuy);
}

static void print_grid(struct grid *g, const struct out_as *as, struct str *out)
{
	if (as->format == OUT_MD)
		grid_md(g, out);
	else
		grid_table(g, as->width, as->colour, out);
	grid_free(g);
}

static void print_today(const struct out_as *as, const struct commit_ask *q,
			const struct commit_answer *a, struct str *out)
{
	static const char *const head[] = { "offer", "units", "$/h", "pays off", "upfront" };
	const struct portfolio *p = &a->today;
	struct grid g = { 0 };
	for (int i = 0; i < 5; i++)
		grid_add_col(&g, head[i], grid_side(i), false);
	for (size_t i = 0; i < a->nterm; i++) {
		const char **cell = grid_add_row(&g, GRID_PLAIN);
		cell[0] = q->offer[i].name;
		cell[1] = arena_printf(&g.mem, "%lld", (long long)p->part[i].units);
		cell[2] = text_money(&g.mem, dec_from_double(p->part[i].rate), 4);
		if (p->part[i].break_even_frac > 1)
			cell[3] = "never";
		else
			cell[3] = arena_printf(&g.mem, "%.1f %%", p->part[i].break_even_frac * 100);
		cell[4] = text_money(&g.mem, dec_from_double(p->part[i].upfront), 2);
	}
	str_addf(out,
		 "\nTo hold from now on, by the forecast at the end of these hours: %lld units\n",
		 (long long)p->units);
	print_grid(&g, as, out);
	str_addz(
		out,
		"\"pays off\": share of its hours that a unit must be used; $/h with upfront money and what it costs.\n");
}

static void print_text(const struct out_as *as, const struct commit_ask *q,
		       const struct commit_answer *a, struct str *out)
{
	struct grid g = { 0 };
	str_addf(out, "%zu hours of demand%s\n\n", a->nhour,
		 text_if(!q->priced, "; amounts in hours of one unit on demand"));
	if (a->gaps)
		str_addf(out, "%lld of these hours have no row or no value and count as 0.\n\n",
			 (long long)a->gaps);

	const char *const head[] = { "rule",  q->priced ? "USD" : "on-demand h",
				     "ratio", "coverage",
				     "used",  "purchases" };

	for (int i = 0; i < 6; i++)
		grid_add_col(&g, head[i], grid_side(i), !i);
	if (!q->compare) {
		add_row(&g, q, a, commit_rule_name(q->rule), &a->own, GRID_PLAIN);
		struct commit_result none = { .cost = a->own.on_demand_cost,
					      .coverage_frac = 0,
					      .utilisation_frac = NAN };
		if (q->rule != COMMIT_ON_DEMAND)
			add_row(&g, q, a, "on_demand", &none, GRID_FAINT);
	}
	for (int i = 0; i < COMMIT_RULES && q->compare; i++)
		add_row(&g, q, a, commit_rule_name((enum commit_rule)i), &a->other[i], GRID_PLAIN);
	add_row(&g, q, a, "optimum, known afterwards", &a->best, GRID_TOTAL);
	print_grid(&g, as, out);
	for (size_t i = 0; i < a->nterm; i++)
		str_addf(
			out,
			"\nA unit at %.1f %% over %lld h pays off when used %.0f h of them (%.0f h of a 730 h month).\n",
			a->term[i].rate_frac * 100, (long long)a->term[i].hours,
			ceil(a->term[i].rate_frac * (double)a->term[i].hours),
			ceil(a->term[i].rate_frac * 730));
	if (q->noffer)
		print_today(as, q, a, out);
	if (!a->own.nbuy) {
		str_addz(out, "\nNothing to buy.\n");
		return;
	}
	str_addz(out, "\nPurchases\n");
	g = (struct grid){ 0 };

	static const char *const columns[] = { "hour", "date", "units", "term", "rate" };
	for (int i = 0; i < 5; i++)
		grid_add_col(&g, columns[i], grid_side(i != 1 && i != 3), false);
	for (size_t i = 0; i < a->own.nbuy && i < TABLE_BUYS; i++) {
		const struct commit_buy *b = &a->own.buy[i];
		const char **cell = grid_add_row(&g, GRID_PLAIN);
		char t[TM_BUF];
		int64_t at = a->from_ms + b->hour * MS_HOUR;
		cell[0] = arena_printf(&g.mem, "%lld", (long long)b->hour);
		if (at < DATES_FROM_MS)
			cell[1] = "-";
		else
			cell[1] = arena_printf(&g.mem, "%s", tm_format_date(t, at));
		cell[2] = arena_printf(&g.mem, "%lld", (long long)b->units);
		cell[3] = arena_printf(&g.mem, "%lld h", (long long)a->term[b->term].hours);
		cell[4] = arena_printf(&g.mem, "%.1f %%", a->term[b->term].rate_frac * 100);
	}
	print_grid(&g, as, out);
	if (a->own.nbuy > TABLE_BUYS)
		str_addf(out, "... and %zu more; all of them: -o json\n", a->own.nbuy - TABLE_BUYS);
}

void plan_commit_print(const struct commit_ask *q, const struct commit_answer *a,
		       const struct out_as *as, struct str *out)
{
	if (as->format == OUT_JSON)
		print_json(q, a, out);
	else if (as->format == OUT_CSV) {
		struct arena mem = { 0 };

		cols_csv(buy_cols, buy_rows(a, &mem), a->own.nbuy, sizeof(struct buy_row), out);
		arena_free(&mem);
	} else
		print_text(as, q, a, out);
}
