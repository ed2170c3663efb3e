/* What was held back gets its time: minutes, holds, events and intervals together, cut to what is
 * free, raw readings too, and nothing else is touched. */
#include "../base/test.h"

#include <math.h>

#include "../test_dir.h"
#include "watch/rollup.h"
#include "agent/settle.h"
#include "base/tm.h"

#define T0 INT64_C(1790000040000)

static struct err err;
static struct agentdb *db;
static struct settled damaged; /* as of the last settle() */

static void put_interval(int64_t id, int64_t hold, int64_t from, int64_t to)
{
	double key[ROLLUP_KEYS] = { 50, NAN, NAN, NAN };
	assert_int_equal(agentdb_put_watched(db, &(struct agentdb_watched){ id, from, to }, &err),
			 0);
	assert_int_equal(agentdb_put_hold(db,
					  &(struct agentdb_hold){ .id = hold,
								  .owner = 1,
								  .dev = 1,
								  .share_ppb = ROLLUP_SHARE_ONE,
								  .from_ms = from,
								  .to_ms = to,
								  .open = true,
								  .rev = hold },
					  &err),
			 0);
	for (int64_t t = from; t < to;) {
		struct rollup r = { .dev = 1, .from_ms = t };
		struct str s = { 0 };
		int64_t end = tm_floor(t, MS_MINUTE) + MS_MINUTE;
		r.to_ms = end < to ? end : to;
		struct rollup_use *u = vec_push(&r.use);
		*u = (struct rollup_use){ .hold = hold, .share_ppb = ROLLUP_SHARE_ONE };
		int64_t ms = r.to_ms - r.from_ms;
		rollup_hist_add(&r.hist, 50);
		r.metric[METRIC_GPU_UTIL_PCT] =
			(struct rollup_metric){ .n = 1, .min = 50, .max = 50, .sum = 50 };
		rollup_use_add(u, STATE_BUSY, CAUSE_NONE, ms / 3, key);
		rollup_use_add(u, STATE_UNDERUSED, CAUSE_NONE, ms - ms / 3, key);
		rollup_pack(&r, &s);
		struct agentdb_minute m = { .t_ms = tm_floor(t, MS_MINUTE),
					    .dev = 1,
					    .from_ms = r.from_ms,
					    .to_ms = r.to_ms,
					    .roll = str_sv(&s) };
		assert_int_equal(agentdb_put_minute(db, &m, &err), 0);
		t = r.to_ms;
		str_free(&s);
		rollup_free(&r);
	}
}

struct sums {
	int64_t ms, rows, from, to, busy;
	int64_t hold[20];
	uint64_t readings;
};

static int add(void *ctx, const struct agentdb_minute *m, struct err *e)
{
	struct sums *s = ctx;
	struct rollup r = { 0 };
	assert_int_equal(rollup_unpack(m->roll.p, m->roll.n, &r, e), 0);
	assert_int_equal(r.from_ms, m->from_ms);
	assert_int_equal(r.to_ms, m->to_ms);
	assert_int_equal(m->t_ms, tm_floor(m->from_ms, MS_MINUTE));
	int64_t ms = 0;
	for (size_t k = 0; k < r.use.v[0].nstate; k++) {
		const struct rollup_state *t = &r.use.v[0].state[k];
		ms += t->ms;
		s->busy += t->state == STATE_BUSY ? t->ms : 0;
		assert_int_equal(t->known_ms[ROLLUP_UTIL], t->ms);
		assert_true(fabs(t->sum[ROLLUP_UTIL] - 50 * (double)t->ms) < 1e-3);
	}
	assert_int_equal(ms, r.to_ms - r.from_ms);
	assert_int_equal(tm_floor(r.from_ms, MS_HOUR), tm_floor(r.to_ms - 1, MS_HOUR));
	assert_int_equal(r.hist.n, r.metric[METRIC_GPU_UTIL_PCT].n);
	s->readings += r.hist.n;
	s->ms += ms;
	s->rows++;
	s->from = s->rows == 1 || m->from_ms < s->from ? m->from_ms : s->from;
	s->to = m->to_ms > s->to ? m->to_ms : s->to;
	s->hold[r.use.v[0].hold % 20] += ms;
	rollup_free(&r);
	return 0;
}

static struct sums all(void)
{
	struct sums s = { 0 };
	assert_int_equal(agentdb_each_minute(db, &AGENTDB_ALL, add, &s, &err), 0);
	return s;
}

static int settle(int64_t shift, int64_t *lost)
{
	struct settled done = { .taken_ms = *lost };
	assert_int_equal(agentdb_begin(db, &err), 0);
	int r = settle_held(db, shift, 1004, &done, &err);
	assert_int_equal(agentdb_commit(db, &err), 0);
	*lost = done.taken_ms;
	damaged = done;
	return r;
}

static int open_db(void **state)
{
	struct agentdb_device gpu = { .id = 1, .uuid = SV("GPU-1"), .first_ms = T0 };
	if (fresh_dir(state) || agentdb_open(test_dir, true, &db, &err) < 0)
		return -1;
	return agentdb_put_device(db, &gpu, &err);
}

static int close_db(void **state)
{
	agentdb_close(db);
	return remove_dir(state);
}

static int only(void *ctx, const struct agentdb_event *e, struct err *er)
{
	(void)er;
	*(int64_t *)ctx += e->t_ms;
	return 0;
}

static void moved(void **state)
{
	int64_t lost = -1, held = 0, at = 0, n = 0;
	(void)state;
	put_interval(1, 1, T0, T0 + 100000);
	agentdb_hold_back(db, true);
	assert_int_equal(agentdb_put_quarantine(db, 1, &err), 0);
	put_interval(2, 2, T0 + 100000, T0 + 700000);
	assert_int_equal(
		agentdb_put_event(
			db, &(struct agentdb_event){ .id = 1, .t_ms = T0, .kind = SV("x") }, &err),
		0);
	agentdb_hold_back(db, false);
	/* nobody sees it yet */
	assert_int_equal(all().ms, 100000);
	assert_int_equal(agentdb_last_id(db, "event", &n, &err), 0);
	assert_int_equal(n, 0);
	assert_int_equal(agentdb_held_ms(db, &held, &err), 0);
	assert_int_equal(held, 600000);
	assert_int_equal(settle(7 * MS_HOUR + 1, &lost), 0);
	assert_int_equal(lost, 0);
	struct sums s = all();
	assert_int_equal(s.ms, 700000);
	assert_int_equal(s.hold[2], 600000);
	assert_int_equal(s.to, T0 + 700000 + 7 * MS_HOUR + 1);
	assert_int_equal(agentdb_held_ms(db, &held, &err), 0);
	assert_int_equal(held, 0);
	assert_int_equal(agentdb_each_event(db, &AGENTDB_ALL, only, &at, &err), 0);
	assert_int_equal(at, T0 + 7 * MS_HOUR + 1);
	assert_int_equal(settle(5, &lost), 0); /* there is nothing left */
	assert_int_equal(all().ms, 700000);
}

/* Over two intervals that were booked before: [0, 100) and [300, 330) s stay as they are. */
static void cut(void **state)
{
	struct arena a = { 0 };
	struct agentdb_watched *w;
	struct agentdb_hold *h;
	size_t nw, nh;
	int64_t lost = -1, busy;
	(void)state;
	put_interval(1, 1, T0, T0 + 100000);
	put_interval(2, 2, T0 + 300000, T0 + 330000);
	busy = all().busy;
	agentdb_hold_back(db, true);
	assert_int_equal(agentdb_put_quarantine(db, 1, &err), 0);
	put_interval(3, 3, T0 + 8000000, T0 + 8600000);
	agentdb_hold_back(db, false);
	assert_int_equal(settle(-7950000, &lost), 0); /* [50, 650) s */
	assert_int_equal(lost, 50000 + 30000);
	struct sums s = all();
	assert_int_equal(s.ms, 650000);
	assert_int_equal(s.from, T0);
	assert_int_equal(s.to, T0 + 650000);
	assert_int_equal(s.hold[1], 100000);
	assert_int_equal(s.hold[2], 30000);
	assert_int_equal(s.hold[3] + s.hold[5], 520000); /* where it was cut in two it is another */
	assert_true(s.hold[3] == 200000 && s.busy > busy + 520000 / 3 - 20);
	assert_int_equal(agentdb_watches(db, &a, &w, &nw, &err), 0);
	assert_int_equal(agentdb_holds(db, 0, &a, &h, &nh, &err), 0);
	assert_int_equal(nw, 4);
	assert_int_equal(nh, 4);
	for (size_t i = 0; i < nw; i++)
		for (size_t k = 0; k < i; k++)
			assert_true(w[i].from_ms >= w[k].to_ms || w[i].to_ms <= w[k].from_ms);
	for (size_t i = 0; i < nh; i++)
		for (size_t k = 0; k < i; k++)
			assert_true(h[i].from_ms >= h[k].to_ms || h[i].to_ms <= h[k].from_ms);
	arena_free(&a);
}

/* By a shift that is no whole minute over the end of an hour, with a second of it taken: no row
 * lies in two hours, and each reading counts once. */
static void cut_at_the_hour(void **state)
{
	int64_t lost = -1, hour = tm_floor(T0, MS_HOUR) + MS_HOUR;
	(void)state;
	put_interval(1, 1, hour - 20000, hour - 19000);
	assert_int_equal(all().readings, 1);
	agentdb_hold_back(db, true);
	assert_int_equal(agentdb_put_quarantine(db, 1, &err), 0);
	put_interval(2, 2, hour - 120000, hour + 180000);
	agentdb_hold_back(db, false);
	assert_int_equal(settle(30001, &lost), 0);
	struct sums s = all();
	assert_int_equal(s.ms, 300000);
	assert_int_equal(s.to, hour + 180000 + 30001);
	assert_int_equal(s.readings, 1 + 5);
	assert_int_equal(s.rows, 1 + 5 + 2); /* one minute in three */
}

/* Numbers that were given twice, as by an agent that lost sight of what it held back. */
static void same_numbers(void **state)
{
	struct arena a = { 0 };
	struct agentdb_watched *w;
	struct agentdb_hold *h;
	size_t nw, nh;
	int64_t lost = -1, event = 0;
	(void)state;
	for (int held = 0; held < 2; held++) {
		int64_t from = T0 + held * 1000000;
		struct agentdb_event e = { .id = 1, .t_ms = from, .kind = SV("x") };
		agentdb_hold_back(db, held);
		put_interval(1, 1, from, from + 100000);
		put_interval(2, 2, from + 200000, from + 300000);
		assert_int_equal(agentdb_put_event(db, &e, &err), 0);
	}
	agentdb_hold_back(db, false);
	assert_int_equal(settle(0, &lost), 0);
	struct sums s = all();
	assert_int_equal(s.ms, 400000);
	assert_int_equal(s.hold[1] + s.hold[2], 200000);
	assert_int_equal(agentdb_watches(db, &a, &w, &nw, &err), 0);
	assert_int_equal(nw, 4);
	assert_int_equal(agentdb_holds(db, 2, &a, &h, &nh, &err), 0);
	assert_int_equal(nh, 2); /* changed since the last that was booked: a server gets them */
	assert_int_equal(agentdb_last_id(db, "event", &event, &err), 0);
	assert_int_equal(event, 2);
	arena_free(&a);
}

/* A minute that cannot be read is lost, no more, and it is said. */
static void damaged_minutes(void **state)
{
	int64_t lost = -1;
	(void)state;
	agentdb_hold_back(db, true);
	assert_int_equal(agentdb_put_quarantine(db, 1, &err), 0);
	put_interval(1, 1, T0, T0 + 180000);
	const struct agentdb_minute bad = { .t_ms = T0,
					    .dev = 1,
					    .from_ms = T0,
					    .to_ms = T0 + 60001, /* the longer one stays */
					    .roll = SV("damaged") };
	assert_int_equal(agentdb_put_minute(db, &bad, &err), 0);
	agentdb_hold_back(db, false);
	assert_int_equal(settle(MS_HOUR, &lost), 0);
	assert_int_equal(lost, 0);
	assert_int_equal(damaged.damaged_rows, 1);
	assert_int_equal(damaged.damaged_ms, 60001);
	settle_say_damage(&damaged);
	assert_int_equal(all().ms, 120000);
}

static int last_time(void *ctx, const struct agentdb_block *b, struct err *e)
{
	(void)e;
	*(int64_t *)ctx = b->t_ms[b->n - 1];
	assert_true(b->value[0][b->n - 1] == 7.5);
	return 0;
}

static void raw(void **state)
{
	int64_t t[] = { T0, T0 + 1000, T0 + 2500 }, last = 0, lost = 0;
	double v[] = { 1, 2, 7.5 };
	struct agentdb_block b = { .dev = 1, .t_ms = t, .n = 3, .value = { v } };
	(void)state;
	assert_int_equal(agentdb_put_quarantine(db, 1, &err), 0);
	assert_int_equal(agentdb_put_blocks(db, &b, 1, 1, 1, &err), 0);
	assert_int_equal(agentdb_settle_raw(db, &err), 0); /* it goes on */
	assert_int_equal(agentdb_each_block(db, 0, INT64_MAX, last_time, &last, &err), 0);
	assert_int_equal(last, T0 + 2500);
	assert_int_equal(settle(-3 * MS_HOUR, &lost), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(agentdb_settle_raw(db, &err), 0);
		assert_int_equal(agentdb_each_block(db, 0, INT64_MAX, last_time, &last, &err), 0);
		assert_int_equal(last, T0 + 2500 - 3 * MS_HOUR);
	}
}

/* Retention counts time that was watched: years that a clock jumped over make nothing old. */
static void nothing_ages(void **state)
{
	int64_t from = 0;
	(void)state;
	assert_int_equal(agentdb_keep_from(db, 1000, &from, &err), 0);
	assert_true(from == INT64_MIN);
	put_interval(1, 1, T0, T0 + 100000);
	put_interval(2, 2, T0 + 20 * 365 * MS_DAY, T0 + 20 * 365 * MS_DAY + 50000);
	assert_int_equal(agentdb_keep_from(db, 90000, &from, &err), 0);
	assert_int_equal(from, T0 + 60000);
	assert_int_equal(agentdb_keep_from(db, 160000, &from, &err), 0);
	assert_true(from == INT64_MIN);
	/* booked by a clock that was twenty years ahead, then set back: the old goes first */
	put_interval(3, 3, T0 + 200000, T0 + 240000);
	assert_int_equal(agentdb_keep_from(db, 60000, &from, &err), 0);
	assert_int_equal(from, T0 + 200000);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_db, close_db)

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(moved),           TEST(cut),
					    TEST(cut_at_the_hour), TEST(same_numbers),
					    TEST(damaged_minutes), TEST(raw),
					    TEST(nothing_ages) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
