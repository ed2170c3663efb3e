#include <errno.h>

#include "common.h"
#include "store/duck/sql.h"

static char file[300];

static void write_parquet(const char *select)
{
	struct err err;
	duckdb_database db;
	duckdb_connection con;
	struct str sql = { 0 };
	fine(duck_load(&err), &err);
	snprintf(file, sizeof file, "%s/it's a file.parquet", test_dir);
	str_addf(&sql, "COPY (%s) TO ", select);
	sql_quote(&sql, sv_of(file));
	str_addz(&sql, " (FORMAT parquet)");
	assert_int_equal(duck.open_ext(NULL, &db, NULL, NULL), DuckDBSuccess);
	assert_int_equal(duck.connect(db, &con), DuckDBSuccess);
	fine(sql_exec(con, "SET TimeZone = 'America/New_York'", "prepare the test", &err), &err);
	fine(sql_exec(con, sql.p, "prepare the test", &err), &err);
	duck.disconnect(&con);
	duck.close(&db);
	str_free(&sql);
}

static void types(void **state)
{
	static const struct {
		const char *name, *text;
	} want[] = {
		{ "Cost", "119.034538765432" },
		{ "n", "-7" },
		{ "t", "2024-09-18T22:00:00Z" },
		{ "tz", "2024-09-18T22:00:00Z" },
		{ "ms", "2024-09-18T22:00:00.25Z" },
		{ "d", "2024-09-18" },
		{ "s", "{\"a\":1,\"b\":\"x\"}" },
		{ "m", "{\"k\":\"v\"}" },
		{ "l", "[1,2]" },
		{ "b", "true" },
		{ "f", "1.5" },
		{ "odd \"name\"", "y" },
		{ "none", NULL },
		{ "empty", "" },
		{ "blob", "raw" },
	};
	struct err err;
	struct tab *t;
	const struct sv *cell;
	write_parquet(
		"SELECT 119.034538765432::DECIMAL(38,12) AS \"Cost\", -7 AS n, TIMESTAMP '2024-09-18 22:00:00' AS t, "
		"TIMESTAMPTZ '2024-09-18 22:00:00+00' AS tz, TIMESTAMP_MS '2024-09-18 22:00:00.25' AS ms, DATE '2024-09-18' AS d, "
		"{'a': 1, 'b': 'x'} AS s, MAP {'k': 'v'} AS m, [1, 2] AS l, true AS b, 1.5::DOUBLE AS f, 'y' AS \"odd \"\"name\"\"\", "
		"NULL::VARCHAR AS none, '' AS empty, 'raw'::BLOB AS blob");
	fine(store_parquet_open(file, &t, &err), &err);
	assert_string_equal(t->format, "parquet");
	assert_int_equal(t->ncol, sizeof want / sizeof *want);
	assert_int_equal(tab_next(t, &cell, &err), 1);
	assert_int_equal(t->line, 1);
	for (size_t i = 0; i < t->ncol; i++) {
		assert_true(sv_is(t->col[i], want[i].name));
		if (!want[i].text)
			assert_null(cell[i].p);
		else if (!sv_is(cell[i], want[i].text))
			fail_msg("%s: '%.*s' instead of '%s'", want[i].name, SVF(cell[i]),
				 want[i].text);
		else
			assert_non_null(cell[i].p);
	}
	assert_int_equal(tab_next(t, &cell, &err), 0);
	tab_close(t);
}

static void many_rows(void **state)
{
	struct err err;
	struct tab *t;
	const struct sv *cell;
	int64_t n = 0, v, sum = 0;
	int r;
	write_parquet("SELECT i AS id, 'text number ' || i AS text FROM range(300000) t(i)");
	fine(store_parquet_open(file, &t, &err), &err);
	while ((r = tab_next(t, &cell, &err)) > 0) {
		n++;
		assert_int_equal(sv_i64(cell[0], &v), 0);
		sum += v;
		assert_true(sv_ends(cell[1], cell[0]));
	}
	fine(r, &err);
	assert_int_equal(n, 300000);
	assert_int_equal(sum, 300000LL * 299999 / 2);
	assert_int_equal(t->line, n);
	tab_close(t);
}

static void no_parquet(void **state)
{
	struct err err = { 0 };
	struct tab *t;
	snprintf(file, sizeof file, "%s/none.parquet", test_dir);
	assert_int_equal(store_parquet_open(file, &t, &err), -ENOENT);
	assert_non_null(strstr(err.msg, file));
	FILE *f = fopen(file, "w");
	fputs("PAR1 but then nothing of the kind PAR1", f);
	fclose(f);
	assert_true(store_parquet_open(file, &t, &err) < 0);
	assert_non_null(strstr(err.msg, file));
	snprintf(file, sizeof file, "%s/many*.parquet", test_dir);
	fclose(fopen(file, "w"));
	assert_int_equal(store_parquet_open(file, &t, &err), -EINVAL);
}

/* Half of a file, as after an interrupted copy. */
static void cut_short(void **state)
{
	struct err err = { 0 };
	struct tab *t;
	struct stat st;
	write_parquet("SELECT i AS id, 'text number ' || i AS text FROM range(300000) t(i)");
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(truncate(file, st.st_size / 2), 0);
	assert_true(store_parquet_open(file, &t, &err) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, fresh_dir, remove_dir)
		T(types),
		T(many_rows),
		T(no_parquet),
		T(cut_short),
#undef T
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
