#ifndef TARE_CLI_PLAN_GPU_EVAL_H
#define TARE_CLI_PLAN_GPU_EVAL_H
/* tare plan gpu --evaluate, inside: the tables that were read, and its two ways to judge. */
#include "cli/plan_gpu.h"
#include "opt/transfer.h"
#include "report/grid.h"

struct eval {
	struct cli *c;
	const struct catalog *cat;
	VEC(struct transfer_card) card;
	struct intern work, family;
	VEC(struct transfer_cell) test, train;
	VEC(const char *) submitter; /* [test.n] */
	int64_t pairs, seed;
	bool mlperf, fp32;
};

const char *eval_card_name(const struct eval *e, int card);
void eval_print_grid(const struct eval *e, struct grid *g, struct str *out); /* frees g */
/* MLPerf: what choosing by prediction costs (plan_gpu_regret.c). */
int eval_choice(struct eval *e, struct str *out, struct err *err);

#endif
