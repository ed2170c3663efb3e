/* See place.h. */
#include "sim/place.h"

#include <assert.h>
#include <stdlib.h>
#include "base/mem.h"
#include "base/num.h"

static void unlist_machine(struct place *p, uint32_t i)
{
	struct machine *m = &p->m[i];

	if (m->prev == PLACE_NONE)
		p->list[m->free] = m->next;
	else
		p->m[m->prev].next = m->next;
	if (m->next != PLACE_NONE)
		p->m[m->next].prev = m->prev;
	p->full_empty -= m->free == p->pool->gpus_node;
}

static void enlist_machine(struct place *p, uint32_t i)
{
	struct machine *m = &p->m[i];

	m->prev = PLACE_NONE;
	m->next = p->list[m->free];
	if (m->next != PLACE_NONE)
		p->m[m->next].prev = i;
	p->list[m->free] = i;
	p->full_empty += m->free == p->pool->gpus_node;
}

static uint32_t open_machine(struct place *p, int32_t size, int64_t now_ms, int64_t ready_ms)
{
	uint32_t i = p->spare, gen = 0;

	if (i == PLACE_NONE) {
		i = (uint32_t)p->n;
		p->m = vec_grow_(p->m, p->n++, &p->cap, 1, sizeof *p->m);
	} else {
		p->spare = p->m[i].next;
		gen = p->m[i].gen;
	}
	p->m[i] = (struct machine){ .size = size,
				    .free = size,
				    .also = PLACE_NONE,
				    .gen = gen,
				    .open = true,
				    .opened_ms = now_ms,
				    .ready_ms = ready_ms };
	enlist_machine(p, i);
	return i;
}

void place_init(struct place *p, const struct sim_pool *pool)
{
	int64_t left = pool->capacity;

	*p = (struct place){ .pool = pool, .spare = PLACE_NONE };
	p->list = xmalloc((size_t)(pool->gpus_node + 1) * sizeof *p->list);
	for (int64_t i = 0; i <= pool->gpus_node; i++)
		p->list[i] = PLACE_NONE;
	for (; left > 0; left -= pool->gpus_node)
		open_machine(p, (int32_t)min_i64(left, pool->gpus_node), INT64_MIN, INT64_MIN);
}

void place_free(struct place *p)
{
	free(p->m);
	free(p->list);
}

static int64_t whole_machines(const struct place *p, int32_t gpus)
{
	return (gpus + p->pool->gpus_node - 1) / p->pool->gpus_node;
}

bool place_can_hold(const struct place *p, int32_t gpus)
{
	if (!p->pool->capacity)
		return true;
	if (gpus > p->pool->gpus_node)
		return whole_machines(p, gpus) <= p->pool->capacity / p->pool->gpus_node;
	return gpus <= p->pool->capacity;
}

static uint32_t best_fit(const struct place *p, int32_t gpus)
{
	for (int64_t k = gpus; k <= p->pool->gpus_node; k++)
		if (p->list[k] != PLACE_NONE)
			return p->list[k];
	return PLACE_NONE;
}

bool place_has_room(const struct place *p, int32_t gpus)
{
	if (!p->pool->capacity)
		return true;
	if (gpus > p->pool->gpus_node)
		return whole_machines(p, gpus) <= p->full_empty;
	return best_fit(p, gpus) != PLACE_NONE;
}

int64_t place_held(const struct place *p, int32_t gpus)
{
	if (gpus > p->pool->gpus_node)
		return whole_machines(p, gpus) * p->pool->gpus_node;
	return gpus;
}

static uint32_t take_one(struct place *p, int32_t gpus, int64_t now_ms, int64_t *ready_ms)
{
	uint32_t i = best_fit(p, gpus);

	if (i == PLACE_NONE) {
		assert(!p->pool->capacity);
		i = open_machine(p, (int32_t)p->pool->gpus_node, now_ms, now_ms + p->pool->boot_ms);
	}
	unlist_machine(p, i);
	p->m[i].free -= gpus;
	p->m[i].gen++;
	enlist_machine(p, i);
	if (p->m[i].ready_ms > *ready_ms)
		*ready_ms = p->m[i].ready_ms;
	return i;
}

uint32_t place_take(struct place *p, int32_t gpus, int64_t now_ms, int64_t *ret_ready_ms)
{
	int32_t node = (int32_t)p->pool->gpus_node;
	uint32_t first = PLACE_NONE;

	*ret_ready_ms = now_ms;
	p->held_gpus += place_held(p, gpus);
	if (gpus <= node)
		return take_one(p, gpus, now_ms, ret_ready_ms);
	for (int64_t k = whole_machines(p, gpus); k--;) {
		uint32_t i = take_one(p, node, now_ms, ret_ready_ms);
		p->m[i].also = first;
		first = i;
	}
	return first;
}

static void close_now(struct place *p, uint32_t i, int64_t now_ms)
{
	struct machine *m = &p->m[i];

	unlist_machine(p, i);
	p->paid_gpu_ms += (double)(now_ms - m->opened_ms) * (double)m->size;
	m->open = false;
	m->gen++;
	m->next = p->spare;
	p->spare = i;
}

void place_give(struct place *p, uint32_t first, int32_t gpus, int64_t now_ms,
		void (*plan)(void *ctx, uint32_t machine, uint32_t gen), void *ctx)
{
	int32_t part = gpus;

	if (gpus > p->pool->gpus_node)
		part = (int32_t)p->pool->gpus_node;
	p->held_gpus -= place_held(p, gpus);
	for (uint32_t i = first, next; i != PLACE_NONE; i = next) {
		next = p->m[i].also;
		p->m[i].also = PLACE_NONE;
		unlist_machine(p, i);
		p->m[i].free += part;
		p->m[i].gen++;
		enlist_machine(p, i);
		if (p->pool->capacity || p->m[i].free < p->m[i].size)
			continue;
		if (plan && p->pool->keep_ms > 0)
			plan(ctx, i, p->m[i].gen);
		else
			close_now(p, i, now_ms);
	}
}

void place_close(struct place *p, uint32_t machine, uint32_t gen, int64_t now_ms)
{
	if (p->m[machine].open && p->m[machine].gen == gen)
		close_now(p, machine, now_ms);
}
