#ifndef TARE_REPORT_INVOICE_CHARGE_LINES_H
#define TARE_REPORT_INVOICE_CHARGE_LINES_H
/*
 * The lines of a chargeback: of each row of the cube its direct cost by kind, its share of idle
 * and of shared cost; then what nobody is charged (time that nobody held and no split gave away),
 * and what the ledger lacks against the bill. The lines of a block add up exactly: table, journal
 * and invoices are made of the same ones. Printed amounts are rounded together, so that they add up
 * too: what is charged to each value of the first dimension, in it the rows, in a row its lines.
 */
#include "report/cost/cube.h"

enum charge_kind { LINE_DIRECT, LINE_IDLE, LINE_SHARED, LINE_REST, LINE_DIFFERENCE };
extern const char *const charge_line_names[]; /* "direct", "idle_share" ... by enum charge_kind */

struct charge_line {
	const struct cube_row *row; /* NULL: of no team */
	enum charge_kind line;
	int kind; /* of a direct line, -1 = all kinds */
	int64_t ms;
	dec amount;
	bool unpriced; /* the amount is not known */
	/* the amount as printed, in charge_unit() of its block; only of charge_block_lines() */
	int64_t units;
};
typedef VEC(struct charge_line) charge_lines;

/* Add the lines of a row, or of all rows of a block with what is no row's; the caller frees them.
 * The kinds apart want "kind" among the dimensions of the cube. */
void charge_row_lines(const struct cube_row *r, charge_lines *out);
void charge_block_lines(const struct report_in *in, const struct cube_block *k, charge_lines *out);
/* What is printed of each row of the block, in units of its charge_unit(); ret [k->nrow]. */
void charge_row_units(const struct cube_block *k, int64_t *ret);
dec charge_unit(const struct cube_block *k);
/* An amount that is printed as units; "<0.01" of less than one. In arena a. */
const char *charge_money(struct arena *a, const struct cube_block *k, int64_t units, dec amount);
dec charge_lines_sum(const charge_lines *l);
/* "GPU time", "share of idle (proportional)"; the row's dimensions, "vision/ranker". In arena a or
 * static. */
const char *charge_line_words(struct arena *a, const struct report_in *in,
			      const struct charge_line *l);
const char *charge_row_name(struct arena *a, const struct report_in *in, const struct cube_row *r);
#endif
