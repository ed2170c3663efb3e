/* Histories of spot markets: what is read has ticks, and counting them keeps turns within ticks. */
#include <stdlib.h>

#include "feed/planner/spot_trace.h"
#include "opt/spot/spot_market.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct spot_counts c = { 0 };
	struct spot_traces t;
	struct input *in;
	struct err e;
	if (input_from_memory("fuzz.csv", data, size, &in, &e))
		return 0;
	if (spot_traces_read(in, &t, &e) == 0) {
		if (!t.v.n)
			abort();
		for (size_t i = 0; i < t.v.n; i++) {
			if (!t.v.v[i].n || t.v.v[i].gap_ms < 1000 || t.v.v[i].overhead_ms < -1)
				abort();
			spot_counts_add(&c, t.v.v[i].n, t.v.v[i].has_spot);
		}
		for (int a = 0; a < 2; a++)
			for (int b = 0; b < SPOT_AGES; b++)
				if (c.turns[a][b] > c.ticks[a][b])
					abort();
		spot_traces_free(&t);
	}
	input_close(in);
	return 0;
}
