#include "unit/plan/hand.h"
#include "plan/target.h"

/* Five jobs of $100 each: what is done to one has its own risk, work and time. */
static const struct {
	const char *name;
	int64_t saves;
	enum risk risk;
	double effort, within;
	const char *team;
} five[] = {
	{ "a", 20, RISK_LOW, 1, 2, "red" },     { "b", 30, RISK_LOW, 5, 5, "red" },
	{ "c", 40, RISK_MEDIUM, 1, 3, "blue" }, { "d", 90, RISK_HIGH, 1, 1, "blue" },
	{ "e", 25, RISK_LOW, 1, 30, "green" },
};

static int propose(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	for (uint32_t i = 0; i < COUNT(five); i++) {
		struct rec *r = hand_cut(in, out, "schedule", i, 1000 - five[i].saves * 10);
		r->risk = five[i].risk;
		r->effort_days = five[i].effort;
		r->within_days = five[i].within;
		r->team = five[i].team;
	}
	return 0;
}

static struct lever table[LEVER_N];
static struct fleet fleet;

static int setup(void **state)
{
	hand_levers(table);
	table[LEVER_SCHEDULE].propose = propose;
	hand_window(&fleet, 28);
	for (size_t i = 0; i < COUNT(five); i++)
		hand_work(&fleet, WORK_SERVICE, five[i].name, fleet.since_ms, fleet.until_ms, 1,
			  100 * NANO);
	return 0;
}

static int teardown(void **state)
{
	hand_free(&fleet);
	return 0;
}

static void look(double frac, double days, enum risk max_risk, struct plan *p, struct target *t)
{
	struct plan_opt o = hand_opt;
	struct err err;
	o.levers = LEVER_BIT(LEVER_SCHEDULE);
	o.max_risk = max_risk;
	if (plan_target_with(table, &fleet, NULL, &hand_conf, &o, fleet.until_ms, frac, days, p, t,
			     &err) < 0)
		fail_msg("%s", err.msg);
}

static bool has(const struct plan *p, const char *id)
{
	for (size_t i = 0; i < p->rec.v.n; i++)
		if (!strcmp(p->rec.v.v[i]->id, id))
			return true;
	return false;
}

static void least_risk_then_least_work(void **state)
{
	struct plan p;
	struct target t;
	/* 4 % of 500 = 20: a, e and b could; a and e are a day's work, e comes too late: a */
	look(0.04, 21, RISK_HIGH, &p, &t);
	assert_true(t.reached && t.exact);
	assert_int_equal(p.rec.v.n, 1);
	assert_true(has(&p, "schedule-a"));
	assert_true(fabs(t.saved_frac - 0.04) < 1e-12 && t.last_day == 2);
	target_free(&t), plan_free(&p);
	/* 10 % = 50: low risk alone does it with a and b, one after the other: in force on day 6 */
	look(0.10, 21, RISK_HIGH, &p, &t);
	assert_true(t.reached && has(&p, "schedule-a") && has(&p, "schedule-b") && p.rec.v.n == 2);
	assert_true(t.last_day >= 6 && t.last_day <= 7);
	target_free(&t), plan_free(&p);
	/* within five days there is no time for both: c of medium risk and a */
	look(0.10, 5, RISK_HIGH, &p, &t);
	assert_true(t.reached && has(&p, "schedule-c") && p.rec.v.n == 2);
	target_free(&t), plan_free(&p);
	/* 25 % = 125: low and medium give 90 in time, so one of high risk: d; the least work beside
	 * it */
	look(0.25, 21, RISK_HIGH, &p, &t);
	assert_true(t.reached && has(&p, "schedule-d"));
	assert_true(p.after_nano <= 375 * NANO);
	target_free(&t), plan_free(&p);
}

static void says_how_far_it_gets(void **state)
{
	struct plan p;
	struct target t;
	look(0.5, 21, RISK_MEDIUM, &p, &t);
	assert_false(t.reached);
	assert_true(fabs(t.saved_frac - 0.18) < 1e-12); /* a b c */
	assert_true(fabs(t.most_frac - 0.23) < 1e-12);  /* and e, later */
	assert_has(p.note.v[p.note.n - 1], "out of reach");
	target_free(&t), plan_free(&p);
	struct err err;
	assert_int_equal(plan_target_with(table, &fleet, NULL, &hand_conf, &hand_opt,
					  fleet.until_ms, 0, 5, &p, &t, &err),
			 -EINVAL);
	assert_int_equal(plan_target_with(table, &fleet, NULL, &hand_conf, &hand_opt,
					  fleet.until_ms, 0.4, NAN, &p, &t, &err),
			 -EINVAL);
}

/* The savings of the chosen are their own, not those of the full list: spot needs checkpoints, and
 * both are worth more without the trimming before. */
static void marginals_are_those_of_the_set(void **state)
{
	struct lever real[LEVER_N];
	struct fleet f;
	struct plan p;
	struct target t;
	struct err err;
	hand_levers(real);
	for (uint64_t seed = 1; seed < 12; seed++) {
		hand_random(&f, seed);
		for (int pct = 10; pct <= 70; pct += 30) {
			assert_int_equal(plan_target_with(real, &f, NULL, &hand_conf, &hand_opt,
							  f.until_ms, pct / 100.0, 21, &p, &t,
							  &err),
					 0);
			int64_t sum = 0;
			for (size_t i = 0; i < p.rec.v.n; i++)
				sum += p.rec.v.v[i]->saving_nano;
			assert_true(sum == p.baseline_nano - p.after_nano);
			if (t.reached)
				assert_true((double)p.after_nano <=
					    (double)p.baseline_nano * (1 - pct / 100.0) + 1);
			assert_true(t.step.n == p.rec.v.n);
			for (size_t i = 1; i < t.step.n; i++)
				assert_true(t.step.v[i - 1].start_day <= t.step.v[i].start_day);
			target_free(&t), plan_free(&p);
		}
		hand_free(&f);
	}
}

/* A commitment is not bought for what sharing would give back: whoever takes it takes the sharing
 * too. */
static void commits_only_to_what_is_left(void **state)
{
	struct lever real[LEVER_N];
	struct fleet f;
	struct plan p;
	struct target t;
	struct err err;
	struct plan_opt o = hand_opt;
	hand_levers(real);
	o.levers = LEVER_BIT(LEVER_SHARE) | LEVER_BIT(LEVER_COMMIT);
	hand_window(&f, 28);
	hand_work(&f, WORK_SERVICE, "web", f.since_ms, f.until_ms, 4, 1000 * NANO);
	assert_int_equal(
		plan_target_with(real, &f, NULL, &hand_conf, &o, f.until_ms, 0.3, 21, &p, &t, &err),
		0);
	assert_true(t.reached && has(&p, "share-web")); /* commit alone would do, at less risk */
	target_free(&t), plan_free(&p);
	assert_int_equal(plan_target_with(real, &f, NULL, &hand_conf, &o, f.until_ms, 0.69, 21, &p,
					  &t, &err),
			 0);
	assert_true(t.reached && p.rec.v.n == 2 && has(&p, "commit-all"));
	assert_string_equal(p.rec.v.v[1]->depends_on.v[0], "share-web");
	target_free(&t), plan_free(&p);
	hand_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(least_risk_then_least_work),
		cmocka_unit_test(says_how_far_it_gets),
		cmocka_unit_test(marginals_are_those_of_the_set),
		cmocka_unit_test(commits_only_to_what_is_left),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
