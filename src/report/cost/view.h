#ifndef TARE_REPORT_COST_VIEW_H
#define TARE_REPORT_COST_VIEW_H
/* What table, Markdown and HTML share: the grid of a block and the sentences around it. */
#include "report/cost/cube.h"
#include "report/grid.h"

/* width: where names would have to be cut to fit it, shares by state are left out, the least
 * telling first; 0 = all. g zero-initialised. */
void view_grid(const struct report_in *in, const struct cube_block *k, int width, struct grid *g);
/* "30 days to 2026-11-20 · effective cost, USD · 8,412 GPU·h paid · 96 % measured". In arena a. */
char *view_title(struct arena *a, const struct report_in *in, const struct cube_block *k);
/* "Bill 26,990.19 · ledger 26,990.19 · difference 0.00 · unpriced 0 GPU·h" and what has to be said
 * beside it; lines end in "\n". */
char *view_reconcile(struct arena *a, const struct report_in *in, const struct cube_block *k);
/* How many lines of the bill have no cost in this basis, and what was invoiced, or "": nothing else
 * tells that they are in no sum. */
const char *view_uncosted(struct arena *a, const struct report_in *in,
			  const struct report_reconcile *r);
/* The sentence on the largest idle, or "". */
char *view_hint(struct arena *a, const struct report_in *in, const struct cube_block *k);
/* What a row is called in the column of its dimension i. */
const char *view_dim_text(struct arena *a, const struct report_in *in, const struct cube_row *r,
			  size_t i);
/* A row in a sentence: "search/ranker". */
char *view_row_words(struct arena *a, const struct report_in *in, const struct cube_row *r);
/* A value as --where takes it. */
const char *view_filter_value(struct arena *a, const char *name);
/* Sentence s folded at width into lines that end in "\n". */
void view_fold(struct str *out, const char *s, int width);

/* The ledger's side of the reconcile line: what comes from bills where a bill is there, else all of
 * it; and what it lacks. */
dec reconcile_ledger(const struct report_reconcile *r);
/* No amount is known and time is without a price: a sum of nothing is not 0. */
bool reconcile_blank(const struct report_in *in, const struct cube_row *total,
		     const struct report_reconcile *r);
/* A bill of whose lines none has a cost in this basis. */
bool reconcile_none_known(const struct report_reconcile *r);
dec reconcile_difference(const struct report_reconcile *r);
/* Fraction digits for money: 2, or 6 where all of it is below one unit. */
int view_money_digits(const struct cube_block *k);
int view_hour_digits(int64_t ms);
#endif
