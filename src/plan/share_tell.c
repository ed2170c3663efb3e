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

/* A line of text each. */
static void apply_lines(const struct lever_in *in, struct rec *rec, struct sv text)
{
	while (text.n) {
		struct sv line = sv_cut(text, '\n', &text);
		rec_apply(in, rec, "%.*s", SVF(line));
	}
}

/* How two services come onto a card; with MIG the layout for mig-parted and the steps to make it on
 * a machine that stays. */
static void tell_neighbours(struct share_state *s, struct rec *rec, const struct pool *p,
			    const struct svc *v, const struct svc *o)
{
	const struct lever_in *in = s->in;
	const char *at = p->node.v[p->node.n - 1].node, *step[SHARE_STEPS + 2];
	const char *jobs[2] = { v->service, o->service };
	int count[MIG_TYPES] = { 0 };
	struct mig_card card;

	rec_apply(in, rec, "# the last replica of %s and the last of %s share a card by %s: %s",
		  lever_note(in, v->service), lever_note(in, o->service), share_kind_name(v->kind),
		  v->why);
	if (v->kind != SHARE_MIG || !mig_card_of(in->catalog, p->key->gpu_model, &card, NULL))
		return;
	count[v->type]++;
	count[o->type]++;
	struct str yaml = { 0 };
	share_parted_begin(&yaml, "tare-share");
	share_parted_device(&yaml, 0, &card, count);
	rec_apply(in, rec, "cat > tare-share.yaml <<'END'");
	apply_lines(in, rec, str_sv(&yaml));
	rec_apply(in, rec, "END");
	str_free(&yaml);
	size_t n = share_steps(in->mem, at, true, "tare-share", 2, jobs, step);
	for (size_t i = 0; i < n; i++)
		rec_apply(in, rec, "%s", step[i]);
	rec_undo(in, rec, "# cordon and drain it first");
	rec_undo(in, rec, "kubectl label node %s nvidia.com/mig.config=all-disabled --overwrite",
		 lever_host(in, at, "MACHINE"));
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
	rec_apply(in, rec, "kubectl scale deployment %s --replicas=%d",
		  lever_host(in, v->service, "DEPLOYMENT"), v->after);
	rec_undo(in, rec, "kubectl scale deployment %s --replicas=%d",
		 lever_host(in, v->service, "DEPLOYMENT"), v->before);
	if (v->neighbour >= 0 && (size_t)v->neighbour > (size_t)(v - p->svc.v))
		tell_neighbours(s, rec, p, v, &p->svc.v[v->neighbour]);
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

/* First no new pods on the machines that go; at the end they are emptied and given back. */
static void tell_machines(struct share_state *s, struct rec *rec, const struct pool *p,
			  const char *verb)
{
	const struct lever_in *in = s->in;
	bool drain = verb[0] == 'd';

	for (size_t i = 0; i < p->node.n; i++) {
		const char *node = lever_host(in, p->node.v[i].node, "MACHINE");
		if (!p->node.v[i].back)
			continue;
		if (!drain) {
			rec_apply(in, rec, "kubectl cordon %s", node);
			continue;
		}
		rec_apply(in, rec, "kubectl drain %s --ignore-daemonsets --delete-emptydir-data",
			  node);
		rec_undo(in, rec, "# start a %s in %s, and:", lever_note(in, p->key->instance_type),
			 lever_note(in, p->key->region));
		rec_undo(in, rec, "kubectl uncordon %s", node);
	}
	if (drain)
		rec_apply(in, rec, "# then give the machines back");
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
	tell_machines(s, rec, p, "cordon");
	for (size_t i = 0; i < p->svc.n; i++)
		tell_service(s, rec, p, &p->svc.v[i]);
	worst_latency(rec, p);
	tell_machines(s, rec, p, "drain");
	rec_risk(in, rec, "A machine that fails takes a larger part of the replicas with it.");
	rec_risk(
		in, rec,
		"GPU time of a request is inferred from mean utilisation: scale down in steps and watch the 99th percentile of latency.");
}
