#ifndef TARE_RUN_RUN_LOOP_H
#define TARE_RUN_RUN_LOOP_H
/* A run under way: what run.c (the loop), run_do.c (carries out what the machine wants),
 * run_folder.c and run_say.c share. What is decided, and from what, is in machine.h; here is what
 * it takes to hear and to do it. */
#include "run/machine.h"
#include "run/run_known.h"
#include "run/run_price.h"
#include "run/run_priv.h"
#include "run/run_trace.h"

struct run {
	const struct run_opt *o;
	struct run_end *end;
	struct run_machine m;
	int64_t wall_ms; /* wall clock (tm_steady_ms()) at 0 of the machine's clock; constant */
	int rc;          /* negative: it did not begin, and err says why */
	struct err *err;
	/* ears */
	int sigfd;
	struct notice_watch *notices;
	struct run_sock sock;
	struct run_price price;
	struct run_trace *trace; /* NULL: nobody asked for it */
	/* hands */
	struct run_child child;
	struct run_save save, away; /* the folder; the object store */
	struct run_book book;
	int64_t asked_seq; /* of what stands in RUNMSG_FILE */
	struct run_result restored;
	struct run_folder {
		struct run_files seen, kept,
			committing;     /* last look; newest checkpoint; under way */
		struct run_files found; /* by the last look, to be committed */
		int look_fd;            /* of a drill: what is opened of `kept` (inotify); -1 */
	} folder;
	/* of attempts before; what it says of this one is brought up by run_remember() */
	struct run_past {
		struct run_known known;
		bool recalled;   /* it has been read */
		int64_t done_ms; /* work that was safe before this attempt */
	} past;
	int64_t deadline_ms; /* wall clock, INT64_MAX = none */
	struct {
		int64_t interval_ms;
		struct ckpt_damage damage;
	} told; /* people know it already */
};
static inline int64_t run_wall(const struct run *r, int64_t at)
{
	return r->wall_ms + at;
}

/* One thing has happened: what it asks for is done before this returns, answers included. */
void run_feed(struct run *r, const struct run_event *e);

/* ---- carried out (run_do.c) ---- */
void run_do(struct run *r, const struct run_action *a);

/* ---- the folder watched (run_folder.c) ---- */
void run_folder_scan(struct run *r, bool final); /* answers with RUN_EV_FOLDER */
void run_folder_check(struct run *r);            /* answers with RUN_EV_QUIET */
void run_folder_commit(struct run *r, int64_t step);
void run_folder_keep(struct run *r);
void run_folder_restored(struct run *r); /* what is there now is the newest checkpoint */
/* For a drill: note from now on whether the files that were put back are opened; were they? The
 * second one ends it. */
void run_folder_note_opens(struct run *r);
bool run_folder_opened(struct run *r);
void run_folder_free(struct run *r);

/* A JSON line on --status-fd, and where it concerns people a line on stderr. None of them ever
 * waits: where nobody reads, the line is lost. */
void run_say_start(struct run *r, const struct run_result *restored);
void run_say_notice(struct run *r, const struct run_notice *n);
void run_say_asked(struct run *r, const struct run_ask *a, int told);
void run_say_safe(struct run *r);
void run_say_stored(struct run *r);
void run_say_failed(struct run *r, const char *what);
void run_say_elsewhere(struct run *r, int64_t step); /* it saves, but not where is looked */
void run_say_not_run(struct run *r,
		     const char *what); /* to programs; people hear of it at the end */
/* each once; the rest is added to r->told.damage */
void run_say_damage(struct run *r, const struct ckpt_damage *d);
void run_say_given_up(struct run *r, int sig); /* the last copying, by this signal */
void run_say_status(struct run *r);
void run_say_deaf(const struct run *r, const char *problem); /* NULL: over */
void run_say_next(struct run *r, const struct run_next *n, bool begins);
void run_say_price(struct run *r, int64_t was_nano);
void run_say_end(struct run *r, const struct run_verdict *v, int64_t ended_at);

#endif
