/*
 * Part of rightsize_count: jobs that hold parts of machines, packed with their neighbours onto
 * fewer whole machines. A pool is one type of machine in one cluster, bought in one way; all its
 * jobs are replayed first fit in order of start with the GPUs they hold, none is moved or delayed,
 * and what the packed machines cost at the pool's own price is compared with what its jobs and its
 * free time cost now.
 */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "opt/capacity/pack_time.h"
#include "plan/replay/capacity.h"
#include "plan/levers.h"
#include "plan/replay/release.h"
#include "plan/workload.h"

#define WORTH_FRAC    0.05  /* of the pool's cost */
#define POOL_JOBS_MAX 20000 /* the replay is jobs x machines */

struct pool {
	const char *cluster, *type, *purchase, *region;
	int gpus;
	VEC(size_t) job, idle; /* works */
	bool parts;            /* some job holds a part of a machine */
	bool closed;           /* something in it cannot be packed or moved */
	double cost;           /* of the history, and its time: the price of a GPU */
	double ms;
};
struct pools {
	VEC(struct pool) v;
};

static struct pool *pool_of(struct pools *all, const struct fleet_node *n, const struct workload *w)
{
	for (size_t i = 0; i < all->v.n; i++) {
		struct pool *p = &all->v.v[i];
		if (p->cluster == n->cluster && p->type == n->instance_type &&
		    p->purchase == w->purchase && p->region == w->region)
			return p;
	}
	struct pool *p = vec_push(&all->v);
	*p = (struct pool){ .cluster = n->cluster,
			    .type = n->instance_type,
			    .purchase = w->purchase,
			    .region = w->region,
			    .gpus = (int)(n->gpus_milli / 1000) };
	return p;
}

static void sort_in(const struct lever_in *in, struct pools *all, size_t i)
{
	const struct workload *w = &in->fleet->workload.v[i];
	const struct fleet_node *n = NULL;

	if (w->node_index != SIZE_MAX)
		n = &in->fleet->node.v[w->node_index];
	if (!n || w->kind == WORKLOAD_LINE)
		return;
	if (n->gpus_milli < 2000 || n->gpus_milli % 1000)
		return;
	struct pool *p = pool_of(all, n, w);
	p->cost += (double)w->cost_nano;
	p->ms += (double)w->ms;
	p->closed |= n->gpus_milli != (int64_t)p->gpus * 1000 ||
		     workload_is_frozen(in, w, "rightsize_count");
	if (w->kind == WORKLOAD_FREE) {
		*vec_push(&p->idle) = i;
		return;
	}
	/* Services are the lever share's, shares of GPUs the scheduler's; what has moved already
	 * is not on these machines. */
	p->closed |= w->kind != WORKLOAD_JOB || w->share_kind != SHARE_WHOLE || !*w->job ||
		     w->gpus_milli <= 0;
	p->parts |= !workload_fills_machine(in->fleet, w);
	if (use_is_history(w, &in->use[i]))
		*vec_push(&p->job) = i;
}

static void tell(const struct lever_in *in, struct rec *r, const struct pool *p,
		 const struct pack_result *k)
{
	double machine_hours = p->ms / MS_HOUR / p->gpus;

	r->title = arena_printf(
		in->mem,
		"%s: pack jobs that hold parts of %s onto fewer machines (%.0f machine-hours -> %.0f)",
		filled_or(p->cluster, p->type), p->type, machine_hours,
		(double)k->open_ms / MS_HOUR);
	r->risk = RISK_MEDIUM;
	rec_tier(r, TIER_TRIAL);
	r->effort_days = 3;
	r->within_days = 7;
	r->confidence_frac = 0.85;
	rec_subject(in, r, "cluster", p->cluster);
	rec_subject(in, r, "instance_type", p->type);
	rec_evidence(in, r, QUALITY_MEASURED, "machine-hours paid", "h", "ledger", "%.1f",
		     machine_hours);
	rec_evidence(in, r, QUALITY_ESTIMATED, "machine-hours when packed", "h",
		     "replay, first fit", "%.1f", (double)k->open_ms / MS_HOUR);
	rec_evidence(in, r, QUALITY_ESTIMATED, "no packing needs less than", "h", "GPUs x time",
		     "%.1f", (double)k->bound_ms / MS_HOUR);
	rec_evidence(in, r, QUALITY_ESTIMATED, "machines at most open at a time", "",
		     "replay, first fit", "%zu", k->machines);
	rec_action(r, ACTION_PACK)->pack = (struct action_pack){ raw_name(p->cluster),
								 raw_name(p->type) };
	rec_action(r, ACTION_RELEASE)->release = (struct action_release){
		.cluster = raw_name(p->cluster),
		.idle_min = in->conf->idle_release_minutes,
		.boot_min = in->conf->boot_minutes,
		.machines = (int64_t)k->machines,
		.to = cluster_scheduler(in->fleet, p->cluster),
	};
	rec_risk(
		in, r,
		"Jobs share a machine's cores, memory and disks with more neighbours: ask for these per GPU.");
}

static void propose(const struct lever_in *in, struct rec_list *out, const struct pool *p)
{
	struct pack_result k;

	double cost_now = 0;

	for (size_t i = 0; i < p->job.n; i++)
		cost_now += (double)in->use[p->job.v[i]].cost_nano;
	for (size_t i = 0; i < p->idle.n; i++)
		cost_now += (double)in->use[p->idle.v[i]].cost_nano;
	double now = cost_now, after;

	if (!p->parts || p->closed || !p->job.n)
		return;
	if (!p->idle.n || p->job.n > POOL_JOBS_MAX || p->ms <= 0)
		return;
	/* What it gives back is given back between jobs: see may_release() of the lever
	 * stop_idle. */
	if ((double)(in->fleet->until_ms - in->fleet->since_ms) <
	    in->conf->gates.stop_trial_days * (double)MS_DAY)
		return;

	struct pack_job *j = xcalloc(p->job.n, sizeof *j);
	for (size_t i = 0; i < p->job.n; i++) {
		const struct use *u = &in->use[p->job.v[i]];
		int64_t from = max_i64(u->start_ms, in->fleet->since_ms);
		int64_t to = min_i64(u->end_ms, in->fleet->until_ms);
		/* those that it holds: nothing that is done here makes it ask for fewer */
		int gpus = (int)((u->gpus_milli + 999) / 1000);
		j[i] = (struct pack_job){ from, to, gpus, .tag = p->job.v[i] };
	}
	pack_time(j, p->job.n, p->gpus, (int64_t)(in->conf->idle_release_minutes * MS_MINUTE),
		  (int64_t)(in->conf->boot_minutes * MS_MINUTE), &k);
	after = (double)k.open_ms * p->gpus * (p->cost / p->ms);
	if (after > now * (1 - WORTH_FRAC)) {
		free(j);
		return;
	}
	struct rec *r =
		rec_new(in, out, "rightsize_count",
			arena_printf(in->mem, "%s-%s-pack", filled_or(p->cluster, "all"), p->type));
	/* Jobs pay for the GPUs they hold; what is left of the machines stays with their free
	 * time. */
	double jobs = 0, idle = 0;
	for (size_t i = 0; i < p->job.n; i++) {
		jobs += (double)rec_change(in, r, (uint32_t)p->job.v[i])->after.cost_nano;
		r->replay.jobs++;
	}
	for (size_t i = 0; i < p->idle.n; i++)
		idle += (double)in->use[p->idle.v[i]].cost_nano;
	for (size_t i = 0; i < p->idle.n; i++) {
		struct rec_change *c = rec_change(in, r, (uint32_t)p->idle.v[i]);
		if (idle > 0)
			c->after.cost_nano = (int64_t)((double)c->after.cost_nano *
						       (fmax(0, after - jobs) / idle));
		else
			c->after.cost_nano = 0;
	}
	tell(in, r, p, &k);

	/* Who finds all machines full and one that was given back waits for it. */
	const struct workload *w = &in->fleet->workload.v[p->job.v[0]];
	const struct capacity_of kind = { .gpu_model = w->gpu_model,
					  .region = p->region,
					  .purchase = p->purchase,
					  .gpus_milli = (int64_t)p->gpus * 1000 };
	int64_t wait_ms = capacity_wait_of(in, r->id, w, &kind).ms;

	for (size_t i = 0; i < p->job.n; i++) {
		if (!j[i].reopened ||
		    capacity_came_for(in->fleet, &in->fleet->workload.v[j[i].tag]))
			continue;
		*vec_push(&r->wait) = (struct rec_wait){ (uint32_t)j[i].tag, wait_ms };
		r->replay.deadline_misses += release_is_late(in, j[i].tag, wait_ms, true);
	}
	capacity_judge(in, r, w, &kind);
	release_tell(in, r);

	free(j);
}

int rightsize_count_pack(const struct lever_in *in, struct rec_list *out)
{
	struct pools all = { { 0 } };

	for (size_t i = 0; i < in->fleet->workload.n; i++)
		sort_in(in, &all, i);
	for (size_t i = 0; i < all.v.n; i++) {
		propose(in, out, &all.v.v[i]);
		vec_free(&all.v.v[i].job);
		vec_free(&all.v.v[i].idle);
	}
	vec_free(&all.v);
	return 0;
}
