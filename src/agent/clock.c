/* See clock.h. */
#include "agent/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/num.h"
#include "base/str.h"

static bool is_step(int64_t ms)
{
	return ms > CLOCK_STEP_MS || ms < -CLOCK_STEP_MS;
}

static void steady_from(struct clock_judge *j, int64_t boot_ms)
{
	j->ref_ms = j->seen_ms;
	j->since_ms = boot_ms;
}

static void begin_clock(struct clock_judge *j, int64_t boot_ms, struct clock_ruling *ret)
{
	j->held = true;
	j->begun_ms = boot_ms;
	j->jumps = 0;
	steady_from(j, boot_ms);
	ret->begins = true;
}

/* Small differences are left to be followed: the rows stay on their minutes. */
static void end_ruling(struct clock_judge *j, struct clock_ruling *ret)
{
	int64_t shift = j->seen_ms - j->offset_ms;

	j->held = false;
	ret->ends = true;
	ret->shift_ms = is_step(shift) ? shift : 0;
	j->offset_ms += ret->shift_ms;
}

void clock_look(struct clock_judge *j, int64_t wall_ms, int64_t boot_ms, struct clock_ruling *ret)
{
	*ret = (struct clock_ruling){ .known = true };
	j->seen_ms = wall_ms - boot_ms;
	if (j->held) {
		/* against where it began: a clock that creeps is not steady either */
		int64_t off = j->seen_ms - j->ref_ms;

		if (is_step(off)) {
			ret->jump_ms = off;
			j->jumps++;
			steady_from(j, boot_ms);
		} else if (boot_ms - j->since_ms >= CLOCK_STEADY_MS) {
			end_ruling(j, ret);
		}
	} else if (is_step(j->seen_ms - j->offset_ms)) {
		ret->jump_ms = j->seen_ms - j->offset_ms;
		begin_clock(j, boot_ms, ret);
		j->jumps = 1;
	} else {
		j->offset_ms = j->seen_ms;
	}
	ret->t_ms = boot_ms + j->offset_ms;
}

void clock_boot_name(const char *id, uint64_t time_namespace, char ret[72])
{
	int n = (int)strcspn(id, " \n");

	/* Nobody can tell one start from another: an offset of before would be one by chance. */
	*ret = 0;
	if (n > 0)
		snprintf(ret, 72, "%.*s/%" PRIu64, n, id, time_namespace);
}

void clock_start(struct clock_judge *j, const struct clock_first *first, struct clock_ruling *ret)
{
	const int64_t wall_ms = first->wall_ms;
	int64_t booked_ms = first->booked_ms;
	bool same = *j->boot && !strcmp(j->boot, first->boot);

	if (same && (booked_ms || first->held_ms)) {
		clock_look(j, wall_ms, first->boot_ms, ret);
		return;
	}
	*ret = (struct clock_ruling){ 0 };
	if (j->held) { /* the wall's time as it was last is the best there will ever be */
		end_ruling(j, ret);
		if (first->held_ms)
			booked_ms = first->held_ms + ret->shift_ms;
	}
	*j = (struct clock_judge){ 0 };
	snprintf(j->boot, sizeof j->boot, "%s", first->boot);

	/* The boot clock says nothing of what was before. */
	int64_t away = wall_ms - booked_ms;

	j->offset_ms = j->seen_ms = wall_ms - first->boot_ms;
	if (booked_ms && (away < -CLOCK_STEP_MS || away > CLOCK_AWAY_MS))
		begin_clock(j, first->boot_ms, ret);
	ret->t_ms = wall_ms;
}

/* ---- text -------------------------------------------------------------------------------- */

#define SCHEMA "tare.clock/1"

void clock_text(const struct clock_judge *j, struct str *out)
{
	str_addf(out,
		 SCHEMA " %s %d %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64
			" %" PRId64,
		 filled_or(j->boot, "-"), j->held, j->offset_ms, j->seen_ms, j->ref_ms, j->since_ms,
		 j->begun_ms, j->jumps);
}

int clock_parse(struct sv text, struct clock_judge *ret, struct err *err)
{
	struct clock_judge j = { 0 };
	int64_t held = 0;
	int64_t *const to[] = { &held,       &j.offset_ms, &j.seen_ms, &j.ref_ms,
				&j.since_ms, &j.begun_ms,  &j.jumps };
	struct sv rest, word = sv_cut(text, ' ', &rest);
	bool good = sv_is(word, SCHEMA);

	word = sv_cut(rest, ' ', &rest);
	good &= word.n > 0 && word.n < sizeof j.boot;
	for (size_t i = 0; good && i < sizeof to / sizeof *to; i++) {
		struct sv number = sv_cut(rest, ' ', &rest);
		/* times of 9999 at most: sums of two stay in range */
		good = sv_i64(number, to[i]) == 0 && *to[i] < INT64_C(1) << 48 &&
		       *to[i] > -(INT64_C(1) << 48);
	}
	if (!good || rest.n || !within_i64(held, 0, 1))
		return err_set(err, -EBADMSG, "what is known of the clock is damaged");
	j.held = held;
	if (!sv_is(word, "-"))
		memcpy(j.boot, word.p, word.n);
	*ret = j;
	return 0;
}
