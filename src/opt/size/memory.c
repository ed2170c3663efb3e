/*
 * Memory of a transformer per GPU.
 *
 * Training, Adam in mixed precision, P parameters, N data-parallel GPUs: weights 2P, gradients 2P
 * (+2P where they are kept in fp32), optimizer 12P (fp32 copy and two moments): 16 to 18 bytes a
 * parameter. ZeRO stage 1 divides the optimizer by N, 2 also the gradients, 3 also the weights
 * (Rajbhandari et al., SC 2020). Activations per layer, s tokens, b sequences, h hidden, a heads:
 * s*b*h*(34 + 5*a*s/h) bytes without recomputation, 34*s*b*h with selective (the attention part is
 * recomputed), 2*s*b*h with full (Korthikanti et al., MLSys 2023).
 * Serving: weights, and the KV cache 2 * layers * kv_heads * head_dim * bytes for each token held;
 * divided by tensor-parallel GPUs.
 * On top: the CUDA context and libraries, 1.5 GB (1 to 2 seen), and 10 % fragmentation of the
 * allocator's part.
 */
#include "opt/size/memory.h"
#include <errno.h>
#include <math.h>
#include <stddef.h>

#define CONTEXT_BYTES    1.5e9
#define FRAGMENTATION    0.10
#define HIDDEN_PER_LAYER 128.0
#define HEAD_DIM         128.0

bool memory_fill(struct memory_model *m)
{
	bool known = m->layers > 0 && m->hidden > 0 && m->heads > 0;
	if (!(m->layers > 0) && !(m->hidden > 0))
		m->layers = fmax(
			1, round(cbrt(m->params / 12 / (HIDDEN_PER_LAYER * HIDDEN_PER_LAYER))));
	if (!(m->hidden > 0))
		m->hidden = sqrt(m->params / 12 / m->layers);
	if (!(m->layers > 0))
		m->layers = fmax(1, round(m->params / 12 / (m->hidden * m->hidden)));
	if (!(m->heads > 0))
		m->heads = fmax(1, round(m->hidden / HEAD_DIM));
	if (!(m->kv_heads > 0))
		m->kv_heads = m->heads;
	return known;
}

static int check_range(const char *what, double v, double lo, double hi, struct err *err)
{
	if (v >= lo && v <= hi)
		return 0;
	return err_set(err, -EINVAL, "%s must be from %g to %g", what, lo, hi);
}

static int check_model(const struct memory_model *m, struct err *err)
{
	int r = check_range("the number of parameters", m->params, 1e3, 1e15, err);
	if (r >= 0)
		r = check_range("layers", m->layers, 1, 1e5, err);
	if (r >= 0)
		r = check_range("the hidden size", m->hidden, 1, 1e7, err);
	if (r >= 0)
		r = check_range("heads", m->heads, 1, 1e5, err);
	if (r >= 0)
		r = check_range("key-value heads", m->kv_heads, 1, m->heads, err);
	if (r < 0)
		return r;
	return check_range("bytes per parameter", m->bytes_per_param, 0.125, 8, err);
}

static void add_up(struct memory_need *n)
{
	double sum = n->weights + n->gradients + n->optimizer + n->activations + n->kv_cache;
	n->context = CONTEXT_BYTES;
	n->fragmentation = FRAGMENTATION * sum;
	n->total = sum + n->context + n->fragmentation;
}

int memory_train(const struct memory_model *m, const struct memory_train *t,
		 struct memory_need *ret, struct err *err)
{
	int r = check_model(m, err);
	if (r >= 0)
		r = check_range("tokens per sequence", t->seq, 1, 1e8, err);
	if (r >= 0)
		r = check_range("sequences per GPU", t->batch, 0, 1e8, err);
	if (r >= 0)
		r = check_range("the ZeRO stage", t->zero, 0, 3, err);
	if (r >= 0)
		r = check_range("the number of GPUs", t->gpus, 1, 1e6, err);
	if (r < 0)
		return r;
	double p = m->params, s = t->seq, token = t->seq * t->batch * m->hidden;
	double factor = 34 + 5 * m->heads * s / m->hidden;
	if (t->recompute == RECOMPUTE_FULL)
		factor = 2;
	else if (t->recompute == RECOMPUTE_SELECTIVE)
		factor = 34;
	struct memory_need n = {
		.weights = p * m->bytes_per_param / (t->zero >= 3 ? t->gpus : 1),
		.gradients = p * (m->bytes_per_param + (t->master_fp32_grad ? 2 : 0)) /
			     (t->zero >= 2 ? t->gpus : 1),
		.optimizer = p * 12 / (t->zero >= 1 ? t->gpus : 1),
		.activations = token * factor * m->layers,
	};
	add_up(&n);
	*ret = n;
	return 0;
}

int memory_serve(const struct memory_model *m, const struct memory_serve *v,
		 struct memory_need *ret, struct err *err)
{
	int r = check_model(m, err);
	if (r >= 0)
		r = check_range("tokens per sequence", v->seq, 0, 1e8, err);
	if (r >= 0)
		r = check_range("sequences at once", v->batch, 0, 1e8, err);
	if (r >= 0)
		r = check_range("bytes per cached element", v->kv_bytes, 0.25, 8, err);
	if (r >= 0)
		r = check_range("the number of GPUs", v->gpus, 1, 1e6, err);
	if (r < 0)
		return r;
	double kv = 2 * m->layers * m->kv_heads * (m->hidden / m->heads) * v->kv_bytes * v->seq *
		    v->batch;
	struct memory_need n = { .weights = m->params * m->bytes_per_param / v->gpus,
				 .kv_cache = kv / v->gpus };
	add_up(&n);
	*ret = n;
	return 0;
}
