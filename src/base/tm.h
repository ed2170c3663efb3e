#ifndef TARE_BASE_TM_H
#define TARE_BASE_TM_H
/*
 * Time: int64 milliseconds since 1970-01-01T00:00:00Z everywhere inside ("_ms"), text only at the
 * doors. Pure functions over the proleptic Gregorian calendar; no locale, no zone data base, no
 * leap seconds.
 */
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"

#define MS_SECOND 1000LL
#define MS_MINUTE 60000LL
#define MS_HOUR   3600000LL
#define MS_DAY    86400000LL
#define TM_BUF    40

struct civil {
	int year, month, day; /* month 1..12 */
	int hour, minute, second, ms;
};

/*
 * Read an instant. Accepts RFC 3339 and its relatives: "2024-09-18T22:00:00Z", "2024-09-18
 * 22:00:00.123+02:00" (or +0200, +02), "2024-09-18" (midnight), "2024-09-18T22:00Z", "2024-09-18
 * 22:00:00 UTC", "2024/09/18 22:00:00.123", and without an offset the zone given by utc_offset_s.
 * Years 0001 to 9999. Hours above 23, leap seconds, days that do not exist and rubbish behind the
 * text are -EINVAL. Fractions of a second are cut to ms.
 */
int tm_parse(struct sv s, int utc_offset_s, int64_t *ret_ms);
/*
 * "2/1/23", "02/01/2023", with optional " 5:00", " 05:00:00" or " 5:00 PM"; month first, or day
 * first if asked; then dots may stand for the strokes ("2.1.2023"). Two-digit years are 2000+.
 * -EINVAL for everything else.
 */
int tm_parse_slashed(struct sv s, int day_first, int utc_offset_s, int64_t *ret_ms);
/*
 * Seconds since 1970, or since origin_ms: "1662858720.0", "12537496"; unit_ms is 1000 for seconds,
 * 1 for ms, 3600000 for hours. Exact decimal arithmetic, rounded half-even to ms. -EINVAL: no
 * number; -ERANGE: not within the years 0001 to 9999.
 */
int tm_parse_number(struct sv s, int64_t origin_ms, int64_t unit_ms, int64_t *ret_ms);
/* A span: "7d", "12h", "90m", "30s", "250ms", "2w", "1y" (365 d), "1h30m", "720h", "1.5h"; > 0,
 * else -EINVAL; -ERANGE where it is longer than from 1970 to the end of 9999. */
int tm_parse_span(struct sv s, int64_t *ret_ms);
/*
 * A date of HTTP (RFC 9110 5.6.7): "Sun, 06 Nov 1994 08:49:37 GMT" (or UTC, as Azure writes), and
 * the two old forms "Sunday, 06-Nov-94 08:49:37 GMT" (a year below 70 is of this century) and "Sun
 * Nov  6 08:49:37 1994". Years from 1970; the name of the day is not checked. Else -EINVAL.
 */
int tm_parse_http(struct sv s, int64_t *ret_ms);
/* Slurm's [D-]HH:MM:SS[.fff], MM:SS[.fff], D-HH, D-HH:MM, minutes; 0 is allowed. "UNLIMITED" and
 * "Partition_Limit" are -ERANGE, else -EINVAL. */
int tm_parse_slurm_span(struct sv s, int64_t *ret_ms);

/*
 * A window as --since and --until give it, since and until: text or NULL. An instant, a date, a
 * duration back from now_ms ("7d"), "now", or a period: "today", "yesterday", "week" (this one),
 * "lastweek", "month", "quarter", "year" and their "last...", "2026-10", "2026-W40", "2026-Q3",
 * "2026"; words in any case, with dashes or blanks ("Last month"). As --since a period sets both
 * ends unless --until is given; as --until it means its own start. Without --since ret_since_ms is
 * INT64_MIN, without --until ret_until_ms is INT64_MAX. An empty window, and what may mean two
 * things ("01/02/2026"), is -EINVAL with what to write.
 */
int tm_window(const char *since, const char *until, int64_t now_ms, int64_t *ret_since_ms,
	      int64_t *ret_until_ms, struct err *err);

/* "2024-09-18T22:00:00Z", with .123 only when not zero */
char *tm_format(char buf[TM_BUF], int64_t ms);
char *tm_format_date(char buf[TM_BUF], int64_t ms); /* "2024-09-18" */
/* "250 ms", "45 s", "12 min 04 s", "3 h 05 min", "9 d 4 h"; cut, not rounded */
char *tm_format_span(char buf[TM_BUF], int64_t ms);
struct civil tm_civil(int64_t ms); /* in UTC, and back; but for the month, too much carries over */
int64_t tm_from_civil(struct civil c);
/* ISO 8601 weeks begin on Monday; week 1 has the year's first Thursday. Start of the week as ms. */
void tm_iso_week(int64_t ms, int *ret_year, int *ret_week);
int64_t tm_from_iso_week(int year, int week);
int32_t tm_day(int64_t ms);   /* 20240918 */
int32_t tm_month(int64_t ms); /* 202409 */
/* The first instant (UTC) of the month of ms, or of the month that is `months` later. */
int64_t tm_month_start(int64_t ms, int months);
/* The same day and time `months` later; a day that the month does not have is its last. */
int64_t tm_add_months(int64_t ms, int months);
static inline int64_t tm_floor(int64_t ms, int64_t step_ms) /* towards minus infinity */
{
	int64_t r = ms % step_ms;
	return ms - (r < 0 ? r + step_ms : r);
}

/* The wall clock. Only programs call it; decisions get the time as an argument. TARE_NOW (RFC 3339)
 * overrides it for tests. */
int64_t tm_now_ms(void);
/* -EINVAL where TARE_NOW is set to what is no time: tm_now_ms() would ignore it. */
int tm_now_check(struct err *err);
/*
 * The wall clock as it stood when the process first asked, carried on by a clock that nobody sets
 * and that counts the machine's sleep (CLOCK_BOOTTIME). For whatever must not end, or wait for
 * hours, because the wall clock was set. Ahead of tm_now_ms() by as much as that was set back
 * meanwhile. Any thread.
 */
int64_t tm_steady_ms(void);
/* A clock that never jumps and that counts the machine's sleep; its zero is the boot. */
int64_t tm_mono_ms(void);
/* A clock that never jumps and stands still while the machine sleeps, as the time limits of
 * condition variables do (base/thread.h); its zero is the boot. */
int64_t tm_awake_ms(void);
double tm_awake_s(void); /* the same clock, finer */

#endif
