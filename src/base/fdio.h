#ifndef TARE_BASE_FDIO_H
#define TARE_BASE_FDIO_H
/* Whole writes to a descriptor, whole files, and what is in a folder. */
#include <dirent.h>

#include "base/err.h"
#include "base/str.h"

/* Write all of text to fd (blocking, from its position on), going on after signals and short
 * writes. 0, or the negative errno of the write that failed: then a part of it may be there. */
int fd_write_all(int fd, struct sv text);

/* file_replace_in() (base/dirfd.h) by path: the folder is the one that path has before its last
 * '/'. */
int file_replace(const char *path, struct sv text, unsigned mode, struct err *err);
/* The same for what only its owner may read (0600), and that several programs may write at once:
 * each beside it under a name of its own ("PATH.XXXXXX"). */
int file_replace_secret(const char *path, struct sv text, struct err *err);

/* readdir(3) with errno cleared before: of NULL it is 0 at the end, else what went wrong. */
struct dirent *dir_next(DIR *d);

#endif
