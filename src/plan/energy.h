#ifndef TARE_PLAN_ENERGY_H
#define TARE_PLAN_ENERGY_H
/*
 * Energy and carbon beside dollars, of workloads and of what a plan changes.
 *
 *   measured   power readings of its GPUs x time x PUE, by its share of each (fleet_power.h)
 *   estimated  time of a job or service without such a reading: its own mean power, else the GPU's
 *              TDP. TDP is the most a GPU takes: the estimate is high
 *   unknown    the rest: in no sum
 *
 * PUE and places of one's own are settings (energy); a kWh weighs what carbon.csv says of the
 * region (a country's mean of a year), else nothing is known. GPUs alone: CPUs, memory, disks and
 * network of a machine are in no figure.
 */
#include "plan/plan.h"

/* Where figures come from. */
struct energy_base {
	const struct energy_conf *conf;
	const struct catalog *catalog;
	const struct carbon *carbon; /* [ncarbon] */
	size_t ncarbon;
};
struct energy_sum {
	double ms, measured_ms, estimated_ms; /* GPU time: all of it; that has a figure */
	double measured_kwh, estimated_kwh;
	double placed_kwh, co2_kg; /* of it with a known weight, and that */
};
/* Adds a work of the fleet's window. */
void energy_add(const struct energy_base *b, const struct workload *w, struct energy_sum *to);
/* NAN where nothing is known. */
double energy_kwh(const struct energy_sum *s);
double energy_co2_kg(const struct energy_sum *s);

/* What is saved a month; NAN: not known of anything that is changed. */
struct energy_saved {
	double kwh, co2_kg;
	double known_frac; /* of the GPU time that is changed */
};
/*
 * Of each item of the plan in its order, ret [p->rec.n], and of all together. Work is conserved:
 * GPU time that goes away saves what the GPU takes when idle (read on the work itself, else on
 * others of its model), time that is added costs what the work takes. Work that moves to another
 * model: not known. Work that moves to another region weighs what it weighs there.
 */
void energy_of_plan(const struct energy_base *b, const struct plan *p, struct arena *mem,
		    struct energy_saved **ret, struct energy_saved *ret_all);
#endif
