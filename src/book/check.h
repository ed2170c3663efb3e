#ifndef TARE_BOOK_CHECK_H
#define TARE_BOOK_CHECK_H
/* Does the ledger close? store/check.h, told which nodes are closed in pools. */
#include "ledger/conf.h"
#include "store/check.h"

/*
 * The whole store, which is only read: io as in store_check_money(). Only of a ledger of these
 * rules (ledger/rules.h); -ESTALE for others.
 */
int book_check(struct store *s, const struct conf *conf, struct arena *a, struct check_diffs *io,
	       struct err *err);

#endif
