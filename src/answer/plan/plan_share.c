#include "answer/plan/plan_share.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "answer/plan/plan_share_in.h"
#include "base/input.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "feed/planner/plan_csv.h"
#include "plan/share/share_gpu.h"

#define DEFAULT_GPU "A100-SXM4-80GB"

/* ---- who is asked about ------------------------------------------------------------------ */

static enum plan_share share_of(const char *word, bool *told)
{
	*told = *word != 0;
	if (!strcmp(word, "others"))
		return PLAN_SHARE_OTHERS;
	if (strcmp(word, "nobody"))
		return PLAN_SHARE_TEAM;
	return PLAN_SHARE_NOBODY;
}

/* A tenant a replica; -E2BIG above what share_pack() decides. */
static int add_rows(const struct plan_share_ask *q, const struct plan_tenants *t,
		    struct share_asked_list *ret, struct err *err)
{
	for (size_t i = 0; i < t->v.n; i++) {
		const struct plan_tenant *x = &t->v.v[i];
		size_t n = ret->n + (size_t)x->replicas;
		if (n > SHARE_TENANTS) {
			err_set(err, -E2BIG,
				"'%s': row %zu, '%s': %zu tenants up to here, each replica one: at most %d are decided at once",
				q->file, i + 1, x->name, n, SHARE_TENANTS);
			err_hint(
				err,
				"ask for each pool of GPUs on its own, with a file of its tenants");
			return -E2BIG;
		}

		struct arena *mem = q->ask.mem;

		for (int64_t k = 0; k < x->replicas; k++) {
			struct share_asked a = { .name = arena_sv(mem, sv_of(x->name)),
						 .service = x->replicas > 1
								    ? arena_sv(mem, sv_of(x->name))
								    : "",
						 .owner = arena_sv(mem, sv_of(x->owner)),
						 .gpu_model = text_or(q->gpu, DEFAULT_GPU),
						 .mem_bytes = x->mem_bytes,
						 .gpu_bytes = NAN,
						 .load_frac = x->load_frac,
						 .nano_gpu_hour = NAN,
						 .interactive = x->interactive };
			a.share_with = share_of(x->share_with, &a.told);
			*vec_push(ret) = a;
		}
	}
	return 0;
}

/* ---- one model of GPU ------------------------------------------------------------------- */

struct group {
	const struct plan_share_ask *q;
	const struct share_asked *asked; /* [n] */
	struct share_tenant *tenant;     /* [n] */
	size_t n;
	const char *gpu_model;
	const struct plan_share_model *gpu;
};

static bool is_too_large(const struct group *g, size_t i)
{
	return share_mem_need(g->tenant[i].mem_p99_bytes) > g->gpu->share.mem_bytes;
}

/* Why it can have no neighbour at all, whoever comes; NULL: it can. */
static const char *never_why(const struct group *g, size_t i)
{
	const struct share_tenant *t = &g->tenant[i];

	if (t->alone)
		return "its owner wants no neighbour on the GPU";
	if (isnan(t->mem_p99_bytes) || isnan(t->peak_util_frac))
		return "its memory or load is not known: nothing is shared unseen";
	if (is_too_large(g, i))
		return "its memory, with a tenth more, is more than the GPU has";
	if (t->peak_util_frac > g->q->target_util_frac)
		return "in its busiest minutes it alone is above the target";
	return NULL;
}

static void put_gpus(const struct group *g, const struct share_packing *p,
		     struct plan_share_answer *ret)
{
	for (size_t i = 0; i < p->gpu.n; i++) {
		const struct share_packed *c = &p->gpu.v[i];
		struct plan_share_gpu *o = &ret->gpu[ret->ngpu];
		const char *why = c->how.why;
		if (c->n == 1) {
			why = never_why(g, c->tenant[0]);
			why = text_or(
				why,
				"nobody that may be beside it has room left: see what is not shared");
		}
		*o = (struct plan_share_gpu){ .number = (int64_t)++ret->ngpu,
					      .gpu_model = g->gpu_model,
					      .how = share_kind_name(c->how.kind),
					      .why = why,
					      .member = arena_zalloc(g->q->ask.mem,
								     c->n * sizeof *o->member),
					      .nmember = c->n };
		for (size_t k = 0; k < c->n; k++) {
			const struct share_asked *a = &g->asked[c->tenant[k]];
			o->member[k] = (struct plan_share_member){
				a->name,      a->owner,     a->interactive ? "notebook" : "service",
				a->mem_bytes, a->load_frac, NULL,
				INT_MIN,      UNKNOWN_I64
			};

			/* What the tenant gets of the GPU. */
			struct plan_share_member *m = &o->member[k];
			double all = 0;

			for (size_t j = 0; j < c->n; j++)
				all += g->asked[c->tenant[j]].load_frac;
			if (c->how.kind == SHARE_MIG)
				m->profile = share_profile(g->q->ask.mem, g->gpu, c->how.type[k]);
			if (c->how.kind != SHARE_MPS)
				continue;
			m->threads_pct = share_threads_pct(m->load_frac, all,
							   1 / g->q->target_util_frac);
			m->mem_mib = (int64_t)ceil(share_mem_need(m->mem_bytes) / (1 << 20));
		}
	}
}

/* Why the one of them that is alone on its GPU is not with the other. */
static const char *why_apart(const struct group *g, size_t a, size_t b)
{
	const struct share_tenant pair[] = { g->tenant[a], g->tenant[b] };
	struct share_answer how;

	share_decide(&g->gpu->share, 2, pair, g->q->target_util_frac, &how);
	if (how.kind == SHARE_WHOLE)
		return how.why;
	return "they could share, but not with all that are on that GPU now";
}

static void add_apart(const struct group *g, size_t lone, struct plan_share_answer *ret,
		      size_t first)
{
	for (size_t k = 0; k < g->n; k++) {
		if (k == lone || never_why(g, k))
			continue;
		const char *why = why_apart(g, lone, k);
		size_t i = first;
		while (i < ret->napart && strcmp(ret->apart[i].why, why) != 0)
			i++;
		if (i < ret->napart) {
			ret->apart[i].others++;
			continue;
		}
		ret->apart[ret->napart++] = (struct plan_share_apart){
			.tenant = g->asked[lone].name, .with = g->asked[k].name, .why = why
		};
	}
}

#define WHYS 12 /* different sentences that share_decide() and why_apart() have for a pair */

/* Replicas of a service say the same: the first of them speaks. */
static bool is_told(const struct group *g, const struct share_packing *p, size_t gpu)
{
	const struct share_asked *a = &g->asked[p->gpu.v[gpu].tenant[0]];

	for (size_t i = 0; i < gpu && *a->service; i++)
		if (p->gpu.v[i].n == 1 &&
		    !strcmp(g->asked[p->gpu.v[i].tenant[0]].service, a->service))
			return true;
	return false;
}

/* An hour of the GPUs that are freed, the cheapest of them; NAN: a price is not known. */
static double freed_nano_hour(const struct group *g, size_t freed)
{
	double *price = xcalloc(g->n, sizeof *price), sum = 0;
	bool known = true;

	for (size_t i = 0; i < g->n; i++) {
		price[i] = g->asked[i].nano_gpu_hour;
		known &= !isnan(price[i]);
	}
	if (known)
		sort_items(price, g->n, sizeof *price, rising_double);
	for (size_t i = 0; i < freed; i++)
		sum += price[i];
	free(price);
	if (known || !freed)
		return sum;
	return NAN;
}

/* ---- all of them ------------------------------------------------------------------------- */

static int by_model(const void *pa, const void *pb)
{
	const struct share_asked *a = pa, *b = pb;
	int d = strcmp(a->gpu_model, b->gpu_model);

	if (d)
		return d;
	return strcmp(a->name, b->name);
}

static int decide_model(const struct plan_share_ask *q, const struct share_asked *asked, size_t n,
			struct plan_share_answer *ret, double *nano_hour, struct err *err)
{
	const struct gpu_spec *spec = catalog_gpu(q->ask.catalog, sv_of(asked[0].gpu_model));
	struct plan_share_model *gpu = xcalloc(1, sizeof *gpu);
	struct group g = { .q = q,
			   .asked = asked,
			   .tenant = xcalloc(n, sizeof *g.tenant),
			   .n = n,
			   .gpu_model = spec ? spec->model : asked[0].gpu_model,
			   .gpu = gpu };
	int r = 0;

	for (size_t i = 0; i < n; i++) {
		const struct share_asked *a = &asked[i];
		bool anybody = a->told ? a->share_with == PLAN_SHARE_OTHERS
				       : q->across != ACROSS_NONE;
		g.tenant[i] = (struct share_tenant){
			.team = q->across == ACROSS_ALL && anybody ? "*" : a->owner,
			.mem_p99_bytes = a->mem_bytes,
			.peak_util_frac = a->load_frac,
			.latency_bound = !a->interactive,
			.alone = a->told && a->share_with == PLAN_SHARE_NOBODY,
			.with_others = anybody,
			.interactive = a->interactive,
			.service = a->service,
			.promised = a->promised,
			.room_frac = a->room_frac,
		};
	}
	if (!share_gpu_of(q->ask.catalog, asked[0].gpu_model, asked[0].gpu_bytes, gpu)) {
		r = err_set(err, -EINVAL, "'%s' is not a GPU that the catalogue knows",
			    asked[0].gpu_model);
		err_hint(err, "name one that tare price knows, such as --gpu A100-80GB");
	}
	struct share_packing p;
	if (r >= 0)
		r = share_pack(&gpu->share, n, g.tenant, q->target_util_frac, &p, err);
	if (r >= 0) {
		for (size_t i = 0; i < n; i++)
			ret->too_large += is_too_large(&g, i);
		ret->gpus += p.gpu.n;
		*nano_hour += freed_nano_hour(&g, n - p.gpu.n);
		ret->lower_bound += p.proven ? p.gpu.n : p.lower_bound;
		ret->proven &= p.proven;
		put_gpus(&g, &p, ret);
		for (size_t i = 0; i < p.gpu.n; i++) {
			size_t first = p.gpu.v[i].tenant[0];
			bool lone = p.gpu.v[i].n == 1 && !never_why(&g, first);
			if (lone && !is_told(&g, &p, i))
				add_apart(&g, first, ret, ret->napart);
		}
		share_packing_free(&p);
	}
	free(g.tenant);
	free(gpu);
	return r;
}

static int decide_all(const struct plan_share_ask *q, struct share_asked_list *t,
		      struct plan_share_answer *ret, struct err *err)
{
	struct arena *mem = q->ask.mem;
	double nano_hour = 0;
	int r = 0;

	if (!t->n)
		return err_set(err, -ENODATA, "no service or notebook with a GPU of its own");
	sort_items(t->v, t->n, sizeof *t->v, by_model);
	ret->tenants = t->n;
	ret->proven = true;
	ret->gpu = arena_zalloc(mem, t->n * sizeof *ret->gpu);
	ret->apart = arena_zalloc(mem, t->n * WHYS * sizeof *ret->apart);
	for (size_t i = 0, k; i < t->n && r >= 0; i = k) {
		for (k = i + 1; k < t->n && !strcmp(t->v[k].gpu_model, t->v[i].gpu_model); k++)
			;
		r = decide_model(q, t->v + i, k - i, ret, &nano_hour, err);
	}
	if (r >= 0) {
		int64_t hours = llround(q->month_hours);

		ret->priced = q->usd_gpu_hour || (!q->file && !isnan(nano_hour));
		if (q->usd_gpu_hour) {
			ret->currency = "USD";
			ret->worth_month = dec_muldiv(
				q->usd_gpu_hour, hours * (int64_t)(ret->tenants - ret->gpus), 1);
		} else if (ret->priced) {
			ret->worth_month = nano_to_dec(llround(nano_hour * (double)hours));
		}
	}
	return r;
}

int answer_plan_share(const struct plan_share_ask *q, struct plan_share_answer *ret,
		      struct err *err)
{
	struct share_asked_list t = { 0 };
	int r;

	*ret = (struct plan_share_answer){ 0 };
	if (q->file) {
		struct input *in = NULL;
		struct plan_tenants x;
		if ((r = input_open(q->file, &in, err)) < 0)
			return r;
		if ((r = plan_tenants_read(in, &x, err)) >= 0) {
			r = add_rows(q, &x, &t, err);
			plan_tenants_free(&x);
		}
		input_close(in);
	} else
		r = share_ask_fleet(q, &t, ret, err);
	if (r >= 0) {
		/* Those of one model of GPU, where one is asked about. */
		const struct gpu_spec *want = q->gpu ? catalog_gpu(q->ask.catalog, sv_of(q->gpu))
						     : NULL;
		size_t n = 0;

		for (size_t i = 0; i < t.n && q->gpu; i++)
			if (catalog_gpu(q->ask.catalog, sv_of(t.v[i].gpu_model)) == want)
				t.v[n++] = t.v[i];
		if (q->gpu)
			t.n = n;
	}
	if (r >= 0)
		r = decide_all(q, &t, ret, err);
	vec_free(&t);
	if (r < 0)
		return r;
	return 0;
}

void plan_share_free(struct plan_share_answer *a)
{
	vec_free(&a->note);
}
