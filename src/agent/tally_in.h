#ifndef TARE_AGENT_TALLY_IN_H
#define TARE_AGENT_TALLY_IN_H
/* Inside the account of time: tally.c books spans and knows who has which part of a device,
 * tally_load.c goes on where the last run ended. */
#include "agent/tally.h"

#define TALLY_USES_MAX 256 /* owners of a device at a time; more are booked as the last one's */

struct tally_part {          /* of a device, as it is held now */
	int64_t owner, hold; /* 0 = nobody */
	int64_t share_ppb, from_ms;
};
struct tally_dev {
	int64_t id, last_tick;
	char uuid[96];
	int index;
	struct agentdb_device d; /* numbers; texts are in the book's arena */
	VEC(struct tally_part) part;
	struct rollup roll;
	bool open;
	bool blind; /* its owners cannot be seen */
};
struct tally_owner {
	int64_t id, last_tick;
	uint64_t key, content;
};
struct tally {
	int64_t cover_ms, end_ms, tick;
	int64_t start_ms; /* of this run of the agent; what was told before it counts no more */
	int64_t next_dev, next_owner, next_hold, next_event, next_watched, rev;
	struct agentdb_watched watched;
	struct arena mem;
	VEC(struct tally_dev *) dev;
	VEC(struct tally_owner) owner;
	VEC(struct tally_part) now; /* scratch */
	struct tally_out out;
	struct tally_counts counts;
	bool restored, held;
	/* intervals that have ended: booked, held back; scratch */
	spans taken, kept, free;
};

uint64_t tally_owner_key(const struct allocation *a);     /* whose it is */
uint64_t tally_owner_content(const struct allocation *a); /* and of what is known of it */

struct tally_dev *tally_dev_new(struct tally *b, const char *uuid, int index);

#endif
