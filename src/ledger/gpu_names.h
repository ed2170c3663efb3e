#ifndef TARE_LEDGER_GPU_NAMES_H
#define TARE_LEDGER_GPU_NAMES_H
/*
 * The GPUs of a node, and which of them a text means: records list uuids or say how many there are,
 * readings and jobs name a uuid or a place on the node. Entries have a GPU by its uuid where a
 * record says it, else as "node/place"; by the reading's own text where no record has it.
 *
 * A GPU that breaks is replaced, and an instance that was stopped comes back with others: one place
 * of the node has one uuid after the other. By records where these list them; else a uuid that has
 * no place left has that of one which was not read while it was. Pure.
 */
#include "base/mem.h"
#include "base/spans.h"
#include "model/model.h"

struct gpu_name {
	struct sv key;  /* as entries name it; of several the last */
	struct sv uuid; /* {NULL,0} = not known; of several the last */
};
/* A uuid at a place of the node. */
struct gpu_stay {
	struct sv uuid;
	size_t place;
	struct span there; /* by the record, else from its first to its last reading */
	bool recorded;
};
struct gpu_names {
	struct sv node;   /* {NULL,0} = not known */
	size_t nrecorded; /* the first, in the order of their place */
	VEC(struct gpu_name) v;
	VEC(struct gpu_stay) stay;
};

/* The n GPUs that the node has by its records, which come by from, or by its bill, where there are
 * none; name: what they are called by, the node's where it has one. Texts must outlive g. */
void gpu_names_record(struct gpu_names *g, struct sv name, const struct node *node, size_t nnode,
		      size_t n, struct arena *mem);
/* The same for as many as the last record says; bare: how many there are where none says it. */
void gpu_names_records(struct gpu_names *g, const struct node *node, size_t nnode, size_t bare,
		       struct arena *mem);
/* The one that a text names: a uuid, a place, "place/mig"; -1: none of them. */
long gpu_names_find(const struct gpu_names *g, struct sv text);
/* One more; node: of which it says that it is, or {NULL,0}. Returns its number. */
size_t gpu_names_add(struct gpu_names *g, struct sv node, struct sv text, struct arena *mem);
/* A series of readings. */
struct gpu_read {
	struct sv text;   /* which GPU it says it is of */
	struct span when; /* from its first reading to its last */
	size_t gpu;       /* returned: its number */
};
/* Which GPUs all the node's series are of; more where it has no place for one. */
void gpu_names_read(struct gpu_names *g, struct gpu_read *r, size_t n, struct arena *mem);
/* As entries of GPU i at that hour name it; *ret_until: the hour from which it may be another. */
struct sv gpu_names_key(const struct gpu_names *g, size_t i, int64_t hour_ms, int64_t *ret_until);
/* Its uuids by when they were there, {SV_NULL, i} where none is known, and that until the next of
 * them is: [g->stay.n + 1]; returns how many. */
size_t gpu_names_stays(const struct gpu_names *g, size_t i, struct gpu_stay *ret);
void gpu_names_free(struct gpu_names *g);

#endif
