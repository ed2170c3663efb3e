#ifndef TARE_STORE_NEWEST_H
#define TARE_STORE_NEWEST_H
/*
 * Exports overlap: yesterday's job list has the job that ran, today's the same job as it ended.
 * Rows of different files with the same key are one thing, told by the newest of those that rank
 * highest; rows of one file are all kept, however alike.
 */
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"

/* Which thing a row tells of, appended to key. */
typedef void newest_key_fn(struct str *key, const void *row);
/* How much a row says: one that says more counts above a later one that says less. */
typedef int newest_rank_fn(const void *row);
/* A part of the key: unknown is not ''. */
void newest_part(struct str *key, struct sv v);
/* Keeps the rows that the newest file tells, in place and order; gives how many. row[n] of size
 * bytes each, src[n]: the files, later imports have larger ones; rank NULL: all alike. O(n). */
size_t newest_keep(void *row, size_t n, size_t size, const int64_t *src, newest_key_fn *key,
		   newest_rank_fn *rank);

#endif
