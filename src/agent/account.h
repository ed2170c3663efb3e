#ifndef TARE_AGENT_ACCOUNT_H
#define TARE_AGENT_ACCOUNT_H
/*
 * The account of time (tally.h) with the clock it is booked by (clock.h), as both last: what is
 * handed to the writer at the begin and at the end of a quarantine, and how a start resumes from
 * what the last run left, wherever it was killed. Owns no clock, file or thread; says on stderr
 * what people should know of.
 */
#include "agent/clock.h"
#include "agent/tally.h"

struct account {
	struct tally *tally; /* the caller's */
	struct clock_judge clock;
	int64_t quarantine; /* number of the last one */
};

struct account_start {    /* of a run */
	const char *boot; /* clock_boot_name() */
	int64_t wall_ms, boot_ms;
};
/* Where the last run ended, and what the clock has done since: settles what was held back if that
 * has ended, loads the tally. What begins is left to account_hold(). */
int account_open(struct account *a, struct agentdb *db, const struct account_start *at,
		 struct clock_ruling *ret, struct err *err);

/* What came up since the last time, for the writer. */
void account_take(struct account *a, struct tally_out *ret);

/*
 * A quarantine ends or begins, as *now rules. The writer is given both in this order, each is a
 * transaction of its own: what was seen until now, and then what moves the rows or says that those
 * to come are held back. Only the second has the new state of the clock, so that a kill between
 * the two leaves what is known of the clock as it is with the rows: the next start rules again.
 */
#define ACCOUNT_JOBS 2
void account_settle(struct account *a, const struct clock_ruling *now,
		    struct tally_out ret[ACCOUNT_JOBS]);
void account_hold(struct account *a, const struct clock_ruling *now, int64_t wall_ms,
		  struct tally_out ret[ACCOUNT_JOBS]);

#endif
