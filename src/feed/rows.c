#include "feed/rows.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/among.h"
#include "base/near.h"
#include "base/num.h"
#include "base/tm.h"

int rows_utc_offset(const struct feed_run *r, int *ret_s, struct err *err)
{
	const char *v = feed_set_get(r, "utc_offset");
	char text[64];
	int64_t ms;

	*ret_s = 0;
	if (!v)
		return 0;
	snprintf(text, sizeof text, "1970-01-02T00:00:00%s", v);
	if (!*v || strlen(v) > 8 || tm_parse(sv_of(text), 0, &ms) < 0) {
		err_set(err, -EINVAL, "--set utc_offset: '%s' is not an offset such as +02:00", v);
		err_hint(
			err,
			"Where summer time changes no offset fits: have the times written in UTC, TZ=UTC sacct ...");
		return -EINVAL;
	}
	*ret_s = (int)((MS_DAY - ms) / 1000);
	return 0;
}

/* Do clocks change on this day, a Sunday, where this offset is kept in winter or in summer? America
 * has it apart from Europe, and both from the south. */
static bool clocks_change(struct civil day, int offset_s)
{
	if (within_int(offset_s, -10 * 3600, -2 * 3600))
		return (day.month == 3 && within_int(day.day, 8, 14)) ||
		       (day.month == 11 && day.day <= 7);
	if (within_int(offset_s, 0, 4 * 3600))
		return (day.month == 3 || day.month == 10) && day.day >= 25;
	if (offset_s >= 34200)
		return (day.month == 4 || day.month == 10) && day.day <= 7;
	return false;
}

void rows_note_clocks(const struct feed_run *r)
{
	const struct feed_report *p = r->report;
	int64_t sunday = 3 * MS_DAY; /* 1970-01-04 */
	char text[TM_BUF];
	int offset_s;

	if (!feed_set_get(r, "utc_offset") || p->from_ms == UNKNOWN_MS || p->to_ms == UNKNOWN_MS)
		return;
	if (rows_utc_offset(r, &offset_s, NULL) < 0)
		return;
	sunday += tm_floor(p->from_ms - sunday, 7 * MS_DAY);
	for (; sunday < p->to_ms; sunday += 7 * MS_DAY)
		if (sunday >= p->from_ms && clocks_change(tm_civil(sunday), offset_s)) {
			feed_note(
				r->report,
				"clocks change on %s in many places with utc_offset=%s: if they did where this was written, its times from then on are an hour off, as one offset fits only one side; have them written in UTC (TZ=UTC sacct ...)",
				tm_format_date(text, sunday), feed_set_get(r, "utc_offset"));
			return;
		}
}

bool rows_lacks_zone(struct sv time)
{
	int64_t here, there;

	if (tm_parse(time, 0, &here) < 0 || tm_parse(time, 3600, &there) < 0)
		return false;
	return here != there;
}

bool rows_named(const struct sv *col, size_t ncol, const char *name)
{
	return tab_find(col, ncol, name, false) >= 0;
}

int rows_open(struct rows *w, struct feed_run *r, const char *const *name, const char *const *more,
	      struct err *err)
{
	int rc = 0;

	*w = (struct rows){ .r = r, .name = name };
	while (name[w->n] && w->n < ROWS_MAX_COLS) {
		w->col[w->n] = tab_col(r->tab, name[w->n]);
		w->fixed[w->n] = sv_of(feed_set_get(r, name[w->n]));
		if (w->fixed[w->n].p && w->col[w->n] >= 0)
			feed_set_beside(r, name[w->n], name[w->n]);
		w->n++;
	}
	for (size_t i = 0; i < r->nset && rc == 0; i++) {
		const char *key = r->set[i].key;
		bool taken = text_among(key, name) || (more && text_among(key, more));
		taken |= !strcmp(key, "utc_offset") || !strncmp(key, "tag:", 4);
		if (!taken)
			rc = feed_set_unknown(r, key, near_word(key, name, w->n), err);
	}
	if (rc < 0)
		return rc;
	return rows_utc_offset(r, &w->utc_offset_s, err);
}

int64_t rows_line(const struct rows *w)
{
	return w->r->tab->line;
}

int rows_next(struct rows *w, struct err *err)
{
	for (;;) {
		int rc = tab_next(w->r->tab, &w->cell, err);
		w->bad = NULL;
		if (rc == 0 || (rc < 0 && rc != -EDOM))
			return rc;
		feed_tick(w->r);
		if (rc > 0)
			return 1;
		char msg[sizeof err->msg];
		snprintf(msg, sizeof msg, "%s", err->msg);
		if ((rc = feed_reject(w->r, rows_line(w), "", err, "%s", msg)) < 0)
			return rc;
	}
}

void rows_bad(struct rows *w, int i, const char *fmt, ...)
{
	va_list ap;

	if (w->bad)
		return;
	w->bad = w->name[i];
	va_start(ap, fmt);
	vsnprintf(w->why, sizeof w->why, fmt, ap);
	va_end(ap);
}

bool rows_good(struct rows *w, int *rc, struct err *err)
{
	*rc = 0;
	if (!w->bad)
		return true;
	*rc = feed_reject(w->r, rows_line(w), w->bad, err, "%s", w->why);
	return false;
}

struct sv rows_need(struct rows *w, int i)
{
	struct sv v = rows_text(w, i);

	if (!v.n)
		rows_bad(w, i, "is empty");
	return v;
}

/* Text for a message: not longer than a line of a terminal. */
static int shown_length(struct sv v)
{
	if (v.n > 60)
		return 60;
	return (int)v.n;
}

static int read_two_digits(const char *p)
{
	unsigned a = (unsigned char)p[0] - '0', b = (unsigned char)p[1] - '0';

	if (a > 9 || b > 9)
		return -1;
	return (int)(a * 10 + b);
}

/* "2026-10-01T00:00:00Z" whose date is that of the row before; else false. */
static bool time_fast(const struct rows *w, struct sv v, int64_t *ret_ms)
{
	if (!w->has_day || !within_size(v.n, 19, 20) || memcmp(v.p, w->day, 10) != 0)
		return false;
	if ((v.p[10] != 'T' && v.p[10] != ' ') || v.p[13] != ':')
		return false;
	if (v.p[16] != ':')
		return false;
	int h = read_two_digits(v.p + 11), m = read_two_digits(v.p + 14),
	    s = read_two_digits(v.p + 17);
	if (!within_int(h, 0, 23) || !within_int(m, 0, 59))
		return false;
	if (!within_int(s, 0, 59) || (v.n == 20 && v.p[19] != 'Z'))
		return false;
	*ret_ms = w->day_ms + ((h * 60 + m) * 60 + s) * 1000LL -
		  (v.n == 20 ? 0 : w->utc_offset_s * 1000LL);
	return true;
}

bool rows_time(struct rows *w, int i, int64_t *ret_ms)
{
	struct sv v = rows_text(w, i);

	if (!v.n || w->bad)
		return false;
	if (time_fast(w, v, ret_ms))
		return true;
	size_t digits = 0;
	while (digits < v.n && v.p[digits] >= '0' && v.p[digits] <= '9')
		digits++;
	bool number = digits >= 9 && (digits == v.n || v.p[digits] == '.');
	if (number &&
	    tm_parse_number(v, 0, v.n >= 13 && !memchr(v.p, '.', v.n) ? 1 : 1000, ret_ms) == 0) {
		if (!w->noted_numbers)
			feed_note(
				w->r->report,
				"%s: plain numbers were read as seconds (13 digits: milliseconds) since 1970",
				w->name[i]);
		w->noted_numbers = true;
		return true;
	}
	if (tm_parse(v, w->utc_offset_s, ret_ms) < 0) {
		rows_bad(w, i, "'%.*s' is not a time; write 2026-11-21T10:00:00Z", shown_length(v),
			 v.p);
		return false;
	}
	if (*ret_ms < -MS_DAY) { /* "0001-01-01" is how some programs write no time at all */
		rows_bad(w, i, "'%.*s' lies before 1970; leave it empty if it is not known",
			 shown_length(v), v.p);
		return false;
	}
	if (v.n >= 19 && tm_parse((struct sv){ v.p, 10 }, 0, &w->day_ms) == 0) {
		memcpy(w->day, v.p, 10);
		w->has_day = true;
	}
	return true;
}

/* Digits with at most one point, 15 digits at most: exact in a double; else false. */
static bool f64_fast(struct sv v, double *ret)
{
	static const double pow10[] = { 1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
					1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
	uint64_t m = 0;
	size_t frac = 0;
	bool point = false;

	if (v.n > 16 || v.n == 0)
		return false;
	if (v.p[0] == '.' || v.p[v.n - 1] == '.')
		return false;
	for (size_t i = 0; i < v.n; i++) {
		unsigned d = (unsigned char)v.p[i] - '0';
		if (d <= 9) {
			m = m * 10 + d;
			frac += point;
		} else if (v.p[i] == '.' && !point) {
			point = true;
		} else {
			return false;
		}
	}
	if (v.n - point > 15)
		return false;
	*ret = (double)m / pow10[frac];
	return true;
}

static bool means_unknown(struct sv v)
{
	if (sv_ieq(v, SV("nan")) || sv_ieq(v, SV("n/a")))
		return true;
	return sv_ieq(v, SV("null")) || sv_is(v, "-");
}

bool rows_f64(struct rows *w, int i, double lo, double hi, double *ret)
{
	struct sv v = rows_text(w, i);
	double x;

	if (!v.n || w->bad)
		return false;
	if (!f64_fast(v, &x) && sv_f64(v, &x) < 0) {
		if (!means_unknown(v))
			rows_bad(w, i, "'%.*s' is not a number", shown_length(v), v.p);
		return false;
	}
	if (!(x >= lo && x <= hi)) {
		if (hi < HUGE_VAL)
			rows_bad(w, i, "%.*s is not within %g to %g", shown_length(v), v.p, lo, hi);
		else
			rows_bad(w, i, "%.*s is below %g", shown_length(v), v.p, lo);
		return false;
	}
	*ret = x;
	return true;
}

bool rows_i64(struct rows *w, int i, int64_t lo, int64_t hi, int64_t *ret)
{
	struct sv v = rows_text(w, i);
	int64_t x;

	if (!v.n || w->bad)
		return false;
	/* "8.0": spreadsheets and data frames write whole numbers so */
	if (v.n > 2 && v.p[v.n - 2] == '.' && v.p[v.n - 1] == '0')
		v.n -= 2;
	if (sv_i64(v, &x) < 0 || x < lo || x > hi) {
		rows_bad(w, i, "'%.*s' is not a whole number from %lld to %lld", shown_length(v),
			 v.p, (long long)lo, (long long)hi);
		return false;
	}
	*ret = x;
	return true;
}

bool rows_dec(struct rows *w, int i, dec *ret)
{
	struct sv v = rows_text(w, i);

	if (!v.n || w->bad)
		return false;
	if (dec_parse(v, 0, ret) < 0) {
		rows_bad(w, i, "'%.*s' is not a decimal such as 12.24", shown_length(v), v.p);
		return false;
	}
	return true;
}

/* The bound is far above any price in any currency, and low enough that prices times GPUs times
 * hours still count exactly. */
bool rows_price(struct rows *w, int i, dec *ret)
{
	if (!rows_dec(w, i, ret))
		return false;
	if (*ret >= 0 && *ret <= DEC_ONE * 10000000)
		return true;
	if (*ret < 0)
		rows_bad(w, i, "a price cannot be below 0");
	else
		rows_bad(w, i, "'%.*s' is more than 10 million an hour",
			 shown_length(rows_text(w, i)), rows_text(w, i).p);
	return false;
}

bool rows_milli(struct rows *w, int i, int64_t *ret)
{
	dec d;

	if (!rows_dec(w, i, &d))
		return false;
	if (d < 0 || d > DEC_ONE * 1000000) {
		rows_bad(w, i, "%.*s is no count of GPUs", SVF(rows_text(w, i)));
		return false;
	}
	*ret = (int64_t)div_half_even(d, DEC_ONE / 1000);
	return true;
}

bool rows_seconds(struct rows *w, int i, int64_t *ret_ms)
{
	struct sv v = rows_text(w, i);
	double s;

	if (!v.n || w->bad)
		return false;
	if (f64_fast(v, &s) || sv_f64(v, &s) == 0) {
		if (s < 0 || s > 1e12) {
			rows_bad(w, i, "%.*s is no number of seconds", shown_length(v), v.p);
			return false;
		}
		*ret_ms = llround(s * 1000);
		return true;
	}
	if (means_unknown(v))
		return false;
	if (tm_parse_span(v, ret_ms) < 0) {
		rows_bad(w, i, "'%.*s' is not a number of seconds", shown_length(v), v.p);
		return false;
	}
	return true;
}

bool rows_bool(struct rows *w, int i, bool *ret)
{
	struct sv v = rows_text(w, i);

	if (!v.n || w->bad)
		return false;
	if (sv_ieq(v, SV("true")) || sv_ieq(v, SV("yes")) || sv_is(v, "1"))
		*ret = true;
	else if (sv_ieq(v, SV("false")) || sv_ieq(v, SV("no")) || sv_is(v, "0"))
		*ret = false;
	else {
		rows_bad(w, i, "'%.*s' is neither true nor false", shown_length(v), v.p);
		return false;
	}
	return true;
}
