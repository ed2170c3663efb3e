#ifndef TARE_RUN_MACHINE_PRIV_H
#define TARE_RUN_MACHINE_PRIV_H
/* What machine.c (phases, stops, what is due) and machine_safe.c (what is safe, how fast it goes)
 * share. */
#include "run/machine.h"

#define RUN_BEAT_MS       60000
#define RUN_BEAT_FIRST_MS 1000   /* of a young attempt: again when it is twice as old */
#define RUN_SCAN_MS       2000   /* of a watched folder */
#define RUN_SCAN_ASKED_MS 100    /* while a checkpoint is waited for */
#define RUN_ASK_AGAIN_MS  10000  /* nobody was there who could be asked */
#define RUN_ASK_LOST_MS   600000 /* asked, and nothing came */

/* one step: of whom, when, and where its actions go */
struct run_turn {
	struct run_machine *m;
	int64_t now;
	struct run_actions *to;
};
/* One more action; the caller fills what belongs to it. */
struct run_action *run_turn_add(struct run_turn *t, enum run_action_kind kind);
static inline bool run_machine_stopping(const struct run_machine *m)
{
	return m->phase >= RUN_STOPPING;
}

/* One that writes down what is known now. */
void run_turn_write(struct run_turn *t, enum run_action_kind kind);

/* ---- phases, stops (machine.c) ---- */
void run_turn_ask(struct run_turn *t, struct run_ask what);
/* To save and to end, by these times; unless it was asked to already. */
void run_turn_stop(struct run_turn *t, enum run_why why, const char *text, struct run_times times);
/* Of an end at `at`. A machine that goes sooner sets the pace, whatever else ends the run. */
struct run_times run_turn_times(const struct run_turn *t, int64_t at);
void run_turn_term(struct run_turn *t); /* SIGTERM, unless that was sent */
void run_turn_press(struct run_turn *t);
void run_turn_notice(struct run_turn *t, const struct run_notice *n);
void run_turn_plan_next(struct run_turn *t); /* when to ask in turn */
void run_turn_settle(struct run_turn *t);    /* the command has ended: what is left to do */
int64_t run_machine_grace_ms(const struct run_machine *m);

/* ---- what is due (machine_due.c) ---- */
void run_turn_look_around(struct run_turn *t, int64_t spent_nano); /* the command runs */
void run_turn_on_sources(struct run_turn *t, const char *problem);
void run_turn_on_price(struct run_turn *t, const struct run_event *e);
/* When one that was asked to end gets SIGTERM. */
int64_t run_machine_term_at(const struct run_machine *m);

/* ---- what is safe (machine_safe.c) ---- */
void run_turn_on_message(struct run_turn *t, const struct run_event *e);
void run_turn_on_result(struct run_turn *t, const struct run_event *e);
void run_turn_on_folder(struct run_turn *t, const struct run_event *e);
void run_turn_on_quiet(struct run_turn *t, const struct run_event *e);
void run_turn_scan(struct run_turn *t, bool final); /* unless the thread that saves is busy */
void run_turn_begin(struct run_turn *t, enum run_job job, int64_t until);
void run_turn_begin_look(struct run_turn *t); /* where one is wanted and the thread is free */
/* The object store: the newest checkpoint goes there, and who copies it knows what time is left. */
void run_turn_push(struct run_turn *t);

#endif
