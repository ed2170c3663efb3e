#ifndef TARE_FEED_BILL_BILL_ROWS_H
#define TARE_FEED_BILL_BILL_ROWS_H
/*
 * Rows of a bill, cell by cell. The hot path of every import: columns are bound once, texts that
 * repeat from row to row (periods, accounts) are read once, nothing is allocated per row. The first
 * cell that cannot be read spoils the row.
 */
#include "base/clean.h"
#include "feed/bill/bill.h"
#include "feed/feed.h"

#define BILL_MAX_COLS 96 /* that one feed may read */
#define BILL_SUMS     4

enum bill_sum { SUM_BILLED, SUM_EFFECTIVE, SUM_LIST, SUM_CONTRACTED };

struct bill_sums { /* of one currency */
	dec sum[BILL_SUMS];
	int64_t known[BILL_SUMS], unknown[BILL_SUMS]; /* rows */
};

struct bill_time_cache { /* the text read last */
	char text[40];
	size_t n;
	int64_t ms;
};

struct bill_rows {
	struct feed_run *r;
	struct bill_classifier *classifier;
	int col[BILL_MAX_COLS];             /* column of the table, -1 = not there */
	struct sv fixed[BILL_MAX_COLS];     /* by --set, where the cell is empty or not there */
	const char *const *name;            /* [n]; alternatives separated by | */
	char field_name[BILL_MAX_COLS][80]; /* the one that is in the file */
	size_t n;
	bool quoted; /* texts are those of our own export: see FOCUS_QUOTED */
	const struct sv *cell;
	const char *bad; /* field that spoiled the row */
	int32_t row;     /* 1: no line stands for it yet */
	char why[200];
	struct bill_time_cache time[BILL_MAX_COLS];
	struct sv last_tags; /* the object read last, in tags_buf; longer ones are read each time */
	char tags_buf[512];
	struct str tags_given, tags_form; /* of the last row with tags, and their one form */
	bool has_sum[BILL_SUMS];          /* print this sum */
	struct intern currencies;
	VEC(struct bill_sums) sums;       /* by number in currencies */
	int64_t negative_usage, bad_tags; /* rows */
	struct bill_days {
		bool month_first; /* a day above 12 says so */
		/* rows that their billing period has only with the day first; that may be either */
		int64_t swapped, either;
		int64_t line; /* of the first of the swapped, of either where there is none */
		char text[40];
	} days;
	int64_t unknown_machines;        /* rows: bill_is_unknown_machine() */
	char unknown_type[80];           /* of the first of them */
	bool used_gpu;                   /* a row needed what the evidence says of its GPU */
	struct intern words;             /* unusual words that were reported */
	struct str account, sub_account; /* of the row, in one form (model/cloud_id.h) */
};

/* A column is there that bill_rows_open() would bind to one of "A|B": for detect functions. */
bool bill_named(const struct sv *col, size_t ncol, const char *names);

/*
 * name: NULL-terminated, at most BILL_MAX_COLS, borrowed; each is one column or alternatives "A|B",
 * the first that the file has counts. needed: numbers of columns that must be there, ended by -1,
 * or NULL. Close also after an error. -EINVAL: a column that is needed is not there, or --set names
 * one that this feed does not read.
 */
int bill_rows_open(struct bill_rows *w, struct feed_run *r, const char *const *name,
		   const int *needed, struct err *err);
void bill_rows_close(struct bill_rows *w);
/* Next row that has the right number of cells: 1, 0 at the end, negative. -EINVAL at the end: its
 * days were read the wrong way round (bill_note_day()). */
int bill_rows_next(struct bill_rows *w, struct err *err);

/* NULL in any case counts as nothing, and so do blanks. */
static inline struct sv bill_text(const struct bill_rows *w, int i)
{
	struct sv v = SV_NULL;

	if (w->col[i] >= 0)
		v = w->cell[w->col[i]];
	while (v.n && v.p[v.n - 1] == ' ')
		v.n--;
	while (v.n && v.p[0] == ' ') {
		v.p++;
		v.n--;
	}
	if (w->quoted)
		v = cell_plain(v);
	if (!v.n)
		return w->fixed[i];
	if (v.n == 4 && (v.p[0] | 32) == 'n' && sv_ieq(v, SV("null")))
		return w->fixed[i];
	return v;
}
static inline bool bill_has(const struct bill_rows *w, int i)
{
	return w->col[i] >= 0 || w->fixed[i].p;
}
/* What is wrong with column i spoils the row; the first thing counts. */
void bill_bad(struct bill_rows *w, int i, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
bool bill_dec(struct bill_rows *w, int i, dec *ret);    /* a number; false where there is none */
bool bill_amount(struct bill_rows *w, int i, dec *ret); /* money that fits the ledger */
/* The same where a row without it adds nothing. */
static inline dec bill_amount_or_zero(struct bill_rows *w, int i)
{
	dec v = 0;

	if (bill_amount(w, i, &v))
		return v;
	return 0;
}
/* RFC 3339 and relatives, M/D/Y where the text has slashes; UNKNOWN_MS where there is none. */
int64_t bill_time(struct bill_rows *w, int i);
/* When a line's usage began and ended, of columns from and to; without an end it is of one moment.
 * No beginning, or one behind the end, spoils the row. */
void bill_usage_time(struct bill_rows *w, int from, int to, struct bill_line *ret);
/*
 * The day of a line, column i, beside its billing period: 01/09/2026 is 9 January and may be meant
 * as 1 September. A file of which no day is above 12 and rows lie in their period only when read
 * with the day first is refused by bill_rows_next() at its end; where nothing tells, a note says
 * how it was read.
 */
void bill_note_day(struct bill_rows *w, int i, const struct bill_line *b);
/* tags: an object, else {NULL,0} and counted */
struct sv bill_json(struct bill_rows *w, int i);

/* A line that waits takes the row it is of along. */
static inline void bill_take_row(struct bill_rows *w, struct bill_line *b)
{
	b->rows += w->row;
	w->row = 0;
}
/* The row is complete: classify, check, give to the sink, add to the sums. 0 or negative. */
int bill_give(struct bill_rows *w, struct bill_line *b, const struct bill_evidence *e,
	      struct err *err);
/* After reading a row: true when it is good; else it was rejected and *rc says whether to go on. */
bool bill_good(struct bill_rows *w, int *rc, struct err *err);
/* A word outside of the list a column should hold is told once. */
void bill_word(struct bill_rows *w, const char *column, struct sv word);

#endif
