/* See builder.h. */
#include "store/builder.h"

#include <math.h>
#include <stdlib.h>
#include <xxhash.h>

void builder_free(struct builder *b)
{
	free(b->t);
	free(b->step);
	for (int m = 0; m < METRIC_N; m++)
		free(b->v[m]);
	free(b);
}

void builders_drop(struct telemetry *t)
{
	for (size_t i = 0; i < t->builder.n; i++)
		builder_free(t->builder.v[i]);
	vec_free(&t->builder);
	vec_free(&t->last);
	vec_free(&t->id);
	vec_free(&t->series_hash);
	intern_free(&t->keys);
	free(t->slot);
	t->slot = NULL;
	t->nslot = 0;
	t->bytes = 0;
}

static uint64_t slot_hash(size_t key, int64_t hour_ms, int64_t src)
{
	const int64_t w[3] = { (int64_t)key, hour_ms, src };
	return XXH3_64bits(w, sizeof w);
}

static void slot_put(struct telemetry *t, struct builder *b)
{
	uint64_t h = slot_hash(b->key, b->hour_ms, b->src);
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

struct builder *builder_of(struct telemetry *t, size_t key, int64_t hour_ms, int64_t src)
{
	struct builder *b = t->last.v[key];
	if (b && b->hour_ms == hour_ms && b->src == src)
		return b;
	for (uint64_t h = slot_hash(key, hour_ms, src);
	     t->nslot && (b = t->slot[h & (t->nslot - 1)]); h++)
		if (b->key == key && b->hour_ms == hour_ms && b->src == src)
			return t->last.v[key] = b;
	b = xcalloc(1, sizeof *b);
	b->key = key;
	b->hour_ms = hour_ms;
	b->src = src;
	t->bytes += sizeof *b;
	*vec_push(&t->builder) = b;
	if (t->builder.n * 2 > t->nslot)
		builders_rehash(t);
	else
		slot_put(t, b);
	return t->last.v[key] = b;
}

static void widen(struct telemetry *t, struct builder *b)
{
	size_t cap = b->cap ? b->cap * 2 : 64, columns = 2;
	b->t = xrealloc(b->t, cap * sizeof *b->t);
	b->step = xrealloc(b->step, cap * sizeof *b->step);
	for (int m = 0; m < METRIC_N; m++)
		if (b->v[m]) {
			b->v[m] = xrealloc(b->v[m], cap * sizeof *b->v[m]);
			columns++;
		}
	t->bytes += (cap - b->cap) * columns * 8;
	b->cap = cap;
}

void builder_add(struct telemetry *t, struct builder *b, const struct sample *v)
{
	size_t i = b->n;
	if (i == b->cap)
		widen(t, b);
	b->t[i] = v->t_ms;
	b->step[i] = v->step_ms;
	for (int m = 0; m < METRIC_N; m++) {
		if (!b->v[m]) {
			if (isnan(v->value[m]))
				continue;
			b->v[m] = xmalloc(b->cap * sizeof *b->v[m]);
			t->bytes += b->cap * sizeof *b->v[m];
			for (size_t k = 0; k < i; k++)
				b->v[m][k] = NAN;
		}
		b->v[m][i] = v->value[m];
	}
	b->disorder |= i && v->t_ms <= b->t[i - 1];
	b->n++;
	b->touched = ++t->clock;
}

struct at {
	int64_t t;
	size_t i;
};

static int cmp_at(const void *a, const void *b)
{
	const struct at *x = a, *y = b;
	if (x->t != y->t)
		return x->t < y->t ? -1 : 1;
	return x->i < y->i ? -1 : x->i > y->i;
}

void builder_put_in_order(struct builder *b)
{
	struct at *at = xmalloc(b->n * sizeof *at);
	int64_t *t = xmalloc(b->cap * sizeof *t), *step = xmalloc(b->cap * sizeof *step);
	double *v[METRIC_N] = { NULL };
	size_t n = 0;
	for (size_t i = 0; i < b->n; i++)
		at[i] = (struct at){ b->t[i], i };
	qsort(at, b->n, sizeof *at, cmp_at);
	for (int m = 0; m < METRIC_N; m++)
		v[m] = b->v[m] ? xmalloc(b->cap * sizeof *v[m]) : NULL;
	for (size_t i = 0; i < b->n; i++) {
		bool same = n && t[n - 1] == at[i].t;
		size_t to = same ? n - 1 : n++;
		t[to] = at[i].t;
		step[to] = b->step[at[i].i];
		for (int m = 0; m < METRIC_N; m++)
			if (v[m] && (!same || !isnan(b->v[m][at[i].i])))
				v[m][to] = b->v[m][at[i].i];
	}
	free(at);
	free(b->t);
	free(b->step);
	b->t = t;
	b->step = step;
	for (int m = 0; m < METRIC_N; m++) {
		free(b->v[m]);
		b->v[m] = v[m];
	}
	b->n = n;
	b->disorder = false;
}
