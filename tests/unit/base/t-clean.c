#include "test.h"

#include "base/clean.h"

static void is(const char *in, size_t n, const char *want)
{
	char out[CLEAN_MAX + 1];

	sv_clean((struct sv){ in, n }, out, sizeof out);
	assert_string_equal(out, want);
}
#define IS(in, want) is(in, sizeof(in) - 1, want)

static void plain(void **state)
{
	IS("", "");
	IS("train-llm", "train-llm");
	IS("  a \t b  ", "a b");
	IS("Zürich 日本 😀", "Zürich 日本 😀");
}

static void hostile(void **state)
{
	IS("x\033[31mred\033[0m", "x [31mred [0m");
	IS("a\nb\r\nc", "a b c");
	IS("a\0b", "a b");
	IS("\x7f\x01", "");
	IS("a\xc2\x9b"
	   "31m",
	   "a 31m"); /* CSI as one character */
	IS("user\xe2\x80\xae"
	   "gpj",
	   "usergpj"); /* right-to-left override */
	IS("a\xe2\x80\xa8"
	   "b",
	   "a b"); /* line separator */
	IS("\xff\xfe"
	   "a\xc0\xaf",
	   "\xef\xbf\xbd\xef\xbf\xbd"
	   "a\xef\xbf\xbd\xef\xbf\xbd");
	IS("a\xe2\x82", "a\xef\xbf\xbd\xef\xbf\xbd");               /* cut character */
	IS("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); /* surrogate */
}

static void bounded(void **state)
{
	static char big[1 << 20];
	char out[CLEAN_MAX + 1];

	memset(big, 'x', sizeof big);
	assert_int_equal(sv_clean((struct sv){ big, sizeof big }, out, sizeof out), CLEAN_MAX);
	/* two-byte characters: none is cut in half */
	for (size_t i = 0; i + 1 < sizeof big; i += 2)
		memcpy(big + i, "\xc3\xa9", 2);
	size_t n = sv_clean((struct sv){ big + 0, sizeof big }, out, 8);
	assert_int_equal(n, 6);
	memset(big, '\033', sizeof big);
	assert_int_equal(sv_clean((struct sv){ big, sizeof big }, out, sizeof out), 0);
	assert_int_equal(sv_clean(SV("abc"), out, 1), 0);
	assert_int_equal(sv_clean(SV_NULL, out, 1), 0);
}

/* Every possible byte after every other: the result is clean. */
static void pairs(void **state)
{
	for (int a = 0; a < 256; a++)
		for (int b = 0; b < 256; b++) {
			char in[4] = { (char)a, (char)b, 'z', 'z' }, out[32];
			size_t n = sv_clean((struct sv){ in, 4 }, out, sizeof out);
			for (size_t i = 0; i < n;) {
				uint32_t c;
				size_t len = sv_utf8(out + i, n - i, &c);
				assert_true(len > 0 && c >= 0x20 && !(c >= 0x7f && c < 0xa0));
				i += len;
			}
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(plain), cmocka_unit_test(hostile),
					    cmocka_unit_test(bounded), cmocka_unit_test(pairs) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
