/* The spot lever on fleets of a few jobs: what goes to spot, what is only told to save first, and
 * what is left alone. */
#include "fleet_fix.h"

#define RESUMES   "spot-vision-v100-sxm2-16gb-us-east-1"
#define FROM_ZERO "spot-vision-v100-sxm2-16gb-us-east-1-from-zero"

static struct work *job(struct fix *x, const char *id, double from, double to, int checkpointable)
{
	struct work *w = fix_work(x, WORK_JOB, id, fix_node(x, id, "training", from, to), 4, from,
				  to, 1);
	w->checkpointable = checkpointable;
	return w;
}

static void jobs_that_resume_go(void **state)
{
	struct fix x;
	fix_open(&x, 240);
	for (int i = 0; i < 6; i++)
		job(&x, (const char *[]){ "11", "12", "13", "14", "15", "16" }[i], i * 24,
		    i * 24 + 20, 1);
	fix_done(&x);
	fix_ask(&x, LEVER_SPOT);
	struct rec *r = fix_rec(&x, RESUMES);
	assert_non_null(r);
	assert_int_equal(x.out.v.n, 1);
	assert_int_equal(r->change.n, 6);
	assert_int_equal(r->replay.deadline_misses, 0);
	assert_true(r->replay.interruptions > 0);
	assert_int_equal(r->risk, RISK_MEDIUM); /* interruptions are never a low risk */
	for (size_t i = 0; i < r->change.n; i++) {
		const struct rec_change *c = &r->change.v[i];
		assert_string_equal(c->after.purchase, "spot");
		assert_true(c->lo_nano <= c->after.cost_nano && c->after.cost_nano <= c->hi_nano);
		/* the price alone: 1.7136 of 12.24 $/h for 20 h and 5 minutes of boot; the rest is
		 * what interruptions cost */
		double usd = (double)c->after.cost_nano / 1e9;
		assert_true(usd > 20 * 1.7136 && usd < 20 * 1.7136 * 1.2);
		assert_true(c->after.end_ms >= x.use[c->work].end_ms);
	}
	assert_true(says(r, "--requeue")); /* numbers are job ids of Slurm */
	/* same seed, same plan */
	int64_t first = r->change.v[0].after.cost_nano;
	fix_ask(&x, LEVER_SPOT);
	assert_int_equal(fix_rec(&x, RESUMES)->change.v[0].after.cost_nano, first);
	fix_close(&x);
}

/* Long jobs that nobody knows to resume: the advice to save, and no move; it saves nothing. */
static void without_checkpoints_first_things_first(void **state)
{
	struct fix x;
	fix_open(&x, 240);
	job(&x, "a", 0, 60, 0);
	job(&x, "b", 80, 140, -1);
	fix_done(&x);
	fix_ask(&x, LEVER_SPOT);
	struct rec *r = fix_rec(&x, "spot-checkpoints-vision");
	assert_non_null(r);
	assert_int_equal(x.out.v.n, 1);
	assert_true(r->prepares);
	assert_int_equal(r->change.n, 0);
	assert_has(r->title, "add checkpoints to 2 jobs");
	/* a rule is evidence */
	struct err err;
	plan_conf_free(&x.conf);
	assert_int_equal(
		plan_conf_parse(
			"c",
			SV("version: 1\nplan: {rules: [{when: {team: vision}, checkpointable: true}]}\n"),
			&x.conf, &err),
		0);
	fix_ask(&x, LEVER_SPOT);
	assert_int_equal(fix_rec(&x, RESUMES)->change.n, 2);
	fix_close(&x);
}

/* A short job with time to try again: from zero, and the risk says so. */
static void short_jobs_start_again(void **state)
{
	struct fix x;
	fix_open(&x, 48);
	job(&x, "pod-1", 0, 1, -1)->deadline_ms = AT(4);
	fix_done(&x);
	fix_ask(&x, LEVER_SPOT);
	struct rec *r = fix_rec(&x, FROM_ZERO);
	assert_non_null(r);
	assert_int_equal(x.out.v.n, 1);
	assert_int_equal(r->replay.deadline_misses, 0);
	bool risky = false;
	for (size_t i = 0; i < r->risk_text.n; i++)
		risky |= strstr(r->risk_text.v[i], "from zero") != NULL;
	assert_true(risky);
	assert_true(says(r, "capacityType: SPOT")); /* no number: not of Slurm */
	fix_close(&x);
}

/* The patch of a Kubernetes Job, pasted together: YAML that runs the command under tare run, and
 * makes a new pod after 85. */
static void a_patch_for_kubernetes(void **state)
{
	struct fix x;
	struct str y = { 0 };
	struct yaml_doc *d;
	struct err err;
	const char *z = NULL;
	fix_open(&x, 240);
	job(&x, "pod-1", 0, 60, 1);
	fix_done(&x);
	fix_ask(&x, LEVER_SPOT);
	struct rec *r = fix_rec(&x, RESUMES);
	assert_non_null(r);
	bool in = false;
	const char *line;
	for (size_t i = 0; (line = line_of(&x.mem, r, false, i)); i++) {
		in = in && strcmp(line, "END") != 0;
		if (in)
			str_addf(&y, "%s\n", line);
		in |= strstr(line, "<<'END'") != NULL;
	}
	assert_int_equal(yaml_parse("patch", str_sv(&y), &d, &err), 0);
	const struct yaml *spec = yaml_get(yaml_root(d), "spec"),
			  *pod = yaml_get(yaml_get(spec, "template"), "spec");
	assert_int_equal(yaml_text(d, pod, "restartPolicy", &z, &err), 0);
	assert_string_equal(z, "Never");
	assert_non_null(yaml_get(pod, "terminationGracePeriodSeconds"));
	assert_non_null(yaml_get(pod, "nodeSelector"));
	assert_non_null(yaml_get(yaml_get(spec, "podFailurePolicy"), "rules"));
	assert_non_null(strstr(str_z(&y), "command: [\"tare\", \"run\", \"--every\","));
	yaml_doc_free(d);
	str_free(&y);
	fix_close(&x);
}

/* No time for a restart: a job that resumes could only run on demand, so nothing is proposed. */
static void no_time_no_spot(void **state)
{
	struct fix x;
	fix_open(&x, 48);
	struct work *w = job(&x, "a", 0, 30, 1);
	w->deadline_ms = w->end_ms;
	fix_done(&x);
	fix_ask(&x, LEVER_SPOT);
	assert_int_equal(x.out.v.n, 0);
	assert_has(x.note.v[0], "not cheaper there");
	fix_close(&x);
}

static void leaves_alone(void **state)
{
	struct fix x;
	fix_open(&x, 240);
	job(&x, "serves", 0, 20, 1)->workload = "inference";
	job(&x, "notes", 0, 20, 1)->notebook = true;
	job(&x, "spot already", 0, 20, 1)->purchase = "spot";
	job(&x, "owned", 0, 20, 1)->elastic = false;
	struct work *part = job(&x, "part of a machine", 0, 20, 1);
	part->gpus_milli = 1000;
	struct work *model = job(&x, "no price", 0, 20, 1);
	model->provider = "nowhere";
	fix_work(&x, WORK_SERVICE, "service", fix_node(&x, "s", "serving", 0, 240), 4, 0, 240, 1)
		->checkpointable = 1;
	fix_work(&x, WORK_FREE, "", fix_node(&x, "f", "training", 0, 240), 4, 0, 240, 0);
	fix_done(&x);
	fix_ask(&x, LEVER_SPOT);
	assert_int_equal(x.out.v.n, 0);
	assert_int_equal(x.note.n, 2);
	assert_has(x.note.v[0], "holding a part of one: 1 job");
	assert_has(x.note.v[1], "no spot price");
	struct err err; /* and what people want left alone */
	fix_close(&x);
	fix_open(&x, 240);
	job(&x, "a", 0, 20, 1);
	fix_done(&x);
	plan_conf_free(&x.conf);
	assert_int_equal(
		plan_conf_parse(
			"c",
			SV("version: 1\nplan: {rules: [{when: {team: vision}, interruptible: false}]}\n"),
			&x.conf, &err),
		0);
	fix_ask(&x, LEVER_SPOT);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

/* Only the part of a job inside the window counts. */
static void cut_by_the_window(void **state)
{
	struct fix x;
	fix_open(&x, 20);
	struct work *w = job(&x, "1", 0, 20, 1);
	w->end_ms = AT(40);
	w->deadline_ms = AT(60);
	fix_done(&x);
	fix_ask(&x, LEVER_SPOT);
	double usd = (double)fix_rec(&x, RESUMES)->change.v[0].after.cost_nano / 1e9;
	assert_true(usd > 20 * 1.7136 && usd < 20 * 1.7136 * 1.2);
	fix_close(&x);
}

/* Services stay, unless a rule says which part stays on demand and that part carried the load
 * alone. */
static void services_only_above_their_floor(void **state)
{
	struct fix x;
	struct err err;
	fix_open(&x, 240);
	for (int i = 0; i < 4; i++) {
		const char *name = (const char *[]){ "s1", "s2", "s3", "s4" }[i];
		struct work *w = fix_work(&x, WORK_SERVICE, name,
					  fix_node(&x, name, "serving", 0, 240), 4, 0, 240, 1);
		w->service = "ranker";
		w->workload = "inference";
		w->stats.util_p95_pct = 30;
	}
	fix_done(&x);
	fix_ask(&x, LEVER_SPOT);
	assert_int_equal(x.out.v.n, 0);
	plan_conf_free(&x.conf);
	assert_int_equal(
		plan_conf_parse(
			"c",
			SV("version: 1\nplan: {rules: [{when: {service: ranker}, spot_floor_frac: 0.5}]}\n"),
			&x.conf, &err),
		0);
	fix_ask(&x, LEVER_SPOT); /* 30 % of four is 60 % of two */
	struct rec *r = fix_rec(&x, "spot-service-ranker");
	assert_non_null(r);
	assert_int_equal(r->change.n, 2);
	assert_int_equal(r->change.v[0].work, 2);
	assert_true(r->replay.interruptions > 0);
	assert_true(fabs((double)r->change.v[0].after.cost_nano / 1e9 - 240 * 1.7136) < 0.01);
	for (int i = 0; i < 4; i++)
		x.f.work.v[i].stats.util_p95_pct = 50; /* all of two: too much */
	fix_ask(&x, LEVER_SPOT);
	assert_int_equal(x.out.v.n, 0);
	assert_has(x.note.v[0], "would not have carried");
	x.f.work.v[3].stats.covered_frac = 0.1;
	fix_ask(&x, LEVER_SPOT);
	assert_int_equal(x.out.v.n, 0);
	assert_has(x.note.v[1], "not read well enough");
	fix_close(&x);
}

/* A rolling update: the floor's replicas end where the others begin, and nothing on demand would be
 * left. */
static void no_spot_without_the_floor_beside_it(void **state)
{
	struct fix x;
	struct err err;
	fix_open(&x, 240);
	for (int i = 0; i < 4; i++) {
		const char *name = (const char *[]){ "s1", "s2", "s3", "s4" }[i];
		struct work *w = fix_work(&x, WORK_SERVICE, name,
					  fix_node(&x, name, "serving", 0, 240), 4, i < 2 ? 0 : 120,
					  i < 2 ? 120 : 240, 1);
		w->service = "ranker";
		w->workload = "inference";
		w->stats.util_p95_pct = 30;
	}
	fix_done(&x);
	plan_conf_free(&x.conf);
	assert_int_equal(
		plan_conf_parse(
			"c",
			SV("version: 1\nplan: {rules: [{when: {service: ranker}, spot_floor_frac: 0.5}]}\n"),
			&x.conf, &err),
		0);
	fix_ask(&x, LEVER_SPOT);
	assert_null(fix_rec(&x, "spot-service-ranker"));
	fix_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_that_resume_go),
		cmocka_unit_test(without_checkpoints_first_things_first),
		cmocka_unit_test(short_jobs_start_again),
		cmocka_unit_test(a_patch_for_kubernetes),
		cmocka_unit_test(no_time_no_spot),
		cmocka_unit_test(leaves_alone),
		cmocka_unit_test(cut_by_the_window),
		cmocka_unit_test(services_only_above_their_floor),
		cmocka_unit_test(no_spot_without_the_floor_beside_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
