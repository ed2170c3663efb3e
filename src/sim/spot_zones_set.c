/* See spot_zones_set.h. The plan knows no time of day here: one choice serves all starts. */
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "sim/spot_zones_set.h"

struct part { /* the zones of a set, in every history */
	size_t nzone, n;
	struct spot_zone_history *h; /* [n] */
	const bool **has;            /* [n][nzone] */
	const double **usd_h;
	int region[SPOT_MAX_ZONES];
};

struct search {
	const struct spot_task *k;
	const struct spot_zone_known *known;
	const int *region; /* [nzone] */
	double move_usd;
};

static int cost_of(const struct search *s, const bool *use, double *ret_usd, struct err *err)
{
	const struct spot_zone_history *h = s->known->h;
	const size_t n = s->known->n, nzone = s->known->nzone;
	struct part p = { .n = n };
	struct spot_zone_plan *plan = NULL;
	double sum = 0;

	for (size_t z = 0; z < nzone; z++)
		if (use[z])
			p.region[p.nzone++] = s->region[z];
	p.h = xcalloc(n, sizeof *p.h);
	p.has = xcalloc(n * p.nzone, sizeof *p.has);
	p.usd_h = xcalloc(n * p.nzone, sizeof *p.usd_h);
	for (size_t i = 0; i < n; i++) {
		const bool **has = p.has + i * p.nzone;
		const double **usd_h = p.usd_h + i * p.nzone;
		p.h[i] = (struct spot_zone_history){ h[i].n, has, usd_h, h[i].start_ms };
		for (size_t z = 0; z < nzone; z++) {
			if (!use[z])
				continue;
			*has++ = h[i].has[z];
			*usd_h++ = h[i].usd_h[z];
		}
	}
	const struct spot_zone_known known = { p.nzone, n, p.h };
	int r = spot_zone_plan_new(s->k, SPOT_NO_CLOCK, &known, &plan, err);

	for (size_t i = 0; r >= 0 && i < p.n; i++) {
		struct spot_zone_market m = { p.nzone,      p.h[i].n, p.h[i].has,
					      p.h[i].usd_h, p.region, s->move_usd };
		struct spot_zone_mind mind;
		struct spot_zone_policy pol = { "tare", spot_zone_tare, &mind };
		struct spot_run run = { 0 };
		spot_zone_mind_init(&mind, plan, p.region, s->move_usd);
		r = spot_zone_replay(s->k, &m, &pol, &run, err);
		sum += run.usd;
	}
	*ret_usd = sum / (double)p.n;
	spot_zone_plan_free(plan);
	free(p.h);
	free(p.has);
	free(p.usd_h);
	return r;
}

int spot_zone_set(const struct spot_task *k, const struct spot_zone_known *known, const int *region,
		  double move_usd, bool *ret_use, struct err *err)
{
	const struct search s = { k, known, region, move_usd };
	const size_t nzone = known->nzone;
	bool use[SPOT_MAX_ZONES], one = true;
	double least, usd;
	int r;

	for (size_t z = 0; z < nzone && z < SPOT_MAX_ZONES; z++) {
		ret_use[z] = true;
		one &= region[z] == region[0];
	}
	if (one || !(move_usd > 0) || !known->n)
		return 0;
	if ((r = cost_of(&s, ret_use, &least, err)) < 0)
		return r;
	for (size_t f = 0; f < nzone; f++) {
		bool first = true; /* of its region */
		for (size_t z = 0; z < f; z++)
			first &= region[z] != region[f];
		if (!first)
			continue;
		for (size_t z = 0; z < nzone; z++)
			use[z] = region[z] == region[f];
		if ((r = cost_of(&s, use, &usd, err)) < 0)
			return r;
		if (usd < least) {
			least = usd;
			memcpy(ret_use, use, nzone * sizeof *use);
		}
	}
	return 0;
}
