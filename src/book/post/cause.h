#ifndef TARE_BOOK_CAUSE_H
#define TARE_BOOK_CAUSE_H
/*
 * Why was a GPU underused? The readings of the underused time of a (GPU, hour, owner) go to
 * opt/diagnose; its first finding that the ledger has a word for is the cause of those entries.
 * Where signals do not suffice the cause stays unknown. Times and amounts are not touched: entries
 * are renamed after they closed.
 *
 * Zero-initialise; cause_start() before each GPU.
 */
#include "base/mem.h"
#include "catalog/catalog.h"
#include "ledger/attrib.h"
#include "opt/diagnose/diagnose.h"

struct cause_hold {
	size_t owner;
	VEC(struct diag_step) step;
	bool serving, mig;
};
struct cause_row {
	int64_t hour_ms;
	size_t owner;
	enum cause cause;
};
struct causes {
	const struct attrib_conf *conf;
	const struct attrib_gpu *ledger_gpu;
	const struct gpu_spec *gpu; /* NULL: not known */
	size_t ialloc;              /* allocations taken so far */
	VEC(uint32_t) active;
	int64_t hour_ms;             /* being gathered */
	VEC(struct cause_hold) hold; /* [nhold] of it; the rest is memory to be used again */
	size_t nhold;
	VEC(struct cause_row) row; /* of hours that are over, in time order */
};
void cause_start(struct causes *c, const struct attrib_conf *conf,
		 const struct attrib_gpu *ledger_gpu, const struct gpu_spec *gpu);
void cause_sample(struct causes *c, const struct attrib_sample *s);
/* Of the underused time of an hour whose samples have all been told. */
enum cause cause_of_hour(struct causes *c, int64_t hour_ms, size_t owner);
void cause_free(struct causes *c);

#endif
