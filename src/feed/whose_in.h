#ifndef TARE_FEED_WHOSE_IN_H
#define TARE_FEED_WHOSE_IN_H
/* Inside of whose: holders, and what the sources told. */
#include <pthread.h>

#include "feed/procinfo.h"
#include "feed/whose.h"

#define WHOSE_BUCKETS 1024
#define WHOSE_KEEP_MS (3600 * 1000LL)	  /* a holder nobody asked for this long goes */
#define WHOSE_STALE_MS (5 * 60 * 1000LL)  /* the last answer of a source that does not answer any more counts so long */
#define WHOSE_HOLDER_BYTES ((size_t)64 << 10) /* texts of one holder, old ones included */

enum holder_kind { HOLDER_SLURM, HOLDER_POD, HOLDER_CONTAINER, HOLDER_UNIT, HOLDER_USER };

struct holder {
	struct allocation a; /* first: a pointer to it is a pointer to the holder */
	struct holder *next;
	enum holder_kind kind;
	char *key;
	uint64_t hash;
	bool retired;	     /* a requeued job's former attempt: not found by its key any more */
	int64_t used_ms;
	struct arena mem;    /* texts; replaced ones stay, so that views in other hands stay good */
};

/* Set a text of a holder, cleaned; an equal one stays as it is, an empty one is left out. */
void holder_set(struct holder *h, struct sv *field, struct sv text);
/* The same, where the field is empty. */
void holder_fill(struct holder *h, struct sv *field, struct sv text);

struct proc_entry {
	struct proc_entry *next;
	int32_t pid;
	uint64_t start_ticks;
	struct holder *holder; /* NULL: cannot be found out */
	int64_t used_ms, read_ms;
	int reads;
};

struct whose {
	char *proc, *node;
	struct holder *holders[WHOSE_BUCKETS];
	struct proc_entry *procs[WHOSE_BUCKETS];
	struct procinfo info;
	struct { uint32_t uid; char name[CLEAN_MAX + 1]; } user[64]; /* names looked up lately */
	size_t nuser;
	long ticks_per_s;
	int64_t boot_ms; /* wall clock at which the machine started, for start_ticks; UNKNOWN_MS */
};

struct holder *whose_holder(struct whose *w, enum holder_kind kind, struct sv key, int64_t now_ms, bool *ret_new);

#endif
