#ifndef TARE_SPOT_RUNMSG_H
#define TARE_SPOT_RUNMSG_H
/*
 * What `tare run` and the program it runs say to each other: a line of text a packet, over a Unix socket (SOCK_SEQPACKET) whose path is in
 * TARE_RUN_SOCKET. Either may go away at any time; nothing waits for an answer. Documented in docs/SURVIVE.md.
 *
 *   program -> tare    hello PID RANK WORLD    step N    saving STEP BYTES    safe STEP ID STALL_MS WRITE_MS WRITTEN_BYTES    failed STEP TEXT
 *   tare -> program    save DEADLINE_MS TEXT   stop DEADLINE_MS TEXT
 *                      save-at STEP DEADLINE_MS TEXT   stop-at STEP DEADLINE_MS TEXT
 *
 * DEADLINE_MS is wall-clock time, "-" = none told. STEP: not before so many steps are done, so that several ranks save and end at the same step.
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/str.h"

#define RUNMSG_MAX 1024 /* bytes of a packet */
enum runmsg_kind { RUN_HELLO, RUN_STEP, RUN_SAVING, RUN_SAFE, RUN_FAILED, RUN_SAVE, RUN_STOP, RUN_KINDS };
struct runmsg {
	enum runmsg_kind kind;
	int64_t pid;
	int rank, world;
	int64_t step;		     /* save, stop: not before it; -1 = now */
	uint64_t bytes;		     /* saving: of the state; safe: written */
	int64_t stall_ms, write_ms;
	int64_t deadline_ms;	     /* INT64_MIN = none told */
	char id[40];
	char text[512];		     /* one line, control characters made blanks */
};
/* Length of the packet. */
size_t runmsg_write(const struct runmsg *m, char ret[RUNMSG_MAX]);
/* 0, or -EINVAL: not one of these. */
int runmsg_parse(struct sv packet, struct runmsg *ret);

#endif
