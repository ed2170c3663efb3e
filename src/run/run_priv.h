#ifndef TARE_RUN_RUN_PRIV_H
#define TARE_RUN_RUN_PRIV_H
/* What the files run*.c share. Times with _mono are of a clock that never jumps (CLOCK_BOOTTIME),
 * the rest wall clock. */
#include <pthread.h>
#include <signal.h>
#include <sys/types.h>
#include "base/mem.h"
#include "base/jw.h"
#include "ckpt/ckpt.h"
#include "object/object.h"
#include "ckpt/push.h"
#include "run/machine.h"
#include "run/run.h"
#include "run/runmsg.h"
#include "run/run_when.h"

/* ---- the command and its descendants (run_child.c) --------------------------------------- */

struct run_child {
	pid_t pid;
	int status;
	bool ended, fds_known, pipe_ignored, xfsz_ignored;
	sigset_t old_mask;
	/* above 2, that our caller gave for the command: it gets no others (libraries open some
	 * that would outlive an exec) */
	VEC(int) fd;
};
/* Note what the caller gave: before anything is opened. */
void run_inherited(struct run_child *c);
/* Signals are blocked and come by the descriptor. */
int run_signals(struct run_child *c, int *ret_fd, struct err *err);
/* env: [n] "NAME=value". -ENOEXEC: *ret_code is 126 or 127. */
int run_start(struct run_child *c, char **argv, const char *const *env, size_t nenv, int *ret_code,
	      struct err *err);
/* Wait for whoever has ended, without blocking. */
void run_reap(struct run_child *c);
/* Pids of all descendants of this process, at most max; itself and programs of ours (base/shell.h)
 * are not among them. */
size_t run_tree(pid_t *ret, size_t max);
/* Signal every descendant; handled_only: those that have a handler for it. Number signalled. */
int run_signal_tree(int sig, bool handled_only);
int run_code(const struct run_child *c);

/* ---- programs that speak (run.c) --------------------------------------------------------- */

#define RUN_CLIENTS 1024
struct run_client {
	int fd;
	bool hello;
	int rank, world;
};
struct run_sock {
	int fd;
	int dir_fd; /* of dir, locked: whoever finds it unlocked knows that we are gone */
	char dir[64], path[80];
	VEC(struct run_client) client;
};
int run_sock_say(struct run_sock *s, const struct runmsg *m); /* to all that said hello: how many */

/* ---- files that a framework writes (run_watch.c) ----------------------------------------- */

/* name: below the folder */
struct run_file {
	const char *name;
	int64_t bytes, mtime_ns;
	uint64_t ino;
};
struct run_files {
	struct arena mem;
	VEC(struct run_file) v;
};
void run_files_free(struct run_files *f);
/* What is there now, by name. Hidden names, names that end with .tmp or .part, and what does not
 * match the glob (its path or last part) do not count. -E2BIG above 100,000. */
int run_files_read(const char *dir, const char *glob, struct run_files *ret, struct err *err);
bool run_files_same(const struct run_files *a, const struct run_files *b);
/* one of our descendants has one of them open for writing */
bool run_files_open(const char *dir, const struct run_files *f);
/* greatest number in the names of what is new, -1; least (NULL: not asked): of the name whose
 * greatest is the least */
int64_t run_files_step(const struct run_files *f, const struct run_files *before,
		       int64_t *ret_least);

/* ---- saving in a thread of its own (run_save.c) ------------------------------------------ */

struct run_result {
	enum run_job job;
	int rc;
	struct err err;
	int64_t step; /* newest checkpoint that is there, -1 */
	char id[CKPT_ID_BYTES];
	int64_t time_ms; /* when its save began */
	int64_t took_ms;
	/* restore, look: those that cannot be used; the taker's */
	struct ckpt_damage damage;
	int64_t pulled;  /* restore: step that the store has, -1 */
	int quarantined; /* restore: files that were never safe, quarantined */
	uint64_t bytes, written_bytes;
	bool changed; /* commit: files changed meanwhile, try again */
};
struct run_save {
	const struct run_opt *o;
	const char *attempt;
	int fd; /* eventfd: a result is there */
	pthread_t th;
	pthread_mutex_t mu;
	pthread_cond_t wake;
	bool running, quit, busy, done;
	enum run_job job;
	int64_t step, until_ms; /* of the job */
	struct run_files files; /* to commit; the thread's while it is busy */
	struct run_result result;
	struct ckpt_damage damage; /* the thread's: all that it has found so far, or was told */
	struct ckpt_dir *dir;      /* the thread's */
	struct object_store *store;
	struct push *push;
	struct object_when when;
	struct push_news news; /* for a push under way */
};
int run_save_open(struct run_save *s, const struct run_opt *o, const char *attempt,
		  struct err *err);
/* Begin; must not be busy. step: to commit; restore: what the last attempt said was safe, -1 none.
 * until_ms: wall clock, INT64_MAX. files (commit): taken over. */
void run_save_begin(struct run_save *s, enum run_job job, int64_t step, int64_t until_ms,
		    struct run_files *files);
/* A notice has come (wall clock; 0: withdrawn) while a push is under way, and there is a newer
 * checkpoint: the one that is worth most gets the time. */
void run_save_hurry(struct run_save *s, int64_t until_ms, bool newer);
bool run_save_take(struct run_save *s, struct run_result *ret); /* the result, once */
/* What another thread has found damaged: never to be called safe. Must not be busy. */
void run_save_warn(struct run_save *s, const struct ckpt_damage *damage);
/* false: its thread is still at work and goes on using *s */
bool run_save_close(struct run_save *s);

/* ---- what is known of earlier attempts (run_book.c) -------------------------------------- */

#define RUN_PRICES_MAX 4096
struct run_paid {
	int64_t until_ms, nano_hour;
};
struct run_book {
	const struct run_opt *o;
	int lock_fd, dir_fd;
	char job[128], node[256], boot[40], token[160];
	char gpus[24], gpu_ids[512];
	/* of all attempts before this one */
	int attempt; /* this one's number, from 0 */
	double seen_h;
	int interruptions;
	int64_t spent_nano; /* and of this one, until since_ms */
	/* of this one */
	/* saved_ms: what was done until then is safe; INT64_MIN: nothing */
	int64_t start_ms, saved_ms, step, beat_ms;
	bool notice;
	/* what the machine costs, and since when; -1 = not known */
	int64_t usd_hour_nano, since_ms;
	VEC(struct run_paid) past; /* what it cost before, in this attempt */
	bool unpriced;             /* a part of this attempt has no price */
	/* the attempt that ended without a word, -1 = none */
	struct {
		int64_t ms;
		bool interrupted;
		char place[RUN_PLACE];
	} old;
	int64_t old_step; /* that was safe by what the last attempt said, -1 = none */
};
/* Take the folder (-EBUSY with the owner), read the state, and write down an attempt that ended
 * without a word. */
int run_book_open(struct run_book *b, const struct run_opt *o, int64_t now_ms, struct err *err);
int run_book_begin(struct run_book *b, int64_t now_ms, struct err *err);
int run_book_beat(struct run_book *b, int64_t now_ms); /* the state, durable */
/* state: of the part that is not safe: "PREEMPTED", "FAILED", "CANCELLED"; NULL: nothing was
 * lost. */
int run_book_end(struct run_book *b, int64_t now_ms, const char *state, struct err *err);
/* nano, this attempt included; -1 = not known */
int64_t run_book_spent(const struct run_book *b, int64_t now_ms);
/* it costs so much from now on */
void run_book_price(struct run_book *b, int64_t now_ms, int64_t usd_hour_nano);
/* For run_book.c: what an interval of time costs; the mean price of one GPU in it (run_paid.c). */
int64_t run_paid_nano(int64_t nano_hour, int64_t from, int64_t to);
int64_t run_paid_gpu_hour(const struct run_book *b, int64_t from, int64_t to);
void run_book_close(struct run_book *b);

#endif
