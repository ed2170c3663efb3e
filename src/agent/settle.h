#ifndef TARE_AGENT_SETTLE_H
#define TARE_AGENT_SETTLE_H
/*
 * What was held back while the clock was not steady (clock.h) gets its time: it is moved by one
 * shift into the tables that exports and servers read, and the tables it was in are empty. Where
 * something is booked already at that time, that stays, and what was held back is cut to what is
 * free: no second is booked twice.
 */
#include "store/agentdb.h"

/* intervals and holds that may be cut in two need numbers: so many are reserved for it */
#define SETTLE_IDS 65536

struct settled {
	int64_t taken_ms;                 /* there was no room for so much time */
	int64_t damaged_rows, damaged_ms; /* minutes that cannot be read: they are lost */
};
/* Within a transaction. first_id: of SETTLE_IDS numbers that no hold and no interval watched has or
 * will have. */
int settle_held(struct agentdb *db, int64_t shift_ms, int64_t first_id, struct settled *ret,
		struct err *err);
/* Tells people of what was damaged, if anything was; once it is committed. */
void settle_say_damage(const struct settled *s);

#endif
