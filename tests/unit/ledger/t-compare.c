/* The parts of a difference: by hand, and that they add up whatever the numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>

#include "ledger/compare.h"
#include "model/model.h"

static const int64_t same_hours[2] = { 100, 100 };

static dec sum_of(const struct compare_parts *p)
{
	dec sum = 0;

	for (int i = 0; i < COMPARE_PARTS; i++)
		sum += p->known[i] ? p->part[i] : 0;
	return sum;
}

/* 24 h of one GPU at 1 $, used at 10 %; then 11 h of it and 72 h of another at 0.5 $, all busy. */
static void by_hand(void **state)
{
	struct compare_side side[2] = { { 24 * DEC_ONE, 24 * 3600000LL, 8640000, 0 },
					{ 47 * DEC_ONE, 83 * 3600000LL, 83 * 3600000LL, DEC_ONE } };
	struct compare_class k[] = { { { 24 * DEC_ONE, 11 * DEC_ONE },
				       { 24 * 3600000LL, 11 * 3600000LL } },
				     { { 0, 36 * DEC_ONE }, { 0, 72 * 3600000LL } } };
	struct compare_parts p;

	assert_int_equal(compare_row(side, same_hours, k, 2, &p), 0);
	assert_true(p.part[COMPARE_VOLUME] == 806 * DEC_ONE);
	assert_true(p.part[COMPARE_EFFICIENCY] == -747 * DEC_ONE);
	assert_true(p.part[COMPARE_MIX] == -36 * DEC_ONE);
	assert_true(p.part[COMPARE_PRICE] == 0);
	assert_true(p.part[COMPARE_OTHER] == DEC_ONE);
	side[0].busy_ms = UNKNOWN_I64; /* nobody read it: hours instead of work */
	assert_int_equal(compare_row(side, same_hours, k, 2, &p), 0);
	assert_false(p.known[COMPARE_EFFICIENCY]);
	assert_true(p.part[COMPARE_VOLUME] == 59 * DEC_ONE);
	assert_true(sum_of(&p) == p.difference);
}

/* Rows of one window, other hours, credits. */
static void edges(void **state)
{
	struct compare_side none = { 0, 0, UNKNOWN_I64, 0 };
	struct compare_side some = { 10 * DEC_ONE, 3600000, 3600000, 3 };
	struct compare_class k = { { 0, 10 * DEC_ONE }, { 0, 3600000 } };
	struct compare_parts p;
	int64_t more[2] = { 3, 1 };

	assert_int_equal(compare_row((struct compare_side[]){ none, some }, same_hours, &k, 1, &p),
			 0);
	assert_true(p.part[COMPARE_VOLUME] == 10 * DEC_ONE && p.part[COMPARE_OTHER] == 3);
	k = (struct compare_class){ { 10 * DEC_ONE, 0 }, { 3600000, 0 } };
	assert_int_equal(compare_row((struct compare_side[]){ some, none }, more, &k, 1, &p), 0);
	assert_true(p.before == 3333333333334); /* (10 + 3 x 10^-12) / 3 */
	assert_true(p.difference == -p.before && sum_of(&p) == p.difference);
	some = (struct compare_side){ -DEC_ONE, 0, UNKNOWN_I64, 0 }; /* a credit without any time */
	assert_int_equal(
		compare_row((struct compare_side[]){ none, some }, same_hours, NULL, 0, &p), 0);
	assert_true(p.part[COMPARE_OTHER] == -DEC_ONE && p.part[COMPARE_VOLUME] == 0);
}

static uint64_t seed = 7;
static int64_t any(int64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)((seed >> 20) % (uint64_t)n);
}

static void adds_up(void **state)
{
	for (int i = 0; i < 20000; i++) {
		struct compare_side side[2] = { 0 };
		struct compare_class k[3] = { 0 };
		int64_t hours[2] = { 1 + any(9000), 1 + any(9000) };
		struct compare_parts p;
		for (int w = 0; w < 2; w++) {
			for (int c = 0; c < 3; c++) {
				k[c].gpu_ms[w] = any(3) ? any(1000000000) : 0;
				k[c].cost[w] = (dec)any(1000000000000) * (any(5) ? 1000 : -1);
				side[w].gpu_ms += k[c].gpu_ms[w];
				side[w].cost += k[c].cost[w];
			}
			side[w].busy_ms = any(4) ? any(side[w].gpu_ms + 1) : UNKNOWN_I64;
			side[w].other = any(1000000007);
		}
		assert_int_equal(compare_row(side, hours, k, 3, &p), 0);
		assert_true(sum_of(&p) == p.difference && p.difference == p.now - p.before);
		assert_true(p.now == side[1].cost + side[1].other);
	}
}

static void too_large(void **state)
{
	struct compare_side side[2] = { { DEC_LIMIT - 1, 1, 1, 0 }, { 0, 1000, 1000, 0 } };
	struct compare_class k = { { DEC_LIMIT - 1, 0 }, { 1, 1000 } };
	struct compare_parts p;

	assert_int_equal(compare_row(side, same_hours, &k, 1, &p), -ERANGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(edges),
		cmocka_unit_test(adds_up),
		cmocka_unit_test(too_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
