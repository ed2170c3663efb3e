#ifndef TARE_RUN_RUN_H
#define TARE_RUN_RUN_H
/*
 * A command that an interruption cannot hurt: run it as if tare were not there, know when the
 * machine will be taken away, have its state saved in time, and say afterwards whether to start it
 * again. What it says is true: a checkpoint is called safe when it has been found in the folder
 * with all its files (and in the object store, where one is told), never because somebody meant to
 * save it.
 *
 * The command has the terminal, standard input and output, the process group and the signal
 * dispositions of the caller. Signals of the terminal reach it by themselves; SIGHUP, SIGINT,
 * SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH, SIGTSTP and SIGCONT that are sent to the caller
 * alone are handed on. SIGTERM is a notice. If the caller is killed, the command gets SIGTERM.
 *
 * How a checkpoint is asked for: by the socket TARE_RUN_SOCKET (runmsg.h; libtare does it), else by
 * a signal to those of its processes that have a handler for it. What is seen of it: the word
 * `safe` of libtare, or files in a folder (watch) that nobody writes any more, which are then
 * copied into the folder of checkpoints.
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "run/notice.h"
#include "run/run_drill.h"
#include "run/run_next.h"

#define RUN_AGAIN 85 /* exit code: interrupted, the checkpoint is safe, start me again */

/* Where the price of the machine comes from while it runs. Asked in a thread of its own every
 * every_ms; it may wait, and gives up soon after stopped() says true. */
struct run_price_src {
	/* USD of the whole machine an hour, in nano; negative: err says why, and the last price
	 * goes on counting */
	int (*read)(void *ctx, int64_t now_ms, bool (*stopped)(void *), void *stop_ctx,
		    int64_t *ret_nano, struct err *err);
	void *ctx;
	int64_t every_ms;
};

struct run_opt {
	char **argv;     /* NULL-terminated */
	const char *dir; /* folder of checkpoints, made if absent */
	/* folder that the command writes checkpoints into by itself, NULL; names in it that count
	 * ("*") */
	const char *watch, *glob;
	/* its files are never changed in place: link them instead of copying */
	bool link;
	const char *store; /* object store, NULL */
	/* where there are checkpoints and none can be used the command is not run, unless told so
	 */
	bool from_zero;
	/* name of the job in the ledger, NULL: SLURM_JOB_ID, else the host's name and the folder */
	const char *job;
	int ask_signal;           /* 0: none */
	int notice_signal;        /* a second one beside SIGTERM that is a notice, 0: none */
	int64_t notice_signal_ms; /* how long before the end it comes */
	/* between checkpoints; 0: worked out; INT64_MAX: only when something happens */
	int64_t every_ms;
	/* mean time between interruptions before anything was seen, 0: 24 */
	double mtbi_h;
	int64_t grace_ms;         /* between SIGTERM and the end, 0: 30 s */
	int64_t deadline_ms;      /* wall clock, INT64_MAX = none: checkpoint, then stop */
	int64_t deadline_span_ms; /* or so long after the start of the first attempt, 0 = none */
	struct run_plan plan;     /* where the next attempt runs */
	int64_t budget_nano;      /* over all attempts, -1 = none: checkpoint, then stop */
	int64_t max_hourly_nano;  /* -1 = none: checkpoint, then stop when the machine costs more */
	int64_t usd_hour_nano;    /* price of the machine at the start, -1 = not known */
	struct run_price_src price; /* read NULL: it stays as it is */
	int64_t usd_gpu_hour_nano;
	const char *currency;
	const char *gpus;      /* how many it holds; NULL: from the environment */
	const char *gpu_model; /* or NULL */
	const char *place;     /* where this attempt runs (run_known.h), NULL: nobody knows */
	int keep_last;         /* of watch mode, 0: 3 */
	int status_fd;         /* JSON lines go there, -1: none */
	bool quiet;            /* nothing on stderr but errors */
	/* SIGPIPE and SIGXFSZ were ignored when this program, which ignores both for itself, was
	 * started */
	bool pipe_ignored, xfsz_ignored;
	struct notice_opt notice;
	struct run_drill *drill; /* what is seen of it goes there; NULL: no drill */
};
struct run_end {
	int code; /* exit code */
	const char
		*why; /* "done" "failed" "interrupted" "budget" "deadline" "max-hourly" "drilled" */
	int64_t step; /* newest that is safe, -1 = none */
	struct run_next next; /* where to start it again; of an attempt that did not end well */
};
/*
 * 0 where the command ran (or could not be executed: code 126, 127 and err says why); else
 * negative: nothing was run (-EBUSY: another runner has the folder; -EBADMSG: there are
 * checkpoints, in the folder or the store, and none can be used). Not for use beside other threads
 * that wait for children. Leaves signals as they were.
 */
int run_supervise(const struct run_opt *o, struct run_end *ret, struct err *err);

#endif
