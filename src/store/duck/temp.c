#include "store/duck/temp.h"

#define ROWS_MAX 1000 /* of one statement */

int temp_start(struct temp *t, duckdb_connection con, const char *table, const char *columns,
	       const char *doing, struct err *err)
{
	struct str sql = { 0 };
	*t = (struct temp){ .con = con, .table = table, .doing = doing };
	str_addf(&sql, "CREATE OR REPLACE TEMP TABLE %s (%s)", table, columns);
	int e = sql_exec(con, sql.p, doing, err);
	str_free(&sql);
	return e;
}

static int write_rows(struct temp *t, struct err *err)
{
	if (!t->n)
		return 0;
	str_addc(&t->sql, ')');
	t->n = 0;
	return sql_exec(t->con, t->sql.p, t->doing, err);
}

int temp_row(struct temp *t, struct err *err)
{
	int e = 0;
	if (t->n == ROWS_MAX)
		e = write_rows(t, err);
	if (e)
		return e;
	if (t->n++) {
		str_addz(&t->sql, "),(");
	} else {
		str_clear(&t->sql);
		str_addf(&t->sql, "INSERT INTO %s VALUES (", t->table);
	}
	return 0;
}

int temp_end(struct temp *t, int e, struct err *err)
{
	if (!e)
		e = write_rows(t, err);
	str_free(&t->sql);
	return e;
}
