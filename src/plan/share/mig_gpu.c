/* See mig_gpu.h. */
#include <stdio.h>
#include <string.h>

#include "model/mig_parted.h"
#include "opt/share/share.h"
#include "plan/share/mig_gpu.h"

/* Without media engines or graphics ("+me", "+gfx", "-me"), and with known places. */
static bool is_plain(const struct mig_profile *m)
{
	return !strpbrk(m->name, "+-") && m->nstart;
}

static struct mig_type type_of(const struct mig_profile *m)
{
	struct mig_type t = { .compute = m->compute_slices,
			      .memory = m->memory_slices,
			      .max = m->max_instances };

	snprintf(t.name, sizeof t.name, "%s", m->name);
	for (int s = 0; s < m->nstart; s++)
		t.starts |= 1u << m->start[s];
	return t;
}

/* The slices of a model, without a type yet; NULL: it is not cut. */
static const struct gpu_spec *slices_of(const struct catalog *cat, const char *gpu_model,
					struct mig_gpu *ret)
{
	const struct gpu_spec *g = catalog_gpu(cat, sv_of(gpu_model));

	memset(ret, 0, sizeof *ret);
	if (!g || g->mig_compute_slices < 1)
		return NULL;
	ret->compute = g->mig_compute_slices;
	ret->memory = g->mig_memory_slices;
	return g;
}

bool mig_gpu_of(const struct catalog *cat, const char *gpu_model, struct mig_gpu *ret,
		double *mem_bytes)
{
	const struct gpu_spec *g = slices_of(cat, gpu_model, ret);
	const struct mig_profile *m;

	if (!g)
		return false;
	for (size_t i = 0; (m = catalog_mig_at(cat, g->model, i)); i++) {
		bool known = false; /* that size */
		for (size_t k = 0; k < ret->ntype; k++)
			known |= ret->type[k].compute == m->compute_slices;
		if (!is_plain(m) || ret->ntype == MIG_TYPES || known)
			continue;
		if (mem_bytes)
			mem_bytes[ret->ntype] = m->memory_gib * 0x1p30;
		ret->type[ret->ntype++] = type_of(m);
	}
	return ret->ntype > 0;
}

bool mig_gpu_all(const struct catalog *cat, const char *gpu_model, struct mig_gpu *ret,
		 double *mem_bytes)
{
	const struct gpu_spec *g = slices_of(cat, gpu_model, ret);
	const struct mig_profile *m;

	if (!g)
		return false;
	for (size_t i = 0; (m = catalog_mig_at(cat, g->model, i)); i++) {
		if (!is_plain(m))
			continue;
		if (ret->ntype == MIG_TYPES)
			return false;
		if (mem_bytes)
			mem_bytes[ret->ntype] = m->memory_gib * 0x1p30;
		ret->type[ret->ntype++] = type_of(m);
	}
	return ret->ntype > 0;
}

bool mig_gpu_within(const struct mig_gpu *part, const struct mig_gpu *all, int *ret_type)
{
	size_t found = 0;

	for (size_t k = 0; k < part->ntype; k++)
		for (size_t i = 0; i < all->ntype; i++)
			if (!strcmp(part->type[k].name, all->type[i].name)) {
				ret_type[k] = (int)i;
				found++;
			}
	return found == part->ntype;
}

void mig_gpu_parted(const struct mig_gpu *c, size_t n, const struct mig_instance *instance,
		    struct str *out)
{
	struct arena mem = { 0 };

	mig_parted_begin(out, "tare");
	for (size_t i = 0; i < n;) {
		int gpu = instance[i].gpu, count[MIG_TYPES] = { 0 };
		for (; i < n && instance[i].gpu == gpu; i++)
			count[instance[i].type]++;
		struct mig_part part[MIG_TYPES];
		mig_parted_device(out, gpu, part, share_parts(&mem, c, count, part));
	}
	arena_free(&mem);
}
