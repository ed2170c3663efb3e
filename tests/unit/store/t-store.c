#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/tm.h"
#include "common.h"
#include "ledger/rules.h"
#include "store/remake.h"
#include "store/duck/schema.h"
#include "store/duck/sql.h"

static void nothing_there(void **state)
{
	struct err err = { 0 };
	struct store *s = NULL;
	assert_int_equal(store_open(test_dir, STORE_READ, 0, "tare report", &s, &err), -ENOENT);
	assert_non_null(strstr(err.msg, test_dir));
	assert_non_null(strstr(err.hint, "tare import"));
	assert_non_null(strstr(err.hint, "tare demo"));
}

static void makes_folders(void **state)
{
	struct err err = { 0 };
	struct store *s = NULL;
	char deep[300];
	snprintf(deep, sizeof deep, "%s/a/b/c", test_dir);
	fine(store_open(deep, STORE_WRITE, 0, "tare import", &s, &err), &err);
	assert_string_equal(store_dir(s), deep);
	store_close(s);
	fine(store_open(deep, STORE_READ, 0, "tare report", &s, &err), &err);
	store_close(s);
}

static void no_folder_can_be_made(void **state)
{
	struct err err = { 0 };
	struct store *s = NULL;
	char path[300];
	snprintf(path, sizeof path, "%s/file", test_dir);
	fclose(fopen(path, "w"));
	strcat(path, "/db");
	assert_true(store_open(path, STORE_WRITE, 0, "tare import", &s, &err) < 0);
	assert_non_null(strstr(err.msg, path));
}

/* A child that opens the store, says so, and holds it until told to end. */
static pid_t hold(enum store_mode mode, const char *command, int *ret_done)
{
	int ready[2], done[2];
	char c;
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(done), 0);
	pid_t pid = fork();
	if (pid == 0) {
		struct err err;
		struct store *s;
		close(done[1]);
		if (store_open(test_dir, mode, 0, command, &s, &err))
			_exit(1);
		if (write(ready[1], "x", 1) != 1 || read(done[0], &c, 1) < 0)
			_exit(2);
		store_close(s);
		_exit(0);
	}
	close(done[0]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	close(ready[1]);
	*ret_done = done[1];
	return pid;
}

static void release(pid_t pid, int done)
{
	int status;
	close(done);
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void one_writer(void **state)
{
	struct err err = { 0 };
	struct store *s = NULL;
	char who[64];
	int done;
	store_close(open_store(STORE_WRITE));
	pid_t pid = hold(STORE_WRITE, "tare import big.csv", &done);
	store_close(open_store(STORE_READ));
	assert_int_equal(store_open(test_dir, STORE_WRITE, 0, "tare import", &s, &err), -EBUSY);
	snprintf(who, sizeof who, "(pid %d)", (int)pid);
	assert_non_null(strstr(err.msg, who));
	assert_non_null(strstr(err.msg, "'tare import big.csv'"));
	assert_non_null(strstr(err.hint, "--wait"));
	assert_int_equal(store_open(test_dir, STORE_WRITE, 60, "tare import", &s, &err), -EBUSY);
	release(pid, done);
	store_close(open_store(STORE_WRITE));
}

static void add_hours(struct store *s, int from, int n)
{
	struct err err;
	for (int i = from; i < from + n; i++) {
		struct entry e = gpu_entry(i, "team", STATE_BUSY, 1000, 5);
		fine(store_add_entry(s, &e, &err), &err);
	}
}

static int64_t count_ms(struct store *s)
{
	struct arena a = { 0 };
	struct err err;
	struct ledger_row *row;
	size_t n;
	struct ledger_query q = { .since_ms = INT64_MIN, .until_ms = INT64_MAX };
	fine(store_ledger(s, &q, &a, &row, &n, &err), &err);
	int64_t ms = n ? row[0].ms : 0;
	arena_free(&a);
	return ms;
}

static int64_t ms_for_a_reader(void)
{
	struct store *s = open_store(STORE_READ);
	int64_t ms = count_ms(s);
	store_close(s);
	return ms;
}

static size_t files_of_facts(void)
{
	size_t n = 0;
	DIR *d = opendir(test_dir);
	for (struct dirent *e; (e = readdir(d));)
		n += strstr(e->d_name, ".duckdb") != NULL;
	closedir(d);
	return n;
}

/* Who reads sees what was committed when the store was opened, whatever is written meanwhile, and
 * keeps nobody from writing. */
static void readers_stay_where_they_are(void **state)
{
	int done;
	store_close(open_store(STORE_WRITE));
	pid_t pid = hold(STORE_READ, "tare report", &done);
	for (int i = 1; i < 7; i++) {
		struct store *before = open_store(STORE_READ), *s = open_store(STORE_WRITE);
		begin(s);
		add_hours(s, i * 100, i);
		assert_int_equal(count_ms(s), 1000 * i * (i + 1) / 2);
		assert_int_equal(ms_for_a_reader(), 1000 * i * (i - 1) / 2);
		if (i == 3) {
			store_rollback(s);
			assert_int_equal(count_ms(s), 1000 * i * (i - 1) / 2);
			begin(s);
			add_hours(s, i * 100, i);
		}
		commit(s, "x");
		assert_int_equal(count_ms(s), 1000 * i * (i + 1) / 2);
		assert_int_equal(ms_for_a_reader(), 1000 * i * (i + 1) / 2);
		assert_int_equal(count_ms(before), 1000 * i * (i - 1) / 2);
		store_close(before);
		store_close(s);
	}
	release(pid, done);
}

static void in_many_files(void **state)
{
	setenv("TARE_SEGMENT_MB", "0", 1);
	readers_stay_where_they_are(state);
	unsetenv("TARE_SEGMENT_MB");
	assert_true(files_of_facts() > 3 && files_of_facts() < 20);
}

/* A file in the middle is lost: said, and nothing is read without it. */
static void a_file_is_lost(void **state)
{
	struct err err = { 0 };
	struct store *s;
	char path[300];
	in_many_files(state);
	snprintf(path, sizeof path, "%s/facts-2-2.duckdb", test_dir);
	assert_int_equal(unlink(path), 0);
	for (int mode = 0; mode < 2; mode++) {
		assert_int_equal(store_open(test_dir, mode ? STORE_WRITE : STORE_READ, 0,
					    "tare report", &s, &err),
				 -EBADMSG);
		assert_non_null(strstr(err.msg, "is missing, which has batches 2 to 2"));
	}
}

/* What a killed writer left does not count, and goes. */
static void left_over_files(void **state)
{
	char path[300], copy[300];
	struct stat st;
	in_many_files(state);
	int64_t ms = ms_for_a_reader();
	size_t n = files_of_facts();
	static const char *const left[] = { "facts.duckdb.new", "facts-1-1.duckdb" };
	snprintf(path, sizeof path, "%s/facts-2-2.duckdb", test_dir);
	for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
		snprintf(copy, sizeof copy, "%s/%s", test_dir, left[i]);
		assert_int_equal(link(path, copy), 0);
	}
	assert_int_equal(ms_for_a_reader(), ms);
	store_close(open_store(STORE_WRITE));
	assert_int_equal(files_of_facts(), n);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(ms_for_a_reader(), ms);
}

static void waits(void **state)
{
	struct err err = { 0 };
	struct store *s = NULL;
	int done;
	store_close(open_store(STORE_WRITE));
	pid_t pid = hold(STORE_WRITE, "tare import", &done);
	pid_t releaser = fork();
	if (releaser == 0) {
		usleep(300000);
		close(done);
		_exit(0);
	}
	close(done);
	fine(store_open(test_dir, STORE_WRITE, 20000, "tare import", &s, &err), &err);
	store_close(s);
	waitpid(releaser, NULL, 0);
	waitpid(pid, NULL, 0);
}

/* Another program that has DuckDB's file open without our lock: our words, not the engine's. */
static void foreign_lock(void **state)
{
	struct err err = { 0 };
	struct store *s = NULL;
	char path[300], c;
	int ready[2], done[2];
	store_close(open_store(STORE_WRITE));
	snprintf(path, sizeof path, "%s/facts.duckdb", test_dir);
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(done), 0);
	pid_t pid = fork();
	if (pid == 0) {
		duckdb_database db;
		close(done[1]);
		if (duck.open_ext(path, &db, NULL, NULL) != DuckDBSuccess ||
		    write(ready[1], "x", 1) != 1)
			_exit(1);
		_exit(read(done[0], &c, 1) < 0);
	}
	close(done[0]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	assert_int_equal(store_open(test_dir, STORE_READ, 0, "tare report", &s, &err), -EBUSY);
	assert_null(strstr(err.msg, "IO Error"));
	assert_null(strstr(err.msg, "Could not set lock"));
	close(done[1]);
	waitpid(pid, NULL, 0);
}

static void raw_sql(const char *sql)
{
	char path[300];
	struct err err;
	duckdb_database db;
	duckdb_connection con;
	snprintf(path, sizeof path, "%s/facts.duckdb", test_dir);
	assert_int_equal(duck.open_ext(path, &db, NULL, NULL), DuckDBSuccess);
	assert_int_equal(duck.connect(db, &con), DuckDBSuccess);
	fine(sql_exec(con, sql, "prepare the test", &err), &err);
	duck.disconnect(&con);
	duck.close(&db);
}

static void newer_version(void **state)
{
	struct err err = { 0 };
	struct store *s = NULL;
	store_close(open_store(STORE_WRITE));
	raw_sql("INSERT INTO schema_version VALUES (99)");
	assert_int_equal(store_open(test_dir, STORE_READ, 0, "tare report", &s, &err), -EPROTO);
	assert_non_null(strstr(err.msg, "newer version"));
	assert_int_equal(store_open(test_dir, STORE_WRITE, 0, "tare import", &s, &err), -EPROTO);
	assert_non_null(strstr(err.hint, "--db"));
}

/* A store of the first step with a machine in it: a reader sees it, and what it did not know stays
 * unknown; no batch can begin before it was made again. */
static void older_version(void **state)
{
	struct err err = { 0 };
	struct arena mem = { 0 };
	struct node *v;
	int64_t from, to;
	size_t n;
	fine(duck_load(&err), &err);
	raw_sql("CREATE TABLE schema_version (version INTEGER); INSERT INTO schema_version VALUES (1)");
	raw_sql(schema_facts[0]);
	raw_sql("INSERT INTO node (src, node, gpu_milli, from_ms) VALUES (0, 'old', 8000, 0)");
	struct store *s = open_store(STORE_READ);
	fine(store_nodes(s, NULL, &mem, &v, &n, &err), &err);
	assert_int_equal(n, 1);
	assert_int_equal(v[0].gpu_milli, 8000);
	assert_int_equal(v[0].cpu_milli, UNKNOWN_I64);
	assert_int_equal(v[0].ram_mib, UNKNOWN_I64);
	arena_free(&mem);
	fine(store_ledger_span(s, &from, &to, &err), &err);
	assert_int_equal(from, UNKNOWN_MS);
	assert_int_equal(to, UNKNOWN_MS);
	int rules;
	fine(store_rules(s, &rules, &err), &err);
	assert_int_equal(rules, 1);
	store_close(s);

	int64_t batch;
	s = open_store(STORE_WRITE);
	fine(store_rules(s, &rules, &err), &err);
	assert_int_equal(rules, 1);
	assert_int_equal(store_begin(s, &batch, &err), -ESTALE);
	fine(store_remake_begin(s, &err), &err);
	fine(store_begin(s, &batch, &err), &err);
	store_remake_drop(s);
	assert_int_equal(store_begin(s, &batch, &err), -ESTALE);
	fine(store_remake_begin(s, &err), &err);
	fine(store_begin(s, &batch, &err), &err);
	fine(store_remake_clear(s, &err), &err);
	fine(store_set_rules(s, LEDGER_RULES, &err), &err);
	fine(store_commit(s, 0, "tare test", NULL, 0, &err), &err);
	fine(store_remake_end(s, 0, "tare test", &err), &err);
	fine(store_begin(s, &batch, &err), &err);
	store_rollback(s);
	store_close(s);
	s = open_store(STORE_READ);
	fine(store_rules(s, &rules, &err), &err);
	assert_int_equal(rules, LEDGER_RULES);
	fine(store_nodes(s, NULL, &mem, &v, &n, &err), &err);
	assert_int_equal(n, 1);
	arena_free(&mem);
	store_close(s);
}

/* ---- texts of the ledger were in its rows --------------------------------------------------- */

struct flat {
	size_t n;
	int64_t ms, billed_nano;
	int unpriced, team_a, job_7;
};

static int flat_entry(void *ctx, const struct entry *e, struct err *err)
{
	struct flat *x = ctx;
	(void)err;
	x->n++;
	x->ms += e->ms;
	if (e->nano[BASIS_BILLED] == UNKNOWN_NANO)
		x->unpriced++;
	else
		x->billed_nano += e->nano[BASIS_BILLED];
	x->team_a += sv_is(e->owner.field[OWNER_TEAM], "a");
	x->job_7 += sv_is(e->owner.field[OWNER_JOB], "7") && sv_is(e->scope, "node:n2") &&
		    sv_is(e->currency, "EUR") &&
		    e->owner.source[OWNER_TEAM] == (enum owner_source)2;
	return 0;
}

static void check_flat(struct store *s)
{
	struct err err;
	struct flat x = { 0 };
	fine(store_entries(s, INT64_MIN, INT64_MAX, flat_entry, &x, &err), &err);
	assert_int_equal(x.n, 3); /* the fourth and fifth cancel each other */
	assert_int_equal(x.ms, 600);
	assert_int_equal(x.billed_nano, 30);
	assert_int_equal(x.unpriced, 1);
	assert_int_equal(x.team_a, 2);
	assert_int_equal(x.job_7, 1);
}

#define FLAT(scope, team, job, hour, ms, billed)                                                \
	"INSERT INTO ledger VALUES (1, " hour                                                   \
	" * 3600000, 19700101, 197001, 0, 0, 0, 0, 0, '" scope                                  \
	"', '', 'n', '', '', '', '', 'H100', 'spot', 'EUR', 'u', '" team "', '', '', '', '" job \
	"', '', '0200000', '', " ms ", NULL, " billed ", NULL, NULL, '', '', '', '', '');"

/* A reader of the store before sees what it was; the first writer takes the texts out of the rows,
 * in place. */
static void flat_ledger(void **state)
{
	struct err err = { 0 };
	fine(duck_load(&err), &err);
	raw_sql("CREATE TABLE schema_version (version INTEGER); INSERT INTO schema_version VALUES (10)");
	for (int i = 0; i < 10; i++)
		raw_sql(schema_facts[i]);
	raw_sql("INSERT INTO batch VALUES (1, 0, 'test', 0, '0'); INSERT INTO ledger_rules VALUES (1, 2);" FLAT(
		"node:n1", "a", "", "1", "100", "10") FLAT("node:n1", "a", "", "2", "200", "NULL")
			FLAT("node:n2", "b", "7", "3", "300", "20")
				FLAT("node:n2", "c", "", "4", "50", "5")
					FLAT("node:n2", "c", "", "4", "-50", "-5"));
	struct store *s = open_store(STORE_READ);
	check_flat(s);
	store_close(s);
	for (int i = 0; i < 2; i++) {
		s = open_store(STORE_WRITE);
		check_flat(s);
		store_close(s);
	}
	s = open_store(STORE_READ);
	check_flat(s);
	store_close(s);
}

/* ---- texts of allocations were in their rows ------------------------------------------------- */

#define FLAT_JOB(job, team, node, start, end, state, rate)                                        \
	"INSERT INTO allocation (src, scope, job_id, team, name, node, state, tags, gpus_milli, " \
	"share_kind, share_ppb, mig_start, start_ms, end_ms, open_end, checkpointable, attempt, " \
	"usd_gpu_hour) VALUES (1048576, 'node:" node "', '" job "', " team ", 'train', '" node    \
	"', '" state "', NULL, 2000, 0, -1, -1, " start ", " end ", 0, -1, 1, " rate ");"

static void check_flat_jobs(struct store *s, size_t n2)
{
	struct err err;
	struct arena mem = { 0 };
	struct allocation *v;
	size_t n;
	fine(store_allocations(s, &(struct scope_span){ "node:n1", INT64_MIN, INT64_MAX }, &mem, &v,
			       &n, &err),
	     &err);
	assert_int_equal(n, 2);
	assert_true(sv_is(v[0].job_id, "7") && sv_is(v[0].team, "a") && sv_is(v[0].node, "n1"));
	assert_true(v[1].team.p && !v[1].team.n); /* '' is not NULL */
	assert_null(v[0].tags.p);
	assert_int_equal(v[0].gpus_milli, 2000);
	assert_int_equal(v[0].attempt, 1);
	assert_int_equal(v[0].end_ms, 5000);
	assert_int_equal(v[1].end_ms, UNKNOWN_MS);
	assert_true(v[1].has_usd_gpu_hour && !v[0].has_usd_gpu_hour);
	assert_true(v[1].usd_gpu_hour == (dec)2500000000000);
	fine(store_allocations(s, &(struct scope_span){ "node:n2", 4500, INT64_MAX }, &mem, &v, &n,
			       &err),
	     &err);
	assert_int_equal(n, n2);
	if (n) {
		assert_null(v[0].team.p);
		assert_true(sv_is(v[0].state, "FAILED"));
	}
	fine(store_allocations(s, &(struct scope_span){ NULL, INT64_MIN, 2000 }, &mem, &v, &n,
			       &err),
	     &err);
	assert_int_equal(n, 2);
	arena_free(&mem);
}

/* A reader of the store before sees what it was; the first writer takes the texts out of the rows,
 * in place, and what comes then has the numbers of equal texts. */
static void flat_jobs(void **state)
{
	struct err err = { 0 };
	int64_t batch;
	fine(duck_load(&err), &err);
	raw_sql("CREATE TABLE schema_version (version INTEGER); INSERT INTO schema_version VALUES (13)");
	for (int i = 0; i < 13; i++)
		raw_sql(schema_facts[i]);
	raw_sql("INSERT INTO batch VALUES (1, 0, 'test', 0, '0'); INSERT INTO ledger_rules VALUES (1, 2);" FLAT_JOB(
		"7", "'a'", "n1", "1000", "5000", "COMPLETED", "NULL")
			FLAT_JOB("8", "''", "n1", "3000", "NULL", "RUNNING", "2.5")
				FLAT_JOB("9", "NULL", "n2", "1000", "4000", "FAILED", "NULL"));
	struct store *s = open_store(STORE_READ);
	check_flat_jobs(s, 0);
	store_close(s);
	s = open_store(STORE_WRITE);
	check_flat_jobs(s, 0);
	fine(store_begin(s, &batch, &err), &err);
	const struct allocation late = { .job_id = SV("9"),
					 .name = SV("train"),
					 .node = SV("n2"),
					 .state = SV("FAILED"),
					 .gpus_milli = 2000,
					 .share_ppb = -1,
					 .mig_start = -1,
					 .submit_ms = UNKNOWN_MS,
					 .start_ms = 4600,
					 .end_ms = 4700,
					 .limit_ms = UNKNOWN_MS,
					 .checkpointable = -1,
					 .attempt = 1 };
	fine(store_add_allocation(s, 0, "node:n2", &late, &err), &err);
	check_flat_jobs(s, 1);
	fine(store_commit(s, 0, "tare test", NULL, 0, &err), &err);
	check_flat_jobs(s, 1);
	store_close(s);
	raw_sql("SELECT CASE WHEN count(*) = 3 THEN 1 ELSE error('texts twice') END FROM allocation_shape");
	s = open_store(STORE_READ);
	check_flat_jobs(s, 1);
	store_close(s);
}

static void no_store_of_ours(void **state)
{
	struct err err = { 0 };
	struct store *s = NULL;
	fine(duck_load(&err), &err);
	raw_sql("CREATE TABLE other (x INTEGER)");
	assert_int_equal(store_open(test_dir, STORE_READ, 0, "tare report", &s, &err), -EBADMSG);
	assert_non_null(strstr(err.msg, "not a store"));
	char path[300];
	snprintf(path, sizeof path, "%s/facts.duckdb", test_dir);
	FILE *f = fopen(path, "w");
	fputs("this is no data base at all, only some text that goes on for a while\n", f);
	fclose(f);
	assert_true(store_open(test_dir, STORE_READ, 0, "tare report", &s, &err) < 0);
	assert_true(store_open(test_dir, STORE_WRITE, 0, "tare import", &s, &err) < 0);
}

static void library_missing(void **state)
{
	/* In a process of its own: the library is loaded once. */
	char self[512];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	assert_true(n > 0);
	self[n] = 0;
	pid_t pid = fork();
	if (pid == 0) {
		setenv("TARE_LIBDUCKDB", "/nowhere/libduckdb.so", 1);
		setenv("TARE_TEST_LOAD", "1", 1);
		execl(self, self, (char *)NULL);
		_exit(99);
	}
	int status;
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
}

/* ---- batches ----------------------------------------------------------------------------- */

static size_t count_nodes(struct store *s)
{
	struct err err;
	struct arena a = { 0 };
	struct node *v;
	size_t n;
	fine(store_nodes(s, NULL, &a, &v, &n, &err), &err);
	arena_free(&a);
	return n;
}

static void add_node(struct store *s, const char *name)
{
	struct err err;
	struct node n = {
		.node = sv_of(name), .gpu_milli = 8000, .from_ms = H(0), .to_ms = UNKNOWN_MS
	};
	fine(store_add_node(s, 0, &n, &err), &err);
}

static void whole_or_not(void **state)
{
	struct err err = { 0 };
	struct arena a = { 0 };
	const char *json;
	int64_t batch;
	struct store *s = open_store(STORE_WRITE);
	assert_int_equal(begin(s), 1);
	add_node(s, "n1");
	assert_int_equal(count_nodes(s), 1); /* its own rows are seen */
	store_rollback(s);
	assert_int_equal(count_nodes(s), 0);
	assert_int_equal(begin(s), 1);
	add_node(s, "n2");
	add_node(s, "n3");
	commit(s, "abc");
	assert_int_equal(begin(s), 2);
	add_node(s, "n4");
	store_close(s); /* not committed */
	s = open_store(STORE_READ);
	assert_int_equal(count_nodes(s), 2);
	fine(store_batch_by_hash(s, "abc", &a, &json, &batch, &err), &err);
	assert_string_equal(json, "{\"ok\":1}");
	assert_int_equal(batch, 1);
	fine(store_batch_by_hash(s, "abd", &a, &json, &batch, &err), &err);
	assert_null(json);
	assert_true(store_begin(s, &batch, &err) < 0); /* a reader */
	arena_free(&a);
	store_close(s);
}

static void replaced_source(void **state)
{
	struct err err = { 0 };
	struct arena a = { 0 };
	struct scope_spans span;
	const char *json;
	int64_t batch;
	struct store *s = open_store(STORE_WRITE);
	begin(s);
	add_node(s, "n1");
	commit(s, "abc");
	begin(s);
	assert_int_equal(store_reverse_source(s, "focus", "other", &a, &span, &err), 0);
	assert_int_equal(store_reverse_source(s, "focus", "source", &a, &span, &err), 1);
	assert_int_equal(span.n, 1);
	assert_string_equal(span.v[0].scope, "n1");
	assert_int_equal(span.v[0].from_ms, H(0));
	assert_int_equal(span.v[0].to_ms, INT64_MAX);
	assert_int_equal(count_nodes(s), 0);
	store_rollback(s);
	assert_int_equal(count_nodes(s), 1);
	begin(s);
	assert_int_equal(store_reverse_source(s, "focus", "source", &a, &span, &err), 1);
	add_node(s, "n2");
	commit(s, "abd");
	fine(store_batch_by_hash(s, "abc", &a, &json, &batch, &err), &err);
	assert_null(json);
	assert_int_equal(count_nodes(s), 1);
	begin(s);
	/* only what is still in force */
	assert_int_equal(store_reverse_source(s, "focus", "source", &a, &span, &err), 1);
	store_rollback(s);
	arena_free(&a);
	store_close(s);
}

/* A bill that an older program took out of force is told of with the next one: entries may be
 * left. */
static void lines_left_of_a_bill(void **state)
{
	struct err err = { 0 };
	struct arena a = { 0 };
	struct scope_spans span;
	struct bill_files file;
	struct bill_key key = { "aws", "", tm_month_start(H(0), 0), tm_month_start(H(0), 1), true };
	const struct bill_set set = { .key = &key, .n = 1 };
	struct bill_line l = { .provider = SV("aws"),
			       .currency = SV("USD"),
			       .from_ms = H(0),
			       .to_ms = H(3),
			       .period_from_ms = UNKNOWN_MS,
			       .kind = KIND_STORAGE };
	struct store *s = open_store(STORE_WRITE);
	for (int i = 0; i < 2; i++) {
		begin(s);
		/* and no store_reverse_scope() of what it says */
		assert_int_equal(store_reverse_source(s, "focus", "source", &a, &span, &err), i);
		assert_int_equal(span.n, 0);
		fine(store_add_bill(s, 0, "", &l, &err), &err);
		commit(s, i ? "abd" : "abc");
	}
	fine(store_bill_files(s, &set, &a, &file, &err), &err);
	assert_int_equal(file.n, 2);
	for (int i = 0; i < 2; i++) {
		assert_true(file.v[i].src == store_source(i + 1, 0) && file.v[i].whole);
		assert_true(file.v[i].stale == (i == 0));
	}
	arena_free(&a);
	store_close(s);
}

static void facts_for_doctor(void **state)
{
	struct err err = { 0 };
	struct arena a = { 0 };
	struct store_fact *f;
	size_t n, seen = 0;
	struct store *s = open_store(STORE_WRITE);
	begin(s);
	add_node(s, "n1");
	commit(s, "abc");
	fine(store_facts(s, &a, &f, &n, &err), &err);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(f[i].key, "rows.node")) {
			assert_string_equal(f[i].value, "1");
			seen++;
		}
	assert_int_equal(seen, 1);
	arena_free(&a);
	store_close(s);
}

static void journal_and_settings(void **state)
{
	struct err err = { 0 };
	struct arena a = { 0 };
	struct journal_line *line;
	const char *value;
	size_t n;
	struct store *s = open_store(STORE_WRITE);
	fine(store_get(s, "k", &a, &value, &err), &err);
	assert_null(value);
	fine(store_journal(s, 5, &a, &line, &n, &err), &err);
	assert_int_equal(n, 0);
	for (int i = 0; i < 3; i++) {
		begin(s);
		add_node(s, "n");
		commit(s, "h");
	}
	begin(s);
	store_rollback(s);
	fine(store_journal(s, 2, &a, &line, &n, &err), &err);
	assert_int_equal(n, 2);
	assert_int_equal(line[0].batch, 3);
	assert_string_equal(line[0].command, "tare import a.csv");
	fine(store_set(s, "k", "1", &err), &err);
	fine(store_set(s, "k", "2", &err), &err);
	store_close(s);
	s = open_store(STORE_READ);
	fine(store_get(s, "k", &a, &value, &err), &err);
	assert_string_equal(value, "2");
	assert_int_equal(store_set(s, "k", "3", &err), -EPERM);
	store_close(s);
	s = open_store(STORE_WRITE);
	fine(store_set(s, "k", NULL, &err), &err);
	fine(store_get(s, "k", &a, &value, &err), &err);
	assert_null(value);
	arena_free(&a);
	store_close(s);
}

int main(void)
{
	if (getenv("TARE_TEST_LOAD")) {
		struct err err = { 0 };
		bool ok = duck_load(&err) == -ENOENT && strstr(err.msg, "/nowhere/libduckdb.so") &&
			  strstr(err.hint, "tools/setup");
		return ok ? 7 : 1;
	}
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, fresh_dir, remove_dir)
		T(library_missing),
		T(nothing_there),
		T(makes_folders),
		T(no_folder_can_be_made),
		T(one_writer),
		T(readers_stay_where_they_are),
		T(in_many_files),
		T(a_file_is_lost),
		T(left_over_files),
		T(waits),
		T(foreign_lock),
		T(newer_version),
		T(older_version),
		T(flat_ledger),
		T(flat_jobs),
		T(no_store_of_ours),
		T(whole_or_not),
		T(replaced_source),
		T(lines_left_of_a_bill),
		T(facts_for_doctor),
		T(journal_and_settings),
#undef T
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
