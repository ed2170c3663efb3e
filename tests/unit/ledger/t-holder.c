/* Whose evidence a reading is: that of an owner inside the owner's own allocation, and nobody's
 * after it. */
#include "attrib_fix.h"

/* Job 1 "a" holds the GPU for 70 minutes and 10 seconds; samples of 5 minutes name it, the last
 * begins at minute 70. */
static void one_job(struct fix *f, bool recorded)
{
	fix_init(f);
	pay(f, 0, 120, "1")->recorded = recorded;
	hold(f, 0, 0, 1)->job_id = SV("a");
	f->alloc.v[0].to_ms = H0 + 70 * MIN_ + 10000;
	for (int m = 0; m <= 70; m += 5) {
		see(f, m, m + 5, 90, 10);
		last_sample(f)->job_id = SV("a");
		last_sample(f)->owner = 9;
	}
}

static void test_tail_is_not_the_jobs(void **st)
{
	struct fix f;
	one_job(&f, true);
	fix_run(&f);
	assert_int_equal(ms_of(&f, 1, STATE_BUSY, -1), 70 * MIN_ + 10000);
	assert_int_equal(nobody_ms(&f, STATE_UNALLOCATED, CAUSE_FREE), 50 * MIN_ - 10000);
	assert_int_equal(all_ms(&f), 120 * MIN_);
	fix_free(&f);

	one_job(&f, false); /* only the job and its samples speak of the GPU */
	fix_run(&f);
	assert_int_equal(all_ms(&f), 70 * MIN_ + 10000);
	assert_int_equal(ms_of(&f, 1, STATE_BUSY, -1), all_ms(&f));
	fix_free(&f);
}

static void test_before_the_start(void **st)
{
	for (int recorded = 0; recorded < 2; recorded++) {
		struct fix f;
		fix_init(&f);
		pay(&f, 0, 60, "1")->recorded = recorded;
		hold(&f, 12, 20, 1)->job_id = SV("a");
		see(&f, 10, 15, 90, 10); /* began before the job, and speaks of it */
		last_sample(&f)->job_id = SV("a");
		last_sample(&f)->owner = 9;
		fix_run(&f);
		assert_int_equal(ms_of(&f, 1, STATE_BUSY, -1), 3 * MIN_);
		assert_int_equal(ms_of(&f, 1, STATE_UNKNOWN, -1), 5 * MIN_);
		assert_int_equal(ms_of(&f, 9, STATE_BUSY, -1), 0);
		assert_int_equal(nobody_ms(&f, STATE_UNALLOCATED, -1), recorded ? 52 * MIN_ : 0);
		assert_int_equal(all_ms(&f), recorded ? 60 * MIN_ : 8 * MIN_);
		fix_free(&f);
	}
}

/* The next job begins inside the last sample of the one before: it is not busy by that. */
static void test_back_to_back(void **st)
{
	for (int gap = 0; gap < 2; gap++) {
		struct fix f;
		one_job(&f, true);
		hold(&f, 70, 100, 2)->job_id = SV("b");
		f.alloc.v[1].from_ms = f.alloc.v[0].to_ms + gap * 20000;
		see(&f, 80, 100, 0, 20);
		last_sample(&f)->job_id = SV("b");
		fix_run(&f);
		assert_int_equal(ms_of(&f, 1, STATE_BUSY, -1), 70 * MIN_ + 10000);
		assert_int_equal(ms_of(&f, 2, STATE_BUSY, -1), 0);
		assert_int_equal(ms_of(&f, 2, STATE_UNKNOWN, -1), 10 * MIN_ - 10000 - gap * 20000);
		assert_int_equal(ms_of(&f, 2, STATE_IDLE_HELD, -1), 20 * MIN_);
		fix_free(&f);
	}
}

/* A job that no allocation knows: its samples are evidence that it held the GPU while nobody else
 * does, and say nothing of a job with another name. */
static void test_unknown_job(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 60, "1");
	see(&f, 0, 30, 90, 10);
	last_sample(&f)->job_id = SV("z");
	last_sample(&f)->owner = 9;
	hold(&f, 20, 40, 1)->job_id = SV("a");
	fix_run(&f);
	assert_int_equal(ms_of(&f, 9, STATE_BUSY, -1), 20 * MIN_);
	assert_int_equal(ms_of(&f, 1, STATE_UNKNOWN, -1), 20 * MIN_);
	assert_int_equal(nobody_ms(&f, STATE_UNALLOCATED, -1), 20 * MIN_);
	/* An owner without a name cannot be told from it. */
	f.alloc.v[0].job_id = SV_NULL;
	fix_run(&f);
	assert_int_equal(ms_of(&f, 1, STATE_BUSY, -1), 10 * MIN_);
	assert_int_equal(quality_at(&f, STATE_UNKNOWN), QUALITY_ESTIMATED);
	fix_free(&f);
}

/* Two attempts under one job id, and a pause between: the reading is of the job, in the time of
 * both, and not of the pause. */
static void test_attempts(void **st)
{
	for (int recorded = 0; recorded < 2; recorded++) {
		struct fix f;
		fix_init(&f);
		pay(&f, 0, 60, "1")->recorded = recorded;
		hold(&f, 0, 22, 1)->job_id = SV("a");
		hold(&f, 23, 40, 2)->job_id = SV("a");
		for (int m = 0; m < 60; m += 10) {
			see(&f, m, m + 10, 50, 10);
			last_sample(&f)->job_id = SV("a");
			last_sample(&f)->owner = 9;
		}
		fix_run(&f);
		assert_int_equal(ms_of(&f, 1, STATE_BUSY, -1), 22 * MIN_);
		assert_int_equal(ms_of(&f, 2, STATE_BUSY, -1), 17 * MIN_);
		assert_int_equal(all_ms(&f), recorded ? 60 * MIN_ : 39 * MIN_);
		fix_free(&f);
	}
}

/* An element of an array by either of its names, and no other element. */
static void test_array(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 60, "1")->recorded = false;
	hold(&f, 0, 20, 1)->job_id = SV("1234_7");
	f.alloc.v[0].job_alias = SV("1241");
	hold(&f, 20, 40, 2)->job_id = SV("1234_70");
	f.alloc.v[1].job_alias = SV("1304");
	see(&f, 0, 10, 90, 10);
	last_sample(&f)->job_id = SV("1234_7");
	see(&f, 10, 30, 90, 10);
	last_sample(&f)->job_id = SV("1241");
	see(&f, 30, 60, 0, 10);
	last_sample(&f)->job_id = SV("1304");
	fix_run(&f);
	assert_int_equal(ms_of(&f, 1, STATE_BUSY, -1), 20 * MIN_);
	assert_int_equal(ms_of(&f, 2, STATE_UNKNOWN, -1), 10 * MIN_);
	assert_int_equal(ms_of(&f, 2, STATE_IDLE_HELD, -1), 10 * MIN_);
	assert_int_equal(all_ms(&f), 40 * MIN_);
	fix_free(&f);
}

static struct attrib_alloc *instance(struct fix *f, double from, double to, size_t owner,
				     int compute, struct sv mig, struct sv job)
{
	struct attrib_alloc *a = hold(f, from, to, owner);
	a->share_kind = SHARE_MIG;
	a->mig_compute = compute;
	a->mig_memory = compute;
	a->mig = mig;
	a->job_id = job;
	return a;
}

static void see_mig(struct fix *f, double from, double to, double sm, struct sv mig, struct sv job)
{
	see(f, from, to, NAN, 10)->value[METRIC_SM_ACTIVE_FRAC] = sm;
	last_sample(f)->mig = mig;
	last_sample(f)->job_id = job;
}

#define SEVENTH(n, min) (((n) * (min)*MIN_ + 3) / 7)

/* The tail of an instance is not the whole GPU, whether its readings name the job or not. */
static void test_instance_tail(void **st)
{
	for (int named = 0; named < 2; named++)
		for (int recorded = 0; recorded < 2; recorded++) {
			struct fix f;
			fix_init(&f);
			pay(&f, 0, 60, "1")->recorded = recorded;
			instance(&f, 0, 21, 1, 3, SV("m"), SV("a"));
			see_mig(&f, 0, 20, 0.9, SV("m"), named ? SV("a") : SV_NULL);
			see_mig(&f, 20, 30, 0.9, SV("m"), named ? SV("a") : SV_NULL);
			fix_run(&f);
			assert_int_equal(ms_of(&f, 1, STATE_BUSY, -1), SEVENTH(3, 21));
			/* Begun under the job, it is not of the time after it; without a record
			 * there is no such time. */
			assert_int_equal(nobody_ms(&f, STATE_BUSY, -1), 0);
			assert_int_equal(all_ms(&f), recorded ? 60 * MIN_ : SEVENTH(3, 21));
			fix_free(&f);
		}
}

/* Somebody works on an instance that nobody holds, beside one that is held and alone. */
static void test_instance_of_nobody(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 70, "1");
	instance(&f, 0, 14, 1, 2, SV("m"), SV("a"));
	instance(&f, 0, 42, 2, 3, SV("n"), SV("b"));
	see_mig(&f, 28, 56, 0.9, SV("m"), SV_NULL);
	fix_run(&f);
	assert_int_equal(nobody_ms(&f, STATE_BUSY, -1), SEVENTH(2, 28));
	assert_int_equal(nobody_ms(&f, STATE_UNALLOCATED, -1), SEVENTH(2, 14) + SEVENTH(4, 14) +
								       SEVENTH(2, 14) +
								       SEVENTH(5, 14) + 14 * MIN_);
	assert_int_equal(all_ms(&f), 70 * MIN_);
	fix_free(&f);
}

/* Two jobs on one instance, each with readings of its own there. */
static void test_two_on_an_instance(void **st)
{
	for (int swap = 0; swap < 2; swap++) {
		struct fix f;
		fix_init(&f);
		pay(&f, 0, 60, "1");
		instance(&f, 0, 60, 1, 7, SV("m"), SV("a"));
		instance(&f, 0, 60, 2, 7, SV("m"), SV("b"));
		for (int k = 0; k < 2; k++)
			see_mig(&f, 0, 60, k == swap ? 0.9 : 0, SV("m"),
				k == swap ? SV("a") : SV("b"));
		fix_run(&f);
		assert_int_equal(ms_of(&f, 1, STATE_BUSY, -1), 30 * MIN_);
		assert_int_equal(ms_of(&f, 2, STATE_IDLE_HELD, -1), 30 * MIN_);
		fix_free(&f);
	}
}

/* Processes of two jobs: what the first one read is not of the second once the first is gone. */
static void test_processes(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 60, "1");
	for (size_t i = 1; i <= 2; i++) {
		struct attrib_alloc *a = hold(&f, 0, i == 1 ? 20 : 60, i);
		a->share_kind = SHARE_TIMESLICE;
		a->job_id = i == 1 ? SV("a") : SV("b");
	}
	see(&f, 0, 30, 60, 10);
	last_sample(&f)->job_id = SV("a");
	see(&f, 0, 10, 30, 10);
	last_sample(&f)->job_id = SV("b");
	fix_run(&f);
	/* 10 minutes by process time 2 : 1, 10 in equal parts, 40 of b alone */
	assert_int_equal(ms_of(&f, 1, STATE_BUSY, -1), 400000 + 5 * MIN_);
	assert_int_equal(ms_of(&f, 2, STATE_BUSY, -1), 200000);
	assert_int_equal(ms_of(&f, 2, STATE_UNKNOWN, -1), 45 * MIN_);
	fix_free(&f);
}

/* One reading of three hours, of which the job had two and a half. */
static void test_long_samples(void **st)
{
	for (int recorded = 0; recorded < 2; recorded++) {
		struct fix f;
		fix_init(&f);
		pay(&f, 0, 300, "1")->recorded = recorded;
		hold(&f, 20, 170, 1)->job_id = SV("a");
		see(&f, 10, 190, 90, 10);
		last_sample(&f)->job_id = SV("a");
		fix_run(&f);
		assert_int_equal(ms_of(&f, 1, STATE_BUSY, -1), 150 * MIN_);
		assert_int_equal(all_ms(&f), recorded ? 300 * MIN_ : 150 * MIN_);
		fix_free(&f);
	}
}

/* Two feeds name the same job's readings differently; where one stops the other goes on. */
static void test_second_name_goes_on(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 60, "1");
	instance(&f, 0, 60, 1, 7, SV("m"), SV("a"));
	see_mig(&f, 0, 30, 0.9, SV("m"), SV("a"));
	see_mig(&f, 0, 20, 0.9, SV("m"), SV_NULL);
	see_mig(&f, 25, 60, 0.9, SV("m"), SV_NULL);
	fix_run(&f);
	assert_int_equal(ms_of(&f, 1, STATE_BUSY, -1), 60 * MIN_);
	fix_free(&f);
}

/* Half a GPU each while the price changes at an odd millisecond: each has half the hour, not a
 * millisecond more for each price. */
static void test_halves_of_two_prices(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 7.0 + 4.477 / 60, "1");
	pay(&f, 7.0 + 4.477 / 60, 60, "2")->tag = 1;
	for (size_t i = 1; i <= 2; i++) {
		struct attrib_alloc *a = hold(&f, 0, 60, i);
		a->share_kind = SHARE_TIMESLICE;
		a->share_ppb = 500000000;
	}
	see(&f, 0, 60, 90, 10);
	fix_run(&f);
	assert_int_equal(ms_of(&f, 1, STATE_BUSY, -1), 30 * MIN_);
	assert_int_equal(ms_of(&f, 2, STATE_BUSY, -1), 30 * MIN_);
	fix_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tail_is_not_the_jobs),
		cmocka_unit_test(test_before_the_start),
		cmocka_unit_test(test_back_to_back),
		cmocka_unit_test(test_unknown_job),
		cmocka_unit_test(test_attempts),
		cmocka_unit_test(test_array),
		cmocka_unit_test(test_instance_tail),
		cmocka_unit_test(test_instance_of_nobody),
		cmocka_unit_test(test_two_on_an_instance),
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_long_samples),
		cmocka_unit_test(test_second_name_goes_on),
		cmocka_unit_test(test_halves_of_two_prices),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
