#ifndef TARE_AGENT_SETTLE_H
#define TARE_AGENT_SETTLE_H
/*
 * What was held back while the clock was not steady (clock.h) gets its time: it is moved by one
 * shift into the tables that exports and servers read, and the tables it was in are empty. Where
 * something is booked already at that time, that stays, and what was held back is cut to what is
 * free: no second is booked twice.
 */
#include "store/agentdb.h"

/* stretches and holds that may be cut in two need numbers: so many are set aside for it */
#define SETTLE_IDS 65536

/* Within a transaction. first_id: of SETTLE_IDS numbers that no hold and no stretch watched has or
 * will have. *ret_ms: how much time there was no room for. */
int settle_held(struct agentdb *db, int64_t shift_ms, int64_t first_id, int64_t *ret_ms,
		struct err *err);

#endif
