#include "opt/run/early_stop.h"

#include <math.h>

#include "../base/test.h"

#define RUNS   400
#define POINTS 60

static uint64_t state;

static double draw(void) /* 0 .. 1 */
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (double)(state >> 11) / 9007199254740992.0;
}

/* Falls, with plateaus, noise and, in some, a rise. */
static size_t make_curve(double *v, bool higher)
{
	size_t n = 2 + (size_t)(draw() * (POINTS - 2));
	double level = 5, fall = 0.7 + 0.3 * draw(), noise = draw() < 0.5 ? 0 : 0.4 * draw();

	for (size_t i = 0; i < n; i++) {
		if (draw() < 0.6)
			level *= fall;
		if (draw() < 0.05)
			level *= 1.5;
		v[i] = (level + noise * (draw() - 0.5)) * (higher ? -1 : 1);
	}
	return n;
}

/* Keras' EarlyStopping, word for word, with a threshold relative to the best. */
static size_t stop_by_rule(const double *v, size_t n, bool higher, size_t patience, double delta)
{
	double best = 0;
	size_t wait = 0;

	for (size_t i = 0; i < n; i++) {
		double x = higher ? -v[i] : v[i];
		bool better = i == 0 || x < best - delta * fabs(best);
		wait = better ? 0 : wait + 1;
		best = better ? x : best;
		if (wait >= patience)
			return i;
	}
	return n;
}

static double best_of(const double *v, size_t n, bool higher)
{
	double best = v[0];

	for (size_t i = 1; i < n; i++)
		if (higher ? v[i] > best : v[i] < best)
			best = v[i];
	return best;
}

static double lost_by_rule(const double *v, size_t n, bool higher, size_t at)
{
	double best = best_of(v, n, higher), gain = fabs(best - v[0]);

	return at >= n || gain == 0 ? 0 : fabs(best_of(v, at + 1, higher) - best) / gain;
}

/* The least patience by trying each: what early_need() reads off in one pass. */
static void least_patience(void **state_)
{
	double v[POINTS];

	state = 7;
	for (int k = 0; k < RUNS; k++) {
		bool higher = k % 2;
		double delta = k % 3 ? 0 : 0.02, lost = k % 5 ? 0.01 : 0.1;
		size_t n = make_curve(v, higher), want = 0;
		struct early_run r = {
			.v = v, .n = n, .higher = higher, .end_ms = 1000, .cost = 1
		};
		for (size_t p = n + 1; p >= 1; p--) {
			size_t at = stop_by_rule(v, n, higher, p, delta);
			assert_int_equal(early_stop_at(&r, p, delta), at);
			assert_true(fabs(early_lost_frac(&r, at) - lost_by_rule(v, n, higher, at)) <
				    1e-12);
			if (lost_by_rule(v, n, higher, at) <= lost)
				want = p;
			else
				break; /* what is lost grows as the patience falls */
		}
		assert_int_equal(early_need(&r, delta, lost), want);
	}
}

static void what_is_saved(void **state_)
{
	const double v[] = { 4, 3, 2, 2, 2 };
	const int64_t t[] = { 100, 200, 300, 400, 500 };
	struct early_run r = { .v = v, .n = 5, .start_ms = 0, .end_ms = 600, .cost = 12 };

	assert_int_equal(early_stop_at(&r, 1, 0), 3);
	assert_true(fabs(early_saved_frac(&r, 3) - 0.2) < 1e-12); /* evenly: one of five is left */
	r.t_ms = t;
	assert_true(fabs(early_saved_frac(&r, 3) - 1.0 / 3) < 1e-12);
	assert_true(early_saved_frac(&r, 5) == 0);
}

/* A group: the patience is the largest need, nobody loses more, one less would break it. */
static void a_group(void **state_)
{
	static double v[12][POINTS];
	struct early_run r[12];
	const struct early_ask ask = { .lost_frac = 0.02, .draws = 200, .seed = 3 };
	struct early_stop s, again;

	state = 11;
	for (int k = 0; k < 50; k++) {
		size_t most = 0;
		double cost = 0;
		for (size_t i = 0; i < 12; i++) {
			r[i] = (struct early_run){ .v = v[i], .end_ms = 1000, .cost = 1 + draw() };
			r[i].n = make_curve(v[i], false);
			cost += r[i].cost;
		}
		early_choose(12, r, &ask, &s);
		early_choose(12, r, &ask, &again);
		assert_memory_equal(&s, &again, sizeof s);
		double saved = 0, less = 0;
		for (size_t i = 0; i < 12; i++) {
			size_t at = stop_by_rule(v[i], r[i].n, false, s.patience, 0);
			size_t sooner = s.patience > 1 ? stop_by_rule(v[i], r[i].n, false,
								      s.patience - 1, 0)
						       : at;
			assert_true(lost_by_rule(v[i], r[i].n, false, at) <= 0.02);
			less = fmax(less, lost_by_rule(v[i], r[i].n, false, sooner));
			saved += r[i].cost * early_saved_frac(&r[i], at);
			most += at < r[i].n - 1;
		}
		assert_true(s.patience == 1 || less > 0.02);
		assert_true(fabs(s.saved_cost - saved) < 1e-9 && s.stopped == most);
		assert_true(s.p05_frac <= s.p50_frac && s.p50_frac <= s.p95_frac);
		assert_true(s.p95_frac <= 1 && s.p05_frac >= 0);
		assert_true(s.unseen_worst_lost_frac >= s.unseen_mean_lost_frac);
		assert_true(cost > 0 && s.worst_lost_frac <= 0.02);
	}
}

/* Out of sample: one run of five needs ten times the patience; draws without it lose by it. */
static void a_run_that_learns_late(void **state_)
{
	static double v[5][40];
	struct early_run r[5];
	const struct early_ask ask = { .lost_frac = 0.01, .draws = 400, .seed = 1 };
	struct early_stop s;

	for (size_t i = 0; i < 5; i++) {
		for (size_t k = 0; k < 40; k++)
			v[i][k] = k < 4 ? 10 - (double)k : 7;
		r[i] = (struct early_run){ .v = v[i], .n = 40, .end_ms = 4000, .cost = 1 };
	}
	early_choose(5, r, &ask, &s);
	assert_int_equal(s.patience, 1);
	assert_true(s.unseen_worst_lost_frac == 0);
	for (size_t k = 20; k < 40; k++)
		v[2][k] = 1;
	early_choose(5, r, &ask, &s);
	assert_int_equal(s.patience, 17); /* flat from 3 to 20 */
	assert_true(s.worst_lost_frac == 0);
	assert_true(fabs(s.unseen_worst_lost_frac - 6.0 / 9) < 1e-12);
	assert_true(s.p95_frac > s.p05_frac);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(least_patience),
		cmocka_unit_test(what_is_saved),
		cmocka_unit_test(a_group),
		cmocka_unit_test(a_run_that_learns_late),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
