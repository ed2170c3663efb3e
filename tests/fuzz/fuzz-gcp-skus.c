/* A page of Google's SKUs, and the machines put together from it. */
#include "fuzz-prices.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_world w = { 0 };
	fuzz_start(&w);
	struct gcp_parts *g = gcp_parts_new(&w.f);
	if (gcp_parts_page(g, FUZZ_TEXT(data, size), &w.next, &w.err) == 0)
		gcp_parts_end(g, &w.err);
	gcp_parts_free(g);
	fuzz_stop(&w);
	return 0;
}
