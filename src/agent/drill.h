#ifndef TARE_AGENT_DRILL_H
#define TARE_AGENT_DRILL_H
/*
 * tare run drill: a run that is interrupted once on purpose and started again (run/run_drill.h),
 * and what is kept of it: a line in the folder of its checkpoints (drill.json) and, where there is
 * one, in the store's folder, from which the plan knows what a drill has shown
 * (plan/proof/drill.h).
 *
 * A drill is kept when it is decided, never before: one that is killed half-way leaves nothing. One
 * that failed is kept too, so that it takes the place of an older one that passed; one in which
 * nothing was seen is not.
 */
#include "plan/proof/drill.h"
#include "run/run.h"

struct drill_ask {
	struct run_opt *o;   /* as of tare run; its drill is set here */
	int64_t after_ms;    /* interrupt so long after the start; 0: when a checkpoint is safe */
	int64_t max_lost_ms; /* that may be lost where nothing is saved at the notice */
	bool stop;           /* end it once the drill is decided */
	const char *check;   /* shell command that says whether the result is right, NULL */
	const char *user, *name; /* as the job list has them; NULL: of Slurm, of this machine */
	const char *store_dir;   /* need not be there */
	struct arena *mem;
};
struct drill_end {
	struct drill drill;
	enum run_drill_fault fault;
	struct run_end run; /* of the last attempt */
	/* the run's own end is a real interruption: its next attempt is somebody else's */
	bool interrupted;
	bool kept, stored;   /* in the folder of checkpoints, in the store */
	struct err keep_err; /* why not; "" */
};
/* 0, or negative: the run was never begun. Texts in a->mem. */
int drill_make(struct drill_ask *a, struct drill_end *ret, struct err *err);
/* The line that is kept, and printed with -o json. */
void drill_line(const struct drill *d, struct str *out);
/* Lines of other machines (tare run drill -o json, drill.json) into this store. How many; negative:
 * none, a line that is no drill is -EINVAL. */
int drill_bring(const char *path, const char *store_dir, struct err *err);

#endif
