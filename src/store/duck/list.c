/* Queries whose rows become an array; of things that several imports tell of, the newest import's
 * rows. */
#include <stdlib.h>

#include "store/inside.h"

/*
 * Exports overlap: yesterday's job list has the job that ran, today's the same job as it ended.
 * Rows of different files with the same key are one thing, told by the newest; rows of one file are
 * all kept, however alike.
 */
struct newest {
	struct intern keys;
	VEC(int64_t) src;  /* [key] newest */
	VEC(uint32_t) row; /* [row] its key */
	VEC(int64_t) row_src;
};

static void newest_add(struct newest *n, const struct str *key, int64_t src)
{
	uint32_t id = intern_add(&n->keys, str_sv(key));
	if (id == n->src.n)
		*vec_push(&n->src) = src;
	else if (n->src.v[id] < src)
		n->src.v[id] = src;
	*vec_push(&n->row) = id;
	*vec_push(&n->row_src) = src;
}

static bool newest_keeps(const struct newest *n, size_t row)
{
	return n->row_src.v[row] == n->src.v[n->row.v[row]];
}

static void newest_free(struct newest *n)
{
	intern_free(&n->keys);
	vec_free(&n->src);
	vec_free(&n->row);
	vec_free(&n->row_src);
}

/* Keep the rows that the newest file tells, in place; returns how many. */
static size_t keep_newest(const struct newest *n, void *rows, size_t nrow, size_t size)
{
	size_t out = 0;
	for (size_t i = 0; i < nrow; i++)
		if (newest_keeps(n, i)) {
			if (out != i)
				memcpy((char *)rows + out * size, (char *)rows + i * size, size);
			out++;
		}
	return out;
}

/* ---- the list ---------------------------------------------------------------------------- */

struct rows {
	char *v;
	size_t n, cap;
}; /* cap: bytes */

static void *row_more(struct rows *rows, size_t size)
{
	if ((rows->n + 1) * size > rows->cap) {
		rows->cap = rows->cap ? rows->cap * 2 : 64 * size;
		rows->v = xrealloc(rows->v, rows->cap);
	}
	return rows->v + rows->n++ * size;
}

int store_list(struct store *s, struct store_list *l, struct arena *a, void *ret, size_t *ret_n,
	       struct err *err)
{
	struct answer r;
	struct rows out = { 0 };
	struct newest newest = { 0 };
	struct str key = { 0 };
	int e = answer_open(&r, s->con, str_z(&l->sql), l->doing, l->stream, err,
			    l->param ? "s" : "", l->scope);

	str_free(&l->sql);
	if (e)
		return e;
	while ((e = answer_next(&r, err)) > 0) {
		void *row = row_more(&out, l->size);
		l->read(&r, a, row);
		if (!l->key)
			continue;
		str_clear(&key);
		l->key(&key, row);
		newest_add(&newest, &key, answer_i64(&r, 0));
	}
	answer_close(&r);
	if (e == 0) {
		*ret_n = l->key ? keep_newest(&newest, out.v, out.n, l->size) : out.n;
		*(void **)ret = arena_copy(a, out.v, *ret_n, l->size);
	}
	newest_free(&newest);
	str_free(&key);
	free(out.v);
	return e;
}
