#ifndef TARE_AGENT_TALLY_H
#define TARE_AGENT_TALLY_H
/*
 * The agent's account of time: ticks of the watch in, rows to keep out. Knows no clock, file or thread; the time of the wall is given
 * with each tick.
 *
 * Time is booked once and only forward: a tick books [end of the last, now). What lies further back than COVER of a reading is a gap:
 * up to BRIDGE the holders from before it keep what they held, in state unknown (nobody's part stays unallocated); a longer one is
 * time in which nobody looked. A clock set back by up to BACK_MAX books nothing until it has caught up; further back, what was booked
 * after the new time is void (the clock was wrong then).
 */
#include "agent/rollup.h"
#include "agent/watch.h"
#include "store/agentdb.h"

#define TALLY_BRIDGE_MS   INT64_C(300000)
#define TALLY_BACK_MAX_MS INT64_C(3600000)
#define TALLY_JUMP_MS \
	INT64_C(250) /* of the wall against the steady clock in one tick: NTP slews by 0.05 % at most */

struct tally_row {
	int64_t dev, t_ms;
	double value[METRIC_N];
};
/* What there is to write. Texts are in mem. */
struct tally_out {
	struct arena mem;
	VEC(struct agentdb_device) device;
	VEC(struct agentdb_holder) holder;
	VEC(struct agentdb_hold) hold;
	VEC(struct agentdb_event) event;
	VEC(struct agentdb_minute) minute; /* closed */
	VEC(struct tally_row) raw;
	struct agentdb_watched watched; /* id 0 = as it was */
	struct str open;                /* the roll-ups that are still open: u32 size, roll, ... */
	int64_t void_after_ms;          /* UNKNOWN_MS */
	bool minute_closed;
};
void tally_out_free(struct tally_out *o);

struct tally_counts { /* since the start */
	int64_t ticks, samples, minutes, jumps, gaps, gap_ms, skipped_ms;
};

struct tally;
struct tally *tally_new(int64_t cover_ms);
void tally_free(struct tally *b);
void tally_set_cover(struct tally *b, int64_t cover_ms);
/* Go on where the last run ended: devices, holders, open holds, the last stretch watched. */
int tally_load(struct tally *b, struct agentdb *db, struct err *err);
/* A tick. */
void tally_tick(struct tally *b, const struct watch_view *v);
void tally_event(struct tally *b, int64_t t_ms, const char *kind, int64_t dev, int64_t code,
		 const char *text);
/* Close what is open, as at the end of the program. */
void tally_close(struct tally *b);
/* Hand out what came up since the last time (moved; the open roll-ups are a copy). */
void tally_take(struct tally *b, struct tally_out *ret);
const struct tally_counts *tally_counts(const struct tally *b);
int64_t tally_device_id(const struct tally *b, const char *uuid, int index); /* 0 = never seen */
int64_t tally_end_ms(const struct tally *b); /* booked up to here, 0 = nothing yet */

#endif
