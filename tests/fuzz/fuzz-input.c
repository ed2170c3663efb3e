/* Packed inputs: reading ends, with the same bytes whatever the pieces, or with an error. At most 8
 * MiB are unpacked. */
#include <stdlib.h>

#include "base/input.h"

static uint64_t run(const uint8_t *data, size_t size, size_t piece)
{
	static char buf[65536];
	struct input *in;
	struct sv look;
	struct err e;
	uint64_t sum = 1469598103934665603ULL, total = 0;
	int64_t got;
	if (input_from_memory("fuzz", data, size, &in, &e))
		return 0;
	if (piece % 2)
		input_peek(in, piece, &look, &e);
	while ((got = input_read(in, buf, piece, &e)) > 0 && total < (8 << 20)) {
		for (int64_t i = 0; i < got && total < (8 << 20); i++, total++)
			sum = (sum ^ (unsigned char)buf[i]) * 1099511628211ULL;
	}
	input_close(in);
	return got < 0 ? (uint64_t)got : sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (run(data, size, 65536) != run(data, size, 777))
		abort();
	return 0;
}
