/* See bill_capacity.h. */
#include "plan/alone/bill_capacity.h"

#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "plan/fleet/fleet_in.h"

#define LATE_MS  (2 * MS_DAY) /* a line may come so late */
#define NO_INDEX UINT32_MAX

struct place {                        /* machines of a type in a zone */
	int64_t counted_ms, empty_ms; /* of the lines that begin now */
	int64_t used_ms;              /* of all before */
	bool named;                   /* machines of it name their reservation */
	uint32_t capacity;            /* of which lines counted last */
};
struct machine {
	const char *id, *tail, *node; /* node: "" = the same */
	uint32_t place, capacity;     /* NO_INDEX: its last line names none */
	int64_t ran_ms, beside_ms;    /* while it was used, and while all of it stood empty */
};
struct now { /* a machine's line among those that begin now */
	uint32_t machine;
	int64_t ms;
};
struct capacity_reader {
	struct fleet *f;
	struct bill_seen *b;
	int64_t at_ms;
	struct intern id, where, name;
	VEC(struct place) place;     /* [where.n] */
	VEC(struct machine) machine; /* [name.n] */
	VEC(struct now) now;
	VEC(uint32_t) touched; /* places with lines of a reservation that begin now */
};

struct capacity_reader *capacity_reader_new(struct fleet *f, struct bill_seen *b)
{
	struct capacity_reader *r = xcalloc(1, sizeof *r);

	r->f = f;
	r->b = b;
	r->at_ms = UNKNOWN_MS;
	return r;
}

static void close_moment(struct capacity_reader *r)
{
	for (size_t i = 0; i < r->now.n; i++) {
		struct machine *m = &r->machine.v[r->now.v[i].machine];
		const struct place *p = &r->place.v[m->place];
		if (p->counted_ms > 0 && p->empty_ms >= p->counted_ms)
			m->beside_ms += r->now.v[i].ms;
		else if (p->counted_ms > 0)
			m->ran_ms += r->now.v[i].ms;
	}
	for (size_t i = 0; i < r->touched.n; i++) {
		struct place *p = &r->place.v[r->touched.v[i]];
		p->used_ms += max_i64(p->counted_ms - p->empty_ms, 0);
		p->counted_ms = p->empty_ms = 0;
	}
	r->now.n = r->touched.n = 0;
}

static uint32_t capacity_of(struct capacity_reader *r, const struct bill_line *l)
{
	uint32_t i = intern_add(&r->id, l->capacity_id);

	if (i == r->b->capacity.n)
		*vec_push(&r->b->capacity) = (struct bill_capacity){
			.id = fleet_text(r->f, l->capacity_id),
			.instance_type = fleet_text(r->f, l->instance_type),
			.region = fleet_text(r->f, l->region),
			.last_ms = l->to_ms,
		};
	r->b->capacity.v[i].last_ms = max_i64(l->to_ms, r->b->capacity.v[i].last_ms);
	return i;
}

static uint32_t place_of(struct capacity_reader *r, const struct bill_line *l)
{
	struct sv zone = sv_or(l->zone, l->region);
	struct str key = { 0 };

	str_addf(&key, "%.*s\x1f%.*s\x1f%.*s", SVF(l->provider), SVF(zone), SVF(l->instance_type));
	uint32_t i = intern_add(&r->where, str_sv(&key));
	str_free(&key);
	if (i == r->place.n)
		*vec_push(&r->place) = (struct place){ .capacity = NO_INDEX };
	return i;
}

static void see_machine(struct capacity_reader *r, const struct bill_line *l, struct sv node,
			uint32_t place, int64_t ms)
{
	uint32_t i = intern_add(&r->name, l->resource_id);

	if (i == r->machine.n) {
		const char *id = fleet_text(r->f, l->resource_id), *slash = strrchr(id, '/');
		*vec_push(&r->machine) = (struct machine){ .id = id,
							   .tail = slash ? slash + 1 : id };
	}
	struct machine *m = &r->machine.v[i];
	m->place = place;
	m->node = fleet_text(r->f, node);
	m->capacity = NO_INDEX;
	if (l->capacity_id.n) {
		m->capacity = capacity_of(r, l);
		r->place.v[place].named = true;
	}
	*vec_push(&r->now) = (struct now){ i, ms };
}

void capacity_see(struct capacity_reader *r, const struct bill_line *l, struct sv node, dec cost,
		  int64_t ms)
{
	bool usage = sv_ieq(l->charge_category, SV("Usage")), itself = bill_line_is_capacity(l),
	     machine = usage && l->gpu_milli > 0 && l->resource_id.n > 0;
	bool empty = itself && sv_ieq(l->capacity_status, SV("Unused"));

	if (l->from_ms != r->at_ms)
		close_moment(r);
	r->at_ms = l->from_ms;
	if (empty && l->kind == KIND_GPU)
		r->b->capacity.v[capacity_of(r, l)].empty += cost;
	if (itself && usage) {
		uint32_t at = place_of(r, l);
		struct place *p = &r->place.v[at];
		p->capacity = capacity_of(r, l);
		if (!p->counted_ms && !p->empty_ms)
			*vec_push(&r->touched) = at;
		*(empty ? &p->empty_ms : &p->counted_ms) += ms;
		if (empty && l->kind == KIND_GPU)
			r->b->capacity.v[p->capacity].empty_ms += ms;
	} else if (machine && !sv_is(l->purchase, "spot")) {
		see_machine(r, l, node, place_of(r, l), ms);
	}
}

static int least_beside_first(const void *a, const void *b)
{
	const struct machine *x = *(struct machine *const *)a, *y = *(struct machine *const *)b;
	int c = cmp_i64(x->beside_ms, y->beside_ms);

	if (!c)
		c = cmp_i64(y->ran_ms, x->ran_ms);
	return c ? c : strcmp(x->id, y->id);
}

/* Machines that do not name their reservation, where lines of one count beside them. */
static void infer_held(struct capacity_reader *r)
{
	struct machine **by = xcalloc(r->machine.n + 1, sizeof *by);

	for (size_t i = 0; i < r->machine.n; i++)
		by[i] = &r->machine.v[i];
	if (r->machine.n)
		sort_items(by, r->machine.n, sizeof *by, least_beside_first);
	for (size_t i = 0; i < r->machine.n; i++) {
		struct place *p = &r->place.v[by[i]->place];
		if (p->named || p->used_ms <= 0 || by[i]->ran_ms <= 0)
			continue;
		by[i]->capacity = p->capacity;
		p->used_ms -= by[i]->ran_ms;
	}
	free(by);
}

void capacity_tell(struct capacity_reader *r)
{
	struct intern held = { 0 };
	struct fleet *f = r->f;

	close_moment(r);
	infer_held(r);
	for (size_t i = 0; i < r->machine.n; i++) {
		const struct machine *m = &r->machine.v[i];
		if (m->capacity == NO_INDEX ||
		    r->b->capacity.v[m->capacity].last_ms < r->b->to_ms - LATE_MS)
			continue;
		intern_add(&held, sv_of(m->id));
		intern_add(&held, sv_of(m->tail));
		if (*m->node)
			intern_add(&held, sv_of(m->node));
	}
	for (size_t i = 0; i < f->workload.n && held.n; i++) {
		struct workload *w = &f->workload.v[i];
		bool is_held = (*w->node && intern_find(&held, sv_of(w->node)) >= 0) ||
			       (*w->resource && intern_find(&held, sv_of(w->resource)) >= 0);
		if (is_held && w->kind != WORKLOAD_LINE)
			w->elastic = false;
	}
	for (size_t i = 0; i < f->node.n && held.n; i++) {
		struct fleet_node *n = &f->node.v[i];
		const char *resource = n->resource ? n->resource : "";
		const char *slash = strrchr(resource, '/');
		if (intern_find(&held, sv_of(n->node)) >= 0 ||
		    intern_find(&held, sv_of(slash ? slash + 1 : resource)) >= 0)
			n->elastic = false;
	}
	/* what a machine of a list is, its workloads are */
	for (size_t i = 0; i < f->workload.n && held.n; i++) {
		struct workload *w = &f->workload.v[i];
		bool known = w->kind != WORKLOAD_LINE && w->node_index != SIZE_MAX;
		if (known && !f->node.v[w->node_index].elastic)
			w->elastic = false;
	}
	intern_free(&held);
	intern_free(&r->id);
	intern_free(&r->where);
	intern_free(&r->name);
	vec_free(&r->place);
	vec_free(&r->machine);
	vec_free(&r->now);
	vec_free(&r->touched);
	free(r);
}
