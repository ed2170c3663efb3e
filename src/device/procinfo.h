#ifndef TARE_DEVICE_PROCINFO_H
#define TARE_DEVICE_PROCINFO_H
/*
 * What a process says of itself: /proc/PID/{stat,status,cgroup,environ}, all read through one
 * descriptor of the folder, so that a process that ends in between and another one with its number
 * can never be mixed up.
 */
#include "base/clean.h"
#include "device/cgroup.h"

/* read of an environment at most: the kernel's own limit with the usual stack */
#define PROCINFO_ENV_BYTES ((size_t)2 << 20)

enum procinfo_var { /* variables of interest; "" = not there */
		    VAR_TARE_TEAM,
		    VAR_TARE_PROJECT,
		    VAR_TARE_ENV,
		    VAR_TARE_WORKLOAD,
		    VAR_TARE_JOB,
		    VAR_TARE_USER,
		    VAR_SLURM_JOB_ID,
		    VAR_SLURM_JOBID,
		    VAR_SLURM_ARRAY_JOB_ID,
		    VAR_SLURM_ARRAY_TASK_ID,
		    VAR_SLURM_JOB_UID,
		    VAR_SLURM_JOB_USER,
		    VAR_SLURM_JOB_ACCOUNT,
		    VAR_SLURM_JOB_PARTITION,
		    VAR_SLURM_JOB_NAME,
		    VAR_SLURM_CLUSTER_NAME,
		    VAR_SLURM_RESTART_COUNT,
		    VAR_SLURM_JOB_QOS,
		    VAR_CUDA_MPS_ACTIVE_THREAD_PERCENTAGE,
		    VAR_N
};

struct procinfo {
	int32_t pid;
	uint64_t start_ticks; /* after the machine's start, of 1/_SC_CLK_TCK s */
	uint32_t uid;         /* real user */
	char comm[CLEAN_MAX + 1];
	struct cgroup_who cgroup;
	bool has_env; /* its environment could be read: same user, or root */
	char var[VAR_N][CLEAN_MAX + 1];
};
/*
 * Process pid of `proc` ("/proc"). 0; -ESRCH: gone, or another process by now (start_ticks other
 * than asked; 0 asks for none in particular); else negative errno, and *ret means nothing. A cgroup
 * or an environment that cannot be read is no error. *ret is about 7 KB: keep one and reuse it.
 */
int procinfo_read(const char *proc, int32_t pid, uint64_t start_ticks, struct procinfo *ret);

/* NUL-separated NAME=value in pieces of any size: zero-initialise, feed, feed, end (also of what
 * has no NUL behind it). Values are cleaned and cut to CLEAN_MAX bytes; the first of a name counts.
 */
struct environ_scan {
	char text[CLEAN_MAX * 2];
	size_t n;
};
void environ_feed(struct environ_scan *s, struct sv piece, char var[VAR_N][CLEAN_MAX + 1]);
void environ_end(struct environ_scan *s, char var[VAR_N][CLEAN_MAX + 1]);

/* Start time and name of the text of /proc/PID/stat; the name, a view of it, may hold blanks and
 * brackets. -EBADMSG: is not such a text; -ESRCH: dead. */
int procinfo_stat(struct sv text, uint64_t *ret_start_ticks, struct sv *ret_comm);

#endif
