/* EC2's spot price history, XML. */
#include "fuzz-prices.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_world w = { 0 };
	fuzz_start(&w);
	aws_spot_parse(&w.f, "us-east-1", FUZZ_TEXT(data, size), &w.next, &w.err);
	fuzz_stop(&w);
	return 0;
}
