#ifndef TARE_STORE_DUCK_TEMP_H
#define TARE_STORE_DUCK_TEMP_H
/*
 * A temporary table that questions join with, filled by statements of many rows. Not by the bulk
 * appender: facts that are open for reading only refuse it, for temporary tables too.
 *
 *   e = temp_start(&t, con, "x", "name VARCHAR, n BIGINT", "do that", err);
 *   for (...; e == 0; ...)
 *       if ((e = temp_row(&t, err)) == 0) { sql_quote(&t.sql, name); str_addf(&t.sql, ",%d", n); }
 *   e = temp_end(&t, e, err);
 */
#include "store/duck/sql.h"

struct temp {
	duckdb_connection con;
	const char *table, *doing;
	struct str sql;
	size_t n; /* rows in it */
};
/* Makes the table, or empties it. doing completes "cannot ...". */
int temp_start(struct temp *t, duckdb_connection con, const char *table, const char *columns,
	       const char *doing, struct err *err);
/* The values of a row are to be appended to t->sql next: "a, b". */
int temp_row(struct temp *t, struct err *err);
/* Writes what is left where e is 0, and frees; gives e or its own error. */
int temp_end(struct temp *t, int e, struct err *err);

#endif
