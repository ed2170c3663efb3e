#ifndef TARE_STORE_DUCK_INSIDE_H
#define TARE_STORE_DUCK_INSIDE_H
/* What the files of this folder share of the facts. */
#include "store/duck/bulk.h"
#include "store/duck/schema.h"
#include "store/duck/sql.h"
#include "store/duck/tuples.h"
#include "store/duck/writer.h"
#include "store/facts.h"
#include "store/scope_sql.h"

struct reversals; /* ledger.c */

struct facts_part { /* a file: batches from to to; from 0: facts.duckdb */
	int64_t from, to;
};
struct facts_parts {
	struct facts_part *v;
	size_t n, cap;
};

/* Which resources the GPU lines of a scope are of: a superset, as lines go and stay out of force.
 * By scope; without a resource's id: any. */
struct bill_names {
	struct bill_name {
		struct sv scope, resource_id;
	} * v;
	size_t n;
	bool known;
	struct arena mem;
};

struct facts {
	char *dir;
	bool write;
	duckdb_database db;
	duckdb_connection con;   /* NULL: it could not be opened again, all that is asked fails */
	int64_t schema;          /* as it is in the files */
	struct facts_parts part; /* that count, facts.duckdb first; files.c */
	struct facts_part
		copied;   /* of what the batch's file is a copy; from 0: facts.duckdb, or none */
	int64_t first;    /* batch of the file that is written */
	bool writing;     /* in a file beside others, which is attached as "new" */
	const char *into; /* what stands before a table that is written: "new." or "" */
	struct str sql;   /* duck_into() */
	bool remaking;    /* db is the copy */
	int64_t batch;    /* that is open; 0 = none */
	struct bulk *bulk[T_N];
	struct writer *writer; /* of large imports; owns con while rows are under way */
	/* src of the files out of force, sorted; loaded when first asked for. */
	VEC(int64_t) reversed;
	bool reversed_loaded;
	bool bill_reversed;      /* some lines of files that are in force are not */
	bool bill_part_reversed; /* nor are those of some sub accounts and days */
	struct reversals *reversals;
	struct tuples *tuples;       /* of the open batch; NULL: not asked for yet */
	struct job_texts *job_texts; /* those of allocations that were read back; NULL: none yet */
	int64_t scope_seq;
	struct bill_names bill_names;
	struct intern incident_nodes; /* machines that something happened to, in force or not */
	facts_watch_fn *watch;        /* or NULL */
	void *watch_ctx;
	bool incident_nodes_known;
};

/* ---- open.c ------------------------------------------------------------------------------- */

/* TARE_THREADS, which DuckDB would take as any number and fail on later; NULL: not set. */
int duck_threads(const char **ret, struct err *err);
/* TARE_MEMORY; NULL: not set, and DuckDB has DUCK_MEMORY. */
const char *duck_memory(void);
#define DUCK_MEMORY "1200MB"
/* facts.duckdb and what ends like it; the caller frees */
char *duck_path_of(const struct facts *f, const char *end);
/* end: of the file's name; NULL: in memory, where files are attached to it */
int duck_open(struct facts *f, const char *end, bool write, struct err *err);
void duck_close(struct facts *f);
int duck_migrate(struct facts *f, facts_fill_fn *fill, void *ctx, struct err *err);
int duck_look_at_schema(struct facts *f, struct err *err); /* fills in schema */

/* ---- batch.c ------------------------------------------------------------------------------ */

/* "INSERT INTO x ..." where the batch's own table x is meant; valid until the next call. */
const char *duck_into(struct facts *f, const char *sql);
/* The bulk appender of a table; only inside a batch. NULL with err set on failure. */
struct bulk *duck_bulk(struct facts *f, enum table t, struct err *err);
/* Of the host: nothing is as unknown as unknown, and is stored so. */
static inline int64_t duck_known(int64_t v)
{
	return v > 0 ? v : UNKNOWN_I64;
}
/* Make the rows given so far visible to queries. */
int duck_settle(struct facts *f, enum table t, struct err *err);

/* ---- force.c ------------------------------------------------------------------------------ */

int duck_load_reversed(struct facts *f, struct err *err);
/* " AND src NOT IN (...)" or nothing; call duck_load_reversed() before. */
void duck_in_force(const struct facts *f, struct str *sql);
/* `select` ... WHERE true, of what is in force and behind everything that was given so far, and
 * `order` after it. */
int duck_select_in_force(struct facts *f, enum table t, const char *select, const char *order,
			 struct str *sql, struct err *err);
/* The same for the tables bill and bill_gpu: the lines that count. The only such condition. */
void duck_bill_in_force(const struct facts *f, struct str *sql);
/* The day a line begins on. */
#define BILL_DAY "(from_ms - mod(from_ms, 86400000))"

/* ---- allocations.c ------------------------------------------------------------------------ */

/* " AND ..." for the allocations that touch the window. */
void duck_touching(struct str *sql, struct span window);

/* ---- list.c ------------------------------------------------------------------------------- */

/* The rows of a query as an array in the arena: sql is run (and freed) with `scope` as $1, where
 * `param` (NULL = NULL); read() makes an element of `size` bytes of each row. stream: as in
 * answer_open(). */
struct duck_list {
	struct str sql;
	const char *doing, *scope;
	bool param, stream;
	size_t size;
	void (*read)(const struct answer *r, struct arena *a, void *ret);
	void *ctx;     /* r->ctx in read() */
	int64_t **src; /* column 0 of each row, as an array in the arena; NULL: is not asked */
	/* Of many rows with many columns, whose texts are shared: their order, of struct duck_row.
	 * DuckDB sorts whole rows, which took most of such a query. NULL: as the query has it. */
	int (*order)(const void *a, const void *b);
	/* Where rows of a group come together, in the order of these: of which one a row is. */
	const struct intern *groups;
	struct sv (*group)(const void *row);
};
struct duck_row {
	const void *v; /* what read() made of it */
	int64_t src;
};
int duck_list(struct facts *f, struct duck_list *l, struct arena *a, void *ret, size_t *ret_n,
	      struct err *err);
/* of (scope, how many): a struct scope_count */
void duck_read_count(const struct answer *r, struct arena *a, void *ret);
/* of (text): a const char *, NULL where it is */
void duck_read_text(const struct answer *r, struct arena *a, void *ret);
/* of (scope, from, to), NULL as "" and INT64_MAX */
void duck_read_span(const struct answer *r, struct arena *a, void *ret);
/* A list of them behind those that are there. */
int duck_add_spans(struct facts *f, struct duck_list *l, struct arena *a, struct scope_spans *io,
		   struct err *err);

/* ---- bills.c ------------------------------------------------------------------------------ */

/* To be called where GPU lines are added, moved or get another scope. */
void duck_forget_bill_names(struct facts *f);
/* Makes the rows of bills given so far visible, and duck_bill_in_force() ready. */
int duck_settle_bills(struct facts *f, struct err *err);
/* GPU lines with the scope that holds now: what the join said last after the line had come in, else
 * what the line came with. */
#define BILL_SCOPED                                                              \
	"bill_gpu b LEFT JOIN ("                                                 \
	"SELECT provider AS p, resource_id AS r, arg_max(scope, seq) AS found, " \
	"max(batch) AS upto FROM bill_scope GROUP BY provider, resource_id) n "  \
	"ON n.p = coalesce(b.provider, '') AND n.r = b.resource_id "             \
	"AND (b.src >> 20) <= n.upto"
/* A line that came without a scope is no machine's time, whatever else is known of its resource. */
#define BILL_SCOPE "CASE WHEN b.scope = '' THEN '' ELSE coalesce(n.found, b.scope) END"
/* The account that the entries of a line have (book/charge.c), and its name. */
#define BILL_ACCOUNT "coalesce(nullif(sub_account, ''), nullif(account, ''))"
#define BILL_ACCOUNT_NAME                                                              \
	"nullif(CASE WHEN coalesce(sub_account, '') <> '' THEN sub_account_name ELSE " \
	"account_name END, '')"
/* Of how many rows of its file a line is; older stores do not say. */
const char *duck_bill_rows(const struct facts *f);
/* a row of bill or bill_gpu */
struct bill_line duck_read_line(const struct answer *r, struct arena *a);
/*
 * A query for the time that usage of `from` ("bill WHERE true") was seen in: f, t, by import and
 * provider (told_by, provider; days: it has lines shorter than a billing period). A line as long as
 * a billing period says it only where no shorter one does: a month's line is written while the
 * month goes on. Call duck_load_reversed() before.
 */
void duck_bill_told(const struct facts *f, const char *from, struct str *sql);
/* A query for the money of the lines in force: src, scope (that holds now; '' = none), from_ms,
 * to_ms, currency, billed, effective, list. Call duck_load_reversed() before. */
void duck_bill_money(const struct facts *f, struct str *sql);

/* ---- ledger.c: reversals that were asked for and not carried out yet ----------------------- */

int reversals_apply(struct facts *f, struct err *err);
void reversals_free(struct reversals *r);

#endif
