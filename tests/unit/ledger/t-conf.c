/* The configuration: the documented example, defaults, and errors that name line and key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "ledger/conf.h"

static void test_defaults(void **st)
{
	struct conf c;
	struct err err;
	assert_int_equal(conf_load(NULL, &c, &err), 0);
	assert_string_equal(c.currency, "USD");
	assert_true(c.month_hours == 730 && c.infer_workload);
	assert_true(c.attrib.underused_util_pct == 25 &&
		    c.attrib.empty_bytes == 500.0 * 1024 * 1024 &&
		    c.attrib.finished_after_s == 1800);
	conf_free(&c);
	assert_int_equal(conf_parse("t", SV("version: 1\n"), &c, &err), 0);
	assert_true(c.month_hours == 730);
	conf_free(&c);
}

static void test_example(void **st)
{
	struct conf c, d;
	struct err err;
	char path[4096];
	const char *src = getenv("TARE_SRC");
	snprintf(path, sizeof path, "%s/docs/config.example.yaml", src ? src : ".");
	if (conf_load(path, &c, &err) != 0)
		fail_msg("%s %s", err.msg, err.hint);
	conf_load(NULL, &d, &err);
	/* the example says what the defaults are */
	assert_memory_equal(&c.attrib, &d.attrib, sizeof c.attrib);
	assert_true(c.month_hours == d.month_hours);
	assert_int_equal(c.required_tags.n, 2);
	assert_string_equal(c.required_tags.v[1], "project");
	assert_int_equal(c.tag_alias.n, 3);
	assert_string_equal(c.tag_alias.v[1].field, "team");
	assert_string_equal(c.tag_alias.v[1].glob, "squad");
	assert_int_equal(c.virtual_tags.n, 2);
	assert_int_equal(c.virtual_tags.v[1].when.n, 2);
	assert_int_equal(c.virtual_tags.v[1].set.n, 2);
	assert_true(c.virtual_tags.v[1].override && !c.virtual_tags.v[0].override);
	assert_string_equal(c.node_map.v[0].field, "gpu-01");
	assert_string_equal(c.idle_rules.v[1].to_team, "*");
	assert_true(c.idle_rules.v[0].frac == 1 && c.idle_rules.v[1].frac == 0.5);
	assert_string_equal(c.owned.v[0].node_glob, "dgx-*");
	assert_true(c.owned.v[0].terms.purchase == 31000 * DEC_ONE &&
		    c.owned.v[0].terms.pue == 1.3);
	assert_string_equal(c.shared_teams.v[0], "platform");
	conf_free(&c);
	conf_free(&d);
}

/* Text, what the message must contain, what the hint must contain. */
static const struct {
	const char *text, *msg, *hint;
} bad[] = {
	{ "version: 1\nmonth_hous: 720\n", "'cfg' line 2: 'month_hous'",
	  "did you mean 'month_hours'?" },
	{ "version: 1\nthresholds:\n  idle_util: 3\n", "line 3: 'idle_util'", "" },
	{ "version: 1\nthresholds:\n  underused_util_pct: 130\n",
	  "line 3: 'underused_util_pct' must be a number from 0 to 100", "" },
	{ "version: 1\nthresholds:\n  idle_util_pct: 30\n", "must not be below", "" },
	{ "version: 1\nthresholds:\n  finished_after: soon\n", "a duration such as 30m", "" },
	{ "version: 2\n", "line 1: 'version'", "" },
	{ "month_hours: 720\n", "'version: 1' is missing", "" },
	{ "", "'version: 1' is missing", "" },
	{ "version: 1\ncurrency: dollars\n", "line 2: 'currency' must be a code", "" },
	{ "version: 1\nmig_share: both\n", "line 2: 'mig_share'", "" },
	{ "version: 1\ntags: {required: [tean]}\n", "line 2: 'tean' is not a field",
	  "did you mean 'team'?" },
	{ "version: 1\ntags: {required: team}\n", "a list is wanted", "" },
	{ "version: 1\ntags: {alias: {app: x}}\n", "'app'", "" },
	{ "version: 1\nvirtual_tags:\n  - when: {acount: x}\n    set: {team: a}\n",
	  "line 3: 'acount' is not a field", "did you mean 'account'?" },
	{ "version: 1\nvirtual_tags:\n  - when: {app: x}\n    set: {team: a}\n",
	  "'app' is not a field", "for a tag write 'tag:app'" },
	{ "version: 1\nvirtual_tags:\n  - when: {account: x}\n", "needs 'when' and 'set'", "" },
	{ "version: 1\nvirtual_tags:\n  - when: {account: x}\n    set: {node: a}\n",
	  "'node' is not a field", "" },
	{ "version: 1\nidle_rules:\n  - when: {cluster: x, node: y}\n    team: t\n",
	  "exactly one field", "" },
	{ "version: 1\nidle_rules:\n  - when: {cluster: x}\n", "needs 'team' or 'project'", "" },
	{ "version: 1\nidle_rules:\n  - when: {cluster: x}\n    team: t\n    share: 2\n",
	  "line 5: 'share'", "" },
	{ "version: 1\nowned:\n  - purchase: 10\n", "'purchase' (per GPU) and 'years'", "" },
	{ "version: 1\nowned:\n  - {purchase: 10, residual: 11, years: 3}\n",
	  "must not be negative, nor 'residual' above", "" },
	{ "version: 1\nnodes: [a]\n", "a mapping", "" },
	{ "version: 1\nnodes: {a: [b]}\n", "a string is wanted", "" },
	{ "version: 1\nshared_teams: {a: b}\n", "a list is wanted", "" },
	{ "version: 1\nshared_teams: [[a]]\n", "a string is wanted", "" },
	{ "[1, 2]\n", "'version: 1' is missing", "" },
};

static void test_errors(void **st)
{
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct conf c;
		struct err err;
		err_clear(&err);
		int r = conf_parse("cfg", sv_of(bad[i].text), &c, &err);
		if (r >= 0)
			fail_msg("taken: %s", bad[i].text);
		if (!strstr(err.msg, bad[i].msg) || !strstr(err.hint, bad[i].hint))
			fail_msg("%s\ngives: %s / %s", bad[i].text, err.msg, err.hint);
	}
	struct conf c;
	struct err err;
	assert_int_equal(conf_load("/nonexistent/x.yaml", &c, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "/nonexistent/x.yaml"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_defaults),
					    cmocka_unit_test(test_example),
					    cmocka_unit_test(test_errors) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
