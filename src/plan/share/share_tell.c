/* Lever share: what the recommendation says, why, and how it is done. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "plan/share/share_in.h"

/* of the machines */
static int share_gpus(const struct pool *p, bool after)
{
	int n = 0;

	for (size_t i = 0; i < p->node.n; i++)
		if (!(after && p->node.v[i].back))
			n += (int)(p->node.v[i].gpus_milli / 1000);
	return n;
}

/* ---- evidence ---------------------------------------------------------------------------- */

static void tell_service(struct share_state *s, struct rec *rec, const struct svc *v)
{
	const struct lever_in *in = s->in;

	rec->replay.requests += (int64_t)v->result.requests;
	rec->replay.slo_violations +=
		(int64_t)ceil(fmax(0, v->result.slo_after - v->result.slo_before));
	rec_evidence(in, rec,
		     (struct evidence){ QUALITY_MEASURED,
					arena_printf(in->mem, "%s: mean utilisation of %d GPUs",
						     v->service, v->before),
					.unit = "frac", .source = "telemetry" },
		     "%.3f", v->busy_gpus / v->gpus);
	rec_evidence(
		in, rec,
		(struct evidence){ QUALITY_ESTIMATED,
				   arena_printf(in->mem, "%s: GPU time of a request", v->service),
				   .unit = "ms", .source = "telemetry, request log" },
		"%.2f", v->sim.work_ms);
	rec_evidence(in, rec,
		     (struct evidence){
			     QUALITY_ESTIMATED,
			     arena_printf(in->mem,
					  "%s: load of %d GPUs in its highest minute, %.0f weeks",
					  v->service, v->after, floor(v->weeks)),
			     .unit = "frac", .source = "replay" },
		     "%.3f", v->peak / v->after);
	rec_evidence(
		in, rec,
		(struct evidence){ QUALITY_ESTIMATED,
				   arena_printf(in->mem, "%s: p99 of latency, was %.0f, %s %.0f",
						v->service, v->result.p99_before_ms,
						v->promised ? "promised" : "allowed", v->limit_ms),
				   .unit = "ms", .source = "replay" },
		"%.0f", v->result.p99_after_ms);
	rec_evidence(
		in, rec,
		(struct evidence){ QUALITY_MEASURED,
				   arena_printf(in->mem,
						"%s: memory of a replica, largest reading x %.1f",
						v->service, SHARE_MEM_FACTOR),
				   .unit = "frac of a GPU", .source = "telemetry" },
		"%.3f", share_mem_need(v->mem_p99) / v->mem_total);
}

void share_tell_left(struct share_state *s, struct rec *rec, struct pool *p)
{
	const struct lever_in *in = s->in;

	for (size_t i = 0; i < p->svc.n; i++) {
		const struct svc *v = &p->svc.v[i];
		if (v->fixed)
			continue;
		double load = v->peak / v->lost_left;
		rec->replay.lost_load_frac = fmax(rec->replay.lost_load_frac, load);
		rec_evidence(
			in, rec,
			(struct evidence){
				QUALITY_ESTIMATED,
				arena_printf(
					in->mem,
					"%s: load with one machine lost, %d replicas, p99 %.0f ms",
					v->service, v->lost_left, v->lost.p99_after_ms),
				.unit = "frac", .source = "replay" },
			"%.3f", load);
	}
}

/* ---- actions ----------------------------------------------------------------------------- */

void share_add_action(const struct fleet *f, struct rec *rec, const struct pool *p,
		      const struct share_step *x)
{
	struct action *a = rec_action(rec, x->kind);
	const struct svc *v = &p->svc.v[x->svc];

	switch (x->kind) {
	case ACTION_REPLICAS:
	case ACTION_SPREAD:
	case ACTION_ROLLOUT:
		a->replicas = (struct action_replicas){
			.service = raw_name(v->service),
			.cluster = raw_name(v->clusters > 1 ? p->key->cluster : ""),
			.namespace_ = service_namespace(f, v->service, p->key->cluster),
			.controller = service_controller(f, v->service, p->key->cluster),
			.was = x->kind == ACTION_ROLLOUT ? x->now : x->was,
			.now = x->now
		};
		break;
	default: a->machine = workload_machine(p->node.v[x->node].one);
	}
}

void share_tell(struct share_state *s, struct rec *rec, struct pool *p,
		const struct share_steps *steps)
{
	const struct lever_in *in = s->in;
	const char *type = filled_or(p->key->instance_type, "machines");
	const char *who = *p->key->cluster ? p->key->cluster : p->svc.v[0].service;
	double busy = 0, gpus = 0;
	size_t back = 0;

	for (size_t i = 0; i < p->node.n; i++)
		back += p->node.v[i].back;
	for (size_t i = 0; i < p->svc.n; i++) {
		busy += p->svc.v[i].busy_gpus;
		gpus += p->svc.v[i].gpus;
		rec_subject(in, rec, "service", p->svc.v[i].service);
	}
	rec_subject(in, rec, "cluster", p->key->cluster);
	rec->team = p->key->team;
	rec->title = arena_printf(in->mem, "%s: %d %s -> %d, %zu %s -> %zu", who,
				  share_gpus(p, false), p->key->gpu_model, share_gpus(p, true),
				  p->node.n, type, p->node.n - back);
	rec_evidence(in, rec,
		     (struct evidence){ QUALITY_MEASURED, "mean utilisation of the serving GPUs",
					.unit = "frac", .source = "telemetry" },
		     "%.3f", busy / gpus);
	for (size_t i = 0; i < p->svc.n; i++) {
		const struct svc *v = &p->svc.v[i];
		if (!v->fixed)
			tell_service(s, rec, v);
		if (!v->fixed && v->clusters > 1)
			share_tell_cluster(s, rec, v);
	}

	/* The service nearest to its limit speaks for the recommendation. */
	double worst = -1;

	for (size_t i = 0; i < p->svc.n; i++) {
		const struct svc *v = &p->svc.v[i];
		double part = -1;
		if (!v->fixed)
			part = v->result.p99_after_ms / v->limit_ms;
		if (part <= worst)
			continue;
		worst = part;
		rec->replay.p99_before_ms = v->result.p99_before_ms;
		rec->replay.p99_after_ms = v->result.p99_after_ms;
		rec->replay.p99_service = v->service;
		rec->replay.p99_of_limit = part;
	}

	/* Before any of them stops: a group that is told to keep so many would start others. */
	rec_action(rec, ACTION_POOL)->pool =
		(struct action_pool){ .cluster = raw_name(p->key->cluster),
				      .provider = raw_name(p->key->provider),
				      .region = raw_name(p->key->region),
				      .instance_type = raw_name(p->key->instance_type),
				      .gpu_model = raw_name(p->key->gpu_model),
				      .gpus = p->gpus,
				      .to = TO_KUBERNETES,
				      .was = (int64_t)p->node.n,
				      .now = (int64_t)(p->node.n - back) };

	for (size_t i = 0; i < steps->v.n; i++)
		share_add_action(in->fleet, rec, p, &steps->v.v[i]);
	rec_risk(
		in, rec,
		"A machine that fails takes a larger part of the replicas with it: what is left of them carries the highest minute.");
	rec_risk(
		in, rec,
		"GPU time of a request is inferred from mean utilisation: watch the 99th percentile of latency after each machine.");
}
