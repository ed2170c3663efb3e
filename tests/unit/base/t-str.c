#include <errno.h>
#include <locale.h>

#include "base/random.h"
#include "base/str.h"
#include "test.h"

static void compares(void **state)
{
	assert_true(sv_eq(SV_NULL, SV("")));
	assert_true(sv_ieq(SV("A100-80gb"), SV("a100-80GB")));
	assert_false(sv_ieq(SV("A100"), SV("A10")));
	assert_true(sv_starts(SV("p4d.24xlarge"), SV("p4d")));
	assert_true(sv_starts(SV("x"), SV("")));
	assert_false(sv_starts(SV("p"), SV("p4")));
	assert_true(sv_ends(SV("a.csv.gz"), SV(".gz")));
	assert_false(sv_ends(SV("gz"), SV(".gz")));
	assert_true(sv_has(SV("abcabd"), SV("abd")));
	assert_true(sv_has(SV_NULL, SV("")));
	assert_false(sv_has(SV_NULL, SV("a")));
	assert_true(sv_ihas(SV("Tesla V100"), SV("tesla v")));
	assert_false(sv_ihas(SV("Tes"), SV("tesla")));
	assert_true(sv_cmp(SV("a"), SV("b")) < 0 && sv_cmp(SV("b"), SV("a")) > 0 &&
		    sv_cmp(SV("a"), SV("ab")) < 0);
	assert_int_equal(sv_cmp(SV_NULL, SV("")), 0);
}

static void cuts(void **state)
{
	struct sv rest, a = sv_cut(SV("a=b=c"), '=', &rest);
	assert_sv(a, "a");
	assert_sv(rest, "b=c");
	a = sv_cut(SV("a="), '=', &rest);
	assert_sv(rest, "");
	a = sv_cut(SV("abc"), '=', &rest);
	assert_sv(a, "abc");
	assert_null(rest.p);
	a = sv_cut(SV_NULL, '=', &rest);
	assert_null(a.p);
	assert_sv(sv_trim(SV(" \t\r\n x y \v\f")), "x y");
	assert_int_equal(sv_trim(SV("   ")).n, 0);
}

/* The obvious recursive definition. */
static bool glob_slow(struct sv t, struct sv p)
{
	if (!p.n)
		return !t.n;
	struct sv pr = { p.p + 1, p.n - 1 }, tr = { t.p + 1, t.n - 1 };
	if (*p.p == '*')
		return glob_slow(t, pr) || (t.n && glob_slow(tr, p));
	return t.n && (*p.p == '?' || *p.p == *t.p) && glob_slow(tr, pr);
}

static void globs(void **state)
{
	uint64_t r = 1;
	int hits = 0;
	assert_true(sv_glob(SV("us-east-1"), SV("us-*")));
	assert_false(sv_glob(SV("eu-west-1"), SV("us-*")));
	assert_true(sv_glob(SV_NULL, SV("*")));
	for (int i = 0; i < 20000; i++) {
		char t[8], p[6];
		size_t nt = random_below(&r, 9), np = random_below(&r, 7);
		for (size_t k = 0; k < nt; k++)
			t[k] = "ab"[random_below(&r, 2)];
		for (size_t k = 0; k < np; k++)
			p[k] = "ab?**"[random_below(&r, 5)];
		struct sv ts = { t, nt }, ps = { p, np };
		bool yes = glob_slow(ts, ps);
		hits += yes;
		assert_int_equal(sv_glob(ts, ps), yes);
	}
	assert_in_range(hits, 2000, 18000);
	char *big = malloc(100000); /* no exponential time, no deep stack */
	memset(big, 'a', 100000);
	assert_false(sv_glob((struct sv){ big, 100000 }, SV("*a*a*a*a*a*b")));
	free(big);
}

static void integers(void **state)
{
	int64_t v = 7;
	assert_int_equal(sv_i64(SV("-9223372036854775808"), &v), 0);
	assert_true(v == INT64_MIN);
	assert_int_equal(sv_i64(SV("9223372036854775807"), &v), 0);
	assert_true(v == INT64_MAX);
	assert_int_equal(sv_i64(SV("+12"), &v), 0);
	assert_int_equal(v, 12);
	static const char *const over[] = { "9223372036854775808", "-9223372036854775809",
					    "99999999999999999999999999" };
	for (size_t i = 0; i < COUNT(over); i++)
		assert_int_equal(sv_i64(sv_of(over[i]), &v), -ERANGE);
	static const char *const bad[] = { "",     "-",   "+",
					   "1.0",  " 1",  "1 ",
					   "0x10", "1e3", "99999999999999999999999999x" };
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(sv_i64(sv_of(bad[i]), &v), -EINVAL);
	assert_int_equal(sv_i64(SV_NULL, &v), -EINVAL);
	assert_int_equal(v, 12); /* untouched by failures */
}

static void floats(void **state)
{
	double v = 7;
	uint64_t r = 2;
	char buf[64];
	static const char *const good[] = { "0",
					    "-0.5",
					    "12",
					    "1.5e3",
					    ".5",
					    "5.",
					    "1e-300",
					    "0.1",
					    "123456789012345678901234567890",
					    "1E5",
					    "+3",
					    "0.00000000000000000000000000001",
					    "2.2250738585072014e-308" };
	for (size_t i = 0; i < COUNT(good); i++) {
		assert_int_equal(sv_f64(sv_of(good[i]), &v), 0);
		assert_true(v == strtod(good[i], NULL));
	}
	static const char *const bad[] = { "",    "-",  ".",  "nan", "inf",   "0x1p3", "1e",
					   "1e+", " 1", "1 ", "1,5", "1.2.3", "1-2" };
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(sv_f64(sv_of(bad[i]), &v), -EINVAL);
	assert_int_equal(sv_f64(SV_NULL, &v), -EINVAL);
	assert_int_equal(sv_f64(SV("1e999"), &v), -ERANGE);
	for (int i = 0; i < 50000; i++) { /* the quick way is as exact as strtod */
		uint64_t m = random_next(&r) >> random_below(&r, 64);
		if (random_below(&r, 2))
			snprintf(buf, sizeof buf, "%llu.%0*llu", (unsigned long long)(m & 0xffffff),
				 (int)random_below(&r, 12) + 1, (unsigned long long)(m >> 40));
		else
			snprintf(buf, sizeof buf, "%llue%d", (unsigned long long)m,
				 (int)random_below(&r, 60) - 40);
		assert_int_equal(sv_f64(sv_of(buf), &v), 0);
		assert_true(v == strtod(buf, NULL));
	}
	char longest[600];
	memset(longest, '1', sizeof longest);
	assert_int_equal(sv_f64((struct sv){ longest, sizeof longest }, &v), -ERANGE);
	memset(longest, '0', 590);
	assert_int_equal(sv_f64((struct sv){ longest, sizeof longest }, &v), 0);
	assert_true(v == 1111111111);
}

static void grows(void **state)
{
	struct str s = { 0 };
	assert_string_equal(str_z(&s), "");
	assert_int_equal(str_sv(&s).n, 0);
	str_add(&s, NULL, 0);
	for (int i = 0; i < 1000; i++) {
		str_addf(&s, "%d,", i);
		assert_int_equal(strlen(s.p), s.n);
	}
	assert_int_equal(s.n, 10 * 2 + 90 * 3 + 900 * 4);
	str_clear(&s);
	assert_string_equal(str_z(&s), "");
	str_addz(&s, "ab");
	str_addsv(&s, SV("cd"));
	str_addc(&s, 'e');
	assert_string_equal(str_z(&s), "abcde");
	char big[5000];
	memset(big, 'y', sizeof big);
	str_addf(&s, "%.*s", (int)sizeof big, big);
	assert_int_equal(s.n, 5005);
	str_free(&s);
	assert_null(s.p);
}

static void sorts(void **state)
{
	const char *text[] = { "b", "", "a" };
	struct sv view[] = { SV("b"), SV("ab"), SV("a") };

	(void)state;
	qsort(text, 3, sizeof *text, rising_text);
	qsort(view, 3, sizeof *view, rising_sv);
	assert_string_equal(text[0], "");
	assert_string_equal(text[2], "b");
	assert_true(sv_is(view[0], "a") && sv_is(view[2], "b"));
	assert_true(text_same(NULL, "") && text_same("a", "a"));
	assert_false(text_same("a", NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(compares), cmocka_unit_test(cuts),
					    cmocka_unit_test(globs),    cmocka_unit_test(integers),
					    cmocka_unit_test(floats),   cmocka_unit_test(grows),
					    cmocka_unit_test(sorts) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
