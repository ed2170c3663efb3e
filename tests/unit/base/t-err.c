#include <errno.h>

#include "base/err.h"
#include "test.h"

static void sets_and_prefixes(void **state)
{
	struct err e;
	assert_int_equal(err_set(&e, -EINVAL, "line %d: bad", 3), -EINVAL);
	assert_string_equal(e.msg, "line 3: bad");
	assert_string_equal(e.hint, "");
	err_hint(&e, "see '%s'", "x");
	err_prefix(&e, "cannot import '%s'", "a.csv");
	assert_string_equal(e.msg, "cannot import 'a.csv': line 3: bad");
	assert_string_equal(e.hint, "see 'x'");
	err_set(&e, -EIO, "again: %s", e.msg);
	assert_string_equal(e.msg, "again: cannot import 'a.csv': line 3: bad");
	assert_string_equal(e.hint, "");
	assert_int_equal(err_nomem(&e), -ENOMEM);
	err_clear(&e);
	assert_string_equal(e.msg, "");
}

static void null_is_allowed(void **state)
{
	assert_int_equal(err_set(NULL, -EIO, "x"), -EIO);
	assert_int_equal(err_nomem(NULL), -ENOMEM);
	err_hint(NULL, "x");
	err_prefix(NULL, "x");
	err_clear(NULL);
}

/* Cut inside a three-byte character, at each of its bytes. */
static void cuts_at_a_character(void **state)
{
	for (int pad = 0; pad < 3; pad++) {
		char text[3000];
		struct err e;
		memset(text, 'x', (size_t)pad);
		for (int i = 0; i < 900; i++)
			memcpy(text + pad + i * 3, "\xe2\x82\xac", 4);
		err_set(&e, -1, "%s", text);
		size_t n = strlen(e.msg);
		assert_true(n <= sizeof e.msg - 1 && n >= sizeof e.msg - 4);
		assert_int_equal((n - (size_t)pad) % 3, 0);
		err_prefix(&e, "%s", "p");
		n = strlen(e.msg);
		assert_true(n < sizeof e.msg && (n - 3 - (size_t)pad) % 3 == 0);
		err_hint(&e, "%s", text);
		assert_int_equal((strlen(e.hint) - (size_t)pad) % 3, 0);
		err_prefix(&e, "%s", text);
		assert_true(strlen(e.msg) < sizeof e.msg);
	}
}

/* What a server or a file said cannot reach a terminal through an error. */
static void tames(void **state)
{
	struct err e = { 0 };

	err_set(&e, -1, "'%s' answered",
		"\033]0;owned\007\033[2J\r\n\tx\x9b"
		"31m\xc2\x9b"
		"1m \xc3\xa9\xff\x7f");
	assert_string_equal(e.msg, "'?]0;owned??[2J   x?31m??1m \xc3\xa9?"
				   "?' answered");
	err_hint(&e, "one\n%s", "two\033[2J");
	assert_string_equal(e.hint, "one\ntwo?[2J");
	err_prefix(&e, "in \033%d", 1);
	assert_non_null(strstr(e.msg, "in ?1: '"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(sets_and_prefixes),
					    cmocka_unit_test(null_is_allowed),
					    cmocka_unit_test(cuts_at_a_character),
					    cmocka_unit_test(tames) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
