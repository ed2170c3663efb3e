#include "report/cost/kpi_sums.h"
#include "base/num.h"
#include "base/sort.h"
#include "model/known.h"

#include <stdlib.h>

#include "report/cost/cube.h"
#include "report/text.h"

typedef VEC(dec) decs;

bool kpi_is_success(struct sv state)
{
	static const char *const word[] = { "completed", "complete",  "succeeded", "success",
					    "pass",      "passed",    "finished",  "done",
					    "ok",        "terminated" };

	for (size_t i = 0; i < sizeof word / sizeof *word; i++)
		if (sv_ieq(state, sv_of(word[i])))
			return true;
	return false;
}

/* The earlier of two instants that are known; else the one that is. */
static int64_t earlier_known(int64_t a, int64_t b)
{
	if (a == UNKNOWN_MS || b == UNKNOWN_MS)
		return max_i64(a, b); /* UNKNOWN_MS is less than any instant */
	return min_i64(a, b);
}

static int by_dec(const void *a, const void *b)
{
	return cmp_dec(*(const dec *)a, *(const dec *)b);
}

/* Nearest rank: the smallest value with at least that share of all at or below it. */
static struct kpi_spread spread_of(decs *v)
{
	struct kpi_spread s = { .n = v->n };

	if (!v->n)
		return s;
	sort_items(v->v, v->n, sizeof *v->v, by_dec);
	for (size_t i = 0; i < v->n; i++)
		s.sum += v->v[i];
	s.mean = div_half_even(s.sum, (__int128)v->n);
	s.median = v->v[(v->n + 1) / 2 - 1];
	s.p90 = v->v[(v->n * 9 + 9) / 10 - 1];
	return s;
}

/* ---- cost per job ------------------------------------------------------------------------ */

struct group {
	dec cost;
	int64_t ms, unpriced_ms;
};

static const char *cell_currency(const struct kpi_in *in, const struct report_cell *c)
{
	struct report_in r = { .conf = in->conf };

	if (*c->currency)
		return c->currency;
	return report_currency(&r);
}

/* Costs of training jobs (or runs) of a currency. A job whose time is all without a price has no
 * cost: it is left out and counted. */
static struct kpi_spread per_job(const struct kpi_in *in, const char *currency, int dim,
				 size_t *ret_unpriced)
{
	struct intern names = { 0 };
	VEC(struct group) group = { 0 };
	decs cost = { 0 };

	for (size_t i = 0; i < in->of.njob; i++) {
		const struct report_cell *c = &in->of.job[i];
		if (strcmp(c->dim[KPI_WORKLOAD], "training") || !*c->dim[dim] ||
		    strcmp(cell_currency(in, c), currency))
			continue;
		size_t id = intern_add(&names, sv_of(c->dim[dim]));
		if (id == group.n)
			*vec_push(&group) = (struct group){ 0 };
		group.v[id].cost += c->cost;
		if (c->is_gpu)
			group.v[id].ms += c->ms;
		group.v[id].unpriced_ms += c->unpriced_ms;
	}
	*ret_unpriced = 0;
	for (size_t i = 0; i < group.n; i++)
		if (!group.v[i].cost && group.v[i].ms && group.v[i].unpriced_ms == group.v[i].ms)
			++*ret_unpriced;
		else
			*vec_push(&cost) = group.v[i].cost;
	struct kpi_spread s = spread_of(&cost);
	intern_free(&names);
	vec_free(&group);
	vec_free(&cost);
	return s;
}

/* ---- lost -------------------------------------------------------------------------------- */

struct figure kpi_lost(const struct kpi_block *b)
{
	struct figure lost = figure_of(&b->total, STATE_LOST);

	if (!b->jobs_known && lost.ms == 0)
		return (struct figure){ .ms = UNKNOWN_MS };
	return lost;
}

static int cmp_cause(const void *a, const void *b)
{
	const struct kpi_cause *x = a, *y = b;

	if (x->ms != y->ms)
		return cmp_i64(y->ms, x->ms);
	return (int)x->cause - (int)y->cause;
}

/* ---- allocation -------------------------------------------------------------------------- */

/* Where paid time is known by those who held it alone, that all of it was held says nothing. */
static bool allocation_known(const struct kpi_in *in, const struct kpi_block *b)
{
	int64_t recorded_ms = 0;

	for (size_t i = 0; i < in->of.njob; i++) {
		const struct report_cell *c = &in->of.job[i];
		if (c->is_gpu && !strcmp(cell_currency(in, c), b->currency))
			recorded_ms += c->measured_ms + c->estimated_ms;
	}
	return recorded_ms > 0 || b->total.state[STATE_UNALLOCATED].ms > 0;
}

/* ---- commitments ------------------------------------------------------------------------- */

static enum kpi_use use_known(const struct kpi_in *in, const struct kpi_block *b, bool unspread)
{
	if (in->basis != BASIS_EFFECTIVE)
		return USE_OTHER_BASIS;
	if (unspread)
		return USE_UNSPREAD;
	if (b->committed_unpriced_ms)
		return USE_UNPRICED;
	return USE_KNOWN;
}

/* Does the bill of a provider name commitments, so that its lines say what they covered? */
static bool names_commitments(const struct kpi_in *in, const char *provider)
{
	for (size_t k = 0; k < in->of.nbuy; k++) {
		const char *const *dim = in->of.buy[k].dim;
		bool names = *dim[KPI_COMMITMENT] ||
			     kind_of(sv_of(dim[KPI_KIND])) == KIND_COMMITMENT_UNUSED;

		if (names && !strcmp(dim[KPI_PROVIDER], provider))
			return true;
	}
	return false;
}

static void sum_commitments(const struct kpi_in *in, struct kpi_block *b)
{
	dec elsewhere =
		0; /* cost of use that no line calls so: of bills without such words, or of none */
	bool unspread = false;

	for (size_t k = 0; k < in->of.nbuy; k++) {
		const struct report_cell *c = &in->of.buy[k];
		bool gpu = c->is_gpu && purchase_terms(sv_of(c->dim[KPI_PURCHASE])).commitment;

		if (strcmp(cell_currency(in, c), b->currency))
			continue;
		if (kind_of(sv_of(c->dim[KPI_KIND])) == KIND_COMMITMENT_UNUSED) {
			b->unused += c->cost;
		} else if (gpu) {
			b->committed_ms += c->ms;
			b->committed_unpriced_ms += c->unpriced_ms;
			b->committed += c->cost;
			elsewhere += dec_counted(!names_commitments(in, c->dim[KPI_PROVIDER]),
						 c->cost);
		}
	}
	/* a machine under a commitment may have parts that are not: what is covered the bill's
	 * lines say, where they do */
	b->used = b->committed;
	for (size_t k = 0; k < in->of.nbill; k++) {
		const struct bill_total *bill = &in->of.bill[k];

		if (!sv_is(bill->currency, b->currency))
			continue;
		if (bill->used > 0)
			b->used = bill->used + elsewhere;
		unspread |= bill->unspread > 0;
	}
	b->use = use_known(in, b, unspread);
}

/* ---- services ---------------------------------------------------------------------------- */

/* "search/ranker" is also the job "ranker". */
static bool names_service(const char *value, struct sv service)
{
	struct sv tail = service;

	for (size_t i = service.n; i-- > 0;)
		if (service.p[i] == '/') {
			tail = (struct sv){ service.p + i + 1, service.n - i - 1 };
			break;
		}
	return *value && (sv_is(service, value) || sv_is(tail, value));
}

static bool take_cost(const struct kpi_in *in, const char *currency, int dim, const char *workload,
		      struct kpi_service_cost *s)
{
	bool any = false;

	for (size_t i = 0; i < in->of.njob; i++) {
		const struct report_cell *c = &in->of.job[i];
		if (strcmp(cell_currency(in, c), currency))
			continue;
		bool is_of = dim == KPI_SERVICE ? sv_is(s->s->service, c->dim[dim])
						: names_service(c->dim[dim], s->s->service);
		if (workload)
			is_of = !strcmp(c->dim[KPI_WORKLOAD], workload);
		if (!is_of)
			continue;
		s->cost += c->cost;
		if (c->is_gpu)
			s->ms += c->ms;
		s->unpriced_ms += c->unpriced_ms;
		any = true;
	}
	return any;
}

static bool alloc_is_of(const struct allocation *a, struct sv service)
{
	struct sv field[] = { a->job_id, a->name, a->project };
	char name[256];

	for (size_t i = 0; i < sizeof field / sizeof *field; i++) {
		if (!field[i].n || field[i].n >= sizeof name)
			continue;
		memcpy(name, field[i].p, field[i].n);
		name[field[i].n] = 0;
		if (names_service(name, service))
			return true;
	}
	return false;
}

/* Has the ledger time of this service, in any currency? */
static bool is_in_ledger(const struct kpi_in *in, struct sv service)
{
	for (size_t i = 0; i < in->of.njob; i++)
		if (sv_is(service, in->of.job[i].dim[KPI_SERVICE]))
			return true;
	return false;
}

static void service_costs(const struct kpi_in *in, struct kpi_block *b)
{
	static const struct {
		int dim;
		const char *name;
	} by[] = { { KPI_JOB, "job" }, { KPI_RUN, "run" }, { KPI_PROJECT, "project" } };

	for (size_t i = 0; i < in->of.nservice; i++) {
		const struct kpi_service *service = &in->of.service[i];
		struct kpi_service_cost s = { .s = service, .ttv_ms = UNKNOWN_MS };

		/* First submit (or start) of an allocation of the service to its first served
		 * request. */
		int64_t first = UNKNOWN_MS;
		for (size_t k = 0; k < in->of.nalloc; k++)
			if (alloc_is_of(&in->of.alloc[k], service->service))
				first = earlier_known(first, in->of.alloc[k].submit_ms);
		bool timed = first != UNKNOWN_MS && service->first_ms != UNKNOWN_MS;
		if (timed && service->first_ms >= first)
			s.ttv_ms = service->first_ms - first;
		bool own = service->service.n && is_in_ledger(in, service->service);
		if (own && take_cost(in, b->currency, KPI_SERVICE, NULL, &s))
			s.match = "service";
		for (size_t k = 0; k < sizeof by / sizeof *by && !s.match && !own; k++)
			if (take_cost(in, b->currency, by[k].dim, NULL, &s))
				s.match = by[k].name;
		bool only = !s.match && !own && in->of.nservice == 1;
		if (only && take_cost(in, b->currency, KPI_WORKLOAD, "inference", &s))
			s.match = "workload";
		s.has_cost = s.match && cost_is_known(s.cost, s.ms, s.unpriced_ms);
		*vec_push(&b->service) = s;
	}
}

/* ---- time-to-value ----------------------------------------------------------------------- */

struct attempt {
	int64_t submit_ms, success_ms;
};

/* Jobs of the cells: those that serve (their first value is a request, not an end), or all. */
static void jobs_of(const struct kpi_in *in, bool serving, struct intern *ret)
{
	for (size_t i = 0; i < in->of.njob; i++)
		if (*in->of.job[i].dim[KPI_JOB] &&
		    (!serving || !strcmp(in->of.job[i].dim[KPI_WORKLOAD], "inference")))
			intern_add(ret, sv_of(in->of.job[i].dim[KPI_JOB]));
}

static void time_to_value(const struct kpi_in *in, struct kpi *k)
{
	struct intern names = { 0 }, serving = { 0 }, shown = { 0 };
	VEC(struct attempt) job = { 0 };
	decs times = { 0 };

	jobs_of(in, true, &serving);
	jobs_of(in, false, &shown);
	for (size_t i = 0; i < in->of.nalloc; i++) {
		const struct allocation *a = &in->of.alloc[i];
		if (!a->job_id.n || a->open_end || intern_find(&serving, a->job_id) >= 0)
			continue;
		if (in->where && intern_find(&shown, a->job_id) < 0)
			continue; /* the cells are filtered, the allocations are not */
		size_t id = intern_add(&names, a->job_id);
		if (id == job.n)
			*vec_push(&job) = (struct attempt){ UNKNOWN_MS, UNKNOWN_MS };
		struct attempt *j = &job.v[id];
		j->submit_ms = earlier_known(j->submit_ms, a->submit_ms);
		if (kpi_is_success(a->state))
			j->success_ms = earlier_known(j->success_ms, a->end_ms);
	}
	for (size_t i = 0; i < job.n; i++) {
		if (job.v[i].success_ms == UNKNOWN_MS)
			k->ttv_without++;
		else if (job.v[i].submit_ms == UNKNOWN_MS ||
			 job.v[i].submit_ms > job.v[i].success_ms)
			k->ttv_no_submit++;
		else
			*vec_push(&times) = (dec)(job.v[i].success_ms - job.v[i].submit_ms);
	}
	k->ttv = spread_of(&times);
	intern_free(&names);
	intern_free(&serving);
	intern_free(&shown);
	vec_free(&job);
	vec_free(&times);
}

/* ---- all --------------------------------------------------------------------------------- */

void kpi_compute(const struct kpi_in *in, struct kpi *ret)
{
	static const char *const dims[] = { "workload", "job", "run", "project", "service" };
	struct report_in r = { .dim = dims,
			       .ndim = KPI_DIMS,
			       .cell = in->of.job,
			       .ncell = in->of.njob,
			       .conf = in->conf };
	struct cube cube;

	*ret = (struct kpi){ 0 };
	if (cube_build(&r, false, &cube, NULL) < 0)
		return; /* cannot be: no split is asked */
	for (size_t i = 0; i < cube.nblock; i++) {
		struct kpi_block *b = vec_push(&ret->block);
		size_t unpriced;
		*b = (struct kpi_block){ .currency = arena_sv(&ret->mem,
							      sv_of(cube.block[i].currency)),
					 .total = cube.block[i].total,
					 .jobs_known = in->of.nalloc > 0 && !in->of.ends_untold };
		b->allocation_known = allocation_known(in, b);
		b->job = per_job(in, b->currency, KPI_JOB, &b->unpriced_jobs);
		b->run = per_job(in, b->currency, KPI_RUN, &unpriced);
		for (size_t k = 0; k < in->of.ncause; k++) {
			const struct report_cell *c = &in->of.cause[k];
			int cause = cause_of(sv_of(c->dim[0]));
			if (!c->is_gpu || c->state != STATE_LOST ||
			    strcmp(cell_currency(in, c), b->currency))
				continue;
			*vec_push(&b->lost) =
				(struct kpi_cause){ cause < 0 ? CAUSE_NONE : (enum cause)cause,
						    c->ms, c->cost,
						    cost_is_known(c->cost, c->ms, c->unpriced_ms) };
		}
		if (b->lost.n)
			sort_items(b->lost.v, b->lost.n, sizeof *b->lost.v, cmp_cause);
		sum_commitments(in, b);
		service_costs(in, b);
	}
	cube_free(&cube);
	time_to_value(in, ret);
}

void kpi_free(struct kpi *k)
{
	for (size_t i = 0; i < k->block.n; i++) {
		vec_free(&k->block.v[i].lost);
		vec_free(&k->block.v[i].service);
	}
	vec_free(&k->block);
	arena_free(&k->mem);
}
