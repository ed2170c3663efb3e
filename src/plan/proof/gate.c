/* See gate.h. */
#include "plan/proof/gate.h"

#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/tm.h"
#include "catalog/cpu.h"
#include "plan/lever/gpu_speed.h"
#include "plan/workload.h"

#define GIB ((double)(1 << 30))
/* of its working time: a job that waits so much may wait for its CPUs */
#define WAITS_FRAC 0.2

double gate_memory_factor(const struct plan_gates *g, size_t runs, double step_s)
{
	double n = (double)runs;

	if (n >= g->memory_many_runs && step_s <= g->memory_many_step_s)
		return g->memory_many_factor;
	if (n >= g->memory_some_runs && step_s <= g->memory_some_step_s)
		return g->memory_some_factor;
	if (n >= g->memory_few_runs)
		return g->memory_few_factor;
	return 0;
}

bool gate_has_nvlink(const struct gpu_spec *g)
{
	if (strstr(g->model, "SXM") || strstr(g->model, "NVL") || !strncmp(g->model, "B", 1))
		return true;
	return !strncmp(g->model, "GB", 2) || !strncmp(g->model, "GH", 2);
}

struct check {
	const struct lever_in *in;
	const struct habit_runs *h;
	const struct gate_offer *o;
	const struct gpu_spec *from;
	const struct instance_type *here;
	struct gate_verdict v;
};

static void lower_gate(struct check *c, enum gate g, const char *why)
{
	if (c->v.gate <= g)
		return;
	c->v.gate = g;
	c->v.why = why;
}

/* ---- memory ------------------------------------------------------------------------------ */

static void check_memory(struct check *c)
{
	const struct lever_in *in = c->in;
	double factor = gate_memory_factor(&in->conf->gates, c->h->runs, c->h->step_s),
	       has = gpu_usable_gib(c->o->gpu), need = c->h->mem_peak_bytes / GIB;

	if (c->o->gpu == c->from && !c->h->preallocates && c->o->gpus >= c->h->most_needed)
		return; /* the GPUs that it uses are the GPUs that it has */
	if (isnan(need) || !(need > 0) || isnan(has)) {
		lower_gate(c, GATE_NO, "how much GPU memory it needs was not read");
		return;
	}
	if (c->h->preallocates && c->o->gpu != c->from) {
		/* an upper bound: a trial shows the need, and only with a setting that reveals
		 * it */
		c->v.reveals = true;
		lower_gate(
			c, GATE_TRIAL,
			"its memory reading is flat from the start: the framework takes all there is");
		return;
	}
	if (c->o->gpu == c->from)
		return;
	if (!factor)
		lower_gate(c, GATE_NO, "too few runs show how much GPU memory it needs");
	else if (need * factor > has)
		lower_gate(c, GATE_NO,
			   arena_printf(in->mem, "%.1f GiB x %.2f do not fit into %.1f GiB of %s",
					need, factor, has, c->o->gpu->model));
}

/* ---- the machine around it --------------------------------------------------------------- */

static double offered_part(const struct gate_offer *o, double whole)
{
	double gpus = (double)o->type->gpu_milli / 1000;

	if (gpus > o->gpus)
		return whole * o->gpus / gpus;
	return whole;
}

static void check_host(struct check *c)
{
	const struct plan_gates *g = &c->in->conf->gates;
	double cpus = offered_part(c->o, c->o->type->vcpu),
	       ram = offered_part(c->o, c->o->type->ram_gib);
	double had = NAN;

	if (c->here)
		had = c->here->vcpu;
	if (isnan(cpus) || isnan(c->h->cpu_cores))
		lower_gate(c, GATE_TRIAL, "how many CPUs it needs is not known");
	else if (c->h->cpu_cores > cpus)
		lower_gate(c, GATE_NO,
			   arena_printf(c->in->mem, "it uses %.0f CPUs, and %s has %.0f for it",
					ceil(c->h->cpu_cores), c->o->type->name, cpus));
	else if (c->h->cpu_cores > g->cpu_peak_frac * cpus)
		lower_gate(c, GATE_TRIAL, "its CPU peak leaves too little room");
	if (!isnan(had) && cpus < had && c->h->starved_frac > WAITS_FRAC)
		lower_gate(c, GATE_TRIAL, "it waits for its input, and would have fewer CPUs");
	if (isnan(ram) || isnan(c->h->ram_gib))
		lower_gate(c, GATE_TRIAL, "how much RAM it needs is not known");
	else if (c->h->ram_gib > ram)
		lower_gate(c, GATE_NO,
			   arena_printf(c->in->mem,
					"it takes %.0f GiB of RAM, and %s has %.0f for it",
					ceil(c->h->ram_gib), c->o->type->name, ram));
	else if (c->h->ram_gib * g->ram_factor > ram)
		lower_gate(c, GATE_TRIAL, "its RAM leaves too little room");
}

/* A GPU of another maker, or one without the precision that its work may be in, is a port and no
 * move; a program for x86 does not run beside an ARM processor. */
static void check_architecture(struct check *c)
{
	const struct gpu_spec *a = c->from, *b = c->o->gpu;
	enum machine_cpu here, there;

	if (!a || !b || strcmp(a->vendor, b->vendor) ||
	    (!isnan(a->bf16_tflops) && isnan(b->bf16_tflops)) ||
	    (!isnan(a->fp8_tflops) && isnan(b->fp8_tflops))) {
		lower_gate(c, GATE_NO, "programs for this GPU do not run on that one");
		return;
	}
	here = machine_cpu_of(c->h->first->provider, c->h->first->instance_type, a->model);
	there = machine_cpu_of(c->o->type->provider, c->o->type->name, b->model);
	if (here != CPU_ANY && there != CPU_ANY && here != there)
		lower_gate(c, GATE_NO, "its processor has another instruction set");
	if (a != b)
		lower_gate(c, GATE_TRIAL, "another GPU: its speed there is estimated");
}

struct gate_verdict gate_check(const struct lever_in *in, const struct habit_runs *h,
			       const struct gate_offer *o)
{
	const struct workload *w = h->first;
	struct check c = { .in = in,
			   .h = h,
			   .o = o,
			   .from = catalog_gpu(in->catalog, sv_of(w->gpu_model)),
			   .here = catalog_instance(in->catalog, sv_of(w->provider),
						    sv_of(w->instance_type)),
			   .v = { .gate = GATE_SURE, .why = "" } };

	if (!c.from || !o->gpu || !o->type) {
		lower_gate(&c, GATE_NO, "the catalogue does not know the machine");
		return c.v;
	}
	if (h->watched_frac < in->conf->gates.watched_frac)
		lower_gate(&c, GATE_NO, "too little of its time was watched");
	check_architecture(&c);

	int had = (int)((c.h->asks_milli + 999) / 1000);

	if (c.h->machines > 1 && c.o->gpus != had)
		lower_gate(&c, GATE_NO, "a job on several machines keeps its shape");
	if ((int64_t)c.o->gpus * 1000 > c.o->type->gpu_milli)
		lower_gate(&c, GATE_NO, "the machine has fewer GPUs");
	if (!c.o->is_default && c.o->gpus < c.h->most_needed)
		lower_gate(&c, GATE_NO, "some runs use more GPUs");
	if (c.o->gpus > 1 && gate_has_nvlink(c.from) && !gate_has_nvlink(c.o->gpu))
		lower_gate(&c, GATE_TRIAL, "its GPUs talk over NVLink, and there over PCIe");
	check_memory(&c);
	check_host(&c);
	c.v.need_ms = (int64_t)ceil((double)c.h->longest_ms * c.o->slow / MS_MINUTE) * MS_MINUTE;
	if (c.h->limit_ms != UNKNOWN_MS && c.o->slow > 1 && c.v.need_ms > c.h->limit_ms)
		lower_gate(&c, GATE_NO,
			   "at the slow end its longest run would not end within its limit");
	return c.v;
}

/* ---- what is sold ------------------------------------------------------------------------ */

static int by_machine_price(const void *pa, const void *pb)
{
	const struct sold *a = pa, *b = pb;
	double x = (double)a->rate.nano_gpu_hour * (double)a->rate.gpus_milli,
	       y = (double)b->rate.nano_gpu_hour * (double)b->rate.gpus_milli;

	if (x != y) {
		if (x < y)
			return -1;
		return 1;
	}
	return strcmp(a->type->name, b->type->name);
}

void gate_offers(const struct lever_in *in, const struct use *u, const char *model, int gpus,
		 struct sold_list *ret)
{
	struct price_ask ask = { .catalog = in->catalog,
				 .fleet = in->fleet,
				 .provider = u->provider,
				 .region = u->region,
				 .zone = u->zone,
				 .purchase = u->purchase,
				 .at_ms = in->now_ms };
	const struct instance_type *t;

	*ret = (struct sold_list){ 0 };
	for (size_t i = 0; in->catalog && (t = catalog_instance_at(in->catalog, i)); i++) {
		struct sold s = { .type = t };
		if (strcmp(t->provider, u->provider) || !t->gpu_model ||
		    t->gpu_milli != (int64_t)gpus * 1000)
			continue;
		bool listed = false;
		for (size_t k = 0; k < ret->v.n; k++)
			listed |= ret->v.v[k].type == t;
		if (listed || (model && strcmp(t->gpu_model, model)))
			continue;
		s.gpu = catalog_gpu(in->catalog, sv_of(t->gpu_model));
		ask.instance_type = t->name;
		if (s.gpu && fleet_rate(&ask, &s.rate))
			*vec_push(&ret->v) = s;
	}
	if (ret->v.n)
		sort_items(ret->v.v, ret->v.n, sizeof *ret->v.v, by_machine_price);
}
