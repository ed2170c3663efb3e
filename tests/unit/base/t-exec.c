/* What is said of a command that cannot be started. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/exec.h"
#include "test.h"

static void put(const char *name, const char *text, mode_t mode)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(chmod(name, mode), 0);
}

static void says(const char *name, int e, int code, const char *hint)
{
	struct err err = { 0 };

	assert_int_equal(exec_failed(name, e, &err), code);
	assert_non_null(strstr(err.msg, name));
	if (*hint)
		assert_non_null(strstr(err.hint, hint));
	else
		assert_string_equal(err.hint, "");
}

static void test_says(void **state)
{
	char dir[] = "/tmp/t-exec-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	put("here.sh", "#!/nowhere/sh -e\n", 0755);
	put("plain.py", "print(1)\n", 0644);
	put("empty", "", 0755);
	says("nosuch", ENOENT, 127, "");
	says("echo a | wc -l", ENOENT, 127, "sh -c");
	says("here.sh", ENOENT, 127, "./here.sh");
	says("./here.sh", ENOENT, 127, "'/nowhere/sh'");
	says("./empty", ENOENT, 127, "");
	says("./plain.py", EACCES, 126, "chmod +x");
	says(dir, EACCES, 126, "folder");
	says("./here.sh", ENOEXEC, 126, "");
	unlink("here.sh"), unlink("plain.py"), unlink("empty");
	assert_int_equal(chdir("/"), 0);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest t[] = { cmocka_unit_test(test_says) };

	return cmocka_run_group_tests(t, NULL, NULL);
}
