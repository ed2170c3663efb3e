#include "base/mem.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <xxhash.h>

static void *check_alloc(void *p, size_t n)
{
	if (!p) {
		fprintf(stderr, "tare: out of memory (%zu bytes wanted)\n", n);
		abort();
	}
	return p;
}

void *xmalloc(size_t n)
{
	return check_alloc(malloc(n ? n : 1), n);
}

void *xcalloc(size_t n, size_t size)
{
	return check_alloc(calloc(n ? n : 1, size ? size : 1), n);
}

void *xrealloc(void *p, size_t n)
{
	return check_alloc(realloc(p, n ? n : 1), n);
}

char *xstrndup(const char *s, size_t n)
{
	char *p = xmalloc(n + 1);
	if (n)
		memcpy(p, s, n);
	p[n] = 0;
	return p;
}

char *xstrdup(const char *s)
{
	return xstrndup(s, strlen(s));
}

char *xstrsv(struct sv v)
{
	if (v.p)
		return xstrndup(v.p, v.n);
	return NULL;
}

struct arena_block {
	struct arena_block *next;
	size_t n, cap;
	_Alignas(16) char data[];
};

#define ARENA_FIRST_BYTES ((size_t)4096)
/* blocks double up to here, so that small arenas stay small */
#define ARENA_MAX_BYTES ((size_t)1 << 20)

static struct arena_block *new_block(struct arena *a, size_t n)
{
	size_t cap = ARENA_FIRST_BYTES;
	if (a->head)
		cap = a->head->cap * 2;
	if (cap > ARENA_MAX_BYTES)
		cap = ARENA_MAX_BYTES;
	if (cap < n)
		cap = n;
	struct arena_block *b = xmalloc(sizeof *b + cap);
	b->n = 0;
	b->cap = cap;
	if (a->head && n > ARENA_MAX_BYTES / 4) {
		/* a large piece goes behind: the room left in the head stays usable */
		b->next = a->head->next;
		a->head->next = b;
	} else {
		b->next = a->head;
		a->head = b;
	}
	return b;
}

void *arena_alloc(struct arena *a, size_t n)
{
	assert(n < SIZE_MAX / 4);
	n = (n + 15) & ~(size_t)15;
	struct arena_block *b = a->head;
	if (!b || b->cap - b->n < n)
		b = new_block(a, n);
	void *p = b->data + b->n;
	b->n += n;
	a->used_bytes += n;
	return p;
}

void *arena_resize(struct arena *a, void *p, size_t n)
{
	struct arena_block **at = &a->head;
	assert(n < SIZE_MAX / 4);
	while (p && (*at)->data != (char *)p)
		at = &(*at)->next;
	/* a new one goes behind the head, whose room stays usable */
	if (!p && a->head)
		at = &a->head->next;
	struct arena_block *b = xrealloc(p ? *at : NULL, sizeof *b + n);
	if (p)
		a->used_bytes -= b->n;
	else
		b->next = *at;
	b->n = b->cap = n;
	a->used_bytes += n;
	*at = b;
	return b->data;
}

void *arena_zalloc(struct arena *a, size_t n)
{
	void *p = arena_alloc(a, n);
	if (n)
		return memset(p, 0, n);
	return p;
}

char *arena_strn(struct arena *a, const char *p, size_t n)
{
	char *z = arena_alloc(a, n + 1);
	if (n)
		memcpy(z, p, n);
	z[n] = 0;
	return z;
}

char *arena_sv(struct arena *a, struct sv v)
{
	if (v.p)
		return arena_strn(a, v.p, v.n);
	return NULL;
}

void *arena_copy(struct arena *a, const void *v, size_t n, size_t size)
{
	void *p = arena_alloc(a, n * size + 1);
	if (n)
		memcpy(p, v, n * size);
	return p;
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	va_list again;
	va_copy(again, ap);
	char some[256];
	int n = vsnprintf(some, sizeof some, fmt, ap);
	assert(n >= 0);
	char *z = arena_alloc(a, (size_t)n + 1);
	if ((size_t)n < sizeof some)
		memcpy(z, some, (size_t)n + 1);
	else
		vsnprintf(z, (size_t)n + 1, fmt, again);
	va_end(again);
	return z;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *z = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return z;
}

void arena_free(struct arena *a)
{
	for (struct arena_block *b = a->head, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	*a = (struct arena){ 0 };
}

void *vec_grow_(void *v, size_t n, size_t *cap, size_t extra, size_t size)
{
	if (extra <= *cap - n)
		return v;
	size_t want = 8;
	if (*cap)
		want = *cap * 2;
	if (want < n + extra)
		want = n + extra;
	assert(want <= SIZE_MAX / 2 / size);
	v = xrealloc(v, want * size);
	*cap = want;
	return v;
}

/* Slot where the text is or would go. The table is never full. */
static size_t find_slot(const struct intern *t, struct sv s, uint64_t hash)
{
	size_t i = hash & (t->nslot - 1);
	for (; t->slot[i]; i = (i + 1) & (t->nslot - 1)) {
		uint32_t id = t->slot[i] - 1;
		if (t->hash[id] == hash && sv_eq(t->text[id], s))
			break;
	}
	return i;
}

static uint64_t hash_of(struct sv s)
{
	return XXH3_64bits(s.n ? s.p : "", s.n);
}

uint32_t intern_add(struct intern *t, struct sv s)
{
	if ((t->n + 1) * 2 > t->nslot) {
		t->nslot = t->nslot ? t->nslot * 2 : 64;
		free(t->slot);
		t->slot = xcalloc(t->nslot, sizeof *t->slot);
		for (size_t id = 0; id < t->n; id++) {
			size_t k = t->hash[id] & (t->nslot - 1);
			while (t->slot[k])
				k = (k + 1) & (t->nslot - 1);
			t->slot[k] = (uint32_t)id + 1;
		}
	}
	uint64_t hash = hash_of(s);
	size_t i = find_slot(t, s, hash);
	if (t->slot[i])
		return t->slot[i] - 1;
	assert(t->n < UINT32_MAX - 1);
	if (t->n == t->cap) {
		t->cap = t->cap ? t->cap * 2 : 32;
		t->text = xrealloc(t->text, t->cap * sizeof *t->text);
		t->hash = xrealloc(t->hash, t->cap * sizeof *t->hash);
	}
	t->text[t->n] = (struct sv){ arena_strn(&t->texts, s.p, s.n), s.n };
	t->hash[t->n] = hash;
	t->slot[i] = (uint32_t)++t->n;
	return (uint32_t)t->n - 1;
}

int64_t intern_find(const struct intern *t, struct sv s)
{
	if (!t->n)
		return -1;
	size_t i = find_slot(t, s, hash_of(s));
	if (t->slot[i])
		return (int64_t)t->slot[i] - 1;
	return -1;
}

void intern_free(struct intern *t)
{
	arena_free(&t->texts);
	free(t->text);
	free(t->slot);
	free(t->hash);
	*t = (struct intern){ 0 };
}
