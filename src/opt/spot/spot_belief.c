/*
 * Which market is it? Bayes over the markets known (weights w_k), and over the age of the state as
 * long as no turn was seen (weights in each market).
 *
 *   at the first tick  w_k ~ chance of the state seen in market k's steady state; age, and what is
 *                      remembered, ~ steady state
 *   each later tick    log w_k <- forget * log w_k + log P_k(turn or not | state, age)
 *   cost(x)            = sum_k w_k sum_b P_k(memory, age in b) Q_k(x | memory, b); the least is
 *                      taken, ties to the lower action
 *
 * Where Uniform Progress would do what is nearly as good, that is done: its runs are more expensive
 * seldom. forget < 1: markets change; evidence of yesterday counts less. Choosing by the mean of
 * the Q_k is the QMDP rule (Littman, Cassandra, Kaelbling 1995): exact where the market would be
 * told after the next tick.
 */
#include <math.h>
#include <string.h>
#include "base/tm.h"
#include "opt/spot/spot_dp.h"

/* of turns until what is remembered is in its steady state: a counter of four has forgotten its
 * start long before */
#define STEADY_ROUNDS 200

/* of the price of a tick on demand: what is worth less is no reason to leave Uniform Progress, the
 * plans err by more. 0.02 to 0.06 cost the same in the mean within 0.1 %, 0.1 costs 0.15 % more */
#define NEARLY_FRAC 0.04

/* a bucket of less weight is left out of the mean: far below what NEARLY_FRAC passes over */
#define WEIGHT_MIN     1e-6
#define LIKELIHOOD_MIN 1e-300 /* of a tick: its logarithm stays finite */

static int memory_after(const struct spot_belief *b, int memory, int a, int bucket)
{
	if (b->nmemory > 1)
		return spot_memory_after(memory, a, bucket);
	return 0;
}

/* Mean ticks in each bucket, and the chance that the run ends in it, per visit of the state a. */
static void expect_stay(const struct spot_hazard *h, int a, double *ret_ticks, double *ret_end)
{
	double reach = 1;

	for (int b = 0; b < SPOT_AGES; b++) {
		double q = h->turn[a][b], up = (1 - q) * h->advance[a][b],
		       any = q + up > 0 ? q + up : 1e-9;
		ret_ticks[b] = reach / any;
		ret_end[b] = reach * q / any;
		reach *= up / any;
	}
}

/* How often a run of the state a begins with each memory, in market k's steady state:
 * enter[memory][a]. */
static void expect_entries(const struct spot_belief *b, const struct spot_hazard *h,
			   double enter[SPOT_MEMORY][2])
{
	double end[SPOT_MEMORY][2][SPOT_AGES], ticks[SPOT_AGES], next[SPOT_MEMORY][2];

	for (int m = 0; m < b->nmemory; m++) {
		for (int a = 0; a < 2; a++) {
			expect_stay(&h[m], a, ticks, end[m][a]);
			enter[m][a] = 1.0 / b->nmemory;
		}
	}
	for (int round = 0; b->nmemory > 1 && round < STEADY_ROUNDS; round++) {
		memset(next, 0, sizeof next);
		for (int i = 0; i < b->nmemory * 2 * SPOT_AGES; i++) {
			int m = i / (2 * SPOT_AGES), a = i / SPOT_AGES % 2, age = i % SPOT_AGES;
			next[memory_after(b, m, a, age)][!a] += enter[m][a] * end[m][a][age];
		}
		memcpy(enter, next, sizeof next);
	}
}

void spot_belief_init(struct spot_belief *b, size_t n, const struct spot_dp *const *dp,
		      const struct spot_hazard *hazard, int nmemory)
{
	*b = (struct spot_belief){
		.n = n, .dp = dp, .hazard = hazard, .nmemory = nmemory, .forget = 1, .eta = 1
	};
}

static void start_weights(struct spot_belief *b, bool has)
{
	for (size_t k = 0; k < b->n; k++) {
		const struct spot_hazard *h = b->hazard + k * (size_t)b->nmemory;
		double enter[SPOT_MEMORY][2], end[SPOT_AGES], other[SPOT_AGES], mine = 0, rest = 0;
		expect_entries(b, h, enter);
		for (int m = 0; m < b->nmemory; m++) {
			double *w = b->weight[k][m];
			expect_stay(&h[m], has, w, end);
			expect_stay(&h[m], !has, other, end);
			for (int i = 0; i < SPOT_AGES; i++) {
				mine += w[i] *= enter[m][has];
				rest += other[i] * enter[m][!has];
			}
		}
		b->log_weight[k] = b->eta * log(mine / (mine + rest));
		for (int m = 0; m < b->nmemory; m++)
			for (int i = 0; i < SPOT_AGES; i++)
				b->weight[k][m][i] /= mine;
	}
}

/* The weights of market k after a tick with or without a turn, not yet of sum 1: the sum is how
 * likely that was. */
static double step_weights(const struct spot_belief *b, size_t k, bool turn,
			   double next[SPOT_MEMORY][SPOT_AGES])
{
	const struct spot_hazard *h = b->hazard + k * (size_t)b->nmemory;
	double sum = 0;

	memset(next, 0, SPOT_MEMORY * sizeof *next);
	for (int m = 0; m < b->nmemory; m++) {
		for (int i = 0; i < SPOT_AGES; i++) {
			double w = b->weight[k][m][i], q = h[m].turn[b->had][i],
			       up = (1 - q) * h[m].advance[b->had][i];
			sum += w * (turn ? q : 1 - q);
			if (turn) {
				next[memory_after(b, m, b->had, i)][0] += w * q;
				continue;
			}
			next[m][i] += w * (1 - q - up);
			if (i + 1 < SPOT_AGES)
				next[m][i + 1] += w * up;
		}
	}
	return sum;
}

void spot_belief_see(struct spot_belief *b, bool has)
{
	bool turn = has != b->had;

	if (!b->seen++) {
		start_weights(b, has);
		b->had = has;
		return;
	}
	b->age = spot_age_next(b->age, turn);
	for (size_t k = 0; k < b->n; k++) {
		double next[SPOT_MEMORY][SPOT_AGES],
			p = fmax(step_weights(b, k, turn, next), LIKELIHOOD_MIN);
		b->log_weight[k] = b->forget * b->log_weight[k] + b->eta * log(p);
		for (int m = 0; m < b->nmemory; m++) {
			/* Where the age is known, all weight of a memory is in its bucket. */
			double *w = next[m];
			int64_t age = b->age;
			double all = 0;

			for (int i = 0; i < SPOT_AGES; i++)
				all += w[i] /= p;
			if (!age)
				continue;
			memset(w, 0, SPOT_AGES * sizeof *w);
			w[spot_age_bucket(age)] = all;
		}
		memcpy(b->weight[k], next, sizeof next);
	}
	b->had = has;
}

void spot_belief_cost(const struct spot_belief *b, const struct spot_task *k,
		      const struct spot_now *s, double ret[3])
{
	double top = -INFINITY, sum = 0;

	for (size_t i = 0; i < b->n; i++)
		top = fmax(top, b->log_weight[i]);
	ret[0] = ret[1] = ret[2] = 0;
	for (size_t i = 0; i < b->n; i++) {
		double w = exp(b->log_weight[i] - top), c[3];
		for (int at = 0; at < b->nmemory * SPOT_AGES; at++) {
			double here = b->weight[i][at / SPOT_AGES][at % SPOT_AGES];
			if (here < WEIGHT_MIN)
				continue;
			spot_dp_cost(b->dp[i], b->hazard + i * (size_t)b->nmemory, k, s,
				     (struct spot_past){ at / SPOT_AGES, at % SPOT_AGES }, c);
			for (int x = 0; x < 3; x++)
				ret[x] += w * here * c[x];
		}
		sum += w;
	}
	for (int x = 0; x < 3; x++)
		ret[x] /= sum;
}

enum spot_hold spot_tare(void *ctx, const struct spot_task *k, const struct spot_now *s)
{
	struct spot_belief *b = ctx;
	enum spot_hold h = SPOT_NONE, usual = spot_uniform(k, s);
	double c[3], nearly = NEARLY_FRAC * k->od_usd_h * (double)k->gap_ms / MS_HOUR;

	spot_belief_see(b, s->has_spot);
	if (spot_must(k, s, &h))
		return h;
	spot_belief_cost(b, k, s, c);
	for (int x = SPOT_SPOT; x <= SPOT_OD; x++)
		if (c[x] < c[h])
			h = (enum spot_hold)x;
	if (c[usual] < c[h] + nearly)
		return usual;
	return h;
}
