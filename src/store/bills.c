/* Lines of bills, in and out, and those that a newer bill takes the place of. */
#include "base/num.h"
#include "base/tm.h"
#include "store/inside.h"

int store_add_bill(struct store *s, int file, const char *scope, const struct bill_line *b,
		   struct err *err)
{
	if (!s->in_tx)
		return store_not_in_tx(err);
	store_forget_ahead(s);
	return facts_add_bill(s->facts, src_of(s->batch, file), scope, b, err);
}

int store_bill_set_scope(struct store *s, struct sv provider, struct sv resource_id,
			 const char *scope, struct err *err)
{
	if (!s->in_tx)
		return store_not_in_tx(err);
	store_forget_ahead(s);
	return facts_bill_set_scope(s->facts, provider, resource_id, scope, err);
}

int store_bill_gpu(struct store *s, const struct scope_span *of, struct arena *a,
		   struct bill_line **ret, size_t *ret_n, struct err *err)
{
	if (of->scope) {
		int r = store_ahead_lines(s, of, a, ret, ret_n, err);
		if (r)
			return min_int(r, 0);
	}
	return facts_bill_gpu(s->facts, of, a, ret, ret_n, err);
}

int store_bill_counts(struct store *s, struct span window, struct arena *a,
		      struct scope_count **ret, size_t *ret_n, struct err *err)
{
	return facts_bill_counts(s->facts, window, a, ret, ret_n, err);
}

int store_bill_scopes(struct store *s, struct arena *a, struct sv **ret, size_t *ret_n,
		      struct err *err)
{
	return facts_bill_scopes(s->facts, a, ret, ret_n, err);
}

int store_bill_cluster_tags(struct store *s, struct arena *a, struct bill_cluster_tags **ret,
			    size_t *ret_n, struct err *err)
{
	return facts_bill_cluster_tags(s->facts, a, ret, ret_n, err);
}

int store_bill_resources(struct store *s, struct arena *a, struct bill_resource **ret,
			 size_t *ret_n, struct err *err)
{
	return facts_bill_resources(s->facts, a, ret, ret_n, err);
}

int store_bill_untyped(struct store *s, struct arena *a, struct bill_untyped **ret, size_t *ret_n,
		       struct err *err)
{
	return facts_bill_untyped(s->facts, a, ret, ret_n, err);
}

int store_bill_move(struct store *s, const struct bill_move *move, struct arena *a,
		    struct bill_moved **ret, size_t *ret_n, struct err *err)
{
	if (!s->in_tx)
		return store_not_in_tx(err);
	store_forget_ahead(s);
	return facts_bill_move(s->facts, move, a, ret, ret_n, err);
}

int store_bill_lines(struct store *s, int64_t since_ms, int64_t until_ms,
		     int (*fn)(void *ctx, const struct bill_line *b, struct sv scope,
			       struct err *err),
		     void *ctx, struct err *err)
{
	return facts_bill_lines(s->facts, since_ms, until_ms, fn, ctx, err);
}

int store_bill_lines_of(struct store *s, int64_t src,
			int (*fn)(void *ctx, const struct bill_line *b, struct sv scope,
				  struct err *err),
			void *ctx, struct err *err)
{
	return facts_bill_lines_of(s->facts, src, fn, ctx, err);
}

int store_bill_totals(struct store *s, struct span window, struct arena *a, struct bill_total **ret,
		      size_t *ret_n, struct err *err)
{
	return facts_bill_totals(s->facts, window, a, ret, ret_n, err);
}

int store_data_span(struct store *s, int64_t *ret_from_ms, int64_t *ret_to_ms, struct err *err)
{
	int64_t from, to;
	int e = facts_ledger_span(s->facts, ret_from_ms, ret_to_ms, err);
	if (e || *ret_from_ms == UNKNOWN_MS)
		return e;
	/* the ledger's are whole hours, and so are a bill's: within them a line adds nothing */
	e = facts_bill_span(s->facts, *ret_from_ms, *ret_to_ms, &from, &to, err);
	if (e || from == UNKNOWN_MS)
		return e;
	from = tm_floor(from, MS_HOUR);
	to = tm_floor(to - 1, MS_HOUR) + MS_HOUR;
	*ret_from_ms = min_i64(from, *ret_from_ms);
	*ret_to_ms = max_i64(to, *ret_to_ms);
	return 0;
}

int store_seen_span(struct store *s, int64_t *ret_from_ms, int64_t *ret_to_ms, struct err *err)
{
	int64_t from = UNKNOWN_MS, to = UNKNOWN_MS, last = UNKNOWN_MS;
	int64_t bill_from = UNKNOWN_MS, bill_to = UNKNOWN_MS;
	int e = facts_gpu_span(s->facts, &from, &to, err);

	if (!e)
		e = facts_usage_span(s->facts, &bill_from, &bill_to, err);
	if (!e)
		e = facts_committed(s->facts, &last, err);
	if (e)
		return e;
	bool billed = bill_from != UNKNOWN_MS;
	if (billed && (from == UNKNOWN_MS || bill_from < from))
		from = tm_floor(bill_from, MS_HOUR);
	if (billed && (to == UNKNOWN_MS || bill_to > to))
		to = tm_floor(bill_to - 1, MS_HOUR) + MS_HOUR;
	if (last != UNKNOWN_MS && from != UNKNOWN_MS)
		to = min_i64(tm_floor(last - 1, MS_HOUR) + MS_HOUR, to);
	if (from == UNKNOWN_MS || from >= to)
		return store_data_span(s, ret_from_ms, ret_to_ms, err);
	*ret_from_ms = from;
	*ret_to_ms = to;
	return 0;
}

/* ---- bills that stand for others ---------------------------------------------------------- */

int store_bill_earlier(struct store *s, const struct bill_set *set, struct arena *a,
		       struct bill_earlier **ret, size_t *ret_n, struct err *err)
{
	return facts_bill_earlier(s->facts, set, a, ret, ret_n, err);
}

int store_bill_repeats(struct store *s, const struct bill_set *set, struct arena *a,
		       struct bill_repeat **ret, size_t *ret_n, struct err *err)
{
	if (!s->in_tx)
		return store_not_in_tx(err);
	return facts_bill_repeats(s->facts, set, a, ret, ret_n, err);
}

int store_bill_same(struct store *s, const struct bill_set *set, int64_t since_batch,
		    struct arena *a, struct bill_covers *ret, struct err *err)
{
	if (!s->in_tx)
		return store_not_in_tx(err);
	return facts_bill_same(s->facts, set, store_source(since_batch, 0), a, ret, err);
}

int store_bill_again(struct store *s, const struct bill_set *set, bool before, struct arena *a,
		     struct bill_agains *ret, struct err *err)
{
	if (!s->in_tx)
		return store_not_in_tx(err);
	return facts_bill_again(s->facts, set, before, a, ret, err);
}

int store_bill_retold(struct store *s, const struct bill_set *set, struct arena *a,
		      struct bill_retold **ret, size_t *ret_n, struct err *err)
{
	if (!s->in_tx)
		return store_not_in_tx(err);
	return facts_bill_retold(s->facts, set, a, ret, ret_n, err);
}

int store_bill_sides(struct store *s, const struct bill_set *set, struct arena *a,
		     struct bill_side **ret, size_t *ret_n, struct err *err)
{
	if (!s->in_tx)
		return store_not_in_tx(err);
	return facts_bill_sides(s->facts, set, a, ret, ret_n, err);
}

int64_t store_bill_join_sides(struct store *s, const struct bill_set *set, int64_t actual_src,
			      int64_t amortised_src, size_t k, struct err *err)
{
	if (!s->in_tx)
		return store_not_in_tx(err);
	return facts_bill_join_sides(s->facts, set, actual_src, amortised_src, k, err);
}

int64_t store_bill_take_back(struct store *s, const struct bill_set *set, int file, struct err *err)
{
	if (!s->in_tx)
		return store_not_in_tx(err);
	return facts_bill_take_back(s->facts, set, src_of(s->batch, file), err);
}

int store_bill_spans(struct store *s, struct arena *a, struct scope_spans *ret, struct err *err)
{
	if (!s->in_tx)
		return store_not_in_tx(err);
	return facts_bill_spans(s->facts, a, ret, err);
}

int store_bill_files(struct store *s, const struct bill_set *set, struct arena *a,
		     struct bill_files *ret, struct err *err)
{
	return facts_bill_files(s->facts, set, a, ret, err);
}

int store_bill_take_out(struct store *s, const struct bill_set *set, const struct bill_files *files,
			struct arena *a, struct scope_spans *ret, struct err *err)
{
	if (!s->in_tx)
		return store_not_in_tx(err);
	store_forget_nodes(s);
	store_forget_ahead(s);
	return facts_bill_take_out(s->facts, set, files, a, ret, err);
}
