/* Booked time, count, input, storage: what each lever proposes on fleets of a few
 * works, and what it must leave alone. */
#include "fleet_fix.h"

/* ---- trim_time --------------------------------------------------------------------------- */

static void weekly(struct fix *x, int runs, double used, double held)
{
	static const char *const node[] = { "e1", "e2", "e3", "e4", "e5" }, *const job[] = {
		"eval-1", "eval-2", "eval-3", "eval-4", "eval-5"
	};

	fix_open(x, 24 * 40);
	for (int i = 0; i < runs; i++) {
		double at = i * 168;
		struct work *w = fix_work(x, WORK_JOB, job[i],
					  fix_node(x, node[i], "eval", at, at + held), 4, at,
					  at + held, used / held);
		w->stats.last_busy_ms = AT(at + used);
		w->limit_ms = (int64_t)(held * MS_HOUR);
	}
	fix_done(x);
}

static void overbooked(void **state)
{
	struct fix x;
	weekly(&x, 4, 8, 24);
	fix_ask(&x, LEVER_TRIM_TIME);
	assert_int_equal(x.out.v.n, 1);
	struct rec *r = x.out.v.v[0];
	assert_string_equal(r->id, "trim_time-vision-eval--");
	assert_near(fix_saving(&x, r), 4 * 15 * 12.24);
	assert_string_equal(line_of(&x.mem, r, false, 0), "#SBATCH --time=09:00:00");
	assert_string_equal(line_of(&x.mem, r, true, 0), "#SBATCH --time=1-00:00:00");
	assert_has(line_of(&x.mem, r, false, 1), "activeDeadlineSeconds: 32400");
	assert_int_equal(r->risk, RISK_LOW);
	assert_int_equal(r->change.v[0].after.end_ms, AT(9));
	fix_close(&x);
}

static void a_machine_that_stays_is_released_later(void **state)
{
	struct fix x;
	weekly(&x, 4, 8, 24);
	for (size_t i = 0; i < 4; i++)
		x.f.node.v[i].to_ms += 5 * MS_HOUR; /* it waited for others */
	fix_ask(&x, LEVER_TRIM_TIME);
	assert_near(fix_saving(&x, x.out.v.v[0]), 4 * (15 - 20.0 / 60) * 12.24);
	fix_close(&x);
}

static void not_a_habit(void **state)
{
	struct fix x;
	weekly(&x, 2, 8, 24); /* two runs are no habit */
	fix_ask(&x, LEVER_TRIM_TIME);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
	weekly(&x, 4, 8, 24);
	for (size_t i = 0; i < 4; i++)
		/* what it did in the other half is unknown */
		x.f.work.v[i].stats.covered_frac = 0.5;
	fix_ask(&x, LEVER_TRIM_TIME);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
	weekly(&x, 4, 8, 8.2); /* booked well */
	fix_ask(&x, LEVER_TRIM_TIME);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

static void a_run_that_would_be_cut(void **state)
{
	struct fix x;
	weekly(&x, 5, 8, 24);
	x.f.work.v[2].end_state = "FAILED"; /* says nothing about the time that is needed ... */
	x.f.work.v[2].stats.last_busy_ms = AT(2 * 168 + 20);
	fix_ask(&x, LEVER_TRIM_TIME);
	struct rec *r = x.out.v.v[0];
	/* ... and would have been cut all the same */
	assert_int_equal(r->replay.deadline_misses, 1);
	assert_int_equal(r->change.n, 4);
	assert_int_equal(r->risk, RISK_HIGH);
	fix_close(&x);
}

/* ---- rightsize_count --------------------------------------------------------------------- */

static void one_of_four(void **state)
{
	struct fix x;
	fix_open(&x, 240);
	struct work *w = fix_work(&x, WORK_JOB, "j1", fix_node(&x, "n1", "c", 0, 240), 4, 0, 100,
				  0.25);
	w->stats.cards_used = 1;
	w->stats.spare_active_frac = 0;
	fix_work(&x, WORK_JOB, "j2", fix_node(&x, "n2", "c", 0, 240), 4, 0, 100, 1);
	/* no machine has two or three */
	w = fix_work(&x, WORK_JOB, "j3", fix_node(&x, "n3", "c", 0, 240), 4, 0, 100, 0.5);
	w->stats.cards_used = 2;
	w = fix_work(&x, WORK_JOB, "j4", fix_node(&x, "n4", "c", 0, 240), 4, 0, 100, 0.25);
	w->stats.cards_used = 1;
	w->stats.covered_frac = 0.6; /* unknown is not unused */
	fix_done(&x);
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_int_equal(x.out.v.n, 1);
	struct rec *r = x.out.v.v[0];
	assert_int_equal(r->change.n, 1);
	assert_near(fix_saving(&x, r), 0.75 * 100 * 12.24);
	assert_string_equal(r->change.v[0].after.instance_type, "p3.2xlarge");
	assert_int_equal(r->change.v[0].after.gpus_milli, 1000);
	assert_int_equal(r->risk, RISK_LOW);
	assert_has(line_of(&x.mem, r, false, 0), "--gres=gpu:1");
	/* the others did something: more risk */
	x.f.work.v[0].stats.spare_active_frac = 0.001;
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_int_equal(x.out.v.v[0]->risk, RISK_MEDIUM);
	/* it keeps 20 of the 32 cores busy: the small machine has 8 */
	x.f.work.v[0].stats.cpu_mean_pct = 62;
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

/* Names that are alike in an id are other teams all the same: each its own, none gets another's. */
static void names_that_look_alike(void **state)
{
	static const char *const team[] = { "a b", "a,b", "a-b", "!", "?", "A B" },
				 *const node[] = { "n1", "n2", "n3", "n4", "n5", "n6" },
				 *const job[] = { "j1", "j2", "j3", "j4", "j5", "j6" };
	const size_t n = sizeof team / sizeof *team;
	struct fix x;
	fix_open(&x, 240);
	for (size_t i = 0; i < n; i++) {
		struct work *w = fix_work(&x, WORK_JOB, job[i], fix_node(&x, node[i], "c", 0, 240),
					  4, 0, 100, 0.25);
		w->team = team[i];
		w->stats.cards_used = 1;
		w->stats.spare_active_frac = 0;
	}
	fix_done(&x);
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_int_equal(x.out.v.n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(x.out.v.v[i]->change.n, 1);
		assert_string_equal(x.out.v.v[i]->team, team[i]);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(x.out.v.v[i]->id, x.out.v.v[j]->id);
	}
	fix_close(&x);
}

static void follows_the_state(void **state)
{
	struct fix x;
	fix_open(&x, 240);
	struct work *w = fix_work(&x, WORK_JOB, "j1", fix_node(&x, "n1", "c", 0, 240), 4, 0, 100,
				  0.25);
	w->stats.cards_used = 1;
	w->stats.spare_active_frac = 0;
	fix_done(&x);
	x.use[0].cost_nano /= 2; /* half of it went by another lever */
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_near(fix_saving(&x, x.out.v.v[0]), 0.75 * 50 * 12.24);
	fix_apply(&x, x.out.v.v[0]);
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT); /* nothing twice */
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

static void parts_of_machines(void **state)
{
	struct fix x;
	fix_open(&x, 240);
	size_t a = fix_node(&x, "n1", "c", 0, 200), b = fix_node(&x, "n2", "c", 0, 200);
	fix_work(&x, WORK_JOB, "p", a, 2, 0, 200, 1);
	fix_work(&x, WORK_FREE, "", a, 2, 0, 200, 0);
	fix_work(&x, WORK_JOB, "q", b, 2, 0, 200, 1);
	fix_work(&x, WORK_FREE, "", b, 2, 0, 200, 0);
	fix_done(&x);
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_int_equal(x.out.v.n, 1);
	struct rec *r = x.out.v.v[0];
	assert_string_equal(r->id, "rightsize_count-c-p3.8xlarge-pack");
	/* one machine, its boot and its release */
	assert_near(fix_saving(&x, r), (400 - 200 - 20.0 / 60) * 12.24);
	fix_apply(&x, r);
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

static void machines_that_are_full_or_serve(void **state)
{
	struct fix x;
	fix_open(&x, 240);
	size_t a = fix_node(&x, "n1", "c", 0, 200), b = fix_node(&x, "n2", "c", 0, 200);
	fix_work(&x, WORK_JOB, "p", a, 3, 0, 200, 1); /* 3 and 3 do not fit */
	fix_work(&x, WORK_FREE, "", a, 1, 0, 200, 0);
	fix_work(&x, WORK_JOB, "q", b, 3, 0, 200, 1);
	fix_work(&x, WORK_FREE, "", b, 1, 0, 200, 0);
	fix_done(&x);
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_int_equal(x.out.v.n, 0);
	x.f.work.v[0].gpus_milli = x.use[0].gpus_milli = 1000;
	x.f.work.v[0].kind = WORK_SERVICE; /* its replicas are not moved here */
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

/* ---- input_bound, storage, advice -------------------------------------------------------- */

static struct work *hungry(struct fix *x, uint32_t *hist)
{
	struct work *w = fix_work(x, WORK_JOB, "j1", fix_node(x, "n1", "c", 0, 240), 4, 0, 100,
				  0.6);

	hist[0] = 400;
	hist[40] = 600;
	w->stats.util_hist = hist;
	return w;
}

static void input_bound(void **state)
{
	uint32_t hist[101] = { 0 };
	struct fix x;
	fix_open(&x, 240);
	struct work *w = hungry(&x, hist);
	w->stats.cpu_mean_pct = 97;
	fix_done(&x);
	fix_ask(&x, LEVER_INPUT_BOUND);
	struct rec *r = x.out.v.v[0];
	assert_true(r->advice); /* no action is sure to bring it: outside of the sums */
	assert_has(r->title, "waiting for input");
	assert_near(fix_saving(&x, r), 100 * 12.24 * 0.4 * 0.5);
	assert_true(r->change.v[0].lo_nano < r->change.v[0].after.cost_nano &&
		    r->change.v[0].hi_nano > r->change.v[0].after.cost_nano);
	assert_true(r->risk >= RISK_MEDIUM);
	x.f.work.v[0].stats.cpu_mean_pct = NAN; /* why it waits is not known: measure first */
	fix_ask(&x, LEVER_INPUT_BOUND);
	assert_true(x.out.v.v[0]->advice);
	hist[0] = 200; /* not starved */
	hist[40] = 800;
	fix_ask(&x, LEVER_INPUT_BOUND);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

static void storage(void **state)
{
	struct fix x;
	fix_open(&x, 24 * 40);
	fix_work(&x, WORK_JOB, "j1", fix_node(&x, "train-1", "train", 0, 240), 4, 0, 240, 1);
	x.f.work.v[0].team = "nlp";
	fix_work(&x, WORK_FREE, "", fix_node(&x, "legacy-1", "legacy", 0, 960), 4, 0, 960, 0);
	static const char *const name[] = { "legacy-scratch", "train-data", "",
					    "checkpoints",    "legacyfoo",  "legacy-new",
					    "legacy-gone" };
	for (size_t i = 0; i < COUNT(name); i++) {
		struct work *w = vec_push(&x.f.work);
		*w = x.f.work.v[0];
		w->kind = WORK_LINE;
		w->line_kind = KIND_STORAGE;
		w->node = w->cluster = w->job = w->team = w->user = "";
		w->name = name[i];
		w->node_index = SIZE_MAX;
		w->nhour = 0;
		w->start_ms = AT(i == 5 ? 24 * 20 : 0);
		w->end_ms = AT(i == 6 ? 24 * 30 : 24 * 40);
		w->cost_nano = 100 * NANO;
	}
	fix_done(&x);
	fix_ask(&x, LEVER_STORAGE);
	struct rec *r = fix_rec(&x, "storage-legacy-scratch");
	assert_near(fix_saving(&x, r), 84.38);
	assert_near((double)r->change.v[0].hi_nano / 1e9, 62.5);
	assert_int_equal(r->tier, TIER_TRIAL);
	assert_has(r->evidence.v[0].value, "40");
	assert_true(fix_rec(&x, "storage-expire-checkpoints")->advice);
	/* used ten days long, unused for thirty since */
	assert_non_null(fix_rec(&x, "storage-train-data"));
	/* of twenty days that it was paid; and no longer paid at all */
	assert_null(fix_rec(&x, "storage-legacy-new"));
	assert_null(fix_rec(&x, "storage-legacy-gone"));
	assert_int_equal(x.out.v.n, 3);
	/* what it takes is said */
	bool told = false;
	for (size_t i = 0; i < x.note.n; i++)
		told |= strstr(x.note.v[i], "20 days of history show no use, 30 are asked for") !=
			NULL;
	assert_true(told);
	x.f.work.v[0].end_ms = AT(24 * 11); /* read a day later */
	fix_ask(&x, LEVER_STORAGE);
	assert_null(fix_rec(&x, "storage-train-data"));
	x.conf.gates.storage_days = 41;
	fix_ask(&x, LEVER_STORAGE);
	assert_null(fix_rec(&x, "storage-legacy-scratch"));
	fix_close(&x);
}

/* Nothing is deleted before its snapshot is whole. */
static void storage_is_kept(void **state)
{
	struct action_text t;
	const struct action a = { .kind = ACTION_ARCHIVE,
				  .archive = {
					  .provider = raw_name("aws"),
					  .region = raw_name("us-east-1"),
					  .name = raw_name("old"),
					  .resource = raw_name("arn:aws:ec2:r:1:volume/vol-0a"),
					  .kept_days = 30 } };
	size_t made = 0, whole = 0, gone = 0, kept = 0;

	action_text_make(&a, 1, &t);
	for (size_t i = 0; i < t.apply.n; i++) {
		made = strstr(t.apply.v[i], "create-snapshot") ? i : made;
		whole = strstr(t.apply.v[i], "wait snapshot-completed") ? i : whole;
		gone = strstr(t.apply.v[i], "delete-volume") ? i : gone;
		kept = strstr(t.apply.v[i], "kept for 30 days") ? i : kept;
	}
	assert_true(made && made < whole && whole <= gone && kept);
	assert_true(strstr(t.apply.v[gone], "snapshot-completed") <
		    strstr(t.apply.v[gone], "delete-volume"));
	action_text_free(&t);
}

static void techniques(void **state)
{
	struct fix x;
	fix_open(&x, 240);
	fix_work(&x, WORK_JOB, "j1", fix_node(&x, "n1", "c", 0, 240), 4, 0, 100, 1);
	fix_done(&x);
	fix_ask(&x, LEVER_ADVICE);
	assert_int_equal(x.out.v.n, 2); /* early stopping, transfer; no sweep, no service */
	for (size_t i = 0; i < x.out.v.n; i++) {
		const struct rec *r = x.out.v.v[i];
		assert_true(r->advice && r->quality_risk && !r->change.n &&
			    r->p05_nano < r->p95_nano);
		assert_has(line_of(&x.mem, r, false, 0), "measure first");
	}
	fix_close(&x);
}

/* ---- people decide ----------------------------------------------------------------------- */

static void frozen_teams(void **state)
{
	struct fix x;
	weekly(&x, 4, 8, 24);
	x.f.work.v[0].stats.cards_used = 1;
	*vec_push(&x.conf.frozen_team) = "vision";
	fix_ask(&x, LEVER_TRIM_TIME);
	assert_int_equal(x.out.v.n, 0);
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

static void nothing_at_all(void **state)
{
	static const enum lever_id all[] = { LEVER_STOP_IDLE,       LEVER_STORAGE,
					     LEVER_TRIM_TIME,       LEVER_INPUT_BOUND,
					     LEVER_RIGHTSIZE_COUNT, LEVER_ADVICE };
	struct fix x;
	fix_open(&x, 24);
	fix_done(&x);
	for (size_t i = 0; i < COUNT(all); i++) {
		fix_ask(&x, all[i]);
		assert_int_equal(x.out.v.n, 0);
	}
	fix_close(&x);
	/* one day on which nothing was read */
	fix_open(&x, 24);
	size_t n = fix_node(&x, "n1", "c", 0, 24);
	struct work *w = fix_work(&x, WORK_JOB, "j", n, 4, 0, 24, 0);
	w->stats = (struct work_stats){ .idle_frac = NAN,
					.util_mean_pct = NAN,
					.active_util_mean_pct = NAN,
					.spare_active_frac = NAN,
					.cpu_mean_pct = NAN,
					.mem_p99_bytes = NAN,
					.first_busy_ms = UNKNOWN_MS,
					.last_busy_ms = UNKNOWN_MS };
	fix_done(&x);
	for (size_t i = 0; i < COUNT(all) - 1; i++) {
		fix_ask(&x, all[i]);
		assert_int_equal(x.out.v.n, 0);
	}
	fix_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(overbooked),
		cmocka_unit_test(a_machine_that_stays_is_released_later),
		cmocka_unit_test(not_a_habit),
		cmocka_unit_test(a_run_that_would_be_cut),
		cmocka_unit_test(one_of_four),
		cmocka_unit_test(names_that_look_alike),
		cmocka_unit_test(follows_the_state),
		cmocka_unit_test(parts_of_machines),
		cmocka_unit_test(machines_that_are_full_or_serve),
		cmocka_unit_test(input_bound),
		cmocka_unit_test(storage),
		cmocka_unit_test(storage_is_kept),
		cmocka_unit_test(techniques),
		cmocka_unit_test(frozen_teams),
		cmocka_unit_test(nothing_at_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
