/* What a later import of the same source takes out of force: its files before, and the time that
 * they reported. Bills: line by line, bills.c. */
#include "store/inside.h"

static int spans_of(struct store *s, struct srcs of, struct arena *a, struct scope_spans *ret,
		    struct err *err)
{
	int e = 0;

	*ret = (struct scope_spans){ arena_copy(a, NULL, 0, sizeof *ret->v), 0 };
	if (of.n)
		e = facts_file_spans(s->facts, of, a, ret, err);
	if (e == 0 && of.n)
		e = telemetry_spans(s, of, a, ret, err);
	return e;
}

static int reverse_files(struct store *s, struct srcs of, struct arena *a, struct scope_spans *ret,
			 struct err *err)
{
	struct scope_spans span;
	int e = spans_of(s, of, a, &span, err);

	if (e == 0)
		e = facts_reverse_files(s->facts, of.v, of.n, err);
	store_forget_nodes(s);
	store_forget_ahead(s);
	if (e)
		return e;
	*ret = span;
	return (int)of.n;
}

int store_reverse_source(struct store *s, const char *kind, const char *source, struct arena *a,
			 struct scope_spans *ret, struct err *err)
{
	struct srcs of;

	if (!s->in_tx)
		return store_not_in_tx(err);
	int e = facts_files_of(s->facts, kind, source, a, &of, err);
	if (e)
		return e;
	return reverse_files(s, of, a, ret, err);
}

int store_reverse_file(struct store *s, int64_t src, struct arena *a, struct scope_spans *ret,
		       struct err *err)
{
	if (!s->in_tx)
		return store_not_in_tx(err);
	int e = requests_flush(s, err);
	if (e)
		return e;
	return reverse_files(s, (struct srcs){ &src, 1 }, a, ret, err);
}

int store_imported(struct store *s, struct arena *a, struct imported_file **ret, size_t *ret_n,
		   struct err *err)
{
	return facts_imported(s->facts, a, ret, ret_n, err);
}

int store_imported_rows(struct store *s, struct imported_file *f, size_t n, struct err *err)
{
	return facts_imported_rows(s->facts, f, n, err);
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
			 struct scope_spans *ret, int *ret_left, struct err *err)
{
	struct srcs all, within, of = { 0 };

	if (!s->in_tx)
		return store_not_in_tx(err);
	int e = requests_flush(s, err);
	if (e == 0)
		e = facts_files_of(s->facts, q->kind, q->source, a, &all, err);
	if (e == 0)
		e = facts_files_within(s->facts, q, a, &within, err);
	if (e == 0)
		of.v = within.v;
	for (size_t i = 0; e == 0 && i < within.n; i++) {
		/* Does the file tell of one of these scopes, or of none? */
		struct scope_spans span = { 0 };
		e = spans_of(s, (struct srcs){ &within.v[i], 1 }, a, &span, err);
		bool shares = !span.n;
		for (size_t k = 0; e == 0 && k < span.n && !shares; k++)
			shares = intern_find(q->scope, sv_of(span.v[k].scope)) >= 0;
		if (e == 0 && shares)
			of.v[of.n++] = within.v[i];
	}
	if (e)
		return e;
	*ret_left = (int)(all.n - of.n);
	return reverse_files(s, of, a, ret, err);
}

int store_files_elsewhere(struct store *s, const struct batch_file *like, struct arena *a,
			  const char ***ret, size_t *ret_n, struct err *err)
{
	return facts_files_elsewhere(s->facts, like, a, ret, ret_n, err);
}
