#ifndef TARE_BOOK_MIGRATE_H
#define TARE_BOOK_MIGRATE_H
/* The ledger made again from what was imported: of older rules, or by other settings. */
#include "book/book.h"

/*
 * Where the ledger was made by older rules (ledger/rules.h): everything is posted again from the
 * raw rows by these rules and the settings of opt, in one transaction on a copy of the facts that
 * then takes their place. Whatever fails or ends it before leaves the store as it was. opt->said is
 * told the sums before and after, by currency. Needs room for a second facts.duckdb. book_begin()
 * calls it.
 */
int book_migrate(struct store *s, const struct book_opt *opt, struct err *err);
/* The same whatever rules it was made by: settings that act when the ledger is written, changed
 * since, hold for all of it then. No file is read, so how each was read stays. */
int book_repost(struct store *s, const struct book_opt *opt, struct err *err);

#endif
