/* See simulate_spot_zones.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "base/jw.h"
#include "cli/simulate_spot_zones.h"
#include "opt/spot_zones_tare.h"
#include "sim/spot_zones.h"

#define MAX_GROUPS 64
#define KINDS 4		/* kinds of days: the known windows in quarters, by how often any zone was up */
#define PRIOR_TICKS 200 /* weight of the mean of the known windows in each kind of day */
#define GRID 4		/* ticks a step of work in the plan; the value between is interpolated */

struct sum { int64_t n, late, interruptions, restarts, moves; double usd; };
struct group {
	struct sv text;
	size_t nzone;
	const char *zone[SPOT_MAX_ZONES];
	int region[SPOT_MAX_ZONES];
	int64_t windows;
	struct sum of[ZP_N];
};
struct zones {
	const struct spot_zones_ask *ask;
	struct group g[MAX_GROUPS];
	size_t n;
	int64_t known_from, known_to;
};

/* ---- what is asked --------------------------------------------------------------------------------------------------------------- */

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
			return err_set(err, -EINVAL, "--zones: more than %d zones together", SPOT_MAX_ZONES);
		g->zone[g->nzone++] = m.p;
	}
	if (!found) {
		err_set(err, -EINVAL, "--zones: no zone of the file begins with '%.*s'", SVF(name));
		err_hint(err, "zones are joined by +, groups by a comma: --zones us-east-1a+us-east-1c=8,all=2");
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

static int read_group(struct zones *s, struct sv text, struct err *err)
{
	struct sv number, names = sv_cut(text, '=', &number);
	struct group *g = &s->g[s->n];
	int r = 0;

	if (s->n == MAX_GROUPS)
		return err_set(err, -EINVAL, "--zones: more than %d groups", MAX_GROUPS);
	*g = (struct group){ .text = text, .windows = 1 };
	if (number.p && (sv_i64(number, &g->windows) < 0 || g->windows < 1 || g->windows > 10000))
		return err_set(err, -EINVAL, "--zones: '%.*s' is no number of windows", SVF(number));
	while (r >= 0 && names.p)
		r = add_zone(s, g, sv_trim(sv_cut(names, '+', &names)), err);
	set_regions(g);
	s->n++;
	return r;
}

static int read_ask(struct zones *s, struct err *err)
{
	struct sv rest = sv_of(s->ask->zones), to, from = sv_cut(sv_of(s->ask->known ? s->ask->known : "50-99"), '-', &to);
	int r = 0;

	if (sv_i64(from, &s->known_from) < 0 || !to.p || sv_i64(to, &s->known_to) < 0 || s->known_from < 0 || s->known_to < s->known_from)
		return err_set(err, -EINVAL, "--known: '%s' is no range of windows such as 50-99", s->ask->known);
	while (r >= 0 && rest.p)
		r = read_group(s, sv_trim(sv_cut(rest, ',', &rest)), err);
	for (size_t i = 0; r >= 0 && i < s->ask->traces->v.n; i++) {
		const struct spot_trace *t = &s->ask->traces->v.v[i];
		if (!t->spot_usd_h || t->window < 0)
			return err_set(err, -EINVAL, "--zones needs the columns window and spot_price_rle_usd_hour in the file");
	}
	return r;
}

/* ---- what is known beforehand ---------------------------------------------------------------------------------------------------- */

static bool share_time(const struct spot_trace *a, const struct spot_trace *b)
{
	int64_t ends_a = a->start_ms + (int64_t)a->n * a->gap_ms, ends_b = b->start_ms + (int64_t)b->n * b->gap_ms;

	return a->start_ms == INT64_MIN || b->start_ms == INT64_MIN || (a->start_ms < ends_b && b->start_ms < ends_a);
}

struct day { double up_frac; int64_t window; struct spot_counts any; };

static int by_up(const void *a, const void *b)
{
	const struct day *x = a, *y = b;

	return x->up_frac != y->up_frac ? (x->up_frac < y->up_frac ? -1 : 1) : (x->window > y->window) - (x->window < y->window);
}

/* One known window: turns of "any zone up", and of each zone. False where the file has it not for all zones. */
static bool learn(const struct zones *s, const struct group *g, int64_t window, const struct spot_trace *run, struct day *ret,
		  struct spot_counts *zone, double *usd, double *up_ticks)
{
	const struct spot_trace *t[SPOT_MAX_ZONES];
	size_t n = SIZE_MAX, up = 0;

	for (size_t z = 0; z < g->nzone; z++) {
		t[z] = trace_of(s, g->zone[z], window);
		if (!t[z] || (run && share_time(t[z], run)))
			return false;
		n = t[z]->n < n ? t[z]->n : n;
	}
	bool *any = xcalloc(n, sizeof *any);
	for (size_t i = 0; i < n; i++) {
		double least = INFINITY;
		for (size_t z = 0; z < g->nzone; z++)
			if (t[z]->has_spot[i])
				least = fmin(least, t[z]->spot_usd_h[i]);
		any[i] = isfinite(least);
		up += any[i];
		*usd += any[i] ? least : 0;
	}
	*up_ticks += (double)up;
	for (size_t z = 0; z < g->nzone; z++)
		spot_counts_add(&zone[z], n, t[z]->has_spot);
	*ret = (struct day){ .up_frac = (double)up / (double)n, .window = window };
	spot_counts_add(&ret->any, n, any);
	free(any);
	return true;
}

static void plan_free(struct spot_zone_plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		spot_dp_free(p->dp[i]);
	p->n = 0;
}

/* run: windows that share time with it are not known; or NULL. Sets the price of spot in k to the mean of the cheapest zone. */
static int plan_set(const struct zones *s, const struct group *g, const struct spot_trace *run, struct spot_task *k, struct spot_zone_plan *p,
		    struct err *err)
{
	struct spot_counts zone[SPOT_MAX_ZONES] = { 0 }, all = { 0 }, zones = { 0 };
	size_t most = (size_t)(s->known_to - s->known_from + 1), n = 0;
	double usd = 0, up = 0;
	int r = 0;

	if (most > 10000)
		return err_set(err, -EINVAL, "--known: more than 10000 windows");
	struct day *day = xcalloc(most, sizeof *day);
	for (int64_t w = s->known_from; w <= s->known_to; w++)
		n += learn(s, g, w, run, &day[n], zone, &usd, &up);
	if (n)
		qsort(day, n, sizeof *day, by_up);
	else
		r = err_set(err, -ENODATA, "the file has none of the windows %lld to %lld for all zones of '%.*s'", (long long)s->known_from,
			    (long long)s->known_to, SVF(g->text));
	k->spot_usd_h = up > 0 ? usd / up : k->od_usd_h;
	for (size_t i = 0; i < n; i++)
		spot_counts_merge(&all, &day[i].any);
	for (size_t z = 0; z < g->nzone; z++)
		spot_counts_merge(&zones, &zone[z]);
	*p = (struct spot_zone_plan){ .nzone = g->nzone, .region = g->region, .move_usd = s->ask->move_usd };
	for (size_t z = 0; z < g->nzone; z++)
		spot_hazard_of(&zone[z], &zones, PRIOR_TICKS, &p->zone[z]);
	spot_zone_plan_stays(p);
	for (size_t kind = 0; r >= 0 && kind < KINDS && kind < n; kind++) {
		struct spot_counts one = { 0 };
		for (size_t i = kind * n / KINDS; i < (kind + 1) * n / KINDS; i++)
			spot_counts_merge(&one, &day[i].any);
		spot_hazard_of(&one, &all, PRIOR_TICKS, &p->any[p->n]);
		r = spot_dp_new(k, &p->any[p->n], GRID * k->gap_ms, &p->dp[p->n], err);
		p->n += r >= 0;
	}
	free(day);
	return r;
}

/* ---- running --------------------------------------------------------------------------------------------------------------------- */

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

static int run_policy(int p, const struct spot_zone_plan *plan, const struct spot_task *k, const struct spot_zone_market *m, struct spot_run *ret,
		      int64_t *ret_moves, struct err *err)
{
	struct spot_zone_policy pol = { .decide = p == ZP_GREEDY ? greedy : p == ZP_UNIFORM ? uniform : p == ZP_ON_DEMAND ? on_demand : spot_zone_tare };
	struct spot_zone_mind mind;

	*ret = (struct spot_run){ 0 };
	*ret_moves = 0;
	if (p == ZP_OFFLINE)
		return spot_zone_bound(k, m->nzone, m->nticks, m->has, m->usd_h, &ret->usd, err);
	if (p == ZP_TARE) {
		spot_zone_mind_init(&mind, plan);
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

static int run_window(const struct zones *s, struct group *g, int64_t window, struct spot_zone_plan *plan, struct err *err)
{
	const bool *has[SPOT_MAX_ZONES];
	const double *usd_h[SPOT_MAX_ZONES];
	struct spot_zone_market m = { .nzone = g->nzone, .has = has, .usd_h = usd_h, .region = g->region, .move_usd = s->ask->move_usd };
	struct spot_task k = s->ask->task;
	const struct spot_trace *first = trace_of(s, g->zone[0], window);
	int r = 0;

	for (size_t z = 0; z < g->nzone; z++) {
		const struct spot_trace *t = trace_of(s, g->zone[z], window);
		if (!t || t->gap_ms != first->gap_ms)
			return err_set(err, -EINVAL, "the file has no window %lld of %s with ticks as long as the others'", (long long)window, g->zone[z]);
		has[z] = t->has_spot;
		usd_h[z] = t->spot_usd_h;
		m.nticks = z && m.nticks < t->n ? m.nticks : t->n;
	}
	k.gap_ms = first->gap_ms;
	if (s->ask->want[ZP_TARE] && (!plan->n || s->ask->apart)) {
		plan_free(plan);
		r = plan_set(s, g, s->ask->apart ? first : NULL, &k, plan, err);
	}
	for (int p = 0; r >= 0 && p < ZP_N; p++) {
		struct spot_run run;
		int64_t moves;
		if (!s->ask->want[p])
			continue;
		r = run_policy(p, plan, &k, &m, &run, &moves, err);
		add(&g->of[p], &run, moves);
	}
	return r;
}

static int run_groups(struct cli *c, struct zones *s, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < s->n; i++) {
		struct spot_zone_plan plan = { 0 };
		for (int64_t w = 0; r >= 0 && w < s->g[i].windows; w++)
			r = run_window(s, &s->g[i], w, &plan, err);
		plan_free(&plan);
		cli_progress(c, "groups of zones", (int64_t)i + 1, (int64_t)i + 1, (int64_t)s->n);
	}
	cli_progress(c, NULL, 0, 0, 0);
	return r;
}

/* ---- printing -------------------------------------------------------------------------------------------------------------------- */

static double mean_of(const struct group *g, int p)
{
	return g->of[p].usd / (double)g->of[p].n;
}

/* Mean of the groups' means. */
static double mean(const struct zones *s, int p)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += mean_of(&s->g[i], p);
	return sum / (double)s->n;
}

static struct sum total(const struct zones *s, int p)
{
	struct sum t = { 0 };

	for (size_t i = 0; i < s->n; i++) {
		t.n += s->g[i].of[p].n;
		t.late += s->g[i].of[p].late;
		t.interruptions += s->g[i].of[p].interruptions;
		t.restarts += s->g[i].of[p].restarts;
		t.moves += s->g[i].of[p].moves;
	}
	return t;
}

static double above(const struct zones *s, int p, int base)
{
	return s->ask->want[base] && mean(s, base) > 0 ? mean(s, p) / mean(s, base) - 1 : NAN;
}

static void put_counts(struct jw *w, const struct sum *t, double usd, bool counts)
{
	jw_key(w, "scenarios");
	jw_int(w, t->n);
	jw_key(w, "mean_cost");
	jw_dec(w, dec_from_double(usd));
	jw_key(w, "late");
	jw_int(w, t->late);
	if (!counts)
		return;
	jw_key(w, "interruptions_mean");
	jw_num(w, (double)t->interruptions / (double)t->n, 3);
	jw_key(w, "restarts_mean");
	jw_num(w, (double)t->restarts / (double)t->n, 3);
	jw_key(w, "moves_mean");
	jw_num(w, (double)t->moves / (double)t->n, 3);
}

static void put_policy(struct jw *w, const struct zones *s, int p)
{
	struct sum t = total(s, p);

	jw_obj(w);
	jw_key(w, "policy");
	jw_str(w, s->ask->name[p]);
	put_counts(w, &t, mean(s, p), p != ZP_OFFLINE);
	jw_key(w, "above_bound_frac");
	jw_num(w, above(s, p, ZP_OFFLINE), 6);
	jw_key(w, "below_uniform_frac");
	jw_num(w, -above(s, p, ZP_UNIFORM), 6);
	jw_key(w, "by");
	jw_arr(w);
	for (size_t i = 0; i < s->n; i++) {
		jw_obj(w);
		jw_key(w, "zones");
		jw_arr(w);
		for (size_t z = 0; z < s->g[i].nzone; z++)
			jw_str(w, s->g[i].zone[z]);
		jw_end_arr(w);
		put_counts(w, &s->g[i].of[p], mean_of(&s->g[i], p), p != ZP_OFFLINE);
		jw_end_obj(w);
	}
	jw_end_arr(w);
	jw_end_obj(w);
}

static void put_json(const struct zones *s, struct str *out)
{
	struct jw w;

	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.simulate-spot/1");
	jw_key(&w, "currency");
	jw_str(&w, "USD");
	jw_key(&w, "policies");
	jw_arr(&w);
	for (int p = 0; p < ZP_N; p++)
		if (s->ask->want[p])
			put_policy(&w, s, p);
	jw_end_arr(&w);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static void percent(struct str *out, double frac)
{
	if (isnan(frac))
		str_addf(out, " %10s", "-");
	else
		str_addf(out, " %+9.2f%%", frac * 100);
}

static void put_groups(const struct zones *s, struct str *out)
{
	str_addf(out, "\n%-56s %5s", "zones together, mean $/task", "runs");
	for (int p = 0; p < ZP_N; p++)
		if (s->ask->want[p])
			str_addf(out, " %10s", s->ask->name[p]);
	str_addc(out, '\n');
	for (size_t i = 0; i < s->n; i++) {
		struct sv rest, names = sv_cut(s->g[i].text, '=', &rest);
		str_addf(out, "%-56.*s %5lld", SVF(names), (long long)s->g[i].windows);
		for (int p = 0; p < ZP_N; p++)
			if (s->ask->want[p])
				str_addf(out, " %10.2f", mean_of(&s->g[i], p));
		str_addc(out, '\n');
	}
}

static void put_table(const struct zones *s, struct str *out)
{
	str_addf(out, "%-10s %10s %16s %6s %14s %10s %10s %10s\n", "policy", "scenarios", "mean $/task", "late", "interruptions", "moves", "to bound",
		 "to uniform");
	for (int p = 0; p < ZP_N; p++) {
		struct sum t = total(s, p);
		char money[DEC_BUF];
		if (!s->ask->want[p])
			continue;
		str_addf(out, "%-10s %10lld %16s %6lld", s->ask->name[p], (long long)t.n, dec_format_fixed(money, dec_from_double(mean(s, p)), 5),
			 (long long)t.late);
		if (p == ZP_OFFLINE)
			str_addf(out, " %14s %10s", "-", "-");
		else
			str_addf(out, " %14.2f %10.2f", (double)t.interruptions / (double)t.n, (double)t.moves / (double)t.n);
		percent(out, above(s, p, ZP_OFFLINE));
		percent(out, above(s, p, ZP_UNIFORM));
		str_addc(out, '\n');
	}
	put_groups(s, out);
	if (s->ask->want[ZP_OFFLINE])
		str_addz(out, "\nThe mean is that of the groups' means. offline knows every tick beforehand: the bound, not a policy.\n");
}

int simulate_spot_zones(struct cli *c, const struct spot_zones_ask *ask, struct str *out, struct err *err)
{
	struct zones s = { .ask = ask };
	int r = read_ask(&s, err);

	if (r >= 0)
		r = run_groups(c, &s, err);
	if (r < 0)
		return r;
	if (c->output == OUT_JSON)
		put_json(&s, out);
	else
		put_table(&s, out);
	return 0;
}
