/* Two machines of one name: when their times meet, and that a machine told hour by hour is one
 * interval. */
#include "../base/test.h"

#include <errno.h>

#include "base/tm.h"
#include "book/twins.h"

#define HOUR(h) (1790000640000 / MS_DAY * MS_DAY + (int64_t)(h)*MS_HOUR)
#define OPEN    -1

static int add(struct twins *t, const char *cluster, int from, int to)
{
	struct err err = { 0 };
	struct node n = { .node = SV("n-1"),
			  .cluster = sv_of(cluster),
			  .from_ms = HOUR(from),
			  .to_ms = to == OPEN ? UNKNOWN_MS : HOUR(to) };
	int r = twins_add(t, &n, &err);

	if (r < 0)
		assert_has(err.msg, "'n-1'");
	return r;
}

/* A year of hours, forwards and backwards. */
static void many_records_are_one_interval(void **state)
{
	struct twins t = { 0 };

	(void)state;
	for (int h = 100; h < 8860; h++)
		assert_int_equal(add(&t, "a", h, h + 1), 0);
	for (int h = 99; h >= 50; h--)
		assert_int_equal(add(&t, "a", h, h + 1), 0);
	assert_int_equal(t.v.n, 1);
	assert_true(t.v.v[0].from_ms == HOUR(50) && t.v.v[0].to_ms == HOUR(8860));
	assert_int_equal(add(&t, "a", 200, 210), 0); /* within it */
	assert_int_equal(t.v.n, 1);
	assert_int_equal(add(&t, "a", 9000, 9001), 0); /* not paid in between */
	assert_int_equal(t.v.n, 2);
	assert_int_equal(add(&t, "b", 8900, 8950), 0);
	twins_free(&t);
}

static void another_cluster_at_the_same_time(void **state)
{
	static const int at[] = { 0, 1, 50, 98, 99 };

	(void)state;
	for (size_t i = 0; i < COUNT(at); i++) {
		struct twins t = { 0 };
		for (int h = 0; h < 100; h++)
			assert_int_equal(add(&t, "a", h, h + 1), 0);
		assert_int_equal(add(&t, "b", at[i], at[i] + 1), -EEXIST);
		assert_int_equal(add(&t, "b", at[i], OPEN), -EEXIST);
		assert_int_equal(add(&t, "", at[i], at[i] + 1), 0); /* nobody's twin */
		twins_free(&t);
	}
}

static void a_machine_that_moved(void **state)
{
	struct twins t = { 0 };

	(void)state;
	for (int h = 0; h < 100; h++)
		assert_int_equal(add(&t, "a", h, h + 1), 0);
	assert_int_equal(add(&t, "b", 100, OPEN), 0); /* from then on */
	assert_int_equal(add(&t, "b", 100, OPEN), 0);
	assert_int_equal(add(&t, "a", 200, OPEN), 0); /* and back, which ends it */
	assert_int_equal(add(&t, "b", 300, 301), 0);
	assert_int_equal(t.v.n, 4);
	assert_int_equal(add(&t, "a", 300, OPEN), -EEXIST);
	twins_free(&t);
}

/* An open record stays by itself: its begin is what a move is told by. */
static void open_records(void **state)
{
	struct twins t = { 0 };

	(void)state;
	assert_int_equal(add(&t, "a", 10, OPEN), 0);
	assert_int_equal(add(&t, "a", 20, OPEN), 0);
	assert_int_equal(add(&t, "b", 20, 21), -EEXIST);
	assert_int_equal(add(&t, "b", 10, OPEN), -EEXIST);
	assert_int_equal(add(&t, "b", 15, 16), 0);
	twins_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(many_records_are_one_interval),
					    cmocka_unit_test(another_cluster_at_the_same_time),
					    cmocka_unit_test(a_machine_that_moved),
					    cmocka_unit_test(open_records) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
