/* The account of time: every millisecond once, owners that come and go, gaps, clocks that jump,
 * GPUs that vanish. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "agent/tally.h"
#include "base/tm.h"

#define T0 INT64_C(1790000040000) /* a whole minute */

static struct gpu_dev gdev[2];
static struct watch_use use[2][2];
static struct watch_dev wdev[2];
static struct gpu_view gpus = { .dev = gdev, .ndev = 2 };
static struct watch_view view = { .node = "n", .gpus = &gpus, .dev = wdev, .ndev = 2 };
static struct allocation job = {
	.job_id = { "7", 1 }, .start_ms = T0, .end_ms = UNKNOWN_MS, .submit_ms = UNKNOWN_MS
};
static struct tally *t;
static int64_t booked[2], last_to[2], events, jumps;
/* as far as the machine was told to be watched, with a row that is written */
static int64_t held_ms, watched_to;
static int64_t blind, sighted, unread_ms, unwatched_ms;

static void machine(void)
{
	for (int i = 0; i < 2; i++) {
		gdev[i] = (struct gpu_dev){ .present = true,
					    .info = { .index = i,
						      .parent = -1,
						      .mig_start = -1,
						      .mem_total_bytes = NAN } };
		snprintf(gdev[i].info.uuid, sizeof gdev[i].info.uuid, "GPU-%d", i);
		for (int m = 0; m < METRIC_N; m++)
			gdev[i].value[m] = NAN;
		gdev[i].value[METRIC_GPU_UTIL_PCT] = 50;
		use[i][0] = (struct watch_use){ .share_ppb = 1000000000,
						.state = STATE_UNALLOCATED,
						.cause = CAUSE_FREE,
						.util_pct = 50,
						.mem_bytes = NAN };
		wdev[i] = (struct watch_dev){
			.gpu = &gdev[i], .model = "T4", .use = use[i], .nuse = 1, .watched = true
		};
	}
	view.host = (struct host_view){ .cpu_util_pct = NAN,
					.mem_total_bytes = NAN,
					.mem_available_bytes = NAN,
					.nic_rx_bytes_s = NAN,
					.nic_tx_bytes_s = NAN };
	view.ndev = gpus.ndev = 2;
	t = tally_new(5000);
	memset(booked, 0, sizeof booked);
	memset(last_to, 0, sizeof last_to);
	events = jumps = held_ms = 0;
	blind = sighted = unread_ms = unwatched_ms = 0;
}

static void tick(int64_t wall_ms, int64_t mono_ms)
{
	view.step_ms = view.mono_ms ? mono_ms - view.mono_ms : 0;
	view.t_ms = wall_ms;
	view.mono_ms = mono_ms;
	tally_tick(t, &view);
}

/* What came out: rows of a device follow each other, parts of a row have all of its time. */
static void take(void)
{
	struct tally_out o;
	struct rollup r = { 0 };
	struct err err;
	tally_take(t, &o);
	for (size_t i = 0; i < o.event.n; i++) {
		events++;
		jumps += sv_is(o.event.v[i].kind, "clock_jump");
		blind += sv_is(o.event.v[i].kind, "blind");
		sighted += sv_is(o.event.v[i].kind, "sighted");
	}
	if (o.watched.n && (o.minute.n || o.minute_closed))
		watched_to = o.watched.v[o.watched.n - 1].to_ms;
	for (size_t i = 0; i < o.minute.n; i++) {
		assert_int_equal(
			rollup_unpack(o.minute.v[i].roll.p, o.minute.v[i].roll.n, &r, &err), 0);
		assert_true(r.to_ms > r.from_ms &&
			    tm_floor(r.from_ms, MS_MINUTE) == tm_floor(r.to_ms - 1, MS_MINUTE));
		size_t d = (size_t)r.dev - 1;
		assert_true(d < 2 && r.from_ms >= last_to[d]);
		last_to[d] = r.to_ms;
		booked[d] += r.to_ms - r.from_ms;
		for (size_t u = 0; u < r.use.n; u++) {
			int64_t ms = 0;
			for (size_t k = 0; k < r.use.v[u].nstate; k++) {
				const struct rollup_state *s = &r.use.v[u].state[k];
				ms += s->ms;
				unread_ms += s->cause == CAUSE_UNREAD ? s->ms : 0;
				unwatched_ms += s->cause == CAUSE_UNWATCHED ? s->ms : 0;
			}
			assert_int_equal(ms, r.to_ms - r.from_ms);
			held_ms += r.use.v[u].hold ? ms : 0;
		}
	}
	rollup_free(&r);
	tally_out_free(&o);
}

static void done(void)
{
	tally_close(t);
	take();
	tally_free(t);
	view.mono_ms = 0;
}

static void every_millisecond_once(void **state)
{
	machine();
	for (int i = 0; i <= 150; i++) { /* jitter of the timer is no loss */
		tick(T0 + i * 1000 + i * 7 % 13, 1000 + i * 1000 + i * 7 % 13);
		if (i % 5 == 0)
			take();
		if (i == 40) {
			use[0][0].held = &job;
			use[0][0].state = STATE_BUSY;
		}
		if (i == 100)
			use[0][0].held = NULL;
	}
	done();
	assert_int_equal(booked[0], 150000 + 150 * 7 % 13);
	assert_int_equal(booked[1], booked[0]);
	assert_true(held_ms > 59000 && held_ms < 61000);
	/* the last minute too, though it closed with nothing new seen since the last hand-out */
	assert_int_equal(watched_to, last_to[0]);
}

static void gaps(void **state)
{
	machine();
	use[0][0].held = &job;
	for (int i = 0; i <= 10; i++)
		tick(T0 + i * 1000, 1000 + i * 1000);
	tick(T0 + 100000, 101000); /* 90 s that nobody looked: bridged as unknown */
	take();
	/* longer than the bridge: time nobody saw, only the last reading's cover is booked */
	tick(T0 + 1100000, 1101000);
	done();
	assert_int_equal(booked[0], 100000 + 5000);
	assert_int_equal(held_ms, 105000);
	assert_true(events >= 2);
	/* the 90 s but for the last reading's cover: of the owner nothing was read, and whether
	 * somebody held the other GPU nobody saw */
	assert_int_equal(unread_ms, 90000 - 5000);
	assert_int_equal(unwatched_ms, 90000 - 5000);
}

/* Where owners cannot be seen is told when it changes. */
static void blindness(void **state)
{
	machine();
	wdev[1].watched = false;
	for (int i = 0; i <= 10; i++)
		tick(T0 + i * 1000, 1000 + i * 1000);
	take();
	assert_int_equal(blind, 1);
	assert_int_equal(sighted, 0);
	wdev[1].watched = true;
	for (int i = 11; i <= 20; i++)
		tick(T0 + i * 1000, 1000 + i * 1000);
	done();
	assert_int_equal(blind, 1);
	assert_int_equal(sighted, 1);
}

/* Set back by up to CLOCK_STEP_MS, which is followed at once: nothing is booked until it has caught
 * up. */
static void small_steps(void **state)
{
	machine();
	for (int i = 0; i <= 10; i++)
		tick(T0 + i * 1000, 1000 + i * 1000);
	for (int i = 11; i <= 30; i++)
		tick(T0 + i * 1000 - 900, 1000 + i * 1000);
	for (int i = 31; i <= 40; i++)
		tick(T0 + i * 1000, 1000 + i * 1000);
	done();
	assert_int_equal(booked[0], 40000);
	assert_int_equal(last_to[0], T0 + 40000);
}

/* What was held back is moved, and stands where nothing was booked before. */
static void held_back(void **state)
{
	struct tally_out o;
	int64_t first, taken;
	machine();
	use[0][0].held = &job;
	for (int i = 0; i <= 10; i++)
		tick(T0 + i * 1000, 1000 + i * 1000);
	tally_pause(t);
	take();
	assert_int_equal(booked[0], 10000);
	tally_hold(t, true);
	for (int i = 11; i <= 40; i++)
		tick(T0 + i * 1000, 1000 + i * 1000);
	tally_pause(t);
	tally_take(t, &o);
	assert_true(o.held);
	assert_int_equal(o.watched.n, 1);
	assert_int_equal(o.watched.v[0].from_ms, T0 + 10000);
	assert_int_equal(o.watched.v[0].to_ms, T0 + 40000);
	tally_out_free(&o);
	/* four seconds back: those were booked before */
	taken = tally_settle(t, -4000, &first);
	assert_int_equal(taken, 4000);
	assert_true(first > 1);
	last_to[0] = last_to[1] = T0 + 36000;
	for (int i = 41; i <= 50; i++)
		tick(T0 + i * 1000 - 4000, 1000 + i * 1000);
	done();
	assert_int_equal(booked[0], 10000 + 10000);
}

/* The clock comes to an interval that was booked before: it is not booked again, and goes on behind
 * it to the millisecond. */
static void booked_before(void **state)
{
	int64_t first;
	machine();
	for (int i = 0; i <= 10; i++) /* a clock that ran 100 s ahead */
		tick(T0 + 100000 + i * 1000, 1000 + i * 1000);
	tally_pause(t);
	take();
	tally_hold(t, true);
	tally_settle(t, -100000, &first); /* steady at once */
	last_to[0] = last_to[1] = 0;
	for (int i = 11; i <= 130; i++)
		tick(T0 + i * 1000 + 300, 1000 + i * 1000 + 300);
	done();
	/* 10.3 s to 100 s, and 110 s to 130.3 s */
	assert_int_equal(booked[0], 10000 + (100000 - 10000) + (130300 - 110000));
	assert_int_equal(last_to[0], T0 + 130300);
}

static void gpus_come_and_go(void **state)
{
	machine();
	use[1][0].held = &job;
	for (int i = 0; i <= 30; i++) {
		view.ndev = gpus.ndev = i >= 10 && i < 20 ? 1 : 2;
		gdev[0].present = i < 5 || i > 8;
		tick(T0 + i * 1000, 1000 + i * 1000);
	}
	done();
	assert_int_equal(booked[0], 30000);
	assert_int_equal(booked[1], 20000);
}

/* A gap that is bridged is where a row begins: the order of states within one is not told. */
static void a_gap_begins_a_row(void **state)
{
	struct tally_out o;
	machine();
	for (int i = 0; i <= 30; i++)
		if (i <= 10 || i >= 20)
			tick(T0 + i * 1000, 1000 + i * 1000);
	tally_take(t, &o);
	assert_int_equal(o.minute.n, 2); /* of each GPU, up to the gap */
	for (size_t i = 0; i < o.minute.n; i++)
		assert_int_equal(o.minute.v[i].to_ms, T0 + 10000);
	assert_true(o.minute_closed);
	tally_out_free(&o);
	done();
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(every_millisecond_once),
					    cmocka_unit_test(gaps),
					    cmocka_unit_test(a_gap_begins_a_row),
					    cmocka_unit_test(blindness),
					    cmocka_unit_test(small_steps),
					    cmocka_unit_test(held_back),
					    cmocka_unit_test(booked_before),
					    cmocka_unit_test(gpus_come_and_go) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
