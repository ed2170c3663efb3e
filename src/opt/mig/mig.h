#ifndef TARE_OPT_MIG_MIG_H
#define TARE_OPT_MIG_MIG_H
/*
 * MIG: which instances may lie where on a GPU, and the fewest GPUs that serve a set of services.
 *
 * A GPU is given as a table (from the catalogue, or a driver), so that any product fits. Sizes of
 * instances are counted in slices: an instance of 3 compute slices takes 4 memory slices of an
 * A100, and only some memory slices are legal starts.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/mem.h"

enum {
	MIG_TYPES = 8,     /* types of instances of a GPU */
	MIG_PER_GPU = 16,  /* instances on a GPU; NVIDIA's GPUs have at most 7 */
	MIG_CONFIGS = 256, /* different maximal sets of instances */
	MIG_POINTS = 512,  /* corners of the price polytope, see struct mig_geom */
	MIG_SERVICES = 64,
};

struct mig_type {
	char name[24];       /* "3g.40gb" */
	int compute, memory; /* slices it takes */
	uint32_t starts;     /* bit i: it may start at memory slice i */
	int max;             /* instances of it on a GPU, 0 = as many as fit */
};

struct mig_gpu {
	int compute, memory; /* slices of the GPU: 7, 8 (A100, H100, H200, B200) or 4, 4 (A30) */
	size_t ntype;
	struct mig_type type[MIG_TYPES];
};

struct mig_place {
	int type, start; /* index in gpu.type; first memory slice */
};

struct mig_config { /* instances that fill a GPU: nothing can be added */
	int count[MIG_TYPES];
	size_t nplace;
	/* a legal place for each, largest first: the order in which they must be made */
	struct mig_place place[MIG_PER_GPU];
};

/*
 * A GPU worked out: its maximal sets of instances (14 for the five plain types of an A100), and
 * the corners of the polytope of prices u >= 0 of instance types under which no set costs more than
 * 1. n instances fit K GPUs only if u.n <= K for each corner.
 */
struct mig_geom {
	struct mig_gpu gpu;
	/* sets not inside another one; maximal sets; ways to place these */
	size_t nconfig, nmaximal, nlayout;
	/* [nmaximal], the first nconfig are those not inside another */
	struct mig_config config[MIG_CONFIGS];
	size_t npoint; /* 0: too many types, bounds come from the linear programme alone */
	double point[MIG_POINTS][MIG_TYPES];
};

/* The five plain types of an A100-80GB, for tests and where no table is at hand. */
extern const struct mig_gpu mig_a100_80;

/* May these instances lie on one GPU as placed? */
bool mig_placement_ok(const struct mig_gpu *c, size_t n, const struct mig_place *place);

/* Returns 0, -EINVAL (a table that no GPU has) or -E2BIG. About a millisecond for five types. */
int mig_geom_init(struct mig_geom *g, const struct mig_gpu *gpu, struct err *err);

/*
 * Can count[ntype] instances lie on `gpus` GPUs? 1 yes, 0 no, -ETIMEDOUT after too many steps (not
 * seen on real GPUs). ret_config: [gpus] index of the set on each GPU, or NULL; written only on
 * 1.
 */
int mig_fits(const struct mig_geom *g, const int *count, int gpus, int *ret_config);

struct mig_service {
	double rate; /* requests per second it must serve, finite, >= 0 */
	/* requests per second of one instance of each type within its latency bound; 0 = cannot */
	double thr[MIG_TYPES];
};

struct mig_instance {
	int gpu, type, start;
	size_t service;
};

struct mig_packing {
	int gpus, lower_bound;
	bool proven; /* gpus == lower_bound */
	/* first service that no type can serve, else -1; then gpus = -1 and nothing is placed */
	int unservable;
	double lp_bound; /* of the linear programme over patterns and sets */
	int64_t nodes;   /* of the search */
	size_t npattern;
	/* by gpu, then as they must be made; mig_packing_free() */
	VEC(struct mig_instance) instance;
};

/*
 * The fewest GPUs so that each service reaches its rate, with a proof: see mig_pack.c for method
 * and source.
 *
 *   service    [nservice], at most MIG_SERVICES; instances of a service add up
 *   max_nodes  steps of the search per number of GPUs tried, 0 = the default (400,000, some 50 ms)
 *
 * Deterministic. Returns 0 (unservable and unproven results are answers), -EINVAL for rates or
 * throughputs that are no numbers, -E2BIG above the sizes (more than 4,096 GPUs among them).
 */
int mig_pack(const struct mig_geom *g, size_t nservice, const struct mig_service *service,
	     int64_t max_nodes, struct mig_packing *ret, struct err *err);
void mig_packing_free(struct mig_packing *p);

/* Does the packing keep every rule: legal places, rates reached, GPUs numbered 0 .. gpus - 1? For
 * tests and before acting. */
bool mig_packing_ok(const struct mig_geom *g, size_t nservice, const struct mig_service *service,
		    const struct mig_packing *p);

#endif
