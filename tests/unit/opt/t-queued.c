/* Waiting jobs on idle GPUs: what fits by hand, what is taken back, all ways for one job. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "opt/capacity/queued.h"

#define U QUEUED_UNKNOWN

static void by_hand(void **state)
{
	struct queued_spot s[3] = { { 8, 0, U, U, 0, 0 },
				    { 2, 0, U, U, 0, 0 },
				    { 1, 3, U, U, 0, 0 } };
	struct queued_part one = { 2, 0, 0 }, four = { 4, 0, 0 },
			   gang[2] = { { 8, 0, 0 }, { 4, 0, 0 } };
	struct queued_got got[2];

	/* the smallest that fits; what is free before what is held */
	assert_true(queued_place(3, s, 1, &one, got));
	assert_true(got[0].spot == 1 && got[0].free == 2 && got[0].held == 0);
	/* 8 + 4: only with the three that are held */
	assert_true(queued_place(3, s, 2, gang, got));
	assert_true(got[0].spot == 0 && got[1].spot == 2 && got[1].free == 1 && got[1].held == 3);
	assert_false(queued_place(3, s, 1, &one, got)); /* all is taken */
	/* a gang that fits in part takes nothing */
	struct queued_spot t[2] = { { 8, 0, U, U, 0, 0 }, { 3, 0, U, U, 0, 0 } };
	assert_false(queued_place(2, t, 2, gang, got));
	assert_true(t[0].free == 8 && t[1].free == 3);
	/* a GPU free on each of four machines is no machine with four */
	struct queued_spot thin[4] = { { 1, 0, U, U, 0, 0 },
				       { 1, 0, U, U, 0, 0 },
				       { 1, 0, U, U, 0, 0 },
				       { 1, 0, U, U, 0, 0 } };
	assert_false(queued_place(4, thin, 1, &four, got));
}

/* GPUs without CPUs or memory beside them are of no use; a owner's come with its GPUs. */
static void host(void **state)
{
	struct queued_spot s = { 4, 0, 8000, 64 << 10, 0, 0 };
	struct queued_part p = { 2, 8000, 32 << 10 }, more = { 1, 1000, 0 }, none = { 1, 0, 0 };
	struct queued_got got;

	assert_true(queued_place(1, &s, 1, &p, &got));
	assert_true(s.cpu_milli == 0 && s.ram_mib == 32 << 10);
	assert_false(queued_place(1, &s, 1, &more, &got));
	assert_true(queued_place(1, &s, 1, &none, &got));
	struct queued_spot h = { 0, 4, 2000, U, 16000, 0 };
	struct queued_part big = { 4, 18000, 1 << 20 }, bigger = { 4, 18001, 0 };
	assert_false(queued_place(1, &h, 1, &bigger, &got));
	assert_true(queued_place(1, &h, 1, &big, &got) && got.held == 4);
}

/* What is not told is not nothing: it fits only where the machine's own is not known either. */
static void untold(void **state)
{
	struct queued_spot known = { 4, 0, 8000, U, 0, 0 }, ram = { 4, 0, U, 1 << 20, 0, 0 },
			   dark = { 4, 0, U, U, 0, 0 }, held = { 0, 4, 0, U, 64000, 0 };
	struct queued_part no_cpu = { 1, U, 1024 }, no_ram = { 1, 1000, U }, neither = { 1, U, U };
	struct queued_got got;

	assert_false(queued_place(1, &known, 1, &no_cpu, &got));
	assert_false(queued_place(1, &held, 1, &no_cpu, &got));
	assert_false(queued_place(1, &ram, 1, &no_ram, &got));
	assert_true(queued_place(1, &known, 1, &no_ram, &got));
	assert_true(known.cpu_milli == 7000 && known.ram_mib == U);
	assert_true(queued_place(1, &ram, 1, &no_cpu, &got));
	assert_true(ram.cpu_milli == U && ram.ram_mib == (1 << 20) - 1024);
	assert_true(queued_place(1, &dark, 1, &neither, &got));
	assert_true(dark.free == 3 && dark.cpu_milli == U && dark.ram_mib == U);
}

static bool any_way(size_t nspot, struct queued_spot *s, size_t n, const struct queued_part *p)
{
	if (!n)
		return true;
	for (size_t i = 0; i < nspot; i++) {
		struct queued_spot was = s[i];
		int64_t idle = was.free + was.held;
		if (idle < p->gpus || was.cpu_milli + was.held_cpu_milli < p->cpu_milli)
			continue;
		s[i].free -= p->gpus; /* below 0: of the held */
		s[i].cpu_milli -= p->cpu_milli;
		bool ok = any_way(nspot, s, n - 1, p + 1);
		s[i] = was;
		if (ok)
			return true;
	}
	return false;
}

/* Parts of one size find a place whenever there is one; what is placed is there. */
static void random_jobs(void **state)
{
	uint64_t seed = 3;
	size_t yes = 0;
#define DRAW(n) ((int64_t)((seed = seed * 6364136223846793005u + 1442695040888963407u) >> 33) % (n))
	for (int round = 0; round < 3000; round++) {
		struct queued_spot s[5], was[5], copy[5];
		struct queued_part p[4];
		struct queued_got got[4];
		size_t n = 1 + (size_t)DRAW(4);
		for (size_t i = 0; i < 5; i++)
			s[i] = (struct queued_spot){ DRAW(5), DRAW(4),        1000 * DRAW(9),
						     U,       1000 * DRAW(5), 0 };
		p[0] = (struct queued_part){ 1 + DRAW(6), 1000 * DRAW(8), 0 };
		for (size_t k = 1; k < n; k++)
			p[k] = p[0];
		memcpy(was, s, sizeof s);
		memcpy(copy, s, sizeof s);
		bool ok = queued_place(5, s, n, p, got);
		assert_int_equal(ok, any_way(5, copy, n, p));
		yes += ok;
		for (size_t k = 0; k < n && ok; k++) {
			assert_int_equal(got[k].free + got[k].held, p[k].gpus);
			was[got[k].spot].free -= got[k].free;
			was[got[k].spot].held -= got[k].held;
			was[got[k].spot].cpu_milli -= p[k].cpu_milli;
		}
		assert_memory_equal(s, was, sizeof s);
		for (size_t i = 0; i < 5; i++)
			assert_true(s[i].free >= 0 && s[i].held >= 0);
	}
	assert_true(yes > 500 && yes < 2500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(host),
		cmocka_unit_test(untold),
		cmocka_unit_test(random_jobs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
