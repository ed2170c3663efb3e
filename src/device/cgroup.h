#ifndef TARE_DEVICE_CGROUP_H
#define TARE_DEVICE_CGROUP_H
/*
 * What the cgroup path of a process says about whose it is (cgroup v1, v2 and both): Slurm job and
 * step, Kubernetes pod, container, systemd unit. Pure; reads the text of /proc/PID/cgroup.
 *
 * A path can be made by anyone below a subtree that was delegated to him, so a Slurm job counts
 * only below Slurm's own cgroup and outside of user sessions, pods and containers. Where things are
 * nested the outermost says whose it is.
 *
 * Shapes (facts book 5.7 and Slurm's cgroup plugins):
 *   /slurm/uid_1000/job_123/step_0/task_0 Slurm v1 (also /slurm_<node>/)
 *   /system.slice/slurmstepd.scope/job_123/step_0/user/task_0 Slurm v2 (also
 *           <node>_slurmstepd.scope)
 *   /kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod<uid with
 *   _>.slice/cri-containerd-<id>.scope /kubepods/burstable/pod<uid>/<id>
 *   /system.slice/docker-<id>.scope, /docker/<id>, libpod-<id>.scope, /libpod_parent/libpod-<id>
 */
#include <stdbool.h>
#include "base/str.h"

enum cgroup_engine {
	ENGINE_NONE,
	ENGINE_DOCKER,
	ENGINE_PODMAN,
	ENGINE_CONTAINERD,
	ENGINE_CRIO,
	ENGINE_OTHER
};

struct cgroup_who {          /* "" and -1: does not say */
	int64_t slurm_job;   /* raw number */
	int64_t slurm_uid;   /* v1 only */
	char slurm_step[32]; /* "0", "batch", "extern", "interactive" */
	/* uid with dashes, lower case; 32 hex digits of a static pod as they are */
	char pod[40];
	char container[65]; /* 64 hex digits */
	enum cgroup_engine engine;
	char unit[128]; /* "ollama.service"; never a session or the manager of a user */
	bool session;   /* in a user's session (login, ssh) or his manager */
};
void cgroup_parse(struct sv text, struct cgroup_who *ret);

#endif
