/* Whether a run used its GPUs enough, and what is said of it when it has ended. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "profile/profile_after.h"

/* A run on one GPU whose means are these; NAN = not read. */
static struct profile_report used(double util_pct, double sm_frac)
{
	static const struct profile_dev dev, *const one[] = { &dev };
	static struct profile_stat each[1][METRIC_N];
	struct profile_report r = { .ndev = 1,
				    .dev = (const struct profile_dev **)one,
				    .each = each,
				    .judged = { .why = "it is a test" } };

	for (int m = 0; m < METRIC_N; m++)
		r.all[m].mean = NAN;
	r.all[METRIC_GPU_UTIL_PCT].mean = util_pct;
	r.all[METRIC_SM_ACTIVE_FRAC].mean = sm_frac;
	r.judged.verdict = PROFILE_WELL_UTILIZED;
	return r;
}

static enum profile_enough enough(double limit_pct, int exit_code, const struct profile_report *r)
{
	struct profile_after a = { .fail_under_pct = limit_pct };
	struct profile p = { .exit_code = exit_code };

	return profile_after_enough(&a, &p, r);
}

static void the_lower_signal_counts(void **state)
{
	struct profile_report both = used(90, 0.3), util = used(90, NAN), sm = used(NAN, 0.3),
			      none = used(NAN, NAN);

	(void)state;
	assert_int_equal(enough(40, 0, &both), PROFILE_BELOW);
	assert_int_equal(enough(30, 0, &both), PROFILE_ENOUGH); /* not below it */
	assert_int_equal(enough(40, 0, &util), PROFILE_ENOUGH);
	assert_int_equal(enough(40, 0, &sm), PROFILE_BELOW);
	assert_int_equal(enough(40, 0, &none), PROFILE_UNDECIDED);
}

static void only_of_what_can_be_judged(void **state)
{
	struct profile_report r = used(10, NAN), none = { 0 };
	struct profile_after a = { .fail_under_pct = 40 };
	struct profile blind = { .problem = "there is no NVIDIA driver" };

	(void)state;
	assert_int_equal(enough(NAN, 0, &r), PROFILE_NOT_ASKED);
	assert_int_equal(enough(40, 3, &r), PROFILE_NOT_ASKED); /* the command failed */
	r.judged.verdict = PROFILE_TOO_SHORT;
	assert_int_equal(enough(40, 0, &r), PROFILE_UNDECIDED);
	assert_int_equal(enough(40, 0, &none), PROFILE_BELOW); /* no GPU was used */
	assert_int_equal(profile_after_enough(&a, &blind, &none), PROFILE_UNDECIDED);
}

static void what_is_said(void **state)
{
	struct arena mem = { 0 };
	struct rate_ask given = { .instance_type = "p9.huge", .region = "here" };
	struct profile_after a = { .given = &given, .fail_under_pct = 40, .mem = &mem };
	struct profile p = { .command = "train", .node = "n1" };
	struct profile_report r = used(10, NAN);
	struct profile_view v = { &mem, 80, &p, &r, NULL, NULL };
	struct str out = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(profile_after_print(&a, &v, PROFILE_BELOW, OUT_MD, &out, &err), 0);
	assert_non_null(strstr(str_z(&out), "--fail-under 40 %: utilisation is 10.0 %, below it."));
	assert_non_null(strstr(str_z(&out), "no price of the instance type 'p9.huge' as it was"));
	str_clear(&out);
	assert_int_equal(profile_after_print(&a, &v, PROFILE_BELOW, OUT_JSON, &out, &err), 0);
	assert_null(strstr(str_z(&out), "fail-under")); /* a document stays one */
	str_free(&out);
	arena_free(&mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(the_lower_signal_counts),
					    cmocka_unit_test(only_of_what_can_be_judged),
					    cmocka_unit_test(what_is_said) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
