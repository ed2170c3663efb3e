#ifndef TARE_CLI_PLAN_GPU_ASK_H
#define TARE_CLI_PLAN_GPU_ASK_H
/* tare plan gpu: what is asked, from the options. */
#include "answer/plan/plan_gpu.h"
#include "cli/cli.h"

/* The options as they are written; what is not given is NAN, 0, -1 or NULL, or its default. */
struct plan_gpu_asked {
	const char *workload, *model, *on;
	double vram_gib, step_s, busy_frac, max_slowdown;
	struct opt_list measured;
	struct roofline_shares shares;
	bool sure, train, serve, fp32, any_maker;
	struct memory_model memory; /* NAN: not given */
	double seq, batch, gpus;
	int zero, recompute, cpu; /* numbers of their words */
	struct gpu_market market;
	int64_t limit;
};
extern const struct cli_opt plan_gpu_opts[];

int plan_gpu_ask(struct cli *c, const struct plan_gpu_asked *x, const struct catalog *cat,
		 struct gpu_ask *ret, struct err *err);
#endif
