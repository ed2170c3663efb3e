#ifndef TARE_BASE_KEEP_H
#define TARE_BASE_KEEP_H
/*
 * A folder that does not grow for ever: its oldest entries go. An entry is all plain files whose
 * names are the same up to the first dot ("p-1.json", "p-1.host.csv.zst"): it is as old as the
 * newest of them, and goes whole. Folders, links and what is not ours is not looked at.
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"

struct keep_opt {
	/* did we write it, by its name? what is not ours is not looked at; NULL = all */
	bool (*ours)(const char *name);
	int64_t now_ms;     /* of the clock that the file system goes by */
	int64_t max_age_ms; /* since its last change; 0 = any */
	int64_t max_bytes;  /* of all together; 0 = any */
	/* what changed within this time is in use: it stays and counts; 0: nothing is, whatever
	 * now_ms */
	int64_t spare_ms;
};
struct keep_sums {
	int64_t entries, bytes, gone, gone_bytes;
}; /* what is left; what went */
/* 0 also where there is no such folder. What cannot be removed stays and counts. ret may be NULL.
 * O(files). */
int keep_trim(const char *dir, const struct keep_opt *opt, struct keep_sums *ret, struct err *err);

#endif
