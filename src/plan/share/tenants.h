#ifndef TARE_PLAN_SHARE_TENANTS_H
#define TARE_PLAN_SHARE_TENANTS_H
/*
 * Who may be asked to share a GPU: services, notebooks, and what is held day and night and used
 * some hours a day (a development box), of those that run at the end of the history.
 */
#include "opt/share/share.h"
#include "plan/fleet/fleet.h"
#include "plan/plan_conf.h"

struct tenant { /* a replica, or a session; on a whole GPU */
	const struct workload *workload;
	const char *name;
	bool service;
	/* a service counts by the 99th percentile of its readings, as a GPU must hold in its
	 * busiest minutes; a session by the 95th, as its owner waits for a turn. NAN: not known */
	double load_frac;
	/* of a service: the 99th percentile of its log, and what was promised, else what the
	 * settings let it grow to (slo_p99_growth_frac); NAN: no log, no latency in it */
	double p99_ms, limit_ms;
	enum plan_share share_with;
	bool told;            /* share_with was said */
	double nano_gpu_hour; /* what its GPU costs now; NAN: not known */
	bool fills_machine;   /* its machine has no other GPUs */
};
struct tenant_list {
	VEC(struct tenant) v;
	VEC(const struct workload *) parts; /* left out: on several GPUs, or a part of one */
};
/* Works lie in f. tenants_free() takes it back. O(works + minutes of their logs). */
void tenants_of(const struct fleet *f, const struct plan_conf *conf, struct tenant_list *ret);
void tenants_free(struct tenant_list *t);
/*
 * What opt/share/share.h asks about it; owner: who is trusted. The rule of the settings stands over
 * `across`: whether owners who differ share where nobody said.
 */
struct share_tenant tenant_asked(const struct tenant *t, const char *owner, bool across);
#endif
