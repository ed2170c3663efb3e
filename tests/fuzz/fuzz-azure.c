/* Azure cost exports. */
#include "fuzz-bills.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_run("azure-cost", NULL, (struct sv){ (const char *)data, size });
	return 0;
}
