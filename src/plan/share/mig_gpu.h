#ifndef TARE_PLAN_SHARE_MIG_GPU_H
#define TARE_PLAN_SHARE_MIG_GPU_H
/* The MIG geometry of a GPU model, from the catalogue's table into what opt/mig/mig.h works
 * with. */
#include "catalog/catalog.h"
#include "opt/mig/mig.h"

/*
 * The plain type of each number of compute slices: the one with least memory and without media
 * engines ("+me"). mem_bytes: [MIG_TYPES], or NULL. False where the model has no MIG or is not
 * known.
 */
bool mig_gpu_of(const struct catalog *cat, const char *gpu_model, struct mig_gpu *ret,
		double *mem_bytes);

/*
 * All plain types whose places are known, those with more memory for the same compute slices among
 * them ("1g.10gb" beside "1g.5gb"). mem_bytes: [MIG_TYPES], or NULL. False where there are none, or
 * more than MIG_TYPES.
 */
bool mig_gpu_all(const struct catalog *cat, const char *gpu_model, struct mig_gpu *ret,
		 double *mem_bytes);
/* Which type of `all` each type of `part` is: ret_type [part->ntype]. False where one is
 * missing. */
bool mig_gpu_within(const struct mig_gpu *part, const struct mig_gpu *all, int *ret_type);

/* The same layout for NVIDIA's mig-parted, one device a GPU; see opt/share/share.h. instance [n]
 * by GPU. */
void mig_gpu_parted(const struct mig_gpu *c, size_t n, const struct mig_instance *instance,
		    struct str *out);

#endif
