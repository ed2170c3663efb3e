#include "base/dec.h"
#include "base/percent.h"
#include "test.h"

static void words(void **state)
{
	static const struct {
		int64_t part, whole, units;
		const char *text;
	} one[] = {
		{ 1, 1000, PERCENT_UNITS, "<1 %" },
		{ 999, 1000, PERCENT_UNITS, ">99 %" },
		{ 1000, 1000, PERCENT_UNITS, "100 %" },
		{ 0, 1000, PERCENT_UNITS, "0 %" },
		{ 0, 0, PERCENT_UNITS, "-" },
		{ 5, -1, PERCENT_UNITS, "-" },
		{ 5, 1000, PERCENT_UNITS, "1 %" },
		{ -5, 1000, PERCENT_UNITS, "-1 %" },
		{ -1, 1000, PERCENT_UNITS, ">-1 %" },
		{ 1100, 1000, PERCENT_UNITS, "110 %" },
		{ 1, 3, PERCENT_TENTHS, "33.3 %" },
		{ 1, 10000, PERCENT_TENTHS, "<0.1 %" },
		{ 9999, 10000, PERCENT_TENTHS, ">99.9 %" },
		{ 1, 1, PERCENT_TENTHS, "100.0 %" },
		{ 4000000, 1, PERCENT_UNITS, "-" },
	};
	char buf[PERCENT_BUF];

	for (size_t i = 0; i < COUNT(one); i++) {
		int64_t n = percent_alone(one[i].part, one[i].whole, one[i].units);
		assert_string_equal(percent_text(buf, n, one[i].units, one[i].part, one[i].whole),
				    one[i].text);
	}
}

/* What plain rounding gets wrong: 33 + 33 + 33 and 17 + 17 + 17 + 17 + 17 + 17. */
static void splits(void **state)
{
	static const __int128 third[] = { 1, 1, 1 }, sixth[] = { 1, 1, 1, 1, 1, 1 },
			      credit[] = { 115, -15 }, most[] = { 996, 2, 2 };
	int64_t n[6];

	percent_split(3, 3, third, PERCENT_UNITS, n);
	assert_true(n[0] == 34 && n[1] == 33 && n[2] == 33);
	percent_split(6, 6, sixth, PERCENT_UNITS, n);
	assert_true(n[0] + n[1] + n[2] + n[3] + n[4] + n[5] == 100);
	percent_split(100, 2, credit, PERCENT_UNITS, n);
	assert_true(n[0] == 115 && n[1] == -15);
	percent_split(1000, 3, most, PERCENT_UNITS, n);
	assert_true(n[0] == 100 && n[1] == 0 && n[2] == 0);
	percent_split(6, 3, third, PERCENT_UNITS, n); /* half of it has no name */
	assert_true(n[0] == 17 && n[1] == 17 && n[2] == 16);
	percent_split(0, 3, third, PERCENT_UNITS, n);
	assert_true(n[0] == PERCENT_NONE && n[2] == PERCENT_NONE);
}

static uint64_t draw(uint64_t *s)
{
	*s = *s * 6364136223846793005ULL + 1442695040888963407ULL;
	return *s >> 11;
}

/* Up to nine parts of all sizes, some 0, some negative, some with a nameless rest. */
static __int128 draw_parts(uint64_t *seed, size_t n, __int128 *part)
{
	__int128 scale = (__int128)1 << (draw(seed) % 64), sum = 0;
	bool credits = draw(seed) % 4 == 0;

	for (size_t i = 0; i < n; i++) {
		part[i] = draw(seed) % 5 ? (__int128)(draw(seed) % 100000) * scale : 0;
		if (credits && draw(seed) % 3 == 0)
			part[i] = -part[i];
		sum += part[i];
	}
	return sum + (draw(seed) % 2 ? 0 : (__int128)(draw(seed) % 1000) * scale);
}

static void adds_up(void **state)
{
	uint64_t seed = 7;
	size_t told = 0;

	for (int round = 0; round < 200000; round++) {
		size_t n = 1 + draw(&seed) % 9;
		int64_t units = draw(&seed) % 2 ? PERCENT_UNITS : PERCENT_TENTHS, got[11], sum = 0;
		__int128 part[11], whole = draw_parts(&seed, n, part);

		part[n] = whole; /* the nameless rest as a part of its own */
		for (size_t i = 0; i < n; i++)
			part[n] -= part[i];
		percent_split(whole, n + 1, part, units, got);
		if (got[0] == PERCENT_NONE)
			continue;
		told++;
		for (size_t i = 0; i <= n; i++) {
			__int128 off = (__int128)got[i] * whole - part[i] * units;
			assert_true(off < whole && -off < whole);
			assert_true(part[i] || !got[i]);
			sum += got[i];
		}
		assert_true(sum == units);
	}
	assert_true(told > 150000);
}

/* Amounts near the largest that a bill may have. */
static void large(void **state)
{
	__int128 part[] = { DEC_LIMIT / 3, DEC_LIMIT / 3, DEC_LIMIT - 2 * (DEC_LIMIT / 3) };
	int64_t n[3];

	percent_split(DEC_LIMIT, 3, part, PERCENT_UNITS, n);
	assert_true(n[0] + n[1] + n[2] == 100);
	assert_true(percent_alone(DEC_LIMIT / 2, DEC_LIMIT, PERCENT_UNITS) == 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(words), cmocka_unit_test(splits),
					    cmocka_unit_test(adds_up), cmocka_unit_test(large) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
