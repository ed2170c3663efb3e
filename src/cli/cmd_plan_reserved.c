/* tare plan reserved: what reserving saves over renting on demand, and when it pays off; see
 * opt/reserve.h. */
#include <errno.h>
#include <math.h>
#include "base/jw.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "opt/reserve.h"
#include "report/grid.h"
#include "report/text.h"

#define MAX_OFFERS 16

struct reserved_ask {
	struct reserve_ask a;
	double util_frac;
	struct reserve_offer offer[MAX_OFFERS];
	struct reserve_result res[MAX_OFFERS];
	size_t n;
};

static int money_opt(const struct cli *c, const char *name, dec other, dec *ret, struct err *err)
{
	const char *z = cli_value(c, name);
	*ret = other;
	if (z && dec_parse(sv_of(z), DEC_GROUPED, ret) < 0)
		return err_set(err, -EINVAL, "--%s: '%s' is no amount", name, z);
	return 0;
}

static int share_opt(const struct cli *c, const char *name, double other, double *ret,
		     struct err *err)
{
	const char *z = cli_value(c, name);
	*ret = other;
	if (z && (sv_f64(sv_of(z), ret) < 0 || !(*ret >= 0 && *ret <= 1)))
		return err_set(err, -EINVAL, "--%s: '%s' is no share from 0 to 1", name, z);
	return 0;
}

/* --reserved-1y and --upfront-1y, or with 3y: either makes an offer. */
static int usual_offer(const struct cli *c, struct reserved_ask *k, const char *name, int months,
		       const char *hour, const char *upfront, struct err *err)
{
	struct reserve_offer *o = &k->offer[k->n];
	*o = (struct reserve_offer){ .name = name, .months = months };
	if (!cli_value(c, hour) && !cli_value(c, upfront))
		return 0;
	int r = money_opt(c, hour, 0, &o->hour, err);
	if (r >= 0)
		r = money_opt(c, upfront, 0, &o->upfront, err);
	k->n++;
	return r;
}

/* NAME:MONTHS:UPFRONT:HOUR */
static int own_offer(struct cli *c, struct reserved_ask *k, const char *text, struct err *err)
{
	struct reserve_offer *o = &k->offer[k->n];
	struct sv rest = sv_of(text), name = sv_trim(sv_cut(rest, ':', &rest)),
		  months = sv_trim(sv_cut(rest, ':', &rest)),
		  upfront = sv_trim(sv_cut(rest, ':', &rest));
	int64_t m = 0;
	if (k->n == MAX_OFFERS)
		return err_set(err, -E2BIG, "--offer: at most %d offers", MAX_OFFERS);
	if (!name.n || !rest.p || sv_i64(months, &m) < 0 || m < 1 || m > 120 ||
	    dec_parse(upfront, DEC_GROUPED, &o->upfront) < 0 ||
	    dec_parse(sv_trim(rest), DEC_GROUPED, &o->hour) < 0) {
		err_set(err, -EINVAL, "--offer: '%s' is no offer", text);
		err_hint(err, "write NAME:MONTHS:UPFRONT:HOUR, for example 'partial:12:7500:0.91'");
		return -EINVAL;
	}
	o->name = text_line(&c->mem, name, 30);
	o->months = (int)m;
	k->n++;
	return 0;
}

static int read_machine(const struct cli *c, struct reserved_ask *k, struct err *err)
{
	const char *n = cli_value(c, "instances");
	dec hours = 0;
	int r = money_opt(c, "on-demand", 0, &k->a.on_demand_hour, err);
	if (r >= 0)
		r = money_opt(c, "hours-month", 730 * DEC_ONE, &hours, err);
	if (r >= 0)
		r = share_opt(c, "util", 1, &k->util_frac, err);
	if (r >= 0)
		r = share_opt(c, "wacc", 0, &k->a.wacc_frac, err);
	k->a.machines = 1;
	if (r >= 0 && n && sv_i64(sv_of(n), &k->a.machines) < 0)
		r = err_set(err, -EINVAL, "--instances: '%s' is no number of machines", n);
	if (r >= 0 && (hours <= 0 || hours > 744 * DEC_ONE))
		r = err_set(err, -EINVAL, "--hours-month: '%s' is no number of hours up to 744",
			    cli_value(c, "hours-month"));
	k->a.paid_hours_month = hours;
	k->a.hours_month =
		r < 0 ? 0 : dec_muldiv(hours, (int64_t)llround(k->util_frac * 1e9), 1000000000);
	return r;
}

static int read_ask(struct cli *c, struct reserved_ask *k, struct err *err)
{
	const char **more = NULL;
	size_t n = cli_values(c, "offer", &more);
	int r = read_machine(c, k, err);
	if (r >= 0)
		r = usual_offer(c, k, "1y", 12, "reserved-1y", "upfront-1y", err);
	if (r >= 0)
		r = usual_offer(c, k, "3y", 36, "reserved-3y", "upfront-3y", err);
	for (size_t i = 0; i < n && r >= 0; i++)
		r = own_offer(c, k, more[i], err);
	for (size_t i = 0; i < k->n && r >= 0; i++)
		r = reserve_compare(&k->a, &k->offer[i], &k->res[i], err);
	return r;
}

/* The offer that costs least a year, money upfront at its cost; NULL where on demand does. */
static const struct reserve_offer *best(const struct reserved_ask *k)
{
	const struct reserve_offer *found = NULL;
	double most = 0;
	for (size_t i = 0; i < k->n; i++)
		if (k->res[i].saving_after_capital_frac > most) {
			most = k->res[i].saving_after_capital_frac;
			found = &k->offer[i];
		}
	return found;
}

/* ---- printing ---------------------------------------------------------------------------- */

static void money(struct jw *w, const char *key, dec v)
{
	jw_key(w, key);
	jw_dec(w, v);
}

static void json_offer(struct jw *w, const struct reserve_offer *o, const struct reserve_result *r)
{
	jw_obj(w);
	jw_key(w, "name");
	jw_str(w, o->name);
	jw_key(w, "term_months");
	jw_int(w, o->months);
	money(w, "upfront_instance", o->upfront);
	money(w, "hour_instance", o->hour);
	money(w, "month", r->month);
	money(w, "upfront", r->upfront);
	money(w, "total", r->total);
	money(w, "annual", r->annual);
	money(w, "saving", r->saving_term);
	money(w, "saving_year", r->saving_year);
	jw_put_num(w, "saving_frac", r->saving_frac, 6);
	jw_put_num(w, "break_even_hours_month", r->break_even_hours_month, 6);
	jw_put_num(w, "break_even_months", r->break_even_months, 6);
	money(w, "upfront_capital_cost", r->upfront_cost);
	jw_put_num(w, "saving_after_capital_frac", r->saving_after_capital_frac, 6);
	jw_end_obj(w);
}

static void print_json(const struct reserved_ask *k, struct str *out)
{
	struct jw w;
	const struct reserve_offer *b = best(k);
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.plan-reserved/1");
	jw_key(&w, "instances");
	jw_int(&w, k->a.machines);
	jw_put_num(&w, "hours_month", dec_to_double(k->a.paid_hours_month), 6);
	jw_put_num(&w, "util_frac", k->util_frac, 6);
	money(&w, "on_demand_hour", k->a.on_demand_hour);
	money(&w, "on_demand_month", k->res[0].od_month);
	money(&w, "on_demand_year", k->res[0].od_year);
	jw_key(&w, "offers");
	jw_arr(&w);
	for (size_t i = 0; i < k->n; i++)
		json_offer(&w, &k->offer[i], &k->res[i]);
	jw_end_arr(&w);
	jw_key(&w, "best");
	jw_str(&w, b ? b->name : "on_demand");
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static const char *hours_text(struct arena *m, double h, double month)
{
	return h > month + 1e-9 ? "never" : arena_printf(m, "%.0f h", ceil(h - 1e-9));
}

static void fill(const struct reserved_ask *k, struct grid *g)
{
	static const char *const head[] = { "offer",    "term",  "upfront", "$/month",
					    "$ a year", "saves", "",        "pays off" };
	for (int i = 0; i < 8; i++)
		grid_add_col(g, head[i], i ? GRID_RIGHT : GRID_LEFT, false);
	const char **cell = grid_add_row(g, GRID_PLAIN);
	cell[0] = "on demand";
	cell[3] = text_money(&g->mem, k->res[0].od_month, 2);
	cell[4] = text_money(&g->mem, k->res[0].od_year, 2);
	for (size_t i = 0; i < k->n; i++) {
		const struct reserve_result *r = &k->res[i];
		cell = grid_add_row(g, GRID_PLAIN);
		cell[0] = k->offer[i].name;
		cell[1] = arena_printf(&g->mem, "%d mo", k->offer[i].months);
		cell[2] = text_money(&g->mem, r->upfront, 2);
		cell[3] = text_money(&g->mem, r->month, 2);
		cell[4] = text_money(&g->mem, r->annual, 2);
		cell[5] = text_money(&g->mem, r->saving_year, 2);
		cell[6] = arena_printf(&g->mem, "%.1f %%", r->saving_frac * 100);
		cell[7] = hours_text(&g->mem, r->break_even_hours_month,
				     dec_to_double(k->a.paid_hours_month));
	}
}

static void print_text(const struct cli *c, const struct reserved_ask *k, struct str *out)
{
	struct grid g = { 0 };
	const struct reserve_offer *b = best(k);
	char buf[DEC_BUF], hour[DEC_BUF];
	str_addf(out, "%lld instance%s at %s $/h on demand, %s h a month", (long long)k->a.machines,
		 k->a.machines == 1 ? "" : "s", dec_format(hour, k->a.on_demand_hour),
		 dec_format(buf, k->a.paid_hours_month));
	if (k->util_frac < 1)
		str_addf(out, ", used %.0f %% of them", k->util_frac * 100);
	str_addz(out, "\n\n");
	fill(k, &g);
	if (c->output == OUT_MD)
		grid_md(&g, out);
	else
		grid_table(&g, c->width, c->colour, out);
	for (size_t i = 0; i < k->n; i++)
		if (k->res[i].upfront > 0 && !isinf(k->res[i].break_even_months))
			str_addf(out, "\n%s: %s upfront is back after %.1f months%s%s%s.",
				 k->offer[i].name, text_money(&g.mem, k->res[i].upfront, 2),
				 k->res[i].break_even_months,
				 k->res[i].upfront_cost ? "; it costs " : "",
				 k->res[i].upfront_cost
					 ? text_money(&g.mem, k->res[i].upfront_cost, 2)
					 : "",
				 k->res[i].upfront_cost ? " of capital over the term" : "");
	str_addf(
		out,
		"\n\"saves\": $ a year. \"pays off\": from so many hours used a month on, of each instance.\n%s%s%s\n",
		b ? "Least over its term: " : "On demand costs least.", b ? b->name : "",
		b ? ", if the machines are needed that long." : "");
	grid_free(&g);
}

static int run(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	struct reserved_ask k = { 0 };
	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	if (!cli_value(c, "on-demand"))
		return cli_usage_error(c, "--on-demand is needed");
	if (read_ask(c, &k, &err) < 0)
		return cli_fail(&err);
	if (!k.n)
		return cli_usage_error(c, "no offer: give --reserved-1y, --reserved-3y or --offer");
	if (c->output == OUT_JSON)
		print_json(&k, &out);
	else
		print_text(c, &k, &out);
	int code = cli_write(&out);
	str_free(&out);
	return code;
}

static const struct cli_opt opts[] = {
	{ "on-demand", "USD", "price of an instance for an hour on demand", 0, false, NULL },
	{ "reserved-1y", "USD", "price of an hour, reserved for a year", 0, false, NULL },
	{ "reserved-3y", "USD", "price of an hour, reserved for three years", 0, false, NULL },
	{ "upfront-1y", "USD", "and once for the year, per instance", 0, false, NULL },
	{ "upfront-3y", "USD", "and once for the three years, per instance", 0, false, NULL },
	{ "offer", "NAME:MONTHS:UPFRONT:HOUR", "another offer", 0, true, NULL },
	{ "instances", "N", "how many (default: 1)", 0, false, NULL },
	{ "hours-month", "H", "hours of a month that a reservation charges (default: 730)", 0,
	  false, NULL },
	{ "util", "F", "share of these hours an instance is used, 0 to 1 (default: 1)", 0, false,
	  NULL },
	{ "wacc", "F", "cost of capital a year, for money upfront (default: 0)", 0, false, NULL },
	{ 0 },
};

const struct cli_cmd cmd_plan_reserved_def = {
	.name = "plan reserved",
	.group = "",
	.summary = "reserved against on demand: what it saves, from which use on",
	.usage = "--on-demand USD [--reserved-1y USD] [--reserved-3y USD] [--instances N] ...",
	.examples =
		"# 8 x p3.2xlarge, always on, months of 30 days: 17,625.60 a month on demand; 1 year saves 40.5 %, 3 years 57.2 %\n"
		"tare plan reserved --on-demand 3.06 --reserved-1y 1.82 --reserved-3y 1.31 --instances 8 --hours-month 720\n"
		"# used two thirds of the time, part paid upfront, money at 8 % a year\n"
		"tare plan reserved --on-demand 3.06 --upfront-1y 7500 --reserved-1y 0.86 --util 0.67 --wacc 0.08",
	.about =
		"A reservation charges every hour, used or not: an instance that is off at night is compared by --util. The arithmetic of one decision; from demand\n"
		"that changes, decide with tare plan commit.",
	.common = CLI_OUTPUT,
	.opt = opts,
	.run = run,
};
