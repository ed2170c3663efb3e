#ifndef TARE_REPORT_INVOICE_CHARGE_LINES_H
#define TARE_REPORT_INVOICE_CHARGE_LINES_H
/*
 * The lines of a chargeback: of each row of the cube its direct cost by kind, its share of idle
 * and of shared cost; then what nobody is charged (time that nobody held and no split gave away),
 * and what the ledger lacks against the bill. The lines of a block add up exactly: table, journal
 * and invoices are made of the same ones.
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
};
typedef VEC(struct charge_line) charge_lines;

/* Add the lines of a row, or of all rows of a block with what is no row's; the caller frees them.
 * The kinds apart want "kind" among the dimensions of the cube. */
void charge_row_lines(const struct cube_row *r, charge_lines *out);
void charge_block_lines(const struct report_in *in, const struct cube_block *k, charge_lines *out);
dec charge_lines_sum(const charge_lines *l);
/* "GPU time", "share of idle (proportional)"; the row's dimensions, "vision/ranker". In arena a or
 * static. */
const char *charge_line_words(struct arena *a, const struct report_in *in,
			      const struct charge_line *l);
const char *charge_row_name(struct arena *a, const struct report_in *in, const struct cube_row *r);
#endif
