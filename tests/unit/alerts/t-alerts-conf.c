/* The section `alerts:`: what it changes, and what it refuses with file, line and key. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "alerts/alerts_conf.h"
#include "base/tm.h"

static int parse(const char *text, struct alerts_conf *c, struct err *err)
{
	return alerts_conf_parse("t.yaml", sv_of(text), c, err);
}

static const struct alert_rule *rule(const struct alerts_conf *c, const char *name)
{
	for (size_t i = 0; i < c->rule.n; i++)
		if (!strcmp(c->rule.v[i].name, name))
			return &c->rule.v[i];
	return NULL;
}

static void test_defaults(void **state)
{
	struct alerts_conf c;
	struct err err;

	assert_int_equal(alerts_conf_load(NULL, &c, &err), 0);
	assert_int_equal(c.rule.n, alert_defaults_n);
	assert_int_equal(c.receiver.n, 0);
	alerts_conf_free(&c);
	assert_int_equal(parse("version: 1\n", &c, &err), 0);
	assert_int_equal(c.rule.n, alert_defaults_n);
	alerts_conf_free(&c);
}

static void test_rules(void **state)
{
	struct alerts_conf c;
	struct err err;

	assert_int_equal(
		parse("version: 1\n"
		      "alerts:\n"
		      "  rules:\n"
		      "    - {name: gpu_underused, below: 30, window: 1h, when: {team: '!lab*'}}\n"
		      "    - {name: gpu_hot, enabled: false}\n"
		      "    - {name: hungry, signal: power_w, aggregate: p95, window: 10m, above: 600, severity: critical, for: 0}\n",
		      &c, &err),
		-EINVAL);
	assert_non_null(strstr(err.msg, "line 6"));
	assert_non_null(strstr(err.msg, "p95"));
	assert_int_equal(
		parse("version: 1\n"
		      "alerts:\n"
		      "  rules:\n"
		      "    - {name: gpu_underused, below: 30, window: 1h, when: {team: '!lab*'}}\n"
		      "    - {name: gpu_hot, enabled: false}\n"
		      "    - {name: hungry, signal: power_w, aggregate: mean, window: 10m, above: 600, severity: critical, for: 0, follows: [gpu_lost]}\n",
		      &c, &err),
		0);
	/* the distance stays */
	assert_true(rule(&c, "gpu_underused")->threshold == 30 &&
		    rule(&c, "gpu_underused")->clear == 35);
	assert_int_equal(rule(&c, "gpu_underused")->window_ms, MS_HOUR);
	assert_true(rule(&c, "gpu_underused")->match[0].negate);
	assert_true(rule(&c, "gpu_hot")->disabled);
	assert_int_equal(rule(&c, "hungry")->signal, METRIC_POWER_W);
	assert_true(rule(&c, "hungry")->severity == ALERT_CRITICAL &&
		    rule(&c, "hungry")->clear == 600);
	alerts_conf_free(&c);
}

static void test_routes(void **state)
{
	struct alerts_conf c;
	struct err err;
	bool to[3];
	const char *field[ALERT_FIELD_N];

	for (int i = 0; i < ALERT_FIELD_N; i++)
		field[i] = "";
	assert_int_equal(
		parse("version: 1\n"
		      "alerts:\n"
		      "  receivers:\n"
		      "    - {name: am, kind: alertmanager, url: 'http://127.0.0.1:9093', resend: 30s}\n"
		      "    - {name: mail, kind: email, url: 'smtp://mx.example', from: tare@example.com, to: [a@example.com, b@example.com]}\n"
		      "    - {name: hook, kind: exec, command: [/bin/true, -x], timeout: 2s, resolved: false}\n"
		      "  routes:\n"
		      "    - {when: {severity: critical}, to: mail, continue: true}\n"
		      "    - {when: {rule: 'gpu_l*'}, to: [am]}\n"
		      "    - {when: {team: quiet}, to: []}\n"
		      "  silences:\n"
		      "    - {when: {node: n7}, until: 2026-12-01, why: moving house}\n",
		      &c, &err),
		0);
	assert_int_equal(c.receiver.v[1].to.n, 2);
	assert_null(c.receiver.v[2].argv.v[c.receiver.v[2].argv.n]);
	assert_int_equal(c.receiver.v[0].resend_ms, 30000);
	alerts_conf_route(&c, rule(&c, "gpu_lost"), field, to);
	assert_true(to[0] && to[1] && !to[2]);
	/* only the first route, which goes on and finds no other */
	alerts_conf_route(&c, rule(&c, "gpu_fault"), field, to);
	assert_true(!to[0] && to[1] && !to[2]);
	alerts_conf_route(&c, rule(&c, "gpu_hot"), field, to); /* no route: all */
	assert_true(to[0] && to[1] && to[2]);
	field[ALERT_TEAM] = "quiet";
	alerts_conf_route(&c, rule(&c, "gpu_hot"), field, to);
	assert_true(!to[0] && !to[1] && !to[2]);
	assert_int_equal(c.silence.n, 1);
	assert_int_equal(c.silence.v[0].until_ms, 1796083200000);
	alerts_conf_free(&c);
}

static const struct {
	const char *text;
	const char *line, *what;
} bad[] = {
	{ "alerts: 3", "line 2", "mapping" },
	{ "alerts:\n  ruels: []", "line 3", "ruels" },
	{ "alerts:\n  rules:\n    - {below: 3}", "line 4", "name" },
	{ "alerts:\n  rules:\n    - {name: x, below: 3}", "line 4", "signal" },
	{ "alerts:\n  rules:\n    - {name: x, signal: gpu_utl_pct, below: 3}", "line 4",
	  "gpu_utl_pct" },
	{ "alerts:\n  rules:\n    - {name: x, signal: power_w}", "line 4", "above" },
	{ "alerts:\n  rules:\n    - {name: x, signal: power_w, above: 1, below: 2}", "line 4",
	  "not both" },
	{ "alerts:\n  rules:\n    - {name: x, signal: power_w, above: 5, clear: 6}", "line 4",
	  "clear" },
	{ "alerts:\n  rules:\n    - {name: x, signal: power_w, above: 5, window: 5m}", "line 4",
	  "window" },
	{ "alerts:\n  rules:\n    - {name: x, signal: power_w, above: 5, for: soon}", "line 4",
	  "duration" },
	{ "alerts:\n  rules:\n    - {name: gpu_hot, severity: warn}", "line 4", "severity" },
	{ "alerts:\n  rules:\n    - {name: gpu_hot, when: {teem: x}}", "line 4", "teem" },
	{ "alerts:\n  rules:\n    - {name: gpu_hot, follows: [nothing]}", "line ", "nothing" },
	{ "alerts:\n  rules:\n    - {name: gpu_lost, follows: [gpu_fault]}", "line ",
	  "follows itself" },
	{ "alerts:\n  rules:\n    - {name: \"a\\nb\", signal: power_w, above: 1}", "line 4",
	  "name" },
	{ "alerts:\n  receivers:\n    - {name: a, kind: telegram}", "line 4", "telegram" },
	{ "alerts:\n  receivers:\n    - {name: a, kind: webhook}", "line 4", "url" },
	{ "alerts:\n  receivers:\n    - {name: a, kind: webhook, url: 'file:///etc/passwd'}",
	  "line 4", "http" },
	{ "alerts:\n  receivers:\n    - {name: a, kind: webhook, url: 'http://x', command: [a]}",
	  "line 4", "command" },
	{ "alerts:\n  receivers:\n    - {name: a, kind: email, url: 'smtp://x', from: 'a@b', to: 'c'}",
	  "line 4", "address" },
	{ "alerts:\n  receivers:\n    - {name: a, kind: email, url: 'smtp://x', from: a@b, to: c@d, user: u, password_file: /x, tls: never}",
	  "line 4", "tls" },
	{ "alerts:\n  receivers:\n    - {name: a, kind: exec}", "line 4", "command" },
	{ "alerts:\n  receivers:\n    - {name: a, kind: exec, command: [x]}\n    - {name: a, kind: exec, command: [x]}",
	  "line 5", "name" },
	{ "alerts:\n  routes:\n    - {to: nobody}", "line 4", "receiver" },
	{ "alerts:\n  silences:\n    - {when: {node: x}}", "line 4", "until" },
};

static void test_refused(void **state)
{
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct alerts_conf c;
		struct err err;
		struct str text = { 0 };
		str_addf(&text, "version: 1\n%s\n", bad[i].text);
		int r = parse(text.p, &c, &err);
		if (r != -EINVAL || !strstr(err.msg, bad[i].line) ||
		    !strstr(err.msg, bad[i].what) || !strstr(err.msg, "t.yaml"))
			fail_msg("%s\n -> %d %s", bad[i].text, r, r < 0 ? err.msg : "accepted");
		str_free(&text);
	}
}

/* What the documentation shows is taken. */
static void test_example(void **state)
{
	const char *src = getenv("TARE_SRC");
	struct alerts_conf c;
	struct err err;
	char path[512];

	snprintf(path, sizeof path, "%s/docs/config.example.yaml", src ? src : ".");
	if (alerts_conf_load(path, &c, &err) < 0)
		fail_msg("%s", err.msg);
	assert_true(rule(&c, "power_budget") && c.receiver.n == 5 && c.route.n == 3 &&
		    c.silence.n == 1);
	alerts_conf_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults), cmocka_unit_test(test_rules),
		cmocka_unit_test(test_routes),   cmocka_unit_test(test_refused),
		cmocka_unit_test(test_example),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
