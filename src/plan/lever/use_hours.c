#include "plan/lever/use_hours.h"

#include <math.h>

#include "base/str.h"
#include "base/tm.h"
#include "plan/workload.h"

#define MOSTLY_FRAC  0.9 /* of the use lies in the hours that are named */
#define WEEKEND_FRAC 0.1 /* of the use on two days of seven: an exception */
#define FIXED_HOURS  12  /* a longer interval of the day names no hours */
#define DAY_HOURS    24
#define ALWAYS_ON_MS (7 * MS_DAY)
#define USED_FRAC    0.34 /* a working day of eight hours on seven days */
#define WORKING_DAYS 5

void use_hours_add(struct use_hours *u, const struct fleet *f, const struct workload *w)
{
	for (size_t i = 0; i < w->nhour; i++) {
		const struct workload_hour *h = &f->hour.v[w->hour0 + i];
		double use = workload_hour_use(h);
		int k = week_hour(h->hour_ms, 0);
		if (isnan(use))
			continue;
		u->known[k]++;
		u->used[k] += use > 0;
	}
}

static int64_t sum_days(const int64_t *hour, int from_day, int to_day)
{
	int64_t n = 0;

	for (int k = from_day * DAY_HOURS; k < to_day * DAY_HOURS; k++)
		n += hour[k];
	return n;
}

double use_hours_frac(const struct use_hours *u)
{
	int64_t known = sum_days(u->known, 0, 7);

	if (known)
		return (double)sum_days(u->used, 0, 7) / (double)known;
	return NAN;
}

double always_on_use_frac(const struct fleet *f, const struct workload *w)
{
	struct use_hours u = { 0 };

	if (w->end_ms - w->start_ms < ALWAYS_ON_MS || w->stats.covered_frac < WORKLOAD_COVERED_FRAC)
		return NAN;
	use_hours_add(&u, f, w);
	double used = use_hours_frac(&u);
	if (used <= USED_FRAC)
		return used;
	return NAN;
}

/* The shortest interval of the day, over midnight too, with MOSTLY_FRAC of the use; the earliest of
 * these. Its length, in hours. */
static int main_hours(const struct use_hours *u, int *ret_from)
{
	int64_t of_day[DAY_HOURS] = { 0 }, all = sum_days(u->used, 0, 7);

	for (int k = 0; k < WEEK_HOURS; k++)
		of_day[k % DAY_HOURS] += u->used[k];
	for (int len = 1; len < DAY_HOURS; len++)
		for (int from = 0; from < DAY_HOURS; from++) {
			int64_t in = 0;
			for (int d = 0; d < len; d++)
				in += of_day[(from + d) % DAY_HOURS];
			if ((double)in >= MOSTLY_FRAC * (double)all) {
				*ret_from = from;
				return len;
			}
		}
	*ret_from = 0;
	return DAY_HOURS;
}

const char *use_hours_text(struct arena *a, const struct use_hours *u)
{
	/* Of a working day where use on Saturday and Sunday is an exception: a tenth of it or less.
	 * Not where nothing is used. */
	int64_t all = sum_days(u->used, 0, 7);
	bool working = all > 0 && sum_days(u->known, WORKING_DAYS, 7) > 0 &&
		       (double)sum_days(u->used, WORKING_DAYS, 7) <= WEEKEND_FRAC * (double)all;
	const char *days = text_if(working, " on working days");
	int ndays = working ? WORKING_DAYS : 7;
	int64_t known = sum_days(u->known, 0, ndays);
	double a_day = NAN;
	if (known)
		a_day = (double)sum_days(u->used, 0, ndays) * DAY_HOURS / (double)known;
	int from, len = main_hours(u, &from);

	if (len > FIXED_HOURS)
		return arena_printf(a, "%.2g h a day%s, at no fixed hours", a_day, days);
	return arena_printf(a, "%.2g h a day, mostly %02d:00-%02d:00 UTC%s", a_day, from,
			    (from + len) % DAY_HOURS, days);
}
