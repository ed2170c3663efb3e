/* Actions as JSON: "do" says which, then the columns of its kind. */
#include "report/action/action_text.h"
#include "report/col.h"

#define TEXT(S, field, about)                                              \
	{                                                                  \
#field, COL_TEXT, offsetof(struct S, field), .help = about \
	}
#define INT(S, field, about)                                              \
	{                                                                 \
#field, COL_INT, offsetof(struct S, field), .help = about \
	}
#define NUM(S, field, about)                                                           \
	{                                                                              \
#field, COL_NUM, offsetof(struct S, field), .help = about, .digits = 6 \
	}
/* Left out where any will do. */
#define ANY(field, about)                                                                        \
	{                                                                                        \
#field, COL_TEXT, offsetof(struct habit, field), .help = about, .optional = true \
	}

static bool get_habit_gpus(const void *row, union col_value *ret)
{
	ret->n = ((const struct habit *)row)->gpus;
	return ret->n > 0;
}

static const struct col habit_cols[] = {
	ANY(team, "who submits"),
	ANY(user, "who submits"),
	ANY(workload, "what kind of work"),
	ANY(cluster, "to where"),
	ANY(service, "replicas of it"),
	ANY(name, "of the jobs, * for what differs"),
	ANY(script, "that is submitted"),
	ANY(image, "of the container"),
	ANY(instance_type, "that is asked for or given"),
	ANY(gpu_model, "that is asked for or given"),
	{ "gpus", COL_INT, .help = "asked for, of a machine", .get = get_habit_gpus,
	  .optional = true },
	{ 0 },
};

/* ---- submissions ------------------------------------------------------------------------- */

static bool get_begin(const void *row, union col_value *ret)
{
	ret->n = ((const struct submit_ask *)row)->begin_hour;
	return ret->n >= 0;
}

static const struct {
	unsigned bit;
	struct col col;
} asks[] = {
	{ SUBMIT_GPUS, INT(submit_ask, gpus, "of a machine") },
	{ SUBMIT_TYPE, TEXT(submit_ask, instance_type, "machine type") },
	{ SUBMIT_LIMIT, INT(submit_ask, limit_ms, "after which the scheduler kills it") },
	{ SUBMIT_REGION, TEXT(submit_ask, region, "where it runs") },
	{ SUBMIT_SPOT, { "spot", COL_BOOL, offsetof(struct submit_ask, spot), .help = "machine" } },
	{ SUBMIT_BEGIN,
	  { "begin_hour", COL_INT, .help = "of the day, UTC; null: at once", .get = get_begin } },
};
enum { NASKS = sizeof asks / sizeof *asks };

/* ---- the other kinds --------------------------------------------------------------------- */

static bool get_how(const void *row, union col_value *ret)
{
	static const char *const names[] = { "profile", "spot", "schedule" };

	ret->text = names[((const struct action_trial *)row)->how];
	return true;
}

static bool get_technique(const void *row, union col_value *ret)
{
	static const char *const names[] = { "stop_early", "budget",   "compress",
					     "transfer",   "quantise", "mixed_precision",
					     "checkpoint", "reuse",    "check_first",
					     "share" };

	ret->text = names[((const struct action_technique *)row)->technique];
	return true;
}

static bool get_patience(const void *row, union col_value *ret)
{
	ret->n = ((const struct action_technique *)row)->patience;
	return ret->n > 0;
}

static bool get_metric(const void *row, union col_value *ret)
{
	ret->text = ((const struct action_technique *)row)->metric.z;
	return ret->text != NULL;
}

static bool get_better(const void *row, union col_value *ret)
{
	const struct action_technique *t = row;

	ret->text = t->higher ? "higher" : "lower";
	return t->patience > 0;
}

static bool get_delta_frac(const void *row, union col_value *ret)
{
	const struct action_technique *t = row;

	ret->x = t->delta_frac;
	return t->patience > 0;
}

static bool get_controller(const void *row, union col_value *ret)
{
	ret->text = controller_name(((const struct action_replicas *)row)->controller);
	return ret->text != NULL;
}

static bool get_move_controller(const void *row, union col_value *ret)
{
	ret->text = controller_name(((const struct action_replica_move *)row)->controller);
	return ret->text != NULL;
}

static bool get_share(const void *row, union col_value *ret)
{
	ret->text = share_kind_name(((const struct action_replica_move *)row)->share);
	return true;
}

static bool get_tell_about(const void *row, union col_value *ret)
{
	ret->text = ((const struct action_tell *)row)->about == TELL_STOP ? "stop" : "room";
	return true;
}

/* By TO_... bits. */
static const char *const to_words[] = { NULL, "slurm", "kubernetes", "any" };
#define TO(S)                                                                             \
	{                                                                                 \
		"to", COL_TEXT, offsetof(struct S, to),                                   \
			.words = to_words,                                                \
			.help = "whose machines: slurm, kubernetes, any; null: not known" \
	}
#define REPLICAS_CLUSTER                                                            \
	{                                                                           \
		"cluster", COL_TEXT, offsetof(struct action_replicas, cluster),     \
			.help = "which, of those that it runs in", .optional = true \
	}
#define NAMESPACE(S)                                                                    \
	{                                                                               \
		"namespace", COL_TEXT, offsetof(struct S, namespace_),                  \
			.help = "of Kubernetes; null: the input tells none, or several" \
	}
#define CONTROLLER(GET)                                                                     \
	{                                                                                   \
		"controller", COL_TEXT,                                                     \
			.get = GET,                                                         \
			.help = "deployment, statefulset, daemonset or job; null: not told" \
	}
static const struct col trial_cols[] = {
	{ "how", COL_TEXT, .help = "profile, spot or schedule", .get = get_how },
	TEXT(action_trial, instance_type, "to try it on"),
	TEXT(action_trial, region, "to try it in"),
	{ 0 },
}, technique_cols[] = {
	{ "technique", COL_TEXT, .help = "of training or serving", .get = get_technique },
	{ "patience", COL_INT, .help = "of early stopping, in evaluations", .get = get_patience,
	  .optional = true },
	{ "metric", COL_TEXT, .help = "that is looked at", .get = get_metric, .optional = true },
	{ "better", COL_TEXT, .help = "lower or higher: of the metric", .get = get_better,
	  .optional = true },
	{ "delta_frac", COL_NUM,
	  .help = "it is better if it is by more than this part of the best so far",
	  .get = get_delta_frac, .digits = 6, .optional = true },
	{ 0 },
}, cull_cols[] = {
	INT(action_cull, idle_ms, "after which a notebook is stopped"),
	{ 0 },
}, replicas_cols[] = {
	TEXT(action_replicas, service, "whose replicas"),
	REPLICAS_CLUSTER,
	NAMESPACE(action_replicas),
	CONTROLLER(get_controller),
	INT(action_replicas, was, "before"),
	INT(action_replicas, now, "after"),
	INT(action_replicas, spot, "of these, on spot machines"),
	{ 0 },
}, spread_cols[] = {
	TEXT(action_replicas, service, "whose replicas"),
	REPLICAS_CLUSTER,
	NAMESPACE(action_replicas),
	CONTROLLER(get_controller),
	INT(action_replicas, was, "on the way"),
	INT(action_replicas, now, "before and after"),
	{ 0 },
}, service_cols[] = {
	TEXT(action_replicas, service, "whose replicas"),
	REPLICAS_CLUSTER,
	NAMESPACE(action_replicas),
	CONTROLLER(get_controller),
	INT(action_replicas, now, "replicas it has"),
	{ 0 },
}, replica_move_cols[] = {
	TEXT(action_replica_move, service, "of which one replica is tried on a part of a GPU"),
	TEXT(action_replica_move, beside, "of which another is on the same GPU"),
	TEXT(action_replica_move, node, "its machine"),
	NAMESPACE(action_replica_move),
	CONTROLLER(get_move_controller),
	{ "share", COL_TEXT, .help = "how the GPU is shared", .get = get_share },
	{ 0 },
}, node_cols[] = {
	{ "node", COL_TEXT, 0, .help = "its name" },
	{ 0 },
}, resource_cols[] = {
	{ "resource", COL_TEXT, 0, .help = "its id in the cloud" },
	{ 0 },
}, tell_cols[] = {
	{ "about", COL_TEXT, .help = "stop: machines will; room: machines are paid for and free",
	  .get = get_tell_about },
	TEXT(action_tell, who, "who is notified; null: whoever answers for the cluster"),
	TEXT(action_tell, cluster, "of the machines"),
	NUM(action_tell, days, "before it is done"),
	{ "nodes", COL_LIST(struct action_tell, node, nnode, node_cols), .help = "which" },
	{ 0 },
}, machine_cols[] = {
	TEXT(machine_ref, node, "its name"),
	TEXT(machine_ref, resource, "its id in the cloud"),
	TEXT(machine_ref, provider, "whose machine"),
	TEXT(machine_ref, region, "where"),
	TEXT(machine_ref, zone, "where"),
	TEXT(machine_ref, instance_type, "its type"),
	{ "node_pool", COL_TEXT, offsetof(struct machine_ref, node_pool),
	  .help = "of Kubernetes, that it is in", .optional = true },
	{ "pool_cluster", COL_TEXT, offsetof(struct machine_ref, pool_cluster),
	  .help = "the cluster of that, as its cloud calls it", .optional = true },
	{ 0 },
}, part_cols[] = {
	TEXT(mig_part, profile, "of an instance"),
	{ "count", COL_I32, offsetof(struct mig_part, count), .help = "of them on a GPU" },
	{ 0 },
}, mig_cols[] = {
	{ "at", COL_ROW, offsetof(struct action_mig, at), .help = "the machine",
	  .sub = machine_cols },
	{ "device", COL_I32, offsetof(struct action_mig, device), .help = "its GPU, from 0" },
	{ "parts", COL_LIST(struct action_mig, part, npart, part_cols), .help = "largest first" },
	{ 0 },
}, pool_cols[] = {
	TEXT(action_pool, cluster, "of the machines"),
	TEXT(action_pool, provider, "whose machines"),
	TEXT(action_pool, region, "where"),
	TEXT(action_pool, instance_type, "their type"),
	{ "spot", COL_BOOL, offsetof(struct action_pool, spot), .help = "interruptible machines" },
	INT(action_pool, was, "machines before"),
	INT(action_pool, now, "machines after; 0: the pool is gone"),
	TO(action_pool),
	{ 0 },
}, release_cols[] = {
	TEXT(action_release, cluster, "of the machines"),
	NUM(action_release, idle_min, "minutes after which a free machine goes"),
	NUM(action_release, boot_min, "minutes until one is there again"),
	INT(action_release, machines, "that it is about"),
	TO(action_release),
	{ 0 },
}, event_cols[] = {
	{ "weekday", COL_I32, offsetof(struct power_event, weekday), .help = "0: Monday" },
	{ "hour", COL_I32, offsetof(struct power_event, hour), .help = "of the day, UTC" },
	{ "on", COL_BOOL, offsetof(struct power_event, on), .help = "switched on, else off" },
	{ 0 },
}, pool_size_cols[] = {
	TEXT(pool_size, pool, "its name"),
	TEXT(pool_size, cluster, "of it, as its cloud calls it"),
	INT(pool_size, all, "machines of it today"),
	INT(pool_size, these, "of them, those that the timetable is about"),
	{ 0 },
}, timetable_cols[] = {
	TEXT(action_timetable, cluster, "of the machines"),
	TEXT(action_timetable, provider, "whose machines"),
	TEXT(action_timetable, region, "where"),
	TEXT(action_timetable, zone, "where"),
	{ "nodes", COL_LIST(struct action_timetable, node, nnode, node_cols), .help = "which" },
	{ "resources", COL_LIST(struct action_timetable, resource, nresource, resource_cols),
	  .help = "their ids, where all are known" },
	{ "events", COL_LIST(struct action_timetable, event, nevent, event_cols),
	  .help = "of each week" },
	{ "pools", COL_LIST(struct action_timetable, pool, npool, pool_size_cols),
	  .help = "node pools whose size changes; none: not all of the machines are in known ones" },
	TO(action_timetable),
	{ 0 },
}, pack_cols[] = {
	TEXT(action_pack, cluster, "of the machines"),
	TEXT(action_pack, instance_type, "their type"),
	{ 0 },
}, host_share_cols[] = {
	TEXT(action_host_share, cluster, "of the machines"),
	INT(action_host_share, cpus, "that go with a GPU; 0: not about CPUs"),
	INT(action_host_share, mib, "that go with a GPU; 0: not about memory"),
	{ 0 },
}, archive_cols[] = {
	TEXT(action_archive, provider, "whose storage"),
	TEXT(action_archive, region, "where"),
	TEXT(action_archive, name, "of the storage"),
	TEXT(action_archive, resource, "its id"),
	NUM(action_archive, kept_days, "days that the snapshot is kept, at least"),
	{ 0 },
}, expire_cols[] = {
	TEXT(action_expire, bucket, "whose objects"),
	{ "days", COL_I32, offsetof(struct action_expire, days), .help = "that they are kept" },
	{ 0 },
}, commit_cols[] = {
	TEXT(action_commit, provider, "who is paid"),
	TEXT(action_commit, region, "where it holds"),
	TEXT(action_commit, instance_type, "for which it holds"),
	TEXT(action_commit, purchase, "what is bought"),
	TEXT(action_commit, term, "1y or 3y"),
	NUM(action_commit, gpus, "that it covers"),
	{ "plan_hour", COL_NANO, offsetof(struct action_commit, plan_hour_nano), .unit = "money",
	  .help = "of a savings plan, an hour" },
	TEXT(action_commit, currency, "of plan_hour"),
	{ "ends", COL_TIME, offsetof(struct action_commit, ends_ms), .help = "its end" },
	{ 0 },
}, tag_alias_cols[] = {
	TEXT(action_tag_alias, team, "key of the tag that means the team"),
	TEXT(action_tag_alias, project, "key of the tag that means the project"),
	{ "team_before", COL_WORDS(struct action_tag_alias, team_before, nteam_before),
	  .help = "keys that are tried before it, as by now" },
	{ "project_before", COL_WORDS(struct action_tag_alias, project_before, nproject_before),
	  .help = "keys that are tried before it, as by now" },
	{ 0 },
}, none_cols[] = {
	{ 0 },
};

static const struct {
	const struct col *cols;
	bool which; /* it is about submissions */
} kinds[ACTION_N] = {
	[ACTION_SUBMIT] = { none_cols, true },
	[ACTION_TRIAL] = { trial_cols, false },
	[ACTION_CHECKPOINTS] = { none_cols, true },
	[ACTION_FEED] = { none_cols, true },
	[ACTION_TECHNIQUE] = { technique_cols, true },
	[ACTION_CULL] = { cull_cols, true },
	[ACTION_REPLICAS] = { replicas_cols, false },
	[ACTION_SPREAD] = { spread_cols, false },
	[ACTION_ROLLOUT] = { service_cols, false },
	[ACTION_REPLICA_MOVE] = { replica_move_cols, false },
	[ACTION_MIG] = { mig_cols, false },
	[ACTION_TELL] = { tell_cols, false },
	[ACTION_STOP] = { machine_cols, false },
	[ACTION_CORDON] = { machine_cols, false },
	[ACTION_DRAIN] = { machine_cols, false },
	[ACTION_POOL] = { pool_cols, false },
	[ACTION_RELEASE] = { release_cols, false },
	[ACTION_TIMETABLE] = { timetable_cols, false },
	[ACTION_PACK] = { pack_cols, false },
	[ACTION_HOST_SHARE] = { host_share_cols, false },
	[ACTION_ARCHIVE] = { archive_cols, false },
	[ACTION_EXPIRE] = { expire_cols, false },
	[ACTION_COMMIT] = { commit_cols, false },
	[ACTION_TAG_ALIAS] = { tag_alias_cols, false },
};

/* ---- schema ------------------------------------------------------------------------------ */

void action_shape(struct jw *w)
{
	struct col ask[NASKS + 1] = { 0 }, cols[24];

	for (size_t i = 0; i < NASKS; i++) {
		ask[i] = asks[i].col;
		ask[i].maybe = true;
	}
	jw_put_str(w, "type", "array");
	jw_key(w, "items");
	jw_obj(w);
	jw_key(w, "anyOf");
	jw_arr(w);
	for (int k = 0; k < ACTION_N; k++) {
		/* Columns of a kind, as put_action() prints them, into ret [max]. */
		const struct col submit[] = {
			{ "was", COL_ROW, .sub = ask, .help = "what is asked for now" },
			{ "now", COL_ROW, .sub = ask, .help = "what is to be asked for" },
			{ "slurm", COL_BOOL, .help = "it is about Slurm's queue" },
			{ "kubernetes", COL_BOOL, .help = "it is about Kubernetes" },
			{ "default", COL_BOOL, .maybe = true,
			  .help = "what they get who do not ask for more; a run that fails is requeued as before" },
			{ "checkpoint_min", COL_NUM, .maybe = true,
			  .help = "minutes between checkpoints" },
			{ "namespace", COL_TEXT, .maybe = true,
			  .help = "of Kubernetes; null: the input tells none, or several" },
			{ "data_gb", COL_NUM, .maybe = true,
			  .help = "that move to the other region" },
		};
		size_t n = 0;

		if (kinds[k].which)
			cols[n++] = (struct col){
				"which", COL_ROW, .sub = habit_cols,
				.help = "which submissions: what is not in it is any"
			};
		for (size_t i = 0; k == ACTION_SUBMIT && i < sizeof submit / sizeof *submit; i++)
			cols[n++] = submit[i];
		for (const struct col *c = kinds[k].cols; c->name; c++)
			cols[n++] = *c;
		cols[n] = (struct col){ 0 };

		cols_schema(cols, "do", action_name((enum action_kind)k), w);
	}
	jw_end_arr(w);
	jw_end_obj(w);
}

void action_json(const struct action *v, size_t n, struct jw *w)
{
	jw_arr(w);
	for (size_t i = 0; i < n; i++) {
		const struct action *a = &v[i];
		jw_obj(w);
		jw_put_text(w, "do", action_name(a->kind));
		if (kinds[a->kind].which) {
			jw_key(w, "which");
			jw_obj(w);
			cols_json_row(habit_cols, &a->which, w);
			jw_end_obj(w);
		}
		if (a->kind == ACTION_SUBMIT) {
			struct col changed[NASKS + 1] = { 0 };
			size_t nchanged = 0;

			for (size_t k = 0; k < NASKS; k++)
				if (a->submit.change & asks[k].bit)
					changed[nchanged++] = asks[k].col;
			jw_key(w, "was");
			jw_obj(w);
			cols_json_row(changed, &a->submit.was, w);
			jw_end_obj(w);
			jw_key(w, "now");
			jw_obj(w);
			cols_json_row(changed, &a->submit.now, w);
			jw_end_obj(w);
			jw_put_bool(w, "slurm", a->submit.to & TO_SLURM);
			jw_put_bool(w, "kubernetes", a->submit.to & TO_KUBERNETES);
			if (a->submit.change & SUBMIT_GPUS)
				jw_put_bool(w, "default", a->submit.is_default);
			if (a->submit.change & SUBMIT_SPOT) {
				jw_put_num(w, "checkpoint_min", a->submit.checkpoint_min, 3);
				jw_put_text(w, "namespace", a->submit.namespace_.z);
			}
			if (a->submit.change & SUBMIT_REGION)
				jw_put_num(w, "data_gb", a->submit.data_gb, 6);
		}
		/* all members of the union begin at its begin */
		cols_json_row(kinds[a->kind].cols, &a->submit, w);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}
