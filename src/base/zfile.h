#ifndef TARE_BASE_ZFILE_H
#define TARE_BASE_ZFILE_H
/*
 * Text appended to a file as zstd frames, one a call: whoever is killed between two calls leaves a
 * file that can be read as far as it goes (base/input.h reads several frames as one stream).
 */
#include "base/err.h"
#include "base/str.h"

/* Append text to the file open as fd (O_APPEND) as one frame, in one write. name is what errors
 * call it. 0, or a negative errno. */
int zfile_append(int fd, const char *name, struct sv text, struct err *err);

#endif
