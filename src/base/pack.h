#ifndef TARE_BASE_PACK_H
#define TARE_BASE_PACK_H
/* Packing what goes out (reading packed input is base/input.h). */
#include "base/err.h"
#include "base/str.h"

/* One zstd frame, level 3, appended to out. */
int pack_zstd(struct sv text, struct str *out, struct err *err);

#endif
