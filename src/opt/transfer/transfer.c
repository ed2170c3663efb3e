/*
 * Speed of a workload on a GPU it never ran on.
 *
 * Model. y = log(speed per GPU) of work m on run g (a GPU model, a number of GPUs, a layout). A
 * work on one GPU computes: y = log C. A workload that is split over several GPUs computes and then
 * exchanges results, and the times add: 1 / speed = 1 / C + 1 / X (transfer_split.c). log C and log
 * X are Gaussian processes with covariances of the form
 *
 *   k((g,m),(g',m')) = sum_t v_t * R_t(g,g') * C_t(m,m') * s_f(m) s_f(m'), and [same cell] * noise
 *           * s_f(m)^2 on y
 *
 * where R_t says what two runs have in common (anything, the GPU, the run, the product of their
 * data-sheet features, the number of GPUs, the layout) and C_t what two workloads have (anything,
 * family, shape, batch size, GPUs). In other words: a ridge regression, for computing
 *   r_g + c_m + sum_k feature_k(g) * w_km + (GPU x family) + (GPU x batch) + ...
 * and for exchange r_layout + c_family,GPUs + (GPU x family x GPUs, where the GPUs lie together) +
 *   (GPU x family, where they do not)
 * whose ridge strengths are not chosen by hand: v_t and the spread s_f of a family are those under
 * which the table itself is most likely (coordinate ascent on a logarithmic grid). The features are
 * what a roofline needs: log peak at the work's precision, log bandwidth. Own measurements are
 * conditioned on exactly; each may be an outlier with a small chance, and the answer is the mixture
 * over which of them are. Where the table has no work in their unit, that is divided out first: the
 * median of measured against predicted, so that every ratio is free of it.
 *
 * The point given is between the median of the prediction and the point of least expected relative
 * error: exp(mean - H * variance).
 *
 * Sources: Rasmussen & Williams, Gaussian Processes for Machine Learning (2006) chapters 2 and 5;
 * two-way log-additive models of throughput as in Gavel (Narayanan et al., OSDI 2020) and Quasar
 * (Delimitrou & Kozyrakis, ASPLOS 2014, low rank plus few own measurements); rooflines: Williams et
 * al. 2009.
 * What we changed: computing and exchange as a sum (one GPU's network between machines is the
 * other's, so that part of the time does not shrink with a faster GPU, which no product of factors
 * can say); data-sheet features instead of a free low rank (with three to twelve GPUs a free rank
 * cannot be told from noise), spreads per family, outliers, and a prior mean: without any table
 * speed goes as sqrt(peak * bandwidth).
 */
#include "base/num.h"
#include "model/known.h"
#include "opt/transfer/transfer_in.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/sort.h"

/* before any table: twice the peak and twice the bandwidth is twice the speed, half of it from
 * each */
#define PRIOR_EXPONENT 0.5

int transfer_check_cell(const struct transfer_cell *c, size_t ngpu, bool with_speed,
			struct err *err)
{
	const struct transfer_workload *w = &c->workload;
	if (c->run.gpu < 0 || (size_t)c->run.gpu >= ngpu)
		return err_set(err, -EINVAL, "a measured speed names GPU %d of %zu", c->run.gpu,
			       ngpu);
	if (w->level < 0 || w->level >= MAX_ID || w->shape < 0 || w->shape >= MAX_ID ||
	    w->family < 0 || w->family >= MAX_ID)
		return err_set(err, -EINVAL, "too many different works in one table of speeds");
	if (with_speed && !(c->speed > 1e-30 && c->speed < 1e30))
		return err_set(err, -EINVAL, "a measured speed must be above 0 and finite");
	if (!(w->batch > 0 && w->batch < 1e12) || !(w->gpus > 0 && w->gpus < 1e6) ||
	    !(c->run.gpus > 0 && c->run.gpus < 1e6))
		return err_set(err, -EINVAL,
			       "batch size and GPUs of a measured speed must be above 0");
	return 0;
}

struct point transfer_point(const struct transfer *t, const struct transfer_cell *c,
			    bool with_speed)
{
	struct point p = { .gpu = c->run.gpu,
			   .layout = c->run.layout,
			   .level = c->workload.level,
			   .shape = c->workload.shape,
			   .family = c->workload.family,
			   .gpus = c->run.gpus,
			   .log_gpus = log(c->run.gpus),
			   .log_workload_gpus = log(c->workload.gpus),
			   .n = 1 };
	p.batch = isnan(t->batch_mean[p.family]) ? 0
						 : log(c->workload.batch) - t->batch_mean[p.family];
	for (int k = 0; k < TRANSFER_NFEATURE; k++) {
		p.f[k] = t->feature[p.gpu][k];
		p.expected += PRIOR_EXPONENT * p.f[k];
	}
	p.y = num_if(with_speed, log(c->speed / c->run.gpus / c->workload.gpus));
	p.split = c->workload.gpus > 1;
	p.at = transfer_parts(&p, p.y, p.y);
	return p;
}

/* Logarithms against the mean of the table's GPUs (all GPUs, where there is no table); an unknown
 * value is that mean. */
static void set_features(struct transfer *t, const struct transfer_gpu *gpu, size_t ncell,
			 const struct transfer_cell *cell)
{
	bool *used = xcalloc(t->ngpu + 1, sizeof *used);
	for (size_t i = 0; i < ncell; i++)
		used[cell[i].run.gpu] = true;
	for (int k = 0; k < TRANSFER_NFEATURE; k++) {
		double sum = 0, n = 0;
		for (size_t c = 0; c < t->ngpu; c++) {
			double v = k ? gpu[c].bandwidth_gb_s : gpu[c].peak_tflops;
			t->feature[c][k] = num_if(v > 0 && isfinite(v), log(v));
			if (!isnan(t->feature[c][k]) && (used[c] || !ncell)) {
				sum += t->feature[c][k];
				n++;
			}
		}
		for (size_t c = 0; c < t->ngpu; c++) {
			if (isnan(t->feature[c][k]) || n == 0)
				t->feature[c][k] = 0;
			else
				t->feature[c][k] = t->feature[c][k] - sum / n;
		}
	}
	free(used);
}

static int point_cmp(const void *va, const void *vb)
{
	const struct point *a = va, *b = vb;
	const double da[] = { a->gpu,   a->layout,           a->gpus, a->level, a->shape,
			      a->batch, a->log_workload_gpus };
	const double db[] = { b->gpu,   b->layout,           b->gpus, b->level, b->shape,
			      b->batch, b->log_workload_gpus };
	for (size_t i = 0; i < sizeof da / sizeof *da; i++)
		if (da[i] != db[i]) {
			if (da[i] < db[i])
				return -1;
			return 1;
		}
	return cmp_double(a->y, b->y);
}

static bool same_cell(const struct point *a, const struct point *b)
{
	if (!transfer_same_run(a, b) || a->level != b->level || a->shape != b->shape)
		return false;
	return a->batch == b->batch && a->log_workload_gpus == b->log_workload_gpus;
}

int transfer_fit(size_t ngpu, const struct transfer_gpu *gpu, size_t ncell,
		 const struct transfer_cell *cell, struct transfer **ret, struct err *err)
{
	for (size_t i = 0; i < ncell; i++) {
		int r = transfer_check_cell(&cell[i], ngpu, true, err);
		if (r < 0)
			return r;
	}
	struct transfer *t = xcalloc(1, sizeof *t);
	t->ngpu = ngpu;
	t->feature = xcalloc(ngpu + 1, sizeof *t->feature);
	t->p = xcalloc(ncell + 1, sizeof *t->p);
	for (int f = 0; f < MAX_ID; f++)
		t->spread[f] = 1;
	set_features(t, gpu, ncell, cell);

	double *n = xcalloc(MAX_ID, sizeof *n);
	memset(t->batch_mean, 0, sizeof t->batch_mean);
	for (size_t i = 0; i < ncell; i++) {
		t->batch_mean[cell[i].workload.family] += log(cell[i].workload.batch);
		n[cell[i].workload.family]++;
	}
	for (int f = 0; f < MAX_ID; f++)
		t->batch_mean[f] = num_if(n[f] > 0, t->batch_mean[f] / n[f]);
	free(n);
	for (size_t i = 0; i < ncell; i++)
		t->p[i] = transfer_point(t, &cell[i], true);

	/* Average equal cells. Many systems with one GPU say little more than two: what they share
	 * is not noise. */
	if (ncell)
		sort_items(t->p, ncell, sizeof *t->p, point_cmp);
	t->n = 0;
	for (size_t i = 0; i < ncell;) {
		size_t j = i;
		double sum = 0;
		for (; j < ncell && same_cell(&t->p[i], &t->p[j]); j++)
			sum += t->p[j].y;
		t->p[t->n] = t->p[i];
		t->p[t->n].y = sum / (double)(j - i);
		t->p[t->n++].n = j - i > 1 ? 2 : 1;
		i = j;
	}

	if (t->n > TRANSFER_MAX_CELLS) {
		transfer_free(t);
		return err_set(err, -E2BIG, "a table of more than %d different measured speeds",
			       TRANSFER_MAX_CELLS);
	}
	transfer_split_start(t);
	transfer_learn(t, false);
	if (t->split) { /* the parts follow from the variances and the other way round: twice */
		transfer_split_settle(t);
		transfer_learn(t, true);
		transfer_split_settle(t);
	}
	*ret = t;
	return 0;
}

void transfer_free(struct transfer *t)
{
	if (!t)
		return;
	free(t->feature);
	free(t->p);
	free(t->chol);
	free(t->alpha);
	free(t);
}
