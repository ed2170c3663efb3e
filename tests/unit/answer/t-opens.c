/* What one file more would open: over all sets of what may be there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "answer/opens.h"

#define ALL                                                                             \
	(BRINGS_BILL | BRINGS_NODES | BRINGS_JOBS | BRINGS_READINGS | BRINGS_REQUESTS | \
	 BRINGS_PRICES)

static bool shows(const struct opens *o, const char *what)
{
	for (size_t i = 0; i < o->nnow; i++)
		if (!strcmp(o->now[i]->what, what))
			return true;
	return false;
}

/* What is shown needs nothing that is missing, what is proposed is missing, opens what it says, and
 * none opens more than the one before. */
static void every_set(void **state)
{
	for (unsigned has = 0; has <= ALL; has++) {
		struct opens o, more;
		size_t before = SIZE_MAX;
		opens_of(has, &o);
		for (size_t i = 0; i < o.nnow; i++)
			assert_int_equal(o.now[i]->needs & ~has, 0);
		for (size_t i = 0; i < o.nnext; i++) {
			assert_int_equal(has & o.next[i].kind, 0);
			opens_of(has | o.next[i].kind, &more);
			size_t opened = more.nnow - o.nnow;
			assert_true(opened <= before);
			assert_true(!opened || shows(&more, o.next[i].what));
			assert_false(shows(&o, o.next[i].what));
			before = opened;
		}
		/* each kind but prices, which anybody has, is there or proposed */
		unsigned proposed = BRINGS_PRICES;
		for (size_t i = 0; i < o.nnext; i++)
			proposed |= o.next[i].kind;
		assert_int_equal((has | proposed) & ALL, ALL);
	}
}

static void nothing_and_all(void **state)
{
	struct opens o;
	opens_of(0, &o);
	assert_int_equal(o.nnow, 0);
	assert_int_equal(o.nnext, 5);
	opens_of(ALL, &o);
	assert_int_equal(o.nnext, 0);
	opens_of(BRINGS_JOBS, &o);
	assert_int_equal(o.next[0].kind, BRINGS_READINGS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_set),
		cmocka_unit_test(nothing_and_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
