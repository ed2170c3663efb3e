/*
 * On and off hours of a fleet, see schedule.h. Hour k of the week is on when in at least
 * min_use_frac of the weeks in which it is known it was in use (at 0: when it ever was), or when
 * nothing is known of it; then head-room is put around each interval, and short gaps are closed. A
 * timetable is judged on weeks it has not seen: each week is replayed against the timetable of all
 * others.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "base/num.h"
#include "base/tm.h"
#include "opt/schedule/schedule.h"

#define SHORT_OFF_H 3 /* stopping and starting a fleet costs people and boot time */
#define MAX_WEEKS   5000

int week_hour(int64_t ms, int32_t utc_offset_s)
{
	/* 1970-01-01 was a Thursday: three days after a Monday */
	int64_t h = tm_floor(ms + (int64_t)utc_offset_s * 1000 + 3 * MS_DAY, MS_HOUR) / MS_HOUR;
	int64_t k = h % WEEK_HOURS;
	return (int)(k < 0 ? k + WEEK_HOURS : k);
}

struct counts {
	int32_t used[WEEK_HOURS], known[WEEK_HOURS];
};

static void on_hours(const struct counts *c, const struct timetable_opt *o, bool *on)
{
	bool used[WEEK_HOURS];
	int head = (int)ceil(o->headroom_h);
	for (int k = 0; k < WEEK_HOURS; k++)
		used[k] = !c->known[k] ||
			  (c->used[k] && c->used[k] >= o->min_use_frac * c->known[k]);
	memset(on, 0, WEEK_HOURS * sizeof *on);
	for (int k = 0; k < WEEK_HOURS; k++)
		for (int d = -head; d <= head && used[k]; d++)
			on[(k + d + 2 * WEEK_HOURS) % WEEK_HOURS] = true;
	for (int k = 0; k < WEEK_HOURS; k++) {
		/* close gaps: k on, then fewer than SHORT_OFF_H off */
		int gap = 0;
		while (on[k] && gap < WEEK_HOURS && !on[(k + 1 + gap) % WEEK_HOURS])
			gap++;
		for (int d = 0; d < gap && gap < SHORT_OFF_H; d++)
			on[(k + 1 + d) % WEEK_HOURS] = true;
	}
}

static int hour_of(const struct timetable_history *h, size_t i)
{
	return week_hour(h->from_ms + (int64_t)i * MS_HOUR, h->utc_offset_s);
}

static void count_hours(const struct timetable_history *h, size_t from, size_t to, int sign,
			struct counts *c)
{
	for (size_t i = from; i < to; i++)
		if (!isnan(h->use[i])) {
			int k = hour_of(h, i);
			c->known[k] += sign;
			if (h->use[i] > 0)
				c->used[k] += sign;
		}
}

int timetable_make(const struct timetable_opt *o, const struct timetable_history *h,
		   struct timetable *ret, struct err *err)
{
	struct counts c = { 0 };
	if (!within_double(o->headroom_h, 0, 24) || !within_double(o->min_use_frac, 0, 1))
		return err_set(
			err, -EINVAL,
			"head-room of 0 to 24 hours and a share of weeks from 0 to 1 are wanted");
	if (h->n > (size_t)MAX_WEEKS * WEEK_HOURS)
		return err_set(err, -E2BIG, "a history of more than %d weeks", MAX_WEEKS);
	*ret = (struct timetable){ .weeks = (int64_t)(h->n / WEEK_HOURS) };
	count_hours(h, 0, h->n, 1, &c);

	int thin = 0;
	for (int k = 0; k < WEEK_HOURS; k++)
		thin += c.known[k] < 2;
	if (h->n < 2 * WEEK_HOURS)
		snprintf(ret->why, sizeof ret->why,
			 "%zu hours of history; a timetable takes two weeks (%d)", h->n,
			 2 * WEEK_HOURS);
	else if (thin > WEEK_HOURS / 2)
		snprintf(ret->why, sizeof ret->why,
			 "%d of the 168 hours of the week are known less than twice", thin);
	ret->enough = !ret->why[0];
	if (!ret->enough)
		return 0;
	on_hours(&c, o, ret->on);
	/* Each week by the hours of the others. */
	bool on[WEEK_HOURS];
	for (size_t from = 0; from < h->n; from += WEEK_HOURS) {
		size_t to = min_size(from + WEEK_HOURS, h->n);
		count_hours(h, from, to, -1, &c);
		on_hours(&c, o, on);
		count_hours(h, from, to, 1, &c);
		for (size_t i = from; i < to; i++) {
			bool off = !on[hour_of(h, i)];
			ret->tested_hours += !isnan(h->use[i]);
			ret->misses += off && h->use[i] > 0;
		}
	}
	int64_t off = 0;
	for (int k = 0; k < WEEK_HOURS; k++)
		ret->on_hours += ret->on[k];
	for (size_t i = 0; i < h->n; i++) {
		off += !ret->on[hour_of(h, i)];
		ret->unknown_off += !ret->on[hour_of(h, i)] && isnan(h->use[i]);
	}
	ret->off_frac = h->n ? (double)(off - ret->unknown_off) / (double)h->n : 0;
	return 0;
}

size_t timetable_intervals(const bool on[WEEK_HOURS], struct on_interval *ret)
{
	size_t n = 0;
	for (int day = 0; day < 7; day++)
		for (int h = 0; h < 24;) {
			int from = h, k = day * 24;
			if (!on[k + h]) {
				h++;
				continue;
			}
			while (h < 24 && on[k + h])
				h++;
			ret[n++] =
				(struct on_interval){ day, from, h,
						      !on[(k + from + WEEK_HOURS - 1) % WEEK_HOURS],
						      !on[(k + h) % WEEK_HOURS] };
		}
	return n;
}
