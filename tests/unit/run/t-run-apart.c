/* Each task of a Slurm array has a folder and a place in the store of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include "run/run_apart.h"

static void check(const char *store, const char *task, const char *want_dir, const char *want_store)
{
	struct run_opt o = { .dir = "ck", .store = store };
	struct arena mem = { 0 };
	struct err err;

	assert_int_equal(run_apart(&o, task, &mem, &err), 0);
	assert_string_equal(o.dir, want_dir);
	if (want_store)
		assert_string_equal(o.store, want_store);
	else
		assert_null(o.store);
	arena_free(&mem);
}

static void below_what_is_named(void **state)
{
	check(NULL, "7", "ck/task-7", NULL);
	check("/mnt/x", "7", "ck/task-7", "/mnt/x/task-7");
	check("/mnt/x/", "7", "ck/task-7", "/mnt/x/task-7");
	check("/mnt/a?b", "7", "ck/task-7", "/mnt/a?b/task-7");
	check("s3://b/k?region=eu", "7", "ck/task-7", "s3://b/k/task-7?region=eu");
	check("cmd:put task7", "7", "ck/task-7", "cmd:put task7");
}

static void no_array(void **state)
{
	check("/mnt/x", NULL, "ck", "/mnt/x");
	check("/mnt/x", "", "ck", "/mnt/x");
	check("/mnt/x", "7a", "ck", "/mnt/x");
	check("/mnt/x", "12345678901", "ck", "/mnt/x");
}

static void same_place(void **state)
{
	struct run_opt o = { .dir = "ck", .store = "cmd:put" };
	struct arena mem = { 0 };
	struct err err;

	assert_int_equal(run_apart(&o, "7", &mem, &err), -EINVAL);
	assert_string_equal(o.dir, "ck");
	arena_free(&mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(below_what_is_named),
		cmocka_unit_test(no_array),
		cmocka_unit_test(same_place),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
