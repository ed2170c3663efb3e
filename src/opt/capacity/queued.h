#ifndef TARE_OPT_CAPACITY_QUEUED_H
#define TARE_OPT_CAPACITY_QUEUED_H
/*
 * Idle GPUs against waiting jobs, at an instant: does a job fit on what idles? A job has parts,
 * each of whole GPUs together on one machine, with the CPUs and memory of the host that it asks
 * for. See queued.c.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * CPU or memory that is not told. Of a machine: never short, as nothing is known of it. Of a part:
 * it fits no machine whose own is known, so that what is placed stays a lower bound.
 */
#define QUEUED_UNKNOWN INT64_MAX

struct queued_spot {                /* a machine */
	int64_t free, held;         /* whole idle GPUs: of nobody; of workloads that do nothing */
	int64_t cpu_milli, ram_mib; /* of nobody; QUEUED_UNKNOWN */
	/* what the works that do nothing hold of it beside their GPUs */
	int64_t held_cpu_milli, held_ram_mib;
};
struct queued_part {
	int64_t gpus;               /* > 0 */
	int64_t cpu_milli, ram_mib; /* 0 = none; QUEUED_UNKNOWN */
};
struct queued_got {
	size_t spot;
	int64_t free, held; /* GPUs of either */
};

/*
 * Place all parts of one job, or none: what it gets is taken off the machines.
 *
 *   part     [npart] the largest first
 *   ret_got  [npart] where each is; told only on true
 *
 * GPUs of nobody are taken before those that are held; of machines that fit, the one with the
 * fewest idle GPUs (ties: the first). For parts of one size it finds a place whenever there is
 * one. GPUs held with CPU count what their owners have of the host as free with them. O(npart x
 * nspot).
 */
bool queued_place(size_t nspot, struct queued_spot *spot, size_t npart,
		  const struct queued_part *part, struct queued_got *ret_got);
#endif
