#ifndef TARE_BOOK_ENERGY_H
#define TARE_BOOK_ENERGY_H
/* Measured energy of a GPU of owned hardware, or of all GPUs of a pool (energy.c says how).
 * Zero-initialise; energy_start() before each GPU or pool, energy_next() before a pool's GPUs. */
#include "base/mem.h"
#include "catalog/catalog.h"
#include "ledger/attrib.h"

struct energy_hour {
	int64_t hour_ms;
	double joules;
};
struct energy {
	VEC(struct energy_hour) hour;  /* GPU by GPU, in time order */
	VEC(struct attrib_entry) held; /* the GPU's entries: who held it when */
	int64_t last_ms;
};
void energy_start(struct energy *e);
void energy_next(struct energy *e);
void energy_free(struct energy *e);
void energy_sample(struct energy *e, const struct sample *s, struct sv mig);
void energy_held(struct energy *e, const struct attrib_entry *a);
/* One post() per hour and owner with its nano amount, one rest() per hour with what rounding left.
 * Returns what post() returned. */
int energy_post(struct energy *e, const struct owned_terms *t,
		int (*post)(void *ctx, const struct attrib_entry *e, int64_t nano, struct err *err),
		void (*rest)(void *ctx, int64_t hour_ms, int64_t nano, dec rest), void *ctx,
		struct err *err);
#endif
