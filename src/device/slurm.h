#ifndef TARE_DEVICE_SLURM_H
#define TARE_DEVICE_SLURM_H
/*
 * What Slurm's own programs print of running jobs, and gres.conf: pure readers of text. Written
 * against 22.05 (samples in the tests); newer releases print more keys, which are passed over.
 *
 * A job's name and comment are its owner's to choose, newlines included, and scontrol prints them
 * as they are. So identity (user, account, partition, state) is taken from squeue with a format of
 * fields that nobody can forge, and of scontrol's text a key that comes twice is taken as not
 * known.
 */
#include <stdbool.h>
#include "base/mem.h"
#include "model/model.h"

#define SLURM_JOBS_MAX 4096 /* jobs on one node */
#define SLURM_IDX_MAX  64   /* devices of one kind on one node */

/* squeue -h -o SLURM_SQUEUE_FORMAT, TZ=UTC */
#define SLURM_SQUEUE_FORMAT "%A|%F|%K|%U|%u|%a|%P|%T|%q|%S|%l"

enum slurm_gres_kind { GRES_GPU, GRES_MPS, GRES_SHARD };
struct slurm_gres { /* of one job on one node */
	enum slurm_gres_kind kind;
	struct sv type; /* "a100", "1g.10gb", {NULL,0} */
	int64_t count;
	uint64_t idx; /* bit i: device i in the order of gres.conf; 0 = not said */
	/* shard "2/4" of device i; of 0 = not said */
	int32_t part[SLURM_IDX_MAX], of[SLURM_IDX_MAX];
};
struct slurm_job {
	int64_t id, array_job, array_task; /* raw id; -1: no array */
	int64_t uid;                       /* -1 */
	int restarts;                      /* -1 = not said */
	struct sv user, account, partition, qos, state, name, comment, wckey;
	int64_t submit_ms, start_ms, limit_ms; /* UNKNOWN_MS */
	struct slurm_gres *gres;
	size_t ngres;
	bool detailed; /* scontrol has shown it */
};

/* Lines of squeue: jobs that hold this node. Lines of another shape are passed over. Texts stay in
 * `text`. */
size_t slurm_squeue_parse(struct arena *mem, struct sv text, struct slurm_job **ret);
/*
 * `scontrol show job -d ID`: adds what it says to *job (whose id is given); gres of the line for
 * `node`. False where the text does not begin with that job. Texts stay in `text`.
 */
bool slurm_scontrol_parse(struct arena *mem, struct sv text, const char *node,
			  struct slurm_job *job);
/* "gpu:a100:2(IDX:0-1),mps:50": returns how many, at most max. */
size_t slurm_gres_parse(struct sv text, struct slurm_gres *ret, size_t max);

/* A device of a node in the order of gres.conf. */
struct slurm_device {
	struct sv type;
	int minor; /* /dev/nvidia<minor>; -1 = not said */
	int cap;   /* /dev/nvidia-caps/nvidia-cap<cap> of a MIG instance; -1 */
};
/*
 * gres.conf -> devices of Name=gpu of `node`; 0 where it lists none (AutoDetect). Lines without
 * NodeName hold for every node. Include lines are not followed. At most max devices.
 */
size_t slurm_gres_conf(struct sv text, const char *node, struct slurm_device *ret, size_t max);
/* /proc/driver/nvidia-caps/mig-minors: which instance a capability file is of. */
bool slurm_mig_minor(struct sv text, int cap, int *ret_gpu_minor, int *ret_gi);

#endif
