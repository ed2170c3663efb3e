#ifndef TARE_REPORT_COST_REPORT_H
#define TARE_REPORT_COST_REPORT_H
/*
 * Presentation: from sums of the ledger to a table, JSON, CSV, Markdown, one HTML file, FOCUS rows.
 * Knows no store: the command brings the rows. Amounts stay exact (dec) until they are printed;
 * every amount says its basis and period. Currencies are never added: several give a block each.
 * Unknown is printed as "-" and null, never as 0.
 *
 *   report_print() cost and GPU time by dimensions, all formats (table.c json.c csv.c html.c)
 *   chargeback_print()  invoice lines: direct + idle share + shared share      (chargeback.h)
 *   kpi_print()         cost per job, request and token, time-to-value, ...    (kpi.h)
 *   tags_print()        what part of the cost has the required tags            (tags.h)
 *   focus_*             FOCUS 1.3 rows with split allocation                   (focus.h)
 */
#include <stdio.h>
#include "answer/compare.h"
#include "answer/exchanged.h"
#include "answer/report.h"
#include "answer/series.h"
#include "base/err.h"
#include "base/mem.h"
#include "ledger/conf.h"
#include "ledger/split.h"
#include "model/model.h"

enum out_format { OUT_TABLE, OUT_JSON, OUT_CSV, OUT_MD, OUT_HTML, OUT_XLSX };
/* For whom it is printed. */
struct out_as {
	enum out_format format;
	int width; /* columns of the terminal */
	bool colour;
};

/* SORT_CHANGE: beside another window, the largest difference first, up or down */
enum report_sort { SORT_COST, SORT_GPU_SECONDS, SORT_NAME, SORT_WASTE, SORT_CHANGE };

struct report_in {
	const char *const *dim; /* [ndim + nattr] names, such as "team", "tag:app" */
	size_t ndim;            /* shown */
	/* further ones, only for the split of idle cost: what its rules look at, "kind" */
	size_t nattr;
	const struct report_cell *cell;
	size_t ncell;
	/* the same by day (dim[0]) for the plot of the HTML page, or none */
	const struct report_cell *day;
	size_t nday;
	/* none where amounts were exchanged: then each currency has its own there */
	const struct report_reconcile *reconcile;
	size_t nreconcile;
	bool ends_untold;         /* nobody told how a job ended: what was lost is not known */
	bool accounts_teamless;   /* as in struct report_answer */
	const char *nameless;     /* the same; NULL */
	const char *exchanged_to; /* the currency of --currency, NULL: not asked */
	const struct report_exchanged *exchanged;
	size_t nexchanged;
	int64_t since_ms, until_ms; /* of the data shown; UNKNOWN_MS = open */
	int64_t data_until_ms;      /* as of struct report_ask */
	enum basis basis;
	enum idle_split split;
	const struct conf *conf; /* NULL: USD, no rules */
	const char *where;       /* the filter in words, or NULL */
	/* "tare report --where env=prod": the command that asks for this without --by and --sort,
	 * for the next one that is proposed; NULL: tare report */
	const char *again;
	enum report_sort sort;
	bool sort_given; /* else time goes by name, a comparison by its changes */
	const struct compare_answer *compare; /* beside another window; NULL: not */
	const char *compare_with;             /* "previous", as asked */
	/* columns beside the rows: the cost by the values of a dimension (--pivot), or over time
	 * for a trend; NULL: none */
	const struct report_series *pivot, *trend;
	/* every step of the last dimension, which is a time: those without an entry become rows */
	const struct report_steps *steps;
	size_t top;       /* rows per currency, and one of the rest; 0: all */
	bool trend_asked; /* it stands whether or not there is room */
	bool ascii;       /* a terminal that has no other characters */
	/* rows shown per currency, 0 = all; what is left out is summed in a line */
	size_t limit;
	bool colour;
	int width;      /* columns of the terminal, 0 = 80 */
	int64_t now_ms; /* printed on the HTML page, UNKNOWN_MS = not */
};

/*
 * Print all of it to the end of *out. Returns 0 or -EINVAL (a split that these dimensions cannot
 * have; more than 2^31 rows). O(cells log cells) time, O(rows) memory beside the output.
 */
int report_print(const struct report_in *in, enum out_format f, struct str *out, struct err *err);
/* For people, below a table without rows: where the ledger has some, and which value of the filter
 * nothing has. Nothing is said of an empty ledger. */
void report_say_span(const struct report_answer *a, struct str *out);
/* On stderr: a tag was asked for that nothing has; which there are. */
void report_say_tags(const struct report_answer *a, struct str *out);
/* On stderr, of a chargeback: a shared team of the settings that no team is, but for a letter. */
void report_say_shared(const struct report_in *in, struct str *out);
/* Beside a CSV, which has no place for it, on stderr: how many lines of the bills have no cost. */
void report_say_uncosted(const struct report_in *in, struct str *out);
/* Below blocks of several currencies: how they come into one. */
void report_say_currencies(const struct report_in *in, struct str *out);
#endif
