#ifndef TARE_LEDGER_LOST_H
#define TARE_LEDGER_LOST_H
/*
 * Which GPUs of a node the driver no longer saw, and when, by what an agent told (struct
 * incident): a GPU is lost from "lost" to "back", every GPU that was there from "driver_lost" to
 * "driver_back". Only while the agent looked: where it was off or late, or its driver hung, nothing
 * is known. A new start of the agent knows nothing of GPUs that were lost before; older agents did
 * not tell of it, so a reading of a GPU from a minute or more after since_ms says the same.
 */
#include "base/mem.h"
#include "ledger/attrib.h"
#include "model/model.h"

struct lost_piece {
	int64_t from_ms, to_ms, since_ms; /* since: told */
	/* lost: it is gone; else it is there. of_driver: gone only if it was there before */
	bool lost, of_driver;
};
struct lost_gpu {
	struct sv gpu;
	VEC(struct lost_piece) v; /* by time, apart from each other */
	size_t at;                /* of those who walk over them */
	int64_t read_ms;          /* likewise: when their last reading of the GPU began */
};
/* incident[n] by time; the caller frees c->v. What is still so at to_ms ends there. */
void lost_build(struct lost_gpu *c, const struct incident *incident, size_t n, int64_t to_ms);
/*
 * What time of the GPU is that nobody holds, where it is not free: `down` while it was lost,
 * unknown (`unwatched`) while the agent did not look, its driver hung or it could not see owners
 * ("blind" to "sighted", also of one of its instances, of which it is not told which part of the
 * GPU it has; older agents did not say, and are taken to have seen). Only time the agent was there
 * for. By time, in mem; returns how many.
 */
size_t lost_unheld(struct sv gpu, const struct incident *incident, size_t n, int64_t to_ms,
		   struct arena *mem, struct attrib_told **ret);

#endif
