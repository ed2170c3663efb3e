/* See spot_market.h. */
#include "opt/spot_market.h"

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
		age = turn ? 1 : age ? age + 1 : 0;
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

void spot_hazard_of(const struct spot_counts *own, const struct spot_counts *prior, double m, struct spot_hazard *ret)
{
	for (int a = 0; a < 2; a++) {
		for (int b = 0; b < SPOT_AGES; b++) {
			double n = (double)prior->ticks[a][b], h = ((double)prior->turns[a][b] + 1) / (n + 2.0 * spot_age_from[b]);
			if (own)
				h = ((double)own->turns[a][b] + m * h) / ((double)own->ticks[a][b] + m);
			ret->turn[a][b] = h;
			ret->advance[a][b] = b == SPOT_AGES - 1 ? 0 : 1.0 / (spot_age_from[b + 1] - spot_age_from[b]);
		}
	}
}
