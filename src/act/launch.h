#ifndef TARE_ACT_LAUNCH_H
#define TARE_ACT_LAUNCH_H
/*
 * The next attempt of a job that was interrupted and whose state is safe: put back into Slurm's
 * queue, or handed to a program of the operator's. Kubernetes starts pods again by itself, and so
 * does SkyPilot: for them there are files (tare init kubernetes, tare init skypilot), not calls.
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "base/jw.h"
#include "base/mem.h"

enum { LAUNCH_EARLY_MS = 180000 }; /* Slurm looks at jobs whose time has come once a minute */
/* of a Slurm job: one that is interrupted again and again is not put back for ever */
enum { LAUNCH_RESTARTS_MAX = 200 };

enum launch_kind { LAUNCH_NONE, LAUNCH_REQUEUE, LAUNCH_EXEC };
struct launch {
	enum launch_kind kind;
	const char **argv; /* the program, NULL-terminated; NULL for none */
	/* of Slurm, NULL: stays where it is */
	const char *on_demand_partition, *on_demand_constraint, *spot_partition;
};
struct launch_what { /* unknown: NULL, -1 */
	const char *why, *job, *dir, *store;
	int64_t step;
	char **argv;    /* the command that was run, NULL-terminated */
	struct sv next; /* where it should run, JSON; {NULL,0} = not known */
	/* the same in a word: "spot", "on_demand", "wait"; NULL = not known */
	const char *hold;
	/* from now: where it must have started on demand at the latest; negative = not known */
	int64_t on_demand_in_ms;
};

/* "none", "requeue", "exec:PROGRAM ARG..." (parted at blanks, no shell). Memory is mem's. -EINVAL;
 * -ENOENT: requeue, and this is no Slurm job. */
int launch_parse(const char *z, struct arena *mem, struct launch *ret, struct err *err);
/* Partitions for requeue; names as Slurm takes them, borrowed. -EINVAL: others, or no requeue. */
int launch_places(struct launch *l, const char *on_demand_partition,
		  const char *on_demand_constraint, const char *spot_partition, struct err *err);
/* What launch_do() would do, as a line without its end; empty for none. */
void launch_say(const struct launch *l, struct str *out);
/*
 * Do it and wait, a minute at most. Slurm changes the partition of a job that waits and of no
 * other: it is put back first, moved then; until it is, the SIGTERM that the requeue sends to all
 * of the job does nothing here. A job that waits for spot gets a small one beside it
 * (tare-move-JOB, in the partition on demand, LAUNCH_EARLY_MS before the latest time), which moves
 * it if it still waits then: Slurm changes no job that runs. -EDQUOT: the job was put back too
 * often; else as act_exec().
 */
int launch_do(const struct launch *l, const struct launch_what *w, struct err *err);

#endif
