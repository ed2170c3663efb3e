#ifndef TARE_STORE_AGENTDB_H
#define TARE_STORE_AGENTDB_H
/*
 * What an agent keeps on its node, two SQLite files in one folder:
 *
 *   agent.db  devices, owners, who held what from when to when, roll-ups of minutes, events:
 *             committed with fsync (synchronous FULL), never dropped to make room
 *   raw.db    every reading as column chunks (store/chunk.h): a block at a time with fsync, oldest
 *             dropped first
 *   reserve   a file of RESERVE_BYTES: given up when the disk is full, so that there is room to
 *             drop raw data
 *
 * One program writes (it holds `lock`); readers may look at any time. Blobs of roll-ups are packed
 * by watch/rollup.h and not looked into here. One handle belongs to one thread.
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "base/mem.h"
#include "model/model.h"

#define AGENTDB_RESERVE_BYTES (2 << 20)

struct agentdb;
/* Makes the folder (0750) and the files where write. -EBUSY: another agent has it. A reader of no
 * folder: -ENOENT. Damaged pages, now or later: -EBADMSG; but a writer puts a damaged raw.db aside,
 * says so in err and goes on: 0. */
int agentdb_open(const char *dir, bool write, struct agentdb **ret, struct err *err);
void agentdb_close(struct agentdb *db);
const char *agentdb_dir(const struct agentdb *db);
int agentdb_dir_fd(const struct agentdb *db); /* of base/dirfd.h; its own */
/* 1: an agent is at work in this folder; 0: none; -1: cannot be told (the folder is another
 * user's). For readers: a writer finds itself. */
int agentdb_watched(const struct agentdb *db);

/* ---- writing: begin, put..., commit. After an error: rollback, and what was put is not there.
 * ---- */
int agentdb_begin(struct agentdb *db, struct err *err);
int agentdb_commit(struct agentdb *db, struct err *err);
/* How many commits the files have had. Who notes it elsewhere finds out whether any was lost. */
struct agentdb_commits {
	int64_t rows;   /* of agent.db */
	int64_t blocks; /* of raw.db: those that put blocks */
};
int agentdb_commits(struct agentdb *db, struct agentdb_commits *ret, struct err *err);
/* They resume from these where they have fewer: what was lost has been said. */
int agentdb_commits_from(struct agentdb *db, const struct agentdb_commits *least, struct err *err);
void agentdb_rollback(struct agentdb *db);

struct agentdb_device {
	int64_t id;     /* the writer's, from 1 */
	int64_t parent; /* id, 0 = a whole GPU */
	struct sv uuid, name, model, bus_id, mig_profile;
	int index, mig_start;
	double mem_total_bytes;
	int64_t first_ms, last_ms;
};
struct agentdb_owner {
	int64_t id;
	/* texts, submit_ms, start_ms, end_ms, gpus_milli and checkpointable count; nothing about
	 * GPUs */
	struct allocation a;
};
struct agentdb_hold { /* an owner has a part of a device */
	int64_t id, owner, dev;
	int64_t share_ppb; /* of the physical GPU */
	enum share_kind share_kind;
	int64_t from_ms, to_ms;
	bool open;   /* still held at to_ms */
	int64_t rev; /* counts up with every change, for senders */
};
struct agentdb_event {
	int64_t id, t_ms, dev; /* dev 0 = the machine */
	struct sv kind, text;
	int64_t code;
};
struct agentdb_minute {
	int64_t id, t_ms, dev, from_ms, to_ms;
	struct sv roll;
};
struct agentdb_watched {
	int64_t id, from_ms, to_ms;
}; /* an interval in which somebody looked */
int agentdb_put_device(struct agentdb *db, const struct agentdb_device *d, struct err *err);
int agentdb_put_owner(struct agentdb *db, const struct agentdb_owner *h, struct err *err);
int agentdb_put_hold(struct agentdb *db, const struct agentdb_hold *h, struct err *err);
int agentdb_put_event(struct agentdb *db, const struct agentdb_event *e, struct err *err);
/* of the same device and from the longer one stays; id is given */
int agentdb_put_minute(struct agentdb *db, const struct agentdb_minute *m, struct err *err);
int agentdb_put_watched(struct agentdb *db, const struct agentdb_watched *w, struct err *err);
/* The roll-ups that are open: as far as the rows beside them tell of time, in one with them, so
 * that a kill leaves no interval watched of which nothing is known. Replaces those before. */
int agentdb_put_open(struct agentdb *db, struct sv open, struct err *err);
int agentdb_set(struct agentdb *db, const char *key, const char *value, struct err *err);
/* Roll-ups, events and closed holds before t_ms. */
int agentdb_forget_before(struct agentdb *db, int64_t t_ms, struct err *err);
/* What is kept of the last keep_ms in which somebody looked begins here; INT64_MIN: that is all
 * there is. Time counts as it was watched, in that order: a clock that was set makes nothing
 * old. */
int agentdb_keep_from(struct agentdb *db, int64_t keep_ms, int64_t *ret, struct err *err);

/*
 * ---- what is held back (agent/clock.h): rows whose time is not known yet ----
 *
 * While it is on, holds, minutes, events and intervals watched that are put or read, and the
 * largest numbers, are of a second set of tables that no export, server or report sees. Devices and
 * owners are the same.
 */
void agentdb_hold_back(struct agentdb *db, bool held);
/* One more begins: its number, counting up, is what raw blocks of it are put with. */
int agentdb_put_quarantine(struct agentdb *db, int64_t id, struct err *err);
/* All rows that are held back are gone (the caller has put them with their time), and devices were
 * first seen when they were. */
int agentdb_end_quarantine(struct agentdb *db, int64_t shift_ms, struct err *err);
/* Whether one has begun and not ended. */
int agentdb_in_quarantine(struct agentdb *db, bool *ret, struct err *err);
/* How long was watched so. */
int agentdb_held_ms(struct agentdb *db, int64_t *ret, struct err *err);

/* ---- reading ----------------------------------------------------------------------------- */
char *agentdb_get(struct agentdb *db, const char *key, struct arena *a); /* NULL = not there */
/* In a; empty where there are none. */
int agentdb_get_open(struct agentdb *db, struct arena *a, struct sv *ret, struct err *err);
/* Rows in the order of their id, in arena a. rev_from: only holds changed since. */
int agentdb_devices(struct agentdb *db, struct arena *a, struct agentdb_device **ret, size_t *ret_n,
		    struct err *err);
int agentdb_owners(struct agentdb *db, int64_t after, struct arena *a, struct agentdb_owner **ret,
		   size_t *ret_n, struct err *err);
int agentdb_holds(struct agentdb *db, int64_t rev_from, struct arena *a, struct agentdb_hold **ret,
		  size_t *ret_n, struct err *err);
int agentdb_watches(struct agentdb *db, struct arena *a, struct agentdb_watched **ret,
		    size_t *ret_n, struct err *err);
typedef int agentdb_minute_fn(void *ctx, const struct agentdb_minute *m, struct err *err);
typedef int agentdb_event_fn(void *ctx, const struct agentdb_event *e, struct err *err);
struct agentdb_window {
	int64_t after;              /* only ids above */
	int64_t since_ms, until_ms; /* that begin in [since_ms, until_ms) */
	int64_t max;                /* so many at most, 0: all */
};
#define AGENTDB_ALL ((struct agentdb_window){ .since_ms = INT64_MIN, .until_ms = INT64_MAX })
/* The minutes and the events of a window. */
int agentdb_each_minute(struct agentdb *db, const struct agentdb_window *w, agentdb_minute_fn *fn,
			void *ctx, struct err *err);
int agentdb_each_event(struct agentdb *db, const struct agentdb_window *w, agentdb_event_fn *fn,
		       void *ctx, struct err *err);
/* Largest number in use: "device" "owner" "hold" "event" "watched" "minute" "quarantine", and
 * "rev" of holds. */
int agentdb_last_id(struct agentdb *db, const char *what, int64_t *ret, struct err *err);
/* The same of all there are, held back or not: new ones go on behind it. */
int agentdb_last_of_all(struct agentdb *db, const char *what, int64_t *ret, struct err *err);
/* Whether there is any row that is held back. */
int agentdb_any_held(struct agentdb *db, bool *ret, struct err *err);

/* ---- raw readings (agentdb_raw.c) -------------------------------------------------------- */
struct agentdb_block {
	int64_t dev;
	const int64_t *t_ms;           /* [n] */
	const double *value[METRIC_N]; /* [n], NULL = no reading at all */
	size_t n;
};
/* Blocks and the number of the last record of the write-ahead they cover, in one transaction.
 * quarantine: their time is not known yet, 0 = it is. */
int agentdb_put_blocks(struct agentdb *db, const struct agentdb_block *b, size_t n, int64_t seq,
		       int64_t quarantine, struct err *err);
/* Blocks of quarantines that have ended get their time. */
int agentdb_settle_raw(struct agentdb *db, struct err *err);
int agentdb_raw_seq(struct agentdb *db, int64_t *ret, struct err *err); /* 0 = none yet */
/* Blocks of an hour that lie before t_ms become one block a device: smaller by the overhead of
 * each. */
int agentdb_merge_hours(struct agentdb *db, int64_t before_ms, struct err *err);
int agentdb_drop_raw(struct agentdb *db, int64_t before_ms, struct err *err);
/* The disk is full: give up the reserve, then the oldest quarter of raw data. 1 = made room, 0 =
 * there was nothing left to give up. */
int agentdb_make_room(struct agentdb *db, struct err *err);
void agentdb_restore_reserve(struct agentdb *db); /* where there is room again */
/* true: there was one, and its room is free now */
bool agentdb_drop_reserve(const struct agentdb *db);
struct agentdb_raw_size {
	int64_t samples, bytes, file_bytes, from_ms, to_ms, blocks;
};
int agentdb_raw_size(struct agentdb *db, struct agentdb_raw_size *ret, struct err *err);
typedef int agentdb_block_fn(void *ctx, const struct agentdb_block *b, struct err *err);
int agentdb_each_block(struct agentdb *db, int64_t since_ms, int64_t until_ms, agentdb_block_fn *fn,
		       void *ctx, struct err *err);

#endif
