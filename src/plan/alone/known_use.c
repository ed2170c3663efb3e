#include "plan/alone/known_use.h"

void known_use_find(const struct fleet *f, struct known_use *ret)
{
	*ret = (struct known_use){ 0 };
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		bool job = w->kind == WORKLOAD_SERVICE || (w->kind == WORKLOAD_JOB && *w->job);
		bool told = w->kind != WORKLOAD_UNKNOWN || w->stats.covered_frac > 0;
		if (w->kind == WORKLOAD_LINE || w->ms <= 0)
			continue;
		ret->jobs |= job;
		if (told && *w->node)
			intern_add(&ret->node, sv_of(w->node));
		if (!job || *w->node)
			continue;
		ret->any |= !*w->gpu_model;
		intern_add(&ret->model, sv_of(w->gpu_model));
	}
}

void known_use_free(struct known_use *k)
{
	intern_free(&k->node);
	intern_free(&k->model);
}

bool known_use_none(const struct known_use *k, const struct workload *w)
{
	if (w->kind != WORKLOAD_UNKNOWN || !*w->node)
		return false;
	if (!k->jobs || k->any)
		return false;
	return intern_find(&k->node, sv_of(w->node)) < 0 &&
	       intern_find(&k->model, sv_of(w->gpu_model)) < 0;
}
