#ifndef TARE_STORE_FACTS_H
#define TARE_STORE_FACTS_H
/*
 * What a store asks of its facts: bills, nodes, jobs, requests, prices, the ledger and the batches
 * that they came with. One engine keeps them (duck/: DuckDB files that are never changed); another
 * engine, or another layout of files, is another folder with these functions. Nothing here knows
 * SQL.
 *
 * The facts know two things of a row: the file it came from (src, see store_source()), and whether
 * that file is in force. Rows are only appended; what is taken out is told by a row more. Unless
 * said otherwise a question is about rows in force, sees what was given in the open batch, comes in
 * the order that store.h says of the function of the same name, and puts its texts into arena a.
 * What overlapping imports mean, telemetry, the lock, and what may be asked when, is the store's.
 *
 * The caller makes sure that what adds, reverses or takes out happens in a batch, and that there is
 * one user at a time. While a fn is called nothing else may be asked, but where it says so.
 */
#include "store/check.h"
#include "store/machines.h"
#include "store/remake.h"
#include "store/store.h"

struct facts;

/* ---- open, generations ------------------------------------------------------------------- */

/* The engine can be used. -ENOENT: its library is missing. */
int facts_load(struct err *err);
/* Are there facts in the folder dir? 1, 0, or -EACCES: cannot be seen. */
int facts_there(const char *dir);
extern const char facts_name[]; /* their file, for messages: "facts.duckdb" */
/* Files that may be of new facts, NULL behind the last. */
extern const char *const facts_files[];
/*
 * Open the facts in dir; where write, they are made if absent, and what a command left half done is
 * swept. A writer's caller holds the lock of dir; a reader needs none, and sees what was committed
 * when it was opened until it closes. -EBUSY: a program of before writes; -EUCLEAN: a reader found
 * what only a writer can mend; -EBADMSG: no facts of ours; -EPROTO: of a newer version.
 */
int facts_open(const char *dir, bool write, struct facts **ret, struct err *err);
/* Told how many of the entries that are taken back have been: thousands of them take a while. */
typedef void facts_watch_fn(void *ctx, int64_t done, int64_t of);
void facts_watch(struct facts *f, facts_watch_fn *fn, void *ctx);
void facts_close(struct facts *f); /* NULL is fine; what is not committed is gone */
/* Called in the upgrade that brings the sums of readings: the caller adds those of all files. */
typedef int facts_fill_fn(void *ctx, struct err *err);
/* Facts of an older version get today's columns: for a writer in the file, unless the ledger has to
 * be made again first (then they stay); for a reader as a view. */
int facts_upgrade(struct facts *f, facts_fill_fn *fill, void *ctx, struct err *err);
/* Of a version that has sums of readings. */
bool facts_know_readings(const struct facts *f);

/*
 * remake.h: a copy with today's columns, of which all that follows is, until facts_remake_end(),
 * with which it takes the place of the facts (and is no copy any more, also where what comes behind
 * it fails), or facts_remake_drop(), which leaves the facts as they were, and open if it returns 0.
 * After an error of the others: facts_remake_drop().
 */
int facts_remake_begin(struct facts *f, facts_fill_fn *fill, void *ctx, struct err *err);
bool facts_remaking(const struct facts *f);
int facts_remake_clear(struct facts *f, struct err *err);
int facts_remake_bills(struct facts *f, store_route_fn *route, void *ctx, struct err *err);
int facts_remake_end(struct facts *f, struct err *err);
int facts_remake_drop(struct facts *f);

struct facts_about {
	int64_t version;                     /* of the schema, today's */
	const char *engine, *engine_version; /* "duckdb", "v1.5.6" */
	const char *library, *library_path;  /* "libduckdb", "/.../libduckdb.so" */
};
void facts_about(struct facts_about *ret);
int64_t facts_bytes(const struct facts *f); /* of all their files */
/* Rows by kind, out of force too: "rows.node", "12". */
int facts_counts(struct facts *f, struct arena *a, struct store_fact **ret, size_t *ret_n,
		 struct err *err);

/* ---- batches: begin, add..., prepare, commit ---------------------------------------------- */

/* -ESTALE: of an older version, to be made again first. */
int facts_begin(struct facts *f, int64_t batch, struct err *err);
struct facts_batch {
	int64_t now_ms;
	const char *command;
	const struct batch_file *file; /* [nfile] */
	size_t nfile;
};
/* All that was given is written, and the batch with it; it is in only once it is committed. */
int facts_prepare(struct facts *f, const struct facts_batch *b, struct err *err);
/* Durable before it returns 0. After an error: facts_abort(). */
int facts_commit(struct facts *f, struct err *err);
void facts_abort(struct facts *f);
int facts_last_batch(struct facts *f, int64_t *ret, struct err *err); /* committed; 0 = none */
/* The newest file with this hash: its report, NULL where there is none, and its src. */
int facts_file_by_hash(struct facts *f, const char *hash, struct arena *a, const char **ret_json,
		       int64_t *ret_src, struct err *err);
struct srcs {
	int64_t *v; /* [n] */
	size_t n;
};
/* kind NULL = any; in no order */
int facts_files_of(struct facts *f, const char *kind, const char *source, struct arena *a,
		   struct srcs *ret, struct err *err);
/* Those of a kind and source whose hash it is, or whose time lies within [from, to]. */
int facts_files_within(struct facts *f, const struct store_retold *q, struct arena *a,
		       struct srcs *ret, struct err *err);
int facts_files_elsewhere(struct facts *f, const struct batch_file *like, struct arena *a,
			  const char ***ret, size_t *ret_n, struct err *err);
/* Names of the first FACTS_PATHS_MAX of the files, in force or not, by src. */
#define FACTS_PATHS_MAX 4
int facts_file_paths(struct facts *f, struct srcs of, struct arena *a, const char ***ret,
		     size_t *ret_n, struct err *err);

/* ---- out of force ------------------------------------------------------------------------- */

/* Files none of whose rows count, by src; valid until something is written. */
int facts_reversed(struct facts *f, const int64_t **ret, size_t *ret_n, struct err *err);
bool facts_is_reversed(const struct facts *f, int64_t src); /* behind it */
int facts_reverse_files(struct facts *f, const int64_t *src, size_t n, struct err *err);
int facts_imported_rows(struct facts *f, struct imported_file *v, size_t n, struct err *err);
int facts_imported(struct facts *f, struct arena *a, struct imported_file **ret, size_t *ret_n,
		   struct err *err);
int facts_taken_by(struct facts *f, int64_t batch, struct arena *a, int64_t **ret, size_t *ret_n,
		   struct err *err);
int facts_bill_undo(struct facts *f, const struct bill_undo_ask *q, struct arena *a,
		    struct bill_undo **ret, size_t *ret_n, struct err *err);
/* Scopes and time of the nodes, jobs and GPU lines of bills that files have, in force or not;
 * to_ms INT64_MAX = open. */
int facts_file_spans(struct facts *f, struct srcs of, struct arena *a, struct scope_spans *ret,
		     struct err *err);
int facts_request_repeats(struct facts *f, struct arena *a, struct request_repeat **ret,
			  size_t *ret_n, struct err *err);
int facts_bill_earlier(struct facts *f, const struct bill_set *set, struct arena *a,
		       struct bill_earlier **ret, size_t *ret_n, struct err *err);
int facts_bill_repeats(struct facts *f, const struct bill_set *set, struct arena *a,
		       struct bill_repeat **ret, size_t *ret_n, struct err *err);
int facts_bill_same(struct facts *f, const struct bill_set *set, int64_t since_src, struct arena *a,
		    struct bill_covers *ret, struct err *err);
int facts_bill_again(struct facts *f, const struct bill_set *set, bool before, struct arena *a,
		     struct bill_agains *ret, struct err *err);
int facts_bill_retold(struct facts *f, const struct bill_set *set, struct arena *a,
		      struct bill_retold **ret, size_t *ret_n, struct err *err);
int facts_bill_sides(struct facts *f, const struct bill_set *set, struct arena *a,
		     struct bill_side **ret, size_t *ret_n, struct err *err);
int64_t facts_bill_join_sides(struct facts *f, const struct bill_set *set, int64_t actual_src,
			      int64_t amortised_src, size_t k, struct err *err);
int64_t facts_bill_take_back(struct facts *f, const struct bill_set *set, int64_t src,
			     struct err *err);
int facts_bill_spans(struct facts *f, struct arena *a, struct scope_spans *ret, struct err *err);
int facts_bill_files(struct facts *f, const struct bill_set *set, struct arena *a,
		     struct bill_files *ret, struct err *err);
int facts_bill_take_out(struct facts *f, const struct bill_set *set, const struct bill_files *files,
			struct arena *a, struct scope_spans *ret, struct err *err);
/* Entries, remainders and paid time of a scope in the hours of [from, to) count no more; those that
 * the batch added before too. */
int facts_reverse_scope(struct facts *f, const char *scope, int64_t from_ms, int64_t to_ms,
			struct err *err);

/* ---- rows in: texts are copied ------------------------------------------------------------ */

/* Requests of a service and tenant that began in a minute and went well, or did not. */
struct request_group {
	int64_t t_ms; /* of the minute */
	struct sv service, tenant;
	bool ok;
	/* UNKNOWN_I64 until one is given */
	int64_t requests, tokens_in, tokens_out, gpu_ms, prefill_ms, decode_ms;
	struct sv latency; /* packed (hist.h) */
};
int facts_add_node(struct facts *f, int64_t src, const struct node *n, struct err *err);
int facts_add_allocation(struct facts *f, int64_t src, const char *scope,
			 const struct allocation *a, struct err *err);
int facts_add_incident(struct facts *f, int64_t src, const struct incident *i, struct err *err);
int facts_add_request(struct facts *f, int64_t src, const struct request_group *g, struct err *err);
int facts_add_exchange_rate(struct facts *f, int64_t src, const struct exchange_rate *x,
			    struct err *err);
int facts_add_price(struct facts *f, int64_t src, const struct price *p, struct err *err);
int facts_add_witness(struct facts *f, int64_t src, const struct witness *w, struct err *err);
int facts_add_presence(struct facts *f, int64_t src, const struct presence *p, struct err *err);
int facts_add_curve(struct facts *f, int64_t src, const struct curve_point *p, struct err *err);
int facts_add_bill(struct facts *f, int64_t src, const char *scope, const struct bill_line *l,
		   struct err *err);
int facts_bill_set_scope(struct facts *f, struct sv provider, struct sv resource_id,
			 const char *scope, struct err *err);
int facts_add_entry(struct facts *f, const struct entry *e, struct err *err);
int facts_add_remainder(struct facts *f, const struct remainder *r, struct err *err);
int facts_add_paid(struct facts *f, const struct paid_span *p, struct err *err);
int facts_set_rules(struct facts *f, int rules, struct err *err);
/* What came of the readings of a file (readings.c): how many blocks, and the sum of their
 * hashes. */
int facts_add_reading_sum(struct facts *f, int64_t src, int64_t blocks, uint64_t hash,
			  struct err *err);

/* ---- rows out ----------------------------------------------------------------------------- */

/* With the src of each row (ret[ret_src->n]): what several files tell of one thing comes as
 * often. */
int facts_nodes(struct facts *f, struct arena *a, struct node **ret, struct srcs *ret_src,
		struct err *err);
int facts_allocations(struct facts *f, const struct scope_span *of, struct arena *a,
		      struct allocation **ret, struct srcs *ret_src, struct err *err);
/* Of these scopes, by scope and then in that order. */
struct scoped_allocation {
	struct allocation a;
	struct sv scope;
	int64_t src;
};
int facts_allocations_of(struct facts *f, const struct scopes_span *of, struct arena *a,
			 struct scoped_allocation **ret, size_t *ret_n, struct err *err);
/* How many rows of each scope touch the window. */
int facts_allocation_counts(struct facts *f, struct span window, struct arena *a,
			    struct scope_count **ret, size_t *ret_n, struct err *err);
int facts_ends_told(struct facts *f, int64_t from_ms, int64_t to_ms, bool *ret, struct err *err);
int facts_accounts_without_team(struct facts *f, int64_t from_ms, int64_t to_ms, bool *ret,
				struct err *err);
int facts_tag_keys(struct facts *f, struct arena *a, const char ***ret, size_t *ret_n,
		   struct err *err);
int facts_incidents(struct facts *f, const char *node, int64_t to_ms, struct arena *a,
		    struct incidents *ret, struct err *err);
int facts_incident_nodes(struct facts *f, struct arena *a, struct sv **ret, size_t *ret_n,
			 struct err *err);
int facts_exchange_rates(struct facts *f, struct arena *a, struct exchange_rate **ret,
			 size_t *ret_n, struct err *err);
/* By run, job, metric and step; of one step the newest file and instant first. Texts are valid
 * during the call; nonzero stops, and comes back. */
typedef int facts_curve_fn(void *ctx, const struct curve_point *p, struct err *err);
int facts_curves(struct facts *f, facts_curve_fn *fn, void *ctx, struct err *err);
int facts_prices(struct facts *f, struct arena *a, struct price **ret, size_t *ret_n,
		 struct err *err);
/* The services that requests in force name, each once, sorted. */
int facts_services(struct facts *f, struct arena *a, struct sv **ret, size_t *ret_n,
		   struct err *err);
/* Of minutes that touch the window; sorted: by service and minute, else in no order. Texts are
 * valid during the call; nonzero stops, and comes back. */
typedef int facts_request_fn(void *ctx, const struct request_group *g, struct err *err);
int facts_requests(struct facts *f, struct span window, bool sorted, facts_request_fn *fn,
		   void *ctx, struct err *err);
typedef int facts_line_fn(void *ctx, const struct bill_line *b, struct sv scope, struct err *err);
int facts_bill_lines(struct facts *f, int64_t since_ms, int64_t until_ms, facts_line_fn *fn,
		     void *ctx, struct err *err);
/* fn may ask and add. */
int facts_bill_lines_of(struct facts *f, int64_t src, facts_line_fn *fn, void *ctx,
			struct err *err);
int facts_bill_gpu(struct facts *f, const struct scope_span *of, struct arena *a,
		   struct bill_line **ret, size_t *ret_n, struct err *err);
/* Of these scopes, by scope and then in that order. */
struct scoped_line {
	struct bill_line line;
	struct sv scope;
};
int facts_bill_gpu_of(struct facts *f, const struct scopes_span *of, struct arena *a,
		      struct scoped_line **ret, size_t *ret_n, struct err *err);
/* How many of them each scope has that touch the window. */
int facts_bill_counts(struct facts *f, struct span window, struct arena *a,
		      struct scope_count **ret, size_t *ret_n, struct err *err);
typedef int facts_entry_fn(void *ctx, const struct entry *e, struct err *err);
int facts_entries(struct facts *f, int64_t since_ms, int64_t until_ms, facts_entry_fn *fn,
		  void *ctx, struct err *err);
/* Of all files; in no order. */
typedef int facts_sum_fn(void *ctx, int64_t src, int64_t blocks, uint64_t hash, struct err *err);
int facts_reading_sums(struct facts *f, facts_sum_fn *fn, void *ctx, struct err *err);
int facts_rules(struct facts *f, int *ret, struct err *err);

/* ---- sums and spans ----------------------------------------------------------------------- */

int facts_allocation_scopes(struct facts *f, struct arena *a, const char ***ret, size_t *ret_n,
			    struct err *err);
int facts_allocation_spans(struct facts *f, struct arena *a, struct scope_spans *ret,
			   struct err *err);
int facts_job_machines(struct facts *f, struct arena *a, struct job_machine **ret, size_t *ret_n,
		       struct err *err);
int facts_machine_times(struct facts *f, struct span of, struct arena *a, struct machine_time **ret,
			size_t *ret_n, struct err *err);
int facts_job_traits(struct facts *f, struct arena *a, struct job_traits **ret, size_t *ret_n,
		     struct err *err);
int facts_job_gpus(struct facts *f, struct arena *a, struct job_gpus **ret, size_t *ret_n,
		   struct err *err);
int facts_job_names(struct facts *f, struct arena *a, struct job_name **ret, size_t *ret_n,
		    struct err *err);
int facts_running(struct facts *f, struct arena *a, struct scope_spans *ret, struct err *err);
int facts_told_again(struct facts *f, struct arena *a, struct scope_spans *ret, struct err *err);
int facts_witness_told(struct facts *f, struct arena *a, struct witness_told **ret, size_t *ret_n,
		       struct err *err);
int facts_presence(struct facts *f, struct arena *a, struct presence_told **ret, size_t *ret_n,
		   struct err *err);
int facts_witness_jobs(struct facts *f, struct arena *a, struct witness_jobs **ret, size_t *ret_n,
		       struct err *err);
/* Latest instant of nodes that ended by now_ms, of jobs and of GPU lines; UNKNOWN_MS: none. */
int facts_data_end(struct facts *f, int64_t now_ms, int64_t *ret, struct err *err);
int facts_bill_untyped(struct facts *f, struct arena *a, struct bill_untyped **ret, size_t *ret_n,
		       struct err *err);
int facts_bill_move(struct facts *f, const struct bill_move *move, struct arena *a,
		    struct bill_moved **ret, size_t *ret_n, struct err *err);
/* The scopes that GPU lines in force have, each once, sorted; texts in a. */
int facts_bill_scopes(struct facts *f, struct arena *a, struct sv **ret, size_t *ret_n,
		      struct err *err);
int facts_bill_cluster_tags(struct facts *f, struct arena *a, struct bill_cluster_tags **ret,
			    size_t *ret_n, struct err *err);
int facts_bill_resources(struct facts *f, struct arena *a, struct bill_resource **ret,
			 size_t *ret_n, struct err *err);
int facts_bill_totals(struct facts *f, struct span window, struct arena *a, struct bill_total **ret,
		      size_t *ret_n, struct err *err);
/* the last commit, UNKNOWN_MS: there was none */
int facts_committed(struct facts *f, int64_t *ret_ms, struct err *err);
/* hours in which GPU time counts; both UNKNOWN_MS when there is none */
int facts_gpu_span(struct facts *f, int64_t *ret_from_ms, int64_t *ret_to_ms, struct err *err);
int facts_usage_span(struct facts *f, int64_t *ret_from_ms, int64_t *ret_to_ms, struct err *err);
/* Charge periods of the lines that begin before from_ms or end after to_ms; of a purchase and of
 * what is too long to be spread (BILL_SPREAD_MAX_MS) the instant it begins. Both UNKNOWN_MS where
 * there is no such line. */
int facts_bill_span(struct facts *f, int64_t from_ms, int64_t to_ms, int64_t *ret_from_ms,
		    int64_t *ret_to_ms, struct err *err);
int facts_ledger(struct facts *f, const struct ledger_query *q, struct arena *a,
		 struct ledger_row **ret, size_t *ret_n, struct err *err);
int facts_ledger_sql(const struct ledger_query *q, struct str *ret, struct err *err);
int facts_ledger_span(struct facts *f, int64_t *ret_from_ms, int64_t *ret_to_ms, struct err *err);
int facts_ledger_sums(struct facts *f, struct arena *a, struct ledger_sum **ret, size_t *ret_n,
		      struct err *err);
int facts_remainders(struct facts *f, struct span window, struct arena *a, struct remainder **ret,
		     size_t *ret_n, struct err *err);
int facts_account_names(struct facts *f, struct arena *a, struct account_name **ret, size_t *ret_n,
			struct err *err);
/* nmachine of it is left 0 */
int facts_nameless_gpu(struct facts *f, int64_t from_ms, int64_t to_ms, struct nameless_gpu *ret,
		       struct err *err);
int facts_unnamed_gpu(struct facts *f, struct arena *a, struct unnamed_gpu **ret, size_t *ret_n,
		      struct err *err);

/* ---- does it close? (check.h) -------------------------------------------------------------- */

/* A scope's days whose lines' periods overlap, in a currency: what lines, entries (nano),
 * remainders and rates say, and how many rows that is of. */
struct check_money {
	struct sv scope, currency;
	int64_t from_ms, to_ms, nrows;
	dec lines[BASIS_N], rest[BASIS_N], rated[BASIS_N];
	__int128 nano[BASIS_N];
};
typedef void facts_money_fn(void *ctx, const struct check_money *m);
int facts_check_money(struct facts *f, const struct check_what *what, facts_money_fn *fn, void *ctx,
		      struct err *err);
/* An hour of a GPU or pool whose entries are not what was paid, by a millisecond or more, or, where
 * nothing was paid (paid_milli_ms -1), more than an hour. */
struct check_time {
	struct sv scope, gpu;
	int64_t hour_ms, ms, paid_milli_ms;
};
typedef void facts_time_fn(void *ctx, const struct check_time *t);
int facts_check_time(struct facts *f, const struct check_what *what, facts_time_fn *fn, void *ctx,
		     struct err *err);

/* ---- files that DuckDB reads --------------------------------------------------------------- */

int parquet_open(const char *path, struct tab **ret, struct err *err);

/* ---- somebody else's statement (store/query.h) -------------------------------------------- */

struct query_result;
struct query_view;
struct query_ask; /* store/query.h */
int facts_query(struct facts *f, const struct query_ask *q, struct arena *a,
		struct query_result *ret, struct err *err);
const struct query_view *facts_views(size_t *ret_n);
#endif
