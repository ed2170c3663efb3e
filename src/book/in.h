#ifndef TARE_BOOK_IN_H
#define TARE_BOOK_IN_H
/* What the files of this room share; nobody else includes it. */
#include "base/spans.h"
#include "book/book.h"
#include "book/repeats.h"
#include "book/sets.h"
#include "book/twins.h"
#include "ledger/attrib.h"
#include "ledger/join.h"
#include "ledger/owner.h"
#include "ledger/witness.h"
#include "model/scope.h"
#include "store/check.h"

/* Which scopes the batch touched, and over what time. */
struct dirty {
	struct intern scope; /* keys, see model/scope.h */
	struct span *span;   /* [scope.n] */
	unsigned *by;        /* [scope.n] DIRTY_... */
	size_t cap;
	uint32_t last;  /* scope number of the last mark: rows of one scope come together */
	uint32_t plain; /* 1 + number of the last node whose key is its name as it stands */
	struct str key;
};
/* Returns the number of the scope. */
uint32_t dirty_mark(struct dirty *d, const struct scope *scope, int64_t from_ms, int64_t to_ms);
uint32_t dirty_mark_node(struct dirty *d, struct sv node, int64_t from_ms, int64_t to_ms);
uint32_t dirty_mark_key(struct dirty *d, struct sv key, int64_t from_ms, int64_t to_ms);
/* What touched it that changes more than the hours it speaks of. */
#define DIRTY_JOBS      1u /* by jobs */
#define DIRTY_TAKEN_OUT 2u /* facts of it are not in force any more */
#define DIRTY_READINGS  4u /* readings: an earlier one that reaches over them ends with them */
#define DIRTY_READS_JOB 8u /* readings that name a job, which say which GPUs it holds */
void dirty_by(struct dirty *d, uint32_t scope, unsigned by);
void dirty_free(struct dirty *d);

struct traits;
/* Which pool closes the time of a node (pooling.c). */
struct pooling {
	struct intern node, pool;
	VEC(uint32_t) of;        /* [node.n] its pool */
	VEC(struct scope) scope; /* all pools that jobs have */
	VEC(bool) home;          /* [scope.n] a recorded machine fits it */
	bool one_cluster;        /* the store knows one at most: who names none means that one */
};
/* by the facts in force; t: of the same */
int pooling_find(struct book *b, const struct traits *t, struct pooling *ret, struct err *err);
/* fills b->pooling and marks what moved since b->pooled_before */
int pooling_mark(struct book *b, struct err *err);
/* {NULL,0}: none, the node is closed by itself */
struct sv pooling_of(const struct pooling *g, struct sv node);
/* Where a machine is; tagged: by its bill's tags alone, so that jobs that say no cluster, or call
 * it otherwise, may be there all the same. */
struct pool_place {
	struct sv cluster;
	bool tagged;
	struct sv gpu_model;
};
/* Where its record says, else the tags of its bill. */
struct pool_place pooling_place(struct book *b, const struct traits *t, const struct node *n);
/* Whether jobs that name no machine may be on one there. */
enum may_hold pooling_may_hold(const struct book *b, const struct pooling *g,
			       const struct pool_place *at);
void pooling_free(struct pooling *g);

/* What a machine is over all its time (traits.c). */
struct trait {
	struct sv cluster, gpu_model; /* of its jobs, the earliest that say it */
	bool tagged;                  /* no job says its cluster: it is that of its bill's tags */
	bool names_gpus;              /* a job of it names GPUs */
	bool recorded;                /* a node record pays for it at some time */
	bool billed;                  /* a bill does */
	bool told;                    /* an agent tells what happened to its GPUs */
	const struct sv *gpu;         /* [ngpu] that jobs name where no record does, by name */
	size_t ngpu;
};
/* of the facts in force, with these sets */
int traits_load(struct book *b, const struct sets *sets, struct traits **ret, struct err *err);
/* loads b->traits and marks all the time of scopes that are not what they were */
int traits_mark(struct book *b, struct err *err);
const struct trait *traits_of(const struct traits *t, struct sv key); /* never NULL */
/* The key of the next scope after *at (start with 0) of which tags alone say a cluster; {NULL,0}:
 * no more. */
struct sv traits_tagged(const struct traits *t, size_t *at, struct sv *ret_cluster);
/* The scope that has the time of a GPU whose readings name no machine, as they name a job of it;
 * {NULL,0}: it is closed by itself. */
struct sv traits_home(const struct traits *t, struct sv gpu);
/* How many such GPUs there are whose readings name jobs of several scopes at once. */
size_t traits_homeless(const struct traits *t);
void traits_free(struct traits *t); /* NULL is fine */

/* loose.c: which scope has the time of GPUs whose readings name no machine. */
struct loose_home {
	struct sv gpu, key; /* key {NULL,0}: they name jobs of several */
};
/* by the facts in force; by GPU; texts in mem */
int loose_homes(struct book *b, struct arena *mem, struct loose_home **ret, size_t *ret_n,
		struct err *err);

struct lone_link {
	size_t series, next;
};
/* Readings that stand alone in their file: when their GPU or instance was read last (lone.c). */
struct lone {
	struct intern key;
	VEC(int64_t) last_ms;  /* [key.n] INT64_MIN = never */
	struct series *series; /* [nseries] of the store, once loaded */
	size_t nseries;
	bool loaded;
	/* its series by node, GPU and instance: of each key a list of links, SIZE_MAX = its end */
	struct intern stored;
	VEC(size_t) first; /* [stored.n] */
	VEC(struct lone_link) link;
};
/* as struct feed_sink says it; ctx: the struct book */
int lone_before(void *ctx, const struct sample_key *k, int64_t t_ms, int64_t *ret_ms,
		struct err *err);
void lone_free(struct lone *l);

/* entries of bill lines that are no GPU time, summed until they are posted (direct.c) */
struct direct;

struct book {
	struct store *store; /* NULL: dry run */
	struct book_opt opt;
	struct catalog *catalog;
	struct owner_resolver *owners;
	struct arena mem;
	int64_t batch;
	bool begun, committed;
	struct dirty dirty;
	struct str route_key; /* of the bill line before: sink_route() */
	VEC(struct book_file *) file;
	VEC(struct batch_file) row; /* of the batch table, one per file that was read */
	int nfile;                  /* number of the file being read */
	struct book_file *now;      /* its report */
	struct direct *direct;
	bool saw_prices;
	bool saw_machines; /* bill lines or node records */
	bool noted_ahead, noted_future;
	bool replacing; /* GPU lines of bills are marked by what is left of them: replace.c */
	/* how far open nodes and running jobs are known to have gone on */
	int64_t horizon_ms;
	int64_t before_ms; /* the horizon before this batch, UNKNOWN_MS = there was none */
	/* span of the entries before this batch, both UNKNOWN_MS */
	int64_t ledger_from_ms, ledger_to_ms;
	/* [nloose] series of GPUs without a node, loaded once for the rebuild */
	struct series *loose;
	size_t nloose;
	/* nodes whose time is closed as part of a pool, now and before this batch */
	struct pooling pooling, pooled_before;
	struct intern beside_pools; /* of the others, which those jobs may hold: keys, where new */
	/* of those in pools: names of machines with readings in days that were posted */
	struct intern read_in_pools;
	/* who watched the nodes: before this batch, and with it */
	struct witnesses *watch_before, *watch;
	/* what the machines are: before this batch, and with it */
	struct traits *traits_before, *traits;
	/* machines that bills name by one id: by which the ledger stands, and with this batch */
	struct sets *sets_before, *sets;
	struct intern currencies; /* of the bill lines of the file being read */
	struct twins twins;       /* of its machines */
	struct repeats repeats;   /* of its jobs */
	struct lone lone;
	bool saw_requests;      /* in any file of the call */
	struct intern services; /* names that request logs know */
	size_t nservice_before; /* of them, those that were known before this batch */
	/* [nadopted] resources whose lines a recorded machine has taken, by provider and id */
	struct adopted *adopted;
	size_t nadopted;
	VEC(struct check_span) posted;
	/* of what was posted: time in which jobs held more than there was, and time that they held
	 * of machines that were not paid then */
	int64_t oversubscribed_ms, unpaid_alloc_ms;
	/* names of jobs in readings that no job of the machine has, while another holds the GPU;
	 * the first of them, who holds it, and the machine */
	size_t nmisnamed;
	const char *misnamed, *misnamed_held, *misnamed_node;
	/* GPUs that readings name beyond those that their machine has, and the first of them */
	size_t nbeyond;
	const char *beyond, *beyond_node;
	size_t beyond_has;
};

void book_sink(struct book *b, struct feed_sink *ret);
/*
 * A bill line of that file: a machine's time, which its scope's key says and which is to be posted
 * (in_force), or entries of its own: "", or the key where it may be a machine's without saying its
 * type.
 */
int sink_route(struct book *b, int64_t src, bool in_force, const struct bill_line *l,
	       const char **ret_scope, struct err *err);
/* The scope of an allocation as the store has it, over its time. */
void sink_mark_allocation(struct book *b, const struct allocation *a);
/* Readings of this key touch their node or GPU. */
void sink_mark_series(struct book *b, const struct sample_key *k, int64_t from_ms, int64_t to_ms);

/* touched.c: marks what a batch touches beside what its own rows speak of; needs all of them */
int touched_mark(struct book *b, struct err *err);
/* touched.c: nodes by their records, and those that only jobs or samples name */
int touched_known_nodes(struct book *b, struct join_node **ret, size_t *ret_n, struct err *err);
/* touched.c: request logs are not what they were: the jobs that are or were replicas are touched */
int touched_services_again(struct book *b, struct err *err);
/* import.c: time of jobs that still run, in what is said of each file; needs the horizon */
void import_count_running(struct book *b);
/* book.c: begin without a look at the rules; and the end of a commit */
int book_open(struct store *s, const struct book_opt *opt, struct book **ret, struct err *err);
int book_post_and_commit(struct book *b, struct err *err);

/*
 * together.c: jobs and bill lines of scopes that are posted one after another are read together, as
 * many as fit the memory allowed: to each question of its own the store looks at all rows.
 */
struct together {
	struct sv *scope;  /* [n] in the order of their posting */
	struct span *span; /* [n] of the days that are posted */
	int64_t *rows;     /* [n] jobs and bill lines that touch the time of all of them */
	size_t n, next;    /* the first that was not looked at yet */
};
int together_open(struct book *b, struct together *p, struct err *err);
/* Scope i is posted next. */
int together_at(struct book *b, struct together *p, size_t i, struct err *err);

/* summary.c; in mem */
const char *book_file_json(struct arena *mem, const struct book_file *f);

/* direct.c */
struct direct *direct_new(struct book *b);
void direct_free(struct direct *d);
/* src: the file under whose scope it is posted, of this batch or of an earlier one */
int direct_add(struct direct *d, int64_t src, const struct bill_line *l, struct err *err);
/* What was added or posted of a file is taken back, and the entries of those of its lines that are
 * in force and no machine's time are added again; none: it has none any more. */
int direct_redo(struct direct *d, int64_t src, bool none, struct err *err);
/* posts entries and remainders of what was added */
int direct_flush(struct direct *d, struct err *err);

/* check.c: a scope was posted over these days */
void check_posted(struct book *b, const char *scope, int64_t from_ms, int64_t to_ms);
/* An error where what was posted, and the bill lines of the batch, do not close. */
int check_batch(struct book *b, struct err *err);

/* charge.c */
struct billed_as charge_of_line(const struct bill_line *l);
/* each field of a, else of b */
struct billed_as charge_or(const struct billed_as *a, const struct billed_as *b);
/* what both say alike; what they say differently is not known of them together */
struct billed_as charge_common(const struct billed_as *a, const struct billed_as *b);
int charge_cmp(const struct billed_as *a, const struct billed_as *b);
/* Who pays by the bill, as far as rules of the settings look at it; -or and -common as above. */
struct payer {
	struct sv account, sub_account, sub_account_name, service;
};
struct payer payer_of_line(const struct bill_line *l);
struct payer payer_or(const struct payer *a, const struct payer *b);
struct payer payer_common(const struct payer *a, const struct payer *b);
bool payer_eq(const struct payer *a, const struct payer *b);
/* Do both stand at one place of the bill: invoice, accounts, category, service? */
bool charge_same_place(const struct billed_as *a, const struct billed_as *b);
/* a at the place of b */
struct billed_as charge_placed(const struct billed_as *a, const struct billed_as *b);

/*
 * adopt.c: bill lines that name a recorded machine with GPUs and not its type are that machine's
 * time, whichever came first; by the facts in force alone. Lines go to their machine or come back
 * from one that is none any more, and what they touch is marked.
 */
struct adopted {
	struct sv provider, resource_id, node;
};
int adopt_lines(struct book *b, struct err *err);
/* The node that took the lines of a resource, {NULL,0}: none. */
struct sv adopt_node(const struct book *b, struct sv provider, struct sv resource_id);

/* What lines with these tags charge for a piece of a machine's time. */
struct paid_share {
	struct paid_share *next;
	struct sv tags;
	struct payer payer;
	int64_t nano[BASIS_N];
	size_t owner; /* post.c: of this share; of all of them, in the first */
	size_t mix;
};

/*
 * Money of an interval that stands elsewhere on the bill than the rest of it, and is divided over
 * what becomes of the time as the hour's cost is (rider.c). KIND_GPU: it is of the interval's
 * amounts, such as a second invoice, a second way to pay or a discount; else it comes beside them:
 * a credit.
 */
struct paid_rider {
	struct paid_rider *next; /* by kind, charge and purchase */
	enum kind kind;
	struct sv purchase; /* of a credit, and of time that is paid otherwise than the rest */
	struct billed_as charge;
	bool usage; /* it has of the time what it has of the cost of use */
	bool has[BASIS_N];
	int64_t nano[BASIS_N];
	int64_t counted_ms; /* of the interval's */
	int64_t ms;         /* GPU-milliseconds of the interval's */
};

/* paid.c: the intervals of paid time of a node, one price each, cut at hours where a bill covers
 * them. */
struct paid_interval {
	int64_t from_ms, to_ms;
	struct sv purchase, currency, provider, region, zone;
	/* of the bill lines that cover it: who answers for what nobody holds */
	struct sv tags;
	struct payer payer;
	/* by tags; two or more: usage lines of this time have different ones, and each has of what
	 * nobody holds what it charges */
	struct paid_share *share;
	struct billed_as charge; /* of the first of them, its machine's otherwise */
	struct paid_rider *rider;
	enum quality quality;
	enum priced priced;
	bool recorded;
	bool counted;       /* the purchase is that of a line with a quantity */
	int64_t counted_ms; /* of the machine, by lines that count hours: one way after the other */
	/* somebody would have seen an owner: who is not named does not hold; how sure that is */
	bool watched;
	enum quality watch_quality;
	bool has_amount[BASIS_N], has_rate[BASIS_N];
	int64_t gpu_milli; /* paid in this piece: of a pool or of one id's machines not always all */
	int64_t amount_nano[BASIS_N]; /* of the whole node in this piece */
	dec rate_node_hour[BASIS_N];  /* of the whole node */
};
/* Money of a bill line that no time of the node can carry: a second currency, a credit for time
 * that was not used. */
struct paid_extra {
	int64_t hour_ms, ms; /* ms: of the line's period */
	enum kind kind;
	struct sv purchase, currency, tags;
	struct payer payer;
	struct billed_as charge;
	int64_t nano[BASIS_N]; /* UNKNOWN_NANO */
};
struct paid_node {
	struct sv node, provider, region, zone, cluster, gpu_model, instance_type;
	const struct node *record; /* [nrecord] its records, by from */
	size_t nrecord;
	int64_t gpu_milli; /* the most of its intervals */
	/* [nactive] when jobs held it, then when it was read, each by from; of what a bill says ran
	 * for a part of its period, that is the first to have run */
	struct span *active;
	size_t nactive;
	struct watch_span *watch; /* [nwatch] when who held it was seen */
	size_t nwatch;
	bool tagged; /* its cluster is known by the tags of its bill alone */
	bool is_set; /* its id is of a set of machines some of which are known: sets.c */
	bool shares; /* usage lines of its bill have different tags */
	VEC(struct paid_interval) interval;
	VEC(struct paid_extra) extra;
	VEC(struct remainder) rest; /* what rounding bill lines to nano left */
};
struct paid_by {
	const struct node *node; /* [nnode] records of this one node, by from */
	size_t nnode;
	const struct bill_line *line; /* [nline] GPU lines of its bill */
	size_t nline;
	int64_t from_ms, to_ms;
};
/* Texts must outlive ret. mem: for what is allocated. */
int paid_build(struct book *b, struct arena *mem, const struct paid_by *by, struct paid_node *ret,
	       struct err *err);
/* rider.c: the rider of an interval that stands there, made where it has none; in mem */
struct paid_rider *rider_of(struct paid_interval *q, struct arena *mem,
			    const struct paid_rider *at);
/* What riders have of the time of their intervals, and of its machine: once all lines are there. */
void rider_settle(struct paid_node *p);
/* What a rider has in [from, to) of its interval, into that of another; false: too large. */
bool rider_add_piece(struct paid_rider *to, const struct paid_rider *r,
		     const struct paid_interval *of, struct span piece);
/* A credit that names no owner: over the paid time of its period. Returns 1 where there is none,
 * 0, or a negative errno. currency: of intervals and lines that name none. */
int rider_add_credit(struct paid_node *p, struct arena *mem, struct sv currency,
		     const struct bill_line *l, struct err *err);
/* What rounding a line left, kept by day. */
void paid_add_rest(struct paid_node *p, struct arena *mem, const struct bill_line *l,
		   enum basis basis, dec rest);
/* paid_lines.c: pieces of a machine without records, apart, in no order; each has gpu_milli of ret
 * times as many machines as its id stood for then. -ERANGE where these are absurdly many. */
int paid_of_lines(struct paid_node *ret, struct arena *mem, const struct bill_line *line, size_t n,
		  struct err *err);
struct paid_interval paid_interval_of(const struct bill_line *l, int64_t from_ms, int64_t to_ms,
				      enum quality quality);
/* A line that says a machine ran: no credit, fee, correction or unused commitment. */
bool paid_is_usage(const struct bill_line *l);
/* Machine time that a usage line stands for, UNKNOWN_MS when its quantity is not in hours. */
int64_t paid_line_ms(const struct bill_line *l);
/* One that counts hours of one machine, and says how they were paid. */
bool paid_counts_hours(const struct bill_line *l);
/* How many of these lines, the first ones, are paid in the way of the first. */
size_t paid_alike(const struct bill_line *const *u, size_t n);
/* The time of machines that usage lines of one charge period speak of, all machines added up. */
int64_t paid_machine_ms(const struct bill_line *const *u, size_t n);
/* So much of a period more or less is no machine more or less. */
int64_t paid_slack_ms(int64_t period);
/* The terms of owned hardware whose energy is measured by telemetry, if this node is such; else
 * NULL. */
const struct owned_conf *paid_metered(const struct book *b, const struct paid_node *p);
void paid_node_free(struct paid_node *p); /* what it allocated */
/* The nodes of a pool, and at which further instants they are cut; currency: of pieces that name
 * none. */
struct paid_nodes {
	const struct paid_node *node; /* [n] */
	size_t n;
	const int64_t *at_ms; /* [nat] */
	size_t nat;
	const char *currency;
};
/* Add them up, each currency for itself; pool.c. */
int paid_merge(struct arena *mem, const struct paid_nodes *of, struct paid_node *ret,
	       struct err *err);
/* More than an hour of a machine or pool can hold, half of what int64 nano-units can. -ERANGE that
 * names it. */
bool paid_is_too_large(dec amount);
int paid_too_large(struct sv name, int64_t at_ms, struct err *err);
/* The rate of a piece of time that only an allocation or sample speaks of: its own price, else the
 * catalogue's, else none. */
void paid_own_price(struct book *b, bool has, dec usd_gpu_hour, struct sv currency,
		    struct attrib_paid *p);

/* post_notes.c: what closing a GPU or pool could not book as it was told; then what is said of
 * it. */
void post_count_rest(struct book *b, const struct attrib_rest *r);
int post_notes(struct book *b, struct err *err);
/* The report of the first new file of this batch, else NULL. */
struct feed_report *book_first_report(struct book *b);
/* The new file of this batch that is this source, else NULL. */
struct book_file *book_file_of(const struct book *b, int64_t src);

/* overlap.c: says where bill lines without a machine may be time of recorded nodes. */
int overlap_note(struct book *b, struct err *err);
/* again.c: -EINVAL for a log of requests that is in already; a note for one that overlaps. */
int again_refuse_requests(struct book *b, struct err *err);
/* watch.c */
int watch_load(struct book *b, const struct traits *t, struct witnesses **ret, struct err *err);
/* The end of the interval from from_ms on, at most to_ms, with one answer to who watched; quality:
 * of a watched one. */
int64_t watch_until(const struct watch_span *w, size_t n, int64_t from_ms, int64_t to_ms,
		    bool *ret_watched, enum quality *ret_quality);
/* Nodes that are watched otherwise than before are touched; says which lists are partial. */
int watch_mark(struct book *b, struct err *err);
/* What --covers and the map say of the file being read. */
int watch_covered(struct book *b, struct err *err);

/* post.c; key: of the scope; by: DIRTY_... */
int post_scope(struct book *b, const char *key, unsigned by, int64_t from_ms, int64_t to_ms,
	       struct err *err);

#endif
