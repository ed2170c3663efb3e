#include "unit/base/test.h"
#include <errno.h>
#include <math.h>
#include "opt/spot/spot_job.h"

#define near(a, b, tol) assert_true(fabs((a) - (b)) <= (tol))

static struct spot_outcome run(const struct spot_job *j)
{
	struct spot_outcome o;
	struct err err;
	assert_int_equal(spot_job_run(j, 20000, 3, &o, &err), 0);
	return o;
}

/* The exact interval is where the exact mean time is least; the others are its series. */
static void interval_is_the_minimum(void **state)
{
	const double stall[] = { 1e-6, 1e-3, 0.02, 0.3, 2, 30 };
	for (size_t i = 0; i < sizeof stall / sizeof *stall; i++) {
		double m = 10, t = spot_interval_exact(stall[i], m),
		       at = spot_mean_time(100, t, stall[i], 0.1, m);
		assert_true(t > 0 && t <= m);
		assert_true(at <= spot_mean_time(100, t * 1.01, stall[i], 0.1, m));
		assert_true(at <= spot_mean_time(100, t * 0.99, stall[i], 0.1, m));
		assert_true(at <= spot_mean_time(100, spot_interval_young(stall[i], m), stall[i],
						 0.1, m) *
					  (1 + 1e-12));
		assert_true(at <=
			    spot_mean_time(100, spot_interval_daly(stall[i], m), stall[i], 0.1, m) *
				    (1 + 1e-12));
	}
	near(spot_interval_young(0.02, 10), sqrt(0.4), 1e-12);
	near(spot_interval_daly(0.02, 10) / spot_interval_exact(0.02, 10), 1, 1e-4);
	near(spot_interval_daly(30, 10), 10, 0);
	/* a notice that is long enough leaves only what comes without one */
	near(spot_interval_notice(0.02, 10, 0.033, 0.25), spot_interval_exact(0.02, 40), 1e-12);
	near(spot_interval_notice(0.02, 10, 0.02, 0.25), spot_interval_exact(0.02, 10), 1e-12);
	assert_true(isinf(spot_interval_notice(0.02, 10, 0.033, 0)));
	near(exp(-730 * spot_hazard_of_month(20)), 0.8, 1e-12);
	near(spot_hazard_of_month(0), 0, 0);
}

/* Replay against the closed form; work is a multiple of the interval, whose last checkpoint is not
 * made. */
static void agrees_with_the_closed_form(void **state)
{
	const struct spot_job j = { .work_h = 50,
				    .restart_h = 0.2,
				    .stall_h = 0.05,
				    .every_h = 1,
				    .deadline_h = INFINITY,
				    .hazard_h = 0.1,
				    .od_usd_h = 3,
				    .spot_usd_h = 1 };
	struct spot_outcome o = run(&j);
	/* e^{R/M}: also restarts are interrupted; the first start costs nothing here */
	double want = spot_mean_time(50, 1, 0.05, 0.2, 10);
	near(o.hours / want, 1, 0.01);
	near(o.usd, o.hours, 1e-9);
	near(o.finish_frac, 1, 1e-9);
	near(o.hours, 50 + o.lost_h + o.stall_h + o.restart_h, 1e-6);
}

/* Without checkpoints: (e^{W/M} - 1) M, and the restarts. */
static void from_zero_agrees_too(void **state)
{
	const struct spot_job j = {
		.work_h = 8, .deadline_h = INFINITY, .hazard_h = 0.1, .od_usd_h = 3, .spot_usd_h = 1
	};
	near(run(&j).hours / (10 * expm1(0.8)), 1, 0.02);
	near(run(&j).interruptions, expm1(0.8), 0.03);
}

/* With checkpoints it is in time whatever happens; without it tries while there is time. */
static void deadline_holds(void **state)
{
	for (int i = 0; i < 40; i++) {
		struct spot_job j = { .work_h = 2 + i,
				      .start_h = 0.05 * (i % 3),
				      .restart_h = 0.1 + 0.02 * i,
				      .stall_h = 0.01 * (i % 5),
				      .every_h = 0.3 + 0.1 * (i % 7),
				      .hazard_h = 0.02 * (1 + i % 10),
				      .od_usd_h = 3,
				      .spot_usd_h = 1 };
		j.deadline_h = j.start_h + j.work_h + j.restart_h + 0.02 * i * j.work_h;
		struct spot_outcome o = run(&j);
		near(o.finish_frac, 1, 1e-9);
		assert_true(o.usd_p05 <= o.usd_p50 && o.usd_p50 <= o.usd_p95);
		j.every_h = 0;
		j.deadline_h = j.work_h * 1.5 + 1;
		o = run(&j);
		assert_true(o.finish_frac > exp(-j.hazard_h * j.work_h) - 0.02);
		assert_true(o.usd <=
			    o.od_usd + j.spot_usd_h * j.deadline_h + j.od_usd_h * j.restart_h);
	}
}

/* No slack: on demand from the start, at its price. */
static void no_slack_is_on_demand(void **state)
{
	const struct spot_job j = { .work_h = 10,
				    .restart_h = 0.2,
				    .stall_h = 0.01,
				    .every_h = 1,
				    .deadline_h = 10,
				    .hazard_h = 0.1,
				    .od_usd_h = 3,
				    .spot_usd_h = 1 };
	struct spot_outcome o = run(&j);
	near(o.usd, o.od_usd, 1e-9);
	near(o.moved_frac, 1, 1e-9);
	near(o.finish_frac, 1, 1e-9);
}

static void more_interruptions_cost_more(void **state)
{
	double last = 0;
	for (int i = 0; i < 5; i++) {
		struct spot_job j = { .work_h = 40,
				      .restart_h = 0.2,
				      .stall_h = 0.01,
				      .every_h = 1,
				      .deadline_h = INFINITY,
				      .month_lo_pct = 5 + 15 * i,
				      .month_hi_pct = 20 + 15 * i,
				      .od_usd_h = 3,
				      .spot_usd_h = 1 };
		double usd = run(&j).usd;
		assert_true(usd > last);
		last = usd;
		j.machines = 8; /* stops when one of them goes */
		assert_true(run(&j).interruptions >
			    6 * run(&(struct spot_job){ .work_h = 40,
							.restart_h = 0.2,
							.every_h = 1,
							.deadline_h = INFINITY,
							.month_lo_pct = j.month_lo_pct,
							.month_hi_pct = j.month_hi_pct })
					    .interruptions);
	}
}

static void draws_are_of_the_seed(void **state)
{
	const struct spot_job j = { .work_h = 40,
				    .restart_h = 0.2,
				    .stall_h = 0.01,
				    .every_h = 1,
				    .deadline_h = 50,
				    .hazard_h = 0.1,
				    .od_usd_h = 3,
				    .spot_usd_h = 1,
				    .spot_lo_usd_h = 0.5,
				    .spot_hi_usd_h = 1.5 };
	struct spot_outcome a = run(&j), b = run(&j), c;
	struct err err;
	assert_memory_equal(&a, &b, sizeof a);
	assert_int_equal(spot_job_run(&j, 20000, 4, &c, &err), 0);
	assert_true(a.usd != c.usd);
	near(a.usd / c.usd, 1, 0.01);
}

static void interval_leaves_room_for_the_deadline(void **state)
{
	struct spot_job j = { .work_h = 8,
			      .restart_h = 0.2,
			      .stall_h = 0.005,
			      .deadline_h = INFINITY,
			      .month_lo_pct = 5,
			      .month_hi_pct = 10 };
	double free = spot_job_interval(&j);
	assert_true(free > 8); /* rarely interrupted: hardly ever */
	j.deadline_h = 10;
	near(spot_job_interval(&j), 1.8 / 4, 1e-9);
	j.month_lo_pct = j.month_hi_pct = 0;
	assert_true(isinf(spot_job_interval(&j)));
}

static void refuses_nonsense(void **state)
{
	const struct spot_job ok = {
		.work_h = 1, .deadline_h = 2, .hazard_h = 0.1, .od_usd_h = 3, .spot_usd_h = 1
	};
	struct spot_job bad[10];
	struct spot_outcome o;
	struct err err;
	for (int i = 0; i < 10; i++)
		bad[i] = ok;
	bad[0].work_h = NAN, bad[1].work_h = 0, bad[2].deadline_h = -1, bad[3].month_hi_pct = 100,
	bad[4].month_lo_pct = 5, bad[5].spot_usd_h = -1;
	bad[6].od_usd_h = INFINITY, bad[7].every_h = NAN, bad[8].notice_saved_frac = 1.1,
	bad[9].machines = -1;
	for (int i = 0; i < 10; i++)
		assert_int_equal(spot_job_run(&bad[i], 10, 1, &o, &err), -EINVAL);
	assert_int_equal(spot_job_run(&ok, 0, 1, &o, &err), -EINVAL);
	struct spot_job stuck = ok; /* interrupted every few seconds, for ever */
	stuck.hazard_h = 1000, stuck.deadline_h = INFINITY;
	assert_int_equal(spot_job_run(&stuck, 1, 1, &o, &err), 0);
	near(o.finish_frac, 0, 0);
}

/* Places: one that is never away is what no places are; two of a kind are as one that has machines
 * at once; one alone waits. */
static void goes_on_elsewhere(void **state)
{
	const struct spot_job one = { .work_h = 40,
				      .restart_h = 0.2,
				      .stall_h = 0.01,
				      .every_h = 1,
				      .deadline_h = INFINITY,
				      .hazard_h = 0.1,
				      .od_usd_h = 3,
				      .spot_usd_h = 1 };
	const struct spot_place two[] = { { .hazard_h = 0.1, .spot_usd_h = 1 },
					  { .hazard_h = 0.1, .spot_usd_h = 1 } };
	struct spot_job j = one;
	struct spot_outcome a = run(&one), b;

	j.place = two;
	j.nplace = 1;
	b = run(&j);
	assert_true(a.usd == b.usd && a.hours == b.hours && b.waited_h == 0 &&
		    a.spot_h[0] == b.spot_h[0]);
	j.nplace = 2;
	b = run(&j);
	assert_true(a.usd == b.usd && b.spot_h[1] == 0); /* the first is back at once */
	j.away_h = 1e-6;
	b = run(&j);
	assert_true(fabs(a.usd - b.usd) < 1e-6 && b.spot_h[1] > 10 &&
		    fabs(b.spot_h[0] + b.spot_h[1] - a.spot_h[0]) < 1e-6);
	j.nplace = 1;
	j.away_h = 5;
	b = run(&j);
	assert_true(fabs(a.usd - b.usd) < 1e-6 && fabs(b.waited_h - 5 * b.interruptions) < 1e-6 &&
		    fabs(b.hours - a.hours - b.waited_h) < 1e-6);
	j.deadline_h = 50;
	b = run(&j);
	assert_true(b.finish_frac > 1 - 1e-9 && b.moved_frac > 0.1 && b.hours_p95 <= 50 + 1e-9);
	j.every_h = 0;
	b = run(&j);
	assert_true(b.finish_frac < 0.99 && b.usd > a.usd);
	j.nplace = SPOT_MAX_PLACES + 1;
	assert_int_equal(spot_job_run(&j, 10, 1, &b, &(struct err){ 0 }), -EINVAL);
}

/* Work is bounded: few runs where none is ever done, fewer than asked for where each is very long;
 * the means are of those. */
static void hopeless_and_endless_runs_end(void **state)
{
	struct spot_job j = { .work_h = 1e6,
			      .restart_h = 0.2,
			      .stall_h = 0.005,
			      .every_h = 0.01,
			      .deadline_h = INFINITY,
			      .hazard_h = 60,
			      .od_usd_h = 3,
			      .spot_usd_h = 1 };
	struct spot_outcome o = run(&j);
	near(o.stuck_frac, 1, 1e-9);
	near(o.finish_frac, 0, 0);
	near(o.interruptions, SPOT_MAX_INTERRUPTIONS, 1e-3);
	assert_int_equal(o.runs, 20);
	j.hazard_h = 0.05;
	j.every_h = 1;
	o = run(&j);
	assert_in_range(o.runs, 100, 1000);
	near(o.stuck_frac, 0, 0);
	near(o.finish_frac, 1, 1e-9);
	near(o.hours / spot_mean_time(1e6, 1, 0.005, 0.2, 20), 1, 0.01);
	near(o.usd, o.hours, 1e-3);
	j.work_h = 10;
	assert_int_equal(run(&j).runs, 20000);
}

/* A cheap place that is taken often and an expensive one that stays: the expensive one is worth
 * falling back on, not starting in. */
static void order_counts(void **state)
{
	const struct spot_place places[] = { { .hazard_h = 1 / 6.0, .spot_usd_h = 0.9 },
					     { .hazard_h = 1 / 100.0, .spot_usd_h = 2.5 } };
	const struct spot_place back[] = { places[1], places[0] };
	struct spot_job j = { .work_h = 20,
			      .restart_h = 0.2,
			      .stall_h = 0.01,
			      .every_h = 0.5,
			      .deadline_h = 30,
			      .od_usd_h = 3,
			      .place = places,
			      .nplace = 2,
			      .away_h = 3 };
	struct spot_outcome cheap_first = run(&j), expensive_first;

	j.place = back;
	expensive_first = run(&j);
	assert_true(cheap_first.usd < expensive_first.usd);
	assert_true(cheap_first.finish_frac > 1 - 1e-9 && expensive_first.finish_frac > 1 - 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interval_is_the_minimum),
		cmocka_unit_test(agrees_with_the_closed_form),
		cmocka_unit_test(from_zero_agrees_too),
		cmocka_unit_test(deadline_holds),
		cmocka_unit_test(no_slack_is_on_demand),
		cmocka_unit_test(more_interruptions_cost_more),
		cmocka_unit_test(draws_are_of_the_seed),
		cmocka_unit_test(interval_leaves_room_for_the_deadline),
		cmocka_unit_test(goes_on_elsewhere),
		cmocka_unit_test(order_counts),
		cmocka_unit_test(hopeless_and_endless_runs_end),
		cmocka_unit_test(refuses_nonsense),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
