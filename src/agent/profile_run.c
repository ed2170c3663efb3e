/* See profile_run.h. */
#include "agent/profile_run.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "agent/profile_tree.h"
#include "plan/gpu_speed.h"

#define FIRST_TICK_MS 100   /* then twice as long each, up to the interval: a short command is read too */
#define GAP_STEPS 5	    /* a reading this many intervals late says nothing of the time before it */
#define MOVED_BYTES 16777216.0 /* memory of a card that rose by more was taken by somebody */

struct run {
	const struct profile_run_opt *o;
	struct profile *p;
	struct watch *watch;
	struct profile_tree *tree;
	const struct watch_view *view;
	pid_t child;
	int sigfd, status; /* status: of the child, -1 = still running */
	sigset_t old_mask;
	int64_t mono0_ms, last_ms, reap_ms;
	bool tick_failed, by_process;
	struct err *tick_err;
};

static int64_t mono_ms(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_BOOTTIME, &ts); /* goes on while the machine sleeps */
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static int64_t wall_ms(const struct run *r, int64_t mono)
{
	return r->o->start_ms + (mono - r->mono0_ms);
}

/* ---- devices ---------------------------------------------------------------------------------------------------------------------------------- */

bool profile_visible(const char *list, const char *uuid, int index)
{
	struct sv rest = sv_of(list);
	if (!list)
		return true;
	while (rest.p) {
		int64_t n;
		struct sv w = sv_trim(sv_cut(rest, ',', &rest));
		if (sv_i64(w, &n) == 0) {
			if (n < 0)
				return false; /* what follows -1 is not seen */
			if (n == index)
				return true;
		} else if (w.n >= 4 && strlen(uuid) >= w.n && !strncmp(uuid, w.p, w.n)) { /* a prefix of the uuid is enough */
			return true;
		}
	}
	return false;
}

static bool visible(const struct profile_dev *d)
{
	static const char *const name[] = { "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES" };
	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		if (getenv(name[i]))
			return profile_visible(getenv(name[i]), d->uuid, d->index);
	return true;
}

/* What the driver says goes to terminals and files. */
static void plain(char *to, size_t size, const char *from)
{
	size_t n = 0;
	for (; *from && n + 1 < size; from++)
		to[n++] = *from < ' ' || *from > '~' || *from == '"' || *from == '\\' || *from == ',' ? '?' : *from;
	to[n] = 0;
}

static void describe(struct run *r, const struct watch_dev *w, struct profile_dev *d)
{
	const struct gpu_card *c = &w->gpu->card;
	const struct gpu_spec *spec = r->o->watch.catalog && w->model ? catalog_gpu(r->o->watch.catalog, sv_of(w->model)) : NULL;
	int64_t ppb = 0;

	plain(d->name, sizeof d->name, c->name);
	snprintf(d->model, sizeof d->model, "%s", spec ? spec->model : "");
	plain(d->mig_profile, sizeof d->mig_profile, c->mig_profile);
	d->is_mig = c->parent >= 0;
	for (size_t i = 0; i < w->nuse; i++)
		ppb += w->use[i].share_ppb;
	d->share_ppb = d->is_mig && ppb > 0 && ppb < 1000000000 ? ppb : 1000000000;
	d->facts.mem_total_bytes = c->mem_total_bytes;
	d->facts.power_limit_w = d->is_mig ? NAN : c->power_limit_w;
	d->facts.temp_slowdown_celsius = c->temp_slowdown_celsius;
	d->facts.tdp_w = spec && !d->is_mig ? spec->tdp_w : NAN;
	d->facts.pcie_bytes_s = spec ? gpu_roofline(spec, false).pcie_gb_s * 1e9 : NAN;
	d->facts.cpus = r->p->cpus_allowed;
	d->facts.training = r->p->workload && !strcmp(r->p->workload, "training");
	d->facts.serving = r->p->workload && !strcmp(r->p->workload, "inference");
}

/* Cards that are cut into instances are left out: their instances stand for them. */
static bool counts(const struct gpu_dev *g)
{
	return g->present && !(g->card.parent < 0 && g->card.mig_enabled);
}

/* Ours, others', and the busiest of ours on a device. */
static void procs_on(struct run *r, const struct watch_dev *w, size_t *ret_ours, size_t *ret_others, double *ret_main_pct)
{
	*ret_ours = *ret_others = 0;
	*ret_main_pct = NAN;
	for (size_t i = 0; i < w->nproc; i++) {
		const struct profile_proc *x = profile_tree_find(r->tree, w->proc[i].pid, w->proc[i].start_ticks);
		bool mine = x || profile_tree_has(r->tree, w->proc[i].pid, w->proc[i].start_ticks);
		*ret_ours += mine;
		*ret_others += !mine && w->proc[i].start_ticks;
		if (x)
			*ret_main_pct = fmax(*ret_main_pct, x->cpu_pct);
	}
}

/* Processes of the command that are on no card: they load data, or do something else. */
static void loaders(struct run *r, double *ret_pct, double *ret_n)
{
	size_t n;
	const struct profile_proc *x = profile_tree_procs(r->tree, &n);
	*ret_pct = *ret_n = 0;
	for (size_t i = 0; i < n; i++) {
		bool on_card = false;
		for (size_t k = 0; k < r->view->ndev && !on_card; k++)
			for (size_t j = 0; j < r->view->dev[k].nproc && !on_card; j++)
				on_card = r->view->dev[k].proc[j].pid == x[i].pid;
		if (on_card)
			continue;
		*ret_pct += isnan(x[i].cpu_pct) ? 0 : x[i].cpu_pct;
		*ret_n += 1;
	}
}

static void touch(struct profile_dev *d, int64_t from_ms, int64_t to_ms)
{
	if (d->first_ms == UNKNOWN_MS)
		d->first_ms = from_ms;
	d->last_ms = to_ms;
}

/* Did it begin to be used after the command began? A recording stands for the command as a whole. */
static bool moved(const struct run *r, const struct profile_dev *d, const struct diag_step *s)
{
	bool runs = s->value[METRIC_GPU_UTIL_PCT] > 0 || s->value[METRIC_SM_ACTIVE_FRAC] > 0;
	if (r->p->driver && !strncmp(r->p->driver, "replay", 6))
		return true;
	return (runs && !d->busy_before) || s->value[METRIC_MEM_USED_BYTES] > d->mem_start_bytes + MOVED_BYTES;
}

static void dev_step(struct run *r, const struct watch_dev *w, struct diag_step *s)
{
	struct profile_dev *d = profile_dev_of(r->p, w->gpu->card.uuid, w->gpu->card.index);
	size_t ours, others;
	double main_pct;

	describe(r, w, d);
	memcpy(s->value, w->gpu->value, sizeof s->value);
	procs_on(r, w, &ours, &others, &main_pct);
	if (ours) {
		touch(d, s->t_ms, s->t_ms + s->step_ms);
		d->how = PROFILE_BY_PROCESS;
		r->by_process = true;
		s->extra[DIAG_X_MAIN_CPU_PCT] = main_pct;
	} else if (!r->by_process && !others && visible(d) && moved(r, d, s)) {
		touch(d, s->t_ms, s->t_ms + s->step_ms);
		d->how = getenv("CUDA_VISIBLE_DEVICES") ? PROFILE_BY_VISIBLE : PROFILE_BY_CHANGE;
	}
	if (others)
		d->shared_ms += s->step_ms;
	profile_add_step(r->p, d, s);
}

static void host_step(struct run *r, int64_t t_ms, int64_t step_ms)
{
	const struct host_view *h = &r->view->host;
	size_t n;
	profile_tree_procs(r->tree, &n);
	struct profile_host_step s = { t_ms, (int32_t)step_ms, (float)profile_tree_cpu_pct(r->tree), (float)h->cpu_util_pct, (float)profile_tree_rss_bytes(r->tree),
				       (float)h->disk_read_bytes_s, (float)h->disk_write_bytes_s, (float)n };
	r->p->rss_peak_bytes = fmax(r->p->rss_peak_bytes, (double)s.rss_bytes);
	profile_add_host(r->p, &s);
}

/* Readings stand for the time since the tick before. */
static void tick(struct run *r, struct err *err)
{
	int64_t now = mono_ms(), step = now - r->last_ms;
	struct diag_step s;
	double loader_pct, nloader;
	if (step <= 0 || watch_poll(r->watch, wall_ms(r, now), now, &r->view, err) < 0)
		return;
	profile_tree_look(r->tree, now);
	if (step > GAP_STEPS * r->o->interval_ms + 1000) {
		r->p->gap_ms += step - r->o->interval_ms;
		step = r->o->interval_ms;
	}
	loaders(r, &loader_pct, &nloader);
	for (size_t i = 0; i < r->view->ndev; i++) {
		if (!counts(r->view->dev[i].gpu))
			continue;
		diag_step_init(&s);
		s.t_ms = wall_ms(r, now) - step;
		s.step_ms = (int32_t)step;
		s.extra[DIAG_X_LOADER_CPU_PCT] = loader_pct;
		s.extra[DIAG_X_LOADERS] = nloader;
		s.extra[DIAG_X_HOST_CPU_PCT] = r->view->host.cpu_util_pct;
		s.extra[DIAG_X_DISK_READ_BYTES_S] = r->view->host.disk_read_bytes_s;
		s.extra[DIAG_X_DISK_WRITE_BYTES_S] = r->view->host.disk_write_bytes_s;
		dev_step(r, &r->view->dev[i], &s);
	}
	host_step(r, wall_ms(r, now) - step, step);
	r->p->end_ms = wall_ms(r, now);
	r->last_ms = now;
	if (!r->tick_failed && r->o->tick && r->o->tick(r->o->ctx, r->p, r->tick_err) < 0)
		r->tick_failed = true;
}

/* Before the command: what is taken already, what the counters say. */
static int baseline(struct run *r, struct err *err)
{
	int res = watch_poll(r->watch, r->o->start_ms, r->mono0_ms, &r->view, err);
	for (size_t i = 0; res >= 0 && i < r->view->ndev; i++) {
		const struct watch_dev *w = &r->view->dev[i];
		if (!counts(w->gpu))
			continue;
		struct profile_dev *d = profile_dev_of(r->p, w->gpu->card.uuid, w->gpu->card.index);
		describe(r, w, d);
		d->mem_start_bytes = w->gpu->value[METRIC_MEM_USED_BYTES];
		d->energy_start_j = w->gpu->value[METRIC_ENERGY_J];
		d->busy_before = w->gpu->value[METRIC_GPU_UTIL_PCT] > 0 || w->gpu->value[METRIC_SM_ACTIVE_FRAC] > 0;
	}
	if (res >= 0) {
		r->p->cpus = r->view->host.cpus;
		r->p->node = arena_sv(&r->p->mem, sv_of(r->view->node));
		r->p->driver = arena_sv(&r->p->mem, sv_of(r->view->gpus->driver));
		r->p->problem = arena_sv(&r->p->mem, sv_of(r->view->gpus->problem));
	}
	profile_tree_look(r->tree, r->mono0_ms);
	return res;
}

/* ---- the command ------------------------------------------------------------------------------------------------------------------------------- */

static const int handed_on[] = { SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGINT, SIGQUIT, SIGALRM };

static int block_signals(struct run *r, struct err *err)
{
	sigset_t set;
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof handed_on / sizeof *handed_on; i++)
		sigaddset(&set, handed_on[i]);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &r->old_mask);
	r->sigfd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return r->sigfd < 0 ? err_set(err, -errno, "no signalfd: %s", strerror(errno)) : 0;
}

static _Noreturn void exec_child(const struct run *r, pid_t parent, int report)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent) /* it went before that was in force */
		_exit(125);
	signal(SIGPIPE, SIG_DFL); /* the program ignores these two for itself */
	signal(SIGXFSZ, SIG_DFL);
	sigprocmask(SIG_SETMASK, &r->old_mask, NULL);
	execvp(r->o->argv[0], r->o->argv);
	int e = errno;
	while (write(report, &e, sizeof e) < 0 && errno == EINTR)
		;
	_exit(e == ENOENT ? 127 : 126);
}

static int start(struct run *r, struct err *err)
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
	if (!r->child)
		exec_child(r, self, fd[1]);
	close(fd[1]);
	while ((n = read(fd[0], &e, sizeof e)) < 0 && errno == EINTR)
		;
	close(fd[0]);
	if (n != sizeof e)
		return 0;
	while (waitpid(r->child, &r->status, 0) < 0 && errno == EINTR)
		;
	r->p->exit_code = e == ENOENT ? 127 : 126;
	return err_set(err, -ENOEXEC, "cannot run '%.200s': %s", r->o->argv[0], strerror(e));
}

/* Wait for whoever has ended: the command, and orphans of it that came to us. */
static void reap(struct run *r)
{
	struct rusage u;
	int status;
	pid_t pid;
	while ((pid = wait4(-1, &status, WNOHANG, &u)) > 0) {
		profile_tree_reaped(r->tree, (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6);
		if (pid == r->child)
			r->status = status;
	}
}

static void take_signals(struct run *r)
{
	struct signalfd_siginfo si;
	while (read(r->sigfd, &si, sizeof si) == sizeof si)
		/* those of the terminal have reached its group, so the command too; SI_KERNEL is <= 0x80, sent ones are not */
		if (si.ssi_signo != SIGCHLD && r->status == -1 && si.ssi_code != SI_KERNEL)
			kill(r->child, (int)si.ssi_signo);
	reap(r);
}

static void watch_it(struct run *r, struct err *err)
{
	int64_t wait = FIRST_TICK_MS < r->o->interval_ms ? FIRST_TICK_MS : r->o->interval_ms, next = r->mono0_ms + wait;
	while (r->status == -1) {
		struct pollfd p = { r->sigfd, POLLIN, 0 };
		int64_t left = next - mono_ms();
		if (poll(&p, 1, left > 0 ? (int)left : 0) > 0)
			take_signals(r);
		if (r->status != -1 || mono_ms() < next)
			continue;
		tick(r, err);
		wait = wait * 2 < r->o->interval_ms ? wait * 2 : r->o->interval_ms;
		next = next + wait > mono_ms() ? next + wait : mono_ms() + wait; /* missed ticks are not made up for */
	}
}

static void who(struct run *r)
{
	struct host_proc h;
	if (host_proc_read(NULL, r->child, &h) < 0)
		return;
	const struct allocation *a = whose_process(watch_whose(r->watch), r->child, h.start_ticks, r->o->start_ms);
	if (!a)
		return;
	struct { struct sv v; const char **to; } t[] = { { a->user, &r->p->user }, { a->team, &r->p->team }, { a->project, &r->p->project }, { a->env, &r->p->env },
						    { a->workload, &r->p->workload } };
	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		if (t[i].v.n && !*t[i].to)
			*t[i].to = arena_sv(&r->p->mem, t[i].v);
	if (getenv("SLURM_JOB_ID") && a->job_id.n)
		r->p->job = arena_sv(&r->p->mem, a->job_id);
}

static void finish(struct run *r)
{
	size_t n;
	int64_t now = mono_ms();
	profile_tree_look(r->tree, now + 3600000); /* for what is left, whatever a look costs */
	profile_tree_procs(r->tree, &n);
	r->p->procs_left = (int64_t)n;
	r->p->end_ms = wall_ms(r, now);
	r->p->cpu_s = profile_tree_cpu_s(r->tree);
	r->p->procs_seen = (int64_t)profile_tree_seen(r->tree);
	r->p->exit_code = WIFSIGNALED(r->status) ? 128 + WTERMSIG(r->status) : WEXITSTATUS(r->status);
	for (size_t i = 0; i < r->p->ndev; i++) /* found by process on one card: what moved on others was not ours */
		if (r->by_process && r->p->dev[i].how != PROFILE_BY_PROCESS)
			r->p->dev[i].how = PROFILE_NOT;
}

static int open_all(struct run *r, struct err *err)
{
	cpu_set_t set;
	struct watch_opt w = r->o->watch;
	w.gpu.want_procs = w.gpu.want_gpm = true;
	w.gpu.want_pcie = r->o->interval_ms >= 500;
	w.whose.scontrol = w.whose.kubelet = w.whose.docker = w.whose.pod_resources = ""; /* nobody is asked: it would hold up readings */
	r->p->start_ms = r->p->end_ms = r->o->start_ms;
	r->p->interval_ms = r->o->interval_ms;
	r->p->steps = r->o->steps;
	r->p->id = arena_sv(&r->p->mem, sv_of(r->o->id));
	r->p->work = arena_sv(&r->p->mem, sv_of(r->o->work));
	r->p->workload = r->o->work && workload_is_known(sv_of(r->o->work)) ? r->p->work : NULL;
	r->p->cpus_allowed = sched_getaffinity(0, sizeof set, &set) ? 0 : CPU_COUNT(&set);
	r->tree = profile_tree_new(NULL, (int32_t)getpid());
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	r->mono0_ms = r->last_ms = mono_ms();
	int res = watch_open(&w, &r->watch, err);
	return res < 0 ? res : baseline(r, err);
}

int profile_run(const struct profile_run_opt *o, struct profile *ret, struct err *ret_tick_err, struct err *err)
{
	struct run r = { .o = o, .p = ret, .sigfd = -1, .status = -1, .tick_err = ret_tick_err };
	int res;

	memset(ret, 0, sizeof *ret);
	res = open_all(&r, err);
	if (res >= 0 && (res = block_signals(&r, err)) >= 0) {
		r.mono0_ms = r.last_ms = mono_ms(); /* opening a driver takes its time; the command's starts here */
		res = start(&r, err);
		if (res >= 0) {
			who(&r);
			watch_it(&r, err);
			finish(&r);
		}
		sigprocmask(SIG_SETMASK, &r.old_mask, NULL);
	}
	if (r.sigfd >= 0)
		close(r.sigfd);
	watch_close(r.watch);
	profile_tree_free(r.tree);
	return res;
}
