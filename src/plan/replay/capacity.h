#ifndef TARE_PLAN_REPLAY_CAPACITY_H
#define TARE_PLAN_REPLAY_CAPACITY_H
/*
 * Is a kind of machine had again once it was given back? Only history can say: of machines that
 * came (a paid interval that begins inside the window), the job that started first on each, no
 * later than an hour after it came, tells how long it was waited for. A machine that was there from
 * the beginning tells nothing, nor does a job that found its machine running. A gang is one start.
 *
 *   known  <=>  starts >= capacity_starts and soon >= capacity_frac x starts,
 *   soon    =   starts whose job waited at most capacity_min minutes from submission
 *
 * A job that waited for something else (a quota, another job) counts as one that waited for its
 * machine: that errs towards "not known".
 */
#include "plan/lever/lever.h"

struct capacity_of { /* NULL or "": any */
	const char *gpu_model, *region, *purchase;
	/* GPUs of the machine that is given back: starts of smaller ones do not show that it comes
	 * again; 0: of any size */
	int64_t gpus_milli;
};
struct capacity {
	int64_t starts, soon, longest_ms; /* longest: that any of them waited */
	bool known;
};
/* The last gates->history_days of the fleet count. O(works + machines); allocates for itself. */
struct capacity capacity_known(const struct fleet *f, const struct plan_gates *gates,
			       const struct capacity_of *of);
/* Did a machine come for this job in the history? Then it has waited for one already. */
bool capacity_came_for(const struct fleet *f, const struct workload *w);
/* Does a rule say that a reservation of capacity holds the machines of w? The later rule wins. */
bool capacity_is_reserved(const struct plan_conf *conf, const struct workload *w);

/* Machines that a rule says a reservation of capacity holds are paid for, given back or not:
 * neither they nor their works are elastic. As the bill's reservations say it of theirs. */
void capacity_hold(struct fleet *f, const struct plan_conf *conf);

/* Whence it is known how long a job waits for a machine that was given back. */
enum capacity_basis {
	CAPACITY_RESERVED, /* a reservation holds it: a boot */
	CAPACITY_KNOWN,    /* capacity_known(): a boot */
	CAPACITY_TRIED,    /* the trial of this recommendation came to go: capacity_min */
	CAPACITY_SEEN,     /* from capacity_trial_starts on: the longest wait of the history */
	CAPACITY_ASSUMED   /* capacity_wait_min */
};
struct capacity_wait {
	enum capacity_basis basis;
	struct capacity seen;
	int64_t ms; /* at the slow end; a boot at least */
};
/* For the recommendation id, about machines of the kind of, such as that of w. */
struct capacity_wait capacity_wait_of(const struct lever_in *in, const char *id,
				      const struct workload *w, const struct capacity_of *of);
/*
 * For a recommendation that gives back machines of the kind of, such as that of w, which are needed
 * again: evidence and, where neither a reservation nor history says that they come back, tier trial
 * and a risk that says so. Returns whether they do.
 */
bool capacity_judge(const struct lever_in *in, struct rec *r, const struct workload *w,
		    const struct capacity_of *of);

#endif
