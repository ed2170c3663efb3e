#include "plan/share/tenants.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/tm.h"
#include "plan/levers.h"
#include "plan/lever/use_hours.h"
#include "plan/workload.h"
#include "sim/requests.h"

#define LIVE_MS   MS_DAY /* before the end of the history: it still runs */
#define WHOLE_GPU 1000

/* Part of the GPU in all but `above` of the readings. */
static double load_of(const struct workload *w, double above)
{
	const uint32_t *hist = w->stats.util_hist;
	uint64_t all = 0, seen = 0;
	int at = 100;

	if (!hist || w->stats.covered_frac < WORKLOAD_COVERED_FRAC)
		return NAN;
	for (int i = 0; i <= 100; i++)
		all += hist[i];
	for (; at > 0 && (double)(seen + hist[at]) <= above * (double)all; at--)
		seen += hist[at];
	if (all)
		return at / 100.0;
	return NAN;
}

/* Replicas of a service follow each other or not: its log is read once. */
static double latency_of(const struct fleet *f, const struct tenant_list *ret, const char *service)
{
	for (size_t i = ret->v.n; i-- > 0;)
		if (ret->v.v[i].service && ret->v.v[i].workload->service == service)
			return ret->v.v[i].p99_ms;
	const struct fleet_service *log = fleet_log_of(f, service);
	if (log && log->nmin) {
		/* The 99th percentile over all requests of the log. */
		const struct sim_service as_it_was = { .step_ms = MS_MINUTE, .load_factor = 1 };
		const struct fleet_minute *m = &f->minute.v[log->min0];
		struct sim_minute *v = xcalloc(log->nmin, sizeof *v);
		struct sim_minutes all;
		struct err err = { 0 };

		for (size_t i = 0; i < log->nmin; i++)
			v[i] = (struct sim_minute){ (double)m[i].count, m[i].p50_ms, m[i].p95_ms,
						    m[i].p99_ms };
		int r = sim_minutes(&as_it_was, log->nmin, v, &(struct sim_change){ 1, 1, NAN },
				    &all, &err);
		free(v);
		if (r < 0)
			return NAN;
		return all.p99_before_ms;
	}
	return NAN;
}

static void add_tenant(const struct fleet *f, const struct plan_conf *conf,
		       const struct workload *w, struct tenant_list *ret)
{
	struct tenant t = { .workload = w,
			    .service = w->kind == WORKLOAD_SERVICE,
			    .p99_ms = NAN,
			    .limit_ms = NAN,
			    .nano_gpu_hour = NAN };
	int64_t priced = w->ms - w->unpriced_ms;

	t.name = t.service ? w->service : filled_or(w->name, w->job);
	t.load_frac = load_of(w, t.service ? 0.01 : 0.05);
	if (t.service)
		t.p99_ms = latency_of(f, ret, w->service);

	/* What the rules of the settings say of it; the later one wins. */
	for (size_t i = 0; i < conf->rule.n; i++) {
		const struct plan_rule *r = &conf->rule.v[i];
		if (!plan_rule_matches(r, t.workload))
			continue;
		if (r->share_with != PLAN_SHARE_TEAM) {
			t.share_with = r->share_with;
			t.told = true;
		}
		if (!isnan(r->slo_p99_ms))
			t.limit_ms = r->slo_p99_ms;
	}

	if (isnan(t.limit_ms))
		t.limit_ms = t.p99_ms * (1 + conf->slo_p99_growth_frac);
	if (priced > 0)
		t.nano_gpu_hour = w->elastic ? (double)w->cost_nano / hours_of(priced) : 0;
	t.fills_machine = workload_fills_machine(f, w);
	*vec_push(&ret->v) = t;
}

void tenants_of(const struct fleet *f, const struct plan_conf *conf, struct tenant_list *ret)
{
	*ret = (struct tenant_list){ 0 };
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		bool live = w->end_ms >= fleet_told_until(f, w) - LIVE_MS,
		     service = w->kind == WORKLOAD_SERVICE,
		     session = w->kind == WORKLOAD_JOB && live &&
			       (w->notebook || !isnan(always_on_use_frac(f, w)));
		if (!(service && live) && !session)
			continue;
		if (w->gpus_milli == WHOLE_GPU && w->share_kind == SHARE_WHOLE)
			add_tenant(f, conf, w, ret);
		else
			*vec_push(&ret->parts) = w;
	}
}

void tenants_free(struct tenant_list *t)
{
	vec_free(&t->v);
	vec_free(&t->parts);
}

struct share_tenant tenant_asked(const struct tenant *t, const char *owner, bool across)
{
	bool promised = t->service && !isnan(t->limit_ms) && t->p99_ms > 0;

	return (struct share_tenant){
		.team = owner,
		.mem_p99_bytes = t->workload->stats.mem_peak_bytes,
		.peak_util_frac = t->load_frac,
		.latency_bound = t->service,
		.alone = t->told && t->share_with == PLAN_SHARE_NOBODY,
		.with_others = t->told ? t->share_with == PLAN_SHARE_OTHERS : across,
		.interactive = !t->service,
		.service = t->service ? t->name : "",
		.promised = promised,
		.room_frac = promised ? fmax(0, t->limit_ms / t->p99_ms - 1) : 0,
	};
}
