#ifndef TARE_PLAN_FLEET_FLEET_POWER_H
#define TARE_PLAN_FLEET_FLEET_POWER_H
/*
 * The energy of a GPU over its workloads, while the readings are read (fleet_stats.c): each reading
 * of its power is cut where its owners change, and each part goes to them by their shares of the
 * GPU as the ledger has them (ledger/share.h); what they leave is of the machine's time that
 * nobody is known to have held. So the works have together what was read of the GPU, whatever
 * holds it; copies of a reading count once.
 */
#include "plan/fleet/fleet_in.h"

struct power_slot { /* a workload holds the GPU */
	size_t workload;
	int64_t from_ms, to_ms;
	struct share_use use;
};
struct power_part {
	size_t workload;
	int64_t share; /* of SHARE_ONE */
};
struct power_gpu {
	VEC(struct power_slot) slot; /* by start */
	size_t first;                /* those before have ended */
	struct share_geom geom;
	double rest_j, rest_ms;     /* what no slot has */
	VEC(struct power_part) now; /* from now_from_ms to now_to_ms */
	int64_t now_rest;           /* and what they leave, of SHARE_ONE */
	int64_t now_from_ms, now_to_ms;
	int64_t read_ms; /* the end of what was read */
};
/* The slots are told: order them. */
void power_start(struct power_gpu *c);
/* A reading in order of time, cut to until_ms; adds to energy_j and energy_ms of the works of f. */
void power_add(struct fleet *f, struct power_gpu *c, const struct sample *s, int64_t until_ms);
void power_free(struct power_gpu *c);

#endif
