#include <errno.h>
#include "base/tm.h"
#include "opt/capacity/demand.h"
#include "../base/test.h"

static void overlaps(void **state)
{
	struct err e = { 0 };
	struct demand d;
	/* from 00:30: hours begin at half past */
	const struct demand_job j[] = {
		{ 30 * MS_MINUTE, MS_HOUR, 2 }, /* hour 0, to its last instant */
		{ 90 * MS_MINUTE - 1, 2, 3 },   /* hours 0 and 1 */
		{ 3 * MS_HOUR, 0, 5 },          /* no length: hour 2 */
		/* hour 4, the last start: cut there */
		{ 4 * MS_HOUR + 30 * MS_MINUTE, 9 * MS_HOUR, 7 },
	};
	assert_int_equal(demand_of_jobs(4, j, 0, &d, &e), 0);
	assert_int_equal(d.n, 5);
	assert_int_equal(d.from_ms, 30 * MS_MINUTE);
	const int64_t want[] = { 5, 3, 5, 0, 7 };
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(d.units[i], want[i]);
	assert_int_equal(d.outside, 0);
	demand_free(&d);
	assert_int_equal(demand_of_jobs(4, j, 2, &d, &e), 0);
	assert_int_equal(d.outside, 2);
	assert_int_equal(d.units[1], 3);
	demand_free(&d);
}

/* What comes and goes in tenths leaves nothing behind. */
static void fractions(void **state)
{
	struct err e = { 0 };
	struct demand d;
	struct demand_job j[61];
	for (int i = 0; i < 60; i++)
		j[i] = (struct demand_job){ (i % 3) * MS_HOUR, MS_HOUR, 0.1 * (1 + i % 3) };
	j[60] = (struct demand_job){ 4 * MS_HOUR, MS_HOUR, 0.25 };
	assert_int_equal(demand_of_jobs(61, j, 0, &d, &e), 0);
	assert_true(d.units[0] == 2 && d.units[1] == 4 && d.units[2] == 6);
	assert_true(d.units[3] == 0 && d.units[4] == 0.25);
	demand_free(&d);
}

static void before_window(void **state)
{
	struct err e = { 0 };
	struct demand d;
	assert_int_equal(demand_init(&d, 10 * MS_HOUR, 3, &e), 0);
	assert_int_equal(demand_add(&d, &(struct demand_job){ 0, 11 * MS_HOUR, 4 }, &e), 0);
	assert_int_equal(demand_add(&d, &(struct demand_job){ 0, 10 * MS_HOUR, 4 }, &e), 0);
	demand_close(&d);
	assert_int_equal(d.units[0], 4);
	assert_int_equal(d.units[1], 0);
	assert_int_equal(d.outside, 1);
	demand_free(&d);
}

static void rubbish(void **state)
{
	struct err e = { 0 };
	struct demand d;
	assert_int_equal(demand_of_jobs(0, NULL, 0, &d, &e), -ENODATA);
	assert_int_equal(demand_of_jobs(1, &(struct demand_job){ 0, -1, 1 }, 0, &d, &e), -EINVAL);
	assert_int_equal(demand_of_jobs(1, &(struct demand_job){ 0, 1, -1 }, 0, &d, &e), -EINVAL);
	assert_int_equal(demand_of_jobs(1, &(struct demand_job){ 0, INT64_MAX, 1 }, 0, &d, &e),
			 -EINVAL);
	assert_int_equal(demand_of_jobs(1, &(struct demand_job){ INT64_MIN, 1, 1 }, 0, &d, &e),
			 -EINVAL);
	const struct demand_job far[] = { { 0, 1, 1 }, { INT64_MAX / 8, 1, 1 } };
	assert_int_equal(demand_of_jobs(2, far, 0, &d, &e), -EINVAL);
	assert_int_equal(demand_init(&d, 0, 0, &e), -EINVAL);
	assert_true(e.msg[0]);
}

int main(void)
{
	const struct CMUnitTest t[] = { cmocka_unit_test(overlaps), cmocka_unit_test(fractions),
					cmocka_unit_test(before_window),
					cmocka_unit_test(rubbish) };
	return cmocka_run_group_tests(t, NULL, NULL);
}
