/* tare plan forecast: demand by the hour, by team and GPU model from the store, or of one file;
 * projects entered by hand on top. */
#include <errno.h>

#include "base/tm.h"
#include "cli/cmds.h"
#include "report/plan_forecast.h"

/* "nlp:H100:16:2026-12-01:2027-01-15"; instants may hold colons themselves, so every cut between
 * FROM and TO is tried. */
static int parse_span(struct sv s, struct forecast_planned *p)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == ':' && tm_parse((struct sv){ s.p, i }, 0, &p->from_ms) >= 0 &&
		    tm_parse((struct sv){ s.p + i + 1, s.n - i - 1 }, 0, &p->to_ms) >= 0)
			return p->from_ms < p->to_ms ? 0 : -EDOM;
	return -EINVAL;
}

static int parse_planned(struct cli *c, const char *text, struct forecast_planned *ret,
			 struct err *err)
{
	struct sv rest = sv_of(text), team = sv_trim(sv_cut(rest, ':', &rest)),
		  model = sv_trim(sv_cut(rest, ':', &rest)),
		  units = sv_trim(sv_cut(rest, ':', &rest));
	struct forecast_planned p = { arena_sv(&c->mem, team),
				      arena_strn(&c->mem, model.n ? model.p : "", model.n), 0, 0,
				      0 };
	int r = rest.n && sv_f64(units, &p.units) >= 0 && p.units > 0 && p.units <= 1e6
			? parse_span(rest, &p)
			: -EINVAL;
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

static int read_planned(struct cli *c, struct forecast_ask *q, struct err *err)
{
	const char **add;
	size_t n = cli_values(c, "add", &add);
	struct forecast_planned *p = arena_alloc(&c->mem, (n + 1) * sizeof *p);

	q->planned = p;
	for (; q->nplanned < n; q->nplanned++)
		if (parse_planned(c, add[q->nplanned], &p[q->nplanned], err) < 0)
			return -EINVAL;
	return 0;
}

static int read_file(struct cli *c, struct forecast_ask *q, struct err *err)
{
	const char *demand = cli_value(c, "demand"), *jobs = cli_value(c, "jobs"),
		   *hours = cli_value(c, "hours");
	int64_t n = 0;

	if (demand && jobs)
		return err_set(err, -EINVAL,
			       "--demand and --jobs are two histories: give one of them");
	if (!demand && !jobs)
		return 0;
	if (hours && (sv_i64(sv_of(hours), &n) < 0 || n < 1 || n > DEMAND_MAX_HOURS))
		return err_set(err, -EINVAL, "--hours: '%s' is no number of hours", hours);
	q->file = jobs ? jobs : demand;
	q->jobs = jobs != NULL;
	q->hours = (size_t)n;
	return 0;
}

static int read_ask(struct cli *c, struct forecast_ask *q, struct err *err)
{
	const char *horizon = cli_value(c, "horizon");
	int64_t ms = 7 * MS_DAY;

	if (horizon && (tm_parse_span(sv_of(horizon), &ms) < 0 || ms < MS_HOUR ||
			ms > FORECAST_MAX_HORIZON * MS_HOUR))
		return err_set(err, -EINVAL, "--horizon: '%s' is no span from 1h to 1y", horizon);
	q->horizon = (size_t)(ms / MS_HOUR);
	if (read_planned(c, q, err) < 0)
		return -EINVAL;
	return read_file(c, q, err);
}

static int run(struct cli *c)
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
	r = r < 0 ? r : answer_plan_forecast(&q, &a, &err);
	if (r < 0) {
		code = cli_fail(&err);
		code = r == -ENODATA ? EXIT_INCOMPLETE : code;
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
	{ "horizon", "SPAN", "how far ahead (default: 7d)", 0, false, NULL },
	{ "add", "PLAN", "a planned project, TEAM:MODEL:GPUS:FROM:TO", 0, true, NULL },
	{ "demand", "CSV", "no store: demand by the hour (time, units)", 0, false, "FILE" },
	{ "jobs", "CSV",
	  "no store: jobs (start, length or duration or end, gpus); an hour's demand is the GPUs of all jobs that overlap it",
	  0, false, "FILE" },
	{ "hours", "N", "of --jobs and --demand: the first N hours only", 0, false, NULL },
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
		"Ten methods (naive, seasonal naive of a day and of a week, mean of 7 days, exponential smoothing, Holt-Winters, Theta, reversion to the mean, their\n"
		"median) are tested from origin to origin on the series itself; the forecast is their weighted combination, weights by how well each did lately.\n"
		"Nothing later than an origin enters what is forecast there. MASE below 1 is better than \"as 24 hours before\".\n\n"
		"From the store, demand is what is held (all states but unallocated); hours of which the ledger knows nothing are unknown, not 0. Planned projects are\n"
		"added to the forecast and to its quantiles as they are. Where no series has enough history the exit code is 3.",
	.common = CLI_STORE | CLI_OUTPUT | CLI_WINDOW,
	.opt = opts,
	.run = run,
};
