#ifndef TARE_OPT_SIZE_GPU_CHOICE_H
#define TARE_OPT_SIZE_GPU_CHOICE_H
/*
 * The cheapest GPU that does the work: memory, compute and time fit, cost per unit of work least.
 * See gpu_choice.c.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

#define GPU_CHOICE_VRAM_ROOM 1.1 /* of the 99th percentile: the rule */

enum gpu_fit {
	GPU_FITS,
	GPU_NO_MEMORY,
	GPU_MEMORY_UNKNOWN,
	GPU_TOO_SLOW,
	GPU_MAY_BE_TOO_SLOW,
	GPU_SPEED_UNKNOWN,
	GPU_NO_PRICE,
	GPU_NEEDS_PORT
};
const char *gpu_fit_text(enum gpu_fit f); /* "fits", "too little memory", ... */

struct gpu_candidate {
	double memory_gib;     /* per GPU, NAN = not known */
	int64_t nano_gpu_hour; /* price of one GPU, INT64_MIN = not known */
	/* work per hour of one GPU against the GPU used now (1 = as fast), with its range; NAN =
	 * not known */
	double speed, lo, hi;
	/* another maker's: the program must be ported before it runs there */
	bool port;
	/* out */
	enum gpu_fit fit;
	/* price / speed: what the work of one hour on the GPU used now costs; NAN */
	double nano_per_work;
	double nano_lo, nano_hi; /* at hi and lo speed */
};

struct gpu_need {
	/* NAN = not known: then nothing fits for sure (GPU_MEMORY_UNKNOWN) */
	double vram_p99_gib;
	double max_slowdown; /* time there / time now; INFINITY = any */
	/* part of its compute that the work really uses now (0..1]: a GPU that runs at 0.2 needs a
	 * fifth of the speed; 1 = all of it */
	double busy_frac;
	bool sure;  /* the limit on time must hold at the low end of the range too */
	bool ports; /* a port is no obstacle: rank such GPUs among the others */
};

/*
 * Judge all candidates in place and write the order, cheapest per unit of work that fits first,
 * then those that would but for a port of the program, then those that do not fit by price; ties by
 * index. ret_order [n]. Returns how many fit (0 is an answer), or -EINVAL. O(n log n).
 *
 * A workload that is not bound by the GPU (busy_frac < 1) does not get slower while speed >=
 * busy_frac: its cost is price / min(1, speed / busy_frac).
 */
int gpu_choose(const struct gpu_need *need, size_t n, struct gpu_candidate *c, size_t *ret_order,
	       struct err *err);

#endif
