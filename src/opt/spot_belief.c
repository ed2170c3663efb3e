/*
 * Which market is it? Bayes over the markets known (weights w_k), and over the age of the state as long as no turn was seen (weights in each market).
 *
 *   before the first tick   w_k ~ chance of the state seen in market k's steady state;  age ~ steady state
 *   each later tick         log w_k <- forget * log w_k + log P_k(turn or not | state, age)
 *   cost(x) = sum_k w_k sum_b P_k(age in b) Q_k(x | b);   the least is taken, ties to the lower action
 *
 * forget < 1: markets change; evidence of yesterday counts less. Choosing by the mean of the Q_k is the QMDP rule (Littman, Cassandra, Kaelbling 1995):
 * exact where the market would be told after the next tick.
 */
#include <math.h>
#include <string.h>
#include "opt/spot_dp.h"

/* Mean ticks in each bucket per visit of the state a. Returns their sum. */
static double stays(const struct spot_hazard *h, int a, double *ret)
{
	double reach = 1, sum = 0;

	for (int b = 0; b < SPOT_AGES; b++) {
		double q = h->turn[a][b], up = (1 - q) * h->advance[a][b];
		ret[b] = reach / (q + up);
		sum += ret[b];
		reach *= up / (q + up);
	}
	return sum;
}

void spot_belief_init(struct spot_belief *b, size_t n, const struct spot_dp *const *dp, const struct spot_hazard *hazard)
{
	*b = (struct spot_belief){ .n = n, .dp = dp, .hazard = hazard, .forget = 1, .eta = 1 };
}

static void start(struct spot_belief *b, bool has)
{
	for (size_t k = 0; k < b->n; k++) {
		double other[SPOT_AGES], mine = stays(&b->hazard[k], has, b->age_weight[k]), rest = stays(&b->hazard[k], !has, other);
		b->log_weight[k] = b->eta * log(mine / (mine + rest));
		for (int i = 0; i < SPOT_AGES; i++)
			b->age_weight[k][i] /= mine;
	}
}

/* P_k(turn), and the weights of the age after no turn. */
static double turn_of(const struct spot_hazard *h, int a, const double *w, double *next)
{
	double turn = 0, sum = 0;

	memset(next, 0, SPOT_AGES * sizeof *next);
	for (int i = 0; i < SPOT_AGES; i++) {
		double q = h->turn[a][i], up = (1 - q) * h->advance[a][i];
		turn += w[i] * q;
		next[i] += w[i] * (1 - q - up);
		if (i + 1 < SPOT_AGES)
			next[i + 1] += w[i] * up;
		sum += w[i] * (1 - q);
	}
	for (int i = 0; i < SPOT_AGES; i++)
		next[i] /= sum;
	return turn;
}

void spot_belief_see(struct spot_belief *b, bool has)
{
	bool turn = has != b->had;

	if (!b->seen++) {
		start(b, has);
		b->had = has;
		return;
	}
	b->age = turn ? 1 : b->age ? b->age + 1 : 0;
	for (size_t k = 0; k < b->n; k++) {
		double next[SPOT_AGES], p = turn_of(&b->hazard[k], b->had, b->age_weight[k], next);
		b->log_weight[k] = b->forget * b->log_weight[k] + b->eta * log(turn ? p : 1 - p);
		memcpy(b->age_weight[k], next, sizeof next);
		if (b->age) {
			memset(b->age_weight[k], 0, sizeof b->age_weight[k]);
			b->age_weight[k][spot_age_bucket(b->age)] = 1;
		}
	}
	b->had = has;
}

void spot_belief_cost(const struct spot_belief *b, const struct spot_task *k, const struct spot_now *s, double ret[3])
{
	double top = -INFINITY, sum = 0;

	for (size_t i = 0; i < b->n; i++)
		top = fmax(top, b->log_weight[i]);
	ret[0] = ret[1] = ret[2] = 0;
	for (size_t i = 0; i < b->n; i++) {
		double w = exp(b->log_weight[i] - top), c[3];
		for (int a = 0; a < SPOT_AGES; a++) {
			if (b->age_weight[i][a] < 1e-6)
				continue;
			spot_dp_cost(b->dp[i], &b->hazard[i], k, s, a, c);
			for (int x = 0; x < 3; x++)
				ret[x] += w * b->age_weight[i][a] * c[x];
		}
		sum += w;
	}
	for (int x = 0; x < 3; x++)
		ret[x] /= sum;
}

enum spot_hold spot_tare(void *ctx, const struct spot_task *k, const struct spot_now *s)
{
	struct spot_belief *b = ctx;
	enum spot_hold h = SPOT_NONE;
	double c[3];

	spot_belief_see(b, s->has_spot);
	if (spot_must(k, s, &h))
		return h;
	spot_belief_cost(b, k, s, c);
	for (int x = SPOT_SPOT; x <= SPOT_OD; x++)
		if (c[x] < c[h])
			h = (enum spot_hold)x;
	return h;
}
