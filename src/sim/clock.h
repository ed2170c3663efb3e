#ifndef TARE_SIM_CLOCK_H
#define TARE_SIM_CLOCK_H
/*
 * The virtual clock: events in order of time, equal times in order of insertion, so that a replay
 * is the same on every machine. A heap of four children a node (LaMarca and Ladner 1996: fewer
 * cache misses than two). O(log n) a push or pop. An event is never taken back: whoever set it
 * gives it a generation and ignores it when that has passed.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event {
	int64_t t_ms;
	uint64_t seq;
	uint32_t what, slot, gen;
};
struct clock {
	struct event *v;
	size_t n, cap;
	uint64_t seq;
};
void clock_push(struct clock *c, int64_t t_ms, uint32_t what, uint32_t slot, uint32_t gen);
bool clock_pop(struct clock *c, struct event *ret); /* false when empty */
static inline const struct event *clock_peek(const struct clock *c)
{
	if (c->n)
		return c->v;
	return NULL;
}

#endif
