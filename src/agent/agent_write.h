#ifndef TARE_AGENT_WRITE_H
#define TARE_AGENT_WRITE_H
/*
 * The writer of an agent: a thread that takes what the account of time (tally.h) hands out and
 * makes it last, so that a slow disk never delays a tick. Order of what lasts:
 *
 *   flush    new devices, owners, holds, events -> agent.db; raw readings and the open minute ->
 *            the write-ahead file (no fsync: a power cut takes what came since the last block)
 *   minute   closed roll-ups, holds' ends, the interval watched -> agent.db, with fsync, in one
 *            transaction
 *   block    every BLOCK_ROWS readings -> column chunks in raw.db; the write-ahead starts again
 *   hour     blocks of the hour before become one a device; raw data and roll-ups past their
 *            retention go, which counts time that was watched: a clock that is set removes nothing
 *
 * A full disk: the oldest raw data goes first, then new raw readings are not kept; roll-ups wait in
 * memory (at most PENDING_MAX flushes) until there is room, and are never dropped before.
 */
#include "agent/tally.h"
#include "agent/ahead.h"

#define WRITE_BLOCK_ROWS 600

struct write_opt {
	int64_t raw_keep_ms, roll_keep_ms; /* retention */
};
struct write_stats {
	int64_t flushes, minutes, blocks, errors, raw_rows_lost, raw_drops, pending;
	char last_error[256];
};
struct agent_write;
/* Recovers the raw readings that a killed run left in the write-ahead (its minute was before
 * tally_load(): agent/recover.h), then starts. The database is the writer's from now on until
 * write_stop(). */
int write_start(struct agentdb *db, const struct write_opt *opt, struct agent_write **ret,
		struct err *err);
void write_set(struct agent_write *w, const struct write_opt *opt);
/* Hand over; *o is emptied. now_ms: for what is done every hour. */
void write_push(struct agent_write *w, struct tally_out *o, int64_t now_ms);
/* Everything handed over is written, the thread ends. 0, or -EIO where minutes could not be: the
 * sentence says since when nothing is kept. */
int write_stop(struct agent_write *w, struct err *err);
void write_stats_of(struct agent_write *w, struct write_stats *ret);

#endif
