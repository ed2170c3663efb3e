/* What is printed is carried out on the history: what becomes of each job, for each way in which it
 * can go wrong. */
#include "fleet_fix.h"
#include "plan/replay/execute.h"

#define GIB ((double)(1 << 30))

/* Six runs of 10 h on 4 V100, 20 h booked, and one recommendation about them. */
struct scene {
	struct fix x;
	struct composer cp;
	struct comp c;
	struct rec *r;
	struct execution e;
};

static struct rec *another(struct scene *s, const char *tail)
{
	struct lever_in in = { .fleet = &s->x.f, .use = s->c.use, .mem = &s->x.mem };
	struct rec *r = rec_new(&in, &s->x.out, "rightsize_gpu", tail);

	*vec_push(&s->c.taken.v) = r;
	return r;
}

static void open_scene(struct scene *s)
{
	*s = (struct scene){ 0 };
	fix_open(&s->x, 24 * 60);
	fix_runs(&s->x, "eval", 6, 100, 10);
	fix_done(&s->x);
	s->cp = (struct composer){ .table = levers,
				   .fleet = &s->x.f,
				   .catalog = s->x.cat,
				   .conf = &s->x.conf,
				   .mem = &s->x.mem };
	habits_make(&s->x.f, &s->x.conf, &s->x.mem, &s->cp.habits);
	s->c.use = xmalloc(s->x.f.workload.n * sizeof *s->c.use);
	memcpy(s->c.use, s->x.use, s->x.f.workload.n * sizeof *s->c.use);
	s->r = another(s, "a");
}

static void close_scene(struct scene *s)
{
	execution_free(&s->e);
	habits_free(&s->cp.habits);
	vec_free(&s->c.taken.v);
	free(s->c.use);
	fix_close(&s->x);
}

/* All six end so. */
static void want(struct scene *s, enum ran_as as)
{
	execution_free(&s->e);
	execute(&s->cp, &s->c, &s->e);
	if (s->e.count[as] != 6)
		fail_msg("%s: %d; %s", ran_name(as), (int)s->e.count[as], ran_name(s->e.job[0].as));
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(s->e.job[i].as, as);
}

static struct action *submits(struct scene *s, struct rec *r)
{
	struct action *a = rec_action(r, ACTION_SUBMIT);

	a->which = habit_of(&s->cp.habits.v.v[0]);
	return a;
}

static void limit(struct scene *s, int64_t ms)
{
	struct action *a = submits(s, s->r);

	a->submit = (struct action_submit){ .change = SUBMIT_LIMIT,
					    .to = TO_SLURM,
					    .was.limit_ms = 20 * MS_HOUR,
					    .now.limit_ms = ms };
	for (size_t i = 0; i < 6; i++)
		s->c.use[i].limit_ms = ms;
}

static struct action *pool(struct scene *s, const char *type)
{
	struct action *a = rec_action(s->r, ACTION_POOL);

	a->pool = (struct action_pool){ .cluster = raw_name("eval"),
					.instance_type = raw_name(type),
					.now = 4 };
	return a;
}

static struct action_submit *moves(struct scene *s, const char *type, const char *model, int gpus)
{
	struct action *a = submits(s, s->r);

	a->submit = (struct action_submit){
		.change = SUBMIT_TYPE | SUBMIT_GPUS,
		.to = TO_SLURM,
		.was = { .gpus = 4, .instance_type = raw_name("p3.8xlarge") },
		.now = { .gpus = gpus, .instance_type = raw_name(type) },
	};
	for (size_t i = 0; i < 6; i++) {
		s->c.use[i].instance_type = type;
		s->c.use[i].gpu_model = model;
		s->c.use[i].gpus_milli = (int64_t)gpus * 1000;
		s->x.f.workload.v[i].stats.gpus_needed = gpus;
	}
	return &a->submit;
}

/* To four T4, of which there is a pool. */
static struct action_submit *moves_to_t4(struct scene *s)
{
	pool(s, "g4dn.12xlarge");
	return moves(s, "g4dn.12xlarge", "T4", 4);
}

static void nothing_is_about_them(void **state)
{
	struct scene s;
	open_scene(&s);
	want(&s, RAN_BEFORE);
	assert_null(s.e.job[0].by);
	limit(&s, 15 * MS_HOUR);
	s.r->action.v[0].which.user = raw_name("bob");
	for (size_t i = 0; i < 6; i++)
		s.c.use[i].limit_ms = 20 * MS_HOUR;
	want(&s, RAN_BEFORE);
	close_scene(&s);
}

static void a_limit_that_holds_or_cuts(void **state)
{
	struct scene s;
	open_scene(&s);
	limit(&s, 10 * MS_HOUR);
	want(&s, RAN_WELL);
	assert_ptr_equal(s.e.job[0].by, s.r);
	vec_clear(&s.r->action);
	limit(&s, 10 * MS_HOUR - MS_MINUTE);
	want(&s, RAN_CUT);
	/* its last sign of work was before that */
	for (size_t i = 0; i < 6; i++)
		s.x.f.workload.v[i].stats.last_active_ms -= MS_HOUR;
	want(&s, RAN_WELL);
	/* as far as anybody saw */
	for (size_t i = 0; i < 6; i++)
		s.x.f.workload.v[i].stats.covered_frac = 0.89;
	want(&s, RAN_CUT);
	close_scene(&s);
}

/* At the slow end of what is known. */
static void slower_and_cut(void **state)
{
	struct scene s;
	open_scene(&s);
	limit(&s, 15 * MS_HOUR);
	for (size_t i = 0; i < 6; i++)
		s.c.use[i].slowdown_hi = 1.5;
	want(&s, RAN_WELL);
	for (size_t i = 0; i < 6; i++)
		s.c.use[i].slowdown_hi = 1.51;
	want(&s, RAN_CUT);
	for (size_t i = 0; i < 6; i++) {
		s.c.use[i].slowdown = 1.6;
		s.c.use[i].slowdown_hi = 1;
	}
	want(&s, RAN_CUT);
	close_scene(&s);
}

/* What its limit ended before is no new harm; what had none is. */
static void cut_before(void **state)
{
	struct scene s;
	open_scene(&s);
	limit(&s, 8 * MS_HOUR);
	for (size_t i = 0; i < 6; i++)
		s.x.f.workload.v[i].limit_ms = 10 * MS_HOUR;
	want(&s, RAN_WELL);
	for (size_t i = 0; i < 6; i++)
		s.x.f.workload.v[i].limit_ms = UNKNOWN_MS;
	want(&s, RAN_CUT);
	close_scene(&s);
}

static void a_gpu_with_less_memory(void **state)
{
	struct scene s;
	open_scene(&s);
	moves_to_t4(&s);
	want(&s, RAN_WELL);
	for (size_t i = 0; i < 6; i++)
		s.x.f.workload.v[i].stats.mem_peak_bytes = 14.99 * GIB;
	want(&s, RAN_WELL);
	for (size_t i = 0; i < 6; i++) /* of 16, a program can have 15 */
		s.x.f.workload.v[i].stats.mem_peak_bytes = 15.01 * GIB;
	want(&s, RAN_OOM);
	for (size_t i = 0; i < 6; i++) /* taken, not needed: the trial shows that */
		s.x.f.workload.v[i].stats.mem_flat_frac = 0.85;
	want(&s, RAN_WELL);
	for (size_t i = 0; i < 6; i++)
		s.x.f.workload.v[i].stats.mem_flat_frac = 0.84;
	want(&s, RAN_OOM);
	close_scene(&s);
}

/* The same GPUs, fewer of them: as much memory as it had. */
static void the_same_gpu(void **state)
{
	struct scene s;
	open_scene(&s);
	pool(&s, "p3.2xlarge");
	moves(&s, "p3.2xlarge", "V100-SXM2-16GB", 1);
	for (size_t i = 0; i < 6; i++)
		s.x.f.workload.v[i].stats.mem_peak_bytes = 16 * GIB;
	want(&s, RAN_WELL);
	close_scene(&s);
}

static void without_machines_it_is_stuck(void **state)
{
	struct scene s;
	open_scene(&s);
	moves(&s, "g4dn.12xlarge", "T4", 4);
	want(&s, RAN_STUCK);
	struct action *a = pool(&s, "g4dn.xlarge"); /* of other machines */
	want(&s, RAN_STUCK);
	a->pool.instance_type = raw_name("g4dn.12xlarge");
	want(&s, RAN_WELL);
	a->pool.cluster = raw_name("train"); /* of another cluster */
	want(&s, RAN_STUCK);
	a->pool.cluster = raw_name("eval");
	a->pool.spot = true;
	want(&s, RAN_STUCK);
	a->pool.spot = false;
	a->pool.was = 4; /* which does not grow, and nobody has one */
	want(&s, RAN_STUCK);
	close_scene(&s);
}

/* More GPUs than a machine of the pool has. */
static void shapes_that_are_not_sold(void **state)
{
	struct scene s;
	open_scene(&s);
	pool(&s, "g4dn.xlarge");
	moves(&s, "g4dn.xlarge", "T4", 4);
	want(&s, RAN_STUCK);
	close_scene(&s);
}

static void fewer_gpus_than_it_needs(void **state)
{
	struct scene s;
	open_scene(&s);
	pool(&s, "p3.2xlarge");
	struct action_submit *a = moves(&s, "p3.2xlarge", "V100-SXM2-16GB", 1);
	s.x.f.workload.v[3].stats.gpus_needed = 2;
	execute(&s.cp, &s.c, &s.e);
	assert_int_equal(s.e.job[3].as, RAN_CUT);
	assert_int_equal(s.e.count[RAN_WELL], 5);
	execution_free(&s.e);
	/* as a default: it stays as it was, after a failure */
	a->is_default = true;
	s.c.use[3] = s.x.use[3];
	execute(&s.cp, &s.c, &s.e);
	assert_int_equal(s.e.job[3].as, RAN_REQUEUED);
	assert_int_equal(s.e.count[RAN_WELL], 5);
	execution_free(&s.e);
	/* and if the lever says that it moves, its actions do not */
	s.c.use[3] = s.c.use[0];
	execute(&s.cp, &s.c, &s.e);
	assert_int_equal(s.e.job[3].as, RAN_OTHERWISE);
	close_scene(&s);
}

/* Actions that reach further than what was judged, and judgements without an action. */
static void otherwise_than_judged(void **state)
{
	struct scene s;
	open_scene(&s);
	limit(&s, 15 * MS_HOUR);
	s.c.use[2].limit_ms = 20 * MS_HOUR; /* not judged, and meant all the same */
	execute(&s.cp, &s.c, &s.e);
	assert_int_equal(s.e.job[2].as, RAN_OTHERWISE);
	assert_ptr_equal(s.e.job[2].by, s.r);
	assert_int_equal(s.e.count[RAN_WELL], 5);
	execution_free(&s.e);
	vec_clear(&s.r->action); /* judged, and nothing does it */
	execute(&s.cp, &s.c, &s.e);
	assert_int_equal(s.e.count[RAN_OTHERWISE], 5);
	assert_int_equal(s.e.job[2].as, RAN_BEFORE);
	close_scene(&s);

	open_scene(&s);
	for (size_t i = 0; i < 6; i++)
		s.c.use[i].instance_type = "p3.2xlarge";
	want(&s, RAN_OTHERWISE);
	close_scene(&s);

	open_scene(&s); /* another type than the line says */
	moves_to_t4(&s);
	for (size_t i = 0; i < 6; i++)
		s.c.use[i].instance_type = "g5.12xlarge";
	want(&s, RAN_OTHERWISE);
	close_scene(&s);

	open_scene(&s); /* bought in another way */
	moves_to_t4(&s);
	for (size_t i = 0; i < 6; i++)
		s.c.use[i].purchase = "spot";
	want(&s, RAN_OTHERWISE);
	for (size_t i = 0; i < 6; i++) {
		s.c.use[i].purchase = "on_demand";
		s.c.use[i].region = "eu-west-1"; /* elsewhere */
	}
	want(&s, RAN_OTHERWISE);
	close_scene(&s);
}

static void spot_has_a_pool_of_its_own(void **state)
{
	struct scene s;
	open_scene(&s);
	struct action *a = submits(&s, s.r);
	a->submit =
		(struct action_submit){ .change = SUBMIT_SPOT, .to = TO_SLURM, .now.spot = true };
	for (size_t i = 0; i < 6; i++)
		s.c.use[i].purchase = "spot";
	want(&s, RAN_STUCK);
	pool(&s, "p3.8xlarge")->pool.spot = true;
	want(&s, RAN_WELL);
	close_scene(&s);
}

/* The second is about what the first makes of them. */
static void one_after_the_other(void **state)
{
	struct scene s;
	open_scene(&s);
	moves_to_t4(&s);
	struct rec *second = another(&s, "b");
	struct action *a = submits(&s, second);
	a->submit = (struct action_submit){ .change = SUBMIT_LIMIT,
					    .to = TO_SLURM,
					    .now.limit_ms = 12 * MS_HOUR };
	a->which.instance_type = raw_name("g4dn.12xlarge");
	for (size_t i = 0; i < 6; i++)
		s.c.use[i].limit_ms = 12 * MS_HOUR;
	want(&s, RAN_WELL);
	assert_ptr_equal(s.e.job[0].by, second);
	/* what was on it before is there no more */
	a->which.instance_type = raw_name("p3.8xlarge");
	want(&s, RAN_OTHERWISE);
	close_scene(&s);
}

static void what_does_not_run_is_no_harm(void **state)
{
	struct scene s;
	open_scene(&s);
	limit(&s, MS_HOUR);
	for (size_t i = 0; i < 6; i++)
		s.c.use[i].end_ms = s.c.use[i].start_ms;
	want(&s, RAN_WELL);
	close_scene(&s);
}

/* Notebooks and services are nobody's submissions here. */
static void what_is_no_job(void **state)
{
	struct scene s;
	open_scene(&s);
	limit(&s, MS_HOUR);
	s.x.f.workload.v[0].notebook = true;
	s.x.f.workload.v[1].kind = WORKLOAD_SERVICE;
	execute(&s.cp, &s.c, &s.e);
	assert_int_equal(s.e.job[0].as, RAN_BEFORE);
	assert_int_equal(s.e.job[1].as, RAN_BEFORE);
	assert_int_equal(s.e.count[RAN_CUT], 4);
	close_scene(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_about_them),
		cmocka_unit_test(a_limit_that_holds_or_cuts),
		cmocka_unit_test(slower_and_cut),
		cmocka_unit_test(cut_before),
		cmocka_unit_test(a_gpu_with_less_memory),
		cmocka_unit_test(the_same_gpu),
		cmocka_unit_test(without_machines_it_is_stuck),
		cmocka_unit_test(shapes_that_are_not_sold),
		cmocka_unit_test(fewer_gpus_than_it_needs),
		cmocka_unit_test(otherwise_than_judged),
		cmocka_unit_test(spot_has_a_pool_of_its_own),
		cmocka_unit_test(one_after_the_other),
		cmocka_unit_test(what_does_not_run_is_no_harm),
		cmocka_unit_test(what_is_no_job),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
