#ifndef TARE_STORE_DUCK_BULK_H
#define TARE_STORE_DUCK_BULK_H
/*
 * Bulk appends: rows are collected column by column into chunks of 2,048 and handed to DuckDB
 * whole; four times as fast as appending value by value. Cells are given in the order of the
 * table's columns:
 *
 *   bulk_i64(b, hour); bulk_text(b, team); ...; r = bulk_end_row(b, err);
 *
 * Texts are copied; what is no UTF-8 in them is read as Latin-1, because DuckDB takes text on
 * trust.
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/dec.h"
#include "base/err.h"
#include "base/str.h"
#include "store/duck/duck.h"

struct bulk;
struct writer;
/* The columns are those of the table as it is in the store. catalog: the attached file that has
 * it, NULL: the one that is open. writer: where the thread for large imports is kept, or NULL. */
int bulk_new(duckdb_connection con, const char *catalog, const char *table, struct writer **writer,
	     struct bulk **ret, struct err *err);
/* Rows given so far reach DuckDB (within the connection's transaction). */
int bulk_flush(struct bulk *b, struct err *err);
/* Drop what was not flushed. NULL is fine. */
void bulk_free(struct bulk *b);

void bulk_i8(struct bulk *b, int v);
void bulk_i32(struct bulk *b, int32_t v);
void bulk_i64(struct bulk *b, int64_t v); /* INT64_MIN, every UNKNOWN, is stored as NULL */
void bulk_f64(struct bulk *b, double v);  /* finite */
void bulk_huge(struct bulk *b, __int128 v);
void bulk_dec(struct bulk *b, bool has, dec v); /* NULL where !has */
void bulk_sv(struct bulk *b, struct sv v);      /* {NULL,0} is stored as NULL */
void bulk_text(struct bulk *b, struct sv v);    /* {NULL,0} is stored as '' */
void bulk_blob(struct bulk *b, const void *p, size_t n);
int bulk_end_row(struct bulk *b, struct err *err);

#endif
