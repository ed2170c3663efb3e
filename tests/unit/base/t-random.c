/* splitmix64 against the published numbers, and the ends of what is drawn from its bits. */
#include "test.h"

#include "base/random.h"

static void published(void **state)
{
	/* of seed 1234567; https://rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64 */
	static const uint64_t want[] = { 6457827717110365317u, 3203168211198807973u,
					 9817491932198370423u, 4593380528125082431u,
					 16408922859458223821u };
	uint64_t s = 1234567;

	(void)state;
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		assert_true(random_mix(s) == want[i]);
		assert_true(random_next(&s) == want[i]);
	}
}

static void ends(void **state)
{
	(void)state;
	assert_true(random_frac(0) == 0 && random_frac(UINT64_MAX) < 1);
	assert_true(random_unit(0) > 0 && random_unit(UINT64_MAX) < 1);
	uint64_t s = 1;
	for (int i = 0; i < 1000; i++)
		assert_true(random_below(&s, 7) < 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(published), cmocka_unit_test(ends) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
