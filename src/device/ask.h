#ifndef TARE_DEVICE_ASK_H
#define TARE_DEVICE_ASK_H
/* Run a program of somebody else's, with a limit on time and on what it prints. */
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"

/*
 * Run argv (searched on PATH; NULL-terminated) with TZ=UTC, LC_ALL=C and no input; *out gets its
 * standard output. 0 where it ended with status 0 in time. -ETIMEDOUT, -EMSGSIZE (more than max
 * bytes): it and its children are killed. -ENOENT: no such program. -EIO: it failed; the error has
 * the first line it wrote to standard error.
 */
int ask_run(const char *const *argv, int64_t limit_ms, size_t max, struct str *out,
	    struct err *err);

#endif
