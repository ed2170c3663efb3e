/* Bits flip, pages are zeroed, swapped and cut off in the agent's files: what is read is what was
 * written, or an error that says so; never anything else. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "../test_dir.h"
#include "agent/ahead.h"
#include "agent/recover.h"
#include "base/str.h"
#include "store/agentdb.h"
#include "store/agentdb_in.h"
#include "store/lite_vfs.h"

#define T0      INT64_C(1790000000000)
#define MINUTES 400
#define HOLDS   120
#define PAGE    4096

static struct err err;

static void put_rows(struct agentdb *db, int from, int to)
{
	char roll[180];
	assert_int_equal(agentdb_begin(db, &err), 0);
	for (int i = from; i < to; i++) {
		memset(roll, 'a' + i % 23, sizeof roll);
		struct agentdb_minute m = { .t_ms = T0 + i * 60000,
					    .dev = 1 + i % 3,
					    .from_ms = T0 + i * 60000,
					    .to_ms = T0 + i * 60000 + 60000,
					    .roll = { roll, sizeof roll } };
		assert_int_equal(agentdb_put_minute(db, &m, &err), 0);
		struct agentdb_event e = { .id = i + 1, .t_ms = T0 + i, .kind = SV("xid") };
		assert_int_equal(agentdb_put_event(db, &e, &err), 0);
	}
	for (int i = from; i < to && i < HOLDS; i++) {
		struct agentdb_hold h = { .id = i + 1,
					  .owner = i,
					  .dev = 1,
					  .from_ms = T0 + i,
					  .to_ms = T0 + i + 1,
					  .rev = HOLDS - i };
		assert_int_equal(agentdb_put_hold(db, &h, &err), 0);
	}
	assert_int_equal(agentdb_commit(db, &err), 0);
}

static void put_blocks(struct agentdb *db)
{
	int64_t t[50];
	double v[50];
	struct agentdb_block b = { .dev = 1, .t_ms = t, .n = 50, .value = { v } };
	for (int k = 0; k < 20; k++) {
		for (int i = 0; i < 50; i++) {
			t[i] = T0 + (k * 50 + i) * 1000;
			v[i] = (k * 7919 + i * 104729) % 1000 / 7.0;
		}
		assert_int_equal(agentdb_put_blocks(db, &b, 1, k + 1, 0, &err), 0);
	}
}

/* ---- all that is read, as text --------------------------------------------------------------- */

static int add_minute(void *ctx, const struct agentdb_minute *m, struct err *e)
{
	struct str *out = ctx;
	(void)e;
	str_addf(out, "m %lld %lld %lld ", (long long)m->id, (long long)m->dev,
		 (long long)m->from_ms);
	str_addsv(out, m->roll);
	return 0;
}

static int add_event(void *ctx, const struct agentdb_event *v, struct err *e)
{
	(void)e;
	str_addf(ctx, "e %lld %lld\n", (long long)v->id, (long long)v->t_ms);
	return 0;
}

static int add_block(void *ctx, const struct agentdb_block *b, struct err *e)
{
	(void)e;
	for (size_t i = 0; i < b->n; i++)
		str_addf(ctx, "b %lld %.17g\n", (long long)b->t_ms[i], b->value[0][i]);
	return 0;
}

static int read_all(struct agentdb *db, struct str *out)
{
	struct arena a = { 0 };
	struct agentdb_hold *h = NULL;
	size_t n = 0;
	int r = agentdb_holds(db, 0, &a, &h, &n, &err);
	for (size_t i = 0; r >= 0 && i < n; i++)
		str_addf(out, "h %lld %lld %lld\n", (long long)h[i].id, (long long)h[i].from_ms,
			 (long long)h[i].rev);
	if (r >= 0)
		r = agentdb_each_minute(db, &AGENTDB_ALL, add_minute, out, &err);
	if (r >= 0)
		r = agentdb_each_event(db, &AGENTDB_ALL, add_event, out, &err);
	if (r >= 0)
		r = agentdb_each_block(db, 0, INT64_MAX, add_block, out, &err);
	arena_free(&a);
	return r;
}

static int read_folder(struct str *out)
{
	struct agentdb *db;
	int r = agentdb_open(test_dir, false, &db, &err);
	if (r < 0)
		return r;
	r = recover_check(db, &err);
	if (r >= 0)
		r = read_all(db, out);
	agentdb_close(db);
	return r;
}

/* ---- hits ------------------------------------------------------------------------------------ */

static char *path_of(const char *name)
{
	static char path[2][128];
	static int turn;
	turn = !turn;
	snprintf(path[turn], sizeof path[turn], "%s/%s", test_dir, name);
	return path[turn];
}

static void load(const char *name, struct str *ret)
{
	char buf[PAGE];
	size_t n;
	FILE *f = fopen(path_of(name), "rb");
	assert_non_null(f);
	str_clear(ret);
	while ((n = fread(buf, 1, sizeof buf, f)) > 0)
		str_add(ret, buf, n);
	fclose(f);
}

static void save(const char *name, const char *p, size_t n)
{
	FILE *f = fopen(path_of(name), "r+b"); /* in its place: somebody may have it open */
	assert_non_null(f);
	assert_int_equal(fwrite(p, 1, n, f), n);
	fclose(f);
	assert_int_equal(truncate(path_of(name), (off_t)n), 0);
}

/* xorshift64: https://doi.org/10.18637/jss.v008.i14 */
static size_t draw(uint64_t *state, size_t n)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (size_t)(*state >> 11) % n;
}

enum hit { HIT_FLIP, HIT_ZERO, HIT_SWAP, HIT_CUT, HIT_HEADER, HIT_N };

static size_t damage(enum hit hit, struct str *all, uint64_t *rng)
{
	size_t pages = all->n / PAGE, a = draw(rng, pages), b = draw(rng, pages);
	char page[PAGE];
	switch (hit) {
	case HIT_FLIP: all->p[draw(rng, all->n)] ^= (char)(1 << draw(rng, 8)); break;
	case HIT_ZERO: memset(all->p + a * PAGE, 0, PAGE); break;
	case HIT_SWAP:
		memcpy(page, all->p + a * PAGE, PAGE);
		memcpy(all->p + a * PAGE, all->p + b * PAGE, PAGE);
		memcpy(all->p + b * PAGE, page, PAGE);
		break;
	case HIT_CUT: return draw(rng, all->n);
	case HIT_HEADER: all->p[draw(rng, 100)] ^= (char)(1 << draw(rng, 8)); break;
	case HIT_N: break;
	}
	return all->n;
}

static void hit_file(const char *name, int times, const struct str *want)
{
	struct str whole = { 0 }, hit = { 0 }, got = { 0 };
	uint64_t rng = 20261125;
	int errors = 0;
	load(name, &whole);
	for (int i = 0; i < times; i++) {
		str_clear(&hit);
		str_add(&hit, whole.p, whole.n);
		save(name, hit.p, damage((enum hit)(i % HIT_N), &hit, &rng));
		str_clear(&got);
		int r = read_folder(&got);
		if (r >= 0 && (got.n != want->n || memcmp(got.p, want->p, got.n) != 0))
			fail_msg("hit %d of '%s' gave something else", i, name);
		if (r < 0 && r != -EBADMSG)
			fail_msg("hit %d of '%s': %d, %s", i, name, r, err.msg);
		errors += r < 0;
	}
	assert_true(errors > times / 2);
	save(name, whole.p, whole.n);
	str_free(&whole);
	str_free(&hit);
	str_free(&got);
}

static void closed_files(void **state)
{
	struct agentdb *db;
	struct str want = { 0 };
	(void)state;
	assert_int_equal(agentdb_open(test_dir, true, &db, &err), 0);
	assert_true(lite_has_sums(db->db) && lite_has_sums(db->raw));
	for (int i = 0; i < MINUTES; i += 40)
		put_rows(db, i, i + 40);
	put_blocks(db);
	agentdb_close(db);
	assert_int_equal(read_folder(&want), 0);
	assert_true(want.n > 50000);
	hit_file("agent.db", 400, &want);
	hit_file("raw.db", 400, &want);
	str_free(&want);
}

/* The log of a run that was killed; the write-ahead knows how many commits there were. */
static void log_of_a_killed(void **state)
{
	struct agentdb *db;
	struct ahead *ahead;
	struct str want = { 0 }, file[4] = { 0 };
	static const char *const name[] = { "agent.db", "raw.db", "agent.db-wal", "raw.db-wal" };
	struct agentdb_commits commits = { 0 };
	(void)state;
	assert_int_equal(agentdb_open(test_dir, true, &db, &err), 0);
	put_rows(db, 0, 20);
	put_rows(db, 20, 30);
	put_blocks(db);
	assert_int_equal(ahead_open(db->dir_fd, test_dir, NULL, NULL, &ahead, &err), 0);
	assert_int_equal(agentdb_commits(db, &commits, &err), 0);
	assert_int_equal(commits.rows, 2);
	assert_int_equal(commits.blocks, 20);
	ahead_mark(ahead, &commits);
	assert_int_equal(ahead_append(ahead, AHEAD_MINUTE, 1, SV("x"), &err), 0);
	ahead_close(ahead);
	for (int i = 0; i < 4; i++)
		load(name[i], &file[i]);
	agentdb_close(db);
	for (int i = 0; i < 4; i++) {
		FILE *f = fopen(path_of(name[i]), "wb");
		fclose(f);
		save(name[i], file[i].p, file[i].n);
	}
	assert_int_equal(read_folder(&want), 0);
	hit_file("agent.db-wal", 200, &want);
	hit_file("raw.db-wal", 200, &want);
	/* the next start says what is lost and goes on */
	save("agent.db-wal", "", 0);
	assert_int_equal(read_folder(&want), -EBADMSG);
	assert_int_equal(agentdb_open(test_dir, true, &db, &err), 0);
	assert_int_equal(recover_minute(db, &err), 0);
	put_rows(db, 0, 5);
	agentdb_close(db);
	str_clear(&want);
	assert_int_equal(read_folder(&want), 0);
	str_free(&want);
	for (int i = 0; i < 4; i++)
		str_free(&file[i]);
}

/* agent.db as before there were sums: the same tables and rows, without room for them. */
static void take_sums_away(void)
{
	struct str sql = { 0 };
	sqlite3 *old;
	sqlite3_stmt *st;
	assert_int_equal(rename(path_of("agent.db"), path_of("with.db")), 0);
	assert_int_equal(sqlite3_open(path_of("agent.db"), &old), SQLITE_OK);
	str_addf(&sql, "PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; ATTACH '%s' AS w",
		 path_of("with.db"));
	assert_int_equal(sqlite3_exec(old, str_z(&sql), NULL, NULL, NULL), SQLITE_OK);
	str_clear(&sql);
	assert_int_equal(sqlite3_prepare_v2(old,
					    "SELECT name, sql FROM w.sqlite_master WHERE sql IS NOT"
					    " NULL AND name NOT LIKE 'sqlite_%' ORDER BY type DESC",
					    -1, &st, NULL),
			 SQLITE_OK);
	while (sqlite3_step(st) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(st, 0);
		str_addf(&sql, "%s;", sqlite3_column_text(st, 1));
		if (strncmp((const char *)sqlite3_column_text(st, 1), "CREATE TABLE", 12) == 0)
			str_addf(&sql, "INSERT INTO main.%s SELECT * FROM w.%s;", name, name);
	}
	sqlite3_finalize(st);
	str_addz(&sql, "PRAGMA user_version = 2");
	assert_int_equal(sqlite3_exec(old, str_z(&sql), NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(old);
	str_free(&sql);
}

/* The next start gives sums to files of agents before, and nothing else changes. */
static void older_files(void **state)
{
	struct agentdb *db;
	struct str want = { 0 }, got = { 0 };
	(void)state;
	assert_int_equal(agentdb_open(test_dir, true, &db, &err), 0);
	put_rows(db, 0, 200);
	agentdb_close(db);
	assert_int_equal(read_folder(&want), 0);
	take_sums_away();
	if (read_folder(&got))
		fail_msg("%s", err.msg);
	assert_string_equal(str_z(&got), str_z(&want));
	assert_int_equal(agentdb_open(test_dir, true, &db, &err), 0);
	assert_true(lite_has_sums(db->db));
	put_rows(db, 200, 220);
	agentdb_close(db);
	str_clear(&want);
	assert_int_equal(read_folder(&want), 0);
	hit_file("agent.db", 100, &want);
	str_free(&want);
	str_free(&got);
}

/* Damaged raw readings are quarantined with their log, which is said, and the agent goes on. */
static void raw_is_put_aside(void **state)
{
	struct agentdb *db;
	struct str all = { 0 };
	(void)state;
	assert_int_equal(agentdb_open(test_dir, true, &db, &err), 0);
	put_rows(db, 0, 20);
	put_blocks(db);
	agentdb_close(db);
	load("raw.db", &all);
	all.p[40] ^= 1;
	save("raw.db", all.p, all.n);
	assert_int_equal(agentdb_open(test_dir, true, &db, &err), 0);
	assert_non_null(strstr(err.msg, "raw.db' is damaged"));
	assert_non_null(strstr(err.hint, "raw.db.damaged"));
	put_blocks(db);
	agentdb_close(db);
	assert_int_equal(access(path_of("raw.db.damaged"), F_OK), 0);
	str_free(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(closed_files, fresh_dir, remove_dir),
		cmocka_unit_test_setup_teardown(log_of_a_killed, fresh_dir, remove_dir),
		cmocka_unit_test_setup_teardown(older_files, fresh_dir, remove_dir),
		cmocka_unit_test_setup_teardown(raw_is_put_aside, fresh_dir, remove_dir),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
