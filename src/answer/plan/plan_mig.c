#include "answer/plan/plan_mig.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/num.h"
#include "base/random.h"
#include "feed/planner/migprof.h"
#include "model/known.h"
#include "plan/share/mig_gpu.h"

_Static_assert(MIGPROF_MAX <= MIG_SERVICES, "every service can be packed");

/* Ways are worked out for so many numbers of GPUs, and for today's. */
#define WAYS 9

struct problem { /* a scenario or mix */
	size_t n;
	size_t model[MIG_SERVICES]; /* place among the services of the ask */
	struct mig_service service[MIG_SERVICES];
	const struct migprof_row *best[MIG_SERVICES][MIG_TYPES];
};

int answer_mig_gpu(const struct catalog *cat, const char *gpu, struct plan_mig_gpu *ret,
		   struct err *err)
{
	const struct gpu_spec *g = catalog_gpu(cat, sv_of(gpu));
	struct mig_gpu pack, all;

	if (!g || g->mig_compute_slices < 1 || !catalog_mig_at(cat, g->model, 0)) {
		err_set(err, -EINVAL, "'%s' is not a GPU with MIG that the catalogue knows", gpu);
		err_hint(err, "A100, A30, H100, H200, B200 have MIG; see data/mig_profiles.csv");
		return -EINVAL;
	}
	ret->model = g->model;

	const struct mig_profile *m;

	for (size_t i = 0; (m = catalog_mig_at(cat, ret->model, i)); i++)
		if (ret->nprofile < PLAN_MIG_PROFILES)
			ret->profile[ret->nprofile++] = m;
	ret->geom.gpu.compute = ret->all.gpu.compute = g->mig_compute_slices;
	ret->geom.gpu.memory = ret->all.gpu.memory = g->mig_memory_slices;
	ret->placed = mig_gpu_of(cat, gpu, &pack, ret->mem_bytes) &&
		      mig_gpu_all(cat, gpu, &all, NULL) && mig_gpu_within(&pack, &all, ret->type);
	if (!ret->placed)
		return 0;
	int r = mig_geom_init(&ret->geom, &pack, err);
	if (r < 0)
		return r;
	return mig_geom_init(&ret->all, &all, err);
}

int answer_mig_services(const char *dir, const char *latency, const char *rate, struct arena *mem,
			struct mig_services *ret, struct err *err)
{
	return mig_services_read(dir, latency, rate, mem, ret, err);
}

void answer_mig_services_free(struct mig_services *s)
{
	mig_services_free(s);
}

int answer_mig_running(const char *path, struct mig_running *ret, struct err *err)
{
	struct input *in;
	int r = input_open(path, &in, err);

	memset(ret, 0, sizeof *ret);
	if (r < 0)
		return r;
	r = mig_running_read(in, ret, err);
	input_close(in);
	return r;
}

void answer_mig_running_free(struct mig_running *r)
{
	mig_running_free(r);
}

/* ---- the problem ------------------------------------------------------------------------- */

/* The best batch and number of processes on each type of instance within the bound. */
static void add_service(const struct plan_mig_ask *q, struct problem *a, size_t model,
			double slo_ms, double rate)
{
	const struct mig_gpu *gpu = &q->gpu->geom.gpu;
	const struct migprof *prof = &q->services->prof[model];
	size_t s = a->n++;

	a->model[s] = model;
	a->service[s].rate = rate;
	for (size_t t = 0; t < gpu->ntype; t++)
		for (size_t i = 0; i < prof->row.n; i++) {
			const struct migprof_row *w = &prof->row.v[i];
			double thr = w->rate_s * w->procs;
			if (w->slices != gpu->type[t].compute ||
			    !(w->latency_ms < slo_ms * q->slo_frac) ||
			    !(thr > a->service[s].thr[t]))
				continue;
			a->service[s].thr[t] = thr;
			a->best[s][t] = w;
		}
}

static int load_scenario(const struct plan_mig_ask *q, size_t row, struct problem *a,
			 struct err *err)
{
	const struct mig_services *v = q->services;

	memset(a, 0, sizeof *a);
	for (size_t m = 0; m < v->n; m++) {
		double slo = v->latency.v[row * v->latency.ncol + m],
		       rate = v->rate.v[row * v->rate.ncol + m];
		if (isnan(slo) != isnan(rate))
			return err_set(err, -EINVAL,
				       "scenario %zu: '%s' has only one of latency bound and rate",
				       row + 1, v->name[m]);
		if (!isnan(rate) && rate > 0)
			add_service(q, a, m, slo, rate);
	}
	return 0;
}

static double draw_uniform(uint64_t *state)
{
	return random_frac(random_next(state));
}

/* Three models in four; the latency bound of a scenario drawn for each, 0.1 to 3 times its largest
 * rate. */
static void random_scenario(const struct plan_mig_ask *q, uint64_t *state, struct problem *a)
{
	const struct migtab *latency = &q->services->latency;

	memset(a, 0, sizeof *a);
	for (size_t m = 0; m < q->services->n; m++) {
		bool in = draw_uniform(state) < 0.75;
		size_t row = random_next(state) % latency->nrow;
		double part = 0.1 + 2.9 * draw_uniform(state), most = 0;
		const struct migtab *rate = &q->services->rate;
		for (size_t r = 0; r < rate->nrow; r++)
			if (rate->v[r * rate->ncol + m] > most)
				most = rate->v[r * rate->ncol + m];
		while (isnan(latency->v[row * latency->ncol + m]) && row + 1 < latency->nrow)
			row++;
		double slo = latency->v[row * latency->ncol + m];
		if (in && most > 0 && !isnan(slo))
			add_service(q, a, m, slo, most * part);
	}
}

/* ---- the answer -------------------------------------------------------------------------- */

static int pack_instances(const struct plan_mig_ask *q, const struct problem *a,
			  struct mig_packing *p, struct plan_mig_answer *ret, struct err *err)
{
	double from_ms = q->cpu_ms ? q->cpu_ms() : NAN;
	int r = mig_pack(&q->gpu->geom, a->n, a->service, 0, p, err);

	if (q->cpu_ms)
		ret->slowest_ms = fmax(ret->slowest_ms, q->cpu_ms() - from_ms);
	if (r < 0)
		return r;
	if (p->unservable >= 0) {
		err_set(err, -EDOM, "no instance serves '%s' within its latency bound",
			q->services->name[a->model[p->unservable]]);
		err_hint(err, "raise its bound, or profile smaller batches or larger instances");
		return -EDOM;
	}
	if (!mig_packing_ok(&q->gpu->geom, a->n, a->service, p))
		return err_set(err, -EINVAL,
			       "the layout found breaks a rule of the GPU: this is a bug");
	return 0;
}

/* ---- from today's layout ----------------------------------------------------------------- */

static int bad_line(const struct plan_mig_ask *q, const struct mig_running_row *w, struct err *err,
		    const char *what, const char *text)
{
	return err_set(err, -EINVAL, "'%s': line %lld: %s '%s'", q->running_file,
		       (long long)w->line, what, text);
}

/* -E2BIG above what mig_move() takes. */
static int check_gpus(const struct plan_mig_ask *q, struct err *err)
{
	int gpu[MIG_MOVE_GPUS];
	size_t gpus = 0;

	for (size_t i = 0; i < q->running->row.n; i++) {
		const struct mig_running_row *w = &q->running->row.v[i];
		size_t k = 0;
		while (k < gpus && gpu[k] != w->gpu)
			k++;
		if (k == MIG_MOVE_GPUS || i == MIG_MOVE_GPUS * MIG_PER_GPU) {
			err_set(err, -E2BIG,
				"'%s': line %lld: a way from today's layout is worked out for up to %d GPUs",
				q->running_file, (long long)w->line, MIG_MOVE_GPUS);
			err_hint(
				err,
				"ask for each node pool on its own: a layout of its GPUs, and its part of the rates");
			return -E2BIG;
		}
		if (k == gpus)
			gpu[gpus++] = w->gpu;
	}
	return 0;
}

static int read_today(const struct plan_mig_ask *q, const struct problem *a,
		      struct mig_today *today, struct err *err)
{
	const struct mig_gpu *c = &q->gpu->all.gpu;
	size_t n = q->running->row.n, bad;

	for (size_t i = 0; i < n; i++) {
		const struct mig_running_row *w = &q->running->row.v[i];
		int type = -1, service;

		/* The type a profile's name means; engines for media do not change where it
		 * lies. */
		size_t len = strcspn(w->profile, "+-");
		for (size_t t = 0; t < c->ntype && type < 0; t++)
			if (strlen(c->type[t].name) == len &&
			    !strncasecmp(c->type[t].name, w->profile, len))
				type = (int)t;
		if (type < 0)
			return bad_line(q, w, err, "the GPU has no profile", w->profile);

		/* Place among the problem's services; -1: nobody asks for it in this scenario.
		 * -EINVAL. */
		size_t model = 0;

		while (model < q->services->n && strcmp(q->services->name[model], w->service) != 0)
			model++;
		if (model == q->services->n) {
			bad_line(q, w, err, "no profile of the service", w->service);
			err_hint(
				err,
				"a profile is a file NAME.csv of --profiles; without one nothing can be said of where it may run");
			return -EINVAL;
		}
		service = -1;
		for (size_t s = 0; s < a->n; s++)
			if (a->model[s] == model)
				service = (int)s;

		today[i] = (struct mig_today){ w->gpu, type, w->start, service };
	}
	if (mig_today_ok(c, n, today, &bad))
		return 0;
	return bad_line(q, &q->running->row.v[bad], err,
			"beside what runs on that GPU, at that start, there is no place for",
			q->running->row.v[bad].profile);
}

/* The services with what each type of the GPU serves: one with more memory than the packer's of
 * its compute slices serves as much as that. */
static void put_services(const struct plan_mig_ask *q, const struct problem *a,
			 struct mig_service *ret)
{
	const struct mig_gpu *all = &q->gpu->all.gpu, *pack = &q->gpu->geom.gpu;

	for (size_t s = 0; s < a->n; s++) {
		ret[s] = (struct mig_service){ .rate = a->service[s].rate };
		for (size_t t = 0; t < all->ntype; t++)
			for (size_t k = 0; k < pack->ntype; k++)
				if (pack->type[k].compute == all->type[t].compute)
					ret[s].thr[t] = a->service[s].thr[k];
	}
}

static void put_move(const struct plan_mig_ask *q, const struct problem *a,
		     const struct mig_move *m, struct plan_mig_answer *ret)
{
	size_t n = m->instance.n;
	struct mig_instance *instance = arena_alloc(q->mem, (n + 1) * sizeof *instance);
	struct plan_mig_use *use = arena_alloc(q->mem, (n + 1) * sizeof *use);
	bool *stays = arena_alloc(q->mem, (n + 1) * sizeof *stays);
	struct plan_mig_running *drained = arena_alloc(q->mem, (m->drains.n + 1) * sizeof *drained);
	struct mig_step *step = arena_alloc(q->mem, (m->step.n + 1) * sizeof *step);

	for (size_t i = 0; i < n; i++) {
		const struct mig_instance *x = &m->instance.v[i];
		const struct mig_gpu *all = &q->gpu->all.gpu, *pack = &q->gpu->geom.gpu;
		size_t k = 0;

		while (pack->type[k].compute != all->type[x->type].compute)
			k++;
		const struct migprof_row *b = a->best[x->service][k];
		instance[i] = *x;
		stays[i] = m->stays.v[i] >= 0;
		use[i] = (struct plan_mig_use){ .service = q->services->name[a->model[x->service]],
						.rate_s = a->service[x->service].thr[k] };
		if (b) {
			use[i].batch = b->batch;
			use[i].procs = b->procs;
		}
	}
	ret->ndrained = 0;
	for (size_t i = 0; i < m->drains.n; i++) {
		const struct mig_running_row *w = &q->running->row.v[i];
		if (m->drains.v[i])
			drained[ret->ndrained++] = (struct plan_mig_running){ w->gpu, w->start,
									      w->profile,
									      w->service };
	}
	for (size_t i = 0; i < m->step.n; i++)
		step[i] = m->step.v[i];
	ret->instance = instance;
	ret->use = use;
	ret->ninstance = n;
	ret->stays = stays;
	ret->drained = drained;
	ret->step = step;
	ret->nstep = m->step.n;
}

/* Is this way to be taken in place of the one taken so far? Ways come by GPUs, the fewest first. */
static bool is_better(const struct plan_mig_ask *q, const struct plan_mig_way *best,
		      const struct plan_mig_way *w)
{
	if (!best)
		return true;
	if (q->max_drained < 0 || best->drained <= q->max_drained)
		return false;
	return w->drained < best->drained;
}

/* The ways to `fewest` GPUs and more; the layout of the best. */
static int add_ways(const struct plan_mig_ask *q, const struct problem *a,
		    const struct mig_move_in *in, int fewest, struct plan_mig_answer *ret,
		    struct err *err)
{
	struct plan_mig_way *way = arena_alloc(q->mem, (WAYS + 1) * sizeof *way), *best = NULL;
	int r = 0, most = max_int(ret->gpus_today, fewest);

	for (int k = fewest; k <= most && r >= 0; k++) {
		struct mig_move m;
		if (k >= fewest + WAYS && k < most)
			continue;
		r = mig_move(in, k, &m, err);
		if (r == 1 && !mig_move_ok(in, k, &m))
			r = err_set(err, -EINVAL,
				    "the way found breaks a rule of the GPU: this is a bug");
		/* one GPU more that nothing uses is no other way */
		bool other = r == 1 && (!ret->nway || m.gpus > way[ret->nway - 1].gpus);
		if (other) {
			struct plan_mig_way *w = &way[ret->nway++];
			*w = (struct plan_mig_way){
				.gpus = m.gpus,
				.kept = m.kept,
				.drained = m.drained,
				.made = m.made,
				.low_frac = m.low_frac,
				.low_service = q->services->name[a->model[m.low_service]]
			};
			if (is_better(q, best, w)) {
				best = w;
				put_move(q, a, &m, ret);
			}
		}
		mig_move_free(&m);
	}
	ret->way = way;
	if (best)
		best->taken = true;
	ret->none_within = best && q->max_drained >= 0 && best->drained > q->max_drained;
	return r;
}

static int from_today(const struct plan_mig_ask *q, const struct problem *a, int fewest,
		      struct plan_mig_answer *ret, struct err *err)
{
	struct mig_service service[MIG_SERVICES];
	size_t n = q->running->row.n;
	struct mig_today *today = arena_alloc(q->mem, (n + 1) * sizeof *today);
	struct mig_move_in in = { .pack = &q->gpu->geom,
				  .gpu = &q->gpu->all.gpu,
				  .nservice = a->n,
				  .service = service,
				  .ntoday = n,
				  .today = today };
	int r = check_gpus(q, err);

	if (r >= 0)
		r = read_today(q, a, today, err);
	if (r < 0)
		return r;
	memcpy(in.type, q->gpu->type, sizeof in.type);
	put_services(q, a, service);
	ret->from_today = true;

	int gpus_in_use = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;
		while (k < i && today[k].gpu != today[i].gpu)
			k++;
		gpus_in_use += k == i;
	}
	ret->gpus_today = gpus_in_use;
	return add_ways(q, a, &in, fewest, ret, err);
}

static int add_row(const struct plan_mig_ask *q, size_t number, const struct problem *a,
		   struct plan_mig_row *row, struct plan_mig_answer *ret, struct err *err)
{
	struct mig_packing p = { 0 };
	int r = pack_instances(q, a, &p, ret, err);

	if (r >= 0) {
		*row = (struct plan_mig_row){ number, a->n, p.gpus, p.lower_bound, p.proven };
		ret->n++;
		ret->gpus += p.gpus;
		ret->lower_bound += p.lower_bound;
		ret->proven += p.proven;
		if (q->scenario) {
			size_t n = p.instance.n;
			struct mig_instance *instance = arena_alloc(q->mem,
								    (n + 1) * sizeof *instance);
			struct plan_mig_use *use = arena_alloc(q->mem, (n + 1) * sizeof *use);

			for (size_t i = 0; i < n; i++) {
				const struct mig_instance *x = &p.instance.v[i];
				const struct migprof_row *b = a->best[x->service][x->type];
				instance[i] = *x;
				instance[i].type = q->gpu->type[x->type];
				use[i] = (struct plan_mig_use){
					q->services->name[a->model[x->service]], b->batch, b->procs,
					a->service[x->service].thr[x->type]
				};
			}
			ret->instance = instance;
			ret->use = use;
			ret->ninstance = n;
		}
		if (q->scenario && q->running)
			r = from_today(q, a, p.gpus, ret, err);
	}
	mig_packing_free(&p);
	if (r < 0)
		return r;
	return 0;
}

int answer_plan_mig(const struct plan_mig_ask *q, struct plan_mig_answer *ret, struct err *err)
{
	struct plan_mig_answer a = { .gpu = q->gpu,
				     .random = !q->scenario && q->mixes,
				     .slowest_ms = num_if(q->cpu_ms, 0) };
	size_t first = q->scenario ? q->scenario - 1 : 0;
	size_t n = q->scenario ? 1 : q->services->latency.nrow;
	if (a.random)
		n = q->mixes;
	struct plan_mig_row *row = arena_alloc(q->mem, (n + 1) * sizeof *row);
	uint64_t state = q->seed;
	struct problem p;
	int r = 0;

	if (!q->gpu->placed) {
		err_set(err, -EINVAL, "where instances may start on %s is not known",
			q->gpu->model);
		err_hint(err, "its driver says it: nvidia-smi mig -lgipp");
		return -EINVAL;
	}
	for (size_t i = 0; i < n && r >= 0; i++) {
		if (a.random)
			random_scenario(q, &state, &p);
		else
			r = load_scenario(q, first + i, &p, err);
		if (r >= 0)
			r = add_row(q, first + i + 1, &p, &row[i], &a, err);
	}
	a.row = row;
	if (r >= 0)
		*ret = a;
	return r;
}
