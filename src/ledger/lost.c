#include "ledger/lost.h"

#include "base/num.h"
#include "base/spans.h"

/* ---- when somebody looked ---------------------------------------------------------------- */

static spans watched_spans(const struct incident *in, size_t n)
{
	spans all = { 0 };
	size_t out = 0;

	for (size_t i = 0; i < n; i++)
		if (sv_is(in[i].kind, "watched") && in[i].code > 0)
			*vec_push(&all) = (struct span){ in[i].t_ms, in[i].t_ms + in[i].code };
	spans_sort(&all);
	for (size_t i = 0; i < all.n; i++) { /* exports overlap */
		if (out && all.v[i].from_ms <= all.v[out - 1].to_ms)
			all.v[out - 1].to_ms = max_i64(all.v[i].to_ms, all.v[out - 1].to_ms);
		else
			all.v[out++] = all.v[i];
	}
	all.n = out;
	return all;
}

/* A short gap is within an interval; the event stands at its end and says how long it was. */
static spans gap_spans(const struct incident *in, size_t n)
{
	spans all = { 0 };

	for (size_t i = 0; i < n; i++)
		if (sv_is(in[i].kind, "gap") && in[i].code > 0)
			*vec_push(&all) = (struct span){ in[i].t_ms - in[i].code, in[i].t_ms };
	spans_sort(&all);
	return all;
}

/* ---- what incidents say of the GPU ------------------------------------------------------ */

#define INSTANCES 16 /* of a GPU; NVIDIA has 7 */

struct gpu_health {
	bool known, lost, driver_lost, stuck, blind;
	int64_t since_ms;
	/* Instances whose owners cannot be seen. Of more than fit none is known to be free
	 * again. */
	struct sv hidden[INSTANCES];
	size_t nhidden;
};

static void apply_incident(struct gpu_health *t, const struct incident *in)
{
	struct sv kind = in->kind;
	bool of_gpu = in->gpu.n > 0 && !in->mig.n;
	int64_t t_ms = in->t_ms;

	if (in->mig.n) {
		size_t i = 0;

		while (i < t->nhidden && !sv_eq(t->hidden[i], in->mig))
			i++;
		if (sv_is(kind, "blind") && i == t->nhidden && i < INSTANCES)
			t->hidden[t->nhidden++] = in->mig;
		else if (sv_is(kind, "sighted") && i < t->nhidden)
			t->hidden[i] = t->hidden[--t->nhidden];
		return;
	}
	if ((of_gpu && sv_is(kind, "lost")) || sv_is(kind, "driver_lost"))
		t->since_ms = t_ms;
	if (of_gpu && (sv_is(kind, "lost") || sv_is(kind, "back"))) {
		t->lost = sv_is(kind, "lost");
		t->known = true;
	} else if (sv_is(kind, "driver_lost")) {
		t->driver_lost = t->known = true;
	} else if (sv_is(kind, "driver_stuck")) {
		t->stuck = true;
	} else if (sv_is(kind, "driver_back")) {
		t->driver_lost = t->stuck = false;
	} else if (of_gpu && (sv_is(kind, "blind") || sv_is(kind, "sighted"))) {
		t->blind = sv_is(kind, "blind");
	} else if (sv_is(kind, "start")) {
		*t = (struct gpu_health){ 0 };
	}
}

/* Nothing of the machine's other GPUs; of an instance, whether its owners can be seen. */
static bool concerns_gpu(const struct lost_gpu *c, const struct incident *i)
{
	bool of_instance = sv_is(i->kind, "blind") || sv_is(i->kind, "sighted");

	return !i->gpu.n || (sv_eq(i->gpu, c->gpu) && (!i->mig.n || of_instance));
}

static void put_watched(struct lost_gpu *c, struct gpu_health t, int64_t from_ms, int64_t to_ms,
			const spans *watch, const spans *gap)
{
	if (!t.known || t.stuck)
		return;
	for (size_t i = 0; i < watch->n; i++) {
		struct lost_piece p = { .from_ms = max_i64(from_ms, watch->v[i].from_ms),
					.to_ms = min_i64(to_ms, watch->v[i].to_ms),
					.since_ms = t.since_ms,
					.lost = t.lost || t.driver_lost,
					.of_driver = !t.lost && t.driver_lost };
		for (size_t k = 0; k < gap->n && p.from_ms < p.to_ms; k++) {
			struct span g = gap->v[k];
			struct lost_piece before = p;
			if (g.to_ms <= p.from_ms || g.from_ms >= p.to_ms)
				continue;
			before.to_ms = g.from_ms;
			if (g.from_ms > p.from_ms)
				*vec_push(&c->v) = before;
			p.from_ms = g.to_ms;
		}
		if (p.from_ms < p.to_ms)
			*vec_push(&c->v) = p;
	}
}

void lost_build(struct lost_gpu *c, const struct incident *in, size_t n, int64_t to_ms)
{
	spans watch = watched_spans(in, n), gap = gap_spans(in, n);
	struct gpu_health t = { 0 };
	int64_t from = INT64_MIN;

	for (size_t i = 0; i < n; i++) {
		if (!concerns_gpu(c, &in[i]))
			continue;
		put_watched(c, t, from, in[i].t_ms, &watch, &gap);
		apply_incident(&t, &in[i]);
		from = in[i].t_ms;
	}
	put_watched(c, t, from, to_ms, &watch, &gap);
	vec_free(&watch);
	vec_free(&gap);
}

/* ---- unheld time ------------------------------------------------------------------------- */

typedef VEC(struct attrib_told) unheld;

/* [from, to) as far as the agent was there, cut where it did not look. */
static void put_unheld(unheld *all, struct attrib_told x, const spans *watch, const spans *gap)
{
	for (size_t i = 0; i < watch->n; i++) {
		struct attrib_told p = x;
		p.from_ms = max_i64(x.from_ms, watch->v[i].from_ms);
		p.to_ms = min_i64(x.to_ms, watch->v[i].to_ms);
		for (size_t k = 0; k < gap->n && p.from_ms < p.to_ms; k++) {
			struct span g = gap->v[k];
			int64_t from = max_i64(g.from_ms, p.from_ms),
				to = min_i64(g.to_ms, p.to_ms);
			if (from >= to)
				continue;
			if (from > p.from_ms && p.state != STATE_NONE)
				*vec_push(all) = (struct attrib_told){ p.from_ms, from, p.state,
								       p.cause };
			*vec_push(all) = (struct attrib_told){ from, to, STATE_UNKNOWN,
							       CAUSE_UNWATCHED };
			p.from_ms = to;
		}
		if (p.from_ms < p.to_ms && p.state != STATE_NONE)
			*vec_push(all) = p;
	}
}

static struct attrib_told unheld_by(const struct gpu_health *t, int64_t from_ms, int64_t to_ms)
{
	struct attrib_told x = { .from_ms = from_ms, .to_ms = to_ms };
	if (t->lost || t->driver_lost) {
		x.state = STATE_UNALLOCATED;
		x.cause = CAUSE_DOWN;
	}
	bool unseen = t->blind || t->nhidden;
	if (t->stuck || (unseen && x.state == STATE_NONE)) {
		x.state = STATE_UNKNOWN;
		x.cause = CAUSE_UNWATCHED;
	}
	return x;
}

size_t lost_unheld(struct sv gpu, const struct incident *in, size_t n, int64_t to_ms,
		   struct arena *mem, struct attrib_told **ret)
{
	const struct lost_gpu c = { .gpu = gpu };
	spans watch = watched_spans(in, n), gap = gap_spans(in, n);
	unheld all = { 0 };
	struct gpu_health t = { 0 };
	int64_t from = INT64_MIN;

	for (size_t i = 0; i < n; i++) {
		if (!concerns_gpu(&c, &in[i]))
			continue;
		if (in[i].t_ms > from)
			put_unheld(&all, unheld_by(&t, from, in[i].t_ms), &watch, &gap);
		apply_incident(&t, &in[i]);
		from = in[i].t_ms;
	}
	if (to_ms > from)
		put_unheld(&all, unheld_by(&t, from, to_ms), &watch, &gap);
	*ret = arena_copy(mem, all.v, all.n, sizeof *all.v);
	n = all.n;
	vec_free(&all);
	vec_free(&watch);
	vec_free(&gap);
	return n;
}
