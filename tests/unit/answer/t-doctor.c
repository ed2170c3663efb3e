/* The doctor's checks of what is there without a machine or a store. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "answer/doctor.h"

static int64_t no_clock(void)
{
	return 0;
}

static const struct doctor_check *check_of(const struct doctor *d, const char *what)
{
	for (size_t i = 0; i < d->n; i++)
		if (!strcmp(d->check[i].what, what))
			return &d->check[i];
	fail_msg("no check of '%s'", what);
	return NULL;
}

static void no_store_yet_is_no_fault(void **state)
{
	struct arena mem = { 0 };
	struct doctor_ask q = { .ask.mem = &mem, .store_code = -ENOENT, .mono_ms = no_clock };
	struct doctor d;

	(void)state;
	err_set(&q.why, -ENOENT, "there is no store in 'x'");
	err_hint(&q.why, "Bring in a bill");
	answer_doctor(&q, &d);
	assert_false(d.bad);
	assert_true(check_of(&d, "catalogue")->ok);
	assert_null(check_of(&d, "catalogue")->next);
	assert_string_equal(check_of(&d, "configuration")->is, "defaults (no file)");
	assert_false(check_of(&d, "store")->ok);
	assert_string_equal(check_of(&d, "store")->is, "there is no store in 'x'");
	assert_string_equal(check_of(&d, "store")->next, "Bring in a bill");

	q.store_code = -EIO;
	answer_doctor(&q, &d);
	assert_true(d.bad);
	arena_free(&mem);
}

static void checks_stay_in_order(void **state)
{
	struct arena mem = { 0 };
	struct doctor_ask q = { .ask.mem = &mem };
	struct doctor d = { 0 };

	(void)state;
	for (int i = 0; i < 100; i++)
		doctor_add(&q, &d, i % 2, arena_printf(&mem, "%d", i), "", "");
	assert_int_equal(d.n, 100);
	assert_string_equal(d.check[0].what, "0");
	assert_string_equal(d.check[99].what, "99");
	assert_true(d.check[99].ok);
	assert_null(d.check[99].next);
	arena_free(&mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_store_yet_is_no_fault),
		cmocka_unit_test(checks_stay_in_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
