#ifndef TARE_BASE_FDIO_H
#define TARE_BASE_FDIO_H
/* Whole writes to a descriptor. */
#include "base/str.h"

/* Write all of text to fd (blocking, from its position on), going on after signals and short writes. 0, or the negative errno of the write that failed: then a part of it may be there. */
int fd_write_all(int fd, struct sv text);

#endif
