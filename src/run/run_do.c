/* Run: what the machine wants done is done here: the command started and told, the threads begun,
 * the book written. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "run/run_loop.h"

#define SOLVE_MS 2000 /* working out where the next attempt runs takes a second or less */

/* ---- asking ------------------------------------------------------------------------------ */

static void ask_child(struct run *r, const struct run_ask *a)
{
	struct runmsg m = { .kind = a->end ? RUN_STOP : RUN_SAVE, .deadline_ms = INT64_MIN };
	struct run_event e = { .kind = RUN_EV_ASKED, .asked = { .ask = *a } };
	int ranks = 0, world = 0;

	for (size_t i = 0; i < r->sock.client.n; i++) {
		const struct run_client *c = &r->sock.client.v[i];
		ranks += c->hello && c->world > 1;
		if (c->hello && c->world > world)
			world = c->world;
	}
	m.step = run_machine_step_for_all(&r->m, ranks, world);
	if (a->until != INT64_MAX)
		m.deadline_ms = tm_now_ms() + (a->until - tm_mono_ms());
	snprintf(m.text, sizeof m.text, "%s", a->why);
	if (m.step >= 0 || !r->sock.client.n) {
		/* For ranks that the socket does not reach. Where it cannot be written the
		 * folder is full or gone, and the save itself will say so. */
		char line[RUNMSG_FILE_MAX];
		size_t n = runmsg_file_write(++r->asked_seq, r->book.token, &m, line);
		int fd = openat(r->book.dir_fd, RUNMSG_FILE,
				O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
				object_file_mode());
		if (fd >= 0 && pwrite(fd, line, n, 0) == (ssize_t)n && ftruncate(fd, (off_t)n) == 0)
			fdatasync(fd);
		if (fd >= 0)
			close(fd);
	}
	e.asked.sock = e.asked.told = run_sock_say(&r->sock, &m);
	if (!e.asked.told && r->o->ask_signal)
		e.asked.told = run_signal_tree(r->o->ask_signal, true);
	run_feed(r, &e);
}

/* ---- written down ------------------------------------------------------------------------ */

static void bring_up_book(struct run *r, const struct run_record *now)
{
	r->book.step = now->step;
	r->book.saved_ms = INT64_MIN;
	if (now->done_at != INT64_MIN)
		r->book.saved_ms = run_wall(r, now->done_at);
	r->book.notice = now->interrupts;
}

/* What was measured, for the next attempt. */
static void remember_known(struct run *r, const struct run_record *record)
{
	struct run_known *k = &r->past.known;
	int64_t restart = record->stepped ? record->cost.restart_ms : 0, done = 0;
	int64_t now = tm_mono_ms();

	bring_up_book(r, record);
	if (r->book.saved_ms != INT64_MIN)
		done = r->book.saved_ms - r->book.start_ms - restart;
	k->cost = record->cost;
	if (!r->o->store) /* none is known, not that it takes no time */
		k->cost.push_ms = -1;
	k->step_us = record->step_us;
	k->push_bytes_s = record->push_bytes_s;
	k->done_ms = r->past.done_ms + max_i64(done, 0);
	k->attempts = r->book.attempt + 1;
	k->spent_nano = run_book_spent(&r->book, run_wall(r, now));
	k->interruptions = r->book.interruptions + r->book.notice;
	k->seen_ms = (int64_t)(r->book.seen_h * MS_HOUR) + now - r->m.start_at;
	/* where it cannot be written the state cannot either, and that was said */
	run_known_save(r->book.dir_fd, k);
}

/* ---- the beginning ----------------------------------------------------------------------- */

/* The times of earlier attempts, and the deadline that was told for all of them. */
static void read_past(struct run *r)
{
	struct run_known *known = &r->past.known;
	struct run_book *b = &r->book;
	struct err err;
	char what[1200];
	int64_t now = tm_steady_ms();

	if (run_known_load(b->dir_fd, known, &err) < 0) {
		snprintf(what, sizeof what,
			 "what earlier attempts have measured is not used ('%s/measured': %s)",
			 r->o->dir, err.msg);
		run_say_failed(r, what);
	}
	if (b->old.ms >= 0 && r->o->plan.here != SPOT_OD)
		run_known_spell(known, b->old.ms, b->old.interrupted, b->old.place);
	r->past.recalled = true;
	if (!b->attempt && known->attempts > 0) {
		/* another machine, a folder of its own: all that is known came from the store */
		b->attempt = (int)known->attempts;
		b->spent_nano += max_i64(known->spent_nano, 0);
		if (known->interruptions > 0)
			b->interruptions += (int)known->interruptions;
		if (known->seen_ms > 0)
			b->seen_h += (double)known->seen_ms / MS_HOUR;
	}
	r->past.done_ms = known->done_ms;
	r->deadline_ms = r->o->deadline_ms;
	if (r->o->deadline_span_ms > 0) {
		bool begun = known->job_ms > 0 && known->job_ms < now;
		r->deadline_ms = (begun ? known->job_ms : now) + r->o->deadline_span_ms;
	}
}

static void recall_past(struct run *r)
{
	struct run_event e = { .kind = RUN_EV_RECALLED };

	if (r->o->watch)
		run_folder_restored(r);
	read_past(r);
	if (r->o->store)
		run_save_warn(&r->away, &r->told.damage);
	e.recalled.cost = r->past.known.cost;
	if (!r->o->store)
		e.recalled.cost.push_ms = 0;
	e.recalled.step_us = r->past.known.step_us;
	e.recalled.push_bytes_s = r->past.known.push_bytes_s;
	e.recalled.seen_h = r->book.seen_h;
	e.recalled.interruptions = r->book.interruptions;
	e.recalled.deadline = INT64_MAX;
	if (r->deadline_ms != INT64_MAX)
		e.recalled.deadline = r->deadline_ms - r->wall_ms;
	run_feed(r, &e);
}

static void tell_spawned(struct run *r, int rc)
{
	r->rc = rc;
	run_feed(r, &(struct run_event){ .kind = RUN_EV_SPAWNED, .spawned = rc });
}

static void begin_attempt(struct run *r, const struct run_record *record)
{
	struct run_drill *d = r->o->drill;
	struct run_known *k = &r->past.known;
	int64_t now = run_wall(r, r->m.start_at);

	if (k->job_ms <= 0 || k->job_ms > now)
		k->job_ms = now;
	bring_up_book(r, record);
	int rc = run_book_begin(&r->book, now, r->err);
	if (rc < 0) {
		tell_spawned(r, rc);
		return;
	}
	if (!d)
		return;
	(void)sv_i64(sv_of(r->book.gpus), &d->gpus);
	snprintf(d->job, sizeof d->job, "%s", r->book.job);
	if (r->o->watch && r->m.safe.local_step >= 0)
		run_folder_note_opens(r);
}

static void spawn_child(struct run *r)
{
	char dir[4200], sock[128], attempt[200], step[64], price[64],
		*real = realpath(r->o->dir, NULL);
	const char *env[6] = { dir, sock, attempt };
	size_t nenv = 3;
	int64_t safe = r->m.safe.local_step, nano = r->book.usd_hour_nano;

	snprintf(dir, sizeof dir, "TARE_CHECKPOINT_DIR=%s", real ? real : r->o->dir);
	free(real);
	snprintf(sock, sizeof sock, "TARE_RUN_SOCKET=%s", r->sock.path);
	snprintf(attempt, sizeof attempt, "TARE_ATTEMPT=%s", r->book.token);
	snprintf(step, sizeof step, "TARE_RESUME_STEP=%" PRId64, safe);
	if (safe >= 0)
		env[nenv++] = step;
	if (r->o->from_zero && safe < 0) /* libtare says no otherwise */
		env[nenv++] = "TARE_FROM_ZERO=1";
	snprintf(price, sizeof price, "TARE_USD_HOUR=%" PRId64 ".%09" PRId64, nano / 1000000000,
		 nano % 1000000000);
	if (nano >= 0) /* the training counts its cost by it */
		env[nenv++] = price;
	tell_spawned(r, run_start(&r->child, r->o->argv, env, nenv, &r->end->code, r->err));
}

/* Where the next attempt runs. Asked at the start too, when it no longer fits. */
static void ask_next(struct run *r, struct run_next *ret, bool begins)
{
	const struct run_machine *m = &r->m;
	int64_t now = tm_mono_ms();
	struct run_plan plan = r->o->plan;
	bool taken = m->stop.noticed && m->why == RUN_WHY_INTERRUPTED && !m->stop.time_is_up;

	if (plan.here == SPOT_SPOT && plan.has_prices && r->book.usd_hour_nano >= 0)
		plan.spot_nano = r->book.usd_hour_nano; /* the one of today */
	if (!begins && m->stop.noticed && m->stop.at - now < SOLVE_MS)
		plan.markets = NULL; /* a rule that takes no time: the exit code is worth more */
	taken &= !begins && plan.here != SPOT_OD && !run_drill_asked(r->o->drill);
	struct run_next_ask a = { .plan = &plan,
				  .known = &r->past.known,
				  .now_ms = run_wall(r, now),
				  .deadline_ms = r->deadline_ms,
				  .safe_step = run_machine_safe_step(m),
				  .ran_ms = begins ? 0 : now - m->start_at,
				  .taken = taken };
	if (begins)
		run_next_fits(&a, ret);
	else
		run_next(&a, ret);
	ret->currency = r->o->currency;
}

/* ---- the end ----------------------------------------------------------------------------- */

static void end_run(struct run *r, const struct run_verdict *v)
{
	int64_t now = tm_mono_ms();
	struct err err;

	r->end->code = v->code;
	r->end->why = run_why_word(v->why);
	r->end->step = run_machine_safe_step(&r->m);
	if (r->o->drill)
		r->o->drill->seen.opened |= run_folder_opened(r);
	if (v->ack)
		notice_ack(r->notices, tm_steady_ms());
	bring_up_book(r, &v->record);
	if (r->m.begun && run_book_end(&r->book, run_wall(r, now), v->lost, &err) < 0)
		run_say_failed(r, err.msg);
	if (v->why != RUN_WHY_DONE)
		ask_next(r, &r->end->next, false);
	/* What the next attempt begins with, unless this one ended before that was read. A job that
	 * is done, or was given up, begins again. */
	if (r->past.recalled) {
		struct run_known *k = &r->past.known;
		remember_known(r, &v->record);
		if (r->m.begun && r->o->plan.here != SPOT_OD)
			run_known_spell(k, tm_mono_ms() - r->m.start_at, r->book.notice,
					r->o->place);
		if (v->why == RUN_WHY_DONE || v->why == RUN_WHY_DEADLINE)
			k->job_ms = k->done_ms = 0;
		run_known_save(r->book.dir_fd, k);
	}
	run_say_end(r, v, now);
	if (v->why != RUN_WHY_DONE)
		run_say_next(r, &r->end->next, false);
}

/* ---- one action -------------------------------------------------------------------------- */

static void begin_job(struct run *r, const struct run_action *a)
{
	int64_t until = a->job.until == INT64_MAX ? INT64_MAX : run_wall(r, a->job.until);

	switch (a->job.job) {
	case RUN_JOB_RESTORE:
		run_save_begin(&r->save, RUN_JOB_RESTORE, r->book.old_step, INT64_MAX, NULL);
		break;
	case RUN_JOB_COMMIT: run_folder_commit(r, a->job.step); break;
	case RUN_JOB_PUSH: run_save_begin(&r->away, RUN_JOB_PUSH, -1, until, NULL); break;
	default: run_save_begin(&r->save, a->job.job, -1, until, NULL);
	}
}

static void say_action(struct run *r, const struct run_action *a)
{
	switch (a->kind) {
	case RUN_DO_SAY_START: run_say_start(r, &r->restored); break;
	case RUN_DO_SAY_NOTICE: run_say_notice(r, &a->notice); break;
	case RUN_DO_SAY_ASKED: run_say_asked(r, &a->asked.ask, a->asked.told); break;
	case RUN_DO_SAY_SAFE: run_say_safe(r); break;
	case RUN_DO_SAY_STORED: run_say_stored(r); break;
	case RUN_DO_SAY_FAILED: run_say_failed(r, a->text); break;
	case RUN_DO_SAY_ELSEWHERE: run_say_elsewhere(r, a->step); break;
	case RUN_DO_SAY_DEAF: run_say_deaf(r, a->text); break;
	case RUN_DO_SAY_STATUS: run_say_status(r); break;
	case RUN_DO_SAY_PRICE: run_say_price(r, a->price.was_nano); break;
	case RUN_DO_SAY_GIVEN_UP: run_say_given_up(r, a->sig); break;
	default: break;
	}
}

void run_do(struct run *r, const struct run_action *a)
{
	struct run_drill *d = r->o->drill;
	struct run_next fits = { 0 };

	switch (a->kind) {
	case RUN_DO_JOB: begin_job(r, a); break;
	case RUN_DO_HURRY:
		run_save_hurry(&r->away, a->hurry.until < 0 ? 0 : run_wall(r, a->hurry.until),
			       a->hurry.newer);
		break;
	case RUN_DO_RECALL: recall_past(r); break;
	case RUN_DO_BEGIN: begin_attempt(r, &a->record); break;
	case RUN_DO_SPAWN: spawn_child(r); break;
	case RUN_DO_ASK: ask_child(r, &a->ask); break;
	case RUN_DO_FORWARD: kill(r->child.pid, a->sig); break;
	case RUN_DO_TERM:
		run_signal_tree(SIGTERM, false);
		run_signal_tree(SIGCONT, false); /* one that is stopped would never see it */
		break;
	case RUN_DO_KILL: run_signal_tree(SIGKILL, false); break;
	case RUN_DO_STOP_SELF: raise(SIGSTOP); break;
	case RUN_DO_SCAN: run_folder_scan(r, a->final); break;
	case RUN_DO_CHECK_OPEN: run_folder_check(r); break;
	case RUN_DO_KEEP: run_folder_keep(r); break;
	case RUN_DO_HEAR:
		run_feed(r, &(struct run_event){ .kind = RUN_EV_SOURCES,
						 .problem = notice_problem(r->notices) });
		break;
	case RUN_DO_DRILL:
		run_feed(r,
			 &(struct run_event){ .kind = RUN_EV_DRILL, .told = d->decided(d->ctx) });
		break;
	case RUN_DO_PRICE:
		if (a->price.counted)
			run_book_price(&r->book, run_wall(r, tm_mono_ms()), a->price.nano_hour);
		else
			r->book.usd_hour_nano = a->price.nano_hour;
		break;
	case RUN_DO_TELL_PRICE: /* the program counts its cost too */
		if (r->book.usd_hour_nano >= 0)
			run_sock_say(&r->sock,
				     &(struct runmsg){ .kind = RUN_PRICE,
						       .nano_hour = r->book.usd_hour_nano });
		break;
	case RUN_DO_BEAT:
		bring_up_book(r, &a->record);
		run_book_beat(&r->book, run_wall(r, tm_mono_ms()));
		break;
	case RUN_DO_REMEMBER: remember_known(r, &a->record); break;
	case RUN_DO_FITS:
		ask_next(r, &fits, true);
		run_say_next(r, &fits, true);
		break;
	case RUN_DO_EXIT: end_run(r, &a->verdict); break;
	default: say_action(r, a);
	}
}
