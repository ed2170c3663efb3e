#ifndef TARE_PLAN_LEVER_LEVER_SPOT_H
#define TARE_PLAN_LEVER_LEVER_SPOT_H
/* What the parts of the spot lever share: jobs (lever_spot.c), services that people allowed
 * (spot_serve.c). */
#include "plan/lever/market.h"

/* ">20 %" a month has no upper end: drawn from 20 to 80 %, 50 % in the middle */
#define SPOT_OPEN_BAND_HI_PCT    80
#define SPOT_UNKNOWN_BAND_LO_PCT 20 /* where a provider says nothing: its worst band, assumed */

/*
 * Services with a rule spot_floor_frac: the replicas above that part go to spot where the floor
 * alone carried the load of the history: the 95th percentile of all replicas' utilisation, on the
 * floor alone, stays below serving_target_util_frac. A service whose load was not read stays, with
 * a note, and so does one without a market.
 */
void spot_serve_propose(const struct lever_in *in, struct rec_list *out);

#endif
