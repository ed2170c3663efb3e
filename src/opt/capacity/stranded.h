#ifndef TARE_OPT_CAPACITY_STRANDED_H
#define TARE_OPT_CAPACITY_STRANDED_H
/*
 * Stranded GPUs: free, paid, and of no use to anybody, because the CPU or the memory beside them
 * is taken.
 *
 *   stranded(t) = g x max( 0, floor( G(t) / g ) - floor( min( C(t) / c, M(t) / m ) ) )
 *
 * G, C, M: GPUs, CPU, memory of the machine that are free at t; a job asks for g, c, m.
 *
 * A machine that nobody holds any part of is free, and strands nothing. What a hold does not say of
 * itself takes nothing, and what a machine does not say of itself is never short: so the answer is
 * a lower bound. Units: GPUs and CPU in 1/1000, memory in MiB; 0 or less = not known.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strand_machine {
	int64_t gpus_milli, cpu_milli, ram_mib, from_ms, to_ms;
};
struct strand_hold {
	int64_t from_ms, to_ms, gpus_milli, cpu_milli, ram_mib;
};
struct strand_ask {
	int64_t gpus_milli, cpu_milli, ram_mib;
}; /* of one job, gpus > 0 */

struct strand_piece {
	int64_t from_ms, to_ms;
	int64_t gpus_milli; /* stranded, > 0 */
	bool cpu;           /* the CPU is what is short, else the memory */
	/* hold with most of it beyond the part that goes with its GPUs, SIZE_MAX: none has; the
	 * machine is built so */
	size_t most;
};
struct strand_list {
	struct strand_piece *v;
	size_t n, cap;
}; /* for vec_push(); vec_free() */

/* Append the intervals of a machine in which GPUs are stranded, in order of time. O(n^2) in holds
 * that overlap, O(n log n) else. */
void stranded_pieces(const struct strand_machine *m, size_t n, const struct strand_hold *hold,
		     const struct strand_ask *ask, struct strand_list *ret);

/*
 * The median job: median GPUs (at most one: who asks for more is no easier to place), and the
 * median of CPU and of memory per GPU over those that say it, for that many GPUs. false where
 * fewer than min_jobs say their CPU or memory. v is sorted in place by what is looked at last.
 */
bool stranded_typical(size_t n, struct strand_ask *v, size_t min_jobs, struct strand_ask *ret);

#endif
