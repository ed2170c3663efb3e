/*
 * Lever share: two services on a GPU. Nobody has measured that, so it is never Ready and saves
 * nothing here: one replica of each, beside those there are, on parts of one GPU of a machine that
 * was emptied for it, for 24 hours. What it could free is told; the load of a replica counts with
 * replicas_peak_factor, as with whole GPUs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "plan/share/share_gpu.h"
#include "plan/share/share_in.h"

static struct share_tenant tenant_of(const struct lever_in *in, const struct svc *v)
{
	struct share_tenant t = { .team = v->team,
				  .mem_p99_bytes = v->mem_p99,
				  .latency_bound = true,
				  .peak_util_frac = v->peak / v->after };

	for (size_t i = 0; i < in->conf->rule.n; i++) {
		const struct plan_rule *r = &in->conf->rule.v[i];
		if (r->share_with == PLAN_SHARE_TEAM || !plan_rule_matches(r, v->one))
			continue;
		t.alone = r->share_with == PLAN_SHARE_NOBODY;
		t.with_others = r->share_with == PLAN_SHARE_OTHERS;
	}
	return t;
}

/* Its requests and readings go back far enough. */
static bool is_known(const struct lever_in *in, const struct svc *v)
{
	return !v->fixed && v->weeks + 1e-9 >= in->conf->gates.share_weeks;
}

/* ---- what is done ------------------------------------------------------------------------ */

static void add_layout(struct share_state *s, struct rec *rec, const struct pool *p,
		       const struct plan_share_model *gpu, const struct share_answer *how,
		       size_t node)
{
	struct arena *mem = s->in->mem;
	struct mig_part *part = arena_alloc(mem, MIG_TYPES * sizeof *part);
	struct raw_name *ends = arena_alloc(mem, (p->svc.n + 1) * sizeof *ends);
	int count[MIG_TYPES] = { 0 };
	size_t nends = 0;

	for (size_t i = 0; i < p->svc.n; i++)
		for (size_t k = 0; k < p->svc.v[i].replica.n; k++)
			if (!strcmp(p->svc.v[i].replica.v[k]->node, p->node.v[node].node)) {
				ends[nends++] = raw_name(p->svc.v[i].service);
				break;
			}
	count[how->type[0]]++;
	count[how->type[1]]++;
	rec_action(rec, ACTION_MIG)->mig = (struct action_mig){
		.at = workload_machine(p->node.v[node].one),
		.config = "tare-share",
		.scheduler = TO_KUBERNETES,
		.part = part,
		.npart = share_parts(mem, &gpu->table, count, part),
		.ends = ends,
		.nends = nends,
	};
}

/* ---- which ------------------------------------------------------------------------------- */

static int by_fewest_replicas(const struct pool *p, bool *tried, size_t *ret)
{
	int best = -1;

	for (size_t i = 0; i < p->node.n; i++) {
		const struct machine *m = &p->node.v[i];
		if (tried[i] || m->mixed)
			continue;
		if (m->fixed || (best >= 0 && m->service_gpus >= p->node.v[best].service_gpus))
			continue;
		best = (int)i;
	}
	if (best >= 0) {
		tried[best] = true;
		*ret = (size_t)best;
	}
	return best;
}

/* What each of the two needs of a GPU. */
static void add_needs(const struct lever_in *in, struct rec *rec, const struct pool *p,
		      const size_t *pair)
{
	for (size_t i = 0; i < 2; i++) {
		const struct svc *v = &p->svc.v[pair[i]];
		rec_evidence(
			in, rec,
			(struct evidence){
				QUALITY_ESTIMATED,
				arena_printf(in->mem, "%s: highest minute of a replica, %.0f weeks",
					     v->service, floor(v->weeks)),
				.unit = "frac of a GPU", .source = "telemetry, request log" },
			"%.3f", v->peak / v->after);
		rec_evidence(in, rec,
			     (struct evidence){
				     QUALITY_MEASURED,
				     arena_printf(in->mem,
						  "%s: memory of a replica, largest reading x %.1f",
						  v->service, SHARE_MEM_FACTOR),
				     .unit = "frac of a GPU", .source = "telemetry" },
			     "%.3f", share_mem_need(v->mem_p99) / v->mem_total);
	}
}

struct paired {
	const struct plan_share_model *gpu;
	const struct share_answer *how;
	const size_t *pair;
	const char *node;
};

/* One replica of each onto a GPU of the emptied machine. */
static void add_moves(struct share_state *s, struct rec *rec, const struct pool *p,
		      const struct paired *on)
{
	const struct fleet *f = s->in->fleet;
	const struct share_answer *how = on->how;

	for (size_t i = 0; i < 2; i++) {
		const struct svc *v = &p->svc.v[on->pair[i]], *o = &p->svc.v[on->pair[1 - i]];
		double mine = v->peak / v->after, other = o->peak / o->after,
		       factor = s->in->conf->gates.replicas_peak_factor;
		bool mig = how->kind == SHARE_MIG;

		rec_action(rec, ACTION_REPLICA_MOVE)->replica_move = (struct action_replica_move){
			.service = raw_name(v->service),
			.beside = raw_name(o->service),
			.node = raw_name(on->node),
			.share = how->kind,
			.why = how->why,
			.profile = mig ? share_profile(s->in->mem, on->gpu, how->type[i]) : NULL,
			.first = i == 0,
			/* of a GPU: by load, and at least what its highest minute needs */
			.threads_pct = mig ? 0 : share_threads_pct(mine, mine + other, factor),
			.mem_mib = mig ? 0 : (int64_t)ceil(share_mem_need(v->mem_p99) / (1 << 20)),
			.limit_ms = v->limit_ms,
			.namespace_ = service_namespace(f, v->service, p->key->cluster),
			.controller = service_controller(f, v->service, p->key->cluster),
		};
	}
}

static void propose_pair(struct share_state *s, struct pool *p, const struct plan_share_model *gpu,
			 const struct share_answer *how, const size_t *pair)
{
	const struct lever_in *in = s->in;
	const char *who = *p->key->cluster ? p->key->cluster : p->svc.v[pair[0]].service;
	struct share_steps steps = { 0 };
	size_t node = 0;

	/* A machine that can be emptied without harm, and how. */
	bool *tried = xcalloc(p->node.n + 1, sizeof *tried), found = false;

	for (int k = 0; k < 8 && !found && by_fewest_replicas(p, tried, &node) >= 0; k++)
		found = share_find_empty(p, node, &steps);
	free(tried);
	if (!found) {
		vec_free(&steps.v);
		return;
	}

	struct rec *rec = rec_new(s->in, s->out, "share", arena_printf(s->in->mem, "card-%s", who));
	const struct svc *a = &p->svc.v[pair[0]], *b = &p->svc.v[pair[1]];
	int fewer = min_int(a->after, b->after);

	rec_advise_trial(rec, p->key->team);
	rec->title = arena_printf(in->mem, "%s and %s on parts of a GPU by %s: one of each first",
				  a->service, b->service, share_kind_name(how->kind));
	rec_subject(in, rec, "service", a->service);
	rec_subject(in, rec, "service", b->service);
	rec_subject(in, rec, "cluster", p->key->cluster);
	rec_evidence(in, rec,
		     (struct evidence){ QUALITY_ESTIMATED,
					arena_printf(in->mem, "GPUs that it could free, of %d",
						     a->after + b->after),
					.unit = "GPUs",
					.source = "replicas that could stand in pairs" },
		     "%d", fewer);
	add_needs(in, rec, p, pair);
	rec_risk(
		in, rec,
		"A part of a GPU is slower for a single request: its latency is what the 24 hours are to show, before any whole GPU is given up.");
	for (size_t i = 0; i < steps.v.n; i++)
		share_add_action(in->fleet, rec, p, &steps.v.v[i]);
	if (how->kind == SHARE_MIG)
		add_layout(s, rec, p, gpu, how, node);
	add_moves(s, rec, p, &(struct paired){ gpu, how, pair, p->node.v[node].node });
	vec_free(&steps.v);
}

void share_propose_pair(struct share_state *s, struct pool *p)
{
	double target = 1 / s->in->conf->gates.replicas_peak_factor;
	struct plan_share_model *gpu = xcalloc(1, sizeof *gpu);
	bool done = !share_gpu_of(s->in->catalog, p->key->gpu_model, p->svc.v[0].mem_total, gpu);

	for (size_t i = 0; i < p->svc.n && !done; i++)
		for (size_t k = i + 1; k < p->svc.n && !done; k++) {
			const struct svc *a = &p->svc.v[i], *b = &p->svc.v[k];
			if (!is_known(s->in, a) || !is_known(s->in, b))
				continue;
			struct share_tenant t[2] = { tenant_of(s->in, a), tenant_of(s->in, b) };
			struct share_answer how;
			share_decide(&gpu->share, 2, t, target, &how);
			if (how.kind != SHARE_MIG && how.kind != SHARE_MPS)
				continue;
			propose_pair(s, p, gpu, &how, (const size_t[]){ i, k });
			done = true;
		}
	free(gpu);
}
