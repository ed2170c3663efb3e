/* Run: what is due: the limits, the checkpoint in turn, the end of patience, and when to look
 * again. */
#include <inttypes.h>

#include "base/num.h"
#include "base/tm.h"
#include "run/run_loop.h"

#define ASK_AGAIN_MS 10000  /* nobody was there who could be asked */
#define ASK_LOST_MS  600000 /* asked, and nothing came */
/* it was told to end and its state is safe, but it goes on: then SIGTERM */
#define AFTER_SAFE_MS 5000

/* ---- time -------------------------------------------------------------------------------- */

/* What saving and ending will take, from what it took. */
static int64_t need_ms(const struct run *r)
{
	return 2 * max_i64(r->cost.save_ms, 0) + 30000;
}

static void stop_for(struct run *r, int64_t now, const char *why, const char *text)
{
	struct run_times t;

	run_plan_stop(now, now + need_ms(r), &r->cost, &t);
	run_stop(r, why, text, &t);
}

static void look_at_notice(struct run *r, int64_t now)
{
	struct run_times at;

	run_plan_stop(now, r->notice_at, &r->cost, &at);
	if (now >= at.stop_at || now >= r->times.stop_at)
		run_stop(r, "interrupted", r->last_notice.what, &at);
}

static void look_at_money(struct run *r, int64_t now)
{
	int64_t spent = run_book_spent(&r->book, run_wall(r, now)), price = r->book.usd_hour_nano;

	if (r->o->budget_nano >= 0 && spent >= 0 &&
	    spent + (int64_t)((double)price * (double)need_ms(r) / MS_HOUR / 2) >=
		    r->o->budget_nano)
		stop_for(r, now, "budget", "the budget is reached");
	else if (r->o->max_hourly_nano >= 0 && price > r->o->max_hourly_nano)
		stop_for(r, now, "max-hourly", "the machine costs more than it may");
}

static void look_at_limits(struct run *r, int64_t now)
{
	struct run_times t;

	if (run_stopping(r))
		return;
	if (r->noticed && now >= r->times.stop_at) {
		look_at_notice(r, now);
		return;
	}
	if (r->deadline_ms != INT64_MAX) {
		run_plan_stop(now, r->mono0_ms + (r->deadline_ms - r->wall0_ms), &r->cost, &t);
		if (now >= t.stop_at)
			run_stop(r, "deadline", "the deadline is reached", &t);
	}
	look_at_money(r, now);
}

/* The program counts its cost too. */
void run_tell_price(struct run *r)
{
	if (r->book.usd_hour_nano >= 0)
		run_sock_say(&r->sock, &(struct runmsg){ .kind = RUN_PRICE,
							 .nano_hour = r->book.usd_hour_nano });
}

void run_on_price(struct run *r)
{
	int64_t was = r->book.usd_hour_nano, nano;
	struct err err;
	int rc = run_price_take(&r->price, &nano, &err);

	if (rc < 0)
		run_say_failed(r, err.msg);
	if (rc <= 0 || nano == was)
		return;
	if (r->phase == RUN_RESTORING) { /* nothing was paid with the old one */
		r->book.usd_hour_nano = nano;
		return;
	}
	run_book_price(&r->book, run_wall(r, tm_mono_ms()), nano);
	run_book_beat(&r->book, run_wall(r, tm_mono_ms()));
	run_tell_price(r);
	run_say_price(r, was);
}

static void ask_in_turn(struct run *r, int64_t now)
{
	if (run_stopping(r) || now < r->next_save)
		return;
	if (r->asked >= 0 && now - r->asked < ASK_LOST_MS)
		r->next_save = r->asked + ASK_LOST_MS;
	else if (run_ask(r, "in turn", false, INT64_MAX))
		r->next_save = now + ASK_LOST_MS;
	else
		r->next_save = now + ASK_AGAIN_MS;
}

static void press(struct run *r, int64_t now)
{
	if (r->phase == RUN_STOPPING &&
	    (now >= r->times.term_at ||
	     (r->told_sock && r->safe_at > r->stop_asked && now >= r->safe_at + AFTER_SAFE_MS)))
		run_term(r);
	if (r->phase >= RUN_STOPPING && r->phase < RUN_KILLED && now >= r->times.kill_at) {
		r->phase = RUN_KILLED;
		run_signal_tree(SIGKILL, false);
	}
}

void run_jobs(struct run *r)
{
	if (!run_save_busy(&r->save) && r->want_look) {
		r->want_look = false;
		run_save_begin(&r->save, RUN_JOB_LOOK, -1, INT64_MAX, NULL);
	}
	if (r->o->store && r->want_push && !run_save_busy(&r->away)) {
		r->want_push = false;
		run_save_begin(&r->away, RUN_JOB_PUSH, -1,
			       r->why ? run_wall(r, r->times.end_at) : INT64_MAX, NULL);
	}
	if (r->o->store && run_save_busy(&r->away))
		run_save_hurry(&r->away, r->why ? run_wall(r, r->times.end_at) : 0, r->want_push);
}

/* A machine that goes away without a word looks like one that is not asked at all. */
static void hear_sources(struct run *r, int64_t now)
{
	const char *problem = notice_problem(r->notices);

	r->next_hear = now + RUN_BEAT_MS;
	if (!problem) {
		if (r->told_deaf)
			run_say_deaf(r, NULL);
		r->told_deaf = false;
		r->deaf_since = -1;
	} else if (r->deaf_since < 0) {
		r->deaf_since = now;
		r->next_hear = now + run_deaf_ms(r);
	} else if (!r->told_deaf) {
		r->told_deaf = true;
		run_say_deaf(r, problem);
	}
}

void run_tick(struct run *r)
{
	int64_t now = tm_mono_ms();

	look_at_limits(r, now);
	if (run_drill_due(r))
		run_drill_notice(r);
	if (run_drill_wants_save(r))
		r->o->drill->asked = run_ask(r, "the restore drill", false, INT64_MAX) > 0;
	if (run_drill_over(r))
		stop_for(r, now, "drilled", "the restore drill is over");
	ask_in_turn(r, now);
	press(r, now);
	if (r->o->watch && now >= r->next_scan)
		run_scan(r, false);
	run_jobs(r);
	if (now >= r->next_hear && !run_stopping(r))
		hear_sources(r, now);
	if (now >= r->next_beat) {
		r->next_beat = now + RUN_BEAT_MS;
		r->hazard.seen_h = r->book.seen_h + (double)(now - r->mono0_ms) / MS_HOUR;
		run_book_beat(&r->book, run_wall(r, now));
		run_say_status(r);
	}
}

static int64_t least(int64_t a, int64_t b)
{
	return min_i64(a, b);
}

int run_wait_ms(const struct run *r)
{
	int64_t now = tm_mono_ms(), at = r->next_beat;

	if (!run_stopping(r)) {
		at = least(least(at, r->next_save), run_drill_at(r));
		at = least(at, r->next_hear);
		if (r->noticed)
			at = least(at, r->times.stop_at);
		if (r->deadline_ms != INT64_MAX || r->o->budget_nano >= 0)
			at = least(at, now + 1000);
	}
	if (r->phase == RUN_STOPPING)
		at = least(at, least(r->times.term_at, r->safe_at > r->stop_asked
							       ? r->safe_at + AFTER_SAFE_MS
							       : INT64_MAX));
	if (r->phase >= RUN_STOPPING && r->phase < RUN_KILLED)
		at = least(at, r->times.kill_at);
	if (r->phase == RUN_KILLED) /* and those that the tree forked meanwhile */
		at = least(at, now + 100);
	if (r->o->watch)
		at = least(at, r->next_scan);
	if (at <= now)
		return 0;
	if (at - now > 60000)
		return 60000;
	return (int)(at - now);
}
