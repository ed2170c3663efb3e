#ifndef TARE_BASE_LINES_H
#define TARE_BASE_LINES_H
/* Lines of a text that is no CSV. CR before LF is taken off, the first line's BOM too; a last line
 * without LF counts. */
#include "base/input.h"
#include "base/str.h"

#define LINES_MAX_BYTES ((size_t)1 << 20) /* of one line: longer is -EMSGSIZE */

struct lines {
	struct input *in;
	int64_t line; /* number of the line last returned, from 1 */
	struct str buf;
	size_t at; /* start of what is not returned yet */
	bool end;
	struct str own; /* of a line that is no UTF-8 */
};
void lines_open(struct lines *l, struct input *in); /* the input is borrowed */
/* 1 and the line (valid until the next call; what is no UTF-8 is read as Latin-1), 0 at the end,
 * negative; a NUL byte is -EBADMSG. */
int lines_next(struct lines *l, struct sv *ret, struct err *err);
void lines_free(struct lines *l);

#endif
