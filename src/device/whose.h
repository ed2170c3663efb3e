#ifndef TARE_DEVICE_WHOSE_H
#define TARE_DEVICE_WHOSE_H
/*
 * Whose is a process, and who holds a GPU without any process? From the cgroup, the environment,
 * Slurm, Kubernetes, containers, systemd, else the user, in this order:
 *
 *   1. Slurm job     cgroup path job_<id>, SLURM_JOB_ID in the environment; account, user, comment,
 *                    GRES indices from scontrol/squeue
 *   2. Kubernetes    cgroup path -> pod uid -> name, namespace, labels (API server or the kubelet's
 *                    /pods); devices from the kubelet's pod-resources socket
 *   3. container     Docker or Podman: id in the cgroup path -> name and labels (socket of the
 *                    engine)
 *   4. TARE_TEAM, TARE_PROJECT, TARE_ENV, TARE_WORKLOAD, TARE_JOB in the environment; these also
 *   fill what 1 to 3 leave empty
 *   5. systemd unit or user session, else the user
 *
 * What others have to be asked (Slurm, kubelet, engine) a thread of its own asks, so that no call
 * here waits for them; only the first call of whose_process() or whose_holds() does, for at most 2
 * s. A process of a job, pod or container that no source has named yet has no owner for up to 3 s,
 * until the source was asked again. All functions of one struct whose belong to one thread.
 *
 * Nothing is made up: what cannot be found out (no rights, gone already) stays {NULL,0}. Texts from
 * outside are bounded (256 bytes), valid UTF-8 and without control characters.
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "model/model.h"

struct whose_opt { /* zero-initialised: find out */
	/* name of this machine for Slurm and Kubernetes, NULL: NODE_NAME, SLURMD_NODENAME, else the
	 * host name */
	const char *node;
	const char *proc;     /* "/proc" */
	const char *scontrol; /* program; NULL: "scontrol" if it is on PATH; "" = no Slurm */
	/* URL of /pods or of the API server; NULL: from KUBERNETES_SERVICE_HOST or none; "" =
	 * none */
	const char *kubelet;
	const char *kube_token_file, *kube_ca_file; /* NULL: those of the service account */
	/* socket; NULL: /var/lib/kubelet/pod-resources/kubelet.sock if it is there */
	const char *pod_resources;
	/* socket; NULL: /var/run/docker.sock, /run/podman/podman.sock if they are there */
	const char *docker;
	int64_t refresh_ms; /* of what is asked of others, 0: 15 s */
	/* whose_holds() and whose_process() wait for answers that are due (at most 2 s) instead of
	 * giving those of before: for what runs once */
	bool wait;
};
struct whose;
/* opt NULL: as zero-initialised; its texts are copied. Returns 0, whatever of it is not there: what
 * each source gives is whose_sources()'s to say. */
int whose_open(const struct whose_opt *opt, struct whose **ret, struct err *err);
void whose_close(struct whose *w);

/*
 * The owner of a process (start_ticks: as in gpu_proc; another process with this pid by now gives
 * NULL, as a process that is gone does). Cached by (pid, start_ticks). The allocation lives until
 * whose_close() or until whose_sweep() found it unused for an hour; its start_ms is the job's,
 * pod's or process's, job_id "slurm job id", "namespace/pod", container name, unit or "user/comm";
 * what the environment says of team, project, env and workload follows ("root/python3/vision"):
 * processes that say different things are different jobs.
 */
const struct allocation *whose_process(struct whose *w, int32_t pid, uint64_t start_ticks,
				       int64_t now_ms);

/* A device that somebody holds, whatever runs on it. */
struct whose_hold {
	/* same lifetime as above; the same pointer as whose_process() gives for the job's
	 * processes */
	const struct allocation *held;
	struct sv gpu; /* uuid, or "" and index >= 0 */
	/* the driver's index of the GPU (Slurm without device files: order of gres.conf), -1 where
	 * uuid or minor is given */
	int index;
	/* /dev/nvidia<minor> (gpu_info.minor), -1; counts where there is neither uuid nor index */
	int minor;
	int gi;            /* GPU instance on that GPU (gpu_info.gi), -1 */
	struct sv mig;     /* MIG uuid, or {NULL,0} */
	int64_t share_ppb; /* of the device, -1 = all or equal parts */
	enum share_kind share_kind;
};
/*
 * All of this machine, from what was asked last; has asked again where that is older than
 * refresh_ms (a source that does not answer keeps its last answer for 5 minutes and is then
 * unknown). Each pair of owner and device once. *ret valid until the next whose_holds().
 */
int whose_holds(struct whose *w, int64_t now_ms, const struct whose_hold **ret, size_t *ret_n,
		struct err *err);
/* Does a source that gives devices to owners (Slurm, the kubelet) answer? Then a device
 * that whose_holds() does not name is nobody's by it. */
bool whose_sees_holds(const struct whose *w, int64_t now_ms);
/* Free the processes and owners that nobody asked for lately (whose_process() says how long). */
void whose_sweep(struct whose *w, int64_t now_ms);

/* What this machine can and cannot find out, for `tare doctor`: a sentence a source, in ret [max].
 * Returns how many. */
struct whose_source {
	const char *name;
	bool works;
	char why[200];
};
size_t whose_sources(struct whose *w, struct whose_source *ret, size_t max);

#endif
