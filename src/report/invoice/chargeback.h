#ifndef TARE_REPORT_INVOICE_CHARGEBACK_H
#define TARE_REPORT_INVOICE_CHARGEBACK_H
/*
 * Showback and chargeback: per team (or whatever the first dimension is) what it used itself by
 * kind, its share of what nobody used, its share of the shared teams' cost. With what stays with
 * nobody, the lines close to the ledger, and with the rounding and the difference to the bill.
 * in->dim must have "kind" among its dimensions or attributes.
 *
 *   showback    a table of teams: direct, idle share, shared share, total; JSON "tare.showback/1"
 *   chargeback  invoice lines per team; CSV is a journal with one line a row; JSON
 *               "tare.chargeback/1"
 */
#include "report/col.h"
#include "report/cost/report.h"

enum charge_mode { CHARGE_SHOWBACK, CHARGE_CHARGEBACK };
/* 0 or -EINVAL. Formats but HTML. */
int chargeback_print(const struct report_in *in, enum charge_mode mode, enum out_format f,
		     struct str *out, struct err *err);
extern const struct col_doc showback_doc, chargeback_doc;
#endif
