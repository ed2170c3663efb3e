#include "store/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

static int sync_path(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int r = 0;
	if (fsync(fd))
		r = -errno;
	close(fd);
	return r;
}

int folder_sync(const char *dir, struct err *err)
{
	int r = sync_path(dir);
	if (r)
		return err_set(err, r, "cannot make the folder '%s' durable: %s", dir,
			       strerror(-r));
	return 0;
}

int folder_make(const char *dir, mode_t mode, struct err *err)
{
	char *path = xstrdup(dir);
	int r = 0;
	for (char *p = path + 1; *path && r == 0; p++) {
		if (*p != '/' && *p)
			continue;
		char c = *p;
		*p = 0;
		bool made = mkdir(path, mode) == 0;
		if (!made && errno != EEXIST && !c)
			r = err_set(err, -errno, "cannot make the folder '%s': %s", path,
				    strerror(errno));
		if (made || !c) {
			/* Also where it was there: the run that made it may have died before it
			 * came to this. */
			char *above = xstrdup(path), *slash = strrchr(above, '/');
			if (!slash)
				sync_path(".");
			else if (slash == above)
				sync_path("/");
			else {
				*slash = 0;
				sync_path(above);
			}
			free(above);
		}
		*p = c;
		if (!c)
			break;
	}
	free(path);
	return r;
}

int folder_check_file(const char *dir, const char *name, struct err *err)
{
	struct str path = { 0 };
	struct stat st;
	int r = 0;
	str_addf(&path, "%s/%s", dir, name);
	if (lstat(path.p, &st) == 0 && !S_ISREG(st.st_mode)) {
		r = err_set(err, -EINVAL, "'%s' is %s", path.p,
			    S_ISLNK(st.st_mode) ? "a symbolic link" : "not a file");
		err_hint(err, "a store's own files are files; only the folder may be a link");
	}
	str_free(&path);
	return r;
}
