/* What a later import of the same source takes out of force: its files before, and the time that
 * they reported. Bills: line by line, bills.c. */
#include "store/inside.h"

static int spans_of(struct store *s, const int64_t *src, size_t nsrc, struct arena *a,
		    struct scope_span **ret, size_t *ret_n, struct err *err)
{
	int e = 0;

	*ret = arena_copy(a, NULL, 0, sizeof **ret);
	*ret_n = 0;
	if (nsrc)
		e = facts_file_spans(s->facts, src, nsrc, a, ret, ret_n, err);
	if (e == 0 && nsrc)
		e = telemetry_spans(s, src, nsrc, a, ret, ret_n, err);
	return e;
}

static int reverse_files(struct store *s, const int64_t *src, size_t nsrc, struct arena *a,
			 struct scope_span **ret, size_t *ret_n, struct err *err)
{
	struct scope_span *span;
	size_t n;
	int e = spans_of(s, src, nsrc, a, &span, &n, err);

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

int store_reverse_source(struct store *s, const char *kind, const char *source, struct arena *a,
			 struct scope_span **ret, size_t *ret_n, struct err *err)
{
	int64_t *src;
	size_t nsrc;

	if (!s->in_tx)
		return store_not_in_tx(err);
	int e = facts_files_of(s->facts, kind, source, a, &src, &nsrc, err);
	if (e)
		return e;
	return reverse_files(s, src, nsrc, a, ret, ret_n, err);
}

int store_reverse_file(struct store *s, int64_t src, struct arena *a, struct scope_span **ret,
		       size_t *ret_n, struct err *err)
{
	if (!s->in_tx)
		return store_not_in_tx(err);
	int e = requests_flush(s, err);
	if (e)
		return e;
	return reverse_files(s, &src, 1, a, ret, ret_n, err);
}

int store_imported(struct store *s, struct arena *a, struct imported_file **ret, size_t *ret_n,
		   struct err *err)
{
	return facts_imported(s->facts, a, ret, ret_n, err);
}

int store_taken_by(struct store *s, int64_t batch, struct arena *a, int64_t **ret, size_t *ret_n,
		   struct err *err)
{
	return facts_taken_by(s->facts, batch, a, ret, ret_n, err);
}

int store_bill_undo(struct store *s, const struct bill_undo_ask *q, struct arena *a,
		    struct bill_undo **ret, size_t *ret_n, struct err *err)
{
	return facts_bill_undo(s->facts, q, a, ret, ret_n, err);
}

int store_reverse_retold(struct store *s, const struct store_retold *q, struct arena *a,
			 struct scope_span **ret, size_t *ret_n, int *ret_left, struct err *err)
{
	int64_t *all, *src;
	size_t nall, nsrc, n = 0;

	if (!s->in_tx)
		return store_not_in_tx(err);
	int e = requests_flush(s, err);
	if (e == 0)
		e = facts_files_of(s->facts, q->kind, q->source, a, &all, &nall, err);
	if (e == 0)
		e = facts_files_within(s->facts, q, a, &src, &nsrc, err);
	for (size_t i = 0; e == 0 && i < nsrc; i++) {
		/* Does the file tell of one of these scopes, or of none? */
		struct scope_span *span;
		size_t nspan = 0;
		e = spans_of(s, &src[i], 1, a, &span, &nspan, err);
		bool shares = !nspan;
		for (size_t k = 0; e == 0 && k < nspan && !shares; k++)
			shares = intern_find(q->scope, sv_of(span[k].scope)) >= 0;
		if (e == 0 && shares)
			src[n++] = src[i];
	}
	if (e)
		return e;
	*ret_left = (int)(nall - n);
	return reverse_files(s, src, n, a, ret, ret_n, err);
}

int store_files_elsewhere(struct store *s, const char *kind, const char *name, const char *source,
			  struct arena *a, const char ***ret, size_t *ret_n, struct err *err)
{
	return facts_files_elsewhere(s->facts, kind, name, source, a, ret, ret_n, err);
}
