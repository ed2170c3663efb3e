#ifndef TARE_SIM_PLACE_H
#define TARE_SIM_PLACE_H
/*
 * Machines of one pool and what is free on them. A job of at most one machine's GPUs goes to the
 * fullest machine that has room (best fit, the last used first among equals); a larger one takes
 * whole empty machines. A fixed pool has its machines from the start (the last one smaller where
 * the capacity is no multiple); an elastic pool opens and closes them.
 */
#include <stdbool.h>
#include <stdint.h>
#include "sim/jobs.h"

#define PLACE_NONE UINT32_MAX

struct machine {
	int32_t size, free;
	/* in the list of machines with as many free; next also of free slots */
	uint32_t next, prev;
	uint32_t also; /* the next machine of a job on several, PLACE_NONE */
	uint32_t gen;  /* counts its uses: an older plan to close it is void */
	bool open;
	int64_t opened_ms, ready_ms;
};
struct place {
	const struct sim_pool *pool;
	struct machine *m;
	size_t n, cap;
	uint32_t *list;     /* [gpus_node + 1] first machine with so many free */
	uint32_t spare;     /* machine slots not open */
	int64_t held_gpus;  /* by jobs, whole machines of large ones included */
	int64_t full_empty; /* machines of full size with nothing on them */
	double paid_gpu_ms; /* of closed machines of an elastic pool */
};
void place_init(struct place *p, const struct sim_pool *pool);
void place_free(struct place *p);
/* Could a job of this size ever run here? */
bool place_can_hold(const struct place *p, int32_t gpus);
/* Has a fixed pool room now? An elastic one always has. O(gpus_node). */
bool place_has_room(const struct place *p, int32_t gpus);
/* Take room that is there; returns the first machine; *ret_ready_ms: when the last of them is up
 * (now, or after booting). */
uint32_t place_take(struct place *p, int32_t gpus, int64_t now_ms, int64_t *ret_ready_ms);
/* GPUs that a job of this size holds: whole machines where it needs more than one. */
int64_t place_held(const struct place *p, int32_t gpus);
/*
 * Give back. What got empty in an elastic pool is closed at once where plan is NULL or keep_ms 0;
 * else the caller plans to close it: the machine and its generation come back through `plan`.
 */
void place_give(struct place *p, uint32_t first, int32_t gpus, int64_t now_ms,
		void (*plan)(void *ctx, uint32_t machine, uint32_t gen), void *ctx);
/* Close it if nothing used it since. */
void place_close(struct place *p, uint32_t machine, uint32_t gen, int64_t now_ms);

#endif
