/* tare plan commit: what to commit to from day to day, and how far that is from the best anybody
 * could have done. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/tm.h"
#include "cli/cmds.h"
#include "report/plan_commit.h"
#include "report/text.h"

/* ---- what is asked ----------------------------------------------------------------------- */

static int read_terms(const struct cli *c, struct commit_ask *a, struct err *err)
{
	struct sv rate = sv_of(cli_value(c, "rate-frac")), span = sv_of(cli_value(c, "term"));
	while (rate.p || span.p) {
		struct commit_term *t = &a->term[a->nterm];
		int64_t ms = 0;
		if (!rate.p || !span.p)
			return err_set(err, -EINVAL,
				       "--rate-frac and --term want as many values as each other");
		if (a->nterm == COMMIT_MAX_TERMS)
			return err_set(err, -EINVAL, "--term: at most %d terms", COMMIT_MAX_TERMS);
		struct sv r = sv_trim(sv_cut(rate, ',', &rate)),
			  s = sv_trim(sv_cut(span, ',', &span));
		if (sv_f64(r, &t->rate_frac) < 0 || !(t->rate_frac > 0 && t->rate_frac < 1))
			return err_set(
				err, -EINVAL,
				"--rate-frac: '%.*s' is no share of the on-demand price between 0 and 1",
				SVF(r));
		if (tm_parse_span(s, &ms) < 0 || ms % MS_HOUR || ms / MS_HOUR > COMMIT_MAX_TERM_H)
			return err_set(
				err, -EINVAL,
				"--term: '%.*s' is no span of whole hours up to ten years, such as 720h or 1y",
				SVF(s));
		t->hours = ms / MS_HOUR;
		a->nterm++;
	}
	return 0;
}

/* NAME:TERM:UPFRONT:HOUR */
static int read_offer(struct cli *c, struct commit_ask *a, const char *text, struct err *err)
{
	struct portfolio_offer *o = &a->offer[a->noffer];
	struct sv rest = sv_of(text), name = sv_trim(sv_cut(rest, ':', &rest)),
		  term = sv_trim(sv_cut(rest, ':', &rest)),
		  upfront = sv_trim(sv_cut(rest, ':', &rest));
	int64_t ms = 0;
	if (a->noffer == COMMIT_MAX_TERMS)
		return err_set(err, -EINVAL, "--offer: at most %d offers", COMMIT_MAX_TERMS);
	if (!name.n || !rest.p || tm_parse_span(term, &ms) < 0 || ms % MS_HOUR ||
	    ms / MS_HOUR > COMMIT_MAX_TERM_H || sv_f64(upfront, &o->upfront) < 0 ||
	    sv_f64(sv_trim(rest), &o->hour) < 0 || o->upfront < 0 || o->hour < 0) {
		err_set(err, -EINVAL, "--offer: '%s' is no offer", text);
		err_hint(err, "write NAME:TERM:UPFRONT:HOUR, for example 'partial:1y:7500:0.91'");
		return -EINVAL;
	}
	o->name = text_line(&c->mem, name, 30);
	o->term_h = ms / MS_HOUR;
	a->noffer++;
	return 0;
}

static int share_opt(const struct cli *c, const char *name, double other, double most, double *ret,
		     struct err *err)
{
	const char *z = cli_value(c, name);
	*ret = other;
	if (z && (sv_f64(sv_of(z), ret) < 0 || !(*ret >= 0 && *ret <= most)))
		return err_set(err, -EINVAL, "--%s: '%s' is no number from 0 to %g", name, z, most);
	return 0;
}

static int read_offers(struct cli *c, struct commit_ask *a, struct err *err)
{
	const char **text = NULL;
	size_t n = cli_values(c, "offer", &text);
	int r = share_opt(c, "wacc", 0, 1, &a->wacc_frac, err);
	if (r >= 0)
		r = share_opt(c, "outdated", 0, 0.99, &a->outdated_frac, err);
	if (r >= 0)
		r = share_opt(c, "upfront-cap", INFINITY, 1e15, &a->upfront_cap, err);
	if (r >= 0 && n && !a->priced)
		r = err_set(err, -EINVAL,
			    "--offer needs --on-demand: its prices are compared with that");
	if (r >= 0 && n && a->nterm)
		r = err_set(err, -EINVAL, "either --offer or --rate-frac and --term");
	for (size_t i = 0; i < n && r >= 0; i++)
		r = read_offer(c, a, text[i], err);
	return r;
}

static int read_rule(const struct cli *c, struct commit_ask *a, struct err *err)
{
	const char *z = cli_value(c, "policy"), *price = cli_value(c, "on-demand");
	a->rule = COMMIT_TARE;
	if (z)
		for (a->rule = 0; a->rule < COMMIT_RULES && strcmp(z, commit_rule_name(a->rule));
		     a->rule++)
			;
	if (a->rule == COMMIT_RULES) {
		err_set(err, -EINVAL, "--policy: '%s' is no rule", z);
		err_hint(
			err,
			"the rules are tare, on_demand, break_even, seven_day, seven_day_quarter, seven_and_28_day");
		return -EINVAL;
	}
	a->price = 1;
	a->priced = price != NULL;
	if (price && (sv_f64(sv_of(price), &a->price) < 0 || !(a->price > 0 && a->price <= 1e6)))
		return err_set(err, -EINVAL, "--on-demand: '%s' is no price an hour", price);
	return 0;
}

static int read_ask(struct cli *c, struct commit_ask *a, struct err *err)
{
	const char *hours = cli_value(c, "hours");
	int64_t n = 0;
	int r = read_terms(c, a, err);
	if (r >= 0)
		r = read_rule(c, a, err);
	if (r >= 0)
		r = read_offers(c, a, err);
	if (r >= 0 && hours && (sv_i64(sv_of(hours), &n) < 0 || n < 1 || n > COMMIT_MAX_HOURS))
		r = err_set(err, -EINVAL, "--hours: '%s' is no number of hours from 1 to %d", hours,
			    COMMIT_MAX_HOURS);
	a->hours = (size_t)n;
	a->jobs = cli_value(c, "jobs") != NULL;
	a->file = cli_value(c, a->jobs ? "jobs" : "demand");
	a->compare = cli_flag(c, "compare");
	return r;
}

static int run(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	struct commit_ask q = { 0 };
	struct commit_answer a = { 0 };
	struct out_as as = cli_out_as(c);

	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	if (!cli_value(c, "demand") == !cli_value(c, "jobs"))
		return cli_usage_error(c, "either --demand or --jobs is needed");
	if (!cli_value(c, "offer") && (!cli_value(c, "rate-frac") || !cli_value(c, "term")))
		return cli_usage_error(c, "--rate-frac and --term are needed, or --offer");
	int r = read_ask(c, &q, &err);
	r = r < 0 ? r : answer_plan_commit(&q, &a, &err);
	if (r >= 0)
		plan_commit_print(&q, &a, &as, &out);
	int code = r < 0 ? cli_fail(&err) : cli_write(&out);
	commit_answer_free(&a);
	str_free(&out);
	return code;
}

static const struct cli_opt opts[] = {
	{ "demand", "CSV",
	  "time, units: demand by the hour (times as dates or as numbers of hours); hours without a row count as 0",
	  0, false, "FILE" },
	{ "jobs", "CSV",
	  "a list of jobs instead (start, length, units); an hour's demand is the units of all jobs that overlap it",
	  0, false, "FILE" },
	{ "hours", "N",
	  "only so many hours from the first (default: all; jobs: to the hour of the last start)",
	  0, false, NULL },
	{ "rate-frac", "F[,F...]",
	  "price of a committed hour as a share of the on-demand price, upfront spread over the term",
	  0, false, NULL },
	{ "term", "SPAN[,SPAN...]", "length of the commitment, one for each rate (720h, 1y, 3y)", 0,
	  false, NULL },
	{ "on-demand", "USD", "price of a unit for an hour on demand: amounts are then dollars", 0,
	  false, NULL },
	{ "offer", "NAME:TERM:UPFRONT:HOUR",
	  "instead of a rate: a price list, several offers; also says what to hold today; needs --on-demand",
	  0, true, NULL },
	{ "wacc", "F", "cost of capital a year, for money upfront (default: 0)", 0, false, NULL },
	{ "upfront-cap", "USD", "most money upfront for what is held today (default: no limit)", 0,
	  false, NULL },
	{ "outdated", "F",
	  "chance a year that the type is outdated before the term ends (default: 0)", 0, false,
	  NULL },
	{ "policy", "NAME", "rule that buys (default: tare)", 0, false,
	  "tare|on_demand|break_even|seven_day|seven_day_quarter|seven_and_28_day" },
	{ "compare", NULL, "also run the other rules", 0, false, NULL },
	{ 0 },
};

const struct cli_cmd cmd_plan_commit_def = {
	.name = "plan commit",
	.group = "",
	.summary = "what to commit to from day to day, and how far that is from the best possible",
	.usage =
		"--demand CSV | --jobs CSV  (--rate-frac F --term SPAN | --offer OFFER ...) [--compare]",
	.examples =
		"# demand by the hour; a committed hour costs 60 % of one on demand, for 30 days\n"
		"tare plan commit --demand hours.csv --rate-frac 0.6 --term 720h\n"
		"# from a list of jobs, beside the rules of others\n"
		"tare plan commit --jobs jobs.csv.gz --rate-frac 0.6 --term 720h --compare\n"
		"# one and three years, in dollars\n"
		"tare plan commit --demand hours.csv --rate-frac 0.6,0.42 --term 1y,3y --on-demand 3.06\n"
		"# offers with money upfront, at most 50,000 of it, money at 8 % a year\n"
		"tare plan commit --demand hours.csv --on-demand 3.06 --offer none:1y:0:1.95 --offer part:1y:7500:0.9 --offer long:3y:0:1.31 --wacc 0.08 --upfront-cap 50000",
	.about =
		"The rule decides once a day and knows only the hours before. It buys a unit when it pays for itself now and can be expected to over its term, with\n"
		"a margin, three quarters of what is missing each day, so that terms end one after the other. The optimum knows all hours and is exact. The last\n"
		"terms count as far as the data go.",
	.common = CLI_OUTPUT,
	.opt = opts,
	.run = run,
};
