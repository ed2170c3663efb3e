#ifndef TARE_STORE_INSIDE_H
#define TARE_STORE_INSIDE_H
/* What the files of this folder share of a store. */
#include "store/facts.h"
#include "store/newest.h"
#include "store/schema.h"
#include "store/scope_sql.h"
#include "store/store.h"

static inline int64_t src_of(int64_t batch, int file)
{
	return store_source(batch, file);
}

struct telemetry;  /* telemetry.c */
struct requests;   /* requests.c */
struct node_cache; /* rows.c */
struct ahead;      /* ahead.c */

struct store {
	char *dir, *command;
	enum store_mode mode;
	int lock_fd; /* -1 */
	struct facts *facts;
	bool in_tx;
	int64_t batch; /* of the transaction */
	/* this writer made it, and the folder too; it goes again where nothing came into it */
	bool made, made_folder, undone;
	int64_t last_batch; /* committed; -1 = not asked yet, see store_last_batch() */
	struct telemetry *telemetry;
	struct requests *requests;
	struct node_cache *nodes;
	struct ahead *ahead;
	struct intern tags; /* texts that this batch found to be JSON objects: ledger.c */
};

int store_last_batch(struct store *s, struct err *err); /* fills in last_batch */
int store_not_in_tx(struct err *err);

/* rows.c: all nodes, kept while nothing changes them */
void store_forget_nodes(struct store *s);
/* ahead.c: allocations and bill lines that were read ahead */
void store_forget_ahead(struct store *s);
/* Those of a scope that touch its time: 1; 0: they were not read ahead; negative. */
int store_ahead_jobs(struct store *s, const struct scope_span *of, struct arena *a,
		     struct allocation **ret, size_t *ret_n, struct err *err);
int store_ahead_lines(struct store *s, const struct scope_span *of, struct arena *a,
		      struct bill_line **ret, size_t *ret_n, struct err *err);
/* rows.c: what tells allocations apart, and what they say of their end */
void store_allocation_key(struct str *key, const void *row);
struct newest_end store_allocation_end(const void *row);
/* requests.c */
int requests_flush(struct store *s, struct err *err);
void requests_free(struct requests *r);
/* telemetry.c */
/* chunks of a batch that did not get through */
int telemetry_sweep(struct store *s, struct err *err);
/* The newest batch that committed readings, be it in the facts or not; the file is there. */
int telemetry_last_batch(struct store *s, int64_t *ret, struct err *err);
int telemetry_commit(struct store *s, struct err *err);
void telemetry_rollback(struct store *s);
void telemetry_close(struct store *s);
/* readings.c: the sums of the batch into the facts, behind all its readings; and those of all that
 * there is, into facts of before (ctx: the store). */
int telemetry_write_sums(struct store *s, struct err *err);
int telemetry_fill(void *ctx, struct err *err);
/* Spans of the samples that came from these files, a scope for each node (or GPU without a node),
 * behind those that are there. */
int telemetry_spans(struct store *s, struct srcs of, struct arena *a, struct scope_spans *io,
		    struct err *err);

#endif
