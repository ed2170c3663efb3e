#include "opt/capacity/pack_time.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"

struct held {
	int64_t to_ms;
	int gpus;
};
struct machine {
	VEC(struct held) held;
	int64_t opened_ms, last_ms; /* last end of a job on it */
	int used;
	bool open;
};
struct pack {
	VEC(struct machine) m;
	int gpus;
	int64_t close_after_ms;
	struct pack_result *ret;
};

static int by_start(const void *pa, const void *pb)
{
	const struct pack_job *a = pa, *b = pb;

	if (a->from_ms != b->from_ms)
		return cmp_i64(a->from_ms, b->from_ms);
	if (a->gpus != b->gpus) /* large ones first: small ones fill the rest */
		return cmp_int(b->gpus, a->gpus);
	return cmp_i64(b->to_ms, a->to_ms);
}

static struct machine *room_for(struct pack *p, const struct pack_job *j)
{
	struct machine *closed = NULL;

	for (size_t i = 0; i < p->m.n; i++) {
		/* Forget what has ended; close a machine that has been empty for long enough. */
		struct machine *m = &p->m.v[i];
		size_t k = 0;

		for (size_t h = 0; h < m->held.n; h++) {
			if (m->held.v[h].to_ms > j->from_ms)
				m->held.v[k++] = m->held.v[h];
			else
				m->used -= m->held.v[h].gpus;
		}
		m->held.n = k;
		if (m->open && !k && j->from_ms - m->last_ms > p->close_after_ms) {
			p->ret->open_ms += m->last_ms + p->close_after_ms - m->opened_ms;
			m->open = false;
		}

		if (p->m.v[i].open && p->m.v[i].used + j->gpus <= p->gpus)
			return &p->m.v[i];
		if (!p->m.v[i].open && !closed)
			closed = &p->m.v[i];
	}
	if (!closed) {
		closed = vec_push(&p->m);
		*closed = (struct machine){ .last_ms = INT64_MIN };
	}
	return closed;
}

/* Whether a machine that had been closed was opened again. */
static bool place_job(struct pack *p, const struct pack_job *j, int64_t boot_ms)
{
	struct machine *m = room_for(p, j);
	bool reopened = !m->open && m->last_ms != INT64_MIN;

	if (!m->open) {
		m->open = true;
		m->opened_ms = j->from_ms;
		m->last_ms = j->to_ms;
		p->ret->openings++;
		p->ret->open_ms += boot_ms;
	}
	*vec_push(&m->held) = (struct held){ j->to_ms, j->gpus };
	m->used += j->gpus;
	m->last_ms = max_i64(j->to_ms, m->last_ms);
	size_t open = 0;
	for (size_t i = 0; i < p->m.n; i++)
		open += p->m.v[i].open;
	p->ret->machines = max_size(open, p->ret->machines);
	return reopened;
}

void pack_time(struct pack_job *job, size_t n, int gpus, int64_t close_after_ms, int64_t boot_ms,
	       struct pack_result *ret)
{
	struct pack p = { .gpus = gpus, .close_after_ms = close_after_ms, .ret = ret };
	__int128 load = 0;

	*ret = (struct pack_result){ 0 };
	if (n)
		sort_items(job, n, sizeof *job, by_start);
	for (size_t i = 0; i < n; i++) {
		struct pack_job j = job[i];
		if (j.to_ms <= j.from_ms || j.gpus <= 0)
			continue;
		for (; j.gpus > gpus; j.gpus -= gpus) {
			const struct pack_job whole = { j.from_ms, j.to_ms, .gpus = gpus };
			job[i].reopened |= place_job(&p, &whole, boot_ms);
		}
		job[i].reopened |= place_job(&p, &j, boot_ms);
		load += (__int128)(j.to_ms - j.from_ms) * job[i].gpus;
	}
	for (size_t i = 0; i < p.m.n; i++) {
		if (p.m.v[i].open)
			ret->open_ms += p.m.v[i].last_ms + close_after_ms - p.m.v[i].opened_ms;
		vec_free(&p.m.v[i].held);
	}
	vec_free(&p.m);
	ret->bound_ms = gpus > 0 ? (int64_t)(load / gpus) : 0;
}
