#ifndef TESTS_SCORE_GPU_EVAL_H
#define TESTS_SCORE_GPU_EVAL_H
/*
 * How good the predictions behind the cheapest GPU are, on files of measured speeds:
 *
 *   tables of training speeds   leave one GPU model out, two own measurements, beside the
 *                               one-factor model: transfer_eval.c
 *   MLPerf results              the cost of choosing a GPU by prediction against choosing it by
 *                               what was measured: gpu_regret.c
 */
#include "answer/plan/plan_gpu.h"
#include "base/mem.h"
#include "transfer_eval.h"

struct gpu_eval_ask {
	const struct catalog *cat;
	struct gpu_market market; /* of the prices that MLPerf results are judged by */
	struct arena *mem;
	const char *file;        /* what is predicted */
	const char *const *also; /* [nalso] files that are learned from too */
	size_t nalso;
	int pairs; /* of own measurements, drawn per system */
	uint64_t seed;
};
struct gpu_regret {
	int64_t choices, right; /* cases with at least two GPUs to choose from */
	/* sums of regrets: by prediction, by price per hour alone, by speed alone */
	double ours, cheapest_hour, fastest;
	double worst;
};
struct gpu_eval_price {
	const char *gpu;
	int64_t nano_gpu_hour; /* INT64_MIN = none: it does not count */
};
struct gpu_eval {
	bool mlperf;
	/* training tables */
	struct transfer_eval transfer;
	const char *const *gpu; /* [GPU of transfer] its model */
	/* MLPerf */
	struct gpu_regret submitter, model; /* held out */
	const struct gpu_eval_price *price; /* [nprice] of the GPUs in the files */
	size_t nprice;
};
/* Returns 0 or a negative errno; errors of files name file and line. gpu_eval_free() after 0. */
int gpu_eval_make(const struct gpu_eval_ask *q, struct gpu_eval *ret, struct err *err);
void gpu_eval_free(struct gpu_eval *e);

/* cost of the chosen / cost of the best - 1, in true costs; NAN where the truth of one is not
 * known. */
double gpu_regret(size_t n, const double *true_cost, size_t chosen);

#endif
