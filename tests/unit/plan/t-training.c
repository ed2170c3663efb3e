/* What a team's own training runs say, in money that can be told in the head: a machine of 4 GPUs
 * is 12.24 $ an hour. */
#include "fleet_fix.h"

#define RUN_USD 122.4 /* ten hours of it */

/* A job of ten hours on four GPUs from hour `from`, called name; ten evaluations, one at the end
 * of each hour. */
static void add_run(struct fix *x, size_t node, const char *job, const char *name, double from,
		    const char *config, const double *loss)
{
	struct workload *w = fix_workload(x, WORKLOAD_JOB, job, node, 4, from, from + 10, 1);
	struct fleet_curve *c;

	w->name = name;
	if (!loss)
		return;
	c = vec_push(&x->f.curve);
	*c = (struct fleet_curve){ .run = name,
				   .metric = "val_loss",
				   .config = config,
				   .job = job,
				   .point0 = x->f.point.n,
				   .npoint = 10,
				   .every = 1,
				   .low = loss[0],
				   .high = loss[0] };
	for (int i = 0; i < 10; i++) {
		c->low = fmin(c->low, loss[i]);
		c->high = fmax(c->high, loss[i]);
		*vec_push(&x->f.point) = (struct fleet_point){ i, AT(from + i + 1), loss[i] };
	}
}

static const char *text(struct fix *x, const char *fmt, int i)
{
	return arena_printf(&x->mem, fmt, i);
}

static const struct evidence *evidence_of(const struct rec *r, const char *metric)
{
	for (size_t i = 0; i < r->evidence.n; i++)
		if (!strcmp(r->evidence.v[i].metric, metric))
			return &r->evidence.v[i];
	fail_msg("no evidence '%s' in %s", metric, r->id);
	return NULL;
}

static void usd_is(int64_t nano, double usd)
{
	if (fabs((double)nano / 1e9 - usd) > 0.005)
		fail_msg("%.4f, not %.4f", (double)nano / 1e9, usd);
}

static void early_stopping(void **state)
{
	/* best at the third, and for run 2 again at the sixth: a wait of two, so a patience of
	 * three */
	static const double flat[] = { 9, 5, 1, 1, 1, 1, 1, 1, 1, 1 };
	static const double late[] = { 9, 5, 2, 2, 2, 1, 1, 1, 1, 1 };
	struct fix x;
	fix_open(&x, 240);
	size_t n = fix_node(&x, "n1", "c", 0, 240);
	for (int i = 0; i < 5; i++)
		add_run(&x, n, text(&x, "j%d", i), text(&x, "net-%d", i), 12.0 * i, "",
			i == 2 ? late : flat);
	fix_done(&x);
	fix_ask(&x, LEVER_ADVICE);
	const struct rec *r = fix_rec(&x, "advice-early-stopping-vision-net---val_loss");
	assert_non_null(r);
	assert_true(r->advice && r->quality_risk && r->tier == TIER_TRIAL && !r->change.n);
	assert_int_equal(r->action.v[0].technique.patience, 3);
	assert_string_equal(r->action.v[0].technique.metric.z, "val_loss");
	assert_false(r->action.v[0].technique.higher);
	assert_true(r->action.v[0].technique.delta_frac == x.conf.early_stop_delta_frac);
	assert_string_equal(r->action.v[0].which.name.z, "net-*");
	assert_string_equal(r->action.v[0].which.team.z, "vision");
	/* four stop behind the sixth of ten hours, one behind the ninth */
	usd_is(r->saving_nano, RUN_USD * (4 * 0.4 + 0.1));
	assert_string_equal(evidence_of(r, "runs that would have ended before")->value, "5");
	assert_string_equal(evidence_of(r, "lost by the run that lost most")->value, "0.0000");
	/* draws without the late one choose a patience of one, and lose an eighth of its gain */
	assert_string_equal(evidence_of(r, "most that such a run lost")->value, "0.1250");
	assert_true(r->p05_nano <= r->saving_nano && r->p95_nano > r->saving_nano);
	assert_null(fix_rec(&x, "advice-early-stopping")); /* not estimated again */
	fix_close(&x);
}

/* Of long curves every other evaluation is there; the one that has all is looked at the same way,
 * and the patience that is printed counts all of them. */
static void long_curves(void **state)
{
	static const double flat[] = { 9, 5, 1, 1, 1, 1, 1, 1, 1, 1 };
	static const double late[] = { 9, 5, 2, 2, 2, 1, 1, 1, 1, 1 };
	struct fix x;
	fix_open(&x, 240);
	size_t n = fix_node(&x, "n1", "c", 0, 240);
	for (int i = 0; i < 5; i++) {
		add_run(&x, n, text(&x, "j%d", i), text(&x, "net-%d", i), 12.0 * i, "",
			i == 2 ? late : flat);
		x.f.curve.v[i].every = i ? 2 : 1;
	}
	fix_done(&x);
	fix_ask(&x, LEVER_ADVICE);
	const struct rec *r = fix_rec(&x, "advice-early-stopping-vision-net---val_loss");
	assert_non_null(r);
	assert_int_equal(r->action.v[0].technique.patience, 3 * 2);
	/* three stop behind the sixth of ten hours, the late one and the one of which hours 1, 3,
	 * 5, 7, 9 and 10 are looked at behind the ninth */
	usd_is(r->saving_nano, RUN_USD * (3 * 0.4 + 2 * 0.1));
	fix_close(&x);
}

/* Runs of one name by two metrics are two groups, and two recommendations. */
static void one_name_two_metrics(void **state)
{
	static const double flat[] = { 9, 5, 1, 1, 1, 1, 1, 1, 1, 1 };
	struct fix x;
	fix_open(&x, 240);
	size_t n = fix_node(&x, "n1", "c", 0, 240);
	for (int i = 0; i < 10; i++) {
		add_run(&x, n, text(&x, "j%d", i), text(&x, "net-%d", i), 12.0 * i, "", flat);
		x.f.curve.v[i].metric = i < 5 ? "val_loss" : "val_error";
	}
	fix_done(&x);
	fix_ask(&x, LEVER_ADVICE);
	const struct rec *a = fix_rec(&x, "advice-early-stopping-vision-net---val_loss");
	const struct rec *b = fix_rec(&x, "advice-early-stopping-vision-net---val_error");
	assert_non_null(a);
	assert_non_null(b);
	assert_string_equal(a->action.v[0].technique.metric.z, "val_loss");
	assert_string_equal(b->action.v[0].technique.metric.z, "val_error");
	fix_close(&x);
}

static void too_few_or_unknown(void **state)
{
	static const double flat[] = { 9, 5, 1, 1, 1, 1, 1, 1, 1, 1 };
	struct fix x;
	fix_open(&x, 240);
	size_t n = fix_node(&x, "n1", "c", 0, 240);
	for (int i = 0; i < 4; i++)
		add_run(&x, n, text(&x, "j%d", i), text(&x, "net-%d", i), 12.0 * i, "", flat);
	add_run(&x, n, "j9", "net-9", 60, "", flat);
	x.f.curve.v[4].metric = "speed";
	fix_done(&x);
	fix_ask(&x, LEVER_ADVICE);
	assert_null(fix_rec(&x, "advice-early-stopping-vision-net---val_loss"));
	assert_non_null(fix_rec(&x, "advice-early-stopping"));
	bool few = false, unknown = false;
	for (size_t i = 0; i < x.note.n; i++) {
		few |= strstr(x.note.v[i], "4 runs with curves are of kinds") != NULL;
		unknown |= strstr(x.note.v[i], "whether 'speed' is better") != NULL;
	}
	assert_true(few && unknown);
	/* told by a column it counts: a speed rises, this one falls and has nothing to lose */
	x.f.curve.v[4].better = BETTER_HIGHER;
	x.f.curve.v[4].metric = "val_loss";
	fix_ask(&x, LEVER_ADVICE);
	assert_non_null(fix_rec(&x, "advice-early-stopping-vision-net---val_loss"));
	/* runs that people stopped show no end */
	x.f.workload.v[0].end_state = "CANCELLED";
	fix_ask(&x, LEVER_ADVICE);
	assert_null(fix_rec(&x, "advice-early-stopping-vision-net---val_loss"));
	fix_close(&x);
}

static void sweep(void **state)
{
	double loss[10];
	struct fix x;
	fix_open(&x, 400);
	size_t n = fix_node(&x, "n1", "c", 0, 400);
	/* twelve settings, of which the second, the third and the sixth are as good as any */
	for (int i = 0; i < 12; i++) {
		for (int k = 0; k < 10; k++)
			loss[k] = (i == 1 || i == 2 || i == 5 ? 1 : 2) + 9 - k;
		add_run(&x, n, text(&x, "j%d", i), text(&x, "net-%d", i), 12.0 * i, "", loss);
	}
	fix_done(&x);
	fix_ask(&x, LEVER_ADVICE);
	const struct rec *r = NULL;
	for (size_t i = 0; i < x.out.v.n; i++)
		if (strstr(x.out.v.v[i]->id, "tuning-budget-vision"))
			r = x.out.v.v[i];
	assert_non_null(r);
	assert_true(r->advice && r->quality_risk);
	/* C(9,k)/C(12,k) <= 5 %: 7 (4.5 %), as 6 has 9.1 %; after the second run ten came */
	assert_string_equal(evidence_of(r, "runs that find one of them 19 times in 20")->value,
			    "7");
	usd_is(r->saving_nano, RUN_USD * 5);
	usd_is(r->p95_nano, RUN_USD * 10);
	assert_null(fix_rec(&x, "advice-tuning-budget"));
	fix_close(&x);
}

/* The best of forty is one alone, the last: what would free two of them would miss it twice in
 * forty. */
static void sweep_that_was_needed(void **state)
{
	double loss[10];
	struct fix x;
	fix_open(&x, 600);
	size_t n = fix_node(&x, "n1", "c", 0, 600);
	for (int i = 0; i < 40; i++) {
		for (int k = 0; k < 10; k++)
			loss[k] = (i == 39 ? 1 : 2) + 9 - k;
		add_run(&x, n, text(&x, "j%d", i), text(&x, "net-%d", i), 12.0 * i, "", loss);
	}
	fix_done(&x);
	fix_ask(&x, LEVER_ADVICE);
	for (size_t i = 0; i < x.out.v.n; i++)
		assert_null(strstr(x.out.v.v[i]->id, "tuning-budget"));
	fix_close(&x);
}

static void again_and_soon(void **state)
{
	static const double flat[] = { 9, 5, 1, 1, 1, 1, 1, 1, 1, 1 };
	struct fix x;
	fix_open(&x, 400);
	size_t n = fix_node(&x, "n1", "c", 0, 400);
	add_run(&x, n, "a0", "net", 0, "seed=1", flat);
	add_run(&x, n, "a1", "net", 12, "seed=1", flat);
	add_run(&x, n, "a2", "net", 60, "seed=2", flat);
	add_run(&x, n, "b0", "score", 24, "", NULL);
	add_run(&x, n, "b1", "score", 72, "", NULL);
	for (int i = 0; i < 6; i++) {
		struct workload *w = fix_workload(&x, WORKLOAD_JOB, text(&x, "f%d", i), n, 4,
						  100 + i, 100 + i + 1.0 / 6, 1);
		w->name = i < 4 ? "bert" : "gpt";
		w->end_state = "FAILED";
	}
	fix_done(&x);
	fix_ask(&x, LEVER_ADVICE);
	const struct rec *r = fix_rec(&x, "advice-reuse-vision");
	assert_non_null(r);
	assert_false(r->quality_risk);
	usd_is(r->p05_nano, RUN_USD);     /* a1: told by its configuration */
	usd_is(r->p95_nano, RUN_USD * 2); /* b1: by its length */
	r = fix_rec(&x, "advice-check-first-vision");
	assert_non_null(r);
	usd_is(r->p95_nano, 12.24);            /* six times ten minutes */
	usd_is(r->saving_nano, 12.24 * 4 / 6); /* but the first bert and the first gpt */
	assert_string_equal(evidence_of(r, "rows of them, and the longest")->value, "2, 4");
	/* the settings leave it alone */
	*vec_push(&x.conf.frozen_team) = "vision";
	fix_ask(&x, LEVER_ADVICE);
	assert_null(fix_rec(&x, "advice-reuse-vision"));
	fix_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(early_stopping),
		cmocka_unit_test(long_curves),
		cmocka_unit_test(one_name_two_metrics),
		cmocka_unit_test(too_few_or_unknown),
		cmocka_unit_test(sweep),
		cmocka_unit_test(sweep_that_was_needed),
		cmocka_unit_test(again_and_soon),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
