#ifndef TARE_MODEL_SCOPE_H
#define TARE_MODEL_SCOPE_H
/*
 * A scope is what is closed and rebuilt together. Each kind is paid, held and read in its own way;
 * the key is its name in the store, and no two scopes have the same.
 *
 *   node      gpu-01                a machine with a name: its records, bill lines, jobs, samples
 *   pool      pool:CLUSTER/MODEL    GPUs whose jobs name no machine
 *   GPU      gpu:GPU-604a...       a GPU that samples name without a machine
 *   resource  res:PROVIDER/ID       a machine that only a bill names
 *   bill      bill:BATCH/FILE       bill lines that are no time of a machine, posted as they came
 *
 * A node whose name begins like another kind's key is "node:" and its name; in a cluster's or
 * provider's name % and / are %25 and %2F.
 */
#include "base/mem.h"

enum scope_kind { SCOPE_NODE, SCOPE_POOL, SCOPE_GPU, SCOPE_RESOURCE, SCOPE_BILL };

struct scope {
	enum scope_kind kind;
	struct sv name;               /* node; GPU; id of the resource */
	struct sv provider;           /* of a resource */
	struct sv cluster, gpu_model; /* of a pool; empty = not known */
	int64_t batch, file;          /* of bill lines */
};

static inline struct scope scope_node(struct sv node)
{
	return (struct scope){ .kind = SCOPE_NODE, .name = node };
}

/* Appends the key. */
void scope_key(const struct scope *s, struct str *out);
/* The key in the arena, terminated. */
const char *scope_key_in(const struct scope *s, struct arena *mem);
/* The scope of a key; its texts are views of the key or in mem. Keys of older stores are read too
 * ("res:ID"). */
struct scope scope_of_key(struct sv key, struct arena *mem);

#endif
