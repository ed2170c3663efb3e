/* The account and its clock over a kill at each step of a quarantine: what was seen is there once,
 * with its right time, however often the agent is started again. */
#include "../base/test.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <unistd.h>

#include "../test_dir.h"
#include "agent/account.h"
#include "agent/agent_write.h"
#include "agent/recover.h"
#include "base/spans.h"
#include "base/tm.h"
#include "store/lite_vfs.h"

#define T0   INT64_C(1790000040000) /* a whole minute */
#define BACK (-2 * MS_HOUR)

static struct gpu_dev gdev;
static struct watch_use use;
static struct watch_dev wdev = {
	.gpu = &gdev, .model = "T4", .use = &use, .nuse = 1, .watched = true
};
static struct gpu_view gpus = { .dev = &gdev, .ndev = 1 };
static struct watch_view view = { .node = "n", .gpus = &gpus, .dev = &wdev, .ndev = 1 };
static struct allocation job = {
	.job_id = { "7", 1 }, .start_ms = T0, .end_ms = UNKNOWN_MS, .submit_ms = UNKNOWN_MS
};

static struct err err;
static struct agentdb *db;
static struct agent_write *writer;
static struct account a;
static struct clock_ruling now;
static const char *boot;
static int64_t boot_ms, off_ms; /* off: of the wall clock */
static int64_t pushed;          /* to the writer of this run */
static bool cut, dead;          /* the run ends between the two jobs of the next quarantine */

static void machine(void)
{
	gdev = (struct gpu_dev){
		.present = true,
		.info = { .uuid = "GPU-0", .parent = -1, .mig_start = -1, .mem_total_bytes = NAN }
	};
	for (int m = 0; m < METRIC_N; m++)
		gdev.value[m] = NAN;
	gdev.value[METRIC_GPU_UTIL_PCT] = 50;
	use = (struct watch_use){ .share_ppb = 1000000000,
				  .held = &job,
				  .state = STATE_BUSY,
				  .util_pct = 50,
				  .mem_bytes = NAN };
	view.host = (struct host_view){ .cpu_util_pct = NAN,
					.mem_total_bytes = NAN,
					.mem_available_bytes = NAN,
					.nic_rx_bytes_s = NAN,
					.nic_tx_bytes_s = NAN };
}

static void push(struct tally_out *o)
{
	pushed++;
	write_push(writer, o, now.t_ms);
}

static void push_jobs(struct tally_out jobs[ACCOUNT_JOBS])
{
	push(&jobs[0]);
	if (!cut)
		push(&jobs[1]);
	dead |= cut;
	tally_out_free(&jobs[1]);
}

static void heed(void)
{
	struct tally_out jobs[ACCOUNT_JOBS];
	if (now.ends) {
		account_settle(&a, &now, jobs);
		push_jobs(jobs);
	}
	if (now.begins && !dead) {
		account_hold(&a, &now, T0 + boot_ms + off_ms, jobs);
		push_jobs(jobs);
	}
}

static int end_run(void)
{
	int kept = write_stop(writer, &err);

	agentdb_close(db);
	tally_free(a.tally);
	return kept;
}

static void start(void)
{
	const struct write_opt keep = { .raw_keep_ms = INT64_MAX, .roll_keep_ms = INT64_MAX };
	a = (struct account){ .tally = tally_new(5000) };
	dead = cut = false;
	pushed = 0;
	assert_int_equal(agentdb_open(test_dir, true, &db, &err), 0);
	assert_int_equal(recover_minute(db, &err), 0);
	const struct account_start at = { boot, T0 + boot_ms + off_ms, boot_ms };
	assert_int_equal(account_open(&a, db, &at, &now, &err), 0);
	assert_int_equal(write_start(db, &keep, &writer, &err), 0);
	now.ends = false;
	view.mono_ms = 0;
	heed();
}

static void flush(void)
{
	struct tally_out o;
	account_take(&a, &o);
	push(&o);
}

/* A look a second, so many of them or until the run ends. */
static void looks(int n)
{
	for (int i = 0; i < n && !dead; i++) {
		boot_ms += 1000;
		clock_look(&a.clock, T0 + boot_ms + off_ms, boot_ms, &now);
		heed();
		view.step_ms = view.mono_ms ? 1000 : 0;
		view.mono_ms = boot_ms;
		view.t_ms = now.t_ms;
		if (!dead)
			tally_tick(a.tally, &view);
		if (!dead && i % 5 == 4)
			flush();
	}
}

static void stop(void)
{
	struct tally_out o;
	tally_close(a.tally);
	account_take(&a, &o);
	push(&o);
	assert_int_equal(end_run(), 0);
}

struct sums {
	spans minutes;
	int64_t ms, rows;
};

static int add_minute(void *ctx, const struct agentdb_minute *m, struct err *e)
{
	struct sums *s = ctx;
	(void)e;
	s->ms += m->to_ms - m->from_ms;
	spans_put(&s->minutes, (struct span){ m->from_ms, m->to_ms });
	return 0;
}

/* Blocks that are there by now: their time is one that is booked. */
static int add_block(void *ctx, const struct agentdb_block *b, struct err *e)
{
	struct sums *s = ctx;
	spans none = { 0 };
	(void)e;
	for (size_t i = 0; i < b->n; i++) {
		/* the first look of a run stands where its time begins, others where theirs ends */
		spans_free_of(&s->minutes, (struct span){ b->t_ms[i] - 1, b->t_ms[i] + 1 }, &none);
		assert_true(none.n == 0 || none.v[0].to_ms - none.v[0].from_ms == 1);
	}
	s->rows += (int64_t)b->n;
	vec_free(&none);
	return 0;
}

/* Nothing is held back any more, minutes and intervals have the same time, and so have readings. */
static struct sums all(void)
{
	struct sums s = { 0 };
	struct arena mem = { 0 };
	struct agentdb_watched *w = NULL;
	size_t n = 0;
	int64_t held = -1, watched = 0, booked = 0;
	assert_int_equal(agentdb_open(test_dir, false, &db, &err), 0);
	assert_int_equal(agentdb_held_ms(db, &held, &err), 0);
	assert_int_equal(held, 0);
	assert_int_equal(agentdb_each_minute(db, &AGENTDB_ALL, add_minute, &s, &err), 0);
	assert_int_equal(agentdb_watches(db, &mem, &w, &n, &err), 0);
	for (size_t i = 0; i < n; i++)
		watched += w[i].to_ms - w[i].from_ms;
	assert_int_equal(watched, s.ms);
	for (size_t i = 0; i < s.minutes.n; i++)
		booked += s.minutes.v[i].to_ms - s.minutes.v[i].from_ms;
	assert_int_equal(booked, s.ms); /* no second twice */
	assert_int_equal(agentdb_each_block(db, INT64_MIN, INT64_MAX, add_block, &s, &err), 0);
	arena_free(&mem);
	agentdb_close(db);
	return s;
}

static int begin_test(void **state)
{
	machine();
	boot = "boot-1";
	boot_ms = 5000;
	off_ms = 0;
	return fresh_dir(state);
}

/* Killed when the clock was set and the first of the two was written. */
static void killed_where_it_begins(void **state)
{
	int64_t id = 0;
	(void)state;
	start();
	looks(130);
	off_ms = BACK;
	cut = true;
	looks(1);
	assert_true(dead);
	assert_int_equal(end_run(), 0);
	assert_int_equal(agentdb_open(test_dir, false, &db, &err), 0);
	assert_int_equal(agentdb_last_id(db, "quarantine", &id, &err), 0);
	agentdb_close(db);
	boot_ms += 20000;
	start();
	assert_true(now.begins);
	looks(700);
	assert_false(a.clock.held);
	stop();
	assert_int_equal(id, 0); /* it was not there, so it begins now */
	struct sums s = all();
	/* of the first run all but what it had not flushed, of the second all */
	assert_true(s.ms >= 129000 - 5000 + 699000);
	assert_int_equal(s.minutes.v[0].from_ms, T0 + 135000 + BACK);
	assert_true(s.rows > 600);
	vec_free(&s.minutes);
}

/* Killed when what was held back should get its time, and the first of the two was written. */
static void killed_where_it_ends(void **state)
{
	(void)state;
	start();
	looks(130);
	off_ms = BACK;
	looks(590);
	assert_true(a.clock.held);
	cut = true;
	looks(60);
	assert_true(dead);
	assert_int_equal(end_run(), 0);
	boot_ms += 20000;
	start();
	assert_false(a.clock.held);
	looks(100);
	stop();
	struct sums s = all();
	assert_int_equal(s.minutes.v[0].from_ms, T0 + 135000 + BACK);
	assert_true(s.ms >= 129000 + 600000 + 99000);
	assert_true(s.rows > 600);
	vec_free(&s.minutes);
}

/* The clock is set once more between the start that settles and the next one. */
static void killed_after_it_was_settled(void **state)
{
	(void)state;
	start();
	looks(130);
	off_ms = BACK;
	looks(590);
	assert_int_equal(end_run(), 0);
	boot_ms += 20000;
	start();
	assert_false(a.clock.held);
	assert_int_equal(end_run(), 0);
	off_ms = 2 * BACK;
	start();
	assert_true(now.begins);
	looks(700);
	stop();
	struct sums s = all();
	assert_true(s.minutes.v[0].from_ms > T0 + 2 * BACK && s.minutes.v[0].from_ms < T0 + BACK);
	assert_true(s.rows > 1200);
	vec_free(&s.minutes);
}

/* What is known of the clock is damaged while something is held back: it is not left there, and not
 * moved by the shift of a later quarantine. */
static void damaged_clock(void **state)
{
	int64_t held = -1;
	(void)state;
	start();
	looks(130);
	off_ms = BACK;
	looks(300);
	assert_int_equal(end_run(), 0);
	assert_int_equal(agentdb_open(test_dir, true, &db, &err), 0);
	assert_int_equal(agentdb_set(db, "clock", "tare.clock/1 boot-1 1 2", &err), 0);
	agentdb_close(db);
	boot_ms += 20000;
	start();
	assert_true(now.begins); /* the wall lies before what was booked last */
	assert_int_equal(agentdb_held_ms(db, &held, &err), 0);
	assert_int_equal(held, 0);
	looks(700);
	stop();
	struct sums s = all();
	assert_int_equal(s.ms, 129000 + 300000 + 699000);
	assert_int_equal(s.minutes.n, 2);
	assert_int_equal(s.minutes.v[1].from_ms, T0 + 6000);
	vec_free(&s.minutes);
}

/* As for a disk that has no room for it: what goes to the table fails, from now on or no more. */
static void refuse(const char *table, bool on)
{
	sqlite3 *other;
	char path[128], sql[160];
	snprintf(path, sizeof path, "%s/agent.db", test_dir);
	assert_int_equal(sqlite3_open_v2(path, &other, SQLITE_OPEN_READWRITE, lite_vfs()),
			 SQLITE_OK);
	sqlite3_busy_timeout(other, 10000);
	if (on)
		snprintf(sql, sizeof sql,
			 "CREATE TRIGGER refuse BEFORE INSERT ON %s BEGIN"
			 " SELECT RAISE(ABORT, 'no room'); END",
			 table);
	else
		snprintf(sql, sizeof sql, "DROP TRIGGER refuse");
	assert_int_equal(sqlite3_exec(other, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(other);
}

static void wait_for_writer(void)
{
	struct write_stats w;
	do {
		usleep(1000);
		write_stats_of(writer, &w);
	} while (w.flushes < pushed);
}

/* A whole block of readings is written while the begin of their quarantine waits for room: they are
 * not of the one before, whose shift is known already. */
static void a_full_disk_where_it_begins(void **state)
{
	(void)state;
	start();
	looks(130);
	off_ms = BACK;
	looks(700);
	assert_false(a.clock.held);
	wait_for_writer();
	refuse("quarantine", true);
	off_ms = 0;
	looks(300);
	off_ms = -BACK;
	looks(400);
	wait_for_writer();
	refuse("quarantine", false);
	looks(400);
	assert_false(a.clock.held);
	stop();
	struct sums s = all();
	assert_int_equal(s.ms, 129000 + 700000 + 1100000);
	assert_true(s.rows > 1200);
	vec_free(&s.minutes);
}

/* Killed in the first minute behind time that was booked before: the interval before that time does
 * not go on over it. */
static void killed_behind_what_was_booked(void **state)
{
	(void)state;
	use.held = NULL;
	use.state = STATE_UNALLOCATED;
	start();
	looks(110);
	off_ms = MS_HOUR;
	looks(700);
	off_ms = 2239000; /* steady a minute before what is booked already */
	looks(601);
	assert_false(a.clock.held);
	looks(60 + 700 + 10);
	assert_int_equal(end_run(), 0);
	boot_ms += 2000;
	start();
	stop();
	struct sums s = all();
	assert_int_equal(s.minutes.n, 2);
	vec_free(&s.minutes);
}

/* The same where there was no room for the interval, nor for the minutes of it that are over. */
static void killed_with_a_full_disk(void **state)
{
	(void)state;
	start();
	looks(130);
	assert_int_equal(end_run(), 0);
	boot_ms += 2 * TALLY_BRIDGE_MS;
	start();
	refuse("watched", true);
	looks(100);
	assert_int_equal(end_run(), -EIO); /* says since when nothing is kept */
	assert_non_null(strstr(err.msg, "is not kept"));
	refuse("watched", false);
	boot_ms += 2000;
	start();
	stop();
	struct sums s = all();
	assert_int_equal(s.minutes.n, 2);
	vec_free(&s.minutes);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin_test, remove_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(killed_where_it_begins),      TEST(killed_where_it_ends),
		TEST(killed_after_it_was_settled), TEST(damaged_clock),
		TEST(a_full_disk_where_it_begins), TEST(killed_behind_what_was_booked),
		TEST(killed_with_a_full_disk)
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
