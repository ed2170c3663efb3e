#ifndef TARE_ANSWER_FOCUS_H
#define TARE_ANSWER_FOCUS_H
/*
 * The entries of the ledger and the bill lines that they split (report/invoice/focus.h): a day at a
 * time, so that memory does not grow with the window. A bill line within a day is split by that
 * day's entries; longer ones (monthly fees) wait and are split by the entries of their whole
 * period, all lines of one period together.
 */
#include "answer/report.h"

struct focus_sink {
	void *ctx;
	/* of an interval of time; then the lines within it (scope: whose entries pay for it, "" =
	 * none) */
	void (*entry)(void *ctx, const struct entry *e);
	int (*line)(void *ctx, const struct bill_line *b, struct sv scope, struct err *err);
	/* a day had all its lines: what is left of its entries no bill covers */
	int (*unbilled)(void *ctx, struct err *err);
	void (*clear)(void *ctx); /* the entries so far are no more */
};
/* q: its window is set (report_window()). */
int answer_focus(const struct report_ask *q, const struct focus_sink *to, struct err *err);
#endif
