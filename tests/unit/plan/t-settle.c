/* What machines cost when jobs leave them: those that come and go with their jobs, those that stay,
 * and those that an action gives back. */
#include "fleet_fix.h"
#include "plan/proof/settle.h"

struct scene {
	struct fix x;
	struct lever_in in;
	struct settle *s;
};

static void open_settle(struct scene *s)
{
	s->in = (struct lever_in){ .fleet = &s->x.f,
				   .use = s->x.use,
				   .catalog = s->x.cat,
				   .conf = &s->x.conf,
				   .now_ms = FIX_NOW,
				   .mem = &s->x.mem };
	s->s = settle_new(&s->in);
}

static void close_scene(struct scene *s)
{
	settle_free(s->s);
	fix_close(&s->x);
}

/* A recommendation by which these workloads are gone from their machine; saving in $. */
static struct rec *leave(struct scene *s, const char *id, size_t n, const uint32_t *workload,
			 bool releases)
{
	struct rec *r = rec_new(&s->in, &s->x.out, "rightsize_count", id);

	for (size_t i = 0; i < n; i++) {
		struct rec_change *c = rec_change(&s->in, r, workload[i]);
		c->after.instance_type = "p3.2xlarge";
		c->after.cost_nano = 0;
	}
	settle(s->s, r, releases);
	return r;
}

static double saving(const struct scene *s, const struct rec *r)
{
	double sum = 0;

	for (size_t i = 0; i < r->change.n; i++) {
		const struct rec_change *c = &r->change.v[i];
		sum += (double)((c->shared ? c->base_nano : s->x.use[c->workload].cost_nano) -
				c->after.cost_nano);
	}
	return sum / 1e9;
}

/* A machine of 100 h with a job of all its GPUs in [from, to) and its free time. */
static void machine(struct scene *s, const char *name, double from, double to, double paid_to)
{
	size_t n = fix_node(&s->x, name, "c", 0, paid_to);

	fix_workload(&s->x, WORKLOAD_JOB, name, n, 4, from, to, 1);
	struct workload *w = fix_workload(&s->x, WORKLOAD_FREE, "", n, 4, to, paid_to, 0);
	w->cost_nano = (int64_t)((paid_to - (to - from)) * 12.24 * NANO);
}

static const uint32_t first_job = 0, first_two[] = { 0, 1 };

/* Of five machines that ended, four within the hour after their last job. */
static void comes_and_goes(void **state)
{
	for (int soon = 3; soon <= 4; soon++) {
		struct scene s = { 0 };
		static const char *const name[] = { "m0", "m1", "m2", "m3", "m4" };
		fix_open(&s.x, 200);
		for (int i = 0; i < 5; i++)
			machine(&s, name[i], 0, 50, i < soon ? 51 : 51.1);
		fix_done(&s.x);
		open_settle(&s);
		assert_int_equal(settle_comes_and_goes(s.s, &s.x.f.workload.v[0]), soon == 4);
		assert_int_equal(settle_is_released(s.s, NULL, &s.x.f.workload.v[0]), soon == 4);
		close_scene(&s);
	}
	struct scene s = { 0 };
	fix_open(&s.x, 50.5); /* none has ended yet: nobody has seen that they go */
	machine(&s, "m0", 0, 50, 50.5);
	fix_done(&s.x);
	open_settle(&s);
	assert_false(settle_comes_and_goes(s.s, &s.x.f.workload.v[0]));
	close_scene(&s);
}

/* Its job gone, it never came. */
static void it_goes_with_its_job(void **state)
{
	struct scene s = { 0 };
	fix_open(&s.x, 200);
	machine(&s, "m0", 0, 50, 50.5);
	fix_done(&s.x);
	open_settle(&s);
	struct rec *r = leave(&s, "a", 1, &first_job, false);
	assert_near(saving(&s, r), 50.5 * 12.24);
	assert_int_equal(r->change.n, 2);
	assert_true(r->change.v[1].shared);
	assert_int_equal(r->change.v[1].after.end_ms, r->change.v[1].after.start_ms);
	close_scene(&s);
}

/* The job leaves a machine that stays: what it paid is free time now, to the nano. */
static void one_that_stays_is_paid_on(void **state)
{
	struct scene s = { 0 };
	fix_open(&s.x, 100);
	machine(&s, "m0", 0, 50, 100);
	fix_done(&s.x);
	open_settle(&s);
	struct rec *r = leave(&s, "a", 1, &first_job, false);
	assert_near(saving(&s, r), 0);
	assert_int_equal(r->change.v[1].after.cost_nano,
			 s.x.use[0].cost_nano + s.x.use[1].cost_nano);
	assert_false(r->change.v[1].shared);
	close_scene(&s);
}

/* ... unless an action gives it back: a quarter of an hour after it became free. */
static void unless_it_is_given_back(void **state)
{
	struct scene s = { 0 };
	fix_open(&s.x, 100);
	machine(&s, "m0", 0, 50, 100);
	fix_done(&s.x);
	open_settle(&s);
	struct rec *r = leave(&s, "a", 1, &first_job, true);
	assert_near(saving(&s, r), (100 - 0.25) * 12.24);
	assert_true(r->change.v[1].after.released);
	close_scene(&s);

	s = (struct scene){ 0 }; /* or one that was taken before does: its gap is saved already */
	fix_open(&s.x, 100);
	machine(&s, "m0", 0, 50, 100);
	fix_done(&s.x);
	s.x.use[1].released = true;
	s.x.use[1].cost_nano = (int64_t)(0.25 * 12.24 * NANO);
	open_settle(&s);
	assert_true(settle_is_released(s.s, NULL, &s.x.f.workload.v[0]));
	r = leave(&s, "a", 1, &first_job, false);
	assert_near(saving(&s, r), 50 * 12.24);
	assert_true(r->change.v[1].shared);
	close_scene(&s);
}

/* Two habits on one machine with a gap between them: what both save is what is saved when both
 * leave, and never more than the machine costs. */
static void a_gap_is_saved_once(void **state)
{
	for (int elastic = 0; elastic < 2; elastic++)
		for (int gives = 0; gives < 2; gives++) {
			struct scene s = { 0 };
			fix_open(&s.x, 200);
			size_t n = fix_node(&s.x, "m0", "c", 0, elastic ? 100 : 200);
			fix_workload(&s.x, WORKLOAD_JOB, "a", n, 4, 0, 40, 1);
			fix_workload(&s.x, WORKLOAD_JOB, "b", n, 4, 60, 100, 1);
			struct workload *w = fix_workload(&s.x, WORKLOAD_FREE, "", n, 4, 40, 60, 0);
			w->cost_nano = (int64_t)((elastic ? 20 : 120) * 12.24 * NANO);
			fix_done(&s.x);
			open_settle(&s);
			static const uint32_t b = 1;
			double total = (elastic ? 100 : 200) * 12.24,
			       sa = saving(&s, leave(&s, "a", 1, &first_job, gives)),
			       sb = saving(&s, leave(&s, "b", 1, &b, gives)),
			       both = saving(&s, leave(&s, "ab", 2, first_two, gives));
			if (!elastic && !gives) {
				assert_near(sa, 0);
				assert_near(sb, 0);
				assert_near(both, 0);
			} else {
				/* each other one keeps the machine for its own time */
				assert_true(sa >= 39 * 12.24 && sb >= 39 * 12.24);
				assert_true(both <= total + 0.01);
				assert_true(both >= 80 * 12.24);
			}
			/* two that share the free time may both be taken: no more than both */
			if (elastic)
				assert_true(sa + sb <= both + 0.01);
			close_scene(&s);
		}
}

/* Both hold half of it for the same hours: as long as one is there the machine is. */
static void a_neighbour_keeps_it(void **state)
{
	struct scene s = { 0 };
	fix_open(&s.x, 200);
	size_t n = fix_node(&s.x, "m0", "c", 0, 50);
	fix_workload(&s.x, WORKLOAD_JOB, "a", n, 2, 0, 50, 1);
	fix_workload(&s.x, WORKLOAD_JOB, "b", n, 2, 0, 50, 1);
	fix_workload(&s.x, WORKLOAD_FREE, "", n, 4, 49, 50, 0)->cost_nano = 0;
	fix_done(&s.x);
	open_settle(&s);
	assert_near(saving(&s, leave(&s, "a", 1, &first_job, false)), 0);
	assert_near(saving(&s, leave(&s, "ab", 2, first_two, false)), 50 * 12.24);
	close_scene(&s);
}

/* No free time in the ledger: what is left stays with the job. */
static void without_free_time(void **state)
{
	struct scene s = { 0 };
	fix_open(&s.x, 200);
	size_t n = fix_node(&s.x, "m0", "c", 0, 200);
	fix_workload(&s.x, WORKLOAD_JOB, "a", n, 4, 0, 200, 1);
	fix_done(&s.x);
	open_settle(&s);
	struct rec *r = leave(&s, "a", 1, &first_job, false);
	assert_near(saving(&s, r), 0);
	assert_int_equal(r->change.n, 1);
	assert_int_equal(r->change.v[0].after.cost_nano, s.x.use[0].cost_nano);
	close_scene(&s);
}

/* Shorter on a machine that goes: it is paid until a quarter of an hour after it. */
static void shorter(void **state)
{
	struct scene s = { 0 };
	fix_open(&s.x, 200);
	machine(&s, "m0", 0, 50, 50);
	fix_done(&s.x);
	open_settle(&s);
	struct rec *r = rec_new(&s.in, &s.x.out, "trim_time", "a");
	struct rec_change *c = rec_change(&s.in, r, 0);
	c->after.end_ms = AT(30);
	c->after.cost_nano = (int64_t)(30 * 12.24 * NANO);
	settle(s.s, r, false);
	assert_near(saving(&s, r), (20 - 0.25) * 12.24);
	close_scene(&s);
}

static void overhead(void **state)
{
	struct fix x;
	fix_open(&x, 24);
	x.conf.boot_minutes = 5;
	x.conf.idle_release_minutes = 15;
	assert_float_equal(settle_overhead(&x.conf, MS_HOUR), 1 + 20 / 60.0, 1e-12);
	assert_float_equal(settle_overhead(&x.conf, 0), 1, 1e-12);
	fix_done(&x);
	fix_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_and_goes),
		cmocka_unit_test(it_goes_with_its_job),
		cmocka_unit_test(one_that_stays_is_paid_on),
		cmocka_unit_test(unless_it_is_given_back),
		cmocka_unit_test(a_gap_is_saved_once),
		cmocka_unit_test(a_neighbour_keeps_it),
		cmocka_unit_test(without_free_time),
		cmocka_unit_test(shorter),
		cmocka_unit_test(overhead),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
