/* Entries of an interval of time by scope and hour, and what of them a bill line pays for. */
#include "report/invoice/focus_pieces.h"

#include <stdlib.h>

#include "base/str.h"
#include "base/tm.h"
#include "model/known.h"

struct focus *focus_new(void)
{
	return xcalloc(1, sizeof(struct focus));
}

void focus_clear(struct focus *f)
{
	for (size_t i = 0; i < f->group.n; i++)
		vec_free(&f->group.v[i].piece);
	vec_free(&f->group);
	vec_free(&f->who);
	intern_free(&f->who_key);
	intern_free(&f->group_key);
	f->who_key = f->group_key = (struct intern){ 0 };
	arena_free(&f->mem);
}

void focus_free(struct focus *f)
{
	if (!f)
		return;
	focus_clear(f);
	str_free(&f->key);
	free(f);
}

struct focus_counts focus_counts(const struct focus *f)
{
	return f->counts;
}

static struct sv keep_text(struct focus *f, struct sv v)
{
	if (v.p)
		return (struct sv){ arena_strn(&f->mem, v.p, v.n), v.n };
	return v;
}

static void key_add(struct focus *f, struct sv v)
{
	str_add(&f->key, text_or(v.p, ""), v.n);
	str_addc(&f->key, 0);
}

static void group_key(struct focus *f, struct sv scope, int64_t hour_ms,
		      const struct entry *unbilled)
{
	str_clear(&f->key);
	str_add(&f->key, (const char *)&hour_ms, sizeof hour_ms);
	key_add(f, scope);
	if (!unbilled)
		return;
	str_addf(&f->key, "%d %d", unbilled->priced, unbilled->kind);
	key_add(f, unbilled->node);
	key_add(f, unbilled->gpu_model);
	key_add(f, unbilled->purchase);
	key_add(f, unbilled->currency);
}

static void piece_add(struct piece *p, const struct piece *x)
{
	p->ms += x->ms;
	p->idle_ms += x->idle_ms;
	p->lost_ms += x->lost_ms;
	for (int b = 0; b < BASIS_N; b++)
		if (x->nano[b] != UNKNOWN_NANO)
			p->nano[b] = known_i64_or(p->nano[b], 0) + x->nano[b];
}

void focus_add_entry(struct focus *f, const struct entry *e)
{
	struct piece x = { .ms = e->ms };
	size_t i;

	if (e->priced == PRICED_BILL && e->kind != KIND_GPU)
		return; /* its bill line is a row of its own */
	if (e->priced == PRICED_NOT ||
	    (e->priced != PRICED_BILL && e->nano[BASIS_EFFECTIVE] == UNKNOWN_NANO)) {
		if (e->kind == KIND_GPU)
			f->counts.unpriced_ms += e->ms;
		return;
	}

	bool unallocated = e->state == STATE_UNALLOCATED;

	str_clear(&f->key);
	str_addc(&f->key, unallocated ? '1' : '0'); /* sorts behind the jobs */
	key_add(f, e->owner.field[OWNER_JOB]);
	for (int k = 0; k < OWNER_N; k++)
		key_add(f, e->owner.field[k]);
	key_add(f, e->owner.tags);
	uint32_t id = intern_add(&f->who_key, str_sv(&f->key));
	if (id == f->who.n) {
		struct who *w = vec_push(&f->who);
		*w = (struct who){ .tags = keep_text(f, e->owner.tags),
				   .unallocated = unallocated };
		for (int k = 0; k < OWNER_N; k++)
			w->field[k] = keep_text(f, e->owner.field[k]);
	}
	x.who = id;
	if (e->state == STATE_IDLE_HELD || e->state == STATE_IDLE_EMPTY ||
	    e->state == STATE_UNALLOCATED)
		x.idle_ms = e->ms;
	else
		x.idle_ms = 0;
	x.lost_ms = e->state == STATE_LOST ? e->ms : 0;
	memcpy(x.nano, e->nano, sizeof x.nano);
	group_key(f, e->scope, e->hour_ms, e->priced == PRICED_BILL ? NULL : e);
	size_t at = intern_add(&f->group_key, str_sv(&f->key));
	if (at == f->group.n) {
		struct entry o = { .hour_ms = e->hour_ms, .kind = e->kind, .priced = e->priced };
		o.scope = keep_text(f, e->scope);
		o.node = keep_text(f, e->node);
		o.cluster = keep_text(f, e->cluster);
		o.provider = keep_text(f, e->provider);
		o.region = keep_text(f, e->region);
		o.zone = keep_text(f, e->zone);
		o.gpu_model = keep_text(f, e->gpu_model);
		o.purchase = keep_text(f, e->purchase);
		o.currency = keep_text(f, e->currency);
		*vec_push(&f->group) = (struct group){ .origin = o };
	}
	struct group *g = &f->group.v[at];
	for (i = 0; i < g->piece.n && g->piece.v[i].who != x.who; i++)
		;
	if (i < g->piece.n)
		piece_add(&g->piece.v[i], &x);
	else
		*vec_push(&g->piece) = x;
}

int focus_cmp_pieces(const void *pa, const void *pb, void *ctx)
{
	const struct focus *f = ctx;
	const struct piece *a = pa, *b = pb;

	return sv_cmp(f->who_key.text[a->who], f->who_key.text[b->who]);
}

typedef VEC(struct piece) pieces;

static void take_group(const struct group *g, pieces *all)
{
	for (size_t i = 0; i < g->piece.n; i++)
		if (g->piece.v[i].ms > 0)
			*vec_push(all) = g->piece.v[i];
}

struct piece *focus_pieces(struct focus *f, const struct bill_line *b, struct sv scope,
			   struct arena *a, size_t *ret_n)
{
	pieces all = { 0 };
	size_t n = 0;

	/* By the line's hours, or, of a line with more hours than there are groups, by the
	 * groups. */
	int64_t from = tm_floor(b->from_ms, MS_HOUR);
	bool by_groups = (b->to_ms - from) / MS_HOUR > (int64_t)f->group.n;
	for (size_t i = 0; scope.n && by_groups && i < f->group.n; i++) {
		const struct entry *o = &f->group.v[i].origin;
		bool in_line = o->hour_ms >= from && o->hour_ms < b->to_ms;
		if (o->priced == PRICED_BILL && in_line && sv_eq(o->scope, scope))
			take_group(&f->group.v[i], &all);
	}
	for (int64_t h = from; scope.n && !by_groups && h < b->to_ms; h += MS_HOUR) {
		group_key(f, scope, h, NULL);
		int64_t id = intern_find(&f->group_key, str_sv(&f->key));
		if (id >= 0)
			take_group(&f->group.v[id], &all);
	}

	struct piece *p = arena_alloc(a, (all.n + 1) * sizeof *p);
	if (all.n)
		qsort_r(all.v, all.n, sizeof *all.v, focus_cmp_pieces, f);
	for (size_t i = 0; i < all.n; i++) {
		if (n && p[n - 1].who == all.v[i].who)
			piece_add(&p[n - 1], &all.v[i]);
		else
			p[n++] = all.v[i];
	}
	vec_free(&all);
	*ret_n = n;
	return p;
}

bool focus_is_anonymous(const struct focus *f, const struct piece *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct who *w = &f->who.v[p[i].who];
		if (w->unallocated)
			return false;
		for (int k = 0; k < OWNER_N; k++)
			if (w->field[k].n)
				return false;
	}
	return true;
}
