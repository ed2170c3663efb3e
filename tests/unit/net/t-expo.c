#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "net/expo.h"

static struct expo_line l;
static const char *why;

static int parse(const char *z)
{
	return expo_parse(sv_of(z), &l, &why);
}

static void values_and_labels(void **state)
{
	assert_int_equal(parse("m 1"), 1);
	assert_true(l.value == 1 && l.nlabel == 0 && l.t_ms == INT64_MIN && sv_is(l.name, "m"));
	assert_int_equal(parse("a:b_c{x=\"1\", y=\"\",} -2.5e3\t1795000000123"), 1);
	assert_true(l.value == -2500 && l.nlabel == 2 && l.t_ms == 1795000000123);
	assert_true(sv_is(l.label[0].value, "1") && l.label[1].value.n == 0);
	assert_int_equal(parse("m{} +Inf 1795000000.5"), 1);
	assert_true(isinf(l.value) && l.t_ms == 1795000000500);
	assert_int_equal(parse("m NaN 1795000000"), 1);
	assert_true(isnan(l.value) && l.t_ms == 1795000000000);
	assert_int_equal(parse("m_total 5 # {trace=\"x\"} 1 2"), 1);
	assert_true(l.value == 5 && l.t_ms == INT64_MIN);
	assert_int_equal(parse("m 9223372036854775794"), 1);
	assert_true(l.value >= 9223372036854775792.0);
}

static void escapes(void **state)
{
	static const char *const names[] = { "NAME", NULL }, *const none[] = { "zzz", NULL };

	/* as Prometheus 2.42 accepted it */
	assert_int_equal(
		parse("gco_energy_joules_total{gpu=\"GPU-1\",name=\"a\\\"b\\\\c\\nd\",z=\"\\\\\",last=\"p\"} 12.5"),
		1);
	assert_int_equal(l.nlabel, 4);
	assert_true(sv_is(l.label[1].value, "a\"b\\c\nd"));
	assert_true(sv_is(l.label[2].value, "\\"));
	assert_true(sv_is(l.label[3].value, "p"));
	assert_true(sv_is(expo_label(&l, names), "a\"b\\c\nd"));
	assert_null(expo_label(&l, none).p);
}

static void comments_and_rubbish(void **state)
{
	static const char *const bad[] = {
		"1m 1", "{a=\"b\"} 1", "m",          "m{",        "m{a",
		"m{a=", "m{a=\"b",     "m{a=\"b\\",  "m{a=\"b\"", "m{a=\"b\" c=\"d\"} 1",
		"m x",  "m 1 x",       "m{a=\"b\"}", "m 0x1",     "m 1 1e300"
	};

	assert_int_equal(parse(""), 0);
	assert_int_equal(parse("  "), 0);
	assert_int_equal(parse("# EOF"), 0);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		why = NULL;
		if (parse(bad[i]) != -EINVAL || !why)
			fail_msg("taken: %s", bad[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(values_and_labels),
					    cmocka_unit_test(escapes),
					    cmocka_unit_test(comments_and_rubbish) };
	int rc = cmocka_run_group_tests(tests, NULL, NULL);

	expo_line_free(&l);
	return rc;
}
