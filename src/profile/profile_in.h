#ifndef TARE_PROFILE_PROFILE_IN_H
#define TARE_PROFILE_PROFILE_IN_H
/* What profile_run.c (the command) and profile_look.c (its readings) share: a run under way. */
#include <signal.h>
#include "profile/profile_run.h"
#include "profile/profile_tree.h"

struct profile_live {
	const struct profile_run_opt *o;
	struct profile *p;
	struct watch *watch;
	struct profile_tree *tree;
	const struct watch_view *view;
	pid_t child;
	int sigfd, status; /* status: of the child, -1 = still running */
	sigset_t old_mask;
	int64_t mono0_ms, last_ms;
	bool tick_failed, by_process;
	struct err *tick_err;
};

int64_t profile_wall_ms(const struct profile_live *r, int64_t mono_ms);
/* Before the command: what is taken already, what the counters say. */
int profile_look_before(struct profile_live *r, struct err *err);
/* Read everything; the readings stand for the time since the look before. Errors of drivers are in
 * the readings. */
void profile_look(struct profile_live *r, struct err *err);

#endif
