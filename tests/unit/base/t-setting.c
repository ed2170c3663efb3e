/* Typed settings: every type with its default, its range and its sentence. */
#include <errno.h>
#include <math.h>

#include "base/setting.h"
#include "base/tm.h"
#include "test.h"

struct inner {
	int maybe;
	const char *word;
};
struct all {
	bool flag, known;
	int64_t count, bytes, span_ms, at_ms;
	double number, span_s, unset;
	dec money;
	const char *text, *url;
	char fixed[4];
	int choice;
	VEC(const char *) texts;
	struct inner in;
	VEC(struct inner) list;
	int own_line;
};

#define AT(member) offsetof(struct all, member)
static const char *const words[] = { "red", "green", "blue", NULL };
static const char *const two[] = { "small", "large", NULL };

static int own(const struct setting_reader *r, const struct yaml *y, void *base)
{
	(void)r;
	((struct all *)base)->own_line = y->line;
	return 0;
}

static int check_text(const struct setting_reader *r, const struct yaml *y, void *base)
{
	(void)base;
	return strcmp(y->text, "bad") ? 0 : setting_wrong(r, y, "it is bad");
}

static const struct setting inner_rows[] = {
	{ "maybe", SETTING_MAYBE, offsetof(struct inner, maybe) },
	{ "word", SETTING_WORD, offsetof(struct inner, word), .words = words, .def = "green" },
	{ 0 },
};

static int read_item(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct all *a = base;
	struct inner *in = vec_push(&a->list);

	setting_defaults(inner_rows, in);
	return setting_read(r, y, inner_rows, in);
}

static const struct setting rows[] = {
	{ "flag", SETTING_BOOL, AT(flag), .def = "yes" },
	{ "size", SETTING_BOOL, AT(flag), .words = two },
	{ "count", SETTING_INT, AT(count), .lo = 1, .hi = 9, .def = "3", .has_at = AT(known) },
	{ "mib", SETTING_BYTES, AT(bytes), .hi = 100, .def = "0.5", .scale = 1 << 20 },
	{ "span", SETTING_SPAN, AT(span_ms), .lo = 100, .hi = MS_HOUR, .def = "1s" },
	{ "span_s", SETTING_SPAN_S, AT(span_s), .hi = MS_DAY, .def = "30m",
	  .wrong = "a duration, please" },
	{ "at", SETTING_TIME, AT(at_ms) },
	{ "number", SETTING_NUMBER, AT(number), .lo = -1, .hi = 1, .def = "0.25" },
	{ "unset", SETTING_NUMBER, AT(unset), .lo = 0, .hi = 1 },
	{ "money", SETTING_MONEY, AT(money), .lo = 0, .hi = 10, .def = "2.5" },
	{ "text", SETTING_TEXT, AT(text), .lo = 1, .check = check_text },
	{ "url", SETTING_URL, AT(url), .def = "http://a" },
	{ "fixed", SETTING_FIXED, AT(fixed), .size = sizeof((struct all *)0)->fixed },
	{ "choice", SETTING_CHOICE, AT(choice), .words = words, .def = "blue" },
	{ "texts", SETTING_TEXTS, AT(texts), .check = check_text },
	{ "in", SETTING_SECTION, AT(in), .rows = inner_rows },
	{ "list", SETTING_LIST, .rows = inner_rows, .own = read_item, .hi = 2 },
	{ "own", SETTING_OWN, .own = own, .unit = "anything" },
	{ "elsewhere", SETTING_ELSEWHERE, .help = "another's" },
	{ 0 },
};

static void all_free(struct all *a)
{
	vec_free(&a->texts);
	vec_free(&a->list);
}

static int read(const char *text, struct arena *mem, struct all *a, struct err *err)
{
	struct yaml_doc *d;

	*a = (struct all){ 0 };
	setting_defaults(rows, a);
	assert_int_equal(yaml_parse("f", sv_of(text), &d, err), 0);
	struct setting_reader r = { .doc = d, .mem = mem, .section = "top", .err = err };
	int rc = setting_read(&r, yaml_root(d), rows, a);
	yaml_doc_free(d);
	return rc;
}

static void defaults_come_from_the_rows(void **state)
{
	struct arena mem = { 0 };
	struct err err;
	struct all a;

	assert_int_equal(read("{}", &mem, &a, &err), 0);
	assert_true(a.flag && a.count == 3 && !a.known && a.bytes == 1 << 19 && a.span_ms == 1000);
	assert_true(a.span_s == 1800 && a.number == 0.25 && isnan(a.unset) && a.choice == 2);
	assert_true(a.money == DEC_ONE * 5 / 2 && !a.text && a.in.maybe == -1 && !*a.fixed);
	assert_string_equal(a.url, "http://a");
	assert_string_equal(a.in.word, "green");
	/* absent, null and nothing at all are the same */
	assert_int_equal(read("count:\ntexts: ~\nin: null\nlist:\nown:\n", &mem, &a, &err), 0);
	assert_true(a.count == 3 && !a.known && !a.texts.n && !a.own_line);
	arena_free(&mem);
}

static void every_type_is_read(void **state)
{
	struct arena mem = { 0 };
	struct err err;
	struct all a;

	assert_int_equal(
		read("flag: off\nsize: large\ncount: 9\nmib: 2\nspan: 100ms\nspan_s: 0\nat: 1970-01-02\n"
		     "number: -1\nunset: 0\nmoney: 10\ntext: hello\nurl: https://b\nfixed: abc\n"
		     "choice: red\ntexts: [a, b]\nin: {maybe: yes, word: blue}\n"
		     "list: [{}, {maybe: no}]\nown: {x: y}\nelsewhere: [1, {2: 3}]\n",
		     &mem, &a, &err),
		0);
	assert_true(a.flag && a.count == 9 && a.known && a.bytes == 2 << 20 && a.span_ms == 100);
	assert_true(a.span_s == 0 && a.at_ms == MS_DAY && a.number == -1 && a.unset == 0);
	assert_true(a.money == DEC_ONE * 10 && a.choice == 0 && a.in.maybe == 1);
	assert_string_equal(a.text, "hello");
	assert_string_equal(a.url, "https://b");
	assert_string_equal(a.fixed, "abc");
	assert_string_equal(a.texts.v[1], "b");
	assert_string_equal(a.in.word, "blue");
	assert_true(a.list.n == 2 && a.list.v[0].maybe == -1 && a.list.v[1].maybe == 0);
	assert_int_equal(a.own_line, 18);
	all_free(&a);
	arena_free(&mem);
}

static const struct {
	const char *text, *msg, *hint;
} bad[] = {
	{ "cuont: 3", "'f' line 1: 'cuont' is not a key known here", "did you mean 'count'?" },
	{ "[1]", "'f' line 1: a mapping (key: value) is wanted here", "" },
	{ "flag: maybe", "'f' line 1: 'flag' must be true or false, not 'maybe'", "" },
	{ "size: smal", "'f' line 1: 'size' must be small or large, not 'smal'",
	  "did you mean 'small'?" },
	{ "\ncount: 10", "'f' line 2: 'count' must be a whole number from 1 to 9, not '10'", "" },
	{ "count: 1.5", "'f' line 1: 'count' must be a whole number from 1 to 9, not '1.5'", "" },
	{ "count: [1]", "'f' line 1: 'count' must be a whole number from 1 to 9, not a list", "" },
	{ "mib: 101", "'f' line 1: 'mib' must be a number from 0 to 100, not '101'", "" },
	{ "number: nan", "'f' line 1: 'number' must be a number from -1 to 1, not 'nan'", "" },
	{ "span: soon", "'f' line 1: top: span is not a duration such as 1s, 100ms or 24h", "" },
	{ "span: 0", "'f' line 1: top: span is not a duration such as 1s, 100ms or 24h", "" },
	{ "span: 2h", "'f' line 1: top: span is out of range", "" },
	{ "span: {a: b}", "'f' line 1: 'span' must be a string, not a mapping", "" },
	{ "span_s: 2d", "'f' line 1: a duration, please", "" },
	{ "at: tomorrow", "'f' line 1: a date or time such as 2026-12-01", "" },
	{ "money: much", "'f' line 1: 'money' must be a decimal number, not 'much'", "" },
	{ "money: 10.1", "'f' line 1: top: money is out of range", "" },
	{ "text: ''", "'f' line 1: a string is wanted here", "" },
	{ "text: bad", "'f' line 1: it is bad", "" },
	{ "url: ftp://x", "'f' line 1: top: url must begin with http:// or https://", "" },
	{ "fixed: abcd", "'f' line 1: top: fixed is too long", "" },
	{ "choice: rde", "'f' line 1: 'choice' must be red, green or blue, not 'rde'",
	  "did you mean 'red'?" },
	{ "texts: a", "'f' line 1: a list is wanted here", "" },
	{ "texts: [a, [b]]", "'f' line 1: a string is wanted here", "" },
	{ "texts:\n- a\n- bad", "'f' line 3: it is bad", "" },
	{ "in: 3", "'f' line 1: a mapping (key: value) is wanted here", "" },
	{ "in:\n  word: pink", "'f' line 2: 'word' must be red, green or blue, not 'pink'", "" },
	{ "list: 3", "'f' line 1: a list is wanted here", "" },
	{ "list: [3]", "'f' line 1: a mapping (key: value) is wanted here", "" },
	{ "list:\n- {}\n- {}\n- {}", "'f' line 4: more than 2 items", "" },
};

static void each_fault_has_its_sentence(void **state)
{
	struct arena mem = { 0 };

	for (size_t i = 0; i < COUNT(bad); i++) {
		struct err err = { 0 };
		struct all a;
		if (read(bad[i].text, &mem, &a, &err) != -EINVAL)
			fail_msg("taken: %s", bad[i].text);
		if (strncmp(err.msg, bad[i].msg, strlen(bad[i].msg)) ||
		    !strstr(err.hint, bad[i].hint))
			fail_msg("%s\ngives: %s / %s", bad[i].text, err.msg, err.hint);
		all_free(&a);
	}
	arena_free(&mem);
}

static void one_value_is_set_from_text(void **state)
{
	struct arena mem = { 0 };
	struct all a = { 0 };

	assert_int_equal(setting_set(setting_find(rows, "span"), &mem, "2m", &a), 0);
	assert_int_equal(a.span_ms, 120000);
	assert_int_equal(setting_set(setting_find(rows, "span"), &mem, "2h", &a), -ERANGE);
	assert_int_equal(setting_set(setting_find(rows, "span"), &mem, "long", &a), -EINVAL);
	assert_int_equal(setting_set(setting_find(rows, "url"), &mem, "b", &a), -EINVAL);
	assert_int_equal(a.span_ms, 120000);
	assert_null(setting_find(rows, "spam"));
	arena_free(&mem);
}

static const char *range_of(const char *name, struct str *out)
{
	str_clear(out);
	setting_range(setting_find(rows, name), out);
	return str_z(out);
}

static void ranges_read_well(void **state)
{
	static const struct setting open[] = {
		{ "any", SETTING_NUMBER, .lo = -1e15, .hi = 1e15 },
		{ "some", SETTING_SPAN, .lo = MS_HOUR, .hi = 1e15 },
		{ "least", SETTING_NUMBER, .lo = 0, .hi = 1e15 },
		{ 0 },
	};
	struct str s = { 0 };

	assert_string_equal(range_of("count", &s), "1 to 9");
	assert_string_equal(range_of("number", &s), "-1 to 1");
	assert_string_equal(range_of("span", &s), "100ms to 1h");
	assert_string_equal(range_of("span_s", &s), "0 to 1d");
	assert_string_equal(range_of("choice", &s), "red, green or blue");
	assert_string_equal(range_of("text", &s), "");
	assert_string_equal(range_of("flag", &s), "");
	str_clear(&s);
	setting_range(&open[0], &s);
	assert_string_equal(str_z(&s), "");
	setting_range(&open[1], &s);
	assert_string_equal(str_z(&s), "from 1h");
	str_clear(&s);
	setting_range(&open[2], &s);
	assert_string_equal(str_z(&s), "from 0");
	assert_string_equal(setting_kind(setting_find(rows, "own")), "anything");
	str_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_come_from_the_rows),
		cmocka_unit_test(every_type_is_read),
		cmocka_unit_test(each_fault_has_its_sentence),
		cmocka_unit_test(one_value_is_set_from_text),
		cmocka_unit_test(ranges_read_well),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
