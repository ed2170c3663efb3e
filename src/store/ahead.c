/* Allocations of several scopes, read together for who asks for one scope after another. */
#include "store/inside.h"

struct ahead {
	struct arena mem;
	struct intern scope;
	int64_t from_ms, to_ms;
	struct scoped_allocation *v; /* by scope */
	VEC(size_t) first, n;        /* [scope.n] */
};

void store_forget_ahead(struct store *s)
{
	struct ahead *h = s->ahead;

	s->ahead = NULL;
	if (!h)
		return;
	intern_free(&h->scope);
	vec_free(&h->first);
	vec_free(&h->n);
	arena_free(&h->mem);
	free(h);
}

int store_allocations_ahead(struct store *s, const char *const *scope, size_t n, int64_t from_ms,
			    int64_t to_ms, struct err *err)
{
	size_t nrow;

	store_forget_ahead(s);
	if (!n)
		return 0;
	struct ahead *h = s->ahead = xcalloc(1, sizeof *h);
	h->from_ms = from_ms;
	h->to_ms = to_ms;
	for (size_t i = 0; i < n; i++) {
		intern_add(&h->scope, sv_of(scope[i]));
		*vec_push(&h->first) = *vec_push(&h->n) = 0;
	}
	int r = facts_allocations_of(s->facts, scope, n, from_ms, to_ms, &h->mem, &h->v, &nrow,
				     err);
	if (r) {
		store_forget_ahead(s);
		return r;
	}
	/* Of each scope by itself what the newest file tells, as if it had been asked for alone. */
	int64_t *src = arena_alloc(&h->mem, (nrow + 1) * sizeof *src);
	for (size_t i = 0; i < nrow; i++)
		src[i] = h->v[i].src;
	for (size_t i = 0, to; i < nrow; i = to) {
		for (to = i; to < nrow && sv_eq(h->v[to].scope, h->v[i].scope);)
			to++;
		uint32_t id = intern_add(&h->scope, h->v[i].scope);
		h->first.v[id] = i;
		h->n.v[id] = newest_keep(h->v + i, to - i, sizeof *h->v, src + i,
					 store_allocation_key, store_allocation_end);
	}
	return 0;
}

bool store_ahead(const struct store *s, const char *scope, int64_t from_ms, int64_t to_ms,
		 struct arena *a, struct allocation **ret, size_t *ret_n)
{
	const struct ahead *h = s->ahead;
	int64_t id = h ? intern_find(&h->scope, sv_of(scope)) : -1;
	size_t k = 0;

	if (id < 0 || from_ms < h->from_ms || to_ms > h->to_ms)
		return false;
	const struct scoped_allocation *v = h->v + h->first.v[id];
	*ret = arena_alloc(a, h->n.v[id] * sizeof **ret + 1);
	for (size_t i = 0; i < h->n.v[id]; i++) {
		/* those of the time, as facts_allocations() has it */
		const struct allocation *x = &v[i].a;
		bool over = x->end_ms != UNKNOWN_MS && x->end_ms <= from_ms;
		if (x->start_ms == UNKNOWN_MS || x->start_ms >= to_ms)
			continue;
		if (!over || x->start_ms >= from_ms)
			(*ret)[k++] = *x;
	}
	*ret_n = k;
	return true;
}
