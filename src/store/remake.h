#ifndef TARE_STORE_REMAKE_H
#define TARE_STORE_REMAKE_H
/*
 * A ledger of older rules is made again from the raw rows, on a copy of the facts that takes the
 * place of the old ones when it is whole (remake.c). In this order, with a batch of store_begin()
 * and store_commit() in the middle:
 *
 *   store_remake_begin()   the copy, with today's schema, is what the store's functions work on
 *   store_begin()
 *   store_remake_clear()   nothing is posted any more, and no bill line is there
 *   store_remake_bills()   the bill lines again, each with the scope that today's rules give it
 *   ...                    the caller posts all of it
 *   store_commit()
 *   store_remake_end()     the copy is the store
 *
 * store_remake_drop() at any time: the store is as it was, and open.
 */
#include "store/store.h"

int store_remake_begin(struct store *s, struct err *err);
int store_remake_clear(struct store *s, struct err *err);
/* Where a line belongs: *ret_scope, "" = no machine's time; texts valid until the next call. src:
 * of its file (store_source()). Lines come file by file, also those that are out of force. */
typedef int store_route_fn(void *ctx, int64_t src, bool in_force, const struct bill_line *l,
			   const char **ret_scope, struct err *err);
int store_remake_bills(struct store *s, store_route_fn *route, void *ctx, struct err *err);
int store_remake_end(struct store *s, int64_t now_ms, const char *command, struct err *err);
void store_remake_drop(struct store *s);

/* Scopes of jobs in force and all the time they held something; to_ms INT64_MAX: still. */
int store_allocation_spans(struct store *s, struct arena *a, struct scope_spans *ret,
			   struct err *err);

struct ledger_sum {
	struct sv currency;
	__int128 gpu_ms, nano[BASIS_N];
};
/* What all entries add up to, by currency. */
int store_ledger_sums(struct store *s, struct arena *a, struct ledger_sum **ret, size_t *ret_n,
		      struct err *err);

#endif
