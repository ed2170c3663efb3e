/*
 * Carry a service's load on fewer cards. For the machines of one kind on which only services run:
 *
 *   1. load of a service in cards, minute by minute: its requests x the GPU time of one, from telemetry (mean utilisation x cards / requests)
 *   2. the fewest replicas that keep the busiest minutes (99th percentile) below the target utilisation, and in replay the 99th percentile of
 *      latency within what was promised (else: within the growth that the settings allow), with no more requests above it than 1 %
 *   3. what is left of two services may share a card where memory fits and isolation allows (opt/share.h), if that frees a machine
 *   4. machines that nobody needs then are given back: whole ones, as the provider sells them; their cards that stay go to the services in turn
 *
 * A replica keeps its model, so its memory is as before; a service without room for a tenth more keeps its cards. Without a request log there is no
 * replay, and nothing is proposed.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "opt/capacity.h"
#include "opt/share.h"
#include "plan/levers.h"
#include "plan/mig_card.h"
#include "sim/requests.h"

#define COVERED_FRAC 0.8    /* readings cover at least this part of a service's time */
#define STEADY_FRAC 0.1	    /* replicas and machines vary by less than this over the window */
#define MISS_FRAC 0.01	    /* of the requests above the bound: what risk medium allows */
#define GROWTH_FRAC 0.1	    /* of the load: the range of what must be kept */
#define STEP_MS 60000.0

struct svc {
	const char *service, *team;
	const struct work *one; /* a replica */
	double cards, busy_cards; /* mean over the window; busy: x utilisation */
	double mem_p99, mem_total, covered_ms, ms;
	struct sim_service sim;
	struct sim_minute *minute;
	size_t nminute;
	double limit_ms; /* of the 99th percentile */
	bool promised, fixed; /* fixed: keeps its cards */
	int before, need, after; /* replicas: of history, fewest, with the cards that stay anyway */
	double need_load; /* cards' worth of load in the busiest minutes / target */
	int neighbour; /* shares its last card with this one, -1 */
	double neighbour_load; /* and has so much of it */
	enum share_kind kind;
	int type; /* of its MIG instance there */
	const char *why;
	struct sim_minutes result;
};

struct machine { const char *node; int64_t gpus_milli, cost_nano; double ms; bool mixed; int service_cards; bool back; };

struct pool {
	const struct work *key;
	VEC(struct svc) svc;
	VEC(struct machine) node;
	int gpus; /* of one machine */
};

struct lever_state {
	const struct lever_in *in;
	struct rec_list *out;
	VEC(struct pool) pool;
};

/* ---- what runs where ------------------------------------------------------------------------------------------------------------------- */

static bool same_pool(const struct work *a, const struct work *b)
{
	return a->provider == b->provider && a->region == b->region && a->instance_type == b->instance_type && a->gpu_model == b->gpu_model &&
	       a->purchase == b->purchase && a->cluster == b->cluster;
}

/* A replica that may be merged with others: whole cards of a machine that can be given back, as it was or as the plan left it. */
static bool is_replica(const struct lever_in *in, size_t i)
{
	const struct work *w = &in->fleet->work.v[i];
	const struct use *u = &in->use[i];

	return w->kind == WORK_SERVICE && *w->service && w->node_index != SIZE_MAX && w->share_kind == SHARE_WHOLE && w->gpus_milli >= 1000 &&
	       u->cost_nano > 0 && u->end_ms > u->start_ms && !work_is_frozen(in, w, "share");
}

static struct pool *pool_of(struct lever_state *s, const struct work *w)
{
	for (size_t i = 0; i < s->pool.n; i++)
		if (same_pool(s->pool.v[i].key, w))
			return &s->pool.v[i];
	struct pool *p = vec_push(&s->pool);
	*p = (struct pool){ .key = w };
	return p;
}

static struct svc *svc_of(struct pool *p, const struct work *w)
{
	for (size_t i = 0; i < p->svc.n; i++)
		if (p->svc.v[i].service == w->service)
			return &p->svc.v[i];
	struct svc *v = vec_push(&p->svc);
	*v = (struct svc){ .service = w->service, .team = w->team, .one = w, .neighbour = -1, .limit_ms = NAN };
	return v;
}

static struct machine *node_of(struct pool *p, const char *node)
{
	for (size_t i = 0; i < p->node.n; i++)
		if (p->node.v[i].node == node)
			return &p->node.v[i];
	return NULL;
}

static void add_replica(struct lever_state *s, const struct work *w)
{
	const struct fleet *f = s->in->fleet;
	struct pool *p = pool_of(s, w);
	struct svc *v = svc_of(p, w);
	struct machine *m = node_of(p, w->node);
	double window = (double)(f->until_ms - f->since_ms);

	if (!m) {
		m = vec_push(&p->node);
		*m = (struct machine){ .node = w->node, .gpus_milli = f->node.v[w->node_index].gpus_milli };
		for (size_t k = 0; k < f->node.n; k++)
			m->ms += f->node.v[k].node == w->node ? (double)(f->node.v[k].to_ms - f->node.v[k].from_ms) : 0;
	}
	m->service_cards += (int)(w->gpus_milli / 1000);
	v->cards += (double)w->ms / window;
	v->ms += (double)w->ms;
	if (!isnan(w->stats.util_mean_pct)) {
		v->covered_ms += w->stats.covered_frac * (double)w->ms;
		v->busy_cards += w->stats.util_mean_pct / 100 * (double)w->ms / window;
	}
	v->mem_p99 = fmax(v->mem_p99, w->stats.mem_p99_bytes);
	v->mem_total = v->mem_total > 0 ? fmin(v->mem_total, w->stats.mem_total_bytes) : w->stats.mem_total_bytes;
}

/* What a machine costs with all that is on it, and whether others than these services are. */
static void add_others(struct lever_state *s, struct pool *p)
{
	const struct fleet *f = s->in->fleet;

	for (size_t i = 0; i < f->work.n; i++) {
		const struct work *w = &f->work.v[i];
		struct machine *m = w->kind == WORK_LINE ? NULL : node_of(p, w->node);
		if (!m)
			continue;
		m->cost_nano += s->in->use[i].cost_nano;
		m->mixed |= (w->kind == WORK_JOB && w->ms > 0) || (w->kind == WORK_SERVICE && !is_replica(s->in, i));
	}
}

/* ---- a service's load ------------------------------------------------------------------------------------------------------------------ */

static const struct fleet_service *requests_of(const struct fleet *f, const char *service)
{
	for (size_t i = 0; i < f->service.n; i++)
		if (f->service.v[i].service == service && f->service.v[i].requests > 0 && f->service.v[i].nmin > 0)
			return &f->service.v[i];
	return NULL;
}

/* Cards that this service keeps busy in all pools: its requests are split by that. */
static double busy_everywhere(const struct lever_state *s, const char *service)
{
	double sum = 0;

	for (size_t i = 0; i < s->pool.n; i++)
		for (size_t k = 0; k < s->pool.v[i].svc.n; k++)
			sum += s->pool.v[i].svc.v[k].service == service ? s->pool.v[i].svc.v[k].busy_cards : 0;
	return sum;
}

static double promised_ms(const struct lever_in *in, const struct work *w)
{
	double slo = NAN;

	for (size_t i = 0; i < in->conf->rule.n; i++)
		if (!isnan(in->conf->rule.v[i].slo_p99_ms) && plan_rule_matches(&in->conf->rule.v[i], w))
			slo = in->conf->rule.v[i].slo_p99_ms;
	return slo;
}

/* Minutes without a row had no request: the mean is over all minutes between the first and the last. */
static void load_minutes(struct lever_state *s, struct svc *v, const struct fleet_service *q)
{
	const struct fleet_minute *m = &s->in->fleet->minute.v[q->min0];
	double everywhere = busy_everywhere(s, v->service), span = (double)(m[q->nmin - 1].t_ms - m[0].t_ms) / STEP_MS + 1;

	v->minute = arena_alloc(s->in->mem, q->nmin * sizeof *v->minute);
	v->nminute = q->nmin;
	for (size_t i = 0; i < q->nmin; i++)
		v->minute[i] = (struct sim_minute){ (double)m[i].count, m[i].p50_ms, m[i].p95_ms, m[i].p99_ms };
	v->sim = (struct sim_service){ .step_ms = STEP_MS, .work_ms = everywhere * STEP_MS / ((double)q->requests / span),
				       .load_factor = everywhere > 0 ? v->busy_cards / everywhere : 1 };
}

/* Why a service cannot be replayed, or NULL. */
static const char *unready(const struct svc *v, const struct fleet_service *q)
{
	double replica = (double)v->one->gpus_milli / 1000;

	if (v->covered_ms < COVERED_FRAC * v->ms)
		return "its utilisation was not measured";
	if (!q)
		return "there is no request log to replay";
	if (isnan(v->mem_p99) || isnan(v->mem_total) || !(v->mem_total > 0))
		return "its memory was not measured";
	if (share_mem_need(v->mem_p99) > v->mem_total)
		return "its memory has no room for a tenth more";
	if (replica != 1)
		return "a replica takes several cards";
	if (fabs(v->cards - v->before) > STEADY_FRAC * v->before || v->before < 1)
		return "its number of replicas changes";
	return NULL;
}

static int ready(struct lever_state *s, struct svc *v, struct err *err)
{
	const struct fleet_service *q = requests_of(s->in->fleet, v->service);
	int r;

	v->before = (int)lround(v->cards);
	v->need = v->after = v->before > 0 ? v->before : 1;
	v->why = unready(v, q);
	v->fixed = v->why != NULL;
	if (v->fixed) {
		plan_note(s->in, "share: '%s' keeps its cards: %s", v->service, v->why);
		return 0;
	}
	load_minutes(s, v, q);
	v->limit_ms = promised_ms(s->in, v->one);
	v->promised = !isnan(v->limit_ms);
	if ((r = sim_minutes(&v->sim, v->nminute, v->minute, v->before, v->before, v->limit_ms, &v->result, err)) < 0)
		return r;
	if (isnan(v->result.p99_before_ms)) {
		v->fixed = true;
		plan_note(s->in, "share: '%s' keeps its cards: its latency is not in the request log", v->service);
	}
	if (!v->promised)
		v->limit_ms = v->result.p99_before_ms * (1 + s->in->conf->slo_p99_growth_frac);
	return 0;
}

/* ---- how many replicas ---------------------------------------------------------------------------------------------------------------- */

static bool holds(const struct svc *v, const struct sim_minutes *r, double target)
{
	return r->overloaded == 0 && r->p99_load_frac <= target && r->p99_after_ms <= v->limit_ms &&
	       (r->slo_after <= r->slo_before || r->slo_after <= MISS_FRAC * r->requests);
}

static int replay(const struct svc *v, double growth, double neighbour, int after, struct sim_minutes *ret, struct err *err)
{
	struct sim_service sim = v->sim;

	sim.load_factor *= growth;
	sim.base_load = neighbour;
	sim.slower_ms = neighbour > 0 ? sim.work_ms * neighbour / (1 - neighbour) : 0; /* work on the rest of a card */
	return sim_minutes(&sim, v->nminute, v->minute, v->before, after, v->limit_ms, ret, err);
}

/* The fewest replicas for `growth` times the load; two at least where there were two, so that one may fail. */
static int fewest(struct lever_state *s, struct svc *v, double growth, int *ret, struct err *err)
{
	double target = s->in->conf->serving_target_util_frac;
	struct sim_minutes r;
	int rc = 0, k = v->before >= 2 ? 2 : 1;

	*ret = v->before;
	if (v->fixed)
		return 0;
	double cards = v->result.p99_load_frac * v->before * growth / target;
	k = cards > k ? (int)ceil(cards - 1e-9) : k;
	for (; k < v->before; k++) {
		if ((rc = replay(v, growth, 0, k, &r, err)) < 0)
			return rc;
		if (holds(v, &r, target))
			break;
	}
	*ret = k;
	return 0;
}

static int total(struct lever_state *s, struct pool *p, double growth, int *ret, struct err *err)
{
	int r = 0, k;

	*ret = 0;
	for (size_t i = 0; i < p->svc.n && r >= 0; i++) {
		r = fewest(s, &p->svc.v[i], growth, &k, err);
		*ret += k;
	}
	return r;
}

/* Machines that hold so many cards, those with other work among them. */
static int machines_for(const struct pool *p, int cards)
{
	int mixed = 0, there = 0;

	for (size_t i = 0; i < p->node.n; i++) {
		mixed += p->node.v[i].mixed;
		there += p->node.v[i].mixed ? p->node.v[i].service_cards : 0;
	}
	int more = cards > there ? (cards - there + p->gpus - 1) / p->gpus : 0;
	return mixed + more < (int)p->node.n ? mixed + more : (int)p->node.n;
}

/* ---- two services on a card ------------------------------------------------------------------------------------------------------------ */

static struct share_tenant tenant_of(const struct lever_in *in, const struct svc *v, double load)
{
	struct share_tenant t = { .team = v->team, .mem_p99_bytes = v->mem_p99, .latency_bound = true,
				  .peak_util_frac = load * in->conf->serving_target_util_frac };

	for (size_t i = 0; i < in->conf->rule.n; i++) {
		const struct plan_rule *r = &in->conf->rule.v[i];
		if (r->share_with_others < 0 || !plan_rule_matches(r, v->one))
			continue;
		t.alone = r->share_with_others == 0;
		t.with_others = r->share_with_others == 1;
	}
	return t;
}

/* The part of its last card that a service needs. */
static double last_part(const struct svc *v)
{
	double part = v->need_load - (v->need - 1);

	return part > 0 ? part : 0;
}

/* What a tenant's neighbour takes of the card: for good with MIG, else in its busiest minutes. */
static double taken(const struct share_card *card, const struct share_answer *how, size_t i, double neighbour_peak)
{
	if (how->kind != SHARE_MIG)
		return neighbour_peak;
	return 1 - (double)card->mig->card.type[how->type[i]].compute / card->mig->card.compute;
}

static int try_pair(struct lever_state *s, const struct share_card *card, struct pool *p, size_t i, size_t k, bool *ret, struct err *err)
{
	struct svc *a = &p->svc.v[i], *b = &p->svc.v[k];
	double target = s->in->conf->serving_target_util_frac, pa = last_part(a), pb = last_part(b);
	struct share_tenant t[2] = { tenant_of(s->in, a, pa), tenant_of(s->in, b, pb) };
	struct share_answer how;
	struct sim_minutes ra, rb;
	int r;

	*ret = false;
	if (a->fixed || b->fixed || a->neighbour >= 0 || b->neighbour >= 0 || pa + pb > 1)
		return 0;
	share_decide(card, 2, t, target, &how);
	if (how.kind == SHARE_WHOLE)
		return 0;
	a->neighbour_load = taken(card, &how, 0, pb * target);
	b->neighbour_load = taken(card, &how, 1, pa * target);
	if ((r = replay(a, 1, a->neighbour_load, a->need, &ra, err)) < 0 || (r = replay(b, 1, b->neighbour_load, b->need, &rb, err)) < 0)
		return r;
	if (ra.overloaded || rb.overloaded || ra.p99_after_ms > a->limit_ms || rb.p99_after_ms > b->limit_ms)
		return 0;
	a->neighbour = (int)k;
	b->neighbour = (int)i;
	a->kind = b->kind = how.kind;
	a->type = how.type[0];
	b->type = how.type[1];
	a->why = b->why = how.why;
	*ret = true;
	return 0;
}

static bool is_volta_or_later(const struct gpu_spec *g)
{
	static const char *const older[] = { "kepler", "maxwell", "pascal" };

	for (size_t i = 0; i < 3; i++)
		if (!g || !g->arch || sv_ieq(sv_of(g->arch), sv_of(older[i])))
			return false;
	return true;
}

/* Pairs, as long as each frees a card; kept only if together they free a machine. */
static int pairs(struct lever_state *s, struct pool *p, int *cards, struct err *err)
{
	struct share_card card = { .mem_bytes = p->svc.v[0].mem_total, .volta_or_later = is_volta_or_later(catalog_gpu(s->in->catalog, sv_of(p->key->gpu_model))) };
	struct mig_geom *geom = xcalloc(1, sizeof *geom);
	struct mig_card table;
	int saved = 0, r = 0;
	bool ok;

	if (mig_card_of(s->in->catalog, p->key->gpu_model, &table, card.type_mem_bytes) && mig_geom_init(geom, &table, err) == 0)
		card.mig = geom;
	for (size_t i = 0; i < p->svc.n && r >= 0; i++)
		for (size_t k = i + 1; k < p->svc.n && r >= 0; k++)
			if ((r = try_pair(s, &card, p, i, k, &ok, err)) >= 0)
				saved += ok;
	free(geom);
	if (r < 0)
		return r;
	if (saved && machines_for(p, *cards - saved) < machines_for(p, *cards)) {
		*cards -= saved;
		return 0;
	}
	for (size_t i = 0; i < p->svc.n; i++)
		p->svc.v[i].neighbour = -1;
	return 0;
}

/* ---- the proposal ---------------------------------------------------------------------------------------------------------------------- */

static int by_cost(const void *pa, const void *pb)
{
	const struct machine *a = pa, *b = pb;

	if (a->mixed != b->mixed)
		return a->mixed - b->mixed;
	if (a->cost_nano != b->cost_nano)
		return a->cost_nano > b->cost_nano ? -1 : 1;
	return strcmp(b->node, a->node);
}

/* Cards of machines that stay go to the services with most load per replica. */
static void give_spare(struct pool *p, int spare)
{
	while (spare-- > 0) {
		struct svc *best = NULL;
		for (size_t i = 0; i < p->svc.n; i++) {
			struct svc *v = &p->svc.v[i];
			if (!v->fixed && v->after < v->before && (!best || v->need_load / v->after > best->need_load / best->after))
				best = v;
		}
		if (!best)
			return;
		best->after++;
	}
}

static int replay_all(struct pool *p, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < p->svc.n && r >= 0; i++) {
		struct svc *v = &p->svc.v[i];
		if (!v->fixed)
			r = replay(v, 1, v->neighbour >= 0 ? v->neighbour_load : 0, v->after, &v->result, err);
	}
	return r;
}

static void add_changes(struct lever_state *s, struct rec *rec, struct pool *p, int back, int sure)
{
	const struct fleet *f = s->in->fleet;

	for (int k = 0; k < back; k++)
		p->node.v[k].back = true;
	for (size_t i = 0; i < f->work.n; i++) {
		const struct work *w = &f->work.v[i];
		struct machine *m = w->kind == WORK_LINE ? NULL : node_of(p, w->node);
		if (!m || !m->back || s->in->use[i].cost_nano <= 0)
			continue;
		struct rec_change *c = rec_change(s->in, rec, (uint32_t)i);
		c->after.end_ms = c->after.start_ms;
		c->after.cost_nano = c->lo_nano = c->hi_nano = 0;
		if (m - p->node.v >= sure) /* a tenth more load keeps this machine */
			c->hi_nano = s->in->use[i].cost_nano;
	}
}

static int cards_of(const struct pool *p, bool after)
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

/* How two services come onto a card; with MIG the layout for mig-parted and the steps to make it on a machine that stays. */
static void tell_neighbours(struct lever_state *s, struct rec *rec, const struct pool *p, const struct svc *v, const struct svc *o)
{
	const struct lever_in *in = s->in;
	const char *node = p->node.v[p->node.n - 1].node, *step[SHARE_STEPS + 2];
	const char *jobs[2] = { v->service, o->service };
	int count[MIG_TYPES] = { 0 };
	struct mig_card card;

	rec_apply(in, rec, "# the last replica of %s and the last of %s share a card by %s: %s", v->service, o->service, share_kind_name(v->kind), v->why);
	if (v->kind != SHARE_MIG || !mig_card_of(in->catalog, p->key->gpu_model, &card, NULL))
		return;
	count[v->type]++;
	count[o->type]++;
	struct str yaml = { 0 };
	share_parted_begin(&yaml, "tare-share");
	share_parted_device(&yaml, 0, &card, count);
	apply_lines(in, rec, str_sv(&yaml));
	str_free(&yaml);
	size_t n = share_steps(in->mem, node, true, "tare-share", 2, jobs, step);
	for (size_t i = 0; i < n; i++)
		rec_apply(in, rec, "%s", step[i]);
	rec_undo(in, rec, "kubectl label node %s nvidia.com/mig.config=all-disabled --overwrite  # cordon and drain it first", node);
}

static void tell_service(struct lever_state *s, struct rec *rec, const struct pool *p, const struct svc *v)
{
	const struct lever_in *in = s->in;

	if (v->fixed)
		return;
	rec->replay.requests += (int64_t)v->result.requests;
	rec->replay.slo_violations += (int64_t)ceil(v->result.slo_after);
	rec_evidence(in, rec, QUALITY_MEASURED, arena_printf(in->mem, "%s: mean utilisation of %d cards", v->service, v->before), "frac", "telemetry", "%.3f",
		     v->busy_cards / v->cards);
	rec_evidence(in, rec, QUALITY_ESTIMATED, arena_printf(in->mem, "%s: GPU time of a request", v->service), "ms", "telemetry, request log", "%.2f",
		     v->sim.work_ms);
	rec_evidence(in, rec, QUALITY_ESTIMATED, arena_printf(in->mem, "%s: load of %d cards in the busiest minutes (99th percentile)", v->service, v->after),
		     "frac", "replay", "%.3f", v->result.p99_load_frac);
	rec_evidence(in, rec, QUALITY_ESTIMATED, arena_printf(in->mem, "%s: p99 of latency, was %.0f, %s %.0f", v->service, v->result.p99_before_ms,
		     v->promised ? "promised" : "allowed", v->limit_ms), "ms", "replay", "%.0f", v->result.p99_after_ms);
	rec_evidence(in, rec, QUALITY_MEASURED, arena_printf(in->mem, "%s: memory of a replica, 99th percentile x %.1f", v->service, SHARE_MEM_FACTOR),
		     "frac of a card", "telemetry", "%.3f", share_mem_need(v->mem_p99) / v->mem_total);
	rec_apply(in, rec, "kubectl scale deployment %s --replicas=%d  # was %d", v->service, v->after, v->before);
	rec_undo(in, rec, "kubectl scale deployment %s --replicas=%d", v->service, v->before);
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

static void tell_machines(struct lever_state *s, struct rec *rec, const struct pool *p)
{
	const struct lever_in *in = s->in;
	const char *const *none = NULL;

	for (size_t i = 0; i < p->node.n; i++) {
		const char *step[SHARE_STEPS];
		if (!p->node.v[i].back)
			continue;
		size_t n = share_steps(in->mem, p->node.v[i].node, true, "", 0, none, step);
		rec_apply(in, rec, "%s  # no new pods", step[0]);
		rec_apply(in, rec, "kubectl drain %s --ignore-daemonsets --delete-emptydir-data  # then give the machine back", p->node.v[i].node);
		rec_undo(in, rec, "# start a %s in %s, and: %s", p->key->instance_type, p->key->region, n ? step[n - 1] : "");
	}
}

static void tell(struct lever_state *s, struct rec *rec, struct pool *p, int back)
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
	rec->title = arena_printf(in->mem, "%s: %d %s -> %d, %zu %s -> %zu", who, cards_of(p, false), p->key->gpu_model, cards_of(p, true), p->node.n, type,
				  p->node.n - (size_t)back);
	rec_evidence(in, rec, QUALITY_MEASURED, "mean utilisation of the serving cards", "frac", "telemetry", "%.3f", busy / cards);
	for (size_t i = 0; i < p->svc.n; i++)
		tell_service(s, rec, p, &p->svc.v[i]);
	worst_latency(rec, p);
	tell_machines(s, rec, p);
	rec_risk(in, rec, "A machine that fails takes a larger part of the replicas with it.");
	rec_risk(in, rec, "GPU time of a request is inferred from mean utilisation: scale down in steps and watch the 99th percentile of latency.");
}

static int propose(struct lever_state *s, struct pool *p, int cards, int cards_more, struct err *err)
{
	int keep = machines_for(p, cards), back = (int)p->node.n - keep, sure = (int)p->node.n - machines_for(p, cards_more), r;
	const char *who = *p->key->cluster ? p->key->cluster : p->svc.v[0].service;

	if (back <= 0) {
		if (cards < cards_of(p, false))
			plan_note(s->in, "share: %d of the %d cards of '%s' would carry the load, but that frees no whole %s", cards, cards_of(p, false), who,
				  p->key->instance_type);
		return 0;
	}
	qsort(p->node.v, p->node.n, sizeof *p->node.v, by_cost);
	struct rec *rec = rec_new(s->in, s->out, "share", who);
	add_changes(s, rec, p, back, sure);
	give_spare(p, cards_of(p, true) - cards);
	if ((r = replay_all(p, err)) < 0)
		return r;
	rec->risk = RISK_MEDIUM;
	rec->effort_days = 4;
	rec->within_days = 7;
	rec->confidence_frac = 0.9;
	tell(s, rec, p, back);
	if ((double)rec->replay.slo_violations > MISS_FRAC * (double)rec->replay.requests)
		rec->risk = RISK_HIGH;
	return 0;
}

static int decide(struct lever_state *s, struct pool *p, struct err *err)
{
	const struct fleet *f = s->in->fleet;
	double busy = 0, cards = 0, machines = 0;
	int fewest_cards = 0, more = 0, r = 0;

	add_others(s, p);
	p->gpus = (int)(p->node.v[0].gpus_milli / 1000);
	for (size_t i = 0; i < p->node.n; i++)
		machines += p->node.v[i].ms / (double)(f->until_ms - f->since_ms);
	for (size_t i = 0; i < p->svc.n && r >= 0; i++) {
		r = ready(s, &p->svc.v[i], err);
		busy += p->svc.v[i].busy_cards;
		cards += p->svc.v[i].cards;
	}
	if (r < 0 || p->gpus < 1 || !(cards > 0) || capacity_band(busy / cards) != BAND_CONSOLIDATE)
		return r;
	if (fabs(machines - (double)p->node.n) > STEADY_FRAC * (double)p->node.n) {
		plan_note(s->in, "share: the machines of '%s' come and go: what autoscaling leaves is not touched", p->svc.v[0].service);
		return 0;
	}
	for (size_t i = 0; i < p->svc.n && r >= 0; i++) {
		struct svc *v = &p->svc.v[i];
		r = fewest(s, v, 1, &v->need, err);
		v->after = v->need;
		v->need_load = v->fixed ? v->before : v->result.p99_load_frac * v->before / s->in->conf->serving_target_util_frac;
		fewest_cards += v->need;
	}
	if (r >= 0)
		r = pairs(s, p, &fewest_cards, err);
	if (r >= 0)
		r = total(s, p, 1 + GROWTH_FRAC, &more, err);
	return r < 0 ? r : propose(s, p, fewest_cards, more, err);
}

int lever_share_propose(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	struct lever_state s = { .in = in, .out = out };
	int r = 0;

	for (size_t i = 0; i < in->fleet->work.n; i++)
		if (is_replica(in, i))
			add_replica(&s, &in->fleet->work.v[i]);
	for (size_t i = 0; i < s.pool.n && r >= 0; i++)
		r = decide(&s, &s.pool.v[i], err);
	for (size_t i = 0; i < s.pool.n; i++) {
		vec_free(&s.pool.v[i].svc);
		vec_free(&s.pool.v[i].node);
	}
	vec_free(&s.pool);
	return r;
}
