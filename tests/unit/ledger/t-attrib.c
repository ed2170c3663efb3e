/* States and causes of one GPU, small cases worked out by hand. */
#include "attrib_fix.h"

static void test_states(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 60, "3.6"); /* 1 nano-dollar is 1 us: 0.001 $/s */
	hold(&f, 0, 50, 7);
	see(&f, 0, 10, 90, 40);    /* busy */
	see(&f, 10, 20, 25, 40);   /* busy: at the bound */
	see(&f, 20, 30, 24.9, 40); /* underused */
	see(&f, 30, 35, 0, 40);    /* idle, memory held */
	see(&f, 35, 40, 0, 0.4);   /* idle, 0.4 GiB < 1 % of 80 GiB */
	/* 40..50 unknown, 50..60 free */
	fix_run(&f);
	assert_int_equal(ms_of(&f, 7, STATE_BUSY, CAUSE_NONE), 20 * MIN_);
	assert_int_equal(ms_of(&f, 7, STATE_UNDERUSED, CAUSE_UNKNOWN), 10 * MIN_);
	assert_int_equal(ms_of(&f, 7, STATE_IDLE_HELD, CAUSE_NONE), 5 * MIN_);
	assert_int_equal(ms_of(&f, 7, STATE_IDLE_EMPTY, CAUSE_EXITED), 5 * MIN_);
	assert_int_equal(ms_of(&f, 7, STATE_UNKNOWN, CAUSE_UNREAD), 10 * MIN_);
	assert_int_equal(nobody_ms(&f, STATE_UNALLOCATED, CAUSE_FREE), 10 * MIN_);
	assert_int_equal(all_ms(&f), MS_HOUR);
	assert_int_equal(nano_of(&f, 7, STATE_BUSY, CAUSE_NONE), 1200000000);
	assert_int_equal(all_nano(&f), 3600000000);
	assert_exact(&f, dec_z("3.6"), MS_HOUR);
	/* Busy: 10 min at 0.9 and 10 min at 0.25. */
	for (size_t i = 0; i < f.entry.n; i++) {
		if (f.entry.v[i].state == STATE_BUSY)
			assert_int_equal(f.entry.v[i].util_ms, 9 * MIN_ + 150000);
		if (f.entry.v[i].state == STATE_UNKNOWN || f.entry.v[i].state == STATE_UNALLOCATED)
			assert_true(f.entry.v[i].util_ms == UNKNOWN_I64);
		if (f.entry.v[i].state == STATE_IDLE_HELD)
			assert_int_equal(f.entry.v[i].util_ms, 0);
		assert_int_equal(f.entry.v[i].quality, f.entry.v[i].state == STATE_UNKNOWN
							       ? QUALITY_ESTIMATED
							       : QUALITY_MEASURED);
	}
	fix_free(&f);
}

static void test_gaps_are_unknown(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 60, "1");
	hold(&f, 0, 60, 1);
	for (int m = 0; m < 60; m++)
		see_ms(&f, H0 + m * MIN_, 57000, 0, 40);
	fix_run(&f);
	assert_int_equal(ms_of(&f, 1, STATE_IDLE_HELD, -1), 60 * 57000);
	assert_int_equal(ms_of(&f, 1, STATE_UNKNOWN, -1), 60 * 3000);
	fix_free(&f);
}

static void test_nan_is_no_reading(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 60, "1");
	hold(&f, 0, 60, 1);
	see(&f, 0, 30, NAN, 40);
	see(&f, 30, 60, NAN, 40)->value[METRIC_SM_ACTIVE_FRAC] = 0.5;
	fix_run(&f);
	assert_int_equal(ms_of(&f, 1, STATE_UNKNOWN, -1), 30 * MIN_);
	assert_int_equal(ms_of(&f, 1, STATE_BUSY, -1), 30 * MIN_);
	assert_int_equal(quality_at(&f, STATE_BUSY), QUALITY_ESTIMATED);
	fix_free(&f);
}

static void test_later_sample_cuts(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 60, "1");
	hold(&f, 0, 60, 1);
	see(&f, 0, 30, 100, 40);
	see(&f, 10, 20, 0, 40); /* what the first said of 20..30 is gone too */
	fix_run(&f);
	assert_int_equal(ms_of(&f, 1, STATE_BUSY, -1), 10 * MIN_);
	assert_int_equal(ms_of(&f, 1, STATE_IDLE_HELD, -1), 10 * MIN_);
	assert_int_equal(ms_of(&f, 1, STATE_UNKNOWN, -1), 40 * MIN_);
	fix_free(&f);
}

static void test_same_instant_merges(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 60, "1");
	hold(&f, 0, 60, 1);
	for (int swap = 0; swap < 2; swap++) {
		see(&f, swap * 30, swap * 30 + 30, swap ? NAN : 0, swap ? 40 : NAN);
		see(&f, swap * 30, swap * 30 + 30, swap ? 0 : NAN, swap ? NAN : 40);
	}
	fix_run(&f);
	assert_int_equal(ms_of(&f, 1, STATE_IDLE_HELD, -1), 60 * MIN_);
	assert_int_equal(quality_at(&f, STATE_IDLE_HELD), QUALITY_MEASURED);
	fix_free(&f);
}

static void test_memory_unknown(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 60, "1");
	hold(&f, 0, 60, 1);
	see(&f, 0, 60, 0, NAN);
	fix_run(&f);
	assert_int_equal(ms_of(&f, 1, STATE_IDLE_HELD, -1), 60 * MIN_);
	assert_int_equal(quality_at(&f, STATE_IDLE_HELD), QUALITY_ESTIMATED);
	fix_free(&f);
}

static void test_empty_bound(void **st)
{
	struct fix f;
	fix_init(&f);
	f.gpu.mem_total_bytes = NAN;
	pay(&f, 0, 60, "1");
	hold(&f, 0, 60, 1);
	see(&f, 0, 20, 0, 500.0 / 1024); /* 500 MiB exactly: empty */
	see(&f, 20, 40, 0, 501.0 / 1024);
	/* 1 % of 80 GiB is 0.8 */
	see(&f, 40, 60, 0, 0.7)->value[METRIC_MEM_TOTAL_BYTES] = 80 * GIB;
	fix_run(&f);
	assert_int_equal(ms_of(&f, 1, STATE_IDLE_EMPTY, -1), 40 * MIN_);
	assert_int_equal(ms_of(&f, 1, STATE_IDLE_HELD, -1), 20 * MIN_);
	fix_free(&f);
}

static void test_contradiction(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 60, "1");
	hold(&f, 0, 60, 1);
	see(&f, 0, 10, 100, 40)->value[METRIC_SM_ACTIVE_FRAC] = 0.002; /* nothing runs on the SMs */
	/* idle power of a 700 W GPU */
	see(&f, 10, 20, 100, 40)->value[METRIC_POWER_W] = 120;
	see(&f, 20, 30, 100, 40)->value[METRIC_POWER_W] = 600;
	see(&f, 30, 40, 40, 40)->value[METRIC_POWER_W] = 120; /* 40 % claims less */
	struct sample *s = see(&f, 40, 50, 100, 40);          /* active SMs vouch for it */
	s->value[METRIC_POWER_W] = 120;
	s->value[METRIC_SM_ACTIVE_FRAC] = 0.4;
	/* a utilisation counter that does not work */
	see(&f, 50, 60, 0, 40)->value[METRIC_SM_ACTIVE_FRAC] = 0.6;
	fix_run(&f);
	assert_int_equal(ms_of(&f, 1, STATE_IDLE_HELD, CAUSE_STALLED), 20 * MIN_);
	assert_int_equal(quality_at(&f, STATE_IDLE_HELD), QUALITY_ESTIMATED);
	assert_int_equal(ms_of(&f, 1, STATE_BUSY, -1), 40 * MIN_);
	fix_free(&f);
}

static void test_causes_of_idle(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 300, "1");
	struct attrib_alloc *a = hold(&f, 0, 60, 1); /* a notebook */
	a->notebook = true;
	a = hold(&f, 60, 120, 2);
	a->service = true;
	hold(&f, 120, 180, 3); /* finished after 20 min */
	hold(&f, 180, 240, 4); /* idle at the end, but only for 20 min */
	hold(&f, 240, 300, 5); /* idle before and between work */
	see(&f, 0, 120, 0, 40);
	see(&f, 120, 140, 90, 40);
	see(&f, 140, 180, 0, 40);
	see(&f, 180, 220, 90, 40);
	see(&f, 220, 240, 0, 40);
	see(&f, 240, 280, 0, 40);
	see(&f, 280, 300, 90, 40);
	fix_run(&f);
	assert_int_equal(ms_of(&f, 1, STATE_IDLE_HELD, CAUSE_NOTEBOOK), 60 * MIN_);
	assert_int_equal(ms_of(&f, 2, STATE_IDLE_HELD, CAUSE_WARM_SERVER), 60 * MIN_);
	assert_int_equal(ms_of(&f, 3, STATE_IDLE_HELD, CAUSE_FINISHED), 40 * MIN_);
	assert_int_equal(ms_of(&f, 4, STATE_IDLE_HELD, CAUSE_NONE), 20 * MIN_);
	assert_int_equal(ms_of(&f, 5, STATE_IDLE_HELD, CAUSE_NONE), 40 * MIN_);
	fix_free(&f);
}

static void test_causes_of_empty(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 180, "1");
	hold(&f, 0, 60, 1);
	hold(&f, 60, 120, 2);
	hold(&f, 120, 180, 3);
	see(&f, 0, 60, 0, 0);    /* 1: never did anything */
	see(&f, 60, 80, 50, 10); /* 2: worked, went away */
	see(&f, 80, 120, 0, 0);
	see(&f, 120, 150, 0, 0); /* 3: waited for its turn */
	see(&f, 150, 180, 50, 10);
	fix_run(&f);
	assert_int_equal(ms_of(&f, 1, STATE_IDLE_EMPTY, CAUSE_NEVER_LAUNCHED), 60 * MIN_);
	assert_int_equal(ms_of(&f, 2, STATE_IDLE_EMPTY, CAUSE_EXITED), 40 * MIN_);
	assert_int_equal(ms_of(&f, 3, STATE_IDLE_EMPTY, CAUSE_WAITING), 30 * MIN_);
	fix_free(&f);
}

/* An idle tail over many hours is one cause, hours stay in order, and the hour in which it began
 * has both. */
static void test_long_tail(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 3000 * 60, "1");
	hold(&f, 0, 2999 * 60 + 30, 1);
	for (int m = 0; m < 2999 * 60 + 30; m += 30)
		see(&f, m, m + 30, m == 0 || m == 60 ? 80 : 0, 40);
	fix_run(&f);
	assert_int_equal(ms_of(&f, 1, STATE_BUSY, -1), 60 * MIN_);
	assert_int_equal(ms_of(&f, 1, STATE_IDLE_HELD, CAUSE_NONE), 30 * MIN_);
	assert_int_equal(ms_of(&f, 1, STATE_IDLE_HELD, CAUSE_FINISHED), 2998 * MS_HOUR);
	for (size_t i = 1; i < f.entry.n; i++)
		assert_true(f.entry.v[i].hour_ms >= f.entry.v[i - 1].hour_ms);
	assert_int_equal(all_ms(&f), 3000 * MS_HOUR);
	fix_free(&f);
}

/* Longer than hours may wait: the oldest are decided as if the job ended, what comes within the
 * last 62 days is known to have waited. */
static void test_waiting_is_bounded(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 3000 * 60, "1");
	hold(&f, 0, 3000 * 60, 1);
	for (int h = 0; h < 3000; h++)
		see(&f, h * 60, h * 60 + 60, h == 2999 ? 80 : 0, 40);
	fix_run(&f);
	int64_t finished = ms_of(&f, 1, STATE_IDLE_HELD, CAUSE_FINISHED),
		waited = ms_of(&f, 1, STATE_IDLE_HELD, CAUSE_NONE);
	assert_int_equal(finished + waited, 2999 * MS_HOUR);
	assert_int_equal(waited, 1488 * MS_HOUR);
	for (size_t i = 1; i < f.entry.n; i++)
		assert_true(f.entry.v[i].hour_ms > f.entry.v[i - 1].hour_ms);
	fix_free(&f);
}

static void test_lost_wins(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 60, "2");
	struct attrib_alloc *a = hold(&f, 0, 30, 1);
	a->end_state = STATE_LOST;
	a->end_cause = CAUSE_PREEMPTED;
	a = hold(&f, 30, 60, 1);
	a->end_state = STATE_OVERHEAD;
	a->end_cause = CAUSE_RESTORE;
	see(&f, 0, 60, 100, 40);
	fix_run(&f);
	assert_int_equal(ms_of(&f, 1, STATE_LOST, CAUSE_PREEMPTED), 30 * MIN_);
	assert_int_equal(ms_of(&f, 1, STATE_OVERHEAD, CAUSE_RESTORE), 30 * MIN_);
	assert_int_equal(f.entry.v[0].util_ms, 30 * MIN_);
	assert_int_equal(f.entry.n, 2);
	fix_free(&f);
}

static void test_unheld(void **st)
{
	struct fix f;
	fix_init(&f);
	struct attrib_paid *p = pay(&f, 0, 120, "2");
	p->owner = 9;            /* the bill names a team */
	see(&f, 0, 20, 0, 0);    /* free, and known to be */
	see(&f, 20, 40, 60, 10); /* somebody works outside the scheduler */
	see(&f, 40, 60, 0, 10);  /* and keeps memory */
	fix_run(&f);
	assert_int_equal(ms_of(&f, 9, STATE_UNALLOCATED, CAUSE_FREE), 80 * MIN_);
	assert_int_equal(ms_of(&f, 9, STATE_BUSY, -1), 20 * MIN_);
	assert_int_equal(ms_of(&f, 9, STATE_IDLE_HELD, -1), 20 * MIN_);
	assert_int_equal(quality_at(&f, STATE_BUSY), QUALITY_MEASURED);
	fix_free(&f);

	/* A reading that began under an allocation says nothing of the time after it. */
	fix_init(&f);
	pay(&f, 0, 60, "2");
	hold(&f, 0, 29.5, 1);
	for (int m = 0; m < 30; m++)
		see(&f, m, m + 1, 60, 10);
	fix_run(&f);
	assert_int_equal(nobody_ms(&f, STATE_UNALLOCATED, CAUSE_FREE), 30.5 * MIN_);
	assert_int_equal(ms_of(&f, 1, STATE_BUSY, -1), 29.5 * MIN_);
	fix_free(&f);

	/* A reading with neither use nor memory shows that nobody holds; else nobody looked. */
	fix_init(&f);
	p = pay(&f, 0, 60, "2");
	p->unheld_state = STATE_UNKNOWN;
	p->unheld_cause = CAUSE_UNWATCHED;
	p->unheld_quality = QUALITY_ESTIMATED;
	see(&f, 0, 10, 0, 0);
	see(&f, 10, 20, 0, 0);
	f.value.v[f.value.n - 1].value[METRIC_PROC_COUNT] = 0;
	see(&f, 20, 30, 0, NAN);
	fix_run(&f);
	assert_int_equal(nobody_ms(&f, STATE_UNKNOWN, CAUSE_UNWATCHED), 30 * MIN_);
	assert_int_equal(quality_at(&f, STATE_UNKNOWN), QUALITY_ESTIMATED);
	assert_int_equal(nobody_ms(&f, STATE_UNALLOCATED, CAUSE_FREE), 20 * MIN_);
	assert_int_equal(quality_ms(&f, STATE_UNALLOCATED, QUALITY_ESTIMATED), 10 * MIN_);
	assert_int_equal(quality_ms(&f, STATE_UNALLOCATED, QUALITY_MEASURED), 10 * MIN_);
	assert_int_equal(nobody_ms(&f, STATE_IDLE_HELD, -1), 10 * MIN_);
	fix_free(&f);

	/* So where the owner's time was not paid. */
	fix_init(&f);
	pay(&f, 10, 60, "2");
	hold(&f, 0, 9.5, 1);
	see(&f, 9, 14, 90, 10);
	fix_run(&f);
	assert_int_equal(nobody_ms(&f, STATE_BUSY, -1), 0);
	assert_int_equal(nobody_ms(&f, STATE_UNALLOCATED, CAUSE_FREE), 50 * MIN_);
	fix_free(&f);

	/* A list that may be partial, and a reading that agrees with it. */
	fix_init(&f);
	p = pay(&f, 0, 60, "2");
	p->unheld_quality = QUALITY_ASSUMED;
	see(&f, 0, 10, 0, 0);
	fix_run(&f);
	assert_int_equal(quality_ms(&f, STATE_UNALLOCATED, QUALITY_ASSUMED), 50 * MIN_);
	assert_int_equal(quality_ms(&f, STATE_UNALLOCATED, QUALITY_ESTIMATED), 10 * MIN_);
	fix_free(&f);
}

static void test_unrecorded(void **st)
{
	struct fix f;
	fix_init(&f);
	struct attrib_paid *p = pay(&f, 0, 600, NULL);
	p->recorded = false;
	p->quality = QUALITY_ASSUMED;
	hold(&f, 60, 90, 1);
	for (int m = 0; m < 30; m++) { /* samples that name a job nobody listed */
		see_ms(&f, H0 + m * MIN_, 57000, m < 10 ? 0 : 50, 20);
		last_sample(&f)->job_id = SV("job-x");
		last_sample(&f)->owner = 5;
	}
	fix_run(&f);
	assert_int_equal(ms_of(&f, 5, STATE_IDLE_HELD, -1), 10 * 57000);
	assert_int_equal(ms_of(&f, 5, STATE_BUSY, -1), 20 * 57000);
	assert_int_equal(ms_of(&f, 1, STATE_UNKNOWN, -1), 30 * MIN_);
	assert_int_equal(all_ms(&f), 30 * 57000 + 30 * MIN_);
	for (size_t i = 0; i < f.entry.n; i++) {
		assert_int_equal(f.entry.v[i].quality, QUALITY_ASSUMED);
		assert_true(f.entry.v[i].nano[BASIS_BILLED] == UNKNOWN_NANO);
	}
	fix_free(&f);
}

static void test_price_change_in_an_hour(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 20, "98.32");
	pay(&f, 20, 60, "55.04");
	hold(&f, 0, 60, 1);
	see(&f, 0, 60, 80, 10);
	fix_run(&f);
	/* 98.32 / 3 + 55.04 * 2 / 3 = 69.466666666666... */
	assert_int_equal(f.entry.n, 1);
	assert_int_equal(f.entry.v[0].nano[BASIS_BILLED], 69466666667);
	assert_int_equal(f.entry.v[0].ms, MS_HOUR);
	__int128 exact = dec_z("98.32") * 20 * MIN_ + dec_z("55.04") * 40 * MIN_;
	assert_true((__int128)69466666667 * 1000 * 3600000 + f.rest.pico_ms[BASIS_BILLED] == exact);
	fix_free(&f);

	/* Another purchase is another entry; unpriced time too. */
	fix_init(&f);
	pay(&f, 0, 20, "1");
	pay(&f, 20, 40, "1")->purchase = SV("spot");
	pay(&f, 40, 60, NULL);
	hold(&f, 0, 60, 1);
	fix_run(&f);
	assert_int_equal(f.entry.n, 3);
	assert_int_equal(all_ms(&f), MS_HOUR);
	fix_free(&f);
}

static void test_amounts(void **st)
{
	struct fix f;
	fix_init(&f);
	struct attrib_paid *p = pay(&f, 0, 60, NULL);
	p->has_amount[BASIS_BILLED] = true;
	p->amount_nano[BASIS_BILLED] = 1000000001;
	p = pay(&f, 60, 120, NULL);
	p->has_amount[BASIS_BILLED] = true; /* a credit */
	p->amount_nano[BASIS_BILLED] = -100;
	hold(&f, 0, 20, 1);
	hold(&f, 20, 40, 2);
	hold(&f, 60, 80, 2);
	fix_run(&f);
	assert_int_equal(all_nano(&f), 1000000001 - 100);
	/* A third each: 333333333.67, the two units over go to the smaller keys. */
	assert_int_equal(nano_of(&f, 1, STATE_UNKNOWN, -1), 333333334);
	assert_true(f.entry.v[0].nano[BASIS_LIST] == UNKNOWN_NANO);
	assert_true(f.rest.pico_ms[BASIS_BILLED] == 0);
	fix_free(&f);

	/* Paid, not recorded, and nothing held: the amount still is there. */
	fix_init(&f);
	p = pay(&f, 0, 60, NULL);
	p->recorded = false;
	p->has_amount[BASIS_BILLED] = true;
	p->amount_nano[BASIS_BILLED] = 77;
	fix_run(&f);
	assert_int_equal(all_nano(&f), 77);
	assert_int_equal(all_ms(&f), 0);
	fix_free(&f);
}

static void on_hour(void *ctx, int64_t hour_ms, const __int128 pico_ms[BASIS_N],
		    const int64_t rated_nano[BASIS_N])
{
	struct {
		int64_t hour_ms[8];
		__int128 pico_ms[8];
		size_t n;
	} *h = ctx;
	h->hour_ms[h->n] = hour_ms;
	h->pico_ms[h->n++] = pico_ms[BASIS_BILLED];
}

/* The caller's tags keep entries apart; the rest of each hour is told, and adds up. */
static void test_tags_and_hours(void **st)
{
	struct {
		int64_t hour_ms[8];
		__int128 pico_ms[8];
		size_t n;
	} h = { .n = 0 };
	struct fix f;
	fix_init(&f);
	f.rest.hour = on_hour;
	f.rest.hour_ctx = &h;
	pay(&f, 0, 20, "1.000000000001")->tag = 4;
	pay(&f, 20, 150, "0.333333333333")->tag = 5;
	hold(&f, 0, 150, 1)->share_ppb = 123456789;
	f.alloc.v[0].share_kind = SHARE_FRACTION;
	f.paid.v[0].recorded = f.paid.v[1].recorded = false;
	fix_run(&f);
	assert_int_equal(f.entry.n, 4);
	assert_int_equal(f.entry.v[0].tag + f.entry.v[1].tag, 9);
	assert_int_equal(f.entry.v[3].tag, 5);
	assert_int_equal(h.n, 3);
	assert_true(h.hour_ms[1] == H0 + MS_HOUR);
	assert_true(h.pico_ms[0] + h.pico_ms[1] + h.pico_ms[2] == f.rest.pico_ms[BASIS_BILLED]);
	assert_true(f.rest.pico_ms_part[BASIS_BILLED] > 0);
	/* rows + rest = sum of price x ms x share, in 1/SHARE_ONE of a pico-ms */
	__int128 exact = (dec_z("1.000000000001") * 20 + dec_z("0.333333333333") * 130) * MIN_ *
			 123456789 * (SHARE_ONE / 1000000000);
	__int128 rows = ((__int128)all_nano(&f) * 1000 * 3600000 + f.rest.pico_ms[BASIS_BILLED]) *
				SHARE_ONE +
			f.rest.pico_ms_part[BASIS_BILLED];
	assert_true(rows == exact);
	fix_free(&f);
}

static void test_unpaid_alloc(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 30, 60, "1");
	pay(&f, 150, 170, "1"); /* the pause ends in the middle of an hour */
	hold(&f, 0, 160, 1);
	fix_run(&f);
	assert_int_equal(all_ms(&f), 50 * MIN_);
	assert_int_equal(f.rest.unpaid_alloc_ms, (30 + 90) * MIN_);
	for (size_t i = 0; i < f.entry.n; i++)
		assert_int_equal(f.entry.v[i].hour_ms,
				 f.entry.v[i].ms == 30 * MIN_ ? H0 : H0 + 2 * MS_HOUR);
	fix_free(&f);
}

/* Seconds x P at odd P: rows and remainder are exact (57-second samples as in telemetry that
 * skips). */
static void test_exact_at_odd_prices(void **st)
{
	static const char *const price[] = { "1.234567890123", "0.000000000001",
					     "123456.789012345678", "3.333333333333",
					     "-0.7777777" };
	for (size_t k = 0; k < sizeof price / sizeof *price; k++) {
		struct fix f;
		fix_init(&f);
		struct attrib_paid *p = pay(&f, 0, 6000, price[k]);
		p->recorded = false;
		for (int m = 0; m < 6000; m++) {
			see_ms(&f, H0 + m * MIN_, 57000, m % 7 ? 0 : 30, m % 3 * 10);
			last_sample(&f)->job_id = SV("c");
			last_sample(&f)->owner = 1;
		}
		fix_run(&f);
		assert_int_equal(all_ms(&f), 6000 * 57000);
		assert_exact(&f, dec_z(price[k]), 6000 * 57000);
		__int128 rest = f.rest.pico_ms[BASIS_BILLED];
		/* half a nano per hour */
		assert_true((rest < 0 ? -rest : rest) <= (__int128)100 * 500 * 3600000);
		fix_free(&f);
	}
}

static int fail_emit(void *ctx, const struct attrib_entry *e, struct err *err)
{
	int *left = ctx;
	return (*left)-- > 0 ? 0 : err_set(err, -ENOSPC, "disk full");
}

static int fail_next(void *ctx, struct attrib_sample *ret, struct err *err)
{
	struct fix *f = ctx;
	return f->at == 40 ? err_set(err, -EIO, "broken chunk") : fix_next(ctx, ret, err);
}

/* The n-th entry cannot be written, a sample cannot be read: the error comes back, nothing
 * leaks. */
static void test_failures_come_back(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 600, "1");
	hold(&f, 0, 300, 1);
	hold(&f, 100, 600, 2)->share_kind = SHARE_TIMESLICE;
	for (int m = 0; m < 600; m += 10)
		see(&f, m, m + 10, m % 3 ? 0 : 50, 10);
	fix_run(&f);
	int n = (int)f.entry.n;
	assert_true(n > 20);
	for (int k = 0; k < n; k++) {
		int left = k;
		f.at = 0;
		struct attrib_out out = { fail_emit, &left, &f.rest };
		assert_int_equal(attrib_gpu(&f.conf, &f.gpu, fix_next, &f, &out, &f.err), -ENOSPC);
	}
	f.at = 0;
	struct attrib_out out = { fix_emit, &f, &f.rest };
	assert_int_equal(attrib_gpu(&f.conf, &f.gpu, fail_next, &f, &out, &f.err), -EIO);
	assert_string_equal(f.err.msg, "broken chunk");
	fix_free(&f);

	fix_init(&f); /* too many names at a time */
	pay(&f, 0, 60, "1");
	static char name[5000][16];
	for (int i = 0; i < 5000; i++) {
		snprintf(name[i], sizeof name[i], "j%d", i);
		see(&f, 0, 60, 10, 10);
		last_sample(&f)->job_id = sv_of(name[i]);
	}
	assert_int_equal(fix_try(&f), -E2BIG);
	fix_free(&f);

	fix_init(&f); /* amounts beyond any bill */
	for (int i = 0; i < 3; i++) {
		struct attrib_paid *p = pay(&f, i * 10, i * 10 + 10, NULL);
		p->has_amount[BASIS_BILLED] = true;
		p->amount_nano[BASIS_BILLED] = INT64_MAX / 2;
	}
	assert_int_equal(fix_try(&f), -ERANGE);
	fix_free(&f);
}

static void test_bad_input(void **st)
{
	struct fix f;
	fix_init(&f);
	pay(&f, 0, 60, "1");
	see(&f, 10, 20, 1, 1);
	see(&f, 5, 10, 1, 1);
	assert_int_equal(fix_try(&f), -EINVAL);
	fix_free(&f);

	fix_init(&f);
	pay(&f, 0, 60, "1");
	see_ms(&f, H0, 0, 1, 1);
	assert_int_equal(fix_try(&f), -EINVAL);
	fix_free(&f);

	fix_init(&f);
	pay(&f, 0, 60, "1");
	pay(&f, 59, 80, "1");
	assert_int_equal(fix_try(&f), -EINVAL);
	fix_free(&f);

	fix_init(&f);
	pay(&f, 0, 60, "1");
	pay(&f, 60, 80, "1")->currency = SV("CNY");
	assert_int_equal(fix_try(&f), -EINVAL);
	fix_free(&f);

	fix_init(&f);
	hold(&f, 0, 60, 1);
	assert_int_equal(fix_try(&f), 0); /* no paid time, no entries */
	assert_int_equal(f.entry.n, 0);
	fix_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_gaps_are_unknown),
		cmocka_unit_test(test_nan_is_no_reading),
		cmocka_unit_test(test_later_sample_cuts),
		cmocka_unit_test(test_same_instant_merges),
		cmocka_unit_test(test_memory_unknown),
		cmocka_unit_test(test_empty_bound),
		cmocka_unit_test(test_contradiction),
		cmocka_unit_test(test_causes_of_idle),
		cmocka_unit_test(test_causes_of_empty),
		cmocka_unit_test(test_long_tail),
		cmocka_unit_test(test_waiting_is_bounded),
		cmocka_unit_test(test_lost_wins),
		cmocka_unit_test(test_unheld),
		cmocka_unit_test(test_unrecorded),
		cmocka_unit_test(test_price_change_in_an_hour),
		cmocka_unit_test(test_amounts),
		cmocka_unit_test(test_tags_and_hours),
		cmocka_unit_test(test_unpaid_alloc),
		cmocka_unit_test(test_exact_at_odd_prices),
		cmocka_unit_test(test_failures_come_back),
		cmocka_unit_test(test_bad_input),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
