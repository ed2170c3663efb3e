#ifndef TARE_DEVICE_WHOSE_IN_H
#define TARE_DEVICE_WHOSE_IN_H
/* Inside of whose: owners, and the answers of the sources. */
#include "base/mem.h"
#include "device/procinfo.h"
#include "device/whose.h"
#include "device/whose_ask.h"

#define WHOSE_BUCKETS 1024
#define WHOSE_KEEP_MS (3600 * 1000LL) /* an owner nobody asked for this long goes */
/* the last answer of a source that does not answer any more counts so long */
#define WHOSE_STALE_MS (5 * 60 * 1000LL)
/* a process waits so long for a source to name its job, pod or container */
#define WHOSE_PENDING_MS 3000
/* rounds for newcomers are so far apart: whoever starts many must not make us ask all the time */
#define WHOSE_HURRY_MS    2000
#define WHOSE_FIRST_MS    2000 /* the first call waits so long for the first answers */
#define WHOSE_OWNER_BYTES ((size_t)64 << 10) /* texts of one owner, old ones included */

enum owner_is { OWNER_IS_SLURM, OWNER_IS_POD, OWNER_IS_CONTAINER, OWNER_IS_UNIT, OWNER_IS_USER };

struct proc_owner {
	struct allocation a; /* first: a pointer to it is a pointer to the holder */
	struct proc_owner *next;
	enum owner_is kind;
	char *key;
	uint64_t hash;
	bool retired;   /* a requeued job's former attempt: not found by its key any more */
	bool confirmed; /* its source has named it: who it is, is sure */
	int64_t used_ms;
	struct arena mem; /* texts; replaced ones stay, so that views in other hands stay good */
};

/* Set a text of an owner, cleaned; an equal one stays as it is, an empty one is left out. */
void owner_set(struct proc_owner *h, struct sv *field, struct sv text);
/* The same, where the field is empty. */
void owner_fill(struct proc_owner *h, struct sv *field, struct sv text);

struct proc_entry {
	struct proc_entry *next;
	int32_t pid;
	uint64_t start_ticks;
	struct proc_owner *owner; /* NULL: cannot be found out */
	int64_t used_ms, read_ms;
	int reads;
	int64_t pending_ms; /* since when it waits for a source, UNKNOWN_MS: does not */
	uint64_t pending_round;
};

struct whose {
	char *proc, *node;
	struct proc_owner *owners[WHOSE_BUCKETS];
	struct proc_entry *procs[WHOSE_BUCKETS];
	struct procinfo info;
	struct {
		uint32_t uid;
		int64_t again_ms; /* it had no name: when it is asked for again; INT64_MAX */
		char name[CLEAN_MAX + 1];
	} user[64]; /* names looked up lately */
	size_t nuser;
	struct asker *asker;
	int64_t refresh_ms, poked_ms;
	uint64_t poked;                   /* number of the round last asked for */
	bool wait, met;                   /* met: the first round was waited for */
	bool hurry;                       /* a new process waits for its source to name its owner */
	struct ask_answer *answer[ASK_N]; /* the last good answer, NULL = none */
	char why[ASK_N][200];             /* of the last try, good or not */
	bool works[ASK_N];
	VEC(struct whose_hold) hold;
	struct arena hold_mem;
	long ticks_per_s;
	int64_t boot_ms; /* wall clock at which the machine started, for start_ticks; UNKNOWN_MS */
};

/* Read the answers that came since, and have asked again what is due. */
void whose_refresh(struct whose *w, int64_t now_ms);
/* The good answer of a source, while it counts; NULL: not known. */
const struct ask_answer *whose_answer(const struct whose *w, enum ask_source s, int64_t now_ms);
const struct slurm_job *whose_find_job(const struct whose *w, int64_t id, int64_t now_ms);
const struct kube_pod *whose_find_pod(const struct whose *w, struct sv uid, int64_t now_ms);
const struct engine_container *whose_find_container(const struct whose *w, struct sv id,
						    int64_t now_ms);
void owner_set_job(struct whose *w, struct proc_owner *h, const struct slurm_job *j);
void owner_set_pod(struct proc_owner *h, const struct kube_pod *p);
void owner_set_container(struct proc_owner *h, const struct engine_container *b);

struct proc_owner *whose_owner(struct whose *w, enum owner_is kind, struct sv key, int64_t now_ms,
			       bool *ret_new);

#endif
