/* Own measured speeds (speeds.csv): any bytes give an error with a sentence, or speeds above 0 of
 * GPUs that the catalogue knows, and a median of each. */
#include <math.h>
#include <stdlib.h>
#include "plan/lever/own_speed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct catalog *cat;
	struct gpu_speed_own own[TRANSFER_MAX_OWN];
	struct own_speeds s;
	struct input *in;
	struct err e = { 0 };
	double vram;

	if (!cat && catalog_open(NULL, &cat, &e) < 0)
		abort();
	if (input_from_memory("fuzz", data, size, &in, &e))
		return 0;
	err_clear(&e);
	int r = own_speeds_read(in, cat, &s, &e);
	if (r < 0 && !e.msg[0])
		abort();
	for (size_t i = 0; r == 0 && i < s.v.n; i++) {
		const struct own_speed *o = &s.v.v[i];
		if (!o->gpu || !*o->workload || !(o->speed > 0) || !(o->gpus > 0))
			abort();
		if (i > 8)
			continue; /* n squared */
		size_t n = own_speeds_of(&s, o->workload, own, &vram);
		if (!n || n > TRANSFER_MAX_OWN || vram <= 0)
			abort();
		for (size_t k = 0; k < n; k++)
			if (!(own[k].speed > 0))
				abort();
	}
	if (r == 0)
		own_speeds_free(&s);
	input_close(in);
	return 0;
}
