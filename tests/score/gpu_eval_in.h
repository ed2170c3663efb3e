#ifndef TESTS_SCORE_GPU_EVAL_IN_H
#define TESTS_SCORE_GPU_EVAL_IN_H
/* Inside the evaluation: the tables that were read. */
#include "gpu_eval.h"

struct eval {
	const struct gpu_eval_ask *q;
	VEC(struct transfer_gpu) gpu;
	struct intern workload, family;
	VEC(struct transfer_cell) test, train;
	VEC(const char *) submitter; /* [test.n] */
	bool mlperf, fp32;
};
/* MLPerf: what choosing by prediction costs (gpu_regret.c). */
int eval_choice(const struct eval *e, struct gpu_eval *ret, struct err *err);

#endif
