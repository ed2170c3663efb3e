/*
 * The cost of choosing a GPU by prediction against choosing it by what was measured, on MLPerf
 * results.
 *
 *   held-out submitter: which of the GPUs that the submitter measured is cheapest per unit of work,
 *   from the others' results; a GPU model that no other submitter has is a held-out GPU too: two of
 *   its results are known; held-out GPU: all results of a GPU model are taken out but two; for each
 *   other benchmark the cheapest of all GPUs that ran it is chosen.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_eval_in.h"
#include "base/num.h"
#include "base/random.h"
#include "base/sort.h"

double gpu_regret(size_t n, const double *true_cost, size_t chosen)
{
	double best = NAN;
	for (size_t i = 0; i < n; i++)
		if (true_cost[i] > 0 && !(true_cost[i] >= best))
			best = true_cost[i];
	if (chosen < n && true_cost[chosen] > 0)
		return true_cost[chosen] / best - 1;
	return NAN;
}

/* Speeds of one GPU per work and GPU: the median over results; NAN. */
struct board {
	size_t ngpu, nworkload;
	double *v;
};

static double *board_at(const struct board *b, int workload, int gpu)
{
	return &b->v[(size_t)workload * b->ngpu + (size_t)gpu];
}

/* submitter: NULL = all; else only those of it (mine) or only those of others. */
static struct board board_of(const struct eval *e, const char *submitter, bool mine)
{
	struct board b = { e->gpu.n, e->workload.n,
			   xcalloc(e->gpu.n * e->workload.n + 1, sizeof *b.v) };
	double *x = xcalloc(e->test.n + 1, sizeof *x);
	for (size_t w = 0; w < b.nworkload; w++)
		for (size_t c = 0; c < b.ngpu; c++) {
			size_t n = 0;
			for (size_t i = 0; i < e->test.n; i++) {
				const struct transfer_cell *t = &e->test.v[i];
				bool here = (size_t)t->workload.level == w &&
					    (size_t)t->run.gpu == c;
				bool asked = !submitter ||
					     !strcmp(e->submitter.v[i], submitter) == mine;
				if (here && asked)
					x[n++] = t->speed / t->run.gpus;
			}
			sort_items(x, n, sizeof *x, rising_double);
			double median = NAN;
			if (n)
				median = (x[(n - 1) / 2] + x[n / 2]) / 2;
			*board_at(&b, (int)w, (int)c) = median;
		}
	free(x);
	return b;
}

/* Its cells as a table to learn from, without one GPU (-1: all). */
static size_t board_cells(const struct eval *e, const struct board *b, int without,
			  struct transfer_cell *ret)
{
	size_t n = 0;
	for (int w = 0; w < (int)b->nworkload; w++)
		for (int c = 0; c < (int)b->ngpu; c++)
			if (c != without && !isnan(*board_at(b, w, c)))
				ret[n++] = (struct transfer_cell){ { c, 1, 0 },
								   { w, w, 0, 1, 1 },
								   *board_at(b, w, c) };
	for (size_t i = 0; i < n; i++) /* the family of a workload is its model: as in the rows */
		for (size_t k = 0; k < e->test.n; k++)
			if (e->test.v[k].workload.level == ret[i].workload.level) {
				ret[i].workload.family = e->test.v[k].workload.family;
				break;
			}
	return n;
}

/* One case: predicted and true speeds of GPUs; prices. GPUs without truth or price do not
 * count. */
static void add_case(const struct eval *e, const struct gpu_price *price, const double *predicted,
		     const double *truth, struct gpu_regret *ret)
{
	double *cost = xcalloc(e->gpu.n + 1, sizeof *cost),
	       best[3] = { INFINITY, INFINITY, -INFINITY };
	size_t pick[3] = { 0 }, n = 0;
	for (size_t c = 0; c < e->gpu.n; c++) {
		cost[c] = NAN;
		if (isnan(truth[c]) || isnan(predicted[c]) || price[c].nano_gpu_hour == INT64_MIN)
			continue;
		double p = (double)price[c].nano_gpu_hour;
		cost[c] = p / truth[c];
		n++;
		if (p / predicted[c] < best[0])
			best[0] = p / predicted[c], pick[0] = c;
		if (p < best[1])
			best[1] = p, pick[1] = c;
		if (predicted[c] > best[2])
			best[2] = predicted[c], pick[2] = c;
	}
	if (n >= 2) {
		double r = gpu_regret(e->gpu.n, cost, pick[0]);
		ret->choices++;
		ret->right += r == 0;
		ret->ours += r;
		ret->worst = fmax(ret->worst, r);
		ret->cheapest_hour += gpu_regret(e->gpu.n, cost, pick[1]);
		ret->fastest += gpu_regret(e->gpu.n, cost, pick[2]);
	}
	free(cost);
}

static int family_of(const struct eval *e, int workload)
{
	for (size_t k = 0; k < e->test.n; k++)
		if (e->test.v[k].workload.level == workload)
			return e->test.v[k].workload.family;
	return 0;
}

static struct transfer_cell board_cell(const struct eval *e, const struct board *b, int workload,
				       int gpu)
{
	return (struct transfer_cell){ { gpu, 1, 0 },
				       { workload, workload, family_of(e, workload), 1, 1 },
				       *board_at(b, workload, gpu) };
}

/* Two random works for each GPU of `mine` that no other submitter has: those count as measured.
 * GPUs with fewer than three workloads drop out (truth NAN). */
struct own_list {
	VEC(struct transfer_cell) v;
};

static void draw_own(const struct eval *e, struct board *mine, const struct board *others,
		     uint64_t *seed, struct own_list *ret)
{
	int *workload = xcalloc(e->workload.n + 1, sizeof *workload);
	vec_clear(&ret->v);
	for (int c = 0; c < (int)e->gpu.n; c++) {
		size_t n = 0, elsewhere = 0;
		for (int w = 0; w < (int)e->workload.n; w++) {
			if (!isnan(*board_at(others, w, c)))
				elsewhere += 1;
			if (!isnan(*board_at(mine, w, c)))
				workload[n++] = w;
		}
		if (!n || elsewhere)
			continue;
		if (n < 3) {
			for (size_t i = 0; i < n; i++)
				*board_at(mine, workload[i], c) = NAN;
			continue;
		}
		size_t a = random_below(seed, n), b = random_below(seed, n - 1);
		b += b >= a;
		*vec_push(&ret->v) = board_cell(e, mine, workload[a], c);
		*vec_push(&ret->v) = board_cell(e, mine, workload[b], c);
	}
	free(workload);
}

/* What the others measured of that GPU and work, else what is learned from them (of a workload that
 * nobody else ran: on one scale for all GPUs). */
static int predict_from(const struct eval *e, const struct transfer *t, const struct board *others,
			const struct own_list *own, int workload, const double *truth, double *ret,
			struct err *err)
{
	for (size_t c = 0; c < e->gpu.n; c++) {
		struct transfer_cell ask = { { (int)c, 1, 0 },
					     { workload, workload, family_of(e, workload), 1, 1 },
					     1 };
		struct transfer_speed s;
		ret[c] = *board_at(others, workload, (int)c);
		if (!isnan(ret[c]) || isnan(truth[c]))
			continue;
		int r = transfer_predict(t, &(struct transfer_ask){ own->v.n, own->v.v, 1, &ask },
					 &s, err);
		if (r < 0)
			return r;
		ret[c] = s.speed;
	}
	return 0;
}

static bool is_choice(const struct eval *e, const struct gpu_price *price, const struct board *mine,
		      const struct own_list *own, int workload)
{
	int n = 0;
	for (size_t i = 0; i < own->v.n; i++)
		if (own->v.v[i].workload.level == workload)
			return false; /* measured: nothing to predict */
	for (size_t c = 0; c < e->gpu.n; c++)
		n += !isnan(*board_at(mine, workload, (int)c)) &&
		     price[c].nano_gpu_hour != INT64_MIN;
	return n >= 2;
}

static int one_submitter(const struct eval *e, const struct gpu_price *price, const char *submitter,
			 struct gpu_regret *ret, struct err *err)
{
	struct board mine = board_of(e, submitter, true), others = board_of(e, submitter, false);
	struct transfer_cell *cell = xcalloc(e->test.n + 1, sizeof *cell);
	struct own_list own = { { 0 } };
	struct transfer *t = NULL;
	double *p = xcalloc(e->gpu.n + 1, sizeof *p);
	uint64_t seed = e->q->seed;
	int r = 0;
	for (int k = 0; k < e->q->pairs && r >= 0; k++) {
		draw_own(e, &mine, &others, &seed, &own);
		for (int w = 0; w < (int)e->workload.n && r >= 0; w++) {
			if (!is_choice(e, price, &mine, &own, w))
				continue;
			if (!t)
				r = transfer_fit(e->gpu.n, e->gpu.v,
						 board_cells(e, &others, -1, cell), cell, &t, err);
			if (r >= 0)
				r = predict_from(e, t, &others, &own, w, board_at(&mine, w, 0), p,
						 err);
			if (r >= 0)
				add_case(e, price, p, board_at(&mine, w, 0), ret);
		}
		if (!own.v.n && k == 0 && !t)
			break; /* nothing to choose between */
	}
	transfer_free(t);
	vec_free(&own.v);
	free(cell);
	free(p);
	free(mine.v);
	free(others.v);
	return r;
}

/* Works of a GPU that another GPU with a price ran too. */
static size_t shared_workloads(const struct eval *e, const struct board *all,
			       const struct gpu_price *price, int gpu, int *ret)
{
	size_t n = 0;
	for (int w = 0; w < (int)e->workload.n; w++) {
		bool other = false;
		for (int c = 0; c < (int)e->gpu.n; c++)
			other |= c != gpu && !isnan(*board_at(all, w, c)) &&
				 price[c].nano_gpu_hour != INT64_MIN;
		if (other && !isnan(*board_at(all, w, gpu)))
			ret[n++] = w;
	}
	return n;
}

static int one_gpu(const struct eval *e, const struct gpu_price *price, const struct board *all,
		   int gpu, struct gpu_regret *ret, struct err *err)
{
	struct transfer_cell *cell = xcalloc(e->test.n + 1, sizeof *cell);
	struct transfer *t = NULL;
	int *workload = xcalloc(e->workload.n + 1, sizeof *workload), r = 0;
	size_t n = price[gpu].nano_gpu_hour == INT64_MIN
			   ? 0
			   : shared_workloads(e, all, price, gpu, workload);
	double *p = xcalloc(e->gpu.n + 1, sizeof *p);
	uint64_t seed = e->q->seed;
	if (n > 2)
		r = transfer_fit(e->gpu.n, e->gpu.v, board_cells(e, all, gpu, cell), cell, &t, err);
	for (int k = 0; k < e->q->pairs && n > 2 && r >= 0; k++) {
		size_t a = random_below(&seed, n), b = random_below(&seed, n - 1);
		b += b >= a;
		struct transfer_cell own[2] = { board_cell(e, all, workload[a], gpu),
						board_cell(e, all, workload[b], gpu) };
		for (size_t i = 0; i < n && r >= 0; i++) {
			struct transfer_cell ask = board_cell(e, all, workload[i], gpu);
			struct transfer_speed s;
			if (i == a || i == b ||
			    (r = transfer_predict(t, &(struct transfer_ask){ 2, own, 1, &ask }, &s,
						  err)) < 0)
				continue;
			memcpy(p, board_at(all, workload[i], 0), e->gpu.n * sizeof *p);
			p[gpu] = s.speed;
			add_case(e, price, p, board_at(all, workload[i], 0), ret);
		}
	}
	transfer_free(t);
	free(cell);
	free(workload);
	free(p);
	return r;
}

int eval_choice(const struct eval *e, struct gpu_eval *ret, struct err *err)
{
	struct gpu_price *price = NULL;
	struct board all = board_of(e, NULL, true);
	struct intern names = { 0 };
	int r = plan_gpu_prices(e->q->cat, &e->q->market, CPU_ANY, &price, err);

	for (size_t i = 0; i < e->test.n; i++)
		intern_add(&names, sv_of(e->submitter.v[i]));
	for (uint32_t i = 0; i < names.n && r >= 0; i++)
		r = one_submitter(e, price, intern_z(&names, i), &ret->submitter, err);
	for (int c = 0; c < (int)e->gpu.n && r >= 0; c++)
		r = one_gpu(e, price, &all, c, &ret->model, err);
	if (r >= 0) {
		/* The GPUs of the file and what they cost. */
		struct gpu_eval_price *p = arena_alloc(e->q->mem, (e->gpu.n + 1) * sizeof *p);

		for (int c = 0; c < (int)e->gpu.n; c++) {
			bool seen = false;
			for (int w = 0; w < (int)e->workload.n; w++)
				seen |= !isnan(*board_at(&all, w, c));
			if (seen)
				p[ret->nprice++] = (struct gpu_eval_price){
					catalog_gpu_at(e->q->cat, (size_t)c)->model,
					price[c].nano_gpu_hour
				};
		}
		ret->price = p;
	}
	free(price);
	free(all.v);
	intern_free(&names);
	return r;
}
