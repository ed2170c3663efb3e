/* Tables of speeds that predictions are scored on: any bytes give an error with a sentence, or
 * speeds above 0 of GPUs that the catalogue knows. */
#include <stdlib.h>

#include "speedfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct catalog *cat;
	struct speed_file f;
	struct input *in;
	struct err e = { 0 };

	if (!cat && catalog_open(NULL, &cat, &e) < 0)
		abort();
	if (input_from_memory("fuzz", data, size, &in, &e))
		return 0;
	err_clear(&e);
	int r = speed_file_read(in, cat, &f, &e);
	if (r < 0 ? !e.msg[0] || f.row.n : !f.row.n)
		abort();
	for (size_t i = 0; r == 0 && i < f.row.n; i++) {
		const struct speed_row *w = &f.row.v[i];
		if (!w->gpu || !w->workload || !w->family || !w->submitter || !(w->speed > 0) ||
		    !(w->gpus > 0) || !(w->batch > 0) || !(w->workload_gpus > 0))
			abort();
	}
	if (r == 0)
		speed_file_free(&f);
	input_close(in);
	return 0;
}
