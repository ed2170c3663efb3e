/*
 * The works that lever stop_idle stops: jobs that never used a GPU, notebooks that idle for hours,
 * services without requests. All of it is measured, and a workload that shares its machine gives
 * nothing back. None of it is sure: a notebook loses what it held in memory, a service is cold, and
 * what a job that never used a GPU needs of CPUs and memory is not known. The last has no machine
 * to go to that an action could make, so that it is advice.
 */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "opt/size/idle.h"
#include "plan/replay/capacity.h"
#include "plan/levers.h"
#include "plan/replay/release.h"
#include "plan/proof/settle.h"
#include "plan/lever/stop_idle.h"

/* Princeton's jobstats warns of interactive jobs idle for 8 h, JupyterHub's culler stops after 1
 * h */
#define NOTEBOOK_IDLE_MS (4 * MS_HOUR)
#define UNUSED_MIN_MS    MS_HOUR
/* What a machine without GPUs costs of one with: r5.2xlarge (8 vCPU, 64 GiB) 0.504 to p3.2xlarge
 * 3.06 $/h, us-east-1 on demand. */
#define HOST_FRAC    0.17
#define HOST_HI_FRAC 0.34

struct rec *stop_idle_rec(const struct lever_in *in, struct rec_list *out, size_t first,
			  const char *tail)
{
	size_t n = out->v.n;
	struct rec *r = rec_find_or_new(in, out, first, "stop_idle", tail);

	if (out->v.n == n)
		return r;
	r->effort_days = 1;
	r->within_days = 1;
	r->confidence_frac = 0.95;
	return r;
}

void stop_idle_cost(const struct lever_in *in, struct rec *r, size_t workload, int64_t cost,
		    bool gone)
{
	struct rec_change *c = rec_change(in, r, (uint32_t)workload);
	const struct use *u = &in->use[workload];

	c->after.cost_nano = max_i64(cost, 0);
	if (gone)
		c->after.end_ms = c->after.start_ms;
	else if (u->cost_nano > 0)
		c->after.off_frac = 1 - (1 - u->off_frac) * (double)c->after.cost_nano /
						(double)u->cost_nano;
}

/* Free time of a machine whose state was already touched by an earlier choice is scaled the same
 * way. */
int64_t stop_idle_left(const struct workload *w, const struct use *u, int64_t freed)
{
	if (w->cost_nano > 0)
		return u->cost_nano -
		       (int64_t)div_half_even((__int128)freed * u->cost_nano, w->cost_nano);
	return u->cost_nano;
}

double stop_idle_gpu_hours(const struct fleet *f, const struct rec *r)
{
	double h = 0;

	for (size_t i = 0; i < r->change.n; i++)
		h += (double)f->workload.v[r->change.v[i].workload].ms / MS_HOUR;
	return h;
}

/* Outside of all sums: which machine without GPUs would do is not known. */
static void propose_unused(const struct lever_in *in, struct rec_list *out, size_t i)
{
	const struct workload *w = &in->fleet->workload.v[i];
	struct rec *r = stop_idle_rec(in, out, 0,
				      arena_printf(in->mem, "unused-%s", workload_owner(w)));
	struct rec_change *c = rec_change(in, r, (uint32_t)i);
	double cost = (double)in->use[i].cost_nano;

	c->after.cost_nano = (int64_t)(cost * HOST_FRAC);
	c->lo_nano = 0;
	c->hi_nano = (int64_t)(cost * HOST_HI_FRAC);
	c->after.gpus_milli = 0;
	r->p05_nano += (int64_t)(cost * (1 - HOST_HI_FRAC));
	r->p95_nano += (int64_t)cost;
	r->saving_nano += (int64_t)(cost * (1 - HOST_FRAC));
	r->advice = true;
	r->risk = RISK_MEDIUM;
	r->replay.jobs++;
}

static void propose_notebook(const struct lever_in *in, struct rec_list *out, size_t i)
{
	const struct fleet *f = in->fleet;
	const struct workload *w = &f->workload.v[i];
	struct idle_hour *h = xcalloc(w->nhour + 1, sizeof *h);

	for (size_t k = 0; k < w->nhour; k++) {
		const struct workload_hour *x = &f->hour.v[w->hour0 + k];
		h[k] = (struct idle_hour){ x->hour_ms, x->ms, x->idle_ms, x->nano };
	}
	struct idle_cull cull = idle_cull(h, w->nhour, NOTEBOOK_IDLE_MS);
	free(h);
	if (!cull.saved_nano || in->use[i].off_frac > 0) /* a timetable has these hours already */
		return;
	struct rec *r = stop_idle_rec(in, out, 0,
				      arena_printf(in->mem, "notebooks-%s%s%s", workload_owner(w),
						   text_if(*w->cluster, "-"), w->cluster));
	stop_idle_cost(in, r, i, stop_idle_left(w, &in->use[i], cull.saved_nano), false);
	rec_tier(r, TIER_TRIAL);
	r->risk = RISK_MEDIUM;
	r->replay.jobs++;
	r->replay.interruptions += (double)cull.restarts;
}

static bool has_requests(const struct fleet *f, const char *service)
{
	for (size_t i = 0; i < f->service.n; i++)
		if (f->service.v[i].service == service && f->service.v[i].requests)
			return true;
	return false;
}

/* Below these weeks neither nights nor month ends were seen. */
static bool has_weeks(const struct lever_in *in, double weeks, const char *what)
{
	double have = (double)(in->fleet->until_ms - in->fleet->since_ms) / (7.0 * MS_DAY);

	if (have >= weeks)
		return true;
	plan_note(in, "%s that do nothing are left alone: %.1f weeks of history, %g are asked for",
		  what, have, weeks);
	return false;
}

/* What is switched to come and go together: the machines of a node pool, else those alike of a
 * cluster. What else runs there keeps its machines. */
struct pool {
	const char *cluster, *name, *instance_type, *gpu_model, *purchase; /* interned; NULL, "" */
};

static struct pool pool_of(const struct fleet *f, const struct node_order *by, size_t node)
{
	const struct fleet_node *n = &f->node.v[node];
	struct pool p = { n->cluster, NULL, n->instance_type, n->gpu_model, n->purchase };

	for (size_t k = node_order_first(by, n->node); node_order_is(by, k, n->node) && !p.name;
	     k++)
		p.name = filled_or(f->workload.v[by->order[k]].node_pool, NULL);
	return p;
}

static bool same_pool(const struct pool *a, const struct pool *b)
{
	if (!text_same(a->cluster, b->cluster) || !text_same(a->purchase, b->purchase))
		return false;
	if (a->name && b->name)
		return !strcmp(a->name, b->name);
	return text_same(a->instance_type, b->instance_type) &&
	       text_same(a->gpu_model, b->gpu_model);
}

/* A machine that stays on when its work is stopped is paid all the same: it has to go, too, and
 * with it the other free ones of its pool. */
static void act_release(const struct lever_in *in, struct settle *s, const struct node_order *by,
			struct rec *r)
{
	const struct fleet *f = in->fleet;
	bool *own = xcalloc(f->workload.n + 1, sizeof *own);
	VEC(struct pool) done = { 0 };

	for (size_t i = 0; i < r->change.n; i++)
		own[r->change.v[i].workload] = true;
	for (size_t i = 0; i < r->change.n; i++) {
		const struct workload *w = &in->fleet->workload.v[r->change.v[i].workload];
		struct pool pool = { w->cluster, filled_or(w->node_pool, NULL), w->instance_type,
				     w->gpu_model, w->purchase };
		if (w->node_index != SIZE_MAX)
			pool = pool_of(f, by, w->node_index);
		bool again = settle_comes_and_goes(s, w);
		for (size_t k = 0; k < done.n; k++)
			again |= same_pool(&done.v[k], &pool);
		if (again)
			continue;
		*vec_push(&done) = pool;
		rec_action(r, ACTION_RELEASE)->release = (struct action_release){
			.cluster = raw_name(w->cluster),
			.pool = raw_name(pool.name),
			.provider = workload_machine(w).provider,
			.idle_min = in->conf->idle_release_minutes,
			.boot_min = in->conf->boot_minutes,
			.machines = (int64_t)r->change.n,
			/* where a cluster has two, whose work is there */
			.to = machine_scheduler(f, w, cluster_scheduler(f, w->cluster))
		};
		/* Free machines of this pool go, whoever comes for them next. */
		struct release_waits waits = { .in = in, .id = r->id };
		for (size_t k = 0; k < f->node.n; k++) {
			const struct fleet_node *n = &f->node.v[k];
			bool seen = k && f->node.v[k - 1].node == n->node;
			if (seen || !n->elastic)
				continue;
			const struct pool of = pool_of(f, by, k);
			if (!same_pool(&of, &pool))
				continue;
			const struct workload as = { .cluster = n->cluster, .node = n->node };
			const struct capacity_of kind = { .gpu_model = n->gpu_model,
							  .region = n->region,
							  .purchase = n->purchase,
							  .gpus_milli = n->gpus_milli };
			const struct release_machine m = {
				.node = k,
				.wait_ms = release_wait_ms(&waits, &as, &kind),
				.own = own,
			};
			release_replay(by, &m, r);
		}
		vec_free(&waits.v);
	}
	if (done.n)
		release_tell(in, r);
	vec_free(&done);
	free(own);
}

/* One deployment of its name in each cluster and namespace. */
static void tell_server(const struct lever_in *in, struct rec *r, const struct workload *w)
{
	const struct fleet *f = in->fleet;
	VEC(const struct workload *) in_one = { 0 };
	VEC(int64_t) replicas = { 0 };
	bool one_cluster = true;

	for (size_t i = 0; i < r->change.n; i++) {
		const struct workload *is = &f->workload.v[r->change.v[i].workload];
		size_t k = 0;
		while (k < in_one.n && (strcmp(in_one.v[k]->cluster, is->cluster) != 0 ||
					!text_same(in_one.v[k]->namespace_, is->namespace_)))
			k++;
		if (k == in_one.n) {
			*vec_push(&in_one) = is;
			*vec_push(&replicas) = 0;
		}
		one_cluster &= !strcmp(is->cluster, in_one.v[0]->cluster);
		replicas.v[k]++;
	}
	rec_subject(in, r, "service", w->service);
	r->title = arena_printf(in->mem, "stop %s: warm and without a request", w->service);
	for (size_t k = 0; k < in_one.n; k++)
		rec_action(r, ACTION_REPLICAS)->replicas = (struct action_replicas){
			.service = raw_name(w->service),
			.cluster = raw_name(one_cluster ? "" : in_one.v[k]->cluster),
			.namespace_ = raw_name(in_one.v[k]->namespace_),
			.controller = in_one.v[k]->controller,
			.was = replicas.v[k],
		};
	rec_risk(in, r, "A service that is asked once a month is cold then.");
	vec_free(&in_one);
	vec_free(&replicas);
}

static void tell_workloads(const struct lever_in *in, const struct rec_list *out, size_t first)
{
	struct settle *s = first < out->v.n ? settle_new(in) : NULL;
	struct node_order by = { 0 };

	if (s)
		node_order_make(in, &by);
	for (size_t i = first; i < out->v.n; i++) {
		struct rec *r = out->v.v[i];
		const struct workload *w = &in->fleet->workload.v[r->change.v[0].workload];
		rec_subject(in, r, "team", w->team);
		r->team = w->team;
		r->within_days = 3;
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED, "GPU time of these workloads",
						.unit = "GPU·h", .source = "ledger" },
			     "%.0f", stop_idle_gpu_hours(in->fleet, r));
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED,
						"share of it that was idle, mean of the largest",
						.unit = "frac", .source = "telemetry" },
			     "%.3f", w->stats.idle_frac);
		if (w->kind == WORKLOAD_SERVICE)
			tell_server(in, r, w);
		else if (w->notebook) {
			rec_subject(in, r, "cluster", w->cluster);
			r->title = arena_printf(
				in->mem, "%s: stop notebooks that idle for %lld hours",
				workload_owner(w), (long long)(NOTEBOOK_IDLE_MS / MS_HOUR));
			struct action *a = rec_action(r, ACTION_CULL);
			a->which = workload_habit(w);
			a->which.instance_type = raw_name(NULL);
			a->cull.idle_ms = NOTEBOOK_IDLE_MS;
			rec_risk(
				in, r,
				"What a stopped notebook held in memory is gone; in replay %.0f were wanted again.",
				r->replay.interruptions);
		} else {
			r->title = arena_printf(
				in->mem,
				"%s: %zu job%s that never used a GPU, run on machines without one",
				workload_owner(w), r->change.n, plural(r->change.n));
			struct action *a = rec_action(r, ACTION_SUBMIT);
			a->which = workload_habit(w);
			a->which.instance_type = raw_name(NULL);
			a->submit = (struct action_submit){
				.change = SUBMIT_GPUS,
				.to = TO_ANY,
				.was.gpus = (w->gpus_milli + 999) / 1000,
			};
			rec_risk(
				in, r,
				"The cost of a machine without GPUs is estimated: %.0f %% of the one with.",
				HOST_FRAC * 100);
			rec_risk(
				in, r,
				"Which machine has CPUs and memory enough for them is not known: it is to be chosen.");
			r->confidence_frac = 0.8;
		}
		if (!r->advice)
			act_release(in, s, &by, r);
	}
	if (s)
		settle_free(s);
	node_order_free(&by);
}

void stop_idle_workloads(const struct lever_in *in, struct rec_list *out)
{
	size_t first = out->v.n;

	const struct fleet *f = in->fleet;
	const struct plan_gates *g = &in->conf->gates;

	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		if (w->kind != WORKLOAD_JOB && w->kind != WORKLOAD_SERVICE)
			continue;
		bool costs = w->cost_nano > 0 && in->use[i].cost_nano > 0;
		bool covered = w->stats.covered_frac >= WORKLOAD_COVERED_FRAC;
		if (!costs || !covered || w->end_ms - w->start_ms < UNUSED_MIN_MS)
			continue;
		bool part = !workload_fills_machine(f, w);
		if (part && w->notebook)
			lever_left(in, "notebooks",
				   "on a part of a machine, which stays paid without them", 1);
		if (part || workload_is_frozen(in, w, "stop_idle"))
			continue;
		if (w->kind == WORKLOAD_SERVICE && w->stats.idle_frac >= 0.999 &&
		    !has_requests(f, w->service)) {
			if (has_weeks(in, g->replicas_trial_weeks, "services")) {
				const struct workload *workload = &in->fleet->workload.v[i];
				struct rec *r = stop_idle_rec(
					in, out, 0,
					arena_printf(in->mem, "server-%s", workload->service));

				stop_idle_cost(in, r, i, 0, true);
				rec_tier(r, TIER_TRIAL);
				r->risk = RISK_MEDIUM;
			}
		} else if (w->kind == WORKLOAD_JOB && w->notebook) {
			if (has_weeks(in, g->schedule_trial_weeks, "notebooks"))
				propose_notebook(in, out, i);
		} else if (w->kind == WORKLOAD_JOB && w->stats.first_busy_ms == UNKNOWN_MS &&
			   w->start_ms >= f->since_ms)
			/* else it may have worked before */
			propose_unused(in, out, i);
	}
	tell_workloads(in, out, first);
}
