#ifndef TARE_CLI_PLAN_GPU_ASK_H
#define TARE_CLI_PLAN_GPU_ASK_H
/* tare plan gpu: what is asked, from the options. */
#include "answer/gpu_eval.h"
#include "cli/cli.h"

int plan_gpu_ask(struct cli *c, const struct catalog *cat, struct gpu_ask *ret, struct err *err);
/* --evaluate */
int plan_gpu_ask_eval(struct cli *c, const struct catalog *cat, struct gpu_eval_ask *ret,
		      struct err *err);
#endif
