/* Properties on random GPUs (fixed seeds): every hour closes in ms and nano, rows + rest are
 * exact, nothing depends on the order of allocations that begin together. */
#include "attrib_fix.h"

static uint64_t rnd_state;
static uint32_t rnd(uint32_t below)
{
	rnd_state = rnd_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(rnd_state >> 33) % below;
}

static const struct share_profile profiles[] = { { 1, 1, { 0, 1, 2, 3, 4, 5, 6 }, 7 },
						 { 3, 4, { 0, 4 }, 2 },
						 { 4, 4, { 0 }, 1 } };
static const struct sv names[] = { { "j0", 2 }, { "j1", 2 }, { "j2", 2 }, { "j3", 2 } };

static int alloc_cmp(const void *a, const void *b)
{
	const struct attrib_alloc *x = a, *y = b;
	return x->from_ms < y->from_ms ? -1 : x->from_ms > y->from_ms;
}

static int pay_cmp(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

#define DAY_MS (24 * (uint32_t)MS_HOUR)

static void random_paid(struct fix *f)
{
	int64_t mark[12];
	size_t n = 2 + rnd(10);
	for (size_t i = 0; i < n; i++)
		mark[i] = H0 + rnd(DAY_MS);
	qsort(mark, n, sizeof *mark, pay_cmp);
	bool recorded = rnd(4) > 0;
	for (size_t i = 0; i + 1 < n; i++) {
		if (rnd(4) == 0 || mark[i] == mark[i + 1])
			continue;
		struct attrib_paid *p = pay(f, 0, 0, NULL);
		p->from_ms = mark[i];
		p->to_ms = mark[i + 1];
		p->recorded = recorded;
		p->gpus_milli = rnd(5) ? 1000 : 125;
		p->purchase = rnd(2) ? SV("spot") : SV("on_demand");
		p->quality = (enum quality)rnd(3);
		for (int b = 0; b < BASIS_N; b++) {
			bool in_hour = tm_floor(p->from_ms, MS_HOUR) ==
				       tm_floor(p->to_ms - 1, MS_HOUR);
			p->has_amount[b] = in_hour && rnd(2);
			p->amount_nano[b] = (int64_t)rnd(2000000000) - 1000;
			p->has_rate[b] = !p->has_amount[b] && rnd(5);
			p->rate_gpu_hour[b] = (dec)rnd(2000000000) * rnd(100000) + rnd(1000);
		}
	}
}

static void random_allocs(struct fix *f)
{
	size_t n = rnd(12);
	for (size_t i = 0; i < n; i++) {
		struct attrib_alloc *a = hold(f, 0, 0, rnd(5));
		a->from_ms = H0 - MS_HOUR + (rnd(3) ? rnd(DAY_MS) : MS_HOUR * rnd(24));
		a->to_ms = a->from_ms + 1 + rnd(DAY_MS / 4);
		a->share_kind = (enum share_kind)rnd(SHARE_N);
		a->share_ppb = rnd(2) ? -1 : (int64_t)rnd(1000000001);
		a->mig_compute = 1 + (int)rnd(4);
		a->mig_memory = a->mig_compute == 3 ? 4 : a->mig_compute;
		a->mig_start = (int)rnd(9) - 1;
		a->job_id = rnd(2) ? names[rnd(4)] : SV_NULL;
		a->mig = rnd(3) ? SV_NULL : names[rnd(4)];
		if (rnd(5) == 0) {
			a->end_state = STATE_LOST;
			a->end_cause = CAUSE_FAILED;
		}
		a->notebook = rnd(6) == 0;
		a->service = rnd(6) == 0;
		a->quality = (enum quality)rnd(2);
	}
	if (n)
		qsort(f->alloc.v, f->alloc.n, sizeof *f->alloc.v, alloc_cmp);
}

static void random_samples(struct fix *f)
{
	for (int64_t t = H0 - MS_HOUR; t < H0 + DAY_MS && rnd(1000); t += rnd(20 * 60000)) {
		struct sample *s = see_ms(f, t, 1 + (int32_t)rnd(15 * 60000),
					  rnd(3)   ? rnd(120)
					  : rnd(2) ? 0
						   : NAN,
					  rnd(4) ? rnd(80) : NAN);
		if (rnd(2))
			s->value[METRIC_SM_ACTIVE_FRAC] = rnd(100) / 100.0;
		if (rnd(2))
			s->value[METRIC_POWER_W] = rnd(700);
		if (rnd(3) == 0)
			last_sample(f)->job_id = names[rnd(4)];
		if (rnd(5) == 0)
			last_sample(f)->mig = names[rnd(4)];
		last_sample(f)->owner = rnd(2) ? rnd(5) : ATTRIB_NOBODY;
	}
}

static void random_gpu(struct fix *f, uint64_t seed)
{
	fix_init(f);
	rnd_state = seed * 7919 + 1;
	f->gpu.geom.profile = profiles;
	f->gpu.geom.nprofile = 3;
	f->gpu.geom.by_memory = rnd(2);
	random_paid(f);
	random_allocs(f);
	random_samples(f);
}

/* What was paid in an hour: GPU-ms, the exact product of rates, and amounts. */
struct expect {
	__int128 exact; /* rate x ms x gpus_milli */
	int64_t amount, milli_ms;
};

static struct expect expected(const struct fix *f, int b, int64_t from, int64_t to)
{
	struct expect e = { 0 };
	for (size_t i = 0; i < f->paid.n; i++) {
		const struct attrib_paid *p = &f->paid.v[i];
		int64_t lo = p->from_ms > from ? p->from_ms : from,
			hi = p->to_ms < to ? p->to_ms : to;
		if (lo >= hi)
			continue;
		e.milli_ms += (hi - lo) * p->gpus_milli;
		if (p->has_rate[b])
			e.exact += p->rate_gpu_hour[b] * (hi - lo) * p->gpus_milli;
		if (p->has_amount[b])
			e.amount += p->amount_nano[b];
	}
	return e;
}

static void check_closed(struct fix *f)
{
	int64_t booked_milli = 0, booked_ms = 0;
	for (int64_t h = H0 - MS_HOUR; h < H0 + 26 * MS_HOUR; h += MS_HOUR) {
		int64_t ms = 0, nano[BASIS_N] = { 0 };
		for (size_t i = 0; i < f->entry.n; i++) {
			const struct attrib_entry *e = &f->entry.v[i];
			if (e->hour_ms != h)
				continue;
			assert_true(e->ms >= 0);
			assert_true(e->util_ms == UNKNOWN_I64 ||
				    (e->util_ms >= 0 && e->util_ms <= e->ms));
			assert_int_not_equal(e->state, STATE_NONE);
			ms += e->ms;
			for (int b = 0; b < BASIS_N; b++)
				nano[b] += e->nano[b] == UNKNOWN_NANO ? 0 : e->nano[b];
		}
		struct expect x = expected(f, 0, h, h + MS_HOUR);
		booked_milli += x.milli_ms;
		booked_ms += ms;
		assert_true(llabs(booked_milli - booked_ms * 1000) <= 500);
		for (int b = 0; b < BASIS_N; b++) {
			x = expected(f, b, h, h + MS_HOUR);
			assert_true(nano[b] ==
				    x.amount + (int64_t)div_half_even(
						       x.exact, (__int128)1000 * 1000 * 3600000));
		}
	}
}

static void check_exact(struct fix *f)
{
	for (int b = 0; b < BASIS_N; b++) {
		struct expect x = expected(f, b, H0 - MS_HOUR, H0 + 30 * MS_HOUR);
		__int128 nano = -x.amount;
		for (size_t i = 0; i < f->entry.n; i++)
			nano += f->entry.v[i].nano[b] == UNKNOWN_NANO ? 0 : f->entry.v[i].nano[b];
		/* In 1/1000 of a pico-ms: rows + rest = exact. */
		__int128 part = (__int128)f->rest.pico_ms_part[b] * 1000;
		assert_true(part % SHARE_ONE == 0);
		assert_true(nano * 1000 * 3600000 * 1000 + f->rest.pico_ms[b] * 1000 +
				    part / SHARE_ONE ==
			    x.exact);
	}
}

static void test_recorded_gpus_close(void **st)
{
	size_t checked = 0, entries = 0;
	for (uint64_t seed = 1; seed <= 1500; seed++) {
		struct fix f;
		random_gpu(&f, seed);
		for (size_t i = 0; i < f.paid.n; i++)
			f.paid.v[i].recorded = true;
		fix_run(&f);
		check_closed(&f);
		check_exact(&f);
		checked++;
		entries += f.entry.n;
		fix_free(&f);
	}
	assert_int_equal(checked, 1500);
	assert_true(entries > 50000);
}

/* Unrecorded GPUs: never more than the time that was there, and the same twice. */
static void test_unrecorded_gpus(void **st)
{
	for (uint64_t seed = 1; seed <= 500; seed++) {
		struct fix f;
		random_gpu(&f, seed);
		for (size_t i = 0; i < f.paid.n; i++)
			f.paid.v[i].recorded = false;
		fix_run(&f);
		int64_t ms = all_ms(&f), nano = all_nano(&f);
		assert_true(ms * 1000 <=
			    expected(&f, 0, H0 - MS_HOUR, H0 + 30 * MS_HOUR).milli_ms + 500);
		fix_run(&f);
		assert_true(ms == all_ms(&f) && nano == all_nano(&f));
		fix_free(&f);
	}
}

/* Owners renamed in reverse give the same sums per owner but for the one unit that ties move. */
static void test_owner_numbers_do_not_matter(void **st)
{
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct fix f, g;
		random_gpu(&f, seed);
		random_gpu(&g, seed);
		for (size_t i = 0; i < g.alloc.n; i++)
			g.alloc.v[i].owner = 4 - g.alloc.v[i].owner;
		for (size_t i = 0; i < g.sample.n; i++)
			if (g.sample.v[i].owner != ATTRIB_NOBODY)
				g.sample.v[i].owner = 4 - g.sample.v[i].owner;
		fix_run(&f);
		fix_run(&g);
		assert_int_equal(all_ms(&f), all_ms(&g));
		assert_int_equal(f.entry.n != 0, g.entry.n != 0);
		for (int s = STATE_BUSY; s < STATE_N; s++)
			for (int o = 0; o < 5; o++)
				assert_true(llabs(ms_of(&f, o, (enum state)s, -1) -
						  ms_of(&g, 4 - o, (enum state)s, -1)) <= 30);
		fix_free(&f);
		fix_free(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recorded_gpus_close),
		cmocka_unit_test(test_unrecorded_gpus),
		cmocka_unit_test(test_owner_numbers_do_not_matter),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
