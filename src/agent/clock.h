#ifndef TARE_AGENT_CLOCK_H
#define TARE_AGENT_CLOCK_H
/*
 * Which time a look at the machine is booked by. Pure: wall time and the time since the machine was
 * started come in, rulings go out; the loop (agent.c) owns the clocks and does what is ruled.
 *
 * Booked time is the boot clock plus an offset. The boot clock never jumps (and counts while the
 * machine sleeps), so each of its milliseconds is booked once, whatever the wall clock does. While
 * the two go together, booked time is the wall's: steps of up to CLOCK_STEP_MS are followed at
 * once. After a larger one, in either direction, nobody knows yet which of the two times was right:
 * what is seen from then on is held back, by the old offset, until the wall clock has been steady
 * for CLOCK_STEADY_MS. Then all of it is moved by one shift to the wall's time, however many jumps
 * there were. What was booked before is never touched.
 *
 * At a start the boot clock still goes with the last run's where the machine was not started again.
 * Where it was, what was booked last is all there is to compare with: a wall clock that lies before
 * it, or more than CLOCK_AWAY_MS behind it, is waited for in the same way.
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"

/* a leap second, and what NTP servers and clients set at once after a start (128 ms to 1 s) */
#define CLOCK_STEP_MS   INT64_C(1000)
#define CLOCK_STEADY_MS INT64_C(600000)
/* off for longer than that, a machine may as well have come up with a wrong clock */
#define CLOCK_AWAY_MS INT64_C(3600000)

struct clock_judge {
	char boot[72];     /* which start of the machine boot_ms counts from; "" = none yet */
	bool held;         /* what is seen is held back */
	int64_t offset_ms; /* booked time less boot time */
	int64_t seen_ms;   /* wall less boot time at the last look */
	int64_t ref_ms;    /* held: the same when it began to be steady, ... */
	int64_t since_ms;  /* ... and when that was, by the boot clock */
	int64_t begun_ms;  /* held: since when, by the boot clock */
	int64_t jumps;     /* held: how many there were */
};

struct clock_ruling {
	int64_t t_ms; /* what is seen now is booked by this time */
	/* in this order: what was held back gets its time, shift_ms later than it was held by;
	 * what comes from now on is held back */
	bool ends, begins;
	int64_t shift_ms;
	/* begins: t_ms goes on where booked time was; false: it stands for itself */
	bool known;
	int64_t jump_ms; /* how far the wall clock was set, 0 = it was not, or nobody knows */
};

struct clock_first {
	const char *boot; /* clock_boot_name() of this start of the machine */
	int64_t wall_ms, boot_ms;
	/* as far as was booked last (in the order of looks), and held back; 0 = nothing */
	int64_t booked_ms, held_ms;
};
/* The first look of a run. *j as the last run left it (clock_parse()), all 0 where there was
 * none. */
void clock_start(struct clock_judge *j, const struct clock_first *first, struct clock_ruling *ret);
/* Every other look. */
void clock_look(struct clock_judge *j, int64_t wall_ms, int64_t boot_ms, struct clock_ruling *ret);

/* Names a start of the machine: by its id (boot_id), and by the namespace of time that it is seen
 * from. "" where there is no id: never the same as another. */
void clock_boot_name(const char *id, uint64_t time_namespace, char ret[72]);
/* As a line of text that lasts, and back. -EBADMSG for anything else; *ret is then as it was. */
void clock_text(const struct clock_judge *j, struct str *out);
int clock_parse(struct sv text, struct clock_judge *ret, struct err *err);

#endif
