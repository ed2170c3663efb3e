#ifndef TARE_OPT_SHARE_SHARE_H
#define TARE_OPT_SHARE_SHARE_H
/*
 * May these tenants share a GPU, and how: the whole GPU for one, MIG instances, MPS, or time
 * slices. Isolation and memory decide first, then latency; see share.c for the rules. And the
 * instances of a MIG layout in the order in which they are made.
 */
#include <stdbool.h>
#include <stddef.h>
#include "base/mem.h"
#include "model/action.h"
#include "model/model.h"
#include "opt/mig/mig.h"

/* Memory planned for a tenant: the 99th percentile seen, and a tenth for what was not seen. */
#define SHARE_MEM_FACTOR 1.1
/* Clients of an MPS server: 48 per GPU in the older documents, up to 60 in the current ones; the
 * smaller is kept. */
#define SHARE_MPS_CLIENTS 48

struct share_tenant {
	/* who is trusted: equal texts trust each other; "" or NULL trusts nobody */
	const char *team;
	double mem_p99_bytes;  /* NAN = not known: then nothing can be shared */
	double peak_util_frac; /* of a whole GPU in its busiest minutes, NAN = not known */
	bool latency_bound;    /* has an SLO: a neighbour must not take its turn */
	bool alone;            /* its owner wants no neighbour */
	/* its owner accepts tenants of other teams where the hardware isolates */
	bool with_others;
	/* a notebook or a development session: somebody types into it, and it may crash */
	bool interactive;
	/* replicas of the same one stay on different GPUs; "" or NULL: it is no replica */
	const char *service;
	/* its latency has a limit: by this part it may grow beside neighbours without a wall */
	bool promised;
	double room_frac;
};

struct share_gpu {
	double mem_bytes;
	bool volta_or_later;              /* MPS clients have address spaces of their own */
	const struct mig_geom *mig;       /* NULL: no MIG */
	double type_mem_bytes[MIG_TYPES]; /* memory of an instance of each type */
	/* it has MIG, and where instances may lie is not known: fewer GPUs may be possible */
	bool mig_unplaced;
};

struct share_answer {
	enum share_kind kind;  /* SHARE_WHOLE with several tenants: they cannot share */
	const char *why;       /* one sentence; static */
	int type[MIG_PER_GPU]; /* of each tenant, for SHARE_MIG */
};

/*
 * How `n` tenants may share one GPU: the strongest isolation that fits, MIG before MPS before time
 * slices. What is left of a MIG GPU goes to those with most load per slice.
 *   target_util_frac  most of the GPU that may be busy in the busiest minutes (0.80 to 0.85)
 * "They cannot" is an answer. O(types^n) in the worst case, n <= MIG_PER_GPU; a GPU takes few.
 */
void share_decide(const struct share_gpu *gpu, size_t n, const struct share_tenant *tenant,
		  double target_util_frac, struct share_answer *ret);

/* ---- many tenants on many GPUs (share_pack.c) ------------------------------------------- */

enum {
	SHARE_TENANTS = 512, /* of one question */
	SHARE_EXACT = 12,    /* up to so many the fewest GPUs are found by looking at all ways */
};

struct share_packed { /* a GPU */
	size_t n;
	size_t tenant[SHARE_MPS_CLIENTS]; /* [n] ascending */
	struct share_answer how;          /* how.type in the order of tenant */
};
struct share_packing {
	/* by their first tenant; share_packing_free() */
	VEC(struct share_packed) gpu;
	size_t lower_bound; /* fewer GPUs are impossible */
	bool proven;        /* no way has fewer */
};
/*
 * All tenants on as few of such GPUs as the rules of share_decide() allow, and of these on those
 * with the strongest isolation; see share_pack.c. A tenant that does not fit a GPU has one of its
 * own, as it has today. Deterministic. Returns 0, or -E2BIG above SHARE_TENANTS. O(3^n) up to
 * SHARE_EXACT tenants, else O(n x GPUs) calls of share_decide().
 */
int share_pack(const struct share_gpu *gpu, size_t n, const struct share_tenant *tenant,
	       double target_util_frac, struct share_packing *ret, struct err *err);
void share_packing_free(struct share_packing *p);

/* Bytes to plan for a reading of the 99th percentile. */
static inline double share_mem_need(double mem_p99_bytes)
{
	return mem_p99_bytes * SHARE_MEM_FACTOR;
}

/* The instances of a layout, largest first, the order in which they are made. count [MIG_TYPES];
 * ret has room for MIG_TYPES; names in a. Returns how many there are. */
size_t share_parts(struct arena *a, const struct mig_gpu *gpu, const int *count,
		   struct mig_part *ret);

#endif
