/* JSON lines: all cells are readable, and reading goes on behind bad rows to the end. */
#include <stdlib.h>

#include "base/tab.h"

static volatile unsigned sink;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input *in;
	struct tab *t;
	const struct sv *cell;
	struct err e;
	int rc;
	if (input_from_memory("fuzz.jsonl", data, size, &in, &e))
		return 0;
	if (!tab_jsonl_open(in, &t, &e)) {
		while ((rc = tab_next(t, &cell, &e)) == 1 || rc == -33 /* EDOM */)
			for (size_t i = 0; rc == 1 && i < t->ncol; i++)
				for (size_t k = 0; k < cell[i].n; k++)
					sink += (unsigned char)cell[i].p[k];
		tab_close(t);
	}
	input_close(in);
	return 0;
}
