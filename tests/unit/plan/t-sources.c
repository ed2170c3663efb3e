/* Where the window of a plan begins when what tells of machines begins at different times. */
#include "plan/fleet/fleet_sources.h"
#include "base/tm.h"
#include "../base/test.h"

#define DAY(n) ((n)*MS_DAY)

/* GPUs of a source from one day to another. */
static struct gpu_source source(const char *name, int from, int to, int gpus)
{
	return (struct gpu_source){ name, DAY(from), DAY(to), DAY(to - from) * gpus };
}

static struct sources_start start_of(const struct gpu_source *v, size_t n)
{
	struct sources_start at;

	sources_start(v, n, DAY(0), DAY(124), &at);
	return at;
}

static void all_from_the_begin(void **state)
{
	const struct gpu_source v[] = { source("aws", 0, 124, 8), source("gcp", 1, 124, 8) };
	struct sources_start at = start_of(v, 2);

	(void)state;
	assert_int_equal(at.from_ms, 0); /* a day is within a hundredth of it */
	assert_null(at.first);
	assert_null(at.late);
	assert_int_equal(start_of(v, 0).from_ms, 0);
}

static void lines_before_all_machines(void **state)
{
	const struct gpu_source v[] = { source("gcp", 110, 124, 8) };
	struct sources_start at = start_of(v, 1);

	(void)state;
	assert_int_equal(at.from_ms, DAY(110));
	assert_ptr_equal(at.first, &v[0]);
	assert_null(at.late);
}

static void last_source_that_leaves_weeks(void **state)
{
	const struct gpu_source v[] = { source("gcp", 82, 124, 8), source("nebius", 62, 123, 16),
					source("onprem", 0, 124, 32) };
	struct sources_start at = start_of(v, 3);

	(void)state;
	assert_int_equal(at.from_ms, DAY(82));
	assert_ptr_equal(at.first, &v[0]);
	assert_null(at.late);
}

static void little_or_short_is_told(void **state)
{
	/* a fiftieth of the GPUs; many of them, but not nine of ten, for two weeks */
	const struct gpu_source few[] = { source("aws", 0, 124, 50), source("gcp", 60, 124, 1) };
	const struct gpu_source brief[] = { source("aws", 0, 124, 50),
					    source("gcp", 110, 124, 40) };
	const struct gpu_source most[] = { source("aws", 0, 124, 50),
					   source("gcp", 110, 124, 600) };

	(void)state;
	assert_int_equal(start_of(few, 2).from_ms, 0);
	assert_ptr_equal(start_of(few, 2).late, &few[1]);
	assert_int_equal(start_of(brief, 2).from_ms, 0);
	assert_ptr_equal(start_of(brief, 2).late, &brief[1]);
	assert_int_equal(start_of(most, 2).from_ms, DAY(110));
}

static void one_that_left_is_none_of_today(void **state)
{
	const struct gpu_source v[] = { source("aws", 0, 124, 8), source("lambda", 40, 42, 80) };
	struct sources_start at = start_of(v, 2);

	(void)state;
	assert_int_equal(at.from_ms, 0);
	assert_null(at.late);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_from_the_begin),
		cmocka_unit_test(lines_before_all_machines),
		cmocka_unit_test(last_source_that_leaves_weeks),
		cmocka_unit_test(little_or_short_is_told),
		cmocka_unit_test(one_that_left_is_none_of_today),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
