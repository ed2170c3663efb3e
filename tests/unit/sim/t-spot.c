#include "base/random.h"
#include "unit/base/test.h"
#include <errno.h>
#include <math.h>
#include "opt/spot/spot.h"
#include "opt/spot/spot_dp.h"
#include "sim/spot.h"

#define M 60000LL
#define H 3600000LL

/* A market that stays as it is with a chance of `stay` percent a tick. */
static void random_market(uint64_t *s, size_t n, unsigned stay, bool *has)
{
	bool now = random_next(s) % 2;
	for (size_t i = 0; i < n; i++) {
		now = random_next(s) % 100 < stay ? now : !now;
		has[i] = now;
	}
}

static enum spot_hold greedy(void *ctx, const struct spot_task *k, const struct spot_now *s)
{
	return spot_greedy(k, s);
}
static enum spot_hold uniform(void *ctx, const struct spot_task *k, const struct spot_now *s)
{
	return spot_uniform(k, s);
}
static enum spot_hold on_demand(void *ctx, const struct spot_task *k, const struct spot_now *s)
{
	return spot_on_demand(k, s);
}
/* What the digits say tick by tick, then nothing. */
static enum spot_hold script(void *ctx, const struct spot_task *k, const struct spot_now *s)
{
	const char *z = ctx;
	return z && (size_t)s->tick < strlen(z) ? (enum spot_hold)(z[s->tick] - '0') : SPOT_NONE;
}

static struct spot_run play(const struct spot_task *k, size_t n, const bool *has,
			    enum spot_hold (*f)(void *, const struct spot_task *,
						const struct spot_now *),
			    void *ctx)
{
	struct spot_policy p = { "test", f, ctx };
	struct spot_run r;
	struct err err;
	assert_int_equal(spot_replay(k, &(struct spot_history){ n, has, NULL }, &p, &r, &err), 0);
	return r;
}

/* By hand: 3 h of work in ticks of an hour, a restart costs 20 minutes. */
static void pays_and_restarts_as_told(void **state)
{
	const struct spot_task k = { H, 3 * H, 8 * H, 20 * M, 4, 1 };
	const bool has[] = { true, true, false, true, true, true, true, true };
	char all_spot[] = "11111111";
	struct spot_run r = play(&k, 8, has, script, all_spot);
	/* 40 + 60 minutes, gone, 40 + 40 of 60: the last tick is paid as a whole */
	assert_int_equal(r.spot_ticks, 4);
	assert_int_equal(r.od_ticks, 0);
	assert_int_equal(r.ticks, 5);
	assert_int_equal(r.interruptions, 1);
	assert_int_equal(r.restarts, 2);
	assert_true(r.done && !r.late);
	assert_true(fabs(r.usd - 4) < 1e-12);
	/* spot where there is none is nothing; a change of machine starts again */
	char mixed[] = "12221111";
	r = play(&k, 8, has, script, mixed);
	assert_int_equal(r.od_ticks, 3);
	assert_int_equal(r.restarts, 2);
	assert_int_equal(r.ticks, 4);
	/* never done */
	r = play(&k, 8, has, script, NULL);
	assert_true(r.late && !r.done);
}

/* All policies are in time in all markets, whatever the restart; no policy is below the bound. */
static void never_late_never_below_the_bound(void **state)
{
	uint64_t s = 5;
	for (int round = 0; round < 120; round++) {
		bool has[80];
		struct spot_task k = { 10 * M, (60 + (int64_t)(random_next(&s) % 180)) * M,
				       0,      (int64_t)(random_next(&s) % 35) * M,
				       3.06,   0.9731 };
		k.deadline_ms = k.work_ms + k.overhead_ms + 10 * M +
				(int64_t)(random_next(&s) % 200) * M;
		random_market(&s, 80, 50 + (unsigned)(random_next(&s) % 50), has);
		bool other[80];
		struct spot_bound bound;
		struct err err;
		struct spot_counts c = { 0 };
		struct spot_hazard h[2];
		struct spot_dp *dp[2];
		random_market(&s, 80, 80, other); /* what is known beforehand is another market */
		spot_counts_add(&c, 80, other);
		spot_hazard_of(NULL, &c, 0, &h[0]);
		spot_hazard_of(&c, &c, 20, &h[1]);
		assert_int_equal(
			spot_bound(&k, &(struct spot_history){ 80, has, NULL }, &bound, &err), 0);
		assert_true(fabs(bound.usd - ((double)bound.spot_ticks * k.spot_usd_h +
					      (double)bound.od_ticks * k.od_usd_h) /
						     6) < 1e-9);
		for (int i = 0; i < 2; i++)
			assert_int_equal(spot_dp_new(&k, &h[i], 1, k.gap_ms, &dp[i], &err), 0);
		struct spot_belief b;
		spot_belief_init(&b, 2, (const struct spot_dp *const *)dp, h, 1);
		struct spot_run run[] = { play(&k, 80, has, greedy, NULL),
					  play(&k, 80, has, uniform, NULL),
					  play(&k, 80, has, on_demand, NULL),
					  play(&k, 80, has, spot_tare, &b) };
		for (int i = 0; i < 4; i++) {
			assert_true(run[i].done);
			assert_false(run[i].late);
			assert_true(run[i].usd >= bound.usd - 1e-9);
		}
		spot_dp_free(dp[0]);
		spot_dp_free(dp[1]);
	}
}

/* The bound against every sequence of actions of a short task. */
static void bound_is_least_of_all_ways(void **state)
{
	uint64_t s = 9;
	for (int round = 0; round < 60; round++) {
		bool has[8];
		char way[9] = "00000000";
		struct spot_task k = { H, 3 * H, 7 * H, (int64_t)(random_next(&s) % 5) * 30 * M,
				       3, 1 };
		random_market(&s, 8, 60, has);
		double best = INFINITY;
		struct spot_bound bound;
		for (int code = 0; code < 2187; code++) { /* 3^7 */
			for (int i = 0, c = code; i < 7; i++, c /= 3)
				way[i] = (char)('0' + c % 3);
			struct spot_run r =
				play(&(struct spot_task){ H, 3 * H, 7 * H, k.overhead_ms, 3, 1 }, 8,
				     has, script, way);
			if (r.done && !r.late && r.usd < best)
				best = r.usd;
		}
		struct err err;
		assert_int_equal(
			spot_bound(&k, &(struct spot_history){ 8, has, NULL }, &bound, &err), 0);
		assert_true(fabs(best - bound.usd) < 1e-9);
	}
}

static void bound_says_when_there_is_no_way(void **state)
{
	const struct spot_task k = { H, 3 * H, 3 * H, H, 3, 1 };
	const bool has[3] = { true, true, true };
	struct spot_bound bound;
	struct err err;
	assert_int_equal(spot_bound(&k, &(struct spot_history){ 3, has, NULL }, &bound, &err),
			 -EDOM);
}

/* A market that never turns: the value of the start is what the task costs there. */
static void value_is_right_where_it_is_known(void **state)
{
	struct spot_task k = { H, 4 * H, 9 * H, 30 * M, 3, 1 };
	struct spot_hazard never = { 0 };
	struct spot_dp *d;
	struct err err;
	struct spot_now now = { .has_spot = true };
	double c[3];
	assert_int_equal(spot_dp_new(&k, &never, 1, 10 * M, &d, &err), 0);
	spot_dp_cost(d, &never, &k, &now, (struct spot_past){ 0, 0 }, c);
	/* half an hour of restart makes it five ticks */
	assert_true(fabs(c[SPOT_SPOT] - 5) < 1e-4);
	assert_true(fabs(c[SPOT_NONE] - 5) < 1e-4); /* there is time to wait */
	assert_true(c[SPOT_OD] > 5);
	now.has_spot = false;
	spot_dp_cost(d, &never, &k, &now, (struct spot_past){ 0, 0 }, c);
	assert_true(fabs(c[SPOT_OD] - 15) < 1e-4);
	assert_true(c[SPOT_SPOT] > 1e5);
	now = (struct spot_now){ .tick = 5, .last = SPOT_NONE };
	spot_dp_cost(d, &never, &k, &now, (struct spot_past){ 0, 0 }, c);
	/* four ticks left for five: half an hour is late, at three prices on demand */
	assert_true(fabs(c[SPOT_OD] - 4 * 3 - 0.5 * 9) < 1e-4);
	spot_dp_free(d);
}

static void counts_turns_by_age(void **state)
{
	const bool has[] = { true, true, false, false, false, true, false, true, true, true, true };
	struct spot_counts c = { 0 };
	spot_counts_add(&c, 11, has);
	/* ages are known from the first turn on: 2 stays and the turn of a state three ticks old,
	 * two turns at once, then a stay of three */
	assert_int_equal(c.ticks[0][0], 2); /* first tick of both gaps */
	assert_int_equal(c.turns[0][0], 1);
	assert_int_equal(c.ticks[0][1], 1);
	assert_int_equal(c.ticks[0][2], 1);
	assert_int_equal(c.turns[0][2], 1);
	assert_int_equal(c.ticks[1][0], 2);
	assert_int_equal(c.turns[1][0], 1);
	assert_int_equal(c.ticks[1][1], 1);
	assert_int_equal(spot_age_bucket(1), 0);
	assert_int_equal(spot_age_bucket(5), 2);
	assert_int_equal(spot_age_bucket(100000), SPOT_AGES - 1);
	struct spot_hazard h;
	spot_hazard_of(NULL, &(struct spot_counts){ 0 }, 0, &h); /* nothing seen */
	for (int a = 0; a < 2; a++)
		for (int b = 0; b < SPOT_AGES; b++)
			assert_true(h.turn[a][b] > 0 && h.turn[a][b] <= 0.5);
}

/* Three long runs of spot and a short one: the counter, and what is counted under it from the
 * second turn on. */
static void remembers_runs(void **state)
{
	const int ups[] = { 8, 8, 8, 1, 2 };
	bool has[64];
	size_t n = 0;
	struct spot_counts c[SPOT_MEMORY] = { 0 };
	has[n++] = false;
	for (size_t i = 0; i < sizeof ups / sizeof *ups; i++) {
		for (int t = 0; t < ups[i]; t++)
			has[n++] = true;
		has[n++] = false;
	}
	spot_counts_add_by_memory(c, n, has);
	assert_int_equal(spot_memory_after(0, true, spot_age_bucket(6)), 1);
	assert_int_equal(spot_memory_after(1, true, spot_age_bucket(5)), 0);
	assert_int_equal(spot_memory_after(0, true, 0), 0);
	assert_int_equal(spot_memory_after(SPOT_MEMORY - 1, true, SPOT_AGES - 1), SPOT_MEMORY - 1);
	assert_int_equal(spot_memory_after(2, false, SPOT_AGES - 1), 2);
	/* from the middle: 3 after the first run, 3 after the next two, then 2 after the run of one
	 * tick, under which the run of two ticks counts */
	/* the first run began with the first turn */
	assert_int_equal(c[3].turns[1][spot_age_bucket(8)], 2);
	assert_int_equal(c[3].turns[1][0], 1);
	assert_int_equal(c[2].turns[1][0], 0);
	assert_int_equal(c[2].ticks[1][0], 1);
	assert_int_equal(c[2].turns[1][1], 1);
	assert_int_equal(c[0].ticks[1][0] + c[1].ticks[1][0], 0);
}

/* A market that remembers: after short runs spot is soon gone, after long ones it stays. What a
 * start is worth follows, and so does what is believed. */
static void memory_matters(void **state)
{
	struct spot_task k = { 10 * M, 10 * H, 13 * H, 30 * M, 3.06, 0.9731 };
	struct spot_counts c[SPOT_MEMORY] = { 0 };
	struct spot_hazard h[SPOT_MEMORY];
	struct spot_dp *dp;
	struct err err;
	for (int m = 0; m < SPOT_MEMORY; m++)
		for (int a = 0; a < 2; a++)
			for (int b = 0; b < SPOT_AGES; b++)
				c[m].ticks[a][b] = 1000, c[m].turns[a][b] = a && m < 2 ? 600
									    : a        ? 10
										       : 300;
	spot_hazards_of(c, c, 20, h);
	assert_true(h[0].turn[1][0] > 0.55 && h[SPOT_MEMORY - 1].turn[1][0] < 0.03);
	assert_int_equal(spot_dp_new(&k, h, SPOT_MEMORY, k.gap_ms, &dp, &err), 0);
	struct spot_now now = { .has_spot = true };
	double low[3], high[3], seen[3];
	spot_dp_cost(dp, h, &k, &now, (struct spot_past){ 0, 0 }, low);
	spot_dp_cost(dp, h, &k, &now, (struct spot_past){ SPOT_MEMORY - 1, 0 }, high);
	/* three ticks of restart for a tick or two of work */
	assert_true(low[SPOT_SPOT] > low[SPOT_OD]);
	assert_true(high[SPOT_SPOT] < high[SPOT_OD]);
	struct spot_belief b;
	spot_belief_init(&b, 1, (const struct spot_dp *const *)&dp, h, SPOT_MEMORY);
	for (int i = 0; i < 41; i++)
		spot_belief_see(&b, i % 2 == 0); /* runs of one tick, and spot is there now */
	spot_belief_cost(&b, &k, &now, seen);
	for (int x = 0; x < 3; x++)
		assert_true(fabs(seen[x] - low[x]) < 1e-3 * low[x]);
	double sum = 0;
	for (int m = 0; m < SPOT_MEMORY; m++)
		for (int i = 0; i < SPOT_AGES; i++)
			sum += b.weight[0][m][i];
	assert_true(fabs(sum - 1) < 1e-9);
	spot_dp_free(dp);
}

/* Memory that makes no difference leaves every value where it was. */
static void memory_of_nothing_is_none(void **state)
{
	struct spot_task k = { 10 * M, 6 * H, 9 * H, 24 * M, 3.06, 0.9731 };
	struct spot_hazard one, many[SPOT_MEMORY];
	struct spot_dp *plain, *with;
	struct err err;
	spot_hazard_of(NULL, &(struct spot_counts){ 0 }, 0, &one);
	for (int m = 0; m < SPOT_MEMORY; m++)
		many[m] = one;
	assert_int_equal(spot_dp_new(&k, &one, 1, k.gap_ms, &plain, &err), 0);
	assert_int_equal(spot_dp_new(&k, many, SPOT_MEMORY, k.gap_ms, &with, &err), 0);
	struct spot_belief a, b;
	spot_belief_init(&a, 1, (const struct spot_dp *const *)&plain, &one, 1);
	spot_belief_init(&b, 1, (const struct spot_dp *const *)&with, many, SPOT_MEMORY);
	uint64_t s = 3;
	struct spot_now now = { 0 };
	for (; now.tick < 40; now.tick++, now.done_ms = now.tick * 5 * M) {
		double x[3], y[3];
		now.has_spot = random_next(&s) % 3 > 0;
		spot_belief_see(&a, now.has_spot);
		spot_belief_see(&b, now.has_spot);
		assert_true(fabs(a.log_weight[0] - b.log_weight[0]) < 1e-9);
		spot_belief_cost(&a, &k, &now, x);
		spot_belief_cost(&b, &k, &now, y);
		for (int i = 0; i < 3; i++)
			assert_true(fabs(x[i] - y[i]) < 1e-4);
	}
	spot_dp_free(plain);
	spot_dp_free(with);
}

/* It learns which of two markets it is in. */
static void believes_what_it_sees(void **state)
{
	struct spot_task k = { 10 * M, 10 * H, 20 * H, 6 * M, 3.06, 0.9731 };
	struct spot_hazard h[2] = { 0 };
	struct spot_dp *dp[2];
	struct err err;
	for (int i = 0; i < 2; i++) {
		for (int a = 0; a < 2; a++)
			for (int b = 0; b < SPOT_AGES; b++)
				h[i].turn[a][b] = i ? 0.5 : 0.02,
				h[i].advance[a][b] = b < SPOT_AGES - 1 ? 0.3 : 0;
		assert_int_equal(spot_dp_new(&k, &h[i], 1, k.gap_ms, &dp[i], &err), 0);
	}
	struct spot_belief b;
	spot_belief_init(&b, 2, (const struct spot_dp *const *)dp, h, 1);
	for (int i = 0; i < 30; i++)
		spot_belief_see(&b, i % 2);
	assert_true(b.log_weight[1] > b.log_weight[0] + 20);
	spot_belief_init(&b, 2, (const struct spot_dp *const *)dp, h, 1);
	for (int i = 0; i < 30; i++)
		spot_belief_see(&b, true);
	assert_true(b.log_weight[0] > b.log_weight[1] + 10);
	spot_dp_free(dp[0]);
	spot_dp_free(dp[1]);
}

static void refuses_nonsense(void **state)
{
	const struct spot_task bad[] = {
		{ 0, H, 2 * H, 0, 3, 1 },     { H, 0, 2 * H, 0, 3, 1 },
		{ H, H, 0, 0, 3, 1 },         { H, H, 2 * H, -1, 3, 1 },
		{ H, H, 2 * H, 0, -3, 1 },    { H, H, 2 * H, 0, 3, NAN },
		{ H, H, INT64_MAX, 0, 3, 1 }, { H, INT64_MAX, H, 0, 3, 1 },
		{ H, H, H, INT64_MAX, 3, 1 },
	};
	struct err err;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		err_clear(&err);
		assert_int_equal(spot_task_check(&bad[i], &err), -EINVAL);
		assert_true(*err.msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pays_and_restarts_as_told),
		cmocka_unit_test(never_late_never_below_the_bound),
		cmocka_unit_test(bound_is_least_of_all_ways),
		cmocka_unit_test(bound_says_when_there_is_no_way),
		cmocka_unit_test(value_is_right_where_it_is_known),
		cmocka_unit_test(counts_turns_by_age),
		cmocka_unit_test(remembers_runs),
		cmocka_unit_test(memory_matters),
		cmocka_unit_test(memory_of_nothing_is_none),
		cmocka_unit_test(believes_what_it_sees),
		cmocka_unit_test(refuses_nonsense),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
