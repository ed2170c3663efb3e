/*
 * Lever share: what runs where, and how much work it is. Load of a service in GPUs, minute by
 * minute: its requests x the GPU time of one, which is mean utilisation x GPUs / requests.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/tm.h"
#include "plan/share/share_in.h"

#define STEADY_FRAC 0.1 /* replicas vary by less than this over the window */
#define STEP_MS     ((double)MS_MINUTE)

/* ---- what runs where --------------------------------------------------------------------- */

static bool same_pool(const struct workload *a, const struct workload *b)
{
	if (a->provider != b->provider || a->region != b->region ||
	    a->instance_type != b->instance_type)
		return false;
	return a->gpu_model == b->gpu_model && a->purchase == b->purchase &&
	       a->cluster == b->cluster;
}

/* A replica that may be merged with others: whole GPUs of a machine that can be given back, as it
 * was in the history. */
static bool is_replica(const struct lever_in *in, size_t i)
{
	const struct workload *w = &in->fleet->workload.v[i];
	const struct use *u = &in->use[i];

	if (w->kind != WORKLOAD_SERVICE || !*w->service || w->node_index == SIZE_MAX)
		return false;
	if (w->share_kind != SHARE_WHOLE || w->gpus_milli < 1000 || u->cost_nano <= 0)
		return false;
	return use_is_history(w, u) && !workload_is_frozen(in, w, "share");
}

/* A machine is in one pool, whatever it was paid as later. */
static size_t pool_of(struct share_state *s, const struct workload *w)
{
	int64_t id = intern_find(&s->nodes, sv_of(w->node));

	if (id >= 0)
		return s->at.v[id].pool;
	for (size_t i = 0; i < s->pool.n; i++)
		if (same_pool(s->pool.v[i].key, w))
			return i;
	*vec_push(&s->pool) = (struct pool){ .key = w };
	return s->pool.n - 1;
}

static struct svc *svc_of(struct pool *p, const struct workload *w)
{
	for (size_t i = 0; i < p->svc.n; i++)
		if (p->svc.v[i].service == w->service)
			return &p->svc.v[i];
	struct svc *v = vec_push(&p->svc);
	*v = (struct svc){ .service = w->service,
			   .team = w->team,
			   .one = w,
			   .limit_ms = NAN,
			   .mem_p99 = NAN,
			   .mem_total = NAN };
	return v;
}

struct machine *share_machine(const struct share_state *s, struct pool *p, const struct workload *w)
{
	int64_t id = -1;

	if (!(w->kind == WORKLOAD_LINE || !*w->node))
		id = intern_find(&s->nodes, sv_of(w->node));
	if (id >= 0 && s->at.v[id].pool == p - s->pool.v)
		return &p->node.v[s->at.v[id].machine];
	return NULL;
}

static void add_replica(struct share_state *s, const struct workload *w)
{
	const struct fleet *f = s->in->fleet;
	size_t at = pool_of(s, w); /* may move the pools */
	struct pool *p = &s->pool.v[at];
	struct svc *v = svc_of(p, w);
	struct machine *m = share_machine(s, p, w);
	int64_t told_ms = fleet_told_until(f, w);
	double window = (double)(told_ms - f->since_ms);

	if (!m) {
		struct machine *machine = vec_push(&p->node);

		*machine = (struct machine){ .node = w->node,
					     .one = w,
					     .id = intern_add(&s->nodes, sv_of(w->node)),
					     .gpus_milli = f->node.v[w->node_index].gpus_milli };
		*vec_push(&s->at) = (struct share_at){ (uint32_t)(p - s->pool.v),
						       (uint32_t)(p->node.n - 1) };
		m = machine;
	}
	/* what ran in the last hour is there now */
	if (w->end_ms > told_ms - MS_HOUR) {
		m->service_gpus += (int)(w->gpus_milli / 1000);
		*vec_push(&v->replica) = w;
	}
	v->gpus += (double)w->ms / window;
	v->ms += (double)w->ms;
	if (!isnan(w->stats.util_mean_pct)) {
		v->covered_ms += w->stats.covered_frac * (double)w->ms;
		v->busy_gpus += w->stats.util_mean_pct / 100 * (double)w->ms / window;
	}
	if (!isnan(w->stats.mem_p99_bytes))
		v->mem_p99 = fmax(v->mem_p99,
				  fmax(w->stats.mem_p99_bytes, w->stats.mem_peak_bytes));
	if (v->mem_total > 0)
		v->mem_total = fmin(v->mem_total, w->stats.mem_total_bytes);
	else
		v->mem_total = w->stats.mem_total_bytes;
}

void share_collect(struct share_state *s)
{
	for (size_t i = 0; i < s->in->fleet->workload.n; i++)
		if (is_replica(s->in, i))
			add_replica(s, &s->in->fleet->workload.v[i]);

	/* Services of which the plan has moved or ended a replica. */
	for (size_t i = 0; i < s->in->fleet->workload.n; i++) {
		const struct workload *w = &s->in->fleet->workload.v[i];
		if (w->kind != WORKLOAD_SERVICE || use_is_history(w, &s->in->use[i]))
			continue;
		for (size_t k = 0; k < s->pool.n; k++)
			for (size_t n = 0; n < s->pool.v[k].svc.n; n++) {
				struct svc *v = &s->pool.v[k].svc.v[n];
				if (v->service != w->service)
					continue;
				bool own = s->in->use[i].levers == LEVER_BIT(LEVER_SHARE);
				v->shared = own && (v->shared || !v->changed);
				v->changed = true;
			}
	}

	/* Paid intervals of machines, added up. */
	const struct fleet *f = s->in->fleet;

	for (size_t k = 0; k < f->node.n; k++) {
		int64_t id = intern_find(&s->nodes, sv_of(f->node.v[k].node));
		if (id >= 0)
			s->pool.v[s->at.v[id].pool].node.v[s->at.v[id].machine].ms +=
				(double)(f->node.v[k].to_ms - f->node.v[k].from_ms);
	}

	/* What machines cost with all that is on them, and whether others than these services
	 * are. */
	const struct fleet *fleet = s->in->fleet;

	for (size_t i = 0; i < fleet->workload.n; i++) {
		const struct workload *w = &fleet->workload.v[i];
		int64_t id = -1;
		if (!(w->kind == WORKLOAD_LINE || !*w->node))
			id = intern_find(&s->nodes, sv_of(w->node));
		if (id < 0)
			continue;
		struct machine *m = &s->pool.v[s->at.v[id].pool].node.v[s->at.v[id].machine];
		m->cost_nano += s->in->use[i].cost_nano;
		if (!*m->one->resource)
			m->one = w;
		m->mixed |= (w->kind == WORKLOAD_JOB && w->ms > 0) ||
			    (w->kind == WORKLOAD_SERVICE && !is_replica(s->in, i));
	}
}

void share_free(struct share_state *s)
{
	for (size_t i = 0; i < s->pool.n; i++) {
		for (size_t k = 0; k < s->pool.v[i].svc.n; k++)
			vec_free(&s->pool.v[i].svc.v[k].replica);
		vec_free(&s->pool.v[i].svc);
		vec_free(&s->pool.v[i].node);
	}
	vec_free(&s->pool);
	vec_free(&s->at);
	intern_free(&s->nodes);
}

/* ---- a service's load -------------------------------------------------------------------- */

/* Pools of one kind that are apart by their cluster, region or way to buy; 0: two of a cluster. */
static size_t clusters_of(const struct share_state *s, const struct svc *v)
{
	VEC(const char *) seen = { 0 };
	size_t n = 0, pools = 0;

	for (size_t i = 0; i < s->pool.n; i++)
		for (size_t k = 0; k < s->pool.v[i].svc.n; k++) {
			if (s->pool.v[i].svc.v[k].service != v->service)
				continue;
			bool again = false;
			for (size_t m = 0; m < seen.n; m++)
				again |= seen.v[m] == s->pool.v[i].key->cluster;
			*vec_push(&seen) = s->pool.v[i].key->cluster;
			n += !again;
			pools++;
		}
	vec_free(&seen);
	if (n == pools)
		return n;
	return 0;
}

/* Why a service cannot be replayed, or NULL. */
static const char *why_unready(const struct share_state *s, const struct svc *v,
			       const struct fleet_service *q)
{
	const struct plan_gates *g = &s->in->conf->gates;
	double replica = (double)v->one->gpus_milli / 1000;

	for (size_t i = 0; i < v->replica.n; i++)
		if (workload_stays_why(v->replica.v[i]))
			return workload_stays_why(v->replica.v[i]);
	if (v->changed)
		return "an earlier step of the plan changes it";
	if (v->covered_ms < g->watched_frac * v->ms)
		return arena_printf(s->in->mem,
				    "its utilisation was not measured for %.0f %% of the time",
				    g->watched_frac * 100);
	if (!q)
		return "there is no request log to replay";
	if (q->step_ms == UNKNOWN_MS || (double)q->step_ms > g->replicas_log_s * MS_SECOND)
		return arena_printf(
			s->in->mem,
			"its request log does not show its busiest minutes; one with a row each %.0f s does",
			g->replicas_log_s);

	/* Other machines do other work in the same time, and a busy GPU says less of requests. */
	const struct workload *a = v->one;

	for (size_t i = 0; i < s->pool.n; i++)
		for (size_t k = 0; k < s->pool.v[i].svc.n; k++) {
			const struct workload *b = s->pool.v[i].key;
			if (s->pool.v[i].svc.v[k].service == v->service &&
			    (a->provider != b->provider || a->instance_type != b->instance_type ||
			     a->gpu_model != b->gpu_model))
				return "it runs on machines of several kinds";
		}

	if (!v->clusters)
		return "its machines in one cluster are in several regions or bought in several ways";
	if (isnan(v->mem_p99) || isnan(v->mem_total) || !(v->mem_total > 0))
		return "its memory was not measured";
	if (share_mem_need(v->mem_p99) > v->mem_total)
		return "its memory has no room for a tenth more";
	if (replica != 1)
		return "a replica takes several GPUs";
	if (fabs(v->gpus - v->before) > STEADY_FRAC * v->before || v->before < 1 ||
	    v->replica.n != (size_t)v->before)
		return "its number of replicas changes";
	if (v->before < 2)
		return "it has one replica, which a drain would end";
	return NULL;
}

int share_ready(struct share_state *s, struct pool *p, struct svc *v, struct err *err)
{
	const struct fleet_service *q = fleet_log_of(s->in->fleet, v->service);
	int r;

	v->clusters = clusters_of(s, v);
	v->uneven = 1;
	v->before = (int)lround(v->gpus);
	v->after = v->before > 0 ? v->before : 1;
	v->weeks = q ? q->days / 7.0 : 0;
	v->why = why_unready(s, v, q);
	v->fixed = v->why != NULL;
	if (v->fixed && !v->shared)
		plan_note(s->in, "share: '%s' keeps its GPUs: %s", v->service, v->why);
	if (v->fixed)
		return 0;
	assert(q); /* where there is no log, why_unready() says so */
	/* Minutes without a row had no request: the mean is over all minutes between the first and
	 * the last. */
	const struct fleet_minute *m = &s->in->fleet->minute.v[q->min0];

	/* GPUs that this service keeps busy in all pools: its requests are split by that. */
	double busy_everywhere = 0;

	for (size_t i = 0; i < s->pool.n; i++)
		for (size_t k = 0; k < s->pool.v[i].svc.n; k++)
			if (s->pool.v[i].svc.v[k].service == v->service)
				busy_everywhere += s->pool.v[i].svc.v[k].busy_gpus;
	double everywhere = busy_everywhere, span = fleet_log_minutes(s->in->fleet, q);

	v->minute = arena_alloc(s->in->mem, q->nmin * sizeof *v->minute);
	v->nminute = q->nmin;
	for (size_t i = 0; i < q->nmin; i++)
		v->minute[i] = (struct sim_minute){ (double)m[i].count, m[i].p50_ms, m[i].p95_ms,
						    m[i].p99_ms };
	v->sim = (struct sim_service){
		.step_ms = STEP_MS,
		.work_ms = everywhere * STEP_MS / ((double)q->requests / span),
		.load_factor = everywhere > 0 ? v->busy_gpus / everywhere : 1
	};
	v->part = v->sim.load_factor;
	v->peak = fleet_log_peak(s->in->fleet, q, v->busy_gpus);
	if (v->clusters > 1 && !share_cluster_part(s, p, v)) {
		v->fixed = true;
		plan_note(
			s->in,
			"share: '%s' keeps its GPUs: it runs in %zu clusters, and neither its request log nor its readings say how the requests are split",
			v->service, v->clusters);
		return 0;
	}

	const struct lever_in *in = s->in;
	double promised_ms = NAN;

	for (size_t i = 0; i < in->conf->rule.n; i++)
		if (!isnan(in->conf->rule.v[i].slo_p99_ms) &&
		    plan_rule_matches(&in->conf->rule.v[i], v->one))
			promised_ms = in->conf->rule.v[i].slo_p99_ms;
	v->limit_ms = promised_ms;
	v->promised = !isnan(v->limit_ms);
	const struct sim_change none = { v->before, v->before, v->limit_ms };
	if ((r = sim_minutes(&v->sim, v->nminute, v->minute, &none, &v->result, err)) < 0)
		return r;
	if (isnan(v->result.p99_before_ms)) {
		v->fixed = true;
		plan_note(s->in,
			  "share: '%s' keeps its GPUs: its latency is not in the request log",
			  v->service);
	}
	if (!v->promised)
		v->limit_ms = v->result.p99_before_ms * (1 + s->in->conf->slo_p99_growth_frac);
	return 0;
}
