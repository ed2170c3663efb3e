#include <jansson.h>
#include <math.h>

#include "base/jw.h"
#include "base/random.h"
#include "test.h"

static void writes(void **state)
{
	struct str s = { 0 };
	struct jw w;
	jw_init(&w, &s, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.x/1");
	jw_key(&w, "list");
	jw_arr(&w);
	jw_int(&w, INT64_MIN);
	jw_num(&w, 0.5, 6);
	jw_num(&w, NAN, 6);
	jw_num(&w, -0.0000001, 3);
	jw_num(&w, 100, 2);
	jw_num(&w, 100, 0);
	jw_bool(&w, true);
	jw_null(&w);
	jw_str(&w, NULL);
	jw_sv(&w, SV_NULL);
	jw_sv(&w, SV(""));
	jw_raw(&w, SV("{\"a\":1}"));
	jw_arr(&w);
	jw_end_arr(&w);
	jw_end_arr(&w);
	jw_key(&w, "cost");
	jw_dec(&w, DEC_ONE / 8);
	jw_key(&w, "at");
	jw_time(&w, 0);
	jw_end_obj(&w);
	assert_string_equal(
		str_z(&s),
		"{\"schema\":\"tare.x/1\",\"list\":[-9223372036854775808,0.5,null,0,100,100,true,null,null,null,\"\",{\"a\":1},[]],"
		"\"cost\":\"0.125\",\"at\":\"1970-01-01T00:00:00Z\"}");
	str_free(&s);
}

/* A key with its value: what is not known is null, never a zero or an empty text. */
static void puts_members(void **state)
{
	struct str s = { 0 };
	struct jw w;
	jw_init(&w, &s, 0);
	jw_obj(&w);
	jw_put_str(&w, "s", "");
	jw_put_str(&w, "s0", NULL);
	jw_put_text(&w, "t", "a");
	jw_put_text(&w, "t0", "");
	jw_put_text(&w, "t1", NULL);
	jw_put_num(&w, "n", 0.25, 3);
	jw_put_num(&w, "n0", -INFINITY, 3);
	jw_put_int(&w, "i", -1);
	jw_put_int(&w, "i0", INT64_MIN);
	jw_put_time(&w, "at", 0);
	jw_put_time(&w, "at0", INT64_MIN);
	jw_put_nano(&w, "m", 1.5e9);
	jw_put_nano(&w, "m0", NAN);
	jw_put_nano(&w, "m1", 1e19);
	jw_end_obj(&w);
	assert_string_equal(
		str_z(&s),
		"{\"s\":\"\",\"s0\":null,\"t\":\"a\",\"t0\":null,\"t1\":null,\"n\":0.25,\"n0\":null,\"i\":-1,\"i0\":null,"
		"\"at\":\"1970-01-01T00:00:00Z\",\"at0\":null,\"m\":\"1.5\",\"m0\":null,\"m1\":null}");
	str_free(&s);
}

static void indents(void **state)
{
	struct str s = { 0 };
	struct jw w;
	jw_init(&w, &s, 2);
	jw_obj(&w);
	jw_key(&w, "a");
	jw_arr(&w);
	jw_int(&w, 1);
	jw_int(&w, 2);
	jw_end_arr(&w);
	jw_key(&w, "b");
	jw_obj(&w);
	jw_end_obj(&w);
	jw_end_obj(&w);
	assert_string_equal(str_z(&s), "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {}\n}");
	str_free(&s);
}

static void escapes(void **state)
{
	struct str s = { 0 };
	struct jw w;
	jw_init(&w, &s, 0);
	jw_sv(&w, SV("a\"\\\n\r\t\b\f\x01\x7f\0z/\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
	assert_string_equal(
		str_z(&s),
		"\"a\\\"\\\\\\n\\r\\t\\b\\f\\u0001\\u007f\\u0000z/\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
	str_clear(&s);
	jw_init(&w, &s, 0);
	/* C1, line separator, override and isolate of direction: what acts is never written as
	 * it is */
	jw_sv(&w, SV("a\xc2\x9b\xe2\x80\xa8z\xe2\x80\xae\xe2\x81\xa6"));
	assert_string_equal(str_z(&s), "\"a\\u009b\\u2028z\\u202e\\u2066\"");
	str_clear(&s);
	jw_init(&w, &s, 0);
	jw_sv(&w, SV("\xff|\xc0\x80|\xed\xa0\x80|\xf4\x90\x80\x80|\xe2\x82"));
	assert_string_equal(
		str_z(&s),
		"\"\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd|"
		"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd\"");
	str_free(&s);
}

/* Random bytes: a strict reader takes what was written, and valid text comes back as it was. */
static void another_reader_agrees(void **state)
{
	uint64_t r = 10;
	struct str s = { 0 };
	for (int i = 0; i < 20000; i++) {
		char text[24];
		size_t n = random_below(&r, sizeof text);
		bool ascii = random_below(&r, 2);
		for (size_t k = 0; k < n; k++)
			text[k] = (char)(ascii ? 1 + random_below(&r, 127) : random_below(&r, 256));
		struct jw w;
		str_clear(&s);
		jw_init(&w, &s, 0);
		jw_arr(&w);
		jw_sv(&w, (struct sv){ text, n });
		jw_end_arr(&w);
		json_error_t e;
		json_t *j = json_loadb(s.p, s.n, JSON_ALLOW_NUL, &e);
		if (!j)
			fail_msg("%s in %s", e.text, s.p);
		if (ascii) {
			assert_int_equal(json_string_length(json_array_get(j, 0)), n);
			assert_memory_equal(json_string_value(json_array_get(j, 0)), text, n);
		}
		json_decref(j);
	}
	str_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(writes),
					    cmocka_unit_test(puts_members),
					    cmocka_unit_test(indents), cmocka_unit_test(escapes),
					    cmocka_unit_test(another_reader_agrees) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
