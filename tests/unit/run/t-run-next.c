/* The rules are opt/spot/spot.h's (and tested there): here it is whether the runner asks them
 * right, and what it makes of the answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>
#include "run/run_next.h"

#define H  3600000LL
#define T0 1795289980000LL

static struct run_known begun(int64_t done_ms)
{
	struct run_known k;

	run_known_init(&k);
	k.job_ms = T0;
	k.done_ms = done_ms;
	return k;
}

static struct run_next asked(const struct run_plan *p, const struct run_known *k, int64_t now_h10,
			     int64_t deadline_h, bool taken)
{
	struct run_next n;

	run_next(&(struct run_next_ask){ p, k, T0 + now_h10 * H / 10, T0 + deadline_h * H, -1, H,
					 taken },
		 &n);
	return n;
}

static void what_is_not_known_is_said(void **state)
{
	struct run_known k = begun(0);
	struct run_plan p = { .restart_ms = 600000 };
	struct run_next n;

	run_next(&(struct run_next_ask){ &p, &k, T0, INT64_MAX, -1, 0, true }, &n);
	assert_false(n.known);
	assert_null(run_next_word(&n));
	n = asked(&p, &k, 0, 20, true);
	assert_false(n.known);
	assert_non_null(strstr(n.why, "--steps"));
	p.steps = 1000;
	n = asked(&p, &k, 0, 20, true);
	assert_false(n.known);
	k.step_us = 36000000; /* 10 h */
	n = asked(&p, &k, 0, 20, true);
	assert_true(n.known);
	assert_int_equal(n.left_ms, 10 * H);
}

/* Without prices it is Uniform Progress and the guarantee, over a grid of situations. */
static void the_same_as_the_simulator(void **state)
{
	struct run_plan p = { .restart_ms = 720000, .work_ms = 20 * H };
	int of[3] = { 0 };

	for (int64_t now = 0; now < 320; now += 5)
		for (int64_t done = 0; done <= now && done < 200; done += 5)
			for (int taken = 0; taken < 2; taken++) {
				struct run_known k = begun(done * H / 10);
				struct spot_task t = { 600000, 20 * H, 32 * H, 720000, 0, 0 };
				struct spot_now s = { now * 6 / 10, !taken, SPOT_NONE, 0,
						      done * H / 10 };
				struct run_next n = asked(&p, &k, now, 32, taken);
				enum spot_hold want;
				if (now * 6 % 10)
					continue;
				if (!spot_must(&t, &s, &want))
					want = spot_uniform(&t, &s);
				assert_true(n.known);
				assert_int_equal(n.hold, want);
				of[n.hold]++;
			}
	assert_true(of[0] > 10 && of[1] > 10 && of[2] > 10);
}

/* A job that was interrupted in its first seconds is not behind. */
static void not_behind_at_once(void **state)
{
	struct run_plan p = { .restart_ms = 720000, .work_ms = 2 * H };
	struct run_known k = begun(4000);
	struct run_next n;

	run_next(&(struct run_next_ask){ &p, &k, T0 + 5000, T0 + 30 * H, -1, 5000, true }, &n);
	assert_string_equal(run_next_word(&n), "wait");
	run_next(&(struct run_next_ask){ &p, &k, T0 + 700000, T0 + 30 * H, -1, 5000, true }, &n);
	assert_string_equal(run_next_word(&n), "on_demand");
}

/* Whoever does as told is in time, however spot comes and goes. */
static void never_late(void **state)
{
	uint64_t seed = 7;

	for (int round = 0; round < 200; round++) {
		struct run_plan p = { .restart_ms = 720000, .work_ms = 20 * H };
		int64_t now = 0, done = 0, gap = 600000, deadline = 23 * H + round * 600000;
		while (done < p.work_ms) {
			struct run_known k = begun(done);
			struct run_next n;
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			bool has = seed >> 62 == 0;
			run_next(&(struct run_next_ask){ &p, &k, T0 + now, T0 + deadline, -1, gap,
							 !has },
				 &n);
			assert_true(n.known);
			assert_false(n.late);
			if (n.hold == SPOT_NONE) {
				now += gap;
				continue;
			}
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			int64_t ran = n.hold == SPOT_OD ? p.work_ms - done
							: (int64_t)(seed >> 40) % (4 * H),
				lost = n.hold == SPOT_OD ? 0 : ran / 10;
			/* leave spot in time, as the guarantee asks: what is not done by then
			 * starts on demand */
			if (n.hold == SPOT_SPOT && T0 + now + p.restart_ms + ran > n.on_demand_ms)
				ran = n.on_demand_ms - T0 - now - p.restart_ms > 0
					      ? n.on_demand_ms - T0 - now - p.restart_ms
					      : 0,
				lost = 0;
			now += n.hold == SPOT_SPOT && !ran ? n.on_demand_ms - T0 - now > 0
								     ? n.on_demand_ms - T0 - now
								     : 0
							   : p.restart_ms + ran;
			done += ran - lost;
			now = (now + gap - 1) / gap * gap;
		}
		assert_true(now <= deadline + gap);
	}
}

static size_t two_markets(void *ctx, int64_t gap_ms, struct run_market *ret, size_t max)
{
	bool often[1000], seldom[1000];

	assert_true(max >= 2 && gap_ms == 600000);
	for (int i = 0; i < 1000; i++) {
		often[i] = i % 9 != 0;
		seldom[i] = i / 90 % 2;
	}
	memset(ret, 0, 2 * sizeof *ret);
	spot_counts_add(&ret[0].all, 1000, often);
	spot_counts_add(&ret[1].all, 1000, seldom);
	spot_counts_add_by_memory(ret[0].by_memory, 1000, often);
	spot_counts_add_by_memory(ret[1].by_memory, 1000, seldom);
	return 2;
}

static void with_prices(void **state)
{
	struct run_plan p = { .restart_ms = 660000,
			      .work_ms = 40 * H,
			      .od_nano = 3060000000,
			      .spot_nano = 970000000,
			      .has_prices = true,
			      .here = SPOT_SPOT,
			      .markets = two_markets,
			      .on_demand_set = "partition=gpu",
			      .spot_set = "partition=spot" };
	struct run_known k = begun(10 * H), late = begun(0);
	struct run_next n = asked(&p, &k, 120, 60, true);

	assert_string_equal(run_next_word(&n), "wait");
	assert_string_equal(n.rule, "tare");
	assert_string_equal(n.set, "partition=spot");
	assert_true(n.usd > 30 * 0.9 && n.usd < 30 * 3.06 + 10);
	/* 30 h and 11 min are 182 ticks */
	assert_true(n.on_demand_ms == T0 + (60 * 6 - 6 * 30 - 2) * 600000LL);
	n = asked(&p, &k, 120, 60, false);
	assert_string_equal(run_next_word(&n), "spot");
	n = asked(&p, &k, 299, 60, true); /* the last tick but one */
	assert_string_equal(run_next_word(&n), "on_demand");
	assert_string_equal(n.set, "partition=gpu");
	n = asked(&p, &late, 300, 60, true);
	assert_true(n.late && n.hold == SPOT_OD);
	p.spot_nano = 3100000000;
	n = asked(&p, &k, 120, 60, true);
	assert_string_equal(n.rule, "price");
	assert_string_equal(run_next_word(&n), "on_demand");
}

static void sense(void **state)
{
	struct run_plan p = { .work_ms = INT64_MAX / 4, .restart_ms = 1000 };
	struct run_known k = begun(0);
	struct run_next n = asked(&p, &k, 0, 20, true); /* a time that is none */

	assert_false(n.known);
	p = (struct run_plan){ .steps = INT64_MAX, .restart_ms = 1000 };
	k.step_us = 253402300800000;
	n = asked(&p, &k, 0, 20, true);
	assert_false(n.known);
	p = (struct run_plan){ .work_ms = H, .restart_ms = 1000 };
	n = asked(&p, &k, 300, 20, true); /* behind the deadline */
	assert_true(!n.known || n.late);
	struct str s = { 0 };
	struct jw j;
	jw_init(&j, &s, 0);
	run_next_put(&j, &n);
	assert_true(s.n > 10);
	str_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(what_is_not_known_is_said),
					    cmocka_unit_test(the_same_as_the_simulator),
					    cmocka_unit_test(not_behind_at_once),
					    cmocka_unit_test(never_late),
					    cmocka_unit_test(with_prices),
					    cmocka_unit_test(sense) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
