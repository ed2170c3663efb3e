#ifndef TARE_BASE_MEM_H
#define TARE_BASE_MEM_H
/*
 * Memory. Small bookkeeping allocations go through xmalloc and friends, which print one line and
 * abort when the system has no memory: there is no sensible way on for them. Whatever grows with
 * input has a maximum or is streamed. Arenas group allocations by lifetime (a run, a request, a
 * poll).
 */
#include <stddef.h>
#include <stdlib.h> /* vec_free() */
#include "base/str.h"

void *xmalloc(size_t n);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xstrsv(struct sv v); /* {NULL,0} gives NULL */

/* Bump allocator; zero-initialise, free all at once. */
struct arena {
	struct arena_block *head;
	size_t used_bytes; /* handed out so far */
};
void *arena_alloc(struct arena *a, size_t n); /* 16-byte aligned, not zeroed */
void *arena_zalloc(struct arena *a, size_t n);
char *arena_strn(struct arena *a, const char *p, size_t n); /* terminated copy */
/* terminated copy; {NULL,0} gives NULL */
char *arena_sv(struct arena *a, struct sv v);
/* of a text that is not empty; NULL: it is */
static inline char *arena_filled(struct arena *a, struct sv v)
{
	return v.n ? arena_sv(a, v) : NULL;
}
/* a view of such a copy; {NULL,0} stays so */
static inline struct sv arena_keep(struct arena *a, struct sv v)
{
	return v.p ? (struct sv){ arena_strn(a, v.p, v.n), v.n } : v;
}
/*
 * A piece of n bytes that has grown, or shrunk to what it holds: p is what this gave before, NULL
 * at first. It has a block of its own, so nothing is copied into the arena that is there already.
 */
void *arena_resize(struct arena *a, void *p, size_t n);
/* of an array; never NULL, v may be where n is 0 */
void *arena_copy(struct arena *a, const void *v, size_t n, size_t size);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap);
void arena_free(struct arena *a); /* back to the zero state */

/*
 * Growing arrays of any type: a struct with members `T *v; size_t n, cap;`.
 *   VEC(struct foo) foos = {0}; *vec_push(&foos) = x; for (size_t i = 0; i < foos.n; i++) foos.v[i]
 *   ... vec_free(&foos);
 */
#define VEC(T)                 \
	struct {               \
		T *v;          \
		size_t n, cap; \
	}
#define vec_grow(a, extra) ((a)->v = vec_grow_((a)->v, (a)->n, &(a)->cap, (extra), sizeof *(a)->v))
#define vec_push(a)        (vec_grow((a), 1), &(a)->v[(a)->n++])
#define vec_clear(a)       ((a)->n = 0)
#define vec_free(a)        (free((a)->v), (a)->v = NULL, (a)->n = (a)->cap = 0)
void *vec_grow_(void *v, size_t n, size_t *cap, size_t extra, size_t size);

/*
 * Text -> number: each different text gets the next small number, from 0. The texts live as long as
 * the table. Hash table with open addressing over xxh3; O(1) expected.
 */
struct intern {
	struct arena texts;
	struct sv *text; /* [n], by number */
	uint32_t *slot;  /* [nslot] number + 1, 0 = free */
	uint64_t *hash;  /* [n] */
	size_t n, cap, nslot;
};
/* its number, new or old; {NULL,0} counts as "" */
uint32_t intern_add(struct intern *t, struct sv s);
int64_t intern_find(const struct intern *t, struct sv s); /* its number or -1 */
static inline const char *intern_z(const struct intern *t, uint32_t id)
{
	return t->text[id].p; /* terminated */
}
void intern_free(struct intern *t);

#endif
