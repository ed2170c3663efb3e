#ifndef TARE_BASE_SHELL_H
#define TARE_BASE_SHELL_H
/* A shell command of the user's whose answer is short. Waits for that child alone: other threads
 * may wait for theirs. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct shell_opt {
	int64_t limit_ms;           /* then it is killed, with its group */
	bool (*stopped)(void *ctx); /* asked now and then; true: give up. NULL: never */
	void *ctx;
};
/*
 * Programs of ours, in groups of their own, that run beside the command of a run: it is told to
 * save and to end, they are not. shell_own() when one was started and when it has ended, from any
 * thread; only the first 64 at a time are known.
 */
void shell_own(pid_t pid, bool runs);
bool shell_is_own(pid_t pid);

/* Its exit code, or -1: killed, too slow, not started. buf gets the start of what it wrote to its
 * output; standard error goes nowhere. */
int shell_run(const char *command, const struct shell_opt *opt, char *buf, size_t cap,
	      size_t *ret_n);

#endif
