#ifndef TARE_REPORT_TEXT_H
#define TARE_REPORT_TEXT_H
/* Text for people: display widths, names that cannot harm a terminal, numbers with their
 * "unknown". */
#include "base/dec.h"
#include "base/mem.h"
#include "base/str.h"

/* z, "-" where it is not known: z is made either way. */
static inline const char *text_or_dash(bool known, const char *z)
{
	return known ? z : "-";
}
/* Columns of a line: `width`, 80 where nothing says how wide it is (0). */
static inline int columns_or_80(int width)
{
	return width > 0 ? width : 80;
}

/* Columns a text takes: UTF-8, combining marks 0, East Asian wide and emoji 2, broken bytes 1
 * each. */
int text_width(struct sv s);
/*
 * A copy fit for a line of a terminal: control characters (so also escape sequences) and broken
 * bytes become "?", and what is wider than max columns (0 = no limit) loses its middle for "…". In
 * arena a.
 */
char *text_line(struct arena *a, struct sv s, int max);

/* The same, but it loses its end. */
char *text_line_head(struct arena *a, struct sv s, int max);

/*
 * Bytes of the first word of running text, 0 at a blank, a newline or the end. A command of tare in
 * brackets or backquotes is one word, with what follows it up to the next blank: broken over two
 * lines it could not be pasted.
 */
size_t text_word(struct sv s);

/* A line of running text in lines of at most `width` characters where its blanks allow it; those
 * after the first begin `hang` columns in, or as far as the first. An empty line is none. */
void text_fold(struct str *out, struct sv line, size_t hang, size_t width);

/* Text of several lines in lines of at most `width` columns: those that are longer are folded below
 * the text of their last column, and their sentence goes on in them. Lines that a shell takes, and
 * words that are longer, stay whole. */
void text_fit(struct str *out, struct sv text, int width);

/* GPU time as hours: "8,412" with the given digits; more than nothing but less than can be shown is
 * "<0.01". */
char *text_gpu_hours(struct arena *a, int64_t ms, int digits);
/* Money for people, "26,990.19"; too small to be shown: "<0.01", ">-0.01". */
char *text_money(struct arena *a, dec v, int digits);
/* "1 job", "2,663 jobs" */
char *text_count(struct arena *a, int64_t n, const char *what);
/* A share that stands alone (base/percent.h): "41 %", "<1 %", ">99 %", "0 %"; "-" when whole <=
 * 0. */
char *text_share(struct arena *a, __int128 part, __int128 whole);
/* Shares of one whole side by side: what is printed adds up to 100 %, with what no part names.
 * ret [n] */
void text_shares(struct arena *a, __int128 whole, size_t n, const __int128 *part, char **ret);
/* The same where the parts are those of `some`, which is itself a part of the whole and stands
 * there as text_share(some, whole): they add up to that. */
void text_shares_of(struct arena *a, __int128 some, __int128 whole, size_t n, const __int128 *part,
		    char **ret);
/* Seconds with up to three fraction digits and no trailing zeros, exact: "3600", "0.5".
 * buf[DEC_BUF]. */
char *text_seconds(char *buf, int64_t ms);
/* The end that a heading names: of what there is, where it is told and not the window's own. */
static inline int64_t text_until(int64_t data_until_ms, int64_t until_ms)
{
	if (data_until_ms)
		return data_until_ms;
	return until_ms;
}
/* A window in words: "30 days to 2026-11-20", "12 h to 2026-11-20 22:00 UTC", "all of the ledger";
 * UNKNOWN_MS = open. */
char *text_window(struct arena *a, int64_t since_ms, int64_t until_ms);
/* How the amounts below are meant, behind "in": "these 30 days", "these 12 h", "this window". */
char *text_these(struct arena *a, int64_t since_ms, int64_t until_ms);
/* "2024-09-18", "-" of UNKNOWN_MS */
const char *text_day(struct arena *a, int64_t ms);
/* Blanks up to that column of a line which begins at line_from in out; one at least. */
void text_pad_to(struct str *out, size_t line_from, int col);
/* A share as a double in 0..1, NAN when whole is 0. */
double text_frac(__int128 part, __int128 whole);

/* & < > " ' escaped, control characters dropped, broken UTF-8 as U+FFFD */
void text_html(struct str *out, struct sv s);
/*
 * One cell, quoted only where RFC 4180 wants it. For people's spreadsheets, unless raw: a text that
 * they would run as a formula has ' before it (base/clean.h), and what acts on a terminal is "?".
 */
void text_csv(struct str *out, struct sv s);
/* Texts of CSV as they are, for programs (--raw): set once, by the command line, before anything
 * is printed. */
void text_csv_raw(bool raw);
bool text_csv_is_raw(void);
#endif
