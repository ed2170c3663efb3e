#include "base/exec.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The interpreter of a script's first line, or "". */
static const char *read_interpreter(const char *name, char buf[256])
{
	FILE *f = fopen(name, "re");
	size_t n = 0;

	if (f)
		n = fread(buf, 1, 255, f);
	if (f)
		fclose(f);
	buf[n] = 0;
	if (n < 3 || buf[0] != '#' || buf[1] != '!')
		return "";
	char *at = buf + 2 + strspn(buf + 2, " \t");
	at[strcspn(at, " \t\r\n")] = 0;
	return at;
}

int exec_failed(const char *name, int e, struct err *err)
{
	char buf[256];
	const char *by;
	struct stat st;

	err_set(err, -ENOEXEC, "cannot run '%.200s': %s", name, strerror(e));
	if (e == EACCES && stat(name, &st) == 0 && S_ISDIR(st.st_mode))
		err_hint(err, "It is a folder");
	else if (e == EACCES && stat(name, &st) == 0 && access(name, X_OK) != 0)
		err_hint(err,
			 "It may not be executed: chmod +x it, or name its interpreter before it");
	if (e != ENOENT)
		return 126;

	if (strpbrk(name, " |&;<>$`*"))
		err_hint(
			err,
			"A line for the shell is run by one: sh -c '...'; a command and its arguments are words of their own");
	else if (!strchr(name, '/') && access(name, F_OK) == 0)
		err_hint(err, "It is no program on PATH; for the file here say ./%.200s", name);
	else if (strchr(name, '/') && access(name, F_OK) == 0 &&
		 *(by = read_interpreter(name, buf)))
		err_hint(
			err,
			"The file is there, but not the interpreter its first line names: '%.200s'",
			by);
	return 127;
}
