#ifndef TARE_ANSWER_COMPARE_H
#define TARE_ANSWER_COMPARE_H
/*
 * A window of the ledger beside an earlier one: what each row cost before and costs now, and what
 * of the difference is more work, worse use, other machines, other prices (ledger/compare.h).
 */
#include "answer/report.h"
#include "ledger/compare.h"

/* The same window, earlier by ... */
enum compare_how {
	COMPARE_PREVIOUS,
	COMPARE_LASTMONTH,
	COMPARE_LASTQUARTER,
	COMPARE_LASTYEAR,
	COMPARE_SPAN
};
struct compare_with {
	enum compare_how how;
	int64_t span_ms; /* of COMPARE_SPAN */
};
/* "previous", "lastmonth", "lastquarter", "lastyear" or a duration; -EINVAL. */
int compare_with_of(const char *text, struct compare_with *ret, struct err *err);
/* -EINVAL: a dimension whose values no two windows share (hour day week month quarter). */
int compare_dims_fit(const struct report_dims *d, struct err *err);

/* [0] before, [1] now */
struct compare_windows {
	int64_t since_ms[2], until_ms[2]; /* as they are meant */
	int64_t from_ms[2], to_ms[2];     /* the whole hours of them that the ledger covers */
	int64_t hours[2];                 /* how many these are */
};
/*
 * The two windows; q gets the one of now. Where q is open at its end, that of the ledger is meant;
 * where it is open at its beginning: of `previous` the later half of the ledger, at most 30 days;
 * of `lastmonth` the month, of `lastquarter` the quarter, of `lastyear` the year in which the
 * ledger ends; of a duration so much of its end. Before a whole month, quarter or year `previous`
 * is the calendar's one before. 0; -EINVAL: the two overlap; -ENODATA: the ledger holds nothing of
 * one of them.
 */
int compare_windows(struct report_ask *q, const struct compare_with *with,
		    struct compare_windows *ret, struct err *err);

struct compared {
	const char *const *dim; /* [ndim], "" = none */
	const char *currency;
	bool has[2];                /* its cost is known */
	struct compare_parts parts; /* of both windows: where both are known */
	dec booked;                 /* before, as it was booked: not put on the hours of now */
	dec booked_other;           /* of that, what is no GPU time: fees, support, storage */
	/* of GPU time: with a price, without, busy, with a reading */
	int64_t gpu_ms[2], unpriced_ms[2], busy_ms[2], read_ms[2];
};
struct compare_answer {
	struct compare_windows w;
	const struct compared
		*row; /* [nrow], in no order; each is in one of the windows at least */
	size_t nrow;
};
/* In the ask's arena. Costs four passes of the ledger's sums. */
int answer_compare(const struct report_ask *q, const struct report_dims *d,
		   const struct compare_windows *w, struct compare_answer *ret, struct err *err);
#endif
