#ifndef TARE_REPORT_COST_HIDDEN_H
#define TARE_REPORT_COST_HIDDEN_H
/*
 * tare report --hidden: what GPU work costs beside the GPUs. Of each row the bare compute (its own
 * GPU time, the host's share with it), the other kinds of cost (storage, egress, cross-zone,
 * network, licence, energy, unused commitments, other), with a split its share of idle GPUs, and
 *
 *   multiplier = total / bare compute
 *
 * which is unknown where there is no compute, or where some of it has no price.
 */
#include "report/col.h"
#include "report/cost/report.h"

/* in: with "kind" among its dimensions. Table, JSON ("tare.hidden/1"), CSV, Markdown. 0 or
 * -EINVAL. */
int hidden_print(const struct report_in *in, enum out_format f, struct str *out, struct err *err);
extern const struct col_doc hidden_doc;
#endif
