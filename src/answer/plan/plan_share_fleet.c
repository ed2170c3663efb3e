/*
 * Tenants of the store's fleet (plan/share/tenants.h), and what is to be said of their GPUs.
 */
#include <math.h>
#include <string.h>

#include "answer/plan/plan_share_in.h"
#include "base/str.h"
#include "plan/share/tenants.h"
#include "plan/fleet/fleet_sources.h"
#include "plan/workload.h"

int share_ask_fleet(const struct plan_share_ask *q, struct share_asked_list *ret,
		    struct plan_share_answer *a, struct err *err)
{
	struct fleet f = { 0 };
	struct tenant_list t;
	const struct fleet_opt o = { .conf = q->ask.conf,
				     .catalog = q->ask.catalog,
				     .since_ms = q->ask.since_ms,
				     .until_ms = q->ask.until_ms };
	int r = fleet_load_known(q->ask.store, &o, &f, err);

	if (r < 0)
		return r;
	tenants_of(&f, q->conf, &t);
	a->currency = arena_sv(q->ask.mem, sv_of(text_or(f.currency, "")));
	for (size_t i = 0; i < t.v.n; i++) {
		const struct tenant *x = &t.v.v[i];
		struct arena *mem = q->ask.mem;
		const struct workload *w = x->workload;
		const char *name = arena_sv(mem, sv_of(x->name));
		struct share_tenant asked = tenant_asked(x, "", false);

		*vec_push(ret) = (struct share_asked){
			.name = name,
			.service = text_if(x->service, name),
			.owner = *w->team || *w->user ? arena_sv(mem, sv_of(workload_owner(w)))
						      : "",
			.gpu_model = arena_sv(mem, sv_of(w->gpu_model)),
			.mem_bytes = w->stats.mem_peak_bytes,
			.gpu_bytes = w->stats.mem_total_bytes,
			.load_frac = x->load_frac,
			.interactive = !x->service,
			.share_with = x->share_with,
			.told = x->told,
			.promised = asked.promised,
			.room_frac = asked.room_frac,
			.nano_gpu_hour = x->nano_gpu_hour,
		};
	}
	for (size_t i = 0; i < t.parts.n; i++) {
		const struct workload *w = t.parts.v[i];
		const char *who = filled_or(w->name, w->job);

		if (w->share_kind != SHARE_WHOLE || w->gpus_milli < 1000)
			*vec_push(&a->note) =
				arena_printf(q->ask.mem, "'%s' has a part of a GPU already.", who);
		else
			*vec_push(&a->note) = arena_printf(
				q->ask.mem,
				"'%s' holds %.3g GPUs: who works on several is not asked about.",
				who, (double)w->gpus_milli / 1000);
	}

	/* What a freed GPU is worth, and when: in words. */
	size_t paid = 0, part = 0;

	for (size_t i = 0; i < t.v.n; i++) {
		paid += !t.v.v[i].workload->elastic;
		part += !t.v.v[i].fills_machine;
	}
	if (paid)
		*vec_push(&a->note) = arena_printf(
			q->ask.mem,
			"%zu of these GPUs are owned or paid until a term ends: free, they serve others and save no cash, so they count 0.",
			paid);
	if (part && !q->usd_gpu_hour)
		*vec_push(&a->note) = arena_printf(
			q->ask.mem,
			"%zu of these GPUs are in machines with others: they are worth their price when a whole machine is free, or when others use them.",
			part);

	tenants_free(&t);
	fleet_free(&f);
	return 0;
}
