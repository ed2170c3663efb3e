/* See spot_market.h. */
#include <math.h>
#include "opt/spot/spot_market.h"

/* the bucket from 6 ticks; on the even windows of the grid from 3 or from 12 ticks gain less */
#define LONG_UP      3
#define MEMORY_START (SPOT_MEMORY / 2) /* before anything is known */
#define HAZARD_MAX   0.97

const int spot_age_from[SPOT_AGES + 1] = { 1, 2, 3, 6, 12, 24, 48, 96, 192 };

int spot_age_bucket(int64_t age)
{
	int b = SPOT_AGES - 1;

	while (b && age < spot_age_from[b])
		b--;
	return b;
}

void spot_counts_add(struct spot_counts *c, size_t n, const bool *has_spot)
{
	int64_t age = 0; /* 0: not known yet */

	for (size_t i = 1; i < n; i++) {
		bool was = has_spot[i - 1], turn = has_spot[i] != was;
		if (age) {
			int b = spot_age_bucket(age);
			c->ticks[was][b]++;
			c->turns[was][b] += turn;
		}
		age = spot_age_next(age, turn);
	}
}

int spot_memory_after(int memory, bool was_there, int b)
{
	if (!was_there)
		return memory;
	if (b >= LONG_UP) {
		if (memory < SPOT_MEMORY - 1)
			return memory + 1;
		return memory;
	}
	if (memory > 0)
		return memory - 1;
	return 0;
}

void spot_counts_add_by_memory(struct spot_counts c[SPOT_MEMORY], size_t n, const bool *has_spot)
{
	int64_t age = 0, turns = 0;
	int memory = MEMORY_START;

	for (size_t i = 1; i < n; i++) {
		bool was = has_spot[i - 1], turn = has_spot[i] != was;
		int b = 0;
		if (age)
			b = spot_age_bucket(age);
		if (turns >= 2) {
			c[memory].ticks[was][b]++;
			c[memory].turns[was][b] += turn;
		}
		if (turn && age)
			memory = spot_memory_after(memory, was, b);
		turns += turn;
		age = spot_age_next(age, turn);
	}
}

void spot_counts_merge(struct spot_counts *c, const struct spot_counts *o)
{
	for (int a = 0; a < 2; a++) {
		for (int b = 0; b < SPOT_AGES; b++) {
			c->ticks[a][b] += o->ticks[a][b];
			c->turns[a][b] += o->turns[a][b];
		}
	}
}

void spot_hazard_of(const struct spot_counts *own, const struct spot_counts *prior, double m,
		    struct spot_hazard *ret)
{
	for (int a = 0; a < 2; a++) {
		for (int b = 0; b < SPOT_AGES; b++) {
			double n = (double)prior->ticks[a][b],
			       h = ((double)prior->turns[a][b] + 1) / (n + 2.0 * spot_age_from[b]);
			if (own)
				h = ((double)own->turns[a][b] + m * h) /
				    ((double)own->ticks[a][b] + m);
			ret->turn[a][b] = h;
			if (b == SPOT_AGES - 1)
				ret->advance[a][b] = 0;
			else
				ret->advance[a][b] = 1.0 /
						     (spot_age_from[b + 1] - spot_age_from[b]);
		}
	}
}

static struct spot_counts total_counts(const struct spot_counts c[SPOT_MEMORY])
{
	struct spot_counts sum = { 0 };

	for (int i = 0; i < SPOT_MEMORY; i++)
		spot_counts_merge(&sum, &c[i]);
	return sum;
}

void spot_hazards_of(const struct spot_counts own[SPOT_MEMORY],
		     const struct spot_counts prior[SPOT_MEMORY], double m,
		     struct spot_hazard ret[SPOT_MEMORY])
{
	struct spot_counts mine = total_counts(own), all = total_counts(prior);
	struct spot_hazard here, mean;

	spot_hazard_of(NULL, &all, m, &mean);
	spot_hazard_of(&mine, &all, m, &here);
	for (int i = 0; i < SPOT_MEMORY; i++) {
		ret[i] = here;
		for (int a = 0; a < 2; a++) {
			for (int b = 0; b < SPOT_AGES; b++) {
				double with = ((double)prior[i].turns[a][b] + m * mean.turn[a][b]) /
					      ((double)prior[i].ticks[a][b] + m);
				double h = fmin(here.turn[a][b] * with / mean.turn[a][b],
						HAZARD_MAX);
				ret[i].turn[a][b] = ((double)own[i].turns[a][b] + m * h) /
						    ((double)own[i].ticks[a][b] + m);
			}
		}
	}
}
