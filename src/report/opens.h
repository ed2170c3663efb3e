#ifndef TARE_REPORT_OPENS_H
#define TARE_REPORT_OPENS_H
/* What a store now shows and what one file more would open, in a few lines for people. */
#include "answer/opens.h"
#include "base/str.h"

void opens_print(const struct opens *o, int width, struct str *out);

#endif
