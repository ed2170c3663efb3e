/* Series of readings: any bytes give an error with a sentence, or rows in order of time with names
 * that exist. */
#include <stdlib.h>

#include "feed/planner/points.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct intern names = { 0 };
	struct points p;
	struct input *in;
	struct err e;
	int64_t nobody = 0;

	if (input_from_memory("fuzz.csv", data, size, &in, &e))
		return 0;
	err_clear(&e);
	int r = points_read(in, &names, &p, &e);
	if (r < 0 && (!e.msg[0] || p.v.n))
		abort();
	for (size_t i = 0; r == 0 && i < p.v.n; i++) {
		const struct point *x = &p.v.v[i];
		nobody += x->who == POINT_NOBODY;
		if ((x->who != POINT_NOBODY && x->who >= names.n) || !(x->value >= 0) ||
		    (i && x->t_ms < p.v.v[i - 1].t_ms))
			abort();
	}
	if (r == 0 && nobody != p.nobody)
		abort();
	points_free(&p);
	intern_free(&names);
	input_close(in);
	return 0;
}
