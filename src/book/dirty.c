/* Which days of which scope an import has touched, and by what: these are posted again. */
#include <stdlib.h>

#include "book/in.h"

static uint32_t widen_span(struct dirty *d, uint32_t scope, int64_t from_ms, int64_t to_ms)
{
	struct span *s = &d->span[scope];

	if (from_ms < s->from_ms)
		s->from_ms = from_ms;
	if (to_ms > s->to_ms)
		s->to_ms = to_ms;
	return scope;
}

uint32_t dirty_mark_key(struct dirty *d, struct sv key, int64_t from_ms, int64_t to_ms)
{
	if (d->last >= d->scope.n || !sv_eq(d->scope.text[d->last], key)) {
		size_t before = d->scope.n;
		d->last = intern_add(&d->scope, key);
		if (d->scope.n > d->cap) {
			d->cap = d->cap ? d->cap * 2 : 64;
			d->span = xrealloc(d->span, d->cap * sizeof *d->span);
			d->by = xrealloc(d->by, d->cap * sizeof *d->by);
		}
		if (d->scope.n > before) { /* a new one starts with an empty span */
			d->span[d->last] = (struct span){ INT64_MAX, INT64_MIN };
			d->by[d->last] = 0;
		}
	}
	return widen_span(d, d->last, from_ms, to_ms);
}

uint32_t dirty_mark(struct dirty *d, const struct scope *scope, int64_t from_ms, int64_t to_ms)
{
	bool node = scope->kind == SCOPE_NODE;

	if (node && d->plain && sv_eq(d->scope.text[d->plain - 1], scope->name))
		return widen_span(d, d->plain - 1, from_ms, to_ms);
	str_clear(&d->key);
	scope_key(scope, &d->key);
	uint32_t id = dirty_mark_key(d, str_sv(&d->key), from_ms, to_ms);
	if (node && d->key.n == scope->name.n)
		d->plain = id + 1;
	return id;
}

uint32_t dirty_mark_node(struct dirty *d, struct sv node, int64_t from_ms, int64_t to_ms)
{
	struct scope s = scope_node(node);

	return dirty_mark(d, &s, from_ms, to_ms);
}

void dirty_by(struct dirty *d, uint32_t scope, unsigned by)
{
	d->by[scope] |= by;
}

void dirty_free(struct dirty *d)
{
	str_free(&d->key);
	intern_free(&d->scope);
	free(d->span);
	free(d->by);
}
