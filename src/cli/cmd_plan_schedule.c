/* tare plan schedule: when and where is it cheapest? Options, prices; the answers are in
 * plan_schedule_*.c. */
#include <errno.h>
#include <math.h>
#include "base/tm.h"
#include "cli/cmds.h"
#include "cli/plan_schedule.h"

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

static int read_data(struct schedule_ask *a, struct err *err)
{
	const char *usd = cli_value(a->cli, "egress-usd-gb");
	a->home = cli_value(a->cli, "home");
	/* between regions of AWS and Google, on one continent */
	a->egress_usd_gb = DEC_ONE * 2 / 100;
	if (usd && (dec_parse(sv_of(usd), 0, &a->egress_usd_gb) < 0 || a->egress_usd_gb < 0 ||
		    a->egress_usd_gb > DEC_ONE * 1000))
		return err_set(err, -EINVAL, "--egress-usd-gb: '%s' is no price of a gigabyte",
			       usd);
	int r = gigabytes(a->cli, "egress-gb", &a->egress_gb, err);
	return r < 0 ? r : gigabytes(a->cli, "back-gb", &a->back_gb, err);
}

static void read_allow(struct schedule_ask *a)
{
	struct sv rest = sv_of(cli_value(a->cli, "allow"));
	a->allow = arena_alloc(&a->cli->mem, (rest.n / 2 + 2) * sizeof *a->allow);
	while (rest.p) {
		struct sv w = sv_trim(sv_cut(rest, ',', &rest));
		if (w.n)
			a->allow[a->nallow++] = arena_sv(&a->cli->mem, w);
	}
}

bool schedule_allowed(const struct schedule_ask *a, const char *place)
{
	for (size_t i = 0; i < a->nallow; i++)
		if (sv_glob(sv_of(place), sv_of(a->allow[i])))
			return true;
	return !a->nallow;
}

static int read_ask(struct schedule_ask *a, struct err *err)
{
	const char *from = cli_value(a->cli, "from");
	int r = span(a->cli, "length", 0, &a->length_ms, err);
	r = r < 0 ? r : span(a->cli, "slot", MS_HOUR, &a->slot_ms, err);
	r = r < 0 ? r : span(a->cli, "restart", 0, &a->restart_ms, err);
	r = r < 0 ? r : span(a->cli, "slack", MS_DAY, &a->slack_ms, err);
	r = r < 0 ? r : count(a->cli, "units", 1, &a->units, err);
	r = r < 0 ? r : count(a->cli, "capacity", -1, &a->capacity, err);
	a->from_ms = a->deadline_ms = UNKNOWN_MS;
	if (r >= 0 && from && tm_parse(sv_of(from), 0, &a->from_ms) < 0)
		r = err_set(err, -EINVAL, "--from: '%s' is no time such as 2026-11-20T12:00:00Z",
			    from);
	read_allow(a);
	return r < 0 ? r : read_data(a, err);
}

/* ---- prices ------------------------------------------------------------------------------ */

/* A run of rows [i, end) of one place: its steps; a gap between runs has no price. */
static int add_place(struct schedule_ask *a, const struct plan_price *v, size_t n, struct err *err)
{
	size_t from = a->step.n;
	for (size_t i = 0; i < n; i++) {
		if (i && v[i].at_ms == v[i - 1].at_ms)
			return err_set(err, -EEXIST, "two prices of '%s' for the same instant",
				       v[i].place);
		*vec_push(&a->step) = (struct price_step){
			v[i].at_ms, v[i].usd_hour < 0 ? -1 : dec_to_nano(v[i].usd_hour)
		};
		if (v[i].until_ms != UNKNOWN_MS && i + 1 < n && v[i].until_ms < v[i + 1].at_ms)
			*vec_push(&a->step) = (struct price_step){ v[i].until_ms, -1 };
	}
	/* the last price holds as long as the one before it did, a single one for a year */
	const struct plan_price *last = &v[n - 1];
	int64_t end = last->until_ms != UNKNOWN_MS
			      ? last->until_ms
			      : last->at_ms + (n > 1 ? last->at_ms - v[n - 2].at_ms : 365 * MS_DAY);
	*vec_push(&a->place) = (struct schedule_place){ v->place, { a->step.n - from, NULL, end } };
	return 0;
}

static int group(struct schedule_ask *a, const struct plan_prices *p, struct err *err)
{
	for (size_t i = 0, k; i < p->v.n; i = k) {
		const struct plan_price *v = &p->v.v[i];
		for (k = i + 1; k < p->v.n && p->v.v[k].place == v->place; k++)
			if (p->v.v[k].machine != v->machine || p->v.v[k].window != v->window) {
				bool machine = p->v.v[k].machine != v->machine;
				err_set(err, -EINVAL, "the prices of '%s' are of several %s",
					v->place, machine ? "machines" : "windows");
				err_hint(err,
					 machine ? "choose one, such as --machine %s"
						 : "choose one, such as --window 0",
					 v->machine);
				return -EINVAL;
			}
		if (!schedule_allowed(a, v->place) && (!a->home || strcmp(a->home, v->place)))
			continue;
		int r = add_place(a, v, k - i, err);
		if (r < 0)
			return r;
	}
	size_t at = 0;
	for (size_t i = 0; i < a->place.n; at += a->place.v[i++].series.n)
		a->place.v[i].series.step = a->step.v + at;
	return a->place.n ? 0 : err_set(err, -ENODATA, "no place of the prices is allowed");
}

static int load_prices(struct schedule_ask *a, struct plan_prices *p, struct err *err)
{
	const char *path = cli_value(a->cli, "prices"), *window = cli_value(a->cli, "window");
	struct plan_prices_opt o = { .spot = cli_flag(a->cli, "spot"),
				     .machine = cli_value(a->cli, "machine"),
				     .window = -1 };
	struct input *in = NULL;
	if (window && (sv_i64(sv_of(window), &o.window) < 0 || o.window < 0))
		return err_set(err, -EINVAL, "--window: '%s' is no number of a window", window);
	int r = input_open(path, &in, err);
	if (r < 0)
		return r;
	r = plan_prices_read(in, &o, p, err);
	input_close(in);
	return r < 0 ? r : group(a, p, err);
}

/* ---------------------------------------------------------------------------------------------- */

static int answer(struct schedule_ask *a, struct plan_prices *p, struct str *out, struct err *err)
{
	const char *jobs = cli_value(a->cli, "jobs"), *usage = cli_value(a->cli, "usage");
	int r = read_ask(a, err);
	if (r < 0 || usage)
		return r < 0 ? r : schedule_timetable_run(a, usage, out, err);
	if ((r = load_prices(a, p, err)) < 0)
		return r;
	return jobs ? schedule_fleet_run(a, jobs, out, err) : schedule_job_run(a, out, err);
}

static int run(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	struct plan_prices p = { 0 };
	struct schedule_ask a = { .cli = c };
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
	int r = answer(&a, &p, &out, &err), code = r;
	if (r < 0)
		code = cli_fail(&err) == EXIT_ERROR && r == -ENODATA ? EXIT_INCOMPLETE : EXIT_ERROR;
	else if (cli_write(&out) != EXIT_DONE)
		code = EXIT_ERROR;
	str_free(&out);
	plan_prices_free(&p);
	vec_free(&a.place);
	vec_free(&a.step);
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
