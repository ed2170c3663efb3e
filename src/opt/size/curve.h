#ifndef TARE_OPT_SIZE_CURVE_H
#define TARE_OPT_SIZE_CURVE_H
/*
 * What the name of a metric tells: which way it is better, and whether it was measured on data that
 * the run did not learn from. Word by word ("val_loss", "eval/accuracy", "validation.wer"), in any
 * case.
 *
 * A loss is one whatever stands beside it ("score_loss"); else the last word known decides
 * ("error_recall"). Names that tell nothing are BETTER_UNKNOWN, and nothing is made of them:
 * whoever logs them says it in a column.
 */
#include <stdbool.h>

#include "model/model.h"

enum better curve_better(const char *metric);
bool curve_is_validation(const char *metric);

#endif
