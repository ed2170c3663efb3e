/* What the agent keeps: raw blocks back to the last digit, hours merged, room made on a full disk
 * with the minutes untouched, and two agents. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "../test_dir.h"
#include "base/tm.h"
#include "store/agentdb.h"

#define T0   INT64_C(1790000000000)
#define ROWS 600

static struct err err;

static double value(int64_t t, int m)
{
	return (double)((t / 1000 * 2654435761U + (int64_t)m * 97) % 1000) / 10;
}

static int put(struct agentdb *db, int64_t from, int64_t seq)
{
	static int64_t t[ROWS];
	static double v[3][ROWS];
	struct agentdb_block b = { .dev = 1, .t_ms = t, .n = ROWS, .value = { v[0], v[1], v[2] } };
	for (int i = 0; i < ROWS; i++) {
		t[i] = from + i * 1000;
		for (int m = 0; m < 3; m++)
			v[m][i] = m == 1 && i % 3 ? NAN : value(t[i], m);
	}
	return agentdb_put_blocks(db, &b, 1, seq, 0, &err);
}

static int look(void *ctx, const struct agentdb_block *b, struct err *e)
{
	int64_t *n = ctx;
	for (size_t i = 0; i < b->n; i++) {
		assert_true(b->value[0][i] == value(b->t_ms[i], 0) &&
			    b->value[2][i] == value(b->t_ms[i], 2));
		assert_true(isnan(b->value[1][i]) || b->value[1][i] == value(b->t_ms[i], 1));
		assert_null(b->value[3]);
	}
	n[0] += (int64_t)b->n;
	n[1]++;
	return 0;
}

static void raw(void **state)
{
	struct agentdb *db, *two;
	int64_t n[2] = { 0 }, seq = 0;
	assert_int_equal(agentdb_open(test_dir, true, &db, &err), 0);
	assert_int_equal(agentdb_open(test_dir, true, &two, &err), -EBUSY);
	int64_t hour = tm_floor(T0, MS_HOUR);
	for (int i = 0; i < 8; i++)
		assert_int_equal(put(db, hour + i * ROWS * 1000, i + 1), 0);
	assert_int_equal(agentdb_raw_seq(db, &seq, &err), 0);
	assert_int_equal(seq, 8);
	assert_int_equal(agentdb_merge_hours(db, hour + MS_HOUR, &err), 0);
	assert_int_equal(agentdb_each_block(db, 0, INT64_MAX, look, n, &err), 0);
	assert_int_equal(n[0], 8 * ROWS);
	assert_int_equal(n[1], 3); /* an hour and two of the next */
	assert_int_equal(agentdb_merge_hours(db, hour + MS_HOUR, &err), 0);
	assert_int_equal(agentdb_drop_raw(db, hour + MS_HOUR, &err), 0);
	n[0] = n[1] = 0;
	assert_int_equal(agentdb_each_block(db, 0, INT64_MAX, look, n, &err), 0);
	assert_int_equal(n[0], 2 * ROWS);
	agentdb_close(db);
}

static int count(void *ctx, const struct agentdb_minute *m, struct err *e)
{
	++*(int64_t *)ctx;
	return 0;
}

static int put_minute(struct agentdb *db, int64_t i)
{
	static char roll[2000];
	struct agentdb_minute m = { .t_ms = T0 + i * MS_MINUTE,
				    .dev = 1,
				    .from_ms = T0 + i * MS_MINUTE,
				    .to_ms = T0 + (i + 1) * MS_MINUTE,
				    .roll = { roll, sizeof roll } };
	int r = agentdb_begin(db, &err);
	if (r >= 0)
		r = agentdb_put_minute(db, &m, &err);
	if (r >= 0)
		return agentdb_commit(db, &err);
	agentdb_rollback(db);
	return r;
}

/* No file may grow over a limit: as on a disk that is full. Raw data gives way, minutes stay. */
static void full(void **state)
{
	struct agentdb *db;
	struct rlimit old, small;
	struct agentdb_raw_size before, after;
	int64_t n = 0, minutes = 0;
	char path[128];
	struct stat sb;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(agentdb_open(test_dir, true, &db, &err), 0);
	for (int i = 0; i < 40; i++)
		assert_int_equal(put(db, T0 + i * ROWS * 1000, i + 1), 0);
	assert_int_equal(agentdb_raw_size(db, &before, &err), 0);
	getrlimit(RLIMIT_FSIZE, &old);
	small = old;
	small.rlim_cur = 200000;
	setrlimit(RLIMIT_FSIZE, &small);
	int r = 0;
	while (r >= 0 && minutes < 1000)
		if ((r = put_minute(db, minutes)) >= 0)
			minutes++;
	/* SQLite knows the disk, not the limit: a limit is an I/O error to it */
	if (r != -EFBIG && r != -ENOSPC && r != -EIO)
		fail_msg("%d after %lld: %s", r, (long long)minutes, err.msg);
	setrlimit(RLIMIT_FSIZE, &old); /* room again, as the reserve gives it */
	assert_int_equal(agentdb_make_room(db, &err), 1);
	snprintf(path, sizeof path, "%s/reserve", test_dir);
	assert_int_equal(stat(path, &sb), -1);
	assert_int_equal(agentdb_raw_size(db, &after, &err), 0);
	assert_true(after.samples < before.samples && after.samples > 0 &&
		    after.from_ms > before.from_ms && after.to_ms == before.to_ms);
	assert_true(after.file_bytes < before.file_bytes);
	assert_int_equal(put_minute(db, minutes), 0);
	minutes++;
	assert_int_equal(agentdb_each_minute(db, &AGENTDB_ALL, count, &n, &err), 0);
	assert_int_equal(n, minutes);
	agentdb_restore_reserve(db);
	assert_int_equal(stat(path, &sb), 0);
	agentdb_close(db);
}

/* Of a minute that a kill cut short and the one written whole, the whole one stays, whichever comes
 * first. */
static void longer_stays(void **state)
{
	struct agentdb *db;
	int64_t n = 0;
	assert_int_equal(agentdb_open(test_dir, true, &db, &err), 0);
	const int64_t to[] = { 30000, 60000, 20000 };
	for (int i = 0; i < 3; i++) {
		struct agentdb_minute m = {
			.t_ms = T0, .dev = 1, .from_ms = T0, .to_ms = T0 + to[i], .roll = SV("x")
		};
		assert_int_equal(agentdb_begin(db, &err), 0);
		assert_int_equal(agentdb_put_minute(db, &m, &err), 0);
		assert_int_equal(agentdb_commit(db, &err), 0);
	}
	assert_int_equal(agentdb_each_minute(db, &AGENTDB_ALL, count, &n, &err), 0);
	assert_int_equal(n, 1);
	agentdb_close(db);
}

/* No file of an agent's folder is reached through a link, whoever may write in it; the folder
 * is. */
static void no_links(void **state)
{
	static const char *const name[] = { "agent.db", "raw.db", "lock", "reserve" };
	char victim[100], at[120], linked[100];
	struct agentdb *db;
	struct stat st;
	snprintf(victim, sizeof victim, "%s.victim", test_dir);
	snprintf(linked, sizeof linked, "%s.linked", test_dir);
	for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
		snprintf(at, sizeof at, "%s/%s", test_dir, name[i]);
		unlink(at);
		assert_int_equal(symlink(victim, at), 0);
		int r = agentdb_open(test_dir, true, &db, &err);
		if (r == 0) { /* without its reserve it goes on */
			assert_string_equal(name[i], "reserve");
			agentdb_close(db);
		} else {
			assert_int_equal(r, -ELOOP);
			assert_non_null(strstr(err.msg, "is a symbolic link"));
			assert_non_null(strstr(err.msg, name[i]));
		}
		assert_int_not_equal(access(victim, F_OK), 0);
		assert_int_equal(unlink(at), 0);
	}
	assert_int_equal(symlink(test_dir, linked), 0);
	assert_int_equal(agentdb_open(linked, true, &db, &err), 0);
	agentdb_close(db);
	snprintf(at, sizeof at, "%s/reserve", test_dir);
	assert_int_equal(stat(at, &st), 0);
	assert_int_equal(unlink(linked), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(raw, fresh_dir, remove_dir),
		cmocka_unit_test_setup_teardown(full, fresh_dir, remove_dir),
		cmocka_unit_test_setup_teardown(longer_stays, fresh_dir, remove_dir),
		cmocka_unit_test_setup_teardown(no_links, fresh_dir, remove_dir)
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
