#ifndef TARE_RUN_RUNMSG_H
#define TARE_RUN_RUNMSG_H
/*
 * What `tare run` and the program it runs say to each other: a line of text a packet, over a Unix
 * socket (SOCK_SEQPACKET) whose path is in TARE_RUN_SOCKET. Either may go away at any time; nothing
 * waits for an answer. Documented in docs/SURVIVE.md.
 *
 *   program -> tare hello PID RANK WORLD step N saving STEP BYTES safe STEP ID STALL_MS WRITE_MS
 *           WRITTEN_BYTES failed STEP TEXT
 *   tare -> program    save DEADLINE_MS TEXT   stop DEADLINE_MS TEXT
 *                      save-at STEP DEADLINE_MS TEXT   stop-at STEP DEADLINE_MS TEXT
 *                      price NANO   of the machine an hour, USD times 10^9; it was TARE_USD_HOUR
 *                                   before
 *
 * DEADLINE_MS is wall-clock time, "-" = none told. STEP: not before so many steps are done, so that
 * several ranks save and end at the same step.
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/str.h"
#include "ckpt/manifest.h"

/*
 * Ranks on other machines do not reach the socket: for them the last thing asked stands in the file
 * RUNMSG_FILE of the folder of checkpoints, which all of them see. One line,
 * written over in place (a new name would be seen late over NFS): SEQ XXH3 ATTEMPT PACKET with the
 * hash, 16 hex digits, over "SEQ ATTEMPT PACKET".
 */
#define RUNMSG_FILE     "asked"
#define RUNMSG_FILE_MAX (RUNMSG_MAX + 256)
#define RUNMSG_MAX      1024 /* bytes of a packet */
enum runmsg_kind {
	RUN_HELLO,
	RUN_STEP,
	RUN_SAVING,
	RUN_SAFE,
	RUN_FAILED,
	RUN_SAVE,
	RUN_STOP,
	RUN_PRICE,
	RUN_KINDS
};
struct runmsg {
	enum runmsg_kind kind;
	int64_t pid;
	int rank, world;
	int64_t step;   /* save, stop: not before it; -1 = now */
	uint64_t bytes; /* saving: of the state; safe: written */
	int64_t stall_ms, write_ms;
	int64_t nano_hour;
	int64_t deadline_ms; /* INT64_MIN = none told */
	char id[CKPT_ID_BYTES];
	char text[512]; /* one line, control characters made blanks */
};
/* Length of the packet. */
size_t runmsg_write(const struct runmsg *m, char ret[RUNMSG_MAX]);
/* 0, or -EINVAL: not one of these. */
int runmsg_parse(struct sv packet, struct runmsg *ret);

/* One line for the file; attempt: a token without blanks. Returns its length. */
size_t runmsg_file_write(int64_t seq, const char *attempt, const struct runmsg *m,
			 char ret[RUNMSG_FILE_MAX]);
/* 1: *ret is what this attempt was asked; 0: of another attempt; -EINVAL: cut, half written, no
 * such line. */
int runmsg_file_parse(struct sv text, const char *attempt, int64_t *ret_seq, struct runmsg *ret);

#endif
