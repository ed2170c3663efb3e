/* Results of a trial (documents of tare profile, or a table of speeds): any bytes give an error
 * with a sentence, or runs on GPUs that the catalogue knows, with rates above 0 or none. */
#include <math.h>
#include <stdlib.h>
#include "answer/plan/plan_trial.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct catalog *cat;
	struct trial_runs runs = { 0 };
	struct arena mem = { 0 };
	struct input *in;
	struct err e = { 0 };

	if (!cat && catalog_open(NULL, &cat, &e) < 0)
		abort();
	if (input_from_memory("fuzz", data, size, &in, &e))
		return 0;
	err_clear(&e);
	int r = trial_results_read_from(in, cat, &mem, &runs, &e);
	if (r < 0 && !e.msg[0])
		abort();
	for (size_t i = 0; r >= 0 && i < runs.v.n; i++) {
		const struct trial_run *x = &runs.v.v[i];
		if (!x->gpu || !(x->gpus > 0) || !x->workload || !x->run ||
		    (!isnan(x->steps_s) && !(x->steps_s > 0)) ||
		    (!isnan(x->memory_bytes) && !(x->memory_bytes > 0)))
			abort();
	}
	vec_free(&runs.v);
	arena_free(&mem);
	input_close(in);
	return 0;
}
