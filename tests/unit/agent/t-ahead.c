/* The write-ahead: whatever byte a kill tears it at, what was whole before it is read again and the
 * file resumes from there. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "../test_dir.h"
#include "agent/ahead.h"
#include "base/dirfd.h"

static int nseen;
static uint64_t last_seq;

static int seen(void *ctx, enum ahead_type type, uint64_t seq, struct sv payload, struct err *err)
{
	assert_true(type == AHEAD_RAW || type == AHEAD_MINUTE);
	assert_int_equal(payload.n, seq * 3 % 50);
	for (size_t i = 0; i < payload.n; i++)
		assert_int_equal(payload.p[i], (char)('a' + seq % 26));
	nseen++;
	last_seq = seq;
	return 0;
}

static void add(struct ahead *a, uint64_t seq, bool restart)
{
	char text[64];
	struct err err;
	memset(text, (int)('a' + seq % 26), sizeof text);
	struct sv p = { text, seq * 3 % 50 };
	assert_int_equal(restart ? ahead_restart(a, AHEAD_MINUTE, seq, p, &err)
				 : ahead_append(a, AHEAD_RAW, seq, p, &err),
			 0);
}

static void torn_anywhere(void **state)
{
	char path[100];
	struct err err = { 0 };
	struct ahead *a;
	int dir = dir_open(test_dir, &err);
	snprintf(path, sizeof path, "%s/ahead", test_dir);
	assert_int_equal(ahead_open(dir, test_dir, NULL, NULL, &a, &err), 0);
	int64_t ends[12];
	for (uint64_t i = 0; i < 12; i++) {
		add(a, i + 1, false);
		ends[i] = ahead_bytes(a);
	}
	ahead_close(a);
	for (int64_t cut = ends[11]; cut >= 0; cut -= 5) {
		int whole = 0;
		assert_int_equal(truncate(path, cut), 0);
		while (whole < 12 && ends[whole] <= cut)
			whole++;
		nseen = 0;
		assert_int_equal(ahead_open(dir, test_dir, seen, NULL, &a, &err), 0);
		assert_int_equal(nseen, whole);
		assert_int_equal(ahead_bytes(a), whole ? ends[whole - 1] : 0);
		ahead_close(a);
	}
	assert_int_equal(ahead_open(dir, test_dir, NULL, NULL, &a, &err), 0);
	add(a, 20, false);
	add(a, 21, true);
	add(a, 22, false);
	ahead_close(a);
	nseen = 0;
	assert_int_equal(ahead_open(dir, test_dir, seen, NULL, &a, &err), 0);
	assert_int_equal(nseen, 2);
	assert_int_equal(last_seq, 22);
	ahead_close(a);
	close(dir);
}

/* What somebody put in its place is not written through. */
static void links(void **state)
{
	char at[4][100];
	static const char *const name[] = { "victim", "ahead", "ahead.new", "victim2" };
	struct err err = { 0 };
	struct ahead *a;
	struct stat st;
	int dir = dir_open(test_dir, &err);
	for (int i = 0; i < 4; i++)
		snprintf(at[i], sizeof at[i], "%s/%s", test_dir, name[i]);
	assert_int_equal(symlink("victim", at[1]), 0);
	assert_int_equal(ahead_open(dir, test_dir, NULL, NULL, &a, &err), -ELOOP);
	assert_non_null(strstr(err.msg, "ahead' is a symbolic link"));
	assert_int_not_equal(access(at[0], F_OK), 0);
	assert_int_equal(unlink(at[1]), 0);
	assert_int_equal(ahead_open(dir, test_dir, NULL, NULL, &a, &err), 0);
	assert_int_equal(symlink("victim2", at[2]), 0);
	add(a, 1, true);
	assert_int_not_equal(access(at[3], F_OK), 0);
	assert_int_equal(lstat(at[1], &st), 0);
	assert_true(S_ISREG(st.st_mode));
	ahead_close(a);
	close(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(torn_anywhere, fresh_dir, remove_dir),
		cmocka_unit_test_setup_teardown(links, fresh_dir, remove_dir)
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
