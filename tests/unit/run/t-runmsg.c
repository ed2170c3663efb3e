#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include "run/runmsg.h"

static void both_ways(void **state)
{
	const char *good[] = { "hello 71 1 4",
			       "step 12",
			       "saving 12 9000000000",
			       "safe 12 000000000012-0000000000000001 40 900 7",
			       "failed 3 no space left",
			       "save - spot",
			       "stop 1732200000123 taken away in 120 s",
			       "save-at 70 - spot",
			       "stop-at 0 1732200000123 x",
			       "price 2740000000" };
	char packet[RUNMSG_MAX];
	struct runmsg m;

	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_int_equal(runmsg_parse(sv_of(good[i]), &m), 0);
		size_t n = runmsg_write(&m, packet);
		assert_int_equal(n, strlen(good[i]));
		assert_memory_equal(packet, good[i], n);
	}
}

static void rubbish(void **state)
{
	const char *bad[] = { "",
			      "safe",
			      "safe 1 x 1 1 1",
			      "hello 1 4 4",
			      "hello 0 0 1",
			      "step -1",
			      "step 1 2",
			      "stop x y",
			      "saving 1 -1",
			      "shout 1",
			      "save-at - x",
			      "stop-at -1 - x",
			      "stop-at 7",
			      "step-at 7",
			      "price",
			      "price -1",
			      "price 2.74" };
	struct runmsg m;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(runmsg_parse(sv_of(bad[i]), &m), -EINVAL);
}

static void text_is_one_line(void **state)
{
	struct runmsg m = { .kind = RUN_FAILED, .step = 1 }, back;
	char packet[RUNMSG_MAX];

	memset(m.text, 'x', sizeof m.text - 1);
	m.text[3] = '\n', m.text[4] = '\x1b';
	size_t n = runmsg_write(&m, packet);
	assert_null(memchr(packet, '\n', n));
	assert_null(memchr(packet, '\x1b', n));
	assert_int_equal(runmsg_parse((struct sv){ packet, n }, &back), 0);
}

/* What ranks elsewhere read: of this attempt alone, and whole. */
static void in_a_file(void **state)
{
	struct runmsg m = { .kind = RUN_STOP,
			    .deadline_ms = 1732200000123,
			    .step = 700,
			    .text = "spot" },
		      got;
	char line[RUNMSG_FILE_MAX];
	size_t n = runmsg_file_write(3, "job.4", &m, line);
	int64_t seq;

	assert_int_equal(runmsg_file_parse((struct sv){ line, n }, "job.4", &seq, &got), 1);
	assert_int_equal(seq, 3);
	assert_true(got.kind == RUN_STOP && got.step == 700 && got.deadline_ms == m.deadline_ms);
	assert_int_equal(runmsg_file_parse((struct sv){ line, n }, "job.3", &seq, &got), 0);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(runmsg_file_parse((struct sv){ line, i }, "job.4", &seq, &got),
				 -EINVAL);
		if (i + 1 == n)
			break;
		line[i] ^= 1;
		assert_true(runmsg_file_parse((struct sv){ line, n }, "job.4", &seq, &got) < 0);
		line[i] ^= 1;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(both_ways), cmocka_unit_test(rubbish),
					    cmocka_unit_test(text_is_one_line),
					    cmocka_unit_test(in_a_file) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
