#ifndef TARE_BOOK_MIGRATE_H
#define TARE_BOOK_MIGRATE_H
/* The ledger of a store of older rules, made again. */
#include "book/book.h"

/*
 * Where the ledger was made by older rules (ledger/rules.h): everything is posted again from the
 * raw rows by these rules and the settings of opt, in one transaction on a copy of the facts that
 * then takes their place. Whatever fails or ends it before leaves the store as it was. opt->said is
 * told the sums before and after, by currency. Needs room for a second facts.duckdb. book_begin()
 * calls it.
 */
int book_migrate(struct store *s, const struct book_opt *opt, struct err *err);

#endif
