/* tare simulate spot: policies for one task with a deadline on histories of spot markets; see
 * answer/simulate/simulate_spot.h. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "report/simulate/simulate_spot.h"

struct given {
	struct simulate_spot_ask q;
	struct opt_spans deadline, restart;
	struct opt_list policy;
	const char *zones, *known;
	dec move;
	int64_t seed;
	bool apart;
};

static void policy_words(struct str *out)
{
	for (int p = 0; p < SPOT_POLICY_N; p++)
		str_addf(out, "%s ", spot_policy_name[p]);
	str_addz(out, "all ");
}

static int read_ask(struct cli *c, struct given *g, struct err *err)
{
	struct simulate_spot_ask *q = &g->q;
	int r = cli_read_opts(c, g, err);

	if (r < 0)
		return r;
	q->ask = cli_ask(c, NULL, NULL);
	q->deadline_ms = g->deadline.ms;
	q->ndeadline = g->deadline.n;
	q->restart_ms = g->restart.ms;
	q->nrestart = g->restart.n;
	if (!q->ndeadline)
		return err_set(err, -EINVAL, "--deadline: one span, or several");
	for (size_t i = 0; i < g->policy.n; i++) {
		bool found = false;
		for (int p = 0; p < SPOT_POLICY_N; p++) {
			if (strcmp(g->policy.v[i], "all") != 0 &&
			    strcmp(g->policy.v[i], spot_policy_name[p]) != 0)
				continue;
			q->want[p] = found = true;
		}
		if (!found) {
			err_set(err, -EINVAL, "--policy: '%s' is not a policy", g->policy.v[i]);
			err_hint(err,
				 "policies are greedy, uniform, on_demand, offline, tare; or all");
			return -EINVAL;
		}
	}
	return 0;
}

/* ---- several zones ----------------------------------------------------------------------- */

/* "8": 0 to 7; "8-49". */
static int read_windows(struct sv text, struct simulate_zones_ask *q)
{
	struct sv to, from = sv_cut(text, '-', &to);

	if (sv_i64(from, &q->from) < 0 || (to.p && sv_i64(to, &q->to) < 0))
		return -EINVAL;
	if (!to.p) {
		q->to = q->from - 1;
		q->from = 0;
	}
	if (q->from >= 0 && q->to >= q->from && q->to < 10000)
		return 0;
	return -EINVAL;
}

static int read_zones(struct cli *c, const struct given *g, struct simulate_zones_ask *q,
		      struct err *err)
{
	const struct simulate_spot_ask *one = &g->q;

	if (one->ndeadline != 1 || one->nrestart != 1)
		return err_set(err, -EINVAL, "--zones takes one --deadline and one --restart");
	*q = (struct simulate_zones_ask){
		.ask = one->ask,
		.scenarios = one->scenarios,
		.text = g->zones,
		.task = { .work_ms = one->work_ms,
			  .deadline_ms = one->deadline_ms[0],
			  .overhead_ms = one->restart_ms[0],
			  .od_usd_h = dec_to_double(one->od_usd_h),
			  .spot_usd_h = dec_to_double(one->spot_usd_h) },
		.apart = g->apart,
		.move_usd = dec_to_double(g->move),
	};
	memcpy(q->want, one->want, sizeof q->want);
	struct sv to, from = sv_cut(sv_of(g->known), '-', &to);
	bool numbers = to.p && sv_i64(from, &q->known_from) >= 0 && sv_i64(to, &q->known_to) >= 0;
	if (!numbers || !within_i64(q->known_from, 0, q->known_to))
		return err_set(err, -EINVAL,
			       "--known: '%s' is not a range of windows such as 50-99", g->known);
	struct sv number, names = sv_cut(sv_of(g->zones), '=', &number);
	VEC(const char *) name = { 0 };

	if (number.p && read_windows(number, q) < 0)
		return err_set(
			err, -EINVAL,
			"--zones: '%.*s' is neither a number of windows nor a range such as 8-49",
			SVF(number));
	while (names.p)
		*vec_push(&name) = arena_sv(&c->mem, sv_trim(sv_cut(names, '+', &names)));
	q->name = arena_copy(&c->mem, name.v, name.n, sizeof *name.v);
	q->nname = name.n;
	vec_free(&name);
	return 0;
}

/* ---- the command ------------------------------------------------------------------------- */

static void tell_scenarios(void *ctx, size_t done, size_t of)
{
	cli_progress_steps(ctx, "replaying", "scenarios", (int64_t)done, (int64_t)of);
}

static void tell_windows(void *ctx, size_t done, size_t of)
{
	cli_progress_steps(ctx, "replaying", "windows", (int64_t)done, (int64_t)of);
}

static int one_market(struct cli *c, struct simulate_spot_ask *q, struct str *out, struct err *err)
{
	struct out_as as = cli_out_as(c);
	struct simulate_spot a;
	int r;

	q->progress = tell_scenarios;
	q->ctx = c;
	if ((r = answer_simulate_spot(q, &a, err)) >= 0)
		simulate_spot_print(&a, &as, out);
	return r;
}

static int several_zones(struct cli *c, const struct given *g, struct str *out, struct err *err)
{
	struct out_as as = cli_out_as(c);
	struct simulate_zones_ask q;
	struct simulate_zones a;
	int r = read_zones(c, g, &q, err);

	q.progress = tell_windows;
	q.ctx = c;
	if (r >= 0 && (r = answer_simulate_zones(&q, &a, err)) >= 0)
		simulate_zones_print(&a, &as, out);
	return r;
}

static int run_simulate_spot(struct cli *c)
{
	static const char *const needed[] = { "scenarios", "deadline", "task", "on-demand",
					      "spot" };
	const char *zones = cli_value(c, "zones");
	struct err err = { 0 };
	struct str out = { 0 };
	struct given g = { 0 };
	int r;

	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
		if (!cli_value(c, needed[i]) && !(zones && !strcmp(needed[i], "spot")))
			return cli_usage_error(c, "--%s is needed", needed[i]);
	if (c->output != OUT_TABLE && c->output != OUT_JSON)
		return cli_usage_error(c, "-o: table or json");
	r = read_ask(c, &g, &err);
	if (r >= 0)
		r = zones ? several_zones(c, &g, &out, &err) : one_market(c, &g.q, &out, &err);
	cli_progress(c, NULL, 0, 0, 0);
	if (r < 0) {
		cli_fail(&err);
		r = r == -ENODATA ? EXIT_INCOMPLETE : EXIT_ERROR;
	} else {
		r = cli_write(&out);
	}
	str_free(&out);
	return r;
}

#define AT(m) .at = offsetof(struct given, m)
static const struct cli_opt opts[] = {
	{ "scenarios", "CSV",
	  "histories: env, gap_seconds, preempted_bits, restart_overhead_hours; packed or not",
	  .values = "FILE", .type = OPT_FILE, AT(q.scenarios) },
	{ "deadline", "SPAN[,SPAN...]", "each scenario with each of these deadlines",
	  .type = OPT_SPANS, AT(deadline), .what = "duration such as 52h or 6m" },
	{ "task", "SPAN", "work of the task", .type = OPT_SPAN, AT(q.work_ms),
	  .what = "duration such as 52h or 6m" },
	{ "on-demand", "USD", "price of an hour on demand", .type = OPT_MONEY, AT(q.od_usd_h),
	  .hi = 1e6, .what = "price per hour" },
	{ "spot", "USD", "price of an hour on spot", .type = OPT_MONEY, AT(q.spot_usd_h), .hi = 1e6,
	  .what = "price per hour" },
	{ "policy", "NAME[,NAME...]", "greedy, uniform, on_demand, offline, tare; default: all",
	  .words = policy_words, .type = OPT_LIST, AT(policy), .def = "all" },
	{ "restart", "SPAN[,SPAN...]",
	  "what a restart costs, instead of the column restart_overhead_hours", .type = OPT_SPANS,
	  AT(restart), .what = "duration such as 52h or 6m" },
	{ "windows", "N",
	  "start N times in each history, evenly spread, instead of at its beginning",
	  .type = OPT_INT, AT(q.windows), .lo = 1, .hi = 10000, .what = "number from 1 to 10000" },
	{ "history", "CSV",
	  "markets that the policy tare knows; default: those shipped. A scenario's own is left out",
	  .values = "FILE", .type = OPT_FILE, AT(q.history) },
	{ "zones", "ZONE+ZONE[=N]",
	  "zones to be had together, each at its price of the tick (columns window, spot_price_rle_usd_hour), in how many windows from 0 on, or FROM-TO; all: every zone",
	  .type = OPT_TEXT, AT(zones) },
	{ "known", "FROM-TO", "with --zones: windows that the policy tare knows", .type = OPT_TEXT,
	  AT(known), .def = "50-99" },
	{ "known-apart", NULL, "of these only the ones that share no time with the run",
	  .type = OPT_FLAG, AT(apart) },
	{ "move", "USD",
	  "with --zones: what the checkpoint costs to another region (gigabytes x price)",
	  .type = OPT_MONEY, AT(move), .hi = 1e6, .what = "price per hour" },
	{ "seed", "N", "of draws; no policy here draws", .type = OPT_INT, .hi = INFINITY,
	  AT(seed) },
	{ 0 },
};

const struct cli_cmd cmd_simulate_spot_def = {
	.name = "simulate spot",
	.group = "",
	.summary = "replay a task with a deadline on histories of spot markets, policy by policy",
	.usage =
		"--scenarios CSV --deadline SPAN[,...] --task SPAN --on-demand USD --spot USD|--zones ZONES [--policy NAME|all]",
	.examples =
		"tare simulate spot --scenarios scenarios_540_traces.csv.gz --deadline 52h,70h --task 48h --on-demand 3.06 --spot 0.9731 --policy all\n"
		"tare simulate spot --scenarios base_preempt_10min.csv --windows 30 --restart 72s,6m,30m --deadline 52h,70h,92h --task 48h \\\n"
		"  --on-demand 3.06 --spot 0.9731 --policy uniform,tare\n"
		"tare simulate spot --scenarios multi_region_9zones_100windows.csv.gz --zones us-east-1a+us-east-1c=8 --restart 12m \\\n"
		"  --deadline 52h --task 48h --on-demand 3.06",
	.about =
		"A tick is paid as a whole; a new machine costs the restart in progress first. Each policy but offline sees the tick that is about to run and those\n"
		"before, never later ones, and goes on demand when nothing else would be in time. tare starts from how often other markets turned, by their\n"
		"age, and learns in the run which of them this one is like. offline is the least cost that anybody could have reached.\n"
		"With --zones each tick is billed at the price of the zone held in it, every change of zone is a whole restart, and which zones are up and at what\n"
		"price is seen for the tick about to run. tare knows the windows of --known, then only what the run has seen.",
	.common = CLI_OUTPUT,
	.opt = opts,
	.docs = CLI_DOCS(&simulate_spot_doc),
	.run = run_simulate_spot,
};
