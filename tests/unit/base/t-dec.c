#include <errno.h>

#include "base/dec.h"
#include "base/random.h"
#include "test.h"

static dec of(const char *z)
{
	dec v = 0;
	if (dec_parse(sv_of(z), 0, &v))
		fail_msg("'%s' is not a decimal", z);
	return v;
}

static void check_text(const char *in, unsigned flags, const char *out)
{
	dec v;
	char buf[DEC_BUF];
	int rc = dec_parse(sv_of(in), flags, &v);
	if (rc)
		fail_msg("'%s': %d", in, rc);
	assert_string_equal(dec_format(buf, v), out);
}

static void reads_plain(void **state)
{
	static const char *const pair[][2] = {
		{ "0", "0" },
		{ "-0", "0" },
		{ "-0.000", "0" },
		{ "119.034538", "119.034538" },
		{ "-0.5", "-0.5" },
		{ ".5", "0.5" },
		{ "5.", "5" },
		{ "+12", "12" },
		{ "00012.500", "12.5" },
		{ "20.52022672899", "20.52022672899" },
		{ "1e3", "1000" },
		{ "1.5E-05", "0.000015" },
		{ "2.5e+2", "250" },
		{ "0e999999999999999999", "0" },
		{ "1e-999999999999999999999", "0" },
		{ "0.123456789012345", "0.123456789012" },
		{ "0.0000000000005", "0" },
		{ "0.0000000000015", "0.000000000002" },
		{ "0.0000000000005000000000000000000000000000000000000000000000001",
		  "0.000000000001" },
		{ "0.00000000000049999", "0" },
		{ "99999999999999999999999999.999999999999",
		  "99999999999999999999999999.999999999999" },
		{ "-12345678901234567890.123456789012", "-12345678901234567890.123456789012" },
		{ "0.000000000000000000000000000000000000000000000000001e51", "1" },
		{ "119.03453876543200000000000000000000000000000", "119.034538765432" },
	};
	for (size_t i = 0; i < COUNT(pair); i++)
		check_text(pair[i][0], 0, pair[i][1]);
}

static void refuses(void **state)
{
	static const char *const bad[] = {
		"",      "-",   ".",   "-.",    "e5",    "1e",  "1e+",
		"1,000", " 1",  "1 ",  "$1",    "1.2.3", "--1", "nan",
		"inf",   "0x1", "(1)", "1_000", "1e5.0", "12a", "9999999999999999999a"
	};
	dec v = 42;
	for (size_t i = 0; i < COUNT(bad); i++)
		if (dec_parse(sv_of(bad[i]), 0, &v) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
	static const char *const over[] = { "100000000000000000000000000", "1e26", "-1e26",
					    "99999999999999999999999999.9999999999995",
					    "1e99999999999" };
	for (size_t i = 0; i < COUNT(over); i++)
		assert_int_equal(dec_parse(sv_of(over[i]), 0, &v), -ERANGE);
	assert_int_equal(dec_parse(SV_NULL, DEC_GROUPED, &v), -EINVAL);
	assert_true(v == 42);
}

static void reads_money(void **state)
{
	check_text("$10,000.00 ", DEC_GROUPED, "10000");
	check_text("1,234.5", DEC_GROUPED, "1234.5");
	check_text("1234.5", DEC_GROUPED, "1234.5");
	check_text("-$ 5", DEC_GROUPED, "-5");
	check_text("$-5.25", DEC_GROUPED, "-5.25");
	check_text("\xe2\x82\xac"
		   "12",
		   DEC_GROUPED, "12");
	check_text("12 \xe2\x82\xac", DEC_GROUPED, "12");
	check_text("12 \xc2\xa3", DEC_GROUPED, "12");
	check_text("1,234,567.000001", DEC_GROUPED, "1234567.000001");
	check_text("1234,5", DEC_COMMA, "1234.5");
	check_text("1.234,5", DEC_COMMA | DEC_GROUPED, "1234.5");
	static const char *const bad[] = { "1,5",    "1,23,456", ",123",  "1234,567",
					   "1,,000", "1,000,",   "$$5",   "$",
					   "5 $ $",  "1.000,5",  "- - 5", "12,3456" };
	dec v;
	for (size_t i = 0; i < COUNT(bad); i++)
		if (dec_parse(sv_of(bad[i]), DEC_GROUPED, &v) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
	assert_int_equal(dec_parse(SV("1.234,5"), DEC_COMMA, &v), -EINVAL);
	assert_int_equal(dec_parse(SV("1.5"), DEC_COMMA, &v), -EINVAL);
}

static __int128 random_128(uint64_t *r)
{
	unsigned __int128 u = ((unsigned __int128)random_next(r) << 64) | random_next(r);
	u >>= 1 + random_below(r, 126);
	return random_below(r, 2) ? -(__int128)u : (__int128)u;
}

static void round_trip(void **state)
{
	uint64_t r = 4;
	char buf[DEC_BUF];
	for (int i = 0; i < 200000; i++) {
		dec v = random_128(&r) % DEC_LIMIT, back;
		assert_int_equal(dec_parse(sv_of(dec_format(buf, v)), 0, &back), 0);
		assert_true(v == back);
		assert_int_equal(
			dec_parse(sv_of(dec_format_people(buf, v, 12)), DEC_GROUPED, &back), 0);
		assert_true(v == back);
		assert_true(strlen(buf) < DEC_BUF);
	}
}

static void formats(void **state)
{
	char buf[DEC_BUF];
	assert_string_equal(dec_format_people(buf, of("26990.185"), 2), "26,990.18");
	assert_string_equal(dec_format_people(buf, of("26990.195"), 2), "26,990.20");
	assert_string_equal(dec_format_people(buf, of("-999"), 0), "-999");
	assert_string_equal(dec_format_people(buf, of("-1000"), 0), "-1,000");
	assert_string_equal(dec_format_people(buf, of("1234567.5"), 0), "1,234,568");
	assert_string_equal(dec_format_fixed(buf, of("-0.004"), 2), "0.00");
	assert_string_equal(dec_format_fixed(buf, of("0.005"), 2), "0.00");
	assert_string_equal(dec_format_fixed(buf, of("0.015"), 2), "0.02");
	assert_string_equal(dec_format_fixed(buf, of("3"), 12), "3.000000000000");
	assert_string_equal(dec_format_people(buf, 1 - DEC_LIMIT, 12),
			    "-99,999,999,999,999,999,999,999,999.999999999999");
}

static void nanos(void **state)
{
	assert_true(dec_to_nano(of("1.0000000005")) == 1000000000);
	assert_true(dec_to_nano(of("1.0000000015")) == 1000000002);
	assert_true(dec_to_nano(of("-1.0000000015")) == -1000000002);
	assert_true(nano_to_dec(-5) == of("-0.000000005"));
	assert_true(dec_fits_nano(of("9223372036.854775807")));
	assert_false(dec_fits_nano(of("9223372036.8547758075")));
	assert_false(dec_fits_nano(of("-9223372036.854775808"))); /* stands for unknown */
}

/* What half-even means, checked from its definition: |num - q den| is at most half, and at half q
 * is even. */
static void divides(void **state)
{
	uint64_t r = 5;
	assert_true(div_half_even(5, 2) == 2 && div_half_even(7, 2) == 4 &&
		    div_half_even(-5, 2) == -2 && div_half_even(-7, 2) == -4);
	assert_true(div_half_even(5, 10) == 0 && div_half_even(-15, 10) == -2 &&
		    div_half_even(INT64_MIN, 1) == INT64_MIN);
	for (int i = 0; i < 200000; i++) {
		__int128 num = random_128(&r), den = random_128(&r) >> random_below(&r, 100);
		den = den < 0 ? -den : den;
		if (den == 0)
			den = 1 + (int64_t)random_below(&r, 10);
		/* an exact half */
		if (random_below(&r, 4) == 0 && den < (__int128)1 << 60 && den % 2 == 0)
			num = (__int128)(int64_t)(random_next(&r) >> 5) * den + den / 2;
		__int128 q = div_half_even(num, den), left = num - q * den;
		left = left < 0 ? -left : left;
		assert_true(left <= den - left);
		if (left == den - left)
			assert_true(q % 2 == 0);
	}
}

static void muldivs(void **state)
{
	uint64_t r = 6;
	for (int i = 0; i < 200000; i++) { /* where 127 bits suffice, the plain formula is right */
		dec v = random_128(&r) >> 64;
		int64_t num = (int64_t)(random_next(&r) >> (2 + random_below(&r, 60))),
			den = 1 + (int64_t)(random_next(&r) >> (2 + random_below(&r, 60)));
		assert_true(dec_muldiv(v, num, den) == div_half_even(v * num, den));
	}
	for (int i = 0; i < 100000; i++) { /* v x n / n = v, and halves go to even, however large */
		dec v = random_128(&r) % (DEC_LIMIT / 4);
		int64_t n = 1 + (int64_t)(random_next(&r) >> 2);
		assert_true(dec_muldiv(v, n, n) == v);
		assert_true(dec_muldiv(v, INT64_MAX, INT64_MAX) == v);
		assert_true(dec_muldiv(v, n, n * 2) == div_half_even(v, 2));
		assert_true(dec_muldiv(v, n, 1 + n / 3) == -dec_muldiv(-v, n, 1 + n / 3));
	}
	assert_true(dec_muldiv(DEC_LIMIT - 1, INT64_MAX, 1) == DEC_LIMIT - 1);
	assert_true(dec_muldiv(1 - DEC_LIMIT, 1000, 1) == 1 - DEC_LIMIT);
	assert_true(dec_muldiv(5, 0, 7) == 0);
	assert_true(dec_muldiv(of("3.06"), 3600000, 3600000) == of("3.06"));
}

static void doubles(void **state)
{
	static const char *const text[] = {
		"0",      "0.1",     "-0.1",           "1.2",  "3.06",
		"0.9731", "1234.75", "0.000000000001", "1e25", "-99999"
	};
	uint64_t r = 7;
	for (size_t i = 0; i < COUNT(text); i++) {
		dec v = of(text[i]);
		if (i != 8)
			assert_true(dec_from_double(strtod(text[i], NULL)) == v);
		assert_true(dec_to_double(v) - strtod(text[i], NULL) == 0 || i == 8);
	}
	for (int i = 0; i < 100000; i++) { /* six digits before and nine behind the point survive */
		dec v = (dec)(int64_t)(random_next(&r) % 1000000000000000ULL) * 1000;
		assert_true(div_half_even(dec_from_double(dec_to_double(v)), 1000) * 1000 == v);
	}
	assert_true(dec_from_double(1e300) == DEC_LIMIT - 1);
	assert_true(dec_from_double(-1e300) == 1 - DEC_LIMIT);
	assert_true(dec_from_double(1e-300) == 0);
	assert_true(dec_from_double(-5e-324) == 0);
}

/* Against the definition: floors, then one each to the largest remainders, smaller index first. */
static void check_split(int64_t total, size_t n, const __int128 *w)
{
	int64_t part[64], mirror[64];
	split_largest_remainder(total, n, w, part);
	__int128 sum_w = 0, sum = 0;
	for (size_t i = 0; i < n; i++) {
		sum_w += w[i];
		sum += part[i];
	}
	assert_true(sum == total);
	split_largest_remainder(-total, n, w, mirror);
	for (size_t i = 0; i < n; i++)
		assert_true(mirror[i] == -part[i]);
	if (!sum_w || total < 0)
		return;
	for (size_t i = 0; i < n; i++) {
		__int128 floor_i = (__int128)total * w[i] / sum_w,
			 rest_i = (__int128)total * w[i] % sum_w;
		assert_true(part[i] == floor_i || part[i] == floor_i + 1);
		for (size_t k = 0; k < n; k++) {
			/* who got one had no smaller remainder than who did not */
			__int128 floor_k = (__int128)total * w[k] / sum_w,
				 rest_k = (__int128)total * w[k] % sum_w;
			if (part[i] > floor_i && part[k] == floor_k)
				assert_true(rest_i > rest_k || (rest_i == rest_k && i < k));
		}
	}
}

static void splits(void **state)
{
	uint64_t r = 8;
	for (int i = 0; i < 20000; i++) {
		__int128 w[64];
		size_t n = 1 + random_below(&r, i % 10 ? 12 : 64);
		bool same = random_below(&r, 4) == 0;
		for (size_t k = 0; k < n; k++)
			w[k] = same ? 7
			       : random_below(&r, 5) == 0
				       ? 0
				       : (__int128)(random_next(&r) >> (8 + random_below(&r, 54)));
		int64_t total = (int64_t)(random_next(&r) >> (1 + random_below(&r, 60)));
		check_split(total, n, w);
	}
	__int128 none[3] = { 0 };
	int64_t part[3];
	split_largest_remainder(10, 3, none, part);
	assert_true(part[0] == 10 && part[1] == 0 && part[2] == 0);
	__int128 third[3] = { 1, 1, 1 };
	split_largest_remainder(11, 3, third, part);
	assert_true(part[0] == 4 && part[1] == 4 && part[2] == 3);
	split_largest_remainder(-11, 3, third, part);
	assert_true(part[0] == -4 && part[1] == -4 && part[2] == -3);
	split_largest_remainder(INT64_MIN, 2, third, part);
	assert_true(part[0] == INT64_MIN / 2 && part[1] == INT64_MIN / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_plain), cmocka_unit_test(refuses),
		cmocka_unit_test(reads_money), cmocka_unit_test(round_trip),
		cmocka_unit_test(formats),     cmocka_unit_test(nanos),
		cmocka_unit_test(divides),     cmocka_unit_test(muldivs),
		cmocka_unit_test(doubles),     cmocka_unit_test(splits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
