#include "plan/lever/commit_unused.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/tm.h"

#define LEAST_GPUS 0.5          /* fewer are what a fleet that breathes leaves over */
#define LATE_MS    (2 * MS_DAY) /* a line may come so late */

double unused_gpus(const struct lever_in *in, const struct bill_commitment *c)
{
	const struct bill_seen *b = in->fleet->bill;
	const struct instance_type *t;

	if (!in->catalog || !*c->instance_type || b->to_ms <= b->from_ms)
		return 0;
	if (c->unused_to_ms == UNKNOWN_MS || c->unused_to_ms < b->to_ms - LATE_MS)
		return 0;
	if (c->ends_ms != UNKNOWN_MS && c->ends_ms <= in->now_ms)
		return 0;
	t = catalog_instance(in->catalog, sv_of(c->provider), sv_of(c->instance_type));
	if (!t)
		return 0;
	return (double)c->unused_ms / (double)(b->to_ms - b->from_ms) * (double)t->gpu_milli / 1000;
}

void unused_load(const struct lever_in *in, struct unused_list *ret)
{
	const struct bill_seen *b = in->fleet->bill;

	*ret = (struct unused_list){ 0 };
	if (!b || b->from_ms == UNKNOWN_MS)
		return;
	for (size_t i = 0; i < b->commitment.n; i++) {
		double gpus = unused_gpus(in, &b->commitment.v[i]);
		if (gpus >= LEAST_GPUS)
			*vec_push(&ret->v) = (struct unused){ &b->commitment.v[i], gpus };
	}
}

/* "A100-PCIE-80GB" and "A100-SXM4-80GB" are one chip with as much memory: work moves between
 * them. */
static bool is_same_chip(const char *a, const char *b)
{
	const char *a_end = strrchr(a, '-'), *b_end = strrchr(b, '-');
	size_t n = strcspn(a, "-");

	if (!strcmp(a, b))
		return *a != 0;
	if (!a_end || !b_end || n != strcspn(b, "-"))
		return false;
	return !strncmp(a, b, n) && !strcmp(a_end, b_end);
}

static bool is_of(const struct unused *u, const char *provider, const char *region,
		  const char *gpu_model)
{
	if (strcmp(u->c->provider, provider) || !is_same_chip(u->c->gpu_model, gpu_model))
		return false;
	return !*u->c->region || !strcmp(u->c->region, region);
}

double unused_of(const struct lever_in *in, const struct unused_list *l, const char *provider,
		 const char *region, const char *gpu_model, const char **ret_says)
{
	const struct unused *most = NULL;
	double sum = 0;

	for (size_t i = 0; i < l->v.n; i++) {
		const struct unused *u = &l->v.v[i];
		if (!is_of(u, provider, region, gpu_model) || u->gpus <= 0)
			continue;
		sum += u->gpus;
		if (!most || u->gpus > most->gpus)
			most = u;
	}
	if (most)
		*ret_says = arena_printf(in->mem, "%.1f GPUs of %s%s%s (commitment '%s')",
					 most->gpus, most->c->instance_type,
					 text_if(*most->c->region, " in "), most->c->region,
					 bill_commitment_name(most->c));
	return sum;
}

void unused_take(struct unused_list *l, const char *provider, const char *region,
		 const char *gpu_model, double gpus)
{
	for (size_t i = 0; i < l->v.n && gpus > 0; i++) {
		struct unused *u = &l->v.v[i];
		if (!is_of(u, provider, region, gpu_model))
			continue;
		double part = fmin(gpus, u->gpus);
		u->gpus -= part;
		gpus -= part;
	}
}
