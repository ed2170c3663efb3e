/*
 * All recommendations together on the virtual clock: every job of the history as the plan would run
 * it. What each lever replayed alone is not trusted to hold in company: a job trimmed, moved to
 * another GPU and then to spot must still make its deadline.
 *
 * Each job starts when the plan starts it, later by what it waits for a machine that was given
 * back, and runs as long as the last lever but spot says; on spot it is interrupted at the hazard
 * of the band that the catalogue has for the place, restarts from its last checkpoint, and leaves
 * for on demand in time (sim/jobs.h). Pools are elastic: what runs on machines that are paid anyway
 * stays where it was, and where the history placed it there was room. Memory is looked at where the
 * GPU changed: what ran on the old one fitted. Interruptions are drawn DRAWS times: misses are
 * those of the worst draw, interruptions the mean.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "opt/spot/spot_job.h"
#include "plan/replay/compose.h"
#include "plan/replay/execute.h"
#include "plan/lever/lever_spot.h"
#include "plan/workload.h"
#include "sim/jobs.h"

#define DRAWS     5
#define MANY_JOBS 200000 /* above, one draw: the mean over so many is sure enough */

struct job {
	struct sim_job j;
	uint32_t workload;
};
struct replay {
	const struct composer *cp;
	const struct comp *c;
	VEC(struct job) job;
	VEC(struct sim_pool) pool;
	struct intern place; /* text of a pool -> its number */
	size_t at;
	/* Each job of the list once, on however many machines it is; who has no job id is none. */
	struct intern id;
	size_t *id_of; /* [job.n] SIZE_MAX: none */
	bool *late;    /* [id.n] */
};

/* ---- pools ------------------------------------------------------------------------------- */

static double gpu_bytes(const struct composer *cp, const char *gpu_model)
{
	const struct gpu_spec *g = NULL;

	if (cp->catalog && *gpu_model)
		g = catalog_gpu(cp->catalog, sv_of(gpu_model));
	if (g)
		return g->memory_gib * 1073741824.0;
	return NAN;
}

/* Machines of one job each: how jobs share machines is the history's business and in its costs. */
static int32_t pool_of(struct replay *y, const struct use *u, const char *purchase)
{
	struct str key = { 0 };
	uint32_t id;

	str_addf(&key, "%s\x1f%s\x1f%s\x1f%s\x1f%s\x1f%s", u->provider, u->region, u->zone,
		 u->instance_type, u->gpu_model, purchase);
	id = intern_add(&y->place, str_sv(&key));
	str_free(&key);
	if (id == y->pool.n)
		*vec_push(&y->pool) = (struct sim_pool){
			.gpus_node = 1, .mem_bytes = gpu_bytes(y->cp, u->gpu_model)
		};
	return (int32_t)id;
}

/* ---- jobs -------------------------------------------------------------------------------- */

/* Run time as the levers before spot leave it; spot's own end is an expectation, which is what is
 * replayed here. */
static int64_t *run_times(const struct replay *y)
{
	const struct fleet *f = y->cp->fleet;
	int64_t *run = xcalloc(f->workload.n + 1, sizeof *run);

	for (size_t i = 0; i < f->workload.n; i++)
		run[i] = y->cp->start[i].end_ms - y->cp->start[i].start_ms;
	for (size_t k = 0; k < y->c->taken.v.n; k++) {
		const struct rec *r = y->c->taken.v.v[k];
		for (size_t i = 0; i < r->change.n && lever_index(r->lever) != LEVER_SPOT; i++)
			run[r->change.v[i].workload] = r->change.v[i].after.end_ms -
						       r->change.v[i].after.start_ms;
	}
	return run;
}

/* What jobs wait at the slow end as machines were given back, where they still come for them. */
static int64_t *find_waits(const struct replay *y)
{
	const struct fleet *f = y->cp->fleet;
	int64_t *wait = xcalloc(f->workload.n + 1, sizeof *wait);

	for (size_t k = 0; k < y->c->taken.v.n; k++) {
		const struct rec *r = y->c->taken.v.v[k];
		for (size_t i = 0; i < r->wait.n; i++) {
			uint32_t w = r->wait.v[i].workload;
			const struct use *u = &y->c->use[w];
			bool there = use_is_history(&f->workload.v[w], u) &&
				     !strcmp(u->purchase, f->workload.v[w].purchase);
			if (there && r->wait.v[i].ms > wait[w])
				wait[w] = r->wait.v[i].ms;
		}
	}
	return wait;
}

/* The band that the spot lever draws from (lever_spot.h), so that the sum and its parts speak of
 * the same market. */
static double hazard_of(const struct replay *y, const struct use *u)
{
	const struct price_ask ask = { .catalog = y->cp->catalog,
				       .fleet = y->cp->fleet,
				       .provider = u->provider,
				       .region = u->region,
				       .zone = u->zone,
				       .instance_type = u->instance_type,
				       .gpu_model = u->gpu_model,
				       .gpus_milli = u->gpus_milli,
				       .purchase = "spot",
				       .at_ms = y->cp->now_ms };
	struct rate rate;
	double lo = SPOT_UNKNOWN_BAND_LO_PCT, hi = SPOT_OPEN_BAND_HI_PCT;

	if (fleet_rate(&ask, &rate) && rate.interruption_lo_pct >= 0) {
		lo = rate.interruption_lo_pct;
		if (rate.interruption_hi_pct < 0)
			hi = SPOT_OPEN_BAND_HI_PCT;
		else
			hi = fmin(rate.interruption_hi_pct, SPOT_OPEN_BAND_HI_PCT);
	}
	return spot_hazard_of_month((lo + hi) / 2);
}

static void add_job(struct replay *y, uint32_t i, int64_t run_ms, int64_t wait_ms)
{
	const struct workload *w = &y->cp->fleet->workload.v[i];
	const struct use *u = &y->c->use[i];
	int64_t gpus = (u->gpus_milli + 999) / 1000;
	struct sim_job j = { .submit_ms = u->start_ms + wait_ms,
			     .run_ms = run_ms,
			     .deadline_ms = w->deadline_ms == UNKNOWN_MS ? INT64_MAX
									 : w->deadline_ms,
			     .gpus = gpus < 1         ? 1
				     : gpus > 1000000 ? 1000000
						      : (int32_t)gpus,
			     .mem_bytes = NAN,
			     .fallback_pool = -1 };

	if (w->kind != WORKLOAD_JOB || run_ms <= 0 || u->end_ms <= u->start_ms)
		return;
	j.pool = pool_of(y, u, u->purchase);
	if (!strcmp(u->purchase, "spot") && strcmp(w->purchase, "spot")) {
		const struct plan_conf *conf = y->cp->conf;
		struct spot_job s = { .work_h = (double)j.run_ms / (double)MS_HOUR,
				      .restart_h = conf->restart_minutes / 60,
				      .stall_h = conf->checkpoint_stall_s / 3600,
				      .deadline_h =
					      w->deadline_ms == UNKNOWN_MS
						      ? INFINITY
						      : (double)(w->deadline_ms - u->start_ms) /
								(double)MS_HOUR,
				      .hazard_h = hazard_of(y, u) };
		double every_h = INFINITY;

		if (s.hazard_h > 0)
			every_h = spot_job_interval(&s);
		j.hazard_hour = s.hazard_h;
		j.restart_ms = llround(s.restart_h * (double)MS_HOUR);
		j.checkpoint_stall_ms = llround(s.stall_h * (double)MS_HOUR);
		j.checkpoint_every_ms = every_h < s.work_h ? llround(every_h * (double)MS_HOUR) : 0;
		j.fallback_pool = pool_of(y, u, "on_demand");
	}
	*vec_push(&y->job) = (struct job){ j, i };
}

static int by_submit(const void *pa, const void *pb)
{
	const struct job *a = pa, *b = pb;

	if (a->j.submit_ms != b->j.submit_ms)
		return cmp_i64(a->j.submit_ms, b->j.submit_ms);
	return cmp_u64(a->workload, b->workload);
}

static int next_job(void *ctx, struct sim_job *ret)
{
	struct replay *y = ctx;

	if (y->at == y->job.n)
		return 0;
	*ret = y->job.v[y->at++].j;
	return 1;
}

static void note_end(void *ctx, size_t index, int64_t start_ms, int64_t end_ms, double cost_usd,
		     int interruptions)
{
	struct replay *y = ctx;

	(void)start_ms;
	(void)cost_usd;
	(void)interruptions;
	if (y->id_of[index] != SIZE_MAX && end_ms > y->job.v[index].j.deadline_ms)
		y->late[y->id_of[index]] = true;
}

static void number_jobs(struct replay *y)
{
	struct str key = { 0 };

	y->id_of = xcalloc(y->job.n + 1, sizeof *y->id_of);
	for (size_t i = 0; i < y->job.n; i++) {
		const struct workload *w = &y->cp->fleet->workload.v[y->job.v[i].workload];
		y->id_of[i] = SIZE_MAX;
		if (!*w->job)
			continue;
		str_clear(&key);
		str_addf(&key, "%s\x1f%s", w->cluster, w->job);
		y->id_of[i] = intern_add(&y->id, str_sv(&key));
	}
	str_free(&key);
	y->late = xcalloc(y->id.n + 1, sizeof *y->late);
}

/* ---- all of it --------------------------------------------------------------------------- */

static double larger_known(double a, double b)
{
	if (isnan(a) || b > a)
		return b;
	return a;
}

/* Services are replayed by the lever that changes them: levers on one service exclude each
 * other. */
static void add_services(struct plan *p)
{
	for (size_t i = 0; i < p->rec.v.n; i++) {
		const struct rec_replay *x = &p->rec.v.v[i]->replay;
		p->replay.requests += x->requests;
		p->replay.slo_violations += x->slo_violations;
		/* one speaks for all: before and after are of one service */
		if (isnan(p->replay.p99_of_limit) || x->p99_of_limit > p->replay.p99_of_limit) {
			p->replay.p99_before_ms = x->p99_before_ms;
			p->replay.p99_after_ms = x->p99_after_ms;
			p->replay.p99_service = x->p99_service;
			p->replay.p99_of_limit = x->p99_of_limit;
		}
		p->replay.lost_load_frac = larger_known(p->replay.lost_load_frac,
							x->lost_load_frac);
	}
}

int plan_replay(const struct composer *cp, const struct comp *c, struct plan *p, struct err *err)
{
	struct replay y = { .cp = cp, .c = c };
	int64_t *run = run_times(&y), *wait = find_waits(&y);
	struct sim_result s;
	int r = 0, draws;

	p->replay.since_ms = cp->fleet->since_ms;
	p->replay.until_ms = cp->fleet->until_ms;

	add_services(p);
	for (uint32_t i = 0; i < cp->fleet->workload.n; i++)
		add_job(&y, i, run[i], wait[i]);
	if (y.job.n)
		sort_items(y.job.v, y.job.n, sizeof *y.job.v, by_submit);
	number_jobs(&y);
	draws = y.job.n > MANY_JOBS ? 1 : DRAWS;
	for (int d = 0; d < draws && r >= 0; d++) {
		struct sim_input in = { .pool = y.pool.v,
					.npool = y.pool.n,
					.next = next_job,
					.done = note_end,
					.ctx = &y,
					.seed = cp->o->seed + (uint64_t)d };

		y.at = 0;
		memset(y.late, 0, y.id.n * sizeof *y.late);
		r = sim_jobs(&in, &s, err);
		if (r < 0) {
			err_prefix(err, "replay of the whole plan");
			break;
		}
		int64_t late = 0;
		for (size_t i = 0; i < y.id.n; i++)
			late += y.late[i];
		p->replay.jobs = (int64_t)y.id.n;
		p->replay.deadline_misses = max_i64(late, p->replay.deadline_misses);
		p->replay.oom = s.oom;
		p->replay.interruptions += (double)s.interruptions / draws;
	}
	if (r >= 0 && !cp->o->unexecuted) {
		/* What the actions do, one by one. */
		struct execution e;

		execute(cp, c, &e);
		p->replay.cut = e.count[RAN_CUT] + e.count[RAN_STUCK] + e.count[RAN_OTHERWISE];
		p->replay.oom += e.count[RAN_OOM];
		p->replay.requeues = e.count[RAN_REQUEUED];
		execution_free(&e);
	}
	if (r >= 0) {
		int64_t alone = 0;
		for (size_t i = 0; i < p->rec.v.n; i++)
			alone += p->rec.v.v[i]->replay.deadline_misses;
		if (p->replay.deadline_misses > alone)
			*vec_push(&p->note) = arena_printf(
				&p->mem,
				"all together, %lld of %lld jobs miss their deadline; one by one the recommendations miss %lld",
				(long long)p->replay.deadline_misses, (long long)p->replay.jobs,
				(long long)alone);
		if (p->replay.oom > 0)
			*vec_push(&p->note) = arena_printf(
				&p->mem, "out of memory on the GPU that the plan gives: %lld job%s",
				(long long)p->replay.oom, plural(p->replay.oom));
	}
	free(run);
	free(wait);
	vec_free(&y.job);
	vec_free(&y.pool);
	intern_free(&y.place);
	intern_free(&y.id);
	free(y.id_of);
	free(y.late);
	return r;
}
