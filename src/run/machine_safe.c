/* See machine.h. What is safe and how fast it goes: words of the program, results of the threads
 * that save, and what is seen of a folder that a framework writes into. */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/tm.h"
#include "run/machine_priv.h"

/* files are complete when nothing about them changed for so long, and nobody has them open for
 * writing */
#define QUIET_MS       1000
#define QUIET_HURRY_MS 250
#define PACE_LEAST_MS  1000      /* a speed measured over less is noise */
#define PUSH_LEAST     (1 << 20) /* bytes: fewer tell the latency of the store, not the way */
#define CLAIM_MAX_MS   (30 * MS_DAY)

/* seen: it has seen something new */
static void step_drill(struct run_turn *t, bool seen)
{
	if (seen)
		run_turn_add(t, RUN_DO_DRILL);
}

/* ---- how fast it goes -------------------------------------------------------------------- */

/* Speed from one sight of the step to a later one, pauses for checkpoints included; from the start
 * of the attempt where there is nothing better. */
static void take_speed(struct run_machine *m, int64_t step, int64_t at)
{
	int64_t from = m->pace.from_step, us = -1;

	if (step > from && from >= 0) /* 1000: us of a ms */
		us = (int64_t)((double)(at - m->pace.from_at) * 1000 / (double)(step - from));
	if (m->pace.rough && us >= 0 && m->pace.step_us < 0)
		m->pace.step_us = us;
	if (m->pace.rough || from < 0 || step < from) {
		m->pace.rough = false;
		m->pace.from_step = step;
		m->pace.from_at = at;
	} else if (us >= 0 && at - m->pace.from_at >= PACE_LEAST_MS)
		m->pace.step_us = us;
}

/* A mean in which the newest counts a quarter. */
static void take_stall(struct run_machine *m, int64_t ms)
{
	int64_t was = m->pace.cost.stall_ms;

	m->pace.cost.stall_ms = was < 0 ? ms : (3 * was + ms) / 4;
}

/* The new one where it is greater, else the mean of both: what took longer once may do so again. */
static int64_t learn_longer(int64_t was_ms, int64_t ms)
{
	if (was_ms < ms)
		return ms;
	return (was_ms + ms) / 2;
}

/* What a program says of its times may be anything: sums of it must fit. */
static int64_t clamp_claim(int64_t ms)
{
	return clamp_i64(ms, 0, CLAIM_MAX_MS);
}

/* ---- what is safe ------------------------------------------------------------------------ */

/* done_at: what was done until then is in it. */
static void now_safe(struct run_turn *t, int64_t step, const char *id, int64_t done_at)
{
	struct run_machine *m = t->m;

	m->safe.local_step = step;
	snprintf(m->safe.local_id, sizeof m->safe.local_id, "%s", id);
	m->safe.done_at = done_at;
	if (m->ask.at >= 0)
		m->pace.cost.save_ms = learn_longer(m->pace.cost.save_ms, t->now - m->ask.at);
	m->ask.at = -1;
	m->safe.at = t->now;
	m->safe.want_push = m->rules.store;
	if (m->rules.watch)
		take_speed(m, step, m->folder.quiet_since);
	run_turn_write(t, RUN_DO_BEAT);
	run_turn_write(t, RUN_DO_REMEMBER);
	run_turn_plan_next(t);
	run_turn_add(t, RUN_DO_SAY_SAFE);
}

static void on_step(struct run_turn *t, int64_t step)
{
	struct run_machine *m = t->m;

	if (step > CKPT_STEP_MAX)
		return;
	if (!m->pace.stepped)
		m->pace.cost.restart_ms = t->now - m->start_at;
	m->pace.stepped = true;
	step_drill(t, run_drill_step(m->drill, step, DRILL_BY_STEP, t->now));
	take_speed(m, step, t->now);
	m->pace.step = max_i64(step, m->pace.step); /* of the rank that is furthest */
}

/* The program says that a checkpoint is safe; whether it is, a look into the folder tells. */
static void on_claim(struct run_turn *t, const struct runmsg *msg)
{
	struct run_machine *m = t->m;

	take_stall(m, clamp_claim(msg->stall_ms));
	if (msg->step == m->safe.saving_step)
		m->safe.claim_at = m->safe.saving_at;
	else
		m->safe.claim_at = t->now - clamp_claim(msg->write_ms);
	if (msg->step > m->safe.claimed_step && msg->step <= CKPT_STEP_MAX)
		m->safe.claimed_step = msg->step;
	m->safe.want_look = true;
}

void run_turn_on_message(struct run_turn *t, const struct run_event *e)
{
	struct run_machine *m = t->m;
	const struct runmsg *msg = &e->msg;

	switch (msg->kind) {
	case RUN_HELLO:
		m->pace.heard = true;
		if (m->repriced) /* what its environment says is out of date */
			run_turn_add(t, RUN_DO_TELL_PRICE);
		break;
	case RUN_STEP: on_step(t, msg->step); break;
	case RUN_SAVING:
		step_drill(t, run_drill_step(m->drill, msg->step, DRILL_BY_SAVE, t->now));
		m->safe.saving_step = msg->step;
		m->safe.saving_at = t->now;
		break;
	case RUN_SAFE: on_claim(t, msg); break;
	case RUN_FAILED: run_turn_add(t, RUN_DO_SAY_FAILED)->text = msg->text; break;
	default: break;
	}
}

/* ---- jobs of the threads ----------------------------------------------------------------- */

void run_turn_begin(struct run_turn *t, enum run_job job, int64_t until)
{
	struct run_action *a = run_turn_add(t, RUN_DO_JOB);

	a->job.job = job;
	a->job.step = -1;
	a->job.until = until;
}

void run_turn_begin_look(struct run_turn *t)
{
	struct run_machine *m = t->m;

	if (!m->safe.want_look || m->safe.save_busy || m->folder.asking)
		return;
	m->safe.want_look = false;
	m->safe.save_busy = true;
	run_turn_begin(t, RUN_JOB_LOOK, INT64_MAX);
}

void run_turn_push(struct run_turn *t)
{
	struct run_machine *m = t->m;

	if (!m->rules.store)
		return;
	if (m->safe.want_push && !m->safe.away_busy) {
		m->safe.want_push = false;
		m->safe.away_busy = true;
		m->safe.hurry = -1;
		m->safe.hurry_newer = false;
		run_turn_begin(t, RUN_JOB_PUSH, m->why ? m->stop.times.end_at : INT64_MAX);
	}
	int64_t until = m->why ? m->stop.times.end_at : -1;
	bool told = m->safe.hurry == until && m->safe.hurry_newer == m->safe.want_push;
	if (!m->safe.away_busy || told)
		return;
	m->safe.hurry = until;
	m->safe.hurry_newer = m->safe.want_push;
	struct run_action *a = run_turn_add(t, RUN_DO_HURRY);
	a->hurry.until = until;
	a->hurry.newer = m->safe.want_push;
}

/* ---- results of the threads -------------------------------------------------------------- */

static void drill_safe(struct run_turn *t, uint64_t bytes)
{
	struct run_machine *m = t->m;

	step_drill(t, run_drill_safe(m->drill, run_machine_safe_step(m), bytes, t->now));
}

/* What the folder had is a checkpoint now. */
static void on_committed(struct run_turn *t, const struct run_event *e)
{
	struct run_machine *m = t->m;

	/* between the asking and the last write the program was busy saving: all that can be known
	 * of its stall */
	if (m->ask.at >= 0 && m->folder.quiet_since >= m->ask.at)
		take_stall(m, m->folder.quiet_since - m->ask.at);
	run_turn_add(t, RUN_DO_KEEP);
	now_safe(t, e->result.step, e->result.id, m->folder.quiet_since);
	drill_safe(t, e->result.bytes);
	if (m->phase == RUN_STOPPING)
		run_turn_term(t);
}

/* The newest checkpoint of the folder is known; step -1: there is none. */
static void on_looked(struct run_turn *t, const struct run_event *e)
{
	struct run_machine *m = t->m;

	if (e->result.step >= 0 && strcmp(e->result.id, m->safe.local_id) > 0)
		now_safe(t, e->result.step, e->result.id, m->safe.claim_at);
	drill_safe(t, e->result.bytes);
	/* The program saves, and not where is looked: what it saves would be lost with the machine.
	 * Once, and while there is time to mend it. */
	bool elsewhere = m->safe.local_step < m->safe.claimed_step && !m->safe.want_look;
	if (elsewhere && !m->safe.told_elsewhere) {
		m->safe.told_elsewhere = true;
		run_turn_add(t, RUN_DO_SAY_ELSEWHERE)->step = m->safe.claimed_step;
	}
}

/* The object store has a checkpoint; step -1: there was none to copy. */
static void on_pushed(struct run_turn *t, const struct run_event *e)
{
	struct run_machine *m = t->m;
	int64_t ms = e->result.took_ms;

	if (e->result.step < 0)
		return;
	m->safe.stored_step = e->result.step;
	m->pace.cost.push_ms = learn_longer(m->pace.cost.push_ms, ms);
	if (ms > 0 && e->result.written_bytes > PUSH_LEAST) /* 1000: ms of a second */
		m->pace.push_bytes_s =
			(int64_t)((double)e->result.written_bytes * 1000 / (double)ms);
	run_turn_write(t, RUN_DO_REMEMBER);
	drill_safe(t, 0);
	run_turn_add(t, RUN_DO_SAY_STORED);
}

void run_turn_on_result(struct run_turn *t, const struct run_event *e)
{
	struct run_machine *m = t->m;

	m->folder.seen = false;
	if (e->result.job == RUN_JOB_PUSH)
		m->safe.away_busy = false;
	else
		m->safe.save_busy = false;
	if (e->result.rc < 0) {
		if (!e->result.changed) /* else it is taken again when the files are quiet */
			run_turn_add(t, RUN_DO_SAY_FAILED)->text = e->result.problem;
		return;
	}
	switch (e->result.job) {
	case RUN_JOB_COMMIT: on_committed(t, e); break;
	case RUN_JOB_LOOK: on_looked(t, e); break;
	case RUN_JOB_PUSH: on_pushed(t, e); break;
	default: break;
	}
}

/* ---- a folder that the command writes into ----------------------------------------------- */

static bool in_a_hurry(const struct run_machine *m)
{
	return run_machine_stopping(m) || m->ask.at >= 0;
}

void run_turn_scan(struct run_turn *t, bool final)
{
	struct run_machine *m = t->m;

	m->folder.next = t->now + (in_a_hurry(m) ? RUN_SCAN_ASKED_MS : RUN_SCAN_MS);
	if (m->safe.save_busy)
		return;
	m->folder.asking = true;
	run_turn_add(t, RUN_DO_SCAN)->final = final;
}

/* The scan of the folder is over: begin a commit of what it saw, or what waited for it. */
static void end_scan(struct run_turn *t, bool commits)
{
	struct run_machine *m = t->m;

	m->folder.asking = false;
	if (commits) {
		struct run_action *a = run_turn_add(t, RUN_DO_JOB);
		m->safe.save_busy = true;
		a->job.job = RUN_JOB_COMMIT;
		a->job.step = m->folder.step;
		if (m->folder.step <= m->safe.local_step)
			a->job.step = m->safe.local_step + 1;
		a->job.until = INT64_MAX;
	}
	if (m->phase == RUN_FLUSH)
		run_turn_settle(t);
	else
		run_turn_begin_look(t);
}

void run_turn_on_folder(struct run_turn *t, const struct run_event *e)
{
	struct run_machine *m = t->m;
	int64_t quiet = in_a_hurry(m) ? QUIET_HURRY_MS : QUIET_MS, at = e->folder.at;

	if (e->folder.problem) {
		if (!m->folder.failed)
			run_turn_add(t, RUN_DO_SAY_FAILED)->text = e->folder.problem;
		m->folder.failed = true;
		end_scan(t, false);
		return;
	}
	m->folder.failed = false;
	m->folder.step = e->folder.step;
	if (!m->folder.seen || !e->folder.same_seen)
		m->folder.quiet_since = at;
	m->folder.seen = true;
	step_drill(t, run_drill_files(m->drill, e->folder.step, e->folder.least, e->folder.opened,
				      t->now));
	if (!e->folder.same_kept)
		m->folder.next = at + quiet / 2;
	bool fresh = !e->folder.same_kept && e->folder.files;
	if (fresh && !e->folder.final && at - m->folder.quiet_since >= quiet)
		run_turn_add(t, RUN_DO_CHECK_OPEN);
	else
		end_scan(t, fresh && e->folder.final);
}

void run_turn_on_quiet(struct run_turn *t, const struct run_event *e)
{
	end_scan(t, !e->open);
}
