/* tare plan reserved: what reserving saves over renting on demand, and when it pays off. */
#include <errno.h>
#include <math.h>

#include "cli/cmds.h"
#include "report/plan_reserved.h"
#include "report/text.h"

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
static int usual_offer(const struct cli *c, struct reserved_ask *q, const char *name, int months,
		       const char *hour, const char *upfront, struct err *err)
{
	struct reserve_offer *o = &q->offer[q->n];
	*o = (struct reserve_offer){ .name = name, .months = months };
	if (!cli_value(c, hour) && !cli_value(c, upfront))
		return 0;
	int r = money_opt(c, hour, 0, &o->hour, err);
	if (r >= 0)
		r = money_opt(c, upfront, 0, &o->upfront, err);
	q->n++;
	return r;
}

/* NAME:MONTHS:UPFRONT:HOUR */
static int own_offer(struct cli *c, struct reserved_ask *q, const char *text, struct err *err)
{
	struct reserve_offer *o = &q->offer[q->n];
	struct sv rest = sv_of(text), name = sv_trim(sv_cut(rest, ':', &rest)),
		  months = sv_trim(sv_cut(rest, ':', &rest)),
		  upfront = sv_trim(sv_cut(rest, ':', &rest));
	int64_t m = 0;
	if (q->n == RESERVED_MAX_OFFERS)
		return err_set(err, -E2BIG, "--offer: at most %d offers", RESERVED_MAX_OFFERS);
	if (!name.n || !rest.p || sv_i64(months, &m) < 0 || m < 1 || m > 120 ||
	    dec_parse(upfront, DEC_GROUPED, &o->upfront) < 0 ||
	    dec_parse(sv_trim(rest), DEC_GROUPED, &o->hour) < 0) {
		err_set(err, -EINVAL, "--offer: '%s' is no offer", text);
		err_hint(err, "write NAME:MONTHS:UPFRONT:HOUR, for example 'partial:12:7500:0.91'");
		return -EINVAL;
	}
	o->name = text_line(&c->mem, name, 30);
	o->months = (int)m;
	q->n++;
	return 0;
}

static int read_machine(const struct cli *c, struct reserved_ask *q, struct err *err)
{
	const char *n = cli_value(c, "instances");
	dec hours = 0;
	int r = money_opt(c, "on-demand", 0, &q->machine.on_demand_hour, err);
	if (r >= 0)
		r = money_opt(c, "hours-month", 730 * DEC_ONE, &hours, err);
	if (r >= 0)
		r = share_opt(c, "util", 1, &q->util_frac, err);
	if (r >= 0)
		r = share_opt(c, "wacc", 0, &q->machine.wacc_frac, err);
	q->machine.machines = 1;
	if (r >= 0 && n && sv_i64(sv_of(n), &q->machine.machines) < 0)
		r = err_set(err, -EINVAL, "--instances: '%s' is no number of machines", n);
	if (r >= 0 && (hours <= 0 || hours > 744 * DEC_ONE))
		r = err_set(err, -EINVAL, "--hours-month: '%s' is no number of hours up to 744",
			    cli_value(c, "hours-month"));
	q->machine.paid_hours_month = hours;
	return r;
}

static int read_ask(struct cli *c, struct reserved_ask *q, struct err *err)
{
	const char **more = NULL;
	size_t n = cli_values(c, "offer", &more);
	int r = read_machine(c, q, err);
	if (r >= 0)
		r = usual_offer(c, q, "1y", 12, "reserved-1y", "upfront-1y", err);
	if (r >= 0)
		r = usual_offer(c, q, "3y", 36, "reserved-3y", "upfront-3y", err);
	for (size_t i = 0; i < n && r >= 0; i++)
		r = own_offer(c, q, more[i], err);
	return r;
}

static int run(struct cli *c)
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
