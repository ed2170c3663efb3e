/* See builder.h. */
#include "store/builder.h"

#include <stdlib.h>
#include <xxhash.h>

#include "base/tm.h"

void builder_free(struct builder *b)
{
	columns_free(&b->rows);
	free(b);
}

void builders_drop(struct telemetry *t)
{
	for (size_t i = 0; i < t->builder.n; i++)
		builder_free(t->builder.v[i]);
	vec_free(&t->builder);
	vec_free(&t->last);
	vec_free(&t->id);
	vec_free(&t->next);
	t->met = 0;
	vec_free(&t->series_hash);
	intern_free(&t->keys);
	free(t->slot);
	t->slot = NULL;
	t->nslot = 0;
	t->bytes = 0;
}

struct chunk_of {
	int64_t key, from_ms, span_ms, src;
};

static uint64_t hash_span(const struct chunk_of *s)
{
	return XXH3_64bits(s, sizeof *s);
}

static void slot_put(struct telemetry *t, struct builder *b)
{
	struct chunk_of s = { (int64_t)b->key, b->from_ms, b->span_ms, b->src };
	uint64_t h = hash_span(&s);

	while (t->slot[h & (t->nslot - 1)])
		h++;
	t->slot[h & (t->nslot - 1)] = b;
}

void builders_rehash(struct telemetry *t)
{
	size_t want = 64;

	while (want < t->builder.n * 2 + 2)
		want *= 2;
	free(t->slot);
	t->slot = xcalloc(want, sizeof *t->slot);
	t->nslot = want;
	for (size_t i = 0; i < t->builder.n; i++)
		slot_put(t, t->builder.v[i]);
}

static struct builder *find_builder(const struct telemetry *t, const struct chunk_of *s)
{
	struct builder *b;

	for (uint64_t h = hash_span(s); t->nslot && (b = t->slot[h & (t->nslot - 1)]); h++) {
		bool same_series = (int64_t)b->key == s->key && b->src == s->src;
		if (same_series && b->from_ms == s->from_ms && b->span_ms == s->span_ms)
			return b;
	}
	return NULL;
}

struct builder *builder_of(struct telemetry *t, size_t key, int64_t t_ms, int64_t step_ms,
			   int64_t src)
{
	/*
	 * How long the blocks are that samples of this step go into: a day of minutes, 6 hours of
	 * what is read every few seconds, else an hour. So a block has 1,440 to 5,400 rows: enough
	 * that what a chunk has beside its values weighs nothing, and no more than what an hour of
	 * seconds unpacks anyway.
	 */
	int64_t span_ms = MS_HOUR;
	if (step_ms >= 30 * MS_SECOND)
		span_ms = MS_DAY;
	else if (step_ms >= 4 * MS_SECOND)
		span_ms = 6 * MS_HOUR;
	struct builder *b = t->last.v[key];
	bool fits = b && b->src == src && b->span_ms == span_ms;

	if (fits && t_ms >= b->from_ms && t_ms < b->from_ms + span_ms)
		return b;
	struct chunk_of s = { (int64_t)key, tm_floor(t_ms, span_ms), span_ms, src };

	b = find_builder(t, &s);
	if (!b) {
		b = xcalloc(1, sizeof *b);
		b->key = key;
		b->from_ms = s.from_ms;
		b->span_ms = span_ms;
		b->src = src;
		t->bytes += sizeof *b;
		*vec_push(&t->builder) = b;
		if (t->builder.n * 2 > t->nslot)
			builders_rehash(t);
		else
			slot_put(t, b);
	}
	t->last.v[key] = b;
	return b;
}

void builder_add(struct telemetry *t, struct builder *b, const struct sample *v)
{
	size_t before = b->rows.bytes;

	columns_add(&b->rows, v);
	t->bytes += b->rows.bytes - before;
	b->touched = ++t->clock;
}
