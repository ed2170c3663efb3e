#ifndef TARE_STORE_DIM_H
#define TARE_STORE_DIM_H
/* Values of dimensions that every engine keeps as numbers: enums of model.h, instants, a day as
 * 20240918, a week as 202438, a month as 202409, a quarter as 20243. Names: store.h. */
#include "store/store.h"

bool dim_is_number(enum dim d);
/* What is stored of "2024-09-18", "idle"; -1: no row can have it. */
int64_t dim_number(enum dim d, struct sv v);
/* The text of what is stored. */
struct sv dim_text(enum dim d, int64_t n, struct arena *a);

#endif
