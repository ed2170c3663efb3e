#ifndef TARE_PROFILE_PROFILE_FIT_H
#define TARE_PROFILE_PROFILE_FIT_H
/* The cheapest GPU that would do what a run did, by the code of `tare plan gpu`. */
#include "profile/profile_after.h"

/* q: now, catalogue, store's folder and max_slowdown. Returns 0 or a negative errno. */
int profile_fit_make(const struct profile_after *q, const struct profile *p,
		     const struct profile_report *r, struct profile_fit *ret, struct err *err);
#endif
