/*
 * Lever share: in which order it is done, and the replay of that order.
 *
 * Of each service the whole number of replicas comes first. Then machines go, one at a time:
 * nothing new starts there, what would be left without enough replicas gets one elsewhere, the
 * machine is drained, and only when all that was evicted works elsewhere it is stopped and the next
 * one begins.
 */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "plan/share/share_in.h"

#define WAYS       2  /* ties go to the first machine, and to the last */
#define ROUNDS     32 /* of replicas put elsewhere before a drain */
#define CANDIDATES 16 /* machines tried in turn for the next drain */

struct way {
	struct pods p[WAYS];
	bool stays; /* the machine that is emptied */
	VEC(struct share_step) step;
};

/* ---- the machines of history ------------------------------------------------------------- */

static size_t node_of(const struct pool *p, const char *node)
{
	for (size_t i = 0; i < p->node.n; i++)
		if (!strcmp(p->node.v[i].node, node))
			return i;
	return SIZE_MAX;
}

static void fill_pods(struct pods *x, const struct pool *p, bool last)
{
	pods_new(x, p->node.n, p->svc.n, last);
	for (size_t i = 0; i < p->node.n; i++)
		x->node[i].gpus = p->node.v[i].gpus;
	for (size_t i = 0; i < p->svc.n; i++) {
		const struct svc *v = &p->svc.v[i];
		x->load[i] = v->fixed ? 0 : v->peak;
		for (size_t k = 0; k < v->replica.n && !v->fixed; k++)
			x->live[i * x->nnode + node_of(p, v->replica.v[k]->node)]++;
	}
}

static void way_copy(struct way *to, const struct way *from)
{
	for (int i = 0; i < WAYS; i++)
		pods_copy(&to->p[i], &from->p[i]);
	to->stays = from->stays;
	to->step.n = 0;
	for (size_t i = 0; i < from->step.n; i++)
		*vec_push(&to->step) = from->step.v[i];
}

static void way_new(struct way *w, const struct pool *p)
{
	*w = (struct way){ 0 };
	for (int i = 0; i < WAYS; i++)
		fill_pods(&w->p[i], p, i);
}

static void way_free(struct way *w)
{
	for (int i = 0; i < WAYS; i++)
		pods_free(&w->p[i]);
	vec_free(&w->step);
}

/* ---- one step ---------------------------------------------------------------------------- */

static void carry_out(struct pods *p, const struct share_step *s)
{
	switch (s->kind) {
	case ACTION_REPLICAS: pods_scale(p, s->svc, s->now); break;
	case ACTION_SPREAD:
		pods_scale(p, s->svc, s->was);
		pods_wait(p, s->svc);
		pods_scale(p, s->svc, s->now);
		break;
	case ACTION_ROLLOUT: pods_wait(p, s->svc); break;
	case ACTION_CORDON: pods_cordon(p, s->node); break;
	case ACTION_DRAIN: pods_drain(p, s->node); break;
	case ACTION_STOP: pods_stop(p, s->node); break;
	default: p->broke = PODS_UNKNOWN;
	}
}

static bool do_step(struct way *w, struct share_step s)
{
	bool fine = true;

	for (int i = 0; i < WAYS; i++) {
		carry_out(&w->p[i], &s);
		fine &= w->p[i].broke == PODS_FINE;
	}
	*vec_push(&w->step) = s;
	return fine;
}

/* So many more elsewhere as there is room for, then as many fewer. */
static bool spread_replicas(struct way *w, size_t svc, int more)
{
	int now = pods_count(&w->p[0], svc);

	for (int i = 0; i < WAYS; i++)
		if (pods_room(&w->p[i]) < more)
			more = pods_room(&w->p[i]);
	return more > 0 &&
	       do_step(w,
		       (struct share_step){
			       .kind = ACTION_SPREAD, .svc = svc, .was = now + more, .now = now });
}

/* ---- one machine ------------------------------------------------------------------------- */

static bool is_on(const struct way *w, size_t svc, size_t node)
{
	for (int i = 0; i < WAYS; i++)
		if (pods_on(&w->p[i], svc, node))
			return true;
	return false;
}

/* Of the replicas that work, those elsewhere; the fewer of both ways. */
static int working_elsewhere(const struct way *w, size_t svc, size_t node)
{
	int n = INT_MAX;

	for (int i = 0; i < WAYS; i++) {
		int k = pods_working(&w->p[i], svc) - pods_on(&w->p[i], svc, node);
		n = min_int(k, n);
	}
	return n;
}

/* A service keeps enough replicas while this machine is drained. */
static bool secure_service(struct way *w, const struct pool *p, size_t svc, size_t node)
{
	int want = (int)ceil(fmax(1, p->svc.v[svc].peak)), round = 0, have;

	while ((have = working_elsewhere(w, svc, node)) < want)
		if (round++ >= ROUNDS || !spread_replicas(w, svc, want - have))
			return false;
	return true;
}

static bool is_on_the_way(const struct way *w, size_t svc)
{
	for (int i = 0; i < WAYS; i++)
		if (pods_working(&w->p[i], svc) < pods_count(&w->p[i], svc))
			return true;
	return false;
}

static bool drain_node(struct way *w, const struct pool *p, size_t node)
{
	if (!do_step(w, (struct share_step){ .kind = ACTION_DRAIN, .node = node }))
		return false;
	for (size_t s = 0; s < p->svc.n; s++)
		if (is_on_the_way(w, s) &&
		    !do_step(w, (struct share_step){ .kind = ACTION_ROLLOUT,
						     .svc = s,
						     .now = p->svc.v[s].after }))
			return false;
	return w->stays || do_step(w, (struct share_step){ .kind = ACTION_STOP, .node = node });
}

/* The service that would be shortest of replicas if another machine were lost once this one is
 * gone, and by how many; 0: none. False: the machine cannot be drained. */
static bool find_weakest(const struct way *w, const struct pool *p, size_t node, size_t *ret_svc,
			 int *ret_short)
{
	struct way try;
	bool ok;

	*ret_short = 0;
	way_new(&try, p);
	way_copy(&try, w);
	ok = drain_node(&try, p, node);
	for (size_t s = 0; ok && s < p->svc.n; s++) {
		int one_lost = INT_MAX;

		for (int i = 0; i < WAYS; i++)
			if (pods_one_lost(&try.p[i], s) < one_lost)
				one_lost = pods_one_lost(&try.p[i], s);
		int lack = p->svc.v[s].left - one_lost;
		if (!p->svc.v[s].fixed && lack > *ret_short) {
			*ret_short = lack;
			*ret_svc = s;
		}
	}
	way_free(&try);
	return ok;
}

static bool give_back(struct way *w, const struct pool *p, size_t node)
{
	size_t weak = 0;
	int lack;

	if (!do_step(w, (struct share_step){ .kind = ACTION_CORDON, .node = node }))
		return false;
	for (size_t s = 0; s < p->svc.n; s++)
		if (is_on(w, s, node) && !secure_service(w, p, s, node))
			return false;
	for (int round = 0; round < ROUNDS; round++) {
		if (!find_weakest(w, p, node, &weak, &lack))
			return false;
		if (!lack)
			return drain_node(w, p, node);
		if (!spread_replicas(w, weak, lack))
			return false;
	}
	return false;
}

/* ---- all of it --------------------------------------------------------------------------- */

static bool scale_all(struct way *w, const struct pool *p)
{
	for (int up = 0; up < 2; up++)
		for (size_t s = 0; s < p->svc.n; s++) {
			const struct svc *v = &p->svc.v[s];
			struct share_step step = {
				.kind = ACTION_REPLICAS, .svc = s, .was = v->before, .now = v->after
			};
			if (v->fixed || v->after == v->before || (v->after > v->before) != up)
				continue;
			if (!do_step(w, step))
				return false;
			step.kind = ACTION_ROLLOUT;
			if (up && !do_step(w, step))
				return false;
		}
	return true;
}

/* The next machine that can go, the most expensive first. */
static size_t next_back(struct way *w, const struct pool *p, const bool *gone)
{
	bool *tried = xcalloc(p->node.n + 1, sizeof *tried);
	struct way try;
	size_t ret = SIZE_MAX;

	way_new(&try, p);
	for (int k = 0; k < CANDIDATES && ret == SIZE_MAX; k++) {
		size_t best = SIZE_MAX;
		for (size_t i = 0; i < p->node.n; i++) {
			const struct machine *m = &p->node.v[i];
			bool may = !gone[i] && !tried[i] && !m->mixed && !m->fixed;
			if (may && (best == SIZE_MAX || m->cost_nano > p->node.v[best].cost_nano ||
				    (m->cost_nano == p->node.v[best].cost_nano &&
				     strcmp(m->node, p->node.v[best].node) > 0)))
				best = i;
		}
		if (best == SIZE_MAX)
			break;
		tried[best] = true;
		way_copy(&try, w);
		if (give_back(&try, p, best))
			ret = best;
	}
	if (ret != SIZE_MAX)
		way_copy(w, &try);
	way_free(&try);
	free(tried);
	return ret;
}

bool share_find_steps(struct pool *p, size_t keep, struct share_steps *ret)
{
	bool *gone = xcalloc(p->node.n + 1, sizeof *gone);
	struct way w;
	bool ok;

	way_new(&w, p);
	ok = scale_all(&w, p);
	for (size_t n = p->node.n; ok && n > keep; n--) {
		size_t at = next_back(&w, p, gone);
		ok = at != SIZE_MAX;
		if (ok)
			gone[at] = true;
	}
	ret->v.n = 0;
	for (size_t i = 0; ok && i < w.step.n; i++)
		*vec_push(&ret->v) = w.step.v[i];
	for (size_t i = 0; ok && i < p->node.n; i++)
		p->node.v[i].back = gone[i];
	way_free(&w);
	free(gone);
	return ok;
}

bool share_find_empty(const struct pool *p, size_t node, struct share_steps *ret)
{
	struct way w;
	bool ok;

	way_new(&w, p);
	w.stays = true;
	ok = give_back(&w, p, node);
	ret->v.n = 0;
	for (size_t i = 0; ok && i < w.step.n; i++)
		*vec_push(&ret->v) = w.step.v[i];
	way_free(&w);
	return ok;
}

/* ---- the replay of what is printed ------------------------------------------------------- */

static size_t svc_of(const struct pool *p, struct raw_name name)
{
	for (size_t i = 0; i < p->svc.n && name.z; i++)
		if (!strcmp(p->svc.v[i].service, name.z))
			return i;
	return SIZE_MAX;
}

/* What an action of services or machines does here. */
static bool read_action(const struct pool *p, const struct action *a, struct share_step *ret)
{
	*ret = (struct share_step){ .kind = a->kind };
	switch (a->kind) {
	case ACTION_REPLICAS:
	case ACTION_SPREAD:
	case ACTION_ROLLOUT:
		ret->svc = svc_of(p, a->replicas.service);
		ret->was = (int)a->replicas.was;
		ret->now = (int)a->replicas.now;
		return ret->svc != SIZE_MAX;
	case ACTION_CORDON:
	case ACTION_DRAIN:
	case ACTION_STOP:
		ret->node = a->machine.node.z ? node_of(p, a->machine.node.z) : SIZE_MAX;
		return ret->node != SIZE_MAX;
	default: return false;
	}
}

/* Its last state: what was given back is gone, and what is left holds. */
static enum pods_break look_at_end(const struct pods *x, struct pool *p, double peak_factor)
{
	if (x->broke != PODS_FINE)
		return x->broke;
	for (size_t i = 0; i < p->node.n; i++)
		if (p->node.v[i].back && !x->node[i].gone)
			return PODS_NOT_EMPTY;
	for (size_t s = 0; s < p->svc.n; s++) {
		struct svc *v = &p->svc.v[s];
		int left = pods_one_lost(x, s);
		if (v->fixed)
			continue;
		if (pods_working(x, s) < v->peak * peak_factor - 1e-9 || left < v->left)
			return PODS_OVERLOAD;
		if (!(v->lost_left && v->lost_left < left))
			v->lost_left = left;
	}
	return PODS_FINE;
}

enum pods_break share_replay(struct pool *p, const struct rec *r, double peak_factor)
{
	enum pods_break ret = PODS_FINE;

	for (size_t s = 0; s < p->svc.n; s++)
		p->svc.v[s].lost_left = 0;
	for (int way = 0; way < WAYS && ret == PODS_FINE; way++) {
		struct pods x;
		fill_pods(&x, p, way);
		for (size_t i = 0; i < r->action.n; i++) {
			const struct action *a = &r->action.v[i];
			struct share_step s;

			if (x.broke != PODS_FINE || a->kind == ACTION_POOL)
				continue;
			bool known = read_action(p, a, &s);
			if (!known ||
			    (a->kind == ACTION_REPLICAS && s.was != pods_count(&x, s.svc)))
				x.broke = PODS_UNKNOWN;
			else
				carry_out(&x, &s);
		}
		ret = look_at_end(&x, p, peak_factor);
		pods_free(&x);
	}
	return ret;
}
