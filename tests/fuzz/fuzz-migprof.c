/* Profiles and tables of `tare plan mig`: any bytes give an error with a sentence, or numbers
 * within their ranges. */
#include <math.h>
#include <stdlib.h>

#include "feed/planner/migprof.h"

static void profile(const uint8_t *data, size_t size)
{
	struct migprof p;
	struct input *in;
	struct err e;

	if (input_from_memory("fuzz.csv", data, size, &in, &e))
		return;
	err_clear(&e);
	int r = migprof_read(in, &p, &e);
	if (r < 0 && (!e.msg[0] || p.row.n))
		abort();
	for (size_t i = 0; r == 0 && i < p.row.n; i++) {
		const struct migprof_row *w = &p.row.v[i];
		if (w->slices < 1 || w->slices > 64 || w->batch < 1 || w->procs < 1 ||
		    !(w->rate_s >= 0) || !(w->latency_ms >= 0))
			abort();
	}
	migprof_free(&p);
	input_close(in);
}

static void table(const uint8_t *data, size_t size)
{
	struct migtab t;
	struct input *in;
	struct err e;

	if (input_from_memory("fuzz.csv", data, size, &in, &e))
		return;
	err_clear(&e);
	int r = migtab_read(in, &t, &e);
	if (r < 0 ? !e.msg[0] || t.v : !t.nrow || !t.ncol)
		abort();
	for (size_t i = 0; r == 0 && i < t.nrow * t.ncol; i++)
		if (!isnan(t.v[i]) && !(t.v[i] >= 0 && t.v[i] <= 1e12))
			abort();
	migtab_free(&t);
	input_close(in);
}

static void running(const uint8_t *data, size_t size)
{
	struct mig_running t;
	struct input *in;
	struct err e;

	if (input_from_memory("fuzz.csv", data, size, &in, &e))
		return;
	err_clear(&e);
	int r = mig_running_read(in, &t, &e);
	if (r < 0 ? !e.msg[0] || t.row.n : !t.row.n)
		abort();
	for (size_t i = 0; r == 0 && i < t.row.n; i++) {
		const struct mig_running_row *x = &t.row.v[i];
		if (x->gpu < 0 || x->start < 0 || x->start > 15 || !*x->profile || !*x->service)
			abort();
	}
	mig_running_free(&t);
	input_close(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	profile(data, size);
	table(data, size);
	running(data, size);
	return 0;
}
