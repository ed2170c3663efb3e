#include "device/procinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/num.h"

static const char *const var_names[VAR_N] = {
	[VAR_TARE_TEAM] = "TARE_TEAM",
	[VAR_TARE_PROJECT] = "TARE_PROJECT",
	[VAR_TARE_ENV] = "TARE_ENV",
	[VAR_TARE_WORKLOAD] = "TARE_WORKLOAD",
	[VAR_TARE_JOB] = "TARE_JOB",
	[VAR_TARE_USER] = "TARE_USER",
	[VAR_SLURM_JOB_ID] = "SLURM_JOB_ID",
	[VAR_SLURM_JOBID] = "SLURM_JOBID",
	[VAR_SLURM_ARRAY_JOB_ID] = "SLURM_ARRAY_JOB_ID",
	[VAR_SLURM_ARRAY_TASK_ID] = "SLURM_ARRAY_TASK_ID",
	[VAR_SLURM_JOB_UID] = "SLURM_JOB_UID",
	[VAR_SLURM_JOB_USER] = "SLURM_JOB_USER",
	[VAR_SLURM_JOB_ACCOUNT] = "SLURM_JOB_ACCOUNT",
	[VAR_SLURM_JOB_PARTITION] = "SLURM_JOB_PARTITION",
	[VAR_SLURM_JOB_NAME] = "SLURM_JOB_NAME",
	[VAR_SLURM_CLUSTER_NAME] = "SLURM_CLUSTER_NAME",
	[VAR_SLURM_RESTART_COUNT] = "SLURM_RESTART_COUNT",
	[VAR_SLURM_JOB_QOS] = "SLURM_JOB_QOS",
	[VAR_CUDA_MPS_ACTIVE_THREAD_PERCENTAGE] = "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
};

/* fields of /proc/PID/stat as proc(5) numbers them; what is read begins behind the name's ")" */
#define STAT_STATE     3
#define STAT_STARTTIME 22

/* ---- environment ------------------------------------------------------------------------- */

void environ_feed(struct environ_scan *s, struct sv piece, char var[VAR_N][CLEAN_MAX + 1])
{
	for (size_t at = 0; at < piece.n;) {
		const char *nul = memchr(piece.p + at, 0, piece.n - at);
		size_t n = nul ? (size_t)(nul - piece.p) - at : piece.n - at,
		       room = sizeof s->text - s->n, take = min_size(n, room);
		memcpy(s->text + s->n, piece.p + at, take);
		s->n += take;
		at += n;
		if (nul) {
			environ_end(s, var);
			at++;
		}
	}
}

void environ_end(struct environ_scan *s, char var[VAR_N][CLEAN_MAX + 1])
{
	struct sv value, name = sv_cut((struct sv){ s->text, s->n }, '=', &value);
	bool ours = sv_starts(name, SV("TARE_")) || sv_starts(name, SV("SLURM_")) ||
		    sv_starts(name, SV("CUDA_"));

	for (int i = 0; i < VAR_N && ours && value.p; i++)
		if (sv_is(name, var_names[i]) && !var[i][0])
			sv_clean(value, var[i], CLEAN_MAX + 1);
	s->n = 0;
}

static bool read_environ(int dir, char var[VAR_N][CLEAN_MAX + 1])
{
	int fd = openat(dir, "environ", O_RDONLY | O_CLOEXEC);
	struct environ_scan s = { 0 };
	size_t all = 0;
	char buf[4096];
	ssize_t n = 0;

	if (fd < 0)
		return false;
	while (all < PROCINFO_ENV_BYTES && (n = read(fd, buf, sizeof buf)) > 0) {
		environ_feed(&s, (struct sv){ buf, (size_t)n }, var);
		all += (size_t)n;
	}
	environ_end(&s, var);
	close(fd);
	return n >= 0;
}

/* ---- the small files --------------------------------------------------------------------- */

/* A file of /proc from its beginning: 0..cap bytes (what is behind them is left out), -ESRCH where
 * the process is gone, else negative errno. */
static ssize_t read_whole(int dir, const char *name, char *buf, size_t cap)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t k = 0;

	if (fd < 0 && errno == ENOENT)
		return -ESRCH; /* the folder was there: its files go with the process */
	if (fd < 0)
		return -errno;
	while (n < cap && (k = read(fd, buf + n, cap - n)) > 0)
		n += (size_t)k;
	int read_errno = errno;
	close(fd);
	if (k < 0)
		return -read_errno;
	return (ssize_t)n;
}

int procinfo_stat(struct sv text, uint64_t *ret_start_ticks, struct sv *ret_comm)
{
	struct sv rest, field = SV_NULL;
	int64_t ticks;

	if (!text.n)
		return -EBADMSG;
	const char *open = memchr(text.p, '(', text.n), *end = memrchr(text.p, ')', text.n);
	if (!open || !end || end < open)
		return -EBADMSG;
	rest = sv_trim((struct sv){ end + 1, text.n - (size_t)(end + 1 - text.p) });
	if (rest.n && strchr("ZXx", rest.p[0]))
		return -ESRCH; /* dead, only not waited for yet */
	int i = STAT_STATE;
	for (; i <= STAT_STARTTIME && rest.p; i++)
		field = sv_cut(rest, ' ', &rest);
	if (i <= STAT_STARTTIME || sv_i64(field, &ticks) < 0 || ticks < 0)
		return -EBADMSG;
	*ret_start_ticks = (uint64_t)ticks;
	*ret_comm = (struct sv){ open + 1, (size_t)(end - open - 1) };
	return 0;
}

/* The start of the process behind the descriptor: its identity. */
static int read_stat(int dir, struct procinfo *p)
{
	char buf[2048];
	struct sv comm;
	ssize_t n = read_whole(dir, "stat", buf, sizeof buf);

	if (n < 0)
		return (int)n;
	int rc = procinfo_stat((struct sv){ buf, (size_t)n }, &p->start_ticks, &comm);
	if (!rc)
		sv_clean(comm, p->comm, sizeof p->comm);
	return rc;
}

/* "Uid: real effective saved filesystem": the real one, so that a set-uid program stays its
 * caller's. */
static int read_uid(int dir, uint32_t *ret)
{
	char buf[4096];
	ssize_t n = read_whole(dir, "status", buf, sizeof buf);
	struct sv text = { buf, n > 0 ? (size_t)n : 0 };
	int64_t uid;

	if (n < 0)
		return (int)n;
	while (text.p) {
		struct sv line = sv_cut(text, '\n', &text), value, name = sv_cut(line, ':', &value);
		if (!sv_is(name, "Uid") || !value.p)
			continue;
		value = sv_trim(value);
		for (size_t i = 0; i < value.n; i++)
			if (value.p[i] == '\t' || value.p[i] == ' ')
				value.n = i;
		if (sv_i64(value, &uid) < 0 || uid < 0 || uid > UINT32_MAX)
			return -EBADMSG;
		*ret = (uint32_t)uid;
		return 0;
	}
	return -EBADMSG;
}

int procinfo_read(const char *proc, int32_t pid, uint64_t start_ticks, struct procinfo *ret)
{
	char path[512], buf[16384];
	int rc;

	if (pid <= 0 || snprintf(path, sizeof path, "%s/%d", proc, pid) >= (int)sizeof path)
		return -ESRCH;
	int dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0) {
		if (errno == ENOENT)
			return -ESRCH;
		return -errno;
	}
	memset(ret, 0, sizeof *ret);
	ret->pid = pid;
	rc = read_stat(dir, ret);
	if (!rc && start_ticks && ret->start_ticks != start_ticks)
		rc = -ESRCH;
	if (!rc)
		rc = read_uid(dir, &ret->uid);
	ssize_t n = 0;
	/* a cgroup that cannot be read says nothing: the process has an owner all the same */
	if (!rc && (n = read_whole(dir, "cgroup", buf, sizeof buf)) == -ESRCH)
		rc = -ESRCH;
	if (!rc) {
		cgroup_parse((struct sv){ buf, (size_t)max_i64(n, 0) }, &ret->cgroup);
		ret->has_env = read_environ(dir, ret->var);
		/* dying in between leaves an empty environment and another cgroup behind */
		rc = read_stat(dir, ret);
	}
	close(dir);
	return rc;
}
