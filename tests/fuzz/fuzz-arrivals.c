/* Traces of requests: any bytes give an error with a sentence, or times in order from 0. */
#include <math.h>
#include <stdlib.h>

#include "feed/planner/arrivals.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arrivals a;
	struct input *in;
	struct err e;

	if (input_from_memory("fuzz.csv", data, size, &in, &e))
		return 0;
	err_clear(&e);
	int r = arrivals_read(in, &a, &e);
	if (r < 0 ? !e.msg[0] || a.t_ms.n : !a.t_ms.n || a.t_ms.v[0] != 0)
		abort();
	for (size_t i = 1; r == 0 && i < a.t_ms.n; i++)
		if (!(isfinite(a.t_ms.v[i]) && a.t_ms.v[i] >= a.t_ms.v[i - 1]))
			abort();
	arrivals_free(&a);
	input_close(in);
	return 0;
}
