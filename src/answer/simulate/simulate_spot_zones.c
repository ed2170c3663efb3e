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

struct set { /* zones to be had together */
	size_t n;
	const char *zone[SPOT_MAX_ZONES];
	int region[SPOT_MAX_ZONES];
};
struct zones {
	const struct simulate_zones_ask *q;
	struct spot_traces traces;
	struct set all;
	bool is_set, use[SPOT_MAX_ZONES]; /* of all those that tare uses, once chosen */
	struct simulate_zones_sum of[SPOT_POLICY_N];
	int64_t last_window;
};
struct rows { /* of one window, by zone */
	size_t n;
	const struct spot_trace *first;
	const bool *has[SPOT_MAX_ZONES];
	const double *usd_h[SPOT_MAX_ZONES];
};

/* ---- the zones of the file --------------------------------------------------------------- */

static int add_zone(struct zones *s, struct sv name, struct err *err)
{
	struct set *set = &s->all;
	const char *found = NULL;

	for (size_t i = 0; i < s->traces.v.n; i++) {
		struct sv m = sv_of(s->traces.v.v[i].market);
		bool is_known = false;
		if (!sv_is(name, "all") && !sv_starts(m, name))
			continue;
		for (size_t z = 0; z < set->n; z++)
			is_known |= sv_is(m, set->zone[z]);
		found = m.p;
		if (is_known)
			continue;
		if (set->n == SPOT_MAX_ZONES)
			return err_set(err, -EINVAL, "--zones: more than %d zones together",
				       SPOT_MAX_ZONES);
		set->zone[set->n++] = m.p;
	}
	if (!found) {
		err_set(err, -EINVAL, "--zones: no zone of the file begins with '%.*s'", SVF(name));
		err_hint(err,
			 "zones are joined by +: --zones us-east-1a+us-east-1c; all: every zone");
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

static void set_regions(struct set *set)
{
	for (size_t z = 0; z < set->n; z++) {
		set->region[z] = (int)z;
		for (size_t y = z; y-- > 0;)
			if (sv_eq(region_of(set->zone[y]), region_of(set->zone[z])))
				set->region[z] = set->region[y];
	}
}

static int find_zones(struct zones *s, struct err *err)
{
	int r = 0;

	for (size_t k = 0; r >= 0 && k < s->q->nname; k++)
		r = add_zone(s, sv_of(s->q->name[k]), err);
	set_regions(&s->all);
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
static bool rows_of(const struct zones *s, const struct set *set, int64_t window, struct rows *ret)
{
	*ret = (struct rows){ .n = SIZE_MAX };
	for (size_t z = 0; z < set->n; z++) {
		const struct spot_trace *t = NULL;
		for (size_t i = 0; i < s->traces.v.n && !t; i++) {
			const struct spot_trace *x = &s->traces.v.v[i];
			if (x->window == window && !strcmp(x->market, set->zone[z]))
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
static int known_of(const struct zones *s, const struct set *set, const struct spot_trace *run,
		    const struct spot_task *k, struct known *ret, struct err *err)
{
	int64_t to = min_i64(s->q->known_to, s->last_window);
	struct rows x;

	for (int64_t w = s->q->known_from; w <= to; w++) {
		if (!rows_of(s, set, w, &x) || x.first->gap_ms != k->gap_ms)
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
			(long long)s->q->known_from, (long long)s->q->known_to, s->q->text);
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

static struct spot_zone_market market_of(const struct zones *s, const struct set *set,
					 const struct rows *x)
{
	return (struct spot_zone_market){ .nzone = set->n,
					  .nticks = x->n,
					  .has = x->has,
					  .usd_h = x->usd_h,
					  .region = set->region,
					  .move_usd = s->q->move_usd };
}

static int run_tare(struct zones *s, const struct rows *x, const struct spot_task *k,
		    struct spot_zone_plan **plan, struct err *err)
{
	const struct set *all = &s->all;
	struct set used = { 0 }; /* those that are worth having */
	struct rows mine;
	struct spot_run run;
	struct known w = { 0 };
	int r = 0;

	if ((!s->is_set || s->q->apart) && (r = known_of(s, all, x->first, k, &w, err)) >= 0)
		r = spot_zone_set(k, &(struct spot_zone_known){ all->n, w.rows.n, w.h },
				  all->region, s->q->move_usd, s->use, err);
	known_free(&w);
	s->is_set = r >= 0;
	for (size_t z = 0; r >= 0 && z < all->n; z++)
		if (s->use[z])
			used.zone[used.n++] = all->zone[z];
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
				&(struct spot_zone_known){ used.n, known.rows.n, known.h }, plan,
				err);
		known_free(&known);
	}
	if (r < 0 || !rows_of(s, &used, x->first->window, &mine))
		return r;
	struct spot_zone_market m = market_of(s, &used, &mine);
	if ((r = run_policy(SPOT_POLICY_TARE, *plan, k, &m, &run, err)) >= 0)
		add_run(&s->of[SPOT_POLICY_TARE], &run);
	return r;
}

static int run_window(struct zones *s, int64_t window, struct spot_zone_plan **plan,
		      struct err *err)
{
	struct spot_task k = s->q->task;
	struct rows x;
	int r = 0;

	if (!rows_of(s, &s->all, window, &x))
		return err_set(
			err, -EINVAL,
			"the file has no window %lld of all zones of '%s' with ticks of one length",
			(long long)window, s->q->text);
	struct spot_zone_market m = market_of(s, &s->all, &x);
	k.gap_ms = x.first->gap_ms;
	for (int p = 0; r >= 0 && p < SPOT_POLICY_N; p++) {
		struct spot_run run;
		if (!s->q->want[p] || p == SPOT_POLICY_TARE)
			continue;
		r = run_policy(p, NULL, &k, &m, &run, err);
		add_run(&s->of[p], &run);
	}
	if (r >= 0 && s->q->want[SPOT_POLICY_TARE])
		return run_tare(s, &x, &k, plan, err);
	return r;
}

static int run_windows(struct zones *s, struct err *err)
{
	const struct simulate_zones_ask *q = s->q;
	struct spot_zone_plan *plan = NULL;
	int r = 0;

	for (int64_t w = q->from; r >= 0 && w <= q->to; w++) {
		r = run_window(s, w, &plan, err);
		if (q->progress)
			q->progress(q->ctx, (size_t)(w - q->from + 1),
				    (size_t)(q->to - q->from + 1));
	}
	spot_zone_plan_free(plan);
	return r;
}

/* ---- out --------------------------------------------------------------------------------- */

static double above_base(const struct zones *s, int p, int base)
{
	if (s->q->want[base] && s->of[base].mean_usd > 0)
		return s->of[p].mean_usd / s->of[base].mean_usd - 1;
	return NAN;
}

static void set_scores(struct zones *s, struct simulate_zones *ret)
{
	struct arena *mem = s->q->ask.mem;
	struct simulate_zones_score *score = arena_alloc(mem, SPOT_POLICY_N * sizeof *score);
	const char **zone = arena_alloc(mem, s->all.n * sizeof *zone);

	/* Names lie in the file's memory, which ends with the question. */
	for (size_t z = 0; z < s->all.n; z++)
		zone[z] = arena_sv(mem, sv_of(s->all.zone[z]));
	*ret = (struct simulate_zones){ .score = score, .zone = zone, .nzone = s->all.n };
	for (int p = 0; p < SPOT_POLICY_N; p++)
		s->of[p].mean_usd /= (double)s->of[p].n;
	for (int p = 0; p < SPOT_POLICY_N; p++) {
		if (!s->q->want[p])
			continue;
		score[ret->n++] = (struct simulate_zones_score){
			.policy = spot_policy_name[p],
			.is_bound = p == SPOT_POLICY_OFFLINE,
			.all = s->of[p],
			.above_bound_frac = above_base(s, p, SPOT_POLICY_OFFLINE),
			.above_uniform_frac = above_base(s, p, SPOT_POLICY_UNIFORM),
		};
	}
}

int answer_simulate_zones(const struct simulate_zones_ask *q, struct simulate_zones *ret,
			  struct err *err)
{
	struct zones s = { .q = q };
	int r = spot_traces_load(q->scenarios, &s.traces, err);

	if (r >= 0)
		r = find_zones(&s, err);
	if (r >= 0)
		r = run_windows(&s, err);
	if (r >= 0)
		set_scores(&s, ret);
	spot_traces_free(&s.traces);
	return r;
}
