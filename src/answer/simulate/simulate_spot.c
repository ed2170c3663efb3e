#include "base/tm.h"
#include "answer/simulate/simulate_spot.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "answer/spot_prior.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "feed/planner/spot_trace.h"
#include "model/known.h"
#include "opt/spot/spot_dp.h"
#include "sim/spot.h"

/* weight of the mean of all markets in each of them; 5 to 60 give the same mean within 0.1 % */
#define PRIOR_TICKS 20
#define PLANNER_GIB 4 /* of all known markets together: a plan for each */

const char *const spot_policy_name[SPOT_POLICY_N] = {
	[SPOT_POLICY_GREEDY] = "greedy",       [SPOT_POLICY_UNIFORM] = "uniform",
	[SPOT_POLICY_ON_DEMAND] = "on_demand", [SPOT_POLICY_OFFLINE] = "offline",
	[SPOT_POLICY_TARE] = "tare",
};

struct cell {
	struct simulate_spot_cell at;
	struct simulate_spot_sum of[SPOT_POLICY_N];
};
struct replays {
	const struct simulate_spot_ask *q;
	struct spot_traces traces;
	struct spot_prior prior;
	struct spot_task task; /* tick, deadline and restart vary */
	int64_t longest_ms;    /* of the deadlines */
	struct simulate_spot_sum all[SPOT_POLICY_N], half[SPOT_POLICY_N][2];
	int64_t costlier[SPOT_POLICY_N];  /* runs that cost more than the uniform policy's */
	double worst_frac[SPOT_POLICY_N]; /* most above it */
	VEC(struct cell) cell;
	int64_t planned; /* times that the plans of a market were made */
};
struct history { /* a trace with one of the restarts */
	const struct spot_trace *trace;
	int64_t restart_ms;
};

/* ---- in ---------------------------------------------------------------------------------- */

static int read_files(struct replays *s, struct err *err)
{
	const struct simulate_spot_ask *q = s->q;
	int r = spot_traces_load(q->scenarios, &s->traces, err);

	if (r >= 0 && q->want[SPOT_POLICY_TARE]) {
		if (q->history)
			r = spot_prior_history(q->history, &s->prior, err);
		else
			r = spot_prior_shipped(&s->prior, err);
	}
	if (r < 0)
		return r;
	for (size_t i = 0; !s->q->nrestart && i < s->traces.v.n; i++) {
		if (s->traces.v.v[i].overhead_ms >= 0)
			continue;
		err_set(err, -EINVAL, "'%s' does not say how long a restart takes",
			s->q->scenarios);
		err_hint(err, "--restart 6m gives it, or a column restart_overhead_hours");
		return -EINVAL;
	}
	return 0;
}

static struct spot_task task_of(const struct replays *s, const struct spot_trace *t,
				int64_t restart_ms, int64_t deadline_ms)
{
	struct spot_task k = s->task;

	k.gap_ms = t->gap_ms;
	k.overhead_ms = restart_ms;
	k.deadline_ms = deadline_ms;
	return k;
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

static bool is_known(const struct spot_prior_market *m, const struct spot_trace *t)
{
	return m->gap_ms == t->gap_ms && strcmp(m->name, t->market) != 0;
}

/* Markets with the same tick, the run's own left out. */
static int planner_set(struct planner *p, struct replays *s, const struct spot_trace *t,
		       const struct spot_task *k, struct err *err)
{
	struct spot_prior_market mean = { 0 };
	size_t room = (size_t)PLANNER_GIB << 30;
	int r = 0;

	bool same = p->gap_ms == k->gap_ms && p->overhead_ms == k->overhead_ms;
	if (p->n && same && !strcmp(p->market, t->market))
		return 0;
	planner_free(p);
	s->planned++;
	*p = (struct planner){ .market = t->market,
			       .gap_ms = k->gap_ms,
			       .overhead_ms = k->overhead_ms };
	p->nmemory = k->overhead_ms > k->gap_ms ? SPOT_MEMORY : 1;
	for (size_t i = 0; i < s->prior.v.n; i++) {
		const struct spot_prior_market *m = &s->prior.v.v[i];
		if (!is_known(m, t))
			continue;
		spot_counts_merge(&mean.counts, &m->counts);
		for (int j = 0; j < SPOT_MEMORY; j++)
			spot_counts_merge(&mean.by_memory[j], &m->by_memory[j]);
	}
	for (size_t i = 0; r >= 0 && i < s->prior.v.n && p->n < SPOT_MAX_MARKETS; i++) {
		if (!is_known(&s->prior.v.v[i], t))
			continue;
		const struct spot_prior_market *m = &s->prior.v.v[i];
		struct spot_hazard *h = &p->hazard[p->n * (size_t)p->nmemory];
		if (p->nmemory > 1)
			spot_hazards_of(m->by_memory, mean.by_memory, PRIOR_TICKS, h);
		else
			spot_hazard_of(&m->counts, &mean.counts, PRIOR_TICKS, h);
		r = spot_dp_new(k, h, p->nmemory, k->gap_ms, &p->dp[p->n], err);
		if (r < 0)
			break;
		size_t bytes = spot_dp_bytes(p->dp[p->n++]);
		if (bytes > room) {
			r = err_set(
				err, -E2BIG,
				"policy tare: the known markets need more than %d GiB for runs of so many ticks",
				PLANNER_GIB);
			err_hint(
				err,
				"fewer markets by --history CSV, a nearer --deadline, or a shorter --restart");
			break;
		}
		room -= bytes;
	}
	if (r >= 0 && !p->n) {
		r = err_set(err, -ENODATA, "nothing is known of markets with ticks of %lld s",
			    (long long)(k->gap_ms / 1000));
		err_hint(err,
			 "--history CSV gives the turns of other markets in ticks of this length");
	}
	return r;
}

/* ---- running ----------------------------------------------------------------------------- */

static enum spot_hold hold_greedy(void *ctx, const struct spot_task *k, const struct spot_now *now)
{
	(void)ctx;
	return spot_greedy(k, now);
}

static enum spot_hold hold_uniform(void *ctx, const struct spot_task *k, const struct spot_now *now)
{
	(void)ctx;
	return spot_uniform(k, now);
}

static enum spot_hold on_demand(void *ctx, const struct spot_task *k, const struct spot_now *now)
{
	(void)ctx;
	return spot_on_demand(k, now);
}

static int run_policy(enum spot_policy_kind p, struct planner *pl, const struct spot_task *k,
		      const struct spot_history *h, struct spot_run *ret, struct err *err)
{
	struct spot_belief b;
	struct spot_policy pol = { .name = spot_policy_name[p] };

	if (p == SPOT_POLICY_OFFLINE) {
		struct spot_bound bound = { 0 };
		int r = spot_bound(k, h, &bound, err);
		*ret = (struct spot_run){ .usd = bound.usd,
					  .spot_ticks = bound.spot_ticks,
					  .od_ticks = bound.od_ticks };
		return r;
	}
	if (p == SPOT_POLICY_TARE) {
		spot_belief_init(&b, pl->n, (const struct spot_dp *const *)pl->dp, pl->hazard,
				 pl->nmemory);
		pol.ctx = &b;
	}
	if (p == SPOT_POLICY_GREEDY)
		pol.decide = hold_greedy;
	else if (p == SPOT_POLICY_UNIFORM)
		pol.decide = hold_uniform;
	else if (p == SPOT_POLICY_ON_DEMAND)
		pol.decide = on_demand;
	else
		pol.decide = spot_tare;
	return spot_replay(k, h, &pol, ret, err);
}

static struct cell *cell_of(struct replays *s, int64_t restart_ms, int64_t deadline_ms)
{
	for (size_t i = 0; i < s->cell.n; i++)
		if (s->cell.v[i].at.restart_ms == restart_ms &&
		    s->cell.v[i].at.deadline_ms == deadline_ms)
			return &s->cell.v[i];
	*vec_push(&s->cell) = (struct cell){ .at = { restart_ms, deadline_ms } };
	return &s->cell.v[s->cell.n - 1];
}

static void add_run(struct simulate_spot_sum *a, const struct spot_task *k,
		    const struct spot_run *r)
{
	a->n++;
	a->spot_ms += r->spot_ticks * k->gap_ms;
	a->od_ms += r->od_ticks * k->gap_ms;
	a->late += r->late;
	a->interruptions += r->interruptions;
	a->restarts += r->restarts;
}

static int run_one(struct replays *s, struct planner *pl, const struct spot_trace *t,
		   int64_t restart_ms, int64_t window, struct err *err)
{
	int64_t longest_ticks = s->longest_ms / t->gap_ms, spare = (int64_t)t->n - longest_ticks,
		last = s->q->windows - 1, from = 0;
	int r = 0;

	if (last > 0 && spare > 0)
		from = window * spare / last;

	const struct spot_history h = { t->n - (size_t)from, t->has_spot + from, NULL };

	for (size_t d = 0; d < s->q->ndeadline; d++) {
		struct spot_task k = task_of(s, t, restart_ms, s->q->deadline_ms[d]);
		struct cell *cell = cell_of(s, restart_ms, k.deadline_ms);
		struct spot_run run[SPOT_POLICY_N] = { 0 };
		for (int p = 0; p < SPOT_POLICY_N; p++) {
			if (!s->q->want[p])
				continue;
			r = run_policy((enum spot_policy_kind)p, pl, &k, &h, &run[p], err);
			if (r < 0)
				return r;
			add_run(&s->all[p], &k, &run[p]);
			add_run(&s->half[p][window & 1], &k, &run[p]);
			add_run(&cell->of[p], &k, &run[p]);
		}

		double base = run[SPOT_POLICY_UNIFORM].usd;

		if (!s->q->want[SPOT_POLICY_UNIFORM])
			continue;
		for (int p = 0; p < SPOT_POLICY_N; p++) {
			if (!s->q->want[p])
				continue;
			double frac = 0;
			if (base > 0)
				frac = run[p].usd / base - 1;
			s->costlier[p] += frac > 1e-9;
			if (s->all[p].n == 1 || frac > s->worst_frac[p])
				s->worst_frac[p] = frac;
		}
	}
	return 0;
}

/* What shares its plans side by side; the rest as in the file. */
static int by_plans(const void *a, const void *b)
{
	const struct history *x = a, *y = b;
	int market = strcmp(x->trace->market, y->trace->market);

	if (market)
		return market;
	if (x->trace->gap_ms != y->trace->gap_ms)
		return cmp_i64(x->trace->gap_ms, y->trace->gap_ms);
	if (x->restart_ms != y->restart_ms)
		return cmp_i64(x->restart_ms, y->restart_ms);
	return (x->trace > y->trace) - (x->trace < y->trace);
}

/*
 * The plans of a market may be gigabytes and take seconds, so one market's are held at a time and
 * all that uses them runs one after the other. Sums are of integers: the order does not show.
 */
static int run_all(struct replays *s, struct err *err)
{
	const struct simulate_spot_ask *q = s->q;
	struct planner pl = { 0 };
	size_t each = q->nrestart ? q->nrestart : 1, n = 0;
	struct history *h = xcalloc(s->traces.v.n * each + 1, sizeof *h);
	int r = 0;

	/* Every trace with every restart. The cells come in the order of the file. */
	for (size_t i = 0; i < s->traces.v.n; i++) {
		const struct spot_trace *t = &s->traces.v.v[i];
		for (size_t o = 0; o < each; o++) {
			int64_t ms = q->nrestart ? q->restart_ms[o] : t->overhead_ms;
			for (size_t d = 0; d < q->ndeadline; d++)
				cell_of(s, ms, q->deadline_ms[d]);
			h[n++] = (struct history){ t, ms };
		}
	}
	sort_items(h, n, sizeof *h, by_plans);
	for (size_t i = 0; r >= 0 && i < n; i++) {
		const struct spot_trace *t = h[i].trace;
		struct spot_task k = task_of(s, t, h[i].restart_ms, s->longest_ms);
		int64_t starts = q->windows ? q->windows : 1;
		r = spot_task_check(&k, err);
		if (r >= 0 && q->want[SPOT_POLICY_TARE])
			r = planner_set(&pl, s, t, &k, err);
		for (int64_t w = 0; r >= 0 && w < starts; w++)
			r = run_one(s, &pl, t, h[i].restart_ms, w, err);
		if (q->progress)
			q->progress(q->ctx, i + 1, n);
	}
	planner_free(&pl);
	free(h);
	return r;
}

/* ---- out --------------------------------------------------------------------------------- */

static void set_mean(const struct simulate_spot_ask *q, struct simulate_spot_sum *a)
{
	if (a->n)
		a->mean_usd = div_half_even(q->spot_usd_h * a->spot_ms + q->od_usd_h * a->od_ms,
					    (__int128)MS_HOUR * a->n);
}

static double above_base(const struct replays *s, const struct simulate_spot_sum *a,
			 enum spot_policy_kind base)
{
	double b = dec_to_double(s->all[base].mean_usd);

	if (s->q->want[base] && b > 0)
		return dec_to_double(a->mean_usd) / b - 1;
	return NAN;
}

static struct simulate_spot_score score_of(const struct replays *s, enum spot_policy_kind p)
{
	bool has_uniform = s->q->want[SPOT_POLICY_UNIFORM] && s->all[p].n;
	struct simulate_spot_score x = {
		.policy = spot_policy_name[p],
		.is_bound = p == SPOT_POLICY_OFFLINE,
		.all = s->all[p],
		.half = { s->half[p][0], s->half[p][1] },
		.above_bound_frac = above_base(s, &s->all[p], SPOT_POLICY_OFFLINE),
		.above_uniform_frac = above_base(s, &s->all[p], SPOT_POLICY_UNIFORM),
		.costlier_frac = num_if(has_uniform, (double)s->costlier[p] / (double)s->all[p].n),
		.worst_above_uniform_frac = num_if(has_uniform, s->worst_frac[p]),
	};
	struct simulate_spot_sum *by = arena_alloc(s->q->ask.mem, s->cell.n * sizeof *by);

	set_mean(s->q, &x.half[0]);
	set_mean(s->q, &x.half[1]);
	for (size_t i = 0; i < s->cell.n; i++) {
		by[i] = s->cell.v[i].of[p];
		set_mean(s->q, &by[i]);
	}
	x.by = by;
	return x;
}

int answer_simulate_spot(const struct simulate_spot_ask *q, struct simulate_spot *ret,
			 struct err *err)
{
	struct replays s = { .q = q };
	int r;

	const struct simulate_spot_ask *ask = s.q;

	s.task = (struct spot_task){ .work_ms = ask->work_ms,
				     .od_usd_h = dec_to_double(ask->od_usd_h),
				     .spot_usd_h = dec_to_double(ask->spot_usd_h) };
	for (size_t i = 0; i < ask->ndeadline; i++)
		if (ask->deadline_ms[i] > s.longest_ms)
			s.longest_ms = ask->deadline_ms[i];
	r = read_files(&s, err);
	if (r >= 0)
		r = run_all(&s, err);
	if (r >= 0) {
		struct arena *mem = s.q->ask.mem;
		struct simulate_spot_score *score = arena_alloc(mem, SPOT_POLICY_N * sizeof *score);
		struct simulate_spot_cell *cell = arena_alloc(mem, s.cell.n * sizeof *cell);

		*ret = (struct simulate_spot){ .score = score,
					       .cell = cell,
					       .ncell = s.cell.n,
					       .has_halves = s.q->windows > 1,
					       .planned = s.planned };
		for (int p = 0; p < SPOT_POLICY_N; p++)
			set_mean(s.q, &s.all[p]);
		for (int p = 0; p < SPOT_POLICY_N; p++)
			if (s.q->want[p])
				score[ret->n++] = score_of(&s, (enum spot_policy_kind)p);
		for (size_t i = 0; i < s.cell.n; i++)
			cell[i] = s.cell.v[i].at;
	}
	spot_traces_free(&s.traces);
	spot_prior_free(&s.prior);
	vec_free(&s.cell);
	return r;
}
