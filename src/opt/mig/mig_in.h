#ifndef TARE_OPT_MIG_MIG_IN_H
#define TARE_OPT_MIG_MIG_IN_H
/* What the packer's two files know of each other: patterns, prices and bounds (mig_bound.c), the
 * search (mig_pack.c). */
#include "opt/mig/mig.h"

#define MIG_MAX_GPUS 4096

struct mig_pattern {
	int x[MIG_TYPES];
	double cost; /* reduced cost at the prices found */
};

struct mig_problem {
	const struct mig_geom *g;
	size_t n, T;
	const struct mig_service *service;
	double rate[MIG_SERVICES]; /* what is left after whole GPUs were taken off */
	VEC(struct mig_pattern) pat[MIG_SERVICES];
	double u[MIG_TYPES], bound, rate_bound;
	VEC(struct mig_instance) bulk;
	int bulk_gpus;
};

/* u.x of a price vector and a count of instances. */
double mig_value(const struct mig_problem *k, const double *u, const int *x);
/*
 * Fill in patterns, prices, bounds and the reduced cost of each pattern. Whole GPUs of services
 * with too many patterns go to `bulk`. 0 or -E2BIG.
 */
int mig_bound(struct mig_problem *k, struct err *err);

#endif
