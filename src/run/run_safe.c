/* Run: what is safe: words of the program, results of the thread that saves, and files that a
 * framework wrote into a watched folder. */
#include <inttypes.h>
#include <stdio.h>

#include "base/num.h"
#include "base/tm.h"
#include "run/run_loop.h"

/* files are complete when nothing about them changed for so long, and nobody has them open for
 * writing */
#define QUIET_MS       1000
#define QUIET_HURRY_MS 250
#define STEP_MOST      INT64_C(999999999999) /* of a checkpoint (ckpt/ckpt.h) */

/* ---- what is safe ------------------------------------------------------------------------ */

void run_remember(struct run *r)
{
	struct run_known *k = &r->known;
	int64_t restart = r->stepped ? r->cost.restart_ms : 0, done = 0;

	if (r->book.saved_ms != INT64_MIN)
		done = r->book.saved_ms - r->book.start_ms - restart;
	k->cost = r->cost;
	if (!r->o->store) /* none is known, not that it takes no time */
		k->cost.push_ms = -1;
	k->done_ms = r->done0_ms + max_i64(done, 0);
	k->attempts = r->book.attempt + 1;
	k->spent_nano = run_book_spent(&r->book, run_wall(r, tm_mono_ms()));
	k->interruptions = r->book.interruptions + r->book.notice;
	k->seen_ms = (int64_t)(r->book.seen_h * MS_HOUR) + tm_mono_ms() - r->mono0_ms;
	/* where it cannot be written the state cannot either, and that was said */
	run_known_save(r->book.dir_fd, k);
}

/* Speed from one sight of the step to a later one, pauses for checkpoints included; from the start
 * of the attempt where there is nothing better. */
static void take_speed(struct run *r, int64_t step, int64_t now)
{
	int64_t from = r->speed_step, us = -1;

	if (step > from && from >= 0)
		us = (int64_t)((double)(now - r->speed_at) * 1000 / (double)(step - from));
	if (r->speed_rough && us >= 0 && r->known.step_us < 0)
		r->known.step_us = us;
	if (r->speed_rough || from < 0 || step < from) {
		r->speed_rough = false;
		r->speed_step = step;
		r->speed_at = now;
	} else if (us >= 0 && now - r->speed_at >= 1000)
		r->known.step_us = us;
}

static void now_safe(struct run *r, int64_t step, const char *id, int64_t done_until)
{
	r->local_step = step;
	snprintf(r->local_id, sizeof r->local_id, "%s", id);
	r->book.step = step;
	r->book.saved_ms = done_until;
	if (r->asked >= 0 && r->cost.save_ms < tm_mono_ms() - r->asked)
		r->cost.save_ms = tm_mono_ms() - r->asked;
	else if (r->asked >= 0)
		r->cost.save_ms = (r->cost.save_ms + tm_mono_ms() - r->asked) / 2;
	r->asked = -1;
	r->safe_at = tm_mono_ms();
	r->want_push = r->o->store != NULL;
	if (r->o->watch)
		take_speed(r, step, r->quiet_since);
	run_book_beat(&r->book, run_wall(r, r->safe_at));
	run_remember(r);
	run_plan_next(r);
	run_say_safe(r);
}

/* What a program says of its times is not taken further than sums of it fit. */
static int64_t span_of(int64_t ms)
{
	return clamp_i64(ms, 0, 30 * MS_DAY);
}

static void take_stall(struct run *r, int64_t ms)
{
	r->cost.stall_ms = r->cost.stall_ms < 0 ? ms : (3 * r->cost.stall_ms + ms) / 4;
}

void run_on_message(struct run *r, const struct runmsg *m)
{
	int64_t now = tm_mono_ms();

	switch (m->kind) {
	case RUN_HELLO:
		r->heard = true;
		if (r->book.past.n) /* not that of its environment any more */
			run_tell_price(r);
		break;
	case RUN_STEP:
		if (m->step > STEP_MOST)
			break;
		if (!r->stepped)
			r->cost.restart_ms = now - r->mono0_ms;
		r->stepped = true;
		run_drill_step(r, m->step, DRILL_BY_STEP);
		take_speed(r, m->step, now);
		r->step = max_i64(m->step, r->step); /* of the rank that is furthest */
		break;
	case RUN_SAVING:
		run_drill_step(r, m->step, DRILL_BY_SAVE);
		r->saving_step = m->step;
		r->saving_at = now;
		break;
	case RUN_SAFE: /* it says so; the folder is asked */
		take_stall(r, span_of(m->stall_ms));
		if (m->step == r->saving_step)
			r->claim_until = run_wall(r, r->saving_at);
		else
			r->claim_until = run_wall(r, now) - span_of(m->write_ms);
		if (m->step > r->claimed_step && m->step <= STEP_MOST)
			r->claimed_step = m->step;
		r->want_look = true;
		break;
	case RUN_FAILED: run_say_failed(r, m->text); break;
	default: break;
	}
}

/* The program saves, and not where is looked: what it saves would be lost with the machine. Once,
 * and while there is time to mend it. */
static void tell_elsewhere(struct run *r)
{
	char text[512];

	if (r->told_elsewhere)
		return;
	r->told_elsewhere = true;
	snprintf(
		text, sizeof text,
		"the program has saved step %" PRId64
		", but not in '%.200s': name its folder with --checkpoint-dir, or let it save in $TARE_CHECKPOINT_DIR",
		r->claimed_step, r->o->dir);
	run_say_failed(r, text);
}

void run_on_result(struct run *r, const struct run_result *x)
{
	r->scanned = false;
	run_say_damage(r, &x->damage);
	if (x->rc < 0) {
		if (!x->changed)
			run_say_failed(r, x->err.msg);
		return;
	}
	if (x->job == RUN_JOB_COMMIT) {
		int64_t took = -1;
		if (r->asked >= 0)
			took = r->quiet_since - r->asked;
		/* between the asking and the last write the program was busy saving: all that can
		 * be known of its stall */
		if (took >= 0)
			take_stall(r, took);
		run_files_free(&r->kept);
		r->kept = r->committing;
		r->committing = (struct run_files){ 0 };
		now_safe(r, x->step, x->id, run_wall(r, r->quiet_since));
		run_drill_safe(r, x->bytes);
		if (r->phase == RUN_STOPPING)
			run_term(r);
	} else if (x->job == RUN_JOB_LOOK) {
		if (x->step >= 0 && strcmp(x->id, r->local_id) > 0)
			now_safe(r, x->step, x->id, r->claim_until);
		run_drill_safe(r, x->bytes);
		if (r->local_step < r->claimed_step && !r->want_look)
			tell_elsewhere(r);
	} else if (x->job == RUN_JOB_PUSH && x->step >= 0) {
		r->stored_step = x->step;
		if (r->cost.push_ms < x->took_ms)
			r->cost.push_ms = x->took_ms;
		else
			r->cost.push_ms = (r->cost.push_ms + x->took_ms) / 2;
		/* less tells the latency, not the way */
		if (x->took_ms > 0 && x->written_bytes > 1 << 20)
			r->known.push_bytes_s =
				(int64_t)((double)x->written_bytes * 1000 / (double)x->took_ms);
		run_remember(r);
		run_drill_safe(r, 0);
		run_say_stored(r);
	}
}

/* ---- a folder that the command writes into ----------------------------------------------- */

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
	int64_t step = run_files_step(now, &r->kept, NULL),
		last = max_i64(r->local_step, r->book.step);

	run_files_free(&r->committing);
	copy_list(now, &r->committing);
	run_save_begin(&r->save, RUN_JOB_COMMIT, step > last ? step : last + 1, INT64_MAX, now);
}

/* Look; true: a commit was begun. final: the command has ended, nobody writes any more. */
bool run_scan(struct run *r, bool final)
{
	struct run_files now;
	struct err err;
	int64_t t = tm_mono_ms(),
		quiet = run_stopping(r) || r->asked >= 0 ? QUIET_HURRY_MS : QUIET_MS;
	bool begun = false;

	r->next_scan = t + (r->asked >= 0 || run_stopping(r) ? RUN_SCAN_ASKED_MS : RUN_SCAN_MS);
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
	run_drill_files(r, &now);
	if (!run_files_same(&now, &r->kept)) {
		r->next_scan = t + (quiet < RUN_SCAN_MS ? quiet / 2 : RUN_SCAN_MS);
		if (now.v.n && (final || (t - r->quiet_since >= quiet &&
					  !run_files_open(r->o->watch, &now)))) {
			commit(r, &now);
			begun = true;
		}
	}
	run_files_free(&now);
	return begun;
}
