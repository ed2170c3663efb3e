#include "run/run_drill.h"

#include "base/num.h"
#include "run/machine_priv.h"
#include "run/run.h"

/* a program without libtare, asked by a signal: by then it has a handler, mostly; else it is asked
 * again with the next look */
#define SAVE_SOON_MS 5000

void run_drill_init(struct run_drill *d)
{
	*d = (struct run_drill){ .after_ms = -1,
				 .seen = { .resumed = -1,
					   .first_at = -1,
					   .first_step = -1,
					   .step_gap = 1,
					   .last_step = -1,
					   .noticed_at = -1,
					   .saved_at = -1,
					   .safe_step = -1,
					   .bytes = -1,
					   .newer_at = -1,
					   .lost_ms = -1 } };
}

const char *run_drill_word(enum run_drill_fault f)
{
	static const char *const word[DRILL_FAULTS] = {
		[DRILL_FINE] = "passed",
		[DRILL_NOT_MADE] = "not_made",
		[DRILL_NOT_SAVED] = "not_saved",
		[DRILL_LOST] = "lost_too_much",
		[DRILL_NOT_BEGUN] = "not_begun",
		[DRILL_NO_STEP] = "no_step",
		[DRILL_NOT_READ] = "not_read",
		[DRILL_EARLIER] = "earlier_step",
		[DRILL_IGNORED] = "ignored_notice",
		[DRILL_LATER] = "later_step",
		[DRILL_NOT_DONE] = "ended_badly",
		[DRILL_OTHER] = "other_result",
	};

	return word[f];
}

/* ---- judged ------------------------------------------------------------------------------ */

enum run_drill_fault run_drill_first(const struct run_drill_part *first, int code,
				     int64_t max_lost_ms)
{
	bool done = code == 0; /* it came to its end by itself: there was nothing to save */

	if (first->noticed_at < 0 || done)
		return DRILL_NOT_MADE;
	if (first->safe_step < 0)
		return DRILL_NOT_SAVED;
	if (first->saved_at < 0 && first->lost_ms > max_lost_ms)
		return DRILL_LOST;
	if (code == RUN_AGAIN)
		return DRILL_FINE;
	return DRILL_NOT_MADE;
}

int64_t run_drill_went_on(const struct run_drill_part *first, const struct run_drill_part *second)
{
	int64_t saved = first->safe_step, at = second->first_step;

	if (at < 0)
		return -1;
	/* a program that tells every tenth step is first heard up to ten steps on */
	if (second->by == DRILL_BY_STEP && at >= saved && at <= saved + first->step_gap)
		return saved;
	if (second->by == DRILL_BY_STEP)
		return at - 1;
	if (at >= saved)
		return saved;
	return 0;
}

/* A file that was opened may have been ignored: a number that it could have come to from step 0,
 * at the pace of the first attempt, proves nothing. */
#define PACE_FRAC 0.8

static bool may_be_from_zero(const struct run_drill_part *first,
			     const struct run_drill_part *second)
{
	int64_t safe_at = first->saved_at >= 0 ? first->saved_at : first->noticed_at;
	double once_ms = (double)(safe_at - first->begun_at),
	       now_ms = (double)(second->first_at - second->begun_at);

	/* sooner than the first attempt was at a lower step: it cannot be */
	return now_ms >= once_ms && now_ms * (double)first->safe_step >=
					    PACE_FRAC * once_ms * (double)second->first_step;
}

bool run_drill_second(const struct run_drill_part *first, const struct run_drill_part *second,
		      enum run_drill_fault *ret)
{
	*ret = DRILL_FINE;
	if (second->first_step < 0) {
		*ret = DRILL_NO_STEP;
		return second->newer_at >= 0;
	}
	/* the number in the name of a first save: the same one again is no step that went on */
	int64_t least = first->safe_step + (second->by == DRILL_BY_NAME);
	if (second->first_step < least)
		*ret = first->saved_at < 0 ? DRILL_IGNORED : DRILL_EARLIER;
	else if (second->by == DRILL_BY_STEP &&
		 second->first_step > first->safe_step + first->step_gap)
		*ret = DRILL_LATER;
	else if (second->by == DRILL_BY_NAME && !second->opened)
		*ret = DRILL_NOT_READ;
	else if (second->by != DRILL_BY_STEP && may_be_from_zero(first, second))
		*ret = DRILL_NO_STEP;
	return *ret != DRILL_FINE || second->newer_at >= 0;
}

/* ---- seen -------------------------------------------------------------------------------- */

static bool is_open(const struct run_drill *d)
{
	return d->decided && !d->told;
}

void run_drill_begin(struct run_drill *d, int64_t resumed, int64_t now)
{
	if (!d)
		return;
	d->seen.begun_at = now;
	d->seen.resumed = resumed;
	d->seen.safe_step = -1;
}

bool run_drill_step(struct run_drill *d, int64_t step, enum run_drill_told by, int64_t now)
{
	struct run_drill_part *s;

	if (!d || step < 0)
		return false;
	s = &d->seen;
	if (s->first_step < 0) {
		s->first_step = step;
		s->by = by;
		s->first_at = now;
	} else if (by == DRILL_BY_STEP && s->last_step >= 0 && step - s->last_step > s->step_gap)
		s->step_gap = step - s->last_step;
	if (by == DRILL_BY_STEP && step > s->last_step)
		s->last_step = step;
	return is_open(d);
}

/* A framework that begins again writes what it wrote before: one of its files with a number that
 * was saved already. */
bool run_drill_files(struct run_drill *d, int64_t step, int64_t least, bool opened, int64_t now)
{
	if (!d || step < 0 || least < 0)
		return false;
	if (d->seen.first_step < 0)
		d->seen.opened |= opened;
	else if (d->seen.by == DRILL_BY_NAME && least < d->seen.first_step)
		d->seen.first_step = least;
	return run_drill_step(d, least, DRILL_BY_NAME, now);
}

bool run_drill_safe(struct run_drill *d, int64_t safe_step, uint64_t bytes, int64_t now)
{
	struct run_drill_part *s;

	if (!d)
		return false;
	s = &d->seen;
	if (bytes)
		s->bytes = (int64_t)bytes;
	if (safe_step <= s->resumed)
		return false;
	if (s->noticed_at >= 0 && s->saved_at < 0)
		s->saved_at = now;
	if (s->newer_at < 0)
		s->newer_at = now;
	s->safe_step = safe_step;
	return is_open(d);
}

void run_drill_end(struct run_drill *d, int64_t safe_step, int64_t lost_ms)
{
	if (!d)
		return;
	d->seen.safe_step = safe_step;
	d->seen.lost_ms = max_i64(lost_ms, 0);
}

bool run_drill_asked(const struct run_drill *d)
{
	return d && d->seen.noticed_at >= 0;
}

bool run_drill_due(struct run_drill *d, const struct run_machine *m, int64_t now)
{
	if (!d || !d->interrupts || d->seen.noticed_at >= 0)
		return false;
	if (m->stop.noticed || run_machine_stopping(m))
		return false;
	if (d->after_ms < 0 ? d->seen.newer_at < 0 : now < m->start_at + d->after_ms)
		return false;
	d->seen.noticed_at = now;
	return true;
}

int64_t run_drill_at(const struct run_drill *d, const struct run_machine *m, int64_t now)
{
	if (d && is_open(d) && !d->asked)
		return now + 1000;
	if (!d || !d->interrupts)
		return INT64_MAX;
	if (d->after_ms < 0 || d->seen.noticed_at >= 0)
		return INT64_MAX;
	return m->start_at + d->after_ms;
}

bool run_drill_wants_save(const struct run_drill *d, const struct run_machine *m, int64_t now)
{
	if (!d || !is_open(d))
		return false;
	if (d->asked || run_machine_stopping(m))
		return false;
	if (m->pace.heard) /* libtare tells when it has loaded and gone on */
		return d->seen.first_step >= 0;
	return now >= m->start_at + SAVE_SOON_MS;
}

bool run_drill_over(const struct run_drill *d, const struct run_machine *m)
{
	if (!d || !d->stops)
		return false;
	return d->told && !run_machine_stopping(m);
}
