/*
 * Carry a service's load on fewer cards. For the machines of one kind on which only services run:
 *
 *   1. load of a service in cards, minute by minute: its requests x the GPU time of one, from
 *   telemetry (mean utilisation x cards / requests)
 *   2. the fewest replicas that keep the busiest minutes (99th percentile) below the target
 *      utilisation, and in replay the 99th percentile of latency within what was promised (else:
 *      within the growth that the settings allow), with no more requests above it than 1 %
 *   3. what is left of two services may share a card where memory fits and isolation allows
 *   (opt/share.h), if that frees a machine
 *   4. machines that nobody needs then are given back: whole ones, as the provider sells them;
 *   their cards that stay go to the services in turn
 *
 * A replica keeps its model, so its memory is as before; a service without room for a tenth more
 * keeps its cards. Without a request log there is no replay, and nothing is proposed.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "opt/capacity.h"
#include "plan/mig_card.h"
#include "plan/share_in.h"

#define STEADY_FRAC 0.1  /* replicas and machines vary by less than this over the window */
#define MISS_FRAC   0.01 /* of the requests above the bound: what risk medium allows */
#define GROWTH_FRAC 0.1  /* of the load: the range of what must be kept */

/* ---- how many replicas ------------------------------------------------------------------- */

static bool holds(const struct svc *v, const struct sim_minutes *r, double target)
{
	return r->overloaded == 0 && r->p99_load_frac <= target && r->p99_after_ms <= v->limit_ms &&
	       (r->slo_after <= r->slo_before || r->slo_after <= MISS_FRAC * r->requests);
}

static int replay(const struct svc *v, double growth, double neighbour, int after,
		  struct sim_minutes *ret, struct err *err)
{
	struct sim_service sim = v->sim;

	sim.load_factor *= growth;
	sim.base_load = neighbour;
	/* work on the rest of a card */
	sim.slower_ms = neighbour > 0 ? sim.work_ms * neighbour / (1 - neighbour) : 0;
	return sim_minutes(&sim, v->nminute, v->minute, v->before, after, v->limit_ms, ret, err);
}

/* The fewest replicas for `growth` times the load; two at least where there were two, so that one
 * may fail. */
static int fewest(struct share_state *s, struct svc *v, double growth, int *ret, struct err *err)
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

static int total(struct share_state *s, struct pool *p, double growth, int *ret, struct err *err)
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

/* ---- two services on a card -------------------------------------------------------------- */

static struct share_tenant tenant_of(const struct lever_in *in, const struct svc *v, double load)
{
	struct share_tenant t = { .team = v->team,
				  .mem_p99_bytes = v->mem_p99,
				  .latency_bound = true,
				  .peak_util_frac = load * in->conf->serving_target_util_frac };

	for (size_t i = 0; i < in->conf->rule.n; i++) {
		const struct plan_rule *r = &in->conf->rule.v[i];
		if (r->share_with == PLAN_SHARE_TEAM || !plan_rule_matches(r, v->one))
			continue;
		t.alone = r->share_with == PLAN_SHARE_NOBODY;
		t.with_others = r->share_with == PLAN_SHARE_OTHERS;
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
static double taken(const struct share_card *card, const struct share_answer *how, size_t i,
		    double neighbour_peak)
{
	if (how->kind != SHARE_MIG)
		return neighbour_peak;
	return 1 - (double)card->mig->card.type[how->type[i]].compute / card->mig->card.compute;
}

static int try_pair(struct share_state *s, const struct share_card *card, struct pool *p, size_t i,
		    size_t k, bool *ret, struct err *err)
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
	if ((r = replay(a, 1, a->neighbour_load, a->need, &ra, err)) < 0 ||
	    (r = replay(b, 1, b->neighbour_load, b->need, &rb, err)) < 0)
		return r;
	if (ra.overloaded || rb.overloaded || ra.p99_after_ms > a->limit_ms ||
	    rb.p99_after_ms > b->limit_ms)
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
static int pairs(struct share_state *s, struct pool *p, int *cards, struct err *err)
{
	struct share_card card = { .mem_bytes = p->svc.v[0].mem_total,
				   .volta_or_later = is_volta_or_later(
					   catalog_gpu(s->in->catalog, sv_of(p->key->gpu_model))) };
	struct mig_geom *geom = xcalloc(1, sizeof *geom);
	struct mig_card table;
	int saved = 0, r = 0;
	bool ok;

	if (mig_card_of(s->in->catalog, p->key->gpu_model, &table, card.type_mem_bytes) &&
	    mig_geom_init(geom, &table, err) == 0)
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

/* ---- the proposal ------------------------------------------------------------------------ */

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
			if (!v->fixed && v->after < v->before &&
			    (!best || v->need_load / v->after > best->need_load / best->after))
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
			r = replay(v, 1, v->neighbour >= 0 ? v->neighbour_load : 0, v->after,
				   &v->result, err);
	}
	return r;
}

static void add_changes(struct share_state *s, struct rec *rec, struct pool *p, int back, int sure)
{
	const struct fleet *f = s->in->fleet;

	for (int k = 0; k < back; k++)
		p->node.v[k].back = true;
	for (size_t i = 0; i < f->work.n; i++) {
		const struct work *w = &f->work.v[i];
		struct machine *m = share_machine(s, p, w);
		if (!m || !m->back || s->in->use[i].cost_nano <= 0)
			continue;
		struct rec_change *c = rec_change(s->in, rec, (uint32_t)i);
		c->after.end_ms = c->after.start_ms;
		c->after.cost_nano = c->lo_nano = c->hi_nano = 0;
		if (m - p->node.v >= sure) /* a tenth more load keeps this machine */
			c->hi_nano = s->in->use[i].cost_nano;
	}
}

static int propose(struct share_state *s, struct pool *p, int cards, int cards_more,
		   struct err *err)
{
	int keep = machines_for(p, cards), back = (int)p->node.n - keep,
	    sure = (int)p->node.n - machines_for(p, cards_more), r;
	const char *who = *p->key->cluster ? p->key->cluster : p->svc.v[0].service;

	if (back <= 0) {
		if (cards < share_cards(p, false))
			plan_note(
				s->in,
				"share: %d of the %d cards of '%s' would carry the load, but that frees no whole %s",
				cards, share_cards(p, false), who, p->key->instance_type);
		return 0;
	}
	if (p->node.n)
		qsort(p->node.v, p->node.n, sizeof *p->node.v, by_cost);
	share_machines_moved(s, p);
	struct rec *rec = rec_new(s->in, s->out, "share", who);
	add_changes(s, rec, p, back, sure);
	give_spare(p, share_cards(p, true) - cards);
	if ((r = replay_all(p, err)) < 0)
		return r;
	rec->risk = RISK_MEDIUM;
	rec->effort_days = 4;
	rec->within_days = 7;
	rec->confidence_frac = 0.9;
	share_tell(s, rec, p, back);
	if ((double)rec->replay.slo_violations > MISS_FRAC * (double)rec->replay.requests)
		rec->risk = RISK_HIGH;
	return 0;
}

static int decide(struct share_state *s, struct pool *p, struct err *err)
{
	const struct fleet *f = s->in->fleet;
	double busy = 0, cards = 0, machines = 0;
	int fewest_cards = 0, more = 0, r = 0;

	p->gpus = (int)(p->node.v[0].gpus_milli / 1000);
	for (size_t i = 0; i < p->node.n; i++)
		machines += p->node.v[i].ms / (double)(f->until_ms - f->since_ms);
	for (size_t i = 0; i < p->svc.n && r >= 0; i++) {
		r = share_ready(s, &p->svc.v[i], err);
		busy += p->svc.v[i].busy_cards;
		cards += p->svc.v[i].cards;
	}
	if (r < 0 || p->gpus < 1 || !(cards > 0) || capacity_band(busy / cards) != BAND_CONSOLIDATE)
		return r;
	if (fabs(machines - (double)p->node.n) > STEADY_FRAC * (double)p->node.n) {
		plan_note(
			s->in,
			"share: the machines of '%s' come and go: what autoscaling leaves is not touched",
			p->svc.v[0].service);
		return 0;
	}
	for (size_t i = 0; i < p->svc.n && r >= 0; i++) {
		struct svc *v = &p->svc.v[i];
		r = fewest(s, v, 1, &v->need, err);
		v->after = v->need;
		v->need_load = v->fixed ? v->before
					: v->result.p99_load_frac * v->before /
						  s->in->conf->serving_target_util_frac;
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
	struct share_state s = { .in = in, .out = out };
	int r = 0;

	share_collect(&s);
	for (size_t i = 0; i < s.pool.n && r >= 0; i++)
		r = decide(&s, &s.pool.v[i], err);
	share_free(&s);
	return r;
}
