/* Trials: what has to come out follows from the range, the limit and the head-room; runs decide. */
#include "unit/plan/hand.h"
#include "plan/proof/trial.h"

#define GIB 1073741824.0

static struct catalog *cat;
static struct fleet fleet;
static struct plan plan;
static struct rec rec;
static struct arena mem;

/* One job of ten hours on an A100 that is to run on an L4, twice as long, at most a fifth more
 * expensive. */
static int setup(void **state)
{
	struct err err;

	assert_int_equal(catalog_open(NULL, &cat, &err), 0);
	hand_window(&fleet, 28);
	hand_workload(&fleet, WORKLOAD_JOB, "bert-17", fleet.since_ms,
		      fleet.since_ms + 10 * MS_HOUR, 1, 100 * NANO);
	fleet.workload.v[0].stats.last_busy_ms = UNKNOWN_MS;
	rec = (struct rec){ .id = "rightsize_gpu-bert",
			    .lever = "rightsize_gpu",
			    .title = "bert",
			    .tier = TIER_TRIAL };
	*vec_push(&rec.change) = (struct rec_change){ .workload = 0,
						      .after = { .gpu_model = "L4",
								 .instance_type = "g6.xlarge",
								 .gpus_milli = 1000,
								 .slowdown = 2,
								 .cost_nano = 50 * NANO },
						      .lo_nano = 45 * NANO,
						      .hi_nano = 60 * NANO };
	*vec_push(&rec.action) = (struct action){
		.kind = ACTION_POOL,
		.pool = { .was = 0, .now = 7, .to = TO_SLURM },
	};
	*vec_push(&rec.action) = (struct action){
		.kind = ACTION_SUBMIT,
		.submit = { .change = SUBMIT_TYPE, .to = TO_SLURM },
	};
	rec.action.v[1].submit.now.instance_type = raw_name("g6.xlarge");
	plan = (struct plan){ .fleet = &fleet };
	*vec_push(&plan.rec.v) = &rec;
	return 0;
}

static int teardown(void **state)
{
	vec_free(&rec.change);
	vec_free(&rec.action);
	vec_free(&plan.rec.v);
	hand_free(&fleet);
	catalog_free(cat);
	arena_free(&mem);
	return 0;
}

static struct plan_trial make(void)
{
	struct plan_conf conf;
	struct plan_trial t;
	struct err err;

	assert_int_equal(plan_conf_load(NULL, &conf, &err), 0);
	plan_trial_make(&plan, plan.rec.v.v[0], cat, &conf, &mem, &t);
	plan_conf_free(&conf);
	return t;
}

static double bound(const struct plan_trial *t, enum trial_measure what, bool least)
{
	for (size_t i = 0; i < t->ncheck; i++)
		if (t->check[i].what == what)
			return least ? t->check[i].least : t->check[i].most;
	return -1;
}

static void near(double is, double want, double by)
{
	if (!(fabs(is - want) <= by))
		fail_msg("%.9g, not %.9g", is, want);
}

static void bounds_follow_range_limit_and_headroom(void **state)
{
	struct plan_trial t = make();

	assert_int_equal(t.kind, TRIAL_RUN);
	assert_string_equal(t.workload, "bert");
	assert_string_equal(t.instance_type, "g6.xlarge");
	assert_true(t.runs == 1 && t.from && t.to && t.from != t.to);
	/* 2 times as long, a fifth more at the slow end; the deadline of 12.5 h would allow 1.25 */
	near(bound(&t, MEASURE_SPEED, true), 0.8, 1e-9);
	fleet.workload.v[0].limit_ms = 40 * MS_HOUR;
	t = make();
	near(bound(&t, MEASURE_SPEED, true), 1 / 2.4, 1e-9);
	near(bound(&t, MEASURE_MEMORY, false), 24 * GIB / 1.25, 1e6);
	/* no range: two runs differ all the same */
	rec.change.v[0].hi_nano = rec.change.v[0].after.cost_nano;
	t = make();
	near(bound(&t, MEASURE_SPEED, true), 0.95 / 2, 1e-9);
	rec.change.v[0].hi_nano = 60 * NANO;
}

/* For one run one machine is enough, and nothing is given back for it. */
static void one_machine_is_made_for_it(void **state)
{
	struct plan_trial t;

	*vec_push(&rec.action) = (struct action){ .kind = ACTION_POOL,
						  .pool = { .was = 9, .now = 2 } };
	t = make();
	rec.action.n--;
	assert_int_equal(t.naction, 2);
	assert_int_equal(t.action[0].pool.now, 1);
	assert_int_equal(t.action[1].kind, ACTION_SUBMIT);
}

static void add(struct trial_runs *r, const char *gpu, double steps, double gib, int exit_code)
{
	*vec_push(&r->v) = (struct trial_run){ .workload = "bert",
					       .run = "",
					       .gpu = catalog_gpu(cat, sv_of(gpu)),
					       .gpus = 1,
					       .steps_s = steps,
					       .memory_bytes = gib * GIB,
					       .seconds = 3600,
					       .exit_code = exit_code };
}

static enum trial_verdict judged(const struct trial_runs *r)
{
	struct plan_trial t = make();
	struct trial_result res;

	plan_trial_judge(&t, r, &mem, &res);
	return res.verdict;
}

static void runs_decide(void **state)
{
	struct trial_runs r = { 0 };

	fleet.workload.v[0].limit_ms = 40 * MS_HOUR; /* at least 0.4167 of today's */
	assert_int_equal(judged(&r), TRIAL_OPEN);
	add(&r, "L4", 6, 10, 0);
	assert_int_equal(judged(&r), TRIAL_OPEN); /* against what? */
	add(&r, "A100-SXM4-40GB", 10, 10, 0);
	assert_int_equal(judged(&r), TRIAL_GO);
	r.v.v[0].steps_s = 3.5;
	assert_int_equal(judged(&r), TRIAL_NO_GO);
	r.v.v[0].steps_s = 4.3; /* within a tenth of 4.167: once more, and a third time */
	assert_int_equal(judged(&r), TRIAL_OPEN);
	add(&r, "L4", 4.3, 10, 0);
	assert_int_equal(judged(&r), TRIAL_OPEN);
	add(&r, "L4", 4.3, 10, 0);
	assert_int_equal(judged(&r), TRIAL_GO);
	r.v.v[3].memory_bytes = 20 * GIB; /* the highest of all, more than 19.2 */
	assert_int_equal(judged(&r), TRIAL_NO_GO);
	r.v.v[3].memory_bytes = NAN;
	assert_int_equal(judged(&r), TRIAL_GO);
	r.v.v[2].exit_code = 137;
	assert_int_equal(judged(&r), TRIAL_NO_GO);
	r.v.n = 2;
	r.v.v[0] = r.v.v[1];
	r.v.v[0].gpus = 4; /* four GPUs are another shape */
	assert_int_equal(judged(&r), TRIAL_OPEN);
	vec_free(&r.v);
}

/* A shorter limit is watched until there are enough runs, none longer than the limit allows. */
/* One machine is enough, and its jobs end before it is off; that none waits decides. */
static void one_machine_is_emptied_first(void **state)
{
	static const enum action_kind kind[] = { ACTION_CORDON, ACTION_DRAIN, ACTION_STOP };
	struct action was = rec.action.v[1];
	struct plan_trial t;
	size_t n = rec.action.n;

	rec.action.v[1] = (struct action){ .kind = ACTION_PACK };
	for (int i = 0; i < 6; i++)
		*vec_push(&rec.action) = (struct action){
			.kind = kind[i % 3],
			.machine = { .node = raw_name(i < 3 ? "n2" : "n1") },
		};
	rec.packs = true;
	t = make();
	rec.packs = false;
	rec.action.n = n;
	rec.action.v[1] = was;
	assert_int_equal(t.kind, TRIAL_AWAY);
	assert_int_equal(t.naction, 4); /* and the machine that it adds */
	for (int i = 0; i < 3; i++) {
		assert_int_equal(t.action[i + 1].kind, kind[i]);
		assert_string_equal(t.action[i + 1].machine.node.z, "n2");
	}
	assert_int_equal(t.cost_nano, 0);
	assert_non_null(strstr(t.check[0].why, "no job waits"));
}

static void limits_are_watched(void **state)
{
	struct action was = rec.action.v[1];
	struct plan_trial t;

	rec.action.v[1].submit.change = SUBMIT_LIMIT;
	rec.action.v[1].submit.now.limit_ms = 15 * MS_HOUR;
	t = make();
	rec.action.v[1] = was;
	assert_int_equal(t.kind, TRIAL_WATCH);
	assert_int_equal(t.runs, 19);
	assert_int_equal(t.naction, 0);
	near(bound(&t, MEASURE_RUN, false), 12 * 3600, 1e-6);
}

/* From its begin to its verdict: a run there, a machine off and on five times, an owner who is
 * notified before; nothing more once it came to go. */
static void takes_its_days(void **state)
{
	struct plan_conf conf;
	struct err err;
	const char *const tried[] = { "rightsize_gpu-bert" };

	assert_int_equal(plan_conf_load(NULL, &conf, &err), 0);
	assert_float_equal(plan_trial_days(&fleet, &conf, &rec), 10 * 2 / 24.0, 1e-9);
	rec.action.v[1].kind = ACTION_RELEASE;
	rec.action.v[1].release = (struct action_release){ .machines = 1 };
	assert_float_equal(plan_trial_days(&fleet, &conf, &rec), 5, 1e-9);
	rec.action.v[1].kind = ACTION_STOP;
	rec.action.v[1].machine = (struct machine_ref){ .node = raw_name("n1") };
	assert_float_equal(plan_trial_days(&fleet, &conf, &rec), 3 + 3, 1e-9);
	conf.tried = tried;
	conf.ntried = 1;
	assert_float_equal(plan_trial_days(&fleet, &conf, &rec), 0, 1e-9);
	plan_conf_free(&conf);
}

int main(void)
{
	const struct CMUnitTest t[] = {
		cmocka_unit_test(bounds_follow_range_limit_and_headroom),
		cmocka_unit_test(one_machine_is_made_for_it),
		cmocka_unit_test(runs_decide),
		cmocka_unit_test(one_machine_is_emptied_first),
		cmocka_unit_test(limits_are_watched),
		cmocka_unit_test(takes_its_days),
	};
	return cmocka_run_group_tests(t, setup, teardown);
}
