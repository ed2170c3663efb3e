#include "store/duck/spill.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define OF_READERS "facts.duckdb.tmp" /* programs of before had it so, all of them one */
#define OF_WRITER  "facts.duckdb.new.tmp"
#define STILL_S    3600 /* a process that is not seen may live in another container */

char *spill_path(const struct facts *f)
{
	static int serial;
	char end[64];

	if (f->write)
		return duck_path_of(f, ".new.tmp");
	snprintf(end, sizeof end, ".tmp-%ld-%d", (long)getpid(),
		 __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED));
	return duck_path_of(f, end);
}

static bool is_left(int dir, const char *name)
{
	size_t n = strlen(OF_READERS);
	struct stat st;

	if (!strcmp(name, OF_WRITER) || !strcmp(name, OF_READERS))
		return true;
	if (strncmp(name, OF_READERS "-", n + 1) || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return false;
	long pid = strtol(name + n + 1, NULL, 10);
	bool lives = pid > 0 && (kill((pid_t)pid, 0) == 0 || errno == EPERM);
	return pid > 0 && !lives && time(NULL) - st.st_mtime > STILL_S;
}

/* DuckDB's files in it, and the folder if nothing else is. */
static void remove_folder(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	for (struct dirent *e; d && (e = readdir(d));)
		if (!strncmp(e->d_name, "duckdb_temp_", strlen("duckdb_temp_")))
			unlinkat(fd, e->d_name, 0);
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	unlinkat(dir, name, AT_REMOVEDIR);
}

void spill_sweep(const struct facts *f)
{
	DIR *d = opendir(f->dir);

	for (struct dirent *e; d && (e = readdir(d));)
		if (is_left(dirfd(d), e->d_name))
			remove_folder(dirfd(d), e->d_name);
	if (d)
		closedir(d);
}
