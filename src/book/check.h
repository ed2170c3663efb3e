#ifndef TARE_BOOK_CHECK_H
#define TARE_BOOK_CHECK_H
/* Does the ledger close? store/check.h, told which nodes are closed in pools. */
#include "ledger/conf.h"
#include "store/check.h"

/*
 * The whole store, which is only read: the first `most` differences are appended to *ret (texts in
 * a), *ret_n counts all. Only of a ledger of these rules (ledger/rules.h); -ESTALE for others.
 */
int book_check(struct store *s, const struct conf *conf, size_t most, struct arena *a,
	       check_diffs *ret, size_t *ret_n, struct err *err);

#endif
