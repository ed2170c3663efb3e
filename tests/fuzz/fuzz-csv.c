/* CSV: whatever the bytes, rows have the header's number of cells, all of them readable; and the
 * buffer size changes nothing. */
#include <stdlib.h>

#include "base/tab.h"

static uint64_t run(const uint8_t *data, size_t size, size_t buf_bytes, bool ragged)
{
	static const struct sv null[] = { { "NULL", 4 } };
	struct tab_csv_opt o = { .ragged = ragged,
				 .buf_bytes = buf_bytes,
				 .max_row_bytes = 4096,
				 .null = null,
				 .nnull = 1 };
	struct input *in;
	struct tab *t;
	const struct sv *cell;
	struct err e;
	uint64_t sum = 0;
	int rc;
	if (input_from_memory("fuzz.csv", data, size, &in, &e))
		return 0;
	if (!tab_csv_open(in, &o, &t, &e)) {
		while ((rc = tab_next(t, &cell, &e)) == 1 || rc == -33 /* EDOM */) {
			sum = sum * 31 + (uint64_t)t->line;
			for (size_t i = 0; rc == 1 && i < t->ncol; i++)
				for (size_t k = 0; k < cell[i].n; k++)
					sum = sum * 31 + (unsigned char)cell[i].p[k];
		}
		sum += (uint64_t)(int64_t)rc;
		tab_close(t);
	}
	input_close(in);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t whole = run(data, size, 65536, false);
	for (size_t buf = 1; buf < 80; buf = buf * 2 + 1)
		if (run(data, size, buf, false) != whole)
			abort();
	run(data, size, 512, true);
	return 0;
}
