/* All runs of a habit onto another machine: how long they take, what they cost there, and the lines
 * that do it. */
#include "fleet_fix.h"
#include "plan/action.h"
#include "plan/lever/move.h"

struct scene {
	struct fix x;
	struct habits habits;
	struct lever_in in;
	struct settle *s;
	struct sold_list sold;
	struct rec *r;
	struct move m;
};

/* Six runs of 10 h on four V100, 20 h booked, of which the machine with one is a quarter. */
static void open_scene(struct scene *s, double every)
{
	*s = (struct scene){ 0 };
	fix_open(&s->x, 24 * 60);
	fix_runs(&s->x, "eval", 6, every, 10);
	fix_done(&s->x);
	habits_make(&s->x.f, &s->x.conf, &s->x.mem, &s->habits);
	s->in = (struct lever_in){ .fleet = &s->x.f,
				   .use = s->x.use,
				   .habits = &s->habits,
				   .catalog = s->x.cat,
				   .conf = &s->x.conf,
				   .now_ms = FIX_NOW,
				   .mem = &s->x.mem };
	s->s = settle_new(&s->in);
	gate_offers(&s->in, &s->x.use[0], "V100-SXM2-16GB", 1, &s->sold);
	s->r = rec_new(&s->in, &s->x.out, "rightsize_count", "a");
	s->m = (struct move){ .h = &s->habits.v.v[0],
			      .to = &s->sold.v.v[0],
			      .gpus = 1,
			      .time = 1,
			      .time_lo = 1,
			      .time_hi = 1,
			      .limit_ms = UNKNOWN_MS };
}

static void close_scene(struct scene *s)
{
	settle_free(s->s);
	vec_free(&s->sold.v);
	habits_free(&s->habits);
	fix_close(&s->x);
}

static const struct rec_change *go(struct scene *s)
{
	vec_clear(&s->r->change);
	vec_clear(&s->r->action);
	move_runs(&s->in, s->s, s->r, &s->m);
	return s->r->change.v;
}

static double hours(const struct use *u)
{
	return (double)(u->end_ms - u->start_ms) / MS_HOUR;
}

static void where_they_are(void **state)
{
	struct scene s;
	struct use u;
	struct rate rate;
	open_scene(&s, 100);
	assert_true(move_from(&s.in, s.m.h, &u, &rate));
	assert_string_equal(u.instance_type, "p3.8xlarge");
	assert_int_equal(rate.nano_gpu_hour, 3060000000);
	s.x.use[2].instance_type = "p3.2xlarge"; /* not all on one */
	assert_false(move_from(&s.in, s.m.h, &u, &rate));
	s.x.use[2].end_ms = s.x.use[2].start_ms; /* that one is gone */
	assert_true(move_from(&s.in, s.m.h, &u, &rate));
	s.x.use[3].purchase = "spot";
	assert_false(move_from(&s.in, s.m.h, &u, &rate));
	s.x.use[3].purchase = "on_demand";
	for (int i = 0; i < 6; i++)
		s.x.use[i].region = "moon-1"; /* no price */
	assert_false(move_from(&s.in, s.m.h, &u, &rate));
	close_scene(&s);
}

static void all_of_them_move(void **state)
{
	struct scene s;
	open_scene(&s, 100);
	const struct rec_change *c = go(&s);
	assert_int_equal(s.r->change.n, 6);
	for (int i = 0; i < 6; i++) {
		assert_string_equal(c[i].after.instance_type, "p3.2xlarge");
		assert_int_equal(c[i].after.gpus_milli, 1000);
		assert_near(hours(&c[i].after), 10);
		assert_int_equal(c[i].after.limit_ms, 20 * MS_HOUR);
		/* 20 minutes of boot and of waiting for the next are paid as well */
		assert_near((double)c[i].after.cost_nano / 1e9, 3.06 * (10 + 1 / 3.0));
		assert_int_equal(c[i].lo_nano, c[i].after.cost_nano);
		assert_int_equal(c[i].hi_nano, c[i].after.cost_nano);
	}
	double least;
	assert_near(rec_saving(&s.in, s.r, &least) / 1e9, 6 * (122.4 - 3.06 * (10 + 1 / 3.0)));
	assert_near(least / 1e9, 6 * (122.4 - 3.06 * (10 + 1 / 3.0)));
	close_scene(&s);
}

/* Only the time that it works takes longer there; both ends of the range are paid. */
static void slower_while_it_works(void **state)
{
	struct scene s;
	open_scene(&s, 100);
	s.m.time = 2;
	s.m.time_lo = 1.5;
	s.m.time_hi = 3;
	for (int i = 0; i < 6; i++)
		s.x.f.workload.v[i].stats.last_active_ms = s.x.f.workload.v[i].start_ms +
							   6 * MS_HOUR;
	const struct rec_change *c = go(&s);
	assert_near(hours(&c[0].after), 4 + 6 * 2);
	assert_float_equal(c[0].after.slowdown, 2, 1e-12);
	assert_float_equal(c[0].after.slowdown_hi, 3, 1e-12);
	assert_near((double)c[0].after.cost_nano / 1e9, 3.06 * (16 + 1 / 3.0));
	assert_near((double)c[0].lo_nano / 1e9, 3.06 * (13 + 1 / 3.0));
	assert_near((double)c[0].hi_nano / 1e9, 3.06 * (22 + 1 / 3.0));
	/* one that holds its machine until its limit does so there, for the limit that it has there
	 *  */
	for (int i = 0; i < 6; i++)
		s.x.use[i].limit_ms = 10 * MS_HOUR;
	s.m.limit_ms = 19 * MS_HOUR;
	c = go(&s);
	assert_near(hours(&c[0].after), 19);
	assert_int_equal(c[0].after.limit_ms, 19 * MS_HOUR);
	/* on top of what made it slower before */
	for (int i = 0; i < 6; i++)
		s.x.use[i].slowdown = s.x.use[i].slowdown_hi = 1.25;
	c = go(&s);
	assert_float_equal(c[0].after.slowdown, 2.5, 1e-12);
	assert_float_equal(c[0].after.slowdown_hi, 3.75, 1e-12);
	close_scene(&s);
}

/* Where half of a run was not read, its last sign of work is no end of it: all of it takes longer.
 *  */
static void unread_time_is_work(void **state)
{
	struct scene s;
	open_scene(&s, 100);
	s.m.time = s.m.time_lo = s.m.time_hi = 2;
	for (int i = 0; i < 6; i++) {
		s.x.f.workload.v[i].stats.last_active_ms = s.x.f.workload.v[i].start_ms +
							   6 * MS_HOUR;
		s.x.f.workload.v[i].stats.covered_frac = 0.5;
	}
	const struct rec_change *c = go(&s);
	assert_near(hours(&c[0].after), 20);
	close_scene(&s);
}

/* Who needs more than the default stays, and has failed on it in half of the cases. */
static void some_need_more(void **state)
{
	struct scene s;
	open_scene(&s, 100);
	s.m.is_default = true;
	for (int i = 0; i < 6; i++)
		s.x.f.workload.v[i].stats.gpus_needed = i == 4 ? 2 : 1;
	s.x.f.workload.v[4].stats.all_worked_ms = s.x.f.workload.v[4].start_ms + 2 * MS_HOUR;
	const struct rec_change *c = go(&s);
	assert_int_equal(s.r->replay.requeues, 1);
	double fails = 3.06 * (2 + 1 / 3.0);
	assert_string_equal(c[4].after.instance_type, "p3.8xlarge");
	assert_near((double)c[4].after.cost_nano / 1e9, 122.4 + fails / 2);
	assert_near((double)c[4].lo_nano / 1e9, 122.4);
	assert_near((double)c[4].hi_nano / 1e9, 122.4 + fails);
	/* at once, or at an unknown time: ten minutes at least */
	s.x.f.workload.v[4].stats.all_worked_ms = s.x.f.workload.v[4].start_ms;
	c = go(&s);
	assert_near((double)c[4].hi_nano / 1e9, 122.4 + 3.06 * 0.5);
	s.x.f.workload.v[4].stats.all_worked_ms = UNKNOWN_MS;
	c = go(&s);
	assert_near((double)c[4].hi_nano / 1e9, 122.4 + 3.06 * 0.5);
	close_scene(&s);
}

static const struct action *of_kind(const struct rec *r, enum action_kind k)
{
	for (size_t i = 0; i < r->action.n; i++)
		if (r->action.v[i].kind == k)
			return &r->action.v[i];
	fail_msg("no %s", action_name(k));
	return NULL;
}

/* A pool from none, before anything is submitted to it, with room for what ran at once. */
static void lines(void **state)
{
	static const struct {
		double every;
		int64_t peak;
	} t[] = { { 100, 1 }, { 6, 2 }, { 3, 4 }, { 10, 1 } };
	for (size_t i = 0; i < COUNT(t); i++) {
		struct scene s;
		open_scene(&s, t[i].every);
		go(&s);
		assert_int_equal(move_peak(&s.in, s.m.h, NULL), t[i].peak);
		assert_int_equal(move_peak(&s.in, s.m.h, s.r), t[i].peak);
		move_actions(&s.in, s.r, &s.m);
		const struct action *pool = of_kind(s.r, ACTION_POOL),
				    *a = of_kind(s.r, ACTION_SUBMIT);
		assert_true(pool < a);
		assert_string_equal(pool->pool.instance_type.z, "p3.2xlarge");
		assert_string_equal(pool->pool.cluster.z, "eval");
		assert_int_equal(pool->pool.gpus, 1);
		assert_int_equal(pool->pool.was, 0);
		assert_true(pool->pool.now > t[i].peak);
		assert_int_equal(a->submit.change, SUBMIT_TYPE | SUBMIT_GPUS);
		assert_int_equal(a->submit.was.gpus, 4);
		assert_int_equal(a->submit.now.gpus, 1);
		assert_string_equal(a->submit.was.instance_type.z, "p3.8xlarge");
		for (size_t k = 0; k < 6; k++)
			assert_true(habit_matches(&a->which, &s.x.f.workload.v[k]));
		close_scene(&s);
	}
}

static void a_longer_limit_is_printed(void **state)
{
	struct scene s;
	open_scene(&s, 100);
	s.m.time = s.m.time_hi = 2.4;
	s.m.limit_ms = 24 * MS_HOUR;
	go(&s);
	move_actions(&s.in, s.r, &s.m);
	const struct action *a = of_kind(s.r, ACTION_SUBMIT);
	assert_true(a->submit.change & SUBMIT_LIMIT);
	assert_int_equal(a->submit.was.limit_ms, 20 * MS_HOUR);
	assert_int_equal(a->submit.now.limit_ms, 24 * MS_HOUR);
	assert_true(says(s.r, "--time=1-00:00:00"));
	vec_clear(&s.r->action);
	s.m.limit_ms = 20 * MS_HOUR; /* as it is */
	move_actions(&s.in, s.r, &s.m);
	assert_false(of_kind(s.r, ACTION_SUBMIT)->submit.change & SUBMIT_LIMIT);
	close_scene(&s);
}

/* Ids are without capitals: names that differ in these alone are still two items. */
static void ids_of_names_alike(void **state)
{
	struct scene s;

	open_scene(&s, 24);
	const struct rec *lower = rec_new(&s.in, &s.x.out, "trim_time", "eval"),
			 *upper = rec_new(&s.in, &s.x.out, "trim_time", "Eval"),
			 *third = rec_new(&s.in, &s.x.out, "trim_time", "EVAL"),
			 *again = rec_new(&s.in, &s.x.out, "trim_time", "eval");
	assert_string_equal(lower->id, "trim_time-eval");
	assert_string_equal(again->id, lower->id);
	assert_string_not_equal(upper->id, lower->id);
	assert_string_not_equal(third->id, lower->id);
	assert_string_not_equal(third->id, upper->id);
	close_scene(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(where_they_are),
		cmocka_unit_test(all_of_them_move),
		cmocka_unit_test(slower_while_it_works),
		cmocka_unit_test(unread_time_is_work),
		cmocka_unit_test(some_need_more),
		cmocka_unit_test(lines),
		cmocka_unit_test(a_longer_limit_is_printed),
		cmocka_unit_test(ids_of_names_alike),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
