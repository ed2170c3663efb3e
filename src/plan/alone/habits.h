#ifndef TARE_PLAN_ALONE_HABITS_H
#define TARE_PLAN_ALONE_HABITS_H
/*
 * Habits: the jobs of a history grouped by what is known when they are submitted: cluster, team,
 * user, kind of work, name (see habit_names.h), GPUs, machine type, where it is paid
 * from. A lever that changes submissions changes all runs of a habit or none, and judges by all of
 * them: whoever picks runs by what they did afterwards picks in hindsight.
 *
 * A job on several machines is one run of several works (a gang): it moves whole and counts once.
 */
#include "plan/lever/lever.h"

/* How much of the submission tells them apart; a coarser habit with the same runs is left out. */
enum habit_level {
	HABIT_USER, /* team, user, kind of work, name */
	HABIT_NAME, /* team, kind of work, name: whoever submits it */
	HABIT_TEAM, /* whatever the team submits; without a team, the user */
	HABIT_LEVELS
};

struct habit_runs {
	enum habit_level level;
	const struct workload *first; /* its first work; all have this place */
	const char *asks_type; /* machine type and GPUs that its submissions ask for or get */
	int64_t asks_milli;
	const char *name;       /* of the jobs, * for numbers; "" where they have none */
	VEC(uint32_t) workload; /* in order of start; of a gang all its workloads */
	size_t runs;            /* jobs */
	int machines;           /* of a run: 1, or of a gang; the most */
	double weeks;           /* from the first start to the last */
	double watched_frac;    /* of its GPU time, with readings */
	bool whole;             /* each run fills its machines */
	bool alike;             /* the owner, name and shape are another's too, at another place */
	int64_t longest_ms; /* from start to the last sign of work; unwatched runs: to the end */
	int64_t limit_ms;   /* the least that any run booked, UNKNOWN_MS where one did not say */
	/* no run for so long that it may be over: a week, or three times what lies between two
	 * runs */
	bool is_over;
	bool holds; /* most runs keep their GPUs until the limit, done or not */
	/* GPU memory of the fullest GPU of any run, bytes; NAN where any run's was not read */
	double mem_peak_bytes;
	bool preallocates; /* a flat reading from the start, above plan.gates.prealloc_frac, in any */
	double step_s;     /* of the coarsest readings, NAN */
	/* of its machine, read or else booked, the most of any run; NAN where any is not known */
	double cpu_cores, ram_gib;
	double util_frac;        /* while it works, per GPU in use, mean over runs; NAN */
	double starved_frac;     /* of that time without work on the GPU, the largest mean; NAN */
	double sm, tensor, dram; /* means of counters, NAN */
	bool checkpointable;     /* each run is known to resume */
	int most_needed;         /* GPUs of a machine that any run needed */
};
struct habits {
	VEC(struct habit_runs) v; /* finest first; those of two levels may share runs */
	size_t *of_workload;      /* [fleet.workload.n] index of its finest habit, SIZE_MAX: none */
};

/*
 * Of the runs that began in the last plan.gates.history_days and not before the history; no
 * notebooks, no services. By the history, whatever the state of the plan is. Names in mem.
 */
void habits_make(const struct fleet *f, const struct plan_conf *conf, struct arena *mem,
		 struct habits *ret);
void habits_free(struct habits *h);
/*
 * Of h those that in this state of the plan ask for the same as most of them do: what a smaller
 * default has left on the old shape is another habit by now. vec_free(&ret->workload) by the
 * caller; false: nothing is left.
 */
bool habit_now(const struct lever_in *in, const struct habit_runs *h, struct habit_runs *ret);
/* Runs that needed more than k GPUs of a machine. */
size_t habit_more_than(const struct fleet *f, const struct habit_runs *h, int k);
/* Do most of its last runs need more than k GPUs: what the average allows is no longer so. */
bool habit_grows_beyond(const struct fleet *f, const struct habit_runs *h, int k);
/* The habit of an action: matches all of its workloads and, of this fleet, no others. */
struct habit habit_of(const struct habit_runs *h);
/* TO_... bits: where its runs are submitted, by the look of their ids. */
unsigned habit_submits_to(const struct fleet *f, const struct habit_runs *h);
/* "team-name": for ids of recommendations; in arena a. */
const char *habit_id(struct arena *a, const struct habit_runs *h);
/* What people call it: the pattern of its name, else its owner. */
const char *habit_title(const struct habit_runs *h);

#endif
