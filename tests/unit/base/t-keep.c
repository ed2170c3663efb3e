#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../test_dir.h"
#include "base/fdio.h"
#include "base/keep.h"

#define NOW INT64_C(1790000000000)
#define DAY INT64_C(86400000)

static const char *at(const char *name)
{
	static char path[200];
	snprintf(path, sizeof path, "%s/%s", test_dir, name);
	return path;
}

static bool there(const char *name)
{
	return access(at(name), F_OK) == 0;
}

static void put(const char *name, int bytes, int64_t changed_ms)
{
	struct timespec t[2] = { { changed_ms / 1000, 0 }, { changed_ms / 1000, 0 } };
	int fd = open(at(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, bytes), 0);
	assert_int_equal(futimens(fd, t), 0);
	close(fd);
}

static bool runs(const char *name)
{
	return strncmp(name, "p-", 2) == 0 && strcmp(name, "p-mine.json") != 0;
}

static void fill(void)
{
	for (int i = 1; i <= 5; i++) {
		char name[40];
		snprintf(name, sizeof name, "p-%d.json", i);
		put(name, 100, NOW - (10 - i) * DAY);
		snprintf(name, sizeof name, "p-%d.host.csv.zst", i);
		put(name, 900, NOW - (10 - i) * DAY);
	}
	put("other.json", 100000, NOW - 100 * DAY);
	put("p-mine.json", 100000, NOW - 100 * DAY);
	mkdir(at("p-0.d"), 0700);
	assert_int_equal(symlink("/etc/passwd", at("p-00.json")), 0);
}

static void old_ones_go(void **state)
{
	struct keep_opt o = { .ours = runs, .now_ms = NOW, .max_age_ms = 7 * DAY };
	struct keep_sums s;
	struct err err;

	fill();
	/* an entry is as old as the newest of its files */
	put("p-1.samples.csv.zst", 7, NOW - DAY);
	assert_int_equal(keep_trim(test_dir, &o, &s, &err), 0);
	assert_true(there("p-1.json") && !there("p-2.json") && !there("p-2.host.csv.zst") &&
		    there("p-3.json") && there("p-5.json"));
	assert_true(there("other.json") && there("p-mine.json") && there("p-0.d") &&
		    there("p-00.json"));
	assert_int_equal(s.gone, 1);
	assert_int_equal(s.gone_bytes, 1000);
	assert_int_equal(s.entries, 4);
	assert_int_equal(s.bytes, 4007);
}

static void oldest_go_first(void **state)
{
	struct keep_opt o = { .ours = runs, .now_ms = NOW, .max_bytes = 2500, .spare_ms = 60000 };
	struct keep_sums s;
	struct err err;

	fill();
	assert_int_equal(keep_trim(test_dir, &o, &s, &err), 0);
	assert_true(!there("p-1.json") && !there("p-3.json") && there("p-4.json") &&
		    there("p-5.host.csv.zst"));
	assert_int_equal(s.gone, 3);
	assert_int_equal(s.bytes, 2000);
}

/* Who spares nothing need not know the time. */
static void without_a_clock(void **state)
{
	struct keep_opt o = { .max_bytes = 2500 };
	struct keep_sums s;
	struct err err;

	put("1.json", 1000, NOW - 3 * DAY);
	put("2.json", 1000, NOW - 2 * DAY);
	put("3.json", 1000, NOW - DAY);
	assert_int_equal(keep_trim(test_dir, &o, &s, &err), 0);
	assert_true(!there("1.json") && there("2.json") && there("3.json"));
	assert_int_equal(s.bytes, 2000);
}

/* What is written to at this moment stays, though it alone is too much; a clock set back makes
 * nothing old. */
static void in_use(void **state)
{
	struct keep_opt o = { .now_ms = NOW, .max_age_ms = 1, .max_bytes = 1, .spare_ms = 60000 };
	struct keep_sums s;
	struct err err;

	put("a.json", 5000, NOW - 30000);
	put("b.json", 5000, NOW - 90000);
	put("c.json", 5000, NOW + DAY);
	assert_int_equal(keep_trim(test_dir, &o, &s, &err), 0);
	assert_true(there("a.json") && !there("b.json") && there("c.json"));
	assert_int_equal(s.entries, 2);
}

static void nothing_there(void **state)
{
	struct keep_opt o = { .now_ms = NOW, .max_bytes = 1 };
	struct keep_sums s = { 1, 1, 1, 1 };
	struct err err;

	assert_int_equal(keep_trim(at("none"), &o, &s, &err), 0);
	assert_int_equal(s.entries + s.bytes + s.gone, 0);
	assert_int_equal(keep_trim(test_dir, &o, &s, &err), 0);
	assert_int_equal(s.entries, 0);
	put("file", 1, NOW);
	assert_true(keep_trim(at("file"), &o, &s, &err) < 0);
}

/* The old file or the new one, and no third. */
static void replaced(void **state)
{
	char text[16] = "";
	struct err err;

	assert_int_equal(file_replace(at("f"), SV("one"), 0600, &err), 0);
	assert_int_equal(file_replace(at("f"), SV("second"), 0600, &err), 0);
	int fd = open(at("f"), O_RDONLY);
	assert_int_equal(read(fd, text, sizeof text), 6);
	assert_string_equal(text, "second");
	close(fd);
	assert_false(there("f.new"));
	assert_true(file_replace(at("none/f"), SV("x"), 0600, &err) < 0);
	assert_non_null(strstr(err.msg, "none/f"));
	mkdir(at("d"), 0700);
	assert_true(file_replace(at("d"), SV("x"), 0600, &err) < 0);
	assert_false(there("d.new"));
}

/* What others left under the name it would be written by is neither used nor in the way. */
static void secret(void **state)
{
	struct stat st;
	struct err err;

	put("s.new", 1, NOW);
	assert_int_equal(chmod(at("s.new"), 0666), 0);
	mode_t was = umask(0);
	assert_int_equal(file_replace_secret(at("s"), SV("one"), &err), 0);
	assert_int_equal(file_replace_secret(at("s"), SV("two"), &err), 0);
	umask(was);
	assert_int_equal(stat(at("s"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(st.st_size, 3);
	assert_true(there("s.new"));
	assert_true(file_replace_secret(at("none/s"), SV("x"), &err) < 0);
	assert_non_null(strstr(err.msg, "none/s"));
	mkdir(at("d"), 0700);
	assert_true(file_replace_secret(at("d"), SV("x"), &err) < 0);
	int n = 0;
	DIR *all = opendir(test_dir);
	while (readdir(all))
		n++;
	closedir(all);
	assert_int_equal(n, 5); /* ".", "..", "s", "s.new", "d": nothing half is left */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(old_ones_go, fresh_dir, remove_dir),
		cmocka_unit_test_setup_teardown(oldest_go_first, fresh_dir, remove_dir),
		cmocka_unit_test_setup_teardown(without_a_clock, fresh_dir, remove_dir),
		cmocka_unit_test_setup_teardown(in_use, fresh_dir, remove_dir),
		cmocka_unit_test_setup_teardown(nothing_there, fresh_dir, remove_dir),
		cmocka_unit_test_setup_teardown(replaced, fresh_dir, remove_dir),
		cmocka_unit_test_setup_teardown(secret, fresh_dir, remove_dir),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
