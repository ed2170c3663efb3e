#ifndef TARE_SIM_SPOT_ZONES_SET_H
#define TARE_SIM_SPOT_ZONES_SET_H
/*
 * Which zones are worth having where a checkpoint costs money to another region: all of them, or
 * those of one region. A second region that is up when the first is not saves hours on demand, and
 * each way there and back is paid for; past some price of the transfer it is better not to have it
 * in the plan at all.
 *
 *   least over S in { all, each region }  of  mean over the histories of the cost of policy tare
 *                                             with the zones S, transfers included
 */
#include "opt/spot/spot_zones_tare.h"
#include "sim/spot_zones.h"

/*
 * region: [nzone] numbers of regions; ret_use: [nzone]. All where transfers are free or there is
 * one region. A plan for each set (spot_zone_plan_new(), whose errors these are) and a replay of
 * each history.
 */
int spot_zone_set(const struct spot_task *k, const struct spot_zone_known *known, const int *region,
		  double move_usd, bool *ret_use, struct err *err);

#endif
