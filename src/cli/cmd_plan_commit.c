/* tare plan commit: what to commit to from day to day, and how far that is from the best anybody could have done; see opt/commit.h. */
#include <errno.h>
#include <math.h>
#include "base/jw.h"
#include "base/tm.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/plan_demand.h"
#include "opt/commit.h"
#include "opt/portfolio.h"
#include "report/grid.h"
#include "report/text.h"

#define TABLE_BUYS 15
#define DATES_FROM_MS (10 * 365 * MS_DAY) /* times before 1980 are hours counted from 0, not dates */

struct ask {
	struct commit_term term[COMMIT_MAX_TERMS];
	size_t nterm;
	struct portfolio_offer offer[COMMIT_MAX_TERMS]; /* [nterm] where offers are given instead of rates */
	bool offers;
	double wacc_frac, upfront_cap, outdated_frac;
	double price; /* of a unit-hour on demand */
	bool priced;
	enum commit_rule rule;
	double *demand;
	size_t nhour;
	int64_t from_ms, gaps, month_hours;
};
struct answer {
	struct commit_result own, best, other[COMMIT_RULES];
	struct portfolio today; /* of the offers */
	bool compared;
};

/* ---- what is asked --------------------------------------------------------------------------------------------------------------- */

static int read_terms(const struct cli *c, struct ask *a, struct err *err)
{
	struct sv rate = sv_of(cli_value(c, "rate-frac")), span = sv_of(cli_value(c, "term"));
	while (rate.p || span.p) {
		struct commit_term *t = &a->term[a->nterm];
		int64_t ms = 0;
		if (!rate.p || !span.p)
			return err_set(err, -EINVAL, "--rate-frac and --term want as many values as each other");
		if (a->nterm == COMMIT_MAX_TERMS)
			return err_set(err, -EINVAL, "--term: at most %d terms", COMMIT_MAX_TERMS);
		struct sv r = sv_trim(sv_cut(rate, ',', &rate)), s = sv_trim(sv_cut(span, ',', &span));
		if (sv_f64(r, &t->rate_frac) < 0 || !(t->rate_frac > 0 && t->rate_frac < 1))
			return err_set(err, -EINVAL, "--rate-frac: '%.*s' is no share of the on-demand price between 0 and 1", SVF(r));
		if (tm_parse_span(s, &ms) < 0 || ms % MS_HOUR || ms / MS_HOUR > COMMIT_MAX_TERM_H)
			return err_set(err, -EINVAL, "--term: '%.*s' is no span of whole hours up to ten years, such as 720h or 1y", SVF(s));
		t->hours = ms / MS_HOUR;
		a->nterm++;
	}
	return 0;
}

/* NAME:TERM:UPFRONT:HOUR */
static int read_offer(struct cli *c, struct ask *a, const char *text, struct err *err)
{
	struct portfolio_offer *o = &a->offer[a->nterm];
	struct sv rest = sv_of(text), name = sv_trim(sv_cut(rest, ':', &rest)), term = sv_trim(sv_cut(rest, ':', &rest)),
		  upfront = sv_trim(sv_cut(rest, ':', &rest));
	int64_t ms = 0;
	if (a->nterm == COMMIT_MAX_TERMS)
		return err_set(err, -EINVAL, "--offer: at most %d offers", COMMIT_MAX_TERMS);
	if (!name.n || !rest.p || tm_parse_span(term, &ms) < 0 || ms % MS_HOUR || ms / MS_HOUR > COMMIT_MAX_TERM_H || sv_f64(upfront, &o->upfront) < 0 ||
	    sv_f64(sv_trim(rest), &o->hour) < 0 || o->upfront < 0 || o->hour < 0) {
		err_set(err, -EINVAL, "--offer: '%s' is no offer", text);
		err_hint(err, "write NAME:TERM:UPFRONT:HOUR, for example 'partial:1y:7500:0.91'");
		return -EINVAL;
	}
	o->name = text_line(&c->mem, name, 30);
	o->term_h = ms / MS_HOUR;
	double years = (double)o->term_h / 8760, rate = o->hour + o->upfront * (1 + a->wacc_frac * years / 2) / (double)o->term_h;
	if (!(rate > 0 && rate < a->price))
		return err_set(err, -EINVAL, "--offer: '%s' costs %g an hour with its upfront money, and on demand %g", o->name, rate, a->price);
	a->term[a->nterm++] = (struct commit_term){ o->term_h, rate / a->price };
	return 0;
}

static int share_opt(const struct cli *c, const char *name, double other, double most, double *ret, struct err *err)
{
	const char *z = cli_value(c, name);
	*ret = other;
	if (z && (sv_f64(sv_of(z), ret) < 0 || !(*ret >= 0 && *ret <= most)))
		return err_set(err, -EINVAL, "--%s: '%s' is no number from 0 to %g", name, z, most);
	return 0;
}

static int read_offers(struct cli *c, struct ask *a, struct err *err)
{
	const char **text = NULL;
	size_t n = cli_values(c, "offer", &text);
	int r = share_opt(c, "wacc", 0, 1, &a->wacc_frac, err);
	if (r >= 0)
		r = share_opt(c, "outdated", 0, 0.99, &a->outdated_frac, err);
	if (r >= 0)
		r = share_opt(c, "upfront-cap", INFINITY, 1e15, &a->upfront_cap, err);
	if (r >= 0 && n && !a->priced)
		r = err_set(err, -EINVAL, "--offer needs --on-demand: its prices are compared with that");
	if (r >= 0 && n && a->nterm)
		r = err_set(err, -EINVAL, "either --offer or --rate-frac and --term");
	a->offers = n > 0;
	for (size_t i = 0; i < n && r >= 0; i++)
		r = read_offer(c, a, text[i], err);
	return r;
}

static int read_rule(const struct cli *c, struct ask *a, struct err *err)
{
	const char *z = cli_value(c, "policy"), *price = cli_value(c, "on-demand");
	a->rule = COMMIT_TARE;
	if (z)
		for (a->rule = 0; a->rule < COMMIT_RULES && strcmp(z, commit_rule_name(a->rule)); a->rule++)
			;
	if (a->rule == COMMIT_RULES) {
		err_set(err, -EINVAL, "--policy: '%s' is no rule", z);
		err_hint(err, "the rules are tare, on_demand, break_even, seven_day, seven_day_quarter, seven_and_28_day");
		return -EINVAL;
	}
	a->price = 1;
	a->priced = price != NULL;
	if (price && (sv_f64(sv_of(price), &a->price) < 0 || !(a->price > 0 && a->price <= 1e6)))
		return err_set(err, -EINVAL, "--on-demand: '%s' is no price an hour", price);
	return 0;
}

static int from_jobs(const char *path, struct ask *a, struct err *err)
{
	struct demand d;
	int r = plan_demand_of_jobs(path, a->nhour, &d, err);
	if (r < 0)
		return r;
	a->nhour = d.n;
	a->from_ms = d.from_ms;
	a->demand = xcalloc(d.n + 1, sizeof(double));
	for (size_t t = 0; t < d.n; t++)
		a->demand[t] = (double)d.units[t];
	demand_free(&d);
	return 0;
}

static int from_series(const char *path, struct ask *a, struct err *err)
{
	struct plan_series s;
	int r = plan_series_of(path, &s, err);
	if (r < 0)
		return r;
	a->nhour = a->nhour ? a->nhour : s.n;
	a->from_ms = s.from_ms;
	a->demand = xcalloc(a->nhour + 1, sizeof(double));
	for (size_t t = 0; t < a->nhour; t++) {
		bool known = t < s.n && !isnan(s.v[t]);
		a->demand[t] = known ? s.v[t] : 0;
		a->gaps += !known;
	}
	plan_series_free(&s);
	return 0;
}

static int read_ask(struct cli *c, struct ask *a, struct err *err)
{
	const char *hours = cli_value(c, "hours");
	int64_t n = 0;
	int r = read_terms(c, a, err);
	if (r >= 0)
		r = read_rule(c, a, err);
	if (r >= 0)
		r = read_offers(c, a, err);
	if (r >= 0 && hours && (sv_i64(sv_of(hours), &n) < 0 || n < 1 || n > COMMIT_MAX_HOURS))
		r = err_set(err, -EINVAL, "--hours: '%s' is no number of hours from 1 to %d", hours, COMMIT_MAX_HOURS);
	a->nhour = (size_t)n;
	if (r >= 0)
		r = cli_value(c, "jobs") ? from_jobs(cli_value(c, "jobs"), a, err) : from_series(cli_value(c, "demand"), a, err);
	return r;
}

static double use_ahead(void *ctx, double level, int64_t term_h)
{
	return commit_term_chance(ctx, level, term_h);
}

/* What to hold from the end of the data on, if nothing were held. */
static int choose_today(const struct ask *a, struct answer *s, struct err *err)
{
	struct commit *c = commit_new(a->term, a->nterm);
	struct portfolio_ask p = { .demand = a->demand, .nhour = a->nhour, .on_demand = a->price, .wacc_frac = a->wacc_frac, .upfront_cap = a->upfront_cap,
				   .outdated_year_frac = a->outdated_frac, .use = a->nhour >= 24 ? use_ahead : NULL, .ctx = c };
	for (size_t t = 0; t < a->nhour; t++)
		commit_observe(c, a->demand[t]);
	int r = portfolio_choose(&p, a->offer, a->nterm, &s->today, err);
	commit_free(c);
	return r;
}

static int decide(const struct cli *c, const struct ask *a, struct answer *s, struct err *err)
{
	int r = commit_run(a->rule, a->demand, a->nhour, a->term, a->nterm, &s->own, err);
	if (r >= 0)
		r = commit_optimum(a->demand, a->nhour, a->term, a->nterm, &s->best, err);
	if (r >= 0 && a->offers)
		r = choose_today(a, s, err);
	s->compared = cli_flag(c, "compare");
	for (int i = 0; i < COMMIT_RULES && s->compared && r >= 0; i++)
		r = commit_run((enum commit_rule)i, a->demand, a->nhour, a->term, a->nterm, &s->other[i], err);
	return r;
}

static double ratio(double cost, const struct answer *s)
{
	return s->best.cost > 0 ? cost / s->best.cost : NAN;
}

/* ---- JSON --------------------------------------------------------------------------------------------------------------------------- */

static void money(struct jw *w, const char *key, const struct ask *a, double unit_hours)
{
	jw_key(w, key);
	jw_dec(w, (dec)roundl((long double)unit_hours * (long double)a->price * 1e6L) * 1000000);
}

static void json_buys(struct jw *w, const struct ask *a, const struct commit_result *r)
{
	jw_arr(w);
	for (size_t i = 0; i < r->nbuy; i++) {
		const struct commit_buy *b = &r->buy[i];
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

static void json_policies(struct jw *w, const struct ask *a, const struct answer *s)
{
	jw_key(w, "policies");
	jw_arr(w);
	for (int i = 0; i < COMMIT_RULES; i++) {
		jw_obj(w);
		jw_key(w, "policy");
		jw_str(w, commit_rule_name((enum commit_rule)i));
		money(w, "cost", a, s->other[i].cost);
		jw_put_num(w, "ratio", ratio(s->other[i].cost, s), 6);
		jw_put_num(w, "coverage_frac", s->other[i].coverage_frac, 6);
		jw_put_num(w, "utilisation_frac", s->other[i].utilisation_frac, 6);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

static void json_terms(struct jw *w, const struct ask *a)
{
	jw_key(w, "terms");
	jw_arr(w);
	for (size_t i = 0; i < a->nterm; i++) {
		jw_obj(w);
		jw_key(w, "term_hours");
		jw_int(w, a->term[i].hours);
		jw_put_num(w, "rate_frac", a->term[i].rate_frac, 9);
		jw_put_num(w, "break_even_hours", a->term[i].rate_frac * (double)a->term[i].hours, 6);
		jw_put_num(w, "static_level_hindsight", commit_static_level(a->demand, a->nhour, a->term[i].rate_frac), 3);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

static void json_today(struct jw *w, const struct ask *a, const struct answer *s)
{
	const struct portfolio *p = &s->today;
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
		jw_str(w, a->offer[i].name);
		jw_key(w, "units");
		jw_int(w, p->part[i].units);
		jw_put_num(w, "effective_hour", p->part[i].rate, 9);
		jw_put_num(w, "break_even_frac", p->part[i].break_even_frac, 6);
		jw_end_obj(w);
	}
	jw_end_arr(w);
	jw_end_obj(w);
}

static void print_json(const struct ask *a, const struct answer *s, struct str *out)
{
	struct jw w;
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.plan-commit/1");
	jw_key(&w, "policy");
	jw_str(&w, commit_rule_name(a->rule));
	jw_key(&w, "hours");
	jw_int(&w, (int64_t)a->nhour);
	jw_key(&w, "hours_without_row");
	jw_int(&w, a->gaps);
	jw_key(&w, "unit");
	jw_str(&w, a->priced ? "USD" : "on-demand hours of one unit");
	money(&w, "cost", a, s->own.cost);
	money(&w, "on_demand_cost", a, s->own.on_demand_cost);
	money(&w, "optimum_cost", a, s->best.cost);
	jw_put_num(&w, "ratio", ratio(s->own.cost, s), 6);
	jw_put_num(&w, "coverage_frac", s->own.coverage_frac, 6);
	jw_put_num(&w, "utilisation_frac", s->own.utilisation_frac, 6);
	json_terms(&w, a);
	if (s->compared)
		json_policies(&w, a, s);
	if (a->offers)
		json_today(&w, a, s);
	jw_key(&w, "purchases");
	json_buys(&w, a, &s->own);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

/* ---- text --------------------------------------------------------------------------------------------------------------------------- */

static const char *amount(struct arena *m, const struct ask *a, double unit_hours)
{
	return text_money(m, dec_from_double(unit_hours * a->price), a->priced ? 2 : 0);
}

static const char *pct(struct arena *m, double frac)
{
	return isnan(frac) ? "-" : arena_printf(m, "%.1f %%", frac * 100);
}

static void row(struct grid *g, const struct ask *a, const struct answer *s, const char *name, const struct commit_result *r, enum grid_style style)
{
	const char **cell = grid_add_row(g, style);
	double q = ratio(r->cost, s);
	cell[0] = name;
	cell[1] = amount(&g->mem, a, r->cost);
	cell[2] = isnan(q) ? "-" : arena_printf(&g->mem, "%.4f", q);
	cell[3] = pct(&g->mem, r->coverage_frac);
	cell[4] = pct(&g->mem, r->utilisation_frac);
	cell[5] = arena_printf(&g->mem, "%zu", r->nbuy);
}

static void rules_table(const struct ask *a, const struct answer *s, struct grid *g)
{
	static const char *const head[] = { "rule", NULL, "ratio", "coverage", "used", "purchases" };
	for (int i = 0; i < 6; i++)
		grid_add_col(g, i == 1 ? (a->priced ? "USD" : "on-demand h") : head[i], i ? GRID_RIGHT : GRID_LEFT, !i);
	if (!s->compared) {
		row(g, a, s, commit_rule_name(a->rule), &s->own, GRID_PLAIN);
		struct commit_result none = { .cost = s->own.on_demand_cost, .coverage_frac = 0, .utilisation_frac = NAN };
		if (a->rule != COMMIT_ON_DEMAND)
			row(g, a, s, "on_demand", &none, GRID_FAINT);
	}
	for (int i = 0; i < COMMIT_RULES && s->compared; i++)
		row(g, a, s, commit_rule_name((enum commit_rule)i), &s->other[i], GRID_PLAIN);
	row(g, a, s, "optimum, known afterwards", &s->best, GRID_TOTAL);
}

static void buys_table(const struct ask *a, const struct commit_result *r, struct grid *g)
{
	static const char *const head[] = { "hour", "date", "units", "term", "rate" };
	for (int i = 0; i < 5; i++)
		grid_add_col(g, head[i], i == 1 || i == 3 ? GRID_LEFT : GRID_RIGHT, false);
	for (size_t i = 0; i < r->nbuy && i < TABLE_BUYS; i++) {
		const struct commit_buy *b = &r->buy[i];
		const char **cell = grid_add_row(g, GRID_PLAIN);
		char t[TM_BUF];
		int64_t at = a->from_ms + b->hour * MS_HOUR;
		cell[0] = arena_printf(&g->mem, "%lld", (long long)b->hour);
		cell[1] = at < DATES_FROM_MS ? "-" : arena_printf(&g->mem, "%s", tm_format_date(t, at));
		cell[2] = arena_printf(&g->mem, "%lld", (long long)b->units);
		cell[3] = arena_printf(&g->mem, "%lld h", (long long)a->term[b->term].hours);
		cell[4] = arena_printf(&g->mem, "%.1f %%", a->term[b->term].rate_frac * 100);
	}
}

static void print_grid(const struct cli *c, struct grid *g, struct str *out)
{
	if (c->output == OUT_MD)
		grid_md(g, out);
	else
		grid_table(g, c->width, c->colour, out);
	grid_free(g);
}

static void print_today(const struct cli *c, const struct ask *a, const struct answer *s, struct str *out)
{
	static const char *const head[] = { "offer", "units", "$/h", "pays off", "upfront" };
	const struct portfolio *p = &s->today;
	struct grid g = { 0 };
	for (int i = 0; i < 5; i++)
		grid_add_col(&g, head[i], i ? GRID_RIGHT : GRID_LEFT, false);
	for (size_t i = 0; i < a->nterm; i++) {
		const char **cell = grid_add_row(&g, GRID_PLAIN);
		cell[0] = a->offer[i].name;
		cell[1] = arena_printf(&g.mem, "%lld", (long long)p->part[i].units);
		cell[2] = text_money(&g.mem, dec_from_double(p->part[i].rate), 4);
		cell[3] = p->part[i].break_even_frac > 1 ? "never" : arena_printf(&g.mem, "%.1f %%", p->part[i].break_even_frac * 100);
		cell[4] = text_money(&g.mem, dec_from_double(p->part[i].upfront), 2);
	}
	str_addf(out, "\nTo hold from now on, by the forecast at the end of these hours: %lld units\n", (long long)p->units);
	print_grid(c, &g, out);
	str_addz(out, "\"pays off\": share of its hours that a unit must be used; $/h with upfront money and what it costs.\n");
}

static void print_text(const struct cli *c, const struct ask *a, const struct answer *s, struct str *out)
{
	struct grid g = { 0 };
	str_addf(out, "%zu hours of demand%s\n\n", a->nhour, a->priced ? "" : "; amounts in hours of one unit on demand");
	if (a->gaps)
		str_addf(out, "%lld of these hours have no row or no value and count as 0.\n\n", (long long)a->gaps);
	rules_table(a, s, &g);
	print_grid(c, &g, out);
	for (size_t i = 0; i < a->nterm; i++)
		str_addf(out, "\nA unit at %.1f %% over %lld h pays off when used %.0f h of them (%.0f h of a 730 h month).\n", a->term[i].rate_frac * 100,
			 (long long)a->term[i].hours, ceil(a->term[i].rate_frac * (double)a->term[i].hours), ceil(a->term[i].rate_frac * 730));
	if (a->offers)
		print_today(c, a, s, out);
	if (!s->own.nbuy) {
		str_addz(out, "\nNothing to buy.\n");
		return;
	}
	str_addz(out, "\nPurchases\n");
	g = (struct grid){ 0 };
	buys_table(a, &s->own, &g);
	print_grid(c, &g, out);
	if (s->own.nbuy > TABLE_BUYS)
		str_addf(out, "... and %zu more; all of them: -o json\n", s->own.nbuy - TABLE_BUYS);
}

static void print_csv(const struct ask *a, const struct answer *s, struct str *out)
{
	str_addz(out, "hour,term_hours,rate_frac,units\n");
	for (size_t i = 0; i < s->own.nbuy; i++)
		str_addf(out, "%lld,%lld,%.9g,%lld\n", (long long)s->own.buy[i].hour, (long long)a->term[s->own.buy[i].term].hours,
			 a->term[s->own.buy[i].term].rate_frac, (long long)s->own.buy[i].units);
}

static int run(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	struct ask a = { 0 };
	struct answer s = { 0 };
	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	if (!cli_value(c, "demand") == !cli_value(c, "jobs"))
		return cli_usage_error(c, "either --demand or --jobs is needed");
	if (!cli_value(c, "offer") && (!cli_value(c, "rate-frac") || !cli_value(c, "term")))
		return cli_usage_error(c, "--rate-frac and --term are needed, or --offer");
	int r = read_ask(c, &a, &err);
	if (r >= 0)
		r = decide(c, &a, &s, &err);
	if (r >= 0) {
		if (c->output == OUT_JSON)
			print_json(&a, &s, &out);
		else if (c->output == OUT_CSV)
			print_csv(&a, &s, &out);
		else
			print_text(c, &a, &s, &out);
	}
	int code = r < 0 ? cli_fail(&err) : cli_write(&out);
	commit_result_free(&s.own);
	commit_result_free(&s.best);
	for (int i = 0; i < COMMIT_RULES; i++)
		commit_result_free(&s.other[i]);
	free(a.demand);
	str_free(&out);
	return code;
}

static const struct cli_opt opts[] = {
	{ "demand", "CSV", "time, units: demand by the hour (times as dates or as numbers of hours); hours without a row count as 0", 0, false, "FILE" },
	{ "jobs", "CSV", "a list of jobs instead (start, length, units); an hour's demand is the units of all jobs that overlap it", 0, false, "FILE" },
	{ "hours", "N", "only so many hours from the first (default: all; jobs: to the hour of the last start)", 0, false, NULL },
	{ "rate-frac", "F[,F...]", "price of a committed hour as a share of the on-demand price, upfront spread over the term", 0, false, NULL },
	{ "term", "SPAN[,SPAN...]", "length of the commitment, one for each rate (720h, 1y, 3y)", 0, false, NULL },
	{ "on-demand", "USD", "price of a unit for an hour on demand: amounts are then dollars", 0, false, NULL },
	{ "offer", "NAME:TERM:UPFRONT:HOUR", "instead of a rate: a price list, several offers; also says what to hold today; needs --on-demand", 0, true, NULL },
	{ "wacc", "F", "cost of capital a year, for money upfront (default: 0)", 0, false, NULL },
	{ "upfront-cap", "USD", "most money upfront for what is held today (default: no limit)", 0, false, NULL },
	{ "outdated", "F", "chance a year that the type is outdated before the term ends (default: 0)", 0, false, NULL },
	{ "policy", "NAME", "rule that buys (default: tare)", 0, false, "tare|on_demand|break_even|seven_day|seven_day_quarter|seven_and_28_day" },
	{ "compare", NULL, "also run the other rules", 0, false, NULL },
	{ 0 },
};

const struct cli_cmd cmd_plan_commit_def = {
	.name = "plan commit",
	.group = "",
	.summary = "what to commit to from day to day, and how far that is from the best possible",
	.usage = "--demand CSV | --jobs CSV  (--rate-frac F --term SPAN | --offer OFFER ...) [--compare]",
	.examples = "# demand by the hour; a committed hour costs 60 % of one on demand, for 30 days\n"
		    "tare plan commit --demand hours.csv --rate-frac 0.6 --term 720h\n"
		    "# from a list of jobs, beside the rules of others\n"
		    "tare plan commit --jobs jobs.csv.gz --rate-frac 0.6 --term 720h --compare\n"
		    "# one and three years, in dollars\n"
		    "tare plan commit --demand hours.csv --rate-frac 0.6,0.42 --term 1y,3y --on-demand 3.06\n"
		    "# offers with money upfront, at most 50,000 of it, money at 8 % a year\n"
		    "tare plan commit --demand hours.csv --on-demand 3.06 --offer none:1y:0:1.95 --offer part:1y:7500:0.9 --offer long:3y:0:1.31 --wacc 0.08 --upfront-cap 50000",
	.about = "The rule decides once a day and knows only the hours before. It buys a unit when it pays for itself now and can be expected to over its term, with\n"
		 "a margin, three quarters of what is missing each day, so that terms end one after the other. The optimum knows all hours and is exact. The last\n"
		 "terms count as far as the data go.",
	.common = CLI_OUTPUT,
	.opt = opts,
	.run = run,
};
