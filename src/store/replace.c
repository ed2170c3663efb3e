/* What a later import of the same source takes out of force: its files before, and the time that
 * they told of. Bills: line by line, bills.c. */
#include "store/inside.h"

int store_reverse_source(struct store *s, const char *kind, const char *source, struct arena *a,
			 struct scope_span **ret, size_t *ret_n, struct err *err)
{
	int64_t *src;
	size_t nsrc, n = 0;
	struct scope_span *span = arena_copy(a, NULL, 0, sizeof *span);
	if (!s->in_tx)
		return store_not_in_tx(err);
	int e = facts_files_of(s->facts, kind, source, a, &src, &nsrc, err);
	if (e == 0 && nsrc)
		e = facts_file_spans(s->facts, src, nsrc, a, &span, &n, err);
	if (e == 0 && nsrc)
		e = telemetry_spans(s, src, nsrc, a, &span, &n, err);
	if (e == 0)
		e = facts_reverse_files(s->facts, src, nsrc, err);
	store_forget_nodes(s);
	store_forget_ahead(s);
	if (e)
		return e;
	*ret = span;
	*ret_n = n;
	return (int)nsrc;
}
