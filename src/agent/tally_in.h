#ifndef TARE_AGENT_TALLY_IN_H
#define TARE_AGENT_TALLY_IN_H
/* Inside the account of time: tally.c books spans, tally_parts.c knows who has which part of a
 * device, tally_load.c goes on where the last run ended. */
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
/* new where it was never seen */
struct tally_dev *tally_dev_of(struct tally *b, const struct watch_dev *w, int64_t t_ms);
/* the machine itself is a device without GPUs: its processors and network */
struct tally_dev *tally_host(struct tally *b, int64_t t_ms);

/* Into b->now: who has which part of it by the watch. */
void tally_parts_now(struct tally *b, const struct watch_dev *w);
bool tally_parts_same(const struct tally *b, const struct tally_dev *d); /* as b->now */
/* to b->now: owners that stay keep their interval, others end, new ones begin */
void tally_parts_change(struct tally *b, struct tally_dev *d, int64_t t_ms);
/* the device is no longer held as it was */
void tally_parts_end(struct tally *b, struct tally_dev *d, int64_t t_ms);

/* Tells of the interval of a part: it has come to to_ms; open: it goes on. */
void tally_put_hold(struct tally *b, const struct tally_dev *d, const struct tally_part *p,
		    int64_t to_ms, bool open);

void tally_roll_open(struct tally_dev *d, int64_t from_ms);
void tally_roll_close(struct tally *b, struct tally_dev *d);

#endif
