/* See simulate_spot_zones.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "cli/simulate_spot_zones_in.h"
#include "opt/spot_zones_tare.h"
#include "sim/spot_zones.h"
#include "sim/spot_zones_set.h"

struct rows { /* of one window, by zone */
	size_t n;
	const struct spot_trace *first;
	const bool *has[SPOT_MAX_ZONES];
	const double *usd_h[SPOT_MAX_ZONES];
};

/* ---- what is asked ----------------------------------------------------------------------- */

static const struct spot_trace *trace_of(const struct zones *s, const char *zone, int64_t window)
{
	for (size_t i = 0; i < s->ask->traces->v.n; i++) {
		const struct spot_trace *t = &s->ask->traces->v.v[i];
		if (t->window == window && !strcmp(t->market, zone))
			return t;
	}
	return NULL;
}

static int add_zone(const struct zones *s, struct group *g, struct sv name, struct err *err)
{
	const char *found = NULL;

	for (size_t i = 0; i < s->ask->traces->v.n; i++) {
		struct sv m = sv_of(s->ask->traces->v.v[i].market);
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

/* "8": 0 to 7; "8-49". */
static int windows_of(struct sv text, struct group *g)
{
	struct sv to, from = sv_cut(text, '-', &to);

	if (sv_i64(from, &g->from) < 0 || (to.p && sv_i64(to, &g->to) < 0))
		return -EINVAL;
	if (!to.p) {
		g->to = g->from - 1;
		g->from = 0;
	}
	return g->from >= 0 && g->to >= g->from && g->to < 10000 ? 0 : -EINVAL;
}

static int read_group(struct zones *s, struct sv text, struct err *err)
{
	struct sv number, names = sv_cut(text, '=', &number);
	struct group *g = &s->g[s->n];
	int r = 0;

	if (s->n == MAX_GROUPS)
		return err_set(err, -EINVAL, "--zones: more than %d groups", MAX_GROUPS);
	*g = (struct group){ .text = text };
	if (number.p && windows_of(number, g) < 0)
		return err_set(
			err, -EINVAL,
			"--zones: '%.*s' is neither a number of windows nor a range such as 8-49",
			SVF(number));
	while (r >= 0 && names.p)
		r = add_zone(s, g, sv_trim(sv_cut(names, '+', &names)), err);
	set_regions(g);
	s->n++;
	return r;
}

static int read_ask(struct zones *s, struct err *err)
{
	struct sv rest = sv_of(s->ask->zones), to,
		  from = sv_cut(sv_of(s->ask->known ? s->ask->known : "50-99"), '-', &to);
	int r = 0;

	if (sv_i64(from, &s->known_from) < 0 || !to.p || sv_i64(to, &s->known_to) < 0 ||
	    s->known_from < 0 || s->known_to < s->known_from)
		return err_set(err, -EINVAL, "--known: '%s' is no range of windows such as 50-99",
			       s->ask->known);
	while (r >= 0 && rest.p)
		r = read_group(s, sv_trim(sv_cut(rest, ',', &rest)), err);
	for (size_t i = 0; r >= 0 && i < s->ask->traces->v.n; i++) {
		const struct spot_trace *t = &s->ask->traces->v.v[i];
		if (!t->spot_usd_h || t->window < 0)
			return err_set(
				err, -EINVAL,
				"--zones needs the columns window and spot_price_rle_usd_hour in the file");
		s->last_window = t->window > s->last_window ? t->window : s->last_window;
	}
	return r;
}

/* ---- what is known beforehand ------------------------------------------------------------ */

static bool share_time(const struct spot_trace *a, const struct spot_trace *b)
{
	int64_t ends_a = a->start_ms + (int64_t)a->n * a->gap_ms,
		ends_b = b->start_ms + (int64_t)b->n * b->gap_ms;

	return a->start_ms == INT64_MIN || b->start_ms == INT64_MIN ||
	       (a->start_ms < ends_b && b->start_ms < ends_a);
}

/* Rows of all zones in a window; false where the file has not all of them. */
static bool rows_of(const struct zones *s, const struct group *g, int64_t window, struct rows *ret)
{
	ret->n = SIZE_MAX;
	for (size_t z = 0; z < g->nzone; z++) {
		const struct spot_trace *t = trace_of(s, g->zone[z], window);
		if (!t || (z && t->gap_ms != ret->first->gap_ms))
			return false;
		ret->first = z ? ret->first : t;
		ret->has[z] = t->has_spot;
		ret->usd_h[z] = t->spot_usd_h;
		ret->n = t->n < ret->n ? t->n : ret->n;
	}
	return true;
}

struct known {
	VEC(struct rows) rows;
	struct spot_zone_history *h;
};

/* The windows known for the run of one: with --known-apart none that shares time with it. */
static int known_of(const struct zones *s, const struct group *g, const struct spot_trace *run,
		    const struct spot_task *k, struct known *ret, struct err *err)
{
	int64_t to = s->known_to < s->last_window ? s->known_to : s->last_window;
	struct rows x;

	for (int64_t w = s->known_from; w <= to; w++)
		if (rows_of(s, g, w, &x) && x.first->gap_ms == k->gap_ms &&
		    !(s->ask->apart && share_time(x.first, run)))
			*vec_push(&ret->rows) = x;
	if (!ret->rows.n)
		return err_set(
			err, -ENODATA,
			"the file has none of the windows %lld to %lld for all zones of '%.*s'",
			(long long)s->known_from, (long long)s->known_to, SVF(g->text));
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

/* The time of day at the start of the run is known. */
static int plan_set(const struct zones *s, const struct group *g, const struct spot_trace *run,
		    const struct spot_task *k, struct spot_zone_plan **ret, struct err *err)
{
	struct known w = { 0 };
	int r = known_of(s, g, run, k, &w, err);

	spot_zone_plan_free(*ret);
	*ret = NULL;
	if (r >= 0)
		r = spot_zone_plan_new(k, run->start_ms, g->nzone, w.h, w.rows.n, ret, err);
	known_free(&w);
	return r;
}

/* The group with the zones that are worth having. */
static int worth(const struct zones *s, struct group *g, const struct spot_trace *run,
		 const struct spot_task *k, struct group *ret, struct err *err)
{
	struct known w = { 0 };
	int r = 0;

	if ((!g->is_set || s->ask->apart) && (r = known_of(s, g, run, k, &w, err)) >= 0)
		r = spot_zone_set(k, g->nzone, w.h, w.rows.n, g->region, s->ask->move_usd, g->use,
				  err);
	known_free(&w);
	g->is_set = r >= 0;
	*ret = *g;
	ret->nzone = 0;
	for (size_t z = 0; r >= 0 && z < g->nzone; z++)
		if (g->use[z])
			ret->zone[ret->nzone++] = g->zone[z];
	set_regions(ret);
	return r;
}

/* ---- running ----------------------------------------------------------------------------- */

static int greedy(void *ctx, const struct spot_task *k, const struct spot_zone_now *now)
{
	return spot_zone_greedy(k, now);
}

static int uniform(void *ctx, const struct spot_task *k, const struct spot_zone_now *now)
{
	return spot_zone_uniform(k, now);
}

static int on_demand(void *ctx, const struct spot_task *k, const struct spot_zone_now *now)
{
	return SPOT_ZONE_OD;
}

static int run_policy(int p, const struct spot_zone_plan *plan, const struct spot_task *k,
		      const struct spot_zone_market *m, struct spot_run *ret, int64_t *ret_moves,
		      struct err *err)
{
	struct spot_zone_policy pol = { .decide = p == ZP_GREEDY      ? greedy
						  : p == ZP_UNIFORM   ? uniform
						  : p == ZP_ON_DEMAND ? on_demand
								      : spot_zone_tare };
	struct spot_zone_mind mind;

	*ret = (struct spot_run){ 0 };
	*ret_moves = 0;
	if (p == ZP_OFFLINE)
		return spot_zone_bound(k, m->nzone, m->nticks, m->has, m->usd_h, &ret->usd, err);
	if (p == ZP_TARE) {
		spot_zone_mind_init(&mind, plan, m->region, m->move_usd);
		pol.ctx = &mind;
	}
	return spot_zone_replay(k, m, &pol, ret, ret_moves, err);
}

static void add(struct sum *a, const struct spot_run *r, int64_t moves)
{
	a->n++;
	a->usd += r->usd;
	a->late += r->late;
	a->interruptions += r->interruptions;
	a->restarts += r->restarts;
	a->moves += moves;
}

static struct spot_zone_market market_of(const struct zones *s, const struct group *g,
					 const struct rows *x)
{
	return (struct spot_zone_market){ .nzone = g->nzone,
					  .nticks = x->n,
					  .has = x->has,
					  .usd_h = x->usd_h,
					  .region = g->region,
					  .move_usd = s->ask->move_usd };
}

static int run_tare(const struct zones *s, struct group *g, int64_t window, const struct rows *x,
		    const struct spot_task *k, struct spot_zone_plan **plan, struct err *err)
{
	struct group used;
	struct rows mine;
	struct spot_run run;
	int64_t moves;
	int r = worth(s, g, x->first, k, &used, err);

	if (r >= 0 && (!*plan || s->ask->apart || x->first->start_ms != INT64_MIN))
		r = plan_set(s, &used, x->first, k, plan, err);
	if (r < 0 || !rows_of(s, &used, window, &mine))
		return r;
	struct spot_zone_market m = market_of(s, &used, &mine);
	if ((r = run_policy(ZP_TARE, *plan, k, &m, &run, &moves, err)) >= 0)
		add(&g->of[ZP_TARE], &run, moves);
	return r;
}

static int run_window(const struct zones *s, struct group *g, int64_t window,
		      struct spot_zone_plan **plan, struct err *err)
{
	struct spot_task k = s->ask->task;
	struct rows x;
	int r = 0;

	if (!rows_of(s, g, window, &x))
		return err_set(
			err, -EINVAL,
			"the file has no window %lld of all zones of '%.*s' with ticks of one length",
			(long long)window, SVF(g->text));
	struct spot_zone_market m = market_of(s, g, &x);
	k.gap_ms = x.first->gap_ms;
	for (int p = 0; r >= 0 && p < ZP_N; p++) {
		struct spot_run run;
		int64_t moves;
		if (!s->ask->want[p] || p == ZP_TARE)
			continue;
		r = run_policy(p, NULL, &k, &m, &run, &moves, err);
		add(&g->of[p], &run, moves);
	}
	return r >= 0 && s->ask->want[ZP_TARE] ? run_tare(s, g, window, &x, &k, plan, err) : r;
}

static int run_groups(struct cli *c, struct zones *s, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < s->n; i++) {
		struct spot_zone_plan *plan = NULL;
		for (int64_t w = s->g[i].from; r >= 0 && w <= s->g[i].to; w++)
			r = run_window(s, &s->g[i], w, &plan, err);
		spot_zone_plan_free(plan);
		cli_progress(c, "groups of zones", (int64_t)i + 1, (int64_t)i + 1, (int64_t)s->n);
	}
	cli_progress(c, NULL, 0, 0, 0);
	return r;
}

int simulate_spot_zones(struct cli *c, const struct spot_zones_ask *ask, struct str *out,
			struct err *err)
{
	struct zones s = { .ask = ask };
	int r = read_ask(&s, err);

	if (r >= 0)
		r = run_groups(c, &s, err);
	if (r < 0)
		return r;
	if (c->output == OUT_JSON)
		spot_json(out, ask->want, ZP_N, spot_zones_json, &s);
	else
		spot_zones_text(&s, out);
	return 0;
}
