/* See pods.h. */
#include "sim/pods.h"

#include <string.h>

#include "base/mem.h"

const char *pods_break_text(enum pods_break b)
{
	static const char *const text[] = {
		[PODS_FINE] = "holds",
		[PODS_NONE_LEFT] = "would leave a service without a replica",
		[PODS_OVERLOAD] =
			"would leave a service fewer replicas than its highest minute needs",
		[PODS_NO_WAIT] = "would empty a machine while replicas are still starting",
		[PODS_NO_ROOM] = "would leave replicas without a GPU",
		[PODS_NOT_EMPTY] = "would stop a machine with replicas on it",
		[PODS_UNKNOWN] = "speaks of something that is not as it says",
	};
	return text[b];
}

void pods_new(struct pods *p, size_t nnode, size_t nsvc, bool last)
{
	*p = (struct pods){ .nnode = nnode, .nsvc = nsvc, .last = last };
	p->node = xcalloc(nnode + 1, sizeof *p->node);
	p->load = xcalloc(nsvc + 1, sizeof *p->load);
	p->pending = xcalloc(nsvc + 1, sizeof *p->pending);
	p->live = xcalloc(nnode * nsvc + 1, sizeof *p->live);
	p->starting = xcalloc(nnode * nsvc + 1, sizeof *p->starting);
}

void pods_free(struct pods *p)
{
	free(p->node);
	free(p->load);
	free(p->pending);
	free(p->live);
	free(p->starting);
	*p = (struct pods){ 0 };
}

void pods_copy(struct pods *to, const struct pods *from)
{
	memcpy(to->node, from->node, from->nnode * sizeof *to->node);
	memcpy(to->load, from->load, from->nsvc * sizeof *to->load);
	memcpy(to->pending, from->pending, from->nsvc * sizeof *to->pending);
	memcpy(to->live, from->live, from->nnode * from->nsvc * sizeof *to->live);
	memcpy(to->starting, from->starting, from->nnode * from->nsvc * sizeof *to->starting);
	to->last = from->last;
	to->broke = from->broke;
}

/* ---- counting ---------------------------------------------------------------------------- */

int pods_on(const struct pods *p, size_t svc, size_t node)
{
	return p->live[svc * p->nnode + node] + p->starting[svc * p->nnode + node];
}

static int sum_of(const struct pods *p, const int *v, size_t svc)
{
	int n = 0;

	for (size_t i = 0; i < p->nnode; i++)
		n += v[svc * p->nnode + i];
	return n;
}

int pods_working(const struct pods *p, size_t svc)
{
	return sum_of(p, p->live, svc);
}

int pods_count(const struct pods *p, size_t svc)
{
	return p->pending[svc] + sum_of(p, p->live, svc) + sum_of(p, p->starting, svc);
}

int pods_one_lost(const struct pods *p, size_t svc)
{
	int most = 0;

	for (size_t i = 0; i < p->nnode; i++)
		if (p->live[svc * p->nnode + i] > most)
			most = p->live[svc * p->nnode + i];
	return pods_working(p, svc) - most;
}

static int free_on(const struct pods *p, size_t node)
{
	int n = p->node[node].gpus;

	for (size_t s = 0; s < p->nsvc; s++)
		n -= pods_on(p, s, node);
	return n;
}

int pods_room(const struct pods *p)
{
	int n = 0;

	for (size_t i = 0; i < p->nnode; i++)
		if (!(p->node[i].cordoned || p->node[i].gone))
			n += free_on(p, i);
	return n;
}

/* ---- what the cluster does by itself ----------------------------------------------------- */

static void note_break(struct pods *p, enum pods_break b)
{
	if (p->broke == PODS_FINE)
		p->broke = b;
}

static bool is_better(const struct pods *p, size_t svc, size_t node, size_t best)
{
	int mine = pods_on(p, svc, node), other = pods_on(p, svc, best);

	if (mine != other)
		return mine < other;
	mine = free_on(p, node);
	other = free_on(p, best);
	if (mine != other)
		return mine > other;
	return p->last;
}

static void schedule_pending(struct pods *p)
{
	for (size_t s = 0; s < p->nsvc; s++)
		while (p->pending[s] > 0) {
			size_t at = SIZE_MAX;
			for (size_t i = 0; i < p->nnode; i++)
				if (!p->node[i].cordoned && !p->node[i].gone && free_on(p, i) > 0 &&
				    (at == SIZE_MAX || is_better(p, s, i, at)))
					at = i;
			if (at == SIZE_MAX)
				break;
			p->starting[s * p->nnode + at]++;
			p->pending[s]--;
		}
}

static void look_at(struct pods *p, size_t svc)
{
	int n = pods_working(p, svc);

	if (n < 1)
		note_break(p, PODS_NONE_LEFT);
	else if (n < p->load[svc])
		note_break(p, PODS_OVERLOAD);
}

static bool all_work(const struct pods *p)
{
	for (size_t s = 0; s < p->nsvc; s++)
		if (pods_working(p, s) != pods_count(p, s))
			return false;
	return true;
}

/* ---- what is done to it ------------------------------------------------------------------ */

/* The one machine where most of v [nnode] are, or SIZE_MAX. */
static size_t find_fullest(const struct pods *p, const int *v, size_t svc)
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < p->nnode; i++) {
		int n = pods_on(p, svc, i);
		if (!v[svc * p->nnode + i])
			continue;
		if (best == SIZE_MAX || n > pods_on(p, svc, best) ||
		    (n == pods_on(p, svc, best) && p->last))
			best = i;
	}
	return best;
}

void pods_scale(struct pods *p, size_t svc, int n)
{
	int have = pods_count(p, svc), before = have;

	if (p->broke != PODS_FINE)
		return;
	for (; have > n && have > 0; have--) {
		size_t at;
		if (p->pending[svc] > 0)
			p->pending[svc]--;
		else if ((at = find_fullest(p, p->starting, svc)) != SIZE_MAX)
			p->starting[svc * p->nnode + at]--;
		else if ((at = find_fullest(p, p->live, svc)) != SIZE_MAX)
			p->live[svc * p->nnode + at]--;
	}
	if (n > have)
		p->pending[svc] += n - have;
	schedule_pending(p);
	if (n < before)
		look_at(p, svc);
}

void pods_cordon(struct pods *p, size_t node)
{
	p->node[node].cordoned = true;
}

void pods_drain(struct pods *p, size_t node)
{
	if (p->broke != PODS_FINE)
		return;
	if (!all_work(p))
		note_break(p, PODS_NO_WAIT);
	pods_cordon(p, node);
	for (size_t s = 0; s < p->nsvc; s++) {
		int out = pods_on(p, s, node);
		if (!out)
			continue;
		p->live[s * p->nnode + node] = p->starting[s * p->nnode + node] = 0;
		p->pending[s] += out;
		look_at(p, s);
	}
	schedule_pending(p);
}

void pods_wait(struct pods *p, size_t svc)
{
	if (p->broke != PODS_FINE)
		return;
	if (p->pending[svc] > 0)
		note_break(p, PODS_NO_ROOM);
	for (size_t i = 0; i < p->nnode; i++) {
		p->live[svc * p->nnode + i] += p->starting[svc * p->nnode + i];
		p->starting[svc * p->nnode + i] = 0;
	}
}

void pods_stop(struct pods *p, size_t node)
{
	if (p->broke != PODS_FINE)
		return;
	if (!all_work(p))
		note_break(p, PODS_NO_WAIT);
	for (size_t s = 0; s < p->nsvc; s++)
		if (pods_on(p, s, node))
			note_break(p, PODS_NOT_EMPTY);
	p->node[node].gone = p->node[node].cordoned = true;
}
