/* Base64: the vectors of RFC 4648, bytes there and back, and what is none. */
#include <errno.h>

#include "test.h"

#include "base/base64.h"
#include "base/random.h"

static void vectors(void **state)
{
	static const char *const pair[][2] = {
		{ "", "" },
		{ "f", "Zg==" },
		{ "fo", "Zm8=" },
		{ "foo", "Zm9v" },
		{ "foob", "Zm9vYg==" },
		{ "fooba", "Zm9vYmE=" },
		{ "foobar", "Zm9vYmFy" },
	};
	struct str out = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
		str_clear(&out);
		base64_put(&out, sv_of(pair[i][0]));
		assert_true(sv_eq(str_sv(&out), sv_of(pair[i][1])));
	}
	str_clear(&out);
	base64_put(&out, SV("\xfb\xff\xfe\xff"));
	assert_true(sv_is(str_sv(&out), "+//+/w=="));
	str_clear(&out);
	base64url_put(&out, SV("\xfb\xff\xfe\xff"));
	assert_true(sv_is(str_sv(&out), "-__-_w"));
	str_free(&out);
}

static void there_and_back(void **state)
{
	uint64_t r = 5;
	struct str text = { 0 }, back = { 0 };

	(void)state;
	for (int round = 0; round < 500; round++) {
		char raw[64];
		size_t n = random_below(&r, sizeof raw);
		for (size_t i = 0; i < n; i++)
			raw[i] = (char)random_below(&r, 256);
		str_clear(&text);
		str_clear(&back);
		base64_put(&text, (struct sv){ raw, n });
		assert_int_equal(base64_read(&back, str_sv(&text)), 0);
		assert_int_equal(back.n, n);
		if (n)
			assert_memory_equal(back.p, raw, n);
	}
	str_free(&text);
	str_free(&back);
}

static void none(void **state)
{
	static const char *const text[] = { "Zg", "Zg=", "Z===", "====", "Zm=v", "Zm9v\n", "Zm9-" };
	struct str out = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof text / sizeof *text; i++)
		assert_int_equal(base64_read(&out, sv_of(text[i])), -EBADMSG);
	assert_int_equal(base64_read(&out, SV("Zm\0v")), -EBADMSG);
	assert_int_equal(out.n, 0);
	str_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(vectors),
					    cmocka_unit_test(there_and_back),
					    cmocka_unit_test(none) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
