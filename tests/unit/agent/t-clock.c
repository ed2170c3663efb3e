/* Which time a look is booked by: every millisecond of the boot clock once, over any jumps, starts
 * and reboots, and no time given to it that the wall clock did not keep for ten minutes. */
#include "../base/test.h"

#include <errno.h>

#include "agent/clock.h"
#include "base/random.h"

#define T0   INT64_C(1790000040000)
#define HOUR INT64_C(3600000)

static struct clock_judge j;
static struct clock_ruling r;

static void fresh(void)
{
	j = (struct clock_judge){ 0 };
	clock_start(&j, &(struct clock_first){ "boot-1", T0, 5000, 0, 0 }, &r);
	assert_int_equal(r.t_ms, T0);
	assert_false(r.begins || r.ends || j.held);
}

/* Looks each second until (not with) `until` seconds; the wall is off by off_ms. */
static void looks(int from_s, int until_s, int64_t off_ms)
{
	for (int s = from_s; s < until_s; s++) {
		clock_look(&j, T0 + s * 1000 + off_ms, 5000 + s * 1000, &r);
		assert_int_equal(r.jump_ms, 0);
		assert_false(r.begins || r.ends);
	}
}

static void look_at(int s, int64_t off_ms)
{
	clock_look(&j, T0 + s * 1000 + off_ms, 5000 + s * 1000, &r);
}

static void one_jump(int64_t by_ms)
{
	fresh();
	looks(1, 60, 0);
	look_at(60, by_ms);
	assert_true(r.begins && j.held && r.known);
	assert_int_equal(r.jump_ms, by_ms);
	assert_int_equal(r.t_ms, T0 + 60000); /* booked time goes on */
	looks(61, 660, by_ms);
	assert_int_equal(r.t_ms, T0 + 659000);
	look_at(660, by_ms);
	assert_true(r.ends && !j.held);
	assert_int_equal(r.shift_ms, by_ms);
	assert_int_equal(r.t_ms, T0 + 660000 + by_ms);
	looks(661, 2000, by_ms);
}

static void jumps(void **state)
{
	static const int64_t by[] = { 2 * HOUR, -2 * HOUR, 90 * 24 * HOUR, -20 * 365 * 24 * HOUR,
				      1001,     -1001,     5000,           -30000 };
	(void)state;
	for (size_t i = 0; i < COUNT(by); i++)
		one_jump(by[i]);
}

static void small_steps_are_followed(void **state)
{
	(void)state;
	fresh();
	look_at(1, 900);
	assert_int_equal(r.t_ms, T0 + 1900);
	look_at(2, -100);
	assert_int_equal(r.t_ms, T0 + 1900);
	assert_false(j.held);
}

/* Ten minutes begin again with each; everything gets the time of the last. */
static void many_jumps(void **state)
{
	(void)state;
	fresh();
	for (int i = 1; i <= 50; i++) {
		look_at(i * 300, i % 2 ? i * HOUR : -i * HOUR);
		assert_int_equal(r.begins, i == 1);
		assert_false(r.ends);
		assert_int_equal(r.t_ms, T0 + i * 300000);
	}
	assert_int_equal(j.jumps, 50);
	looks(15001, 15600, -50 * HOUR);
	look_at(15600, -50 * HOUR);
	assert_true(r.ends);
	assert_int_equal(r.shift_ms, -50 * HOUR);
}

static void back_where_it_was(void **state)
{
	(void)state;
	fresh();
	look_at(60, 7 * HOUR);
	look_at(63, 200); /* and as far as the millisecond goes it came back elsewhere */
	looks(64, 663, 200);
	look_at(663, 200);
	assert_true(r.ends);
	assert_int_equal(r.shift_ms, 0);
	assert_int_equal(r.t_ms, T0 + 663000);
	look_at(664, 200);
	assert_int_equal(r.t_ms, T0 + 664200);
}

/* A clock that runs a tenth too fast is never steady. */
static void a_creeping_clock(void **state)
{
	(void)state;
	fresh();
	look_at(60, 2 * HOUR);
	for (int s = 61; s < 5000; s++) {
		look_at(s, 2 * HOUR + s * 100);
		assert_false(r.ends);
	}
}

static void starts(void **state)
{
	(void)state;
	/* the same start of the machine: goes on, and sees what was set meanwhile */
	fresh();
	looks(1, 100, 0);
	clock_start(&j, &(struct clock_first){ "boot-1", T0 + 500000, 505000, T0 + 99000, 0 }, &r);
	assert_false(r.begins || r.ends);
	assert_int_equal(r.t_ms, T0 + 500000);
	clock_start(
		&j,
		&(struct clock_first){ "boot-1", T0 + 600000 - 2 * HOUR, 605000, T0 + 99000, 0 },
		&r);
	assert_true(r.begins && r.known);
	assert_int_equal(r.jump_ms, -2 * HOUR);
	assert_int_equal(r.t_ms, T0 + 600000);
	/* killed and started while it is held back: the ten minutes go on */
	clock_start(&j,
		    &(struct clock_first){ "boot-1", T0 + 1199000 - 2 * HOUR, 1204000, T0 + 99000,
					   T0 + 700000 },
		    &r);
	assert_false(r.begins || r.ends);
	clock_start(&j,
		    &(struct clock_first){ "boot-1", T0 + 1200000 - 2 * HOUR, 1205000, T0 + 99000,
					   T0 + 700000 },
		    &r);
	assert_true(r.ends);
	assert_int_equal(r.shift_ms, -2 * HOUR);
}

static void reboots(void **state)
{
	(void)state;
	fresh(); /* half an hour off: as it should be */
	clock_start(&j, &(struct clock_first){ "boot-2", T0 + HOUR / 2, 9000, T0, 0 }, &r);
	assert_false(r.begins || r.ends || j.held);
	assert_int_equal(r.t_ms, T0 + HOUR / 2);
	/* comes up before what was booked last */
	clock_start(&j, &(struct clock_first){ "boot-3", T0 - 5 * HOUR, 9000, T0, 0 }, &r);
	assert_true(r.begins && !r.known && j.held);
	assert_int_equal(r.jump_ms, 0);
	assert_int_equal(r.t_ms, T0 - 5 * HOUR);
	clock_look(&j, T0 + HOUR, 39000, &r); /* set right half a minute later */
	assert_int_equal(r.jump_ms, 6 * HOUR - 30000);
	clock_look(&j, T0 + HOUR + 600000, 639000, &r);
	assert_true(r.ends);
	assert_int_equal(r.shift_ms, 6 * HOUR - 30000);
	assert_int_equal(r.t_ms, T0 + HOUR + 600000);
	/* far ahead */
	clock_start(&j, &(struct clock_first){ "boot-4", T0 + 3 * HOUR, 9000, T0 + HOUR, 0 }, &r);
	assert_true(r.begins);
	/* and off again before that was decided: the last time of the wall is the best there is */
	clock_look(&j, T0 + 4 * HOUR, 9000 + 60000, &r);
	int64_t shift = HOUR - 60000;
	clock_start(&j,
		    &(struct clock_first){ "boot-5", T0 + 4 * HOUR + 120000, 9000, T0 + HOUR,
					   T0 + 3 * HOUR + 60000 },
		    &r);
	assert_true(r.ends && !r.begins && !j.held);
	assert_int_equal(r.shift_ms, shift);
	assert_int_equal(r.t_ms, T0 + 4 * HOUR + 120000);
}

/* At random: booked time goes with the boot clock within an interval, is the wall's when it is not
 * held back, and is given only after ten steady minutes. */
static void at_random(void **state)
{
	uint64_t seed = 11;
	(void)state;
	for (int run = 0; run < 200; run++) {
		int64_t boot = 1000, off = T0, held_by = 0, last_set = 0;
		j = (struct clock_judge){ 0 };
		clock_start(&j, &(struct clock_first){ "b", off + boot, boot, 0, 0 }, &r);
		for (int i = 0; i < 3000; i++) {
			int64_t before = r.t_ms, step = 1 + (int64_t)(random_next(&seed) % 3000);
			bool was = j.held;
			boot += step;
			if (random_next(&seed) % 300 == 0) {
				off += (int64_t)(random_next(&seed) % (4 * HOUR)) - 2 * HOUR;
				last_set = boot;
			}
			if (random_next(&seed) % 50 == 0)
				clock_start(&j,
					    &(struct clock_first){ "b", off + boot, boot, T0,
								   was ? T0 : 0 },
					    &r);
			else
				clock_look(&j, off + boot, boot, &r);
			if (was && j.held)
				assert_int_equal(r.t_ms, before + step);
			if (!j.held && !r.ends)
				assert_int_equal(r.t_ms, off + boot);
			if (r.begins)
				held_by = r.t_ms - boot;
			if (r.ends) {
				assert_true(boot - last_set >= CLOCK_STEADY_MS ||
					    llabs(off - held_by) <= CLOCK_STEP_MS);
				assert_true(llabs(r.t_ms - off - boot) <= CLOCK_STEP_MS);
			}
		}
	}
}

static void text(void **state)
{
	static const char *const bad[] = {
		"",
		"tare.clock/1",
		"tare.clock/2 b 0 1 2 3 4 5 6",
		"tare.clock/1 b 2 1 2 3 4 5 6",
		"tare.clock/1 b 0 1 2 3 4 5",
		"tare.clock/1 b 0 1 2 3 4 5 6 7",
		"tare.clock/1 b 0 999999999999999999 2 3 4 5 6",
		"tare.clock/1  0 1 2 3 4 5 6",
		("tare.clock/1 "
		 "0123456789012345678901234567890123456789012345678901234567890123456789012345 0 1 2 3 4 5 6"),
	};
	struct clock_judge got = { .offset_ms = 42 };
	struct str s = { 0 };
	struct err err;
	(void)state;
	fresh();
	look_at(60, -2 * HOUR);
	clock_text(&j, &s);
	assert_int_equal(clock_parse(str_sv(&s), &got, &err), 0);
	assert_memory_equal(&got, &j, sizeof j);
	got = (struct clock_judge){ .offset_ms = 42 };
	for (size_t i = 0; i < COUNT(bad); i++) {
		assert_int_equal(clock_parse(sv_of(bad[i]), &got, &err), -EBADMSG);
		assert_int_equal(got.offset_ms, 42);
	}
	str_free(&s);
}

/* Where a start of the machine has no id, it is none that was before. */
static void unnamed_boots(void **state)
{
	char name[72] = "?";
	(void)state;
	clock_boot_name("0dd45f3c-91ab-4a4b-a5b3-4b0cd1a6f3a0\n", 4026531834, name);
	assert_string_equal(name, "0dd45f3c-91ab-4a4b-a5b3-4b0cd1a6f3a0/4026531834");
	clock_boot_name("", 4026531834, name);
	assert_string_equal(name, "");
	j = (struct clock_judge){ 0 };
	clock_start(&j, &(struct clock_first){ name, T0, 5000, 0, 0 }, &r);
	look_at(60, 0);
	/* the machine was started again: its boot clock has begun again, the wall goes on */
	clock_start(&j, &(struct clock_first){ name, T0 + 90000, 1000, T0 + 60000, 0 }, &r);
	assert_false(r.begins || r.ends || j.held);
	assert_int_equal(r.t_ms, T0 + 90000);
	assert_int_equal(r.jump_ms, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jumps),
		cmocka_unit_test(small_steps_are_followed),
		cmocka_unit_test(many_jumps),
		cmocka_unit_test(back_where_it_was),
		cmocka_unit_test(a_creeping_clock),
		cmocka_unit_test(starts),
		cmocka_unit_test(reboots),
		cmocka_unit_test(at_random),
		cmocka_unit_test(text),
		cmocka_unit_test(unnamed_boots),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
