/* tare plan schedule: when and where is it cheapest? */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/tm.h"
#include "cli/cmds.h"
#include "report/plan/plan_schedule.h"

/* The options of all three questions: each is read and checked, whichever is asked. */
struct asked {
	struct schedule_ask a;
	int64_t length_ms, restart_ms, slack_ms, units, capacity, headroom_ms;
	struct opt_list allow;
	const char *deadline, *jobs, *usage, *utc_offset;
	bool preemptible;
};

/* A duration sets within_ms, a time deadline_ms, none neither. */
static int read_deadline(const char *text, struct schedule_job_ask *q, struct err *err)
{
	q->deadline_ms = q->within_ms = UNKNOWN_MS;
	if (!text || tm_parse_span(sv_of(text), &q->within_ms) == 0)
		return 0;
	q->within_ms = UNKNOWN_MS;
	if (tm_parse(sv_of(text), 0, &q->deadline_ms) == 0)
		return 0;
	return err_set(err, -EINVAL,
		       "--deadline: '%s' is neither a time nor a duration such as 24h", text);
}

/* ---- the three questions: an exit code, or negative -------------------------------------- */

static int ask_job(struct cli *c, const struct asked *x, struct str *out, struct err *err)
{
	struct out_as as = cli_out_as(c);
	struct schedule_job_ask q = { .a = x->a,
				      .length_ms = x->length_ms,
				      .restart_ms = x->restart_ms,
				      .units = x->units,
				      .preemptible = x->preemptible };
	struct schedule_job_answer a;
	int r = read_deadline(x->deadline, &q, err);

	if (r >= 0)
		r = answer_schedule_job(&q, &a, err);
	if (r < 0)
		return r;
	schedule_job_print(&q, &a, &as, out);
	if (a.option->feasible)
		return EXIT_DONE;
	return EXIT_INCOMPLETE;
}

static int ask_fleet(struct cli *c, const struct asked *x, struct str *out, struct err *err)
{
	struct out_as as = cli_out_as(c);
	struct schedule_fleet_ask q = { .a = x->a,
					.jobs = x->jobs,
					.capacity = x->capacity ? x->capacity : -1,
					.slack_ms = x->slack_ms };
	struct schedule_fleet_answer a;
	int r = answer_schedule_fleet(&q, &a, err);
	if (r < 0)
		return r;
	schedule_fleet_print(&q, &a, &as, out);
	if (a.left_out == a.n)
		return EXIT_INCOMPLETE;
	return EXIT_DONE;
}

/* Seconds east of UTC; none is UTC. */
static int read_utc_offset(struct cli *c, const char *offset, int32_t *ret_s, struct err *err)
{
	int64_t ms;
	*ret_s = 0;
	if (!offset)
		return 0;
	/* by the one reader of offsets: which instant is a midnight (that of MS_DAY) there? */
	char *midnight = arena_printf(&c->mem, "1970-01-02T00:00:00%s", offset);
	if (tm_parse(sv_of(midnight), 0, &ms) < 0)
		return err_set(err, -EINVAL, "--utc-offset: '%s' is not an offset such as +02:00",
			       offset);
	*ret_s = (int32_t)((MS_DAY - ms) / MS_SECOND);
	return 0;
}

static int ask_table(struct cli *c, const struct asked *x, struct str *out, struct err *err)
{
	struct out_as as = cli_out_as(c);
	struct schedule_table_ask q = {
		.usage = x->usage, .opt = { .headroom_h = (double)x->headroom_ms / (double)MS_HOUR }
	};
	struct schedule_table_answer a;
	int r = read_utc_offset(c, x->utc_offset, &q.offset_s, err);

	if (r >= 0)
		r = answer_schedule_table(&q, &a, err);
	if (r < 0)
		return r;
	schedule_table_print(&q, &a, &as, out);
	if (a.t.enough)
		return EXIT_DONE;
	return EXIT_INCOMPLETE;
}

/* ------------------------------------------------------------------------------------------ */

static int ask_schedule(struct cli *c, struct str *out, struct err *err)
{
	struct asked x = { 0 };
	int r = cli_read_opts(c, &x, err);

	if (r < 0)
		return r;
	x.a.mem = &c->mem;
	x.a.allow = x.allow.v;
	x.a.nallow = x.allow.n;
	if (!cli_value(c, "window"))
		x.a.prices.window = -1; /* any: 0 is a window */
	if (x.usage)
		return ask_table(c, &x, out, err);
	if (x.jobs)
		return ask_fleet(c, &x, out, err);
	return ask_job(c, &x, out, err);
}

/* What each way of asking reads beside the options of all; what another way reads would be given in
 * vain. */
static const struct {
	const char *opt;
	bool flag, length, jobs, usage;
} reads[] = {
	{ "deadline", .length = true },
	{ "units", .length = true },
	{ "preemptible", .flag = true, .length = true },
	{ "restart", .length = true },
	{ "capacity", .jobs = true },
	{ "slack", .jobs = true },
	{ "headroom", .usage = true },
	{ "utc-offset", .usage = true },
	{ "prices", .length = true, .jobs = true },
	{ "from", .length = true, .jobs = true },
	{ "slot", .length = true, .jobs = true },
	{ "machine", .length = true, .jobs = true },
	{ "spot", .flag = true, .length = true, .jobs = true },
	{ "window", .length = true, .jobs = true },
	{ "allow", .length = true, .jobs = true },
	{ "home", .length = true, .jobs = true },
	{ "egress-gb", .length = true, .jobs = true },
	{ "back-gb", .length = true, .jobs = true },
	{ "egress-usd-gb", .length = true, .jobs = true },
};

/* The option that is given and not read, and what it goes with; NULL: none. */
static const char *find_unread(struct cli *c, const char **ret_with)
{
	bool length = cli_value(c, "length"), jobs = cli_value(c, "jobs");

	for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
		const char *opt = reads[i].opt;
		bool given = reads[i].flag ? cli_flag(c, opt) : cli_value(c, opt) != NULL;
		given = given && !cli_variable(c, opt);
		bool read = (length && reads[i].length) || (jobs && reads[i].jobs);
		if (!given || read || (!length && !jobs && reads[i].usage))
			continue;
		*ret_with = "--usage";
		if (reads[i].length)
			*ret_with = reads[i].jobs ? "--length or --jobs" : "--length";
		else if (reads[i].jobs)
			*ret_with = "--jobs";
		return opt;
	}
	return NULL;
}

static int run_plan_schedule(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	bool prices = cli_value(c, "prices"), length = cli_value(c, "length"),
	     jobs = cli_value(c, "jobs"), usage = cli_value(c, "usage");
	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	if (length + jobs + usage != 1 || (!usage && !prices))
		return cli_usage_error(
			c,
			"--prices with --length (one job) or --jobs (many), or --usage (a timetable) is needed");
	if (jobs && cli_flag(c, "preemptible"))
		return cli_usage_error(
			c,
			"--jobs plans runs without interruption; --preemptible goes with --length");
	const char *with, *unread = find_unread(c, &with);
	if (unread)
		return cli_usage_error(c, "--%s goes with %s", unread, with);
	int r = ask_schedule(c, &out, &err), code = r; /* an exit code where it is not negative */
	if (r < 0) {
		code = cli_fail(&err);
		if (r == -ENODATA)
			code = EXIT_INCOMPLETE;
	} else if (cli_write(&out) != EXIT_DONE) {
		code = EXIT_ERROR;
	}
	str_free(&out);
	return code;
}

static const struct cli_opt opts[] = {
	{ "prices", "CSV",
	  "prices over time: time, region or zone, usd_hour; also Google's monthly history and spot price windows",
	  .values = "FILE", .type = OPT_FILE, .at = offsetof(struct asked, a.prices.file) },
	{ "length", "SPAN", "how long the job runs", .type = OPT_SPAN,
	  .at = offsetof(struct asked, length_ms) },
	{ "deadline", "T", "a time, or a duration from --from (default: the end of the prices)",
	  .type = OPT_TEXT, .at = offsetof(struct asked, deadline) },
	{ "from", "T", "earliest start (default: the first price)", .type = OPT_TIME,
	  .at = offsetof(struct asked, a.from_ms) },
	{ "units", "N", "machines at once", .type = OPT_INT, .at = offsetof(struct asked, units),
	  .lo = 1, .hi = 1000000, .def = "1" },
	{ "preemptible", NULL, "may be stopped and go on later", .type = OPT_FLAG,
	  .at = offsetof(struct asked, preemptible) },
	{ "restart", "SPAN", "time lost at each start after the first", .type = OPT_SPAN,
	  .at = offsetof(struct asked, restart_ms), .def = "0" },
	{ "slot", "SPAN", "of --preemptible and --jobs: runs begin and end on such slots",
	  .type = OPT_SPAN, .at = offsetof(struct asked, a.slot_ms), .def = "1h" },
	{ "machine", "TYPE", "only prices of this machine type", .type = OPT_TEXT,
	  .at = offsetof(struct asked, a.prices.machine) },
	{ "spot", NULL, "where both are there, spot prices", .type = OPT_FLAG,
	  .at = offsetof(struct asked, a.prices.spot) },
	{ "window", "N", "only this window of spot price windows", .type = OPT_INT,
	  .at = offsetof(struct asked, a.prices.window), .hi = INFINITY,
	  .what = "number of a window" },
	{ "allow", "GLOB[,...]", "only these places may be chosen (residency, latency)",
	  .type = OPT_LIST, .at = offsetof(struct asked, allow) },
	{ "home", "PLACE", "where the data lies (default: the first place by name)",
	  .type = OPT_TEXT, .at = offsetof(struct asked, a.home) },
	{ "egress-gb", "GB", "data that follows a job away from home", .type = OPT_NUM,
	  .at = offsetof(struct asked, a.egress_gb), .hi = 1e12, .what = "number of gigabytes" },
	{ "back-gb", "GB", "results that come back", .type = OPT_NUM,
	  .at = offsetof(struct asked, a.back_gb), .hi = 1e12, .what = "number of gigabytes" },
	/* 0.02: between regions of AWS and Google, on one continent */
	{ "egress-usd-gb", "USD", "price of a gigabyte between places", .type = OPT_MONEY,
	  .at = offsetof(struct asked, a.egress_usd_gb), .hi = 1000, .def = "0.02",
	  .what = "price of a gigabyte" },
	{ "jobs", "CSV", "many jobs: start, length or duration, gpus, deadline?, egress_gb?",
	  .values = "FILE", .type = OPT_FILE, .at = offsetof(struct asked, jobs) },
	{ "capacity", "N", "of --jobs: machines at each place at any time (default: no limit)",
	  .type = OPT_INT, .at = offsetof(struct asked, capacity), .lo = 1, .hi = 1000000 },
	{ "slack", "SPAN", "of --jobs: deadline of those that state none, behind start + length",
	  .type = OPT_SPAN, .at = offsetof(struct asked, slack_ms), .def = "24h" },
	{ "usage", "CSV", "on and off hours for a fleet: use by the hour (time, units)",
	  .values = "FILE", .type = OPT_FILE, .at = offsetof(struct asked, usage) },
	{ "headroom", "SPAN", "of --usage: on so long before and after the hours of use",
	  .type = OPT_SPAN, .at = offsetof(struct asked, headroom_ms), .hi = MS_DAY, .def = "1h",
	  .what = "duration up to a day" },
	{ "utc-offset", "OFFSET", "of --usage: local time, such as +02:00 (default: UTC)",
	  .type = OPT_TEXT, .at = offsetof(struct asked, utc_offset) },
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
	.docs = CLI_DOCS(&schedule_job_doc),
	.run = run_plan_schedule,
};
