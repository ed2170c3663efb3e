/* opt/portfolio: choices worked out by hand, the cap against all ways to choose, savings plans
 * against a fine grid. */
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
#include "opt/commit/portfolio.h"

#define N 100

static void close_to(double got, double want, double within)
{
	if (!(fabs(got - want) <= within))
		fail_msg("%.9f is not %.9f", got, want);
}

static struct portfolio choose(const struct portfolio_ask *a, const struct portfolio_offer *o,
			       size_t n)
{
	struct portfolio p;
	struct err err = { 0 };
	assert_int_equal(portfolio_choose(a, o, n, &p, &err), 0);
	return p;
}

/* 4 always, 2 more in 50 of 100 hours, 1 more in 30: 3 years at 0.4 takes what is used 50 %; 1 year
 * at 0.6 what is used above 60 %. */
static void levels_by_hand(void **state)
{
	double d[N];
	struct portfolio_offer o[2] = { { "1y", 8760, 0, 0.6 }, { "3y", 26280, 0, 0.4 } };
	struct portfolio_ask a = {
		.demand = d, .nhour = N, .on_demand = 1, .upfront_cap = INFINITY
	};
	for (int t = 0; t < N; t++)
		d[t] = t < 30 ? 7 : t < 50 ? 6 : 4;
	struct portfolio p = choose(&a, o, 1);
	assert_int_equal(p.units, 4);
	close_to(p.cost_hour, 4 * 0.6 + 2 * 0.5 + 0.3, 1e-9);
	close_to(p.utilisation_frac, 1, 1e-12);
	close_to(p.part[0].break_even_frac, 0.6, 1e-12);
	p = choose(&a, o, 2);
	assert_int_equal(p.part[1].units, 6);
	assert_int_equal(p.part[0].units, 0);
	close_to(p.expected_saving_hour, 4 * 0.6 + 2 * 0.1, 1e-9);
	close_to(p.coverage_frac, 5.0 / 5.3, 1e-9);
	a.outdated_year_frac = 0.3; /* over three years 61 % are left on average, over one 84 % */
	p = choose(&a, o, 2);
	assert_int_equal(p.part[1].units, 0);
	assert_int_equal(p.part[0].units, 4);
	a.outdated_year_frac = 0.7;
	assert_int_equal(choose(&a, o, 2).units, 0);
}

/* All upfront beats none only where the discount is more than what the money costs. */
static void upfront(void **state)
{
	double d[N];
	struct portfolio_offer o[2] = { { "none", 8760, 0, 0.6 }, { "all", 8760, 0.57 * 8760, 0 } };
	struct portfolio_ask a = {
		.demand = d, .nhour = N, .on_demand = 1, .upfront_cap = INFINITY
	};
	for (int t = 0; t < N; t++)
		d[t] = 10;
	assert_int_equal(choose(&a, o, 2).part[1].units, 10);
	a.wacc_frac = 0.12; /* 0.57 x 1.06 > 0.6 */
	assert_int_equal(choose(&a, o, 2).part[0].units, 10);
	a.wacc_frac = 0;
	a.upfront_cap = 0.57 * 8760 * 3.5; /* money for three */
	struct portfolio p = choose(&a, o, 2);
	assert_int_equal(p.part[1].units, 3);
	assert_int_equal(p.part[0].units, 7);
	assert_true(p.upfront <= a.upfront_cap);
}

/* Under a cap: never above it, and within one unit's saving of the best of all ways to choose
 * (units are few). */
static void cap_against_all(void **state)
{
	uint64_t s = 21;
	for (int k = 0; k < 200; k++) {
		double d[N], best = 0, one = 0;
		struct portfolio_offer o[2] = {
			{ "a", 8760, 0, 0.3 + 0.1 * (double)(random_next(&s) % 5) },
			{ "b", 8760, 8760 * 0.1 * (double)(1 + random_next(&s) % 3),
			  0.1 * (double)(random_next(&s) % 5) }
		};
		struct portfolio_ask a = { .demand = d,
					   .nhour = N,
					   .on_demand = 1,
					   .upfront_cap = 300.0 * (double)(random_next(&s) % 20) };
		for (int t = 0; t < N; t++)
			d[t] = (double)(random_next(&s) % 6);
		for (int code = 0; code < 243; code++) { /* 5 units, each none, a or b */
			double gain = 0, money = 0;
			int c = code;
			for (int u = 1; u <= 5; u++, c /= 3) {
				double use = 0;
				for (int t = 0; t < N; t++)
					use += d[t] >= u ? 1.0 / N : 0;
				if (c % 3) {
					const struct portfolio_offer *x = &o[c % 3 - 1];
					gain += use - x->hour - x->upfront / 8760;
					one = fmax(one, use - x->hour - x->upfront / 8760);
					money += x->upfront;
				}
			}
			if (money <= a.upfront_cap && gain > best)
				best = gain;
		}
		struct portfolio p = choose(&a, o, 2);
		assert_true(p.upfront <= a.upfront_cap + 1e-6);
		assert_true(p.expected_saving_hour <= best + 1e-9);
		assert_true(p.expected_saving_hour >= best - one - 1e-9);
	}
}

static double falling(void *ctx, double level, int64_t term_h)
{
	return 1 / (1 + level * (double)term_h / 8760);
}

static void other_forecast(void **state)
{
	double d[N];
	struct portfolio_offer o[1] = { { "1y", 8760, 0, 0.3 } };
	struct portfolio_ask a = {
		.demand = d, .nhour = N, .on_demand = 1, .upfront_cap = INFINITY, .use = falling
	};
	for (int t = 0; t < N; t++)
		d[t] = 100;
	assert_int_equal(choose(&a, o, 1).units, 2); /* 1/2 and 1/3 are above 0.3, 1/4 is not */
}

/* Many units are decided in groups, each on the word of its highest. */
static void groups(void **state)
{
	double d[N];
	struct portfolio_offer o[1] = { { "1y", 8760, 0, 0.5 } };
	struct portfolio_ask a = {
		.demand = d, .nhour = N, .on_demand = 1, .upfront_cap = INFINITY
	};
	for (int t = 0; t < N; t++)
		d[t] = t < 50 ? 1e6 : 3e5;
	struct portfolio p = choose(&a, o, 1);
	assert_true(p.units <= 300000 && p.units > 300000 - 1954);
}

static void plan_by_hand(void **state)
{
	/* two types, one hour each way: discounts 50 % and 20 % */
	const double demand[4] = { 2, 2, 10, 0 }, od[2] = { 4, 1 }, rate[2] = { 2, 0.8 };
	struct savings_plan p;
	struct err err;
	assert_int_equal(savings_plan_best(&(struct savings_plan_ask){ 2, 2, demand, od, rate, 1 },
					   &p, &err),
			 0);
	/* the first type always; the second only in half of the hours: 0.5 x 1.25 < 1 */
	close_to(p.commit_hour, 4, 1e-6);
	close_to(p.covered_hour, 8, 1e-6);
	close_to(p.saving_hour, 4, 1e-6);
	close_to(p.utilisation_frac, 1, 1e-6);
	close_to(p.coverage_frac, 16.0 / 26, 1e-6);
	assert_int_equal(
		savings_plan_best(&(struct savings_plan_ask){ 2, 2, demand, od, rate, 0.4 }, &p,
				  &err),
		0);
	close_to(p.commit_hour, 0, 0); /* 0.4 x 2 < 1 */
	assert_true(isnan(p.utilisation_frac));
}

static void plan_against_grid(void **state)
{
	uint64_t s = 33;
	for (int k = 0; k < 50; k++) {
		enum { T = 3, H = 40 };
		double demand[T * H], od[T] = { 3, 2, 1 }, rate[T], best = 0;
		for (int i = 0; i < T; i++)
			rate[i] = random_next(&s) % 5
					  ? od[i] * 0.1 * (double)(3 + random_next(&s) % 7)
					  : NAN;
		for (int i = 0; i < T * H; i++)
			demand[i] = (double)(random_next(&s) % 4);
		for (double c = 0; c < 20; c += 0.01) {
			double saved = 0;
			for (int t = 0; t < H; t++) {
				double left = c;
				bool used[T] = { false };
				for (int round = 0; round < T; round++) {
					int b = -1;
					for (int i = 0; i < T; i++)
						if (!used[i] && !isnan(rate[i]) &&
						    (b < 0 ||
						     od[i] / rate[i] > od[b] / rate[b] + 1e-12))
							b = i;
					if (b < 0)
						break;
					used[b] = true;
					double part = fmin(left, demand[b * H + t] * rate[b]);
					saved += part * od[b] / rate[b];
					left -= part;
				}
				saved -= c;
			}
			best = fmax(best, saved / H);
		}
		struct savings_plan p;
		struct err err;
		assert_int_equal(
			savings_plan_best(&(struct savings_plan_ask){ T, H, demand, od, rate, 1 },
					  &p, &err),
			0);
		assert_true(p.saving_hour >= best - 1e-6 && p.saving_hour <= best + 0.05);
	}
}

static void wrong_input(void **state)
{
	double d[2] = { 1, NAN }, fine[2] = { 1, 1 };
	struct portfolio_offer o = { "x", 8760, 0, 0.5 }, bad = { "y", 0, 0, 0.5 };
	struct portfolio_ask a = {
		.demand = fine, .nhour = 2, .on_demand = 1, .upfront_cap = INFINITY
	};
	struct portfolio p;
	struct savings_plan sp;
	struct err err;
	assert_int_equal(portfolio_choose(&a, &bad, 1, &p, &err), -EINVAL);
	a.demand = d;
	assert_int_equal(portfolio_choose(&a, &o, 1, &p, &err), -EINVAL);
	a.demand = fine;
	a.upfront_cap = -1;
	assert_int_equal(portfolio_choose(&a, &o, 1, &p, &err), -EINVAL);
	assert_int_equal(
		savings_plan_best(&(struct savings_plan_ask){ 1, 2, d, fine, fine, 1 }, &sp, &err),
		-EINVAL);
	assert_int_equal(savings_plan_best(&(struct savings_plan_ask){ 1, 2, fine, fine, fine, 0 },
					   &sp, &err),
			 -EINVAL);
	a.upfront_cap = INFINITY;
	assert_int_equal(portfolio_choose(&a, &o, 0, &p, &err), 0);
	assert_int_equal(p.units, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(levels_by_hand),
					    cmocka_unit_test(upfront),
					    cmocka_unit_test(cap_against_all),
					    cmocka_unit_test(other_forecast),
					    cmocka_unit_test(groups),
					    cmocka_unit_test(plan_by_hand),
					    cmocka_unit_test(plan_against_grid),
					    cmocka_unit_test(wrong_input) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
