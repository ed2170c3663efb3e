/* The covariance of the transfer model (transfer.c): what two cells have in common, term by
 * term. */
#include "opt/transfer/transfer_in.h"

/*
 * A GPU suits some workloads better than its data sheet says (0.03: 17 %). Two or three GPUs cannot
 * tell that from works that the data sheet's features suit; with so few it is what is learned from
 * the twelve GPUs of Lambda's table.
 */
#define FEW_GPUS_FAMILY 0.03

enum {
	R_ANY,
	R_GPU,
	R_RUN,
	R_FEATURE,
	R_GPUS,
	R_SAME_GPUS,
	R_GPU_COUNT,
	R_LAYOUT,
	R_GPU_CLOSE,
	R_GPU_SPREAD
};
enum {
	C_ANY,
	C_LEVEL,
	C_FAMILY,
	C_SHAPE,
	C_BATCH,
	C_FAMILY_BATCH,
	C_GPUS,
	C_SAME_GPUS,
	C_FAMILY_GPUS,
	C_FAMILY_SAME_GPUS
};

/*
 * The terms. A variance above 0 is fixed: levels (9: a workload's unit is anything), what the data
 * sheet leaves open of a GPU (0.1: 30 %) and of a run (0.05), how far the exponents of the data
 * sheet are from their prior mean (0.1: 0.3, one sigma), how it scales with GPUs; of exchange, its
 * level (9), how the layout (1), the family (1) and the number of GPUs (0.3) change it. The others
 * are learned from the table.
 */
static const struct term {
	int run, workload;
	double fixed;
	bool exchange;
} terms[TRANSFER_NTERM] = {
	{ R_ANY, C_LEVEL, 9, false },
	{ R_RUN, C_ANY, .05, false },
	{ R_GPU, C_ANY, .1, false },
	{ R_FEATURE, C_ANY, .1, false },
	{ R_GPUS, C_ANY, .05, false },
	{ R_FEATURE, C_SHAPE, 0, false },
	{ R_FEATURE, C_FAMILY, 0, false },
	{ R_FEATURE, C_BATCH, 0, false },
	{ R_FEATURE, C_FAMILY_BATCH, 0, false },
	{ R_GPU, C_SHAPE, 0, false },
	{ R_GPU, C_FAMILY, 0, false },
	{ R_GPU, C_BATCH, 0, false },
	{ R_GPU, C_FAMILY_BATCH, 0, false },
	{ R_LAYOUT, C_FAMILY, 0, false },
	{ R_LAYOUT, C_SHAPE, 0, false },
	{ R_GPUS, C_SHAPE, 0, false },
	{ R_SAME_GPUS, C_SHAPE, 0, false },
	{ R_GPU_COUNT, C_SHAPE, 0, false },
	{ R_RUN, C_FAMILY, 0, false },
	{ R_RUN, C_SHAPE, 0, false },
	/* exchange: of GPUs that lie together it depends on the GPU's links, of GPUs in several
	 * machines on the network between them */
	{ R_ANY, C_ANY, 9, true },
	{ R_LAYOUT, C_ANY, 1, true },
	{ R_ANY, C_FAMILY, 1, true },
	{ R_ANY, C_GPUS, .3, true },
	{ R_ANY, C_SHAPE, 0, true },
	{ R_ANY, C_SAME_GPUS, 0, true },
	{ R_ANY, C_FAMILY_GPUS, 0, true },
	{ R_LAYOUT, C_FAMILY, 0, true },
	{ R_LAYOUT, C_GPUS, 0, true },
	{ R_GPU_CLOSE, C_ANY, 0, true },
	{ R_GPU_CLOSE, C_FAMILY, 0, true },
	{ R_GPU_CLOSE, C_SAME_GPUS, 0, true },
	{ R_GPU_CLOSE, C_FAMILY_SAME_GPUS, 0, true },
	{ R_GPU_SPREAD, C_ANY, 0, true },
	{ R_GPU_SPREAD, C_FAMILY, 0, true },
};

bool transfer_same_run(const struct point *a, const struct point *b)
{
	return a->gpu == b->gpu && a->layout == b->layout && a->gpus == b->gpus;
}

static double run_kernel(int kind, const struct point *a, const struct point *b)
{
	double s = 0;
	switch (kind) {
	case R_GPU: return a->gpu == b->gpu;
	case R_RUN: return transfer_same_run(a, b);
	case R_FEATURE:
		for (int i = 0; i < TRANSFER_NFEATURE; i++)
			s += a->f[i] * b->f[i];
		return s;
	case R_GPUS: return a->log_gpus * b->log_gpus;
	case R_SAME_GPUS: return a->gpus == b->gpus;
	case R_GPU_COUNT: return a->gpu == b->gpu ? a->log_gpus * b->log_gpus : 0;
	case R_LAYOUT: return a->layout == b->layout;
	case R_GPU_CLOSE: return a->gpu == b->gpu && a->layout == 0 && b->layout == 0;
	case R_GPU_SPREAD: return a->gpu == b->gpu && a->layout != 0 && a->layout == b->layout;
	default: return 1;
	}
}

static double workload_kernel(int kind, const struct point *a, const struct point *b)
{
	switch (kind) {
	case C_LEVEL: return a->level == b->level;
	case C_FAMILY: return a->family == b->family;
	case C_SHAPE: return a->shape == b->shape;
	case C_BATCH: return a->batch * b->batch;
	case C_FAMILY_BATCH: return a->family == b->family ? a->batch * b->batch : 0;
	case C_GPUS: return a->log_workload_gpus * b->log_workload_gpus;
	case C_SAME_GPUS: return a->log_workload_gpus == b->log_workload_gpus;
	case C_FAMILY_GPUS:
		return a->family == b->family ? a->log_workload_gpus * b->log_workload_gpus : 0;
	case C_FAMILY_SAME_GPUS:
		return a->family == b->family && a->log_workload_gpus == b->log_workload_gpus;
	default: return 1;
	}
}

double transfer_term_fixed(size_t q)
{
	return terms[q].fixed;
}

double transfer_term_few(size_t q)
{
	if (terms[q].run == R_GPU && terms[q].workload == C_FAMILY)
		return FEW_GPUS_FAMILY;
	return 0;
}

bool transfer_term_exchange(size_t q)
{
	return terms[q].exchange;
}

double transfer_term(size_t q, const struct point *a, const struct point *b)
{
	if (terms[q].exchange && !(a->split && b->split))
		return 0;
	double r = run_kernel(terms[q].run, a, b);
	if (r != 0)
		return r * workload_kernel(terms[q].workload, a, b);
	return 0;
}

double transfer_kernel(const struct transfer *t, const struct point *a, const struct point *b,
		       bool exchange)
{
	double s = 0, scale = t->spread[a->family] * t->spread[b->family];
	for (size_t q = 0; q < TRANSFER_NTERM; q++)
		if (t->v[q] > 0 && terms[q].exchange == exchange)
			s += (terms[q].fixed > 0 ? 1 : scale) * t->v[q] * transfer_term(q, a, b);
	return s;
}
