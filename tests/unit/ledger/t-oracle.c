/* Attribution against a plain reference that looks at every minute on its own: no streams, no
 * tables, no hours. */
#include "attrib_fix.h"

#define NMIN   (20 * 60)
#define NOWNER 4

static uint64_t rnd_state;
static uint32_t rnd(uint32_t below)
{
	rnd_state = rnd_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(rnd_state >> 33) % below;
}

static int64_t minute_of(int64_t ms)
{
	return (ms - H0) / MIN_;
}

/* The newest sample that began by then, if it still speaks. */
static const struct sample *sample_at(const struct fix *f, int64_t m)
{
	const struct sample *best = NULL;
	for (size_t i = 0; i < f->value.n; i++)
		if (minute_of(f->value.v[i].t_ms) <= m)
			best = &f->value.v[i];
	return best && minute_of(best->t_ms + best->step_ms) > m ? best : NULL;
}

static enum state state_of_sample(const struct sample *s)
{
	double util = s ? s->value[METRIC_GPU_UTIL_PCT] : NAN,
	       mem = s ? s->value[METRIC_MEM_USED_BYTES] : NAN;
	if (isnan(util))
		return STATE_UNKNOWN;
	if (util >= 25)
		return STATE_BUSY;
	if (util > 0)
		return STATE_UNDERUSED;
	return isnan(mem) || mem > 0.01 * 80 * GIB ? STATE_IDLE_HELD : STATE_IDLE_EMPTY;
}

/* ret[owner or NOWNER for nobody][state], in minutes. */
static void reference(const struct fix *f, double ret[NOWNER + 1][STATE_N])
{
	for (int64_t m = 0; m < NMIN; m++) {
		size_t n = 0;
		bool paid = false;
		for (size_t i = 0; i < f->paid.n; i++)
			paid |= minute_of(f->paid.v[i].from_ms) <= m &&
				m < minute_of(f->paid.v[i].to_ms);
		for (size_t i = 0; i < f->alloc.n; i++)
			n += minute_of(f->alloc.v[i].from_ms) <= m &&
			     m < minute_of(f->alloc.v[i].to_ms);
		if (!paid)
			continue;
		if (n == 0)
			ret[NOWNER][STATE_UNALLOCATED]++;
		for (size_t i = 0; i < f->alloc.n; i++)
			if (minute_of(f->alloc.v[i].from_ms) <= m &&
			    m < minute_of(f->alloc.v[i].to_ms))
				ret[f->alloc.v[i].owner]
				   [f->alloc.v[i].end_state ? f->alloc.v[i].end_state
							    : state_of_sample(sample_at(f, m))] +=
					1.0 / (double)n;
	}
}

static void random_input(struct fix *f, uint64_t seed)
{
	rnd_state = seed;
	fix_init(f);
	for (int64_t m = rnd(60); m < NMIN; m += rnd(60)) {
		int64_t to = m + 1 + rnd(400);
		pay(f, (double)m, (double)(to < NMIN ? to : NMIN), rnd(2) ? "1.7" : NULL);
		m = to;
	}
	for (int64_t m = rnd(100); m < NMIN; m += rnd(150)) {
		struct attrib_alloc *a = hold(f, (double)m, (double)(m + 1 + rnd(200)),
					      rnd(NOWNER));
		a->share_kind = SHARE_TIMESLICE;
		a->end_state = rnd(6) ? STATE_NONE : STATE_LOST;
		a->notebook = rnd(5) == 0;
	}
	/* Only while the GPU is held the reading of unheld time is no matter of this test. */
	for (int64_t m = 0; m < NMIN; m += 1 + rnd(12)) {
		bool held_all = true;
		int64_t step = 1 + rnd(12);
		for (int64_t k = m; k < m + step; k++) {
			bool held = false;
			for (size_t i = 0; i < f->alloc.n; i++)
				held |= minute_of(f->alloc.v[i].from_ms) <= k &&
					k < minute_of(f->alloc.v[i].to_ms);
			held_all &= held;
		}
		if (held_all && rnd(5))
			see(f, (double)m, (double)(m + step),
			    rnd(3)   ? rnd(100)
			    : rnd(3) ? 0
				     : NAN,
			    rnd(3) ? (rnd(2) ? 0 : 40) : NAN);
	}
}

static void test_reference(void **st)
{
	double all = 0;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct fix f;
		double want[NOWNER + 1][STATE_N] = { { 0 } };
		random_input(&f, seed);
		fix_run(&f);
		reference(&f, want);
		for (int o = 0; o <= NOWNER; o++)
			for (int s = STATE_BUSY; s < STATE_N; s++) {
				int64_t got = o == NOWNER ? nobody_ms(&f, (enum state)s, -1)
							  : ms_of(&f, o, (enum state)s, -1);
				all += want[o][s];
				/* Thirds of a GPU are rounded once an hour and entry. */
				if (fabs((double)got - want[o][s] * MIN_) > 60)
					fail_msg(
						"seed %d: owner %d state %d: %lld ms, reference %g",
						(int)seed, o, s, (long long)got, want[o][s] * MIN_);
			}
		fix_free(&f);
	}
	assert_true(all > 100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_reference) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
