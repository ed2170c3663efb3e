#include "answer/simulate/simulate_spot_zones.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "feed/planner/spot_trace.h"
#include "opt/spot/spot_zones_tare.h"
#include "sim/spot_zones.h"
#include "sim/spot_zones_set.h"

struct group {
	const struct simulate_zones_group *ask;
	size_t nzone;
	const char *zone[SPOT_MAX_ZONES];
	int region[SPOT_MAX_ZONES];
	bool is_set, use[SPOT_MAX_ZONES]; /* zones that tare uses, once chosen */
	struct simulate_zones_sum of[SPOT_POLICY_N];
};
struct zones {
	const struct simulate_zones_ask *q;
	struct spot_traces traces;
	struct group *g; /* [q->ngroup] */
	int64_t last_window;
};
struct rows { /* of one window, by zone */
	size_t n;
	const struct spot_trace *first;
	const bool *has[SPOT_MAX_ZONES];
	const double *usd_h[SPOT_MAX_ZONES];
};

/* ---- the zones of the file --------------------------------------------------------------- */

static int add_zone(const struct zones *s, struct group *g, struct sv name, struct err *err)
{
	const char *found = NULL;

	for (size_t i = 0; i < s->traces.v.n; i++) {
		struct sv m = sv_of(s->traces.v.v[i].market);
		bool is_known = false;
		if (!sv_is(name, "all") && !sv_starts(m, name))
			continue;
		for (size_t z = 0; z < g->nzone; z++)
			is_known |= sv_is(m, g->zone[z]);
		found = m.p;
		if (is_known)
			continue;
		if (g->nzone == SPOT_MAX_ZONES)
			return err_set(err, -EINVAL, "--zones: more than %d zones together",
				       SPOT_MAX_ZONES);
		g->zone[g->nzone++] = m.p;
	}
	if (!found) {
		err_set(err, -EINVAL, "--zones: no zone of the file begins with '%.*s'", SVF(name));
		err_hint(
			err,
			"zones are joined by +, groups by a comma: --zones us-east-1a+us-east-1c=8,all=2");
		return -EINVAL;
	}
	return 0;
}

/* The name up to the zone's letter: us-east-1 of us-east-1a_v100_1. */
static struct sv region_of(const char *zone)
{
	struct sv s = sv_of(zone), rest, first = sv_cut(s, '_', &rest);

	if (first.n && first.p[first.n - 1] >= 'a' && first.p[first.n - 1] <= 'z')
		first.n--;
	return first;
}

static void set_regions(struct group *g)
{
	for (size_t z = 0; z < g->nzone; z++) {
		g->region[z] = (int)z;
		for (size_t y = z; y-- > 0;)
			if (sv_eq(region_of(g->zone[y]), region_of(g->zone[z])))
				g->region[z] = g->region[y];
	}
}

static int set_groups(struct zones *s, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < s->q->ngroup; i++) {
		s->g[i].ask = &s->q->group[i];

		struct group *g = &s->g[i];
		r = 0;

		for (size_t k = 0; r >= 0 && k < g->ask->nname; k++)
			r = add_zone(s, g, sv_of(g->ask->name[k]), err);
		set_regions(g);
	}
	for (size_t i = 0; r >= 0 && i < s->traces.v.n; i++) {
		const struct spot_trace *t = &s->traces.v.v[i];
		if (!t->spot_usd_h || t->window < 0)
			return err_set(
				err, -EINVAL,
				"--zones needs the columns window and spot_price_rle_usd_hour in the file");
		s->last_window = max_i64(t->window, s->last_window);
	}
	return r;
}

/* ---- what is known beforehand ------------------------------------------------------------ */

/* Rows of all zones in a window; false where the file has not all of them. */
static bool rows_of(const struct zones *s, const struct group *g, int64_t window, struct rows *ret)
{
	*ret = (struct rows){ .n = SIZE_MAX };
	for (size_t z = 0; z < g->nzone; z++) {
		const struct spot_trace *t = NULL;
		for (size_t i = 0; i < s->traces.v.n && !t; i++) {
			const struct spot_trace *x = &s->traces.v.v[i];
			if (x->window == window && !strcmp(x->market, g->zone[z]))
				t = x;
		}
		if (!t)
			return false;
		if (!ret->first)
			ret->first = t;
		if (t->gap_ms != ret->first->gap_ms)
			return false;
		ret->has[z] = t->has_spot;
		ret->usd_h[z] = t->spot_usd_h;
		ret->n = min_size(t->n, ret->n);
	}
	return ret->first != NULL;
}

struct known {
	VEC(struct rows) rows;
	struct spot_zone_history *h;
};

/* The windows known for the run of one: with --known-apart none that shares time with it. */
static int known_of(const struct zones *s, const struct group *g, const struct spot_trace *run,
		    const struct spot_task *k, struct known *ret, struct err *err)
{
	int64_t to = min_i64(s->q->known_to, s->last_window);
	struct rows x;

	for (int64_t w = s->q->known_from; w <= to; w++) {
		if (!rows_of(s, g, w, &x) || x.first->gap_ms != k->gap_ms)
			continue;

		const struct spot_trace *t = x.first;
		int64_t ends = t->start_ms + (int64_t)t->n * t->gap_ms,
			run_ends = run->start_ms + (int64_t)run->n * run->gap_ms;
		bool dated = t->start_ms != INT64_MIN && run->start_ms != INT64_MIN;
		bool apart = t->start_ms >= run_ends || run->start_ms >= ends;
		if (!s->q->apart || (dated && apart))
			*vec_push(&ret->rows) = x;
	}
	if (!ret->rows.n)
		return err_set(
			err, -ENODATA,
			"the file has none of the windows %lld to %lld for all zones of '%s'",
			(long long)s->q->known_from, (long long)s->q->known_to, g->ask->text);
	ret->h = xcalloc(ret->rows.n, sizeof *ret->h);
	for (size_t i = 0; i < ret->rows.n; i++)
		ret->h[i] = (struct spot_zone_history){ ret->rows.v[i].n, ret->rows.v[i].has,
							ret->rows.v[i].usd_h,
							ret->rows.v[i].first->start_ms };
	return 0;
}

static void known_free(struct known *w)
{
	free(w->h);
	vec_free(&w->rows);
}

/* ---- running ----------------------------------------------------------------------------- */

static int hold_greedy(void *ctx, const struct spot_task *k, const struct spot_zone_now *now)
{
	return spot_zone_greedy(k, now);
}

static int hold_uniform(void *ctx, const struct spot_task *k, const struct spot_zone_now *now)
{
	return spot_zone_uniform(k, now);
}

static int on_demand(void *ctx, const struct spot_task *k, const struct spot_zone_now *now)
{
	return SPOT_ZONE_OD;
}

static int run_policy(int p, const struct spot_zone_plan *plan, const struct spot_task *k,
		      const struct spot_zone_market *m, struct spot_run *ret, struct err *err)
{
	static int (*const decide[SPOT_POLICY_N])(void *, const struct spot_task *,
						  const struct spot_zone_now *) = {
		[SPOT_POLICY_GREEDY] = hold_greedy,
		[SPOT_POLICY_UNIFORM] = hold_uniform,
		[SPOT_POLICY_ON_DEMAND] = on_demand,
		[SPOT_POLICY_TARE] = spot_zone_tare,
	};
	struct spot_zone_policy pol = { .decide = decide[p] };
	struct spot_zone_mind mind;

	*ret = (struct spot_run){ 0 };
	if (p == SPOT_POLICY_OFFLINE) {
		const struct spot_zone_history h = { m->nticks, m->has, m->usd_h, SPOT_NO_CLOCK };
		return spot_zone_bound(k, m->nzone, &h, &ret->usd, err);
	}
	if (p == SPOT_POLICY_TARE) {
		spot_zone_mind_init(&mind, plan, m->region, m->move_usd);
		pol.ctx = &mind;
	}
	return spot_zone_replay(k, m, &pol, ret, err);
}

static void add_run(struct simulate_zones_sum *a, const struct spot_run *r)
{
	a->n++;
	a->mean_usd += r->usd;
	a->late += r->late;
	a->interruptions += r->interruptions;
	a->restarts += r->restarts;
	a->moves += r->moves;
}

static struct spot_zone_market market_of(const struct zones *s, const struct group *g,
					 const struct rows *x)
{
	return (struct spot_zone_market){ .nzone = g->nzone,
					  .nticks = x->n,
					  .has = x->has,
					  .usd_h = x->usd_h,
					  .region = g->region,
					  .move_usd = s->q->move_usd };
}

static int run_tare(const struct zones *s, struct group *g, const struct rows *x,
		    const struct spot_task *k, struct spot_zone_plan **plan, struct err *err)
{
	struct group used;
	struct rows mine;
	struct spot_run run;

	/* The group with the zones that are worth having. */
	struct known w = { 0 };
	int r = 0;

	if ((!g->is_set || s->q->apart) && (r = known_of(s, g, x->first, k, &w, err)) >= 0)
		r = spot_zone_set(k, &(struct spot_zone_known){ g->nzone, w.rows.n, w.h },
				  g->region, s->q->move_usd, g->use, err);
	known_free(&w);
	g->is_set = r >= 0;
	used = *g;
	used.nzone = 0;
	for (size_t z = 0; r >= 0 && z < g->nzone; z++)
		if (g->use[z])
			used.zone[used.nzone++] = g->zone[z];
	set_regions(&used);

	bool each = s->q->apart || x->first->start_ms != INT64_MIN; /* a plan of its own */
	if (r >= 0 && (!*plan || each)) {
		/* The time of day at the start of the run is known. */
		struct known known = { 0 };
		r = known_of(s, &used, x->first, k, &known, err);

		spot_zone_plan_free(*plan);
		*plan = NULL;
		if (r >= 0)
			r = spot_zone_plan_new(
				k, x->first->start_ms,
				&(struct spot_zone_known){ used.nzone, known.rows.n, known.h },
				plan, err);
		known_free(&known);
	}
	if (r < 0 || !rows_of(s, &used, x->first->window, &mine))
		return r;
	struct spot_zone_market m = market_of(s, &used, &mine);
	if ((r = run_policy(SPOT_POLICY_TARE, *plan, k, &m, &run, err)) >= 0)
		add_run(&g->of[SPOT_POLICY_TARE], &run);
	return r;
}

static int run_window(const struct zones *s, struct group *g, int64_t window,
		      struct spot_zone_plan **plan, struct err *err)
{
	struct spot_task k = s->q->task;
	struct rows x;
	int r = 0;

	if (!rows_of(s, g, window, &x))
		return err_set(
			err, -EINVAL,
			"the file has no window %lld of all zones of '%s' with ticks of one length",
			(long long)window, g->ask->text);
	struct spot_zone_market m = market_of(s, g, &x);
	k.gap_ms = x.first->gap_ms;
	for (int p = 0; r >= 0 && p < SPOT_POLICY_N; p++) {
		struct spot_run run;
		if (!s->q->want[p] || p == SPOT_POLICY_TARE)
			continue;
		r = run_policy(p, NULL, &k, &m, &run, err);
		add_run(&g->of[p], &run);
	}
	if (r >= 0 && s->q->want[SPOT_POLICY_TARE])
		return run_tare(s, g, &x, &k, plan, err);
	return r;
}

/* ---- out --------------------------------------------------------------------------------- */

/* Mean of the groups' means. */
static struct simulate_zones_sum total_of(const struct zones *s, int p)
{
	struct simulate_zones_sum t = { 0 };

	for (size_t i = 0; i < s->q->ngroup; i++) {
		const struct simulate_zones_sum *a = &s->g[i].of[p];
		t.n += a->n;
		t.late += a->late;
		t.interruptions += a->interruptions;
		t.restarts += a->restarts;
		t.moves += a->moves;
		t.mean_usd += a->mean_usd;
	}
	t.mean_usd /= (double)s->q->ngroup;
	return t;
}

static double above_base(const struct zones *s, const struct simulate_zones_sum *a, int base)
{
	double b = 0;

	if (s->q->want[base])
		b = total_of(s, base).mean_usd;
	if (b > 0)
		return a->mean_usd / b - 1;
	return NAN;
}

int answer_simulate_zones(const struct simulate_zones_ask *q, struct simulate_zones *ret,
			  struct err *err)
{
	struct zones s = { .q = q };
	int r = spot_traces_load(q->scenarios, &s.traces, err);

	s.g = arena_zalloc(q->ask.mem, q->ngroup * sizeof *s.g);
	if (r >= 0)
		r = set_groups(&s, err);
	if (r >= 0) {
		const struct simulate_zones_ask *ask = s.q;
		r = 0;

		for (size_t i = 0; r >= 0 && i < ask->ngroup; i++) {
			struct spot_zone_plan *plan = NULL;
			for (int64_t w = ask->group[i].from; r >= 0 && w <= ask->group[i].to; w++)
				r = run_window(&s, &s.g[i], w, &plan, err);
			spot_zone_plan_free(plan);
			if (ask->progress)
				ask->progress(ask->ctx, i + 1, ask->ngroup);
		}
	}
	if (r >= 0) {
		struct arena *mem = s.q->ask.mem;
		struct simulate_zones_score *score = arena_alloc(mem,
								 SPOT_POLICY_N * sizeof *score);
		struct simulate_zones_found *group = arena_alloc(mem, s.q->ngroup * sizeof *group);

		*ret = (struct simulate_zones){ .score = score,
						.group = group,
						.ngroup = s.q->ngroup };
		for (size_t i = 0; i < s.q->ngroup; i++) {
			/* Names lie in the file's memory, which ends with the question. */
			const struct group *g = &s.g[i];
			const char **zone = arena_alloc(s.q->ask.mem, g->nzone * sizeof *zone);

			for (size_t z = 0; z < g->nzone; z++)
				zone[z] = arena_sv(s.q->ask.mem, sv_of(g->zone[z]));
			group[i] = (struct simulate_zones_found){ g->ask->label, zone, g->nzone,
								  g->ask->to - g->ask->from + 1 };

			for (int p = 0; p < SPOT_POLICY_N; p++)
				s.g[i].of[p].mean_usd /= (double)s.g[i].of[p].n;
		}
		for (int p = 0; p < SPOT_POLICY_N; p++)
			if (s.q->want[p]) {
				struct simulate_zones_sum all = total_of(&s, p),
							  *by = arena_alloc(s.q->ask.mem,
									    s.q->ngroup *
										    sizeof *by);

				for (size_t i = 0; i < s.q->ngroup; i++)
					by[i] = s.g[i].of[p];
				score[ret->n++] = (struct simulate_zones_score){
					.policy = spot_policy_name[p],
					.is_bound = p == SPOT_POLICY_OFFLINE,
					.all = all,
					.by = by,
					.above_bound_frac = above_base(&s, &all,
								       SPOT_POLICY_OFFLINE),
					.above_uniform_frac = above_base(&s, &all,
									 SPOT_POLICY_UNIFORM),
				};
			}
	}
	spot_traces_free(&s.traces);
	return r;
}
