#include <stdlib.h>

#include "device/podres.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena mem = { 0 };
	struct podres_device d;
	struct podres *r;
	struct err err;
	size_t n;

	if (podres_parse(&mem, (struct sv){ (const char *)data, size }, &r, &n, &err) == 0)
		for (size_t i = 0; i < n; i++)
			podres_device_of(r[i].resource, r[i].device, &d);
	podres_device_of(SV("nvidia.com/gpu"), (struct sv){ (const char *)data, size }, &d);
	arena_free(&mem);
	return 0;
}
