#ifndef TARE_AGENT_AHEAD_H
#define TARE_AGENT_AHEAD_H
/*
 * The write-ahead of an agent: what was seen since the last block of raw data, and the minute that
 * is still open, in one small file that is only appended to. A kill loses what was not appended
 * yet, no more; a record torn by it is truncated when the file is opened. A power cut loses what
 * was appended since the file was started again, or a part of it: nothing here is synced but that
 * start.
 *
 *   u32 "tAhd"  u32 size of payload  u64 seq  u64 type and mark  payload  u64 xxh3 of all before
 *
 * The lowest byte of "type and mark" is the type, then 28 bits each how many commits agent.db and
 * raw.db had when the record was written (all ones: as many or more). They never have fewer unless
 * some were lost.
 */
#include "agent/tally.h"
#include "base/err.h"
#include "base/str.h"
#include "store/agentdb.h"
#include "store/chunk.h"

enum ahead_type {
	AHEAD_RAW = 'R',
	AHEAD_MINUTE = 'M',
	/* the same of what is held back (clock.h) */
	AHEAD_RAW_HELD = 'r',
	AHEAD_MINUTE_HELD = 'm',
};
#define AHEAD_PAYLOAD_MAX (16 << 20)

struct ahead;
typedef int ahead_fn(void *ctx, enum ahead_type type, uint64_t seq, struct sv payload,
		     struct err *err);
/* Open or make the file `ahead` in the folder dir (dir_fd: of it, which must outlive it); fn (may
 * be NULL) gets what is whole in it, in order. */
int ahead_open(int dir_fd, const char *dir, ahead_fn *fn, void *ctx, struct ahead **ret,
	       struct err *err);
void ahead_close(struct ahead *a);
/* All of it or, after an error (a full disk), nothing of it. */
int ahead_append(struct ahead *a, enum ahead_type type, uint64_t seq, struct sv payload,
		 struct err *err);
/* Start again with one record, in one step: a reader finds the old file or the new one, whole. */
int ahead_restart(struct ahead *a, enum ahead_type type, uint64_t seq, struct sv payload,
		  struct err *err);
int64_t ahead_bytes(const struct ahead *a);
/* Write these counts into the records that follow ("type and mark"). */
void ahead_mark(struct ahead *a, const struct agentdb_commits *commits);

struct ahead_look {
	bool there;
	struct agentdb_commits mark; /* the largest there are, 0 = none */
	int64_t whole_bytes;         /* of whole records, from the start of the file */
	int64_t cut_bytes;           /* behind the last of them: torn by a kill, or damaged */
};
/* What the file was found to be when it was opened. */
void ahead_found(const struct ahead *a, struct ahead_look *ret);
/* The same for who only reads; without a file .there is false, no error. */
int ahead_look(int dir_fd, const char *dir, struct ahead_look *ret, struct err *err);

/* ---- raw readings on their way to disk, and how a flush of them stands in the file -------- */

struct raw_columns { /* of a device */
	int64_t dev;
	size_t n, cap;
	int64_t *t_ms;
	double *value[METRIC_N]; /* [n], NULL: no reading at all */
};
struct raw {
	VEC(struct raw_columns) dev;
};
void raw_add(struct raw *r, int64_t dev, int64_t t_ms, const double value[METRIC_N]);
size_t raw_rows(const struct raw *r); /* of the device that has the most */
/* All of it as blocks, in one transaction; seq: of the last record of the write-ahead they cover;
 * quarantine: as agentdb_put_blocks(). The readings stay. */
int raw_put_blocks(const struct raw *r, struct agentdb *db, uint64_t seq, int64_t quarantine,
		   struct err *err);
int64_t raw_clear(struct raw *r); /* returns how many rows there were, of all devices */
void raw_free(struct raw *r);

/*
 * A record of raw readings: for each device u32 dev, u32 rows, u32 mask of metrics, u32 size of
 * times, times, u32 size of values, values (metric after metric in one chunk: most neighbours are
 * equal). Into out, which is emptied first.
 */
void raw_pack(struct chunk_codec *c, const struct tally_row *row, size_t n, struct str *out);
/* Adds what a record has to r. -EBADMSG for what is none; what was read before stays. */
int raw_unpack(struct chunk_codec *c, struct sv record, struct raw *r, struct err *err);
/* u32 size and so many bytes off the front of *in. -EBADMSG where they are not there. */
int raw_take_sized(struct sv *in, struct sv *ret);

#endif
