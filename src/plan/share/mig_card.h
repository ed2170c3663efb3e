#ifndef TARE_PLAN_SHARE_MIG_CARD_H
#define TARE_PLAN_SHARE_MIG_CARD_H
/* The MIG geometry of a GPU model, from the catalogue's table into what opt/mig/mig.h works
 * with. */
#include "catalog/catalog.h"
#include "opt/mig/mig.h"

/*
 * The plain type of each number of compute slices: the one with least memory and without media
 * engines ("+me"). mem_bytes: [MIG_TYPES], or NULL. False where the model has no MIG or is not
 * known.
 */
bool mig_card_of(const struct catalog *cat, const char *gpu_model, struct mig_card *ret,
		 double *mem_bytes);

/*
 * All plain types whose places are known, those of mig_card_of() among them: ret_type
 * [pack->ntype], which of them each is. False where there are none.
 */
bool mig_card_all(const struct catalog *cat, const char *gpu_model, const struct mig_card *pack,
		  struct mig_card *ret, int *ret_type);

/* The same layout for NVIDIA's mig-parted, one device a GPU; see opt/share/share.h. instance [n]
 * by GPU. */
void mig_card_parted(const struct mig_card *c, size_t n, const struct mig_instance *instance,
		     struct str *out);

#endif
