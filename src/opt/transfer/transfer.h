#ifndef TARE_OPT_TRANSFER_TRANSFER_H
#define TARE_OPT_TRANSFER_TRANSFER_H
/*
 * How fast a workload runs on another GPU: learned from a table of speeds (works x GPUs), the
 * GPUs' data sheets and a few own measurements. See transfer.c for the model. Speeds are work per
 * second of the whole run (all its GPUs), in any unit: a workload's own unit cancels.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

/* after equal runs were averaged; memory is some 35 matrices of this size squared */
#define TRANSFER_MAX_CELLS 1200
#define TRANSFER_MAX_OWN   64
#define TRANSFER_NFEATURE  2

/* A GPU model as the roofline sees it: peak at the precision of the work, memory bandwidth. NAN =
 * not known: taken as an average GPU. */
struct transfer_gpu {
	double peak_tflops, bandwidth_gb_s;
};

/* What it ran on: GPUs of one model; layout: 0, or a number for another way to place them (spread
 * over machines). */
struct transfer_run {
	int gpu;
	double gpus;
	int layout;
};

/*
 * What ran. level: works of one level have one speed unit (an own work has a level of its own).
 * shape: works of one shape react alike to a change of GPU; family: shapes that resemble each
 * other. batch, gpus: size per step and GPUs the work itself is split over, 1 where that does not
 * matter: the same work on more GPUs has the same level and shape.
 * level, shape, family: 0 to 9999.
 */
struct transfer_workload {
	int level, shape, family;
	double batch, gpus;
};

struct transfer_cell {
	struct transfer_run run;
	struct transfer_workload workload;
	double speed;
};

/* An answer: the best guess, and 5th and 95th percentile. */
struct transfer_speed {
	double speed, lo, hi;
};

struct transfer;
/*
 * Learn. GPU [ngpu]; cell [ncell], ncell may be 0 (data sheets alone). Cells of one run and work
 * are averaged. Inputs are only read. Returns 0; -EINVAL for a speed, batch or count that is no
 * positive number or a GPU out of range; -E2BIG. *ret is the caller's. O(terms x sweeps x n^3), n
 * = different cells: 0.2 s at 200; twice that with split works.
 */
int transfer_fit(size_t ngpu, const struct transfer_gpu *gpu, size_t ncell,
		 const struct transfer_cell *cell, struct transfer **ret, struct err *err);
void transfer_free(struct transfer *t); /* NULL is fine */

struct transfer_ask {
	size_t nown; /* <= TRANSFER_MAX_OWN, may be 0 */
	const struct transfer_cell *own;
	size_t nask;
	const struct transfer_cell *ask; /* their .speed is not read */
};
/*
 * Speeds of ask, given own measurements. Up to 5 of them are weighed for being outliers, so that
 * one broken measurement does not carry the answer off. A level that the table has not is in a unit
 * of its own: its measurements times any factor give answers times that factor, and one alone fixes
 * the unit and no ratio; without one only ratios count. ret [nask]. 0, -EINVAL, -E2BIG. O(n^2 (nown
 * + nask)).
 */
int transfer_predict(const struct transfer *t, const struct transfer_ask *q,
		     struct transfer_speed *ret, struct err *err);

/* The same for many sets of own measurements among n cells: what does not depend on them is
 * computed once. The cells' speeds are not read. */
struct transfer_joint;
int transfer_joint_new(const struct transfer *t, size_t n, const struct transfer_cell *cell,
		       struct transfer_joint **ret, struct err *err);
void transfer_joint_free(struct transfer_joint *j);
/* own_at [nown]: which of the n cells were measured, own_speed [nown]: how fast. ret [n]: all of
 * them, the measured ones too. O(n nown^2). */
int transfer_joint_predict(const struct transfer_joint *j, size_t nown, const size_t *own_at,
			   const double *own_speed, struct transfer_speed *ret, struct err *err);

#endif
