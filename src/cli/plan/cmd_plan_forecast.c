/* tare plan forecast: demand by the hour, by team and GPU model from the store, or of one file;
 * projects entered by hand on top. */
#include <errno.h>

#include "base/str.h"
#include "base/tm.h"
#include "cli/cmds.h"
#include "report/plan/plan_forecast.h"

struct asked {
	int64_t horizon_ms, hours;
	struct opt_list add;
	const char *demand, *jobs;
};

/* "nlp:H100:16:2026-12-01:2027-01-15"; instants may hold colons themselves, so every cut between
 * FROM and TO is tried. */
static int parse_span(struct sv s, struct forecast_planned *p)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == ':' && tm_parse((struct sv){ s.p, i }, 0, &p->from_ms) >= 0 &&
		    tm_parse((struct sv){ s.p + i + 1, s.n - i - 1 }, 0, &p->to_ms) >= 0) {
			if (p->from_ms < p->to_ms)
				return 0;
			return -EDOM;
		}
	return -EINVAL;
}

static int parse_planned(struct cli *c, const char *text, struct forecast_planned *ret,
			 struct err *err)
{
	struct sv rest = sv_of(text), team = sv_trim(sv_cut(rest, ':', &rest)),
		  model = sv_trim(sv_cut(rest, ':', &rest)),
		  units = sv_trim(sv_cut(rest, ':', &rest));
	struct forecast_planned p = { arena_sv(&c->mem, team),
				      arena_strn(&c->mem, text_if(model.n, model.p), model.n), 0, 0,
				      0 };
	int r = -EINVAL;
	bool has_units = sv_f64(units, &p.units) >= 0 && p.units > 0 && p.units <= 1e6;
	if (rest.n && has_units)
		r = parse_span(rest, &p);
	if (r == -EDOM)
		return err_set(err, -EINVAL, "--add: '%s' ends before it begins", text);
	if (r < 0) {
		err_set(err, -EINVAL, "--add: '%s' is no TEAM:MODEL:GPUS:FROM:TO", text);
		err_hint(err, "such as nlp:H100:16:2026-12-01:2027-01-15");
		return -EINVAL;
	}
	*ret = p;
	return 0;
}

static int read_planned(struct cli *c, const struct opt_list *l, struct forecast_ask *q,
			struct err *err)
{
	struct forecast_planned *p = arena_alloc(&c->mem, (l->n + 1) * sizeof *p);

	q->planned = p;
	for (; q->nplanned < l->n; q->nplanned++)
		if (parse_planned(c, l->v[q->nplanned], &p[q->nplanned], err) < 0)
			return -EINVAL;
	return 0;
}

static int read_ask(struct cli *c, struct forecast_ask *q, struct err *err)
{
	struct asked x;

	if (cli_read_opts(c, &x, err) < 0 || read_planned(c, &x.add, q, err) < 0)
		return -EINVAL;
	if (x.demand && x.jobs)
		return err_set(err, -EINVAL,
			       "--demand and --jobs are two histories: give one of them");
	q->horizon = (size_t)(x.horizon_ms / MS_HOUR);
	q->file = text_or(x.jobs, x.demand);
	q->jobs = x.jobs != NULL;
	q->hours = q->file ? (size_t)x.hours : 0;
	return 0;
}

static int run_plan_forecast(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	struct forecast_ask q = { 0 };
	struct forecast_answer a = { 0 };
	struct out_as as = cli_out_as(c);
	struct store *store = NULL;
	int r, code;

	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	r = read_ask(c, &q, &err);
	if (r >= 0 && !q.file)
		r = cli_open_store(c, STORE_READ, &store, &err);
	q.ask = cli_ask(c, store, NULL);
	if (r >= 0)
		r = answer_plan_forecast(&q, &a, &err);
	if (r < 0) {
		code = cli_fail(&err);
		if (r == -ENODATA)
			code = EXIT_INCOMPLETE;
	} else {
		plan_forecast_print(&q, &a, &as, &out);
		code = cli_write(&out);
		if (code == EXIT_DONE && !a.any)
			code = EXIT_INCOMPLETE;
	}
	str_free(&out);
	forecast_answer_free(&a);
	if (store)
		store_close(store);
	return code;
}

static const struct cli_opt opts[] = {
	{ "horizon", "SPAN", "how far ahead", .type = OPT_SPAN,
	  .at = offsetof(struct asked, horizon_ms), .lo = MS_HOUR,
	  .hi = (double)FORECAST_MAX_HORIZON * MS_HOUR, .def = "7d",
	  .what = "duration from 1h to 1y" },
	{ "add", "PLAN", "a planned project, TEAM:MODEL:GPUS:FROM:TO", .many = true,
	  .type = OPT_LIST, .at = offsetof(struct asked, add) },
	{ "demand", "CSV", "no store: demand by the hour (time, units)", .values = "FILE",
	  .type = OPT_FILE, .at = offsetof(struct asked, demand) },
	{ "jobs", "CSV",
	  "no store: jobs (start, length or duration or end, gpus); an hour's demand is the GPUs of all jobs that overlap it",
	  .values = "FILE", .type = OPT_FILE, .at = offsetof(struct asked, jobs) },
	{ "hours", "N", "of --jobs and --demand: the first N hours only", .type = OPT_INT,
	  .at = offsetof(struct asked, hours), .lo = 1, .hi = DEMAND_MAX_HOURS,
	  .what = "number of hours" },
	{ 0 },
};

const struct cli_cmd cmd_plan_forecast_def = {
	.name = "plan forecast",
	.group = "",
	.summary = "demand to come, by team and GPU model, with quantiles and a back-test",
	.usage = "[--horizon SPAN] [--add PLAN]... [--demand CSV | --jobs CSV [--hours N]]",
	.examples = "tare plan forecast --horizon 7d\n"
		    "# a project that no history knows of\n"
		    "tare plan forecast --add nlp:H100:16:2026-12-01:2027-01-15\n"
		    "# a trace of jobs, without a store\n"
		    "tare plan forecast --jobs philly.csv.gz --hours 2614 --horizon 24h",
	.about =
		"Eleven methods (naive, seasonal naive of a day and of a week, mean of 7 days, exponential smoothing, Holt-Winters, Theta, the level held, reversion to the\n"
		"mean, their median) are tested from origin to origin on the series itself; the forecast is their weighted combination, weights by how well each did lately.\n"
		"Nothing later than an origin enters what is forecast there. MASE below 1 is better than \"as 24 hours before\".\n\n"
		"From the store, demand is what is held (all states but unallocated); hours of which the ledger knows nothing are unknown, not 0. Planned projects are\n"
		"added to the forecast and to its quantiles as they are. The cost of the hours ahead has what is paid in any case (commitments, used or not), what nobody\n"
		"holds, storage, egress and other lines too, as in the last weeks. Where no series has enough history the exit code is 3.",
	.common = CLI_STORE | CLI_DEMO | CLI_OUTPUT | CLI_WINDOW,
	.opt = opts,
	.docs = CLI_DOCS(&plan_forecast_doc),
	.run = run_plan_forecast,
};
