/* Exchange rates by day: the columns date, from, to and rate; what one unit of `from` is in
 * `to`. */
#include <errno.h>

#include "base/tm.h"
#include "feed/feeds.h"
#include "feed/rows.h"

enum { R_DATE, R_FROM, R_TO, R_RATE };
static const char *const rate_names[] = { "date", "from", "to", "rate", NULL };

/* Beyond a million to one a unit was mistaken; and two rates can then be multiplied exactly. */
#define RATE_MAX   (DEC_ONE * 1000000)
#define RATE_LEAST (DEC_ONE / 1000000)

static struct sv read_currency(struct rows *w, int i)
{
	struct sv v = rows_need(w, i);
	bool good = v.n == 3;

	for (size_t k = 0; k < v.n && good; k++)
		good = v.p[k] >= 'A' && v.p[k] <= 'Z';
	if (v.n && !good)
		rows_bad(
			w, i,
			"'%.*s' is not a currency: three capital letters as on the bill, such as EUR",
			v.n > 20 ? 20 : (int)v.n, v.p);
	return v;
}

static int rates_run(struct feed_run *r, struct err *err)
{
	struct exchange_rate x;
	struct rows w;
	int rc, go;

	if (!r->sink->rate)
		return err_set(err, -EINVAL,
			       "'%s' holds exchange rates, which are not asked for here",
			       input_name(r->in));
	if ((rc = rows_open(&w, r, rate_names, NULL, err)) < 0)
		return rc;
	while ((rc = rows_next(&w, err)) > 0) {
		int64_t at_ms = UNKNOWN_MS;

		x = (struct exchange_rate){ .from = read_currency(&w, R_FROM),
					    .to = read_currency(&w, R_TO),
					    .day_ms = UNKNOWN_MS };
		rows_need(&w, R_DATE);
		if (rows_time(&w, R_DATE, &at_ms))
			x.day_ms = tm_floor(at_ms, MS_DAY);
		rows_need(&w, R_RATE);
		if (rows_dec(&w, R_RATE, &x.rate) && (x.rate < RATE_LEAST || x.rate > RATE_MAX))
			rows_bad(&w, R_RATE, "is not between 0.000001 and 1000000");
		if (sv_eq(x.from, x.to))
			rows_bad(&w, R_TO, "is the same currency as 'from'");
		if (!rows_good(&w, &go, err)) {
			if (go < 0)
				return go;
			continue;
		}
		if ((rc = r->sink->rate(r->sink->ctx, &x, err)) < 0)
			return rc;
		feed_cover(r->report, x.day_ms, x.day_ms + MS_DAY);
	}
	return rc;
}

static int rates_detect(struct sv head, const struct sv *col, size_t ncol)
{
	(void)head;
	for (size_t i = 0; rate_names[i]; i++)
		if (!rows_named(col, ncol, rate_names[i]))
			return 0;
	if (ncol <= 6)
		return 80;
	return 0;
}

static const char *const rates_required[] = { "date", "from", "to", "rate", NULL };

const struct feed feed_rates = {
	.kind = "rates",
	.group = "the rest",
	.about = "exchange rates by day: date, from, to, rate",
	.tabular = true,
	.detect = rates_detect,
	.required = rates_required,
	.run = rates_run,
};
