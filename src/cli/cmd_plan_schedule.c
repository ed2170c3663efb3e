/* tare plan schedule: when and where is it cheapest? */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/tm.h"
#include "cli/cmds.h"
#include "report/plan_schedule.h"

static int span(const struct cli *c, const char *name, int64_t other, int64_t *ret, struct err *err)
{
	const char *z = cli_value(c, name);
	*ret = other;
	if (z && !strcmp(z, "0"))
		*ret = 0;
	else if (z && tm_parse_span(sv_of(z), ret) < 0)
		return err_set(err, -EINVAL, "--%s: '%s' is no span such as 6h or 90m", name, z);
	return 0;
}

static int count(const struct cli *c, const char *name, int64_t other, int64_t *ret,
		 struct err *err)
{
	const char *z = cli_value(c, name);
	*ret = other;
	if (z && (sv_i64(sv_of(z), ret) < 0 || *ret < 1 || *ret > 1000000))
		return err_set(err, -EINVAL, "--%s: '%s' is no number from 1 to 1,000,000", name,
			       z);
	return 0;
}

static int gigabytes(const struct cli *c, const char *name, double *ret, struct err *err)
{
	const char *z = cli_value(c, name);
	*ret = NAN;
	if (z && (sv_f64(sv_of(z), ret) < 0 || !(*ret >= 0 && *ret <= 1e12)))
		return err_set(err, -EINVAL, "--%s: '%s' is no number of gigabytes", name, z);
	return 0;
}

static int read_data(struct cli *c, struct schedule_ask *a, struct err *err)
{
	const char *usd = cli_value(c, "egress-usd-gb");
	a->home = cli_value(c, "home");
	/* between regions of AWS and Google, on one continent */
	a->egress_usd_gb = DEC_ONE * 2 / 100;
	if (usd && (dec_parse(sv_of(usd), 0, &a->egress_usd_gb) < 0 || a->egress_usd_gb < 0 ||
		    a->egress_usd_gb > DEC_ONE * 1000))
		return err_set(err, -EINVAL, "--egress-usd-gb: '%s' is no price of a gigabyte",
			       usd);
	int r = gigabytes(c, "egress-gb", &a->egress_gb, err);
	return r < 0 ? r : gigabytes(c, "back-gb", &a->back_gb, err);
}

static void read_allow(struct cli *c, struct schedule_ask *a)
{
	struct sv rest = sv_of(cli_value(c, "allow"));
	const char **allow = arena_alloc(&c->mem, (rest.n / 2 + 2) * sizeof *allow);

	a->allow = allow;
	while (rest.p) {
		struct sv w = sv_trim(sv_cut(rest, ',', &rest));
		if (w.n)
			allow[a->nallow++] = arena_sv(&c->mem, w);
	}
}

static int read_prices(const struct cli *c, struct schedule_prices_ask *p, struct err *err)
{
	const char *window = cli_value(c, "window");

	*p = (struct schedule_prices_ask){ .file = cli_value(c, "prices"),
					   .spot = cli_flag(c, "spot"),
					   .machine = cli_value(c, "machine"),
					   .window = -1 };
	if (window && (sv_i64(sv_of(window), &p->window) < 0 || p->window < 0))
		return err_set(err, -EINVAL, "--window: '%s' is no number of a window", window);
	return 0;
}

struct given { /* whatever is asked, all numbers are looked at */
	struct schedule_ask a;
	int64_t length_ms, restart_ms, slack_ms, units, capacity;
};

static int read_given(struct cli *c, struct given *g, struct err *err)
{
	const char *from = cli_value(c, "from");
	int r = span(c, "length", 0, &g->length_ms, err);

	r = r < 0 ? r : span(c, "slot", MS_HOUR, &g->a.slot_ms, err);
	r = r < 0 ? r : span(c, "restart", 0, &g->restart_ms, err);
	r = r < 0 ? r : span(c, "slack", MS_DAY, &g->slack_ms, err);
	r = r < 0 ? r : count(c, "units", 1, &g->units, err);
	r = r < 0 ? r : count(c, "capacity", -1, &g->capacity, err);
	g->a.mem = &c->mem;
	g->a.from_ms = UNKNOWN_MS;
	if (r >= 0 && from && tm_parse(sv_of(from), 0, &g->a.from_ms) < 0)
		r = err_set(err, -EINVAL, "--from: '%s' is no time such as 2026-11-20T12:00:00Z",
			    from);
	read_allow(c, &g->a);
	return r < 0 ? r : read_data(c, &g->a, err);
}

static int read_deadline(const struct cli *c, struct schedule_job_ask *q, struct err *err)
{
	const char *z = cli_value(c, "deadline");

	q->deadline_ms = q->within_ms = UNKNOWN_MS;
	if (z && tm_parse_span(sv_of(z), &q->within_ms) < 0) {
		q->within_ms = UNKNOWN_MS;
		if (tm_parse(sv_of(z), 0, &q->deadline_ms) < 0)
			return err_set(err, -EINVAL,
				       "--deadline: '%s' is neither a time nor a span such as 24h",
				       z);
	}
	return 0;
}

/* ---- the three questions ----------------------------------------------------------------- */

static int ask_job(struct cli *c, const struct given *g, struct str *out, struct err *err)
{
	struct out_as as = cli_out_as(c);
	struct schedule_job_ask q = { .a = g->a,
				      .length_ms = g->length_ms,
				      .restart_ms = g->restart_ms,
				      .units = g->units,
				      .preemptible = cli_flag(c, "preemptible") };
	struct schedule_job_answer a;
	int r = read_prices(c, &q.a.prices, err);

	r = r < 0 ? r : read_deadline(c, &q, err);
	r = r < 0 ? r : answer_schedule_job(&q, &a, err);
	if (r < 0)
		return r;
	schedule_job_print(&q, &a, &as, out);
	return a.option->feasible ? EXIT_DONE : EXIT_INCOMPLETE;
}

static int ask_fleet(struct cli *c, const struct given *g, struct str *out, struct err *err)
{
	struct out_as as = cli_out_as(c);
	struct schedule_fleet_ask q = { .a = g->a,
					.jobs = cli_value(c, "jobs"),
					.capacity = g->capacity,
					.slack_ms = g->slack_ms };
	struct schedule_fleet_answer a;
	int r = read_prices(c, &q.a.prices, err);

	r = r < 0 ? r : answer_schedule_fleet(&q, &a, err);
	if (r < 0)
		return r;
	schedule_fleet_print(&q, &a, &as, out);
	return a.left_out == a.n ? EXIT_INCOMPLETE : EXIT_DONE;
}

static int offset_of(struct cli *c, int32_t *ret, struct err *err)
{
	const char *z = cli_value(c, "utc-offset");
	int64_t ms, zero;
	*ret = 0;
	if (!z)
		return 0;
	/* as an instant of that zone would be read */
	char *text = arena_printf(&c->mem, "1970-01-02T00:00:00%s", z);
	if (tm_parse(sv_of(text), 0, &ms) < 0 || tm_parse(SV("1970-01-02"), 0, &zero) < 0)
		return err_set(err, -EINVAL, "--utc-offset: '%s' is no offset such as +02:00", z);
	*ret = (int32_t)((zero - ms) / 1000);
	return 0;
}

static int read_table(struct cli *c, struct schedule_table_ask *q, struct err *err)
{
	const char *z = cli_value(c, "headroom");
	int64_t ms = MS_HOUR;
	if (z && strcmp(z, "0") && (tm_parse_span(sv_of(z), &ms) < 0 || ms > MS_DAY))
		return err_set(err, -EINVAL, "--headroom: '%s' is no span up to a day", z);
	if (z && !strcmp(z, "0"))
		ms = 0;
	q->usage = cli_value(c, "usage");
	q->opt = (struct timetable_opt){ .headroom_h = (double)ms / (double)MS_HOUR };
	return offset_of(c, &q->offset_s, err);
}

static int ask_table(struct cli *c, struct str *out, struct err *err)
{
	struct out_as as = cli_out_as(c);
	struct schedule_table_ask q = { 0 };
	struct schedule_table_answer a;
	int r = read_table(c, &q, err);

	r = r < 0 ? r : answer_schedule_table(&q, &a, err);
	if (r < 0)
		return r;
	schedule_table_print(&q, &a, &as, out);
	return a.t.enough ? EXIT_DONE : EXIT_INCOMPLETE;
}

/* ------------------------------------------------------------------------------------------ */

static int ask(struct cli *c, struct str *out, struct err *err)
{
	struct given g = { 0 };
	int r = read_given(c, &g, err);

	if (r < 0)
		return r;
	if (cli_value(c, "usage"))
		return ask_table(c, out, err);
	return cli_value(c, "jobs") ? ask_fleet(c, &g, out, err) : ask_job(c, &g, out, err);
}

static int run(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	bool prices = cli_value(c, "prices"), job = cli_value(c, "length"),
	     jobs = cli_value(c, "jobs"), usage = cli_value(c, "usage");
	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	if (job + jobs + usage != 1 || (!usage && !prices))
		return cli_usage_error(
			c,
			"--prices with --length (one job) or --jobs (many), or --usage (a timetable) is needed");
	if (jobs && cli_flag(c, "preemptible"))
		return cli_usage_error(
			c,
			"--jobs plans runs without interruption; --preemptible goes with --length");
	int r = ask(c, &out, &err), code = r;
	if (r < 0)
		code = cli_fail(&err) == EXIT_ERROR && r == -ENODATA ? EXIT_INCOMPLETE : EXIT_ERROR;
	else if (cli_write(&out) != EXIT_DONE)
		code = EXIT_ERROR;
	str_free(&out);
	return code;
}

static const struct cli_opt opts[] = {
	{ "prices", "CSV",
	  "prices over time: time, region or zone, usd_hour; also Google's monthly history and spot price windows",
	  0, false, "FILE" },
	{ "length", "SPAN", "how long the job runs", 0, false, NULL },
	{ "deadline", "T", "a time, or a span from --from (default: the end of the prices)", 0,
	  false, NULL },
	{ "from", "T", "earliest start (default: the first price)", 0, false, NULL },
	{ "units", "N", "machines at once (default: 1)", 0, false, NULL },
	{ "preemptible", NULL, "may be stopped and go on later", 0, false, NULL },
	{ "restart", "SPAN", "time lost at each start after the first (default: 0)", 0, false,
	  NULL },
	{ "slot", "SPAN",
	  "of --preemptible and --jobs: runs begin and end on such slots (default: 1h)", 0, false,
	  NULL },
	{ "machine", "TYPE", "only prices of this machine type", 0, false, NULL },
	{ "spot", NULL, "where both are there, spot prices", 0, false, NULL },
	{ "window", "N", "only this window of spot price windows", 0, false, NULL },
	{ "allow", "GLOB[,...]", "only these places may be chosen (residency, latency)", 0, false,
	  NULL },
	{ "home", "PLACE", "where the data lies (default: the first place by name)", 0, false,
	  NULL },
	{ "egress-gb", "GB", "data that follows a job away from home", 0, false, NULL },
	{ "back-gb", "GB", "results that come back", 0, false, NULL },
	{ "egress-usd-gb", "USD", "price of a gigabyte between places (default: 0.02)", 0, false,
	  NULL },
	{ "jobs", "CSV", "many jobs: start, length or duration, gpus, deadline?, egress_gb?", 0,
	  false, "FILE" },
	{ "capacity", "N", "of --jobs: machines at each place at any time (default: no limit)", 0,
	  false, NULL },
	{ "slack", "SPAN",
	  "of --jobs: deadline of those that state none, behind start + length (default: 24h)", 0,
	  false, NULL },
	{ "usage", "CSV", "on and off hours for a fleet: use by the hour (time, units)", 0, false,
	  "FILE" },
	{ "headroom", "SPAN",
	  "of --usage: on so long before and after the hours of use (default: 1h)", 0, false,
	  NULL },
	{ "utc-offset", "OFFSET", "of --usage: local time, such as +02:00 (default: UTC)", 0, false,
	  NULL },
	{ 0 },
};

const struct cli_cmd cmd_plan_schedule_def = {
	.name = "plan schedule",
	.group = "",
	.summary = "when and where a job, many jobs or a fleet's hours cost least",
	.usage = "--prices CSV (--length SPAN | --jobs CSV) [--deadline T] ... | --usage CSV",
	.examples =
		"# six hours of work within a day, at the cheapest hour and region; 500 GB of data follow\n"
		"tare plan schedule --prices prices.csv --length 6h --deadline 24h --home us-east1 --egress-gb 500\n"
		"# the same work in pieces; a restart loses 6 minutes\n"
		"tare plan schedule --prices prices.csv --length 6h --deadline 24h --preemptible --restart 6m\n"
		"# many jobs on 64 machines, with the bound\n"
		"tare plan schedule --prices prices.csv --jobs jobs.csv --capacity 64\n"
		"# a fleet that is used 6 hours a day\n"
		"tare plan schedule --usage usage.csv --utc-offset +01:00",
	.about =
		"One job: the cheapest start is exact over all instants, pieces are exact for the slots given. A run away from home pays for its data on the way.\n\n"
		"Many jobs: runs without interruption that share the machines of each place. Printed beside the plan are two lower bounds: the transportation\n"
		"relaxation by min-cost flow, and one with priced capacities; no schedule costs less than the larger of them. Jobs whose times do not meet the\n"
		"prices' are moved to their start together, and that is said.\n\n"
		"A timetable: hours of the week in which the fleet was ever in use stay on, so do hours of which nothing is known. It is tested week by week against a\n"
		"timetable made from the other weeks; hours of use that it would have been off are the misses.",
	.common = CLI_OUTPUT,
	.opt = opts,
	.run = run,
};
