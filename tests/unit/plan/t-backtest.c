#include "base/random.h"
#include "unit/plan/hand.h"

static struct lever table[LEVER_N];
static int64_t second_half; /* part/1000 that is left after the cut in the second half */
static int64_t mid_ms;

/* A rule for all jobs together, so that its id is the same in both halves. */
static int one_rule(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	struct rec *r = rec_new(in, out, "schedule", "all");

	for (uint32_t i = 0; i < in->fleet->workload.n; i++) {
		struct rec_change *c = rec_change(in, r, i);
		c->after.cost_nano = hand_part(c->after.cost_nano,
					       in->fleet->since_ms >= mid_ms ? second_half : 500);
	}
	return 0;
}

/* Jobs of each day with some noise in what they cost. */
static void daily(struct fleet *f, int days, uint64_t seed)
{
	hand_window(f, days);
	for (int d = 0; d < days; d++)
		hand_workload(f, WORKLOAD_JOB, arena_printf(&f->mem, "j%d", d),
			      f->since_ms + d * MS_DAY, f->since_ms + d * MS_DAY + 12 * MS_HOUR, 4,
			      (int64_t)(90 + random_next(&seed) % 20) * NANO);
	mid_ms = f->since_ms + days / 2 * MS_DAY;
}

static void run(struct fleet *f, struct arena *mem, struct backtest *b)
{
	struct plan_opt o = hand_opt;
	struct plan_in in = hand_in(table, f, &o);
	struct err err;
	o.levers = LEVER_BIT(LEVER_SCHEDULE);
	o.draws = 400;
	if (plan_backtest(&in, mem, b, &err) < 0)
		fail_msg("%s", err.msg);
}

/* A rule that goes on saving is within its range in most fleets; one that stops saving is not. */
static void scores_the_second_half(void **state)
{
	int within = 0, within_changed = 0;
	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct fleet f;
		struct backtest b;
		struct arena mem = { 0 };
		daily(&f, 56, seed);
		second_half = 500;
		run(&f, &mem, &b);
		assert_int_equal(b.outcomes, 1);
		assert_string_equal(b.row.v[0].id, "schedule-all");
		assert_true(b.row.v[0].p05_month <= b.row.v[0].predicted_month &&
			    b.row.v[0].predicted_month <= b.row.v[0].p95_month);
		within += (int)b.within;
		vec_free(&b.row);
		second_half = 950;
		run(&f, &mem, &b);
		within_changed += (int)b.within;
		assert_true(b.realised_month < b.predicted_month / 2);
		vec_free(&b.row);
		arena_free(&mem);
		arena_free(&f.mem);
		hand_free(&f);
	}
	assert_true(within >= 25);
	assert_int_equal(within_changed, 0);
}

static void needs_two_days(void **state)
{
	struct fleet f;
	struct backtest b;
	struct arena mem = { 0 };
	struct err err;
	daily(&f, 1, 1);
	struct plan_in in = hand_in(table, &f, &hand_opt);
	assert_int_equal(plan_backtest(&in, &mem, &b, &err), -ENODATA);
	assert_has(err.msg, "too few");
	arena_free(&f.mem);
	hand_free(&f);
}

/* A habit that takes so many runs to propose: the second half has fewer, and is scored all the
 * same. */
static int habit_of_many(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	return (double)in->fleet->workload.n < in->conf->gates.gpu_runs ? 0
									: one_rule(in, out, err);
}

static void few_runs_are_scored(void **state)
{
	struct lever own[LEVER_N];
	struct plan_conf conf = hand_conf;
	struct plan_opt o = hand_opt;
	struct fleet f;
	struct backtest b;
	struct arena mem = { 0 };
	struct err err;
	hand_levers(own);
	own[LEVER_SCHEDULE].propose = habit_of_many;
	conf.gates.gpu_runs = 28;
	o.levers = LEVER_BIT(LEVER_SCHEDULE);
	o.draws = 400;
	second_half = 500;
	hand_window(&f, 56);
	mid_ms = f.since_ms + 28 * MS_DAY;
	for (int d = 0; d < 56; d += d < 28 ? 1 : 2) /* half as many, of twice the cost */
		hand_workload(&f, WORKLOAD_JOB, arena_printf(&f.mem, "j%d", d),
			      f.since_ms + d * MS_DAY, f.since_ms + d * MS_DAY + 12 * MS_HOUR, 4,
			      (d < 28 ? 100 : 200) * NANO);
	struct plan_in in = hand_in(own, &f, &o);
	in.conf = &conf;
	assert_int_equal(plan_backtest(&in, &mem, &b, &err), 0);
	assert_true(b.outcomes == 1 && b.within == 1);
	assert_true(b.realised_month > 0);
	vec_free(&b.row);
	arena_free(&mem);
	arena_free(&f.mem);
	hand_free(&f);
}

static int setup(void **state)
{
	hand_levers(table);
	table[LEVER_SCHEDULE].propose = one_rule;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(scores_the_second_half),
					    cmocka_unit_test(few_runs_are_scored),
					    cmocka_unit_test(needs_two_days) };
	return cmocka_run_group_tests(tests, setup, NULL);
}
