#ifndef TARE_OPT_MIG_MIG_MOVE_H
#define TARE_OPT_MIG_MIG_MOVE_H
/*
 * From the MIG layout that runs today to one that serves the rates on so many GPUs: which
 * instances stay, which must be drained, which are made. See mig_move.c for the method.
 */
#include "opt/mig/mig.h"

/* Of today, and to move to. What is sought grows with the square of the instances for each of them:
 * on random A100 fleets of 64 GPUs a way took 0.2 to 8 s, on 32 GPUs 0.2 s. */
#define MIG_MOVE_GPUS 64

struct mig_today {            /* an instance that runs */
	int gpu, type, start; /* GPU; index in mig_move_in.gpu; first memory slice */
	int service;          /* -1: nobody asks for it any more, it goes without being drained */
};

struct mig_move_in {
	/* what the packer works with, and all types of the GPU, today's among them */
	const struct mig_geom *pack;
	const struct mig_gpu *gpu;
	int type[MIG_TYPES]; /* [pack->gpu.ntype] which type of `gpu` that is */
	size_t nservice;
	const struct mig_service *service; /* thr by types of `gpu`, so that what runs counts */
	size_t ntoday;
	const struct mig_today *today;
};

struct mig_step { /* a GPU that changes: drain, then make */
	int gpu, drained, made;
};
struct mig_move {
	int gpus; /* GPUs in use: today's keep their numbers, further ones get new numbers */
	/* by gpu, then as they must be made */
	VEC(struct mig_instance) instance;
	VEC(int) stays;   /* [instance.n] index in today, -1: must be made */
	VEC(bool) drains; /* [ntoday] is stopped while somebody uses it */
	int kept, drained, made;
	/* in this order; what fits beside what runs is made first and needs no step */
	VEC(struct mig_step) step;
	/* on the way, the least part of its rate that a service has (1 and more: all is served) */
	double low_frac;
	size_t low_service;
};

/*
 * A way to at most `gpus` GPUs. Returns 1, 0: the rates do not fit so many GPUs, -E2BIG for more
 * than MIG_MOVE_GPUS GPUs of today or `gpus`, or a negative errno of mig_pack(). Deterministic;
 * mig_move_free() in any case. O(GPUs x mig_pack() + GPUs^3 + instances^3).
 */
int mig_move(const struct mig_move_in *in, int gpus, struct mig_move *ret, struct err *err);
void mig_move_free(struct mig_move *m);

/* Legal places, rates reached, at most `gpus` GPUs, stays what runs: for tests and before
 * acting. */
bool mig_move_ok(const struct mig_move_in *in, int gpus, const struct mig_move *m);

/* May today's instances lie as they do? Else the index of one that may not, in ret. */
bool mig_today_ok(const struct mig_gpu *c, size_t n, const struct mig_today *t, size_t *ret);

#endif
