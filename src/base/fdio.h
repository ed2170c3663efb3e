#ifndef TARE_BASE_FDIO_H
#define TARE_BASE_FDIO_H
/* Whole writes to a descriptor, and whole files. */
#include "base/err.h"
#include "base/str.h"

/* Write all of text to fd (blocking, from its position on), going on after signals and short writes. 0, or the negative errno of the write that failed: then a part of it may be there. */
int fd_write_all(int fd, struct sv text);

/*
 * Put a file of `text` in the place of `path`: written beside it ("PATH.new", made with `mode`), fsync, rename, so that there is the old one or the whole new one.
 * A power cut may still bring the old one back (the folder is not synced). 0, or a negative errno with the sentence; nothing of the new one is left then.
 */
int file_replace(const char *path, struct sv text, unsigned mode, struct err *err);

#endif
