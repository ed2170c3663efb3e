/* Policies for spot machines on small histories: exact costs, and how they stand to the bound. */
#include "asked.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "answer/simulate/simulate_spot_zones.h"

static const int64_t deadline_ms[] = { H(7) }, restart_ms[] = { H(1.0 / 3) };

static struct simulate_spot_ask ask(void)
{
	return (struct simulate_spot_ask){ .ask = { .mem = &asked.mem },
					   .scenarios = asked_path("m.csv"),
					   .want = { [SPOT_POLICY_GREEDY] = true,
						     [SPOT_POLICY_ON_DEMAND] = true,
						     [SPOT_POLICY_OFFLINE] = true },
					   .work_ms = H(3),
					   .od_usd_h = D("4"),
					   .spot_usd_h = D("1"),
					   .deadline_ms = deadline_ms,
					   .ndeadline = 1,
					   .restart_ms = restart_ms,
					   .nrestart = 1 };
}

static void one_market(void **state)
{
	struct simulate_spot_ask q = ask();
	struct simulate_spot a;
	struct err err = { 0 };

	(void)state;
	write_text("m.csv", "env,gap_seconds,preempted_bits\na,3600,00110000\n");
	fine(answer_simulate_spot(&q, &a, &err), &err);
	assert_true(a.n == 3 && a.ncell == 1 && !a.has_halves);
	assert_string_equal(a.score[1].policy, "on_demand");
	assert_true(a.score[0].all.mean_usd == D("4") && a.score[1].all.mean_usd == D("16"));
	assert_true(a.score[1].by[0].mean_usd == D("16"));
	assert_true(a.score[0].all.interruptions == 1 && a.score[0].all.late == 0);
	assert_true(a.score[1].above_bound_frac == 3 && isnan(a.score[1].above_uniform_frac));
	assert_true(a.score[2].is_bound && a.score[2].above_bound_frac == 0);

	q.want[SPOT_POLICY_TARE] = true; /* no market with such ticks is shipped */
	assert_int_equal(answer_simulate_spot(&q, &a, &err), -ENODATA);
	q.nrestart = 0; /* the file does not say either */
	assert_int_equal(answer_simulate_spot(&q, &a, &err), -EINVAL);
	q.scenarios = asked_path("gone.csv");
	assert_int_equal(answer_simulate_spot(&q, &a, &err), -ENOENT);
}

/* Markets alternate in the file and so do restarts: plans are made for each pair once, and the
 * numbers are those of every history replayed alone. */
static void plans_are_made_once(void **state)
{
	static const int64_t restarts[] = { H(1.0 / 3), H(1) };
	struct simulate_spot_ask q = ask();
	struct simulate_spot a, alone;
	struct err err = { 0 };
	int64_t spot_ms = 0, od_ms = 0;
	const char *line[] = { "a,3600,00110000", "b,3600,01010101", "a,3600,11110000",
			       "b,3600,00000001" };
	struct str all = { 0 };

	(void)state;
	write_text("known.csv", "env,gap_seconds,preempted_bits\na,3600,0001110010011100\n"
				"b,3600,0110011000011110\nc,3600,0000011100000001\n");
	q.history = asked_path("known.csv");
	q.restart_ms = restarts;
	q.nrestart = 2;
	memset(q.want, 0, sizeof q.want);
	q.want[SPOT_POLICY_TARE] = true;
	str_addz(&all, "env,gap_seconds,preempted_bits\n");
	for (size_t i = 0; i < 4; i++) {
		struct str one = { 0 };
		str_addf(&one, "env,gap_seconds,preempted_bits\n%s\n", line[i]);
		str_addf(&all, "%s\n", line[i]);
		write_text("m.csv", str_z(&one));
		fine(answer_simulate_spot(&q, &alone, &err), &err);
		assert_int_equal(alone.planned, 2);
		spot_ms += alone.score[0].all.spot_ms;
		od_ms += alone.score[0].all.od_ms;
		str_free(&one);
	}
	write_text("m.csv", str_z(&all));
	str_free(&all);
	fine(answer_simulate_spot(&q, &a, &err), &err);
	assert_int_equal(a.planned, 4); /* 2 markets x 2 restarts, of 8 histories */
	assert_true(a.score[0].all.spot_ms == spot_ms && a.score[0].all.od_ms == od_ms);
	assert_true(a.ncell == 2 && a.cell[0].restart_ms == restarts[0]);
}

/* Against the policy uniform: only what was run is compared, and only where uniform was run too. */
static void only_what_was_run_is_compared(void **state)
{
	struct simulate_spot_ask q = ask();
	struct simulate_spot a;
	struct err err = { 0 };

	(void)state;
	write_text("m.csv", "env,gap_seconds,preempted_bits\na,3600,00110000\n");
	fine(answer_simulate_spot(&q, &a, &err), &err);
	for (size_t i = 0; i < a.n; i++)
		assert_true(isnan(a.score[i].costlier_frac) &&
			    isnan(a.score[i].worst_above_uniform_frac));
	memset(q.want, 0, sizeof q.want);
	q.want[SPOT_POLICY_UNIFORM] = q.want[SPOT_POLICY_ON_DEMAND] = true;
	fine(answer_simulate_spot(&q, &a, &err), &err);
	assert_int_equal(a.n, 2);
	for (size_t i = 0; i < a.n; i++) {
		double above = a.score[i].above_uniform_frac;
		/* one run: its worst is its mean */
		assert_true(fabs(a.score[i].worst_above_uniform_frac - above) < 1e-9);
		assert_true(a.score[i].costlier_frac == (above > 1e-9));
	}
}

static void several_zones(void **state)
{
	const char *name[] = { "east", "west" };
	struct simulate_zones_ask q = {
		.ask = { .mem = &asked.mem },
		.want = { [SPOT_POLICY_GREEDY] = true, [SPOT_POLICY_OFFLINE] = true },
		.task = { .work_ms = H(3),
			  .deadline_ms = deadline_ms[0],
			  .overhead_ms = restart_ms[0],
			  .od_usd_h = 4 },
		.text = "all",
		.name = name,
		.nname = 2,
	};
	struct simulate_zones a;
	struct err err = { 0 };

	(void)state;
	write_text("z.csv", "env,gap_seconds,preempted_bits,window,spot_price_rle_usd_hour\n"
			    "east-1a,3600,00001111,0,1x8\nwest-1b,3600,00000000,0,2x8\n");
	q.scenarios = asked_path("z.csv");
	fine(answer_simulate_zones(&q, &a, &err), &err);
	assert_true(a.n == 2 && a.nzone == 2 && a.score[0].all.n == 1);
	assert_string_equal(a.zone[1], "west-1b");
	assert_true(a.score[0].all.mean_usd == 4 && a.score[0].all.moves == 0);
	assert_true(a.score[1].is_bound && a.score[0].above_bound_frac == 0);
	name[1] = "north";
	assert_int_equal(answer_simulate_zones(&q, &a, &err), -EINVAL);
}

static int tear_down(void **state)
{
	arena_free(&asked.mem);
	return remove_dir(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_market),
		cmocka_unit_test(plans_are_made_once),
		cmocka_unit_test(only_what_was_run_is_compared),
		cmocka_unit_test(several_zones),
	};
	return cmocka_run_group_tests(tests, fresh_dir, tear_down);
}
