#include "cli/agent_exec.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM "tare-agent"

static bool is_for_agent(int argc, char **argv)
{
	static const char *const word[] = { "agent", "profile", "run" };

	for (size_t i = 0; i < sizeof word / sizeof *word && argc > 1; i++)
		if (!strcmp(argv[1], word[i]))
			return true;
	return false;
}

/* Beside the running program, in the install prefix as in the build folder; false: not there. */
static bool find_beside(char path[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - sizeof PROGRAM - 1);
	if (n <= 0)
		return false;
	path[n] = 0;
	char *slash = strrchr(path, '/');
	if (!slash)
		return false;
	memcpy(slash + 1, PROGRAM, sizeof PROGRAM);
	return access(path, X_OK) == 0;
}

void agent_exec(int argc, char **argv)
{
	char path[PATH_MAX];
	if (!is_for_agent(argc, argv))
		return;
	/* each returns only where it could not: the next one is tried, at last this process */
	if (find_beside(path))
		execv(path, argv);
	execvp(PROGRAM, argv);
}
