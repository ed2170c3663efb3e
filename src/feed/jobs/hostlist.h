#ifndef TARE_FEED_JOBS_HOSTLIST_H
#define TARE_FEED_JOBS_HOSTLIST_H
/*
 * Slurm's way to write many node names: "gpu-[01-04,07],login1,r[1-2]n[1-8]". Leading zeros are
 * kept ("01" to "04").
 */
#include "base/mem.h"
#include "base/str.h"

#define HOSTLIST_MAX 100000 /* names of one list */

/*
 * Expand; names are allocated in mem. Returns how many, 0 for an empty list, -EINVAL for one that
 * is none ("a[3-1]", "a[1"), -E2BIG for more than max names. *ret_name [n], in the order written.
 */
long hostlist_expand(struct arena *mem, struct sv list, size_t max, struct sv **ret_name);

#endif
