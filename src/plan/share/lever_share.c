/*
 * Carry a service's load on fewer GPUs. For the machines of one kind on which services run:
 *
 *   1. load of a service in GPUs, minute by minute: its requests x the GPU time of one, from
 *      telemetry (mean utilisation x GPUs / requests). A log coarser than a minute hides the
 *      busiest ones: then nothing is proposed
 *   2. m replicas on k machines, the fewest with
 *        peak x replicas_peak_factor <= m, the 99th percentile of load below the target, latency as
 *        promised (else: within the growth that the settings allow), in replay of all minutes
 *        peak <= m - ceil(m / k), and latency as promised: one machine lost
 *   3. the fewest machines k on which all of them have a GPU, and an order of steps that leaves no
 *      service without enough replicas on the way (share_steps.c); what is printed is replayed
 *
 * A replica keeps its GPU and its model, so its memory is as before; a service without room for a
 * tenth more keeps its GPUs. Whatever is not known of a service keeps its GPUs and its machines.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "opt/capacity/capacity.h"
#include "plan/share/share_in.h"

#define STEADY_FRAC 0.1  /* machines vary by less than this over the window */
#define MISS_FRAC   0.01 /* of the requests above the bound: what risk medium allows */
#define GROWTH_FRAC 0.1  /* of the load: the range of what must be kept */
#define TRIES       4    /* numbers of machines, from the fewest that could do */
#define EPS         1e-9

/* ---- how many replicas ------------------------------------------------------------------- */

static int replay_service(const struct svc *v, int after, struct sim_minutes *ret, struct err *err)
{
	const struct sim_change c = { v->before, after, v->limit_ms };

	return sim_minutes(&v->sim, v->nminute, v->minute, &c, ret, err);
}

/* Do n replicas hold, as all there are and as what a lost machine leaves. */
static int held_by(struct share_state *s, struct svc *v, int n, struct share_held *ret,
		   struct err *err)
{
	const struct plan_conf *conf = s->in->conf;
	struct share_held *h = &v->held[n];
	struct sim_minutes r;
	int rc = 0;

	if (!h->asked && (rc = replay_service(v, n, &r, err)) >= 0) {
		h->asked = true;
		bool few = r.slo_after <= r.slo_before || r.slo_after <= MISS_FRAC * r.requests;
		h->left = r.overloaded == 0 && r.p99_after_ms <= v->limit_ms && few;
		h->all = r.p99_load_frac <= conf->serving_target_util_frac;
	}
	*ret = *h;
	return rc;
}

/* What its latency is held to, and where that is from. */
static const char *limit_text(const struct share_state *s, const struct svc *v)
{
	if (v->promised)
		return arena_printf(s->in->mem, "%.0f ms are promised (slo_p99_ms)", v->limit_ms);
	return arena_printf(
		s->in->mem,
		"%.0f ms are assumed to be the most (its p99 of %.0f ms and %.0f %%): slo_p99_ms of a rule under plan.rules says what it may be",
		v->limit_ms, v->result.p99_before_ms, s->in->conf->slo_p99_growth_frac * 100);
}

/* The fewest that are enough when a machine is lost: v->left; none: the service keeps its GPUs. */
static int find_left(struct share_state *s, struct svc *v, struct err *err)
{
	struct share_held h = { 0 };
	int r = 0, n = 1;

	if (v->peak > 1)
		n = (int)ceil(v->peak - EPS);
	v->nheld = 2 * v->before + 2;
	v->held = arena_alloc(s->in->mem, (size_t)v->nheld * sizeof *v->held);
	memset(v->held, 0, (size_t)v->nheld * sizeof *v->held);
	for (; n < v->nheld && r >= 0 && !h.left; n++)
		r = held_by(s, v, n, &h, err);
	v->left = n - 1;
	if (r >= 0 && !h.left) {
		v->fixed = true;
		plan_note(
			s->in,
			"share: '%s' keeps its GPUs: with twice as many replicas its latency would not hold in its busiest minutes; %s",
			v->service, limit_text(s, v));
	}
	return r;
}

/* Of growth times the load, on k machines with room for it; 0: more than twice what there are would
 * be needed. */
static int need_on(struct share_state *s, struct svc *v, int k, double growth, int *ret,
		   struct err *err)
{
	double factor = s->in->conf->gates.replicas_peak_factor, peak = v->peak * growth;
	int r = 0, n = (int)ceil(fmax(2, peak * (s->without & SHARE_MORE ? 1 : factor)) - EPS),
	    left = (int)ceil(fmax(s->without & SHARE_LATENCY ? 1 : v->left, peak) - EPS);

	if (s->without & SHARE_LOST)
		left = 0;
	for (*ret = 0; n < v->nheld && r >= 0 && !*ret; n++) {
		struct share_held h = { 0 };
		if (n - (n + k - 1) / k < left)
			continue;
		r = held_by(s, v, n, &h, err);
		if (h.all || s->without & SHARE_BUSY)
			*ret = n;
	}
	return r;
}

struct load_on {
	int machines;
	double growth; /* times the load */
	bool set;      /* what each service has after is of this */
};

/* GPUs of all services on so many machines; -1: none can do. */
static int total_on(struct share_state *s, struct pool *p, struct load_on on, int *ret,
		    struct err *err)
{
	int r = 0, homes = 0, gpus = 0, n = 0;

	/* GPUs for replicas on the machines that stay, those with other work first; and on how
	 * many of them there are any. */
	for (int other = 1; other >= 0; other--)
		for (size_t i = 0; i < p->node.n && (other || n < on.machines); i++) {
			const struct machine *m = &p->node.v[i];
			if ((m->mixed || m->fixed) != other)
				continue;
			gpus += m->gpus;
			homes += m->gpus > 0;
			n++;
		}

	*ret = homes < 2 ? -1 : 0;
	for (size_t i = 0; i < p->svc.n && r >= 0 && *ret >= 0; i++) {
		struct svc *v = &p->svc.v[i];
		int need = 0;
		if (v->fixed)
			continue;
		r = need_on(s, v, homes, on.growth, &need, err);
		*ret = need ? *ret + need : -1;
		if (on.set)
			v->after = need;
	}
	if (*ret > gpus)
		*ret = -1;
	return r;
}

/* ---- how many machines ------------------------------------------------------------------- */

static int fewest_machines(struct share_state *s, struct pool *p, int from, double growth, int *ret,
			   struct err *err)
{
	int r = 0, k = from, stay = 0, gpus;

	for (size_t i = 0; i < p->node.n; i++)
		stay += p->node.v[i].mixed || p->node.v[i].fixed;
	for (k = max_int(k, stay); k < (int)p->node.n && r >= 0; k++) {
		r = total_on(s, p, (struct load_on){ k, growth, false }, &gpus, err);
		if (gpus >= 0)
			break;
	}
	*ret = k;
	return r;
}

/* GPUs that replicas may have, and what stays for what is on them that may not move. */
static void count_gpus(struct pool *p)
{
	for (size_t i = 0; i < p->node.n; i++) {
		struct machine *m = &p->node.v[i];
		m->fixed = false;
		m->gpus = m->mixed ? m->service_gpus : (int)(m->gpus_milli / 1000);
	}
	for (size_t i = 0; i < p->svc.n; i++)
		for (size_t k = 0; k < p->svc.v[i].replica.n && p->svc.v[i].fixed; k++) {
			const struct workload *w = p->svc.v[i].replica.v[k];
			for (size_t n = 0; n < p->node.n; n++)
				if (p->node.v[n].node == w->node) {
					p->node.v[n].fixed = true;
					p->node.v[n].gpus -= (int)((w->gpus_milli + 999) / 1000);
				}
		}
}

/* ---- the proposal ------------------------------------------------------------------------ */

static int replay_all(struct pool *p, bool lost, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < p->svc.n && r >= 0; i++) {
		struct svc *v = &p->svc.v[i];
		if (v->fixed)
			continue;
		if (lost)
			r = replay_service(v, v->lost_left, &v->lost, err);
		else
			r = replay_service(v, v->after, &v->result, err);
	}
	return r;
}

/* Weeks of requests decide how far it can be trusted. */
static double fewest_weeks(const struct pool *p)
{
	double weeks = INFINITY;

	for (size_t i = 0; i < p->svc.n; i++)
		if (!p->svc.v[i].fixed)
			weeks = fmin(weeks, p->svc.v[i].weeks);
	return weeks;
}

static const char *who_is(const struct pool *p)
{
	if (*p->key->cluster)
		return p->key->cluster;
	return p->svc.v[0].service;
}

static int propose_pool(struct share_state *s, struct pool *p, const struct share_steps *steps,
			int unsure, struct err *err)
{
	const struct plan_gates *g = &s->in->conf->gates;
	struct rec_list own = { 0 };
	struct rec *rec = rec_new(s->in, &own, "share", who_is(p));
	enum pods_break broke;
	int r;

	vec_free(&own.v);
	rec->effort_days = 4;
	rec->within_days = 7;
	rec->confidence_frac = 0.9;
	if (fewest_weeks(p) + EPS < g->replicas_ready_weeks)
		rec_tier(rec, TIER_TRIAL);

	/* A tenth more load keeps `unsure` of the machines that go; the cheapest of them. */
	const struct fleet *f = s->in->fleet;
	const struct machine *kept = NULL;
	int n = 0;

	for (size_t i = 0; i < p->node.n && n < unsure; i++)
		if (p->node.v[i].back) {
			kept = &p->node.v[i];
			n++;
		}
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];

		const struct machine *m = share_machine(s, p, w);
		if (!(m && m->back) || s->in->use[i].cost_nano <= 0)
			continue;
		struct rec_change *c = rec_change(s->in, rec, (uint32_t)i);
		c->after.end_ms = c->after.start_ms;
		c->after.cost_nano = c->lo_nano = c->hi_nano = 0;
		if (kept && share_machine(s, p, w) <= kept)
			c->hi_nano = s->in->use[i].cost_nano;
	}

	if ((r = replay_all(p, false, err)) < 0) {
		rec_free(rec);
		return r;
	}
	share_tell(s, rec, p, steps);
	broke = share_replay(p, rec, g->replicas_peak_factor);
	if (broke != PODS_FINE) {
		plan_note(
			s->in,
			"share: fewer machines for '%s': the order of it %s, so it is not proposed",
			who_is(p), pods_break_text(broke));
		rec_free(rec);
		return 0;
	}
	if ((r = replay_all(p, true, err)) < 0) {
		rec_free(rec);
		return r;
	}
	share_tell_left(s, rec, p);
	if (rec->tier == TIER_SURE && rec->replay.slo_violations > 0)
		rec_tier(rec, TIER_TRIAL);
	rec->risk = rec->tier == TIER_SURE ? RISK_LOW : RISK_MEDIUM;
	if ((double)rec->replay.slo_violations > MISS_FRAC * (double)rec->replay.requests)
		rec->risk = RISK_HIGH;
	*vec_push(&s->out->v) = rec;
	return 0;
}

/* ---- a pool ------------------------------------------------------------------------------ */

static int is_ready(struct share_state *s, struct pool *p, bool *ret, struct err *err)
{
	const struct fleet *f = s->in->fleet;
	double busy = 0, gpus = 0, machines = 0;
	int r = 0;

	*ret = false;
	p->gpus = (int)(p->node.v[0].gpus_milli / 1000);
	for (size_t i = 0; i < p->node.n; i++)
		machines += p->node.v[i].ms / (double)fleet_span_ms(f);
	for (size_t i = 0; i < p->svc.n && r >= 0; i++) {
		r = share_ready(s, p, &p->svc.v[i], err);
		busy += p->svc.v[i].busy_gpus;
		gpus += p->svc.v[i].gpus;
	}
	if (r < 0 || p->gpus < 1)
		return r;
	if (!(gpus > 0) || capacity_band(busy / gpus) != BAND_CONSOLIDATE)
		return r;
	if (fabs(machines - (double)p->node.n) > STEADY_FRAC * (double)p->node.n) {
		plan_note(
			s->in,
			"share: the machines of '%s' come and go: what autoscaling leaves is not touched",
			p->svc.v[0].service);
		return 0;
	}
	for (size_t i = 0; i < p->svc.n && r >= 0; i++)
		if (!p->svc.v[i].fixed)
			r = find_left(s, &p->svc.v[i], err);
	for (size_t i = 0; i < p->svc.n; i++)
		*ret |= !p->svc.v[i].fixed;
	count_gpus(p);
	return r;
}

/* Of services that the load alone would let go to k machines: what their latency would be with one
 * of these lost. */
static int tell_latency(struct share_state *s, struct pool *p, int k, struct str *says,
			struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < p->svc.n && r >= 0; i++) {
		struct svc *v = &p->svc.v[i];
		int need = 0, lost;
		if (v->fixed)
			continue;
		s->without = SHARE_LATENCY;
		if ((r = need_on(s, v, k, 1, &need, err)) < 0)
			break;
		lost = need - (need + k - 1) / k;
		if (lost >= v->left || (r = replay_service(v, lost, &v->lost, err)) < 0)
			continue;
		str_addf(says, "%s'%s' would have ", text_if(says->n, "; "), v->service);
		if (v->lost.overloaded)
			str_addf(says, "%lld minutes with more work than %d replica%s can do",
				 (long long)v->lost.overloaded, lost, plural((size_t)lost));
		else if (v->lost.p99_after_ms > v->limit_ms)
			str_addf(says, "a p99 of %.0f ms", v->lost.p99_after_ms);
		else
			str_addf(says, "%.1f %% of its requests above its limit",
				 100 * v->lost.slo_after / v->lost.requests);
		str_addf(says, " with one of the %d lost; %s", k, limit_text(s, v));
	}
	return r;
}

/* What keeps a pool from one machine less. */
static int tell_stay(struct share_state *s, struct pool *p, struct err *err)
{
	static const enum share_rule rules[] = { SHARE_LATENCY, SHARE_LOST, SHARE_MORE,
						 SHARE_BUSY };
	const struct plan_conf *conf = s->in->conf;
	double more = (conf->gates.replicas_peak_factor - 1) * 100;
	int r = 0, k = (int)p->node.n - 1, stay = 0, gpus = -1;
	unsigned binds = 0; /* without this rule alone it would do */
	struct str says = { 0 };

	for (size_t i = 0; i < p->node.n; i++)
		stay += p->node.v[i].mixed || p->node.v[i].fixed;
	for (size_t i = 0; i < 4 && r >= 0 && !binds && stay <= k; i++) {
		s->without = rules[i];
		r = total_on(s, p, (struct load_on){ k, 1, false }, &gpus, err);
		if (gpus >= 0)
			binds = rules[i];
	}
	if (r >= 0 && binds == SHARE_LATENCY)
		r = tell_latency(s, p, k, &says, err);
	s->without = 0;
	if (stay > k)
		plan_note(
			s->in,
			"share: the machines of '%s' stay: each of the %zu x %s has other work too, or a service that keeps its GPUs",
			who_is(p), p->node.n, p->key->instance_type);
	else if (k < 2)
		str_addz(&says, "nothing would be left of its services with one of them lost");
	else if (binds == SHARE_LOST)
		str_addz(&says,
			 "its services would not carry their highest minute with one of them lost");
	else if (binds == SHARE_MORE)
		str_addf(&says,
			 "its services would not carry %.0f %% more than their highest minute",
			 more);
	else if (binds == SHARE_BUSY)
		str_addf(
			&says,
			"its GPUs would be busy for more than %.0f %% in 1 of 100 minutes (plan.serving_target_util_frac)",
			conf->serving_target_util_frac * 100);
	else if (!binds)
		str_addf(
			&says,
			"its services would not carry %.0f %% more than their highest minute, nor that with one of them lost",
			more);
	if (r >= 0 && stay <= k)
		plan_note(s->in, "share: the machines of '%s' stay: with fewer than %zu x %s %s",
			  who_is(p), p->node.n, p->key->instance_type, str_z(&says));
	str_free(&says);
	return r;
}

static int decide_pool(struct share_state *s, struct pool *p, struct err *err)
{
	double weeks;
	struct share_steps steps = { 0 };
	bool go, found = false;
	int keep, more, r = is_ready(s, p, &go, err);

	if (r < 0 || !go)
		return r;
	if ((r = fewest_machines(s, p, 2, 1, &keep, err)) < 0)
		return r;
	weeks = fewest_weeks(p);
	if (keep < (int)p->node.n && weeks + EPS < s->in->conf->gates.replicas_trial_weeks) {
		plan_note(
			s->in,
			"share: fewer machines for '%s' want %.3g weeks of its request log, there are %.1f",
			who_is(p), s->in->conf->gates.replicas_trial_weeks, weeks);
		return 0;
	}
	for (int k = keep, gpus; k < (int)p->node.n && k < keep + TRIES && !found && r >= 0; k++) {
		r = total_on(s, p, (struct load_on){ k, 1, true }, &gpus, err);
		if (r < 0 || gpus < 0)
			continue;
		found = share_find_steps(p, (size_t)k, &steps);
	}
	if (r >= 0 && found)
		r = fewest_machines(s, p, 2, 1 + GROWTH_FRAC, &more, err);
	if (r >= 0 && found) {
		int left = 0;
		for (size_t i = 0; i < p->node.n; i++)
			left += !p->node.v[i].back;
		r = propose_pool(s, p, &steps, more > left ? more - left : 0, err);
	} else if (r >= 0) {
		/* Why nothing is proposed although it could be thought of. */
		if (keep < (int)p->node.n)
			plan_note(
				s->in,
				"share: %d of the %zu machines of '%s' would carry the load, but no order of drains leaves all its services enough replicas on the way",
				keep, p->node.n, who_is(p));
		else
			r = tell_stay(s, p, err);
	}
	vec_free(&steps.v);
	for (size_t i = 0; i < p->svc.n; i++)
		p->svc.v[i].after = p->svc.v[i].before;
	if (r >= 0)
		share_propose_pair(s, p);
	return r;
}

int lever_share_propose(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	struct share_state s = { .in = in, .out = out };
	int r = 0;

	share_collect(&s);
	for (size_t i = 0; i < s.pool.n && r >= 0; i++)
		r = decide_pool(&s, &s.pool.v[i], err);
	if (r >= 0)
		share_propose_gpus(&s);
	share_free(&s);
	return r;
}
