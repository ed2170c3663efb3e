/* A folder of its own for each test: cmocka_unit_test_setup_teardown(f, fresh_dir, remove_dir).
 * Where there is not more to set up: tests of cmocka, included after it. */
#ifndef TEST_DIR_H
#define TEST_DIR_H
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char test_dir[64];

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

static __attribute__((unused)) int fresh_dir(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(test_dir, sizeof test_dir, "%.40s/tare-test-XXXXXX",
		 tmp && *tmp && strlen(tmp) <= 40 ? tmp : "/tmp");
	return mkdtemp(test_dir) ? 0 : -1;
}

static __attribute__((unused)) int remove_dir(void **state)
{
	(void)state;
	nftw(test_dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return 0;
}

#endif
