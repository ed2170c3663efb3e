/* Rows of one file that tell of the same allocation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "book/repeats.h"

static void add(struct repeats *r, const char *job, const char *node, const char *gpus,
		int64_t start_ms, int mig)
{
	struct allocation a = { .job_id = sv_of(job),
				.node = sv_of(node),
				.gpu_ids = sv_of(gpus),
				.start_ms = start_ms,
				.mig_start = mig };

	repeats_add(r, &a);
}

static void what_makes_it_the_same(void **state)
{
	struct repeats r = { 0 };

	assert_int_equal(repeats_count(&r), 0);
	add(&r, "1", "n", "0;1", 5, -1);
	add(&r, "2", "n", "0;1", 5, -1);
	add(&r, "1", "m", "0;1", 5, -1);
	add(&r, "1", "n", "2;3", 5, -1);
	add(&r, "1", "n", "0;1", 6, -1);
	add(&r, "1", "n", "0;1", 5, 4);
	/* what ends one text does not begin the next */
	add(&r, "1n", "", "0;1", 5, -1);
	add(&r, "", "n", "0;1", 5, -1);
	add(&r, "", "n", "0;1", 5, -1); /* nobody knows whose: not the same */
	assert_int_equal(repeats_count(&r), 0);
	add(&r, "1", "n", "0;1", 5, -1);
	add(&r, "1", "n", "0;1", 5, -1);
	assert_int_equal(repeats_count(&r), 2);
	repeats_free(&r);
	assert_int_equal(repeats_count(&r), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(what_makes_it_the_same) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
