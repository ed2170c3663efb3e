#ifndef TARE_PLAN_LEVER_SUSTAINED_H
#define TARE_PLAN_LEVER_SUSTAINED_H
/*
 * Google's sustained-use discount: a machine of N1, with its GPUs, costs less the larger a part of
 * the month it runs. Who switches it off pays more for the hours that are left:
 *
 *   p(u)   = mean price at a part u of the month: each quarter of it at 1, 0.8, 0.6, 0.4 of list
 *   s0     = min(1 - paid / list, 1 - p(u0)): of a discount below list no more than this one gives
 *   factor = (1 - s0 (1 - p(u1)) / (1 - p(u0))) / (1 - s0)
 *
 * Source: cloud.google.com/compute/docs/sustained-use-discounts. Bills say what was paid of list,
 * not for which reason: all of it, up to what the rule gives, is taken to be this discount.
 */
#include "plan/fleet/fleet.h"

/* The part of the window in which gpus_milli GPUs that were paid for gpu_ms ran, at most 1. */
double sustained_part(const struct fleet *f, int64_t gpu_ms, int64_t gpus_milli);
/*
 * What is left of a machine's cost is to be multiplied by, when it runs for the part `left` of the
 * hours that it had, `had` of the window: 1 or more; 1 where it has no such discount, or no bill
 * says so. w: time of the machine.
 */
double sustained_factor(const struct workload *w, double had, double left);

#endif
