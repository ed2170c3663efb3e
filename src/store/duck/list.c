/* Queries whose rows become an array. */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/str.h"
#include "store/duck/inside.h"

/* By group, each sorted by itself: no two texts of groups are compared. */
static void sort_groups(const struct duck_list *l, struct duck_row *row, size_t n)
{
	size_t *first = xcalloc(l->groups->n + 2, sizeof *first);
	uint32_t *of = xmalloc(n * sizeof *of + 1);
	struct duck_row *from = xmalloc(n * sizeof *from + 1);

	if (n)
		memcpy(from, row, n * sizeof *row);
	for (size_t i = 0; i < n; i++) {
		of[i] = (uint32_t)intern_find(l->groups, l->group(row[i].v));
		first[of[i] + 2]++;
	}
	for (size_t g = 2; g < l->groups->n + 2; g++)
		first[g] += first[g - 1];
	for (size_t i = 0; i < n; i++)
		row[first[of[i] + 1]++] = from[i];
	for (size_t g = 0; g < l->groups->n; g++)
		sort_items(row + first[g], first[g + 1] - first[g], sizeof *row, l->order);
	free(first);
	free(of);
	free(from);
}

/* The rows where they stand, each moved once. */
static void order_rows(const struct duck_list *l, struct duck_row *row, char *v, size_t n)
{
	char *kept = xmalloc(l->size);

	for (size_t i = 0; i < n; i++)
		row[i].v = v + i * l->size;
	if (n && l->groups)
		sort_groups(l, row, n);
	else if (n)
		sort_items(row, n, sizeof *row, l->order);
	for (size_t i = 0; i < n; i++) {
		char *first = v + i * l->size, *to = first;
		if (row[i].v == first)
			continue;
		memcpy(kept, first, l->size);
		for (size_t k = i; row[k].v != first;) {
			const char *from = row[k].v;
			memcpy(to, from, l->size);
			row[k].v = to;
			k = (size_t)(from - v) / l->size;
			to = v + k * l->size;
		}
		row[(size_t)(to - v) / l->size].v = to;
		memcpy(to, kept, l->size);
	}
	free(kept);
}

int duck_list(struct facts *f, struct duck_list *l, struct arena *a, void *ret, size_t *ret_n,
	      struct err *err)
{
	struct answer r;
	char *v = NULL;
	size_t n = 0, bytes = 0;
	VEC(struct duck_row) row = { 0 };
	int e = answer_open(&r, &(struct sql_query){ f->con, str_z(&l->sql), l->doing, l->stream },
			    err, text_if(l->param, "s"), l->scope);

	str_free(&l->sql);
	if (e)
		return e;
	r.ctx = l->ctx;
	if (l->order)
		answer_share(&r);
	while ((e = answer_next(&r, err)) > 0) {
		if ((n + 1) * l->size > bytes) {
			bytes = bytes ? bytes * 2 : 64 * l->size;
			v = arena_resize(a, v, bytes);
		}
		l->read(&r, a, v + n++ * l->size);
		if (l->src || l->order)
			*vec_push(&row) = (struct duck_row){ .src = answer_i64(&r, 0) };
	}
	answer_close(&r);
	if (e == 0) {
		*ret_n = n;
		if (l->order)
			order_rows(l, row.v, v, n);
		*(void **)ret = arena_resize(a, v, n * l->size + 1);
		if (l->src)
			*l->src = arena_alloc(a, n * sizeof **l->src + 1);
		for (size_t i = 0; l->src && i < n; i++)
			(*l->src)[i] = row.v[i].src;
	}
	vec_free(&row);
	return e;
}

void duck_read_count(const struct answer *r, struct arena *a, void *ret)
{
	*(struct scope_count *)ret = (struct scope_count){ answer_text(r, 0, a), answer_i64(r, 1) };
}

void duck_read_text(const struct answer *r, struct arena *a, void *ret)
{
	*(const char **)ret = answer_text(r, 0, a).p;
}

void duck_read_span(const struct answer *r, struct arena *a, void *ret)
{
	struct sv scope = answer_text(r, 0, a);
	*(struct scope_span *)ret = (struct scope_span){ text_or(scope.p, ""), answer_i64(r, 1),
							 answer_null(r, 2) ? INT64_MAX
									   : answer_i64(r, 2) };
}

int duck_add_spans(struct facts *f, struct duck_list *l, struct arena *a, struct scope_spans *io,
		   struct err *err)
{
	struct scope_span *all;
	struct scope_spans more;
	int e = duck_list(f, l, a, &more.v, &more.n, err);

	if (e)
		return e;
	all = arena_alloc(a, (io->n + more.n) * sizeof *all + 1);
	if (io->n)
		memcpy(all, io->v, io->n * sizeof *all);
	if (more.n)
		memcpy(all + io->n, more.v, more.n * sizeof *all);
	*io = (struct scope_spans){ all, io->n + more.n };
	return 0;
}
