/* Stranded GPUs: told in the head, and against a count second by second on random machines. */
#include <stdlib.h>

#include "base/mem.h"
#include "opt/capacity/stranded.h"
#include "../base/test.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

static void cpu_is_gone(void **state)
{
	const struct strand_machine m = { 8000, 64000, 512 * 1024, 0, 1000 };
	const struct strand_hold h[] = { { 0, 500, 1000, 8000, 1024 },
					 { 100, 400, 2000, 50000, 2048 } };
	const struct strand_ask ask = { 1000, 8000, 32 * 1024 };
	struct strand_list p = { 0 };

	stranded_pieces(&m, COUNT_OF(h), h, &ask, &p);
	assert_int_equal(p.n, 1); /* 5 GPUs and 6 CPUs are free: none of them can be used */
	assert_int_equal(p.v[0].from_ms, 100);
	assert_int_equal(p.v[0].to_ms, 400);
	assert_int_equal(p.v[0].gpus_milli, 5000);
	assert_true(p.v[0].cpu);
	/* 50 CPUs with 2 of 8 GPUs; the other has just its part */
	assert_int_equal(p.v[0].most, 1);
	vec_free(&p);
}

static void memory_is_gone(void **state)
{
	/* of the CPU nothing is known: it is never short */
	const struct strand_machine m = { 4000, 0, 100 * 1024, 0, 10 };
	const struct strand_hold h[] = { { 0, 10, 1000, 0, 70 * 1024 } };
	const struct strand_ask ask = { 1000, 8000, 20 * 1024 };
	struct strand_list p = { 0 };

	stranded_pieces(&m, 1, h, &ask, &p);
	assert_int_equal(p.n, 1);
	assert_int_equal(p.v[0].gpus_milli, 2000); /* 30 GiB are left: one job of three */
	assert_false(p.v[0].cpu);
	vec_free(&p);
}

static void built_so(void **state)
{
	const struct strand_machine m = { 8000, 32000, 0, 0, 10 };
	const struct strand_hold h[] = { { 0, 10, 4000, 16000, 0 } }; /* its part, no more */
	const struct strand_ask ask = { 1000, 8000, 0 };
	struct strand_list p = { 0 };

	stranded_pieces(&m, 1, h, &ask, &p);
	assert_int_equal(p.n, 1);
	assert_int_equal(p.v[0].gpus_milli, 2000);
	assert_true(p.v[0].most == SIZE_MAX);
	vec_free(&p);
}

static void nothing_known_strands_nothing(void **state)
{
	const struct strand_machine m = { 8000, 64000, 0, 0, 10 }, dark = { 8000, 0, 0, 0, 10 };
	/* says nothing; lasts no time */
	const struct strand_hold h[] = { { 0, 10, 7000, 0, 0 }, { 5, 5, 8000, 64000, 0 } };
	const struct strand_ask ask = { 1000, 8000, 0 };
	struct strand_list p = { 0 };

	stranded_pieces(&m, COUNT_OF(h), h, &ask, &p);
	stranded_pieces(&dark, COUNT_OF(h), h, &ask, &p);
	stranded_pieces(&m, 0, NULL, &ask, &p);
	assert_int_equal(p.n, 0);
	vec_free(&p);
}

/* The same by looking at every instant. */
static int64_t by_hand(const struct strand_machine *m, size_t n, const struct strand_hold *h,
		       const struct strand_ask *ask)
{
	int64_t sum = 0;

	for (int64_t t = m->from_ms; t < m->to_ms; t++) {
		int64_t g = m->gpus_milli, c = m->cpu_milli, r = m->ram_mib;
		bool any = false;
		for (size_t i = 0; i < n; i++)
			if (h[i].from_ms <= t && t < h[i].to_ms) {
				any = true;
				g -= h[i].gpus_milli;
				c -= h[i].cpu_milli;
				r -= h[i].ram_mib;
			}
		int64_t jobs = (c < 0 ? 0 : c) / ask->cpu_milli,
			by_ram = (r < 0 ? 0 : r) / ask->ram_mib,
			fit = g < 0 ? 0 : g / ask->gpus_milli;
		jobs = by_ram < jobs ? by_ram : jobs;
		sum += any && fit > jobs ? (fit - jobs) * ask->gpus_milli : 0;
	}
	return sum;
}

static void random_machines(void **state)
{
	uint64_t x = 7;

	for (int k = 0; k < 300; k++) {
		struct strand_hold h[12];
		const struct strand_machine m = { 8000, 96000, 700000, 20, 160 };
		const struct strand_ask ask = { 500 + 500 * (k % 2), 6000, 50000 };
		struct strand_list p = { 0 };
		int64_t sum = 0;
		for (size_t i = 0; i < COUNT_OF(h); i++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			h[i].from_ms = (int64_t)(x >> 40) % 180;
			h[i].to_ms = h[i].from_ms + (int64_t)(x >> 20 & 63);
			h[i].gpus_milli = 500 * (1 + (int64_t)(x >> 33 & 3));
			h[i].cpu_milli = 1000 * (int64_t)(1 + (x >> 13 & 31));
			h[i].ram_mib = 10000 * (int64_t)(1 + (x >> 50 & 15));
		}
		stranded_pieces(&m, COUNT_OF(h), h, &ask, &p);
		for (size_t i = 0; i < p.n; i++) {
			assert_true(p.v[i].from_ms < p.v[i].to_ms &&
				    (!i || p.v[i].from_ms >= p.v[i - 1].to_ms));
			sum += p.v[i].gpus_milli * (p.v[i].to_ms - p.v[i].from_ms);
		}
		assert_int_equal(sum, by_hand(&m, COUNT_OF(h), h, &ask));
		vec_free(&p);
	}
}

static void the_median_job(void **state)
{
	struct strand_ask v[] = { { 8000, 64000, 0 },
				  { 1000, 4000, 0 },
				  { 1000, 12000, 0 },
				  { 2000, 16000, 0 },
				  { 1000, 0, 9000 } },
			  got;

	assert_true(stranded_typical(5, v, 4, &got));
	assert_int_equal(got.gpus_milli, 1000);
	assert_int_equal(got.cpu_milli, 8000); /* 4, 8, 8, 12 a GPU */
	assert_int_equal(got.ram_mib, 0);      /* one says it: too few */
	assert_false(stranded_typical(5, v, 6, &got));
	assert_false(stranded_typical(0, NULL, 0, &got));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_is_gone),     cmocka_unit_test(memory_is_gone),
		cmocka_unit_test(built_so),        cmocka_unit_test(nothing_known_strands_nothing),
		cmocka_unit_test(random_machines), cmocka_unit_test(the_median_job),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
