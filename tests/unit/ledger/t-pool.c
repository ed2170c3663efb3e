/* Anonymous GPUs: sums of GPU-time stay exact, known pools close. */
#include "attrib_fix.h"

static struct attrib_paid *pool(struct fix *f, double from_min, double to_min, const char *usd,
				int64_t gpus, bool known)
{
	struct attrib_paid *p = pay(f, from_min, to_min, usd);
	p->gpus_milli = gpus * 1000;
	p->gpus_known = known;
	p->recorded = known;
	return p;
}

static struct attrib_alloc *want(struct fix *f, double from_min, double to_min, size_t owner,
				 int64_t gpus_milli)
{
	struct attrib_alloc *a = hold(f, from_min, to_min, owner);
	a->gpus_milli = gpus_milli;
	return a;
}

static void run_pool(struct fix *f)
{
	int r = fix_try_pool(f);
	if (r)
		print_message("%s\n", f->err.msg);
	assert_int_equal(r, 0);
}

static void test_unknown_pool(void **st)
{
	struct fix f;
	fix_init(&f);
	pool(&f, 0, 1000000, NULL, 0, false);
	want(&f, 600, 630.5, 1, 8000);
	struct attrib_alloc *a = want(&f, 10, 200, 2, 460);
	a->end_state = STATE_LOST;
	a->end_cause = CAUSE_FAILED;
	want(&f, 500000, 500060, 1, 1000);
	run_pool(&f);
	assert_int_equal(ms_of(&f, 1, STATE_UNKNOWN, -1), 8 * 30.5 * MIN_ + 60 * MIN_);
	assert_int_equal(ms_of(&f, 2, STATE_LOST, CAUSE_FAILED), 190 * MIN_ * 46 / 100);
	assert_int_equal(all_ms(&f), 8 * 30.5 * MIN_ + 60 * MIN_ + 190 * MIN_ * 46 / 100);
	for (size_t i = 1; i < f.entry.n; i++)
		assert_true(f.entry.v[i].hour_ms >= f.entry.v[i - 1].hour_ms);
	assert_true(f.entry.v[0].nano[BASIS_BILLED] == UNKNOWN_NANO);
	fix_free(&f);
}

/* gpus x share x duration rounded once, however many hours it crosses. */
static void test_rounded_once(void **st)
{
	struct fix f;
	fix_init(&f);
	pool(&f, 0, 100000, NULL, 0, false);
	struct attrib_alloc *a = want(&f, 0.1, 50000.77, 3, 1000);
	a->share_ppb = 333333333;
	a->to_ms += 7;
	run_pool(&f);
	__int128 exact = (__int128)(a->to_ms - a->from_ms) * 333333333;
	assert_int_equal(all_ms(&f), (int64_t)((exact + 500000000) / 1000000000));
	assert_true(f.entry.n > 800);
	fix_free(&f);
}

static void test_known_pool_closes(void **st)
{
	struct fix f;
	fix_init(&f);
	pool(&f, 0, 120, "2.5", 10, true);
	want(&f, 0, 90, 1, 4000);
	want(&f, 30, 60, 2, 3500);
	run_pool(&f);
	assert_int_equal(ms_of(&f, 1, STATE_UNKNOWN, -1), 4 * 90 * MIN_);
	assert_int_equal(ms_of(&f, 2, STATE_UNKNOWN, -1), 105 * MIN_);
	assert_int_equal(nobody_ms(&f, STATE_UNALLOCATED, CAUSE_FREE), 1200 * MIN_ - 465 * MIN_);
	assert_int_equal(all_nano(&f), 50000000000);
	assert_int_equal(f.rest.oversubscribed_ms, 0);
	assert_exact(&f, dec_z("2.5"), 20 * MS_HOUR);
	fix_free(&f);
}

static void test_known_pool_over(void **st)
{
	struct fix f;
	fix_init(&f);
	pool(&f, 0, 60, "1", 2, true);
	want(&f, 0, 30, 1, 2000); /* alone: fine */
	want(&f, 30, 60, 2, 3000);
	want(&f, 30, 60, 3, 1000); /* 4 asked, 2 there: half each */
	run_pool(&f);
	assert_int_equal(ms_of(&f, 1, STATE_UNKNOWN, -1), 60 * MIN_);
	assert_int_equal(ms_of(&f, 2, STATE_UNKNOWN, -1), 45 * MIN_);
	assert_int_equal(ms_of(&f, 3, STATE_UNKNOWN, -1), 15 * MIN_);
	assert_int_equal(all_ms(&f), 120 * MIN_);
	assert_int_equal(f.rest.oversubscribed_ms, 30 * MIN_);
	fix_free(&f);

	/* A third too many: nothing is left over by rounding. */
	fix_init(&f);
	pool(&f, 0, 60, "1", 7, true);
	want(&f, 0, 60, 1, 5000);
	want(&f, 0, 60, 2, 6000);
	run_pool(&f);
	assert_int_equal(nobody_ms(&f, STATE_UNALLOCATED, -1), 0);
	assert_int_equal(ms_of(&f, 1, STATE_UNKNOWN, -1), 11454545);
	assert_int_equal(ms_of(&f, 2, STATE_UNKNOWN, -1), 13745455);
	assert_exact(&f, dec_z("1"), 7 * MS_HOUR);
	fix_free(&f);
}

/* Jobs that hold GPUs and name none take what was read as work before what reads as empty; what a
 * reading says of a job that nobody else knows is that job's. */
static void test_known_pool_read(void **st)
{
	static const struct attrib_seen seen[] = {
		{ 0, ATTRIB_NOBODY, STATE_BUSY, CAUSE_NONE, QUALITY_MEASURED, 90 * MIN_,
		  45 * MIN_ },
		{ 0, ATTRIB_NOBODY, STATE_UNALLOCATED, CAUSE_FREE, QUALITY_ESTIMATED, 90 * MIN_,
		  UNKNOWN_I64 },
		{ 0, ATTRIB_NOBODY, STATE_UNKNOWN, CAUSE_UNWATCHED, QUALITY_ESTIMATED, 30 * MIN_,
		  UNKNOWN_I64 },
		{ 0, 7, STATE_BUSY, CAUSE_NONE, QUALITY_MEASURED, 30 * MIN_, 30 * MIN_ },
		{ 1, ATTRIB_NOBODY, STATE_BUSY, CAUSE_NONE, QUALITY_MEASURED, 60 * MIN_,
		  30 * MIN_ },
		{ 1, ATTRIB_NOBODY, STATE_UNALLOCATED, CAUSE_FREE, QUALITY_ESTIMATED, 180 * MIN_,
		  UNKNOWN_I64 },
	};
	static const int64_t gpus_milli[] = { 1000, 2000, 3500 };
	static const int64_t busy[] = { 30, 0, 0 }, util[] = { 15, 0, 0 }, free_[] = { 90, 60, 0 },
			     other[] = { 30, 30, 0 }, unknown[] = { 30, 30, 30 };

	for (size_t i = 0; i < 3; i++) {
		struct fix f;
		int64_t util_ms = 0;
		fix_init(&f);
		pool(&f, 0, 60, "2.5", 4, true);
		pool(&f, 60, 120, "2.5", 4, true);
		want(&f, 0, 60, 1, gpus_milli[i]);
		for (size_t k = 0; k < sizeof seen / sizeof *seen; k++)
			*vec_push(&f.seen) = seen[k];
		run_pool(&f);
		for (size_t k = 0; k < f.entry.n; k++)
			if (f.entry.v[k].hour_ms == H0 && f.entry.v[k].owner == ATTRIB_NOBODY &&
			    f.entry.v[k].state == STATE_BUSY)
				util_ms += f.entry.v[k].util_ms;
		assert_int_equal(ms_of(&f, 1, STATE_UNKNOWN, -1), gpus_milli[i] * 60 * MIN_ / 1000);
		assert_int_equal(nobody_ms(&f, STATE_BUSY, -1), (busy[i] + 60) * MIN_);
		assert_int_equal(util_ms, util[i] * MIN_);
		assert_int_equal(nobody_ms(&f, STATE_UNALLOCATED, -1), (free_[i] + 180) * MIN_);
		/* of 3.5 GPUs held all that is left may be the other job's */
		assert_int_equal(ms_of(&f, 7, STATE_BUSY, -1) + nobody_ms(&f, STATE_UNKNOWN, -1),
				 i < 2 ? (other[i] + unknown[i]) * MIN_ : 30 * MIN_);
		assert_int_equal(all_ms(&f), 480 * MIN_);
		assert_exact(&f, dec_z("2.5"), 8 * MS_HOUR);
		fix_free(&f);
	}
}

static void test_pool_unpaid_and_amounts(void **st)
{
	struct fix f;
	fix_init(&f);
	struct attrib_paid *p = pool(&f, 30, 60, NULL, 2, true);
	p->has_amount[BASIS_BILLED] = true;
	p->amount_nano[BASIS_BILLED] = 101;
	p = pool(&f, 60, 90, NULL, 0, false);
	p->has_amount[BASIS_BILLED] = true;
	p->amount_nano[BASIS_BILLED] = 55;
	want(&f, 0, 60, 1, 1000);
	run_pool(&f);
	assert_int_equal(f.rest.unpaid_alloc_ms, 30 * MIN_);
	assert_int_equal(ms_of(&f, 1, STATE_UNKNOWN, -1), 30 * MIN_);
	/* 50.5 each, the tie to the smaller key */
	assert_int_equal(nano_of(&f, 1, STATE_UNKNOWN, -1), 51);
	assert_int_equal(all_nano(&f), 156);
	fix_free(&f);
}

/* Sum of lengths, no order needed, price change inside an hour, exact rest. */
static void test_order_does_not_matter(void **st)
{
	int64_t ms = 0, nano = 0;
	__int128 rest = 0;
	for (int turn = 0; turn < 2; turn++) {
		struct fix f;
		fix_init(&f);
		pool(&f, 0, 100, "1.234567890123", 9, true);
		pool(&f, 100, 1000, "0.987654321098", 9, true);
		for (int i = 0; i < 200; i++) {
			int k = turn ? 199 - i : i;
			struct attrib_alloc *a = want(&f, k * 4.7, k * 4.7 + k % 50,
						      (size_t)(k % 7), 100 * (k % 11));
			a->share_ppb = k % 3 ? -1 : 777777777;
		}
		run_pool(&f);
		assert_int_equal(all_ms(&f), 9000 * MIN_);
		__int128 exact = (dec_z("1.234567890123") * 100 + dec_z("0.987654321098") * 900) *
				 9 * MIN_;
		assert_true((__int128)all_nano(&f) * 1000 * 3600000 +
				    f.rest.pico_ms[BASIS_BILLED] ==
			    exact);
		if (turn) {
			assert_int_equal(ms, ms_of(&f, 3, STATE_UNKNOWN, -1));
			assert_int_equal(nano, nano_of(&f, 3, STATE_UNKNOWN, -1));
			assert_true(rest == f.rest.pico_ms[BASIS_BILLED]);
		}
		ms = ms_of(&f, 3, STATE_UNKNOWN, -1);
		nano = nano_of(&f, 3, STATE_UNKNOWN, -1);
		rest = f.rest.pico_ms[BASIS_BILLED];
		fix_free(&f);
	}
}

/* Seven 1g instances of nobody knows which GPU are one GPU; two of an A30's four are a half. */
static void test_pool_of_instances(void **st)
{
	struct fix f;
	fix_init(&f);
	pool(&f, 0, 60, "7", 2, true);
	struct attrib_alloc *a = want(&f, 0, 60, 1, 7000);
	a->share_kind = SHARE_MIG;
	a->mig_compute = a->mig_memory = 1;
	run_pool(&f);
	assert_int_equal(ms_of(&f, 1, STATE_UNKNOWN, -1), MS_HOUR);
	assert_int_equal(nobody_ms(&f, STATE_UNALLOCATED, CAUSE_FREE), MS_HOUR);
	assert_int_equal(nano_of(&f, 1, STATE_UNKNOWN, -1), 7000000000);
	f.alloc.v[0].mig_compute = 2;
	f.alloc.v[0].mig_gpu_compute = 4;
	f.alloc.v[0].gpus_milli = 1000;
	run_pool(&f);
	assert_int_equal(ms_of(&f, 1, STATE_UNKNOWN, -1), MS_HOUR / 2);
	fix_free(&f);
}

static void test_bad_pool(void **st)
{
	struct fix f;
	fix_init(&f);
	pool(&f, 0, 60, "1", 1, true);
	want(&f, 0, 60, 1, -5);
	assert_int_equal(fix_try_pool(&f), -EINVAL);
	fix_free(&f);

	fix_init(&f); /* a thousand million GPUs at ten million an hour */
	pool(&f, 0, 60, "9999999", 1000000000, true);
	assert_int_equal(fix_try_pool(&f), -ERANGE);
	fix_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown_pool),
		cmocka_unit_test(test_rounded_once),
		cmocka_unit_test(test_known_pool_closes),
		cmocka_unit_test(test_known_pool_over),
		cmocka_unit_test(test_known_pool_read),
		cmocka_unit_test(test_pool_unpaid_and_amounts),
		cmocka_unit_test(test_order_does_not_matter),
		cmocka_unit_test(test_pool_of_instances),
		cmocka_unit_test(test_bad_pool),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
