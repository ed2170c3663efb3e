#ifndef TARE_STORE_NEWEST_H
#define TARE_STORE_NEWEST_H
/*
 * Exports overlap: yesterday's job list has the job that ran, today's the same job as it ended.
 * Rows of different files with the same key are one thing, told by the newest; rows of one file are
 * all kept, however alike. Where a thing has an end, one that was told counts above a later word
 * that it runs, unless it was seen to run longer.
 */
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"

/* Which thing a row tells of, appended to key. */
typedef void newest_key_fn(struct str *key, const void *row);
/* What a row says of its thing's end: nothing, that it ran at least until then, or that it
 * ended. */
struct newest_end {
	enum { END_OPEN, END_SEEN, END_TOLD } known;
	int64_t at_ms;
};
typedef struct newest_end newest_end_fn(const void *row);
/* A part of the key: unknown is not ''. */
void newest_part(struct str *key, struct sv v);
/* Keeps the rows that the newest file tells, in place and order; gives how many. row[n] of size
 * bytes each, src[n]: the files, later imports have larger ones; end NULL: they have none.
 * O(n). */
size_t newest_keep(void *row, size_t n, size_t size, const int64_t *src, newest_key_fn *key,
		   newest_end_fn *end);

#endif
