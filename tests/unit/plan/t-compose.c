#include "base/random.h"
#include "unit/plan/hand.h"

static struct lever table[LEVER_N];

static void make(const struct fleet *f, const struct plan_opt *o, struct plan *p)
{
	struct plan_in in = hand_in(table, f, o);
	struct err err;
	if (plan_make(&in, p, &err) < 0)
		fail_msg("%s", err.msg);
}

static const struct rec *find(const struct rec_list *l, const char *id)
{
	for (size_t i = 0; i < l->v.n; i++)
		if (!strcmp(l->v.v[i]->id, id))
			return l->v.v[i];
	return NULL;
}

static const char *why(const struct plan *p, const char *id)
{
	for (size_t i = 0; i < p->refused.v.n; i++)
		if (!strcmp(p->refused.v.v[i]->id, id))
			return p->refused_why.v[i];
	return "not even refused";
}

/* Random fleets: the sums close to the last digit, in nano over the window and in dec over a month,
 * in whatever set is taken. */
static void savings_add_up_exactly(void **state)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct fleet f;
		struct plan p;
		hand_random(&f, seed);
		struct plan_opt o = hand_opt;
		o.max_risk = (enum risk)(seed % 3);
		make(&f, &o, &p);
		int64_t sum = 0, base = 0;
		dec month = 0;
		for (size_t i = 0; i < f.workload.n; i++)
			base += f.workload.v[i].cost_nano;
		for (size_t i = 0; i < p.rec.v.n; i++) {
			sum += p.rec.v.v[i]->saving_nano;
			month += p.saving_month.v[i];
			assert_true(p.rec.v.v[i]->risk <= o.max_risk);
			assert_true(p.rec.v.v[i]->p05_nano <= p.rec.v.v[i]->p95_nano);
		}
		assert_true(p.baseline_nano == base);
		assert_true(sum == p.baseline_nano - p.after_nano);
		assert_true(month == p.baseline_month - p.after_month);
		assert_true(p.baseline_month == plan_month(&p, base));
		assert_true(p.after_month_p05 <= p.after_month &&
			    p.after_month <= p.after_month_p95);
		assert_true(p.saving_frac_p05 <= p.saving_frac &&
			    p.saving_frac <= p.saving_frac_p95);
		assert_true(p.after_nano >= p.bound_nano);
		plan_free(&p);
		hand_free(&f);
	}
}

/* The same bytes again; and in whatever order the works come, the total stays. */
static void is_deterministic(void **state)
{
	struct fleet f;
	struct plan a, b;
	hand_random(&f, 5);
	make(&f, &hand_opt, &a);
	make(&f, &hand_opt, &b);
	assert_int_equal(a.rec.v.n, b.rec.v.n);
	for (size_t i = 0; i < a.rec.v.n; i++) {
		assert_string_equal(a.rec.v.v[i]->id, b.rec.v.v[i]->id);
		assert_true(a.rec.v.v[i]->p05_nano == b.rec.v.v[i]->p05_nano &&
			    a.rec.v.v[i]->p95_nano == b.rec.v.v[i]->p95_nano);
		assert_true(a.saving_month.v[i] == b.saving_month.v[i]);
	}
	plan_free(&b);
	for (size_t i = 0; i < f.workload.n / 2; i++) {
		struct workload w = f.workload.v[i];
		f.workload.v[i] = f.workload.v[f.workload.n - 1 - i];
		f.workload.v[f.workload.n - 1 - i] = w;
	}
	make(&f, &hand_opt, &b);
	assert_true(a.after_nano == b.after_nano);
	assert_int_equal(a.rec.v.n, b.rec.v.n);
	for (size_t i = 0; i < a.rec.v.n; i++)
		assert_string_equal(a.rec.v.v[i]->id, b.rec.v.v[i]->id);
	plan_free(&a);
	plan_free(&b);
	hand_free(&f);
}

/*
 * A service of $1,000: sharing leaves 55 %, count then GPU leave 0.7 x 0.7 = 49 %. Sharing saves
 * more at its stage and less in the end. With a share of 45 % it is the other way round.
 */
static int64_t share_part;

static int one_share(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	hand_cut(in, out, "share", 0, share_part);
	return 0;
}

static void looks_through_to_the_end(void **state)
{
	struct fleet f;
	struct plan p;
	hand_window(&f, 28);
	hand_workload(&f, WORKLOAD_SERVICE, "web", f.since_ms, f.until_ms, 4, 1000 * NANO);
	struct lever t[LEVER_N];
	memcpy(t, table, sizeof t);
	t[LEVER_SHARE].propose = one_share;
	struct err err;
	struct plan_opt o = hand_opt;
	o.levers = LEVER_BIT(LEVER_SHARE) | LEVER_BIT(LEVER_RIGHTSIZE_COUNT) |
		   LEVER_BIT(LEVER_RIGHTSIZE_GPU);
	share_part = 550;
	struct plan_in in = hand_in(t, &f, &o);
	assert_int_equal(plan_make(&in, &p, &err), 0);
	assert_true(p.after_nano == 490 * NANO);
	assert_true(p.exact && p.bound_nano == p.after_nano);
	assert_null(find(&p.rec, "share-web"));
	assert_has(why(&p, "share-web"), "saves more in the end");
	assert_true(find(&p.rec, "rightsize_gpu-web")->saving_nano == 210 * NANO);
	assert_true(find(&p.rec, "rightsize_gpu-web")->alone_nano == 300 * NANO);
	plan_free(&p);
	share_part = 450;
	assert_int_equal(plan_make(&in, &p, &err), 0);
	assert_true(p.after_nano == 450 * NANO);
	assert_int_equal(p.rec.v.n, 1);
	assert_has(why(&p, "rightsize_gpu-web"), "excludes");
	plan_free(&p);
	hand_free(&f);
}

/* A dozen such services are too many ways: each choice is turned around alone, which finds the best
 * here, and the bound is no more than it. */
static void tells_a_bound_for_many(void **state)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f",
					     "g", "h", "i", "j", "k", "l" };
	struct fleet f;
	struct plan p;
	int64_t best = 0;
	hand_window(&f, 28);
	for (size_t i = 0; i < COUNT(names); i++) {
		int64_t cost = 1000 * NANO + (int64_t)i * 25,
			share = hand_part(cost, 400 + cost % 300),
			swap = hand_part(hand_part(cost, 700), 700);
		hand_workload(&f, WORKLOAD_SERVICE, names[i], f.since_ms, f.until_ms, 4, cost);
		best += share < swap ? share : swap;
	}
	struct plan_opt o = hand_opt;
	o.levers = LEVER_BIT(LEVER_SHARE) | LEVER_BIT(LEVER_RIGHTSIZE_COUNT) |
		   LEVER_BIT(LEVER_RIGHTSIZE_GPU);
	make(&f, &o, &p);
	assert_false(p.exact);
	assert_true(p.after_nano == best);
	assert_true(p.bound_nano <= best && p.bound_nano > 0);
	plan_free(&p);
	hand_free(&f);
}

/* Two proposals of one stage on one work: the better one; what it kept out says so. */
static int two_regions(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	struct rec *r = hand_cut(in, out, "region", 0, 800);
	r->id = "region-near";
	r = hand_cut(in, out, "region", 0, 750);
	r->id = "region-far";
	return 0;
}

static void alternatives_exclude_each_other(void **state)
{
	struct fleet f;
	struct plan p;
	struct lever t[LEVER_N];
	struct err err;
	hand_window(&f, 28);
	hand_workload(&f, WORKLOAD_JOB, "a", f.since_ms, f.since_ms + 10 * MS_HOUR, 4, 1000 * NANO);
	memcpy(t, table, sizeof t);
	t[LEVER_REGION].propose = two_regions;
	struct plan_opt o = hand_opt;
	o.levers = LEVER_BIT(LEVER_REGION);
	struct plan_in in = hand_in(t, &f, &o);
	assert_int_equal(plan_make(&in, &p, &err), 0);
	assert_int_equal(p.rec.v.n, 1);
	assert_string_equal(p.rec.v.v[0]->id, "region-far");
	assert_has(why(&p, "region-near"), "region-far");
	assert_true(p.exact);
	plan_free(&p);
	hand_free(&f);
}

/* Checkpoints come before spot, cost a little, and stay out without it. */
static void needs_come_first(void **state)
{
	struct fleet f;
	struct plan p;
	hand_window(&f, 28);
	hand_workload(&f, WORKLOAD_JOB, "a", f.since_ms, f.since_ms + 10 * MS_HOUR, 4, 1000 * NANO);
	struct plan_opt o = hand_opt;
	o.levers = LEVER_BIT(LEVER_SPOT);
	o.max_risk = RISK_MEDIUM;
	make(&f, &o, &p);
	assert_int_equal(p.rec.v.n, 2);
	assert_string_equal(p.rec.v.v[0]->id, "spot-checkpoints-a");
	assert_true(p.rec.v.v[0]->saving_nano == -10 * NANO);
	assert_string_equal(p.rec.v.v[1]->id, "spot-a");
	assert_true(p.rec.v.v[1]->saving_nano == 660 * NANO);
	assert_true(p.after_nano == 350 * NANO);
	assert_int_equal(p.rec.v.v[1]->risk, RISK_MEDIUM);
	plan_free(&p);
	const char *const no[] = { "spot-a" };
	o.dismissed = no, o.ndismissed = 1;
	make(&f, &o, &p);
	assert_int_equal(p.rec.v.n, 0);
	assert_string_equal(why(&p, "spot-a"), "dismissed");
	assert_has(why(&p, "spot-checkpoints-a"), "saves nothing");
	plan_free(&p);
	const char *const no2[] = { "spot-checkpoints-a" };
	o.dismissed = no2;
	make(&f, &o, &p);
	assert_int_equal(p.rec.v.n, 0);
	assert_has(why(&p, "spot-a"), "needs 'spot-checkpoints-a'");
	plan_free(&p);
	hand_free(&f);
}

/* A step that saves nothing itself, and a saving that needs it; the step comes last in the lever's
 * own list. */
static int prepared_spot(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	struct rec *move = hand_cut(in, out, "spot", 0, 350),
		   *step = rec_new(in, out, "spot", "checkpoints-a");

	step->prepares = true;
	step->title = "add checkpoints";
	*vec_push(&move->depends_on) = step->id;
	return 0;
}

static void a_preparation_comes_before_what_needs_it(void **state)
{
	static const char *const step = "spot-checkpoints-a";
	struct plan_opt o = hand_opt;
	struct fleet f;
	struct plan p;
	struct lever old = table[LEVER_SPOT];

	table[LEVER_SPOT].propose = prepared_spot;
	hand_window(&f, 28);
	hand_workload(&f, WORKLOAD_JOB, "a", f.since_ms, f.since_ms + 9 * MS_DAY, 4, 1000 * NANO);
	o.max_risk = RISK_HIGH;
	make(&f, &o, &p);
	size_t at = 0, move = 0;
	for (size_t i = 0; i < p.rec.v.n; i++) {
		at = strcmp(p.rec.v.v[i]->id, step) ? at : i + 1;
		move = strcmp(p.rec.v.v[i]->id, "spot-a") ? move : i + 1;
	}
	assert_true(at > 0 && move > at);
	assert_int_equal(find(&p.rec, step)->saving_nano, 0);
	assert_true(find(&p.rec, "spot-a")->saving_nano > 0);
	plan_free(&p);
	o.dismissed = &step; /* without it the saving is not to be had */
	o.ndismissed = 1;
	make(&f, &o, &p);
	assert_null(find(&p.rec, step));
	assert_null(find(&p.rec, "spot-a"));
	assert_string_equal(why(&p, "spot-a"), "needs 'spot-checkpoints-a', which is not taken");
	plan_free(&p);
	hand_free(&f);
	table[LEVER_SPOT] = old;
}

static void filters(void **state)
{
	struct fleet f;
	struct plan p;
	hand_window(&f, 28);
	hand_workload(&f, WORKLOAD_JOB, "a", f.since_ms, f.since_ms + 10 * MS_HOUR, 4, 1001);
	hand_workload(&f, WORKLOAD_JOB, "b", f.since_ms, f.since_ms + 10 * MS_HOUR, 4,
		      1001 * NANO + 1);
	struct plan_opt o = hand_opt;
	o.levers = LEVER_BIT(LEVER_TRIM_TIME);
	o.min_saving_nano_month = NANO;
	make(&f, &o, &p);
	assert_int_equal(p.rec.v.n, 1);
	assert_string_equal(p.rec.v.v[0]->id, "trim_time-b");
	assert_has(why(&p, "trim_time-a"), "less than the least");
	plan_free(&p);
	const char *const only[] = { "trim_time-a" };
	o.only = only, o.nonly = 1, o.min_saving_nano_month = 0;
	make(&f, &o, &p);
	assert_int_equal(p.rec.v.n, 1);
	assert_string_equal(p.rec.v.v[0]->id, "trim_time-a");
	plan_free(&p);
	/* frozen team: nothing, whatever the lever says */
	const char *teams[] = { "r*" };
	struct plan_conf conf = hand_conf;
	conf.frozen_team.v = teams, conf.frozen_team.n = 1;
	struct err err;
	struct plan_in in = hand_in(table, &f, &hand_opt);
	in.conf = &conf;
	assert_int_equal(plan_make(&in, &p, &err), 0);
	assert_true(p.after_nano == p.baseline_nano - 0 && p.rec.v.n == 0);
	plan_free(&p);
	hand_free(&f);
}

static int one_risky(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	struct rec *r = hand_cut(in, out, "schedule", 0, 500);
	r->replay.jobs = 100;
	r->replay.deadline_misses = share_part;
	return 0;
}

/* What the replay showed outweighs what the lever says of itself. */
static void risk_follows_the_replay(void **state)
{
	const struct {
		int64_t misses;
		enum risk risk;
	} want[] = { { 0, RISK_LOW }, { 1, RISK_MEDIUM }, { 2, RISK_HIGH } };
	struct fleet f;
	struct lever t[LEVER_N];
	hand_levers(t);
	t[LEVER_SCHEDULE].propose = one_risky;
	hand_window(&f, 28);
	hand_workload(&f, WORKLOAD_SERVICE, "a", f.since_ms, f.until_ms, 4, 1000 * NANO);
	struct plan_opt o = hand_opt;
	o.levers = LEVER_BIT(LEVER_SCHEDULE);
	for (size_t i = 0; i < COUNT(want); i++) {
		struct plan p;
		struct err err;
		share_part = want[i].misses;
		struct plan_in in = hand_in(t, &f, &o);
		assert_int_equal(plan_make(&in, &p, &err), 0);
		assert_int_equal(p.rec.v.v[0]->risk, want[i].risk);
		plan_free(&p);
	}
	hand_free(&f);
}

static void says_what_it_cannot_know(void **state)
{
	struct fleet f;
	struct plan p;
	hand_window(&f, 28);
	make(&f, &hand_opt, &p); /* nothing at all */
	assert_true(p.undecidable && p.baseline_nano == 0 && p.rec.v.n == 0);
	assert_has(p.note.v[0], "import");
	plan_free(&p);
	hand_workload(&f, WORKLOAD_JOB, "a", f.since_ms, f.since_ms + 10 * MS_HOUR, 4, 1001 * NANO);
	f.until_ms = f.since_ms + 23 * MS_HOUR;
	make(&f, &hand_opt, &p);
	assert_true(p.undecidable && p.rec.v.n == 0);
	assert_has(p.note.v[0], "one day");
	plan_free(&p);
	f.until_ms = f.since_ms + 28 * MS_DAY; /* unpriced */
	f.cost_nano = 0;
	make(&f, &hand_opt, &p);
	assert_true(p.undecidable);
	assert_has(p.note.v[0], "price");
	plan_free(&p);
	f.cost_nano = f.workload.v[0].cost_nano;
	f.measured_ms = 0; /* unmeasured: what is proven without telemetry stands */
	make(&f, &hand_opt, &p);
	assert_false(p.undecidable);
	assert_true(p.rec.v.n > 0);
	plan_free(&p);
	struct plan_opt o = hand_opt;
	o.levers = LEVER_BIT(LEVER_SHARE);
	make(&f, &o, &p);
	assert_true(p.undecidable);
	plan_free(&p);
	hand_free(&f);
}

/* A list of nodes alone calls every machine free: nobody saw that. Readings of the idle GPUs, or a
 * job, would. */
static void a_list_of_nodes_decides_nothing(void **state)
{
	struct fleet f;
	struct plan p;
	hand_window(&f, 28);
	hand_workload(&f, WORKLOAD_FREE, "n0", f.since_ms, f.until_ms, 4, 1001 * NANO);
	make(&f, &hand_opt, &p);
	assert_true(p.rec.v.n > 0); /* a lever that is sure of it is heard */
	assert_false(p.undecidable);
	plan_free(&p);
	struct plan_opt o = hand_opt;
	o.levers = LEVER_BIT(LEVER_SHARE);
	make(&f, &o, &p);
	assert_true(p.undecidable);
	assert_has(p.note.v[p.note.n - 1], "nobody says who held the GPUs");
	plan_free(&p);
	f.workload.v[0].stats.covered_frac = 0.9;
	make(&f, &o, &p);
	assert_false(p.undecidable);
	plan_free(&p);
	hand_free(&f);
}

/* Without a band of the catalogue: the middle of the lever's 20 to 80 % a month, ln(2) / 730 an
 * hour, over 200 runs of 100 hours is 19 interruptions. */
static void replay_draws_from_the_band_of_the_lever(void **state)
{
	struct fleet f;
	struct plan p;
	hand_window(&f, 28);
	for (int i = 0; i < 200; i++) {
		char *name = arena_printf(&f.mem, "j%d", i);
		hand_workload(&f, WORKLOAD_JOB, name, f.since_ms + i * MS_HOUR,
			      f.since_ms + (i + 100) * MS_HOUR, 1, 100 * NANO);
	}
	struct plan_opt o = hand_opt;
	o.levers = LEVER_BIT(LEVER_SPOT);
	make(&f, &o, &p);
	assert_true(p.replay.interruptions > 13 && p.replay.interruptions < 26);
	plan_free(&p);
	arena_free(&f.mem);
	hand_free(&f);
}

/* One day: nothing is sure, so nothing is low risk; weeks: the range narrows. */
static void thin_data_widens(void **state)
{
	double width[3];
	const int days[] = { 1, 10, 70 };
	for (size_t i = 0; i < COUNT(days); i++) {
		struct fleet f;
		struct plan p;
		hand_window(&f, days[i]);
		uint64_t s = 3;
		for (int h = 0; h < days[i] * 4; h++)
			hand_workload(
				&f, WORKLOAD_JOB, arena_printf(&f.mem, "j%d", h),
				f.since_ms + h * 6 * MS_HOUR, f.since_ms + (h + 1) * 6 * MS_HOUR, 1,
				(int64_t)(random_next(&s) % 100 + 50) * NANO + 1 - (int64_t)(0));
		for (size_t k = 0; k < f.workload.n; k++) /* odd: trimmed */
			f.workload.v[k].cost_nano |= 1;
		struct plan_opt o = hand_opt;
		o.draws = 400;
		o.levers = LEVER_BIT(LEVER_TRIM_TIME);
		make(&f, &o, &p);
		width[i] = p.saving_frac_p95 - p.saving_frac_p05;
		if (days[i] == 1) {
			assert_true(p.rec.v.v[0]->confidence_frac <= 0.5);
			assert_true(p.rec.v.v[0]->p05_nano <= p.rec.v.v[0]->saving_nano / 2);
		}
		plan_free(&p);
		arena_free(&f.mem);
		hand_free(&f);
	}
	if (!(width[0] > width[1] && width[1] > width[2]))
		fail_msg("%g %g %g", width[0], width[1], width[2]);
}

static void asks_what_if(void **state)
{
	struct fleet f;
	struct plan p;
	hand_window(&f, 28);
	hand_workload(&f, WORKLOAD_SERVICE, "web", f.since_ms, f.until_ms, 4, 1000 * NANO);
	struct plan_opt o = hand_opt;
	o.levers = LEVER_BIT(LEVER_COMMIT);
	make(&f, &o, &p); /* 400 are covered for a fee of 3 and a bit, 600 are left on demand */
	assert_int_equal(p.sensitivity.n, 6);
	static const struct {
		const char *name;
		double baseline, after;
	} want[] = {
		{ "load +20 %", 1200, 803 }, /* all that is more is on demand */
		{ "load -20 %", 800, 403 },  /* the fee is paid, used or not */
		{ "prices +10 %", 1100, 663 },
	};
	for (size_t i = 0; i < p.sensitivity.n; i++)
		for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
			const struct plan_case *c = &p.sensitivity.v[i];
			if (strcmp(c->name, want[k].name))
				continue;
			assert_true(c->baseline_nano == (int64_t)(want[k].baseline * NANO));
			/* as the headline, a median of draws, is of the history's own point */
			assert_true(fabs((double)c->after_nano / NANO - want[k].after) <
				    0.05 * want[k].baseline);
		}
	plan_free(&p);
	hand_free(&f);
}

static int setup(void **state)
{
	hand_levers(table);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(savings_add_up_exactly),
		cmocka_unit_test(is_deterministic),
		cmocka_unit_test(looks_through_to_the_end),
		cmocka_unit_test(tells_a_bound_for_many),
		cmocka_unit_test(alternatives_exclude_each_other),
		cmocka_unit_test(needs_come_first),
		cmocka_unit_test(a_preparation_comes_before_what_needs_it),
		cmocka_unit_test(filters),
		cmocka_unit_test(risk_follows_the_replay),
		cmocka_unit_test(says_what_it_cannot_know),
		cmocka_unit_test(a_list_of_nodes_decides_nothing),
		cmocka_unit_test(replay_draws_from_the_band_of_the_lever),
		cmocka_unit_test(thin_data_widens),
		cmocka_unit_test(asks_what_if),
	};
	return cmocka_run_group_tests(tests, setup, NULL);
}
