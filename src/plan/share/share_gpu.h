#ifndef TARE_PLAN_SHARE_SHARE_GPU_H
#define TARE_PLAN_SHARE_SHARE_GPU_H
/* A GPU model of the catalogue as opt/share/share.h wants it. */
#include "catalog/catalog.h"
#include "opt/share/share.h"

struct plan_share_model {
	struct share_gpu share; /* share.mig points to geom, or is NULL */
	struct mig_gpu table;
	struct mig_geom geom;
};
/*
 * mem_bytes: what the driver says the GPU has; NAN: what the catalogue says. The struct stays
 * where it is. False where neither knows the memory.
 */
bool share_gpu_of(const struct catalog *cat, const char *gpu_model, double mem_bytes,
		  struct plan_share_model *ret);
/* "3g.20gb": the instance that a tenant of share_decide() gets. In mem. */
const char *share_profile(struct arena *mem, const struct plan_share_model *gpu, int type);
/*
 * Of an MPS client, per cent: its part by load, and at least what its highest load needs with room
 * for factor times it.
 */
int share_threads_pct(double mine_frac, double all_frac, double factor);
#endif
