#ifndef TARE_STORE_INSIDE_H
#define TARE_STORE_INSIDE_H
/* What the files of this folder share of a store. */
#include "store/duck/bulk.h"
#include "store/schema.h"
#include "store/duck/sql.h"
#include "store/store.h"
#include "store/duck/writer.h"

static inline int64_t src_of(int64_t batch, int file)
{
	return store_source(batch, file);
}

struct telemetry; /* TARE_THREADS, which DuckDB would take as any number and fail on later; NULL: not set. */
int store_threads(const char **ret, struct err *err);
/* telemetry.c */
struct requests;  /* requests.c */
struct reversals; /* duck/ledger.c */
/* Keys of scopes as scope_key() has them (model/scope.h), in SQL of both engines: of the node in a
 * column, and of a file's bill lines by its src. */
#define NODE_SCOPE(col)                                                                 \
	"CASE WHEN substr(" col ", 1, 5) IN ('node:', 'pool:', 'bill:') OR substr(" col \
	", 1, 4) IN ('gpu:', 'res:') THEN 'node:' || " col " ELSE " col " END"
#define BILL_FILE_SCOPE "'bill:' || (src >> 20) || '/' || (src & 1048575)"

struct node_cache; /* duck/rows.c */
/* The rows of a query as an array in the arena: sql is run (and freed) with `scope` as $1, where
 * `param` (NULL = NULL); read() makes an element of `size` bytes of each row. stream: as in
 * answer_open(). */
struct store_list {
	struct str sql;
	const char *doing, *scope;
	bool param, stream;
	size_t size;
	void (*read)(const struct answer *r, struct arena *a, void *ret);
	/* Which thing a row tells of, appended to key, where imports overlap; column 0 is then the
	 * row's src, and older imports' rows of a thing are left out. NULL: every row. */
	void (*key)(struct str *key, const void *row);
};
int store_list(struct store *s, struct store_list *l, struct arena *a, void *ret, size_t *ret_n,
	       struct err *err);

struct store {
	char *dir, *command;
	enum store_mode mode;
	int lock_fd; /* -1 */
	duckdb_database db;
	duckdb_connection con;
	bool in_tx;
	int64_t schema;     /* of the facts, as they are in the file */
	bool remaking;      /* remake.c: db is the copy */
	int64_t batch;      /* of the transaction */
	int64_t last_batch; /* committed; -1 = not asked yet, see store_last_batch() */
	struct bulk *bulk[T_N];
	struct writer *writer; /* of large imports; owns con while rows are under way */
	/* src of the files out of force, sorted; loaded when first asked for. */
	VEC(int64_t) reversed;
	bool reversed_loaded;
	bool bill_reversed;      /* some lines of files that are in force are not */
	bool bill_part_reversed; /* nor are those of some sub accounts and days */
	struct telemetry *telemetry;
	struct requests *requests;
	struct reversals *reversals;
	int64_t scope_seq;
	struct node_cache *nodes; /* duck/rows.c; dropped when a batch begins or ends */
	int64_t bill_gpu_rows;    /* committed rows of bill_gpu, -1 = not asked yet */
};

/* The bulk appender of a table; only inside a transaction. NULL with err set on failure. */
struct bulk *store_bulk(struct store *s, enum table t, struct err *err);
/* Make the rows given so far visible to queries. */
int store_settle(struct store *s, enum table t, struct err *err);
int store_last_batch(struct store *s, struct err *err); /* fills in last_batch */
int store_load_reversed(struct store *s, struct err *err);
bool store_is_reversed(const struct store *s, int64_t src); /* behind it */
/* " AND src NOT IN (...)" or nothing; call store_load_reversed() before. */
void store_in_force(const struct store *s, struct str *sql);
/* The same for the tables bill and bill_gpu: the lines that count. The only such condition. */
void store_bill_in_force(const struct store *s, struct str *sql);
/* The day a line begins on. */
#define BILL_DAY "(from_ms - from_ms % 86400000)"
/* Makes the rows of bills given so far visible, and store_bill_in_force() ready. */
int store_settle_bills(struct store *s, struct err *err);
/* GPU lines with the scope that holds now: what the join said last after the line had come in, else
 * what the line came with. */
#define BILL_SCOPED                                                                                                       \
	"bill_gpu b LEFT JOIN (SELECT provider AS p, resource_id AS r, arg_max(scope, seq) AS found, max(batch) AS upto " \
	"FROM bill_scope GROUP BY provider, resource_id) n ON n.p = coalesce(b.provider, '') AND n.r = b.resource_id "    \
	"AND (b.src >> 20) <= n.upto"
/* A line that came without a scope is no machine's time, whatever else is known of its resource. */
#define BILL_SCOPE "CASE WHEN b.scope = '' THEN '' ELSE coalesce(n.found, b.scope) END"
int store_not_in_tx(struct err *err);

/* store.c: facts.duckdb and what ends like it; the caller frees */
char *store_db_path(const struct store *s, const char *end);
int store_db_open(struct store *s, const char *end, struct err *err); /* for writing */
void store_db_close(struct store *s);
int store_migrate(struct store *s, struct err *err);
int store_look_at_schema(struct store *s, struct err *err); /* fills in schema */
/* remake.c: what a killed one left */
void store_remake_sweep(const struct store *s);
/* duck/bills.c: a row of bill or bill_gpu; one as of an earlier file */
struct bill_line store_read_line(const struct answer *r, struct arena *a);
int store_add_bill_of(struct store *s, int64_t src, const char *scope, const struct bill_line *l,
		      struct err *err);

/* duck/rows.c */
void node_cache_free(struct node_cache *c);
/* duck/bills.c: a query for the money of the lines in force: src, scope (that holds now; '' = none),
 * from_ms, to_ms, currency, billed, effective, list. Call store_load_reversed() before. */
void store_bill_money(const struct store *s, struct str *sql);
/* requests.c */
int requests_flush(struct store *s, struct err *err);
void requests_free(struct requests *r);
/* duck/ledger.c: reversals that were asked for and not carried out yet */
int reversals_apply(struct store *s, struct err *err);
void reversals_free(struct reversals *r);
/* telemetry.c */
/* chunks of a batch that did not get through */
int telemetry_sweep(struct store *s, struct err *err);
/* The newest batch that committed readings, be it in the facts or not; the file is there. */
int telemetry_last_batch(struct store *s, int64_t *ret, struct err *err);
int telemetry_commit(struct store *s, struct err *err);
void telemetry_rollback(struct store *s);
void telemetry_close(struct store *s);
/* Spans of the samples that came from files src[n], a scope for each node (or GPU without a
 * node). */
struct span_list {
	struct scope_span *v;
	size_t n, cap;
};
int telemetry_spans(struct store *s, const int64_t *src, size_t n, struct arena *a,
		    struct span_list *out, struct err *err);

#endif
