/* Spellings of GPUs, MIG profiles and instance types. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include "catalog/catalog.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct catalog *c;
	struct err err;
	struct sv s = { size ? (const char *)data : "", size };
	if (!c && catalog_open(NULL, &c, &err) < 0)
		abort();
	const struct gpu_spec *g = catalog_gpu(c, s);
	assert(!g || catalog_gpu(c, sv_of(g->model)) == g);
	const struct instance_type *t = catalog_instance(c, SV_NULL, s);
	assert(!t || catalog_instance(c, sv_of(t->provider), sv_of(t->name)) == t);
	catalog_mig(c, "A100-SXM4-80GB", s);
	return 0;
}
