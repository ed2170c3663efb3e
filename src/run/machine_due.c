/* See machine.h. What is due: the limits, the save in turn, the drill, who should be heard of, and
 * when to look again. */
#include "base/num.h"
#include "base/tm.h"
#include "run/machine_priv.h"

/* it was told to end and its state is safe, but it goes on: then SIGTERM */
#define AFTER_SAFE_MS 5000
#define KILL_AGAIN_MS 100 /* those that the tree forked meanwhile */
#define SETTLE_MS     1000

/* ---- the limits -------------------------------------------------------------------------- */

/* What saving and ending will take, from what it took. */
static int64_t need_ms(const struct run_machine *m)
{
	return 2 * max_i64(m->pace.cost.save_ms, 0) + 30000;
}

int64_t run_machine_kept_nano(const struct run_machine *m)
{
	return (int64_t)((double)m->usd_hour_nano * (double)need_ms(m) / MS_HOUR / 2);
}

static void stop_for(struct run_turn *t, enum run_why why, const char *text)
{
	run_turn_stop(t, why, text, run_turn_times(t, t->now + need_ms(t->m)));
}

static void look_at_limits(struct run_turn *t, int64_t spent_nano)
{
	struct run_machine *m = t->m;

	if (run_machine_stopping(m))
		return;
	if (m->stop.noticed && t->now >= m->stop.times.stop_at) {
		run_turn_stop(t, RUN_WHY_INTERRUPTED, m->stop.what, run_turn_times(t, m->stop.at));
		return;
	}
	if (m->deadline != INT64_MAX) {
		struct run_times at;
		run_plan_stop(t->now, m->deadline, &m->pace.cost, &at);
		if (t->now >= at.stop_at)
			run_turn_stop(t, RUN_WHY_DEADLINE, "the deadline is reached",
				      run_turn_times(t, m->deadline));
	}
	if (run_machine_stopping(m))
		return;
	bool counts = m->rules.budget_nano >= 0 && spent_nano >= 0;
	if (counts && spent_nano + run_machine_kept_nano(m) >= m->rules.budget_nano)
		stop_for(t, RUN_WHY_BUDGET, "the budget is reached");
	else if (m->rules.max_hourly_nano >= 0 && m->usd_hour_nano > m->rules.max_hourly_nano)
		stop_for(t, RUN_WHY_MAX_HOURLY, "the machine costs more than it may");
}

/* ---- what is due ------------------------------------------------------------------------- */

int64_t run_machine_term_at(const struct run_machine *m)
{
	bool saved = m->ask.sock && m->safe.at > m->stop.asked_at;

	if (saved)
		return min_i64(m->stop.times.term_at, m->safe.at + AFTER_SAFE_MS);
	return m->stop.times.term_at;
}

/* The command runs. */
void run_turn_look_around(struct run_turn *t, int64_t spent_nano)
{
	struct run_machine *m = t->m;

	look_at_limits(t, spent_nano);

	/* the drill */
	if (run_drill_due(m->drill, m, t->now))
		run_turn_notice(t, &(struct run_notice){ NOTICE_STOP,
							 t->now + run_machine_grace_ms(m), "drill",
							 "a restore drill interrupts it once" });
	if (run_drill_wants_save(m->drill, m, t->now))
		run_turn_ask(t, (struct run_ask){ RUN_ASK_DRILL, false, INT64_MAX,
						  "the restore drill" });
	if (run_drill_over(m->drill, m))
		stop_for(t, RUN_WHY_DRILLED, "the restore drill is over");

	/* the save in turn, the folder, who should be heard of */
	bool turn = !run_machine_stopping(m) && !m->ask.open && t->now >= m->ask.next;
	if (turn && m->ask.at >= 0 && t->now - m->ask.at < RUN_ASK_LOST_MS)
		m->ask.next = m->ask.at + RUN_ASK_LOST_MS;
	else if (turn)
		run_turn_ask(t, (struct run_ask){ RUN_ASK_TURN, false, INT64_MAX, "in turn" });
	run_turn_press(t);
	if (m->rules.watch && !m->ask.open && t->now >= m->folder.next)
		run_turn_scan(t, false);
	run_turn_begin_look(t);
	run_turn_push(t);
	if (t->now >= m->hear.next && !run_machine_stopping(m)) {
		m->hear.next = t->now + RUN_BEAT_MS;
		run_turn_add(t, RUN_DO_HEAR);
	}
	if (t->now < m->next_beat)
		return;
	/* one that is killed in its first minute, again and again, costs something too */
	m->next_beat = t->now + clamp_i64(t->now - m->start_at, RUN_BEAT_FIRST_MS, RUN_BEAT_MS);
	m->pace.hazard.seen_h = m->pace.seen0_h + (double)(t->now - m->start_at) / MS_HOUR;
	run_turn_write(t, RUN_DO_BEAT);
	if (t->now < m->next_status)
		return;
	m->next_status = t->now + RUN_BEAT_MS;
	run_turn_add(t, RUN_DO_SAY_STATUS);
}

/* A machine that goes away without a word looks like one that is not asked at all. */
void run_turn_on_sources(struct run_turn *t, const char *problem)
{
	struct run_machine *m = t->m;

	if (!problem) {
		if (m->hear.told)
			run_turn_add(t, RUN_DO_SAY_DEAF)->text = NULL;
		m->hear.told = false;
		m->hear.deaf_since = -1;
	} else if (m->hear.deaf_since < 0) {
		m->hear.deaf_since = t->now;
		m->hear.next = t->now + m->rules.deaf_ms;
	} else if (!m->hear.told) {
		m->hear.told = true;
		run_turn_add(t, RUN_DO_SAY_DEAF)->text = problem;
	}
}

void run_turn_on_price(struct run_turn *t, const struct run_event *e)
{
	struct run_machine *m = t->m;
	int64_t was = m->usd_hour_nano, nano = e->price.nano_hour;

	if (e->price.problem)
		run_turn_add(t, RUN_DO_SAY_FAILED)->text = e->price.problem;
	if (e->price.problem || nano == was)
		return;
	m->usd_hour_nano = nano;
	struct run_action *a = run_turn_add(t, RUN_DO_PRICE);
	a->price.nano_hour = nano;
	a->price.was_nano = was;
	a->price.counted = m->phase != RUN_RESTORING;
	if (m->phase == RUN_RESTORING) /* nothing was paid with the old one */
		return;
	m->repriced = true;
	run_turn_write(t, RUN_DO_BEAT);
	run_turn_add(t, RUN_DO_TELL_PRICE);
	run_turn_add(t, RUN_DO_SAY_PRICE)->price = a->price;
}

/* ---- when to look again -------------------------------------------------------------------- */

int run_machine_wait_ms(const struct run_machine *m, int64_t now)
{
	int64_t at = m->next_beat;

	if (m->phase == RUN_RESTORING)
		return SETTLE_MS;
	if (m->phase == RUN_FLUSH)
		return (int)clamp_i64(m->flush.until - now, 0, SETTLE_MS);
	if (!run_machine_stopping(m)) {
		at = min_i64(at, min_i64(m->ask.next, m->hear.next));
		at = min_i64(at, run_drill_at(m->drill, m, now));
		if (m->stop.noticed)
			at = min_i64(at, m->stop.times.stop_at);
		if (m->deadline != INT64_MAX || m->rules.budget_nano >= 0)
			at = min_i64(at, now + 1000);
	} else if (m->phase == RUN_KILLED) {
		at = min_i64(at, now + KILL_AGAIN_MS);
	} else {
		at = min_i64(at, m->stop.times.kill_at);
		if (m->phase == RUN_STOPPING)
			at = min_i64(at, run_machine_term_at(m));
	}
	if (m->rules.watch)
		at = min_i64(at, m->folder.next);
	return (int)clamp_i64(at - now, 0, MS_MINUTE);
}
