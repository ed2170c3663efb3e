#ifndef TARE_BASE_OUTFILE_H
#define TARE_BASE_OUTFILE_H
/*
 * A file that a person named, written in pieces: beside it first ("PATH.PID.tmp"), then in its
 * place, so that a reader never sees half of it and an error leaves what was there. A device, a
 * pipe or a link is written to as it is: a file put in its place would take it away.
 */
#include <stdbool.h>
#include "base/err.h"
#include "base/str.h"

struct outfile;

/* path is copied. packed: as one zstd frame, level 3. 0, or a negative errno. */
int outfile_open(const char *path, bool packed, struct outfile **ret, struct err *err);
/* Append. 0, or a negative errno: then only outfile_drop() is left to do. */
int outfile_put(struct outfile *o, struct sv text, struct err *err);
/* What was put is durable and in its place. Frees o, also after an error, which leaves what was
 * there before. 0, or a negative errno. */
int outfile_done(struct outfile *o, struct err *err);
/* What was put goes, as far as it has no place yet. Frees o; NULL: nothing. */
void outfile_drop(struct outfile *o);

/* All of it at once. 0, or a negative errno. */
int outfile_write(const char *path, struct sv text, struct err *err);

#endif
