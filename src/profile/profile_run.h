#ifndef TARE_PROFILE_PROFILE_RUN_H
#define TARE_PROFILE_PROFILE_RUN_H
/*
 * Run a command as if tare were not there, and read the GPUs meanwhile.
 *
 * The child has stdin, stdout, stderr, the terminal, the process group and the signal dispositions
 * of the caller. Signals of the terminal reach it by themselves; SIGTERM, SIGHUP, SIGUSR1, SIGUSR2,
 * SIGINT and SIGQUIT that somebody sends to the caller alone are handed on. If the caller is
 * killed, the child gets SIGTERM (PR_SET_PDEATHSIG): work that nobody watches any more should end
 * in its own way, not run on unseen. Processes that outlive the command are left alone and counted.
 */
#include "profile/profile.h"

struct profile_run_opt {
	char **argv;            /* NULL-terminated */
	struct watch_opt watch; /* gpu, conf, catalog; whose is asked of the environment alone */
	int64_t interval_ms;    /* 100 ms to 1 min */
	/* the wall clock now; the rest goes by a clock that never jumps */
	int64_t start_ms;
	const char *work;         /* what the user calls it, NULL */
	const char *id, *command; /* of the run, NULL; fit to be printed */
	int64_t steps;            /* UNKNOWN_I64 */
	/* After the readings of a tick were added; < 0 stops the reading, not the command. May be
	 * NULL. */
	int (*tick)(void *ctx, struct profile *p, struct err *err);
	void *ctx;
};
/*
 * ret is filled in in any case in which the command ran; p->exit_code is its exit code, 126 or 127
 * where it could not be started (err then says why, and the return is -ENOEXEC). Other failures,
 * before it was started: negative errno. A tick that failed is in ret_tick_err.
 */
int profile_run(const struct profile_run_opt *o, struct profile *ret, struct err *ret_tick_err,
		struct err *err);

/* The GPUs that CUDA_VISIBLE_DEVICES and its like let a program see: is this one of them? list
 * NULL: all. "" and "-1": none. */
bool profile_visible(const char *list, const char *uuid, int index);

#endif
