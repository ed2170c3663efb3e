#include "cli/python_path.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of the folder that the program lies in: installed, and in the build folder src/cli. */
static const char *const places[] = { "../share/tare/python/last", "../../../python/last" };

static bool program_dir(char dir[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", dir, PATH_MAX - 1);

	if (n <= 0)
		return false;
	dir[n] = 0;
	char *slash = strrchr(dir, '/');
	if (slash)
		*slash = 0;
	return slash != NULL;
}

static bool find_binding(char path[PATH_MAX])
{
	char dir[PATH_MAX], module[PATH_MAX + 64];

	if (!program_dir(dir))
		return false;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		snprintf(module, sizeof module, "%s/%s", dir, places[i]);
		if (!realpath(module, path))
			continue;
		snprintf(module, sizeof module, "%s/tare/__init__.py", path);
		if (access(module, R_OK) == 0)
			return true;
	}
	return false;
}

static bool has_entry(const char *list, const char *path)
{
	size_t n = strlen(path);

	for (const char *at = list; (at = strstr(at, path)); at += n) {
		bool begins = at == list || at[-1] == ':';
		if (begins && (!at[n] || at[n] == ':'))
			return true;
	}
	return false;
}

void python_path_offer(void)
{
	const char *had = getenv("PYTHONPATH");
	char path[PATH_MAX];
	char *all;

	if (!find_binding(path))
		return;
	if (!had || !*had) {
		setenv("PYTHONPATH", path, 1);
		return;
	}
	if (has_entry(had, path) || asprintf(&all, "%s:%s", had, path) < 0)
		return;
	setenv("PYTHONPATH", all, 1);
	free(all);
}
