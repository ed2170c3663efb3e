/* The command of a run: started as if tare were not there, its signals, its end. See
 * profile_run.h. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include "profile/profile_in.h"
#include "base/exec.h"
#include "base/num.h"
#include "base/tm.h"

/* then twice as long each, up to the interval: a short command is read too */
#define FIRST_TICK_MS 100

static const int handed_on[] = { SIGTERM, SIGHUP,  SIGUSR1, SIGUSR2,
				 SIGINT,  SIGQUIT, SIGALRM, SIGCONT };

static int block_signals(struct profile_live *r, struct err *err)
{
	sigset_t set;
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof handed_on / sizeof *handed_on; i++)
		sigaddset(&set, handed_on[i]);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &r->old_mask);
	r->sigfd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (r->sigfd < 0)
		return err_set(err, -errno, "no signalfd: %s", strerror(errno));
	return 0;
}

static int start_child(struct profile_live *r, struct err *err)
{
	int fd[2], e = 0;
	pid_t self = getpid();
	ssize_t n;

	if (pipe2(fd, O_CLOEXEC) < 0)
		return err_set(err, -errno, "no pipe: %s", strerror(errno));
	fflush(NULL);
	if ((r->child = fork()) < 0) {
		e = errno;
		close(fd[0]);
		close(fd[1]);
		return err_set(err, -e, "cannot start a process: %s", strerror(e));
	}
	if (!r->child) {
		int report = fd[1];
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != self) /* it went before that was in force */
			_exit(125);
		signal(SIGPIPE, SIG_DFL); /* the program ignores these two for itself */
		signal(SIGXFSZ, SIG_DFL);
		sigprocmask(SIG_SETMASK, &r->old_mask, NULL);
		execvp(r->o->argv[0], r->o->argv);
		int i = errno;
		while (write(report, &i, sizeof i) < 0 && errno == EINTR)
			;
		_exit(i == ENOENT ? 127 : 126);
	}
	close(fd[1]);
	while ((n = read(fd[0], &e, sizeof e)) < 0 && errno == EINTR)
		;
	close(fd[0]);
	if (n != sizeof e)
		return 0;
	while (waitpid(r->child, &r->status, 0) < 0 && errno == EINTR)
		;
	r->p->exit_code = exec_failed(r->o->argv[0], e, err);
	return -ENOEXEC;
}

static void take_signals(struct profile_live *r)
{
	struct signalfd_siginfo si;
	while (read(r->sigfd, &si, sizeof si) == sizeof si)
		/* those of the terminal have reached its group, so the command too; SI_KERNEL is <=
		 * 0x80, sent ones are not */
		if (si.ssi_signo != SIGCHLD && r->status == -1 && si.ssi_code != SI_KERNEL)
			kill(r->child, (int)si.ssi_signo);

	/* Wait for whoever has ended: the command, and orphans of it that came to us. */
	struct rusage u;
	int status;
	pid_t pid;
	while ((pid = wait4(-1, &status, WNOHANG, &u)) > 0) {
		profile_tree_reaped(
			r->tree, (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
					 (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6);
		if (pid == r->child)
			r->status = status;
	}
}

static void watch_it(struct profile_live *r, struct err *err)
{
	int64_t wait = min_i64(r->o->interval_ms, FIRST_TICK_MS), next = r->mono0_ms + wait;
	while (r->status == -1) {
		struct pollfd p = { r->sigfd, POLLIN, 0 };
		int64_t left = next - tm_mono_ms();
		if (poll(&p, 1, left > 0 ? (int)left : 0) > 0)
			take_signals(r);
		if (r->status != -1 || tm_mono_ms() < next)
			continue;
		profile_look(r, err);
		wait = min_i64(wait * 2, r->o->interval_ms);
		/* missed ticks are not made up for */
		next = max_i64(next, tm_mono_ms()) + wait;
	}
}

static void find_owner(struct profile_live *r)
{
	struct host_proc h;
	if (host_proc_read(NULL, r->child, &h) < 0)
		return;
	const struct allocation *a = whose_process(watch_whose(r->watch), r->child, h.start_ticks,
						   r->o->start_ms);
	if (!a)
		return;
	struct {
		struct sv v;
		const char **to;
	} t[] = { { a->user, &r->p->user },
		  { a->team, &r->p->team },
		  { a->project, &r->p->project },
		  { a->env, &r->p->env },
		  { a->workload, &r->p->workload } };
	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		if (t[i].v.n && !*t[i].to)
			*t[i].to = arena_sv(&r->p->mem, t[i].v);
	if (getenv("SLURM_JOB_ID") && a->job_id.n)
		r->p->job = arena_sv(&r->p->mem, a->job_id);
}

static void finish_run(struct profile_live *r)
{
	size_t n;
	int64_t now = tm_mono_ms();
	profile_tree_look(r->tree, now + MS_HOUR); /* for what is left, whatever a look costs */
	profile_tree_procs(r->tree, &n);
	r->p->procs_left = (int64_t)n;
	if (r->view && r->view->serving_why)
		r->p->serving_why = arena_sv(&r->p->mem, sv_of(r->view->serving_why));
	else
		r->p->serving_why = NULL;
	r->p->end_ms = profile_wall_ms(r, now);
	r->p->cpu_s = profile_tree_cpu_s(r->tree);
	r->p->procs_seen = (int64_t)profile_tree_seen(r->tree);
	if (WIFSIGNALED(r->status))
		r->p->exit_code = 128 + WTERMSIG(r->status);
	else
		r->p->exit_code = WEXITSTATUS(r->status);
	/* found by process on one GPU: what moved on others was not ours */
	for (size_t i = 0; i < r->p->ndev; i++)
		if (r->by_process && r->p->dev[i].how != PROFILE_BY_PROCESS)
			r->p->dev[i].how = PROFILE_NOT;
}

static int open_all(struct profile_live *r, struct err *err)
{
	cpu_set_t set;
	struct watch_opt w = r->o->watch;
	w.gpu.want_procs = w.gpu.want_gpm = w.gpu.want_energy = true;
	w.gpu.want_pcie = r->o->interval_ms >= 500;
	/* nobody is asked: scontrol would be reaped as an orphan of the command, and its
	 * environment says whose it is */
	w.whose.scontrol = w.whose.kubelet = w.whose.docker = w.whose.pod_resources = "";
	r->p->start_ms = r->p->end_ms = r->o->start_ms;
	r->p->interval_ms = r->o->interval_ms;
	r->p->steps = r->o->steps;
	r->p->id = arena_sv(&r->p->mem, sv_of(r->o->id));
	r->p->command = arena_sv(&r->p->mem, sv_of(r->o->command));
	r->p->exit_code = -1;
	r->p->work = arena_sv(&r->p->mem, sv_of(r->o->work));
	if (r->o->work && workload_is_known(sv_of(r->o->work)))
		r->p->workload = r->p->work;
	else if (r->o->watch.serving)
		r->p->workload = "inference";
	else
		r->p->workload = NULL;
	r->p->cpus_allowed = sched_getaffinity(0, sizeof set, &set) ? 0 : CPU_COUNT(&set);
	r->tree = profile_tree_new(NULL, (int32_t)getpid());
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	r->mono0_ms = r->last_ms = tm_mono_ms();
	int res = watch_open(&w, &r->watch, err);
	if (res < 0)
		return res;
	return profile_look_before(r, err);
}

int profile_run(const struct profile_run_opt *o, struct profile *ret, struct err *ret_tick_err,
		struct err *err)
{
	struct profile_live r = {
		.o = o, .p = ret, .sigfd = -1, .status = -1, .tick_err = ret_tick_err
	};
	int res;

	memset(ret, 0, sizeof *ret);
	res = open_all(&r, err);
	if (res >= 0 && (res = block_signals(&r, err)) >= 0) {
		/* opening a driver takes its time; the command's starts here */
		r.mono0_ms = r.last_ms = tm_mono_ms();
		res = start_child(&r, err);
		if (res >= 0) {
			find_owner(&r);
			watch_it(&r, err);
			finish_run(&r);
		}
		sigprocmask(SIG_SETMASK, &r.old_mask, NULL);
	}
	if (r.sigfd >= 0)
		close(r.sigfd);
	watch_close(r.watch);
	profile_tree_free(r.tree);
	return res;
}
