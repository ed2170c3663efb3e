/* The write-ahead: whatever byte a kill tears it at, what was whole before it is read again and the file goes on from there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "agent/ahead.h"

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
	char path[] = "/tmp/t-ahead-XXXXXX";
	struct err err = { 0 };
	struct ahead *a;
	close(mkstemp(path));
	assert_int_equal(ahead_open(path, NULL, NULL, &a, &err), 0);
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
		assert_int_equal(ahead_open(path, seen, NULL, &a, &err), 0);
		assert_int_equal(nseen, whole);
		assert_int_equal(ahead_bytes(a), whole ? ends[whole - 1] : 0);
		ahead_close(a);
	}
	assert_int_equal(ahead_open(path, NULL, NULL, &a, &err), 0);
	add(a, 20, false);
	add(a, 21, true);
	add(a, 22, false);
	ahead_close(a);
	nseen = 0;
	assert_int_equal(ahead_open(path, seen, NULL, &a, &err), 0);
	assert_int_equal(nseen, 2);
	assert_int_equal(last_seq, 22);
	ahead_close(a);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(torn_anywhere) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
