#ifndef TARE_ANSWER_GPU_EVAL_H
#define TARE_ANSWER_GPU_EVAL_H
/*
 * How good the predictions behind the cheapest GPU are, on files of measured speeds:
 *
 *   tables of training speeds   leave one GPU model out, two own measurements, beside the
 *                               one-factor model: opt/transfer
 *   MLPerf results              the cost of choosing a GPU by prediction against choosing it by
 *                               what was measured: gpu_regret.c
 */
#include "answer/plan/plan_gpu.h"
#include "base/mem.h"

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
	const char *const *gpu; /* [card of transfer] its model */
	/* MLPerf */
	struct gpu_regret submitter, card;  /* held out */
	const struct gpu_eval_price *price; /* [nprice] of the GPUs in the files */
	size_t nprice;
};
/* Returns 0 or a negative errno; errors of files name file and line. gpu_eval_free() after 0. */
int answer_gpu_eval(const struct gpu_eval_ask *q, struct gpu_eval *ret, struct err *err);
void gpu_eval_free(struct gpu_eval *e);
#endif
