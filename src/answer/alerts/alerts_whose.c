#include "answer/alerts/alerts_whose.h"

#include <stdio.h>

#include "base/str.h"

#define HOLDS_BACK 16 /* allocations of a GPU that may overlap */

static bool in_list(struct sv list, struct sv word)
{
	while (list.p)
		if (sv_eq(sv_trim(sv_cut(list, ';', &list)), word))
			return true;
	return false;
}

/* Does the allocation name this GPU, by what the samples call it or by its place on the node? */
static bool names_gpu(const struct allocation *a, struct sv gpu, struct sv node_gpus)
{
	struct sv rest = node_gpus, other;
	char place[16];

	if (in_list(a->gpu_ids, gpu))
		return true;
	for (int i = 0; rest.p; i++) {
		other = sv_trim(sv_cut(rest, ';', &rest));
		snprintf(place, sizeof place, "%d", i);
		if (sv_eq(other, gpu) && in_list(a->gpu_ids, sv_of(place)))
			return true;
		if (sv_is(gpu, place) && in_list(a->gpu_ids, other))
			return true;
	}
	return false;
}

void holds_find(struct holds *h, const struct sample_key *k, const struct allocation *a, size_t na,
		const struct node *node)
{
	struct sv gpus = SV_NULL;
	int64_t all = 0;

	if (node) {
		all = node->gpu_milli;
		gpus = node->gpu_ids;
	}
	for (size_t j = 0; j < na; j++) {
		bool job = k->job_id.n && sv_eq(a[j].job_id, k->job_id), gpu;
		if (a[j].gpu_ids.n)
			gpu = names_gpu(&a[j], k->gpu, gpus);
		else
			gpu = all > 0 && a[j].gpus_milli >= all;
		if (job || gpu)
			*vec_push(&h->v) = &a[j];
		else if (!a[j].gpu_ids.n && !k->job_id.n)
			h->vague = true;
	}
}

void holds_free(struct holds *h)
{
	vec_free(&h->v);
}

/* Who holds it at t, which only grows: NULL nobody or several. */
static const struct allocation *owner(struct holds *h, int64_t t, size_t *ret_n)
{
	const struct allocation *one = NULL;

	while (h->at < h->v.n && h->v.v[h->at]->start_ms <= t)
		h->at++;
	*ret_n = 0;
	for (size_t back = 0; back < HOLDS_BACK && back < h->at; back++) {
		const struct allocation *a = h->v.v[h->at - 1 - back];

		bool open = a->end_ms == UNKNOWN_MS || a->open_end;
		if (a->start_ms <= t && (open || a->end_ms > t)) {
			one = a;
			++*ret_n;
		}
	}
	if (*ret_n == 1)
		return one;
	return NULL;
}

static struct sv either(struct sv a, struct sv b)
{
	return sv_or(a, b);
}

void holds_put(struct holds *holds, const struct sample_key *k, struct sv model, int64_t t,
	       struct alert_obs *o)
{
	static const struct allocation nobody;
	size_t n;
	const struct allocation *h = owner(holds, t, &n);

	if (n || k->job_id.n)
		o->held = 1;
	else if (holds->vague)
		o->held = -1;
	else
		o->held = 0;
	if (!h)
		h = &nobody;
	o->field[ALERT_NODE] = k->node;
	o->field[ALERT_GPU] = k->gpu;
	o->field[ALERT_MIG] = k->mig;
	o->field[ALERT_MODEL] = either(either(k->gpu_model, h->gpu_model), model);
	o->field[ALERT_CLUSTER] = either(k->cluster, h->cluster);
	o->field[ALERT_JOB] = n > 1 && !k->job_id.n ? SV("several") : either(k->job_id, h->job_id);
	o->field[ALERT_USER] = either(k->user, h->user);
	o->field[ALERT_TEAM] = either(k->team, h->team);
	o->field[ALERT_PROJECT] = either(k->project, h->project);
	o->field[ALERT_ENV] = either(k->env, h->env);
	o->field[ALERT_WORKLOAD] = either(k->workload, h->workload);
}
