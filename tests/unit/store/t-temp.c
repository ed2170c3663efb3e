/* Temporary tables that questions join with: more rows than one statement takes. */
#include "common.h"
#include "store/duck/temp.h"

static duckdb_database db;
static duckdb_connection con;

static int start(void **state)
{
	struct err err;
	fine(duck_load(&err), &err);
	assert_int_equal(duck.open_ext(NULL, &db, NULL, NULL), DuckDBSuccess);
	return duck.connect(db, &con) == DuckDBSuccess ? 0 : -1;
}

static int stop(void **state)
{
	duck.disconnect(&con);
	duck.close(&db);
	return 0;
}

/* n rows ("it's I", I), then how many there are, and their sum. */
static void fill(int n)
{
	struct temp t;
	struct err err;
	struct answer r;
	char name[32];
	int e = temp_start(&t, con, "x", "name VARCHAR, i BIGINT", "test", &err);
	for (int i = 0; e == 0 && i < n && (e = temp_row(&t, &err)) == 0; i++) {
		snprintf(name, sizeof name, "it's %d", i);
		sql_quote(&t.sql, sv_of(name));
		str_addf(&t.sql, ", %d", i);
	}
	fine(temp_end(&t, e, &err), &err);
	fine(answer_open(
		     &r,
		     &(struct sql_query){
			     con,
			     "SELECT count(*), coalesce(sum(i), 0)::BIGINT, count(DISTINCT name), "
			     "count(*) FILTER (name = 'it''s ' || i) FROM x",
			     "test" },
		     &err, ""),
	     &err);
	assert_int_equal(answer_next(&r, &err), 1);
	assert_int_equal(answer_i64(&r, 0), n);
	assert_int_equal(answer_i64(&r, 1), (int64_t)n * (n - 1) / 2);
	assert_int_equal(answer_i64(&r, 2), n);
	assert_int_equal(answer_i64(&r, 3), n);
	answer_close(&r);
}

static void every_row_is_there_once(void **state)
{
	static const int size[] = { 0, 1, 999, 1000, 1001, 2500, 2000, 3, 0 };
	for (size_t i = 0; i < sizeof size / sizeof *size; i++)
		fill(size[i]);
}

static void a_row_that_does_not_fit(void **state)
{
	struct temp t;
	struct err err;
	fine(temp_start(&t, con, "x", "i BIGINT", "look for it", &err), &err);
	fine(temp_row(&t, &err), &err);
	str_addz(&t.sql, "'no number'");
	assert_true(temp_end(&t, 0, &err) < 0);
	assert_non_null(strstr(err.msg, "cannot look for it"));
	/* an error of before stays the error, and nothing is written */
	fine(temp_start(&t, con, "x", "i BIGINT", "look for it", &err), &err);
	fine(temp_row(&t, &err), &err);
	str_addz(&t.sql, "1");
	assert_int_equal(temp_end(&t, -7, &err), -7);
	fill(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_is_there_once),
		cmocka_unit_test(a_row_that_does_not_fit),
	};
	return cmocka_run_group_tests(tests, start, stop);
}
