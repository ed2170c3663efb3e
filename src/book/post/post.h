#ifndef TARE_BOOK_POST_H
#define TARE_BOOK_POST_H
/* A scope being posted: what post.c (the whole), hold.c (who holds which GPU) and entry.c (entries
 * and remainders) share. */
#include <string.h>

#include "book/post/cause.h"
#include "book/energy.h"
#include "book/in.h"
#include "ledger/gpu_names.h"

struct holding { /* an allocation and the GPUs of this node it holds */
	struct attrib_alloc a;
	const struct allocation *raw;
	size_t *gpu; /* [ngpu]; ncard 0 = not bound to GPUs */
	size_t ngpu;
	bool open; /* it names none: the first nread are named by readings, the rest chosen */
	size_t nread;
	size_t nth;  /* of the instances of one job, which are held one by one */
	bool *doubt; /* [ngpu] another GPU fits as well and reads otherwise; or NULL */
};

struct post_gpu {
	VEC(size_t) series;
};

struct priced_by {
	enum priced priced;
	struct billed_as charge;
};

/* A rider of an hour of the scope, and what entries have of it so far (rider.c). */
struct riding {
	int64_t hour_ms;
	int tag; /* of the time it rides on */
	struct sv currency;
	struct paid_rider r;
	int64_t total_ms, seen_ms; /* GPU-milliseconds of that time, and of its entries */
	int64_t given[BASIS_N], given_ms;
	struct attrib_entry last;
	bool any;
};
struct credited { /* a part of a credit */
	size_t riding, owner;
	int64_t nano[BASIS_N];
};

struct post {
	struct book *book;
	struct arena mem;
	struct scope scope;
	const char *key; /* its key */
	const struct trait *trait;
	unsigned touched_by;    /* DIRTY_... */
	int64_t from_ms, to_ms; /* of which jobs are loaded; post_window.c */
	struct span computed;   /* within it: of which entries are computed */
	int64_t read_from_ms;   /* the start of the first reading that reaches into that */
	struct span written;    /* within that: which are reversed and added */
	/* No record says when it was paid, bills do: of a month that has lines of it all of its
	 * paid time is known, of another nothing. So it is posted by whole months. */
	bool by_month;
	struct node *node;
	size_t nnode;
	struct bill_line *line;
	size_t nline;
	struct allocation *alloc;
	size_t nalloc;
	struct series *series;
	size_t nseries;
	size_t nloose; /* the last of them name no machine */
	struct paid_node paid;
	struct paid_node *machine; /* [nmachine] of a pool: what its own is the sum of */
	size_t nmachine;
	const struct gpu_spec *gpu;
	VEC(const struct owner *) owner;
	VEC(struct sv) served; /* [owner.n] the service that this owner's job serves */
	/* [owner.n] of time that lines with different tags charge: whose it is; else NULL */
	VEC(const struct paid_share *) shares;
	/* what entries say of their money, by the tag of their interval of paid time; sorted */
	VEC(struct priced_by) priced_by;
	VEC(struct riding) riding; /* sorted */
	VEC(struct credited) credited;
	VEC(struct holding) hold;
	struct gpu_names names;
	VEC(struct post_gpu) gpus; /* [names.v.n] */
	size_t *series_owner;      /* [nseries] */
	const char **run;          /* [nalloc] */
	/* being posted */
	const struct post_gpu *posted; /* in gpus; NULL: none, or a pool */
	VEC(struct remainder) rest;    /* per day, currency, basis */
	struct sv rest_currency;
	struct energy energy;
	struct causes causes;             /* of underused time */
	const struct owned_conf *metered; /* owned hardware whose energy is measured, or NULL */
};

/* post.c */
void post_currencies(const struct post *p, struct intern *ret);
/* What incidents say of the time when nobody holds GPU i, of each of its uuids while it was
 * there. */
size_t post_unheld(struct post *p, size_t i, const struct incidents *in,
		   const struct attrib_told **ret);
/* The paid intervals of GPU i of n in one currency, as attribution takes them; n 0: of the whole
 * node as a pool. ret [p->paid.piece.n]; returns how many. */
size_t post_intervals(struct post *p, struct sv currency, size_t n, size_t i,
		      struct attrib_paid *ret);
/* A GPU with its readings; g: its paid time and who held it, the rest is written. */
int post_read_gpu(struct post *p, struct attrib_gpu *g, const struct post_gpu *c,
		  const struct attrib_out *out, struct err *err);
/* post_reads.c: what readings say of the time of a pool's machines, in p->mem; paid [npaid]: of the
 * pool, in one currency, as attrib_pool() takes them. */
int post_pool_seen(struct post *p, const struct attrib_paid *paid, size_t npaid,
		   const struct attrib_seen **ret, size_t *ret_n, struct err *err);
/* post_window.c */
void post_set_window(struct post *p, int64_t from_ms, int64_t to_ms);
/* Jobs, bill lines, records and series of the days that the window's facts change, and which days
 * these are: from_ms and to_ms are those of the facts before, and of the jobs behind. */
int post_load(struct post *p, struct err *err);
/* post_pool.c */
int post_recorded_pool(struct post *p, struct err *err);
int post_unrecorded_pool(struct post *p, struct err *err);

/* hold.c */
/* who answers for the time nobody holds: the tags of the bill's resource, else ATTRIB_NOBODY */
size_t hold_unheld_owner(struct post *p, const struct payer *payer, struct sv tags);
/* the same of time that lines with different tags charge: one owner for all of them, whose entries
 * entry.c divides */
size_t hold_shared_owner(struct post *p, struct paid_share *share);
/* its end, or the end of the data */
int64_t hold_running_end(const struct post *p, const struct allocation *a);
/* Counts names of jobs in readings of GPUs that another job holds, and that no job there has. */
void post_count_misnamed(struct post *p);
/* Counts GPUs that are read, beyond the n that its records or bill give the machine. */
void post_count_beyond(struct post *p, size_t n);
/* p->alloc -> p->hold: owners, shares, end states; the newest import of each */
void hold_take(struct post *p);
/* the GPUs that a record or bill gives the node */
void hold_gpus_of_node(struct post *p);
/* the GPUs that telemetry names, and whose series they are */
void hold_gpus_of_series(struct post *p);
/* the further ones that only jobs name, where no record says how many there are */
void hold_gpus_of_jobs(struct post *p);
/* Holdings to GPUs; *ret_by_gpu: whether the node's time can be closed GPU by GPU. If not nobody
 * tells the GPUs apart: it is a pool. */
int hold_bind(struct post *p, bool recorded, bool *ret_by_gpu, struct err *err);
/* Of a pool without a record: holdings to the GPUs that their job names or whose readings name it;
 * the others name none. */
void hold_bind_read(struct post *p);
bool hold_has_gpu(const struct holding *h, size_t gpu);
/* Is the GPU, by its readings in that time, in MIG mode where this holds an instance, and not where
 * it does not? */
bool hold_fits_mode(const struct post *p, const struct holding *h, size_t gpu);
/* [p->hold.n]; returns how many */
size_t hold_of_gpu(const struct post *p, size_t gpu, struct attrib_alloc *ret);

/* entry.c */
/* What all entries of the GPU or pool being posted share. */
struct entry entry_of(const struct post *p, enum kind kind, const struct attrib_entry *a);
/* by its owner, or those who share it */
int entry_add(struct post *p, struct entry *e, size_t owner, struct err *err);
bool entry_is_written(const struct post *p, int64_t at_ms);
/* rider.c: which there are, once charges are numbered */
void rider_start(struct post *p);
/* Adds what riders have of the entry, and takes it off. */
int rider_emit(struct post *p, const struct attrib_entry *a, struct entry *e, struct err *err);
/* The credits, and what is left of the others; after the last entry. */
int rider_end(struct post *p, struct err *err);

/* number what the paid pieces are charged as: once, before the first entry */
void entry_number_charges(struct post *p);
/* the tag of an interval: its number */
int entry_tag(const struct post *p, const struct paid_interval *q);
int entry_bare_tag(const struct post *p, enum priced priced); /* of time that no bill has */
/* ctx of the callbacks is the struct post */
int entry_emit(void *ctx, const struct attrib_entry *a, struct err *err);
int entry_energy(void *ctx, const struct attrib_entry *a, int64_t nano, struct err *err);
int entry_extra(struct post *p, const struct paid_extra *x, struct err *err);
void entry_rest_energy(void *ctx, int64_t hour_ms, int64_t nano, dec rest);
/* before each attribution */
void entry_start(struct post *p, struct attrib_rest *r, struct sv currency);
/* writes down for what time a GPU (its number) or pool (-1) was paid */
int entry_paid(struct post *p, long gpu, const struct attrib_paid *paid, size_t n, struct err *err);
/* a remainder that bill lines left */
int entry_remainder(struct post *p, const struct remainder *r, struct err *err);
/* writes the remainders since the last flush */
int entry_flush(struct post *p, struct err *err);

#endif
