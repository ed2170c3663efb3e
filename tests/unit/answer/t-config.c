/* Settings asked for without a command line: values, where they come from, and which are shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer/config.h"
#include "model/model.h"

static const struct setting item_rows[] = {
	{ "name", SETTING_TEXT, .help = "its name" },
	{ "size", SETTING_NUMBER, .hi = 9, .def = "1", .unit = "MiB", .help = "its size" },
	{ 0 },
};
static const struct setting inner_rows[] = {
	{ "deep", SETTING_BOOL, .def = "no", .option = "go-deep", .help = "deep" },
	{ 0 },
};
static const struct setting more_rows[] = {
	{ "span", SETTING_SPAN, .lo = 1, .hi = 3600000, .def = "1m", .help = "a duration" },
	{ "items", SETTING_LIST, .rows = item_rows, .none = "none", .help = "items" },
	{ "inner", SETTING_SECTION, .rows = inner_rows, .help = "inside" },
	{ 0 },
};
static const struct setting top_rows[] = {
	{ "colour", SETTING_TEXT, .def = "red", .help = "a colour" },
	{ "map", SETTING_OWN, .unit = "a: b", .help = "a mapping" },
	{ "more", SETTING_ELSEWHERE },
	{ 0 },
};
static const struct setting more = { "more", SETTING_SECTION, .rows = more_rows };
static const struct setting *const sections[] = { &more };

struct fix {
	struct arena mem;
	char path[64];
	struct config_ask q;
	struct config_answer a;
	struct err err;
};

static const char *variable(void *ctx, const struct setting *s)
{
	return !strcmp(s->option, "go-deep") ? ctx : NULL;
}

static void start(struct fix *f, const char *text)
{
	*f = (struct fix){ .path = "/tmp/t-config-XXXXXX" };
	int fd = mkstemp(f->path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	f->q = (struct config_ask){ .file = f->path,
				    .top = top_rows,
				    .section = sections,
				    .nsection = 1,
				    .variable = variable,
				    .mem = &f->mem };
}

static void end(struct fix *f)
{
	unlink(f->path);
	arena_free(&f->mem);
}

/* The row of this key; fails where it is not in the answer. */
static const struct config_row *row(const struct fix *f, const char *key)
{
	for (size_t i = 0; i < f->a.n; i++)
		if (!strcmp(f->a.row[i].key, key))
			return &f->a.row[i];
	fail_msg("'%s' is not there", key);
	return NULL;
}

#define TEXT                                                                     \
	"colour: green\nmap: {a: [x, 'y, z'], b: ~}\nmore:\n  span:\n  items:\n" \
	"    - {size: 3, name: one}\n    - name: two\n"

static void says_where_each_value_comes_from(void **state)
{
	struct fix f;

	start(&f, TEXT);
	assert_int_equal(answer_config(&f.q, &f.a, &f.err), 0);
	assert_int_equal(f.a.n, 7);
	const struct config_row *r = row(&f, "colour");
	assert_string_equal(r->value, "green");
	assert_string_equal(r->source, "file");
	assert_true(r->line == 1 && strstr(r->at, ":1") && !strncmp(r->at, f.path, 5));
	assert_string_equal(r->def, "red");
	assert_string_equal(row(&f, "map")->value, "{a: [x, \"y, z\"], b: null}");
	/* null is not said */
	assert_string_equal(row(&f, "more.span")->value, "1m");
	assert_string_equal(row(&f, "more.span")->source, "default");
	assert_true(row(&f, "more.span")->line == UNKNOWN_I64 && !row(&f, "more.span")->at);
	assert_string_equal(row(&f, "more.span")->range, "1ms to 1h");
	/* of items what they say, in the order of the rows */
	assert_string_equal(row(&f, "more.items[0].name")->value, "one");
	assert_string_equal(row(&f, "more.items[0].size")->value, "3");
	assert_int_equal(row(&f, "more.items[1].name")->line, 7);
	assert_string_equal(row(&f, "more.inner.deep")->variable, "TARE_GO_DEEP");
	end(&f);
}

static void a_variable_wins(void **state)
{
	struct fix f;

	start(&f, "more: {inner: {deep: false}}\n");
	f.q.ctx = (char[]){ "yes" };
	assert_int_equal(answer_config(&f.q, &f.a, &f.err), 0);
	assert_string_equal(row(&f, "more.inner.deep")->value, "yes");
	assert_string_equal(row(&f, "more.inner.deep")->source, "variable");
	assert_string_equal(row(&f, "more.inner.deep")->at, "TARE_GO_DEEP");
	end(&f);
}

static size_t shown(struct fix *f, const char *want, bool changed, bool fields)
{
	f->q.want = &want;
	f->q.nwant = want ? 1 : 0;
	f->q.changed = changed;
	f->q.fields = fields;
	assert_int_equal(answer_config(&f->q, &f->a, &f->err), 0);
	return f->a.n;
}

static void shows_what_was_asked_for(void **state)
{
	struct fix f;

	start(&f, TEXT);
	assert_int_equal(shown(&f, NULL, true, false), 5);
	assert_int_equal(shown(&f, NULL, false, true), 9);
	assert_int_equal(shown(&f, "more", false, false), 5);
	assert_int_equal(shown(&f, "more.inner", false, false), 1);
	/* a list by its name has the fields of any item too */
	assert_int_equal(shown(&f, "more.items", false, false), 5);
	assert_true(row(&f, "more.items[].size")->field && !row(&f, "more.items[].size")->value);
	assert_int_equal(shown(&f, "more.items[1]", false, false), 1);
	assert_int_equal(shown(&f, "more.items.size", false, false), 2);
	f.q.file = NULL;
	assert_int_equal(shown(&f, NULL, false, false), 5);
	assert_string_equal(row(&f, "more.items")->none, "none");
	assert_int_equal(shown(&f, NULL, true, false), 0);
	end(&f);
}

static void names_what_is_near(void **state)
{
	struct fix f;
	const char *word = "more.spam";
	struct str words = { 0 };

	start(&f, TEXT);
	f.q.want = &word;
	f.q.nwant = 1;
	assert_int_equal(answer_config(&f.q, &f.a, &f.err), -EINVAL);
	assert_string_equal(f.err.msg, "'more.spam' is not a setting");
	assert_string_equal(f.err.hint, "Did you mean 'more.span'?");
	f.q.nwant = 0;
	f.q.file = "/nonexistent/x.yaml";
	assert_int_equal(answer_config(&f.q, &f.a, &f.err), -ENOENT);
	config_words(&f.q, &words);
	assert_string_equal(str_z(&words),
			    "colour map more more.span more.items more.items.name more.items.size "
			    "more.inner more.inner.deep ");
	str_free(&words);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_where_each_value_comes_from),
		cmocka_unit_test(a_variable_wins),
		cmocka_unit_test(shows_what_was_asked_for),
		cmocka_unit_test(names_what_is_near),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
