#include "base/near.h"
#include "test.h"

static void finds(void **state)
{
	static const char *const list[] = { "import", "report", "price", "plan", "demo", "doctor" };
	assert_string_equal(near_word("improt", list, COUNT(list)), "import");
	assert_string_equal(near_word("reprot", list, COUNT(list)), "report");
	assert_string_equal(near_word("PLAN", list, COUNT(list)), "plan");
	assert_string_equal(near_word("plna", list, COUNT(list)), "plan");
	assert_string_equal(near_word("prices", list, COUNT(list)), "price");
	assert_null(near_word("zebra", list, COUNT(list)));
	assert_null(near_word("", list, COUNT(list)));
	assert_null(near_word("x", list, COUNT(list)));
	assert_null(near_word("plan", list, 0));
	char big[200];
	memset(big, 'a', sizeof big - 1);
	big[sizeof big - 1] = 0;
	const char *const one[] = { big };
	assert_null(near_word(big, list, COUNT(list)));
	assert_null(near_word("aaaa", one, 1));
	static const char *const tie[] = { "cat", "car" };
	assert_string_equal(near_word("caz", tie, 2), "cat");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(finds) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
