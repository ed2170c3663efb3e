/* Readings that are not those that were imported: store/readings.c. tests/fault/flip hits the files
 * themselves. */
#include <errno.h>
#include <math.h>
#include <sqlite3.h>

#include "common.h"
#include "store/duck/inside.h"
#include "store/inside.h"

#define BLOCKS 50

static void add_file(struct store *s, const char *node, const char *hash)
{
	struct err err;
	struct sample v = { .step_ms = 1000 }; /* a block each hour */
	for (int m = 0; m < METRIC_N; m++)
		v.value[m] = NAN;
	begin(s);
	for (int h = 0; h < BLOCKS; h++) {
		v.t_ms = H(h);
		v.value[0] = h;
		struct sample_key k = { .node = sv_of(node), .gpu = h % 2 ? SV("1") : SV("0") };
		fine(store_add_sample(s, 0, &k, &v, &err), &err);
	}
	commit(s, hash);
}

static void two_files(void)
{
	struct store *s = open_store(STORE_WRITE);
	add_file(s, "n1", "x");
	add_file(s, "n2", "y");
	store_close(s);
}

static void change(const char *sql)
{
	char path[300];
	sqlite3 *db;
	snprintf(path, sizeof path, "%s/telemetry.db", test_dir);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

/* Everything is read. */
static int look(enum store_mode mode, size_t *ret_n, struct err *err)
{
	struct arena a = { 0 };
	struct series *v;
	struct sample_cursor *c = NULL;
	struct sample x;
	struct store *s = NULL;
	size_t n = 0, i;
	*ret_n = 0;
	err_clear(err);
	int r = store_open(test_dir, mode, 0, "tare test", &s, err);
	r = r ? r : store_series(s, NULL, &a, &v, &n, err);
	r = r ? r : store_samples(s, v, n, SPAN_ALL, &c, err);
	while (r == 0 && (r = sample_cursor_next(c, &i, &x, err)) > 0) {
		++*ret_n;
		r = 0;
	}
	sample_cursor_close(c);
	store_close(s);
	arena_free(&a);
	return r;
}

static void whole(void)
{
	struct err err;
	size_t n;
	for (enum store_mode m = STORE_READ; m <= STORE_WRITE; m++) {
		fine(look(m, &n, &err), &err);
		assert_int_equal(n, 2 * BLOCKS);
	}
}

static void damaged(const char *what)
{
	struct err err;
	size_t n;
	for (enum store_mode m = STORE_READ; m <= STORE_WRITE; m++) {
		assert_int_equal(look(m, &n, &err), -EBADMSG);
		assert_int_equal(n, 0);
		assert_non_null(strstr(err.msg, "/telemetry.db' is "));
		if (!strstr(err.msg, what))
			print_error("%s\n", err.msg);
		assert_non_null(strstr(err.msg, what));
		assert_true(*err.hint);
	}
}

static void what_came_in_is_there(void **state)
{
	two_files();
	whole();
}

static void a_block_is_lost(void **state)
{
	two_files();
	change("DELETE FROM block WHERE id = 7");
	damaged("the readings of 'a.csv' are not those that were imported");
}

static void a_block_is_there_twice(void **state)
{
	two_files();
	change("INSERT INTO chunk SELECT id + 32000, n, min, max, sum, data FROM chunk WHERE id / 32 = 7;"
	       "INSERT INTO block SELECT 1007, series, hour, src, from_ms + 1, to_ms, n, hash, span FROM block WHERE id = 7");
	damaged("the readings of 'a.csv' are not those that were imported");
}

static void a_time_is_another(void **state)
{
	two_files();
	change("UPDATE block SET to_ms = to_ms + 1 WHERE id = 7");
	damaged("'a.csv'");
}

static void a_name_is_another(void **state)
{
	two_files();
	change("UPDATE series SET node = 'n3' WHERE node = 'n2' AND gpu = '1'");
	damaged("'a.csv'");
}

static void both_files_are_named(void **state)
{
	two_files();
	change("UPDATE block SET n = n + 1");
	damaged("the readings of 'a.csv', 'a.csv' are not");
}

/* The row of the index is not that of the table: as a lost page of the index has it. */
static void an_index_is_another(void **state)
{
	two_files();
	change("PRAGMA writable_schema = ON;"
	       "CREATE TABLE other (series INTEGER, hour INTEGER, src INTEGER, from_ms INTEGER, to_ms INTEGER);"
	       "INSERT INTO other (rowid, series, hour, src, from_ms, to_ms) SELECT id, series, hour, src, from_ms, to_ms FROM block WHERE id <> 7;"
	       "CREATE INDEX other_series ON other (series, hour, src, from_ms, to_ms);"
	       "UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'other_series') WHERE name = 'block_series';");
	damaged("its index of blocks is not that of its blocks");
}

static void a_column_is_lost(void **state)
{
	struct err err;
	size_t n;
	two_files();
	change("DELETE FROM chunk WHERE id = 7 * 32 + 1");
	assert_int_equal(look(STORE_READ, &n, &err), -EBADMSG);
	assert_non_null(strstr(err.msg, "'a.csv'"));
}

/* Byte of the number of block b's second chunk in its page; the length of the row's head comes
 * behind it, and the NULL that stands for the number. */
static long number_at(const unsigned char *data, size_t size, int b)
{
	const unsigned char row[] = { 0x80 + (b * 32 + 1) / 128, (b * 32 + 1) % 128, 7, 0 };
	const unsigned char *p = memmem(data, size, row, sizeof row);
	assert_non_null(p);
	return p - data;
}

/* Rows in a page out of their order: a search may come by the chunk of another block. */
static void a_chunk_is_out_of_order(void **state)
{
	static unsigned char data[1 << 20];
	char path[300];
	struct err err;
	size_t n;
	two_files();
	snprintf(path, sizeof path, "%s/telemetry.db", test_dir);
	FILE *f = fopen(path, "r+b");
	assert_non_null(f);
	size_t size = fread(data, 1, sizeof data, f);
	for (int b = 4; b < 24; b++) {
		long at = number_at(data, size, b);
		fseek(f, at, SEEK_SET);
		fputc(0x80, f); /* less than 128 */
		fflush(f);
		assert_int_equal(look(STORE_READ, &n, &err), -EBADMSG);
		assert_non_null(strstr(err.msg, "'a.csv'"));
		fseek(f, at, SEEK_SET);
		fputc(data[at], f);
		fflush(f);
	}
	fclose(f);
	whole();
}

static void the_file_is_lost(void **state)
{
	char path[300];
	two_files();
	snprintf(path, sizeof path, "%s/telemetry.db", test_dir);
	assert_int_equal(unlink(path), 0);
	damaged("is missing, which has the readings of 'a.csv', 'a.csv'");
	assert_int_equal(access(path, F_OK), -1);
}

/* SQL in the file of the facts, as nobody else does. */
static void in_facts(const char *sql)
{
	struct err err;
	char path[300];
	duckdb_database db;
	duckdb_connection con;
	snprintf(path, sizeof path, "%s/facts.duckdb", test_dir);
	assert_int_equal(duck.open_ext(path, &db, NULL, NULL), DuckDBSuccess);
	assert_int_equal(duck.connect(db, &con), DuckDBSuccess);
	fine(sql_exec(con, sql, "test", &err), &err);
	duck.disconnect(&con);
	duck.close(&db);
}

/* What is out of force is not asked for. */
static void what_was_replaced_may_be_damaged(void **state)
{
	struct err err;
	size_t n;
	two_files();
	change("DELETE FROM block WHERE src >> 20 = 1 AND id = 7");
	in_facts("INSERT INTO reversal VALUES (2, 1048576)");
	fine(look(STORE_READ, &n, &err), &err);
	assert_int_equal(n, BLOCKS);
}

/* As the version before left it. */
static void make_older(void)
{
	in_facts(
		"CREATE TABLE flat AS SELECT * FROM ledger; DROP VIEW ledger; DROP TABLE ledger_row; DROP TABLE ledger_what; DROP TABLE ledger_who; ALTER TABLE flat RENAME TO ledger; "
		"CREATE TABLE flat AS SELECT * EXCLUDE (place, owner, shape) FROM allocation; DROP VIEW allocation; DROP TABLE allocation_row; DROP TABLE allocation_place; DROP TABLE allocation_owner; DROP TABLE allocation_shape; ALTER TABLE flat RENAME TO allocation; "
		"ALTER TABLE bill DROP COLUMN file_rows; ALTER TABLE bill_gpu DROP COLUMN file_rows; DROP TABLE ledger_bill; ALTER TABLE request DROP COLUMN prefill_ms; ALTER TABLE request DROP COLUMN decode_ms; DROP TABLE reading_sum; DROP TABLE bill_part_reversal; DROP TABLE exchange_rate; DROP TABLE curve; DROP TABLE presence; ALTER TABLE bill DROP COLUMN capacity_id; ALTER TABLE bill DROP COLUMN capacity_status; ALTER TABLE bill_gpu DROP COLUMN capacity_id; ALTER TABLE bill_gpu DROP COLUMN capacity_status; DELETE FROM schema_version WHERE version >= 7; CHECKPOINT");
	change("CREATE INDEX series_node ON series (node); ALTER TABLE block DROP COLUMN hash; ALTER TABLE block DROP COLUMN span; PRAGMA user_version = 1");
}

static void an_older_store_gets_them(void **state)
{
	struct err err;
	size_t n;
	two_files();
	make_older();
	fine(look(STORE_READ, &n, &err), &err);
	assert_int_equal(n, 2 * BLOCKS);
	whole();
	change("DELETE FROM block WHERE id = 7");
	damaged("'a.csv'");
}

static void a_damaged_older_store_gets_none(void **state)
{
	struct err err;
	size_t n;
	two_files();
	make_older();
	change("UPDATE chunk SET data = x'0102030405' WHERE id = 7 * 32 + 1");
	assert_int_equal(look(STORE_WRITE, &n, &err), -EBADMSG);
	assert_non_null(strstr(err.msg, "/telemetry.db' is damaged"));
	assert_int_equal(look(STORE_WRITE, &n, &err), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, fresh_dir, remove_dir)
		T(what_came_in_is_there),
		T(a_block_is_lost),
		T(a_block_is_there_twice),
		T(a_time_is_another),
		T(a_name_is_another),
		T(both_files_are_named),
		T(an_index_is_another),
		T(a_column_is_lost),
		T(a_chunk_is_out_of_order),
		T(the_file_is_lost),
		T(what_was_replaced_may_be_damaged),
		T(an_older_store_gets_them),
		T(a_damaged_older_store_gets_none),
#undef T
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
