/*
 * Part of rightsize_count: jobs that hold parts of machines, packed with their neighbours onto
 * fewer whole machines. A pool is one type of machine in one cluster, bought in one way; all its
 * jobs are replayed first fit in order of start, none is moved or delayed. Two ways:
 *
 * - machines go when they are free and come when a job asks (what the packed machines cost at the
 *   pool's own price, with boots and waits, against what its jobs and its free time cost now);
 * - so many machines stay on that every job starts when it did, the others are stopped permanently:
 *   nothing is booted and nobody waits. With the GPUs that jobs hold, and with those that the
 *   habits of it have needed where these are fewer.
 */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "opt/capacity/pack_time.h"
#include "plan/replay/capacity.h"
#include "plan/alone/habits.h"
#include "plan/levers.h"
#include "plan/replay/release.h"
#include "plan/workload.h"

#define WORTH_FRAC    0.05  /* of the pool's cost */
#define POOL_JOBS_MAX 20000 /* the replay is jobs x machines */
#define NEVER_MS      (100 * 366 * MS_DAY)

struct machine {
	const struct fleet_node *node;
	size_t any; /* a workload on it */
	int64_t cost_nano, held_ms, paid_ms;
	double unknown_ms; /* GPU time of it of which nobody knows who held it */
};
struct pool {
	const char *cluster, *type, *model, *purchase, *region;
	int gpus;
	VEC(size_t) job, idle; /* works */
	VEC(struct machine) machine;
	bool parts;        /* some job holds a part of a machine */
	bool closed;       /* something in it cannot be packed or moved */
	bool kept;         /* of its machines one may not be stopped permanently */
	const char *queue; /* of one of its jobs that tells it */
	bool queues;       /* they are of more than one */
	bool blind; /* not all is known of what the machines have, and the jobs take, of the host */
	double cost; /* of the history, and its time: the price of a GPU */
	double ms;
	/* of it, and its cost in this state: nobody knows who held it */
	double unknown_ms, unknown_nano;
};
struct pools {
	VEC(struct pool) v;
	/* [fleet.workload.n] GPUs that the runs of its habit need at most, where they hold more;
	 * 0: as it is. What it takes of the host, in GPUs' parts of it; 0: not known */
	int *need, *host;
	/* [fleet.node.n] of the first interval of a machine: its pool and its place there, both
	 * from 1 */
	size_t *pool_at, *machine_at;
};

static struct pool *pool_of(struct pools *all, const struct fleet_node *n, const struct workload *w)
{
	for (size_t i = 0; i < all->v.n; i++) {
		struct pool *p = &all->v.v[i];
		if (p->cluster == n->cluster && p->type == n->instance_type &&
		    p->model == w->gpu_model && p->purchase == w->purchase &&
		    p->region == w->region)
			return p;
	}
	struct pool *p = vec_push(&all->v);
	*p = (struct pool){ .cluster = n->cluster,
			    .type = n->instance_type,
			    .model = w->gpu_model,
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

	if (n->gone) { /* what it cost is saved already; who held it is load of the others */
		if (w->kind == WORKLOAD_JOB && use_is_history(w, &in->use[i]))
			*vec_push(&p->job) = i;
		return;
	}

	/* The intervals of a machine follow each other. */
	size_t first = w->node_index, own = (size_t)(p - all->v.v) + 1;

	while (first && in->fleet->node.v[first - 1].node == n->node)
		first--;
	if (!all->pool_at[first]) {
		struct machine *new = vec_push(&p->machine);
		*new = (struct machine){ .node = n, .any = i };
		for (size_t k = first; k < in->fleet->node.n; k++) {
			const struct fleet_node *x = &in->fleet->node.v[k];
			if (x->node != n->node)
				break;
			new->paid_ms += x->to_ms - x->from_ms;
		}
		p->kept |= fleet_present_since(in->fleet, n->node, INT64_MIN);
		p->kept |= n->unrecorded || new->paid_ms < in->fleet->until_ms -
								   in->fleet->since_ms -
								   fleet_tail_ms(in->fleet);
		all->pool_at[first] = own;
		all->machine_at[first] = p->machine.n;
	}
	if (all->pool_at[first] != own) /* it was bought in two ways */
		p->kept = all->v.v[all->pool_at[first] - 1].kept = true;
	struct machine *m =
		&all->v.v[all->pool_at[first] - 1].machine.v[all->machine_at[first] - 1];
	m->cost_nano += in->use[i].cost_nano;
	p->kept |= workload_is_frozen(in, w, "stop_idle") || in->use[i].released;
	p->cost += (double)w->cost_nano;
	p->ms += (double)w->ms;
	p->closed |= n->gpus_milli != (int64_t)p->gpus * 1000 ||
		     workload_is_frozen(in, w, "rightsize_count");
	/* a timetable switches the machine off, whoever else is laid onto it */
	p->closed |= in->use[i].off_frac > 0;
	if (w->kind == WORKLOAD_FREE) {
		*vec_push(&p->idle) = i;
		return;
	}
	if (w->kind == WORKLOAD_UNKNOWN) {
		m->unknown_ms += (double)w->ms;
		p->unknown_ms += (double)w->ms;
		p->unknown_nano += (double)in->use[i].cost_nano;
		return;
	}
	/* Services are the lever share's, shares of GPUs the scheduler's; what has moved already
	 * is not on these machines. */
	p->closed |= w->kind != WORKLOAD_JOB || w->share_kind != SHARE_WHOLE || !*w->job ||
		     w->gpus_milli <= 0;
	p->parts |= !workload_fills_machine(in->fleet, w) || all->need[i];
	if (!use_is_history(w, &in->use[i]))
		return;
	m->held_ms += w->ms;
	/* its parts are on as many machines, which a packer of parts does not know */
	const struct fleet_job *j = fleet_job_of(in->fleet, w);
	p->kept |= j && j->workloads > 1 && !workload_fills_machine(in->fleet, w);
	if (w->queue && *w->queue) {
		p->queues |= p->queue && p->queue != w->queue;
		p->queue = w->queue;
	}
	p->blind |= !all->host[i] || isnan(n->vcpu) || isnan(n->ram_gib);
	*vec_push(&p->job) = i;
}

/* Jobs of its cluster that name no machine hold GPUs that look free here. */
static bool jobs_without_machine(const struct fleet *f, const struct pool *p)
{
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		bool job = w->kind == WORKLOAD_JOB || w->kind == WORKLOAD_SERVICE;
		bool here = w->cluster == p->cluster &&
			    (!*w->gpu_model || w->gpu_model == p->model);
		if (job && here && w->node_index == SIZE_MAX)
			return true;
	}
	return false;
}

/* As much of each machine is known as of one that is stopped must have been watched. */
static bool machines_known(const struct lever_in *in, const struct pool *p)
{
	double unread = 1 - in->conf->gates.stop_watched_frac;

	for (size_t i = 0; i < p->machine.n; i++) {
		const struct machine *m = &p->machine.v[i];
		if (m->unknown_ms > unread * (double)m->paid_ms * p->gpus)
			return false;
	}
	return true;
}

/* "p3.8xlarge", "A100-SXM4-80GB machines" */
static const char *machines_of(const struct lever_in *in, const struct pool *p)
{
	if (*p->type)
		return p->type;
	return arena_printf(in->mem, "%s%smachines", p->model, text_if(*p->model, " "));
}

static void tell_pack(const struct lever_in *in, struct rec *r, const struct pool *p,
		      const struct pack_result *k)
{
	double machine_hours = p->ms / MS_HOUR / p->gpus;

	r->title = arena_printf(
		in->mem,
		"%s: pack jobs that hold parts of %s onto fewer machines (%.0f machine-hours -> %.0f)",
		filled_or(p->cluster, machines_of(in, p)), machines_of(in, p), machine_hours,
		(double)k->open_ms / MS_HOUR);
	r->packs = true;
	r->risk = RISK_MEDIUM;
	rec_tier(r, TIER_TRIAL);
	r->effort_days = 3;
	r->within_days = 7;
	r->confidence_frac = 0.85;
	rec_subject(in, r, "cluster", p->cluster);
	rec_subject(in, r, "instance_type", p->type);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "machine-hours paid", .unit = "h",
					.source = "ledger" },
		     "%.1f", machine_hours);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ESTIMATED, "machine-hours when packed", .unit = "h",
					.source = "replay, first fit" },
		     "%.1f", (double)k->open_ms / MS_HOUR);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ESTIMATED, "no packing needs less than",
					.unit = "h", .source = "GPUs x time" },
		     "%.1f", (double)k->bound_ms / MS_HOUR);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ESTIMATED, "machines at most open at a time",
					.source = "replay, first fit" },
		     "%zu", k->machines);
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

/* ---- machines that stay on --------------------------------------------------------------- */

static int more_held(const void *pa, const void *pb)
{
	const struct machine *a = pa, *b = pb;

	if (a->held_ms != b->held_ms)
		return cmp_i64(b->held_ms, a->held_ms);
	return strcmp(a->node->node, b->node->node);
}

/* Of habits whose runs are given fewer GPUs: what their submissions ask for, and who they are. */
static const char *ask_for_less(const struct lever_in *in, struct rec *r)
{
	const struct habit_runs *one = NULL;
	size_t nhabit = 0;

	bool *seen = xcalloc(in->habits->v.n + 1, sizeof *seen);

	for (size_t i = 0; i < r->change.n; i++) {
		const struct rec_change *c = &r->change.v[i];
		size_t k = in->habits->of_workload[c->workload];
		bool less = c->after.gpus_milli < in->use[c->workload].gpus_milli;
		if (!less || seen[k])
			continue;
		seen[k] = true;
		const struct habit_runs *h = &in->habits->v.v[k];
		int64_t had = h->first->gpus_milli / 1000, now = c->after.gpus_milli / 1000;
		struct evidence e = { .metric = arena_printf(
					      in->mem,
					      "GPUs that any run of %s needed, of those held",
					      habit_title(h)),
				      .unit = "GPUs",
				      .source = "telemetry",
				      .quality = QUALITY_MEASURED };
		rec_evidence(in, r, e, "%lld of %lld in %zu runs", (long long)now, (long long)had,
			     h->runs);
		struct action *a = rec_action(r, ACTION_SUBMIT);
		a->which = habit_of(h);
		a->submit = (struct action_submit){
			.change = SUBMIT_GPUS,
			.to = habit_submits_to(in->fleet, h),
			.was = { .gpus = had,
				 .instance_type = raw_name(h->first->instance_type),
				 .limit_ms = UNKNOWN_MS },
			.now = { .gpus = now,
				 .instance_type = raw_name(h->first->instance_type),
				 .limit_ms = UNKNOWN_MS },
		};
		one = h;
		nhabit++;
	}
	free(seen);
	if (nhabit == 1)
		return arena_printf(in->mem, "%s with %d GPU%s, not %lld, and all jobs",
				    habit_title(one), one->most_needed, plural(one->most_needed),
				    (long long)one->first->gpus_milli / 1000);
	if (nhabit)
		return arena_printf(
			in->mem, "%zu kinds of jobs with the GPUs they use, and all jobs", nhabit);
	return "jobs";
}

/* Days for which what runs on the machines that stop at the end of the history may go on: until its
 * limit, or, without one, as long again as it has run. */
static double days_until_empty(const struct lever_in *in, const struct pool *p, size_t stay)
{
	const struct fleet *f = in->fleet;
	double days = 0;

	for (size_t k = 0; k < p->job.n; k++) {
		const struct workload *w = &f->workload.v[p->job.v[k]];
		bool stops = false;
		if (w->end_ms < f->until_ms || workload_completed(w))
			continue;
		for (size_t i = stay; i < p->machine.n; i++)
			stops |= p->machine.v[i].node->node == f->node.v[w->node_index].node;
		int64_t ends_ms = f->until_ms + (f->until_ms - w->start_ms);
		if (w->limit_ms != UNKNOWN_MS)
			ends_ms = w->start_ms + w->limit_ms;
		if (stops)
			days = fmax(days, ceil((double)(ends_ms - f->until_ms) / MS_DAY));
	}
	return days;
}

static void tell_fewer(const struct lever_in *in, struct rec *r, const struct pool *p, size_t stay)
{
	const struct plan_gates *g = &in->conf->gates;
	unsigned to = cluster_scheduler(in->fleet, p->cluster);
	size_t stops = p->machine.n - stay;
	int64_t paid_ms = 0;
	double held_ms = 0;
	const char *who = ask_for_less(in, r);

	r->title = arena_printf(in->mem, "%s: %s onto %zu of %zu %s, %zu stop%s",
				filled_or(p->cluster, machines_of(in, p)), who, stay, p->machine.n,
				machines_of(in, p), stops, text_if(stops == 1, "s"));
	r->packs = true;
	r->risk = RISK_MEDIUM;
	rec_tier(r, TIER_TRIAL);
	r->effort_days = 3;
	r->within_days = 7 + fmax(g->stop_told_days, days_until_empty(in, p, stay));
	r->confidence_frac = 0.85;
	rec_subject(in, r, "cluster", p->cluster);
	rec_subject(in, r, "instance_type", p->type);
	rec_action(r, ACTION_PACK)->pack = (struct action_pack){ raw_name(p->cluster),
								 raw_name(p->type) };
	struct raw_name *node = arena_alloc(in->mem, stops * sizeof *node);
	for (size_t i = 0; i < p->machine.n; i++) {
		paid_ms += i < stay ? p->machine.v[i].paid_ms * p->gpus : 0;
		if (i >= stay)
			node[i - stay] = raw_name(p->machine.v[i].node->node);
	}
	for (size_t i = 0; i < r->change.n; i++) {
		const struct rec_change *c = &r->change.v[i];
		const struct workload *w = &in->fleet->workload.v[c->workload];
		if (w->kind == WORKLOAD_JOB)
			held_ms += (double)w->ms * (double)c->after.gpus_milli /
				   (double)in->use[c->workload].gpus_milli;
	}
	struct evidence fit = { .metric = "machines on which all jobs start when they did",
				.unit = "",
				.source = "replay, first fit",
				.quality = QUALITY_ESTIMATED };
	struct evidence held = { .metric = "GPU time that jobs hold, of those that stay",
				 .unit = "%",
				 .source = "ledger",
				 .quality = QUALITY_ESTIMATED };
	rec_evidence(in, r, fit, "%zu of %zu", stay, p->machine.n);
	if (paid_ms > 0)
		rec_evidence(in, r, held, "%.0f", 100 * held_ms / (double)paid_ms);
	rec_action(r, ACTION_TELL)->tell = (struct action_tell){ .about = TELL_STOP,
								 .cluster = raw_name(p->cluster),
								 .days = g->stop_told_days,
								 .node = node,
								 .nnode = stops };
	for (size_t i = stay; i < p->machine.n; i++) {
		struct machine_ref m =
			workload_machine(&in->fleet->workload.v[p->machine.v[i].any]);
		m.to = machine_scheduler(in->fleet, &in->fleet->workload.v[p->machine.v[i].any],
					 to ? to : TO_ANY);
		rec_action(r, ACTION_CORDON)->machine = m;
		rec_action(r, ACTION_DRAIN)->machine = m;
		rec_action(r, ACTION_STOP)->machine = m;
	}
	rec_risk(
		in, r,
		"Jobs share a machine's cores, memory and disks with more neighbours: ask for these per GPU.");
	if (p->queues)
		rec_risk(
			in, r,
			"The jobs are of several queues (partitions): a machine that stays must be in those of all jobs that it is to carry.");
	if (p->blind)
		rec_risk(
			in, r,
			"Which cores and memory the machines have, or the jobs take, is not known of all of them (cpus, ram_gib): what stands here fits by its GPUs alone.");
	rec_risk(
		in, r,
		"With fewer machines there is less room for a load above that of the history: it waits. Stop them one by one.");
}

/* The machines that are needed at most at a time, where none is ever given back. */
static size_t count_staying(const struct lever_in *in, const struct pools *all,
			    const struct pool *p, bool fewer)
{
	struct pack_job *j = xcalloc(p->job.n, sizeof *j);
	struct pack_result k;

	for (size_t i = 0; i < p->job.n; i++) {
		size_t w = p->job.v[i];
		const struct use *u = &in->use[w];
		int gpus = (int)((u->gpus_milli + 999) / 1000);
		if (fewer && all->need[w])
			gpus = all->need[w];
		/* one that takes half the cores leaves the other half of the GPUs */
		gpus = max_int(gpus, min_int(all->host[w], p->gpus));
		j[i] = (struct pack_job){ max_i64(u->start_ms, in->fleet->since_ms),
					  min_i64(u->end_ms, in->fleet->until_ms), gpus, .tag = w };
	}
	pack_time(j, p->job.n, p->gpus, NEVER_MS, 0, &k);
	free(j);
	return k.machines;
}

/* How many of its machines stay, where these are fewer than `below`; else that. */
static size_t propose_fewer(const struct lever_in *in, struct rec_list *out,
			    const struct pools *all, struct pool *p, size_t below, bool fewer)
{
	size_t stay = count_staying(in, all, p, fewer), n = p->machine.n;
	double jobs = p->unknown_nano, idle = 0, now = 0, after = 0;

	if (stay >= below)
		return below;
	sort_items(p->machine.v, n, sizeof *p->machine.v, more_held);
	for (size_t i = 0; i < n; i++) {
		now += (double)p->machine.v[i].cost_nano;
		after += i < stay ? (double)p->machine.v[i].cost_nano : 0;
	}
	if (after > now * (1 - WORTH_FRAC))
		return below;
	struct rec *r = rec_new(in, out, "rightsize_count",
				arena_printf(in->mem, "%s-%s-stay%s", filled_or(p->cluster, "all"),
					     filled_or(p->type, p->model),
					     text_if(fewer, "-less")));
	for (size_t i = 0; i < p->job.n; i++) {
		size_t w = p->job.v[i];
		struct rec_change *c = rec_change(in, r, (uint32_t)w);
		if (fewer && all->need[w]) {
			c->after.gpus_milli = (int64_t)all->need[w] * 1000;
			c->after.cost_nano = use_scaled(&in->use[w], c->after.gpus_milli,
							in->use[w].gpus_milli);
		}
		jobs += (double)c->after.cost_nano;
		r->replay.jobs++;
	}
	/* What of the machines that stay no job pays for is their free time. */
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < p->idle.n; i++) {
			size_t w = p->idle.v[i];
			bool stops = false;
			for (size_t k = stay; k < n; k++)
				stops |=
					p->machine.v[k].node->node ==
					in->fleet->node.v[in->fleet->workload.v[w].node_index].node;
			if (!pass) {
				idle += stops ? 0 : (double)in->use[w].cost_nano;
				continue;
			}
			struct rec_change *c = rec_change(in, r, (uint32_t)w);
			double left = fmax(0, after - jobs);
			if (stops)
				c->after.end_ms = c->after.start_ms;
			if (stops || idle <= 0)
				c->after.cost_nano = 0;
			else
				c->after.cost_nano =
					(int64_t)((double)c->after.cost_nano * (left / idle));
		}
	if (idle <= 0 || after < jobs) { /* nothing is left to carry it */
		out->v.n--;
		rec_free(r);
		return below;
	}
	tell_fewer(in, r, p, stay);
	return stay;
}

static void propose_pool(const struct lever_in *in, struct rec_list *out, const struct pool *p)
{
	struct pack_result k;

	double cost_now = 0;

	for (size_t i = 0; i < p->job.n; i++)
		cost_now += (double)in->use[p->job.v[i]].cost_nano;
	for (size_t i = 0; i < p->idle.n; i++)
		cost_now += (double)in->use[p->idle.v[i]].cost_nano;
	double now = cost_now, after;

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
	struct rec *r = rec_new(in, out, "rightsize_count",
				arena_printf(in->mem, "%s-%s-pack", filled_or(p->cluster, "all"),
					     filled_or(p->type, p->model)));
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
	tell_pack(in, r, p, &k);

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

/* Of the host that a job takes, as many GPUs' parts; of habits the GPUs that their runs need. */
static void read_needs(const struct lever_in *in, struct pools *all)
{
	const struct fleet *f = in->fleet;
	const struct plan_gates *g = &in->conf->gates;

	all->need = xcalloc(f->workload.n + 1, sizeof *all->need);
	all->host = xcalloc(f->workload.n + 1, sizeof *all->host);
	for (size_t i = 0; i < f->host.n; i++) {
		const struct fleet_host *h = &f->host.v[i];
		size_t at = f->workload.v[h->workload].node_index;
		if (at == SIZE_MAX)
			continue;
		const struct fleet_node *n = &f->node.v[at];
		double gpus = (double)n->gpus_milli / 1000, part = 0;
		if (n->vcpu > 0)
			part = (double)h->cpu_milli / 1000 / n->vcpu;
		if (n->ram_gib > 0)
			part = fmax(part, (double)h->ram_mib / 1024 / n->ram_gib);
		all->host[h->workload] = max_int((int)ceil(part * gpus - 1e-6),
						 all->host[h->workload]);
	}
	for (size_t i = 0; i < in->habits->v.n; i++) {
		const struct habit_runs *h = &in->habits->v.v[i];
		bool known = h->level == HABIT_USER && !h->is_over && h->machines == 1 &&
			     (double)h->runs >= g->count_trial_runs && h->most_needed >= 1;
		for (size_t k = 0; k < h->workload.n && known; k++) {
			uint32_t w = h->workload.v[k];
			const struct workload *x = &f->workload.v[w];
			known = x->stats.covered_frac >= WORKLOAD_COVERED_FRAC &&
				(int64_t)x->stats.gpus * 1000 >= x->gpus_milli;
			known &= x->gpus_milli == h->first->gpus_milli && x->gpus_milli % 1000 == 0;
			known &= in->habits->of_workload[w] == i &&
				 (int64_t)h->most_needed * 1000 < x->gpus_milli &&
				 !workload_is_frozen(in, x, "rightsize_count");
		}
		for (size_t k = 0; k < h->workload.n && known; k++)
			all->need[h->workload.v[k]] = h->most_needed;
	}
}

int rightsize_count_pack(const struct lever_in *in, struct rec_list *out, enum pack_says *ret)
{
	struct pools all = { { 0 } };
	const struct fleet *f = in->fleet;

	read_needs(in, &all);
	all.pool_at = xcalloc(2 * (f->node.n + 1), sizeof *all.pool_at);
	all.machine_at = all.pool_at + f->node.n + 1;
	for (size_t i = 0; i < f->workload.n; i++)
		sort_in(in, &all, i);
	for (size_t i = 0; i < all.v.n; i++) {
		struct pool *p = &all.v.v[i];
		bool asked = p->parts && !p->closed && p->job.n && p->idle.n &&
			     p->job.n <= POOL_JOBS_MAX && p->ms > 0;
		/* so many days show what it takes at most; more of them who asks at all */
		bool known = asked && machines_known(in, p) && !jobs_without_machine(f, p);
		bool stays = asked && known && !p->kept &&
			     (double)(f->until_ms - f->since_ms) >=
				     in->conf->gates.stop_ready_days * (double)MS_DAY;
		bool less = false;
		for (size_t k = 0; k < p->job.n; k++)
			less |= all.need[p->job.v[k]] > 0;
		size_t held = stays ? propose_fewer(in, out, &all, p, p->machine.n, false) : 0;
		if (stays && less)
			less = propose_fewer(in, out, &all, p, held, true) < held;
		if (asked && p->unknown_ms <= 0)
			propose_pool(in, out, p);
		for (size_t k = 0; k < p->job.n; k++)
			if (all.need[p->job.v[k]] && less)
				ret[p->job.v[k]] = stays ? PACK_TAKES : PACK_CANNOT;
			else if (all.need[p->job.v[k]])
				ret[p->job.v[k]] = PACK_SAVES_NONE;
		vec_free(&p->job);
		vec_free(&p->idle);
		vec_free(&p->machine);
	}
	free(all.pool_at);
	free(all.need);
	free(all.host);
	vec_free(&all.v);
	return 0;
}
