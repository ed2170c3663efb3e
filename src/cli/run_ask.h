#ifndef TARE_CLI_RUN_ASK_H
#define TARE_CLI_RUN_ASK_H
/* What the command line of tare run asks for. */
#include "agent/run.h"
#include "cli/cli.h"

struct run_ask { /* stays where it is: money points to o */
	struct cli *c;
	struct run_opt o;
	dec max_hourly, budget;
	bool has_max, has_budget, dry_run, shared;
	const char *deadline, *on_interrupt;
	int64_t keep, mtbi_ms, status_fd, gpus;
	struct launch next;
	struct run_money money;
};
extern const struct cli_opt run_opts[];

int run_ask_read(struct run_ask *a, struct err *err);

#endif
