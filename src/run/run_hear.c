/* Run: what is heard (notices, signals) and what the command is told: save, save and end, end. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "ckpt/ckpt.h"
#include "run/run_loop.h"

/* ---- asking ------------------------------------------------------------------------------ */

/*
 * Several ranks end their steps at different times: told "now", one would save step 100 and the
 * other 101, and a part of each is no checkpoint. They are told a step that none of them has done:
 * RANKS_MS from now by the speed measured, two steps at the least. -1: one program, or one that
 * tells no steps.
 */
#define RANKS_MS 1000
/* ranks on other machines look into a file once a second, over a network */
#define ELSEWHERE_MS 3000
static int64_t step_for_all(const struct run *r)
{
	int ranks = 0, world = 0;

	for (size_t i = 0; i < r->sock.client.n; i++) {
		const struct run_client *c = &r->sock.client.v[i];
		ranks += c->hello && c->world > 1;
		if (c->hello && c->world > world)
			world = c->world;
	}
	int64_t more = 0;
	if (r->known.step_us > 0)
		more = (world > ranks ? ELSEWHERE_MS : RANKS_MS) * 1000 / r->known.step_us;
	if (ranks && r->step >= 0)
		return r->step + max_i64(more, 2);
	return -1;
}

/* For ranks that the socket does not reach. Where it cannot be written the folder is full or gone,
 * and the save itself will say so. */
static void leave_word(struct run *r, const struct runmsg *m)
{
	char line[RUNMSG_FILE_MAX];
	size_t n = runmsg_file_write(++r->asked_seq, r->book.token, m, line);
	int fd = openat(r->book.dir_fd, RUNMSG_FILE,
			O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
			object_file_mode());

	if (fd >= 0) {
		if (pwrite(fd, line, n, 0) == (ssize_t)n && ftruncate(fd, (off_t)n) == 0)
			fdatasync(fd);
		close(fd);
	}
}

/* Ask for a checkpoint. How many were told. */
int run_ask(struct run *r, const char *why, bool end, int64_t until)
{
	struct runmsg m = { .kind = end ? RUN_STOP : RUN_SAVE,
			    .deadline_ms = until == INT64_MAX
						   ? INT64_MIN
						   : tm_now_ms() + (until - tm_mono_ms()),
			    .step = step_for_all(r) };
	int told;

	snprintf(m.text, sizeof m.text, "%s", why);
	if (m.step >= 0 || !r->sock.client.n)
		leave_word(r, &m);
	told = run_sock_say(&r->sock, &m);
	r->told_sock = told;
	if (!told && r->o->ask_signal)
		told = run_signal_tree(r->o->ask_signal, true);
	if (told) {
		r->asked = tm_mono_ms();
		r->next_scan = r->asked + RUN_SCAN_ASKED_MS;
		run_say_asked(r, why, end, until, told);
	}
	return told;
}

void run_plan_next(struct run *r)
{
	int64_t every = r->o->every_ms ? r->o->every_ms : run_interval_ms(&r->cost, &r->hazard);

	r->interval_ms = every;
	r->next_save = every == INT64_MAX ? INT64_MAX : tm_mono_ms() + every;
}

void run_term(struct run *r)
{
	if (r->child.ended || r->phase >= RUN_TERMED)
		return;
	r->phase = RUN_TERMED;
	run_signal_tree(SIGTERM, false);
	run_signal_tree(SIGCONT, false); /* one that is stopped would never see it */
}

void run_stop(struct run *r, const char *why, const char *text, const struct run_times *t)
{
	if (r->child.ended)
		return;
	r->why = text_or(r->why, why);
	if (t != &r->times)
		r->times = *t;
	if (run_stopping(r))
		return;
	r->phase = RUN_STOPPING;
	r->stop_asked = tm_mono_ms();
	if (!run_ask(r, text, true, t->term_at))
		/* nobody who could save on demand: what handles SIGTERM gets all the time there
		 * is */
		run_term(r);
}

/* ---- notices ----------------------------------------------------------------------------- */

static void on_notice(struct run *r, const struct notice *n)
{
	int64_t now = tm_mono_ms(), left = n->at_ms - tm_steady_ms();

	run_say_notice(r, n);
	if (n->kind == NOTICE_REBALANCE && !run_stopping(r))
		run_ask(r, n->what, false, INT64_MAX);
	if (n->kind == NOTICE_GONE && !run_stopping(r)) {
		r->noticed = false;
		r->book.notice = false;
	}
	if (n->kind != NOTICE_STOP)
		return;
	if (left > 7 * MS_DAY)
		left = 7 * MS_DAY;
	r->last_notice = *n;
	r->time_is_up |= !strcmp(n->source, "slurm");
	if (r->noticed && now + left >= r->notice_at)
		return;
	bool first = !r->noticed;
	r->noticed = true;
	r->book.notice = !run_drill_asked(r); /* a drill is none of those that come by themselves */
	r->notice_at = now + max_i64(left, 0);
	run_plan_stop(now, r->notice_at, &r->cost, &r->times);
	if (r->phase == RUN_RESTORING) {
		r->why = "interrupted";
		return;
	}
	if (r->times.stop_at <= now)
		run_stop(r, "interrupted", n->what, &r->times);
	else if (first)
		/* there is time: save now, go on, save once more before the end */
		run_ask(r, n->what, false, r->times.end_at);
	run_book_beat(&r->book, run_wall(r, now));
}

void run_drill_notice(struct run *r)
{
	int64_t now = tm_steady_ms();
	struct notice n = { NOTICE_STOP, now + (r->o->grace_ms > 0 ? r->o->grace_ms : 30000), now,
			    "drill", "a restore drill interrupts it once" };

	on_notice(r, &n);
}

void run_on_notices(struct run *r)
{
	struct notice n;
	struct err err;

	while (notice_next(r->notices, tm_steady_ms(), &n, &err) > 0)
		on_notice(r, &n);
}

/* ---- signals ----------------------------------------------------------------------------- */

/* Sent by the command itself or what it started (kill of the whole group): no notice. */
static bool from_inside(pid_t pid)
{
	static pid_t tree[4096];
	size_t n = 0;

	if (pid > 1)
		n = run_tree(tree, 4096);
	while (n--)
		if (tree[n] == pid)
			return true;
	return false;
}

static bool is_notice(const struct run *r, int sig)
{
	return sig == SIGTERM || (r->o->notice_signal && sig == r->o->notice_signal);
}

/* What it leaves, ms. */
static int64_t grace_of(const struct run *r, int sig)
{
	if (sig == SIGTERM) {
		if (r->o->grace_ms > 0)
			return r->o->grace_ms;
		return 30000;
	}
	if (r->o->notice_signal_ms > 0)
		return r->o->notice_signal_ms;
	return 60000;
}

static void take_notice_signal(struct run *r, const struct signalfd_siginfo *si)
{
	struct notice n = { NOTICE_STOP, tm_steady_ms() + grace_of(r, (int)si->ssi_signo),
			    tm_steady_ms(), "signal", "" };

	if (from_inside((pid_t)si->ssi_pid))
		return;
	snprintf(n.what, sizeof n.what, "SIG%s", sigabbrev_np((int)si->ssi_signo));
	if ((int)si->ssi_signo == SIGTERM && r->terms++ && run_stopping(r)) { /* asked twice */
		run_term(r);
		return;
	}
	on_notice(r, &n);
}

void run_on_signals(struct run *r)
{
	struct signalfd_siginfo si;

	while (read(r->sigfd, &si, sizeof si) == sizeof si) {
		int sig = (int)si.ssi_signo;
		bool terminal = si.ssi_code == SI_KERNEL; /* it has reached the whole group */
		if (sig == SIGCHLD)
			continue;
		if (is_notice(r, sig)) {
			take_notice_signal(r, &si);
			continue;
		}
		if (r->phase == RUN_RESTORING) {
			if (sig == SIGINT || sig == SIGHUP || sig == SIGQUIT)
				r->quit_signal = sig;
		} else if (!terminal && !r->child.ended && (pid_t)si.ssi_pid != r->child.pid)
			kill(r->child.pid, sig);
		if (sig == SIGTSTP)
			raise(SIGSTOP);
	}
	if (r->phase != RUN_RESTORING)
		run_reap(&r->child);
}

/*
 * A Ctrl-C that ended the command was read before its end was (the kernel gives it to the whole
 * group at once): one that comes now is meant for what is still being copied. A terminal that is
 * closed is no reason to leave a checkpoint behind.
 */
int64_t run_on_last_signals(struct run *r, int64_t until)
{
	struct signalfd_siginfo si;
	struct run_times t;
	int64_t now = tm_mono_ms();

	while (read(r->sigfd, &si, sizeof si) == sizeof si) {
		int sig = (int)si.ssi_signo;
		if (sig == SIGINT || sig == SIGQUIT || is_notice(r, sig))
			r->quit_signal = sig;
		if (sig == SIGINT || sig == SIGQUIT) {
			until = now;
		} else if (is_notice(r, sig)) {
			run_plan_stop(now, now + grace_of(r, sig), &r->cost, &t);
			until = min_i64(t.end_at, until);
		} else if (sig == SIGTSTP)
			raise(SIGSTOP);
	}
	return until;
}
