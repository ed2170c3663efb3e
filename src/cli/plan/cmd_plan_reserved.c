/* tare plan reserved: what reserving saves over renting on demand, and when it pays off. */
#include <errno.h>

#include "base/num.h"
#include "cli/cmds.h"
#include "report/plan/plan_reserved.h"
#include "report/text.h"

#define NAME_MAX_COLS 30 /* of an offer, in the table */

/* What the options say: opts[] below has each one's unit. */
struct asked {
	dec on_demand, hour_1y, hour_3y, upfront_1y, upfront_3y, hours_month;
	struct opt_list offer;
	int64_t instances;
	double util_frac, wacc_frac;
};

/* Of --reserved-1y and --upfront-1y, or with 3y: what is not given is 0. */
static void add_usual_offer(struct reserved_ask *q, const char *name, int months, dec hour,
			    dec upfront)
{
	q->offer[q->n++] = (struct reserve_offer){
		.name = name, .months = months, .hour = hour, .upfront = upfront
	};
}

/* --offer NAME:MONTHS:UPFRONT:HOUR */
static int add_own_offer(struct cli *c, struct reserved_ask *q, const char *text, struct err *err)
{
	struct reserve_offer *o = &q->offer[q->n];
	struct sv rest = sv_of(text), name = sv_trim(sv_cut(rest, ':', &rest)),
		  months = sv_trim(sv_cut(rest, ':', &rest)),
		  upfront = sv_trim(sv_cut(rest, ':', &rest));
	int64_t m = 0;
	if (q->n == RESERVED_MAX_OFFERS)
		return err_set(err, -E2BIG, "--offer: at most %d offers", RESERVED_MAX_OFFERS);
	bool has_term = sv_i64(months, &m) >= 0 && within_i64(m, 1, RESERVE_MAX_MONTHS);
	bool has_prices = rest.p && dec_parse(upfront, DEC_GROUPED, &o->upfront) >= 0 &&
			  dec_parse(sv_trim(rest), DEC_GROUPED, &o->hour) >= 0;
	if (!name.n || !has_term || !has_prices) {
		err_set(err, -EINVAL, "--offer: '%s' is not an offer", text);
		err_hint(err, "write NAME:MONTHS:UPFRONT:HOUR, for example 'partial:12:7500:0.91'");
		return -EINVAL;
	}
	o->name = text_line(&c->mem, name, NAME_MAX_COLS);
	o->months = (int)m;
	q->n++;
	return 0;
}

static int read_ask(struct cli *c, struct reserved_ask *q, struct err *err)
{
	struct asked a;
	int r = cli_read_opts(c, &a, err);

	if (r < 0)
		return r;
	q->machine.on_demand_hour = a.on_demand;
	q->machine.machines = a.instances;
	q->machine.paid_hours_month = a.hours_month;
	q->machine.wacc_frac = a.wacc_frac;
	q->util_frac = a.util_frac;
	if (cli_value(c, "reserved-1y") || cli_value(c, "upfront-1y"))
		add_usual_offer(q, "1y", 12, a.hour_1y, a.upfront_1y);
	if (cli_value(c, "reserved-3y") || cli_value(c, "upfront-3y"))
		add_usual_offer(q, "3y", 36, a.hour_3y, a.upfront_3y);
	for (size_t i = 0; i < a.offer.n && r >= 0; i++)
		r = add_own_offer(c, q, a.offer.v[i], err);
	return r;
}

static int run_plan_reserved(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	struct reserved_ask q = { 0 };
	struct reserved_answer a;
	struct out_as as = cli_out_as(c);

	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	if (!cli_value(c, "on-demand"))
		return cli_usage_error(c, "--on-demand is needed");
	if (read_ask(c, &q, &err) < 0)
		return cli_fail(&err);
	if (!q.n)
		return cli_usage_error(c, "no offer: give --reserved-1y, --reserved-3y or --offer");
	if (answer_plan_reserved(&q, &a, &err) < 0)
		return cli_fail(&err);
	plan_reserved_print(&q, &a, &as, &out);
	int code = cli_write(&out);
	str_free(&out);
	return code;
}

static const struct cli_opt opts[] = {
	{ "on-demand", "USD", "price of an instance for an hour on demand", .type = OPT_MONEY,
	  .at = offsetof(struct asked, on_demand), .lo = 1e-6, .hi = 1e6 },
	{ "reserved-1y", "USD", "price of an hour, reserved for a year", .type = OPT_MONEY,
	  .at = offsetof(struct asked, hour_1y), .hi = 1e6 },
	{ "reserved-3y", "USD", "price of an hour, reserved for three years", .type = OPT_MONEY,
	  .at = offsetof(struct asked, hour_3y), .hi = 1e6 },
	{ "upfront-1y", "USD", "and once for the year, per instance", .type = OPT_MONEY,
	  .at = offsetof(struct asked, upfront_1y), .hi = 1e9 },
	{ "upfront-3y", "USD", "and once for the three years, per instance", .type = OPT_MONEY,
	  .at = offsetof(struct asked, upfront_3y), .hi = 1e9 },
	{ "offer", "NAME:MONTHS:UPFRONT:HOUR", "another offer", .many = true, .type = OPT_LIST,
	  .at = offsetof(struct asked, offer) },
	{ "instances", "N", "how many", .type = OPT_INT, .at = offsetof(struct asked, instances),
	  .lo = 1, .hi = 1e6, .def = "1", .what = "number of machines" },
	{ "hours-month", "H", "hours of a month that a reservation charges", .type = OPT_MONEY,
	  .at = offsetof(struct asked, hours_month), .lo = 1e-12, .hi = 744, .def = "730",
	  .what = "number of hours up to 744" },
	{ "util", "F", "share of these hours an instance is used, 0 to 1", .type = OPT_FRAC,
	  .at = offsetof(struct asked, util_frac), .def = "1" },
	{ "wacc", "F", "cost of capital a year, for money upfront", .type = OPT_FRAC,
	  .at = offsetof(struct asked, wacc_frac), .def = "0" },
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
	.docs = CLI_DOCS(&plan_reserved_doc),
	.run = run_plan_reserved,
};
