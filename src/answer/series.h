#ifndef TARE_ANSWER_SERIES_H
#define TARE_ANSWER_SERIES_H
/*
 * What stands in columns beside the rows of a report (--pivot, --trend), and which steps of time a
 * report by time has: all of them, in their order, those in which nothing was paid too.
 */
#include "answer/report.h"

/* more rows or columns than these are no holes to be filled: nobody reads them */
#define SERIES_STEPS_MAX 10000

/* Values of a dimension. Of a time: every step of the window. Else: the most expensive first. */
struct report_steps {
	const char *const *value; /* [n], "" = none */
	/* [n] false: nobody recorded that step. It is recorded where the ledger has an entry of
	 * anybody in it, or where, within the ledger's span, a job source or a `--covers` watched
	 * it: then what has no entry was not paid for, and cost 0. */
	const bool *recorded;
	size_t n;
	bool too_many; /* more than SERIES_STEPS_MAX: n is 0 */
};
bool dim_is_time(enum dim d); /* hour, day, week, month, quarter */
/* --where leaves some of the time out: its steps are no holes. */
bool report_filters_time(const struct report_ask *q);
/* Every step of time of the window shown (q->since_ms to until_ms, and not into the future). */
int answer_steps(const struct report_ask *q, enum dim d, struct report_steps *ret, struct err *err);

struct report_series {
	const char *dim; /* its name, as asked */
	bool is_time;
	struct report_steps step;
	const struct report_cell
		*cell; /* [ncell] of the dimensions asked, and the value behind them */
	size_t ncell;
};
/* d with one dimension more, `by` ("day", "tag:app"). -EINVAL: is no dimension, or is in d; -E2BIG:
 * more columns than SERIES_STEPS_MAX. */
int answer_series(const struct report_ask *q, const struct report_dims *d, const char *by,
		  struct report_series *ret, struct err *err);
/* By which time a trend of this window is told: "hour", "day" or "week"; NULL: it is too short. */
const char *series_trend_by(const struct report_ask *q);
#endif
