#ifndef TARE_RUN_RUN_LOOP_H
#define TARE_RUN_RUN_LOOP_H
/* A run under way: what run.c (the loop), run_hear.c, run_safe.c, run_time.c and run_say.c share.
 * Times without a suffix are of the clock that never jumps, in ms. */
#include <sys/wait.h>
#include "base/num.h"
#include "run/run_price.h"
#include "run/run_known.h"
#include "run/run_priv.h"

#define RUN_BEAT_MS       60000
#define RUN_DEAF_MS       8000 /* nobody answers: a few requests, not one that was lost */
#define RUN_SCAN_MS       2000 /* of a watched folder */
#define RUN_SCAN_ASKED_MS 100  /* while a checkpoint is waited for */

enum run_phase { RUN_RESTORING, RUN_RUNNING, RUN_STOPPING, RUN_TERMED, RUN_KILLED, RUN_FLUSH };
struct run {
	const struct run_opt *o;
	struct run_end *end;
	enum run_phase phase;
	/* it was told to end: "interrupted" "budget" "deadline" "max-hourly" "drilled" */
	const char *why;
	struct run_child child;
	struct run_sock sock;
	struct run_save save, away; /* the folder; the object store */
	struct run_book book;
	struct notice_watch *notices;
	struct run_price price;
	int sigfd, terms, quit_signal;
	int64_t mono0_ms, wall0_ms; /* of the start */
	struct run_cost cost;
	/* of attempts before; what it says of this one is brought up by run_remember() */
	struct run_known known;
	int64_t done0_ms;             /* work that was safe before this attempt */
	int64_t deadline_ms;          /* wall clock, INT64_MAX = none */
	int64_t speed_step, speed_at; /* from here on the speed is measured; -1 = not yet */
	bool speed_rough;             /* measured from the start of the program */
	bool recalled;                /* known has been read */
	bool stepped;                 /* restart_ms is of this attempt */
	struct run_hazard hazard;
	/* notice */
	bool noticed, time_is_up; /* time_is_up: the limit of the job, nobody took the machine */
	struct notice last_notice;
	int64_t notice_at;
	struct run_times times;
	/* asking */
	int64_t asked; /* not answered yet; -1 */
	int64_t stop_asked, next_save, interval_ms, told_interval_ms;
	int told_sock;
	int64_t asked_seq; /* of what stands in RUNMSG_FILE */
	/* what is safe */
	int64_t local_step, stored_step, safe_at, step;
	char local_id[40];
	int64_t saving_step, saving_at, claim_until;
	int64_t claimed_step; /* the greatest that the program says is safe; -1 */
	bool want_look, want_push, told_elsewhere, heard; /* heard: a program with libtare */
	struct ckpt_damage damage;                        /* said already */
	/* a watched folder */
	struct run_files seen, kept, committing;
	int64_t quiet_since, next_scan;
	bool scanned, scan_failed;
	int64_t next_beat;
	int64_t next_hear, deaf_since; /* who should tell of notices does not answer; -1 = does */
	bool told_deaf;
	int64_t ended_at;
};
int64_t run_wall(const struct run *r, int64_t mono);
int64_t run_safe_step(const struct run *r);
static inline int64_t run_deaf_ms(const struct run *r)
{
	int64_t poll = r->o->notice.poll_ms;

	return poll > 0 ? min_i64(10 * poll, RUN_DEAF_MS) : RUN_DEAF_MS;
}
static inline bool run_stopping(const struct run *r)
{
	return r->phase >= RUN_STOPPING;
}

/* ---- heard and told (run_hear.c) ---- */
/* Ask for a checkpoint. How many were told. */
int run_ask(struct run *r, const char *why, bool end, int64_t until);
void run_plan_next(struct run *r); /* when to ask in turn */
void run_stop(struct run *r, const char *why, const char *text, const struct run_times *t);
void run_term(struct run *r);
void run_on_notices(struct run *r);
void run_drill_notice(struct run *r); /* as if the machine went */
void run_on_signals(struct run *r);
/* after the command's end: how long it is still waited for */
int64_t run_on_last_signals(struct run *r, int64_t until);

/* ---- what is safe (run_safe.c) ---- */
void run_on_message(struct run *r, const struct runmsg *m);
void run_on_result(struct run *r, const struct run_result *x);
void run_remember(struct run *r); /* what was measured, for the next attempt */
/* look into the folder watched; true: a commit was begun. final: the command has ended, nobody
 * writes any more */
bool run_scan(struct run *r, bool final);

/* ---- what is due (run_time.c) ---- */
void run_tick(struct run *r);
void run_jobs(struct run *r);
void run_tell_price(struct run *r);
void run_on_price(struct run *r);
int run_wait_ms(const struct run *r);

/* A JSON line on --status-fd, and where it concerns people a line on stderr. None of them ever
 * waits: where nobody reads, the line is lost. */
void run_say_start(struct run *r, const struct run_result *restored);
void run_say_notice(struct run *r, const struct notice *n);
void run_say_asked(struct run *r, const char *why, bool end, int64_t until, int told);
void run_say_safe(struct run *r);
void run_say_stored(struct run *r);
void run_say_failed(struct run *r, const char *what);
void run_say_not_run(struct run *r,
		     const char *what); /* to programs; people hear of it at the end */
/* each once; the rest is added to r->damage */
void run_say_damage(struct run *r, const struct ckpt_damage *d);
void run_say_given_up(struct run *r); /* the last copying, by r->quit_signal */
void run_say_status(struct run *r);
void run_say_deaf(const struct run *r, const char *problem); /* NULL: over */
void run_say_next(struct run *r, const struct run_next *n, bool begins);
void run_say_price(struct run *r, int64_t was_nano);
void run_say_end(struct run *r, int child_code);

#endif
