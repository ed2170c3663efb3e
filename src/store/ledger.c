/* The ledger, in and out. */
#include <errno.h>

#include "base/jscan.h"
#include "base/num.h"
#include "store/inside.h"
#include "store/sources.h"

int store_add_entry(struct store *s, const struct entry *e, struct err *err)
{
	if (!s->in_tx)
		return store_not_in_tx(err);
	/* Tags are asked by key later, in the engine: what is no JSON object must not get in. */
	struct sv tags = e->owner.tags;
	if (tags.n && intern_find(&s->tags, tags) < 0) {
		if (!jscan_is_object(tags))
			return err_set(err, -EINVAL,
				       "the tags of an entry are no JSON object: %.*s",
				       (int)min_size(tags.n, 200), tags.p);
		/* many different texts: start over rather than grow without end */
		if (s->tags.n > 100000)
			intern_free(&s->tags);
		intern_add(&s->tags, tags);
	}
	return facts_add_entry(s->facts, e, err);
}

int store_add_remainder(struct store *s, const struct remainder *r, struct err *err)
{
	if (s->in_tx)
		return facts_add_remainder(s->facts, r, err);
	return store_not_in_tx(err);
}

int store_add_paid(struct store *s, const struct paid_span *p, struct err *err)
{
	if (s->in_tx)
		return facts_add_paid(s->facts, p, err);
	return store_not_in_tx(err);
}

int store_reverse_scope(struct store *s, const char *scope, int64_t from_ms, int64_t to_ms,
			struct err *err)
{
	if (!s->in_tx)
		return store_not_in_tx(err);
	return facts_reverse_scope(s->facts, scope, from_ms, to_ms, err);
}

void store_watch(struct store *s, void (*fn)(void *ctx, int64_t done, int64_t of), void *ctx)
{
	facts_watch(s->facts, fn, ctx);
}

int store_set_rules(struct store *s, int rules, struct err *err)
{
	if (s->in_tx)
		return facts_set_rules(s->facts, rules, err);
	return store_not_in_tx(err);
}

int store_rules(struct store *s, int *ret, struct err *err)
{
	return facts_rules(s->facts, ret, err);
}

int store_ledger(struct store *s, const struct ledger_query *q, struct arena *a,
		 struct ledger_row **ret, size_t *ret_n, struct err *err)
{
	return facts_ledger(s->facts, q, a, ret, ret_n, err);
}

int store_ledger_sql(const struct ledger_query *q, struct str *ret, struct err *err)
{
	return facts_ledger_sql(q, ret, err);
}

int store_committed(struct store *s, int64_t *ret_ms, struct err *err)
{
	return facts_committed(s->facts, ret_ms, err);
}

int store_ledger_span(struct store *s, int64_t *ret_from_ms, int64_t *ret_to_ms, struct err *err)
{
	return facts_ledger_span(s->facts, ret_from_ms, ret_to_ms, err);
}

int store_ledger_sums(struct store *s, struct arena *a, struct ledger_sum **ret, size_t *ret_n,
		      struct err *err)
{
	return facts_ledger_sums(s->facts, a, ret, ret_n, err);
}

int store_remainders(struct store *s, struct span window, struct arena *a, struct remainder **ret,
		     size_t *ret_n, struct err *err)
{
	return facts_remainders(s->facts, window, a, ret, ret_n, err);
}

int store_unnamed_gpu(struct store *s, struct arena *a, struct unnamed_gpu **ret, size_t *ret_n,
		      struct err *err)
{
	return facts_unnamed_gpu(s->facts, a, ret, ret_n, err);
}

int store_gpu_sources(struct store *s, struct arena *a, struct gpu_source **ret, size_t *ret_n,
		      struct err *err)
{
	return facts_gpu_sources(s->facts, a, ret, ret_n, err);
}

int store_account_names(struct store *s, struct arena *a, struct account_name **ret, size_t *ret_n,
			struct err *err)
{
	return facts_account_names(s->facts, a, ret, ret_n, err);
}

int store_entries(struct store *s, int64_t since_ms, int64_t until_ms,
		  int (*fn)(void *ctx, const struct entry *e, struct err *err), void *ctx,
		  struct err *err)
{
	return facts_entries(s->facts, since_ms, until_ms, fn, ctx, err);
}
