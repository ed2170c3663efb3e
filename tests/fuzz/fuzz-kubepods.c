#include <stdlib.h>

#include "device/kubepods.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena mem = { 0 };
	struct kubepods *k = kubepods_new(&mem);
	struct kube_pod *pod;
	struct err err;
	size_t n, half = size / 2;

	if (kubepods_feed(k, (struct sv){ (const char *)data, half }, &err) == 0 &&
	    kubepods_feed(k, (struct sv){ (const char *)data + half, size - half }, &err) == 0 &&
	    kubepods_end(k, &pod, &n, &err) == 0)
		for (size_t i = 0; i < n; i++)
			if (!pod[i].uid.n || pod[i].name.n > 256)
				abort();
	kubepods_free(k);
	arena_free(&mem);
	return 0;
}
