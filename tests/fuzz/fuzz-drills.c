/* Restore drills (drills.jsonl): any bytes give drills that say of themselves whether they
 * passed, and counts and times from 0 on; what cannot be read is counted. */
#include <math.h>
#include <stdlib.h>
#include "plan/proof/drill.h"

static bool is_count(int64_t v)
{
	return v >= 0 || v == UNKNOWN_I64;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct drills d;
	struct input *in;
	struct err e = { 0 };

	if (input_from_memory("fuzz", data, size, &in, &e))
		return 0;
	err_clear(&e);
	int r = drills_read(in, &d, &e);
	if (r < 0 && !e.msg[0])
		abort();
	for (size_t i = 0; r == 0 && i < d.v.n; i++) {
		const struct drill *x = &d.v.v[i];
		bool told = !strcmp(x->verdict, "passed");
		if (x->passed != told || x->gpus < 0 || x->machines < 0)
			abort();
		if (!is_count(x->step_saved) || !is_count(x->steps_redone))
			abort();
		if (x->save_s < 0 || x->restart_s < 0 || x->lost_s < 0)
			abort();
	}
	if (r == 0)
		drills_free(&d);
	input_close(in);
	return 0;
}
