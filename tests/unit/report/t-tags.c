/* What part of the cost has the required tags. */
#include "cells.h"
#include <jansson.h>
#include "report/tags.h"

static char *print(enum out_format f)
{
	/* by the tag, team, user, node */
	const struct report_cell c[] = {
		gpu(DIMS("yes", "a", "u", "n1"), STATE_BUSY, H(30), "1", "USD"),
		gpu(DIMS("", "b", "v", "n1"), STATE_BUSY, H(6), "1", "USD"),
		gpu(DIMS("", "", "w", "n1"), STATE_IDLE_HELD, H(3), "1", "USD"),
		gpu(DIMS("", "", "", "n2"), STATE_UNALLOCATED, H(1), "1", "USD"),
		gpu(DIMS("no", "a", "u", "n1"), STATE_BUSY, H(1), "1", "EUR"),
	};
	const struct tags_one tag = { "tag:cost-center", c, 5 };
	struct tags_in in = { .of.tag = &tag,
			      .of.ntag = 1,
			      .of.configured = true,
			      .since_ms = T0,
			      .until_ms = T0 + MS_DAY,
			      .basis = BASIS_EFFECTIVE,
			      .width = 80,
			      .limit = 2 };
	struct str out = { 0 };
	struct err err = { 0 };
	if (tags_print(&in, f, &out, &err) < 0)
		fail_msg("%s", err.msg);
	return out.p;
}

static void table(void **st)
{
	(void)st;
	char *t = print(OUT_TABLE);
	expect(t,
	       "1 day to 2024-10-01 · effective cost · required tags\n"
	       "\n"
	       "tag                   has it  cost without  GPU·h without  largest without  cost\n"
	       "tag:cost-center  USD    75 %         10.00           10.0  b/v              6.00\n"
	       "                                                           w                3.00\n"
	       "tag:cost-center  EUR   100 %          0.00          0.000\n");
	free(t);
}

static void json(void **st)
{
	(void)st;
	char *t = print(OUT_JSON);
	json_t *j = json_loads(t, JSON_REJECT_DUPLICATES, NULL), *x;
	assert_non_null(j);
	x = json_array_get(json_object_get(j, "tags"), 0);
	assert_string_equal(json_string_value(json_object_get(x, "cost_with")), "30");
	assert_string_equal(json_string_value(json_object_get(x, "cost_without")), "10");
	assert_true(json_real_value(json_object_get(x, "with_frac")) == 0.75);
	x = json_object_get(x, "largest_without");
	assert_int_equal(json_array_size(x), 2);
	assert_string_equal(json_string_value(json_object_get(json_array_get(x, 1), "user")), "w");
	assert_true(json_is_null(json_object_get(json_array_get(x, 1), "team")));
	json_decref(j);
	free(t);
	t = print(OUT_CSV);
	assert_non_null(strstr(t, "tag:cost-center,USD,30,10,108000,36000\n"));
	free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(table), cmocka_unit_test(json) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
