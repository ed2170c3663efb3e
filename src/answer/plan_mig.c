#include "answer/plan_mig.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "feed/migprof.h"
#include "plan/mig_card.h"

_Static_assert(MIGPROF_MAX <= MIG_SERVICES, "every service can be packed");

struct problem { /* a scenario or mix */
	size_t n;
	size_t model[MIG_SERVICES]; /* place among the services of the ask */
	struct mig_service service[MIG_SERVICES];
	const struct migprof_row *best[MIG_SERVICES][MIG_TYPES];
};

int answer_mig_card(const struct catalog *cat, const char *gpu, struct plan_mig_card *ret,
		    struct err *err)
{
	struct mig_card card;

	if (!mig_card_of(cat, gpu, &card, ret->mem_bytes)) {
		err_set(err, -EINVAL, "'%s' is no GPU with MIG that the catalogue knows", gpu);
		err_hint(err, "A100, A30, H100, H200, B200 have MIG; see data/mig_profiles.csv");
		return -EINVAL;
	}
	ret->model = catalog_gpu(cat, sv_of(gpu))->model;
	return mig_geom_init(&ret->geom, &card, err);
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

/* ---- the problem ------------------------------------------------------------------------- */

/* The best batch and number of processes on each type of instance within the bound. */
static void add_service(const struct plan_mig_ask *q, struct problem *a, size_t model,
			double slo_ms, double rate)
{
	const struct mig_card *card = &q->card->geom.card;
	const struct migprof *prof = &q->services->prof[model];
	size_t s = a->n++;

	a->model[s] = model;
	a->service[s].rate = rate;
	for (size_t t = 0; t < card->ntype; t++)
		for (size_t i = 0; i < prof->row.n; i++) {
			const struct migprof_row *w = &prof->row.v[i];
			double thr = w->rate_s * w->procs;
			if (w->slices != card->type[t].compute ||
			    !(w->latency_ms < slo_ms * q->slo_frac) ||
			    !(thr > a->service[s].thr[t]))
				continue;
			a->service[s].thr[t] = thr;
			a->best[s][t] = w;
		}
}

static int scenario(const struct plan_mig_ask *q, size_t row, struct problem *a, struct err *err)
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

static uint64_t mix64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64, Steele et al. 2014 */

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static double uniform(uint64_t *state)
{
	return (double)(mix64(state) >> 11) * 0x1p-53;
}

static double most_of(const struct migtab *t, size_t col)
{
	double most = 0;

	for (size_t r = 0; r < t->nrow; r++)
		if (t->v[r * t->ncol + col] > most)
			most = t->v[r * t->ncol + col];
	return most;
}

/* Three models in four; the latency bound of a scenario drawn for each, 0.1 to 3 times its largest
 * rate. */
static void random_mix(const struct plan_mig_ask *q, uint64_t *state, struct problem *a)
{
	const struct migtab *latency = &q->services->latency;

	memset(a, 0, sizeof *a);
	for (size_t m = 0; m < q->services->n; m++) {
		bool in = uniform(state) < 0.75;
		size_t row = mix64(state) % latency->nrow;
		double part = 0.1 + 2.9 * uniform(state), most = most_of(&q->services->rate, m);
		while (isnan(latency->v[row * latency->ncol + m]) && row + 1 < latency->nrow)
			row++;
		double slo = latency->v[row * latency->ncol + m];
		if (in && most > 0 && !isnan(slo))
			add_service(q, a, m, slo, most * part);
	}
}

/* ---- the answer -------------------------------------------------------------------------- */

static int check(const struct plan_mig_ask *q, const struct problem *a, const struct mig_packing *p,
		 struct err *err)
{
	if (p->unservable >= 0) {
		err_set(err, -EDOM, "no instance serves '%s' within its latency bound",
			q->services->name[a->model[p->unservable]]);
		err_hint(err, "raise its bound, or profile smaller batches or larger instances");
		return -EDOM;
	}
	if (!mig_packing_ok(&q->card->geom, a->n, a->service, p))
		return err_set(err, -EINVAL,
			       "the layout found breaks a rule of the card: this is a bug");
	return 0;
}

static int pack(const struct plan_mig_ask *q, const struct problem *a, struct mig_packing *p,
		struct plan_mig_answer *ret, struct err *err)
{
	double from_ms = q->cpu_ms ? q->cpu_ms() : NAN;
	int r = mig_pack(&q->card->geom, a->n, a->service, 0, p, err);

	if (q->cpu_ms)
		ret->slowest_ms = fmax(ret->slowest_ms, q->cpu_ms() - from_ms);
	return r < 0 ? r : check(q, a, p, err);
}

static void put_layout(const struct plan_mig_ask *q, const struct problem *a,
		       const struct mig_packing *p, struct plan_mig_answer *ret)
{
	size_t n = p->instance.n;
	struct mig_instance *instance = arena_alloc(q->mem, (n + 1) * sizeof *instance);
	struct plan_mig_use *use = arena_alloc(q->mem, (n + 1) * sizeof *use);

	for (size_t i = 0; i < n; i++) {
		const struct mig_instance *x = &p->instance.v[i];
		const struct migprof_row *b = a->best[x->service][x->type];
		instance[i] = *x;
		use[i] = (struct plan_mig_use){ q->services->name[a->model[x->service]], b->batch,
						b->procs, a->service[x->service].thr[x->type] };
	}
	ret->instance = instance;
	ret->use = use;
	ret->ninstance = n;
}

static int add_row(const struct plan_mig_ask *q, size_t number, const struct problem *a,
		   struct plan_mig_row *row, struct plan_mig_answer *ret, struct err *err)
{
	struct mig_packing p = { 0 };
	int r = pack(q, a, &p, ret, err);

	if (r >= 0) {
		*row = (struct plan_mig_row){ number, a->n, p.gpus, p.lower_bound, p.proven };
		ret->n++;
		ret->gpus += p.gpus;
		ret->lower_bound += p.lower_bound;
		ret->proven += p.proven;
		if (q->scenario)
			put_layout(q, a, &p, ret);
	}
	mig_packing_free(&p);
	return r < 0 ? r : 0;
}

int answer_plan_mig(const struct plan_mig_ask *q, struct plan_mig_answer *ret, struct err *err)
{
	struct plan_mig_answer a = { .card = q->card,
				     .random = !q->scenario && q->mixes,
				     .slowest_ms = q->cpu_ms ? 0 : NAN };
	size_t first = q->scenario ? q->scenario - 1 : 0;
	size_t n = a.random ? q->mixes : q->scenario ? 1 : q->services->latency.nrow;
	struct plan_mig_row *row = arena_alloc(q->mem, (n + 1) * sizeof *row);
	uint64_t state = q->seed;
	struct problem p;
	int r = 0;

	for (size_t i = 0; i < n && r >= 0; i++) {
		if (a.random)
			random_mix(q, &state, &p);
		else
			r = scenario(q, first + i, &p, err);
		r = r < 0 ? r : add_row(q, first + i + 1, &p, &row[i], &a, err);
	}
	a.row = row;
	if (r >= 0)
		*ret = a;
	return r;
}
