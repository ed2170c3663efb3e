#include <errno.h>
#include <math.h>
#include "opt/capacity/region.h"
#include "../base/test.h"

#define USD ((int64_t)1000000000)

static const struct region_place places[] = {
	{ "us-east-1", 10 * USD, 0, 0, 20 },
	{ "eu-west-1", 8 * USD, USD / 50, USD / 50, 90 },
	{ "ap-south-1", 5 * USD, USD / 10, USD / 10, NAN },
	{ "us-west-2", 10 * USD, USD / 50, USD / 50, 60 },
	{ "nowhere", -1, 0, 0, 10 },
};

static void rank(struct region_job j, const char *first, int64_t total, struct region_choice *c)
{
	struct err e = { 0 };
	assert_int_equal(region_rank(&j, COUNT(places), places, c, &e), 0);
	assert_string_equal(places[c[0].place].name, first);
	assert_int_equal(c[0].total_nano, total);
}

static void data_weighs(void **state)
{
	struct region_choice c[COUNT(places)];
	struct region_job j = {
		.hours = 100, .units = 1, .home = "us-east-1", .max_latency_ms = NAN
	};
	rank(j, "ap-south-1", 500 * USD, c);
	j.in_gb = 3500; /* 350 there, 70 to Europe */
	rank(j, "ap-south-1", 850 * USD, c);
	assert_int_equal(c[0].move_nano, 350 * USD);
	j.in_gb = 4500;
	rank(j, "eu-west-1", 890 * USD, c);
	j.out_gb = 6000; /* and 120 back */
	rank(j, "us-east-1", 1000 * USD, c);
	assert_int_equal(c[COUNT(places) - 1].state, REGION_NO_PRICE);
}

static void only_where_allowed(void **state)
{
	static const char *const eu[] = { "eu-*" };
	struct region_choice c[COUNT(places)];
	struct region_job j = { .hours = 100,
				.units = 2,
				.home = "us-east-1",
				.max_latency_ms = NAN,
				.allow = eu,
				.nallow = 1 };
	rank(j, "eu-west-1", 1600 * USD, c);
	assert_int_equal(c[1].state, REGION_OK); /* home is always allowed */
	assert_string_equal(places[c[1].place].name, "us-east-1");
	assert_int_equal(c[2].state, REGION_NOT_ALLOWED);
	j.nallow = 0;
	j.max_latency_ms = 70;
	rank(j, "us-east-1", 2000 * USD, c); /* a place of unknown latency is too far */
}

static void unknown_data_stays(void **state)
{
	struct region_choice c[COUNT(places)];
	struct region_job j = {
		.hours = 100, .units = 1, .home = "us-east-1", .max_latency_ms = NAN, .in_gb = NAN
	};
	rank(j, "us-east-1", 1000 * USD, c);
	for (size_t i = 1; i < COUNT(places); i++)
		assert_true(c[i].state == REGION_DATA_UNKNOWN || c[i].state == REGION_NO_PRICE);
}

static void break_even(void **state)
{
	struct region_job j = { .hours = 100, .units = 1, .in_gb = 1, .home = "us-east-1" };
	assert_true(fabs(region_break_even_gb(&j, &places[0], &places[1]) - 10000) < 1e-6);
	assert_true(region_break_even_gb(&j, &places[0], &places[3]) == 0);
	assert_true(isinf(region_break_even_gb(&j, &places[1],
					       &(struct region_place){ "free", USD, 0, 0, NAN })));
}

static void rubbish(void **state)
{
	struct region_choice c[COUNT(places)];
	struct err e = { 0 };
	struct region_job j = {
		.hours = NAN, .units = 1, .home = "us-east-1", .max_latency_ms = NAN
	};
	assert_int_equal(region_rank(&j, COUNT(places), places, c, &e), -EINVAL);
	j.hours = 1;
	j.in_gb = -5;
	assert_int_equal(region_rank(&j, COUNT(places), places, c, &e), -EINVAL);
	j.in_gb = 1e300;
	assert_int_equal(region_rank(&j, COUNT(places), places, c, &e), -EINVAL);
	j = (struct region_job){
		.hours = 1e7, .units = 1000000, .home = "x", .max_latency_ms = NAN, .in_gb = 1e12
	};
	/* more than an amount can hold: not chosen */
	assert_int_equal(region_rank(&j, COUNT(places), places, c, &e), 0);
	assert_int_equal(c[0].state, REGION_DATA_UNKNOWN);
}

static void shifts_with_the_clock(void **state)
{
	int64_t p[24], r[24];
	for (int i = 0; i < 24; i++)
		p[i] = i;
	region_shift(p, 9 * 3600, r); /* Tokyo */
	assert_int_equal(r[0], 9);
	assert_int_equal(r[20], 5);
	region_shift(p, -8 * 3600, r);
	assert_int_equal(r[0], 16);
	region_shift(p, -12600, r); /* -3:30 */
	assert_int_equal(r[4], 0);
}

int main(void)
{
	const struct CMUnitTest t[] = { cmocka_unit_test(data_weighs),
					cmocka_unit_test(only_where_allowed),
					cmocka_unit_test(unknown_data_stays),
					cmocka_unit_test(break_even),
					cmocka_unit_test(rubbish),
					cmocka_unit_test(shifts_with_the_clock) };
	return cmocka_run_group_tests(t, NULL, NULL);
}
