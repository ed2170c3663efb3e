/* Shares of a GPU: MIG, MPS, time slices, fractions, too much of them, and what is left over. */
#include "attrib_fix.h"

/* A100/H100: compute slices, memory slices, starts. */
static const struct share_profile profiles[] = {
	{ 1, 1, { 0, 1, 2, 3, 4, 5, 6 }, 7 },
	{ 1, 2, { 0, 2, 4, 6 }, 4 },
	{ 2, 2, { 0, 2, 4 }, 3 },
	{ 3, 4, { 0, 4 }, 2 },
	{ 4, 4, { 0 }, 1 },
	{ 7, 8, { 0 }, 1 },
};

static struct attrib_alloc *instance(struct fix *f, size_t owner, int compute, int memory,
				     int start, struct sv mig)
{
	struct attrib_alloc *a = hold(f, 0, 60, owner);
	a->share_kind = SHARE_MIG;
	a->mig_compute = compute;
	a->mig_memory = memory;
	a->mig_start = start;
	a->mig = mig;
	return a;
}

static void init_mig(struct fix *f)
{
	fix_init(f);
	f->gpu.geom.profile = profiles;
	f->gpu.geom.nprofile = sizeof profiles / sizeof *profiles;
	pay(f, 0, 60, "2");
}

static void test_mig_3g_3g_is_stranded(void **st)
{
	struct fix f;
	init_mig(&f);
	instance(&f, 1, 3, 4, 0, SV("a"));
	instance(&f, 2, 3, 4, 4, SV("b"));
	fix_run(&f);
	/* 3/7 of 3,600,000 ms are 1,542,857.142..., 1/7 is 514,285.714...: the unit over goes to
	 * the largest remainder. */
	assert_int_equal(ms_of(&f, 1, STATE_UNKNOWN, -1), 1542857);
	assert_int_equal(ms_of(&f, 2, STATE_UNKNOWN, -1), 1542857);
	assert_int_equal(nobody_ms(&f, STATE_UNALLOCATED, CAUSE_STRANDED), 514286);
	assert_int_equal(nano_of(&f, 1, STATE_UNKNOWN, -1), 857142857);
	assert_int_equal(nano_of(&f, 2, STATE_UNKNOWN, -1), 857142857);
	assert_int_equal(all_nano(&f), 2000000000);
	fix_free(&f);
}

static void test_mig_free_rest(void **st)
{
	struct fix f;
	init_mig(&f);
	instance(&f, 1, 4, 4, 0, SV_NULL);
	fix_run(&f);
	assert_int_equal(nobody_ms(&f, STATE_UNALLOCATED, CAUSE_FREE), 1542857); /* 3g still fits */
	fix_free(&f);

	/* 1g at 1, 3, 5: memory slices 0, 2, 4, 6 are free for another 1g. With those held, only
	 * slice 7 is left and no profile starts there. */
	init_mig(&f);
	for (int i = 0; i < 7; i++)
		instance(&f, (size_t)i, i == 6 ? 0 : 1, 1, i, SV_NULL)->share_ppb = i == 6 ? 1 : -1;
	fix_run(&f);
	assert_true(nobody_ms(&f, STATE_UNALLOCATED, CAUSE_STRANDED) > 0);
	assert_int_equal(nobody_ms(&f, STATE_UNALLOCATED, CAUSE_FREE), 0);
	fix_free(&f);

	/* Two 2g in the places 2 and 4: a 3g has the slices but no legal start, a 1g fits. */
	init_mig(&f);
	instance(&f, 1, 2, 2, 2, SV_NULL);
	instance(&f, 2, 2, 2, 4, SV_NULL);
	f.gpu.geom.profile = &profiles[3];
	f.gpu.geom.nprofile = 1;
	fix_run(&f);
	assert_true(nobody_ms(&f, STATE_UNALLOCATED, CAUSE_STRANDED) > 0);
	f.gpu.geom.profile = &profiles[0];
	fix_run(&f);
	assert_true(nobody_ms(&f, STATE_UNALLOCATED, CAUSE_FREE) > 0);
	fix_free(&f);
}

static void test_mig_by_memory(void **st)
{
	struct fix f;
	init_mig(&f);
	f.gpu.geom.by_memory = true;
	instance(&f, 1, 3, 4, 0, SV_NULL);
	instance(&f, 2, 3, 4, 4, SV_NULL);
	fix_run(&f);
	assert_int_equal(ms_of(&f, 1, STATE_UNKNOWN, -1), MS_HOUR / 2);
	assert_int_equal(nobody_ms(&f, STATE_UNALLOCATED, -1), 0);
	fix_free(&f);
}

static void test_mig_samples(void **st)
{
	struct fix f;
	init_mig(&f);
	instance(&f, 1, 3, 4, 0, SV("gi1"));
	instance(&f, 2, 4, 4, 4, SV("gi2"));
	struct sample *s = see(&f, 0, 60, NAN, 20);
	s->value[METRIC_SM_ACTIVE_FRAC] = 0.9;
	last_sample(&f)->mig = SV("gi2");
	fix_run(&f);
	assert_int_equal(ms_of(&f, 1, STATE_UNKNOWN, -1), 1542857);
	assert_int_equal(ms_of(&f, 2, STATE_BUSY, -1), 2057143);
	assert_int_equal(quality_at(&f, STATE_BUSY), QUALITY_ESTIMATED);
	fix_free(&f);
}

/* Two pods on one instance have half of it each. */
static void test_mig_instance_shared(void **st)
{
	struct fix f;
	init_mig(&f);
	instance(&f, 1, 7, 8, 0, SV("gi"));
	instance(&f, 2, 7, 8, 0, SV("gi"));
	fix_run(&f);
	assert_int_equal(ms_of(&f, 1, STATE_UNKNOWN, -1), MS_HOUR / 2);
	assert_int_equal(f.rest.oversubscribed_ms, 0);
	fix_free(&f);
}

static struct attrib_alloc *part(struct fix *f, size_t owner, enum share_kind kind, int64_t ppb)
{
	struct attrib_alloc *a = hold(f, 0, 60, owner);
	a->share_kind = kind;
	a->share_ppb = ppb;
	return a;
}

static void test_mps(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 60, "2");
	part(&f, 1, SHARE_MPS, 300000000);
	part(&f, 2, SHARE_MPS, 500000000);
	fix_run(&f);
	assert_int_equal(ms_of(&f, 1, STATE_UNKNOWN, -1), 1080000);
	assert_int_equal(ms_of(&f, 2, STATE_UNKNOWN, -1), 1800000);
	assert_int_equal(nobody_ms(&f, STATE_UNALLOCATED, CAUSE_FREE), 720000);
	/* One without a percentage has what the others leave. */
	part(&f, 3, SHARE_MPS, -1);
	fix_run(&f);
	assert_int_equal(ms_of(&f, 3, STATE_UNKNOWN, -1), 720000);
	fix_free(&f);
}

static void test_hami_fraction(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 60, "1");
	part(&f, 1, SHARE_FRACTION, 460000000);
	see(&f, 0, 60, 50, 10);
	fix_run(&f);
	assert_int_equal(ms_of(&f, 1, STATE_BUSY, -1), 1656000);
	assert_int_equal(nano_of(&f, 1, STATE_BUSY, -1), 460000000);
	assert_int_equal(nobody_ms(&f, STATE_UNALLOCATED, CAUSE_FREE), 1944000);
	/* Without a record of the GPU only what was held exists. */
	f.paid.v[0].recorded = false;
	fix_run(&f);
	assert_int_equal(all_ms(&f), 1656000);
	assert_int_equal(all_nano(&f), 460000000);
	fix_free(&f);
}

static void test_timeslice(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 60, "1");
	for (size_t i = 1; i <= 3; i++)
		part(&f, i, SHARE_TIMESLICE, -1);
	see(&f, 0, 60, 90, 10); /* whose, nobody can say */
	fix_run(&f);
	assert_int_equal(ms_of(&f, 1, STATE_BUSY, -1), 1200000);
	assert_int_equal(ms_of(&f, 3, STATE_BUSY, -1), 1200000);
	assert_int_equal(quality_at(&f, STATE_BUSY), QUALITY_ESTIMATED);
	assert_int_equal(nobody_ms(&f, STATE_UNALLOCATED, -1), 0);
	fix_free(&f);
}

static void test_timeslice_by_process(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 60, "1");
	part(&f, 1, SHARE_TIMESLICE, -1)->job_id = SV("one");
	part(&f, 2, SHARE_TIMESLICE, -1)->job_id = SV("two");
	see(&f, 0, 30, 60, 10);
	last_sample(&f)->job_id = SV("one");
	see(&f, 0, 30, 30, 10);
	last_sample(&f)->job_id = SV("two");
	see(&f, 30, 60, 60, 10); /* a reading of only one of them: equal shares */
	last_sample(&f)->job_id = SV("one");
	fix_run(&f);
	assert_int_equal(ms_of(&f, 1, STATE_BUSY, -1), 20 * MIN_ + 15 * MIN_);
	assert_int_equal(ms_of(&f, 2, STATE_BUSY, -1), 10 * MIN_);
	assert_int_equal(ms_of(&f, 2, STATE_UNKNOWN, -1), 15 * MIN_);
	assert_int_equal(quality_at(&f, STATE_BUSY), QUALITY_MEASURED);
	fix_free(&f);
}

static void test_oversubscribed(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 60, "1");
	part(&f, 1, SHARE_FRACTION, 900000000);
	part(&f, 2, SHARE_FRACTION, 600000000);
	fix_run(&f);
	assert_int_equal(ms_of(&f, 1, STATE_UNKNOWN, -1), MS_HOUR * 9 / 15);
	assert_int_equal(ms_of(&f, 2, STATE_UNKNOWN, -1), MS_HOUR * 6 / 15);
	assert_int_equal(f.rest.oversubscribed_ms, MS_HOUR);
	fix_free(&f);

	/* Two jobs that both say they have the whole GPU. */
	fix_init(&f);
	pay(&f, 0, 60, "1");
	hold(&f, 0, 60, 1);
	hold(&f, 30, 60, 2);
	fix_run(&f);
	assert_int_equal(ms_of(&f, 1, STATE_UNKNOWN, -1), 45 * MIN_);
	assert_int_equal(ms_of(&f, 2, STATE_UNKNOWN, -1), 15 * MIN_);
	assert_int_equal(f.rest.oversubscribed_ms, 30 * MIN_);
	fix_free(&f);
}

static void test_fractional_gpu(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 60, "4.5")->gpus_milli = 125;
	hold(&f, 0, 30, 1);
	fix_run(&f);
	assert_int_equal(all_ms(&f), 450000);
	assert_int_equal(ms_of(&f, 1, STATE_UNKNOWN, -1), 225000);
	assert_int_equal(all_nano(&f), 562500000);
	fix_free(&f);
}

static void test_job_sample_goes_to_its_job(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 60, "1");
	part(&f, 1, SHARE_MPS, 500000000)->job_id = SV("a");
	part(&f, 2, SHARE_MPS, 500000000)->job_id = SV("b");
	see(&f, 0, 60, 80, 10);
	last_sample(&f)->job_id = SV("a");
	see(&f, 0, 30, 0, 10); /* of the GPU: stands in for b, who has none */
	fix_run(&f);
	assert_int_equal(ms_of(&f, 1, STATE_BUSY, -1), 30 * MIN_);
	assert_int_equal(ms_of(&f, 2, STATE_IDLE_HELD, -1), 15 * MIN_);
	assert_int_equal(ms_of(&f, 2, STATE_UNKNOWN, -1), 15 * MIN_);
	assert_int_equal(quality_at(&f, STATE_BUSY), QUALITY_MEASURED);
	assert_int_equal(quality_at(&f, STATE_IDLE_HELD), QUALITY_ESTIMATED);
	fix_free(&f);
}

/* One instance of seven is read, no job is known: the rest is nobody's, not its reading's. */
static void test_mig_read_without_jobs(void **st)
{
	struct fix f;
	fix_init(&f);
	struct attrib_paid *p = pay(&f, 0, 70, "1");
	p->unheld_state = STATE_UNKNOWN;
	p->unheld_cause = CAUSE_UNWATCHED;
	see(&f, 0, 35, 80, 4);
	last_sample(&f)->mig = SV("7");
	last_sample(&f)->mig_compute = last_sample(&f)->mig_memory = 1;
	fix_run(&f);
	assert_int_equal(nobody_ms(&f, STATE_BUSY, -1), 5 * MIN_);
	assert_int_equal(nobody_ms(&f, STATE_UNALLOCATED, -1), 30 * MIN_);
	/* no reading any more: neither of the instance nor of what is beside it */
	assert_int_equal(nobody_ms(&f, STATE_UNKNOWN, -1), 35 * MIN_);
	assert_int_equal(all_ms(&f), 70 * MIN_);
	fix_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mig_3g_3g_is_stranded),
		cmocka_unit_test(test_mig_free_rest),
		cmocka_unit_test(test_mig_by_memory),
		cmocka_unit_test(test_mig_samples),
		cmocka_unit_test(test_mig_read_without_jobs),
		cmocka_unit_test(test_mig_instance_shared),
		cmocka_unit_test(test_mps),
		cmocka_unit_test(test_hami_fraction),
		cmocka_unit_test(test_timeslice),
		cmocka_unit_test(test_timeslice_by_process),
		cmocka_unit_test(test_oversubscribed),
		cmocka_unit_test(test_fractional_gpu),
		cmocka_unit_test(test_job_sample_goes_to_its_job),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
