#ifndef TARE_RUN_MACHINE_H
#define TARE_RUN_MACHINE_H
/*
 * A supervised run as a machine: what has happened so far, and what is to be done now that one more
 * thing has happened. It has no clock, descriptor, process, thread or file; run.c owns those, makes
 * events of what they say and carries out the actions (run_do.c). docs/design/0030-run-machine.md
 * has the picture.
 *
 * All times are ms of one clock that never jumps, whatever its zero. INT64_MAX is never, -1 (steps,
 * durations) not known.
 *
 * Some actions are questions: the loop answers with an event before it carries out the next action
 * of the same list (RUN_DO_ASK: RUN_EV_ASKED, RUN_DO_SCAN: RUN_EV_FOLDER ...).
 */
#include <stdbool.h>
#include <stdint.h>
#include "run/notice.h"
#include "run/run_drill.h"
#include "run/run_when.h"
#include "run/runmsg.h"

/* What the user wants of it, and what there is; does not change. */
struct run_rules {
	bool watch;                           /* a folder that the command writes into by itself */
	bool store;                           /* an object store */
	int notice_signal;                    /* beside SIGTERM, 0: none */
	int64_t notice_signal_ms, grace_ms;   /* what they leave; 0: 60 s, 30 s */
	int64_t every_ms;                     /* between checkpoints; 0: worked out */
	int64_t budget_nano, max_hourly_nano; /* -1: none */
	int64_t usd_hour_nano;                /* at the start; -1 */
	int64_t deaf_ms; /* so long unanswered, a source of notices is said to be deaf */
	double mtbi_h;   /* run_opt.mtbi_h */
};

enum run_phase {
	RUN_RESTORING, /* the newest checkpoint is brought back; no command yet */
	RUN_RUNNING,
	RUN_STOPPING, /* asked to save and end */
	RUN_TERMED,   /* SIGTERM was sent */
	RUN_KILLED,   /* SIGKILL was sent, and is until it ends */
	RUN_FLUSH,    /* it has ended: what it left is made safe */
	RUN_OVER,
};
/* Why it ended, or was told to. */
enum run_why {
	RUN_WHY_NONE,
	RUN_WHY_DONE,
	RUN_WHY_FAILED,
	RUN_WHY_INTERRUPTED,
	RUN_WHY_BUDGET,
	RUN_WHY_DEADLINE,
	RUN_WHY_MAX_HOURLY,
	RUN_WHY_DRILLED,
	RUN_WHYS
};
const char *run_why_word(enum run_why why); /* "done" "failed" "interrupted" ...; NONE: NULL */

enum run_job { RUN_JOB_NONE, RUN_JOB_RESTORE, RUN_JOB_COMMIT, RUN_JOB_PUSH, RUN_JOB_LOOK };

/* ---- what happens ------------------------------------------------------------------------ */

enum run_ask_for { RUN_ASK_NOTICE, RUN_ASK_TURN, RUN_ASK_STOP, RUN_ASK_DRILL };
struct run_ask {
	enum run_ask_for purpose;
	bool end; /* save and end, not only save */
	int64_t until;
	const char *why;
};
struct run_notice {
	enum notice_kind kind;
	int64_t at; /* the machine goes; of NOTICE_STOP */
	const char *source, *what;
};

enum run_event_kind {
	RUN_EV_OPEN, /* all is open: begin */
	RUN_EV_RESTORED,
	RUN_EV_RECALLED, /* answers RUN_DO_RECALL */
	RUN_EV_SPAWNED,  /* answers RUN_DO_BEGIN where that failed, and RUN_DO_SPAWN */
	RUN_EV_TICK,     /* some time has passed: at most what run_machine_wait_ms() said */
	RUN_EV_NOTICE,
	RUN_EV_SIGNAL,  /* sent to this process */
	RUN_EV_ENDED,   /* the command */
	RUN_EV_MESSAGE, /* of a program that speaks */
	RUN_EV_RESULT,  /* of a job other than restore */
	RUN_EV_PRICE,
	RUN_EV_ASKED,   /* answers RUN_DO_ASK */
	RUN_EV_FOLDER,  /* answers RUN_DO_SCAN */
	RUN_EV_QUIET,   /* answers RUN_DO_CHECK_OPEN */
	RUN_EV_SOURCES, /* answers RUN_DO_HEAR */
	RUN_EV_DRILL,   /* answers RUN_DO_DRILL */
	RUN_EVENTS
};
struct run_event {
	enum run_event_kind kind;
	union {
		struct {
			int rc;               /* negative: it cannot begin */
			int64_t step, pulled; /* the store has it; -1 */
			const char *id;
		} restored;
		struct { /* of earlier attempts */
			struct run_cost cost;
			int64_t step_us, push_bytes_s;
			double seen_h;
			int interruptions;
			int64_t deadline; /* or INT64_MAX */
		} recalled;
		int spawned; /* negative: it does not run */
		/* of all attempts; -1: not known */
		int64_t spent_nano;
		struct run_notice notice;
		struct {
			int sig;
			bool terminal;   /* it reached the whole group */
			bool by_command; /* the command sent it */
			bool by_tree; /* it or one of its descendants did; known of notices only */
		} signal;
		struct {
			int code;    /* as a shell tells it */
			bool exited; /* not by a signal */
		} ended;
		struct runmsg msg;
		struct {
			enum run_job job;
			int rc;
			bool changed; /* files changed meanwhile: no fault */
			int64_t step, took_ms;
			uint64_t bytes, written_bytes;
			const char *id, *problem;
		} result;
		struct {
			int64_t nano_hour;
			const char *problem; /* it cannot be read; NULL */
		} price;
		struct {
			struct run_ask ask;
			int sock, told; /* by the socket; in all */
		} asked;
		struct {
			int64_t at; /* when it was looked at */
			bool final;
			int files;
			bool same_seen,
				same_kept;   /* as at the last look; as in the newest checkpoint */
			int64_t step, least; /* run_files_step() */
			bool opened;         /* run_drill_part.opened */
			const char *problem; /* it cannot be read; NULL */
		} folder;
		bool open;           /* somebody has one of the files open for writing */
		const char *problem; /* of the sources of notices; NULL: none */
		bool told;           /* the drill is decided */
	};
};

/* ---- what is to be done ------------------------------------------------------------------ */

enum run_action_kind {
	RUN_DO_JOB,        /* begin it in its thread */
	RUN_DO_HURRY,      /* tell the thread that copies away what time is left */
	RUN_DO_RECALL,     /* read what earlier attempts left */
	RUN_DO_BEGIN,      /* write down that this attempt begins */
	RUN_DO_SPAWN,      /* start the command */
	RUN_DO_ASK,        /* the command's programs for a checkpoint */
	RUN_DO_FORWARD,    /* a signal to the command */
	RUN_DO_TERM,       /* SIGTERM and SIGCONT to all descendants */
	RUN_DO_KILL,       /* SIGKILL to them */
	RUN_DO_STOP_SELF,  /* Ctrl-Z */
	RUN_DO_SCAN,       /* look into the folder watched */
	RUN_DO_CHECK_OPEN, /* does somebody write into what was seen there? */
	RUN_DO_KEEP,       /* what was committed is the newest checkpoint now */
	RUN_DO_HEAR,       /* do all sources of notices answer? */
	RUN_DO_DRILL,      /* more is seen of it: is it decided? */
	RUN_DO_PRICE,      /* the book counts with it from now on */
	RUN_DO_TELL_PRICE, /* to the programs */
	RUN_DO_BEAT,       /* the state, durable */
	RUN_DO_REMEMBER,   /* what was measured, for the next attempt */
	RUN_DO_FITS,       /* say whether one restart on demand still fits */
	RUN_DO_SAY_START,
	RUN_DO_SAY_NOTICE,
	RUN_DO_SAY_ASKED,
	RUN_DO_SAY_SAFE,
	RUN_DO_SAY_STORED,
	RUN_DO_SAY_FAILED,
	RUN_DO_SAY_ELSEWHERE, /* step: it saves, but not where is looked */
	RUN_DO_SAY_DEAF,
	RUN_DO_SAY_STATUS,
	RUN_DO_SAY_PRICE,
	RUN_DO_SAY_GIVEN_UP,
	RUN_DO_EXIT, /* the last one */
	RUN_ACTIONS
};
/* What is written down: of the state (begin, beat, exit) and of what was measured (remember,
 * exit). */
struct run_record {
	int64_t step;    /* newest in the folder; -1 */
	int64_t done_at; /* what was done until then is safe; INT64_MIN: nothing */
	bool interrupts; /* an interruption of its own accord was announced */
	bool stepped;    /* cost.restart_ms is of this attempt */
	struct run_cost cost;
	int64_t step_us, push_bytes_s;
};
struct run_verdict {
	enum run_why why;
	int code; /* exit code */
	int child_code;
	const char *lost; /* state of what is not safe: "PREEMPTED" "FAILED" "CANCELLED"; NULL */
	bool ack;         /* tell who wanted the machine that it may go */
	struct run_record record;
};
struct run_action {
	enum run_action_kind kind;
	union {
		struct {
			enum run_job job;
			int64_t step, until; /* step: of a commit */
		} job;
		struct {
			int64_t until; /* -1: no notice */
			bool newer;    /* there is a newer checkpoint than the one under way */
		} hurry;
		struct run_ask ask;
		struct {
			struct run_ask ask;
			int told;
		} asked;
		struct run_record record; /* begin, beat, remember */
		int sig;
		bool final; /* the command has ended: nobody writes any more */
		struct {
			int64_t nano_hour, was_nano;
			bool counted; /* something was paid with the old one */
		} price;
		struct run_notice notice;
		const char *text;
		int64_t step;
		struct run_verdict verdict;
	};
};
/* What their texts and ids point at is the event's or the machine's, until its next step but one
 * that answers. */
#define RUN_ACTIONS_MAX 16
struct run_actions {
	int n;
	struct run_action v[RUN_ACTIONS_MAX];
};

/* ---- what it knows ----------------------------------------------------------------------- */

struct run_machine {
	struct run_rules rules;
	enum run_phase phase;
	enum run_why why; /* it was told to end; NONE */
	bool begun;       /* the command was started */
	int64_t start_at; /* of the attempt */
	int code;         /* of the command, once it has ended */
	bool by_itself;   /* it ended with a word of its own, 0 or 85 */
	int terms;        /* SIGTERMs so far */
	int quit_signal;  /* ends the restore or the last copying; 0 */
	int64_t next_beat, next_status, deadline;
	int64_t usd_hour_nano;
	bool repriced;           /* not what its environment says any more */
	struct run_drill *drill; /* NULL: none; its callback is not called here */
	struct {
		bool noticed;
		bool interrupts;            /* for the book: no drill, not withdrawn */
		bool time_is_up;            /* the limit of the job, nobody took the machine */
		int64_t at;                 /* the machine goes */
		char what[160], signal[24]; /* the last notice; the last signal that was one */
		int64_t asked_at;           /* it was asked to end */
		struct run_times times;
	} stop;
	struct {
		bool open;                 /* RUN_DO_ASK is not answered yet */
		int64_t at;                /* asked, and no checkpoint since; -1 */
		int64_t next, interval_ms; /* in turn */
		int sock;                  /* so many were told by the socket, the last time */
	} ask;
	struct {
		int64_t local_step, stored_step;
		char local_id[CKPT_ID_BYTES];
		int64_t at;      /* when the newest became safe; -1 */
		int64_t done_at; /* what was done until then is safe; INT64_MIN: nothing */
		int64_t saving_step, saving_at; /* said to be under way */
		int64_t claimed_step, claim_at; /* said to be safe; done until then */
		bool told_elsewhere;
		bool want_look, want_push, save_busy, away_busy;
		int64_t hurry; /* told the thread that copies away; -1 */
		bool hurry_newer;
	} safe;
	struct {
		int64_t next, quiet_since;
		bool seen, failed; /* once; the last time */
		bool asking;       /* RUN_DO_SCAN or RUN_DO_CHECK_OPEN is not answered yet */
		bool final;        /* for the last time */
		int64_t step;      /* of what was seen */
	} folder;
	struct {
		struct run_cost cost;
		struct run_hazard hazard;
		double seen0_h;                /* of earlier attempts */
		int64_t step;                  /* of the rank that is furthest; -1 */
		int64_t step_us, push_bytes_s; /* -1 */
		int64_t from_step, from_at;    /* speed is measured from here on; -1: not yet */
		bool rough;                    /* from the start of the program */
		bool heard;                    /* a program with libtare */
		bool stepped;                  /* cost.restart_ms is of this attempt */
	} pace;
	struct {
		int64_t next, deaf_since; /* -1: answers */
		bool told;
	} hear;
	struct {
		int64_t until;
		bool pushed;
	} flush;
};

/* drill: lent; NULL: none. */
void run_machine_init(struct run_machine *m, const struct run_rules *rules, struct run_drill *drill,
		      int64_t now);
/*
 * One thing has happened. *ret: what to do, in this order; the last list ends with RUN_DO_EXIT, or
 * is empty where it could not begin (phase RUN_OVER, and the loop knows why). After RUN_OVER only
 * what is asked in that last list is answered. Cost: a few compares; it allocates nothing.
 */
void run_step(struct run_machine *m, const struct run_event *e, int64_t now,
	      struct run_actions *ret);
/* How long nothing is due, at most 60000. */
int run_machine_wait_ms(const struct run_machine *m, int64_t now);
/* What is kept of a budget to save and end with: the mean of what that may cost. */
int64_t run_machine_kept_nano(const struct run_machine *m);
/* Newest step that counts as safe: in the store, where there is one; -1. */
int64_t run_machine_safe_step(const struct run_machine *m);
/* The signal announces the end of the machine. */
bool run_machine_is_notice(const struct run_machine *m, int sig);
/*
 * The step that all ranks are asked to save at. Several ranks end their steps at different times:
 * told "now", one would save step 100 and the other 101, and a part of each is no checkpoint. They
 * are told a step that none of them has done: a second from now by the speed measured (three where
 * some are on other machines, which look into a file once a second, over a network), two steps at
 * the least. ranks: connected here, of a world of so many. -1: one program, or one that tells no
 * steps.
 */
int64_t run_machine_step_for_all(const struct run_machine *m, int ranks, int world);

#endif
