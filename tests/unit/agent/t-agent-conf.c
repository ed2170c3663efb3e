/* The section agent: of the settings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "agent/agent_conf.h"

static void good(void **state)
{
	struct agent_conf c;
	struct err err = { 0 };
	assert_int_equal(
		agent_conf_parse(
			"x",
			SV("version: 1\nagent:\n  interval: 100ms\n  retention_raw: 2h\n  listen: none\n  dcgm_names: yes\n"
			   "  scrape: http://localhost:9400/metrics\n  serving: https://s/metrics\n  silences: /tmp/store\n"
			   "  node:\n    provider: aws\n    usd_gpu_hour: 2.5\n    cluster: c1\n"),
			&c, &err),
		0);
	assert_true(c.interval_ms == 100 && c.raw_keep_ms == 7200000 && c.dcgm_names &&
		    c.rate.known && c.rate.usd_gpu_hour == DEC_ONE * 5 / 2);
	assert_string_equal(c.rate.provider, "aws");
	assert_string_equal(c.cluster, "c1");
	assert_string_equal(c.scrape, "http://localhost:9400/metrics");
	assert_string_equal(c.serving, "https://s/metrics");
	assert_string_equal(c.silences, "/tmp/store");
	agent_conf_free(&c);
	assert_int_equal(agent_conf_parse("x", SV("version: 1\n"), &c, &err), 0);
	assert_true(c.interval_ms == 1000 && !c.rate.known);
	assert_string_equal(c.listen, AGENT_LISTEN_DEFAULT);
	agent_conf_free(&c);
}

static void bad(void **state)
{
	static const char *const text[] = {
		"agent:\n  interval: 10ms\n",
		"agent:\n  intervall: 1s\n",
		"agent:\n  node:\n    usd_gpu_hour: -1\n",
		"agent:\n  flush: soon\n",
		"agent: 3\n",
		"agent:\n  scrape: localhost:9400\n",
		"agent:\n  node:\n    provider: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"
	};
	for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
		struct agent_conf c;
		struct err err = { 0 };
		assert_true(agent_conf_parse("x", sv_of(text[i]), &c, &err) < 0);
		assert_true(err.msg[0]);
	}
}

/* The example has every key, and all of them are good. */
static void example(void **state)
{
	const char *src = getenv("TARE_SRC");
	struct agent_conf c;
	struct err err = { 0 };
	char path[512];
	snprintf(path, sizeof path, "%s/docs/config.example.yaml", src ? src : ".");
	if (agent_conf_load(path, &c, &err) < 0)
		fail_msg("%s", err.msg);
	assert_string_equal(c.silences, "/var/lib/tare");
	assert_string_equal(c.rate.zone, "us-east-1a");
	agent_conf_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(good), cmocka_unit_test(bad),
					    cmocka_unit_test(example) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
