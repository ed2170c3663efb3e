/*
 * Replay of jobs; contract in jobs.h.
 *
 * Order: first come, first served, with backfill: a job overtakes those before it in its pool while
 * the oldest of them has waited less than BACKFILL_MS; from then on nothing passes it, machines
 * drain until it fits. Waiting jobs stand in one list for each size, so that a decision costs the
 * number of sizes, not of jobs.
 *
 * Interruptions: exponential with the job's hazard, drawn by (seed, job, attempt). What was saved
 * at the last checkpoint stays, the machine is lost, the job stands in line again with its old
 * place. With a fallback, a job goes (or goes back) to its own pool only while one more
 * interruption at the worst moment would still let the fallback make the deadline:
 *
 *   now + boot + worst loss + boot of fallback + restart + remaining <= deadline
 *   worst loss = checkpoint interval + stall, or all of it
 *
 * so a deadline that the fallback could meet is met whatever happens, as far as the fallback has
 * room. Source: the safety rule of Wu et al. 2024 (NSDI, "Can't Be Late"); differs in: progress
 * survives only at checkpoints, so the worst loss is part of the rule.
 */
#include "base/tm.h"
#include "sim/jobs.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include "base/mem.h"
#include "base/num.h"
#include "base/random.h"
#include "sim/clock.h"
#include "sim/draw.h"
#include "sim/place.h"

#define HOUR_MS     ((double)MS_HOUR)
#define BACKFILL_MS 3600000LL
#define MAX_MS      (INT64_MAX / 16) /* some 18 million years: sums of a few stay inside */
#define NONE        UINT32_MAX
#define WAIT_BINS   4096 /* of 1 %: to e^40 seconds */

enum what { EV_END, EV_INTERRUPT, EV_LATEST, EV_CLOSE };

struct run {
	struct sim_job j;
	uint64_t index;
	/* work saved; begin of this attempt; first start or -1 */
	int64_t done_ms, begin_ms, first_ms;
	uint32_t machine, gen, next;
	int32_t pool, interruptions;
	bool again; /* restart_ms comes first */
	double cost_usd;
};
struct line {
	int32_t gpus;
	uint32_t head, tail;
}; /* waiting jobs of one size, by index */
struct lines {
	struct place place;
	VEC(struct line) line;
	size_t waiting;
};
struct sim {
	const struct sim_pool *pool;
	struct lines *at; /* [npool] */
	size_t npool;
	VEC(struct run) run;
	uint32_t spare;
	struct clock clock;
	int64_t now_ms, first_ms, last_ms, held_gpus;
	uint64_t seed;
	sim_job_done done;
	void *ctx;
	struct sim_result r;
	double wait_sum_s;
	int64_t wait_bin[WAIT_BINS], started;
};

/* ---- numbers of a job -------------------------------------------------------------------- */

static int64_t wall_of(const struct run *x)
{
	int64_t left = x->j.run_ms - x->done_ms, stalls = 0;

	if (x->j.checkpoint_every_ms > 0 && left > 0)
		stalls = (left - 1) / x->j.checkpoint_every_ms * x->j.checkpoint_stall_ms;
	return (x->again ? x->j.restart_ms : 0) + left + stalls;
}

static int64_t boot_of(const struct sim *s, int32_t pool)
{
	if (s->pool[pool].capacity)
		return 0;
	return s->pool[pool].boot_ms;
}

static bool memory_fits(const struct sim *s, int32_t pool, const struct sim_job *j)
{
	return !(j->mem_bytes > s->pool[pool].mem_bytes); /* unknown is no reason */
}

static bool may_fall_back(const struct sim *s, const struct run *x)
{
	int32_t f = x->j.fallback_pool;

	return f >= 0 && x->pool != f && memory_fits(s, f, &x->j) &&
	       place_can_hold(&s->at[f].place, x->j.gpus);
}

/* The last moment at which it may begin in its own pool and the fallback still makes the
 * deadline. */
static int64_t latest_of(const struct sim *s, const struct run *x)
{
	int64_t ms = wall_of(x) + boot_of(s, x->j.fallback_pool);

	if (x->j.hazard_hour > 0) {
		int64_t worst_loss = x->j.run_ms - x->done_ms;
		if (x->j.checkpoint_every_ms > 0)
			worst_loss = x->j.checkpoint_every_ms + x->j.checkpoint_stall_ms;
		ms += boot_of(s, x->pool) + worst_loss + x->j.restart_ms;
	}
	return x->j.deadline_ms - ms;
}

static void mix_digest(struct sim *s, uint64_t v)
{
	s->r.digest = random_mix(s->r.digest ^ v);
}

/* ---- jobs in memory ---------------------------------------------------------------------- */

static void run_end(struct sim *s, uint32_t i, int64_t start_ms, int64_t end_ms)
{
	struct run *x = &s->run.v[i];

	if (s->done)
		s->done(s->ctx, x->index, start_ms, end_ms, x->cost_usd, x->interruptions);
	mix_digest(s, x->index);
	mix_digest(s, (uint64_t)start_ms);
	mix_digest(s, (uint64_t)end_ms);
	x->gen++;
	x->next = s->spare;
	s->spare = i;
}

/* ---- waiting lines ----------------------------------------------------------------------- */

static struct line *line_of(struct lines *l, int32_t gpus)
{
	for (size_t i = 0; i < l->line.n; i++)
		if (l->line.v[i].gpus == gpus)
			return &l->line.v[i];
	*vec_push(&l->line) = (struct line){ gpus, NONE, NONE };
	return &l->line.v[l->line.n - 1];
}

/* By index: those interrupted come before all that came later. */
static void enqueue_job(struct sim *s, uint32_t i)
{
	struct run *x = &s->run.v[i];
	struct lines *l = &s->at[x->pool];
	struct line *q = line_of(l, x->j.gpus);
	uint32_t *at = &q->head;

	l->waiting++;
	x->next = NONE;
	if (q->tail != NONE && s->run.v[q->tail].index < x->index) {
		s->run.v[q->tail].next = i;
		q->tail = i;
		return;
	}
	while (*at != NONE && s->run.v[*at].index < x->index)
		at = &s->run.v[*at].next;
	x->next = *at;
	*at = i;
	if (x->next == NONE)
		q->tail = i;
}

static void dequeue_job(struct sim *s, struct line *q, uint32_t i)
{
	uint32_t *at = &q->head, before = NONE;

	while (*at != i) {
		before = *at;
		at = &s->run.v[*at].next;
	}
	*at = s->run.v[i].next;
	if (q->tail == i)
		q->tail = before;
	s->at[s->run.v[i].pool].waiting--;
}

/* ---- starting ---------------------------------------------------------------------------- */

static void start_job(struct sim *s, uint32_t i)
{
	struct run *x = &s->run.v[i];
	struct place *p = &s->at[x->pool].place;
	int64_t begin_ms, end_ms, wall = wall_of(x);

	x->machine = place_take(p, x->j.gpus, s->now_ms, &begin_ms);
	s->held_gpus += place_held(p, x->j.gpus);
	if ((double)s->held_gpus > s->r.peak_gpus)
		s->r.peak_gpus = (double)s->held_gpus;
	x->begin_ms = begin_ms;
	x->gen++;
	if (x->first_ms < 0) {
		x->first_ms = begin_ms;
		double wait_s = (double)(begin_ms - x->j.submit_ms) / 1000;
		int bin = 0;
		if (wait_s >= 1)
			bin = 1 + (int)(log(wait_s) * 100);
		s->wait_sum_s += wait_s;
		s->wait_bin[min_i64(bin, WAIT_BINS - 1)]++;
		s->started++;
	}
	end_ms = begin_ms + wall;
	if (x->j.hazard_hour > 0 && x->pool == x->j.pool) {
		double after =
			draw_exponential(draw_bits(s->seed, x->index, (uint64_t)x->interruptions)) /
			x->j.hazard_hour * HOUR_MS;
		if (after < (double)wall) {
			clock_push(&s->clock, begin_ms + (int64_t)after, EV_INTERRUPT, i, x->gen);
			return;
		}
	}
	clock_push(&s->clock, end_ms, EV_END, i, x->gen);
}

/* The waiting line whose first is the oldest; only of jobs that have room if fitting. */
static struct line *find_oldest(struct sim *s, struct lines *l, bool fitting)
{
	struct line *best = NULL;

	for (size_t k = 0; k < l->line.n; k++) {
		struct line *q = &l->line.v[k];
		if (q->head == NONE ||
		    (best && s->run.v[best->head].index < s->run.v[q->head].index))
			continue;
		if (!fitting || place_has_room(&l->place, q->gpus))
			best = q;
	}
	return best;
}

static void start_waiting(struct sim *s, int32_t pool)
{
	struct lines *l = &s->at[pool];

	while (l->waiting) {
		struct line *q = find_oldest(s, l, false);
		uint32_t i;
		if (!place_has_room(&l->place, q->gpus)) {
			if (s->now_ms - s->run.v[q->head].j.submit_ms >= BACKFILL_MS)
				return;
			q = find_oldest(s, l, true);
			if (!q)
				return;
		}
		i = q->head;
		dequeue_job(s, q, i);
		start_job(s, i);
	}
}

static void fall_back(struct sim *s, struct run *x)
{
	x->pool = x->j.fallback_pool;
	s->r.fallbacks++;
}

/* Stand in line, in the pool that is right now; a timer watches the deadline where there is a way
 * out. */
static void line_up(struct sim *s, uint32_t i)
{
	struct run *x = &s->run.v[i];

	if (may_fall_back(s, x) && x->j.hazard_hour > 0 && s->now_ms > latest_of(s, x))
		fall_back(s, x);
	x->gen++;
	enqueue_job(s, i);
	start_waiting(s, x->pool);
	x = &s->run.v[i];
	if (x->machine == NONE && may_fall_back(s, x) && x->j.deadline_ms != INT64_MAX) {
		int64_t latest = latest_of(s, x);
		clock_push(&s->clock, max_i64(latest, s->now_ms), EV_LATEST, i, x->gen);
	}
}

/* ---- what happens ------------------------------------------------------------------------ */

static void plan_close(void *ctx, uint32_t machine, uint32_t gen)
{
	void **a = ctx;
	struct sim *s = a[0];
	struct lines *l = a[1];

	/* the pool's number rides in the high bits of `what` */
	clock_push(&s->clock, s->now_ms + l->place.pool->keep_ms,
		   EV_CLOSE | (uint32_t)(l - s->at) << 2, machine, gen);
}

/* Leave the machines; account the attempt. */
static void leave_machines(struct sim *s, uint32_t i, int64_t saved_ms, bool keep)
{
	struct run *x = &s->run.v[i];
	struct lines *l = &s->at[x->pool];
	double held = (double)place_held(&l->place, x->j.gpus) * (double)(s->now_ms - x->begin_ms) /
		      HOUR_MS;
	double job = (double)x->j.gpus * (double)(s->now_ms - x->begin_ms) / HOUR_MS;
	void *ctx[] = { s, l };

	s->held_gpus -= place_held(&l->place, x->j.gpus);
	x->cost_usd += held * s->pool[x->pool].usd_gpu_hour;
	s->r.job_gpu_hours += job;
	s->r.lost_gpu_hours += job - (double)x->j.gpus * (double)saved_ms / HOUR_MS;
	x->done_ms += saved_ms;
	place_give(&l->place, x->machine, x->j.gpus, s->now_ms, keep ? plan_close : NULL, ctx);
	x->machine = NONE;
	if (s->now_ms > s->last_ms)
		s->last_ms = s->now_ms;
}

static void on_event(struct sim *s, const struct event *e)
{
	uint32_t what = e->what & 3, i = e->slot;

	s->now_ms = e->t_ms;
	if (what == EV_CLOSE) {
		place_close(&s->at[e->what >> 2].place, i, e->gen, e->t_ms);
		return;
	}
	struct run *x = &s->run.v[i];
	int32_t pool = x->pool;
	if (x->gen != e->gen)
		return;
	if (what == EV_END) {
		leave_machines(s, i, x->j.run_ms - x->done_ms, true);
		s->r.deadline_misses += s->now_ms > x->j.deadline_ms;
		run_end(s, i, x->first_ms, s->now_ms);
		start_waiting(s, pool);
	} else if (what == EV_INTERRUPT) {
		int64_t went = s->now_ms - x->begin_ms - (x->again ? x->j.restart_ms : 0),
			saved = 0;
		if (went > 0 && x->j.checkpoint_every_ms > 0)
			saved = went / (x->j.checkpoint_every_ms + x->j.checkpoint_stall_ms) *
				x->j.checkpoint_every_ms;
		leave_machines(s, i, saved, false);
		x->again = true;
		x->interruptions++;
		s->r.interruptions++;
		line_up(s, i);
		start_waiting(s, pool);
	} else if (x->machine == NONE) { /* the latest start in its own pool */
		dequeue_job(s, line_of(&s->at[pool], x->j.gpus), i);
		fall_back(s, x);
		x->gen++;
		enqueue_job(s, i);
		start_waiting(s, x->pool);
	}
}

static void on_submit(struct sim *s, const struct sim_job *j)
{
	uint32_t i = s->spare;

	if (i == NONE) {
		vec_grow(&s->run, 1);
		s->run.v[s->run.n] = (struct run){ 0 };
		i = (uint32_t)s->run.n++;
	} else {
		s->spare = s->run.v[i].next;
	}
	struct run *x = &s->run.v[i];
	*x = (struct run){ .j = *j,
			   .index = (uint64_t)s->r.jobs++,
			   .first_ms = -1,
			   .machine = NONE,
			   .gen = x->gen + 1,
			   .pool = j->pool };
	if (s->r.jobs == 1)
		s->first_ms = s->last_ms = j->submit_ms;
	s->now_ms = j->submit_ms;
	if (!memory_fits(s, x->pool, j)) {
		s->r.oom++;
		if (!may_fall_back(s, x)) {
			/* it dies at once and holds nothing */
			run_end(s, i, j->submit_ms, j->submit_ms);
			return;
		}
		fall_back(s, x);
	} else if (!place_can_hold(&s->at[x->pool].place, j->gpus)) {
		fall_back(s, x); /* check() saw to it that there is room */
	}
	line_up(s, i);
}

/* ---- input and result -------------------------------------------------------------------- */

static bool in_range(int64_t ms)
{
	return ms >= 0 && ms < MAX_MS;
}

static int check_pools(const struct sim_pool *pool, size_t npool, struct err *err)
{
	for (size_t i = 0; i < npool; i++) {
		const struct sim_pool *p = &pool[i];
		if (!within_i64(p->capacity, 0, 100000000) ||
		    !within_i64(p->gpus_node, 1, 100000) || !in_range(p->boot_ms) ||
		    !in_range(p->keep_ms) || !(p->usd_gpu_hour >= 0 && p->usd_gpu_hour < 1e9))
			return err_set(
				err, -EINVAL,
				"pool %zu: a capacity of 0 or more, machines of 1 to 100,000 GPUs, times and a price of 0 or more are wanted",
				i);
	}
	return 0;
}

static const char *wrong_with(const struct sim *s, const struct sim_job *j)
{
	if (!(j->submit_ms > -MAX_MS && j->submit_ms < MAX_MS) || j->submit_ms < s->now_ms)
		return "is submitted before the one before it";
	if (!in_range(j->run_ms))
		return "has a run time below 0 or beyond all bounds";
	if (j->gpus < 1 || j->gpus > 1000000)
		return "wants no GPU, or more than a million";
	if (j->deadline_ms < -MAX_MS)
		return "has a deadline before all time";
	if (j->pool < 0 || (size_t)j->pool >= s->npool || j->fallback_pool < -1 ||
	    (j->fallback_pool >= 0 && (size_t)j->fallback_pool >= s->npool))
		return "is for a pool that is not there";
	if (!within_double(j->hazard_hour, 0, 3600) || !in_range(j->restart_ms) ||
	    !in_range(j->checkpoint_every_ms) || !in_range(j->checkpoint_stall_ms))
		return "has a hazard or times that cannot be";
	if (j->checkpoint_every_ms > 0 &&
	    (double)j->run_ms / (double)j->checkpoint_every_ms * (double)j->checkpoint_stall_ms >
		    1e17)
		return "would do nothing but checkpoints";
	if (!place_can_hold(&s->at[j->pool].place, j->gpus) &&
	    (j->fallback_pool < 0 || !place_can_hold(&s->at[j->fallback_pool].place, j->gpus)))
		return "wants more GPUs than its pool has";
	return NULL;
}

static int feed_jobs(struct sim *s, sim_job_next next, struct err *err)
{
	struct sim_job j;
	struct event e;
	int r;

	s->now_ms = -MAX_MS;
	while ((r = next(s->ctx, &j)) > 0) {
		const char *why = wrong_with(s, &j);
		if (why)
			return err_set(err, -EINVAL, "job %lld %s", (long long)s->r.jobs, why);
		while (clock_peek(&s->clock) && clock_peek(&s->clock)->t_ms <= j.submit_ms &&
		       clock_pop(&s->clock, &e))
			on_event(s, &e);
		on_submit(s, &j);
	}
	if (r < 0)
		return r;
	while (clock_pop(&s->clock, &e))
		on_event(s, &e);
	return 0;
}

static double wait_quantile(const struct sim *s, double p)
{
	int64_t want = (int64_t)ceil(p * (double)s->started), seen = 0;

	for (int i = 0; i < WAIT_BINS; i++)
		if ((seen += s->wait_bin[i]) >= want && seen) {
			if (i)
				return exp(i / 100.0);
			return 0;
		}
	return 0;
}

int sim_jobs(const struct sim_input *in, struct sim_result *ret, struct err *err)
{
	const struct sim_pool *pool = in->pool;
	const size_t npool = in->npool;
	struct sim s = { .pool = pool,
			 .npool = npool,
			 .spare = NONE,
			 .seed = in->seed,
			 .done = in->done,
			 .ctx = in->ctx };
	int r = check_pools(pool, npool, err);

	if (r < 0)
		return r;
	s.at = xcalloc(npool + 1, sizeof *s.at);
	for (size_t i = 0; i < npool; i++)
		place_init(&s.at[i].place, &pool[i]);
	r = feed_jobs(&s, in->next, err);
	if (r >= 0) {
		/* Fixed pools are paid from the first submit to the last end, elastic ones machine
		 * by machine. */
		double span_h = 0;
		if (s.r.jobs)
			span_h = (double)(s.last_ms - s.first_ms) / HOUR_MS;
		s.r.makespan_h = span_h;
		s.r.wait_mean_s = s.started ? s.wait_sum_s / (double)s.started : 0;
		s.r.wait_p95_s = wait_quantile(&s, 0.95);
		for (size_t i = 0; i < s.npool; i++) {
			double paid = s.pool[i].capacity ? (double)s.pool[i].capacity * span_h
							 : s.at[i].place.paid_gpu_ms / HOUR_MS;
			s.r.paid_gpu_hours += paid;
			s.r.cost_usd += paid * s.pool[i].usd_gpu_hour;
		}
		mix_digest(&s, (uint64_t)s.r.interruptions);
		*ret = s.r;
	}
	for (size_t i = 0; i < npool; i++) {
		place_free(&s.at[i].place);
		vec_free(&s.at[i].line);
	}
	free(s.at);
	vec_free(&s.run);
	vec_free(&s.clock);
	return r;
}
