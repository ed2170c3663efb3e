/* opt/commit: the optimum against all ways to buy, the rules against numbers worked out by hand and
 * as published, no look-ahead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <math.h>
#include <cmocka.h>
#include "base/random.h"
#include "opt/commit/commit.h"

static void close_to(double got, double want, double within)
{
	if (!(fabs(got - want) <= within))
		fail_msg("%.9f is not %.9f", got, want);
}

static double cost_of(enum commit_rule rule, const double *d, size_t n, const struct commit_term *t,
		      size_t nt)
{
	struct commit_result r;
	struct err err = { 0 };
	assert_int_equal(commit_run(rule, &(struct commit_in){ d, n, t, nt }, &r, &err), 0);
	double c = r.cost;
	commit_result_free(&r);
	return c;
}

static double optimum_of(const double *d, size_t n, const struct commit_term *t, size_t nt)
{
	struct commit_result r;
	struct err err = { 0 };
	assert_int_equal(commit_optimum(&(struct commit_in){ d, n, t, nt }, &r, &err), 0);
	double c = r.cost;
	commit_result_free(&r);
	return c;
}

/* Cost of one way to buy, as the problem defines it. */
static double cost_of_buys(const double *d, size_t n, const struct commit_term *t, const int *buy)
{
	double cost = 0;
	for (size_t i = 0; i < n; i++) {
		int held = 0;
		for (size_t s = 0; s <= i; s++)
			held += (int64_t)(i - s) < t->hours ? buy[s] : 0;
		cost += t->rate_frac * held + (d[i] > held ? d[i] - held : 0);
	}
	return cost;
}

static double best_of_all(const double *d, size_t n, const struct commit_term *t, int most)
{
	int buy[8] = { 0 };
	double best = INFINITY;
	for (;;) {
		double c = cost_of_buys(d, n, t, buy);
		size_t i = 0;
		best = c < best ? c : best;
		while (i < n && ++buy[i] > most)
			buy[i++] = 0;
		if (i == n)
			return best;
	}
}

static void optimum_against_all(void **state)
{
	uint64_t s = 3;
	for (int k = 0; k < 150; k++) {
		double d[7];
		size_t n = 2 + random_next(&s) % 5;
		struct commit_term t = { 1 + (int64_t)(random_next(&s) % 4),
					 0.1 * (double)(3 + random_next(&s) % 6) };
		for (size_t i = 0; i < n; i++)
			d[i] = (double)(random_next(&s) % 4);
		close_to(optimum_of(d, n, &t, 1), best_of_all(d, n, &t, 3), 1e-6);
	}
}

/* More choice never costs more; the parts of the answer add up to its cost; no rule beats the
 * optimum. */
static void certificates(void **state)
{
	uint64_t s = 5;
	for (int k = 0; k < 12; k++) {
		enum { N = 700 };
		double d[N];
		struct commit_term t[2] = { { 72, 0.6 }, { 240, 0.45 } };
		struct commit_result r;
		struct err err;
		double level = 20;
		for (size_t i = 0; i < N; i++) {
			level = fmax(0, level + (double)(random_next(&s) % 7) - 3);
			d[i] = k % 2 ? floor(level) : level + 0.5 * (double)(random_next(&s) % 2);
		}
		double both = optimum_of(d, N, t, 2), one = optimum_of(d, N, t, 1);
		assert_true(both <= one + 1e-6);
		for (int rule = 0; rule < COMMIT_RULES; rule++)
			assert_true(cost_of((enum commit_rule)rule, d, N, t, 1) >= one - 1e-6);
		assert_int_equal(
			commit_run(COMMIT_TARE, &(struct commit_in){ d, N, t, 2 }, &r, &err), 0);
		close_to(r.cost, r.fees + r.on_demand_cost - r.used, 1e-6);
		assert_true(r.used <= r.committed + 1e-6 && r.used <= r.on_demand_cost + 1e-6);
		assert_true(r.coverage_frac >= 0 && r.coverage_frac <= 1);
		commit_result_free(&r);
		assert_int_equal(commit_optimum(&(struct commit_in){ d, N, t, 2 }, &r, &err), 0);
		close_to(r.fees + r.on_demand_cost - r.used, r.cost, 1e-3 * r.cost);
		commit_result_free(&r);
		assert_true(cost_of(COMMIT_BREAK_EVEN, d, N, t, 1) <= 2 * one + 1e-6); /* proven */
	}
}

/* What is bought before hour n does not depend on what comes from n on. */
static void no_look_ahead(void **state)
{
	enum { N = 1200, CUT = 600 };
	static double a[N], b[N];
	struct commit_term t = { 336, 0.5 };
	struct err err;
	uint64_t s = 9;
	for (size_t i = 0; i < N; i++) {
		a[i] = b[i] = 10 + (double)(random_next(&s) % 9);
		if (i >= CUT)
			b[i] = (double)(random_next(&s) % 100);
	}
	for (int rule = 0; rule < COMMIT_RULES; rule++) {
		struct commit_result ra, rb;
		size_t i;
		assert_int_equal(commit_run((enum commit_rule)rule,
					    &(struct commit_in){ a, N, &t, 1 }, &ra, &err),
				 0);
		assert_int_equal(commit_run((enum commit_rule)rule,
					    &(struct commit_in){ b, N, &t, 1 }, &rb, &err),
				 0);
		for (i = 0; i < ra.nbuy && ra.buy[i].hour < CUT; i++)
			assert_true(i < rb.nbuy && ra.buy[i].hour == rb.buy[i].hour &&
				    ra.buy[i].units == rb.buy[i].units);
		assert_true(i == rb.nbuy || rb.buy[i].hour >= CUT);
		assert_true(rule == COMMIT_ON_DEMAND || i > 0);
		commit_result_free(&ra);
		commit_result_free(&rb);
	}
}

/* Steady demand is committed to within days; none is bought for a spike of half a day, nor where a
 * rate would need more than all hours. */
static void plain_cases(void **state)
{
	enum { N = 24 * 60 };
	static double d[N];
	struct commit_term t = { 720, 0.6 };
	for (size_t i = 0; i < N; i++)
		d[i] = 10;
	assert_true(cost_of(COMMIT_TARE, d, N, &t, 1) < 1.05 * optimum_of(d, N, &t, 1));
	for (size_t i = 0; i < N; i++)
		d[i] = i >= 700 && i < 712 ? 500 : 0;
	close_to(cost_of(COMMIT_TARE, d, N, &t, 1), 6000, 1e-9);
	for (size_t i = 0; i < N; i++)
		d[i] = i % 24 < 8 ? 12 : 0; /* used a third of the day, paid for at six tenths */
	close_to(cost_of(COMMIT_TARE, d, N, &t, 1), cost_of(COMMIT_ON_DEMAND, d, N, &t, 1), 1e-9);
	close_to(commit_static_level(d, N, 0.3), 12, 0);
	close_to(commit_static_level(d, N, 0.34), 0, 0);
}

/* d = 2 for ever, term 4 h at 0.5 (fee 2): bought in the third hour, when three of the last four
 * hours were on demand, 3 > 2. */
static void break_even_by_hand(void **state)
{
	const double d[6] = { 2, 2, 2, 2, 2, 2 };
	struct commit_term t = { 4, 0.5 };
	struct commit_result r;
	struct err err;
	assert_int_equal(
		commit_run(COMMIT_BREAK_EVEN, &(struct commit_in){ d, 6, &t, 1 }, &r, &err), 0);
	assert_int_equal(r.nbuy, 1);
	assert_int_equal(r.buy[0].hour, 2);
	assert_int_equal(r.buy[0].units, 2);
	close_to(r.cost, 2 * 2 + 2 * 0.5 * 4, 1e-12);
	commit_result_free(&r);
}

static void online_state(void **state)
{
	struct commit_term t = { 8760, 0.6 };
	struct commit *c = commit_new(&t, 1);
	int64_t units[1];
	assert_true(isnan(commit_chance(c, 1, 24)) && isnan(commit_persistence(c)) &&
		    isnan(commit_used_frac(c, &t, 1, 0)));
	assert_int_equal(commit_decide(c, units), 0);
	close_to(commit_supported_level(c, &t), 0, 0);
	for (int h = 0; h < 24 * 28; h++)
		commit_observe(c, 16);
	close_to(commit_supported_level(c, &t), 16, 1e-5);
	close_to(commit_chance(c, 16.5, 1), 0, 0.5);
	assert_true(commit_chance(c, 8, 24) > 0.99);
	close_to(commit_used_frac(c, &t, 16, 0), 1, 1e-12);
	double low = commit_used_frac(c, &t, 16, -1.645);
	assert_true(low > 0.4 && low < 0.9); /* a year ahead of four weeks, nobody is sure */
	commit_held(c, 10, 8760);
	assert_int_equal(commit_decide(c, units), 6);
	assert_int_equal(units[0], 6);
	commit_free(c);
}

/* Terms that another makes needless change neither the rule's purchases nor the optimum; a hundred
 * of them are taken. */
static void needless_terms(void **state)
{
	enum { N = 1500, MANY = 100 };
	static double d[N];
	struct commit_term few[2] = { { 168, 0.6 }, { 720, 0.5 } }, many[MANY];
	uint64_t s = 11;
	for (size_t i = 0; i < N; i++)
		d[i] = 10 + (double)(random_next(&s) % 5) + (i > 700 ? 6 : 0);
	many[0] = few[0];
	many[1] = few[1];
	for (int i = 2; i < MANY; i++) /* whole numbers of weeks or of 720 h, and more expensive */
		many[i] = i % 2 ? (struct commit_term){ 168 * i, 0.6 + 0.001 * i }
				: (struct commit_term){ 720 * i, 0.5 + 0.001 * i };
	close_to(optimum_of(d, N, many, MANY), optimum_of(d, N, few, 2), 1e-6);
	close_to(cost_of(COMMIT_TARE, d, N, many, MANY), cost_of(COMMIT_TARE, d, N, few, 2), 0);
	many[5] = (struct commit_term){ 100, 0.3 }; /* shorter and cheaper: asked first */
	assert_true(optimum_of(d, N, many, MANY) < optimum_of(d, N, few, 2));
	assert_true(cost_of(COMMIT_TARE, d, N, many, MANY) < cost_of(COMMIT_TARE, d, N, few, 2));
}

/* Bursts of three days do not buy three months, however often they come; a new team that stays is
 * followed within days, and a term that ends where demand stays is renewed the same day. */
static void bursts(void **state)
{
	enum { N = 24 * 120 };
	static double d[N];
	struct commit_term long_one = { 2160, 0.4 }, t = { 336, 0.6 };
	struct commit_result r;
	struct err err;
	for (size_t i = 0; i < N; i++)
		d[i] = i % (10 * 24) < 7 * 24 ? 0 : 40;
	close_to(cost_of(COMMIT_TARE, d, N, &long_one, 1),
		 cost_of(COMMIT_ON_DEMAND, d, N, &long_one, 1), 1e-9);
	assert_true(cost_of(COMMIT_TARE, d, N, &long_one, 1) <=
		    cost_of(COMMIT_BREAK_EVEN, d, N, &long_one, 1));
	for (size_t i = 0; i < N; i++)
		d[i] = i < N / 2 ? 10 : 20;
	assert_int_equal(commit_run(COMMIT_TARE, &(struct commit_in){ d, N, &t, 1 }, &r, &err), 0);
	assert_true(r.utilisation_frac == 1 && r.coverage_frac > 0.95);
	commit_result_free(&r);
	assert_true(cost_of(COMMIT_TARE, d, N, &t, 1) < 1.05 * optimum_of(d, N, &t, 1));
}

static void wrong_input(void **state)
{
	double bad[4][2] = { { 1, -1 }, { NAN, 1 }, { INFINITY, 1 }, { 1, 1e10 } }, d[2] = { 1, 2 };
	struct commit_term fine = { 24, 0.5 },
			   wrong[4] = { { 0, 0.5 }, { 24, 0 }, { 24, 1 }, { 24, NAN } };
	struct commit_result r;
	struct err err;
	for (int i = 0; i < 4; i++) {
		assert_int_equal(commit_run(COMMIT_TARE, &(struct commit_in){ bad[i], 2, &fine, 1 },
					    &r, &err),
				 -EINVAL);
		assert_int_equal(
			commit_optimum(&(struct commit_in){ d, 2, &wrong[i], 1 }, &r, &err),
			-EINVAL);
	}
	assert_int_equal(commit_run(COMMIT_TARE, &(struct commit_in){ d, 2, &fine, 0 }, &r, &err),
			 -EINVAL);
	assert_int_equal(commit_run(COMMIT_TARE,
				    &(struct commit_in){ d, COMMIT_MAX_HOURS + 1, &fine, 1 }, &r,
				    &err),
			 -E2BIG);
	assert_int_equal(commit_optimum(&(struct commit_in){ NULL, 0, &fine, 1 }, &r, &err), 0);
	assert_true(r.cost == 0 && isnan(r.coverage_frac));
	commit_result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(optimum_against_all), cmocka_unit_test(certificates),
		cmocka_unit_test(no_look_ahead),       cmocka_unit_test(plain_cases),
		cmocka_unit_test(break_even_by_hand),  cmocka_unit_test(online_state),
		cmocka_unit_test(needless_terms),      cmocka_unit_test(bursts),
		cmocka_unit_test(wrong_input)
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
