#ifndef TARE_ANSWER_PLAN_PLAN_TRIAL_H
#define TARE_ANSWER_PLAN_PLAN_TRIAL_H
/*
 * What to try first, and what came of it. Results are speeds (kept beside the store, where the next
 * plan finds them: plan/lever/own_speed.h) and a verdict, kept in the control state as decisions
 * are. What a trial says no to is proposed no more until 'tare plan reset ID'.
 */
#include "base/input.h"
#include "answer/plan/plan_decide.h"
#include "plan/proof/trial.h"

/* A trial that came to something, as it was kept. */
struct trial_record {
	const char *id, *lever, *user, *why;
	enum trial_verdict verdict;
	int64_t at_ms;
	/* against today's machine: as the plan had it, its slow end, measured; NAN */
	double speed_told, speed_least, speed_frac;
	double memory_bytes; /* NAN */
	int64_t saving_nano; /* a month, as the plan had it */
	int64_t runs;
};
struct trial_records {
	struct trial_record *v; /* [n] by time */
	size_t n;
};
/* All there are, in mem. Returns 0 or a negative errno. */
int trial_records_read(const char *dir, struct arena *mem, struct trial_records *ret,
		       struct err *err);
int trial_record_keep(const char *dir, const struct trial_record *r, struct err *err);
/* The last one that decided, NULL: none did. */
const struct trial_record *trial_record_of(const struct trial_records *all, const char *id);

/*
 * Runs in a file: what 'tare profile -o json' prints, one or several of them, or a table with the
 * columns of speeds.csv; "-" is standard input. Added to ret; texts in mem. -EINVAL: it is neither.
 */
int trial_results_read(const char *path, const struct catalog *cat, struct arena *mem,
		       struct trial_runs *ret, struct err *err);
int trial_results_read_from(struct input *in, const struct catalog *cat, struct arena *mem,
			    struct trial_runs *ret, struct err *err);
/* Those that the store does not have yet are kept beside it, as runs of this workload. */
int trial_results_keep(const char *dir, const struct own_speeds *have, const char *workload,
		       const struct trial_runs *runs, struct err *err);

/* What came of the proposals of a lever. */
struct trial_score {
	const char *lever;
	/* decisions that stand; lines given out, whether accepted first or not */
	size_t accepted, applied, dismissed;
	size_t go, no_go, open;  /* trials */
	size_t measured, within; /* with a speed; at the slow end of the range or above */
	double speed_ratio;      /* median of measured / told; NAN */
	/* applied items that stand alone and can be told (answer/plan/plan_outcome.h); the median
	 * of what they came to over what was told, NAN */
	size_t realised;
	double realised_ratio;
};
struct trial_scores {
	struct trial_score *v; /* [n] levers that anything is known of, in their order */
	size_t n;
};
void trial_scores_make(const struct trial_records *all, const struct plan_marks *marks,
		       struct arena *mem, struct trial_scores *ret);
#endif
