#ifndef TARE_BOOK_IN_H
#define TARE_BOOK_IN_H
/* What the files of this room share; nobody else includes it. */
#include "book/book.h"
#include "ledger/join.h"
#include "ledger/owner.h"

/* Which scopes the batch touched, and over what time. */
struct dirty {
	struct intern scope;
	struct span {
		int64_t from_ms, to_ms;
	} * span; /* [scope.n] */
	size_t cap;
	uint32_t last; /* scope number of the last mark: rows of one scope come together */
};
uint32_t dirty_mark(struct dirty *d, struct sv scope, int64_t from_ms, int64_t to_ms);
void dirty_free(struct dirty *d);

/* Which pool closes the time of a node (pooling.c). */
struct pooling {
	struct intern node, pool;
	VEC(uint32_t) of; /* [node.n] its pool */
};
int pooling_find(struct book *b, struct pooling *ret, struct err *err); /* by the facts in force */
int pooling_mark(
	struct book *b,
	struct err *err); /* fills b->pooling and marks what moved since b->pooled_before */
struct sv pooling_of(const struct pooling *g,
		     struct sv node); /* {NULL,0}: none, the node is closed by itself */
void pooling_free(struct pooling *g);

struct direct; /* entries of bill lines that are no GPU time, summed until they are posted (direct.c) */

struct book {
	struct store *store; /* NULL: dry run */
	struct book_opt opt;
	struct catalog *catalog;
	struct owner_resolver *owners;
	struct arena mem;
	int64_t batch;
	bool begun, committed;
	struct dirty dirty;
	VEC(struct book_file *) file;
	VEC(struct batch_file) row; /* of the batch table, one per file that was read */
	int nfile;                  /* number of the file being read */
	struct book_file *now;      /* its report */
	struct direct *direct;
	bool saw_prices;
	bool noted_ahead;
	int64_t horizon_ms; /* how far open nodes and running jobs are known to have gone on */
	int64_t before_ms;  /* the horizon before this batch, UNKNOWN_MS = there was none */
	int64_t ledger_from_ms,
		ledger_to_ms; /* span of the entries before this batch, both UNKNOWN_MS */
	struct series
		*loose; /* [nloose] series of cards without a node, loaded once for the rebuild */
	size_t nloose;
	struct pooling pooling,
		pooled_before; /* nodes whose time is closed as part of a pool, now and before this batch */
	struct intern tracked_before,
		tracked;          /* scopes that have jobs: before this batch, and with it */
	struct intern currencies; /* of the bill lines of the file being read */
	struct intern sources;    /* "bill:<provider>:<account>:<period>" of the file being read */
	struct intern services;   /* names that request logs know */
};

void book_sink(struct book *b, struct feed_sink *ret);

/* summary.c; in mem */
const char *book_file_json(struct arena *mem, const struct book_file *f);

/* direct.c */
struct direct *direct_new(struct book *b);
void direct_free(struct direct *d);
int direct_add(struct direct *d, int file, const struct bill_line *l, struct err *err);
int direct_flush(struct direct *d,
		 struct err *err); /* posts entries and remainders of what was added */

/* paid.c: the stretches of paid time of a node, one price each, cut at hours where a bill covers them. */
struct paid_piece {
	int64_t from_ms, to_ms;
	struct sv purchase, currency, provider, region, zone;
	struct sv tags,
		account; /* of the bill lines that cover it: who answers for what nobody holds */
	enum quality quality;
	enum priced priced;
	bool recorded, from_bill_alone;
	bool has_amount[BASIS_N], has_rate[BASIS_N];
	int64_t gpu_milli; /* of a pool: GPUs paid in this piece; 0 = the node's own number */
	int64_t amount_nano[BASIS_N]; /* of the whole node in this piece */
	dec rate_node_hour[BASIS_N];  /* of the whole node */
};
/* Money of a bill line that no time of the node can carry: a second currency, a credit for time that was not used. */
struct paid_extra {
	int64_t hour_ms;
	enum kind kind;
	struct sv purchase, currency, tags, account;
	int64_t nano[BASIS_N]; /* UNKNOWN_NANO */
};
struct paid_node {
	struct sv node, provider, region, zone, cluster, gpu_model, instance_type;
	struct sv gpu_ids;
	int64_t gpu_milli;
	VEC(struct paid_piece) piece;
	VEC(struct paid_extra) extra;
	VEC(struct remainder) rest; /* what rounding bill lines to nano left */
};
/*
 * node [nnode]: records of this one node, by from; line [nline]: GPU lines of its bill. Texts must outlive ret. mem: for what is allocated.
 */
int paid_build(struct book *b, struct arena *mem, const struct node *node, size_t nnode,
	       const struct bill_line *line, size_t nline, int64_t from_ms, int64_t to_ms,
	       struct paid_node *ret, struct err *err);
/* The terms of owned hardware whose energy is measured by telemetry, if this node is such; else NULL. */
const struct owned_conf *paid_metered(const struct book *b, const struct paid_node *p);
void paid_node_free(struct paid_node *p); /* what it allocated */
/* Add up the nodes of a pool, each currency for itself; currency: of pieces that name none; pool.c. */
void paid_merge(struct arena *mem, const struct paid_node *node, size_t n, const char *currency,
		struct paid_node *ret);
/* The rate of a piece of time that only an allocation or sample speaks of: its own price, else the catalogue's, else none. */
void paid_own_price(struct book *b, bool has, dec usd_gpu_hour, struct sv currency,
		    struct attrib_paid *p);

/* post.c */
int post_scope(struct book *b, const char *scope, int64_t from_ms, int64_t to_ms, struct err *err);

#endif
