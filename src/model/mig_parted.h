#ifndef TARE_MODEL_MIG_PARTED_H
#define TARE_MODEL_MIG_PARTED_H
/* Configuration of NVIDIA's mig-parted (also the MIG manager of the GPU operator): a head, then a
 * part per device. name: a text of ours. */
#include "base/str.h"
#include "model/action.h"

void mig_parted_begin(struct str *out, const char *name);
void mig_parted_device(struct str *out, int device, const struct mig_part *part, size_t n);
#endif
