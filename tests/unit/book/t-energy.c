/* Measured energy: joules to money, split over who held the GPU, to the last nano. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <math.h>

#include "base/tm.h"
#include "book/energy.h"

struct got {
	int64_t nano[16];
	size_t owner[16], n;
	dec rest;
	int64_t rated;
};

static int post(void *ctx, const struct attrib_entry *e, int64_t nano, struct err *err)
{
	struct got *g = ctx;
	g->owner[g->n] = e->owner;
	g->nano[g->n++] = nano;
	return 0;
}

static void rest(void *ctx, int64_t hour_ms, int64_t nano, dec r)
{
	((struct got *)ctx)->rest += r;
	((struct got *)ctx)->rated += nano;
}

static struct sample watts(int64_t t_ms, double w)
{
	struct sample s = { .t_ms = t_ms, .step_ms = 60000 };
	for (int m = 0; m < METRIC_N; m++)
		s.value[m] = NAN;
	s.value[METRIC_POWER_W] = w;
	return s;
}

static void splits_by_time_held(void **state)
{
	struct owned_terms t = { .usd_kwh = DEC_ONE / 10, .pue = 1.5 };
	struct energy e = { 0 };
	struct got g = { 0 };
	struct err err;

	energy_start(&e);
	for (int i = 0; i < 60; i++) {
		struct sample s = watts(i * MS_MINUTE, 700);
		energy_sample(&e, &s, SV_NULL);
		energy_sample(&e, &s, SV_NULL); /* a copy of the reading, for another job: once */
		energy_sample(&e, &s, SV("3")); /* an instance has no power of its own */
	}
	struct sample unknown = watts(MS_HOUR, NAN);
	energy_sample(&e, &unknown, SV_NULL);
	energy_held(&e, &(struct attrib_entry){ .hour_ms = 0, .owner = 1, .ms = MS_HOUR / 3 });
	energy_held(&e, &(struct attrib_entry){ .hour_ms = 0, .owner = 0, .ms = MS_HOUR / 3 });
	energy_held(&e, &(struct attrib_entry){ .hour_ms = 0, .owner = 1, .ms = MS_HOUR / 3 });
	assert_int_equal(energy_post(&e, &t, post, rest, &g, &err), 0);
	/* 0.7 kWh x 1.5 x 0.10 = 0.105 */
	assert_int_equal(g.n, 2);
	assert_int_equal(g.nano[0] + g.nano[1], 105000000);
	assert_int_equal(g.nano[0], 35000000);
	assert_int_equal(g.owner[0], 0);
	assert_true(g.rest == 0);
	assert_int_equal(g.rated, 105000000);
	energy_free(&e);
}

static void nothing_measured_costs_nothing(void **state)
{
	struct owned_terms t = { .usd_kwh = DEC_ONE };
	struct energy e = { 0 };
	struct got g = { 0 };
	struct err err;

	energy_start(&e);
	energy_held(&e, &(struct attrib_entry){ .hour_ms = 0, .owner = 1, .ms = MS_HOUR });
	assert_int_equal(energy_post(&e, &t, post, rest, &g, &err), 0);
	assert_int_equal(g.n, 0);
	energy_free(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(splits_by_time_held),
					    cmocka_unit_test(nothing_measured_costs_nothing) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
