#ifndef TARE_RUN_RUN_KNOWN_H
#define TARE_RUN_RUN_KNOWN_H
/*
 * What the attempts of a run have measured, so that the next one begins with it and not with a
 * guess: file `measured` of the folder.
 *
 *   tare-run-measured 1
 *   KEY NUMBER            one a line, keys as below; one that is not known is left out, one that is
 *                         foreign is passed over
 *   at WORD/WORD...       where the attempts ran that follow, until the next such line: region,
 *                         zone, instance type, partition, a name of one's own; "-": not known
 *   ran MS 0|1            attempts, the oldest first: how long, 1 = it was interrupted
 *   xxh3 HEX              16 digits over all bytes before; the last line
 *
 * A copy goes to the object store with each checkpoint (key `measured`): where the folder was lost
 * with its machine, the next attempt has it from there. Written beside and renamed into place. A
 * file whose hash or numbers are wrong counts for nothing: all begins again, and that is said.
 */
#include "base/str.h"
#include "base/err.h"
#include "run/run_when.h"

#define RUN_KNOWN_MAX 16384 /* bytes of the file */
#define RUN_SPELLS    64
#define RUN_PLACES    16 /* of the last attempts; of more nobody knows where they ran */
#define RUN_PLACE     160
struct run_spell {
	int64_t ms;
	bool interrupted;
	int place; /* in run_known.place, -1 = not known */
};
struct run_known { /* -1 = not known */
	struct run_cost cost;
	int64_t push_bytes_s;
	int64_t step_us; /* of work, a step */
	/* wall clock of the start of the first attempt of what is to be done; 0 = not begun */
	int64_t job_ms;
	int64_t done_ms;    /* work that is safe, without restarts */
	int64_t done_steps; /* the newest safe step that step_us was measured up to */
	/* for a folder that has no state of its own */
	int64_t attempts, spent_nano, interruptions, seen_ms;
	struct run_spell spell[RUN_SPELLS]; /* of past attempts */
	int nspell;
	char place[RUN_PLACES][RUN_PLACE]; /* words and '/'; "" = free */
};

void run_known_init(struct run_known *k); /* nothing known */
void run_known_write(const struct run_known *k, struct str *ret);
/* -EBADMSG, naming what is wrong; then *ret is as after run_known_init(). */
int run_known_parse(struct sv text, struct run_known *ret, struct err *err);
/* one more; the oldest goes; place "" or NULL: not known */
void run_known_spell(struct run_known *k, int64_t ms, bool interrupted, const char *place);
/* Words as a place: blanks, control characters and '/' within one become '_', what is NULL, empty
 * or said already is left out (spot_place_has() of opt/spot/spot_seen.h). */
void run_place_add(char place[RUN_PLACE], const char *word);

/* 1: read; 0: there is none; -EBADMSG, -errno: it counts for nothing, *ret as after
 * run_known_init(). */
int run_known_load(int dir_fd, struct run_known *ret, struct err *err);
/* durable; negative errno: the old one is there */
int run_known_save(int dir_fd, const struct run_known *k);

#endif
