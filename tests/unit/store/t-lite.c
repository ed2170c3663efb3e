/* Who may write and checkpoint in SQLite's files (store/lite.c says why): one connection at a time,
 * whatever other programs do. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "common.h"
#include "store/agentdb.h"
#include "store/control.h"
#include "store/lite.h"

static const char *path_of(const char *name)
{
	static char path[4][4200];
	static int turn;
	char *p = path[turn++ % 4];
	snprintf(p, sizeof path[0], "%s/%s", test_dir, name);
	return p;
}

/* 1: a rollback journal, 2: WAL (bytes 18 and 19 of a file say so). */
static int mode_of(const char *name)
{
	unsigned char head[20] = { 0 };
	FILE *f = fopen(path_of(name), "rb");
	assert_non_null(f);
	assert_int_equal(fread(head, 1, sizeof head, f), sizeof head);
	fclose(f);
	assert_int_equal(head[18], head[19]);
	return head[18];
}

static int64_t size_of(const char *name)
{
	struct stat st;
	return stat(path_of(name), &st) ? -1 : st.st_size;
}

static sqlite3 *plain_open(const char *name)
{
	sqlite3 *db;
	assert_int_equal(sqlite3_open(path_of(name), &db), SQLITE_OK);
	return db;
}

static int run_sql(sqlite3 *db, const char *sql)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static char *ask(sqlite3 *db, const char *sql)
{
	static char text[200];
	sqlite3_stmt *st;
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
	text[0] = 0;
	if (sqlite3_step(st) == SQLITE_ROW && sqlite3_column_text(st, 0))
		snprintf(text, sizeof text, "%s", (const char *)sqlite3_column_text(st, 0));
	sqlite3_finalize(st);
	return text;
}

static void add_readings(struct store *s, int hour)
{
	struct err err;
	struct sample_key k = { .node = SV("n1"), .gpu = SV("0") };
	struct sample v = { .t_ms = H(hour), .step_ms = 60000 };
	for (int m = 0; m < METRIC_N; m++)
		v.value[m] = NAN;
	v.value[0] = hour;
	begin(s);
	fine(store_add_sample(s, 0, &k, &v, &err), &err);
	commit(s, "hash");
}

static void the_stores_files_have_no_log(void **state)
{
	struct store *s = open_store(STORE_WRITE);
	add_readings(s, 0);
	assert_int_equal(mode_of("telemetry.db"), 1);
	assert_int_equal(mode_of("control.db"), 1);
	assert_int_equal(size_of("telemetry.db-wal"), -1);
	store_close(s);
}

/* As a program of before left it: schema 1, WAL. */
static void make_older_control(void)
{
	sqlite3 *db = plain_open("control.db");
	assert_int_equal(
		run_sql(db,
			"PRAGMA journal_mode = WAL; CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL);"
			"CREATE TABLE journal (id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, command TEXT NOT NULL, batch INTEGER, result TEXT);"
			"INSERT INTO setting VALUES ('a', '1'); PRAGMA user_version = 1"),
		SQLITE_OK);
	sqlite3_close(db);
	assert_int_equal(mode_of("control.db"), 2);
}

static size_t settings(const char *prefix, struct arena *a, struct control_setting **ret)
{
	struct err err;
	size_t n = 0;
	fine(control_settings(test_dir, prefix, a, ret, &n, &err), &err);
	return n;
}

static void a_log_of_before_is_left_first(void **state)
{
	struct err err;
	struct arena a = { 0 };
	struct control_setting *v;
	make_older_control();
	assert_int_equal(settings("", &a, &v), 1);
	assert_int_equal(mode_of("control.db"), 2); /* a reader changes nothing */

	sqlite3 *old = plain_open("control.db");
	assert_int_equal(run_sql(old, "BEGIN; SELECT * FROM setting"), SQLITE_OK);
	assert_int_equal(control_set(test_dir, "b", "2", &err), -EBUSY);
	assert_non_null(strstr(err.msg, "control.db' is in use by another program"));
	assert_int_equal(run_sql(old, "COMMIT"), SQLITE_OK);
	assert_string_equal(ask(old, "SELECT count(*) FROM setting"), "1");
	sqlite3_close(old);

	fine(control_set(test_dir, "b", "2", &err), &err);
	assert_int_equal(mode_of("control.db"), 1);
	assert_int_equal(settings("", &a, &v), 2);
	arena_free(&a);
}

static void a_second_writer_waits_and_is_refused(void **state)
{
	struct err err;
	struct arena a = { 0 };
	struct control_setting *v;
	fine(control_set(test_dir, "a", "1", &err), &err);
	sqlite3 *db = plain_open("control.db");
	assert_int_equal(run_sql(db, "BEGIN IMMEDIATE; UPDATE setting SET value = '2'"), SQLITE_OK);
	assert_int_equal(control_set(test_dir, "b", "2", &err), -EBUSY);
	/* and readers do not wait for it */
	assert_int_equal(settings("", &a, &v), 1);
	assert_string_equal(v[0].value, "1");
	assert_int_equal(run_sql(db, "ROLLBACK"), SQLITE_OK);
	sqlite3_close(db);
	arena_free(&a);
}

static const char *const one_step[] = { "CREATE TABLE x(x)" };

static void who_reads_cannot_write(void **state)
{
	for (enum lite_use use = LITE_SHARED; use <= LITE_OWNED; use++) {
		const char *name = use == LITE_SHARED ? "shared.db" : "owned.db";
		struct err err;
		sqlite3 *w, *r;
		fine(lite_open(&(struct lite_file){ path_of(name), true, use, one_step, 1 }, &w,
			       &err),
		     &err);
		fine(lite_exec(w, "INSERT INTO x VALUES (1)", &err), &err);
		fine(lite_open(&(struct lite_file){ path_of(name), false, use, one_step, 1 }, &r,
			       &err),
		     &err);
		assert_int_equal(run_sql(r, "INSERT INTO x VALUES (2)"), SQLITE_READONLY);
		assert_int_equal(run_sql(r, "CREATE TABLE y(y)"), SQLITE_READONLY);
		assert_string_equal(ask(r, "SELECT count(*) FROM x"), "1");
		sqlite3_close(r);
		sqlite3_close(w);
	}
}

/* The log that a killed agent left: whoever reads leaves it as it is, also at closing as the
 * last. */
static void who_reads_the_agents_files_cannot_checkpoint(void **state)
{
	struct err err;
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		sqlite3 *w;
		if (lite_open(&(struct lite_file){ path_of("owned.db"), true, LITE_OWNED, one_step,
						   1 },
			      &w, &err) ||
		    lite_exec(w, "INSERT INTO x VALUES (1)", &err))
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(mode_of("owned.db"), 2);
	int64_t file = size_of("owned.db"), log = size_of("owned.db-wal");
	assert_true(log > 0);
	sqlite3 *r;
	fine(lite_open(&(struct lite_file){ path_of("owned.db"), false, LITE_OWNED, one_step, 1 },
		       &r, &err),
	     &err);
	assert_string_equal(ask(r, "SELECT count(*) FROM x"), "1");
	run_sql(r, "PRAGMA wal_checkpoint(TRUNCATE)");
	assert_int_equal(size_of("owned.db-wal"), log);
	sqlite3_close(r);
	assert_int_equal(size_of("owned.db-wal"), log);
	assert_int_equal(size_of("owned.db"), file);
}

static void a_second_agent_is_refused(void **state)
{
	struct err err;
	struct agentdb *one, *two;
	fine(agentdb_open(test_dir, true, &one, &err), &err);
	assert_int_equal(mode_of("agent.db"), 2);
	assert_int_equal(mode_of("raw.db"), 2);
	assert_int_equal(agentdb_open(test_dir, true, &two, &err), -EBUSY);
	fine(agentdb_open(test_dir, false, &two, &err), &err);
	agentdb_close(two);
	agentdb_close(one);
}

/* ---- hammer ------------------------------------------------------------------------------ */

#define WRITERS 4
#define READERS 3
#define ROUNDS  60 /* of a writer until it ends by itself */
#define KILLS   12

/* Key after key, the number of the last one that is in to fd. */
static void write_on(int who, int fd)
{
	struct err err;
	char key[40];
	for (int i = 0; i < ROUNDS; i++) {
		snprintf(key, sizeof key, "w%d.%d.%03d", who, (int)getpid(), i);
		if (control_set(test_dir, key, key, &err))
			_exit(1);
		int len = (int)strlen(key);
		if (write(fd, key, (size_t)len + 1) != len + 1)
			_exit(2);
	}
	_exit(0);
}

static void read_on(int fd)
{
	struct err err;
	char stop;
	do {
		struct arena a = { 0 };
		struct control_setting *v;
		size_t n;
		if (control_settings(test_dir, "w", &a, &v, &n, &err)) {
			fprintf(stderr, "reader: %s\n", err.msg);
			_exit(1);
		}
		for (size_t i = 0; i < n; i++)
			if (strcmp(v[i].key, v[i].value) != 0)
				_exit(2);
		arena_free(&a);
	} while (read(fd, &stop, 1) < 0);
	_exit(0);
}

/* Writers, some of which are killed anywhere, and readers: no reader fails, what a writer was told
 * is in is there at the end, and the file is whole. */
static void many_write_and_read_and_some_are_killed(void **state)
{
	struct err err;
	int said[2], stop[2], status, done = 0, killed = 0;
	pid_t reader[READERS], writer[WRITERS];
	fine(control_set(test_dir, "first", "1", &err), &err);
	assert_int_equal(pipe(said), 0);
	assert_int_equal(pipe2(stop, O_NONBLOCK), 0);
	for (int i = 0; i < READERS; i++)
		if ((reader[i] = fork()) == 0) {
			close(stop[1]);
			read_on(stop[0]);
		}
	for (int i = 0; i < WRITERS; i++)
		if ((writer[i] = fork()) == 0)
			write_on(i, said[1]);
	for (int turn = 0; killed < KILLS; turn++) {
		int i = turn % WRITERS;
		nanosleep(&(struct timespec){ .tv_nsec = (20 + turn * 7 % 40) * 1000000L }, NULL);
		kill(writer[i], SIGKILL);
		assert_int_equal(waitpid(writer[i], &status, 0), writer[i]);
		killed += WIFSIGNALED(status);
		assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
		if ((writer[i] = fork()) == 0)
			write_on(i, said[1]);
	}
	for (int i = 0; i < WRITERS; i++) {
		assert_int_equal(waitpid(writer[i], &status, 0), writer[i]);
		assert_int_equal(status, 0);
	}
	close(said[1]);
	close(stop[1]);
	for (int i = 0; i < READERS; i++) {
		assert_int_equal(waitpid(reader[i], &status, 0), reader[i]);
		assert_int_equal(status, 0);
	}
	sqlite3 *db = plain_open("control.db");
	assert_string_equal(ask(db, "PRAGMA integrity_check"), "ok");
	assert_string_equal(ask(db, "PRAGMA journal_mode"), "delete");
	FILE *f = fdopen(said[0], "r");
	char key[40], sql[120];
	for (size_t n = 0; fread(&key[n], 1, 1, f) == 1;) {
		if (key[n++])
			continue;
		n = 0;
		snprintf(sql, sizeof sql, "SELECT value FROM setting WHERE key = '%s'", key);
		assert_string_equal(ask(db, sql), key);
		done++;
	}
	fclose(f);
	sqlite3_close(db);
	close(stop[0]);
	assert_true(done >= WRITERS * ROUNDS);
	print_message("%d settings by %d writers, %d killed\n", done, WRITERS + KILLS, killed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, fresh_dir, remove_dir)
		T(the_stores_files_have_no_log),
		T(a_log_of_before_is_left_first),
		T(a_second_writer_waits_and_is_refused),
		T(who_reads_cannot_write),
		T(who_reads_the_agents_files_cannot_checkpoint),
		T(a_second_agent_is_refused),
		T(many_write_and_read_and_some_are_killed),
#undef T
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
