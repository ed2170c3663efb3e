/* How plans are printed: what is shown adds up, JSON has the contract's keys, texts from data stay
 * harmless. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan_fake.h"
#include "answer/explain.h"
#include "report/plan/plan_formats.h"
#include "report/plan/plan_trial.h"

static struct plan_view view_of(const struct plan_fake *f)
{
	return (struct plan_view){ .plan = &f->plan,
				   .target_frac = NAN,
				   .asked = "",
				   .with_sensitivity = true,
				   .width = 80,
				   .now_ms = 1795219200000 };
}

static void lines_fit(const char *z, int width)
{
	for (const char *p = z; *p;) {
		size_t n = strcspn(p, "\n"), w = 0;
		for (size_t i = 0; i < n; i++)
			w += (p[i] & 0xc0) != 0x80;
		if ((int)w > width)
			fail_msg("line of %zu: %.*s", w, (int)n, p);
		p += n + (p[n] == '\n');
	}
}

static void has(const char *z, const char *want)
{
	if (!strstr(z, want))
		fail_msg("'%s' is not in:\n%s", want, z);
}

/* 41,300.499999999 + 34,900.499999999 = 76,200.999...: shown one by one they would make 76,200. */
static void test_shown_adds_up(void **st)
{
	struct plan_fake f;
	dec sum = 0;
	fake_make(&f);
	for (size_t i = 0; i < 3; i++)
		sum += plan_shown(&f.plan, i);
	assert_true(sum ==
		    plan_round(f.plan.baseline_month, 0) - plan_round(f.plan.after_month, 0));
	assert_true(sum == 76201 * DEC_ONE);
	fake_free(&f);
}

static void test_table(void **st)
{
	struct plan_fake f;
	struct str out = { 0 };
	fake_make(&f);
	struct plan_view v = view_of(&f);
	plan_print(&v, OUT_TABLE, &out);
	if (getenv("SHOW"))
		printf("%s", out.p);
	lines_fit(out.p, 80);
	has(out.p, "Today      200,000 $/month (730 h)");
	has(out.p, "replayed on 30 days, 14,231 jobs");
	has(out.p, "After all  123,799 $/month   -38 %");
	has(out.p, "9 of 10 cases: -34 to -40 %");
	has(out.p, "  Ready       (can be undone)      41,300       -21 %\n");
	has(out.p, "  Try first   (a trial decides)    34,901       -38 %\n");
	has(out.p, "  Commit      (binds money)             -           -\n");
	has(out.p, "0 out of\nmemory, 12.2 interruptions expected, p99 41 -> 58 ms");
	has(out.p, "(after 2)");
	has(out.p, "The same plan would save 36 % with prices +10 %.");
	has(out.p, "Left out: 1 (tare plan --refused)");
	has(out.p, "tare plan trial 3 ");
	has(out.p, "stop runs early");
	has(out.p, "2 jobs are longer than the history");
	str_free(&out);
	fake_free(&f);
}

static void hasnt(const char *z, const char *bad)
{
	if (strstr(z, bad))
		fail_msg("'%s' is in:\n%s", bad, z);
}

/* What binds says how much and for how long, as the action has it; a trial that binds nothing does
 * not. */
static void test_binds(void **st)
{
	struct plan_fake f;
	struct str out = { 0 };
	fake_make(&f);
	struct plan_view v = view_of(&f);
	f.rec[2].tier = TIER_BINDS;
	f.rec[2].bound_nano = 1152800 * 1000000000LL;
	*vec_push(&f.rec[2].action) = (struct action){
		.kind = ACTION_COMMIT,
		.commit = { .id = "c", .purchase = "savings_plan", .term = "1y", .term_h = 8760 }
	};
	f.plan.tier[TIER_BINDS] = f.plan.tier[TIER_TRIAL];
	f.plan.tier[TIER_BINDS].bound_nano = f.rec[2].bound_nano;
	f.plan.tier[TIER_TRIAL] = (struct plan_tier){ .after_month = f.plan.baseline_month -
								     f.plan.saving_month.v[0] };
	plan_print(&v, OUT_TABLE, &out);
	lines_fit(out.p, 80);
	has(out.p, "  Commit      (binds money)        34,901       -38 %\n"
		   "              binds 1,152,800 $ for a year\n");
	hasnt(out.p, "tare plan trial");
	out.n = 0;
	plan_print(&v, OUT_JSON, &out);
	has(out.p, "\"tier\":\"binds\",\"bound\":\"1152800\"");
	has(out.p, "\"tier\":\"sure\",\"bound\":null");
	str_free(&out);
	fake_free(&f);
}

/* Small ones are one line; what a shown one needs stays, and --all shows them all. */
static void test_folded(void **st)
{
	struct plan_fake f;
	struct str out = { 0 };
	struct plan_conf conf = { .gates.fold_frac = 0.002 };
	fake_make(&f);
	struct plan_view v = view_of(&f);
	v.conf = &conf;
	assert_false(plan_is_folded(&v, 0));
	assert_false(plan_is_folded(&v, 1)); /* saves nothing, but 3 comes after it */
	f.rec[2].depends_on.n = 0;
	assert_true(plan_is_folded(&v, 1));
	plan_print(&v, OUT_TABLE, &out);
	has(out.p, "1 smaller one: 0 (tare plan --all)");
	hasnt(out.p, "add checkpoints");
	out.n = 0;
	v.all = true;
	plan_print(&v, OUT_TABLE, &out);
	hasnt(out.p, "smaller one");
	has(out.p, "add checkpoints");
	has(out.p, "Not counted twice: 3 is worth 71,200 alone, 34,901 after 1 to 2.");
	str_free(&out);
	fake_free(&f);
}

/* What was not worked out is no amount, in no format. */
static void test_unknown_alone(void **st)
{
	struct plan_fake f;
	struct str out = { 0 };
	fake_make(&f);
	struct plan_view v = view_of(&f);
	v.all = true;
	f.rec[2].alone_nano = UNKNOWN_NANO;
	f.rec[4].alone_nano = UNKNOWN_NANO;
	for (enum out_format o = OUT_TABLE; o <= OUT_HTML; o++)
		plan_print(&v, o, &out);
	plan_print_rec(&v, 2, OUT_TABLE, &out);
	hasnt(out.p, "9,223");
	hasnt(out.p, "-9223");
	hasnt(out.p, "alone,");
	str_free(&out);
	fake_free(&f);
}

static json_t *parse(const struct str *out)
{
	json_error_t e;
	json_t *o = json_loads(out->p, JSON_REJECT_DUPLICATES, &e);
	if (!o)
		fail_msg("%s at %d: %s", e.text, e.position, out->p);
	assert_int_equal(out->p[out->n - 1], '\n');
	return o;
}

/* A trial in each format: its checks, what came of it, and what was kept before. */
static void test_trial(void **st)
{
	struct plan_fake f;
	struct str out = { 0 };
	fake_make(&f);
	struct plan_view v = view_of(&f);
	struct plan_trial t = { .rec = &f.rec[2],
				.kind = TRIAL_RUN,
				.workload = "bert",
				.runs = 1,
				.runs_max = 3,
				.instance_type = "g6.xlarge",
				.ncheck = 2,
				.check = { { MEASURE_SPEED, 0.47, NAN, "the slow end" },
					   { MEASURE_MEMORY, NAN, 8589934592.0, "of a GPU" } } };
	struct trial_result res = { .steps_now = NAN,
				    .speed_frac = NAN,
				    .why = "no run on it yet" };
	struct trial_record kept = { .id = "spot-training",
				     .user = "ann",
				     .why = "too slow",
				     .verdict = TRIAL_NO_GO,
				     .at_ms = 1795219200000 };
	struct trial_view tv = { &v, 2, &t, &res, &kept };
	plan_print_trial(&tv, OUT_TABLE, &out);
	has(out.p, "steps/s >= 0.47 of today's (the slow end)");
	has(out.p, "peak GPU memory <= 8.0 GiB (of a GPU)");
	has(out.p, "no go: too slow on 2026-11-21 by ann");
	has(out.p, "tare profile --workload bert ");
	out.n = 0;
	plan_print_trial(&tv, OUT_JSON, &out);
	json_t *o = parse(&out);
	assert_int_equal(json_array_size(json_object_get(o, "checks")), 2);
	has(out.p, "{\"measure\":\"speed_frac\",\"least\":0.47,\"most\":null");
	has(out.p, "\"kept\":{\"verdict\":\"no_go\"");
	json_decref(o);
	str_free(&out);
	fake_free(&f);
}

static void test_narrow_and_wide(void **st)
{
	struct plan_fake f;
	struct str out = { 0 };
	fake_make(&f);
	struct plan_view v = view_of(&f);
	v.width = 120;
	plan_print(&v, OUT_TABLE, &out);
	lines_fit(out.p, 120);
	str_free(&out);
	fake_free(&f);
}

static dec money(const json_t *o, const char *key)
{
	dec v = 0;
	const json_t *s = json_object_get(o, key);
	if (!json_is_string(s) || dec_parse(sv_of(json_string_value(s)), 0, &v) < 0)
		fail_msg("'%s' is not a decimal string", key);
	return v;
}

static const char *const rec_keys[] = { "id",           "lever",       "title",      "subject",
					"saving_month", "p05",         "p95",        "confidence",
					"risk",         "effort_days", "depends_on", "evidence",
					"replay",       "apply",       "undo" };
static const char *const top_keys[] = { "schema", "month_hours", "currency",       "baseline",
					"after",  "saving_frac", "recommendations" };

/* The contract's keys are there, in its order, before all others; savings add up to the last
 * digit. */
static void test_json(void **st)
{
	struct plan_fake f;
	struct str out = { 0 };
	fake_make(&f);
	struct plan_view v = view_of(&f);
	plan_print(&v, OUT_JSON, &out);
	json_t *o = parse(&out), *r;
	size_t i = 0;
	const char *key;
	json_t *value;
	json_object_foreach(o, key, value) if (i < 7) assert_string_equal(key, top_keys[i++]);
	assert_string_equal(json_string_value(json_object_get(o, "schema")), "tare.plan/1");
	dec sum = 0;
	json_array_foreach(json_object_get(o, "recommendations"), i, r)
	{
		size_t k = 0;
		sum += money(r, "saving_month");
		json_object_foreach(r, key, value) if (k < 15)
			assert_string_equal(key, rec_keys[k++]);
	}
	assert_true(sum == money(json_object_get(o, "baseline"), "cost_month") -
				   money(json_object_get(o, "after"), "cost_month"));
	r = json_array_get(json_object_get(o, "recommendations"), 2);
	assert_string_equal(json_string_value(json_array_get(json_object_get(r, "depends_on"), 0)),
			    "spot-checkpoints");
	assert_int_equal(json_integer_value(
				 json_object_get(json_object_get(r, "replay"), "deadline_misses")),
			 0);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(r, "subject"), "team")), "nlp");
	assert_true(json_is_null(
		json_object_get(json_array_get(json_object_get(o, "advice"), 0), "saving_month")));
	assert_true(json_is_null(
		json_object_get(json_array_get(json_object_get(o, "advice"), 0), "replay")));
	json_decref(o);
	str_free(&out);
	fake_free(&f);
}

static void test_undecidable_says_nothing_sure(void **st)
{
	struct plan_fake f;
	struct str out = { 0 };
	fake_make(&f);
	struct plan_view v = view_of(&f);
	f.plan.undecidable = true;
	f.plan.rec.v.n = 0;
	plan_print(&v, OUT_JSON, &out);
	json_t *o = parse(&out);
	assert_true(json_is_null(json_object_get(o, "saving_frac")));
	assert_true(json_is_null(json_object_get(json_object_get(o, "after"), "cost_month")));
	json_decref(o);
	str_clear(&out);
	plan_print(&v, OUT_TABLE, &out);
	has(out.p, "Nothing can be decided");
	has(out.p, "2 jobs are longer");
	if (strstr(out.p, "After all"))
		fail_msg("an amount after: %s", out.p);
	str_clear(&out);
	plan_print(&v, OUT_HTML, &out);
	has(out.p, "nothing can be decided");
	f.plan.baseline_month = 0; /* no price at all: what it costs is unknown, not zero */
	f.fleet.unpriced_ms = 1;
	str_clear(&out);
	plan_print(&v, OUT_TABLE, &out);
	if (strstr(out.p, "0.00 $"))
		fail_msg("unknown as zero: %s", out.p);
	str_clear(&out);
	plan_print(&v, OUT_JSON, &out);
	o = parse(&out);
	assert_true(json_is_null(json_object_get(json_object_get(o, "baseline"), "cost_month")));
	json_decref(o);
	str_free(&out);
	fake_free(&f);
}

static void test_empty_plan(void **st)
{
	struct plan_fake f;
	struct str out = { 0 };
	fake_make(&f);
	struct plan_view v = view_of(&f);
	f.plan.rec.v.n = f.plan.refused.v.n = f.plan.advice.v.n = f.plan.note.n = 0;
	f.plan.after_month = f.plan.baseline_month;
	for (int k = OUT_TABLE; k <= OUT_HTML; k++)
		plan_print(&v, (enum out_format)k, &out);
	has(out.p, "Nothing to change");
	lines_fit(strstr(out.p, "Today"), 100000);
	str_free(&out);
	fake_free(&f);
}

/* Names out of data: no escape sequence reaches a terminal, no tag a page, no pipe a Markdown
 * table. */
static const char *const job_id[] = { "41" };
static const struct job_parts job = { "41", job_id, 1 };

static void test_hostile_names(void **st)
{
	struct plan_fake f;
	struct str out = { 0 };
	fake_make(&f);
	struct plan_view v = view_of(&f);
	f.rec[0].title = "</title><script>alert(1)</script> \x1b[2J | `x` \xff & \"q\"";
	f.rec[0].team = "<b>\x1b]0;x\x07";
	f.rec[0].action.v[0] =
		(struct action){ .kind = ACTION_COMMIT,
				 .commit = { .id = "x",
					     .purchase = "reserved_1y",
					     .term = "</pre><img src=x onerror=y>" } };
	f.fleet.workload.v[0].workload = "<i>|\n";
	plan_print(&v, OUT_HTML, &out);
	if (strstr(out.p, "<script") || strstr(out.p, "<img") || strstr(out.p, "<b>\x1b") ||
	    strstr(out.p, "<i>") || strchr(out.p, 0x1b))
		fail_msg("not escaped: %s", out.p);
	str_clear(&out);
	plan_print(&v, OUT_TABLE, &out);
	plan_print_rec(&v, 0, OUT_TABLE, &out);
	plan_print_job(&v, &job, OUT_TABLE, &out);
	assert_null(strchr(out.p, 0x1b));
	str_clear(&out);
	plan_print(&v, OUT_MD, &out);
	if (strstr(out.p, "<script"))
		fail_msg("not escaped: %s", out.p);
	str_clear(&out);
	plan_print(&v, OUT_JSON, &out);
	json_decref(parse(&out));
	str_free(&out);
	fake_free(&f);
}

static void test_html(void **st)
{
	struct plan_fake f;
	struct str out = { 0 };
	fake_make(&f);
	struct plan_view v = view_of(&f);
	plan_print(&v, OUT_HTML, &out);
	if (getenv("HTML")) {
		FILE *h = fopen(getenv("HTML"), "w");
		fputs(out.p, h);
		fclose(h);
	}
	has(out.p,
	    "The fleet costs $200,000 a month. 3 changes bring this to $123,799: 38 % less for the same work.");
	has(out.p, "saved in twelve such months");
	has(out.p, "Waterfall");
	has(out.p, "By kind of work");
	has(out.p, "What is measured and what is estimated");
	if (strstr(out.p, "http://") || strstr(out.p, "https://") || strstr(out.p, "<script"))
		fail_msg("an asset from outside");
	str_free(&out);
	fake_free(&f);
}

static void test_calendar(void **st)
{
	struct plan_fake f;
	struct str out = { 0 };
	fake_make(&f);
	struct plan_view v = view_of(&f);
	const struct plan_step steps[] = { { 0, 1795219200000, 1795478400000, "vision" },
					   { 2, 1795478400000, 1796000000000, "nlp" } };
	v.step = steps;
	v.nstep = 2;
	v.target_frac = 0.4;
	v.target_reached_frac = 0.38;
	v.target_ms = 1797033600000;
	plan_print(&v, OUT_TABLE, &out);
	if (getenv("SHOW"))
		printf("%s", out.p);
	lines_fit(out.p, 80);
	has(out.p, "Target -40 % by 2026-12-12: out of reach");
	has(out.p, "2026-11-21  2026-11-24   1  vision");
	v.target_reached_frac = 0.41;
	v.target_chance_frac = 0.97;
	v.target_reached = true;
	str_clear(&out);
	plan_print(&v, OUT_MD, &out);
	has(out.p, "met with a probability of 97 % by these steps");
	str_clear(&out);
	plan_print(&v, OUT_HTML, &out);
	has(out.p, "<h2>Calendar</h2>");
	str_clear(&out);
	plan_print(&v, OUT_JSON, &out);
	json_t *o = parse(&out);
	assert_true(json_is_true(json_object_get(json_object_get(o, "target"), "reached")));
	assert_int_equal(json_array_size(json_object_get(o, "calendar")), 2);
	json_decref(o);
	str_free(&out);
	fake_free(&f);
}

/* Groups add up to the plan, whatever they are by; a fee goes to the workloads it is for. */
static void test_by(void **st)
{
	static const char *const dims[] = { "workload", "team", "cluster", "kind", "gpu_model" };
	struct plan_fake f;
	struct plan_by by;
	struct err err;
	fake_make(&f);
	f.rec[2].fee_nano = 1000000000007;
	f.rec[2].saving_nano -= 1000000000007;
	f.plan.after_nano += 1000000000007;
	for (size_t d = 0; d < 5; d++) {
		int64_t before = 0, after = 0;
		assert_int_equal(plan_by_make(&f.plan, dims[d], &by, &err), 0);
		for (size_t i = 0; i < by.row.n; i++) {
			before += by.row.v[i].before_nano;
			after += by.row.v[i].after_nano;
		}
		assert_true(before == f.plan.baseline_nano && after == f.plan.after_nano);
		plan_by_free(&by);
	}
	assert_int_equal(plan_by_make(&f.plan, "workload", &by, &err), 0);
	assert_string_equal(by.row.v[0].name, "training");
	assert_true(by.row.v[0].after_nano == 43799333333335 + 1000000000007);
	plan_by_free(&by);
	assert_true(plan_by_make(&f.plan, "worklod", &by, &err) < 0);
	has(err.hint, "workload");
	fake_free(&f);
}

static void test_explain(void **st)
{
	struct plan_fake f;
	struct str out = { 0 };
	fake_make(&f);
	struct plan_view v = view_of(&f);
	const struct plan_mark mark = { "spot-training", PLAN_ACCEPTED, "agreed", "ann",
					1795219200000 };
	v.mark = &mark;
	v.nmark = 1;
	plan_print_rec(&v, 2, OUT_TABLE, &out);
	if (getenv("SHOW"))
		printf("%s", out.p);
	has(out.p, "worth 71,200 alone");
	has(out.p, "accepted by ann on 2026-11-21: agreed");
	has(out.p, "  #SBATCH --gres=gpu:1");
	str_clear(&out);
	plan_print_job(&v, &job, OUT_TABLE, &out);
	if (getenv("SHOW"))
		printf("%s", out.p);
	has(out.p, "Job 41: bert-ft");
	has(out.p, "1 of 4 GPUs");
	has(out.p, "Plan 3");
	str_clear(&out);
	plan_print_job(&v, &job, OUT_JSON, &out);
	json_decref(parse(&out));
	str_clear(&out);
	plan_print_rec(&v, 2, OUT_JSON, &out);
	json_decref(parse(&out));
	str_free(&out);
	fake_free(&f);
}

static void test_findings_refused_backtest(void **st)
{
	struct plan_fake f;
	struct str out = { 0 };
	fake_make(&f);
	struct plan_view v = view_of(&f);
	struct backtest_row row = { "a",           "spot",       "move",
				    100 * DEC_ONE, 90 * DEC_ONE, 110 * DEC_ONE,
				    95 * DEC_ONE,  true,         true };
	struct backtest b = { .outcomes = 1,
			      .within = 1,
			      .predicted_month = 100 * DEC_ONE,
			      .realised_month = 95 * DEC_ONE };
	*vec_push(&b.row) = row;
	f.plan.finding.v[0].title =
		"evaluation books 24 h and is done after 8: a sentence long enough to have to be folded once at eighty columns";
	for (int k = OUT_TABLE; k <= OUT_MD; k++) {
		str_clear(&out);
		plan_print_findings(&v, (enum out_format)k, &out);
		if (getenv("SHOW"))
			printf("%s", out.p);
		has(out.p, "overbooked");
		plan_print_refused(&v, (enum out_format)k, &out);
		has(out.p, "share-assist");
		plan_print_backtest(&b, &v, (enum out_format)k, &out);
		if (k == OUT_TABLE)
			lines_fit(out.p, 80);
	}
	vec_free(&b.row);
	str_free(&out);
	fake_free(&f);
}

/* Notes that say the same of several things are one; others stay as they are, each once. */
static void test_notes_are_joined(void **st)
{
	static const char *const notes[] = {
		"no committed price of p3.2xlarge in us-east-1 is known", "two days only",
		"no committed price of g6.12xlarge in us-east-1 is known",
		"no committed price of T4 in eu-west-1 is known",
		"no committed price of p4d.24xlarge in us-east-1 is known"
	};
	struct plan_fake f;
	struct arena a = { 0 };
	fake_make(&f);
	vec_clear(&f.plan.note);
	for (size_t i = 0; i < 5; i++)
		*vec_push(&f.plan.note) = notes[i];
	struct text_list l = plan_notes(&a, &f.plan);
	assert_int_equal(l.n, 3);
	assert_string_equal(
		l.v[0],
		"no committed price of p3.2xlarge, g6.12xlarge, p4d.24xlarge in us-east-1 is known");
	assert_string_equal(l.v[1], "two days only");
	assert_string_equal(l.v[2], notes[3]);
	vec_free(&l);
	arena_free(&a);
	fake_free(&f);
}

/* 546.4 that stands as 547, so that the column adds up, lies within what is shown beside it. */
static void test_shown_lies_within(void **st)
{
	struct arena a = { 0 };
	struct plan_fake f;
	fake_make(&f);
	struct plan *p = &f.plan;
	p->baseline_month = 10000 * DEC_ONE + DEC_ONE / 2 + DEC_ONE / 10;
	p->saving_month.v[0] = 546 * DEC_ONE + DEC_ONE * 4 / 10;
	p->p05_month.v[0] = 542 * DEC_ONE;
	p->p95_month.v[0] = p->saving_month.v[0];
	assert_true(plan_shown(p, 0) == 547 * DEC_ONE);
	assert_string_equal(plan_range_of(&a, p, 0), "542-547");
	p->p05_month.v[0] = p->p95_month.v[0];
	assert_string_equal(plan_range_of(&a, p, 0), "sure");
	arena_free(&a);
	fake_free(&f);
}

/* Of the 5th percentile it is known that in 1 of 20 cases no more is saved. */
static void test_paid_back(void **st)
{
	struct arena a = { 0 };
	struct plan_fake f;
	fake_make(&f);
	struct plan_view v = view_of(&f);
	struct plan_week week[PLAN_WEEKS];
	v.week = week;
	for (int i = 0; i < PLAN_WEEKS; i++)
		week[i] = (struct plan_week){ .week = i + 1,
					      .saved = 1000 * DEC_ONE,
					      .p05 = 1000 * DEC_ONE,
					      .has_work = true,
					      .work = (i < 3 ? 2000 : 900) * DEC_ONE };
	has(plan_paid_back(&a, &v), "after 4 weeks in 19 of 20 cases.");
	for (int i = 0; i < PLAN_WEEKS; i++)
		week[i].p05 = 0;
	has(plan_paid_back(&a, &v),
	    "after 4 weeks in half of the cases, and not within a year in 1 of 20.");
	for (int i = 0; i < PLAN_WEEKS; i++)
		week[i].saved = 0;
	has(plan_paid_back(&a, &v), "not paid for itself within a year in half of the cases.");
	arena_free(&a);
	fake_free(&f);
}

static void test_ranges(void **st)
{
	struct arena a = { 0 };
	const struct {
		int lo, hi;
		const char *want;
	} k[] = {
		{ 38700, 43400, "39-43 K" }, { 0, 0, "-" },
		{ 50, 50, "sure" },          { 9100, 9800, "9.1-9.8 K" },
		{ 240, 310, "240-310" },     { -2000, 14000, "-2 to 14 K" },
		{ 12100, 12300, "12 K" },    { 2, 3, "2-3" },
	};
	for (size_t i = 0; i < sizeof k / sizeof *k; i++)
		assert_string_equal(plan_range(&a, k[i].lo * DEC_ONE, k[i].hi * DEC_ONE),
				    k[i].want);
	assert_string_equal(plan_percent(&a, 0.69), "-69 %");
	assert_string_equal(plan_percent(&a, 0.001), "-<1 %");
	assert_string_equal(plan_percent(&a, 0), "0 %");
	assert_string_equal(plan_percent(&a, -0.1), "+10 %");
	assert_string_equal(plan_percent(&a, NAN), "-");
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shown_adds_up),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_binds),
		cmocka_unit_test(test_folded),
		cmocka_unit_test(test_unknown_alone),
		cmocka_unit_test(test_trial),
		cmocka_unit_test(test_narrow_and_wide),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_undecidable_says_nothing_sure),
		cmocka_unit_test(test_empty_plan),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_html),
		cmocka_unit_test(test_calendar),
		cmocka_unit_test(test_by),
		cmocka_unit_test(test_explain),
		cmocka_unit_test(test_findings_refused_backtest),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_shown_lies_within),
		cmocka_unit_test(test_paid_back),
		cmocka_unit_test(test_notes_are_joined),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
