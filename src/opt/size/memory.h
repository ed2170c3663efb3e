#ifndef TARE_OPT_SIZE_MEMORY_H
#define TARE_OPT_SIZE_MEMORY_H
/*
 * GPU memory that training or serving a transformer needs, per GPU: see memory.c. An estimate for
 * choosing a GPU, to be checked by a run.
 */
#include <stdbool.h>
#include "base/err.h"

struct memory_model {
	double params; /* weights, e.g. 7e9 */
	/* 0 = not known: taken from the size (see memory_fill()) */
	double layers, hidden, heads, kv_heads;
	/* of the weights as computed with: 2 fp16/bf16, 1 fp8/int8, 0.5 int4 */
	double bytes_per_param;
};

/* of activations in training */
enum memory_recompute { RECOMPUTE_NONE, RECOMPUTE_SELECTIVE, RECOMPUTE_FULL };

struct memory_train {
	double seq, batch; /* tokens per sequence, sequences per GPU and step */
	int zero;          /* ZeRO stage 0..3 */
	double gpus;       /* data-parallel GPUs over which ZeRO divides, at least 1 */
	/* gradients are kept in fp32 too: 18 instead of 16 bytes a parameter */
	bool master_fp32_grad;
	enum memory_recompute recompute;
};
/* tokens per sequence, sequences at once, bytes per KV element, tensor-parallel GPUs */
struct memory_serve {
	double seq, batch, kv_bytes, gpus;
};

/* Per GPU, bytes. total = (sum) + fragmentation. */
struct memory_need {
	double weights, gradients, optimizer, activations, kv_cache, context, fragmentation, total;
};

/*
 * Fill in layers, hidden, heads from the number of parameters where they are 0, by the shapes usual
 * at that size (params = 12 layers hidden^2, hidden / layers = 128 as in published models of 1 to
 * 100 billion). Returns false where something had to be assumed.
 */
bool memory_fill(struct memory_model *m);
/* 0, or -EINVAL naming the number that cannot be. */
int memory_train(const struct memory_model *m, const struct memory_train *t,
		 struct memory_need *ret, struct err *err);
int memory_serve(const struct memory_model *m, const struct memory_serve *s,
		 struct memory_need *ret, struct err *err);

#endif
