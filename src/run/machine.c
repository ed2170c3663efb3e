/* See machine.h. The phases: what is heard, when it is told to end and how hard, the beginning and
 * the verdict. */
#include "run/machine.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "run/machine_priv.h"
#include "run/run.h"

/* ranks of one machine hear at once; those on others look into a file once a second, over a
 * network */
#define RANKS_MS     1000
#define ELSEWHERE_MS 3000

const char *run_why_word(enum run_why why)
{
	static const char *const word[RUN_WHYS] = {
		[RUN_WHY_DONE] = "done",
		[RUN_WHY_FAILED] = "failed",
		[RUN_WHY_INTERRUPTED] = "interrupted",
		[RUN_WHY_BUDGET] = "budget",
		[RUN_WHY_DEADLINE] = "deadline",
		[RUN_WHY_MAX_HOURLY] = "max-hourly",
		[RUN_WHY_DRILLED] = "drilled",
	};

	return word[why];
}

int64_t run_machine_safe_step(const struct run_machine *m)
{
	if (m->rules.store)
		return m->safe.stored_step;
	return m->safe.local_step;
}

struct run_action *run_turn_add(struct run_turn *t, enum run_action_kind kind)
{
	assert(t->to->n < RUN_ACTIONS_MAX);
	struct run_action *a = &t->to->v[t->to->n++];

	*a = (struct run_action){ .kind = kind };
	return a;
}

static struct run_record record_of(const struct run_machine *m)
{
	return (struct run_record){ m->safe.local_step,  m->safe.done_at, m->stop.interrupts,
				    m->pace.stepped,     m->pace.cost,    m->pace.step_us,
				    m->pace.push_bytes_s };
}

void run_turn_write(struct run_turn *t, enum run_action_kind kind)
{
	run_turn_add(t, kind)->record = record_of(t->m);
}

/* ---- asking and ending ------------------------------------------------------------------- */

int64_t run_machine_step_for_all(const struct run_machine *m, int ranks, int world)
{
	int64_t more = 0;

	if (!ranks || m->pace.step < 0)
		return -1;
	if (m->pace.step_us > 0)
		more = (world > ranks ? ELSEWHERE_MS : RANKS_MS) * 1000 / m->pace.step_us;
	return m->pace.step + max_i64(more, 2);
}

void run_turn_ask(struct run_turn *t, struct run_ask what)
{
	t->m->ask.open = true;
	run_turn_add(t, RUN_DO_ASK)->ask = what;
}

void run_turn_plan_next(struct run_turn *t)
{
	struct run_machine *m = t->m;
	int64_t every = m->rules.every_ms;

	if (!every)
		every = run_interval_ms(&m->pace.cost, &m->pace.hazard);
	m->ask.interval_ms = every;
	m->ask.next = every == INT64_MAX ? INT64_MAX : t->now + every;
}

void run_turn_term(struct run_turn *t)
{
	if (t->m->phase >= RUN_TERMED)
		return;
	t->m->phase = RUN_TERMED;
	run_turn_add(t, RUN_DO_TERM);
}

void run_turn_stop(struct run_turn *t, enum run_why why, const char *text, struct run_times times)
{
	struct run_machine *m = t->m;

	if (run_machine_stopping(m))
		return;
	m->why = why;
	m->stop.times = times;
	m->phase = RUN_STOPPING;
	m->stop.asked_at = t->now;
	run_turn_ask(t, (struct run_ask){ RUN_ASK_STOP, true, times.term_at, text });
}

/* One that was asked to end and goes on. */
void run_turn_press(struct run_turn *t)
{
	struct run_machine *m = t->m;

	if (!run_machine_stopping(m) || m->ask.open)
		return;
	if (m->phase == RUN_STOPPING && t->now >= run_machine_term_at(m))
		run_turn_term(t);
	if (m->phase == RUN_KILLED || t->now >= m->stop.times.kill_at) {
		m->phase = RUN_KILLED;
		run_turn_add(t, RUN_DO_KILL);
	}
}

static void on_asked(struct run_turn *t, const struct run_event *e)
{
	struct run_machine *m = t->m;
	int told = e->asked.told;

	m->ask.open = false;
	m->ask.sock = e->asked.sock;
	if (told) {
		m->ask.at = t->now;
		m->folder.next = t->now + RUN_SCAN_ASKED_MS;
		struct run_action *a = run_turn_add(t, RUN_DO_SAY_ASKED);
		a->asked.ask = e->asked.ask;
		a->asked.told = told;
	}
	switch (e->asked.ask.purpose) {
	case RUN_ASK_TURN:
		m->ask.next = t->now + (told ? RUN_ASK_LOST_MS : RUN_ASK_AGAIN_MS);
		break;
	case RUN_ASK_DRILL: m->drill->asked = told > 0; break;
	case RUN_ASK_STOP:
		if (!told) /* nobody who could save on demand: what handles SIGTERM gets all the
			    * time there is */
			run_turn_term(t);
		break;
	default: break;
	}
}

/* ---- notices ----------------------------------------------------------------------------- */

struct run_times run_turn_times(const struct run_turn *t, int64_t at)
{
	const struct run_machine *m = t->m;
	struct run_times times;

	if (m->stop.noticed)
		at = min_i64(at, m->stop.at);
	run_plan_stop(t->now, at, &m->pace.cost, &times);
	return times;
}

/* It will be taken away at n->at. */
static void on_stop_notice(struct run_turn *t, const struct run_notice *n)
{
	struct run_machine *m = t->m;
	int64_t left = min_i64(n->at - t->now, 7 * MS_DAY);
	bool first = !m->stop.noticed;

	snprintf(m->stop.what, sizeof m->stop.what, "%s", n->what);
	m->stop.time_is_up |= !strcmp(n->source, "slurm");
	if (!first && t->now + left >= m->stop.at)
		return;
	m->stop.noticed = true;
	/* a drill is none of those that come by themselves */
	m->stop.interrupts = !run_drill_asked(m->drill);
	m->stop.at = t->now + max_i64(left, 0);
	struct run_times times = run_turn_times(t, m->stop.at);
	/* one that was asked to end already, for money, has no more time than it was told */
	if (run_machine_stopping(m)) {
		const struct run_times *was = &m->stop.times;
		times = (struct run_times){ min_i64(times.stop_at, was->stop_at),
					    min_i64(times.term_at, was->term_at),
					    min_i64(times.kill_at, was->kill_at),
					    min_i64(times.end_at, was->end_at) };
	}
	m->stop.times = times;
	if (m->phase == RUN_RESTORING) {
		m->why = RUN_WHY_INTERRUPTED;
		return;
	}
	if (m->stop.times.stop_at <= t->now)
		run_turn_stop(t, RUN_WHY_INTERRUPTED, n->what, m->stop.times);
	else if (first) /* there is time: save now, go on, save once more before the end */
		run_turn_ask(t, (struct run_ask){ RUN_ASK_NOTICE, false, m->stop.times.end_at,
						  n->what });
	run_turn_write(t, RUN_DO_BEAT);
}

void run_turn_notice(struct run_turn *t, const struct run_notice *n)
{
	struct run_machine *m = t->m;

	if (m->phase >= RUN_FLUSH)
		return;
	run_turn_add(t, RUN_DO_SAY_NOTICE)->notice = *n;
	if (n->kind == NOTICE_STOP)
		on_stop_notice(t, n);
	else if (n->kind == NOTICE_REBALANCE && !run_machine_stopping(m))
		run_turn_ask(t, (struct run_ask){ RUN_ASK_NOTICE, false, INT64_MAX, n->what });
	else if (n->kind == NOTICE_GONE && !run_machine_stopping(m))
		m->stop.noticed = m->stop.interrupts = false;
}

/* ---- signals ----------------------------------------------------------------------------- */

bool run_machine_is_notice(const struct run_machine *m, int sig)
{
	return sig == SIGTERM || (m->rules.notice_signal && sig == m->rules.notice_signal);
}

int64_t run_machine_grace_ms(const struct run_machine *m)
{
	return m->rules.grace_ms > 0 ? m->rules.grace_ms : 30000;
}

/* What a signal that is a notice leaves. */
static int64_t left_by(const struct run_machine *m, int sig)
{
	if (sig == SIGTERM)
		return run_machine_grace_ms(m);
	return m->rules.notice_signal_ms > 0 ? m->rules.notice_signal_ms : MS_MINUTE;
}

/*
 * A Ctrl-C that ended the command was read before its end was (the kernel gives it to the whole
 * group at once): one that comes now is meant for what is still being copied. A terminal that is
 * closed is no reason to leave a checkpoint behind.
 */
static void on_last_signal(struct run_turn *t, int sig)
{
	struct run_machine *m = t->m;
	struct run_times at;

	if (sig == SIGINT || sig == SIGQUIT) {
		m->quit_signal = sig;
		m->flush.until = t->now;
	} else if (run_machine_is_notice(m, sig)) {
		m->quit_signal = sig;
		run_plan_stop(t->now, t->now + left_by(m, sig), &m->pace.cost, &at);
		m->flush.until = min_i64(at.end_at, m->flush.until);
	} else if (sig == SIGTSTP) {
		run_turn_add(t, RUN_DO_STOP_SELF);
	}
}

static void on_signal(struct run_turn *t, const struct run_event *e)
{
	struct run_machine *m = t->m;
	int sig = e->signal.sig;
	bool ends = sig == SIGINT || sig == SIGHUP || sig == SIGQUIT;

	if (m->phase == RUN_FLUSH) {
		on_last_signal(t, sig);
		return;
	}
	if (run_machine_is_notice(m, sig)) {
		if (e->signal.by_tree) /* kill of the whole group by one of its own: no notice */
			return;
		if (sig == SIGTERM && m->terms++ && run_machine_stopping(m)) { /* asked twice */
			run_turn_term(t);
			return;
		}
		snprintf(m->stop.signal, sizeof m->stop.signal, "SIG%s", sigabbrev_np(sig));
		run_turn_notice(t, &(struct run_notice){ NOTICE_STOP, t->now + left_by(m, sig),
							 "signal", m->stop.signal });
		return;
	}
	if (m->phase == RUN_RESTORING && ends)
		m->quit_signal = sig;
	if (m->phase != RUN_RESTORING && !e->signal.terminal && !e->signal.by_command)
		run_turn_add(t, RUN_DO_FORWARD)->sig = sig;
	if (sig == SIGTSTP)
		run_turn_add(t, RUN_DO_STOP_SELF);
}

/* ---- the end ----------------------------------------------------------------------------- */

/* It ended by itself. 85 of a program with libtare is its word for "saved", and counts for what is
 * found of it. */
static void judge_own_end(const struct run_machine *m, struct run_verdict *v)
{
	bool safe = run_machine_safe_step(m) >= 0;
	bool spoke = m->pace.heard || m->pace.stepped || m->safe.claimed_step >= 0;

	v->why = v->child_code ? RUN_WHY_FAILED : RUN_WHY_DONE;
	v->code = v->child_code;
	/* what the loss is called in the ledger, of one that had not been told to end */
	bool cancelled = v->code == 128 + SIGINT || v->code == 128 + SIGHUP ||
			 v->code == 128 + SIGQUIT;
	v->lost = NULL;
	if (v->code)
		v->lost = "FAILED";
	if (cancelled)
		v->lost = "CANCELLED";
	if (v->child_code == RUN_AGAIN && !safe && spoke)
		v->code = 128 + SIGTERM;
	if (!v->code && m->quit_signal) /* it is done, and not all of it is where it should be */
		v->code = 128 + m->quit_signal;
}

/* Whether to start it again, and what was lost. */
static void judge_end(struct run_turn *t)
{
	struct run_machine *m = t->m;
	bool safe = run_machine_safe_step(m) >= 0;
	struct run_verdict v = {
		.child_code = 128 + SIGTERM, .why = m->why, .code = 1, .lost = "CANCELLED"
	};

	if (m->begun)
		v.child_code = m->code;
	else if (m->quit_signal)
		v.child_code = 128 + m->quit_signal;
	if (!m->why) {
		judge_own_end(m, &v);
	} else if (m->why == RUN_WHY_INTERRUPTED) {
		/* A program with libtare says 85 when its state is in the folder: where that is not
		 * what counts as safe, its word is not ours. */
		v.code = v.child_code == RUN_AGAIN ? 128 + SIGTERM : v.child_code;
		if (safe)
			v.code = RUN_AGAIN;
		v.lost = "PREEMPTED";
	}
	v.record = record_of(m);
	v.ack = safe && m->stop.noticed && !run_drill_asked(m->drill);
	run_drill_end(m->drill, run_machine_safe_step(m),
		      t->now - (m->safe.done_at == INT64_MIN ? m->start_at : m->safe.done_at));
	m->phase = RUN_OVER;
	run_turn_add(t, RUN_DO_EXIT)->verdict = v;
}

/* Was what it wrote meant to be there, and is it to be looked at once more? */
static bool is_unseen(const struct run_machine *m)
{
	return m->rules.watch && !m->folder.final && m->by_itself;
}

/* Nothing more is waited for. */
static void finish_run(struct run_turn *t)
{
	struct run_machine *m = t->m;

	bool here = m->safe.save_busy || m->safe.want_look;
	bool busy = m->safe.away_busy || m->safe.want_push;
	bool away = m->rules.store && (busy || m->safe.stored_step < m->safe.local_step);

	/* given up before the folder was looked at a last time: what lies there is not safe
	 * either */
	if (!here && !away && !is_unseen(m))
		m->quit_signal = 0;
	else if (m->quit_signal)
		run_turn_add(t, RUN_DO_SAY_GIVEN_UP)->sig = m->quit_signal;
	judge_end(t);
}

void run_turn_settle(struct run_turn *t)
{
	struct run_machine *m = t->m;

	if (t->now >= m->flush.until) {
		finish_run(t);
		return;
	}
	run_turn_begin_look(t);
	run_turn_push(t);
	if (m->safe.save_busy)
		return;
	if (is_unseen(m)) {
		m->folder.final = true;
		run_turn_scan(t, true);
		return;
	}
	if (m->rules.store && !m->safe.away_busy && !m->flush.pushed &&
	    m->safe.stored_step < m->safe.local_step) {
		m->flush.pushed = m->safe.want_push = true;
		run_turn_push(t);
	}
	if (!m->safe.away_busy)
		finish_run(t);
}

/*
 * A SIGTERM to the whole group (scancel, systemd, timeout) reaches the command as well as us, and
 * it may end before it was asked to: by that signal, or with its state saved. That is the
 * interruption that was announced, with what is left of its time, and no failure of the command.
 *
 * One that was killed or crashed may have been in the middle of a file; a launcher that outlives it
 * (torchrun, a shell) ends with 1 or 143. 0 and 85 are words of the program itself.
 */
static void on_ended(struct run_turn *t, const struct run_event *e)
{
	struct run_machine *m = t->m;
	int code = e->ended.code;
	bool by_notice = m->rules.notice_signal && code == 128 + m->rules.notice_signal;
	bool as_told = code == RUN_AGAIN || code == 128 + SIGTERM || by_notice;

	if (m->phase == RUN_KILLED)
		run_turn_add(t, RUN_DO_KILL);
	m->phase = RUN_FLUSH;
	m->code = code;
	m->by_itself = e->ended.exited && (code == 0 || code == RUN_AGAIN);
	if (!m->why && m->stop.noticed && as_told)
		m->why = RUN_WHY_INTERRUPTED;
	m->flush.until = m->why ? m->stop.times.end_at : INT64_MAX;
}

/* ---- the beginning ----------------------------------------------------------------------- */

static void on_restored(struct run_turn *t, const struct run_event *e)
{
	struct run_machine *m = t->m;

	if (m->quit_signal || m->why) /* the next look around ends it */
		return;
	if (e->restored.rc < 0) {
		m->phase = RUN_OVER;
		return;
	}
	m->safe.local_step = e->restored.step;
	m->safe.stored_step = e->restored.pulled;
	m->safe.want_push = m->rules.store && e->restored.step > e->restored.pulled;
	snprintf(m->safe.local_id, sizeof m->safe.local_id, "%s", e->restored.id);
	run_turn_add(t, RUN_DO_RECALL);
}

/* A deadline that has passed begins nothing; one that cannot be kept is told. */
static void on_recalled(struct run_turn *t, const struct run_event *e)
{
	struct run_machine *m = t->m;

	m->pace.cost = e->recalled.cost;
	m->pace.step_us = e->recalled.step_us;
	m->pace.push_bytes_s = e->recalled.push_bytes_s;
	m->pace.seen0_h = e->recalled.seen_h;
	m->pace.hazard = (struct run_hazard){ m->rules.mtbi_h, e->recalled.seen_h,
					      e->recalled.interruptions };
	m->deadline = e->recalled.deadline;
	run_turn_plan_next(t);
	run_turn_add(t, RUN_DO_SAY_START);
	if (m->deadline <= t->now) {
		m->why = RUN_WHY_DEADLINE;
		judge_end(t);
		return;
	}
	if (m->deadline != INT64_MAX)
		run_turn_add(t, RUN_DO_FITS);

	m->start_at = t->now;
	m->next_beat = t->now + RUN_BEAT_FIRST_MS;
	m->next_status = t->now + RUN_BEAT_MS;
	m->hear.next = t->now + m->rules.deaf_ms / 2;
	m->folder.next = t->now + RUN_SCAN_MS;
	if (m->rules.watch) {
		m->pace.from_step = max_i64(m->safe.local_step, 0);
		m->pace.from_at = t->now;
		m->pace.rough = true;
	}
	run_turn_write(t, RUN_DO_BEGIN);
	run_turn_write(t, RUN_DO_REMEMBER);
	run_drill_begin(m->drill, m->safe.local_step, t->now);
	run_turn_add(t, RUN_DO_SPAWN);
}

/* ---- from outside ------------------------------------------------------------------------ */

void run_machine_init(struct run_machine *m, const struct run_rules *rules, struct run_drill *drill,
		      int64_t now)
{
	*m = (struct run_machine){
		.rules = *rules,
		.start_at = now,
		.deadline = INT64_MAX,
		.usd_hour_nano = rules->usd_hour_nano,
		.drill = drill,
		.ask = { .at = -1 },
		.safe = { .local_step = -1,
			  .stored_step = -1,
			  .at = -1,
			  .done_at = INT64_MIN,
			  .saving_step = -1,
			  .claimed_step = -1,
			  .hurry = -1 },
		.pace = { .cost = { -1, -1, rules->store ? -1 : 0, -1 },
			  .step = -1,
			  .step_us = -1,
			  .push_bytes_s = -1,
			  .from_step = -1 },
		.hear = { .deaf_since = -1 },
	};
}

void run_step(struct run_machine *m, const struct run_event *e, int64_t now,
	      struct run_actions *ret)
{
	struct run_turn t = { m, now, ret };

	/* the last look into the folder may tell of a drill before it ends */
	assert(m->phase != RUN_OVER || e->kind == RUN_EV_DRILL);
	ret->n = 0;
	switch (e->kind) {
	case RUN_EV_OPEN: run_turn_begin(&t, RUN_JOB_RESTORE, INT64_MAX); break;
	case RUN_EV_RESTORED: on_restored(&t, e); break;
	case RUN_EV_RECALLED: on_recalled(&t, e); break;
	case RUN_EV_SPAWNED:
		m->begun = e->spawned >= 0;
		m->phase = m->begun ? RUN_RUNNING : RUN_OVER;
		break;
	case RUN_EV_TICK:
		if (m->phase == RUN_FLUSH)
			run_turn_settle(&t);
		else if (m->phase != RUN_RESTORING)
			run_turn_look_around(&t, e->spent_nano);
		else if (m->quit_signal || m->why)
			judge_end(&t);
		break;
	case RUN_EV_NOTICE: run_turn_notice(&t, &e->notice); break;
	case RUN_EV_SIGNAL: on_signal(&t, e); break;
	case RUN_EV_ENDED: on_ended(&t, e); break;
	case RUN_EV_MESSAGE: run_turn_on_message(&t, e); break;
	case RUN_EV_RESULT: run_turn_on_result(&t, e); break;
	case RUN_EV_PRICE: run_turn_on_price(&t, e); break;
	case RUN_EV_ASKED: on_asked(&t, e); break;
	case RUN_EV_FOLDER: run_turn_on_folder(&t, e); break;
	case RUN_EV_QUIET: run_turn_on_quiet(&t, e); break;
	case RUN_EV_SOURCES: run_turn_on_sources(&t, e->problem); break;
	case RUN_EV_DRILL: m->drill->told = e->told; break;
	default: assert(!"no such event");
	}
}
