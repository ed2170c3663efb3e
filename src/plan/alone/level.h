#ifndef TARE_PLAN_ALONE_LEVEL_H
#define TARE_PLAN_ALONE_LEVEL_H
/*
 * A change of level inside the history: a plan looks ahead from how it is since then.
 *
 *   A machine that nobody has held for so long that it may be stopped (unheld.h) stands idle from
 *   now on: what jobs on it cost before is the cost of its free time too. A machine that was given
 *   back permanently costs nothing any more: it was paid for plan.gates.stop_trial_days or longer,
 *   was held by nobody on its last day (one that goes with its last job comes with the next), has
 *   not been paid for as long, and none of its kind came to its cluster when it went or since. Of a
 *   machine of which nobody tells who held it the last day says nothing: there both times are
 *   stop_ready_days, and it never went and came back.
 *
 * Only amounts change; who held what and when stays. The sum over the fleet changes by the machines
 * that are gone, and a note says by how much. Where anything changes, fleet.past has it as it was
 * recorded. O(n log n + what is held on idle machines).
 */
#include "plan/lever/lever.h"

void level_make(struct fleet *f, const struct plan_conf *conf);

#endif
