#ifndef TARE_OPT_SPOT_SPOT_SEEN_H
#define TARE_OPT_SPOT_SPOT_SEEN_H
/*
 * What past attempts of a job have shown of interruptions, and what of it counts for one place.
 *
 *   mean time between interruptions = (M + hours seen) / (1 + interruptions seen)
 *
 * a Gamma prior worth one interruption in M hours, and what was seen.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"

#define SPOT_PRIOR_H 24 /* where nothing was expected: an interruption a day */

struct spot_spell { /* an attempt of which it is known where it ran */
	int64_t ms;
	bool interrupted;
	const char *place; /* words joined by '/': region, zone, instance type ... */
};
struct spot_seen {
	bool known;
	int64_t attempts, interruptions;
	double hours, lost_h; /* lost_h: of those hours, not saved; NAN = not told */
	/* measured, of a checkpoint, and of a restart with the machine's boot; NAN */
	double stall_h, restart_h;
	const struct spot_spell *spell; /* [nspell]; the others count for every place */
	size_t nspell;
};

/* Hours, from what was expected before (24 where that is not > 0) and what was seen. */
double spot_mtbi_h(double before_h, double seen_h, int64_t interruptions);
/* Is it one of the words of the place? */
bool spot_place_has(const char *place, struct sv word);
/*
 * Of all of it what counts for one place: attempts that were there, and those of which nobody knows
 * where they were. there(ctx, place): is it this one? hours and interruptions are set, the rest is
 * as it was.
 */
void spot_seen_at(const struct spot_seen *all, bool (*there)(const void *ctx, const char *place),
		  const void *ctx, struct spot_seen *ret);
#endif
