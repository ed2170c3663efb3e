/*
 * The supervisor: one loop over signals, notices, the socket and the threads that save. It makes
 * events of what it hears (machine.h decides what follows) and has the actions carried out
 * (run_do.c); nothing here waits for a disk or a network.
 */
#include "run/run.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/num.h"
#include "base/tm.h"
#include "run/run_loop.h"

#define DEAF_MS 8000 /* nobody answers: a few requests, not one that was lost */

static void feed_at(struct run *r, const struct run_event *e, int64_t now)
{
	struct run_actions to_do;

	run_trace_event(r->trace, e, now);
	run_step(&r->m, e, now, &to_do);
	for (int i = 0; i < to_do.n && r->rc >= 0; i++) {
		run_trace_action(r->trace, &to_do.v[i]);
		run_do(r, &to_do.v[i]);
	}
}

void run_feed(struct run *r, const struct run_event *e)
{
	feed_at(r, e, tm_mono_ms());
}

/* ---- heard ------------------------------------------------------------------------------- */

static void take_packets(struct run *r)
{
	struct run_event e = { .kind = RUN_EV_MESSAGE };

	run_sock_accept(&r->sock);
	for (size_t i = 0; i < r->sock.client.n; i++)
		/* one that floods the socket must not keep us from the rest */
		for (int turn = 0; turn < 64 && run_sock_next(&r->sock, i, &e.msg) > 0; turn++)
			run_feed(r, &e);
	run_sock_sweep(&r->sock);
}

static void take_result(struct run *r, struct run_save *from)
{
	struct run_result x;

	if (!run_save_take(from, &x))
		return;
	run_say_damage(r, &x.damage);
	run_feed(r, &(struct run_event){ .kind = RUN_EV_RESULT,
					 .result = { .job = x.job,
						     .rc = x.rc,
						     .changed = x.changed,
						     .step = x.step,
						     .took_ms = x.took_ms,
						     .bytes = x.bytes,
						     .written_bytes = x.written_bytes,
						     .id = x.id,
						     .problem = x.rc < 0 ? x.err.msg : NULL } });
	ckpt_damage_free(&x.damage);
}

static void take_results(struct run *r)
{
	struct run_result *x = &r->restored;

	if (r->m.phase != RUN_RESTORING) {
		take_result(r, &r->save);
		if (r->o->store)
			take_result(r, &r->away);
		return;
	}
	/* one that is ended meanwhile says nothing of what was found */
	if (r->m.quit_signal || r->m.why || !run_save_take(&r->save, x))
		return;
	run_say_damage(r, &x->damage);
	if (x->rc < 0) {
		*r->err = x->err;
		err_prefix(r->err, "cannot bring the newest checkpoint back");
		r->rc = x->rc;
	}
	run_feed(r, &(struct run_event){ .kind = RUN_EV_RESTORED,
					 .restored = { x->rc, x->step, x->pulled, x->id } });
	ckpt_damage_free(&x->damage);
}

/* Sent by the command itself or what it started (kill of the whole group). */
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

static void take_signals(struct run *r)
{
	struct signalfd_siginfo si;

	while (read(r->sigfd, &si, sizeof si) == sizeof si) {
		struct run_event e = { .kind = RUN_EV_SIGNAL };
		pid_t by = (pid_t)si.ssi_pid;
		e.signal.sig = (int)si.ssi_signo;
		if (e.signal.sig == SIGCHLD)
			continue;
		e.signal.terminal = si.ssi_code == SI_KERNEL;
		e.signal.by_command = by == r->child.pid;
		if (run_machine_is_notice(&r->m, e.signal.sig))
			e.signal.by_tree = from_inside(by);
		run_feed(r, &e);
	}
	if (r->m.phase == RUN_RESTORING || r->m.phase == RUN_FLUSH)
		return;
	run_reap(&r->child);
	if (r->child.ended)
		run_feed(r, &(struct run_event){
				    .kind = RUN_EV_ENDED,
				    .ended = { run_code(&r->child), WIFEXITED(r->child.status) } });
}

/* ---- the loop ---------------------------------------------------------------------------- */

static void wait_once(struct run *r, int ms)
{
	bool ends = r->m.phase == RUN_FLUSH; /* then nobody is left who would say anything */
	VEC(struct pollfd) p = { 0 };

	*vec_push(&p) = (struct pollfd){ r->sigfd, POLLIN, 0 };
	*vec_push(&p) = (struct pollfd){ r->save.fd, POLLIN, 0 };
	*vec_push(&p) = (struct pollfd){ r->o->store ? r->away.fd : -1, POLLIN, 0 };
	*vec_push(&p) = (struct pollfd){ ends ? -1 : notice_fd(r->notices), POLLIN, 0 };
	*vec_push(&p) = (struct pollfd){ ends ? -1 : r->price.fd, POLLIN, 0 };
	*vec_push(&p) = (struct pollfd){ ends ? -1 : r->sock.fd, POLLIN, 0 };
	for (size_t i = 0; i < r->sock.client.n && !ends; i++)
		*vec_push(&p) = (struct pollfd){ r->sock.client.v[i].fd, POLLIN, 0 };
	bool some = poll(p.v, p.n, ms) > 0;
	if (some && p.v[3].revents) {
		struct notice n;
		struct err err;

		while (notice_next(r->notices, tm_steady_ms(), &n, &err) > 0) {
			struct run_notice heard = { n.kind, INT64_MAX, n.source, n.what };
			if (n.kind == NOTICE_STOP)
				heard.at = n.at_ms - r->wall_ms;
			run_feed(r, &(struct run_event){ .kind = RUN_EV_NOTICE, .notice = heard });
		}
	}
	if (some && p.v[0].revents)
		take_signals(r);
	if (some && p.v[4].revents) {
		struct run_event e = { .kind = RUN_EV_PRICE };
		struct err err;
		int rc = run_price_take(&r->price, &e.price.nano_hour, &err);
		if (rc < 0)
			e.price.problem = err.msg;
		if (rc)
			run_feed(r, &e);
	}
	vec_free(&p);
	if (some || ends)
		take_results(r);
	if (some && !ends)
		take_packets(r);
	if (!ends && r->m.phase == RUN_FLUSH)
		take_packets(r); /* its last words */
}

static void loop_events(struct run *r)
{
	struct run_event tick = { .kind = RUN_EV_TICK };

	run_feed(r, &(struct run_event){ .kind = RUN_EV_OPEN });
	while (r->m.phase != RUN_OVER) {
		int64_t now = tm_mono_ms();
		tick.spent_nano = run_book_spent(&r->book, run_wall(r, now));
		feed_at(r, &tick, now);
		if (r->m.phase == RUN_OVER)
			break;
		int ms = run_machine_wait_ms(&r->m, now);
		run_trace_wait(r->trace, ms);
		wait_once(r, ms);
	}
}

static bool close_all(struct run *r)
{
	run_price_close(&r->price);
	notice_close(r->notices);
	ckpt_damage_free(&r->told.damage);
	bool done = run_save_close(&r->save);
	done = run_save_close(&r->away) && done;
	run_sock_close(&r->sock);
	run_book_close(&r->book);
	vec_free(&r->child.fd);
	run_folder_free(r);
	run_trace_close(r->trace);
	if (r->sigfd >= 0)
		close(r->sigfd);
	pthread_sigmask(SIG_SETMASK, &r->child.old_mask, NULL);
	return done;
}

static struct run_rules rules_of(const struct run_opt *o)
{
	int64_t poll_ms = o->notice.poll_ms;

	return (struct run_rules){
		.watch = o->watch != NULL,
		.store = o->store != NULL,
		.notice_signal = o->notice_signal,
		.notice_signal_ms = o->notice_signal_ms,
		.grace_ms = o->grace_ms,
		.every_ms = o->every_ms,
		.budget_nano = o->budget_nano,
		.max_hourly_nano = o->max_hourly_nano,
		.usd_hour_nano = o->usd_hour_nano,
		.deaf_ms = poll_ms > 0 ? min_i64(10 * poll_ms, DEAF_MS) : DEAF_MS,
		.mtbi_h = o->mtbi_h,
	};
}

int run_supervise(const struct run_opt *o, struct run_end *ret, struct err *err)
{
	struct run *r = xcalloc(1, sizeof *r);
	struct run_rules rules = rules_of(o);

	*ret = (struct run_end){ .code = 125, .why = "failed", .step = -1 };
	*r = (struct run){ .o = o,
			   .end = ret,
			   .err = err,
			   .wall_ms = tm_steady_ms() - tm_mono_ms(),
			   .sigfd = -1,
			   .sock.fd = -1,
			   .book = { .lock_fd = -1, .dir_fd = -1 },
			   .folder.look_fd = -1,
			   .deadline_ms = INT64_MAX,
			   .save.fd = -1,
			   .away.fd = -1,
			   .price.fd = -1 };
	run_inherited(&r->child);
	r->child.pipe_ignored = o->pipe_ignored;
	r->child.xfsz_ignored = o->xfsz_ignored;
	r->trace = run_trace_open(&rules, o->drill, tm_mono_ms());
	r->rc = run_signals(&r->child, &r->sigfd, err);
	if (r->rc >= 0)
		r->rc = run_book_open(&r->book, o, tm_steady_ms(), err);
	if (r->rc >= 0)
		r->rc = run_sock_open(&r->sock, err);
	if (r->rc >= 0)
		r->rc = run_save_open(&r->save, o, r->book.token, err);
	if (r->rc >= 0 && o->store)
		r->rc = run_save_open(&r->away, o, r->book.token, err);
	if (r->rc >= 0)
		r->rc = run_price_open(&r->price, &o->price, err);
	if (r->rc >= 0)
		r->rc = notice_open(&o->notice, tm_steady_ms(), &r->notices, err);
	run_machine_init(&r->m, &rules, o->drill, tm_mono_ms());
	if (r->rc >= 0)
		loop_events(r);
	int rc = r->rc;
	if (rc < 0)
		run_say_not_run(r, err->msg);
	/* else a thread is in the middle of something: the process ends, and its memory with it */
	if (close_all(r))
		free(r);
	return rc;
}
