/*
 * The geometry of MIG GPUs.
 *
 * A type t of instance takes compute_t compute slices and the memory slices start .. start +
 * memory_t - 1, for a start that its table allows. A set of placed instances is legal if memory
 * slices do not overlap, compute slices add up to at most the GPU's, and no type has more than its
 * maximum. Greedy placing is wrong (1g at 0 blocks 4g), so all legal sets are listed once: a GPU
 * has few.
 *
 * Source of the rules: NVIDIA MIG user guide; instances must be created largest first or with their
 * place (the guide's own example). The corners of { u >= 0 : u.n_c <= 1 for each set c } are the
 * facets of what fits (linear programming duality): exact for fractions of GPUs, and in practice
 * rounding up is exact too; mig_fits() proves it for the case at hand.
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "opt/mig/mig.h"

#include "base/num.h"

const struct mig_gpu mig_a100_80 = { .compute = 7,
				     .memory = 8,
				     .ntype = 5,
				     .type = { { "1g.10gb", 1, 1, 0x7f, 7 },
					       { "2g.20gb", 2, 2, 0x15, 3 },
					       { "3g.40gb", 3, 4, 0x11, 2 },
					       { "4g.40gb", 4, 4, 0x01, 1 },
					       { "7g.80gb", 7, 8, 0x01, 1 } } };

static uint32_t place_mask(const struct mig_gpu *c, struct mig_place p)
{
	return ((1u << c->type[p.type].memory) - 1) << p.start;
}

static bool may_start(const struct mig_gpu *c, struct mig_place p)
{
	const struct mig_type *t = &c->type[p.type];
	return p.start >= 0 && p.start + t->memory <= c->memory && (t->starts >> p.start & 1);
}

bool mig_placement_ok(const struct mig_gpu *c, size_t n, const struct mig_place *place)
{
	uint32_t used = 0;
	int compute = 0, count[MIG_TYPES] = { 0 };
	for (size_t i = 0; i < n; i++) {
		int t = place[i].type;
		if (t < 0 || (size_t)t >= c->ntype)
			return false;
		if (!may_start(c, place[i]) || (used & place_mask(c, place[i])))
			return false;
		used |= place_mask(c, place[i]);
		compute += c->type[t].compute;
		if (c->type[t].max && ++count[t] > c->type[t].max)
			return false;
	}
	return compute <= c->compute;
}

/* ---- the list of sets -------------------------------------------------------------------- */

struct walk {
	struct mig_geom *g;
	size_t n;
	struct mig_place place[MIG_PER_GPU];
	bool full;
};

static bool can_add(const struct mig_gpu *c, const struct walk *w)
{
	struct mig_place p[MIG_PER_GPU + 1];
	memcpy(p, w->place, w->n * sizeof *p);
	for (p[w->n].type = 0; p[w->n].type < (int)c->ntype; p[w->n].type++)
		for (p[w->n].start = 0; p[w->n].start < c->memory; p[w->n].start++)
			if (mig_placement_ok(c, w->n + 1, p))
				return true;
	return false;
}

/* Sets in order of start, so that each is met once. */
static void walk_from(struct walk *w, int start)
{
	const struct mig_gpu *c = &w->g->gpu;
	if (w->full)
		return;
	for (int s = start; s < c->memory && w->n < MIG_PER_GPU; s++)
		for (int t = 0; t < (int)c->ntype; t++) {
			w->place[w->n++] = (struct mig_place){ t, s };
			if (mig_placement_ok(c, w->n, w->place))
				walk_from(w, s + c->type[t].memory);
			w->n--;
		}
	if (w->n && !can_add(c, w)) {
		struct mig_geom *g = w->g;
		struct mig_config f = { .nplace = w->n };
		g->nlayout++;
		for (size_t i = 0; i < w->n; i++)
			f.count[w->place[i].type]++;
		for (size_t i = 0; i < g->nmaximal; i++)
			if (!memcmp(g->config[i].count, f.count, sizeof f.count))
				return;
		if (g->nmaximal == MIG_CONFIGS) {
			w->full = true;
			return;
		}
		memcpy(f.place, w->place, w->n * sizeof *f.place);
		struct mig_place *p = f.place;
		for (size_t i = 1; i < w->n; i++)
			for (size_t k = i; k && g->gpu.type[p[k].type].compute >
							g->gpu.type[p[k - 1].type].compute;
			     k--) {
				struct mig_place t = p[k];
				p[k] = p[k - 1];
				p[k - 1] = t;
			}
		g->config[g->nmaximal++] = f;
	}
}

static bool is_inside(const struct mig_config *a, const struct mig_config *b)
{
	for (int t = 0; t < MIG_TYPES; t++)
		if (a->count[t] > b->count[t])
			return false;
	return true;
}

/* ---- corners ----------------------------------------------------------------------------- */

/* Solve a[n][n] x = b by elimination with row pivots; false where it is singular. */
static bool solve_linear(int n, double a[MIG_TYPES][MIG_TYPES + 1], double *x)
{
	for (int i = 0; i < n; i++) {
		int p = i;
		for (int r = i + 1; r < n; r++)
			if (fabs(a[r][i]) > fabs(a[p][i]))
				p = r;
		if (fabs(a[p][i]) < 1e-9)
			return false;
		for (int k = i; k <= n; k++) {
			double t = a[i][k];
			a[i][k] = a[p][k];
			a[p][k] = t;
		}
		for (int r = 0; r < n; r++) {
			double f = 0;
			if (r != i)
				f = a[r][i] / a[i][i];
			for (int k = i; k <= n && f != 0; k++)
				a[r][k] -= f * a[i][k];
		}
	}
	for (int i = 0; i < n; i++)
		x[i] = a[i][n] / a[i][i];
	return true;
}

static void take_point(struct mig_geom *g, const double *u)
{
	int n = (int)g->gpu.ntype;
	double sum = 0;
	for (int t = 0; t < n; t++) {
		if (u[t] < -1e-9)
			return;
		sum += u[t];
	}
	for (size_t c = 0; c < g->nconfig; c++) {
		double v = 0;
		for (int t = 0; t < n; t++)
			v += u[t] * g->config[c].count[t];
		if (v > 1 + 1e-9)
			return;
	}
	for (size_t i = 0; i < g->npoint; i++) {
		double d = 0;
		for (int t = 0; t < n; t++)
			d = fmax(d, fabs(g->point[i][t] - u[t]));
		if (d < 1e-9)
			return;
	}
	/* the origin says nothing; a missing corner only weakens a bound */
	if (sum < 1e-9 || g->npoint == MIG_POINTS)
		return;
	for (int t = 0; t < n; t++)
		g->point[g->npoint][t] = max_double(u[t], 0);
	g->npoint++;
}

/* All choices of ntype tight constraints among the sets and u_t = 0. */
static void add_corners(struct mig_geom *g, int chosen, size_t from, size_t *row)
{
	int n = (int)g->gpu.ntype;
	if (chosen < n) {
		for (size_t r = from; r + (size_t)(n - chosen) <= g->nconfig + (size_t)n; r++) {
			row[chosen] = r;
			add_corners(g, chosen + 1, r + 1, row);
		}
		return;
	}
	double a[MIG_TYPES][MIG_TYPES + 1] = { { 0 } }, u[MIG_TYPES];
	for (int i = 0; i < n; i++) {
		if (row[i] >= g->nconfig) {
			a[i][row[i] - g->nconfig] = 1;
			continue;
		}
		for (int t = 0; t < n; t++)
			a[i][t] = g->config[row[i]].count[t];
		a[i][n] = 1;
	}
	if (solve_linear(n, a, u))
		take_point(g, u);
}

int mig_geom_init(struct mig_geom *g, const struct mig_gpu *gpu, struct err *err)
{
	size_t row[MIG_TYPES];
	memset(g, 0, sizeof *g);
	g->gpu = *gpu;
	if (!gpu->ntype || gpu->ntype > MIG_TYPES || !within_int(gpu->memory, 1, MIG_PER_GPU) ||
	    gpu->compute < 1)
		return err_set(err, -EINVAL,
			       "a MIG GPU has 1 to %d types of instances and 1 to %d memory slices",
			       MIG_TYPES, MIG_PER_GPU);
	for (size_t t = 0; t < gpu->ntype; t++) {
		const struct mig_type *y = &gpu->type[t];
		struct mig_place p = { .type = (int)t };
		while (p.start < gpu->memory && !may_start(gpu, p))
			p.start++;
		if (!within_int(y->compute, 1, gpu->compute) ||
		    !within_int(y->memory, 1, gpu->memory) || p.start == gpu->memory)
			return err_set(err, -EINVAL, "MIG type '%s' fits nowhere on its GPU",
				       y->name);
	}
	struct walk w = { .g = g };
	walk_from(&w, 0);
	if (w.full)
		return err_set(err, -E2BIG, "a MIG GPU with more than %d sets of instances",
			       MIG_CONFIGS);

	/* Those that are inside another one go to the end. */
	g->nconfig = g->nmaximal;
	for (size_t i = 0; i < g->nconfig;) {
		bool out = false;
		for (size_t j = 0; j < g->nconfig && !out; j++)
			out = j != i && is_inside(&g->config[i], &g->config[j]);
		if (!out) {
			i++;
			continue;
		}
		struct mig_config f = g->config[i];
		memmove(&g->config[i], &g->config[i + 1], (g->nmaximal - i - 1) * sizeof f);
		g->config[g->nmaximal - 1] = f;
		g->nconfig--;
	}

	/* Choices of k among n, to keep the enumeration in bounds. */
	double n = (double)(g->nconfig + gpu->ntype);
	double k = (double)gpu->ntype;
	double choose = 1;
	for (double i = 1; i <= k; i++)
		choose *= (n - k + i) / i;
	if (choose < 50000)
		add_corners(g, 0, 0, row);

	return 0;
}

/* ---- does it fit? ------------------------------------------------------------------------ */

struct fit {
	const struct mig_geom *g;
	int left[MIG_TYPES];
	int *config; /* of each GPU, from the last */
	int64_t steps;
};

static bool bound_ok(const struct fit *f, int gpus)
{
	int compute = 0;
	for (size_t t = 0; t < f->g->gpu.ntype; t++)
		compute += f->left[t] * f->g->gpu.type[t].compute;
	if (compute > gpus * f->g->gpu.compute)
		return false;
	for (size_t i = 0; i < f->g->npoint; i++) {
		double v = 0;
		for (size_t t = 0; t < f->g->gpu.ntype; t++)
			v += f->g->point[i][t] * f->left[t];
		if (v > gpus + 1e-7)
			return false;
	}
	return true;
}

/* Put the largest instance left on a GPU, with each set that has one, the fuller first. */
static int fit_rest(struct fit *f, int gpus)
{
	const struct mig_geom *g = f->g;
	const size_t ntype = g->gpu.ntype;
	int big = -1;
	for (int t = 0; t < (int)ntype; t++)
		if (f->left[t] && (big < 0 || g->gpu.type[t].compute >= g->gpu.type[big].compute))
			big = t;
	if (big < 0)
		return 1;
	if (!gpus || !bound_ok(f, gpus))
		return 0;
	if (++f->steps > 20000)
		return -ETIMEDOUT;
	for (int want = g->gpu.compute; want > 0; want--)
		for (size_t c = 0; c < g->nconfig; c++) {
			int took[MIG_TYPES], sum = 0, r;
			for (size_t t = 0; t < ntype; t++) {
				took[t] = min_int(g->config[c].count[t], f->left[t]);
				sum += took[t] * g->gpu.type[t].compute;
			}
			if (sum != want || !took[big])
				continue;
			for (size_t t = 0; t < ntype; t++)
				f->left[t] -= took[t];
			r = fit_rest(f, gpus - 1);
			for (size_t t = 0; t < ntype; t++)
				f->left[t] += took[t];
			if (r) {
				if (f->config)
					f->config[gpus - 1] = (int)c;
				return r;
			}
		}
	return 0;
}

int mig_fits(const struct mig_geom *g, const int *count, int gpus, int *ret_config)
{
	struct fit f = { .g = g, .config = ret_config };
	for (size_t t = 0; t < g->gpu.ntype; t++)
		f.left[t] = count[t];
	if (ret_config)
		for (int i = 0; i < gpus; i++)
			ret_config[i] = 0;
	return fit_rest(&f, gpus);
}
