/* See presences.h. */
#include "feed/jobs/presences.h"

#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"

#define MERGE_FROM 4096 /* spans: fewer are not worth a pass */

struct presences_span {
	uint32_t place;
	bool goes_on;
	int64_t from_ms, to_ms; /* to INT64_MAX: no end is told */
};

static int by_place(const void *a, const void *b)
{
	const struct presences_span *x = a, *y = b;

	if (x->place != y->place)
		return cmp_u64(x->place, y->place);
	if (x->from_ms != y->from_ms)
		return cmp_i64(x->from_ms, y->from_ms);
	return cmp_i64(x->to_ms, y->to_ms);
}

static bool is_one(const struct presences_span *a, const struct presences_span *b)
{
	return a->place == b->place && (b->from_ms <= a->to_ms ||
					tm_floor(b->from_ms, MS_DAY) == tm_floor(a->to_ms, MS_DAY));
}

/* Spans that touch, or lie in one day, are one. */
static void merge_spans(struct presences *p)
{
	size_t n = 0;

	sort_items(p->v.v, p->v.n, sizeof *p->v.v, by_place);
	for (size_t i = 0; i < p->v.n; i++) {
		const struct presences_span s = p->v.v[i];
		struct presences_span *last = n ? &p->v.v[n - 1] : NULL;
		if (!last || !is_one(last, &s)) {
			p->v.v[n++] = s;
			continue;
		}
		last->goes_on |= s.goes_on;
		last->to_ms = max_i64(s.to_ms, last->to_ms);
	}
	p->v.n = n;
	p->least = n;
}

void presences_know(struct presences *p, int64_t t_ms)
{
	if (t_ms != UNKNOWN_MS)
		p->last_ms = max_i64(p->last_ms, t_ms);
}

void presences_add(struct presences *p, const struct presence *of)
{
	presences_know(p, of->from_ms);
	presences_know(p, of->to_ms);
	bool never = of->from_ms == UNKNOWN_MS ||
		     (of->to_ms != UNKNOWN_MS && of->to_ms <= of->from_ms);
	if (!of->node.n || never)
		return;
	str_clear(&p->key);
	str_addf(&p->key, "%.*s\x1f%.*s", SVF(of->cluster), SVF(of->node));
	*vec_push(&p->v) =
		(struct presences_span){ .place = intern_add(&p->place, str_sv(&p->key)),
					 .goes_on = of->goes_on || of->to_ms == UNKNOWN_MS,
					 .from_ms = of->from_ms,
					 .to_ms = of->to_ms == UNKNOWN_MS ? INT64_MAX : of->to_ms };
	if (p->v.n >= MERGE_FROM + 2 * p->least)
		merge_spans(p);
}

int presences_give(struct presences *p, const struct feed_sink *to, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < p->v.n; i++) {
		struct presences_span *s = &p->v.v[i];
		if (s->to_ms == INT64_MAX)
			s->to_ms = max_i64(p->last_ms, s->from_ms + 1);
	}
	merge_spans(p);
	for (size_t i = 0; i < p->v.n && to->presence && rc >= 0; i++) {
		const struct presences_span *s = &p->v.v[i];
		struct presence one = { .from_ms = s->from_ms,
					.to_ms = s->to_ms,
					.goes_on = s->goes_on };
		one.cluster = sv_cut(p->place.text[s->place], '\x1f', &one.node);
		rc = to->presence(to->ctx, &one, err);
	}
	return rc;
}

void presences_free(struct presences *p)
{
	intern_free(&p->place);
	vec_free(&p->v);
	str_free(&p->key);
}

bool presences_is_work(struct sv namespace_, struct sv controller_kind)
{
	if (sv_ieq(controller_kind, SV("DaemonSet")) || sv_ieq(controller_kind, SV("Node")))
		return false;
	return !sv_is(namespace_, "kube-system");
}
