#ifndef TARE_RUN_RUN_DRILL_H
#define TARE_RUN_RUN_DRILL_H
/*
 * A restore drill: a run (run.h) that is interrupted once on purpose, by what a spot machine's
 * notice would do, and is started again. Here is what is seen of its two attempts, and the
 * judgement, which is pure. The attempts are run_supervise() twice on one folder, the first with
 * `interrupts`.
 *
 * Steps are those of the program: told over the socket, else those of its saves, else the numbers
 * in the names of the files that it wrote into the folder watched. Times are ms of the clock that
 * never jumps; -1 = not seen.
 */
#include <stdbool.h>
#include <stdint.h>

enum run_drill_fault {
	DRILL_FINE,
	DRILL_NOT_MADE,  /* it was not interrupted by the drill: nothing is known of its restore */
	DRILL_NOT_SAVED, /* no checkpoint is safe */
	DRILL_LOST,      /* nothing was saved at the notice, and more is lost than may be */
	DRILL_NOT_BEGUN, /* it could not be started again */
	DRILL_NO_STEP,   /* nobody can tell what it went on from */
	DRILL_NOT_READ,  /* it opened no file of the checkpoint that was put back */
	DRILL_EARLIER,   /* it went on from an earlier step: from zero, mostly */
	DRILL_IGNORED,   /* the same, and nothing was saved at the notice: it ignored it */
	DRILL_LATER,     /* from a later step than was saved */
	DRILL_NOT_DONE,  /* it ended badly before anything newer was saved */
	DRILL_OTHER,     /* the check of its result failed */
	DRILL_FAULTS
};
const char *run_drill_word(enum run_drill_fault f); /* "passed" "not_made" "not_saved" ... */

enum run_drill_told { DRILL_BY_STEP, DRILL_BY_SAVE, DRILL_BY_NAME };
struct run_drill_part {   /* what an attempt showed */
	int64_t begun_at; /* this and the other instants: of the monotonic clock */
	int64_t resumed;  /* step that was brought back */
	int64_t first_at, first_step;
	enum run_drill_told by;
	int64_t step_gap; /* the most between two steps that were told one after the other; 1 */
	int64_t last_step;
	int64_t noticed_at, saved_at; /* the first that was safe after the notice */
	int64_t safe_step, bytes;     /* the newest that is safe, and its size */
	int64_t newer_at;             /* one newer than what was brought back is safe */
	int64_t lost_ms;              /* work that no checkpoint has, at the end */
	bool opened;                  /* watched: it opened a file of what was put back */
};
struct run_drill {
	bool interrupts; /* this attempt is interrupted */
	/* so long after its start; -1: as soon as a checkpoint of this attempt is safe */
	int64_t after_ms;
	bool stops; /* saved and ended once it is decided */
	/* asked with all that is seen until it says true: what came of the drill is known; NULL */
	bool (*decided)(void *ctx);
	void *ctx;
	bool told;
	bool asked; /* the second attempt, for a save by which its going on is seen */
	struct run_drill_part seen;
	/* of the run: GPUs that it holds here, 0 = not known; its name in the ledger */
	int64_t gpus;
	char job[128];
};
void run_drill_init(struct run_drill *d);

/* After the interruption: what the first attempt alone shows. code: of its end. */
enum run_drill_fault run_drill_first(const struct run_drill_part *first, int code,
				     int64_t max_lost_ms);
/* Is it seen by now what the second attempt went on from? *ret is DRILL_FINE where all is well. */
bool run_drill_second(const struct run_drill_part *first, const struct run_drill_part *second,
		      enum run_drill_fault *ret);
/* The step that it went on from; -1 = not known. */
int64_t run_drill_went_on(const struct run_drill_part *first, const struct run_drill_part *second);

/*
 * ---- for the machine: what is seen, at `now`; nothing where there is no drill (NULL) ----------
 *
 * Those that return bool where something is seen: true, more is known, and whether it is decided
 * has to be asked.
 */
struct run_machine;
void run_drill_begin(struct run_drill *d, int64_t resumed, int64_t now);
bool run_drill_step(struct run_drill *d, int64_t step, enum run_drill_told by, int64_t now);
/* A look into the folder watched: the greatest and least number of what is new there (-1 none);
 * opened: run_drill_part.opened, by now. */
bool run_drill_files(struct run_drill *d, int64_t step, int64_t least, bool opened, int64_t now);
/* bytes: 0, not known */
bool run_drill_safe(struct run_drill *d, int64_t safe_step, uint64_t bytes, int64_t now);
void run_drill_end(struct run_drill *d, int64_t safe_step, int64_t lost_ms);
/* It is time for the interruption. Once. */
bool run_drill_due(struct run_drill *d, const struct run_machine *m, int64_t now);
/* It was asked to end by the drill and by nobody else. */
bool run_drill_asked(const struct run_drill *d);
/* When to look again. */
int64_t run_drill_at(const struct run_drill *d, const struct run_machine *m, int64_t now);
/* It has gone on, and nothing that it saved tells so yet: ask for it now, and whether it was told
 * goes into d->asked. */
bool run_drill_wants_save(const struct run_drill *d, const struct run_machine *m, int64_t now);
/* Decided, and to be stopped now. */
bool run_drill_over(const struct run_drill *d, const struct run_machine *m);

#endif
