#ifndef TARE_ANSWER_CENTERS_H
#define TARE_ANSWER_CENTERS_H
/*
 * The cost centres of teams as a table that somebody else keeps: a CSV file (.gz and .zst as they
 * are) with the columns team and cost_center, in any order and among others.
 */
#include "base/err.h"
#include "ledger/conf.h"

#define CENTERS_MAX 10000 /* rows */

/*
 * Add the rows of the file that invoice.cost_centers_file names behind those that c has; nothing
 * where none is named. Patterns as in the settings; a row that is there twice counts once.
 * 0; -EINVAL: a column is missing, a cell is empty, a team has two codes; -E2BIG: over CENTERS_MAX
 * rows; or what the reader gives: the sentence names file, line and field.
 */
int centers_load(struct conf *c, struct err *err);

#endif
