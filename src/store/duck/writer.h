#ifndef TARE_STORE_DUCK_WRITER_H
#define TARE_STORE_DUCK_WRITER_H
/*
 * Large imports: slabs go to a thread that runs INSERT ... SELECT * FROM <slabs>, where the slabs
 * come out of a table function. So DuckDB compresses while the caller parses on, in the caller's
 * own transaction. One thread of DuckDB's is enough, as the caller is one too and has more to do;
 * each would have a row group in memory that is not compressed yet, 80 MB of a bill.
 *
 * A connection runs one statement at a time. A statement ends when it has written some row groups,
 * or when it has run dry and there is much for other tables; then the table with the most is next.
 *
 * The connection belongs to the writer from lane_push() to writer_quiet(): call that before any
 * other use of it.
 */
#include "base/err.h"
#include "store/duck/slab.h"

struct writer;
struct lane; /* a table being written to */

struct writer *writer_new(duckdb_connection con);
/* Drops what is under way; the caller rolls back. */
void writer_free(struct writer *w);
/* The connection is free until the next lane_push(), and everything given to lane l (may be NULL)
 * is in its table. w may be NULL. */
int writer_quiet(struct writer *w, const struct lane *l, struct err *err);

/* The connection must be free. types as in slab.h. The lane belongs to the writer. */
int writer_lane(struct writer *w, const char *table, const char *types, struct lane **ret,
		struct err *err);
/* Gives the slab away and gets an empty one for it; waits when much is under way. On failure *slab
 * stays. */
int lane_push(struct lane *l, struct slab **slab, struct err *err);

#endif
