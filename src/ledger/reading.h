#ifndef TARE_LEDGER_READING_H
#define TARE_LEDGER_READING_H
/*
 * What one reading of a GPU says, by the thresholds of the settings (docs/LEDGER.md, States).
 * Pure; the ledger and the watch of a live machine share it, so that a second is called the same by
 * both.
 */
#include "ledger/attrib.h"

enum reading_class {
	READ_NONE,
	READ_BUSY,
	READ_UNDERUSED,
	READ_STALLED,
	READ_HELD,
	READ_HELD_NO_MEMORY,
	READ_EMPTY
};

struct reading {
	enum reading_class class;
	bool estimated;   /* from a second signal, or against one */
	int32_t util_ppm; /* valid unless READ_NONE */
};

/* mem_total_bytes, tdp_w: of the model, NAN = not known; a total in the sample wins. */
struct reading reading_of(const struct attrib_conf *conf, double mem_total_bytes, double tdp_w,
			  const struct sample *s);
/* State and cause where no allocation tells more. */
void reading_state(const struct reading *r, enum state *ret_state, enum cause *ret_cause);

#endif
