/* See clock.h. */
#include "sim/clock.h"

#include "base/mem.h"
#include "base/num.h"

static bool is_before(const struct event *a, const struct event *b)
{
	if (a->t_ms != b->t_ms)
		return a->t_ms < b->t_ms;
	return a->seq < b->seq;
}

void clock_push(struct clock *c, int64_t t_ms, uint32_t what, uint32_t slot, uint32_t gen)
{
	struct event e = { t_ms, c->seq++, what, slot, gen };
	size_t i;

	vec_grow(c, 1);
	for (i = c->n++; i && is_before(&e, &c->v[(i - 1) / 4]); i = (i - 1) / 4)
		c->v[i] = c->v[(i - 1) / 4];
	c->v[i] = e;
}

bool clock_pop(struct clock *c, struct event *ret)
{
	struct event last;
	size_t i = 0;

	if (!c->n)
		return false;
	*ret = c->v[0];
	last = c->v[--c->n];
	for (;;) {
		size_t best = 0, from = 4 * i + 1, to = min_size(from + 4, c->n);
		const struct event *least = &last;
		for (size_t k = from; k < to; k++)
			if (is_before(&c->v[k], least))
				least = &c->v[best = k];
		if (!best)
			break;
		c->v[i] = *least;
		i = best;
	}
	if (c->n)
		c->v[i] = last;
	return true;
}
