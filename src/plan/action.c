#include "plan/action.h"

#include "plan/alone/habits.h"
#include "plan/workload.h"

static bool is_or_any(struct raw_name want, const char *z)
{
	return !want.z || !strcmp(want.z, z);
}

bool habit_matches(const struct habit *h, const struct workload *w)
{
	if (!is_or_any(h->team, w->team) || !is_or_any(h->user, w->user) ||
	    !is_or_any(h->workload, w->workload))
		return false;
	if (!is_or_any(h->cluster, w->cluster) || !is_or_any(h->service, w->service) ||
	    !is_or_any(h->instance_type, w->instance_type))
		return false;
	if (!is_or_any(h->gpu_model, w->gpu_model) ||
	    (h->gpus && h->gpus != (w->gpus_milli + 999) / 1000))
		return false;
	/* As the line is read: what a pattern means too, it means, whosever runs it was made of. */
	bool named = !h->name.z || sv_glob(sv_of(w->name), sv_of(h->name.z));
	return !h->script.z && !h->image.z && named;
}

static bool is_on(const struct action_timetable *t, const struct workload *w)
{
	for (size_t i = 0; i < t->nnode; i++)
		if (!strcmp(t->node[i].z, w->node))
			return true;
	return !t->nnode && is_or_any(t->cluster, w->cluster);
}

bool action_means(const struct action *a, const struct workload *w, const struct use *after)
{
	struct habit which = a->which;

	switch (a->kind) {
	case ACTION_SUBMIT:
		/* an earlier change may have given it the GPU that is meant here */
		if (which.gpu_model.z && !strcmp(which.gpu_model.z, after->gpu_model))
			which.gpu_model.z = NULL;
		return habit_matches(&which, w);
	case ACTION_CHECKPOINTS:
	case ACTION_FEED:
	case ACTION_TECHNIQUE:
	case ACTION_CULL: return habit_matches(&which, w);
	case ACTION_SPREAD:
	case ACTION_ROLLOUT:
	case ACTION_REPLICAS:
		return is_or_any(a->replicas.service, w->service) &&
		       is_or_any(a->replicas.cluster, w->cluster);
	case ACTION_REPLICA_MOVE: return is_or_any(a->replica_move.service, w->service);
	case ACTION_MIG: return is_or_any(a->mig.at.node, w->node);
	case ACTION_STOP:
	case ACTION_CORDON:
	case ACTION_DRAIN: return is_or_any(a->machine.node, w->node);
	case ACTION_POOL: return false;
	case ACTION_RELEASE: return is_or_any(a->release.cluster, w->cluster);
	case ACTION_TIMETABLE: return is_on(&a->timetable, w);
	case ACTION_PACK:
		return is_or_any(a->pack.cluster, w->cluster) &&
		       is_or_any(a->pack.instance_type, w->instance_type);
	case ACTION_ARCHIVE: return is_or_any(a->archive.resource, w->resource);
	case ACTION_EXPIRE: return is_or_any(a->expire.bucket, w->resource);
	case ACTION_COMMIT:
		return is_or_any(a->commit.instance_type, after->instance_type) &&
		       is_or_any(a->commit.region, after->region);
	case ACTION_TRIAL:
	case ACTION_TELL:
	case ACTION_HOST_SHARE:
	case ACTION_TAG_ALIAS:
	case ACTION_N: break;
	}
	return false;
}
