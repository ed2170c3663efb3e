/* Lever share: what the recommendation says, why, and how it is done. */
#include <math.h>
#include <string.h>

#include "plan/mig_card.h"
#include "plan/share_in.h"

int share_cards(const struct pool *p, bool after)
{
	int n = 0;

	for (size_t i = 0; i < p->node.n; i++)
		n += after && p->node.v[i].back ? 0 : (int)(p->node.v[i].gpus_milli / 1000);
	return n;
}

/* Two services come onto a card; with MIG that of a machine that stays gets a layout for both. */
static void pair(struct share_state *s, struct rec *rec, const struct pool *p, const struct svc *v,
		 const struct svc *o)
{
	const struct lever_in *in = s->in;
	int count[MIG_TYPES] = { 0 };
	struct mig_card card;

	rec_action(rec, ACTION_REPLICA_MOVE)->replica_move =
		(struct action_replica_move){ .service = raw_name(v->service),
					      .beside = raw_name(o->service),
					      .share = v->kind,
					      .why = v->why };
	if (v->kind != SHARE_MIG || !mig_card_of(in->catalog, p->key->gpu_model, &card, NULL))
		return;
	count[v->type]++;
	count[o->type]++;
	struct mig_part *part = arena_alloc(in->mem, MIG_TYPES * sizeof *part);
	struct raw_name *ends = arena_alloc(in->mem, 2 * sizeof *ends);
	ends[0] = raw_name(v->service);
	ends[1] = raw_name(o->service);
	rec_action(rec, ACTION_MIG)->mig = (struct action_mig){
		.at = { .node = raw_name(p->node.v[p->node.n - 1].node),
			.region = raw_name(p->key->region),
			.instance_type = raw_name(p->key->instance_type) },
		.config = "tare-share",
		.scheduler = TO_KUBERNETES,
		.part = part,
		.npart = share_parts(in->mem, &card, count, part),
		.ends = ends,
		.nends = 2,
	};
}

static void tell_service(struct share_state *s, struct rec *rec, const struct pool *p,
			 const struct svc *v)
{
	const struct lever_in *in = s->in;

	if (v->fixed)
		return;
	rec->replay.requests += (int64_t)v->result.requests;
	rec->replay.slo_violations += (int64_t)ceil(v->result.slo_after);
	rec_evidence(
		in, rec, QUALITY_MEASURED,
		arena_printf(in->mem, "%s: mean utilisation of %d cards", v->service, v->before),
		"frac", "telemetry", "%.3f", v->busy_cards / v->cards);
	rec_evidence(in, rec, QUALITY_ESTIMATED,
		     arena_printf(in->mem, "%s: GPU time of a request", v->service), "ms",
		     "telemetry, request log", "%.2f", v->sim.work_ms);
	rec_evidence(in, rec, QUALITY_ESTIMATED,
		     arena_printf(in->mem,
				  "%s: load of %d cards in the busiest minutes (99th percentile)",
				  v->service, v->after),
		     "frac", "replay", "%.3f", v->result.p99_load_frac);
	rec_evidence(in, rec, QUALITY_ESTIMATED,
		     arena_printf(in->mem, "%s: p99 of latency, was %.0f, %s %.0f", v->service,
				  v->result.p99_before_ms, v->promised ? "promised" : "allowed",
				  v->limit_ms),
		     "ms", "replay", "%.0f", v->result.p99_after_ms);
	rec_evidence(in, rec, QUALITY_MEASURED,
		     arena_printf(in->mem, "%s: memory of a replica, 99th percentile x %.1f",
				  v->service, SHARE_MEM_FACTOR),
		     "frac of a card", "telemetry", "%.3f",
		     share_mem_need(v->mem_p99) / v->mem_total);
	rec_action(rec, ACTION_REPLICAS)->replicas = (struct action_replicas){
		.service = raw_name(v->service), .was = v->before, .now = v->after
	};
	if (v->neighbour >= 0 && (size_t)v->neighbour > (size_t)(v - p->svc.v))
		pair(s, rec, p, v, &p->svc.v[v->neighbour]);
}

/* The service nearest to its limit speaks for the recommendation. */
static void worst_latency(struct rec *rec, const struct pool *p)
{
	double worst = -1;

	for (size_t i = 0; i < p->svc.n; i++) {
		const struct svc *v = &p->svc.v[i];
		double part = v->fixed ? -1 : v->result.p99_after_ms / v->limit_ms;
		if (part <= worst)
			continue;
		worst = part;
		rec->replay.p99_before_ms = v->result.p99_before_ms;
		rec->replay.p99_after_ms = v->result.p99_after_ms;
	}
}

/* First no new pods on the machines that go; at the end what is left there goes elsewhere. */
static void empty_machines(struct rec *rec, const struct pool *p, enum action_kind how)
{
	for (size_t i = 0; i < p->node.n; i++)
		if (p->node.v[i].back)
			rec_action(rec, how)->machine = (struct machine_ref){
				.node = raw_name(p->node.v[i].node),
				.provider = raw_name(p->key->provider),
				.region = raw_name(p->key->region),
				.instance_type = raw_name(p->key->instance_type),
			};
}

void share_tell(struct share_state *s, struct rec *rec, struct pool *p, int back)
{
	const struct lever_in *in = s->in;
	const char *type = *p->key->instance_type ? p->key->instance_type : "machines";
	const char *who = *p->key->cluster ? p->key->cluster : p->svc.v[0].service;
	double busy = 0, cards = 0;

	for (size_t i = 0; i < p->svc.n; i++) {
		busy += p->svc.v[i].busy_cards;
		cards += p->svc.v[i].cards;
		rec_subject(in, rec, "service", p->svc.v[i].service);
	}
	rec_subject(in, rec, "cluster", p->key->cluster);
	rec->team = p->key->team;
	rec->title = arena_printf(in->mem, "%s: %d %s -> %d, %zu %s -> %zu", who,
				  share_cards(p, false), p->key->gpu_model, share_cards(p, true),
				  p->node.n, type, p->node.n - (size_t)back);
	rec_evidence(in, rec, QUALITY_MEASURED, "mean utilisation of the serving cards", "frac",
		     "telemetry", "%.3f", busy / cards);
	empty_machines(rec, p, ACTION_CORDON);
	for (size_t i = 0; i < p->svc.n; i++)
		tell_service(s, rec, p, &p->svc.v[i]);
	worst_latency(rec, p);
	empty_machines(rec, p, ACTION_DRAIN);
	rec_action(rec, ACTION_POOL)->pool =
		(struct action_pool){ .cluster = raw_name(p->key->cluster),
				      .provider = raw_name(p->key->provider),
				      .region = raw_name(p->key->region),
				      .instance_type = raw_name(p->key->instance_type),
				      .was = (int64_t)p->node.n,
				      .now = (int64_t)p->node.n - back };

	rec_risk(in, rec, "A machine that fails takes a larger part of the replicas with it.");
	rec_risk(
		in, rec,
		"GPU time of a request is inferred from mean utilisation: scale down in steps and watch the 99th percentile of latency.");
}
