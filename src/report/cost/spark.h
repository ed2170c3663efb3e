#ifndef TARE_REPORT_COST_SPARK_H
#define TARE_REPORT_COST_SPARK_H
/* A course over time in a few characters, from 0 to its own highest value. */
#include "base/mem.h"

/* How many of n steps a character stands for, where at most `chars` may be used. */
size_t spark_each(size_t n, size_t chars);
/*
 * "▂▄█▁·": the higher the mean of its steps, the fuller a character; "▁" is 0 or less (a credit),
 * "·" a time of which nothing is known. With ascii "_.-=+*#" and " ". v [n], NAN is unknown; where
 * a character stands for several steps the last ones are whole. In arena a.
 */
const char *spark_text(struct arena *a, const double *v, size_t n, size_t chars, bool ascii);
#endif
