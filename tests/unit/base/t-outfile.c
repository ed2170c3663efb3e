/* A file that a person named: there as a whole or not at all, links and packed ones as well. */
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <unistd.h>

#include "../test_dir.h"
#include "base/input.h"
#include "base/outfile.h"

static const char *at(const char *name)
{
	static char path[2][200];
	static int k;
	char *p = path[k++ % 2];

	snprintf(p, sizeof path[0], "%s/%s", test_dir, name);
	return p;
}

static void has(const char *name, const char *text)
{
	char buf[100] = { 0 };
	FILE *f = fopen(at(name), "r");

	assert_non_null(f);
	assert_true(fread(buf, 1, sizeof buf - 1, f) < sizeof buf);
	fclose(f);
	assert_string_equal(buf, text);
}

static int entries(void)
{
	DIR *d = opendir(test_dir);
	int n = -2; /* . and .. */

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static void takes_its_place_when_done(void **state)
{
	struct outfile *o;
	struct err err;

	(void)state;
	assert_int_equal(outfile_write(at("page"), SV("old"), &err), 0);
	assert_int_equal(outfile_open(at("page"), false, &o, &err), 0);
	assert_int_equal(outfile_put(o, SV("new, "), &err), 0);
	assert_int_equal(outfile_put(o, SV_NULL, &err), 0);
	assert_int_equal(outfile_put(o, SV("whole"), &err), 0);
	has("page", "old");
	assert_int_equal(outfile_done(o, &err), 0);
	has("page", "new, whole");
	assert_int_equal(entries(), 1);
}

static void what_is_dropped_leaves_the_old(void **state)
{
	struct outfile *o;
	struct err err;

	(void)state;
	outfile_drop(NULL);
	assert_int_equal(outfile_write(at("page"), SV("old"), &err), 0);
	assert_int_equal(outfile_open(at("page"), true, &o, &err), 0);
	assert_int_equal(outfile_put(o, SV("half"), &err), 0);
	outfile_drop(o);
	has("page", "old");
	assert_int_equal(entries(), 1);
}

static void a_link_is_written_through(void **state)
{
	struct stat st;
	struct err err;

	(void)state;
	assert_int_equal(symlink("real", at("link")), 0);
	assert_int_equal(outfile_write(at("link"), SV("text"), &err), 0);
	assert_int_equal(lstat(at("link"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	has("real", "text");
	assert_int_equal(entries(), 2);
}

static void packed_is_one_frame(void **state)
{
	struct outfile *o;
	struct input *in;
	struct err err;
	char buf[6000];
	int64_t all = 0;

	(void)state;
	assert_int_equal(outfile_open(at("rows.zst"), true, &o, &err), 0);
	for (int i = 0; i < 100000; i++)
		assert_int_equal(outfile_put(o, SV("a row\n"), &err), 0);
	assert_int_equal(outfile_done(o, &err), 0);
	assert_int_equal(input_open(at("rows.zst"), &in, &err), 0);
	for (int64_t n; (n = input_read(in, buf, sizeof buf, &err)) != 0; all += n) {
		assert_true(n > 0);
		assert_memory_equal(buf, &"a row\n"[all % 6], (size_t)(6 - all % 6));
	}
	assert_int_equal(all, 600000);
	input_close(in);
}

static void errors_name_the_file(void **state)
{
	struct outfile *o;
	struct err err;

	(void)state;
	assert_int_equal(outfile_open(at("none/page"), false, &o, &err), -ENOENT);
	assert_has(err.msg, "none/page': No such file");
	assert_int_equal(outfile_write("/dev/full", SV("text"), &err), -ENOSPC);
	assert_string_equal(err.msg, "cannot write '/dev/full': No space left on device");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, fresh_dir, remove_dir)
		T(takes_its_place_when_done), T(what_is_dropped_leaves_the_old),
		T(a_link_is_written_through), T(packed_is_one_frame),
		T(errors_name_the_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
