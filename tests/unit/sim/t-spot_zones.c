#include "base/random.h"
#include "unit/base/test.h"
#include <errno.h>
#include <math.h>
#include "opt/spot/spot_zones_plan.h"
#include "sim/spot_zones.h"
#include "sim/spot_zones_set.h"

#define M 60000LL
#define H 3600000LL
#define N 24

struct market {
	bool has[3][N];
	double usd[3][N];
	const bool *has_row[3];
	const double *usd_row[3];
};

static void random_market(uint64_t *s, size_t n, struct market *m)
{
	for (size_t z = 0; z < n; z++) {
		bool now = random_next(s) % 2;
		double usd = 0.5 + (double)(random_next(s) % 100) / 100;
		for (size_t i = 0; i < N; i++) {
			now = random_next(s) % 100 < 80 ? now : !now;
			m->has[z][i] = now;
			m->usd[z][i] = usd + (double)(random_next(s) % 20) / 100;
		}
		m->has_row[z] = m->has[z];
		m->usd_row[z] = m->usd[z];
	}
}

/* What the letters say: a, b, c zones, o on demand, else nothing. */
static int script(void *ctx, const struct spot_task *k, const struct spot_zone_now *s)
{
	const char *z = ctx;
	char c = (size_t)s->tick < strlen(z) ? z[s->tick] : '-';
	return c == 'o' ? SPOT_ZONE_OD : c >= 'a' && c <= 'c' ? c - 'a' : SPOT_ZONE_NONE;
}
static int greedy(void *ctx, const struct spot_task *k, const struct spot_zone_now *s)
{
	return spot_zone_greedy(k, s);
}
static int uniform(void *ctx, const struct spot_task *k, const struct spot_zone_now *s)
{
	return spot_zone_uniform(k, s);
}

#define HISTORY(m) ((struct spot_zone_history){ N, (m).has_row, (m).usd_row, SPOT_NO_CLOCK })

static struct spot_run play(const struct spot_task *k, const struct spot_zone_market *m,
			    int (*f)(void *, const struct spot_task *,
				     const struct spot_zone_now *),
			    void *ctx, int64_t *ret_moves)
{
	struct spot_zone_policy p = { "test", f, ctx };
	struct spot_run r;
	struct err err;
	assert_int_equal(spot_zone_replay(k, m, &p, &r, &err), 0);
	*ret_moves = r.moves;
	return r;
}

/* By hand: ticks of an hour, restart 30 minutes, zones at 1 and 2 dollars; the second is in another
 * region. */
static void bills_the_zone_held_and_the_move(void **state)
{
	static const bool has[2][4] = { { 1, 0, 0, 0 }, { 1, 1, 1, 1 } };
	static const double usd[2][4] = { { 1, 9, 9, 9 }, { 2, 2.5, 3, 3 } };
	const bool *hr[] = { has[0], has[1] };
	const double *ur[] = { usd[0], usd[1] };
	static const int region[] = { 0, 1 };
	struct spot_task k = { H, 90 * M, 10 * H, 30 * M, 5, 0 };
	struct spot_zone_market m = { 2, 4, hr, ur, region, 0.25 };
	int64_t moves;
	struct spot_run r = play(&k, &m, script, (char[]){ "abb" }, &moves);

	/* 30 min in a, then 30 and 60 in b: done after three ticks */
	assert_true(r.done);
	assert_int_equal(r.ticks, 3);
	assert_int_equal(r.restarts, 2);
	assert_int_equal(r.interruptions, 1);
	assert_int_equal(moves, 1);
	assert_true(fabs(r.usd - (1 + 2.5 + 3 + 0.25)) < 1e-12);
	r = play(&k, &m, script, (char[]){ "aoo" }, &moves);
	/* on demand runs where the checkpoint lies */
	assert_true(fabs(r.usd - (1 + 5 + 5)) < 1e-12);
	assert_int_equal(moves, 0);
	m.region = NULL;
	/* a is not to be had any more: nothing is held, nothing paid */
	r = play(&k, &m, script, (char[]){ "aaa" }, &moves);
	assert_false(r.done);
	assert_true(fabs(r.usd - 1) < 1e-12);
}

static struct spot_zone_plan *plan_of(const struct spot_task *k, size_t n,
				      const struct market *known)
{
	const bool *has[3] = { known->has[0], known->has[1], known->has[2] };
	const double *usd[3] = { known->usd[0], known->usd[1], known->usd[2] };
	struct spot_zone_history h = { N, has, usd, SPOT_NO_CLOCK };
	struct spot_zone_plan *p;
	struct err err;

	assert_int_equal(spot_zone_plan_new(k, SPOT_NO_CLOCK, &(struct spot_zone_known){ n, 1, &h },
					    &p, &err),
			 0);
	return p;
}

static void never_late_never_below_the_bound(void **state)
{
	uint64_t seed = 11;

	for (int i = 0; i < 200; i++) {
		struct spot_task k = { H,      (8 + (int64_t)(random_next(&seed) % 8)) * H,
				       20 * H, (int64_t)(random_next(&seed) % 5) * 20 * M,
				       3,      0 };
		struct market mk, known;
		size_t n = 1 + random_next(&seed) % 3;
		struct spot_zone_mind mind;
		struct err err;
		double bound;
		int64_t moves;
		random_market(&seed, n, &mk);
		random_market(&seed, n, &known);
		struct spot_zone_market m = { n, N, mk.has_row, mk.usd_row, NULL, 0 };
		assert_int_equal(spot_zone_bound(&k, n, &HISTORY(mk), &bound, &err), 0);
		struct spot_zone_plan *plan = plan_of(&k, n, &known);
		spot_zone_mind_init(&mind, plan, NULL, 0);
		struct spot_run r[] = { play(&k, &m, greedy, NULL, &moves),
					play(&k, &m, uniform, NULL, &moves),
					play(&k, &m, spot_zone_tare, &mind, &moves) };
		for (size_t p = 0; p < 3; p++) {
			assert_false(r[p].late);
			assert_true(r[p].usd >= bound - 1e-9);
		}
		spot_zone_plan_free(plan);
	}
}

/* With one zone it is the problem of spot.h, whose bound is found another way. */
static void one_zone_is_one_market(void **state)
{
	uint64_t seed = 5;

	for (int i = 0; i < 100; i++) {
		struct spot_task k = { H,      10 * H,
				       16 * H, (int64_t)(random_next(&seed) % 4) * 30 * M,
				       3,      1 };
		struct market mk;
		struct err err;
		struct spot_bound b;
		double a;
		random_market(&seed, 1, &mk);
		assert_int_equal(spot_zone_bound(&k, 1, &HISTORY(mk), &a, &err), 0);
		assert_int_equal(
			spot_bound(&k, &(struct spot_history){ N, mk.has[0], mk.usd[0] }, &b, &err),
			0);
		assert_true(fabs(a - b.usd) < 1e-9);
	}
}

/* All ways through six ticks with two zones. */
static void bound_is_least_of_all_ways(void **state)
{
	uint64_t seed = 3;

	for (int i = 0; i < 20; i++) {
		struct spot_task k = { H, 3 * H, 6 * H, 30 * M, 3, 0 };
		struct market mk;
		struct err err;
		double bound, best = INFINITY;
		int64_t moves;
		random_market(&seed, 2, &mk);
		struct spot_zone_market m = { 2, N, mk.has_row, mk.usd_row, NULL, 0 };
		assert_int_equal(spot_zone_bound(&k, 2, &HISTORY(mk), &bound, &err), 0);
		for (int way = 0; way < 4096; way++) {
			char z[7] = { 0 };
			for (int t = 0; t < 6; t++)
				z[t] = "-oab"[way >> 2 * t & 3];
			struct spot_run r = play(&k, &m, script, z, &moves);
			best = r.late ? best : fmin(best, r.usd);
		}
		assert_true(fabs(best - bound) < 1e-9);
	}
}

/* Two zones that are up all the time, one at half the price: it is taken, and kept. */
static void takes_the_cheaper_of_equals(void **state)
{
	struct spot_task k = { H, 8 * H, 20 * H, 30 * M, 3, 0 };
	struct market known, mk = { 0 };
	struct spot_zone_mind mind;
	uint64_t seed = 9;
	int64_t moves;

	random_market(&seed, 2, &known);
	memcpy(known.has[1], known.has[0], sizeof known.has[0]); /* the two turn alike */
	for (size_t i = 0; i < N; i++) {
		mk.has[0][i] = mk.has[1][i] = true;
		mk.usd[0][i] = 1;
		mk.usd[1][i] = 0.5;
	}
	const bool *hr[] = { mk.has[0], mk.has[1] };
	const double *ur[] = { mk.usd[0], mk.usd[1] };
	struct spot_zone_market m = { 2, N, hr, ur, NULL, 0 };
	struct spot_zone_plan *plan = plan_of(&k, 2, &known);
	spot_zone_mind_init(&mind, plan, NULL, 0);
	struct spot_run r = play(&k, &m, spot_zone_tare, &mind, &moves);
	assert_int_equal(r.restarts, 1);
	assert_true(fabs(r.usd - 0.5 * 9) < 1e-12);
	spot_zone_plan_free(plan);
}

/* A zone that turns without memory: what the plan expects is what its own rule then pays, within
 * three standard errors. */
static void expects_what_it_pays(void **state)
{
	enum { LONG = 20000, RUNS = 1500, END = 72 };
	static bool has[LONG];
	static double usd[LONG];
	struct spot_task k = { 10 * M, 8 * H, 12 * H, 15 * M, 3, 0 };
	const bool *hr[] = { has };
	const double *ur[] = { usd };
	struct spot_zone_history h = { LONG, hr, ur, SPOT_NO_CLOCK };
	struct spot_zone_plan *plan;
	struct err err;
	uint64_t seed = 21;
	double sum = 0, squares = 0;

	for (size_t i = 0; i < LONG; i++) {
		has[i] = i && random_next(&seed) % 100 < 90 ? has[i - 1] : i && !has[i - 1];
		usd[i] = 1;
	}
	assert_int_equal(spot_zone_plan_new(&k, SPOT_NO_CLOCK,
					    &(struct spot_zone_known){ 1, 1, &h }, &plan, &err),
			 0);
	for (size_t i = 0; i < RUNS; i++) {
		size_t from = 1 + random_next(&seed) % (LONG - END - 1);
		while (has[from] || !has[from - 1]) /* as the plan's: spot went just now */
			from = from % (LONG - END - 1) + 1;
		const bool *at[] = { has + from };
		struct spot_zone_market m = { 1, END, at, ur, NULL, 0 };
		struct spot_zone_mind mind;
		int64_t moves;
		spot_zone_mind_init(&mind, plan, NULL, 0);
		mind.seen =
			(struct spot_zone_seen){ .begun = true, .has = { true }, .up_frac = 0.5 };
		struct spot_run r = play(&k, &m, spot_zone_tare, &mind, &moves);
		assert_false(r.late);
		sum += r.usd;
		squares += r.usd * r.usd;
	}
	double mean = sum / RUNS, error = sqrt((squares / RUNS - mean * mean) / RUNS);
	assert_true(fabs(spot_zone_plan_usd(plan) / mean - 1) < 0.03 + 3 * error / mean);
	assert_true(spot_zone_plan_usd(plan) > 8 && spot_zone_plan_usd(plan) < 24);
	spot_zone_plan_free(plan);
}

/* One zone that is taken away within the hour from 12 to 18 on working days, and stays for days at
 * other times: who knows the time of day pays less. */
static void knows_the_hours_of_work(void **state)
{
	enum { DAYS = 42, DAY = 144, LONG = DAYS * DAY, RUNS = 60, END = 36 * 6 };
	static bool has[LONG];
	static double usd[LONG];
	struct spot_task k = { 10 * M, 24 * H, 30 * H, 20 * M, 3, 0 };
	const bool *hr[] = { has };
	const double *ur[] = { usd };
	struct spot_zone_history timed = { LONG, hr, ur, 0 },
				 bare = { LONG, hr, ur, SPOT_NO_CLOCK };
	double sum[3] = { 0 };
	struct err err;
	uint64_t seed = 5;

	for (size_t i = 0; i < LONG; i++) {
		size_t hour = i % DAY / 6, day = (i / DAY + 4) % 7;
		bool busy = hour >= 12 && hour < 18 && day != 0 && day != 6;
		has[i] = i && random_next(&seed) % 100 >= (busy         ? 40
							   : has[i - 1] ? 2
									: 20)
				 ? has[i - 1]
				 : i && !has[i - 1];
		usd[i] = 1;
	}
	for (size_t i = 0; i < RUNS; i++) {
		size_t from = random_next(&seed) % (LONG - END);
		const bool *at[] = { has + from };
		struct spot_zone_market m = { 1, END, at, ur, NULL, 0 };
		for (int way = 0; way < 3; way++) {
			/* time of day known; of the task alone; of neither */
			struct spot_zone_plan *plan;
			struct spot_zone_mind mind;
			int64_t moves;
			assert_int_equal(
				spot_zone_plan_new(
					&k, way < 2 ? (int64_t)from * k.gap_ms : SPOT_NO_CLOCK,
					&(struct spot_zone_known){ 1, 1, way ? &bare : &timed },
					&plan, &err),
				0);
			spot_zone_mind_init(&mind, plan, NULL, 0);
			struct spot_run r = play(&k, &m, spot_zone_tare, &mind, &moves);
			assert_false(r.late);
			sum[way] += r.usd;
			spot_zone_plan_free(plan);
		}
	}
	assert_true(sum[0] < 0.99 * sum[2]);
	/* a time without histories that tell of times says nothing */
	assert_true(fabs(sum[1] / sum[2] - 1) < 1e-6);
}

static void hours_of_the_week(void **state)
{
	const int64_t day = 24 * H; /* 1970-01-01 was a Thursday */

	assert_int_equal(zone_hour(0), 0);
	assert_int_equal(zone_hour(3 * H - 1), 0);
	assert_int_equal(zone_hour(3 * H), 1);
	assert_int_equal(zone_hour(2 * day - 1), ZONE_HOURS - 2);
	assert_int_equal(zone_hour(2 * day), ZONE_HOURS - 1);
	assert_int_equal(zone_hour(4 * day - 1), ZONE_HOURS - 1);
	assert_int_equal(zone_hour(4 * day), 0);
	assert_int_equal(zone_hour(-1), ZONE_HOURS - 2);
	assert_int_equal(zone_hour(-4 * day), ZONE_HOURS - 1); /* a Sunday */
	assert_int_equal(zone_hour(1679929200000), 5);         /* Monday, 2023-03-27T15:00:00Z */
}

/* Two zones of two regions take turns of eight hours. A plan with both waits for the other one,
 * which is then too expensive to reach; with one it goes on demand in time. */
static void leaves_out_what_is_expensive_to_reach(void **state)
{
	enum { LONG = 300 };
	static bool has[2][LONG];
	static double usd[2][LONG];
	const bool *hr[] = { has[0], has[1] };
	const double *ur[] = { usd[0], usd[1] };
	struct spot_task k = { 12 * M, 24 * H, 27 * H, 12 * M, 5, 0 };
	struct spot_zone_history h = { LONG, hr, ur, SPOT_NO_CLOCK };
	struct err err;
	bool use[2];

	for (size_t t = 0; t < LONG; t++) {
		has[0][t] = t / 40 % 2 == 0;
		has[1][t] = !has[0][t];
		usd[0][t] = 1;
		usd[1][t] = 1.2;
	}
	assert_int_equal(spot_zone_set(&k, &(struct spot_zone_known){ 2, 1, &h },
				       (const int[]){ 0, 1 }, 0, use, &err),
			 0);
	assert_true(use[0] && use[1]);
	assert_int_equal(spot_zone_set(&k, &(struct spot_zone_known){ 2, 1, &h },
				       (const int[]){ 0, 1 }, 0.01, use, &err),
			 0);
	assert_true(use[0] && use[1]);
	assert_int_equal(spot_zone_set(&k, &(struct spot_zone_known){ 2, 1, &h },
				       (const int[]){ 0, 1 }, 20, use, &err),
			 0);
	assert_true(use[0] && !use[1]);
	assert_int_equal(spot_zone_set(&k, &(struct spot_zone_known){ 2, 1, &h },
				       (const int[]){ 0, 0 }, 20, use, &err),
			 0);
	assert_true(use[0] && use[1]);
}

static void refuses_what_makes_no_plan(void **state)
{
	struct spot_task k = { H, 8 * H, 20 * H, 30 * M, 3, 0 };
	struct spot_zone_plan *plan = NULL;
	struct err err;

	assert_int_equal(spot_zone_plan_new(&k, SPOT_NO_CLOCK,
					    &(struct spot_zone_known){ 1, 0, NULL }, &plan, &err),
			 -ENODATA);
	assert_int_equal(
		spot_zone_plan_new(&k, SPOT_NO_CLOCK,
				   &(struct spot_zone_known){ SPOT_MAX_ZONES + 1, 0, NULL }, &plan,
				   &err),
		-EINVAL);
	k.gap_ms = 0;
	assert_int_equal(spot_zone_plan_new(&k, SPOT_NO_CLOCK,
					    &(struct spot_zone_known){ 1, 0, NULL }, &plan, &err),
			 -EINVAL);
	assert_null(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bills_the_zone_held_and_the_move),
		cmocka_unit_test(never_late_never_below_the_bound),
		cmocka_unit_test(one_zone_is_one_market),
		cmocka_unit_test(bound_is_least_of_all_ways),
		cmocka_unit_test(takes_the_cheaper_of_equals),
		cmocka_unit_test(expects_what_it_pays),
		cmocka_unit_test(knows_the_hours_of_work),
		cmocka_unit_test(hours_of_the_week),
		cmocka_unit_test(leaves_out_what_is_expensive_to_reach),
		cmocka_unit_test(refuses_what_makes_no_plan),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
