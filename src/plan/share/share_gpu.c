#include "plan/share/share_gpu.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "plan/share/mig_gpu.h"

bool share_gpu_of(const struct catalog *cat, const char *gpu_model, double mem_bytes,
		  struct plan_share_model *ret)
{
	static const char *const older[] = { "kepler", "maxwell", "pascal" }; /* than Volta */
	const struct gpu_spec *g = catalog_gpu(cat, sv_of(gpu_model));
	struct err ignored = { 0 };

	memset(ret, 0, sizeof *ret);
	ret->share.mem_bytes = !isnan(mem_bytes) || !g ? mem_bytes : g->memory_gib * 0x1p30;
	ret->share.volta_or_later = g && g->arch;
	for (size_t i = 0; i < sizeof older / sizeof *older && ret->share.volta_or_later; i++)
		ret->share.volta_or_later = !sv_ieq(sv_of(g->arch), sv_of(older[i]));
	if (mig_gpu_all(cat, gpu_model, &ret->table, ret->share.type_mem_bytes) &&
	    mig_geom_init(&ret->geom, &ret->table, &ignored) == 0)
		ret->share.mig = &ret->geom;
	ret->share.mig_unplaced = g && g->mig_compute_slices > 0 && !ret->share.mig;
	return ret->share.mem_bytes > 0;
}

const char *share_profile(struct arena *mem, const struct plan_share_model *gpu, int type)
{
	struct mig_part part[MIG_TYPES];
	int count[MIG_TYPES] = { 0 };

	count[type] = 1;
	size_t n = share_parts(mem, &gpu->table, count, part);
	assert(n == 1);
	return part[0].profile;
}

int share_threads_pct(double mine_frac, double all_frac, double factor)
{
	double pct = 100 * fmax(mine_frac * factor, mine_frac / fmax(all_frac, 1e-9));

	return (int)ceil(fmin(fmax(pct, 1), 100));
}
