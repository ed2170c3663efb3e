#ifndef TARE_OPT_COMMIT_COMMIT_IN_H
#define TARE_OPT_COMMIT_COMMIT_IN_H
/* Shared by commit*.c: the book of a run, hour by hour. */
#include "opt/commit/commit.h"

/* Units in force from hour to hour, and what they cost. */
struct commit_book {
	const double *demand;
	size_t nhour;
	const struct commit_term *term;
	size_t nterm;
	double *change; /* [nhour + 1] of the units held */
	struct commit_result *res;
	size_t cap;
};
/*
 * Another term is no more expensive an hour and goes into this one a whole number of times (of two
 * alike the first stays): renewing that one does the same, so this one is never needed. O(nterm).
 */
bool commit_is_beaten(const struct commit_term *term, size_t nterm, size_t i);

#endif
