/*
 * How good the learned speeds are: leave-one-GPU-out, beside the one-factor model
 *
 *   min over r, c of sum (log speed - r_run - c_work)^2,   prediction for an unseen run: c_work +
 *                                                          mean over own of (log speed - c_work)
 *
 * with the same training cells and the same own measurements. Runs are kept apart as the table has
 * them (each system is a run of its own).
 */
#include "transfer_eval.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/num.h"
#include "base/random.h"

#define SWEEPS 300 /* of alternating least squares; converges far earlier */

static bool workload_eq(const struct transfer_workload *a, const struct transfer_workload *b)
{
	return a->level == b->level && a->gpus == b->gpus;
}

static bool run_eq(const struct transfer_run *a, const struct transfer_run *b)
{
	return a->gpu == b->gpu && a->layout == b->layout && a->gpus == b->gpus;
}

static bool same_run(const struct transfer_cell *a, const struct transfer_cell *b)
{
	return run_eq(&a->run, &b->run);
}

static bool same_workload(const struct transfer_cell *a, const struct transfer_cell *b)
{
	return workload_eq(&a->workload, &b->workload);
}

/* Numbers for runs or works: equal ones one number; first [n]: where each is first. O(n *
 * numbers). */
static size_t number(size_t n, const struct transfer_cell *cell,
		     bool (*same)(const struct transfer_cell *, const struct transfer_cell *),
		     size_t *first, size_t *of)
{
	size_t numbers = 0;
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;
		while (k < numbers && !same(&cell[first[k]], &cell[i]))
			k++;
		if (k == numbers)
			first[numbers++] = i;
		of[i] = k;
	}
	return numbers;
}

static void centre(size_t n, const double *y, const size_t *of, const double *other,
		   const size_t *other_of, size_t nof, double *ret, double *count)
{
	memset(ret, 0, nof * sizeof *ret);
	memset(count, 0, nof * sizeof *count);
	for (size_t i = 0; i < n; i++) {
		ret[of[i]] += y[i] - known_or(other[other_of[i]], 0);
		count[of[i]]++;
	}
	for (size_t k = 0; k < nof; k++)
		ret[k] = count[k] > 0 ? ret[k] / count[k] : NAN;
}

int one_factor_fit(size_t ncell, const struct transfer_cell *cell, struct one_factor *ret,
		   struct err *err)
{
	for (size_t i = 0; i < ncell; i++)
		if (!(cell[i].speed > 0))
			return err_set(err, -EINVAL, "a measured speed must be above 0");
	size_t *run = xcalloc(ncell + 1, sizeof *run),
	       *workload = xcalloc(ncell + 1, sizeof *workload),
	       *first = xcalloc(ncell + 1, sizeof *first);
	size_t nrun = number(ncell, cell, same_run, first, run),
	       nworkload = number(ncell, cell, same_workload, first, workload);
	double *y = xcalloc(ncell + 1, sizeof *y), *r = xcalloc(nrun + 1, sizeof *r),
	       *count = xcalloc(nworkload + nrun + 1, sizeof *count);
	*ret = (struct one_factor){ nworkload, xcalloc(nworkload + 1, sizeof *ret->workload),
				    xcalloc(nworkload + 1, sizeof *ret->speed) };
	for (size_t k = 0; k < nworkload; k++)
		ret->workload[k] = cell[first[k]].workload;
	for (size_t i = 0; i < ncell; i++)
		y[i] = log(cell[i].speed / cell[i].run.gpus);
	for (int s = 0; s < SWEEPS; s++) {
		centre(ncell, y, run, ret->speed, workload, nrun, r, count);
		centre(ncell, y, workload, r, run, nworkload, ret->speed, count);
	}
	free(run);
	free(workload);
	free(first);
	free(y);
	free(r);
	free(count);
	return 0;
}

static double workload_speed(const struct one_factor *o, const struct transfer_workload *workload)
{
	for (size_t k = 0; k < o->nworkload; k++)
		if (workload_eq(&o->workload[k], workload))
			return o->speed[k];
	return NAN;
}

double one_factor_predict(const struct one_factor *o, size_t nown, const struct transfer_cell *own,
			  const struct transfer_workload *workload)
{
	double sum = 0, n = 0;
	for (size_t i = 0; i < nown; i++) {
		double c = workload_speed(o, &own[i].workload);
		if (!isnan(c))
			sum += log(own[i].speed) - c, n++;
	}
	if (n > 0)
		return exp(sum / n + workload_speed(o, workload));
	return NAN;
}

void one_factor_free(struct one_factor *o)
{
	free(o->workload);
	free(o->speed);
	*o = (struct one_factor){ 0 };
}

/* ---- leave one GPU out ------------------------------------------------------------------ */

struct fold {
	const struct transfer *t;
	const struct one_factor *o;
	struct transfer_score *score; /* sums while counting */
};

/* Predict all of a system's works but two from those two. s [n] is scratch. */
static int score_pair(const struct fold *f, const struct transfer_joint *j, size_t n,
		      const struct transfer_cell *cell, const size_t at[2],
		      struct transfer_speed *s, struct err *err)
{
	struct transfer_cell own[2] = { cell[at[0]], cell[at[1]] };
	double speed[2] = { own[0].speed, own[1].speed };
	int r = transfer_joint_predict(j, 2, at, speed, s, err);
	for (size_t i = 0; i < n && r >= 0; i++) {
		if (i == at[0] || i == at[1])
			continue;
		f->score->mape += fabs(s[i].speed / cell[i].speed - 1);
		f->score->mape_one_factor += fabs(
			one_factor_predict(f->o, 2, own, &cell[i].workload) / cell[i].speed - 1);
		f->score->within_frac += cell[i].speed >= s[i].lo && cell[i].speed <= s[i].hi;
		f->score->predictions++;
	}
	return r;
}

/* All pairs of one system: n cells that lie together. Works that the table has not cannot be asked
 * for. */
static int score_system(const struct fold *f, size_t n, const struct transfer_cell *cell, int pairs,
			uint64_t *seed, struct err *err)
{
	struct transfer_cell *known = xcalloc(n + 1, sizeof *known);
	struct transfer_speed *s = xcalloc(n + 1, sizeof *s);
	struct transfer_joint *j = NULL;
	size_t m = 0;
	int r = 0;
	for (size_t i = 0; i < n; i++)
		if (!isnan(workload_speed(f->o, &cell[i].workload)))
			known[m++] = cell[i];
	if (m > 2)
		r = transfer_joint_new(f->t, m, known, &j, err);
	for (int k = 0; k < pairs && m > 2 && r >= 0; k++) {
		size_t at[2] = { random_below(seed, m), random_below(seed, m - 1) };
		at[1] += at[1] >= at[0];
		r = score_pair(f, j, m, known, at, s, err);
	}
	transfer_joint_free(j);
	free(known);
	free(s);
	return r;
}

/* Cells of one system lie together in `test`: a new one starts where the run changes or a workload
 * comes again. */
static size_t system_end(size_t n, const struct transfer_cell *test, size_t from)
{
	size_t i = from + 1;
	for (; i < n && run_eq(&test[i].run, &test[from].run); i++)
		for (size_t k = from; k < i; k++)
			if (workload_eq(&test[k].workload, &test[i].workload))
				return i;
	return i;
}

static int score_gpu(size_t ngpu, const struct transfer_gpu *gpu, size_t ntrain,
		     const struct transfer_cell *train, size_t ntest,
		     const struct transfer_cell *test, int pairs, uint64_t seed,
		     struct transfer_score *score, struct err *err)
{
	struct transfer_cell *keep = xcalloc(ntrain + 1, sizeof *keep);
	struct transfer *t = NULL;
	struct one_factor o = { 0 };
	size_t n = 0;
	for (size_t i = 0; i < ntrain; i++)
		if (train[i].run.gpu != score->gpu)
			keep[n++] = train[i];
	int r = transfer_fit(ngpu, gpu, n, keep, &t, err);
	if (r >= 0)
		r = one_factor_fit(n, keep, &o, err);
	struct fold f = { t, &o, score };
	for (size_t i = 0; i < ntest && r >= 0;) {
		size_t end = system_end(ntest, test, i);
		if (test[i].run.gpu == score->gpu)
			r = score_system(&f, end - i, test + i, pairs, &seed, err);
		i = end;
	}
	one_factor_free(&o);
	transfer_free(t);
	free(keep);
	return r;
}

static void close_scores(struct transfer_eval *e)
{
	double gpus = 0;
	e->all.gpu = -1;
	for (size_t i = 0; i < e->ngpu; i++) {
		struct transfer_score *s = &e->gpu[i];
		double n = (double)s->predictions;
		e->all.predictions += s->predictions;
		e->all.mape += s->mape;
		e->all.mape_one_factor += s->mape_one_factor;
		e->all.within_frac += s->within_frac;
		s->mape /= n;
		s->mape_one_factor /= n;
		s->within_frac /= n;
		if (n > 0)
			e->macro_mape += s->mape, e->macro_one_factor += s->mape_one_factor, gpus++;
	}
	double n = (double)e->all.predictions;
	e->all.mape /= n;
	e->all.mape_one_factor /= n;
	e->all.within_frac /= n;
	e->macro_mape /= gpus;
	e->macro_one_factor /= gpus;
}

int transfer_evaluate(size_t ngpu, const struct transfer_gpu *gpu, size_t ntrain,
		      const struct transfer_cell *train, size_t ntest,
		      const struct transfer_cell *test, int pairs, uint64_t seed,
		      struct transfer_eval *ret, struct err *err)
{
	struct transfer_eval e = { .gpu = xcalloc(ngpu + 1, sizeof *e.gpu) };
	int r = 0;
	for (size_t c = 0; c < ngpu && r >= 0; c++) {
		struct transfer_score s = { .gpu = (int)c };
		bool tested = false;
		for (size_t i = 0; i < ntest && !tested; i++)
			tested = test[i].run.gpu == s.gpu;
		if (!tested)
			continue;
		r = score_gpu(ngpu, gpu, ntrain, train, ntest, test, pairs, seed, &s, err);
		if (s.predictions)
			e.gpu[e.ngpu++] = s;
	}
	if (r >= 0 && !e.ngpu)
		r = err_set(
			err, -ENODATA,
			"nothing to evaluate: no GPU has three workloads that other GPUs ran too");
	if (r < 0) {
		transfer_eval_free(&e);
		return r;
	}
	close_scores(&e);
	*ret = e;
	return 0;
}

void transfer_eval_free(struct transfer_eval *e)
{
	free(e->gpu);
	*e = (struct transfer_eval){ 0 };
}
