#ifndef TARE_BOOK_SETS_H
#define TARE_BOOK_SETS_H
/* Sets of machines that bills name by one id, and their nodes (sets.c). */
#include "base/err.h"
#include "ledger/join.h"
#include "store/store.h"

#define BOOK_SETS "book.sets" /* of the store's settings: the sets by which the ledger was posted */

struct book;
struct sets;

struct sets_from {                    /* nodes and resources as they were matched */
	const struct join_node *node; /* [nnode] */
	size_t nnode;
	const struct join_resource *res; /* [nres] by provider and id */
	const struct join_match *match;  /* [nres] */
	size_t nres;
};
/* By the facts in force, into b->sets: of each resource that `match` calls several. */
int sets_find(struct book *b, const struct sets_from *from, struct err *err);
/* Those by which the ledger was posted; and writes down those of this batch as such. */
int sets_stored(struct store *store, struct sets **ret, struct err *err);
int sets_store(struct book *b, struct err *err);
void sets_free(struct sets *s); /* NULL is fine */

bool sets_has(const struct sets *s, const char *key); /* NULL is fine */
size_t sets_count(const struct sets *s);
/* The scope's key of the set (i = 0) or of its i-th node (from 1); NULL behind the last. */
const char *sets_key(const struct sets *s, size_t set, size_t i);

/* What is touched of a set or of one of its nodes is touched of all of them, over whole charge
 * periods; all time of those that are not what they were. */
int sets_mark(struct book *b, struct err *err);
/* The lines of a scope as store_bill_gpu() has them, and of a set's machines their parts of its
 * lines; of the set what is left of them. */
int sets_lines(struct book *b, const struct scope_span *of, struct arena *mem,
	       struct bill_line **ret, size_t *ret_n, struct err *err);

#endif
