#include <stdlib.h>

#include "device/engine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (int list = 0; list < 2; list++) {
		struct arena mem = { 0 };
		struct engine *e = engine_new(&mem, list);
		struct engine_container *container;
		struct err err;
		size_t n;
		if (engine_feed(e, (struct sv){ (const char *)data, size }, &err) == 0 &&
		    engine_end(e, &container, &n, &err) == 0)
			for (size_t i = 0; i < n; i++)
				if (!container[i].id.n || container[i].ndevice > ENGINE_DEVICES)
					abort();
		engine_free(e);
		arena_free(&mem);
	}
	return 0;
}
