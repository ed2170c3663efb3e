#ifndef TARE_RUN_RUN_SEEN_H
#define TARE_RUN_RUN_SEEN_H
/* What `tare run` left in a folder of checkpoints, for whoever plans the job again. */
#include "base/err.h"
#include "base/mem.h"
#include "opt/spot/spot_seen.h"

/* Files measured (run/run_known.h) and attempts.csv; spells are in mem. -ENOENT where the folder
 * has neither, -EBADMSG where they make no sense. */
int run_seen_read(const char *dir, struct arena *mem, struct spot_seen *ret, struct err *err);
#endif
