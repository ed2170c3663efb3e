#ifndef TARE_STORE_INSIDE_H
#define TARE_STORE_INSIDE_H
/* What the files of this folder share of a store. */
#include "store/bulk.h"
#include "store/schema.h"
#include "store/sql.h"
#include "store/store.h"
#include "store/writer.h"

#define SRC_FILE_BITS 20 /* files in a batch: about a million */
static inline int64_t src_of(int64_t batch, int file)
{
	return batch << SRC_FILE_BITS | file;
}

struct telemetry;  /* telemetry.c */
struct requests;   /* requests.c */
struct reversals;  /* ledger.c */
struct node_cache; /*
 * The rows of a query as an array in the arena: sql is run (and freed) with `scope` as $1, where `param` (NULL = NULL); read() makes an element of
 * `size` bytes of each row. stream: as in answer_open().
 */
struct store_list {
	struct str sql;
	const char *doing, *scope;
	bool param, stream;
	size_t size;
	void (*read)(const struct answer *r, struct arena *a, void *ret);
	/* Which thing a row tells of, appended to key, where imports overlap; column 0 is then the row's src, and older imports' rows of a thing are left out. NULL: every row. */
	void (*key)(struct str *key, const void *row);
};
int store_list(struct store *s, struct store_list *l, struct arena *a, void *ret, size_t *ret_n,
	       struct err *err);

/* facts.c */

struct store {
	char *dir, *command;
	enum store_mode mode;
	int lock_fd; /* -1 */
	duckdb_database db;
	duckdb_connection con;
	bool in_tx;
	int64_t batch;      /* of the transaction */
	int64_t last_batch; /* committed; -1 = not asked yet, see store_last_batch() */
	struct bulk *bulk[T_N];
	struct writer *writer; /* of large imports; owns con while rows are under way */
	/* src of the files out of force, sorted; loaded when first asked for. */
	VEC(int64_t) reversed;
	bool reversed_loaded;
	bool entries_reversed; /* some entries were */
	struct telemetry *telemetry;
	struct requests *requests;
	struct reversals *reversals;
	int64_t scope_seq;
	struct node_cache *nodes; /* facts.c; dropped when a batch begins or ends */
	int64_t bill_gpu_rows;    /* committed rows of bill_gpu, -1 = not asked yet */
};

/* The bulk appender of a table; only inside a transaction. NULL with err set on failure. */
struct bulk *store_bulk(struct store *s, enum table t, struct err *err);
/* Make the rows given so far visible to queries. */
int store_settle(struct store *s, enum table t, struct err *err);
int store_last_batch(struct store *s, struct err *err); /* fills in last_batch */
int store_load_reversed(struct store *s, struct err *err);
/* " AND src NOT IN (...)" or nothing; call store_load_reversed() before. */
void store_in_force(const struct store *s, struct str *sql);
int store_not_in_tx(struct err *err);

/* facts.c */
void node_cache_free(struct node_cache *c);
/* requests.c */
int requests_flush(struct store *s, struct err *err);
void requests_free(struct requests *r);
/* ledger.c: reversals that were asked for and not carried out yet */
int reversals_apply(struct store *s, struct err *err);
void reversals_free(struct reversals *r);
/* telemetry.c */
int telemetry_sweep(struct store *s,
		    struct err *err); /* chunks of a batch that did not get through */
int telemetry_commit(struct store *s, struct err *err);
void telemetry_rollback(struct store *s);
void telemetry_close(struct store *s);
/* Spans of the samples that came from files src[n], a scope for each node (or GPU without a node). */
struct span_list {
	struct scope_span *v;
	size_t n, cap;
};
int telemetry_spans(struct store *s, const int64_t *src, size_t n, struct arena *a,
		    struct span_list *out, struct err *err);

#endif
