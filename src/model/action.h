#ifndef TARE_MODEL_ACTION_H
#define TARE_MODEL_ACTION_H
/*
 * What a plan changes, as data. A recommendation is a list of actions in the order in which they
 * are done; the lines that are printed to do and to undo it are made from them and from nothing
 * else (report/action/action_text.h). So what is replayed, signed or carried out is what was
 * printed. See docs/design/0013-actions.md.
 *
 * Texts and arrays live in the arena of the plan. A name that nobody told is NULL.
 */
#include "base/str.h"
#include "model/model.h"

/*
 * A name as bills, job lists and clusters tell it, not yet fit to be printed. It is a struct so
 * that the compiler refuses it where a text goes: quote_names() of report/action/action_in.h is the
 * one way, and quotes it for where it goes.
 */
struct raw_name {
	const char *z;
};
static inline struct raw_name raw_name(const char *z)
{
	return (struct raw_name){ filled_or(z, NULL) };
}

enum action_kind {
	/* submissions */
	ACTION_SUBMIT,      /* jobs or replicas ask for something else from now on */
	ACTION_TRIAL,       /* one of them first, and look */
	ACTION_CHECKPOINTS, /* jobs save what they have, and resume from it */
	ACTION_FEED,        /* jobs load their data with more workers */
	ACTION_TECHNIQUE,   /* of training or serving: advice */
	ACTION_CULL,        /* notebooks that idle are stopped */
	/* services */
	ACTION_REPLICAS,     /* so many of them */
	ACTION_SPREAD,       /* some more elsewhere, then as many fewer where most are */
	ACTION_ROLLOUT,      /* wait until all of them work */
	ACTION_REPLICA_MOVE, /* one of them, beside one of another on a GPU: a trial of 24 h */
	/* machines */
	ACTION_MIG,        /* layout of the GPUs of a machine */
	ACTION_TELL,       /* people are told, and can say no; or what is theirs to use */
	ACTION_STOP,       /* a machine stops, its disks stay; or it leaves its node pool */
	ACTION_CORDON,     /* nothing new starts there */
	ACTION_DRAIN,      /* and what runs there goes elsewhere */
	ACTION_POOL,       /* so many machines of a type; none: the pool is removed */
	ACTION_RELEASE,    /* free machines go back after a while, and come when asked for */
	ACTION_TIMETABLE,  /* machines are on by the hour of the week */
	ACTION_PACK,       /* a machine is filled before the next */
	ACTION_HOST_SHARE, /* what of the host goes with a GPU where a job does not say */
	/* storage and money */
	ACTION_ARCHIVE, /* a snapshot is kept, the storage deleted */
	ACTION_EXPIRE,  /* old objects of a bucket are deleted */
	ACTION_COMMIT,  /* to pay for a term; cannot be undone */
	/* settings of tare */
	ACTION_TAG_ALIAS, /* tags of the bill mean a team or a project */
	ACTION_N
};
const char *action_name(enum action_kind k); /* "submit"; the "do" of the JSON */

/* Submissions, by what is known when they are made. Not told (gpus: 0): any. */
struct habit {
	struct raw_name team, user, workload, cluster, service;
	struct raw_name name; /* of the jobs, with * for what differs */
	struct raw_name script, image;
	struct raw_name instance_type, gpu_model;
	int64_t gpus; /* asked for, of a machine */
};

/* What a submission asks for. */
struct submit_ask {
	int64_t gpus; /* of a machine; 0: none */
	struct raw_name instance_type;
	int64_t limit_ms; /* after which the scheduler kills it */
	struct raw_name region;
	bool spot;
	int begin_hour; /* of the day, UTC: not before; -1: at once */
};
enum submit_change {
	SUBMIT_GPUS = 1,
	SUBMIT_TYPE = 2,
	SUBMIT_LIMIT = 4,
	SUBMIT_REGION = 8,
	SUBMIT_SPOT = 16,
	SUBMIT_BEGIN = 32,
};
enum submit_to { TO_SLURM = 1, TO_KUBERNETES = 2, TO_ANY = 3 };
struct action_submit {
	unsigned change; /* SUBMIT_... bits: of was and now, these count */
	/* of the GPUs: what they get who do not ask for more, and a run that fails for the want of
	 * them goes back to what was */
	bool is_default;
	struct submit_ask was, now;
	unsigned to;              /* TO_... bits: where they are submitted */
	struct raw_name provider; /* of spot machines */
	/* [a-z0-9], tells the pool of its recommendation from others of the same type; NULL:
	 * none */
	const char *pool_tag;
	struct raw_name pool_type; /* machines of that pool */
	/* on spot machines: between checkpoints; 0: it makes none, and starts from zero */
	double checkpoint_min;
	double data_gb;             /* that follows each run to another region */
	struct raw_name namespace_; /* of Kubernetes, on spot; NULL: not told, or several */
};

/* The smallest run that shows whether it holds. */
enum trial_how {
	TRIAL_PROFILE,  /* one of them where they will run, under tare profile */
	TRIAL_SPOT,     /* one job against its spot market, by tare plan spot */
	TRIAL_SCHEDULE, /* one job against the prices of the day, by tare plan schedule */
};
struct action_trial {
	enum trial_how how;
	struct raw_name instance_type, region; /* spot */
	bool checkpoints;
	bool reveals; /* with the setting that shows how much memory it needs */
	/* on its own, without a move: steps a second there, of those here, at which a run costs as
	 * much; 0: not told, and the rest is nothing */
	double even_speed_frac;
	const char *gpu_from, *gpu_to; /* models */
	double gpus;
};

enum technique {
	TECHNIQUE_STOP_EARLY,
	TECHNIQUE_BUDGET,
	TECHNIQUE_COMPRESS,
	TECHNIQUE_TRANSFER,
	TECHNIQUE_QUANTISE,
	TECHNIQUE_MIXED_PRECISION,
	TECHNIQUE_CHECKPOINT,
	TECHNIQUE_REUSE,       /* results of a run that is made again */
	TECHNIQUE_CHECK_FIRST, /* a short run before the whole one */
	TECHNIQUE_SHARE,       /* sessions and small services on one GPU */
	TECHNIQUE_N
};
struct action_technique {
	enum technique technique;
	/* of early stopping: evaluations of the metric, each no better than the best before it by
	 * delta_frac of that; 0: not worked out, and the rest is nothing */
	int64_t patience;
	struct raw_name metric;
	bool higher; /* is better */
	double delta_frac;
};
struct action_cull {
	int64_t idle_ms;
};

/* What keeps the replicas of a service. */
enum controller {
	CONTROLLER_UNKNOWN, /* not told, or one of another kind: taken for a deployment */
	CONTROLLER_DEPLOYMENT,
	CONTROLLER_STATEFULSET,
	CONTROLLER_DAEMONSET, /* one on each machine: cannot be scaled */
	CONTROLLER_JOB,
	CONTROLLER_N
};
const char *controller_name(enum controller c); /* "statefulset"; NULL: unknown */
enum controller controller_of(struct sv kind);  /* "StatefulSet", in any case */

struct action_replicas {
	struct raw_name service;
	int64_t was, now;
	int64_t spot;               /* of now, on spot machines: in a deployment of their own */
	struct raw_name provider;   /* of the spot machines */
	struct raw_name cluster;    /* of those that it runs in; NULL: it runs in one */
	struct raw_name namespace_; /* of Kubernetes; NULL: not told, or several */
	enum controller controller;
};
struct action_replica_move {
	struct raw_name service, beside;
	struct raw_name node;
	enum share_kind share; /* of the GPU that both are on */
	const char *why;       /* a text of ours */
	const char *profile;   /* "3g.20gb", of MIG */
	bool first;            /* of the two: MPS is started for both */
	int threads_pct;       /* of MPS */
	int64_t mem_mib;
	double limit_ms;            /* of the 99th percentile of its latency; above it is a no */
	struct raw_name namespace_; /* of the service; NULL: not told, or several */
	enum controller controller; /* of the service */
};

struct machine_ref {
	struct raw_name node;
	struct raw_name resource; /* id of the cloud */
	struct raw_name provider, region, zone, instance_type;
	/* of Kubernetes, whose cloud starts another for one that is stopped; not told: none */
	struct raw_name node_pool, pool_cluster;
	unsigned to; /* TO_... bits: whose scheduler it leaves; 0: Kubernetes' */
};
enum tell_about {
	TELL_STOP, /* these machines stop in some days, unless somebody needs them */
	TELL_ROOM, /* these are paid for and free: work that waits or rents others fits there */
};
struct action_tell {
	enum tell_about about;
	struct raw_name who; /* a team or user; none: whoever answers for the cluster */
	struct raw_name cluster;
	double days;                 /* before it is done */
	const struct raw_name *node; /* [nnode] the machines */
	size_t nnode;
};
struct mig_part {
	const char *profile; /* "3g.20gb" */
	int count;
};
struct action_mig {
	struct machine_ref at;
	const char *config; /* its name; a text of ours */
	unsigned scheduler; /* TO_SLURM or TO_KUBERNETES */
	int device;
	const struct mig_part *part; /* [npart], largest first */
	size_t npart;
	const struct raw_name *ends; /* [nends] what runs there and would be killed */
	size_t nends;
};
/* More than was: they are booted when something asks for them, and go when nothing does. */
struct action_pool {
	struct raw_name cluster, provider, region, instance_type, gpu_model;
	bool spot;
	int64_t gpus;          /* of a machine */
	int64_t cpus, ram_mib; /* of a machine, 0: not known */
	const char *tag;       /* as pool_tag of the submissions that go there; NULL: none */
	unsigned to;           /* TO_... bits: whose machines they are */
	int64_t was, now;      /* machines at most */
};
struct action_release {
	struct raw_name cluster, pool; /* pool: of nodes, where they are all of one */
	struct raw_name provider;      /* of the machines */
	double idle_min, boot_min;
	int64_t machines; /* of the group: as many as it keeps today */
	unsigned to;      /* TO_... bits: whose machines they are; 0: not known */
};
/* Switched on or off at this hour of each week, UTC. */
struct power_event {
	int weekday; /* 0: Monday */
	int hour;
	bool on;
};
/* Machines of a node pool: they go and come by its size. */
struct pool_size {
	struct raw_name pool, cluster;
	int64_t all, these; /* of it today; of them those that the timetable is about */
};
struct action_timetable {
	const char *id; /* [a-z0-9._-], a name for its file */
	struct raw_name cluster, provider, region, zone;
	const struct raw_name *node; /* [nnode], each once; none: all of the cluster */
	size_t nnode;
	/* [nresource] their ids in the cloud; none where not all are known */
	const struct raw_name *resource;
	size_t nresource;
	const struct power_event *event; /* [nevent], by day and hour */
	size_t nevent;
	const struct pool_size *pool; /* [npool] where all of them are in node pools; none else */
	size_t npool;
	unsigned to; /* TO_... bits: whose machines they are; 0: not known */
};
struct action_pack {
	struct raw_name cluster, instance_type;
};
struct action_host_share {
	struct raw_name cluster;
	bool cpu;            /* else memory */
	int64_t cpus, mib;   /* a GPU; the one it is about */
	bool machines_short; /* they have too little of it for the jobs, whoever asks */
};

struct action_archive {
	struct raw_name provider, region, name, resource;
	double kept_days; /* the snapshot, at least */
};
struct action_expire {
	struct raw_name bucket;
	int days;
};
/* Keys of tags, as the bill has them. */
struct action_tag_alias {
	struct raw_name team, project;
	/* keys that mean it by now: they are tried first, so that only what has none changes */
	const struct raw_name *team_before, *project_before;
	size_t nteam_before, nproject_before;
};
struct action_commit {
	const char *id; /* [a-z0-9._-], a name for it */
	struct raw_name provider, region, instance_type, gpu_model;
	struct raw_name currency;
	double cpus, ram_gib;        /* of a machine; NAN = not known */
	const char *purchase, *term; /* "savings_plan", "1y" */
	int64_t term_h, ends_ms;
	double gpus, machines;  /* machines 0: not known how many GPUs one has */
	int64_t plan_hour_nano; /* of a savings plan: money an hour; else UNKNOWN_NANO */
	bool in_parts;          /* large enough to be bought in four */
};

struct action {
	enum action_kind kind;
	struct habit which; /* of what is submitted, where the kind is about that */
	union {
		struct action_submit submit;
		struct action_trial trial;
		struct action_technique technique;
		struct action_cull cull;
		struct action_replicas
			replicas; /* spread: `was` on the way, `now` before and after; rollout: now */
		struct action_replica_move replica_move;
		struct action_mig mig;
		struct action_tell tell;
		struct machine_ref machine; /* stop, cordon, drain */
		struct action_pool pool;
		struct action_release release;
		struct action_timetable timetable;
		struct action_pack pack;
		struct action_host_share host_share;
		struct action_archive archive;
		struct action_expire expire;
		struct action_commit commit;
		struct action_tag_alias tag_alias;
	};
};
#endif
