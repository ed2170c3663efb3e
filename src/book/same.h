#ifndef TARE_BOOK_SAME_H
#define TARE_BOOK_SAME_H
/*
 * A bill that is told again: days that say what the store has already stay as they are, so that the
 * month so far, imported each morning, costs what changed. Inside of book only.
 */
#include "book/in.h"

/*
 * With --replace, before anything is taken out: fills set->same, and takes these days back from the
 * files of the batch: ret[b->file.n] rows of each, zeroed before. None where the bills in force
 * were read with other settings than now: what owns a line hangs on them.
 */
int same_days(struct book *b, struct bill_set *set, int64_t *ret, struct err *err);
/* Remember with which settings the bills of this batch were read. */
int same_remember(struct book *b, struct err *err);

#endif
