/* Tags of bills: any text is read or gives none; what was read reads the same again. */
#include <stdlib.h>

#include "ledger/owner.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct conf c;
	conf_load(NULL, &c, NULL);
	struct owner_resolver *r = owner_resolver_new(&c);
	struct owner_evidence e = { .tags = { (const char *)p, n },
				    .duration_ms = UNKNOWN_MS,
				    .gpus_milli = UNKNOWN_I64 };
	const struct owner *o = owner_resolve(r, &e);
	struct sv once = owner_tags_normalise(r, e.tags);
	if (!sv_eq(o->tags, once) || !sv_eq(owner_tags_normalise(r, once), once))
		abort();
	owner_resolver_free(r);
	conf_free(&c);
	return 0;
}
