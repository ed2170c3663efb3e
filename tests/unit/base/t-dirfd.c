#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "../test_dir.h"
#include "base/dirfd.h"
#include "base/fdio.h"

static const char *at(const char *name)
{
	static char path[200];
	snprintf(path, sizeof path, "%s/%s", test_dir, name);
	return path;
}

static void has(const char *name, const char *text)
{
	char buf[100] = { 0 };
	int fd = open(at(name), O_RDONLY);
	assert_true(fd >= 0);
	assert_true(read(fd, buf, sizeof buf - 1) >= 0);
	close(fd);
	assert_string_equal(buf, text);
}

static void put(const char *name, const char *text)
{
	int fd = open(at(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(fd_write_all(fd, sv_of(text)), 0);
	close(fd);
}

/* A file outside, and links to it and to nothing. */
static int folder(void)
{
	struct err err;
	put("victim", "precious");
	assert_int_equal(symlink("victim", at("link")), 0);
	assert_int_equal(symlink("nowhere", at("dangling")), 0);
	int fd = dir_open(test_dir, &err);
	assert_true(fd >= 0);
	return fd;
}

static void opens_plain_files(void **state)
{
	struct err err;
	struct str got = { 0 };
	int dir = folder(), fd;
	(void)state;

	fd = file_open_in(dir, test_dir, "new", O_RDWR | O_CREAT, 0640, &err);
	assert_true(fd >= 0);
	assert_int_equal(fd_write_all(fd, SV("hello")), 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
	has("new", "hello");
	fd = file_open_in(dir, test_dir, "new", O_WRONLY | O_TRUNC, 0, &err);
	assert_true(fd >= 0);
	close(fd);
	has("new", "");
	put("new", "hello");
	str_addz(&got, "before ");
	assert_int_equal(file_read_in(dir, test_dir, "new", 5, &got, &err), 0);
	assert_string_equal(str_z(&got), "before hello");
	assert_int_equal(file_read_in(dir, test_dir, "new", 4, &got, &err), -E2BIG);
	assert_string_equal(str_z(&got), "before hello");
	assert_int_equal(file_read_in(dir, test_dir, "none", 4, &got, &err), -ENOENT);
	assert_has(err.msg, "/none'");
	str_free(&got);
	close(dir);
}

static void follows_no_link(void **state)
{
	static const int flags[] = { O_RDONLY, O_WRONLY, O_RDWR | O_CREAT,
				     O_WRONLY | O_CREAT | O_TRUNC, O_WRONLY | O_APPEND };
	static const char *const name[] = { "link", "dangling" };
	struct err err;
	struct str got = { 0 };
	int dir = folder();
	(void)state;

	for (size_t i = 0; i < COUNT(flags); i++)
		for (size_t k = 0; k < COUNT(name); k++) {
			assert_int_equal(file_open_in(dir, test_dir, name[k], flags[i], 0600, &err),
					 -ELOOP);
			assert_has(err.msg, "is a symbolic link");
			assert_has(err.hint, "Remove it");
		}
	assert_int_equal(file_read_in(dir, test_dir, "link", 100, &got, &err), -ELOOP);
	assert_int_equal(got.n, 0);
	has("victim", "precious");
	assert_int_not_equal(access(at("nowhere"), F_OK), 0);
	str_free(&got);
	close(dir);
}

/* Neither waited for, nor emptied. */
static void opens_nothing_else(void **state)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	struct err err;
	int dir = folder(), s = socket(AF_UNIX, SOCK_STREAM, 0);
	(void)state;

	assert_int_equal(mkfifo(at("pipe"), 0600), 0);
	assert_int_equal(mkdir(at("sub"), 0700), 0);
	snprintf(sun.sun_path, sizeof sun.sun_path, "%.100s", at("socket"));
	assert_int_equal(bind(s, (struct sockaddr *)&sun, sizeof sun), 0);
	static const char *const name[] = { "pipe", "socket", "sub" };
	for (size_t i = 0; i < COUNT(name); i++) {
		assert_true(file_open_in(dir, test_dir, name[i], O_RDONLY, 0, &err) < 0);
		assert_true(file_open_in(dir, test_dir, name[i], O_WRONLY | O_CREAT | O_TRUNC, 0600,
					 &err) < 0);
	}
	assert_int_equal(file_open_in(dir, test_dir, "pipe", O_RDONLY, 0, &err), -EINVAL);
	assert_has(err.msg, "is not a plain file");
	close(s);
	close(dir);
}

static void replaces(void **state)
{
	struct stat st;
	struct err err;
	int dir = folder();
	(void)state;

	assert_int_equal(file_replace_in(dir, test_dir, "f", SV("one"), 0600, &err), 0);
	assert_int_equal(symlink("victim", at("f.new")), 0);
	assert_int_equal(file_replace_in(dir, test_dir, "f", SV("two"), 0600, &err), 0);
	has("f", "two");
	assert_int_equal(linkat(dir, "victim", dir, "f.new", 0), 0);
	assert_int_equal(file_replace(at("f"), SV("three"), 0600, &err), 0);
	has("f", "three");
	assert_int_equal(file_replace_in(dir, test_dir, "link", SV("mine"), 0600, &err), 0);
	has("link", "mine");
	assert_int_equal(lstat(at("link"), &st), 0);
	assert_true(S_ISREG(st.st_mode));
	has("victim", "precious");
	assert_int_not_equal(access(at("f.new"), F_OK), 0);
	assert_int_equal(mkdir(at("d"), 0700), 0);
	assert_int_equal(mkdir(at("d/in"), 0700), 0);
	assert_true(file_replace_in(dir, test_dir, "d", SV("x"), 0600, &err) < 0);
	assert_has(err.msg, "cannot write '");
	assert_int_not_equal(access(at("d.new"), F_OK), 0);
	close(dir);
}

/* One who may write in a folder but not list it. */
static void opens_unlisted_folders(void **state)
{
	struct err err;
	(void)state;

	assert_int_equal(mkdir(at("drop"), 0300), 0);
	char dir[200];
	snprintf(dir, sizeof dir, "%s", at("drop"));
	int fd = dir_open(dir, &err);
	assert_true(fd >= 0);
	assert_int_equal(file_replace_in(fd, dir, "f", SV("x"), 0600, &err), 0);
	close(fd);
	has("drop/f", "x");
	assert_int_equal(chmod(dir, 0700), 0);
	fd = dir_open(test_dir, &err);
	assert_int_equal(symlinkat("drop", fd, "linked"), 0);
	assert_int_equal(dir_open_in(fd, test_dir, "linked", &err), -ELOOP);
	assert_int_equal(dir_open_in(fd, test_dir, "none", &err), -ENOENT);
	int in = dir_open_in(fd, test_dir, "drop", &err);
	assert_true(in >= 0);
	close(in);
	close(fd);
	assert_int_equal(dir_open(at("none"), &err), -ENOENT);
	assert_int_equal(dir_open(at("victim"), &err), -ENOENT);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fresh_dir, remove_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(opens_plain_files), TEST(follows_no_link),        TEST(opens_nothing_else),
		TEST(replaces),          TEST(opens_unlisted_folders),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
