#ifndef TESTS_SCORE_TRANSFER_EVAL_H
#define TESTS_SCORE_TRANSFER_EVAL_H
/* How good the speeds are that opt/transfer learns, and what they are measured beside. */
#include "opt/transfer/transfer.h"

/* The one-factor model as a yardstick: log speed = r_run + c_work, by least squares. */
/* log speeds [nworkload]; works differ by level or GPUs */
struct one_factor {
	size_t nworkload;
	struct transfer_workload *workload;
	double *speed;
};
int one_factor_fit(size_t ncell, const struct transfer_cell *cell, struct one_factor *ret,
		   struct err *err);
/* Of one run, from own measurements of that run; NAN where the table says nothing. */
double one_factor_predict(const struct one_factor *o, size_t nown, const struct transfer_cell *own,
			  const struct transfer_workload *workload);
void one_factor_free(struct one_factor *o);

/*
 * Leave-one-GPU-out: for each GPU of `test`, learn from all cells of `train` on other GPUs, then
 * for every run of that GPU draw `pairs` seeded random pairs of its workloads as own measurements
 * and predict its other workloads. errors are absolute relative errors |predicted / true - 1|.
 */
/* within: true value inside lo..hi */
struct transfer_score {
	int gpu;
	int64_t predictions;
	double mape, mape_one_factor, within_frac;
};
struct transfer_eval {
	struct transfer_score *gpu;
	size_t ngpu;                         /* per left-out GPU; owned */
	struct transfer_score all;           /* over all predictions; GPU = -1 */
	double macro_mape, macro_one_factor; /* mean over GPUs */
};
int transfer_evaluate(size_t ngpu, const struct transfer_gpu *gpu, size_t ntrain,
		      const struct transfer_cell *train, size_t ntest,
		      const struct transfer_cell *test, int pairs, uint64_t seed,
		      struct transfer_eval *ret, struct err *err);
void transfer_eval_free(struct transfer_eval *e);

#endif
