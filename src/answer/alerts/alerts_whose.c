#include "answer/alerts/alerts_whose.h"

#include "base/str.h"
#include "ledger/infer.h"

#define HOLDS_BACK 16 /* allocations of a GPU that may overlap */

/* Does the allocation name this GPU, or the instance of it that the readings are of? */
static bool names_gpu(const struct allocation *a, const struct gpu_names *gpus,
		      const struct sample_key *k)
{
	struct sv list = a->gpu_ids, mig;
	long own = gpu_names_find(gpus, k->gpu);

	while (list.p) {
		struct sv id = sv_trim(sv_cut(list, ';', &list));
		sv_cut(id, '/', &mig);
		bool same = own >= 0 && gpu_names_find(gpus, id) == own;
		bool whole = !mig.n || sv_eq(mig, k->mig);
		if ((same && whole) || sv_eq(id, k->gpu))
			return true;
	}
	return false;
}

void holds_find(struct holds *h, const struct sample_key *k, const struct allocation *a, size_t na,
		const struct gpu_names *gpus, int64_t all_milli)
{
	for (size_t j = 0; j < na; j++) {
		struct sv pod = job_pod(a[j].job_id, a[j].namespace_);
		bool named = sv_eq(a[j].job_id, k->job_id) || (pod.n && sv_eq(pod, k->job_id));
		bool job = k->job_id.n && named, gpu;
		if (a[j].gpu_ids.n)
			gpu = names_gpu(&a[j], gpus, k);
		else
			gpu = all_milli > 0 && a[j].gpus_milli >= all_milli;
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

void holds_put(struct holds *holds, const struct sample_key *k, struct sv model, int64_t t,
	       struct alert_obs *o)
{
	static const struct allocation nobody;
	const struct allocation *h = &nobody;
	size_t n = 0;

	/* Who holds it at t, which only grows: nobody, one or several. */
	while (holds->at < holds->v.n && holds->v.v[holds->at]->start_ms <= t)
		holds->at++;
	for (size_t back = 0; back < HOLDS_BACK && back < holds->at; back++) {
		const struct allocation *a = holds->v.v[holds->at - 1 - back];

		bool open = a->end_ms == UNKNOWN_MS || a->open_end;
		if (a->start_ms <= t && (open || a->end_ms > t)) {
			h = a;
			n++;
		}
	}
	if (n != 1)
		h = &nobody;
	if (n || k->job_id.n)
		o->held = 1;
	else if (holds->vague)
		o->held = -1;
	else
		o->held = 0;
	o->field[ALERT_NODE] = k->node;
	o->field[ALERT_GPU] = k->gpu;
	o->field[ALERT_MIG] = k->mig;
	o->field[ALERT_MODEL] = sv_or(sv_or(k->gpu_model, h->gpu_model), model);
	o->field[ALERT_CLUSTER] = sv_or(k->cluster, h->cluster);
	o->field[ALERT_JOB] = n > 1 && !k->job_id.n ? SV("several") : sv_or(k->job_id, h->job_id);
	o->field[ALERT_USER] = sv_or(k->user, h->user);
	o->field[ALERT_TEAM] = sv_or(k->team, h->team);
	o->field[ALERT_PROJECT] = sv_or(k->project, h->project);
	o->field[ALERT_ENV] = sv_or(k->env, h->env);
	o->field[ALERT_WORKLOAD] = sv_or(k->workload, h->workload);
}
