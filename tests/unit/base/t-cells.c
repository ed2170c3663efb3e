/* What spreadsheets would run is quoted, and taken back exactly. */
#include "base/clean.h"
#include <stdio.h>
#include "test.h"

static void formulas(void **state)
{
	static const char *const run[] = { "=1+1", "+cmd|' /C calc'!A0",
					   "-2+3", "@SUM(A1)",
					   "\tx",  "\r=x",
					   "\n=x", "'=x",
					   "''@x", "'-3",
					   "-a",   "+",
					   "=",    "--1" };
	static const char *const plain[] = { "",      "a=b", "-",    "-3.00", "+3", "12",
					     "-12 %", "'a",  "it's", "a\tb",  "'",  "-1,234.50" };

	for (size_t i = 0; i < COUNT(run); i++)
		assert_true(cell_wants_quote(sv_of(run[i])));
	for (size_t i = 0; i < COUNT(plain); i++)
		assert_false(cell_wants_quote(sv_of(plain[i])));
}

/* All texts of up to five of the characters that matter. */
static void there_and_back(void **state)
{
	static const char set[] = "'=-+@\t1a. ";
	size_t base = sizeof set - 1;

	for (size_t code = 0; code < base * base * base * base * base; code++) {
		char text[8], cell[10];
		size_t n = 0;
		for (size_t c = code; c; c /= base)
			text[n++] = set[c % base];
		text[n] = 0;
		snprintf(cell, sizeof cell, "%s%s", cell_wants_quote(sv_of(text)) ? "'" : "", text);
		struct sv back = cell_plain(sv_of(cell));
		assert_true(sv_is(back, text));
	}
}

static void what_acts(void **state)
{
	static const uint32_t acts[] = { 0,      7,      0x1b,   0x7f,   0x85,  0x9b,
					 0x2028, 0x202a, 0x202e, 0x2066, 0x2069 };
	static const uint32_t plain[] = { ' ', 'a', 0xa0, 0xe9, 0x2027, 0x2065, 0x206a, 0x1f600 };

	for (size_t i = 0; i < COUNT(acts); i++)
		assert_true(char_acts(acts[i]));
	for (size_t i = 0; i < COUNT(plain); i++)
		assert_false(char_acts(plain[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(formulas),
					    cmocka_unit_test(there_and_back),
					    cmocka_unit_test(what_acts) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
