#ifndef TARE_AGENT_RECOVER_H
#define TARE_AGENT_RECOVER_H
/* What a run that was killed left in the write-ahead (ahead.h), back into the database and into
 * memory. */
#include "agent/ahead.h"

/* The minute that was open then is booked as far as it got, with the holds and the interval
 * watched. What is found to be lost or damaged is said on stderr. */
int recover_minute(struct agentdb *db, struct err *err);
/* For who only reads: -EBADMSG where commits that the write-ahead knows of are not in the database
 * (its log was damaged or taken away). */
int recover_check(struct agentdb *db, struct err *err);
struct recovered {
	struct raw raw;      /* that no block has yet, from the file alone */
	bool held;           /* they are held back */
	uint64_t seq;        /* the last record's number */
	struct ahead *ahead; /* the file, open for what comes next */
};
int recover_raw(struct agentdb *db, struct chunk_codec *codec, struct recovered *ret,
		struct err *err);

#endif
