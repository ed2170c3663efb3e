#include "unit/plan/hand.h"
#include "plan/replay/target.h"

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
		hand_workload(&fleet, WORKLOAD_SERVICE, five[i].name, fleet.since_ms,
			      fleet.until_ms, 1, 100 * NANO);
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
	struct plan_in in = hand_in(table, &fleet, &o);
	in.within_days = days;
	if (plan_target(&in, frac, p, t, &err) < 0)
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
	struct plan_in in = hand_in(table, &fleet, &hand_opt);
	in.within_days = 5;
	assert_int_equal(plan_target(&in, 0, &p, &t, &err), -EINVAL);
	in.within_days = NAN;
	assert_int_equal(plan_target(&in, 0.4, &p, &t, &err), -EINVAL);
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
			struct plan_in in = hand_in(real, &f, &hand_opt);
			in.within_days = 21;
			assert_int_equal(plan_target(&in, pct / 100.0, &p, &t, &err), 0);
			int64_t sum = 0;
			for (size_t i = 0; i < p.rec.v.n; i++)
				sum += p.rec.v.v[i]->saving_nano;
			assert_true(sum == p.baseline_nano - p.after_nano);
			if (t.reached)
				assert_true(p.saving_frac_p05 >= pct / 100.0 - 1e-9 &&
					    t.chance >= 0.95);
			assert_true(t.nstep == p.rec.v.n);
			for (size_t i = 1; i < t.nstep; i++)
				assert_true(t.step[i - 1].start_day <= t.step[i].start_day);
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
	hand_workload(&f, WORKLOAD_SERVICE, "web", f.since_ms, f.until_ms, 4, 1000 * NANO);
	struct plan_in in = hand_in(real, &f, &o);
	in.within_days = 21;
	assert_int_equal(plan_target(&in, 0.3, &p, &t, &err), 0);
	assert_true(t.reached && has(&p, "share-web")); /* commit alone would do, at less risk */
	target_free(&t), plan_free(&p);
	assert_int_equal(plan_target(&in, 0.69, &p, &t, &err), 0);
	assert_true(t.reached && p.rec.v.n == 2 && has(&p, "commit-all"));
	assert_string_equal(p.rec.v.v[1]->depends_on.v[0], "share-web");
	target_free(&t), plan_free(&p);
	hand_free(&f);
}

/* ---- what binds, and how sure it is ------------------------------------------------------- */

/* Two machines nobody has held, a trial, a commitment for a year, which alone would do. */
static int tiers_propose(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	static const struct {
		int64_t saves;
		enum tier tier;
		int64_t bound;
	} item[] = { { 12, TIER_SURE, 0 },
		     { 12, TIER_SURE, 0 },
		     { 45, TIER_TRIAL, 0 },
		     { 60, TIER_BINDS, 900 * NANO },
		     { 61, TIER_BINDS, 950 * NANO } };

	for (uint32_t i = 0; i < COUNT(item); i++) {
		struct rec *r = hand_cut(in, out, "schedule", i, 1000 - item[i].saves * 10);
		r->tier = item[i].tier;
		r->bound_nano = item[i].bound;
		r->effort_days = 1;
		r->within_days = 2;
	}
	return 0;
}

static void ask_tiers(double frac, struct plan *p, struct target *t)
{
	struct lever own[LEVER_N];
	struct plan_opt o = hand_opt;
	struct err err;
	hand_levers(own);
	own[LEVER_SCHEDULE].propose = tiers_propose;
	o.levers = LEVER_BIT(LEVER_SCHEDULE);
	struct plan_in in = hand_in(own, &fleet, &o);
	in.within_days = 60;
	assert_int_equal(plan_target(&in, frac, p, t, &err), 0);
}

static void what_binds_comes_last(void **state)
{
	struct plan p;
	struct target t;
	ask_tiers(0.045, &p, &t); /* 22.5 of 500: both machines, though one commitment gives 60 */
	assert_true(t.reached && p.rec.v.n == 2 && p.rec.v.v[0]->tier == TIER_SURE &&
		    p.rec.v.v[1]->tier == TIER_SURE);
	target_free(&t), plan_free(&p);
	ask_tiers(0.10, &p, &t); /* 50: with the trial */
	assert_true(t.reached && p.rec.v.n == 2 && p.rec.v.v[1]->tier == TIER_TRIAL);
	target_free(&t), plan_free(&p);
	ask_tiers(0.14, &p, &t); /* 70: one that binds, and of the two the one that binds less */
	assert_true(t.reached && p.rec.v.n == 2 && p.rec.v.v[1]->bound_nano == 900 * NANO);
	assert_true(p.rec.v.v[0]->tier == TIER_SURE); /* 72: no trial where what is sure will do */
	target_free(&t), plan_free(&p);
}

/* It saves 30 in the middle and 10 to 50 in nine of ten draws. */
static int unsure_propose(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	struct rec *r = hand_cut(in, out, "schedule", 0, 700);
	r->change.v[0].lo_nano = 50 * NANO;
	r->change.v[0].hi_nano = 90 * NANO;
	r = hand_cut(in, out, "schedule", 1, 900);
	r->effort_days = 1;
	return 0;
}

static void at_the_low_end_of_all_together(void **state)
{
	struct lever own[LEVER_N];
	struct plan_opt o = hand_opt;
	struct plan p;
	struct target t;
	struct err err;
	hand_levers(own);
	own[LEVER_SCHEDULE].propose = unsure_propose;
	o.levers = LEVER_BIT(LEVER_SCHEDULE);
	o.draws = 400;
	/* 15 of 500: the first saves 30 in the middle, and less than 15 in one draw of nine */
	struct plan_in in = hand_in(own, &fleet, &o);
	in.within_days = 60;
	assert_int_equal(plan_target(&in, 0.03, &p, &t, &err), 0);
	assert_true(t.reached && p.rec.v.n == 2 && t.chance >= 0.95);
	assert_true(p.saving_frac_p05 >= 0.03 && p.saving_frac_p05 < 0.05);
	/* what if: of the headline, which is the median and not the point on the history */
	for (size_t i = 0; i < p.sensitivity.n; i++) {
		const struct plan_case *k = &p.sensitivity.v[i];
		double part = 1 - (double)k->after_nano / (double)k->baseline_nano;
		assert_true(fabs(part - p.saving_frac) < 1e-6);
	}
	assert_true(p.sensitivity.n == 6 &&
		    fabs(1 - (double)p.after_nano / (double)p.baseline_nano - p.saving_frac) >
			    1e-4);
	target_free(&t), plan_free(&p);
	/* 40: the middle of both, which is even odds */
	assert_int_equal(plan_target(&in, 0.08, &p, &t, &err), 0);
	assert_true(!t.reached && p.rec.v.n == 2 && t.chance > 0.4 && t.chance < 0.6);
	assert_has(p.note.v[p.note.n - 1], "probability");
	target_free(&t), plan_free(&p);
}

/* ---- weeks ------------------------------------------------------------------------------- */

static void weeks_end_where_the_headline_does(void **state)
{
	struct plan p;
	struct target t;
	struct plan_week week[PLAN_WEEKS];
	look(0.10, 21, RISK_HIGH, &p, &t);
	plan_weeks(&p, 1000, week);
	/* b, which saves more, first: five days of work, then it saves; a begins then, its work is
	 * done on day 6, and it is in force evenly from then to day 7 */
	double day = 100.0 / 28; /* a cost of 100 over the window */
	double first = day * (0.2 * (7 - 6.5) + 0.3 * (7 - 5));
	assert_true(fabs(dec_to_double(week[0].saved) - first) < 1e-3);
	assert_true(week[0].work == 6 * 1000 * DEC_ONE);
	double last = day * (0.2 * (364 - 6.5) + 0.3 * (364 - 5));
	assert_true(fabs(dec_to_double(week[51].saved) - last) < 1e-3);
	assert_true(week[51].work == week[0].work && week[0].has_work);
	double month = dec_to_double(week[51].saved - week[50].saved) / 7 * 730 / 24;
	assert_true(fabs(month - dec_to_double(p.baseline_month - p.after_month)) < 1e-2);
	for (int i = 0; i < PLAN_WEEKS; i++)
		assert_true(week[i].week == i + 1 && week[i].p05 <= week[i].saved &&
			    week[i].saved <= week[i].p95);
	/* a month is 730 h: whole months are apart by what the headline says */
	struct plan_week end[PLAN_MONTHS];
	plan_months(&p, 1000, end);
	assert_true(fabs(dec_to_double(end[1].saved - end[0].saved) - month) < 1e-2);
	assert_true(fabs(dec_to_double(end[11].saved) -
			 day * (0.2 * (365 - 6.5) + 0.3 * (365 - 5))) < 1e-2);
	assert_true(end[11].week == 12 && end[0].work == week[0].work);
	plan_weeks(&p, NAN, week); /* no exchange rate of the dollar */
	assert_true(!week[0].has_work && !week[51].has_work);
	target_free(&t), plan_free(&p);
}

/* More items than a word has bits, and all of them have a day. */
static int many_propose(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	for (uint32_t i = 0; i < in->fleet->workload.n; i++) {
		struct rec *r = hand_cut(in, out, "schedule", i, 500);
		r->effort_days = r->within_days = 1;
		r->team = i % 2 ? "red" : "blue";
	}
	return 0;
}

static void a_calendar_without_a_target(void **state)
{
	struct lever own[LEVER_N];
	struct plan_opt o = hand_opt;
	struct fleet f;
	struct plan p;
	struct plan_date at[100];
	struct err err;
	hand_window(&f, 28);
	for (int i = 0; i < 100; i++)
		hand_workload(&f, WORKLOAD_SERVICE, arena_printf(&f.mem, "s%d", i), f.since_ms,
			      f.until_ms, 1, (1000 - i) * NANO);
	hand_levers(own);
	own[LEVER_SCHEDULE].propose = many_propose;
	o.levers = LEVER_BIT(LEVER_SCHEDULE);
	struct plan_in in = hand_in(own, &f, &o);
	assert_int_equal(plan_make(&in, &p, &err), 0);
	assert_int_equal(p.rec.v.n, 100);
	plan_calendar(&p, at);
	for (int i = 0; i < 100; i++) /* two teams, a day each */
		assert_true(at[i].start_day == i / 2 && at[i].done_day == i / 2 + 1);
	plan_free(&p);
	arena_free(&f.mem);
	hand_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(least_risk_then_least_work),
		cmocka_unit_test(says_how_far_it_gets),
		cmocka_unit_test(marginals_are_those_of_the_set),
		cmocka_unit_test(commits_only_to_what_is_left),
		cmocka_unit_test(what_binds_comes_last),
		cmocka_unit_test(at_the_low_end_of_all_together),
		cmocka_unit_test(weeks_end_where_the_headline_does),
		cmocka_unit_test(a_calendar_without_a_target),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
