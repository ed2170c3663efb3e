#ifndef TARE_FEED_ROWS_H
#define TARE_FEED_ROWS_H
/*
 * Rows of a tabular kind, cell by cell: columns are bound once by name, a cell that the file lacks
 * comes from --set, and the first cell of a row that cannot be read spoils the row (later reads
 * then do nothing), so that a feed reads all its cells and asks once at the end.
 */
#include "base/among.h"
#include "feed/feed.h"

#define ROWS_MAX_COLS 48

struct rows {
	struct feed_run *r;
	const char *const *name; /* [n] of the kind */
	size_t n;
	int col[ROWS_MAX_COLS];         /* column of the table, -1 = not there */
	struct sv fixed[ROWS_MAX_COLS]; /* value of --set, {NULL,0} = none */
	int utc_offset_s;               /* of times without an offset: --set utc_offset */
	const struct sv *cell;          /* the row being read */
	const char *bad;                /* field that spoiled it, or NULL */
	char why[256];
	/* last date read by rows_time: most rows share it */
	char day[10];
	int64_t day_ms;
	bool has_day, noted_numbers;
};

/*
 * Bind `name` (NULL-terminated). Names of --set that are no column of the kind and not among `more`
 * (NULL-terminated, may be NULL) are noted in the report. Returns 0, or -EINVAL for a bad --set
 * utc_offset.
 */
int rows_open(struct rows *w, struct feed_run *r, const char *const *name, const char *const *more,
	      struct err *err);
/* Next row: 1, 0 at the end, negative. Counts it; rows with a wrong number of cells are rejected on
 * the way. */
int rows_next(struct rows *w, struct err *err);
int64_t rows_line(const struct rows *w);

/* Text of column i without blanks around; {NULL,0} where there is none. */
static inline struct sv rows_text(const struct rows *w, int i)
{
	struct sv v = SV_NULL;

	if (w->col[i] >= 0)
		v = w->cell[w->col[i]];
	while (v.n && (v.p[0] == ' ' || v.p[0] == '\t')) {
		v.p++;
		v.n--;
	}
	while (v.n && char_is_blank(v.p[v.n - 1]))
		v.n--;
	if (v.n)
		return v;
	return w->fixed[i];
}
static inline bool rows_has(const struct rows *w, int i) /* some row may have a value */
{
	return w->col[i] >= 0 || w->fixed[i].p;
}

/* Spoil the row. */
void rows_bad(struct rows *w, int i, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Value of a cell that must not be empty. */
struct sv rows_need(struct rows *w, int i);
/* Cells with values; an empty one leaves *ret as it is and is false. */
/* RFC 3339; plain numbers of 9 and more digits are seconds since 1970 */
bool rows_time(struct rows *w, int i, int64_t *ret_ms);
/* NaN, N/A, null and - count as empty */
bool rows_f64(struct rows *w, int i, double lo, double hi, double *ret);
bool rows_i64(struct rows *w, int i, int64_t lo, int64_t hi, int64_t *ret);
bool rows_dec(struct rows *w, int i, dec *ret);
/* per hour: 0 to 10 million */
bool rows_price(struct rows *w, int i, dec *ret);
bool rows_milli(struct rows *w, int i, int64_t *ret); /* "0.5" -> 500, >= 0 */
/* "1.5" -> 1500, >= 0; also spans: "2h" */
bool rows_seconds(struct rows *w, int i, int64_t *ret_ms);
bool rows_bool(struct rows *w, int i, bool *ret); /* true yes 1 / false no 0 */

/* After the last cell: true when the row is good; else it was rejected and *rc says whether to go
 * on (0) or to stop. */
bool rows_good(struct rows *w, int *rc, struct err *err);

/* A column is there that rows_open() would bind to this name: for detect functions. */
bool rows_named(const struct sv *col, size_t ncol, const char *name);
/* All of them; name ends with NULL. */
static inline bool rows_named_all(const struct sv *col, size_t ncol, const char *const *name)
{
	for (; *name; name++)
		if (!rows_named(col, ncol, *name))
			return false;
	return true;
}
#define ROWS_NAMED(col, ncol, ...) \
	rows_named_all(col, ncol, (const char *const[]){ __VA_ARGS__, NULL })

/* Offset of --set utc_offset ("+02:00", "Z"), 0 without; -EINVAL. */
int rows_utc_offset(const struct feed_run *r, int *ret_s, struct err *err);
/* Note where what was read may be on both sides of a change of clocks: after the last row. */
void rows_note_clocks(const struct feed_run *r);
/* Does the time hang on that offset? */
bool rows_lacks_zone(struct sv time);

#endif
