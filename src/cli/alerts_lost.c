#include "cli/alerts_lost.h"

#include <stdlib.h>

struct span {
	int64_t from_ms, to_ms;
};
typedef VEC(struct span) spans;

/* ---- when somebody looked ----------------------------------------------------------------------------------------------------------------- */

static int by_from(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	return (x->from_ms > y->from_ms) - (x->from_ms < y->from_ms);
}

static spans watched(const struct incident *in, size_t n)
{
	spans all = { 0 };
	size_t out = 0;

	for (size_t i = 0; i < n; i++)
		if (sv_is(in[i].kind, "watched") && in[i].code > 0)
			*vec_push(&all) = (struct span){ in[i].t_ms, in[i].t_ms + in[i].code };
	if (all.n)
		qsort(all.v, all.n, sizeof *all.v, by_from);
	for (size_t i = 0; i < all.n; i++) { /* exports overlap */
		if (out && all.v[i].from_ms <= all.v[out - 1].to_ms)
			all.v[out - 1].to_ms = all.v[i].to_ms > all.v[out - 1].to_ms
						       ? all.v[i].to_ms
						       : all.v[out - 1].to_ms;
		else
			all.v[out++] = all.v[i];
	}
	all.n = out;
	return all;
}

/* A short gap is within a stretch; the event stands at its end and says how long it was. */
static spans gaps(const struct incident *in, size_t n)
{
	spans all = { 0 };

	for (size_t i = 0; i < n; i++)
		if (sv_is(in[i].kind, "gap") && in[i].code > 0)
			*vec_push(&all) = (struct span){ in[i].t_ms - in[i].code, in[i].t_ms };
	if (all.n)
		qsort(all.v, all.n, sizeof *all.v, by_from);
	return all;
}

static void put(struct lost_card *c, struct lost_piece p, const spans *gap)
{
	for (size_t i = 0; i < gap->n && p.from_ms < p.to_ms; i++) {
		struct span g = gap->v[i];
		if (g.to_ms <= p.from_ms || g.from_ms >= p.to_ms)
			continue;
		if (g.from_ms > p.from_ms)
			*vec_push(&c->v) = (struct lost_piece){ p.from_ms, g.from_ms, p.since_ms,
								p.lost, p.of_driver };
		p.from_ms = g.to_ms;
	}
	if (p.from_ms < p.to_ms)
		*vec_push(&c->v) = p;
}

/* ---- what was told of the card -------------------------------------------------------------------------------------------------------------- */

struct told {
	bool known, lost, driver_lost, stuck;
	int64_t since_ms;
};

static void tell(struct told *t, struct sv kind, bool of_card, int64_t t_ms)
{
	if ((of_card && sv_is(kind, "lost")) || sv_is(kind, "driver_lost"))
		t->since_ms = t_ms;
	if (of_card && (sv_is(kind, "lost") || sv_is(kind, "back"))) {
		t->lost = sv_is(kind, "lost");
		t->known = true;
	} else if (sv_is(kind, "driver_lost")) {
		t->driver_lost = t->known = true;
	} else if (sv_is(kind, "driver_stuck")) {
		t->stuck = true;
	} else if (sv_is(kind, "driver_back")) {
		t->driver_lost = t->stuck = false;
	} else if (sv_is(kind, "start")) {
		*t = (struct told){ 0 };
	}
}

/* Nothing of the machine's other cards or of an instance. */
static bool concerns(const struct lost_card *c, const struct incident *i)
{
	return !i->gpu.n || (sv_eq(i->gpu, c->gpu) && !i->mig.n);
}

static void put_watched(struct lost_card *c, struct told t, int64_t from_ms, int64_t to_ms,
			const spans *watch, const spans *gap)
{
	if (!t.known || t.stuck)
		return;
	for (size_t i = 0; i < watch->n; i++) {
		struct lost_piece p = {
			.from_ms = from_ms > watch->v[i].from_ms ? from_ms : watch->v[i].from_ms,
			.to_ms = to_ms < watch->v[i].to_ms ? to_ms : watch->v[i].to_ms,
			.since_ms = t.since_ms,
			.lost = t.lost || t.driver_lost,
			.of_driver = !t.lost && t.driver_lost
		};
		put(c, p, gap);
	}
}

void lost_build(struct lost_card *c, const struct incident *in, size_t n, int64_t to_ms)
{
	spans watch = watched(in, n), gap = gaps(in, n);
	struct told t = { 0 };
	int64_t from = INT64_MIN;

	for (size_t i = 0; i < n; i++) {
		if (!concerns(c, &in[i]))
			continue;
		put_watched(c, t, from, in[i].t_ms, &watch, &gap);
		tell(&t, in[i].kind, in[i].gpu.n > 0, in[i].t_ms);
		from = in[i].t_ms;
	}
	put_watched(c, t, from, to_ms, &watch, &gap);
	vec_free(&watch);
	vec_free(&gap);
}

void lost_free(struct lost_card *c)
{
	vec_free(&c->v);
}
