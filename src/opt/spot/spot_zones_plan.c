/*
 * Counting of two semi-Markov chains over the histories (spot_zones_plan.h):
 *
 *   best   s_t -> s_t+1,  s_t = (b, age of b, another up?, mostly up?) of the zone b that would be
 *                         started: least p_b + C / E[L_b]; or (none, time since)
 *   held   of a zone that was b at some time since it came up: its own next state, or what is up
 *          when it was taken away
 *
 *   P(s -> s') = (n(s, s') + m n'(s, s') / n'(s)) / (n(s) + m)
 *   n'           the same with all kinds (another up, mostly up) of s together
 *
 * A zone is followed only from where it would have been started: one that comes up beside a better
 * one lives longer than where it is the only one, and only the latter is held. "Mostly": an
 * exponential mean over six hours of the share of zones up, against that of the histories. First
 * turns of an interval are left out, their ages are not known. Ages in four steps (below): finer
 * ones and more kinds came out no better (docs/ALGORITHMS.md).
 */
#include <errno.h>
#include <math.h>
#include "base/tm.h"
#include "base/mem.h"
#include "opt/spot/spot_zones_plan.h"

#define HOUR_MS    ((double)MS_HOUR)
#define MEMORY_MS  (6 * HOUR_MS)
#define KIND_TICKS 20  /* m */
#define ZONE_TICKS 200 /* the same for a zone's life, towards all zones together */
#define FIRST_AGE  24  /* of the first tick: longer than a life that began just now */

static const double age_from_ms[ZONE_AGES] = { 0, 13 * 60e3, 26 * 60e3, 65 * 60e3, 195 * 60e3 };

int zone_age(const struct spot_zone_plan *p, int64_t ticks)
{
	int b = ZONE_AGES - 1;

	while (b && (double)(ticks * p->task.gap_ms) < age_from_ms[b])
		b--;
	return b;
}

void zone_see(const struct spot_zone_plan *p, struct spot_zone_seen *e, const bool *has)
{
	size_t up = 0;

	for (size_t z = 0; z < p->nzone; z++) {
		bool turn = !e->begun || has[z] != e->has[z];
		if (!turn)
			e->age[z] = e->age[z] + 1;
		else if (e->begun)
			e->age[z] = 1;
		else
			e->age[z] = FIRST_AGE;
		if (turn)
			e->is_known[z] = e->begun;
		e->has[z] = has[z];
		up += has[z];
	}
	if (!e->begun)
		e->up_frac = p->up_frac;
	e->up_frac += ((double)up / (double)p->nzone - e->up_frac) *
		      fmin(1, (double)p->task.gap_ms / MEMORY_MS);
	e->down_is_known |= up > 0;
	if (up)
		e->down = 0;
	else if (e->begun)
		e->down = e->down + 1;
	else
		e->down = FIRST_AGE;
	e->begun = true;
}

static size_t kind_of(const struct spot_zone_plan *p, const struct spot_zone_seen *e, int zone)
{
	bool other = false;

	for (size_t z = 0; z < p->nzone && zone >= 0; z++)
		other |= (int)z != zone && e->has[z];
	return 2 * (size_t)other + (e->up_frac > p->up_frac);
}

size_t zone_state(const struct spot_zone_plan *p, const struct spot_zone_seen *e, int zone)
{
	size_t first = zone < 0 ? p->nup : (size_t)zone * ZONE_AGES * ZONE_KINDS,
	       age = (size_t)zone_age(p, zone < 0 ? e->down : e->age[zone]);

	return first + age * ZONE_KINDS + kind_of(p, e, zone);
}

static int zone_best(const struct spot_zone_plan *p, const struct spot_zone_seen *e,
		     const double *usd_h)
{
	double least = INFINITY;
	int best = -1;

	for (size_t z = 0; z < p->nzone; z++) {
		double usd = INFINITY;
		if (e->has[z])
			usd = usd_h[z] + p->restart_usd / p->stay_h[z][zone_age(p, e->age[z])];
		if (usd < least) {
			least = usd;
			best = (int)z;
		}
	}
	return best;
}

size_t zone_market(const struct spot_zone_plan *p, const struct spot_zone_seen *e,
		   const double *usd_h)
{
	return zone_state(p, e, zone_best(p, e, usd_h));
}

static void link_add(struct zone_links *l, size_t to, double p)
{
	for (size_t i = 0; i < l->n; i++) {
		if (l->v[i].to == to) {
			l->v[i].p += p;
			return;
		}
	}
	*vec_push(l) = (struct zone_link){ to, p };
}

static double links_sum(const struct zone_links *l)
{
	double sum = 0;

	for (size_t i = 0; i < l->n; i++)
		sum += l->v[i].p;
	return sum;
}

/* ---- means and lives --------------------------------------------------------------------- */

struct life {
	double ticks, ends;
};

static void count_lives(const struct spot_zone_plan *p, const struct spot_zone_history *h,
			struct life (*l)[ZONE_AGES], double *up, double *usd)
{
	for (size_t z = 0; z < p->nzone; z++) {
		int64_t age = 0; /* 0: not known */
		for (size_t t = 0; t < h->n; t++) {
			bool has = h->has[z][t];
			if (t && has != h->has[z][t - 1])
				age = 1;
			else if (age)
				age = age + 1;
			else
				age = 0;
			up[z] += has;
			if (has)
				usd[z] += h->usd_h[z][t];
			if (!has || !age || t + 1 == h->n)
				continue;
			l[z][zone_age(p, age)].ticks++;
			l[z][zone_age(p, age)].ends += !h->has[z][t + 1];
		}
	}
}

/* First tick of a step of ages. */
static double first_tick(const struct spot_zone_plan *p, int b)
{
	return fmax(1, ceil(age_from_ms[b] / (double)p->task.gap_ms));
}

static void find_stays(struct spot_zone_plan *p, size_t z, const struct life *own,
		       const struct life *all)
{
	double tick_h = (double)p->task.gap_ms / HOUR_MS, *stay = p->stay_h[z];

	for (int b = ZONE_AGES - 1; b >= 0; b--) {
		double q = (all[b].ends + 1) / (all[b].ticks + 2 * first_tick(p, b)), wide = 0;
		if (b < ZONE_AGES - 1)
			wide = first_tick(p, b + 1) - first_tick(p, b);
		q = (own[b].ends + ZONE_TICKS * q) / (own[b].ticks + ZONE_TICKS);
		double up = 0;
		if (b < ZONE_AGES - 1)
			up = (1 - q) / fmax(1, wide);
		stay[b] = (tick_h + (up > 0 ? up * stay[b + 1] : 0)) / (q + up);
	}
}

static void learn_lives(struct spot_zone_plan *p, const struct spot_zone_history *h, size_t n)
{
	struct life l[SPOT_MAX_ZONES][ZONE_AGES] = { 0 }, all[ZONE_AGES] = { 0 };
	double up[SPOT_MAX_ZONES] = { 0 }, usd[SPOT_MAX_ZONES] = { 0 }, ticks = 0, sum = 0,
	       mean = 0;

	for (size_t i = 0; i < n; i++) {
		count_lives(p, &h[i], l, up, usd);
		ticks += (double)h[i].n;
	}
	for (size_t z = 0; z < p->nzone; z++) {
		sum += up[z];
		p->usd_h[z] = up[z] > 0 ? usd[z] / up[z] : p->task.od_usd_h;
		mean += p->usd_h[z] / (double)p->nzone;
		for (int b = 0; b < ZONE_AGES; b++) {
			all[b].ticks += l[z][b].ticks;
			all[b].ends += l[z][b].ends;
		}
	}
	for (size_t z = 0; z < p->nzone; z++)
		find_stays(p, z, l[z], all);
	p->up_frac = sum / (ticks * (double)p->nzone);
	p->restart_usd = (double)p->task.overhead_ms / HOUR_MS * (p->task.od_usd_h + mean);
}

/* ---- chains ------------------------------------------------------------------------------ */

#define NOWHERE SIZE_MAX

static void count_links(struct spot_zone_plan *p, const struct spot_zone_history *h,
			struct zone_hours *hours)
{
	struct spot_zone_seen e = { 0 };
	bool has[SPOT_MAX_ZONES], followed[SPOT_MAX_ZONES] = { 0 };
	double usd_h[SPOT_MAX_ZONES];
	size_t was = NOWHERE, held[SPOT_MAX_ZONES];

	for (size_t z = 0; z < p->nzone; z++)
		held[z] = NOWHERE;
	for (size_t t = 0; t < h->n; t++) {
		for (size_t z = 0; z < p->nzone; z++) {
			has[z] = h->has[z][t];
			usd_h[z] = h->usd_h[z][t];
		}
		zone_see(p, &e, has);
		int best = zone_best(p, &e, usd_h);
		size_t now = zone_state(p, &e, best), hour = NOWHERE; /* of the tick before */
		if (zone_has_clock(h->start_ms))
			hour = zone_hour(h->start_ms + ((int64_t)t - 1) * p->task.gap_ms);
		if (was != NOWHERE)
			link_add(&p->best[was], now, 1);
		if (was != NOWHERE && hour != NOWHERE)
			zone_hours_best(hours, p, hour, was, now);
		was = (best < 0 ? e.down_is_known : e.is_known[best]) ? now : NOWHERE;
		for (size_t z = 0; z < p->nzone; z++) {
			size_t mine = now;
			if (has[z])
				mine = zone_state(p, &e, (int)z);
			if (held[z] != NOWHERE)
				link_add(has[z] ? &p->kept[held[z]] : &p->lost[held[z]], mine, 1);
			if (held[z] != NOWHERE && hour != NOWHERE)
				zone_hours_held(hours, p, hour, held[z], has[z], mine);
			followed[z] = has[z] && (followed[z] || (int)z == best);
			held[z] = followed[z] && e.is_known[z] ? mine : NOWHERE;
		}
	}
}

/* m ticks of all kinds together, each with the kind of s itself. */
static void blend_links(struct zone_links *out, const struct zone_links *in, size_t s, double ticks)
{
	size_t first = s - s % ZONE_KINDS;

	const struct zone_links *from = &in[s];
	for (size_t i = 0; i < from->n; i++)
		link_add(&out[s], from->v[i].to, from->v[i].p);
	for (size_t k = first; ticks > 0 && k < first + ZONE_KINDS; k++)
		for (size_t i = 0; i < in[k].n; i++) {
			size_t to = in[k].v[i].to;
			link_add(&out[s], to - to % ZONE_KINDS + s % ZONE_KINDS,
				 KIND_TICKS * in[k].v[i].p / ticks);
		}
}

static void scale_links(struct zone_links *l, double sum)
{
	for (size_t i = 0; i < l->n; i++)
		l->v[i].p /= sum;
}

static double kinds_sum(const struct zone_links *l, size_t s)
{
	double sum = 0;

	for (size_t k = 0; k < ZONE_KINDS; k++)
		sum += links_sum(&l[s - s % ZONE_KINDS + k]);
	return sum;
}

static void links_free(struct zone_links *l, size_t n)
{
	for (size_t i = 0; l && i < n; i++)
		vec_free(&l[i]);
	free(l);
}

void zone_chains_free(struct spot_zone_plan *p)
{
	links_free(p->best, p->nhour * p->nstate);
	links_free(p->kept, p->nhour * p->nup);
	links_free(p->lost, p->nhour * p->nup);
}

int spot_zone_plan_new(const struct spot_task *k, int64_t start_ms,
		       const struct spot_zone_known *known, struct spot_zone_plan **ret,
		       struct err *err)
{
	const struct spot_zone_history *h = known->h;
	size_t ticks = 0, n = known->n, nzone = known->nzone;
	int r = spot_task_check(k, err);

	for (size_t i = 0; i < n; i++)
		ticks += h[i].n;
	if (r < 0)
		return r;
	if (!nzone || nzone > SPOT_MAX_ZONES)
		return err_set(err, -EINVAL, "%zu zones are not between 1 and %d", nzone,
			       SPOT_MAX_ZONES);
	if (!ticks)
		return err_set(err, -ENODATA, "nothing is known of these zones");
	struct spot_zone_plan *p = xcalloc(1, sizeof *p);
	p->task = *k;
	p->start_ms = start_ms;
	p->nzone = nzone;

	p->nup = p->nzone * ZONE_AGES * ZONE_KINDS;
	p->nstate = p->nup + (size_t)ZONE_AGES * ZONE_KINDS;
	p->nhour = 1;
	p->best = xcalloc(p->nstate, sizeof *p->best);
	p->kept = xcalloc(p->nup, sizeof *p->kept);
	p->lost = xcalloc(p->nup, sizeof *p->lost);
	learn_lives(p, h, n);
	struct zone_hours *hours = zone_hours_new(p);
	for (size_t i = 0; i < n; i++)
		count_links(p, &h[i], hours);
	/* Counts become chances; a state nobody saw stays as it is. */
	struct zone_links *best = xcalloc(p->nstate, sizeof *best),
			  *kept = xcalloc(p->nup, sizeof *kept),
			  *lost = xcalloc(p->nup, sizeof *lost);
	for (size_t s = 0; s < p->nstate; s++) {
		blend_links(best, p->best, s, kinds_sum(p->best, s));
		if (!best[s].n)
			link_add(&best[s], s, 1);
		scale_links(&best[s], links_sum(&best[s]));
	}
	for (size_t s = 0; s < p->nup; s++) {
		double seen = kinds_sum(p->kept, s) + kinds_sum(p->lost, s);
		blend_links(kept, p->kept, s, seen);
		blend_links(lost, p->lost, s, seen);
		if (!kept[s].n && !lost[s].n)
			link_add(&kept[s], s, 1);
		double sum = links_sum(&kept[s]) + links_sum(&lost[s]);
		scale_links(&kept[s], sum);
		scale_links(&lost[s], sum);
	}
	zone_chains_free(p);
	p->best = best;
	p->kept = kept;
	p->lost = lost;
	if (zone_has_clock(p->start_ms))
		zone_hours_bend(hours, p);
	zone_hours_free(hours);
	if ((r = zone_solve(p, err)) < 0) {
		spot_zone_plan_free(p);
		return r;
	}
	*ret = p;
	return 0;
}

void spot_zone_plan_free(struct spot_zone_plan *p)
{
	if (!p)
		return;
	zone_chains_free(p);
	free(p->v);
	free(p);
}
