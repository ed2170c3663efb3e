/* tare plan commit: what to commit to from day to day, and how far that is from the best anybody
 * could have done. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/tm.h"
#include "cli/cmds.h"
#include "report/plan/plan_commit.h"
#include "report/text.h"

/* ---- what is asked ----------------------------------------------------------------------- */

struct asked {
	const char *demand, *jobs;
	const char *instance, *region, *provider;
	int64_t hours;
	struct opt_list rate, term, offer;
	double on_demand, wacc_frac, upfront_cap, outdated_frac;
	int rule;
	bool compare;
};

static int read_term(const char *rate, const char *span, struct commit_term *ret, struct err *err)
{
	int64_t ms = 0;

	if (sv_f64(sv_of(rate), &ret->rate_frac) < 0 || !(ret->rate_frac > 0 && ret->rate_frac < 1))
		return err_set(
			err, -EINVAL,
			"--rate-frac: '%s' is not a share of the on-demand price between 0 and 1",
			rate);
	if (tm_parse_span(sv_of(span), &ms) < 0 || ms % MS_HOUR || ms / MS_HOUR > COMMIT_MAX_TERM_H)
		return err_set(
			err, -EINVAL,
			"--term: '%s' is not a duration of whole hours up to ten years, such as 720h or 1y",
			span);
	ret->hours = ms / MS_HOUR;
	return 0;
}

static int read_terms(const struct asked *x, struct commit_ask *a, struct err *err)
{
	if (x->rate.n != x->term.n)
		return err_set(err, -EINVAL,
			       "--rate-frac and --term want as many values as each other");
	if (x->rate.n > COMMIT_MAX_TERMS)
		return err_set(err, -EINVAL, "--term: at most %d terms", COMMIT_MAX_TERMS);
	for (; a->nterm < x->rate.n; a->nterm++) {
		struct commit_term *t = &a->term[a->nterm];
		int r = read_term(x->rate.v[a->nterm], x->term.v[a->nterm], t, err);
		if (r < 0)
			return r;
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
	bool has_term = tm_parse_span(term, &ms) >= 0 && ms % MS_HOUR == 0 &&
			ms / MS_HOUR <= COMMIT_MAX_TERM_H;
	bool has_upfront = sv_f64(upfront, &o->upfront) >= 0 && o->upfront >= 0;
	bool has_hour = rest.p && sv_f64(sv_trim(rest), &o->hour) >= 0 && o->hour >= 0;
	bool has_price = has_upfront && has_hour;
	if (!name.n || !has_term || !has_price) {
		err_set(err, -EINVAL, "--offer: '%s' is not an offer", text);
		err_hint(err, "write NAME:TERM:UPFRONT:HOUR, for example 'partial:1y:7500:0.91'");
		return -EINVAL;
	}
	o->name = text_line(&c->mem, name, 30);
	o->term_h = ms / MS_HOUR;
	a->noffer++;
	return 0;
}

static int read_offers(struct cli *c, const struct opt_list *l, struct commit_ask *a,
		       struct err *err)
{
	int r = 0;

	if (l->n && !a->priced)
		return err_set(err, -EINVAL,
			       "--offer needs --on-demand: its prices are compared with that");
	if (l->n && a->nterm)
		return err_set(err, -EINVAL, "either --offer or --rate-frac and --term");
	for (size_t i = 0; i < l->n && r >= 0; i++)
		r = read_offer(c, a, l->v[i], err);
	return r;
}

/* What the catalogue has of a machine, where no offer is given. */
static int offers_of_type(struct cli *c, const struct asked *x, struct commit_ask *a,
			  struct err *err)
{
	struct catalog *cat = NULL;
	struct commit_type t = { .provider = x->provider,
				 .region = x->region,
				 .instance_type = x->instance,
				 .at_ms = c->now_ms };
	int r;

	if (!x->instance)
		return 0;
	if (!x->region)
		return err_set(err, -EINVAL,
			       "--instance needs --region: prices are those of a place");
	if (a->noffer || a->nterm)
		return err_set(
			err, -EINVAL,
			"either --instance, whose offers the catalogue has, or --offer, or --rate-frac and --term");
	if ((r = catalog_open(NULL, &cat, err)) < 0)
		return r;
	t.catalog = cat;
	r = commit_offers_of_type(&t, &c->mem, a, err);
	catalog_free(cat);
	return r;
}

static int read_ask(struct cli *c, struct commit_ask *a, struct err *err)
{
	struct asked x;
	int r = cli_read_opts(c, &x, err);

	if (r < 0)
		return r;
	a->rule = (enum commit_rule)x.rule;
	a->priced = !isnan(x.on_demand);
	a->price = a->priced ? x.on_demand : 1;
	a->wacc_frac = x.wacc_frac;
	a->upfront_cap = known_or(x.upfront_cap, INFINITY);
	a->outdated_frac = x.outdated_frac;
	a->hours = (size_t)x.hours;
	a->jobs = x.jobs != NULL;
	a->file = text_or(x.jobs, x.demand);
	a->compare = x.compare;
	r = read_terms(&x, a, err);
	if (r >= 0)
		r = read_offers(c, &x.offer, a, err);
	if (r < 0)
		return r;
	return offers_of_type(c, &x, a, err);
}

static int run_plan_commit(struct cli *c)
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
	bool has_offer = cli_value(c, "offer") || cli_value(c, "instance");
	bool has_terms = cli_value(c, "rate-frac") && cli_value(c, "term");
	if (!has_offer && !has_terms)
		return cli_usage_error(
			c, "--rate-frac and --term are needed, or --offer, or --instance");
	int r = read_ask(c, &q, &err);
	if (r >= 0)
		r = answer_plan_commit(&q, &a, &err);
	if (r >= 0)
		plan_commit_print(&q, &a, &as, &out);
	int code = cli_end(r, &err, &out);
	commit_answer_free(&a);
	return code;
}

/* words of --policy: in the order of enum commit_rule */
static const struct cli_opt opts[] = {
	{ "demand", "CSV",
	  "time, units: demand by the hour (times as dates or as numbers of hours); hours without a row count as 0",
	  .values = "FILE", .type = OPT_FILE, .at = offsetof(struct asked, demand) },
	{ "jobs", "CSV",
	  "a list of jobs instead (start, length, units); an hour's demand is the units of all jobs that overlap it",
	  .values = "FILE", .type = OPT_FILE, .at = offsetof(struct asked, jobs) },
	{ "hours", "N",
	  "only so many hours from the first (default: all; jobs: to the hour of the last start)",
	  .type = OPT_INT, .at = offsetof(struct asked, hours), .lo = 1, .hi = COMMIT_MAX_HOURS },
	{ "rate-frac", "F[,F...]",
	  "price of a committed hour as a share of the on-demand price, upfront spread over the term",
	  .type = OPT_LIST, .at = offsetof(struct asked, rate) },
	{ "term", "SPAN[,SPAN...]", "length of the commitment, one for each rate (720h, 1y, 3y)",
	  .type = OPT_LIST, .at = offsetof(struct asked, term) },
	{ "on-demand", "USD", "price of a unit for an hour on demand: amounts are then dollars",
	  .type = OPT_NUM, .at = offsetof(struct asked, on_demand), .lo = 1e-12, .hi = 1e6,
	  .what = "price an hour" },
	{ "offer", "NAME:TERM:UPFRONT:HOUR",
	  "instead of a rate: a price list, several offers; also says what to hold today; needs --on-demand",
	  .many = true, .type = OPT_LIST, .at = offsetof(struct asked, offer) },
	{ "instance", "TYPE",
	  "offers and on-demand price that the catalogue has of this machine; needs --region; a unit is a machine",
	  .type = OPT_TEXT, .at = offsetof(struct asked, instance) },
	{ "region", "NAME", "of --instance", .type = OPT_TEXT,
	  .at = offsetof(struct asked, region) },
	{ "provider", "P", "of --instance, where several have it: aws, azure, gcp",
	  .type = OPT_TEXT, .at = offsetof(struct asked, provider) },
	{ "wacc", "F", "cost of capital a year, for money upfront", .type = OPT_NUM,
	  .at = offsetof(struct asked, wacc_frac), .hi = 1, .def = "0" },
	{ "upfront-cap", "USD", "most money upfront for what is held today (default: no limit)",
	  .type = OPT_NUM, .at = offsetof(struct asked, upfront_cap), .hi = 1e15 },
	{ "outdated", "F", "chance a year that the type is outdated before the term ends",
	  .type = OPT_NUM, .at = offsetof(struct asked, outdated_frac), .hi = 0.99, .def = "0" },
	{ "policy", "NAME", "rule that buys",
	  .values = "tare|on_demand|break_even|seven_day|seven_day_quarter|seven_and_28_day",
	  .type = OPT_CHOICE, .at = offsetof(struct asked, rule), .def = "tare" },
	{ "compare", NULL, "also run the other rules", .type = OPT_FLAG,
	  .at = offsetof(struct asked, compare) },
	{ 0 },
};

const struct cli_cmd cmd_plan_commit_def = {
	.name = "plan commit",
	.group = "",
	.summary = "what to commit to from day to day, and how far that is from the best possible",
	.usage =
		"--demand CSV | --jobs CSV  (--rate-frac F --term SPAN | --offer OFFER ... | --instance TYPE --region R) [--compare]",
	.examples =
		"# demand by the hour; a committed hour costs 60 % of one on demand, for 30 days\n"
		"tare plan commit --demand hours.csv --rate-frac 0.6 --term 720h\n"
		"# from a list of jobs, beside the rules of others\n"
		"tare plan commit --jobs jobs.csv.gz --rate-frac 0.6 --term 720h --compare\n"
		"# one and three years, in dollars\n"
		"tare plan commit --demand hours.csv --rate-frac 0.6,0.42 --term 1y,3y --on-demand 3.06\n"
		"# what AWS and the catalogue have of a machine; what is not sold is said\n"
		"tare plan commit --demand hours.csv --instance p4d.24xlarge --region us-east-1\n"
		"# offers with money upfront, at most 50,000 of it, money at 8 % a year\n"
		"tare plan commit --demand hours.csv --on-demand 3.06 --offer none:1y:0:1.95 --offer part:1y:7500:0.9 --offer long:3y:0:1.31 --wacc 0.08 --upfront-cap 50000",
	.about =
		"The rule decides once a day and knows only the hours before. It buys a unit when it pays for itself now, can be expected to over its term, with a\n"
		"margin, and was needed for a part of the hours that its fee is worth: few where demand stays or grows, more where it comes and goes. The optimum\n"
		"knows all hours and is exact. The last terms count as far as the data go.",
	.common = CLI_OUTPUT,
	.opt = opts,
	.docs = CLI_DOCS(&plan_commit_doc),
	.run = run_plan_commit,
};
