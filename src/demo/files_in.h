#ifndef TARE_DEMO_FILES_IN_H
#define TARE_DEMO_FILES_IN_H
/* Shared by the writers of the demo's files: text that is handed on in large pieces.
 * Zero-initialise but for out. */
#include "demo/fleet.h"

struct demo_text {
	const struct demo_out *out;
	struct str s;
	int rc; /* of the last put */
};
int demo_flush(struct demo_text *t, struct err *err);
int demo_finish(struct demo_text *t, struct err *err); /* flush and free */

int demo_write_bill(const struct demo_fleet *f, const struct demo_out *out, struct err *err);

#endif
