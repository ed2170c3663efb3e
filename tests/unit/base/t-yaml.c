#include <errno.h>
#include <unistd.h>

#include "base/yaml.h"
#include "test.h"

static struct yaml_doc *parse(const char *text)
{
	struct yaml_doc *d = NULL;
	struct err e;
	if (yaml_parse("c.yaml", sv_of(text), &d, &e))
		fail_msg("%s", e.msg);
	return d;
}

static void reads_a_tree(void **state)
{
	struct yaml_doc *d = parse(
		"version: 1\nlist:\n  - a\n  - {b: 'null', c: null, d: ~, e: }\nempty:\n\"q k\": \"x\\ny\"\n");
	const struct yaml *r = yaml_root(d), *l = yaml_get(r, "list");
	assert_int_equal(r->type, YAML_MAPPING);
	assert_string_equal(yaml_get(r, "version")->text, "1");
	assert_string_equal(yaml_get(r, "version")->key, "version");
	assert_int_equal(yaml_get(r, "version")->line, 1);
	assert_int_equal(l->type, YAML_SEQ);
	assert_int_equal(l->line, 2);
	assert_string_equal(l->child->text, "a");
	assert_null(l->child->key);
	assert_int_equal(l->child->line, 3);
	const struct yaml *m = l->child->next;
	assert_int_equal(m->line, 4);
	assert_string_equal(yaml_get(m, "b")->text, "null");
	assert_int_equal(yaml_get(m, "c")->type, YAML_NULL);
	assert_int_equal(yaml_get(m, "d")->type, YAML_NULL);
	assert_int_equal(yaml_get(m, "e")->type, YAML_NULL);
	assert_null(m->next);
	assert_int_equal(yaml_get(r, "empty")->type, YAML_NULL);
	assert_int_equal(yaml_get(r, "empty")->line, 5);
	assert_string_equal(yaml_get(r, "q k")->text, "x\ny");
	assert_null(yaml_get(r, "nothing"));
	assert_null(yaml_get(NULL, "x"));
	assert_null(yaml_get(l, "x"));
	assert_string_equal(yaml_name(d), "c.yaml");
	yaml_free(d);
	d = parse("# only a comment\n");
	assert_int_equal(yaml_root(d)->type, YAML_NULL);
	yaml_free(d);
	yaml_free(NULL);
}

static void refuses(void **state)
{
	static const struct {
		const char *text, *part;
	} bad[] = {
		{ "a: &x 1\nb: *x\n", "line 1: anchors" },
		{ "a: 1\nb: *x\n", "line 2: aliases" },
		{ "a: !!int 1\n", "line 1: tags" },
		{ "a: {b: 1}\n<<: {c: 1}\n", "line 2: merge" },
		{ "a: 1\nb: 2\na: 3\n", "line 3: the key 'a' is there twice" },
		{ "? [a]\n: 1\n", "line 1: a key" },
		{ "a: 1\n---\nb: 2\n", "line 2: a second document" },
		{ "a: [1\n", "line 2" },
		{ "a: 1\n b: 2\n", "line 2" },
		{ "\ta: 1\n", "line 1" },
		{ "a: \"x\\0y\"\n", "NUL" },
		{ "a: \xff\n", "line" },
		{ "*x : 1\n", "line 1: aliases" },
	};
	struct yaml_doc *d = NULL;
	struct err e;
	for (size_t i = 0; i < COUNT(bad); i++) {
		if (yaml_parse("c.yaml", sv_of(bad[i].text), &d, &e) != -EINVAL)
			fail_msg("taken: %s", bad[i].text);
		assert_has(e.msg, "'c.yaml'");
		assert_has(e.msg, bad[i].part);
	}
	char deep[200];
	memset(deep, '[', 33);
	strcpy(deep + 33, "1");
	memset(deep + 34, ']', 33);
	deep[67] = 0;
	assert_int_equal(yaml_parse("c.yaml", sv_of(deep), &d, &e), -EINVAL);
	assert_has(e.msg, "deeper");
	deep[66] = 0;
	yaml_free(parse("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"));
	char *big = calloc(1, (5 << 20) + 1);
	memset(big, '\n', 5 << 20);
	assert_int_equal(yaml_parse("c.yaml", (struct sv){ big, 5 << 20 }, &d, &e), -EINVAL);
	assert_has(e.msg, "larger");
	free(big);
	assert_null(d);
}

static void values(void **state)
{
	struct yaml_doc *d = parse(
		"t: x\nf: 0.25\ni: 12\nd: 3.06\nyes_: yes\nno_: Off\nl: [1]\nnil: null\nm: {}\n");
	const struct yaml *r = yaml_root(d);
	struct err e;
	const char *t = "default";
	int64_t i = 7;
	dec v = 7;
	bool b = false;
	assert_int_equal(yaml_text(d, r, "absent", &t, &e), 0);
	assert_int_equal(yaml_text(d, r, "nil", &t, &e), 0);
	assert_int_equal(yaml_text(d, NULL, "t", &t, &e), 0);
	assert_string_equal(t, "default");
	assert_int_equal(yaml_text(d, r, "t", &t, &e), 0);
	assert_string_equal(t, "x");
	assert_int_equal(yaml_text(d, r, "l", &t, &e), -EINVAL);
	assert_string_equal(e.msg, "'c.yaml' line 7: 'l' must be a string, not a list");
	assert_int_equal(yaml_i64(d, r, "i", (struct yaml_range){ 1, 100 }, &i, &e), 0);
	assert_int_equal(i, 12);
	assert_int_equal(yaml_i64(d, r, "i", (struct yaml_range){ 13, 100 }, &i, &e), -EINVAL);
	assert_string_equal(e.msg,
			    "'c.yaml' line 3: 'i' must be a whole number from 13 to 100, not '12'");
	assert_int_equal(yaml_i64(d, r, "f", (struct yaml_range){ 0, 100 }, &i, &e), -EINVAL);
	assert_int_equal(yaml_dec(d, r, "d", &v, &e), 0);
	assert_true(v == DEC_ONE * 306 / 100);
	assert_int_equal(yaml_dec(d, r, "t", &v, &e), -EINVAL);
	assert_int_equal(yaml_dec(d, r, "m", &v, &e), -EINVAL);
	assert_has(e.msg, "a mapping");
	assert_int_equal(yaml_bool(d, r, "yes_", &b, &e), 0);
	assert_true(b);
	assert_int_equal(yaml_bool(d, r, "no_", &b, &e), 0);
	assert_false(b);
	assert_int_equal(yaml_bool(d, r, "t", &b, &e), -EINVAL);
	yaml_free(d);
}

static void checks_keys(void **state)
{
	static const char *const allowed[] = { "version", "columns", NULL };
	struct yaml_doc *d = parse("version: 1\ncolums: x\nzzz: 1\n"), *l = parse("- 1\n");
	struct err e;
	assert_int_equal(yaml_check_keys(d, yaml_root(d), allowed, &e), -EINVAL);
	assert_has(e.msg, "'c.yaml' line 2: 'colums'");
	assert_string_equal(e.hint, "did you mean 'columns'?");
	static const char *const two[] = { "version", "colums", NULL };
	assert_int_equal(yaml_check_keys(d, yaml_root(d), two, &e), -EINVAL);
	assert_has(e.msg, "line 3");
	assert_string_equal(e.hint, "known are: version, colums");
	static const char *const three[] = { "version", "colums", "zzz", NULL };
	assert_int_equal(yaml_check_keys(d, yaml_root(d), three, &e), 0);
	assert_int_equal(yaml_check_keys(d, NULL, allowed, &e), 0);
	assert_int_equal(yaml_check_keys(l, yaml_root(l), allowed, &e), -EINVAL);
	yaml_free(d);
	yaml_free(l);
}

static void loads_files(void **state)
{
	char path[] = "/tmp/t-yaml-XXXXXX";
	int fd = mkstemp(path);
	struct yaml_doc *d;
	struct err e;
	assert_int_equal(write(fd, "a: 1\n", 5), 5);
	close(fd);
	assert_int_equal(yaml_load(path, &d, &e), 0);
	assert_string_equal(yaml_get(yaml_root(d), "a")->text, "1");
	yaml_free(d);
	unlink(path);
	assert_int_equal(yaml_load(path, &d, &e), -ENOENT);
	assert_has(e.msg, path);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(reads_a_tree),
					    cmocka_unit_test(refuses), cmocka_unit_test(values),
					    cmocka_unit_test(checks_keys),
					    cmocka_unit_test(loads_files) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
