#ifndef TARE_LEDGER_GPU_NAMES_H
#define TARE_LEDGER_GPU_NAMES_H
/*
 * The GPUs of a node, and which of them a text means: records list uuids or say how many there are,
 * readings and jobs name a uuid or a place on the node. Entries have a GPU by its uuid where a
 * record says it, else as "node/place"; by the reading's own text where no record has it. Pure.
 */
#include "base/mem.h"
#include "model/model.h"

struct gpu_name {
	struct sv key;  /* as entries name it */
	struct sv uuid; /* {NULL,0} = not known */
	bool read;
};
struct gpu_names {
	struct sv node;   /* {NULL,0} = not known */
	size_t nrecorded; /* the first, in the order of their place */
	VEC(struct gpu_name) v;
};

/* The n GPUs that a record or bill gives the node; gpu_ids: as in struct node; name: what they are
 * called by, the node's where it has one. Texts must outlive g. */
void gpu_names_record(struct gpu_names *g, struct sv name, struct sv gpu_ids, size_t n,
		      struct arena *mem);
/* The same by the node's records, by from; bare: how many there are where none says it. */
void gpu_names_records(struct gpu_names *g, const struct node *node, size_t nnode, size_t bare,
		       struct arena *mem);
/* The one that a text names: a uuid, a place, "place/mig"; -1: none of them. */
long gpu_names_find(const struct gpu_names *g, struct sv text);
/* One more; node: of which it says that it is, or {NULL,0}. Returns its number. */
size_t gpu_names_add(struct gpu_names *g, struct sv node, struct sv text, struct arena *mem);
/* The one that a series of readings is of, one more where there is none. The node's series in the
 * order of their names: a uuid that no record knows is that of the next GPU which nothing was read
 * of. */
size_t gpu_names_read(struct gpu_names *g, struct sv text, struct arena *mem);
void gpu_names_free(struct gpu_names *g);

#endif
