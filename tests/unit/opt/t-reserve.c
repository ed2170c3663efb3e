/* opt/reserve, opt/own: the seeds' numbers to the cent, break-even points, wrong input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <errno.h>
#include <math.h>
#include <cmocka.h>
#include "opt/commit/own.h"
#include "opt/commit/reserve.h"

static dec money(const char *z)
{
	dec v = 0;
	assert_int_equal(dec_parse(sv_of(z), 0, &v), 0);
	return v;
}

static void is_money(dec got, const char *want)
{
	char buf[DEC_BUF];
	assert_string_equal(dec_format(buf, got), want);
}

static void close_to(double got, double want, double within)
{
	if (!(fabs(got - want) <= within))
		fail_msg("%.9f is not %.9f", got, want);
}

static struct reserve_result compare(const struct reserve_ask *a, int months, const char *upfront,
				     const char *hour)
{
	struct reserve_offer o = { "x", months, money(upfront), money(hour) };
	struct reserve_result r;
	struct err err = { 0 };
	assert_int_equal(reserve_compare(a, &o, &r, &err), 0);
	return r;
}

static void seeds_vector(void **state)
{
	struct reserve_ask a = { .on_demand_hour = money("3.06"),
				 .machines = 8,
				 .hours_month = money("720") };
	struct reserve_result one = compare(&a, 12, "0", "1.82"),
			      three = compare(&a, 36, "0", "1.31");
	is_money(one.od_month, "17625.6");
	is_money(one.od_year, "211507.2");
	is_money(one.total, "125798.4");
	is_money(one.saving_term, "85708.8");
	close_to(one.saving_frac, 0.405, 0.0005);
	is_money(three.annual, "90547.2");
	close_to(three.saving_frac, 0.572, 0.0005);
	close_to(one.break_even_hours_month, 720 * 1.82 / 3.06, 1e-9);
	close_to(one.break_even_months, 0, 0);
}

static void upfront_and_idle(void **state)
{
	struct reserve_ask a = { .on_demand_hour = money("2"),
				 .machines = 1,
				 .hours_month = money("365"),
				 .paid_hours_month = money("730"),
				 .wacc_frac = 0.1 };
	struct reserve_result r = compare(&a, 12, "1200", "0.5");
	is_money(r.od_month, "730");
	is_money(r.month, "365");
	is_money(r.total, "5580"); /* 1,200 + 12 x 365 */
	close_to(r.break_even_months, 1200.0 / 365, 1e-9);
	close_to(r.break_even_hours_month, 465.0 / 2, 1e-9);
	is_money(r.upfront_cost, "60"); /* half of 1,200 on the mean, a year at 10 % */
	r = compare(&a, 12, "9000", "0");
	assert_true(r.saving_term < 0 && r.saving_frac < 0);
	r = compare(&a, 12, "100", "1");
	/* each month costs as much as on demand: the upfront money never comes back */
	assert_true(isinf(r.break_even_months));
}

static void reserve_wrong(void **state)
{
	struct reserve_ask fine = { .on_demand_hour = money("2"),
				    .machines = 1,
				    .hours_month = money("720") };
	struct reserve_offer o = { "x", 12, 0, money("1") };
	struct reserve_result r;
	struct err err;
	struct reserve_ask a[6] = { fine, fine, fine, fine, fine, fine };
	a[0].on_demand_hour = 0;
	a[1].machines = 0;
	a[2].hours_month = money("745");
	a[3].paid_hours_month = money("700"); /* fewer charged than used */
	a[4].wacc_frac = NAN;
	a[5].machines = 2000000;
	for (int i = 0; i < 6; i++)
		assert_int_equal(reserve_compare(&a[i], &o, &r, &err), -EINVAL);
	assert_int_equal(
		reserve_compare(&fine, &(struct reserve_offer){ "x", 0, 0, money("1") }, &r, &err),
		-EINVAL);
	assert_int_equal(reserve_compare(&fine, &(struct reserve_offer){ "x", 12, 0, 0 }, &r, &err),
			 -EINVAL);
	assert_int_equal(
		reserve_compare(&fine, &(struct reserve_offer){ "x", 12, money("-1"), money("1") },
				&r, &err),
		-EINVAL);
}

static struct own_ask gpu(void)
{
	return (struct own_ask){ .purchase = money("30000"),
				 .residual = money("3000"),
				 .years = 3,
				 .power_w = 1000,
				 .idle_power_w = 0,
				 .pue = 1.5,
				 .usd_kwh = money("0.1"),
				 .staff_space_month = money("100"),
				 .cloud_hour = money("3"),
				 .util_frac = 0.5 };
}

static void own_by_hand(void **state)
{
	struct own_ask a = gpu();
	struct own_result r;
	struct err err = { 0 };
	assert_int_equal(own_compare(&a, &r, &err), 0);
	close_to(r.fixed_month, 27000.0 / 36 + 100, 1e-9);
	close_to(r.use_hour, 0.15, 1e-12);
	close_to(r.break_even_hours_month, 850 / 2.85, 1e-9);
	close_to(r.own_month, 850 + 365 * 0.15, 1e-9);
	close_to(r.rent_month, 1095, 1e-9);
	close_to(r.payback_months, 30000 / (1095 - 100 - 365 * 0.15), 1e-9);
	a.util_frac = r.break_even_util_frac; /* there both cost the same */
	assert_int_equal(own_compare(&a, &r, &err), 0);
	close_to(r.saving_month, 0, 1e-9);
	a.wacc_frac = 0.12;
	a.util_frac = NAN;
	assert_int_equal(own_compare(&a, &r, &err), 0);
	close_to(r.fixed_month, 850 + 0.01 * 16500, 1e-9);
	assert_true(isnan(r.own_month) && isnan(r.payback_months));
}

static void own_never(void **state)
{
	struct own_ask a = gpu();
	struct own_result r;
	struct err err = { 0 };
	a.cloud_hour = money("0.1"); /* less than the power alone */
	assert_int_equal(own_compare(&a, &r, &err), 0);
	assert_true(isinf(r.break_even_util_frac) && isinf(r.payback_months) && r.saving_month < 0);
	a.cloud_hour = money("0.5");
	assert_int_equal(own_compare(&a, &r, &err), 0);
	assert_true(r.break_even_util_frac > 1);
}

static void own_wrong(void **state)
{
	struct own_result r;
	struct err err;
	struct own_ask a[8];
	for (int i = 0; i < 8; i++)
		a[i] = gpu();
	a[0].purchase = 0;
	a[1].residual = money("30001");
	a[2].years = 0;
	a[3].pue = 0.9;
	a[4].idle_power_w = 2000;
	a[5].cloud_hour = 0;
	a[6].util_frac = 1.1;
	a[7].power_w = NAN;
	for (int i = 0; i < 8; i++)
		assert_int_equal(own_compare(&a[i], &r, &err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seeds_vector),  cmocka_unit_test(upfront_and_idle),
		cmocka_unit_test(reserve_wrong), cmocka_unit_test(own_by_hand),
		cmocka_unit_test(own_never),     cmocka_unit_test(own_wrong)
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
