/* See schedule_fleet.h. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "base/mem.h"
#include "base/num.h"
#include "base/random.h"
#include "base/sort.h"
#include "model/known.h"
#include "opt/schedule/schedule_fleet_in.h"

#define RUIN        12  /* jobs taken out at once, at most */
#define BUDGET      6e7 /* cells looked at in one attempt, about half a second */
#define THRESHOLD   20  /* at first a round may cost a twentieth of a mean job more */
#define NOISE       0.05
#define NOISE_EVERY 16   /* rounds */
#define ROUNDS_JOB  1000 /* a small fleet needs no more than so many a job */
#define PASSES      8    /* of taking out and putting back */
/* a million a slot: sums over 4 million cells stay within 128 bits, costs within 64 below */
#define MAX_PRICE ((int64_t)1000000 * 1000000000)

static int check_problem(const struct slot_problem *f, struct err *err)
{
	if (!f->nplace || !f->nslot || f->nplace > SLOT_MAX_CELLS / f->nslot)
		return err_set(err, f->nplace && f->nslot ? -E2BIG : -EINVAL,
			       "%zu places and %zu slots: 1 to %d together", f->nplace, f->nslot,
			       SLOT_MAX_CELLS);
	for (size_t i = 0; i < f->nplace * f->nslot; i++)
		if (f->price_nano[i] > MAX_PRICE ||
		    (f->capacity && !within_i64(f->capacity[i], 0, 1000000000)))
			return err_set(
				err, -EINVAL,
				"place %zu slot %zu: a price up to a million and a capacity of 0 to 10^9 are wanted",
				i / f->nslot, i % f->nslot);
	for (size_t k = 0; k < f->njob; k++) {
		const struct slot_job *j = &f->job[k];
		if (!j->length || !within_i64(j->units, 1, 1000000) || j->deadline < j->release)
			return err_set(
				err, -EINVAL,
				"job %zu: a length, 1 to 1,000,000 units and a deadline not before its release are wanted",
				k + 1);
		for (size_t p = 0; p < f->nplace; p++)
			if (slot_move(j, p) > MAX_PRICE || slot_move(j, p) < -1)
				return err_set(err, -EINVAL,
					       "job %zu: its cost to move is out of range", k + 1);
	}
	return 0;
}

void slot_sum_up(struct slot_work *w)
{
	const struct slot_problem *f = w->f;
	for (size_t p = 0; p < f->nplace; p++)
		for (size_t t = 0; t < f->nslot; t++) {
			int64_t c = f->price_nano[slot_cell(w, p, t)];
			w->sum[slot_pre(w, p, t) + 1] = w->sum[slot_pre(w, p, t)] +
							(double)max_i64(c, 0) +
							w->lambda[slot_cell(w, p, t)];
		}
}

double slot_cheapest(const struct slot_work *w, const struct slot_job *j, bool fit,
		     int32_t *ret_place, int32_t *ret_start)
{
	double best = INFINITY;
	size_t end = min_size(j->deadline, w->f->nslot);
	*ret_place = *ret_start = -1;
	for (size_t p = 0; p < w->f->nplace; p++) {
		int64_t move = slot_move(j, p);
		size_t clear = j->release; /* no start before it has room */
		for (size_t t = j->release; t < end && move >= 0; t++) {
			bool blocked = fit && w->room[slot_cell(w, p, t)] < j->units;
			if (blocked)
				clear = t + 1;
			if (t + 1 < clear + j->length)
				continue;
			size_t s = t + 1 - j->length;
			if (s < j->release ||
			    w->gap[slot_pre(w, p, t + 1)] > w->gap[slot_pre(w, p, s)])
				continue;
			double c = (w->sum[slot_pre(w, p, t + 1)] - w->sum[slot_pre(w, p, s)]) *
					   (double)j->units +
				   (double)move;
			if (c < best) {
				best = c;
				*ret_place = (int32_t)p;
				*ret_start = (int32_t)s;
			}
		}
	}
	return best;
}

static __int128 true_cost(const struct slot_work *w, size_t k)
{
	const struct slot_job *j = &w->f->job[k];
	size_t p = (size_t)w->a->place[k], s = (size_t)w->a->start[k];
	return (w->exact[slot_pre(w, p, s + j->length)] - w->exact[slot_pre(w, p, s)]) * j->units +
	       slot_move(j, p);
}

static void occupy_slots(struct slot_work *w, size_t k, int64_t sign)
{
	const struct slot_job *j = &w->f->job[k];
	int64_t *room = &w->room[slot_cell(w, (size_t)w->a->place[k], (size_t)w->a->start[k])];
	for (size_t i = 0; i < j->length; i++)
		room[i] -= sign * j->units;
}

static __int128 total_cost(const struct slot_work *w)
{
	__int128 c = 0;
	for (size_t k = 0; k < w->f->njob; k++)
		if (w->a->place[k] >= 0)
			c += true_cost(w, k);
	return c;
}

/* ---- the heuristic ----------------------------------------------------------------------- */

struct rank {
	double key;
	uint32_t job;
};

static int by_rank(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;
	if (x->key == y->key)
		return cmp_u64(x->job, y->job);
	if (x->key < y->key)
		return 1;
	return -1;
}

static void insert_job(struct slot_work *w, size_t k)
{
	slot_cheapest(w, &w->f->job[k], true, &w->a->place[k], &w->a->start[k]);
	if (w->a->place[k] >= 0)
		occupy_slots(w, k, 1);
}

static void clear_all(struct slot_work *w)
{
	for (size_t k = 0; k < w->f->njob; k++)
		if (w->a->place[k] >= 0) {
			occupy_slots(w, k, -1);
			w->a->place[k] = w->a->start[k] = -1;
		}
}

/* Take each out and put it back in true prices; one that found no room may find it now. */
static void improve_jobs(struct slot_work *w)
{
	memset(w->lambda, 0, w->f->nplace * w->f->nslot * sizeof *w->lambda);
	slot_sum_up(w);
	__int128 before = 0;
	for (int pass = 0; pass < PASSES; pass++) {
		for (size_t i = 0; i < w->f->njob; i++) {
			size_t k = w->order[i];
			if (w->a->place[k] >= 0)
				occupy_slots(w, k, -1);
			insert_job(w, k);
		}
		__int128 now = total_cost(w);
		if (pass && now == before)
			return;
		before = now;
	}
}

struct held {
	uint32_t job;
	int32_t place, start;
};

/* Put them back one after the other; where that costs more than `worse` above before, or one finds
 * no room, all is as it was. The change of cost. */
static __int128 put_back(struct slot_work *w, struct held *h, size_t n, __int128 worse)
{
	__int128 before = 0, after = 0;
	size_t k = 0;
	for (size_t i = 0; i < n; i++) {
		before += true_cost(w, h[i].job);
		occupy_slots(w, h[i].job, -1);
	}
	for (; k < n; k++) {
		insert_job(w, h[k].job);
		if (w->a->place[h[k].job] < 0)
			break;
		after += true_cost(w, h[k].job);
	}
	if (k == n && after <= before + worse)
		return after - before;
	for (size_t i = 0; i < k; i++)
		occupy_slots(w, h[i].job, -1);
	for (size_t i = 0; i < n; i++) {
		w->a->place[h[i].job] = h[i].place;
		w->a->start[h[i].job] = h[i].start;
		occupy_slots(w, h[i].job, 1);
	}
	return 0;
}

static void keep_best(const struct slot_work *w, int32_t *place, int32_t *start)
{
	memcpy(place, w->a->place, w->f->njob * sizeof *place);
	memcpy(start, w->a->start, w->f->njob * sizeof *start);
}

/* Prices a little wrong, so that not every job sees the same slot as the cheapest. */
static void add_noise(struct slot_work *w, double part, uint64_t *seed)
{
	for (size_t i = 0; i < w->f->nplace * w->f->nslot; i++) {
		double price = (double)w->f->price_nano[i];
		w->lambda[i] = 0;
		if (price > 0)
			w->lambda[i] = part * price * (2 * random_frac(random_next(seed)) - 1);
	}
	slot_sum_up(w);
}

/*
 * Ruin and recreate around random slots with a threshold that falls to 0 (Schrimpf et al. 2000, J.
 * Comput. Phys. 159, 139-171): a little worse is taken at first, so that jobs can change places;
 * the best seen is what stays.
 */
static void ruin_and_recreate(struct slot_work *w, int32_t *place, int32_t *start)
{
	const struct slot_problem *f = w->f;
	struct held h[RUIN];
	uint64_t seed = 1;
	if (!f->njob || !f->capacity)
		return;
	/* Rounds that the budget of cells looked at allows. */
	double window = 0, jobs = (double)f->njob;
	for (size_t k = 0; k < f->njob; k++)
		window += f->job[k].deadline - f->job[k].release;
	double most = BUDGET / (window / jobs * (double)f->nplace * RUIN / 2 + jobs / 8 + 1);
	int64_t rounds = (int64_t)min_double(most, jobs * ROUNDS_JOB);
	__int128 now = total_cost(w), best = now, worse = now / (__int128)f->njob / THRESHOLD;
	keep_best(w, place, start);
	for (int64_t i = 0; i < rounds; i++) {
		if (i % NOISE_EVERY == 0)
			add_noise(w, NOISE * (double)(rounds - i) / (double)rounds, &seed);

		/* Some jobs whose windows hold slot t, from a random one on. */
		size_t t = random_below(&seed, f->nslot);
		size_t n = 0, want = 2 + random_below(&seed, RUIN - 1),
		       at = random_below(&seed, w->f->njob);
		for (size_t l = 0; l < w->f->njob && n < want;
		     l++, at = at + 1 == w->f->njob ? 0 : at + 1) {
			const struct slot_job *j = &w->f->job[at];
			if (w->a->place[at] >= 0 && j->release <= t && t < j->deadline)
				h[n++] = (struct held){ (uint32_t)at, w->a->place[at],
							w->a->start[at] };
		}
		for (size_t l = n; l > 1; l--) { /* in random order */
			size_t k = random_below(&seed, l);
			struct held x = h[l - 1];
			h[l - 1] = h[k];
			h[k] = x;
		}

		if (n > 1)
			now += put_back(w, h, n, worse * (rounds - i) / rounds);
		if (now < best) {
			best = now;
			keep_best(w, place, start);
		}
	}
	clear_all(w);
	for (size_t k = 0; k < f->njob; k++) {
		w->a->place[k] = place[k];
		w->a->start[k] = start[k];
		if (place[k] >= 0)
			occupy_slots(w, k, 1);
	}
}

/* Build from an empty fleet under the priced capacities, improve, and keep what is better: more
 * jobs first, then less cost. */
static void attempt_build(struct slot_work *w, const double *lambda, int32_t *best_place,
			  int32_t *best_start, size_t *best_out, __int128 *best_cost)
{
	size_t cells = w->f->nplace * w->f->nslot;
	int32_t *scratch = xmalloc((w->f->njob + 1) * 2 * sizeof *scratch);
	clear_all(w);
	memcpy(w->lambda, lambda, cells * sizeof *lambda);
	slot_sum_up(w);
	for (size_t i = 0; i < w->f->njob; i++)
		insert_job(w, w->order[i]);
	improve_jobs(w);
	ruin_and_recreate(w, scratch, scratch + w->f->njob);
	free(scratch);
	size_t out = 0;
	for (size_t k = 0; k < w->f->njob; k++)
		out += w->a->place[k] < 0;
	__int128 cost = total_cost(w);
	if (out > *best_out || (out == *best_out && cost >= *best_cost))
		return;
	*best_out = out;
	*best_cost = cost;
	memcpy(best_place, w->a->place, w->f->njob * sizeof *best_place);
	memcpy(best_start, w->a->start, w->f->njob * sizeof *best_start);
}

/* ---- both -------------------------------------------------------------------------------- */

static int solve_slots(struct slot_work *w, struct err *err)
{
	const struct slot_problem *f = w->f;
	size_t cells = f->nplace * f->nslot, best_out = SIZE_MAX;
	double *lambda = xcalloc(cells, sizeof *lambda);
	int32_t *place = xmalloc((f->njob + 1) * sizeof *place),
		*start = xmalloc((f->njob + 1) * sizeof *start);
	__int128 cost = 0;

	/* Large and long jobs first, those with little slack before them: what is hard to place
	 * later. */
	struct rank *rank = xmalloc((w->f->njob + 1) * sizeof *rank);
	for (size_t k = 0; k < w->f->njob; k++) {
		const struct slot_job *j = &w->f->job[k];
		double window = (double)(j->deadline - j->release);
		rank[k] = (struct rank){ (double)j->length * (double)j->units * (double)j->length /
						 (window > 0 ? window : 1),
					 (uint32_t)k };
	}
	sort_items(rank, w->f->njob, sizeof *rank, by_rank);
	for (size_t k = 0; k < w->f->njob; k++)
		w->order[k] = rank[k].job;
	free(rank);

	attempt_build(w, lambda, place, start, &best_out, &cost);
	memset(w->lambda, 0, cells * sizeof *w->lambda);
	int r = slot_flow_bound(w, &w->a->flow_nano, err);
	double bound = slot_ascend(w, (double)cost, lambda);
	if (f->capacity && r >= 0)
		for (int i = 0; i < 3; i++) { /* under all, half and a fifth of the prices found */
			attempt_build(w, lambda, place, start, &best_out, &cost);
			for (size_t c = 0; c < cells; c++)
				lambda[c] *= i ? 0.4 : 0.5;
		}
	clear_all(w);
	memcpy(w->a->place, place, f->njob * sizeof *place);
	memcpy(w->a->start, start, f->njob * sizeof *start);
	if (best_out && r >= 0) { /* the bounds so far were over another choice of jobs */
		r = slot_flow_bound(w, &w->a->flow_nano, err);
		bound = slot_ascend(w, (double)cost, lambda);
	}
	w->a->left_out = best_out == SIZE_MAX ? 0 : best_out;
	w->a->cost_nano = cost > INT64_MAX ? INT64_MAX : (int64_t)cost;
	/* sums of doubles: rounded down by more than they err */
	w->a->price_nano = bound > 0 ? (int64_t)fmin(floor(bound * (1 - 1e-12)), 9e18) : 0;
	double most = (double)max_i64(w->a->price_nano, w->a->flow_nano);
	w->a->gap_frac = num_if(most > 0, (double)w->a->cost_nano / most - 1);
	w->a->gap_frac = max_double(0, w->a->gap_frac);
	free(lambda);
	free(place);
	free(start);
	return r;
}

int slot_solve(const struct slot_problem *f, struct slot_answer *ret, struct err *err)
{
	struct slot_work w;
	int r = check_problem(f, err);
	if (r < 0)
		return r;
	*ret = (struct slot_answer){ .place = xmalloc((f->njob + 1) * sizeof *ret->place),
				     .start = xmalloc((f->njob + 1) * sizeof *ret->start),
				     .flow_nano = -1 };
	for (size_t k = 0; k < f->njob; k++)
		ret->place[k] = ret->start[k] = -1;

	size_t cells = f->nplace * f->nslot;
	w = (struct slot_work){ .f = f, .a = ret };
	w.room = xmalloc(cells * sizeof *w.room);
	w.lambda = xcalloc(cells, sizeof *w.lambda);
	w.sum = xcalloc(cells + f->nplace, sizeof *w.sum);
	w.exact = xcalloc(cells + f->nplace, sizeof *w.exact);
	w.gap = xcalloc(cells + f->nplace, sizeof *w.gap);
	w.order = xmalloc((f->njob + 1) * sizeof *w.order);
	for (size_t i = 0; i < cells; i++)
		w.room[i] = f->capacity ? f->capacity[i] : (int64_t)1 << 40;
	for (size_t p = 0; p < f->nplace; p++)
		for (size_t t = 0; t < f->nslot; t++) {
			int64_t c = f->price_nano[slot_cell(&w, p, t)];
			w.exact[slot_pre(&w, p, t) + 1] = w.exact[slot_pre(&w, p, t)] +
							  max_i64(c, 0);
			w.gap[slot_pre(&w, p, t) + 1] = w.gap[slot_pre(&w, p, t)] + (c < 0);
		}
	r = solve_slots(&w, err);
	free(w.room);
	free(w.lambda);
	free(w.sum);
	free(w.exact);
	free(w.gap);
	free(w.order);
	if (r < 0) {
		slot_answer_free(ret);
		return r;
	}
	return 0;
}

void slot_answer_free(struct slot_answer *a)
{
	free(a->place);
	free(a->start);
	*a = (struct slot_answer){ 0 };
}
