#ifndef TARE_TOP_TOP_JSON_H
#define TARE_TOP_TOP_JSON_H
/* One poll as `tare.top/1`: everything the page shows, unknown as null, money as decimal text,
 * shares as _frac. */
#include "top/top_model.h"
void top_json(const struct top_model *m, struct str *out); /* one line, ends in a newline */
#endif
