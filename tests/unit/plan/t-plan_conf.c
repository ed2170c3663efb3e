/* The section `plan:`: the documented example, defaults, and errors that name line and key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/levers.h"

static void test_defaults(void **st)
{
	struct plan_conf c;
	struct err err;
	assert_int_equal(plan_conf_load(NULL, &c, &err), 0);
	assert_true(c.deadline_slack_frac == 0.25 && c.serving_target_util_frac == 0.8 &&
		    c.slo_p99_growth_frac == 0.5);
	assert_true(c.restart_minutes == 6 && c.checkpoint_stall_s == 20 && c.boot_minutes == 5 &&
		    c.idle_release_minutes == 15);
	assert_true(c.trim_headroom_frac == 0.125 && c.wacc_frac == 0.08 &&
		    isinf(c.upfront_cap_usd) && c.outdated_year_frac == 0.1);
	assert_true(c.egress_usd_gb == 0.02 && c.egress_out_usd_gb == 0.09 && c.month_hours == 730);
	assert_string_equal(c.max_term, "1y");
	assert_int_equal(c.rule.n + c.regions.n + c.frozen_team.n, 0);
	plan_conf_free(&c);
}

static void test_month_hours_are_the_ledgers(void **st)
{
	struct plan_conf c;
	struct err err;
	assert_int_equal(
		plan_conf_parse("t", SV("version: 1\nmonth_hours: 720\nplan:\n"), &c, &err), 0);
	assert_true(c.month_hours == 720 && c.wacc_frac == 0.08);
	plan_conf_free(&c);
}

static void test_commitments(void **st)
{
	static const char *const bad[] = { "{name: a, usd_hour: 1}",
					   "{name: a, ends: soon, usd_hour: 1}",
					   "{name: a, ends: 2027-01-15}",
					   "{name: a, ends: 2027-01-15, usd_hour: -1}",
					   "3",
					   "{name: a, ends: 2027-01-15, usd_hour: 1, end: 2}" };
	struct plan_conf c;
	struct err err;
	assert_int_equal(
		plan_conf_parse(
			"t",
			SV("version: 1\nplan: {commitments: [{name: sp, ends: 2027-01-15, usd_hour: 34.9}]}\n"),
			&c, &err),
		0);
	assert_int_equal(c.commitment.n, 1);
	assert_true(c.commitment.v[0].ends_ms == 1799971200000 &&
		    c.commitment.v[0].usd_hour == 34.9);
	plan_conf_free(&c);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char text[200];
		snprintf(text, sizeof text, "version: 1\nplan: {commitments: [%s]}\n", bad[i]);
		assert_true(plan_conf_parse("t", sv_of(text), &c, &err) < 0);
		assert_non_null(strstr(err.msg, "line 2"));
	}
}

/* The example says what the defaults are, and shows each key of a rule. */
static void test_example(void **st)
{
	struct plan_conf c, d;
	struct err err;
	char path[4096];
	const char *src = getenv("TARE_SRC");
	snprintf(path, sizeof path, "%s/docs/config.example.yaml", src ? src : ".");
	if (plan_conf_load(path, &c, &err) != 0)
		fail_msg("%s %s", err.msg, err.hint);
	plan_conf_load(NULL, &d, &err);
	assert_memory_equal(&c.deadline_slack_frac, &d.deadline_slack_frac,
			    offsetof(struct plan_conf, max_term) -
				    offsetof(struct plan_conf, deadline_slack_frac));
	assert_string_equal(c.max_term, d.max_term);
	assert_true(c.egress_usd_gb == d.egress_usd_gb &&
		    c.egress_out_usd_gb == d.egress_out_usd_gb && c.month_hours == d.month_hours);
	assert_string_equal(c.regions.v[0], "us-west-2");
	assert_string_equal(c.frozen_team.v[0], "payments");
	assert_int_equal(c.rule.n, 5);
	const struct plan_rule *r = c.rule.v;
	assert_int_equal(r[0].when.n, 2);
	assert_string_equal(r[0].when.v[1].field, "workload");
	assert_true(r[0].checkpointable == 1 && r[0].data_gb == 500 && isnan(r[0].slo_p99_ms) &&
		    r[0].share_with == PLAN_SHARE_TEAM);
	assert_true(r[1].slo_p99_ms == 200 && r[1].share_with == PLAN_SHARE_TEAM &&
		    r[1].spot_floor_frac == 0.5 && r[1].checkpointable == -1);
	assert_true(r[2].interruptible == 0 && r[2].deadline_slack_frac == 0 && !r[2].frozen);
	assert_int_equal(r[2].opt_out.n, 2);
	assert_string_equal(r[2].opt_out.v[1], "region");
	assert_true(c.gates.trim_ready_runs == 20 && c.gates.fold_frac == 0.002);
	assert_true(r[3].steady_until_ms == 1830211200000 && !r[2].steady_until_ms);
	assert_true(r[4].frozen && r[4].interruptible == -1 && isnan(r[4].spot_floor_frac));
	plan_conf_free(&c);
	plan_conf_free(&d);
}

#define RULE "version: 1\nplan:\n  rules:\n    - "
/* Text, what the message must contain, what the hint must contain. */
static const struct {
	const char *text, *msg, *hint;
} bad[] = {
	{ "version: 1\nplan: [a]\n", "line 2: 'plan' must be a mapping", "" },
	{ "version: 1\nplan:\n  wac_frac: 0.1\n", "line 3: 'wac_frac'",
	  "did you mean 'wacc_frac'?" },
	{ "version: 1\nplan:\n  wacc_frac: -0.1\n",
	  "line 3: 'wacc_frac' must be a number from 0 to 10", "" },
	{ "version: 1\nplan:\n  wacc_frac: nan\n", "line 3: 'wacc_frac'", "" },
	{ "version: 1\nplan:\n  upfront_cap_usd: inf\n", "line 3: 'upfront_cap_usd'", "" },
	{ "version: 1\nplan:\n  outdated_year_frac: 1.5\n", "line 3: 'outdated_year_frac'", "" },
	{ "version: 1\nplan:\n  max_term: 2y\n", "line 3: 'max_term' must be none, 1y or 3y", "" },
	{ "version: 1\nplan:\n  regions: us-west-2\n", "line 3: a list is wanted", "" },
	{ "version: 1\nplan:\n  frozen_teams: [[a]]\n", "a string is wanted", "" },
	{ "version: 1\nplan:\n  rules: {a: b}\n", "line 3: a list is wanted", "" },
	{ RULE "a\n", "a mapping with 'when'", "" },
	{ RULE "frozen: true\n", "line 4: a rule of the plan needs 'when'", "" },
	{ RULE "when: {}\n", "needs 'when' with at least one", "" },
	{ RULE "when: {tean: a}\n", "line 4: 'tean' is not a field", "did you mean 'team'?" },
	{ RULE "when: {gpu_model: a}\n", "'gpu_model' is not a field", "it can use team, project" },
	{ RULE "when: {team: [a]}\n", "a string is wanted", "" },
	{ RULE "when: {team: a}\n      opt_out: [spit]\n", "line 5: 'spit' is not a lever",
	  "did you mean 'spot'?" },
	{ RULE "when: {team: a}\n      opt_out: [holidays]\n", "'holidays' is not a lever",
	  "tare help plan" },
	{ RULE "when: {team: a}\n      checkpointable: maybe\n", "line 5: 'checkpointable'", "" },
	{ RULE "when: {team: a}\n      share_with: all\n", "line 5: 'share_with' must be", "" },
	{ RULE "when: {team: a}\n      spot_floor_frac: 2\n", "line 5: 'spot_floor_frac'", "" },
	{ RULE "when: {team: a}\n      slo_p99_ms: 0\n", "line 5: 'slo_p99_ms'", "" },
	{ RULE "when: {team: a}\n      color: red\n", "line 5: 'color'", "" },
	{ "version: 1\nplan:\n  gates:\n    stop_trial_days: 30\n",
	  "line 4: 'stop_trial_days' is 30: it must be at most 'stop_ready_days', which is 14",
	  "" },
	{ "version: 1\nplan:\n  gates:\n    history_days: 60\n    commit_full_weeks: 2\n",
	  "line 5: 'commit_half_weeks' is 4: it must be at most 'commit_full_weeks', which is 2",
	  "" },
	{ "version: 1\nplan:\n  gates: {trim_ready_factor: 2}\n",
	  "line 3: 'trim_ready_factor' is 2: it must be at most 'trim_trial_factor', which is 1.5",
	  "" },
	{ "", "'version: 1' is missing", "" },
	{ "[1]\n", "'version: 1' is missing", "" },
};

static void test_errors(void **st)
{
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct plan_conf c;
		struct err err;
		err_clear(&err);
		if (plan_conf_parse("cfg", sv_of(bad[i].text), &c, &err) >= 0)
			fail_msg("taken: %s", bad[i].text);
		if (!strstr(err.msg, bad[i].msg) || !strstr(err.hint, bad[i].hint))
			fail_msg("%s\ngives: %s / %s", bad[i].text, err.msg, err.hint);
	}
}

static void test_null_is_not_said(void **st)
{
	struct plan_conf c;
	struct err err;
	const char *text = RULE
		"when: {team: a}\n      checkpointable:\n      interruptible: ~\n      opt_out:\n";
	assert_int_equal(plan_conf_parse("t", sv_of(text), &c, &err), 0);
	assert_int_equal(c.rule.v[0].checkpointable, -1);
	assert_int_equal(c.rule.v[0].interruptible, -1);
	plan_conf_free(&c);
}

/* The later rule wins; what is booked counts where it is later; what has no deadline gets none. */
static void test_rules_set_deadlines(void **st)
{
	struct plan_conf c;
	struct err err;
	struct fleet f = { 0 };
	const char *text =
		"version: 1\nplan:\n  deadline_slack_frac: 0\n  rules:\n    - when: {team: a}\n      deadline_slack_frac: 1\n"
		"    - when: {team: a, name: x}\n      deadline_slack_frac: 0.5\n    - when: {team: \"*\"}\n      frozen: true\n";
	assert_int_equal(plan_conf_parse("t", sv_of(text), &c, &err), 0);
	const struct workload w = { .kind = WORKLOAD_JOB,
				    .job = "1",
				    .name = "y",
				    .user = "",
				    .team = "a",
				    .project = "",
				    .env = "",
				    .workload = "",
				    .cluster = "",
				    .node = "",
				    .service = "",
				    .start_ms = 1000,
				    .end_ms = 2000,
				    .limit_ms = UNKNOWN_MS,
				    .deadline_ms = 0 };
	for (int i = 0; i < 5; i++)
		*vec_push(&f.workload) = w;
	f.workload.v[1].name = "x";
	f.workload.v[2].team = "b";
	f.workload.v[3].limit_ms = 5000;
	f.workload.v[4].deadline_ms = UNKNOWN_MS;
	plan_apply_rules(&c, &f);
	assert_int_equal(f.workload.v[0].deadline_ms, 3000);
	assert_int_equal(f.workload.v[1].deadline_ms, 2500);
	assert_int_equal(f.workload.v[2].deadline_ms, 2000);
	assert_int_equal(f.workload.v[3].deadline_ms, 6000);
	assert_true(f.workload.v[4].deadline_ms == UNKNOWN_MS);
	vec_free(&f.workload);
	plan_conf_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_month_hours_are_the_ledgers),
		cmocka_unit_test(test_commitments),
		cmocka_unit_test(test_example),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_null_is_not_said),
		cmocka_unit_test(test_rules_set_deadlines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
