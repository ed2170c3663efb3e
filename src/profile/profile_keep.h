#ifndef TARE_PROFILE_PROFILE_KEEP_H
#define TARE_PROFILE_PROFILE_KEEP_H
/* How long the runs in DIR/profiles stay: section `profile:` of the settings (docs/CONFIG.md), and
 * the removal of those that are past it. */
#include <stdint.h>
#include "base/err.h"
#include "base/keep.h"
#include "base/setting.h"

/* default 90 days, 2 GiB; max_bytes 0 = any */
struct profile_keep {
	int64_t max_age_ms, max_bytes;
};
extern const struct setting profile_section;
/* path NULL: the default. Errors name file, line and key. */
int profile_keep_load(const char *path, struct profile_keep *ret, struct err *err);
/*
 * Remove runs that ended longer ago than max_age_ms, and the oldest beyond max_bytes; a run goes
 * with all of its files, and nothing that tare did not name. now_ms: of the file system's clock.
 * Runs written to within the last five minutes stay: others may be running now, and write once a
 * minute.
 */
int profile_keep_trim(const char *dir, const struct profile_keep *keep, int64_t now_ms,
		      struct keep_sums *ret, struct err *err);

#endif
