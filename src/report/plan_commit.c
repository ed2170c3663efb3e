#include "report/plan_commit.h"

#include <math.h>

#include "base/jw.h"
#include "base/tm.h"
#include "report/grid.h"
#include "report/text.h"

#define TABLE_BUYS 15
/* times before 1980 are hours counted from 0, not dates */
#define DATES_FROM_MS (10 * 365 * MS_DAY)

static double ratio(double cost, const struct commit_answer *a)
{
	return a->best.cost > 0 ? cost / a->best.cost : NAN;
}

/* ---- JSON -------------------------------------------------------------------------------- */

static void money(struct jw *w, const char *key, const struct commit_ask *q, double unit_hours)
{
	jw_key(w, key);
	jw_dec(w, (dec)roundl((long double)unit_hours * (long double)q->price * 1e6L) * 1000000);
}

static void json_buys(struct jw *w, const struct commit_answer *a)
{
	jw_arr(w);
	for (size_t i = 0; i < a->own.nbuy; i++) {
		const struct commit_buy *b = &a->own.buy[i];
		jw_obj(w);
		jw_key(w, "hour");
		jw_int(w, b->hour);
		jw_key(w, "time");
		if (a->from_ms + b->hour * MS_HOUR < DATES_FROM_MS)
			jw_null(w);
		else
			jw_time(w, a->from_ms + b->hour * MS_HOUR);
		jw_key(w, "term_hours");
		jw_int(w, a->term[b->term].hours);
		jw_put_num(w, "rate_frac", a->term[b->term].rate_frac, 9);
		jw_key(w, "units");
		jw_int(w, b->units);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

static void json_policies(struct jw *w, const struct commit_ask *q, const struct commit_answer *a)
{
	jw_key(w, "policies");
	jw_arr(w);
	for (int i = 0; i < COMMIT_RULES; i++) {
		jw_obj(w);
		jw_key(w, "policy");
		jw_str(w, commit_rule_name((enum commit_rule)i));
		money(w, "cost", q, a->other[i].cost);
		jw_put_num(w, "ratio", ratio(a->other[i].cost, a), 6);
		jw_put_num(w, "coverage_frac", a->other[i].coverage_frac, 6);
		jw_put_num(w, "utilisation_frac", a->other[i].utilisation_frac, 6);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

static void json_terms(struct jw *w, const struct commit_answer *a)
{
	jw_key(w, "terms");
	jw_arr(w);
	for (size_t i = 0; i < a->nterm; i++) {
		jw_obj(w);
		jw_key(w, "term_hours");
		jw_int(w, a->term[i].hours);
		jw_put_num(w, "rate_frac", a->term[i].rate_frac, 9);
		jw_put_num(w, "break_even_hours", a->term[i].rate_frac * (double)a->term[i].hours,
			   6);
		jw_put_num(w, "static_level_hindsight",
			   commit_static_level(a->demand, a->nhour, a->term[i].rate_frac), 3);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

static void json_today(struct jw *w, const struct commit_ask *q, const struct commit_answer *a)
{
	const struct portfolio *p = &a->today;
	jw_key(w, "today");
	jw_obj(w);
	jw_key(w, "units");
	jw_int(w, p->units);
	jw_key(w, "upfront");
	jw_dec(w, dec_from_double(p->upfront));
	jw_put_num(w, "coverage_frac", p->coverage_frac, 6);
	jw_put_num(w, "utilisation_frac", p->utilisation_frac, 6);
	jw_key(w, "expected_saving_hour");
	jw_dec(w, (dec)roundl((long double)p->expected_saving_hour * 1e6L) * 1000000);
	jw_key(w, "offers");
	jw_arr(w);
	for (size_t i = 0; i < a->nterm; i++) {
		jw_obj(w);
		jw_key(w, "name");
		jw_str(w, q->offer[i].name);
		jw_key(w, "units");
		jw_int(w, p->part[i].units);
		jw_put_num(w, "effective_hour", p->part[i].rate, 9);
		jw_put_num(w, "break_even_frac", p->part[i].break_even_frac, 6);
		jw_end_obj(w);
	}
	jw_end_arr(w);
	jw_end_obj(w);
}

static void print_json(const struct commit_ask *q, const struct commit_answer *a, struct str *out)
{
	struct jw w;
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.plan-commit/1");
	jw_key(&w, "policy");
	jw_str(&w, commit_rule_name(q->rule));
	jw_key(&w, "hours");
	jw_int(&w, (int64_t)a->nhour);
	jw_key(&w, "hours_without_row");
	jw_int(&w, a->gaps);
	jw_key(&w, "unit");
	jw_str(&w, q->priced ? "USD" : "on-demand hours of one unit");
	money(&w, "cost", q, a->own.cost);
	money(&w, "on_demand_cost", q, a->own.on_demand_cost);
	money(&w, "optimum_cost", q, a->best.cost);
	jw_put_num(&w, "ratio", ratio(a->own.cost, a), 6);
	jw_put_num(&w, "coverage_frac", a->own.coverage_frac, 6);
	jw_put_num(&w, "utilisation_frac", a->own.utilisation_frac, 6);
	json_terms(&w, a);
	if (q->compare)
		json_policies(&w, q, a);
	if (q->noffer)
		json_today(&w, q, a);
	jw_key(&w, "purchases");
	json_buys(&w, a);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

/* ---- text -------------------------------------------------------------------------------- */

static const char *amount(struct arena *m, const struct commit_ask *q, double unit_hours)
{
	return text_money(m, dec_from_double(unit_hours * q->price), q->priced ? 2 : 0);
}

static const char *pct(struct arena *m, double frac)
{
	return isnan(frac) ? "-" : arena_printf(m, "%.1f %%", frac * 100);
}

static void row(struct grid *g, const struct commit_ask *q, const struct commit_answer *a,
		const char *name, const struct commit_result *r, enum grid_style style)
{
	const char **cell = grid_add_row(g, style);
	double part = ratio(r->cost, a);
	cell[0] = name;
	cell[1] = amount(&g->mem, q, r->cost);
	cell[2] = isnan(part) ? "-" : arena_printf(&g->mem, "%.4f", part);
	cell[3] = pct(&g->mem, r->coverage_frac);
	cell[4] = pct(&g->mem, r->utilisation_frac);
	cell[5] = arena_printf(&g->mem, "%zu", r->nbuy);
}

static void rules_table(const struct commit_ask *q, const struct commit_answer *a, struct grid *g)
{
	static const char *const head[] = {
		"rule", NULL, "ratio", "coverage", "used", "purchases"
	};
	for (int i = 0; i < 6; i++)
		grid_add_col(g, i == 1 ? (q->priced ? "USD" : "on-demand h") : head[i],
			     i ? GRID_RIGHT : GRID_LEFT, !i);
	if (!q->compare) {
		row(g, q, a, commit_rule_name(q->rule), &a->own, GRID_PLAIN);
		struct commit_result none = { .cost = a->own.on_demand_cost,
					      .coverage_frac = 0,
					      .utilisation_frac = NAN };
		if (q->rule != COMMIT_ON_DEMAND)
			row(g, q, a, "on_demand", &none, GRID_FAINT);
	}
	for (int i = 0; i < COMMIT_RULES && q->compare; i++)
		row(g, q, a, commit_rule_name((enum commit_rule)i), &a->other[i], GRID_PLAIN);
	row(g, q, a, "optimum, known afterwards", &a->best, GRID_TOTAL);
}

static void buys_table(const struct commit_answer *a, struct grid *g)
{
	static const char *const head[] = { "hour", "date", "units", "term", "rate" };
	for (int i = 0; i < 5; i++)
		grid_add_col(g, head[i], i == 1 || i == 3 ? GRID_LEFT : GRID_RIGHT, false);
	for (size_t i = 0; i < a->own.nbuy && i < TABLE_BUYS; i++) {
		const struct commit_buy *b = &a->own.buy[i];
		const char **cell = grid_add_row(g, GRID_PLAIN);
		char t[TM_BUF];
		int64_t at = a->from_ms + b->hour * MS_HOUR;
		cell[0] = arena_printf(&g->mem, "%lld", (long long)b->hour);
		cell[1] = at < DATES_FROM_MS ? "-"
					     : arena_printf(&g->mem, "%s", tm_format_date(t, at));
		cell[2] = arena_printf(&g->mem, "%lld", (long long)b->units);
		cell[3] = arena_printf(&g->mem, "%lld h", (long long)a->term[b->term].hours);
		cell[4] = arena_printf(&g->mem, "%.1f %%", a->term[b->term].rate_frac * 100);
	}
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
		grid_add_col(&g, head[i], i ? GRID_RIGHT : GRID_LEFT, false);
	for (size_t i = 0; i < a->nterm; i++) {
		const char **cell = grid_add_row(&g, GRID_PLAIN);
		cell[0] = q->offer[i].name;
		cell[1] = arena_printf(&g.mem, "%lld", (long long)p->part[i].units);
		cell[2] = text_money(&g.mem, dec_from_double(p->part[i].rate), 4);
		cell[3] = p->part[i].break_even_frac > 1
				  ? "never"
				  : arena_printf(&g.mem, "%.1f %%",
						 p->part[i].break_even_frac * 100);
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
		 q->priced ? "" : "; amounts in hours of one unit on demand");
	if (a->gaps)
		str_addf(out, "%lld of these hours have no row or no value and count as 0.\n\n",
			 (long long)a->gaps);
	rules_table(q, a, &g);
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
	buys_table(a, &g);
	print_grid(&g, as, out);
	if (a->own.nbuy > TABLE_BUYS)
		str_addf(out, "... and %zu more; all of them: -o json\n", a->own.nbuy - TABLE_BUYS);
}

static void print_csv(const struct commit_answer *a, struct str *out)
{
	str_addz(out, "hour,term_hours,rate_frac,units\n");
	for (size_t i = 0; i < a->own.nbuy; i++)
		str_addf(out, "%lld,%lld,%.9g,%lld\n", (long long)a->own.buy[i].hour,
			 (long long)a->term[a->own.buy[i].term].hours,
			 a->term[a->own.buy[i].term].rate_frac, (long long)a->own.buy[i].units);
}

void plan_commit_print(const struct commit_ask *q, const struct commit_answer *a,
		       const struct out_as *as, struct str *out)
{
	if (as->format == OUT_JSON)
		print_json(q, a, out);
	else if (as->format == OUT_CSV)
		print_csv(a, out);
	else
		print_text(as, q, a, out);
}
