/*
 * See spot.h. With rem = work left, D = restart, G = tick, left = whole ticks to the deadline:
 *
 *   must    ceil((rem +  D) / G) >= left
 *   should  ceil((rem + 2D) / G) >= left
 *
 * Uniform Progress with its two conditions: behind the line p(t) = t W / DL take on demand; leave
 * on demand only where the line two restarts on, p(t + 2D), is already reached. Source: Wu, Z. et
 * al., "Can't Be Late: Optimizing Spot Instance Savings under Deadlines", NSDI 2024. The order in
 * which the conditions are asked is that of the published evaluator, so that its costs come out to
 * the last digit.
 */
#include <errno.h>
#include <math.h>
#include "opt/spot/spot.h"

#define MAX_TICKS 100000
#define DAY_MS    86400000LL

int spot_task_check(const struct spot_task *k, struct err *err)
{
	if (k->gap_ms < 1000 || k->gap_ms > DAY_MS)
		return err_set(err, -EINVAL, "a tick of %lld ms is not between a second and a day",
			       (long long)k->gap_ms);
	if (k->work_ms <= 0 || k->work_ms > 3650 * DAY_MS)
		return err_set(err, -EINVAL, "work of %lld ms is not between nothing and ten years",
			       (long long)k->work_ms);
	if (k->overhead_ms < 0 || k->overhead_ms > k->work_ms + DAY_MS)
		return err_set(err, -EINVAL,
			       "a restart of %lld ms makes no sense for work of %lld ms",
			       (long long)k->overhead_ms, (long long)k->work_ms);
	if (k->deadline_ms <= 0 || k->deadline_ms / k->gap_ms > MAX_TICKS)
		return err_set(err, -EINVAL, "a deadline of %lld ms is not within %d ticks",
			       (long long)k->deadline_ms, MAX_TICKS);
	if (!(k->od_usd_h >= 0 && k->od_usd_h < 1e9) ||
	    !(k->spot_usd_h >= 0 && k->spot_usd_h < 1e9))
		return err_set(err, -EINVAL, "a price is negative or no number");
	return 0;
}

static int64_t round_up(int64_t v, int64_t step)
{
	return (v + step - 1) / step;
}

static bool fits_no_more(const struct spot_task *k, const struct spot_now *s, int64_t restarts)
{
	/* may be negative: then it is late, and all the more must */
	int64_t left = k->deadline_ms / k->gap_ms - s->tick;

	return round_up(k->work_ms - s->done_ms + restarts * k->overhead_ms, k->gap_ms) >= left;
}

bool spot_must(const struct spot_task *k, const struct spot_now *s, enum spot_hold *ret)
{
	if (!fits_no_more(k, s, 1))
		return false;
	*ret = spot_held(s) == SPOT_SPOT && !s->overhead_left_ms ? SPOT_SPOT : SPOT_OD;
	return true;
}

/* One restart earlier: no waiting any more, work goes on what is held if that is spot, else on
 * demand (the "T + 2D" rule). */
static bool spot_should(const struct spot_task *k, const struct spot_now *s, enum spot_hold *ret)
{
	if (!fits_no_more(k, s, 2))
		return false;
	*ret = spot_held(s) == SPOT_SPOT ? SPOT_SPOT : SPOT_OD;
	return true;
}

enum spot_hold spot_on_demand(const struct spot_task *k, const struct spot_now *s)
{
	(void)k;
	(void)s;
	return SPOT_OD;
}

enum spot_hold spot_greedy(const struct spot_task *k, const struct spot_now *s)
{
	enum spot_hold h;

	if (spot_must(k, s, &h) || spot_should(k, s, &h))
		return h;
	if (s->has_spot)
		return SPOT_SPOT;
	return SPOT_NONE;
}

enum spot_hold spot_uniform(const struct spot_task *k, const struct spot_now *s)
{
	int64_t t_ms = s->tick * k->gap_ms;
	enum spot_hold h = s->has_spot ? SPOT_SPOT : SPOT_NONE, forced;

	/* Behind (t W) / DL? Without rounding: times of up to ten years in ms squared need 128
	 * bits. */
	if ((__int128)s->done_ms * k->deadline_ms < (__int128)t_ms * k->work_ms)
		h = s->has_spot ? SPOT_SPOT : SPOT_OD;
	if (spot_held(s) == SPOT_OD) {
		int64_t on_ms = t_ms + 2 * k->overhead_ms;
		/* "done <= p(t + 2D)" stays on demand */
		if (!s->has_spot ||
		    (__int128)s->done_ms * k->deadline_ms <= (__int128)on_ms * k->work_ms)
			h = SPOT_OD;
	}
	if (spot_should(k, s, &forced))
		h = forced;
	if (spot_must(k, s, &forced))
		h = forced;
	return h;
}
