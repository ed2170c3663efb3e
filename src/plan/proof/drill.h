#ifndef TARE_PLAN_PROOF_DRILL_H
#define TARE_PLAN_PROOF_DRILL_H
/*
 * Restore drills that were made (tare run drill): that runs of a habit were seen to resume from a
 * checkpoint after an interruption, or not to. A line of JSON each, as the command prints it
 * (tare.run-drill/1), in DIR/drills.jsonl (DIR: the store's folder): beside the store and not in
 * it, so that a node can write it while somebody else has the store, and so that it can be looked
 * at and copied from another machine.
 *
 * A line that cannot be read proves nothing: it is counted and passed over.
 */
#include "base/input.h"
#include "plan/fleet/fleet.h"
#include "plan/plan_conf.h"

struct drill {
	const char *user, *name, *cluster; /* as the job list has them; "" = not told */
	bool passed;
	const char *verdict, *why; /* a word, a sentence */
	const char *what_to_do;    /* a sentence, "" */
	const char *job, *command; /* in what is printed; not read back */
	int64_t at_ms;             /* of the interruption */
	int64_t gpus, machines;    /* it held, on this machine; of the job. 0 = not told */
	/* UNKNOWN_I64 = not seen */
	int64_t step_saved, step_resumed, steps_redone, checkpoint_bytes;
	/* from the notice to safe; from the end to the first step; work done again. NAN */
	double save_s, restart_s, lost_s;
};
struct drills {
	VEC(struct drill) v;
	int64_t bad; /* lines that cannot be read */
	struct arena mem;
};

/* No such file: none. Negative: the disk. drills_free() after 0. */
int drills_load(const char *dir, struct drills *ret, struct err *err);
int drills_read(struct input *in, struct drills *ret, struct err *err);
void drills_free(struct drills *d);
/* A line, under a lock and flushed; dir must be there. */
int drills_append(const char *dir, struct sv line, struct err *err);

/*
 * What drills say of workloads, where the settings say nothing: the newest one of its user and of a
 * name of the same pattern (habit_names.h), no older than plan.gates.drill_days, on at least as
 * many GPUs and machines as the job has. It counts more than the word of the job list, whichever
 * way it went. d must outlive f. O(works x drills).
 */
void plan_apply_drills(const struct plan_conf *c, const struct drills *d, int64_t now_ms,
		       struct fleet *f);
/* "drill of 2026-11-26", for evidence; in mem. */
const char *drill_says(const struct drill *d, struct arena *mem);
#endif
