/* tare simulate spot: policies for one task with a deadline on histories of spot markets; see
 * sim/spot.h and opt/spot_dp.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include "base/tm.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/simulate_spot.h"
#include "cli/simulate_spot_zones.h"
#include "opt/spot_dp.h"
#include "sim/spot.h"

/* weight of the mean of all markets in each of them; 5 to 60 give the same mean within 0.1 % */
#define PRIOR_TICKS 20
#define PLANNER_GIB 4 /* of all known markets together: a plan for each */

/* ---- what is asked ----------------------------------------------------------------------- */

static int spans(const struct cli *c, const char *name, int64_t *ret, int *ret_n, struct err *err)
{
	struct sv rest = sv_of(cli_value(c, name));

	for (*ret_n = 0; rest.p;) {
		struct sv one = sv_trim(sv_cut(rest, ',', &rest));
		if (!one.n)
			continue;
		if (*ret_n == SPOT_SIM_LIST)
			return err_set(err, -EINVAL, "--%s: more than %d spans", name,
				       SPOT_SIM_LIST);
		if (sv_is(one, "0"))
			ret[(*ret_n)++] = 0;
		else if (tm_parse_span(one, &ret[(*ret_n)++]) < 0)
			return err_set(err, -EINVAL, "--%s: '%.*s' is no span such as 52h or 6m",
				       name, SVF(one));
	}
	return 0;
}

static int price(const struct cli *c, const char *name, dec *ret, double *ret_usd, struct err *err)
{
	const char *z = cli_value(c, name);

	if (dec_parse(sv_of(z), 0, ret) < 0 || *ret < 0 || *ret > DEC_ONE * 1000000)
		return err_set(err, -EINVAL, "--%s: '%s' is no price per hour", name, z);
	*ret_usd = dec_to_double(*ret);
	return 0;
}

static int policies(const struct cli *c, struct spot_sim *s, struct err *err)
{
	struct sv rest = sv_of(cli_value(c, "policy") ? cli_value(c, "policy") : "all");

	while (rest.p) {
		struct sv one = sv_trim(sv_cut(rest, ',', &rest));
		int found = 0;
		for (int p = 0; p < P_N; p++) {
			if (!sv_is(one, "all") && !sv_is(one, spot_policy_name[p]))
				continue;
			s->want[p] = true;
			found++;
		}
		if (!found) {
			err_set(err, -EINVAL, "--policy: '%.*s' is no policy", SVF(one));
			err_hint(err,
				 "policies are greedy, uniform, on_demand, offline, tare; or all");
			return -EINVAL;
		}
	}
	return 0;
}

static int read_options(const struct cli *c, struct spot_sim *s, struct err *err)
{
	int64_t task[SPOT_SIM_LIST];
	int ntask, r = spans(c, "deadline", s->deadline_ms, &s->ndeadline, err);

	if (r >= 0)
		r = spans(c, "restart", s->restart_ms, &s->nrestart, err);
	if (r >= 0 && (r = spans(c, "task", task, &ntask, err)) >= 0 &&
	    (ntask != 1 || !s->ndeadline))
		r = err_set(err, -EINVAL, "--task is one span, --deadline one or several");
	if (r >= 0)
		r = price(c, "on-demand", &s->od, &s->task.od_usd_h, err);
	if (r >= 0 && cli_value(c, "spot"))
		r = price(c, "spot", &s->spot, &s->task.spot_usd_h, err);
	if (r >= 0 && cli_value(c, "windows") &&
	    (sv_i64(sv_of(cli_value(c, "windows")), &s->windows) < 0 || s->windows < 1 ||
	     s->windows > 10000))
		r = err_set(err, -EINVAL, "--windows: '%s' is no number from 1 to 10000",
			    cli_value(c, "windows"));
	if (r >= 0)
		s->task.work_ms = task[0];
	return r < 0 ? r : policies(c, s, err);
}

static int read_files(const struct cli *c, struct spot_sim *s, struct err *err)
{
	const char *history = cli_value(c, "history");
	struct input *in;
	int r = input_open(cli_value(c, "scenarios"), &in, err);

	if (r < 0)
		return r;
	r = spot_traces_read(in, &s->traces, err);
	input_close(in);
	if (r >= 0 && s->want[P_TARE] && !cli_value(c, "zones"))
		r = history ? spot_prior_history(history, &s->prior, err)
			    : spot_prior_shipped(&s->prior, err);
	for (size_t i = 0; r >= 0 && !s->nrestart && i < s->traces.v.n; i++) {
		if (s->traces.v.v[i].overhead_ms < 0) {
			r = err_set(err, -EINVAL, "'%s' does not say how long a restart takes",
				    cli_value(c, "scenarios"));
			err_hint(err, "--restart 6m gives it, or a column restart_overhead_hours");
		}
	}
	return r;
}

/* ---- the policy tare --------------------------------------------------------------------- */

struct planner { /* for one market (left out), tick and restart */
	const char *market;
	int64_t gap_ms, overhead_ms;
	size_t n;
	/* of runs before: only where a restart is longer than a tick, and a start must be worth
	 * hours */
	int nmemory;
	struct spot_hazard hazard[SPOT_MAX_MARKETS * SPOT_MEMORY];
	struct spot_dp *dp[SPOT_MAX_MARKETS];
};

static void planner_free(struct planner *p)
{
	for (size_t i = 0; i < p->n; i++)
		spot_dp_free(p->dp[i]);
	p->n = 0;
}

static int64_t longest(const struct spot_sim *s)
{
	int64_t d = 0;

	for (int i = 0; i < s->ndeadline; i++)
		d = s->deadline_ms[i] > d ? s->deadline_ms[i] : d;
	return d;
}

static bool is_known(const struct spot_prior_market *m, const struct spot_trace *t)
{
	return m->gap_ms == t->gap_ms && strcmp(m->name, t->market) != 0;
}

static void mean_of(const struct spot_sim *s, const struct spot_trace *t,
		    struct spot_prior_market *ret)
{
	for (size_t i = 0; i < s->prior.v.n; i++) {
		const struct spot_prior_market *m = &s->prior.v.v[i];
		if (!is_known(m, t))
			continue;
		spot_counts_merge(&ret->counts, &m->counts);
		for (int j = 0; j < SPOT_MEMORY; j++)
			spot_counts_merge(&ret->by_memory[j], &m->by_memory[j]);
	}
}

static int planner_room(size_t *room, size_t bytes, struct err *err)
{
	if (bytes <= *room) {
		*room -= bytes;
		return 0;
	}
	err_set(err, -E2BIG,
		"policy tare: the known markets need more than %d GiB for runs of so many ticks",
		PLANNER_GIB);
	err_hint(err,
		 "fewer markets by --history CSV, a nearer --deadline, or a shorter --restart");
	return -E2BIG;
}

/* Markets with the same tick, the run's own left out. */
static int planner_set(struct planner *p, const struct spot_sim *s, const struct spot_trace *t,
		       int64_t overhead_ms, struct err *err)
{
	struct spot_task k = s->task;
	struct spot_prior_market mean = { 0 };
	size_t room = (size_t)PLANNER_GIB << 30;
	int r = 0;

	if (p->n && p->gap_ms == t->gap_ms && p->overhead_ms == overhead_ms &&
	    !strcmp(p->market, t->market))
		return 0;
	planner_free(p);
	*p = (struct planner){ .market = t->market,
			       .gap_ms = t->gap_ms,
			       .overhead_ms = overhead_ms };
	k.gap_ms = t->gap_ms;
	k.overhead_ms = overhead_ms;
	k.deadline_ms = longest(s);
	p->nmemory = overhead_ms > t->gap_ms ? SPOT_MEMORY : 1;
	mean_of(s, t, &mean);
	for (size_t i = 0; r >= 0 && i < s->prior.v.n && p->n < SPOT_MAX_MARKETS; i++) {
		if (!is_known(&s->prior.v.v[i], t))
			continue;
		const struct spot_prior_market *m = &s->prior.v.v[i];
		struct spot_hazard *h = &p->hazard[p->n * (size_t)p->nmemory];
		if (p->nmemory > 1)
			spot_hazards_of(m->by_memory, mean.by_memory, PRIOR_TICKS, h);
		else
			spot_hazard_of(&m->counts, &mean.counts, PRIOR_TICKS, h);
		r = spot_dp_new(&k, h, p->nmemory, k.gap_ms, &p->dp[p->n], err);
		if (r >= 0)
			r = planner_room(&room, spot_dp_bytes(p->dp[p->n++]), err);
	}
	if (r >= 0 && !p->n) {
		r = err_set(err, -ENODATA, "nothing is known of markets with ticks of %lld s",
			    (long long)(t->gap_ms / 1000));
		err_hint(err,
			 "--history CSV gives the turns of other markets in ticks of this length");
	}
	return r;
}

/* ---- running ----------------------------------------------------------------------------- */

static enum spot_hold greedy(void *ctx, const struct spot_task *k, const struct spot_now *now)
{
	(void)ctx;
	return spot_greedy(k, now);
}

static enum spot_hold uniform(void *ctx, const struct spot_task *k, const struct spot_now *now)
{
	(void)ctx;
	return spot_uniform(k, now);
}

static enum spot_hold on_demand(void *ctx, const struct spot_task *k, const struct spot_now *now)
{
	(void)ctx;
	return spot_on_demand(k, now);
}

static int run_policy(enum spot_sim_policy p, struct planner *pl, const struct spot_task *k,
		      size_t n, const bool *has, struct spot_run *ret, struct err *err)
{
	struct spot_belief b;
	struct spot_policy pol = { .name = spot_policy_name[p] };

	if (p == P_OFFLINE) {
		*ret = (struct spot_run){ 0 };
		return spot_bound(k, n, has, NULL, &ret->usd, &ret->spot_ticks, &ret->od_ticks,
				  err);
	}
	if (p == P_TARE) {
		spot_belief_init(&b, pl->n, (const struct spot_dp *const *)pl->dp, pl->hazard,
				 pl->nmemory);
		pol.ctx = &b;
	}
	pol.decide = p == P_GREEDY      ? greedy
		     : p == P_UNIFORM   ? uniform
		     : p == P_ON_DEMAND ? on_demand
					: spot_tare;
	return spot_replay(k, n, has, NULL, &pol, ret, err);
}

static struct spot_cell *cell_of(struct spot_sim *s, int64_t overhead_ms, int64_t deadline_ms)
{
	for (size_t i = 0; i < s->cell.n; i++)
		if (s->cell.v[i].overhead_ms == overhead_ms &&
		    s->cell.v[i].deadline_ms == deadline_ms)
			return &s->cell.v[i];
	*vec_push(&s->cell) = (struct spot_cell){ .overhead_ms = overhead_ms,
						  .deadline_ms = deadline_ms };
	return &s->cell.v[s->cell.n - 1];
}

static void add(struct spot_sum *a, const struct spot_task *k, const struct spot_run *r)
{
	a->n++;
	a->spot_ms += r->spot_ticks * k->gap_ms;
	a->od_ms += r->od_ticks * k->gap_ms;
	a->late += r->late;
	a->interruptions += r->interruptions;
	a->restarts += r->restarts;
}

static int run_one(struct spot_sim *s, struct planner *pl, const struct spot_trace *t,
		   int64_t overhead_ms, int64_t window, struct err *err)
{
	int64_t longest_ticks = longest(s) / t->gap_ms, spare = (int64_t)t->n - longest_ticks;
	int64_t from = s->windows > 1 && spare > 0 ? window * spare / (s->windows - 1) : 0;
	int r = 0;

	for (int d = 0; d < s->ndeadline; d++) {
		struct spot_task k = s->task;
		struct spot_cell *cell = cell_of(s, overhead_ms, s->deadline_ms[d]);
		k.gap_ms = t->gap_ms;
		k.overhead_ms = overhead_ms;
		k.deadline_ms = s->deadline_ms[d];
		for (int p = 0; p < P_N; p++) {
			struct spot_run run;
			if (!s->want[p])
				continue;
			if ((r = run_policy((enum spot_sim_policy)p, pl, &k, t->n - (size_t)from,
					    t->has_spot + from, &run, err)) < 0)
				return r;
			add(&s->all[p], &k, &run);
			add(&s->half[p][window & 1], &k, &run);
			add(&cell->of[p], &k, &run);
		}
	}
	return 0;
}

static int simulate(const struct cli *c, struct spot_sim *s, struct err *err)
{
	struct planner pl = { 0 };
	int nrestart = s->nrestart ? s->nrestart : 1, r = 0;

	for (size_t i = 0; r >= 0 && i < s->traces.v.n; i++) {
		const struct spot_trace *t = &s->traces.v.v[i];
		for (int o = 0; r >= 0 && o < nrestart; o++) {
			int64_t overhead = s->nrestart ? s->restart_ms[o] : t->overhead_ms;
			struct spot_task k = s->task;
			k.gap_ms = t->gap_ms;
			k.overhead_ms = overhead;
			k.deadline_ms = longest(s);
			r = spot_task_check(&k, err);
			if (r >= 0 && s->want[P_TARE])
				r = planner_set(&pl, s, t, overhead, err);
			for (int64_t w = 0; r >= 0 && w < (s->windows ? s->windows : 1); w++)
				r = run_one(s, &pl, t, overhead, w, err);
		}
		cli_progress(c, "scenarios", (int64_t)i + 1, (int64_t)i + 1,
			     (int64_t)s->traces.v.n);
	}
	cli_progress(c, NULL, 0, 0, 0);
	planner_free(&pl);
	return r;
}

/* ---- the command ------------------------------------------------------------------------- */

static int zones(struct cli *c, struct spot_sim *s, struct str *out, struct err *err)
{
	struct spot_zones_ask ask = { .traces = &s->traces,
				      .task = s->task,
				      .want = s->want,
				      .name = spot_policy_name,
				      .zones = cli_value(c, "zones"),
				      .known = cli_value(c, "known"),
				      .apart = cli_flag(c, "known-apart") };
	dec move;
	int r = 0;

	if (cli_value(c, "move"))
		r = price(c, "move", &move, &ask.move_usd, err);
	if (r >= 0 && (s->ndeadline != 1 || s->nrestart != 1))
		r = err_set(err, -EINVAL, "--zones takes one --deadline and one --restart");
	ask.task.deadline_ms = s->deadline_ms[0];
	ask.task.overhead_ms = s->restart_ms[0];
	return r < 0 ? r : simulate_spot_zones(c, &ask, out, err);
}

static void sim_free(struct spot_sim *s)
{
	spot_traces_free(&s->traces);
	spot_prior_free(&s->prior);
	vec_free(&s->cell);
}

static int run(struct cli *c)
{
	static const char *const needed[] = { "scenarios", "deadline", "task", "on-demand",
					      "spot" };
	struct err err = { 0 };
	struct str out = { 0 };
	struct spot_sim s = { 0 };
	int r;

	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
		if (!cli_value(c, needed[i]) &&
		    !(cli_value(c, "zones") && !strcmp(needed[i], "spot")))
			return cli_usage_error(c, "--%s is needed", needed[i]);
	if (c->output != OUT_TABLE && c->output != OUT_JSON)
		return cli_usage_error(c, "-o: table or json");
	r = read_options(c, &s, &err);
	if (r >= 0)
		r = read_files(c, &s, &err);
	if (r >= 0)
		r = cli_value(c, "zones") ? zones(c, &s, &out, &err) : simulate(c, &s, &err);
	if (r < 0) {
		cli_fail(&err);
		r = r == -ENODATA ? EXIT_INCOMPLETE : EXIT_ERROR;
	} else {
		if (c->output == OUT_JSON && !cli_value(c, "zones"))
			spot_json(&out, s.want, P_N, spot_put_policy, &s);
		else if (!cli_value(c, "zones"))
			spot_put_table(&s, &out);
		r = cli_write(&out);
	}
	sim_free(&s);
	str_free(&out);
	return r;
}

static const struct cli_opt opts[] = {
	{ "scenarios", "CSV",
	  "histories: env, gap_seconds, preempted_bits, restart_overhead_hours; packed or not", 0,
	  false, "FILE" },
	{ "deadline", "SPAN[,SPAN...]", "each scenario with each of these deadlines", 0, false,
	  NULL },
	{ "task", "SPAN", "work of the task", 0, false, NULL },
	{ "on-demand", "USD", "price of an hour on demand", 0, false, NULL },
	{ "spot", "USD", "price of an hour on spot", 0, false, NULL },
	{ "policy", "NAME[,NAME...]", "greedy, uniform, on_demand, offline, tare; default: all", 0,
	  false, NULL },
	{ "restart", "SPAN[,SPAN...]",
	  "what a restart costs, instead of the column restart_overhead_hours", 0, false, NULL },
	{ "windows", "N",
	  "start N times in each history, evenly spread, instead of at its beginning", 0, false,
	  NULL },
	{ "history", "CSV",
	  "markets that the policy tare knows; default: those shipped. A scenario's own is left out",
	  0, false, "FILE" },
	{ "zones", "ZONE+ZONE[=N][,...]",
	  "zones to be had together, each at its price of the tick (columns window, spot_price_rle_usd_hour), in how many windows from 0 on, or FROM-TO; all: every zone",
	  0, false, NULL },
	{ "known", "FROM-TO", "with --zones: windows that the policy tare knows; default: 50-99", 0,
	  false, NULL },
	{ "known-apart", NULL, "of these only the ones that share no time with the run", 0, false,
	  NULL },
	{ "move", "USD",
	  "with --zones: what the checkpoint costs to another region (gigabytes x price)", 0, false,
	  NULL },
	{ "seed", "N", "of draws; no policy here draws", 0, false, NULL },
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
		"tare simulate spot --scenarios multi_region_9zones_100windows.csv.gz --zones us-east-1a+us-east-1c=8,all=2 --restart 12m \\\n"
		"  --deadline 52h --task 48h --on-demand 3.06",
	.about =
		"A tick is paid as a whole; a new machine costs the restart in progress first. Each policy but offline sees the tick that is about to run and those\n"
		"before, never later ones, and goes on demand when nothing else would be in time. tare starts from how often other markets turned, by their\n"
		"age, and learns in the run which of them this one is like. offline is the least cost that anybody could have reached.\n"
		"With --zones each tick is billed at the price of the zone held in it, every change of zone is a whole restart, and which zones are up and at what\n"
		"price is seen for the tick about to run. tare knows the windows of --known, then only what the run has seen.",
	.common = CLI_OUTPUT,
	.opt = opts,
	.run = run,
};
