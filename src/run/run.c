/*
 * The supervisor: one loop over signals, notices, the socket and the threads that save. What is
 * heard is in run_hear.c, what is safe in run_safe.c, what is due in run_time.c (worked out by
 * run_when.c); nothing here waits for a disk or a network. Times are those of a clock that never
 * jumps; wall-clock times of the book are made from them.
 */
#include "run/run.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/tm.h"
#include "run/run_loop.h"

#define SOLVE_MS 2000 /* working out where the next attempt runs takes a second or less */

int64_t run_wall(const struct run *r, int64_t mono)
{
	return r->wall0_ms + (mono - r->mono0_ms);
}

int64_t run_safe_step(const struct run *r)
{
	if (r->o->store)
		return r->stored_step;
	return r->local_step;
}

/* ---- the loop ---------------------------------------------------------------------------- */

static void take_packets(struct run *r)
{
	struct runmsg m;

	run_sock_accept(&r->sock);
	for (size_t i = 0; i < r->sock.client.n; i++)
		/* one that floods the socket must not keep us from the rest */
		for (int turn = 0; turn < 64 && run_sock_next(&r->sock, i, &m) > 0; turn++)
			run_on_message(r, &m);
	run_sock_sweep(&r->sock);
}

static void take_results(struct run *r)
{
	struct run_result x;

	if (r->phase == RUN_RESTORING) /* restore() takes that one */
		return;
	if (run_save_take(&r->save, &x)) {
		run_on_result(r, &x);
		ckpt_damage_free(&x.damage);
	}
	if (r->o->store && run_save_take(&r->away, &x)) {
		run_on_result(r, &x);
		ckpt_damage_free(&x.damage);
	}
}

static void wait_once(struct run *r, int ms)
{
	VEC(struct pollfd) p = { 0 };

	*vec_push(&p) = (struct pollfd){ r->sigfd, POLLIN, 0 };
	*vec_push(&p) = (struct pollfd){ notice_fd(r->notices), POLLIN, 0 };
	*vec_push(&p) = (struct pollfd){ r->save.fd, POLLIN, 0 };
	*vec_push(&p) = (struct pollfd){ r->o->store ? r->away.fd : -1, POLLIN, 0 };
	*vec_push(&p) = (struct pollfd){ r->price.fd, POLLIN, 0 };
	*vec_push(&p) = (struct pollfd){ r->sock.fd, POLLIN, 0 };
	for (size_t i = 0; i < r->sock.client.n; i++)
		*vec_push(&p) = (struct pollfd){ r->sock.client.v[i].fd, POLLIN, 0 };
	if (poll(p.v, p.n, ms) > 0) {
		if (p.v[1].revents)
			run_on_notices(r);
		if (p.v[0].revents)
			run_on_signals(r);
		if (p.v[4].revents)
			run_on_price(r);
		take_results(r);
		take_packets(r);
	}
	vec_free(&p);
}

static void watch_it(struct run *r)
{
	while (!r->child.ended) {
		run_tick(r);
		wait_once(r, run_wait_ms(r));
		if (r->phase == RUN_KILLED)
			run_signal_tree(SIGKILL, false);
	}
	take_packets(r); /* its last words */
}

/*
 * A SIGTERM to the whole group (scancel, systemd, timeout) reaches the command as well as us, and
 * it may end before it was asked to: by that signal, or with its state saved. That is the
 * interruption we were told of, with what is left of its time, and no failure of the command.
 */
static void ended_in_notice(struct run *r)
{
	int code = run_code(&r->child);
	bool by_notice = r->o->notice_signal && code == 128 + r->o->notice_signal;
	bool as_told = code == RUN_AGAIN || code == 128 + SIGTERM || by_notice;

	if (!r->why && r->noticed && as_told)
		r->why = "interrupted";
}

/*
 * Was what it wrote meant to be there? One that was killed or crashed may have been in the middle
 * of a file; a launcher that outlives it (torchrun, a shell) ends with 1 or 143. 0 and 85 are words
 * of the program itself.
 */
static bool ended_by_itself(const struct run *r)
{
	return WIFEXITED(r->child.status) &&
	       (WEXITSTATUS(r->child.status) == 0 || WEXITSTATUS(r->child.status) == RUN_AGAIN);
}

/* Not all of it is where it should be yet. */
static bool is_copying(struct run *r)
{
	if (run_save_busy(&r->save) || r->want_look)
		return true;
	if (!r->o->store)
		return false;
	return run_save_busy(&r->away) || r->want_push || r->stored_step < r->local_step;
}

/* The command has ended: what it left is made safe while there is time. */
static void flush(struct run *r)
{
	int64_t until = INT64_MAX;
	bool tried = false, pushed = false;

	if (r->why)
		until = r->times.end_at;
	r->phase = max_int(r->phase, RUN_FLUSH);
	while (tm_mono_ms() < until) {
		take_results(r);
		run_jobs(r);
		if (run_save_busy(&r->save) || r->want_look) {
			/* wait */
		} else if (r->o->watch && !tried && ended_by_itself(r)) {
			tried = true;
			run_scan(r, true);
			continue;
		} else if (r->o->store && (run_save_busy(&r->away) || r->want_push)) {
			/* wait */
		} else if (r->o->store && !pushed && r->stored_step < r->local_step) {
			pushed = r->want_push = true;
			continue;
		} else
			break;
		int64_t left = until == INT64_MAX ? 1000 : until - tm_mono_ms();
		struct pollfd p[3] = { { r->sigfd, POLLIN, 0 },
				       { r->save.fd, POLLIN, 0 },
				       { r->o->store ? r->away.fd : -1, POLLIN, 0 } };
		if (poll(p, 3, (int)clamp_i64(left, 0, 1000)) > 0 && p[0].revents)
			until = run_on_last_signals(r, until);
	}
	take_results(r); /* what became safe while the time ran out */
	/* Given up before the folder was looked at a last time: what lies there is not safe either. */
	bool unseen = r->o->watch && !tried && ended_by_itself(r);
	if (!is_copying(r) && !unseen)
		r->quit_signal = 0;
	else if (r->quit_signal)
		run_say_given_up(r);
}

/* The times of earlier attempts, and the deadline that was told for all of them. */
static void recall(struct run *r)
{
	struct run_book *b = &r->book;
	struct err err;
	char what[1200];
	int64_t push = r->cost.push_ms, now = tm_steady_ms();

	if (run_known_load(r->book.dir_fd, &r->known, &err) < 0) {
		snprintf(what, sizeof what,
			 "what earlier attempts have measured is not used ('%s/measured': %s)",
			 r->o->dir, err.msg);
		run_say_failed(r, what);
	}
	if (r->book.old.ms >= 0 && r->o->plan.here != SPOT_OD)
		run_known_spell(&r->known, r->book.old.ms, r->book.old.interrupted,
				r->book.old.place);
	r->recalled = true;
	if (!b->attempt && r->known.attempts > 0) {
		/* another machine, a folder of its own: all that is known came from the store */
		b->attempt = (int)r->known.attempts;
		b->spent_nano += max_i64(r->known.spent_nano, 0);
		if (r->known.interruptions > 0)
			b->interruptions += (int)r->known.interruptions;
		if (r->known.seen_ms > 0)
			b->seen_h += (double)r->known.seen_ms / MS_HOUR;
	}
	r->hazard = (struct run_hazard){ r->o->mtbi_h, b->seen_h, b->interruptions };
	r->cost = r->known.cost;
	if (!r->o->store)
		r->cost.push_ms = push;
	r->done0_ms = r->known.done_ms;
	r->deadline_ms = r->o->deadline_ms;
	if (r->o->deadline_span_ms > 0)
		r->deadline_ms = (r->known.job_ms > 0 && r->known.job_ms < now ? r->known.job_ms
									       : now) +
				 r->o->deadline_span_ms;
}

static int restore(struct run *r, struct err *err)
{
	struct run_result x = { 0 };

	run_save_begin(&r->save, RUN_JOB_RESTORE, r->book.old_step, INT64_MAX, NULL);
	while (!run_save_take(&r->save, &x)) {
		wait_once(r, 1000);
		if (r->quit_signal || r->why)
			return 0;
	}
	r->want_push = r->o->store && x.step > x.pulled;
	run_say_damage(r, &x.damage);
	if (x.rc < 0) {
		ckpt_damage_free(&x.damage);
		*err = x.err;
		err_prefix(err, "cannot bring the newest checkpoint back");
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
	recall(r);
	run_plan_next(r);
	run_say_start(r, &x);
	if (r->o->store)
		run_save_warn(&r->away, &r->damage);
	ckpt_damage_free(&x.damage);
	return 0;
}

static int start(struct run *r, struct err *err)
{
	char dir[4200], sock[128], attempt[200], step[64], price[64],
		*real = realpath(r->o->dir, NULL);
	const char *env[6] = { dir, sock, attempt };
	size_t nenv = 3;
	int rc;

	snprintf(dir, sizeof dir, "TARE_CHECKPOINT_DIR=%s", real ? real : r->o->dir);
	free(real);
	snprintf(sock, sizeof sock, "TARE_RUN_SOCKET=%s", r->sock.path);
	snprintf(attempt, sizeof attempt, "TARE_ATTEMPT=%s", r->book.token);
	snprintf(step, sizeof step, "TARE_RESUME_STEP=%" PRId64, r->local_step);
	if (r->local_step >= 0)
		env[nenv++] = step;
	if (r->o->from_zero && r->local_step < 0) /* libtare says no otherwise */
		env[nenv++] = "TARE_FROM_ZERO=1";
	snprintf(price, sizeof price, "TARE_USD_HOUR=%" PRId64 ".%09" PRId64,
		 r->book.usd_hour_nano / 1000000000, r->book.usd_hour_nano % 1000000000);
	if (r->book.usd_hour_nano >= 0) /* the training counts its cost by it */
		env[nenv++] = price;
	r->mono0_ms = tm_mono_ms();
	r->wall0_ms = tm_steady_ms();
	if (r->known.job_ms <= 0 || r->known.job_ms > r->wall0_ms)
		r->known.job_ms = r->wall0_ms;
	if ((rc = run_book_begin(&r->book, r->wall0_ms, err)) < 0)
		return rc;
	r->next_beat = r->mono0_ms + RUN_BEAT_MS;
	r->deaf_since = -1;
	r->next_hear = r->mono0_ms + run_deaf_ms(r) / 2;
	r->next_scan = r->mono0_ms + RUN_SCAN_MS;
	if (r->o->watch) {
		r->speed_step = max_i64(r->local_step, 0);
		r->speed_at = r->mono0_ms;
		r->speed_rough = true;
	}
	run_plan_next(r);
	run_remember(r);
	run_drill_begin(r);
	return run_start(&r->child, r->o->argv, env, nenv, &r->end->code, err);
}

/* Where the next attempt runs. Asked at the start too, when it no longer fits. */
static void ask_next(struct run *r, struct run_next *ret, bool begins)
{
	int64_t now = tm_mono_ms();
	struct run_plan plan = r->o->plan;
	if (plan.here == SPOT_SPOT && plan.has_prices && r->book.usd_hour_nano >= 0)
		plan.spot_nano = r->book.usd_hour_nano; /* the one of today */
	if (!begins && r->noticed && r->notice_at - now < SOLVE_MS)
		plan.markets = NULL; /* a rule that takes no time: the exit code is worth more */
	struct run_next_ask a = { &plan,
				  &r->known,
				  begins ? tm_steady_ms() : run_wall(r, now),
				  r->deadline_ms,
				  run_safe_step(r),
				  begins ? 0 : now - r->mono0_ms,
				  !begins && r->noticed && r->why &&
					  !strcmp(r->why, "interrupted") &&
					  r->o->plan.here != SPOT_OD && !r->time_is_up &&
					  !run_drill_asked(r) };

	if (begins)
		run_next_fits(&a, ret);
	else
		run_next(&a, ret);
	ret->currency = r->o->currency;
}

/* What the next attempt begins with. A job that is done, or was given up, begins anew. */
static void remember_end(struct run *r)
{
	if (!r->recalled) /* it ended before it was read */
		return;
	run_remember(r);
	if (r->child.pid && r->o->plan.here != SPOT_OD)
		run_known_spell(&r->known, tm_mono_ms() - r->mono0_ms, r->book.notice, r->o->place);
	if (!strcmp(r->end->why, "done") || !strcmp(r->end->why, "deadline"))
		r->known.job_ms = r->known.done_ms = 0;
	run_known_save(r->book.dir_fd, &r->known);
}

/* Whether to start it again, and what was lost: the folder is asked once more. */
static void judge(struct run *r)
{
	int code = 128 + SIGTERM;
	bool safe = run_safe_step(r) >= 0;
	bool spoke = r->heard || r->stepped || r->claimed_step >= 0;
	const char *lost = NULL;
	struct err err;

	if (r->child.pid)
		code = run_code(&r->child);
	else if (r->quit_signal)
		code = 128 + r->quit_signal;
	if (!r->why) {
		/* 85 of a program with libtare is its word for "saved", and counts for what is
		 * found of it. */
		if (code == RUN_AGAIN && !safe && spoke)
			r->end->code = 128 + SIGTERM;
		else
			r->end->code = code;
		r->end->why = code ? "failed" : "done";
		if (!r->end->code && r->quit_signal)
			/* it is done, and not all of it is where it should be */
			r->end->code = 128 + r->quit_signal;
		if (!code)
			lost = NULL;
		else if (code == 128 + SIGINT || code == 128 + SIGHUP || code == 128 + SIGQUIT)
			lost = "CANCELLED";
		else
			lost = "FAILED";
	} else if (!strcmp(r->why, "interrupted")) {
		/* A program with libtare says 85 when its state is in the folder: where that is not
		 * what counts as safe, its word is not ours. */
		if (safe)
			r->end->code = RUN_AGAIN;
		else if (code == RUN_AGAIN)
			r->end->code = 128 + SIGTERM;
		else
			r->end->code = code;
		r->end->why = r->why;
		lost = "PREEMPTED";
	} else {
		r->end->code = 1;
		r->end->why = r->why;
		lost = "CANCELLED";
	}
	r->end->step = run_safe_step(r);
	r->ended_at = tm_mono_ms();
	run_drill_end(r, r->book.saved_ms == INT64_MIN
				 ? r->ended_at - r->mono0_ms
				 : run_wall(r, r->ended_at) - r->book.saved_ms);
	if (safe && r->noticed && !run_drill_asked(r))
		notice_ack(r->notices, tm_steady_ms());
	if (r->child.pid && run_book_end(&r->book, run_wall(r, r->ended_at), lost, &err) < 0)
		run_say_failed(r, err.msg);
	if (strcmp(r->end->why, "done") != 0)
		ask_next(r, &r->end->next, false);
	remember_end(r);
	run_say_end(r, code);
	if (strcmp(r->end->why, "done") != 0)
		run_say_next(r, &r->end->next, false);
}

static int open_all(struct run *r, struct err *err)
{
	const struct run_opt *o = r->o;
	int rc = run_signals(&r->child, &r->sigfd, err);

	if (rc >= 0)
		rc = run_book_open(&r->book, o, tm_steady_ms(), err);
	if (rc >= 0)
		rc = run_sock_open(&r->sock, err);
	if (rc >= 0)
		rc = run_save_open(&r->save, o, r->book.token, err);
	if (rc >= 0 && o->store)
		rc = run_save_open(&r->away, o, r->book.token, err);
	if (rc >= 0)
		rc = run_price_open(&r->price, &o->price, err);
	if (rc >= 0)
		rc = notice_open(&o->notice, tm_steady_ms(), &r->notices, err);
	return rc;
}

static bool close_all(struct run *r)
{
	run_price_close(&r->price);
	notice_close(r->notices);
	ckpt_damage_free(&r->damage);
	bool done = run_save_close(&r->save);
	done = run_save_close(&r->away) && done;
	run_sock_close(&r->sock);
	run_book_close(&r->book);
	vec_free(&r->child.fd);
	run_files_free(&r->seen);
	run_files_free(&r->kept);
	run_files_free(&r->committing);
	if (r->sigfd >= 0)
		close(r->sigfd);
	pthread_sigmask(SIG_SETMASK, &r->child.old_mask, NULL);
	return done;
}

/* A deadline that has passed begins nothing; one that cannot be kept is told. */
static void begin_or_not(struct run *r)
{
	struct run_next fits = { 0 };

	if (r->deadline_ms <= tm_steady_ms())
		r->why = "deadline";
	else if (r->deadline_ms != INT64_MAX) {
		ask_next(r, &fits, true);
		run_say_next(r, &fits, true);
	}
}

int run_supervise(const struct run_opt *o, struct run_end *ret, struct err *err)
{
	struct run *r = xcalloc(1, sizeof *r);
	int rc;

	*ret = (struct run_end){ .code = 125, .why = "failed", .step = -1 };
	*r = (struct run){ .o = o,
			   .end = ret,
			   .sigfd = -1,
			   .sock.fd = -1,
			   .book = { .lock_fd = -1, .dir_fd = -1 },
			   .asked = -1,
			   .safe_at = -1,
			   .claimed_step = -1,
			   .local_step = -1,
			   .stored_step = -1,
			   .saving_step = -1,
			   .speed_step = -1,
			   .deadline_ms = INT64_MAX,
			   .step = -1,
			   .cost = { -1, -1, o->store ? -1 : 0, -1 },
			   .save.fd = -1,
			   .away.fd = -1,
			   .price.fd = -1 };
	run_inherited(&r->child);
	r->child.pipe_ignored = o->pipe_ignored;
	r->child.xfsz_ignored = o->xfsz_ignored;
	rc = open_all(r, err);
	r->mono0_ms = tm_mono_ms();
	r->wall0_ms = tm_steady_ms();
	if (rc >= 0)
		rc = restore(r, err);
	if (rc >= 0 && !r->quit_signal && !r->why)
		begin_or_not(r);
	if (rc >= 0 && !r->quit_signal && !r->why) {
		r->phase = RUN_RUNNING;
		rc = start(r, err);
	}
	if (rc >= 0) {
		if (r->child.pid) {
			watch_it(r);
			ended_in_notice(r);
			flush(r);
		}
		judge(r);
	} else {
		run_say_not_run(r, err->msg);
	}
	/* else a thread is in the middle of something: the process ends, and its memory with it */
	if (close_all(r))
		free(r);
	return rc;
}
