/* Queries whose rows become an array. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "store/duck/inside.h"

int duck_list(struct facts *f, struct duck_list *l, struct arena *a, void *ret, size_t *ret_n,
	      struct err *err)
{
	struct answer r;
	char *row = NULL;
	size_t nrow = 0, row_bytes = 0;
	VEC(int64_t) src = { 0 };
	int e = answer_open(&r, f->con, str_z(&l->sql), l->doing, l->stream, err,
			    text_if(l->param, "s"), l->scope);

	str_free(&l->sql);
	if (e)
		return e;
	while ((e = answer_next(&r, err)) > 0) {
		if ((nrow + 1) * l->size > row_bytes) {
			row_bytes = row_bytes ? row_bytes * 2 : 64 * l->size;
			row = xrealloc(row, row_bytes);
		}
		l->read(&r, a, row + nrow++ * l->size);
		if (l->src)
			*vec_push(&src) = answer_i64(&r, 0);
	}
	answer_close(&r);
	if (e == 0) {
		*ret_n = nrow;
		*(void **)ret = arena_copy(a, row, nrow, l->size);
		if (l->src)
			*l->src = arena_copy(a, src.v, src.n, sizeof *src.v);
	}
	vec_free(&src);
	free(row);
	return e;
}

void duck_read_span(const struct answer *r, struct arena *a, void *ret)
{
	struct sv scope = answer_text(r, 0, a);
	*(struct scope_span *)ret = (struct scope_span){ text_or(scope.p, ""), answer_i64(r, 1),
							 answer_null(r, 2) ? INT64_MAX
									   : answer_i64(r, 2) };
}

int duck_add_spans(struct facts *f, struct duck_list *l, struct arena *a, struct scope_span **io,
		   size_t *io_n, struct err *err)
{
	struct scope_span *more, *all;
	size_t n;
	int e = duck_list(f, l, a, &more, &n, err);

	if (e)
		return e;
	all = arena_alloc(a, (*io_n + n) * sizeof *all + 1);
	if (*io_n)
		memcpy(all, *io, *io_n * sizeof *all);
	if (n)
		memcpy(all + *io_n, more, n * sizeof *all);
	*io = all;
	*io_n += n;
	return 0;
}
