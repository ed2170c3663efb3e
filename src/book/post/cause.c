#include "book/post/cause.h"

#include <math.h>

#include "base/search.h"
#include "base/tm.h"

#define STEPS_MAX 7200 /* of an owner and hour: two a second; more add nothing to a mean */

void cause_start(struct causes *c, const struct attrib_conf *conf,
		 const struct attrib_gpu *ledger_gpu, const struct gpu_spec *gpu)
{
	c->conf = conf;
	c->gpu = gpu;
	c->ledger_gpu = ledger_gpu;
	c->ialloc = 0;
	vec_clear(&c->active);
	vec_clear(&c->row);
	c->nhold = 0;
	c->hour_ms = INT64_MIN;
}

void cause_free(struct causes *c)
{
	for (size_t i = 0; i < c->hold.n; i++)
		vec_free(&c->hold.v[i].step);
	vec_free(&c->hold);
	vec_free(&c->row);
	vec_free(&c->active);
}

/* ---- whose reading ----------------------------------------------------------------------- */

/* The one whose time the reading is, as attribution gives it: named by job or instance, else the
 * only owner. NULL: nobody's, or not to be told. */
static const struct attrib_alloc *find_holder(const struct causes *c, const struct attrib_sample *s)
{
	const struct attrib_alloc *a = c->ledger_gpu->alloc;

	for (size_t i = 0; i < c->active.n; i++) {
		const struct attrib_alloc *x = &a[c->active.v[i]];
		if (attrib_reads(x, s->mig, s->job_id))
			return x;
	}
	if (!s->mig.n && !s->job_id.n && c->active.n == 1)
		return &a[c->active.v[0]];
	return NULL;
}

static struct cause_hold *hold_of(struct causes *c, size_t owner)
{
	for (size_t i = 0; i < c->nhold; i++)
		if (c->hold.v[i].owner == owner)
			return &c->hold.v[i];
	if (c->nhold == c->hold.n)
		*vec_push(&c->hold) = (struct cause_hold){ 0 };
	struct cause_hold *h = &c->hold.v[c->nhold++];
	h->owner = owner;
	h->serving = h->mig = false;
	vec_clear(&h->step);
	return h;
}

/* ---- an hour ----------------------------------------------------------------------------- */

static bool is_underused(const struct causes *c, const double *v)
{
	double util = v[METRIC_GPU_UTIL_PCT];

	if (isnan(util))
		util = v[METRIC_SM_ACTIVE_FRAC] * 100;
	return util > c->conf->idle_util_pct && util < c->conf->underused_util_pct;
}

/*
 * What the GPU's own link to the host can take in one direction (16 lanes, after coding): PCIe
 * 3.0, 4.0, 5.0 by generation of the chip. A machine may give it less; then the load looks smaller
 * than it is, and nothing is claimed too early.
 */
static double link_bytes_s(const struct gpu_spec *g)
{
	static const struct {
		const char *arch;
		double gb_s;
	} of[] = {
		{ "pascal", 15.75 }, { "volta", 15.75 }, { "turing", 15.75 }, { "ampere", 31.5 },
		{ "ada", 31.5 },     { "hopper", 63 },   { "blackwell", 63 },
	};

	for (size_t i = 0; g && g->arch && i < sizeof of / sizeof *of; i++)
		if (sv_ihas(sv_of(g->arch), sv_of(of[i].arch)))
			return of[i].gb_s * 1e9;
	return NAN;
}

static enum cause diagnose_hold(const struct causes *c, struct cause_hold *h)
{
	struct diag_dev dev = { .step = h->step.v };
	struct diag_result r;

	for (size_t i = 0; i < h->step.n; i++)
		if (is_underused(c, h->step.v[i].value))
			h->step.v[dev.n++] = h->step.v[i];
	if (!dev.n)
		return CAUSE_UNKNOWN;
	diag_facts_init(&dev.facts);
	dev.facts.serving = h->serving;
	dev.facts.tdp_w = h->mig ? NAN : c->ledger_gpu->tdp_w;
	dev.facts.pcie_bytes_s = link_bytes_s(c->gpu);
	dev.facts.mem_total_bytes = h->mig ? NAN : c->ledger_gpu->mem_total_bytes;
	diag_run(&dev, 1, &r);
	for (int i = 0; i < r.n; i++)
		if (diag_ledger_cause(r.finding[i].cause) != CAUSE_UNKNOWN)
			return diag_ledger_cause(r.finding[i].cause);
	return CAUSE_UNKNOWN;
}

static void finish_hour(struct causes *c)
{
	for (size_t i = 0; i < c->nhold; i++) {
		enum cause why = diagnose_hold(c, &c->hold.v[i]);
		if (why != CAUSE_UNKNOWN)
			*vec_push(&c->row) = (struct cause_row){ c->hour_ms, c->hold.v[i].owner,
								 why };
	}
	c->nhold = 0;
}

/* Utilisation and memory alone tell no cause: samples with nothing more (most job lists and traces)
 * are not gathered at all. */
static bool tells_more(const double *v)
{
	static const enum metric m[] = { METRIC_SM_ACTIVE_FRAC,   METRIC_TENSOR_ACTIVE_FRAC,
					 METRIC_DRAM_ACTIVE_FRAC, METRIC_MEM_UTIL_PCT,
					 METRIC_PCIE_RX_BYTES_S,  METRIC_CPU_UTIL_PCT,
					 METRIC_THROTTLE_BITS,    METRIC_SM_CLOCK_MHZ,
					 METRIC_NVLINK_RX_BYTES_S };

	for (size_t i = 0; i < sizeof m / sizeof *m; i++)
		if (!isnan(v[m[i]]))
			return true;
	return false;
}

void cause_sample(struct causes *c, const struct attrib_sample *s)
{
	const struct attrib_alloc *alloc = c->ledger_gpu->alloc;
	const double *v = s->s->value;
	int64_t t_ms = s->s->t_ms, hour = tm_floor(t_ms, MS_HOUR);
	size_t keep = 0;

	/* who holds the GPU now */
	for (; c->ialloc < c->ledger_gpu->nalloc && alloc[c->ialloc].from_ms <= t_ms; c->ialloc++)
		*vec_push(&c->active) = (uint32_t)c->ialloc;
	for (size_t i = 0; i < c->active.n; i++)
		if (alloc[c->active.v[i]].to_ms > t_ms)
			c->active.v[keep++] = c->active.v[i];
	c->active.n = keep;
	if (hour != c->hour_ms) {
		finish_hour(c);
		c->hour_ms = hour;
	}
	const struct attrib_alloc *a = find_holder(c, s);
	size_t owner = a ? a->owner : s->owner;
	bool blind = isnan(v[METRIC_GPU_UTIL_PCT]) && isnan(v[METRIC_SM_ACTIVE_FRAC]);
	if (owner == ATTRIB_NOBODY || !(blind || is_underused(c, v)))
		return;
	struct cause_hold *h = hold_of(c, owner);
	struct diag_step *last = NULL;
	if (h->step.n)
		last = &h->step.v[h->step.n - 1];
	h->serving |= a && a->service;
	h->mig |= s->mig.n > 0;
	if (last && last->t_ms == t_ms) { /* two rows of one instant are one reading */
		for (int m = 0; m < METRIC_N; m++)
			if (isnan(last->value[m]))
				last->value[m] = v[m];
		return;
	}
	if (!tells_more(v) || h->step.n >= STEPS_MAX)
		return;
	struct diag_step *x = vec_push(&h->step);
	diag_step_init(x);
	x->t_ms = t_ms;
	x->step_ms = s->s->step_ms;
	memcpy(x->value, v, sizeof x->value);
}

enum cause cause_of_hour(struct causes *c, int64_t hour_ms, size_t owner)
{
	if (c->hour_ms != INT64_MIN && c->hour_ms <= hour_ms)
		finish_hour(c);
	size_t at = first_where(i, c->row.n, c->row.v[i].hour_ms >= hour_ms);
	for (; at < c->row.n && c->row.v[at].hour_ms == hour_ms; at++)
		if (c->row.v[at].owner == owner)
			return c->row.v[at].cause;
	return CAUSE_UNKNOWN;
}
