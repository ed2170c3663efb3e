#ifndef TARE_BOOK_ONCE_H
#define TARE_BOOK_ONCE_H
/*
 * Days of a bill that two files have word for word count once: a daily file that came again, or the
 * day before beside the new one. Inside of book only.
 */
#include "book/in.h"

/* Two files with rows in common, and not days alone: exports of one bill, of other times. */
struct once_doubt {
	int64_t src, of_src;
};
struct once {
	VEC(struct once_doubt) doubt;
	VEC(size_t) told; /* files of the call with days that count once */
};
void once_free(struct once *o);
bool once_told(const struct once *o, size_t file);
bool once_doubts(const struct once *o, int64_t src, int64_t of_src);

/*
 * Azure's actual and amortised exports of one bill in one call: together they have what is invoiced
 * and what use costs, each row once.
 */
int once_join_sides(struct book *b, const struct bill_set *set, struct once *o, struct err *err);
/*
 * Files of the call among each other. A sub account's day that says the same in two of them is
 * taken back from the later file, with a note; where they have rows of other days in common, or
 * others beside rows that are the same, the two are in doubt.
 */
int once_in_call(struct book *b, const struct bill_set *set, struct once *o, struct err *err);
/*
 * The files of the call, together, against what was there before, where --replace was not said:
 * days that say the same stay as they are. -EINVAL where there are such and other rows of days that
 * the store has too, and where the call says nothing else.
 */
int once_before(struct book *b, const struct bill_set *set, struct once *o, struct err *err);

#endif
