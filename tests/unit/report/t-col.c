/* Typed columns: what is known, what is not, and a schema that says so. */
#include "cells.h"
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include "report/col.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

struct row {
	const char *name;
	dec amount;
	bool has_amount;
	int64_t count, day_ms, at_ms;
	bool ok;
};

static const struct col cols[] = {
	{ "name", COL_TEXT, offsetof(struct row, name), NULL, "a name", 0 },
	{ "amount", COL_DEC, offsetof(struct row, amount), "money", "an amount",
	  offsetof(struct row, has_amount) },
	{ "count", COL_INT, offsetof(struct row, count), "count", "a count", 0 },
	{ "day", COL_DAY, offsetof(struct row, day_ms), NULL, "a day", 0 },
	{ "at", COL_TIME, offsetof(struct row, at_ms), NULL, "a moment", 0 },
	{ "ok", COL_BOOL, offsetof(struct row, ok), NULL, "a yes or no", 0 },
	{ 0 },
};
static const struct row rows[] = {
	{ "a,b", 5 * DEC_ONE / 2, true, 3, 86400000, 86400500, true },
	{ NULL, 0, false, UNKNOWN_I64, 0, UNKNOWN_MS, false },
};

static void csv(void **state)
{
	struct str out = { 0 };

	cols_csv(cols, rows, COUNT(rows), sizeof *rows, &out);
	assert_string_equal(str_z(&out), "name,amount,count,day,at,ok\n"
					 "\"a,b\",2.5,3,1970-01-02,1970-01-02T00:00:00.500Z,true\n"
					 ",,,1970-01-01,,false\n");
	str_free(&out);
}

static void json(void **state)
{
	struct str out = { 0 };
	struct jw w;

	jw_init(&w, &out, 0);
	cols_json(cols, rows, COUNT(rows), sizeof *rows, &w);
	assert_string_equal(
		str_z(&out),
		"[{\"name\":\"a,b\",\"amount\":\"2.5\",\"count\":3,\"day\":\"1970-01-02\","
		"\"at\":\"1970-01-02T00:00:00.500Z\",\"ok\":true},"
		"{\"name\":null,\"amount\":null,\"count\":null,\"day\":\"1970-01-01\",\"at\":null,\"ok\":false}]");
	str_free(&out);
}

/* Each column that a row may leave unknown is nullable in the schema, and none else. */
static void schema(void **state)
{
	static const bool nullable[] = { true, true, true, false, true, false };
	struct str out = { 0 };
	struct jw w;

	jw_init(&w, &out, 0);
	cols_schema(cols, NULL, NULL, &w);
	json_t *s = json_loads(str_z(&out), 0, NULL);
	assert_non_null(s);
	json_t *p = json_object_get(s, "properties");
	assert_int_equal(json_object_size(p), COUNT(nullable));
	assert_int_equal(json_array_size(json_object_get(s, "required")), COUNT(nullable));
	for (size_t i = 0; i < COUNT(nullable); i++) {
		json_t *c = json_object_get(p, cols[i].name);
		assert_int_equal(json_is_array(json_object_get(c, "type")), nullable[i]);
		assert_string_equal(json_string_value(json_object_get(c, "description")),
				    cols[i].help);
	}
	json_decref(s);
	str_free(&out);
}

/* Objects in objects, values that are computed, and what is left out where it is not known. */
struct part {
	double x;
	int n;
};
struct whole {
	struct part first;
	const struct part *part;
	size_t npart, nword;
	const char *const *word;
	int64_t nano;
	const char *raw;
};

static bool twice(const void *row, union col_value *ret)
{
	ret->x = 2 * ((const struct part *)row)->x;
	return ret->x < 5;
}

static const struct col part_cols[] = {
	{ "x", COL_NUM, offsetof(struct part, x), NULL, "a measurement", .digits = 2 },
	{ "n", COL_I32, offsetof(struct part, n), NULL, "a number", 0 },
	{ "twice", COL_NUM, .get = twice, .digits = 1, .help = "twice x", .optional = true },
	{ 0 },
};
static const struct col whole_cols[] = {
	{ "first", COL_ROW, offsetof(struct whole, first), .sub = part_cols, .help = "the first" },
	{ "parts", COL_LIST(struct whole, part, npart, part_cols), .help = "all of them" },
	{ "words", COL_WORDS(struct whole, word, nword), .help = "texts" },
	{ "price", COL_NANO, offsetof(struct whole, nano), "money", "an amount", 0 },
	{ "any", COL_RAW, offsetof(struct whole, raw), NULL, "of any shape", 0 },
	{ 0 },
};

static void nested(void **state)
{
	static const struct part parts[] = { { 1.25, 3 }, { NAN, INT_MIN }, { 4, 0 } };
	static const char *const words[] = { "a", "b" };
	static const struct col_doc doc = { "tare.test/1", "test", "a test", whole_cols };
	const struct whole w = { parts[0], parts, 3, 2, words, 1500000000, "{\"k\":1}" };
	struct str out = { 0 };

	cols_doc(&doc, &w, &out);
	assert_string_equal(
		str_z(&out),
		"{\"schema\":\"tare.test/1\",\"first\":{\"x\":1.25,\"n\":3,\"twice\":2.5},"
		"\"parts\":[{\"x\":1.25,\"n\":3,\"twice\":2.5},{\"x\":null,\"n\":null},{\"x\":4,\"n\":0}],"
		"\"words\":[\"a\",\"b\"],\"price\":\"1.5\",\"any\":{\"k\":1}}\n");
	str_clear(&out);
	cols_doc_schema(&doc, &out);
	json_t *s = json_loads(str_z(&out), 0, NULL);
	json_t *p = json_object_get(json_object_get(s, "properties"), "parts");
	p = json_object_get(json_object_get(json_object_get(p, "items"), "properties"), "twice");
	assert_string_equal(json_string_value(json_object_get(p, "type")), "number");
	p = json_object_get(json_object_get(s, "properties"), "first");
	assert_int_equal(json_array_size(json_object_get(p, "required")), 2);
	json_decref(s);
	str_free(&out);
}

/* A document of one of two shapes. */
static void shapes(void **state)
{
	static const struct col_doc second = { "tare.test/1", "test", "of parts", whole_cols };
	static const struct col_doc doc = { "tare.test/1", "test", "a test", cols, &second };
	struct str out = { 0 };

	cols_doc_schema(&doc, &out);
	json_t *s = json_loads(str_z(&out), 0, NULL);
	json_t *any = json_object_get(s, "anyOf");
	assert_null(json_object_get(s, "properties"));
	assert_int_equal(json_array_size(any), 2);
	json_t *p = json_object_get(json_array_get(any, 1), "properties");
	assert_non_null(json_object_get(p, "schema"));
	assert_non_null(json_object_get(p, "parts"));
	json_decref(s);
	str_free(&out);
}

/* Keys that are free, and those of another table in the object itself, all or none of them. */
struct pair {
	const char *key;
	int64_t ms;
};
struct spread {
	struct part part;
	bool has_part;
	const struct pair *pair;
	size_t npair;
};

static const struct col pair_cols[] = {
	{ "key", COL_TEXT, offsetof(struct pair, key), NULL, "its name", 0 },
	{ "seconds", COL_SECONDS, offsetof(struct pair, ms), "s", "how long", 0 },
	{ 0 },
};
static const struct col spread_cols[] = {
	{ "part", COL_ROW, offsetof(struct spread, part), .sub = part_cols, .here = true,
	  .has_at = offsetof(struct spread, has_part), .optional = true },
	{ "here", COL_PAIRS(struct spread, pair, npair, pair_cols), .here = true },
	{ "map", COL_PAIRS(struct spread, pair, npair, pair_cols), .help = "by name" },
	{ 0 },
};

static void spread(void **state)
{
	static const struct pair pairs[] = { { "a", 1500 }, { "b", UNKNOWN_MS } };
	const struct spread all[] = { { { 4, 1 }, true, pairs, 2 }, { { 4, 1 }, false, NULL, 0 } };
	struct str out = { 0 };
	struct jw w;

	jw_init(&w, &out, 0);
	cols_json(spread_cols, all, 2, sizeof *all, &w);
	assert_string_equal(str_z(&out), "[{\"x\":4,\"n\":1,\"a\":\"1.5\",\"b\":null,"
					 "\"map\":{\"a\":\"1.5\",\"b\":null}},{\"map\":{}}]");
	str_clear(&out);
	jw_init(&w, &out, 0);
	cols_schema(spread_cols, NULL, NULL, &w);
	json_t *s = json_loads(str_z(&out), 0, NULL);
	assert_int_equal(json_array_size(json_object_get(s, "required")), 1);
	assert_int_equal(json_object_size(json_object_get(s, "properties")), 4);
	assert_non_null(json_object_get(s, "additionalProperties"));
	json_decref(s);
	str_free(&out);
}

/* A word that is empty is unknown. */
static void word(void **state)
{
	static const struct col word_cols[] = { { "w", COL_WORD, 0, .help = "a word" }, { 0 } };
	static const char *const words[] = { "a", "", NULL };
	struct str out = { 0 };
	struct jw w;

	jw_init(&w, &out, 0);
	cols_json(word_cols, words, COUNT(words), sizeof *words, &w);
	assert_string_equal(str_z(&out), "[{\"w\":\"a\"},{\"w\":null},{\"w\":null}]");
	str_free(&out);
}

/* A line needs what a document says once; its columns are chosen by name. */
struct line {
	const char *name, *currency;
	int64_t n;
};
static const struct col line_cols[] = {
	{ "name", COL_WORD, offsetof(struct line, name), .help = "a name" },
	{ "n", COL_INT, offsetof(struct line, n), .help = "a number" },
	{ "currency", COL_WORD, offsetof(struct line, currency), .csv_only = true },
	{ 0 },
};

static void some_columns(void **state)
{
	static const struct line line = { "a", "EUR", 3 };
	struct str out = { 0 };
	struct jw w;

	cols_csv_some(line_cols, "currency name", &line, 1, sizeof line, &out);
	assert_string_equal(str_z(&out), "currency,name\nEUR,a\n");
	str_clear(&out);
	cols_csv_some(line_cols, "n", &line, 0, sizeof line, &out);
	assert_string_equal(str_z(&out), "n\n");
	str_clear(&out);
	jw_init(&w, &out, 0);
	cols_json(line_cols, &line, 1, sizeof line, &w);
	assert_string_equal(str_z(&out), "[{\"name\":\"a\",\"n\":3}]");
	str_clear(&out);
	jw_init(&w, &out, 0);
	cols_schema(line_cols, NULL, NULL, &w);
	assert_null(strstr(str_z(&out), "currency"));
	str_free(&out);
}

/* What another room prints: a key that may be missing or null, a shape of its own, a constant. */
static void list_shape(struct jw *w)
{
	jw_put_str(w, "type", "array");
}

static const struct col shaped_cols[] = {
	{ "sometimes", COL_BOOL, .maybe = true, .help = "not in each row" },
	{ "list", COL_RAW, .shape = list_shape, .help = "of anything" },
	{ 0 },
};

static void shapes_of_others(void **state)
{
	struct str out = { 0 };
	struct jw w;

	jw_init(&w, &out, 0);
	cols_schema(shaped_cols, "do", "stop", &w);
	assert_string_equal(
		str_z(&out),
		"{\"type\":\"object\",\"required\":[\"do\",\"list\"],\"properties\":{"
		"\"do\":{\"const\":\"stop\"},"
		"\"sometimes\":{\"type\":[\"boolean\",\"null\"],\"description\":\"not in each row\"},"
		"\"list\":{\"type\":\"array\",\"description\":\"of anything\"}}}");
	str_free(&out);
}

/* Members behind a pointer, words of an enum, numbers in another unit. */
static bool above_one(const void *row, union col_value *ret)
{
	ret->x = ((const struct part *)row)->x;
	return ret->x > 1;
}

static const char *const colours[] = { "red", "green" };
struct outside {
	const struct part *in;
	enum { RED, GREEN } colour;
	int64_t ns;
	double bytes;
};
static const struct col outside_cols[] = {
	{ "x", COL_NUM, COL_VIA(struct outside, in, x), .digits = 2, .help = "of it" },
	{ "above", COL_NUM, COL_BEHIND(struct outside, in), .get = above_one, .digits = 2,
	  .help = "computed" },
	{ "part", COL_ROW, COL_BEHIND(struct outside, in), .sub = part_cols, .help = "all of it" },
	{ "colour", COL_TEXT, offsetof(struct outside, colour), .words = colours,
	  .help = "a word" },
	{ "s", COL_NUM, offsetof(struct outside, ns), .of_i64 = true, .per = 1e9, .digits = 3,
	  .help = "seconds" },
	{ "kib", COL_NUM, offsetof(struct outside, bytes), .per = 1024, .digits = 1,
	  .help = "KiB" },
	{ 0 },
};

static void elsewhere(void **state)
{
	static const struct part in = { 1.25, 7 };
	static const struct outside v[] = { { &in, GREEN, 1500000000, 512 },
					    { NULL, RED, UNKNOWN_I64, NAN } };
	struct str out = { 0 };
	struct jw w;

	jw_init(&w, &out, 0);
	cols_json(outside_cols, v, COUNT(v), sizeof *v, &w);
	assert_string_equal(
		str_z(&out),
		"[{\"x\":1.25,\"above\":1.25,\"part\":{\"x\":1.25,\"n\":7,\"twice\":2.5},"
		"\"colour\":\"green\",\"s\":1.5,\"kib\":0.5},"
		"{\"x\":null,\"above\":null,\"part\":null,\"colour\":\"red\",\"s\":null,\"kib\":null}]");
	str_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(csv),
					    cmocka_unit_test(json),
					    cmocka_unit_test(schema),
					    cmocka_unit_test(nested),
					    cmocka_unit_test(shapes),
					    cmocka_unit_test(spread),
					    cmocka_unit_test(word),
					    cmocka_unit_test(some_columns),
					    cmocka_unit_test(shapes_of_others),
					    cmocka_unit_test(elsewhere) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
