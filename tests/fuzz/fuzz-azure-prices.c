/* A page of Azure's retail prices. */
#include "fuzz-prices.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_world w = { 0 };
	fuzz_start(&w);
	azure_page_parse(&w.f, FUZZ_TEXT(data, size), &w.next, &w.err);
	fuzz_stop(&w);
	return 0;
}
