#include "model/action.h"

const char *action_name(enum action_kind k)
{
	static const char *const names[ACTION_N] = {
		[ACTION_SUBMIT] = "submit",
		[ACTION_TRIAL] = "trial",
		[ACTION_CHECKPOINTS] = "checkpoints",
		[ACTION_FEED] = "feed",
		[ACTION_TECHNIQUE] = "technique",
		[ACTION_CULL] = "cull",
		[ACTION_REPLICAS] = "replicas",
		[ACTION_SPREAD] = "spread",
		[ACTION_ROLLOUT] = "rollout",
		[ACTION_REPLICA_MOVE] = "replica_move",
		[ACTION_MIG] = "mig",
		[ACTION_TELL] = "tell",
		[ACTION_STOP] = "stop",
		[ACTION_CORDON] = "cordon",
		[ACTION_DRAIN] = "drain",
		[ACTION_POOL] = "pool",
		[ACTION_RELEASE] = "release",
		[ACTION_TIMETABLE] = "timetable",
		[ACTION_PACK] = "pack",
		[ACTION_HOST_SHARE] = "host_share",
		[ACTION_ARCHIVE] = "archive",
		[ACTION_EXPIRE] = "expire",
		[ACTION_COMMIT] = "commit",
		[ACTION_TAG_ALIAS] = "tag_alias",
	};

	return names[k];
}

const char *controller_name(enum controller c)
{
	static const char *const names[CONTROLLER_N] = {
		[CONTROLLER_DEPLOYMENT] = "deployment",
		[CONTROLLER_STATEFULSET] = "statefulset",
		[CONTROLLER_DAEMONSET] = "daemonset",
		[CONTROLLER_JOB] = "job",
	};

	return names[c];
}

enum controller controller_of(struct sv kind)
{
	for (int c = CONTROLLER_UNKNOWN + 1; c < CONTROLLER_N; c++)
		if (sv_ieq(kind, sv_of(controller_name((enum controller)c))))
			return (enum controller)c;
	return CONTROLLER_UNKNOWN;
}
