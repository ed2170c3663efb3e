#ifndef TARE_STORE_STORE_H
#define TARE_STORE_STORE_H
/*
 * Where everything is kept. A store is a folder:
 *
 *   lock            who writes (flock; text inside: pid and command)
 *   facts*.duckdb   bills, nodes, allocations, requests, prices, the ledger, the batches
 *                   (store/facts.h)
 *   telemetry.db    zstd column chunks per (series, metric, hour) in SQLite (store/telemetry.c)
 *   control.db      small state of the control plane in SQLite: journal of commands, settings
 *                   (store/control.c)
 *
 * A batch (one import call) is in whole, once, or not at all: chunks are committed to telemetry.db
 * first under the new batch number, then a file with facts, entries and the batch row, which is the
 * truth, takes its name. Chunks of batches that have no batch row are swept when the store is
 * next opened for writing. All SQL of the project lives in this folder.
 */
#include <stdbool.h>
#include "base/err.h"
#include "base/mem.h"
#include "base/spans.h"
#include "base/tab.h"
#include "model/model.h"

enum store_mode { STORE_READ, STORE_WRITE };

struct store;

/*
 * Open dir (made if absent in STORE_WRITE). If another process writes in it, who wants to write
 * waits up to wait_ms (0 = not at all), then -EBUSY with the owner's pid and command in the
 * sentence and "--wait" in the hint. Who reads takes no lock: what was committed when the store was
 * opened is what is read until it is closed, whatever is written meanwhile. STORE_READ of a folder
 * without a store: -ENOENT with a hint to `tare import` and `tare demo`. A store written by a newer
 * version:
 * -EPROTO. Runs migrations in STORE_WRITE; STORE_READ sees an older schema through views. command:
 * what to write into the lock, such as "tare import".
 */
int store_open(const char *dir, enum store_mode mode, int64_t wait_ms, const char *command,
	       struct store **ret, struct err *err);
/* What it was opened for came to nothing: a store that store_open() made, and that no batch came
 * into, is taken away again by store_close(). */
void store_undone(struct store *s);
void store_close(struct store *s);
const char *store_dir(const struct store *s);

/* Rows through the tabular interface; DuckDB reads the file. */
int store_parquet_open(const char *path, struct tab **ret, struct err *err);

/* ---- batches ----------------------------------------------------------------------------- */

/* Where raw rows come from: the number of a file in its batch. At most STORE_FILES_MAX in a
 * batch. */
#define STORE_FILE_BITS 20
#define STORE_FILES_MAX (1 << STORE_FILE_BITS)
static inline int64_t store_source(int64_t batch, int file)
{
	return batch << STORE_FILE_BITS | file;
}

struct batch_file {
	const char *path, *kind, *hash; /* hash: content + kind + map + sets (book makes it) */
	/* what --replace replaces: bills "bill:<provider>:<account>:<period>", else file name */
	const char *source;
	/* the file's object of the import report, to answer a repeated import */
	const char *report_json;
	int64_t from_ms, to_ms;
};

/* Start a transaction and give the next batch number. */
int store_begin(struct store *s, int64_t *ret_batch, struct err *err);
/* Flush appenders and chunks, write the batch rows, commit. After an error the transaction is
 * rolled back. */
int store_commit(struct store *s, int64_t now_ms, const char *command,
		 const struct batch_file *file, size_t nfile, struct err *err);
void store_rollback(struct store *s);

/* The report_json of an earlier import of the same hash that is still in force; *ret NULL if there
 * is none. In arena a. */
int store_batch_by_hash(struct store *s, const char *hash, struct arena *a, const char **ret_json,
			int64_t *ret_batch, struct err *err);
/* Inside a transaction: take all raw rows of earlier files with this source out of force
 * (append-only: a reversal row naming the file). The scopes and time span of their nodes, jobs and
 * readings come back so that the caller rebuilds the ledger there; bills have
 * store_bill_take_out(). Returns how many files were reversed. */
struct scope_span {
	const char *scope;
	int64_t from_ms, to_ms;
};
struct scope_spans {
	struct scope_span *v; /* [n] */
	size_t n;
};
#define SCOPES_ALL ((const struct scope_span){ NULL, INT64_MIN, INT64_MAX }) /* as a question */
int store_reverse_source(struct store *s, const char *kind, const char *source, struct arena *a,
			 struct scope_spans *ret, struct err *err);
/* All files that were imported, by src, in force or not. In arena a. */
struct imported_file {
	int64_t src, committed_ms; /* batch << STORE_FILE_BITS | number in it */
	struct batch_file file;
	bool in_force; /* false: a later batch took all of it out */
	/* of a bill, after store_imported_rows(): rows that are kept as this file's, and of them
	 * those in force; UNKNOWN_I64: no bill */
	int64_t rows, rows_in_force;
};
int store_imported(struct store *s, struct arena *a, struct imported_file **ret, size_t *ret_n,
		   struct err *err);
int store_imported_rows(struct store *s, struct imported_file *f, size_t n, struct err *err);
/* As store_reverse_source() of one file, whatever kind it is of; of a bill what is no machine's
 * time is left to the caller, as store_bill_take_out() says. */
int store_reverse_file(struct store *s, int64_t src, struct arena *a, struct scope_spans *ret,
		       struct err *err);
/* The files that a batch took rows out of, by src. In arena a. */
int store_taken_by(struct store *s, int64_t batch, struct arena *a, int64_t **ret, size_t *ret_n,
		   struct err *err);
/*
 * What is known of bills whose files (src, of one batch) are about to be taken out, and of those
 * (gone) that this batch took rows out of. A row says of a file:
 */
enum bill_undo_what {
	UNDO_LEAVES, /* of src: rows in force, and what they billed, by currency */
	UNDO_OUT,    /* of gone: rows out of force, and what they billed, by currency */
	UNDO_STAYS,  /* of gone: it has lines in force */
	UNDO_DAY,    /* of gone: lines out of force are of the bill, sub account and day of a src */
	UNDO_KEY,    /* the same of the bill: provider, account and month */
	UNDO_SHARES, /* the same of the bill, sub account and day of `other`, of this batch or later,
		      * which is in force and neither src nor gone */
};
struct bill_undo {
	int64_t src;
	enum bill_undo_what what;
	int64_t other;
	const char *currency;
	int64_t rows; /* of its file */
	dec billed;
};
struct bill_undo_ask {
	const int64_t *src, *gone; /* [n], [ngone] */
	size_t n, ngone;
};
int store_bill_undo(struct store *s, const struct bill_undo_ask *q, struct arena *a,
		    struct bill_undo **ret, size_t *ret_n, struct err *err);
/* Files of a source that all share, such as standard input: only those with these bytes (hash), and
 * those whose time lies within these and that tell of one of the scopes (or of none). *ret_left:
 * how many others there are. */
struct store_retold {
	const char *kind, *source, *hash;
	int64_t from_ms, to_ms; /* UNKNOWN_MS: only by hash */
	const struct intern *scope;
};
int store_reverse_retold(struct store *s, const struct store_retold *q, struct arena *a,
			 struct scope_spans *ret, int *ret_left, struct err *err);
/* Whole paths of files in force that are of the kind and name of this one (its path), but of
 * another source. Valid as long as a. */
int store_files_elsewhere(struct store *s, const struct batch_file *like, struct arena *a,
			  const char ***ret, size_t *ret_n, struct err *err);

/* ---- bills that stand for others ---------------------------------------------------------- */

/* Whose bill of which month a line belongs to: a newer one replaces the older one's lines, in
 * whatever files and formats both came. */
struct bill_key {
	const char *provider, *account; /* "" = none; the account as cloud_account() folds it */
	/* the month: of the start of the billing period, else of the charge period */
	int64_t from_ms, to_ms;
	bool any_sub; /* sub accounts are not compared: one side names none */
};
/* A sub account and day that the newer bill has lines of. */
struct bill_cover {
	size_t k;
	const char *sub_account; /* as cloud_sub_account() folds it */
	int64_t day_ms;
};
struct bill_set {
	struct bill_key *key; /* [n], no two alike */
	size_t n;
	const struct bill_cover *cover; /* [ncover], no two alike */
	size_t ncover;
	bool partial; /* only lines of these sub accounts and days are taken out */
	/* [nsame] sub accounts and days that stay as they are, of store_bill_same() */
	const struct bill_cover *same;
	size_t nsame;
	const struct bill_format *format; /* [nformat] of the files of the batch */
	size_t nformat;
};
struct bill_format {
	int64_t src;
	const char *kind; /* of the feed: "focus" */
};
/*
 * Lines in force of earlier batches that belong to key[k], whatever is covered, per file, sub
 * account (folded), day and currency, in this order. Ids of lines that older programs wrote are
 * brought to one form for it. Also without a batch: of all batches.
 */
struct bill_earlier {
	int64_t src;
	size_t k;
	const char *sub_account, *currency;
	int64_t day_ms, lines;
	dec billed;
};
int store_bill_earlier(struct store *s, const struct bill_set *set, struct arena *a,
		       struct bill_earlier **ret, size_t *ret_n, struct err *err);
/*
 * Lines of a file of the batch that have an amount, and how many of them are word for word those of
 * another file that counts: an earlier one, or one before it in the batch. By src and of_src; files
 * without such lines are not there. Bills of the keys alone; a row for each key and currency.
 */
struct bill_repeat {
	int64_t src, of_src;
	int64_t lines, of_lines; /* of src and of the other file, of all keys */
	const char *of_path;     /* "" of a file of the batch */
	size_t k;
	const char *currency;
	int64_t repeated; /* of the key and currency */
	dec billed;       /* the sum of those */
};
int store_bill_repeats(struct store *s, const struct bill_set *set, struct arena *a,
		       struct bill_repeat **ret, size_t *ret_n, struct err *err);
/*
 * Sub accounts (folded) and days of which the lines of the batch say, word for word, what earlier
 * lines in force say, all of batches from since_batch on: a bill that is told again each morning
 * says most of its month again. By key, sub account and day. Compared are sums of hashes of 64
 * bits.
 */
struct bill_covers {
	struct bill_cover *v; /* [n] */
	size_t n;
};
int store_bill_same(struct store *s, const struct bill_set *set, int64_t since_batch,
		    struct arena *a, struct bill_covers *ret, struct err *err);
/*
 * Sub accounts (folded) and days that a file of the batch and one before it in the batch both have,
 * where the two have lines of a bill in common, word for word or in what was used; with before all
 * files of the batch together (src and of_src -1) and all that was there. By src, of_src, key, sub
 * account and day.
 */
struct bill_again {
	int64_t src, of_src;
	struct bill_cover at;
	int64_t lines, of_lines; /* of that day, those without an amount too */
	int64_t repeated;        /* in both */
	int64_t used; /* in both the same use of a resource, whatever it is called and costs */
};
struct bill_agains {
	struct bill_again *v; /* [n] */
	size_t n;
};
int store_bill_again(struct store *s, const struct bill_set *set, bool before, struct arena *a,
		     struct bill_agains *ret, struct err *err);
/*
 * What the files of one format in the batch and those of another, in it or from before, both bill
 * of a key: a month that was exported in two formats has the same sums in both. By key; none where
 * all bills are of one format.
 */
struct bill_retold {
	int64_t src, of_src; /* the first file of either */
	const char *kind, *of_kind;
	const char *of_path; /* "" of a file of the batch */
	size_t k;
	int64_t days, of_days;   /* sub account and day: the same sum, of those that both bill */
	int64_t sums;            /* different ones among the same */
	int64_t named, of_named; /* as days, of each resource that both name */
	int64_t used,
		of_used; /* machines of days: with the same hours in both; with hours in both */
};
int store_bill_retold(struct store *s, const struct bill_set *set, struct arena *a,
		      struct bill_retold **ret, size_t *ret_n, struct err *err);
/*
 * Azure exports a bill as what is invoiced (actual: fees of commitments, 0 for what these cover)
 * and as what use costs (amortised: no fees, what they cover and what nobody used of it). Which of
 * the two the lines of a file in force are, by its lines of commitments; files of which nothing
 * shows it are not there. By src and key.
 */
struct bill_side {
	int64_t src;
	size_t k;
	bool actual, amortised; /* both: the export has it all */
};
int store_bill_sides(struct store *s, const struct bill_set *set, struct arena *a,
		     struct bill_side **ret, size_t *ret_n, struct err *err);
/*
 * A file of the batch that is the actual side of a key and one that is the amortised: what both
 * have word for word is taken back from the second, what commitments cover from the first on days
 * that the second has. Returns how many lines went.
 */
int64_t store_bill_join_sides(struct store *s, const struct bill_set *set, int64_t actual_src,
			      int64_t amortised_src, size_t k, struct err *err);
/* The lines of set->same are taken back from a file of the batch, as if it had not had them.
 * Returns how many. */
int64_t store_bill_take_back(struct store *s, const struct bill_set *set, int file,
			     struct err *err);
/* The scopes of the GPU lines of the batch, and their time. */
int store_bill_spans(struct store *s, struct arena *a, struct scope_spans *ret, struct err *err);
/* What is to be taken out of which files; also without a batch. */
struct bill_taken {
	int64_t src;
	bool whole; /* nothing of it is in force any more */
	bool stale; /* nothing was before: an older program may have left entries of it */
};
struct bill_files {
	struct bill_taken *v; /* [n] */
	size_t n;
};
int store_bill_files(struct store *s, const struct bill_set *set, struct arena *a,
		     struct bill_files *ret, struct err *err);
/*
 * Take those lines out of force, inside a transaction; files of store_bill_files(). What has to
 * be rebuilt: the scopes of the GPU lines among them, which come back, and the files' other entries
 * ("bill:<batch>/<file>"), which are to be reversed and, from the lines left, posted again.
 */
int store_bill_take_out(struct store *s, const struct bill_set *set, const struct bill_files *files,
			struct arena *a, struct scope_spans *ret, struct err *err);

/* ---- raw facts, inside a transaction ----------------------------------------------------- */
/* file: number of the file within the batch, from 0. scope: see entry.scope. Bulk appends; views
 * are copied. */
int store_add_node(struct store *s, int file, const struct node *n, struct err *err);
int store_add_allocation(struct store *s, int file, const char *scope, const struct allocation *a,
			 struct err *err);
int store_add_sample(struct store *s, int file, const struct sample_key *k, const struct sample *v,
		     struct err *err);
/* How many samples of this batch say something else than a later one of the same series and moment,
 * which holds. */
int store_samples_overruled(struct store *s, size_t *ret, struct err *err);
int store_add_incident(struct store *s, int file, const struct incident *i, struct err *err);
/* aggregated per minute and service inside */
int store_add_request(struct store *s, int file, const struct request_row *r, struct err *err);
int store_add_price(struct store *s, int file, const struct price *p, struct err *err);
int store_add_exchange_rate(struct store *s, int file, const struct exchange_rate *x,
			    struct err *err);
int store_add_witness(struct store *s, int file, const struct witness *w, struct err *err);
int store_add_presence(struct store *s, int file, const struct presence *p, struct err *err);
int store_add_curve(struct store *s, int file, const struct curve_point *p, struct err *err);
/* scope: of a GPU line that is spread over a node; of a line of another kind whose entries the
 * caller adds at once the key of the machine whose time it may turn out to be (store_bill_move()),
 * else "". */
int store_add_bill(struct store *s, int file, const char *scope, const struct bill_line *b,
		   struct err *err);

/* ---- reading facts back (also sees the open transaction's rows) -------------------------- */
/* All arrays in arena a, ordered as said, only rows in force; identical rows imported twice
 * (overlapping exports) come once, the newest. */
/* node NULL = all; by node, from */
int store_nodes(struct store *s, const char *node, struct arena *a, struct node **ret,
		size_t *ret_n, struct err *err);
/* By start, job_id. Of a scope (NULL = of all): allocations that touch its time. */
int store_allocations(struct store *s, const struct scope_span *of, struct arena *a,
		      struct allocation **ret, size_t *ret_n, struct err *err);
/* How many rows of each scope touch the window; in no order. */
struct scope_count {
	struct sv scope;
	int64_t n;
};
int store_allocation_counts(struct store *s, struct span window, struct arena *a,
			    struct scope_count **ret, size_t *ret_n, struct err *err);
/* The same of GPU lines of bills. */
int store_bill_counts(struct store *s, struct span window, struct arena *a,
		      struct scope_count **ret, size_t *ret_n, struct err *err);
struct scopes_span {
	const char *const *scope; /* [n] */
	size_t n;
	struct span time;
};
/*
 * Scopes whose allocations and GPU lines within a time will be asked for one after another:
 * they are read together, as each question of its own would look at all rows. Until the next call,
 * or until something is written of them, store_allocations() and store_bill_gpu() answer from
 * memory where they can, and their texts are valid so long. n 0: what was read is forgotten.
 */
int store_read_ahead(struct store *s, const struct scopes_span *of, struct err *err);
/* Whether anybody told how a job of the window [from, to) ended: its state, which is not that it
 * runs. */
int store_ends_told(struct store *s, int64_t from_ms, int64_t to_ms, bool *ret, struct err *err);
/* What the jobs of a scope say of its machine, whenever they ran: earliest first within the
 * scope. */
struct job_traits {
	struct sv scope, cluster, gpu_model;
	bool names_gpus;
};
int store_job_traits(struct store *s, struct arena *a, struct job_traits **ret, size_t *ret_n,
		     struct err *err);
/* The GPUs that jobs name on nodes without a record; by scope, then by the text. */
struct job_gpus {
	struct sv scope, gpu_ids;
};
int store_job_gpus(struct store *s, struct arena *a, struct job_gpus **ret, size_t *ret_n,
		   struct err *err);
/* The scopes that allocations in force have, each once. */
int store_allocation_scopes(struct store *s, struct arena *a, const char ***ret, size_t *ret_n,
			    struct err *err);
/* Latest instant that allocations, samples, usage lines of machines and ended nodes in force speak
 * of, at most now_ms; UNKNOWN_MS where there are none. */
int store_data_end(struct store *s, int64_t now_ms, int64_t *ret, struct err *err);
/* The scopes with allocations that have not ended, from the first start; to_ms INT64_MAX. */
int store_running(struct store *s, struct arena *a, struct scope_spans *ret, struct err *err);
/*
 * Where rows of the open batch tell of a job or node otherwise than older files in force did: what
 * the older rows covered has to be rebuilt. A span without a start (INT64_MIN + 1) or end
 * (INT64_MAX) is open.
 */
int store_told_again(struct store *s, struct arena *a, struct scope_spans *ret, struct err *err);
/* GPU lines of a bill with this scope (NULL = of all) that touch its time; by from. */
int store_bill_gpu(struct store *s, const struct scope_span *of, struct arena *a,
		   struct bill_line **ret, size_t *ret_n, struct err *err);
/* The scope of all GPU bill lines of a resource, of before and of this batch: the join found its
 * node. Each call is a row: only for lines that have another (store_bill_resources()). */
int store_bill_set_scope(struct store *s, struct sv provider, struct sv resource_id,
			 const char *scope, struct err *err);
/* The scopes that GPU lines in force have, each once, sorted. */
int store_bill_scopes(struct store *s, struct arena *a, struct sv **ret, size_t *ret_n,
		      struct err *err);
/* Tags of GPU lines in force that speak of a cluster: of each scope its texts, the latest last. */
struct bill_cluster_tags {
	struct sv scope, tags;
};
int store_bill_cluster_tags(struct store *s, struct arena *a, struct bill_cluster_tags **ret,
			    size_t *ret_n, struct err *err);
struct bill_resource { /* GPU resources seen in bills, by scope: what its latest line says */
	struct sv provider, resource_id, resource_name, instance_type, gpu_model, tags, scope;
	int64_t from_ms, to_ms;
};
int store_bill_resources(struct store *s, struct arena *a, struct bill_resource **ret,
			 size_t *ret_n, struct err *err);
/*
 * Resources that have lines in force which were given with a scope and no GPUs: `open` ones are
 * entries of their own, `taken` ones a machine's time. Name and tags: the latest of all its lines,
 * typed ones too; scope: of the taken ones. By provider and id.
 */
struct bill_untyped {
	struct sv provider, resource_id, resource_name, tags, scope;
	bool open, taken;
};
int store_bill_untyped(struct store *s, struct arena *a, struct bill_untyped **ret, size_t *ret_n,
		       struct err *err);
/*
 * Make these lines of the resources time of a machine, as GPU lines with the scope that
 * store_bill_set_scope() gives, or entries of their own again. What moved comes back by file and
 * resource, with the time that it covers; the caller posts it again.
 */
struct bill_moved {
	int64_t src;
	struct sv provider, resource_id;
	int64_t from_ms, to_ms;
};
struct bill_move {
	bool to_machine;
	const struct bill_untyped *res; /* [n] */
	size_t n;
};
int store_bill_move(struct store *s, const struct bill_move *move, struct arena *a,
		    struct bill_moved **ret, size_t *ret_n, struct err *err);
/* user prices, oldest import first */
int store_prices(struct store *s, struct arena *a, struct price **ret, size_t *ret_n,
		 struct err *err);
/* Points of training runs by run, job, metric and step; of a point that is told twice the newest.
 * Texts are valid during the call; nonzero stops, and comes back. */
typedef int store_curve_fn(void *ctx, const struct curve_point *p, struct err *err);
int store_curves(struct store *s, store_curve_fn *fn, void *ctx, struct err *err);

/* exchange rates, oldest import first; of one pair and day the last one holds */
int store_exchange_rates(struct store *s, struct arena *a, struct exchange_rate **ret,
			 size_t *ret_n, struct err *err);

struct incidents {
	struct incident *v; /* [n] */
	int64_t *src;       /* the file that tells of each, for the store */
	size_t n;
};
/* Incidents of a node before to_ms, by time; of one moment "start" comes first, which knows nothing
 * of before. */
int store_incidents(struct store *s, const char *node, int64_t to_ms, struct arena *a,
		    struct incidents *ret, struct err *err);

/*
 * Who watched which nodes (ledger/witness.h); source: batch and file. What files say of themselves,
 * and the jobs in force by (source, cluster, node); both by source.
 */
int store_witness_told(struct store *s, struct arena *a, struct witness_told **ret, size_t *ret_n,
		       struct err *err);
int store_witness_jobs(struct store *s, struct arena *a, struct witness_jobs **ret, size_t *ret_n,
		       struct err *err);
/* Where jobs that hold no GPU were, by node and start. */
int store_presence(struct store *s, struct arena *a, struct presence_told **ret, size_t *ret_n,
		   struct err *err);

struct request_stat { /* per service and minute */
	struct sv service, tenant;
	/* UNKNOWN_I64 where never given */
	int64_t t_ms, count, ok, tokens_in, tokens_out, gpu_ms, prefill_ms, decode_ms;
	double latency_p50_ms, latency_p95_ms, latency_p99_ms; /* over the whole group, NAN */
};
struct request_stats {
	struct request_stat *v; /* [n] */
	size_t n;
};
/* The services that requests in force name, each once, sorted. */
int store_services(struct store *s, struct arena *a, struct sv **ret, size_t *ret_n,
		   struct err *err);
/* Grouped by service (and tenant if asked) over the window; t_ms = first minute. */
int store_requests(struct store *s, struct span window, bool by_tenant, struct arena *a,
		   struct request_stats *ret, struct err *err);

/* The same per service and minute, by service and time; memory: one row a minute. */
int store_request_minutes(struct store *s, struct span window, struct arena *a,
			  struct request_stats *ret, struct err *err);

/*
 * Requests of a file of the batch, in force, and how many of them stand in minutes that another
 * file tells of in the same words: an earlier one, or one before it in the batch. same_service: the
 * service has the same name there. Only minutes that the batch reaches are looked at.
 */
struct request_repeat {
	int64_t src, of_src;
	bool same_service;
	int64_t requests, repeated, of_requests;
	const char *of_path; /* "" of a file of the batch */
};
int store_request_repeats(struct store *s, struct arena *a, struct request_repeat **ret,
			  size_t *ret_n, struct err *err);

/* The node of a GPU by the uuids of the records, {NULL,0}: none, several, or a job that names no
 * node holds the GPU by its uuid. The text is the store's, until a row is added. */
int store_node_of_gpu(struct store *s, struct sv uuid, struct sv *ret, struct err *err);
/* Appends ",'UUID'" for each GPU that is the node's by that rule. */
int store_gpus_of_node(struct store *s, struct sv node, struct str *sql, struct err *err);

/* ---- telemetry --------------------------------------------------------------------------- */
struct series {
	int64_t id;
	struct sample_key key;  /* texts in the arena given */
	int64_t from_ms, to_ms; /* span of its chunks in force */
	bool by_uuid;           /* it names no node; the one record that names its GPU does */
};
/* Series whose node is `node` (NULL = all), by (node, gpu, mig, job). */
int store_series(struct store *s, const char *node, struct arena *a, struct series **ret,
		 size_t *ret_n, struct err *err);

/*
 * Merged samples of several series in order of (t, series index); rows of one series and instant
 * from several imports are merged per metric, the newest import winning. Memory: one hour of the
 * series given.
 */
struct sample_cursor;
int store_samples(struct store *s, const struct series *series, size_t n, struct span window,
		  struct sample_cursor **ret, struct err *err);
/* 1, 0 at the end, negative errno. *ret_series: index into series[]. */
int sample_cursor_next(struct sample_cursor *c, size_t *ret_series, struct sample *ret,
		       struct err *err);
void sample_cursor_close(struct sample_cursor *c);

/* ---- the ledger -------------------------------------------------------------------------- */
int store_add_entry(struct store *s, const struct entry *e, struct err *err);
/*
 * Reverse every entry (of all kinds) of a scope in [from, to) that still counts, and its
 * remainders. Entries of bill lines that are no GPU time have the scope "bill:<batch>/<file>", GPU
 * time that of its node or pool.
 */
int store_reverse_scope(struct store *s, const char *scope, int64_t from_ms, int64_t to_ms,
			struct err *err);
/* Told how many of how many entries have been taken back, which the next command that asks for
 * entries does; fn NULL: no more. */
void store_watch(struct store *s, void (*fn)(void *ctx, int64_t done, int64_t of), void *ctx);
/*
 * What the entries leave against the exact amounts, per scope: an exact decimal in 10^-12 units
 * plus pico_ms: price(10^-12) x ms / 3,600,000 not yet divided. Kept per (scope, hour-window,
 * currency, basis); store_reverse_scope takes the old ones out too.
 */
struct remainder {
	const char *scope, *currency;
	enum basis basis;
	int64_t from_ms, to_ms; /* span the remainder belongs to */
	dec amount;             /* exact part, 10^-12 */
	/* sum of price(10^-12 per hour) x ms minus what was booked; / 3,600,000 gives 10^-12 */
	__int128 pico_ms;
	/* what is booked in entries and comes from no bill line: rates and energy, whole nano;
	 * amount is what bill lines left, pico_ms what the others left */
	dec rated;
};
int store_add_remainder(struct store *s, const struct remainder *r, struct err *err);
/* Time for which a GPU or a pool was paid, in whole or in part of a day; gpu "" = of the pool.
 * store_reverse_scope takes it out too. */
struct paid_span {
	const char *scope;
	struct sv gpu;
	int64_t from_ms, to_ms; /* of one day */
	int64_t gpus_milli;
};
int store_add_paid(struct store *s, const struct paid_span *p, struct err *err);

enum dim {
	DIM_KIND,
	DIM_TEAM,
	DIM_PROJECT,
	DIM_ENV,
	DIM_WORKLOAD,
	DIM_USER,
	DIM_JOB,
	DIM_RUN,
	DIM_CLUSTER,
	DIM_NODE,
	DIM_PROVIDER,
	DIM_REGION,
	DIM_GPU_MODEL,
	DIM_GPU,
	DIM_PURCHASE,
	DIM_STATE,
	DIM_CAUSE,
	DIM_QUALITY,
	DIM_HOUR,
	DIM_DAY,
	DIM_WEEK,
	DIM_MONTH,
	DIM_QUARTER,
	DIM_ZONE,
	DIM_SERVICE,
	DIM_CLOUD_SERVICE,
	DIM_ACCOUNT,
	DIM_ACCOUNT_NAME, /* no column of the ledger: store_account_names() has it */
	DIM_INSTANCE_TYPE,
	DIM_COMMITMENT,
	DIM_INVOICE,
	DIM_BILLING_ACCOUNT,
	DIM_CHARGE_CATEGORY,
	DIM_TAG,
	DIM_N
};
const char *dim_name(enum dim d);
int dim_of(struct sv name); /* "tag:KEY" is DIM_TAG */

/* Filters on the same dim and tag that are not negated are alternatives; all others must all
 * hold. */
struct ledger_filter {
	enum dim dim;
	const char *tag;   /* of DIM_TAG */
	const char *value; /* equal to; "" = none */
	bool negate;
};
struct ledger_query {
	const enum dim *dim;
	const char *const *tag; /* [ndim] key where dim is DIM_TAG */
	size_t ndim;
	int64_t since_ms, until_ms; /* INT64_MIN, INT64_MAX = open */
	const struct ledger_filter *filter;
	size_t nfilter;
	enum basis basis;
	bool by_price; /* what has an amount in the basis and what has none are rows of their own */
};
/* One row per (dims, kind is gpu or not, state, currency); sums that are all zero are left out. */
struct ledger_row {
	/* [ndim]; hour "2024-09-18T22:00:00Z", day "2024-09-18", month "2024-09" */
	struct sv *dim;
	bool is_gpu; /* kind gpu: ms counts as GPU time */
	enum state state;
	struct sv currency;
	int64_t ms, util_ms; /* util_ms UNKNOWN_I64 when none of it has one */
	int64_t measured_ms, estimated_ms;
	int64_t unpriced_ms; /* GPU time without an amount in the basis asked */
	__int128 nano;       /* sum in the basis asked, of those that have one */
	/* the part of it that comes from bills (entry.priced == PRICED_BILL): what reconciles with
	 * store_bill_totals */
	__int128 bill_nano;
	/* the part that nobody held nor watched (cause unwatched) */
	int64_t unwatched_ms;
	__int128 unwatched_nano;
};
int store_ledger(struct store *s, const struct ledger_query *q, struct arena *a,
		 struct ledger_row **ret, size_t *ret_n, struct err *err);
/* GPU time of bill lines that name no machine, by provider and instance type. */
struct unnamed_gpu {
	struct sv provider, instance_type;
	int64_t ms, from_ms, to_ms;
};
int store_unnamed_gpu(struct store *s, struct arena *a, struct unnamed_gpu **ret, size_t *ret_n,
		      struct err *err);
/* GPU time of [from, to) under GPUs of no known machine, of how many, and how many machines are
 * recorded then: the same GPUs may be theirs. All 0 where either is. */
struct nameless_gpu {
	int64_t ms;
	size_t ngpu, nmachine;
};
int store_nameless_gpu(struct store *s, int64_t from_ms, int64_t to_ms, struct nameless_gpu *ret,
		       struct err *err);
/*
 * What bills call the accounts that entries have: a row an id and name, by id, what the latest
 * lines say first, and behind all names the lines without one ("").
 */
struct account_name {
	const char *id, *name;
};
int store_account_names(struct store *s, struct arena *a, struct account_name **ret, size_t *ret_n,
			struct err *err);
/* The SQL that store_ledger runs, for benches and --explain. */
int store_ledger_sql(const struct ledger_query *q, struct str *ret, struct err *err);

/*
 * Every bill line in force whose charge period starts in the window, of all kinds, by from_ms and
 * then import order, with the scope of its GPU time ("" = none); for FOCUS export. fn returns
 * nonzero to stop, which comes back.
 */
int store_bill_lines(struct store *s, int64_t since_ms, int64_t until_ms,
		     int (*fn)(void *ctx, const struct bill_line *b, struct sv scope,
			       struct err *err),
		     void *ctx, struct err *err);

/* The same of the lines that one file brought. */
int store_bill_lines_of(struct store *s, int64_t src,
			int (*fn)(void *ctx, const struct bill_line *b, struct sv scope,
				  struct err *err),
			void *ctx, struct err *err);

struct bill_total { /* what bills in force say in the window, per currency */
	struct sv currency;
	dec cost[BASIS_N], contracted;
	int64_t unknown[BASIS_N];
	/* by the part of a line's time that is in the window: effective, of what commitments
	 * covered; of it, of lines that do not say what was invoiced */
	dec used, used_unbilled;
	dec unspread; /* effective, of fees that are spread over nothing */
	int64_t rows; /* lines that touch the window */
	/* some charge periods reach over the window's ends: counted where they start */
	bool partial;
};
int store_bill_totals(struct store *s, struct span window, struct arena *a, struct bill_total **ret,
		      size_t *ret_n, struct err *err);
int store_remainders(struct store *s, struct span window, struct arena *a, struct remainder **ret,
		     size_t *ret_n, struct err *err); /* summed per currency and basis */

/* Entries one by one in key order, for FOCUS export; callback returns nonzero to stop. Only sums
 * that still count. */
int store_entries(struct store *s, int64_t since_ms, int64_t until_ms,
		  int (*fn)(void *ctx, const struct entry *e, struct err *err), void *ctx,
		  struct err *err);

/* Span of the hours in which an entry counts, whatever was imported and taken out on the way; both
 * UNKNOWN_MS when there is none. */
int store_ledger_span(struct store *s, int64_t *ret_from_ms, int64_t *ret_to_ms, struct err *err);
/*
 * What the data in force cover: that span, and the charge periods of bill lines, those of no cost
 * too, to whole hours. A purchase covers the hour it was billed in. Both UNKNOWN_MS where the
 * ledger is empty.
 */
int store_data_span(struct store *s, int64_t *ret_from_ms, int64_t *ret_to_ms, struct err *err);

/*
 * What of that was seen: from the first to the last hour of GPU time or of a usage line of a bill,
 * never after the last import. Fees, taxes, credits and discounts of a whole billing period say
 * nothing of its days; where there is nothing else, all that the data cover.
 */
int store_seen_span(struct store *s, int64_t *ret_from_ms, int64_t *ret_to_ms, struct err *err);
/* When the last batch was committed, UNKNOWN_MS: there was none. */
int store_committed(struct store *s, int64_t *ret_ms, struct err *err);

/* By which rules the ledger was made (ledger/rules.h); 0: nothing was posted yet. The other inside
 * a batch. */
int store_rules(struct store *s, int *ret, struct err *err);
int store_set_rules(struct store *s, int rules, struct err *err);

/* ---- control state ----------------------------------------------------------------------- */
/* Small settings that outlive a command; value NULL removes one. *ret NULL where there is none. */
int store_set(struct store *s, const char *key, const char *value, struct err *err);
int store_get(struct store *s, const char *key, struct arena *a, const char **ret, struct err *err);
struct journal_line { /* a command that committed a batch */
	int64_t at_ms;
	const char *command;
	int64_t batch;
};
/* The last ones, the latest first. */
int store_journal(struct store *s, size_t last, struct arena *a, struct journal_line **ret,
		  size_t *ret_n, struct err *err);

/* Numbers for doctor: rows, sizes, versions; printable key/value pairs in the arena. */
struct store_fact {
	const char *key, *value;
};
int store_facts(struct store *s, struct arena *a, struct store_fact **ret, size_t *ret_n,
		struct err *err);

#endif
