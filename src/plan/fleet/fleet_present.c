/* Jobs without GPUs on machines of the fleet: they cost no GPU time, and end with their machine. */
#include "base/num.h"
#include "base/search.h"
#include "plan/fleet/fleet_in.h"

struct reach { /* of a cluster: how far its lists reach */
	int64_t to_ms, source;
	int64_t other_ms; /* the farthest of any other source */
};
struct reaches {
	struct intern cluster;
	VEC(struct reach) v;
};

static void reach_add(struct reaches *r, struct sv cluster, int64_t source, int64_t to_ms)
{
	uint32_t id = intern_add(&r->cluster, cluster);

	if (id == r->v.n)
		*vec_push(&r->v) = (struct reach){ to_ms, source, INT64_MIN };
	struct reach *x = &r->v.v[id];
	if (x->source == source) {
		x->to_ms = max_i64(to_ms, x->to_ms);
	} else if (to_ms > x->to_ms) {
		x->other_ms = max_i64(x->to_ms, x->other_ms);
		x->to_ms = to_ms;
		x->source = source;
	} else {
		x->other_ms = max_i64(to_ms, x->other_ms);
	}
}

/* What still ran when its list was taken runs on, until a list that was taken later does not have
 * it any more. */
static int64_t end_of(const struct reaches *r, const struct presence_told *t)
{
	const struct reach *x = &r->v.v[intern_find(&r->cluster, t->p.cluster)];
	int64_t later_ms = x->source == t->source ? x->other_ms : x->to_ms;

	if (!t->p.goes_on || later_ms > t->p.to_ms)
		return t->p.to_ms;
	return INT64_MAX;
}

int fleet_read_present(struct loader *l, struct err *err)
{
	struct fleet *f = l->f;
	struct presence_told *told;
	struct witness_jobs *jobs = NULL;
	struct reaches reaches = { 0 };
	size_t n = 0, njobs = 0;
	int r = store_presence(l->store, &l->mem, &told, &n, err);

	if (r >= 0 && n)
		r = store_witness_jobs(l->store, &l->mem, &jobs, &njobs, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++)
		reach_add(&reaches, told[i].p.cluster, told[i].source, told[i].p.to_ms);
	for (size_t i = 0; i < njobs; i++)
		reach_add(&reaches, jobs[i].cluster, jobs[i].source, jobs[i].to_ms);
	for (size_t i = 0; i < n; i++) {
		const struct presence *p = &told[i].p;
		struct idle_span s = { max_i64(p->from_ms, f->since_ms),
				       min_i64(end_of(&reaches, &told[i]), f->until_ms) };
		if (s.from_ms < s.to_ms)
			*vec_push(&f->present) = (struct fleet_present){ fleet_text(f, p->node),
									 s };
	}
	intern_free(&reaches.cluster);
	vec_free(&reaches.v);
	return 0;
}

size_t fleet_present_first(const struct fleet *f, const char *node)
{
	return first_where(i, f->present.n, strcmp(f->present.v[i].node, node) >= 0);
}

bool fleet_present_is(const struct fleet *f, size_t k, const char *node)
{
	return k < f->present.n && !strcmp(f->present.v[k].node, node);
}

bool fleet_present_since(const struct fleet *f, const char *node, int64_t since_ms)
{
	for (size_t k = fleet_present_first(f, node); fleet_present_is(f, k, node); k++)
		if (f->present.v[k].span.to_ms > since_ms)
			return true;
	return false;
}
