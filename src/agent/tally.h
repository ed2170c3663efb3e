#ifndef TARE_AGENT_TALLY_H
#define TARE_AGENT_TALLY_H
/*
 * The agent's account of time: ticks of the watch in, rows to keep out. Knows no clock, file or
 * thread; the time of the wall is given with each tick.
 *
 * Time is booked once: a tick books [end of the last, now), less what was booked before. What lies
 * further back than COVER of a reading is a gap: up to BRIDGE the owners from before it keep what
 * they held, in state unknown (as nobody's part is: unwatched); a longer one is time in which
 * nobody looked. Which time it is, and whether anybody knows, says agent/clock.h: while nobody
 * does, what is booked is held back, and moved when it is known.
 */
#include "watch/rollup.h"
#include "watch/watch.h"
#include "base/spans.h"
#include "store/agentdb.h"

#define TALLY_BRIDGE_MS INT64_C(300000)

struct tally_row {
	int64_t dev, t_ms;
	double value[METRIC_N];
};
/* What there is to write. Texts are in mem. */
struct tally_out {
	struct arena mem;
	VEC(struct agentdb_device) device;
	VEC(struct agentdb_owner) owner;
	VEC(struct agentdb_hold) hold;
	VEC(struct agentdb_event) event;
	VEC(struct agentdb_minute) minute; /* closed */
	VEC(struct tally_row) raw;
	VEC(struct agentdb_watched) watched;
	struct str open; /* the roll-ups that are still open: u32 size, roll, ... */
	bool minute_closed;
	bool held; /* all of it is held back */
	/* not the tally's own (account.h): what is known of the clock (clock_text(), empty = as it
	 * was), the number of the quarantine that holds it back (0 = nothing is), and that one
	 * begins (its number, 0 = none does) or ends */
	struct str clock;
	int64_t quarantine, begins;
	bool settle;
	int64_t shift_ms, first_id; /* of settle_held() */
};
void tally_out_free(struct tally_out *o);

struct tally_counts { /* since the start */
	int64_t ticks, samples, minutes, jumps, gaps, gap_ms;
	int64_t taken_ms; /* went by on the clock where something was booked already */
};

struct tally;
struct tally *tally_new(int64_t cover_ms);
void tally_free(struct tally *b);
void tally_set_cover(struct tally *b, int64_t cover_ms);
/* Go on where the last run ended: devices, owners, open holds, the last interval watched. held: it
 * ended with what it saw held back. */
int tally_load(struct tally *b, struct agentdb *db, bool held, struct err *err);
/* A tick; v->t_ms is the time to book it by. */
void tally_tick(struct tally *b, const struct watch_view *v);
/* The wall clock was set. */
void tally_clock_set(struct tally *b, int64_t t_ms, int64_t by_ms);
/* Ends every hold, roll-up and interval where the account has come to: take what there is to write
 * before the next two. */
void tally_pause(struct tally *b);
/* What comes from now on is held back; known: its time goes on where the account ended. */
void tally_hold(struct tally *b, bool known);
/* What was held back is shift_ms later, and nothing is any more. *ret_first_id: for settle_held();
 * returns how much time of it was booked before. */
int64_t tally_settle(struct tally *b, int64_t shift_ms, int64_t *ret_first_id);
void tally_event(struct tally *b, int64_t t_ms, const char *kind, int64_t dev, int64_t code,
		 const char *text);
/* Close what is open, as at the end of the program. */
void tally_close(struct tally *b);
/* Hand out what came up since the last time (moved; the open roll-ups are a copy). */
void tally_take(struct tally *b, struct tally_out *ret);
const struct tally_counts *tally_counts(const struct tally *b);

#endif
