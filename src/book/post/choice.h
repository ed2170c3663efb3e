#ifndef TARE_BOOK_CHOICE_H
#define TARE_BOOK_CHOICE_H
/*
 * Which GPUs of a node a job holds that says only how many: those that its readings fit. Nothing is
 * charged to it that they contradict: where two GPUs fit as well and read differently, which of
 * them it holds is left open, and so is what it did there.
 *
 *   use(h, g)  what GPU g worked in the time of holding h: ms x 2, of memory held alone ms x 1, of
 *              readings that name another job ms x -2
 *   choice     in the order of their start, each takes the GPUs with the greatest use(h, g) less
 *              what the worst-off of those that begin later in its time loses by that; ties go to
 *              the lower GPU
 *   doubt      h holds c. GPU d is as good where those on c and d change places, as far as they
 *              overlap, with no more than two steps of readings of use lost; where d is free, if it
 *              worked more than half as much as c, or c did not work. None where both read alike:
 *              in what they did, how much and with how much memory, but for a twentieth
 *
 * In the same way, jobs of one MIG instance each have one of the instances that were read; where
 * all who hold instances while they run, and while those do, name none and have one profile. Of
 * those that did nothing the ones that were read go first.
 */
#include "book/post/post.h"

struct choice;
struct choice_instance { /* a MIG instance of which there are readings */
	size_t gpu;
	struct sv mig;
};

/* Reads what the GPUs did in the time of the holdings that are not bound yet; *ret NULL where there
 * is nothing to choose. free: choice_free(). */
int choice_read(struct post *p, struct choice **ret, struct err *err);
void choice_free(struct choice *c);
/* The GPUs of the node, the best for holding h first: ret [p->gpus.n]. */
void choice_order(const struct choice *c, size_t h, size_t *ret);
/* The instances of the node, the best for holding h first; 0: an instance is not chosen for it. */
size_t choice_instances(const struct choice *c, size_t h, const struct choice_instance **ret);
/* Behind the last choice: sets the `doubt` of all that were chosen. */
void choice_doubt(struct choice *c);

#endif
