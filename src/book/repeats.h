#ifndef TARE_BOOK_REPEATS_H
#define TARE_BOOK_REPEATS_H
/*
 * Rows of one file that tell of the same allocation: of one job, machine, GPUs, model and start the
 * last row holds (allocation_told_again()). 64-bit hashes of the rows, 8 bytes each.
 */
#include "base/mem.h"
#include "model/model.h"

struct repeats { /* of the file being read; zero is empty */
	VEC(uint64_t) row;
};

/* A row of an allocation; those without a job's id stand for themselves. */
void repeats_add(struct repeats *r, const struct allocation *a);
/* How many rows were told again by a later one. Sorts: O(n log n). */
size_t repeats_count(struct repeats *r);
void repeats_free(struct repeats *r); /* back to zero */

#endif
