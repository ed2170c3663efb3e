#ifndef TARE_ANSWER_ALERTS_ALERTS_WHOSE_H
#define TARE_ANSWER_ALERTS_ALERTS_WHOSE_H
/* Whose a GPU was, by the samples' own words, else by the allocations that name the GPU.
 * Zero-initialise. */
#include "base/mem.h"
#include "ledger/gpu_names.h"
#include "model/model.h"
#include "opt/alert/alert.h"

/* of a series, by start; vague: others may hold it too */
struct holds {
	VEC(const struct allocation *) v;
	size_t at;
	bool vague;
};
/* a[na] of the node by start, borrowed. gpus: of the node; all_milli: how many its newest record
 * says, 0 = not known. */
void holds_find(struct holds *h, const struct sample_key *k, const struct allocation *a, size_t na,
		const struct gpu_names *gpus, int64_t all_milli);
/* Fields and held at t, which only grows. model: of the node's GPUs, where nobody says it of this
 * one. */
void holds_put(struct holds *h, const struct sample_key *k, struct sv model, int64_t t,
	       struct alert_obs *o);
void holds_free(struct holds *h);

#endif
