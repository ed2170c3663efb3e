#ifndef TARE_STORE_DUCK_VIEWS_H
#define TARE_STORE_DUCK_VIEWS_H
/* The views of store/query.h over the tables of schema.c: rows in force, the newest of what
 * overlapping imports tell, units in the names. */
#include "store/duck/inside.h"

/* Make them for this connection alone; call duck_load_reversed() before. */
int views_make(struct facts *f, struct err *err);

#endif
