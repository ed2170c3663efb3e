#include <stdlib.h>

#include "feed/jobs/hostlist.h"
#include "feed/jobs/sacct.h"
#include "ledger/share.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sv text = { (const char *)data, size };
	struct arena mem = { 0 };
	struct tres_gpus t;
	struct sv *name, model, profile;
	long n = hostlist_expand(&mem, text, 1000, &name);

	if (n > 1000)
		abort();
	for (long i = 0; i < n; i++)
		if (!name[i].p || memchr(name[i].p, '[', name[i].n))
			abort();
	if (tres_parse(text, &t) == 0)
		for (size_t i = 0; i < t.ntype; i++)
			share_mig_name(t.type[i].type, &model, &profile);
	arena_free(&mem);
	return 0;
}
