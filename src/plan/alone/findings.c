/*
 * What is observed, in money, by cause and owner: rules that look at one workload each. A
 * workload's idle money is given to the most telling rule first (GPUs too many, time over-booked,
 * always on, waits for input) and only the rest to the causes of the ledger, so that within the
 * idle money no dollar is in two findings. What is about the price (on demand for interruptible
 * work, a more expensive GPU than needed) and what is about the use may name the same dollar; each
 * says what it is. What idled while jobs waited (find_queued.h) is told again by who held it: what
 * these dollars could have been. Unknown is never waste.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "plan/alone/finding_kinds.h"
#include "plan/alone/find_queued.h"
#include "plan/alone/find_stranded.h"
#include "plan/lever/use_hours.h"
#include "plan/workload.h"

#define SHOWN_PART      10000 /* findings below 1/10000 of the cost say nothing */
#define STARVED_FRAC    0.3   /* of the tree in docs/ALGORITHMS.md, "Findings" */
#define OVERBOOKED_FRAC 0.25  /* of its run a job still held its GPUs after its last work */
/* memory that a smaller GPU must have, of the 99th percentile */
#define MEM_ROOM          1.1
#define SMALLER_LOAD_FRAC 0.8 /* the busiest 5 % of the time may fill a smaller GPU so far */

struct group {
	const char *cause, *owner, *cluster, *about;
	int64_t nano, gpu_ms, most_nano;
	size_t workloads; /* a job on several machines once */
	const struct workload *most;
	enum quality quality;
	const struct stranded_part *part; /* of stranded/...: the largest */
	int64_t waited_ms;
	struct use_hours *use;            /* of always_on: in which hours its workloads are used */
	const struct plan_queued *queued; /* of idle_while_queued/... */
	/* of wrong_gpu: what would do for the largest, and what each costs in an hour */
	const struct gpu_spec *smaller;
	int64_t smaller_nano, now_nano;
};

/* What the catalogue was already asked; texts are the same pointers. */
struct price_seen {
	const char *provider, *region, *gpu_model, *purchase;
	bool known;
	int64_t nano;
};

struct finder {
	const struct fleet *f;
	const struct plan_conf *conf;
	const struct catalog *cat;
	int64_t now_ms;
	struct plan *plan;
	VEC(struct group) group;
	struct intern key, owner; /* owner: those that have GPU work */
	struct intern part_of;    /* group and job of the parts of jobs */
	VEC(struct price_seen) seen;
	struct stranded_parts stranded;
	size_t next_part; /* the works are looked at in order */
	/* [f->node.n] of machines, at their first record: when a workload on it ended last,
	 * INT64_MIN; more than one held it at a time: only these can be fragmented */
	int64_t *used_ms;
	bool *shared;
};

static int64_t take_part(int64_t nano, double frac)
{
	if (frac <= 0)
		return 0;
	if (frac >= 1)
		return nano;
	return (int64_t)((double)nano * frac);
}

/* Is it a further part of a job that the group has? */
static bool is_known_part(struct finder *s, uint32_t group, const struct workload *w)
{
	const struct fleet_job *j = fleet_job_of(s->f, w);
	const uint64_t key[] = { group, w->job_index };

	if (!j || j->workloads < 2)
		return false;
	size_t n = s->part_of.n;
	return intern_add(&s->part_of, (struct sv){ (const char *)key, sizeof key }) < n;
}

struct found {
	const char *cause, *owner, *about;
	enum quality quality;
	int64_t nano, gpu_ms;
};

static struct group *add_group(struct finder *s, const struct workload *w, const struct found *x)
{
	enum quality q = x->quality;
	struct str key = { 0 };

	if (x->nano <= 0)
		return NULL;
	if (w->kind != WORKLOAD_LINE && w->kind != WORKLOAD_FREE && q == QUALITY_MEASURED &&
	    w->measured_ms * 2 < w->ms)
		/* paid time or state is assumed: the finding is no surer than they */
		q = QUALITY_ASSUMED;
	/* what is said of some is not said of others: owned machines, and those paid by the hour */
	str_addf(&key, "%s\x1f%s\x1f%s", x->cause, x->owner, x->about);
	uint32_t i = intern_add(&s->key, str_sv(&key));
	str_free(&key);
	if (i == s->group.n)
		*vec_push(&s->group) = (struct group){ .cause = x->cause,
						       .owner = x->owner,
						       .cluster = w->cluster,
						       .about = x->about };
	struct group *g = &s->group.v[i];
	g->nano += x->nano;
	g->gpu_ms += x->gpu_ms;
	g->workloads += !is_known_part(s, i, w);
	g->quality = max_int(q, g->quality);
	if (x->nano > g->most_nano) {
		g->most_nano = x->nano;
		g->most = w;
	}
	return g;
}

static int64_t ms_of(const struct workload *w, int64_t nano)
{
	if (w->cost_nano > 0)
		return (int64_t)((double)w->ms * ((double)nano / (double)w->cost_nano));
	return 0;
}

/* A part of what the workload cost, as it was measured. */
static struct group *add_measured(struct finder *s, const struct workload *w, const char *cause,
				  const char *owner, const char *about, int64_t nano)
{
	return add_group(s, w,
			 &(struct found){ .cause = cause,
					  .owner = owner,
					  .about = about,
					  .quality = QUALITY_MEASURED,
					  .nano = nano,
					  .gpu_ms = ms_of(w, nano) });
}

/* Who is told of it: a service by its name. */
static const char *service_or_owner(const struct workload *w)
{
	return filled_or(w->service, workload_owner(w));
}

static int64_t take_left(int64_t *left, int64_t want)
{
	int64_t got = min_i64(want, *left);

	got = max_i64(got, 0);
	*left -= got;
	return got;
}

/* ---- jobs and services: use -------------------------------------------------------------- */

static void find_too_many(struct finder *s, const struct workload *w, int64_t *idle)
{
	const struct workload_stats *t = &w->stats;

	if (w->kind != WORKLOAD_JOB || t->covered_frac < WORKLOAD_COVERED_FRAC || t->gpus < 2)
		return;
	/* what lies in the memory of a GPU that does not compute is needed, too */
	int needed = max_int(t->gpus_used, t->gpus_needed);
	if (!t->gpus_used || needed >= t->gpus)
		return;
	int64_t nano = take_left(idle, take_part(w->cost_nano - w->state_nano[STATE_LOST],
						 1 - (double)needed / t->gpus));
	add_measured(s, w, "too_many_gpus", workload_owner(w), "books more GPUs than its jobs use",
		     nano);
}

static void find_overbooked(struct finder *s, const struct workload *w, int64_t *idle)
{
	int64_t last = w->stats.last_busy_ms;

	if (!workload_is_batch(w) || last == UNKNOWN_MS)
		return;
	if (w->stats.covered_frac < WORKLOAD_COVERED_FRAC ||
	    (double)(w->end_ms - last) < OVERBOOKED_FRAC * (double)(w->end_ms - w->start_ms))
		return;
	int64_t nano = take_left(idle, w->cost_nano - workload_cost_before(s->f, w, last));
	/* Whom his limit ended would have been ended earlier by a shorter one; who ends by himself
	 * before it would not. */
	bool cut = w->limit_ms != UNKNOWN_MS &&
		   w->end_ms - workload_last_start_ms(w) + MS_MINUTE >= w->limit_ms;
	struct found f = { .cause = "idle_after_work",
			   .owner = workload_owner(w),
			   .about = "holds its GPUs after the last work, and ends by itself later",
			   .quality = QUALITY_MEASURED,
			   .nano = nano,
			   .gpu_ms = ms_of(w, nano) };
	if (cut) {
		f.cause = "overbooked";
		f.about = "holds its GPUs after the last work, until the booked time is over";
	}
	add_group(s, w, &f);
}

static void find_input_bound(struct finder *s, const struct workload *w, int64_t *idle)
{
	double starved = NAN;

	if (workload_is_batch(w))
		starved = workload_starved_frac(w);
	if (!(starved > STARVED_FRAC))
		return;
	int64_t nano = take_left(
		idle, take_part(w->cost_nano, starved * (double)w->stats.gpus_used /
						      (double)(w->stats.gpus ? w->stats.gpus : 1)));
	add_group(
		s, w,
		&(struct found){ .cause = "input_bound",
				 .owner = workload_owner(w),
				 .about = "has jobs whose GPU waits again and again while they run",
				 .quality = isnan(w->stats.cpu_mean_pct) ? QUALITY_ESTIMATED
									 : QUALITY_MEASURED,
				 .nano = nano,
				 .gpu_ms = ms_of(w, nano) });
}

/*
 * Held day and night, used some hours a day. Its idle money is not that of a job that waits for
 * input, though both have gaps: a job that starves works a little in every hour of its run.
 */
static void find_always_on(struct finder *s, const struct workload *w, int64_t *idle)
{
	if (!(always_on_use_frac(s->f, w) > 0))
		return;
	int64_t nano = take_left(idle, *idle);
	struct group *g = add_measured(s, w, "always_on", service_or_owner(w),
				       "holds GPUs day and night, used", nano);
	if (!g)
		return;
	if (!g->use)
		g->use = arena_zalloc(&s->plan->mem, sizeof *g->use);
	use_hours_add(g->use, s->f, w);
}

/* What is left of the idle money, by the ledger's causes, in proportion to them. */
static void find_idle_by_cause(struct finder *s, const struct workload *w, int64_t all,
			       int64_t left)
{
	static const struct {
		const char *state;
		enum cause cause;
		const char *about;
	} why[] = {
		{ "idle_held", CAUSE_WARM_SERVER, "keeps servers warm between requests" },
		{ "idle_held", CAUSE_FINISHED, "holds memory after the work is done" },
		{ "idle_held", CAUSE_STALLED, "has jobs that stand still" },
		{ "idle_held", CAUSE_NOTEBOOK, "has notebooks open that nobody works in" },
		{ "idle_empty", CAUSE_NEVER_LAUNCHED,
		  "books GPUs on which nothing was ever started" },
		{ "idle_empty", CAUSE_EXITED, "keeps GPUs whose process has ended" },
		{ "idle_empty", CAUSE_WAITING, "holds GPUs that wait" },
	};
	int64_t named = 0;

	if (all <= 0 || left <= 0)
		return;
	for (size_t i = 0; i < sizeof why / sizeof *why; i++) {
		int64_t nano = take_part(w->cause_nano[why[i].cause], (double)left / (double)all);
		named += nano;
		add_measured(s, w,
			     arena_printf(&s->plan->mem, "%s/%s", why[i].state,
					  cause_name(why[i].cause)),
			     workload_owner(w), why[i].about, nano);
	}
	add_measured(s, w, "idle", workload_owner(w), "holds GPUs that do nothing", left - named);
}

static void find_underused(struct finder *s, const struct workload *w)
{
	double util = w->stats.active_util_mean_pct / 100;
	bool serving = w->kind == WORKLOAD_SERVICE;

	if (isnan(util) || w->stats.covered_frac < WORKLOAD_COVERED_FRAC)
		return;
	if (serving && rightsize_band(w->stats.util_mean_pct) == UTIL_OVER_PROVISIONED) {
		int64_t nano = take_part(w->state_nano[STATE_UNDERUSED] + w->state_nano[STATE_BUSY],
					 1 - util);
		add_measured(s, w, "low_util_serving", service_or_owner(w),
			     "serves with a small part of its GPUs", nano);
	} else if (!serving) {
		/* Where the ledger says why, each cause is a finding of its own; the rest is just
		 * underused. */
		int64_t waste = take_part(w->state_nano[STATE_UNDERUSED], 1 - util);
		static const struct {
			enum cause cause;
			const char *about;
		} why[] = {
			{ CAUSE_INPUT,
			  "has jobs whose GPU is underused because data comes too slowly" },
			{ CAUSE_SMALL_BATCH, "has jobs whose batches are too small for the GPU" },
			{ CAUSE_TRANSFER, "has jobs that wait for copies between host and GPU" },
			{ CAUSE_BANDWIDTH, "has jobs bound by memory bandwidth" },
			{ CAUSE_LAUNCH,
			  "has jobs whose kernels are too short for the host to keep up" },
			{ CAUSE_IMBALANCE, "has jobs in which one GPU makes the others wait" },
			{ CAUSE_THROTTLED, "has jobs on GPUs whose clocks are held back" },
		};
		int64_t all = w->state_nano[STATE_UNDERUSED], left = waste;

		for (size_t i = 0; i < sizeof why / sizeof *why && all > 0; i++) {
			int64_t nano = take_left(
				&left, take_part(waste, (double)w->cause_nano[why[i].cause] /
								(double)all));
			add_measured(s, w,
				     arena_printf(&s->plan->mem, "underused/%s",
						  cause_name(why[i].cause)),
				     workload_owner(w), why[i].about, nano);
		}
		add_measured(s, w, "underused", workload_owner(w),
			     "has jobs that run far below what the GPU can do", left);
	}
}

/* ---- jobs and services: price ------------------------------------------------------------ */

static bool price_of(struct finder *s, const struct workload *w, const char *gpu_model,
		     const char *purchase, int64_t *ret)
{
	struct rate r = { 0 };

	for (size_t i = 0; i < s->seen.n; i++) {
		const struct price_seen *p = &s->seen.v[i];
		if (p->provider == w->provider && p->region == w->region &&
		    p->gpu_model == gpu_model && p->purchase == purchase) {
			*ret = p->nano;
			return p->known;
		}
	}
	const struct price_ask ask = { .catalog = s->cat,
				       .fleet = s->f,
				       .provider = w->provider,
				       .region = w->region,
				       .gpu_model = gpu_model,
				       .purchase = purchase,
				       .at_ms = s->now_ms };
	bool known = *gpu_model && fleet_rate(&ask, &r);
	*vec_push(&s->seen) = (struct price_seen){ w->provider, w->region, gpu_model,
						   purchase,    known,     r.nano_gpu_hour };
	*ret = r.nano_gpu_hour;
	return known;
}

static const char spot_word[] = "spot", on_demand_word[] = "on_demand";

static void find_interruptible(struct finder *s, const struct workload *w)
{
	int64_t spot, now;

	if (w->kind != WORKLOAD_JOB || w->checkpointable != 1 ||
	    strcmp(w->purchase, "on_demand") != 0)
		return;
	if (w->notebook || !price_of(s, w, w->gpu_model, spot_word, &spot) ||
	    !price_of(s, w, w->gpu_model, on_demand_word, &now))
		return;
	if (spot >= now)
		return;
	add_group(
		s, w,
		&(struct found){
			.cause = "on_demand_interruptible",
			.owner = workload_owner(w),
			.about = "pays on-demand prices for jobs that can resume from a checkpoint",
			.quality = QUALITY_ESTIMATED,
			.nano = take_part(w->cost_nano, 1 - (double)spot / (double)now),
			.gpu_ms = w->ms });
}

static void find_larger_gpu(struct finder *s, const struct workload *w)
{
	const struct gpu_spec *big = s->cat ? catalog_gpu(s->cat, sv_of(w->gpu_model)) : NULL, *g,
			      *smaller = NULL;
	int64_t now, best = INT64_MAX, nano;

	if (!big || w->stats.gpus != 1 || w->stats.covered_frac < WORKLOAD_COVERED_FRAC)
		return;
	if (isnan(w->stats.mem_p99_bytes) ||
	    rightsize_band(w->stats.util_mean_pct) != UTIL_OVER_PROVISIONED ||
	    strcmp(w->purchase, "on_demand") != 0)
		return;
	if (!price_of(s, w, w->gpu_model, on_demand_word, &now))
		return;
	for (size_t i = 0; (g = catalog_gpu_at(s->cat, i)); i++) {
		/* A GPU that holds the memory and carries the busiest 5 % of the time, by its
		 * dense half-precision rate. */
		double load = w->stats.util_p95_pct / 100;
		if ((g != big && !strcmp(g->vendor, big->vendor) &&
		     g->memory_gib * 1073741824.0 >= w->stats.mem_p99_bytes * MEM_ROOM &&
		     g->fp16_tflops > 0 && big->fp16_tflops > 0 &&
		     load * big->fp16_tflops <= g->fp16_tflops * SMALLER_LOAD_FRAC) &&
		    price_of(s, w, g->model, on_demand_word, &nano) && nano < best) {
			best = nano;
			smaller = g;
		}
	}
	if (!smaller || best >= now)
		return;
	struct group *o = add_group(
		s, w,
		&(struct found){
			.cause = "wrong_gpu",
			.owner = service_or_owner(w),
			.about = "runs on a more expensive GPU than its memory and load need",
			.quality = QUALITY_ESTIMATED,
			.nano = take_part(w->cost_nano, 1 - (double)best / (double)now),
			.gpu_ms = w->ms });
	if (o && o->most == w) {
		o->smaller = smaller;
		o->smaller_nano = best;
		o->now_nano = now;
	}
}

/* ---- machines and lines ------------------------------------------------------------------ */

/* A renewed contract, a new price or another GPU begins another record of a machine. */
static size_t first_record(const struct fleet *f, size_t at)
{
	while (at && f->node.v[at - 1].node == f->node.v[at].node)
		at--;
	return at;
}

/* Nobody has held it for as long as a stop asks for, or in a shorter window for nine tenths of it,
 * and no reading shows that it works. */
static bool is_forgotten(const struct finder *s, const struct workload *w)
{
	const struct fleet *f = s->f;
	int64_t window = f->until_ms - f->since_ms, used_ms = f->since_ms, paid_ms = 0;

	if (w->node_index == SIZE_MAX || window < MS_DAY || w->end_ms < f->until_ms - MS_HOUR)
		return false;
	size_t first = first_record(f, w->node_index);
	for (size_t at = first; at < f->node.n && f->node.v[at].node == f->node.v[first].node; at++)
		paid_ms += f->node.v[at].ms;
	used_ms = max_i64(s->used_ms[first], used_ms);
	if (paid_ms <= 0 || workload_seen_idle(w) < 0 || (double)w->ms < 0.9 * (double)paid_ms)
		return false;
	int64_t asked_ms = (int64_t)(s->conf->gates.stop_trial_days * (double)MS_DAY);
	return f->until_ms - used_ms >= min_i64(asked_ms, window - window / 10);
}

/* Of its free time: the cost of hours in which somebody held another part of the machine. */
static int64_t partly_held(const struct finder *s, const struct workload *w)
{
	const struct fleet *f = s->f;
	size_t at = w->node_index;
	int64_t nano = 0;

	if (at == SIZE_MAX || !s->shared[first_record(f, at)])
		return 0;
	for (size_t i = 0; i < w->nhour; i++) {
		const struct workload_hour *h = &f->hour.v[w->hour0 + i];
		/* the record of the hour says how many GPUs it has then */
		while (at + 1 < f->node.n && f->node.v[at + 1].node == f->node.v[at].node &&
		       f->node.v[at].to_ms <= h->hour_ms)
			at++;
		int64_t all_ms = f->node.v[at].gpus_milli * MS_HOUR / 1000;
		if (h->ms < all_ms && h->ms * 4 > all_ms)
			nano += h->nano;
	}
	return nano;
}

/* Free GPUs beside which the CPU or the memory is taken: by whose job, or by how the machine is
 * built. */
static void find_stranded_gpus(struct finder *s, const struct workload *w, int64_t *left)
{
	size_t i = (size_t)(w - s->f->workload.v);

	for (; s->next_part < s->stranded.n && s->stranded.v[s->next_part].workload <= i;
	     s->next_part++) {
		const struct stranded_part *p = &s->stranded.v[s->next_part];
		const struct workload *by = p->blamed == SIZE_MAX ? NULL
								  : &s->f->workload.v[p->blamed];
		const char *owner = by ? workload_owner(by) : filled_or(w->cluster, w->node);
		static const char *const of_job[] = {
			"takes more memory of the host than goes with its GPUs: the free GPUs beside it can run no job",
			"takes more CPU than goes with its GPUs: the free GPUs beside it can run no job",
		};
		static const char *const of_machine[] = {
			"has free GPUs whose machines have no memory left for a job",
			"has free GPUs whose machines have no CPU left for a job",
		};
		const char *about = by ? of_job[p->cpu] : of_machine[p->cpu];
		int64_t nano = p->workload == i ? take_left(left, p->nano) : 0;
		struct group *g = add_group(
			s, w,
			&(struct found){ .cause = p->cpu ? "stranded/cpu" : "stranded/memory",
					 .owner = owner,
					 .about = about,
					 .quality = p->told ? QUALITY_MEASURED : QUALITY_ESTIMATED,
					 .nano = nano,
					 .gpu_ms = p->gpu_ms });
		if (!g)
			continue;
		g->waited_ms += p->waited_ms;
		if (!g->part || p->nano > g->part->nano)
			g->part = p;
	}
}

static void find_on_machine(struct finder *s, const struct workload *w)
{
	const char *owner = filled_or(w->cluster, w->node);
	int64_t left = w->cost_nano, nano;

	nano = take_left(&left, w->cause_nano[CAUSE_STRANDED]);
	add_measured(s, w, "stranded", owner,
		     "has parts of GPUs that no job can use as they are cut", nano);
	find_stranded_gpus(s, w, &left);
	if (is_forgotten(s, w)) {
		enum quality q = QUALITY_ESTIMATED;
		if (w->stats.covered_frac >= WORKLOAD_COVERED_FRAC)
			q = QUALITY_MEASURED;
		add_group(
			s, w,
			&(struct found){
				.cause = "forgotten_node",
				.owner = owner,
				.about =
					w->elastic
						? "is paid for and nobody uses it"
						: "is paid until a term ends and nobody uses it: room, no cash",
				.quality = q,
				.nano = left,
				.gpu_ms = ms_of(w, left) });
		return;
	}
	nano = take_left(&left, partly_held(s, w));
	add_measured(s, w, "fragmented", owner,
		     "has free GPUs on machines that others hold in part", nano);
	/* Jobs that name no machine leave so much free, on whichever of them; and who watched? */
	enum quality q = QUALITY_MEASURED;
	if (w->node_index == SIZE_MAX)
		q = QUALITY_ESTIMATED;
	else if (w->measured_ms * 2 < w->ms)
		q = QUALITY_ASSUMED;
	add_group(s, w,
		  &(struct found){
			  .cause = "unallocated",
			  .owner = owner,
			  .about = w->elastic
					   ? "has machines that wait between jobs"
					   : "has room on machines that are paid until a term ends",
			  .quality = q,
			  .nano = left,
			  .gpu_ms = ms_of(w, left) });
}

static void find_of_workload(struct finder *s, const struct workload *w)
{
	int64_t all = w->state_nano[STATE_IDLE_HELD] + w->state_nano[STATE_IDLE_EMPTY], idle = all;

	if (w->kind == WORKLOAD_FREE)
		find_on_machine(s, w);
	if (w->kind == WORKLOAD_LINE) {
		if (w->line_kind == KIND_COMMITMENT_UNUSED)
			add_group(s, w,
				  &(struct found){
					  .cause = "commitment_unused",
					  .owner = workload_owner(w),
					  .about = "pays for what nothing uses of a commitment",
					  .quality = QUALITY_MEASURED,
					  .nano = w->cost_nano,
					  .gpu_ms = 0 });
		/* Of storage without a tag nobody knows whose it is: that is no evidence that it is
		 * nobody's. */
		if (w->line_kind == KIND_STORAGE && (*w->team || *w->user) &&
		    intern_find(&s->owner, sv_of(workload_owner(w))) < 0)
			add_group(
				s, w,
				&(struct found){
					.cause = "orphaned_storage",
					.owner = workload_owner(w),
					.about =
						"pays for storage and had no GPU work in the window",
					.quality = QUALITY_ESTIMATED,
					.nano = w->cost_nano,
					.gpu_ms = 0 });
	}
	if (w->kind == WORKLOAD_FREE || w->kind == WORKLOAD_LINE || w->kind == WORKLOAD_UNKNOWN)
		return;
	find_overbooked(s, w, &idle);
	find_too_many(s, w, &idle);
	find_always_on(s, w, &idle);
	find_input_bound(s, w, &idle);
	find_idle_by_cause(s, w, all, idle);
	find_underused(s, w);

	static const enum cause why[] = { CAUSE_PREEMPTED, CAUSE_EVICTED,      CAUSE_FAILED,
					  CAUSE_CANCELLED, CAUSE_NODE_FAILURE, CAUSE_HUNG,
					  CAUSE_REPEATED };

	for (size_t i = 0; i < sizeof why / sizeof *why; i++)
		add_group(
			s, w,
			&(struct found){
				.cause = arena_printf(&s->plan->mem, "lost/%s", cause_name(why[i])),
				.owner = workload_owner(w),
				.about = arena_printf(&s->plan->mem,
						      "lost work: %s, and no checkpoint saved it",
						      cause_name(why[i])),
				.quality = QUALITY_MEASURED,
				.nano = w->cause_nano[why[i]],
				.gpu_ms = ms_of(w, w->cause_nano[why[i]]) });
	find_interruptible(s, w);
	find_larger_gpu(s, w);
}

/* ---- out --------------------------------------------------------------------------------- */

static const char *counted_as(const struct workload *w)
{
	switch (w->kind) {
	case WORKLOAD_FREE: return "machines";
	case WORKLOAD_LINE: return "lines";
	case WORKLOAD_SERVICE: return "replicas";
	default: return "jobs";
	}
}

static void add_evidence(struct finder *s, struct finding *o, struct evidence e)
{
	char a[TM_BUF], b[TM_BUF];

	e.window = arena_printf(&s->plan->mem, "%s/%s", tm_format(a, s->f->since_ms),
				tm_format(b, s->f->until_ms));
	*vec_push(&o->evidence) = e;
}

/*
 * Is this one about what the group says? Of machines: it changes what is free in the cluster. Of
 * jobs, services and lines: it changes how one of this owner's is run. A neighbour's, a machine of
 * the same cluster, or a job that is started elsewhere and keeps what it holds, is no answer. Where
 * it changes nothing, it is about those it names.
 */
static bool is_about(const struct plan *p, const struct rec *r, const struct group *g)
{
	bool machines = !g->most || g->most->kind == WORKLOAD_FREE, changes = false;

	for (size_t i = 0; i < r->change.n; i++) {
		const struct workload *w = &p->fleet->workload.v[r->change.v[i].workload];
		const struct use *u = &r->change.v[i].after;
		const char *owner = service_or_owner(w);
		bool named = !strcmp(owner, g->owner) || !strcmp(workload_owner(w), g->owner);
		bool there = *g->cluster && !strcmp(w->cluster, g->cluster);
		bool same = use_is_history(w, u) && u->cost_nano == w->cost_nano &&
			    u->limit_ms == w->limit_ms && !strcmp(u->purchase, w->purchase);
		changes = true;
		if (!machines && (w->kind == WORKLOAD_FREE || same))
			continue;
		/* machines that can be given back are no answer to those that are paid anyway */
		if (w->kind == WORKLOAD_FREE && g->most && w->elastic != g->most->elastic)
			continue;
		if (w->kind == WORKLOAD_FREE && !strcmp(w->node, g->owner))
			return true;
		if (named || (machines && there))
			return true;
	}
	if (changes && g->most)
		return false;
	for (size_t i = 0; i < r->subject.n; i++)
		if (!strcmp(r->subject.v[i].value, g->owner) ||
		    (machines && *g->cluster && !strcmp(r->subject.v[i].value, g->cluster)))
			return true;
	return false;
}

/* The lever of the kind, where it has proposed, advised or had refused something about the works of
 * the group: else it does not act on this money. */
static const char *acting_lever(const struct plan *p, const struct group *g,
				const struct finding_kind *kind)
{
	const struct rec_list *said[] = { &p->rec, &p->advice, &p->refused };

	for (size_t k = 0; k < sizeof said / sizeof *said; k++)
		for (size_t i = 0; i < said[k]->v.n; i++)
			if (!strcmp(said[k]->v.v[i]->lever, kind->lever) &&
			    is_about(p, said[k]->v.v[i], g))
				return kind->lever;
	return "";
}

/* Of GPUs that idled while jobs waited. */
static void tell_queued(struct finder *s, struct finding *o, const struct group *g)
{
	struct arena *m = &s->plan->mem;
	const struct plan_queued *q = g->queued;
	const struct plan_waiter *waiter = &q->waiter[0];
	add_evidence(s, o,
		     (struct evidence){ g->quality, "waits that need not have been",
					arena_printf(m, "%.1f", hours_of(q->wait_ms)), "h",
					"job list, ledger" });
	add_evidence(s, o,
		     (struct evidence){ g->quality, "jobs that waited",
					arena_printf(m, "%zu", q->jobs), "", "job list" });
	add_evidence(s, o,
		     (struct evidence){ g->quality, "GPU time",
					arena_printf(m, "%.1f", hours_of(g->gpu_ms)), "GPU·h",
					"ledger" });
	add_evidence(s, o,
		     (struct evidence){ g->quality, "most of it for",
					arena_printf(m, "%s: %zu jobs, %.1f h", waiter->team,
						     waiter->jobs, hours_of(waiter->wait_ms)),
					"", "job list" });
}

static void tell_smaller(struct finder *s, struct finding *o, const struct group *g)
{
	struct arena *m = &s->plan->mem;

	add_evidence(s, o,
		     (struct evidence){
			     g->quality, "would do",
			     arena_printf(m, "%s, %.2f an hour beside %.2f", g->smaller->model,
					  (double)g->smaller_nano / 1e9, (double)g->now_nano / 1e9),
			     s->f->currency, "catalogue" });
	o->by_hand = arena_printf(m, "try one run on %s (%.2f an hour beside %.2f): %s",
				  g->smaller->model, (double)g->smaller_nano / 1e9,
				  (double)g->now_nano / 1e9, "tare profile");
}

/* What has most of it: its job, its machine, else whose it is. */
static const char *name_largest(const struct group *g)
{
	const struct workload *w = g->most;

	if (*w->job)
		return w->job;
	if (*w->node)
		return w->node;
	return filled_or(w->resource, g->owner);
}

static void put_finding(struct finder *s, const struct group *g)
{
	struct finding *o = vec_push(&s->plan->finding);
	struct arena *m = &s->plan->mem;
	const struct workload *w = g->most;

	const struct finding_kind *kind = finding_kind_of(g->cause);
	const char *when = "";

	assert(kind);
	if (g->use)
		when = use_hours_text(m, g->use);
	*o = (struct finding){ .cause = g->cause,
			       .title = arena_printf(
				       m, "%s %s%s%s",
				       strcmp(g->owner, "nobody") ? g->owner : "an unknown owner",
				       g->about, text_if(*when, " "), when),
			       .nano = g->nano,
			       .gpu_ms = g->gpu_ms,
			       .quality = g->quality,
			       .lever = acting_lever(s->plan, g, kind),
			       .by_hand = kind->by_hand };
	if (*w->team && !strcmp(workload_owner(w), g->owner))
		*vec_push(&o->subject) = (struct subject){ "team", w->team };
	if (*g->cluster)
		*vec_push(&o->subject) = (struct subject){ "cluster", g->cluster };
	if (g->queued) {
		tell_queued(s, o, g);
		return;
	}
	if (w->kind != WORKLOAD_FREE ||
	    w->node_index != SIZE_MAX) /* else on how many is not known */
		add_evidence(s, o,
			     (struct evidence){ QUALITY_MEASURED, counted_as(w),
						arena_printf(m, "%zu", g->workloads), "",
						"ledger" });
	if (g->gpu_ms)
		add_evidence(s, o,
			     (struct evidence){ g->quality, "GPU time",
						arena_printf(m, "%.1f", hours_of(g->gpu_ms)),
						"GPU·h", "ledger" });
	if (g->use)
		add_evidence(
			s, o,
			(struct evidence){ g->quality, "of their hours in use",
					   arena_printf(m, "%.1f", use_hours_frac(g->use) * 100),
					   "%", "telemetry" });
	if (g->part) {
		add_evidence(s, o,
			     (struct evidence){ g->quality, "of it while jobs waited",
						arena_printf(m, "%.1f", hours_of(g->waited_ms)),
						"GPU·h", "job list" });
		tell_stranded(s->f, g->part, s->plan, o);
	}
	if (g->smaller)
		tell_smaller(s, o, g);
	add_evidence(s, o,
		     (struct evidence){ g->quality, "largest",
					arena_printf(m, "%s, %.2f", name_largest(g),
						     (double)g->most_nano / 1e9),
					s->f->currency, "ledger" });
	if (!isnan(w->stats.util_mean_pct))
		add_evidence(s, o,
			     (struct evidence){ QUALITY_MEASURED, "its mean utilisation",
						arena_printf(m, "%.1f", w->stats.util_mean_pct),
						"%", "telemetry" });
}

#define EXPIRES_SOON_DAYS 90 /* a quarter: time to look at the demand again before renewing */

/* What idled while jobs waited, a group for each who held it. */
static void find_idle_queued(struct finder *s)
{
	find_queued(s->f, s->plan);
	for (size_t i = 0; i < s->plan->nqueued; i++) {
		const struct plan_queued *q = &s->plan->queued[i];
		const struct workload *w = q->most;
		bool held = *q->owner, assumed = w->measured_ms * 2 < w->ms;
		const char *where = q->cluster;
		if (!*q->cluster)
			where = w->node;
		*vec_push(&s->group) = (struct group){
			.cause = held ? "idle_while_queued/held" : "idle_while_queued/free",
			.owner = held ? q->owner : where,
			.cluster = q->cluster,
			.about =
				held ? "held GPUs that did nothing while jobs that fit on them waited"
				     : "had free GPUs while jobs that fit on them waited",
			.nano = q->nano,
			.gpu_ms = q->gpu_ms,
			.most_nano = q->most_nano,
			.workloads = q->jobs,
			.most = w,
			.quality = assumed ? QUALITY_ASSUMED : QUALITY_MEASURED,
			.queued = q
		};
	}
}

/* Commitments that the settings name and that end soon: what they cover goes back to on demand, or
 * is renewed without anybody looking. */
static void find_expiring(struct finder *s)
{
	const struct finding_kind *kind = finding_kind_of("commitment_expiring");
	struct arena *m = &s->plan->mem;
	char date[TM_BUF];
	double usd = fleet_usd(s->f, s->now_ms),
	       nano = usd * hours_of(s->f->until_ms - s->f->since_ms) * 1e9;

	for (size_t i = 0; i < s->conf->commitment.n; i++) {
		const struct plan_commitment *c = &s->conf->commitment.v[i];
		int64_t days = (c->ends_ms - s->now_ms) / MS_DAY;
		if (c->ends_ms < s->now_ms || days > EXPIRES_SOON_DAYS)
			continue;
		const struct group g = { .owner = c->name, .cluster = "" };
		struct finding *o = vec_push(&s->plan->finding);
		*o = (struct finding){
			.cause = kind->cause,
			.quality = QUALITY_MEASURED,
			.lever = acting_lever(s->plan, &g, kind),
			.by_hand = kind->by_hand,
			.title = arena_printf(
				m,
				"commitment '%s' ends in %lld day%s: resize it, renew it or let it go",
				c->name, (long long)days, plural(days)),
			.nano = isnan(nano) ? UNKNOWN_NANO : (int64_t)llround(c->usd_hour * nano)
		};
		add_evidence(
			s, o,
			(struct evidence){ QUALITY_MEASURED, "ends",
					   arena_printf(m, "%s", tm_format_date(date, c->ends_ms)),
					   "", "settings" });
		add_evidence(s, o,
			     (struct evidence){ QUALITY_MEASURED, "committed",
						arena_printf(m, "%.2f", c->usd_hour), "$/h",
						"settings" });
	}
}

static int by_money(const void *pa, const void *pb)
{
	const struct group *a = pa, *b = pb;
	int d = strcmp(a->cause, b->cause);

	if (a->nano != b->nano)
		return cmp_i64(b->nano, a->nano);
	if (!d)
		d = strcmp(a->owner, b->owner);
	if (d)
		return d;
	return strcmp(a->about, b->about);
}

void plan_findings(const struct fleet *now, const struct plan_conf *conf, const struct catalog *cat,
		   int64_t now_ms, struct plan *p)
{
	const struct fleet *f = fleet_past(now);
	struct finder s = { .f = f, .conf = conf, .cat = cat, .now_ms = now_ms, .plan = p };

	s.shared = xcalloc(f->node.n + 1, sizeof *s.shared);
	s.used_ms = xmalloc((f->node.n + 1) * sizeof *s.used_ms);
	for (size_t i = 0; i < f->node.n; i++)
		s.used_ms[i] = INT64_MIN;
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		if (w->kind == WORKLOAD_FREE || w->kind == WORKLOAD_LINE ||
		    w->node_index == SIZE_MAX)
			continue;
		size_t at = first_record(f, w->node_index);
		s.shared[at] |= !workload_fills_machine(f, w);
		if (w->kind != WORKLOAD_UNKNOWN)
			s.used_ms[at] = max_i64(w->end_ms, s.used_ms[at]);
	}

	find_stranded(f, &s.stranded);
	for (size_t i = 0; i < f->workload.n; i++)
		if (f->workload.v[i].kind != WORKLOAD_FREE &&
		    f->workload.v[i].kind != WORKLOAD_LINE)
			intern_add(&s.owner, sv_of(workload_owner(&f->workload.v[i])));
	for (size_t i = 0; i < f->workload.n; i++)
		find_of_workload(&s, &f->workload.v[i]);
	find_idle_queued(&s);
	if (s.group.n)
		sort_items(s.group.v, s.group.n, sizeof *s.group.v, by_money);
	for (size_t i = 0; i < s.group.n; i++)
		if (s.group.v[i].nano >= f->cost_nano / SHOWN_PART)
			put_finding(&s, &s.group.v[i]);
	find_expiring(&s);
	free(s.shared);
	free(s.used_ms);
	vec_free(&s.group);
	vec_free(&s.seen);
	vec_free(&s.stranded);
	intern_free(&s.key);
	intern_free(&s.owner);
	intern_free(&s.part_of);
}
