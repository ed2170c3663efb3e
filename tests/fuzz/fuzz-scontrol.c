#include <stdlib.h>

#include "device/slurm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sv text = { (const char *)data, size };
	struct slurm_device d[SLURM_IDX_MAX];
	struct slurm_job *all, j = { .id = 23 };
	struct slurm_gres g[8];
	struct arena mem = { 0 };
	int minor, gi;

	slurm_scontrol_parse(&mem, text, "gpu1", &j);
	slurm_squeue_parse(&mem, text, &all);
	if (slurm_gres_parse(text, g, 8) > 8 ||
	    slurm_gres_conf(text, "gpu1", d, SLURM_IDX_MAX) > SLURM_IDX_MAX)
		abort();
	slurm_mig_minor(text, 66, &minor, &gi);
	arena_free(&mem);
	return 0;
}
