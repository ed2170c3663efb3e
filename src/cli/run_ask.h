#ifndef TARE_CLI_RUN_ASK_H
#define TARE_CLI_RUN_ASK_H
/* What the command line of tare run asks for. */
#include "agent/drill.h"
#include "agent/run.h"
#include "cli/cli.h"

enum { RUN_EXIT_SELF = 125 }; /* tare itself failed, the command was not run */

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
struct drill_asked {
	struct run_ask run; /* first: the rows of its options are those of tare run */
	struct drill_ask drill;
	const char *bring;
};
extern const struct cli_opt run_opts[], run_drill_opts[];

/* a: of tare run, or the first member of a struct drill_asked. */
int run_ask_read(struct run_ask *a, struct err *err);
/* What it costs, and where it is. 0; else the exit code, and what is wrong was said: it costs more
 * than it may. */
int run_ask_money(struct run_ask *a);
/* After its end: who starts it again is told. */
void run_ask_next(struct run_ask *a, const struct run_end *end);

#endif
