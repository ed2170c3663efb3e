/*
 * The supervisor: one loop over signals, notices, the socket and the threads that save. What to do when is worked out by run_when.c; nothing here waits for a disk or a
 * network. Times are those of a clock that never jumps; wall-clock times of the book are made from them.
 */
#include "spot/run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/tm.h"
#include "spot/notice_priv.h"
#include "spot/run_loop.h"

#define BEAT_MS 60000
#define SCAN_MS 2000	   /* of a watched folder */
#define SCAN_ASKED_MS 100  /* while a checkpoint is waited for */
#define QUIET_MS 1000	   /* files are complete when nothing about them changed for so long, and nobody has them open for writing */
#define QUIET_HURRY_MS 250
#define ASK_AGAIN_MS 10000 /* nobody was there who could be asked */
#define ASK_LOST_MS 600000 /* asked, and nothing came */
#define AFTER_SAFE_MS 5000 /* it was told to end and its state is safe, but it goes on: then SIGTERM */

int64_t run_wall(const struct run *r, int64_t mono)
{
	return r->wall0_ms + (mono - r->mono0_ms);
}

static int64_t mono(void)
{
	return notice_mono_ms();
}

static bool stopping(const struct run *r)
{
	return r->phase >= RUN_STOPPING;
}

int64_t run_safe_step(const struct run *r)
{
	return r->o->store ? r->stored_step : r->local_step;
}

/* ---- asking ------------------------------------------------------------------------------------------------------------------------- */

/* Ask for a checkpoint. How many were told. */
static int ask(struct run *r, const char *why, bool end, int64_t until)
{
	struct runmsg m = { .kind = end ? RUN_STOP : RUN_SAVE, .deadline_ms = until == INT64_MAX ? INT64_MIN : run_wall(r, until) };
	int told;

	snprintf(m.text, sizeof m.text, "%s", why);
	told = run_sock_say(&r->sock, &m);
	r->told_sock = told;
	if (!told && r->o->ask_signal)
		told = run_signal_tree(r->o->ask_signal, true);
	if (told) {
		r->asked = mono();
		r->next_scan = r->asked + SCAN_ASKED_MS;
		run_say_asked(r, why, end, until, told);
	}
	return told;
}

static void plan_next(struct run *r)
{
	int64_t every = r->o->every_ms ? r->o->every_ms : run_interval_ms(&r->cost, &r->hazard);

	r->interval_ms = every;
	r->next_save = every == INT64_MAX ? INT64_MAX : mono() + every;
}

static void term(struct run *r)
{
	if (r->child.ended || r->phase >= RUN_TERMED)
		return;
	r->phase = RUN_TERMED;
	run_signal_tree(SIGTERM, false);
	run_signal_tree(SIGCONT, false); /* one that is stopped would never see it */
}

static void stop(struct run *r, const char *why, const char *text, const struct run_times *t)
{
	if (r->child.ended)
		return;
	r->why = r->why ? r->why : why;
	if (t != &r->times)
		r->times = *t;
	if (stopping(r))
		return;
	r->phase = RUN_STOPPING;
	r->stop_asked = mono();
	if (!ask(r, text, true, t->term_at))
		term(r); /* nobody who could save on demand: what handles SIGTERM gets all the time there is */
}

/* ---- notices ------------------------------------------------------------------------------------------------------------------------- */

static void on_notice(struct run *r, const struct notice *n)
{
	int64_t now = mono(), left = n->at_ms - notice_wall_ms();

	run_say_notice(r, n);
	if (n->kind == NOTICE_REBALANCE && !stopping(r))
		ask(r, n->what, false, INT64_MAX);
	if (n->kind == NOTICE_GONE && !stopping(r)) {
		r->noticed = false;
		r->book.notice = false;
	}
	if (n->kind != NOTICE_STOP)
		return;
	if (left > 7 * MS_DAY)
		left = 7 * MS_DAY;
	r->last_notice = *n;
	if (r->noticed && now + left >= r->notice_at)
		return;
	bool first = !r->noticed;
	r->noticed = r->book.notice = true;
	r->notice_at = now + (left > 0 ? left : 0);
	run_plan_stop(now, r->notice_at, &r->cost, &r->times);
	if (r->phase == RUN_RESTORING) {
		r->why = "interrupted";
		return;
	}
	if (r->times.stop_at <= now)
		stop(r, "interrupted", n->what, &r->times);
	else if (first)
		ask(r, n->what, false, r->times.end_at); /* there is time: save now, go on, save once more before the end */
	run_book_beat(&r->book, run_wall(r, now));
}

static void on_notices(struct run *r)
{
	struct notice n;
	struct err err;

	while (notice_next(r->notices, notice_wall_ms(), &n, &err) > 0)
		on_notice(r, &n);
}

/* ---- signals --------------------------------------------------------------------------------------------------------------------------- */

/* Sent by the command itself or what it started (kill of the whole group): no notice. */
static bool from_inside(pid_t pid)
{
	static pid_t tree[4096];
	size_t n = pid > 1 ? run_tree(tree, 4096) : 0;

	while (n--)
		if (tree[n] == pid)
			return true;
	return false;
}

static void take_notice_signal(struct run *r, const struct signalfd_siginfo *si)
{
	int64_t grace = (int)si->ssi_signo == SIGTERM ? (r->o->grace_ms > 0 ? r->o->grace_ms : 30000) : r->o->notice_signal_ms > 0 ? r->o->notice_signal_ms : 60000;
	struct notice n = { NOTICE_STOP, notice_wall_ms() + grace, notice_wall_ms(), "signal", "" };

	if (from_inside((pid_t)si->ssi_pid))
		return;
	snprintf(n.what, sizeof n.what, "SIG%s", sigabbrev_np((int)si->ssi_signo));
	if ((int)si->ssi_signo == SIGTERM && r->terms++ && stopping(r)) { /* asked twice */
		term(r);
		return;
	}
	on_notice(r, &n);
}

static void on_signals(struct run *r)
{
	struct signalfd_siginfo si;

	while (read(r->sigfd, &si, sizeof si) == sizeof si) {
		int sig = (int)si.ssi_signo;
		bool terminal = si.ssi_code == SI_KERNEL; /* it has reached the whole group */
		if (sig == SIGCHLD)
			continue;
		if (sig == SIGTERM || (r->o->notice_signal && sig == r->o->notice_signal)) {
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

/* ---- what is safe ------------------------------------------------------------------------------------------------------------------------ */

static void now_safe(struct run *r, int64_t step, const char *id, int64_t done_until)
{
	r->local_step = step;
	snprintf(r->local_id, sizeof r->local_id, "%s", id);
	r->book.step = step;
	r->book.saved_ms = done_until;
	if (r->asked >= 0 && r->cost.save_ms < mono() - r->asked)
		r->cost.save_ms = mono() - r->asked;
	else if (r->asked >= 0)
		r->cost.save_ms = (r->cost.save_ms + mono() - r->asked) / 2;
	r->asked = -1;
	r->safe_at = mono();
	r->want_push = r->o->store != NULL;
	run_book_beat(&r->book, run_wall(r, r->safe_at));
	plan_next(r);
	run_say_safe(r);
}

static void take_stall(struct run *r, int64_t ms)
{
	r->cost.stall_ms = r->cost.stall_ms < 0 ? ms : (3 * r->cost.stall_ms + ms) / 4;
}

static void on_message(struct run *r, const struct runmsg *m)
{
	int64_t now = mono();

	switch (m->kind) {
	case RUN_STEP:
		if (r->cost.restart_ms < 0)
			r->cost.restart_ms = now - r->mono0_ms;
		r->step = m->step;
		break;
	case RUN_SAVING:
		r->saving_step = m->step;
		r->saving_at = now;
		break;
	case RUN_SAFE: /* it says so; the folder is asked */
		take_stall(r, m->stall_ms);
		r->claim_until = m->step == r->saving_step ? run_wall(r, r->saving_at) : run_wall(r, now) - m->write_ms;
		r->want_look = true;
		break;
	case RUN_FAILED:
		run_say_failed(r, m->text);
		break;
	default:
		break;
	}
}

static void on_result(struct run *r, const struct run_result *x)
{
	r->scanned = false;
	if (x->rc < 0) {
		if (!x->changed)
			run_say_failed(r, x->err.msg);
		return;
	}
	if (x->job == RUN_JOB_COMMIT) {
		int64_t took = r->asked >= 0 ? r->quiet_since - r->asked : -1;
		if (took >= 0) /* between the asking and the last write the program was busy saving: all that can be known of its stall */
			take_stall(r, took);
		run_files_free(&r->kept);
		r->kept = r->committing;
		r->committing = (struct run_files){ 0 };
		now_safe(r, x->step, x->id, run_wall(r, r->quiet_since));
		if (r->phase == RUN_STOPPING)
			term(r);
	} else if (x->job == RUN_JOB_LOOK && x->step >= 0 && strcmp(x->id, r->local_id) > 0)
		now_safe(r, x->step, x->id, r->claim_until);
	else if (x->job == RUN_JOB_PUSH && x->step >= 0) {
		r->stored_step = x->step;
		r->cost.push_ms = r->cost.push_ms < x->took_ms ? x->took_ms : (r->cost.push_ms + x->took_ms) / 2;
		run_say_stored(r);
	}
}

/* ---- a folder that the command writes into ------------------------------------------------------------------------------------------------ */

static void copy_list(const struct run_files *from, struct run_files *to)
{
	*to = (struct run_files){ 0 };
	for (size_t i = 0; i < from->v.n; i++) {
		*vec_push(&to->v) = from->v.v[i];
		to->v.v[i].name = arena_sv(&to->mem, sv_of(from->v.v[i].name));
	}
}

static void commit(struct run *r, struct run_files *now)
{
	int64_t step = run_files_step(now, &r->kept), last = r->local_step > r->book.step ? r->local_step : r->book.step;

	run_files_free(&r->committing);
	copy_list(now, &r->committing);
	run_save_begin(&r->save, RUN_JOB_COMMIT, step > last ? step : last + 1, INT64_MAX, now);
}

/* Look; true: a commit was begun. final: the command has ended, nobody writes any more. */
static bool scan(struct run *r, bool final)
{
	struct run_files now;
	struct err err;
	int64_t t = mono(), quiet = stopping(r) || r->asked >= 0 ? QUIET_HURRY_MS : QUIET_MS;
	bool begun = false;

	r->next_scan = t + (r->asked >= 0 || stopping(r) ? SCAN_ASKED_MS : SCAN_MS);
	if (run_save_busy(&r->save))
		return false;
	if (run_files_read(r->o->watch, r->o->glob, &now, &err) < 0) {
		if (!r->scan_failed)
			run_say_failed(r, err.msg);
		r->scan_failed = true;
		return false;
	}
	r->scan_failed = false;
	if (!r->scanned || !run_files_same(&now, &r->seen))
		r->quiet_since = t;
	r->scanned = true;
	run_files_free(&r->seen);
	copy_list(&now, &r->seen);
	if (!run_files_same(&now, &r->kept)) {
		r->next_scan = t + (quiet < SCAN_MS ? quiet / 2 : SCAN_MS);
		if (now.v.n && (final || (t - r->quiet_since >= quiet && !run_files_open(r->o->watch, &now)))) {
			commit(r, &now);
			begun = true;
		}
	}
	run_files_free(&now);
	return begun;
}

/* ---- time -------------------------------------------------------------------------------------------------------------------------------- */

static void look_at_limits(struct run *r, int64_t now)
{
	struct run_times t;
	int64_t spent = run_book_spent(&r->book, run_wall(r, now)), need = 2 * (r->cost.save_ms > 0 ? r->cost.save_ms : 0) + 30000;

	if (stopping(r))
		return;
	if (r->noticed && now >= r->times.stop_at) {
		struct run_times at;
		run_plan_stop(now, r->notice_at, &r->cost, &at);
		if (now >= at.stop_at || now >= r->times.stop_at)
			stop(r, "interrupted", r->last_notice.what, &at);
		return;
	}
	if (r->o->deadline_ms != INT64_MAX) {
		int64_t at = r->mono0_ms + (r->o->deadline_ms - r->wall0_ms);
		run_plan_stop(now, at, &r->cost, &t);
		if (now >= t.stop_at)
			stop(r, "deadline", "the deadline is reached", &t);
	}
	if (r->o->budget_nano >= 0 && spent >= 0 && spent + (int64_t)((double)r->o->usd_hour_nano * (double)need / MS_HOUR / 2) >= r->o->budget_nano) {
		run_plan_stop(now, now + need, &r->cost, &t);
		stop(r, "budget", "the budget is reached", &t);
	}
}

static void ask_in_turn(struct run *r, int64_t now)
{
	if (stopping(r) || now < r->next_save)
		return;
	if (r->asked >= 0 && now - r->asked < ASK_LOST_MS)
		r->next_save = r->asked + ASK_LOST_MS;
	else if (ask(r, "in turn", false, INT64_MAX))
		r->next_save = now + ASK_LOST_MS;
	else
		r->next_save = now + ASK_AGAIN_MS;
}

static void press(struct run *r, int64_t now)
{
	if (r->phase == RUN_STOPPING && (now >= r->times.term_at || (r->told_sock && r->safe_at > r->stop_asked && now >= r->safe_at + AFTER_SAFE_MS)))
		term(r);
	if (r->phase >= RUN_STOPPING && r->phase < RUN_KILLED && now >= r->times.kill_at) {
		r->phase = RUN_KILLED;
		run_signal_tree(SIGKILL, false);
	}
}

static void jobs(struct run *r)
{
	if (!run_save_busy(&r->save) && r->want_look) {
		r->want_look = false;
		run_save_begin(&r->save, RUN_JOB_LOOK, -1, INT64_MAX, NULL);
	}
	if (r->o->store && r->want_push && !run_save_busy(&r->away)) {
		r->want_push = false;
		run_save_begin(&r->away, RUN_JOB_PUSH, -1, r->why ? run_wall(r, r->times.end_at) : INT64_MAX, NULL);
	}
}

static void tick(struct run *r)
{
	int64_t now = mono();

	look_at_limits(r, now);
	ask_in_turn(r, now);
	press(r, now);
	if (r->o->watch && now >= r->next_scan)
		scan(r, false);
	jobs(r);
	if (now >= r->next_beat) {
		r->next_beat = now + BEAT_MS;
		r->hazard.seen_h = r->book.seen_h + (double)(now - r->mono0_ms) / MS_HOUR;
		run_book_beat(&r->book, run_wall(r, now));
		run_say_status(r);
	}
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int wait_ms(const struct run *r)
{
	int64_t now = mono(), at = r->next_beat;

	if (!stopping(r)) {
		at = least(at, r->next_save);
		if (r->noticed)
			at = least(at, r->times.stop_at);
		if (r->o->deadline_ms != INT64_MAX || r->o->budget_nano >= 0)
			at = least(at, now + 1000);
	}
	if (r->phase == RUN_STOPPING)
		at = least(at, least(r->times.term_at, r->safe_at > r->stop_asked ? r->safe_at + AFTER_SAFE_MS : INT64_MAX));
	if (r->phase >= RUN_STOPPING && r->phase < RUN_KILLED)
		at = least(at, r->times.kill_at);
	if (r->phase == RUN_KILLED) /* and those that the tree forked meanwhile */
		at = least(at, now + 100);
	if (r->o->watch)
		at = least(at, r->next_scan);
	return at <= now ? 0 : at - now > 60000 ? 60000 : (int)(at - now);
}

/* ---- the loop ---------------------------------------------------------------------------------------------------------------------------- */

static void take_packets(struct run *r)
{
	struct runmsg m;

	run_sock_accept(&r->sock);
	for (size_t i = 0; i < r->sock.client.n; i++)
		for (int turn = 0; turn < 64 && run_sock_next(&r->sock, i, &m) > 0; turn++) /* one that floods the socket must not keep us from the rest */
			on_message(r, &m);
	run_sock_sweep(&r->sock);
}

static void take_results(struct run *r)
{
	struct run_result x;

	if (r->phase == RUN_RESTORING) /* restore() takes that one */
		return;
	if (run_save_take(&r->save, &x))
		on_result(r, &x);
	if (r->o->store && run_save_take(&r->away, &x))
		on_result(r, &x);
}

static void wait_once(struct run *r, int ms)
{
	VEC(struct pollfd) p = { 0 };

	*vec_push(&p) = (struct pollfd){ r->sigfd, POLLIN, 0 };
	*vec_push(&p) = (struct pollfd){ notice_fd(r->notices), POLLIN, 0 };
	*vec_push(&p) = (struct pollfd){ r->save.fd, POLLIN, 0 };
	*vec_push(&p) = (struct pollfd){ r->o->store ? r->away.fd : -1, POLLIN, 0 };
	*vec_push(&p) = (struct pollfd){ r->sock.fd, POLLIN, 0 };
	for (size_t i = 0; i < r->sock.client.n; i++)
		*vec_push(&p) = (struct pollfd){ r->sock.client.v[i].fd, POLLIN, 0 };
	if (poll(p.v, p.n, ms) > 0) {
		if (p.v[1].revents)
			on_notices(r);
		if (p.v[0].revents)
			on_signals(r);
		take_results(r);
		take_packets(r);
	}
	vec_free(&p);
}

static void watch_it(struct run *r)
{
	while (!r->child.ended) {
		tick(r);
		wait_once(r, wait_ms(r));
		if (r->phase == RUN_KILLED)
			run_signal_tree(SIGKILL, false);
	}
	take_packets(r); /* its last words */
}

/* Was what it wrote meant to be there? One that was killed or crashed may have been in the middle of a file. */
static bool ended_by_itself(const struct run *r)
{
	return WIFEXITED(r->child.status) && (WEXITSTATUS(r->child.status) == 0 || r->phase == RUN_TERMED);
}

/* The command has ended: what it left is made safe while there is time. */
static void flush(struct run *r)
{
	int64_t until = r->why ? r->times.end_at : INT64_MAX;
	bool tried = false, pushed = false;

	r->phase = r->phase < RUN_FLUSH ? RUN_FLUSH : r->phase;
	while (mono() < until) {
		take_results(r);
		jobs(r);
		if (run_save_busy(&r->save) || r->want_look) {
			/* wait */
		} else if (r->o->watch && !tried && ended_by_itself(r)) {
			tried = true;
			scan(r, true);
			if (run_save_busy(&r->save))
				continue;
		} else if (r->o->store && (run_save_busy(&r->away) || r->want_push)) {
			/* wait */
		} else if (r->o->store && !pushed && r->stored_step < r->local_step) {
			pushed = r->want_push = true;
			continue;
		} else
			break;
		int64_t left = until == INT64_MAX ? 1000 : until - mono();
		struct pollfd p[2] = { { r->save.fd, POLLIN, 0 }, { r->o->store ? r->away.fd : -1, POLLIN, 0 } };
		poll(p, 2, left > 1000 ? 1000 : left > 0 ? (int)left : 0);
	}
}

static int restore(struct run *r, struct err *err)
{
	struct run_result x = { 0 };

	run_save_begin(&r->save, RUN_JOB_RESTORE, -1, INT64_MAX, NULL);
	while (!run_save_take(&r->save, &x)) {
		wait_once(r, 1000);
		if (r->quit_signal || r->why)
			return 0;
	}
	r->want_push = r->o->store && x.step > x.pulled;
	if (x.rc < 0) {
		*err = x.err;
		err_prefix(err, "cannot bring the newest checkpoint back: ");
		return x.rc;
	}
	r->local_step = x.step;
	memcpy(r->local_id, x.id, sizeof r->local_id);
	r->stored_step = x.pulled;
	r->book.step = x.step;
	if (r->o->watch) {
		struct err e;
		run_files_free(&r->kept);
		if (x.step < 0 || run_files_read(r->o->watch, r->o->glob, &r->kept, &e) < 0)
			r->kept = (struct run_files){ 0 };
	}
	run_say_start(r, &x);
	return 0;
}

static int start(struct run *r, struct err *err)
{
	char dir[4200], sock[128], attempt[200], step[64], price[64], *real = realpath(r->o->dir, NULL);
	const char *env[5] = { dir, sock, attempt };
	size_t nenv = 3;
	int rc;

	snprintf(dir, sizeof dir, "TARE_CHECKPOINT_DIR=%s", real ? real : r->o->dir);
	free(real);
	snprintf(sock, sizeof sock, "TARE_RUN_SOCKET=%s", r->sock.path);
	snprintf(attempt, sizeof attempt, "TARE_ATTEMPT=%s", r->book.token);
	snprintf(step, sizeof step, "TARE_RESUME_STEP=%" PRId64, r->local_step);
	if (r->local_step >= 0)
		env[nenv++] = step;
	snprintf(price, sizeof price, "TARE_USD_HOUR=%" PRId64 ".%09" PRId64, r->o->usd_hour_nano / 1000000000, r->o->usd_hour_nano % 1000000000);
	if (r->o->usd_hour_nano >= 0) /* the training counts its cost by it */
		env[nenv++] = price;
	r->mono0_ms = mono();
	r->wall0_ms = notice_wall_ms();
	if ((rc = run_book_begin(&r->book, r->wall0_ms, err)) < 0)
		return rc;
	r->next_beat = r->mono0_ms + BEAT_MS;
	r->next_scan = r->mono0_ms + SCAN_MS;
	plan_next(r);
	return run_start(&r->child, r->o->argv, env, nenv, &r->end->code, err);
}

/* Whether to start it again, and what was lost: the folder is asked once more. */
static void judge(struct run *r)
{
	int code = r->child.pid ? run_code(&r->child) : 128 + (r->quit_signal ? r->quit_signal : SIGTERM);
	bool safe = run_safe_step(r) >= 0;
	const char *lost = NULL;
	struct err err;

	if (!r->why) {
		r->end->code = code;
		r->end->why = code ? "failed" : "done";
		lost = code ? (code == 128 + SIGINT || code == 128 + SIGHUP || code == 128 + SIGQUIT ? "CANCELLED" : "FAILED") : NULL;
	} else if (!strcmp(r->why, "interrupted")) {
		r->end->code = safe ? RUN_AGAIN : code;
		r->end->why = r->why;
		lost = "PREEMPTED";
	} else {
		r->end->code = 1;
		r->end->why = r->why;
		lost = "CANCELLED";
	}
	r->end->step = run_safe_step(r);
	if (safe && r->noticed)
		notice_ack(r->notices, notice_wall_ms());
	if (r->child.pid && run_book_end(&r->book, run_wall(r, mono()), lost, &err) < 0)
		run_say_failed(r, err.msg);
	run_say_end(r, code);
}

static int open_all(struct run *r, struct err *err)
{
	const struct run_opt *o = r->o;
	int rc = run_signals(&r->child, &r->sigfd, err);

	if (rc >= 0)
		rc = run_book_open(&r->book, o, notice_wall_ms(), err);
	if (rc >= 0)
		rc = run_sock_open(&r->sock, err);
	if (rc >= 0)
		rc = run_save_open(&r->save, o, r->book.token, err);
	if (rc >= 0 && o->store)
		rc = run_save_open(&r->away, o, r->book.token, err);
	if (rc >= 0)
		rc = notice_open(&o->notice, notice_wall_ms(), &r->notices, err);
	r->hazard = (struct run_hazard){ o->mtbi_h, r->book.seen_h, r->book.interruptions };
	return rc;
}

static bool close_all(struct run *r)
{
	notice_close(r->notices);
	bool done = run_save_close(&r->save);
	done = run_save_close(&r->away) && done;
	run_sock_close(&r->sock);
	run_book_close(&r->book);
	run_files_free(&r->seen);
	run_files_free(&r->kept);
	run_files_free(&r->committing);
	if (r->sigfd >= 0)
		close(r->sigfd);
	pthread_sigmask(SIG_SETMASK, &r->child.old_mask, NULL);
	return done;
}

int run_supervise(const struct run_opt *o, struct run_end *ret, struct err *err)
{
	struct run *r = xcalloc(1, sizeof *r);
	int rc;

	*ret = (struct run_end){ .code = 125, .why = "failed", .step = -1 };
	*r = (struct run){ .o = o, .end = ret, .sigfd = -1, .sock.fd = -1, .book = { .lock_fd = -1, .dir_fd = -1 }, .asked = -1, .safe_at = -1, .local_step = -1, .stored_step = -1,
			   .saving_step = -1, .step = -1, .cost = { -1, -1, o->store ? -1 : 0, -1 }, .save.fd = -1, .away.fd = -1 };
	rc = open_all(r, err);
	r->mono0_ms = mono();
	r->wall0_ms = notice_wall_ms();
	if (rc >= 0)
		rc = restore(r, err);
	if (rc >= 0 && !r->quit_signal && !r->why) {
		r->phase = RUN_RUNNING;
		rc = start(r, err);
	}
	if (rc >= 0) {
		if (r->child.pid) {
			watch_it(r);
			flush(r);
		}
		judge(r);
	}
	if (close_all(r)) /* else a thread is in the middle of something: the process ends, and its memory with it */
		free(r);
	return rc;
}
