/* Queries whose rows become an array. */
#include <stdlib.h>

#include "store/inside.h"

int store_list(struct store *s, struct store_list *l, struct arena *a, void *ret, size_t *ret_n, struct err *err)
{
	struct answer r;
	VEC(char) out = { 0 };
	size_t n = 0;
	int e = answer_open(&r, s->con, str_z(&l->sql), l->doing, l->stream, err, l->param ? "s" : "", l->scope);

	str_free(&l->sql);
	if (e)
		return e;
	while ((e = answer_next(&r, err)) > 0) {
		if ((n + 1) * l->size > out.cap) {
			out.cap = out.cap ? out.cap * 2 : 64 * l->size;
			out.v = xrealloc(out.v, out.cap);
		}
		l->read(&r, a, out.v + n++ * l->size);
	}
	answer_close(&r);
	if (e == 0) {
		*(void **)ret = arena_copy(a, out.v, n, l->size);
		*ret_n = n;
	}
	free(out.v);
	return e;
}
