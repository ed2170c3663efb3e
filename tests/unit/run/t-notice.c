/* Bytes of metadata services and of the API server; when to stop, to kill, to save. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/tm.h"
#include "opt/spot/spot_job.h"
#include "base/tm.h"
#include "run/notice_priv.h"
#include "run/run_when.h"

static void aws(void **state)
{
	struct notice_event e;

	assert_int_equal(
		notice_aws_action(
			SV("{\"action\":\"terminate\",\"time\":\"2017-09-18T08:22:00Z\"}"), &e),
		0);
	assert_int_equal(e.kind, NOTICE_STOP);
	assert_int_equal(e.at_ms, 1505722920000);
	static const char *const bad[] = { "",
					   "{}",
					   "null",
					   "[]",
					   "{\"action\":\"stop\"}",
					   "{\"action\":\"stop\",\"time\":\"soon\"}",
					   "{\"action\":\"stop\",\"time\":",
					   "\xff\xfe" };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(notice_aws_action(sv_of(bad[i]), &e), -EBADMSG);
}

#define EVENT(id, type, vm, status, before)                           \
	"{\"EventId\":\"" id "\",\"EventType\":\"" type               \
	"\",\"ResourceType\":\"VirtualMachine\",\"Resources\":[\"" vm \
	"\"],\"EventStatus\":\"" status "\",\"NotBefore\":\"" before "\"}"

static void azure(void **state)
{
	struct notice_event e;
	struct str ids = { 0 };
	int64_t ms;

	assert_int_equal(tm_parse_http(SV("Mon, 19 Sep 2016 18:29:47 GMT"), &ms), 0);
	assert_int_equal(ms, 1474309787000);
	assert_true(tm_parse_http(SV("Mon, 99 Sep 2016 18:29:47 GMT"), &ms) < 0 &&
		    tm_parse_http(SV("Mon, 19 Sep 2016 18:29:47 GMT x"), &ms) < 0);
	assert_int_equal(notice_azure_events(SV("{\"DocumentIncarnation\":1,\"Events\":[]}"),
					     SV("vm-7"), &e, &ids),
			 0);
	assert_int_equal(e.kind, NOTICE_NONE);
	struct sv two = SV("{\"DocumentIncarnation\":3,\n\"Events\":[" EVENT(
		"F", "Freeze", "vm-7", "Scheduled",
		"Mon, 19 Sep 2016 18:00:00 GMT") ", " EVENT("P", "Preempt", "vm-7", "Scheduled",
							    "Mon, 19 Sep 2016 18:29:47 GMT") "," EVENT("Q",
												       "Preempt",
												       "vm-8",
												       "Started",
												       "") "]}");
	assert_int_equal(notice_azure_events(two, SV("vm-7"), &e, &ids), 0);
	assert_int_equal(e.kind, NOTICE_STOP);
	assert_int_equal(e.at_ms, 1474309787000);
	assert_string_equal(str_z(&ids), "P");
	assert_int_equal(notice_azure_events(two, SV("vm-9"), &e, &ids), 0);
	assert_int_equal(e.kind, NOTICE_NONE);
	assert_int_equal(notice_azure_events(SV("<html>"), SV("vm-9"), &e, &ids), -EBADMSG);
	str_free(&ids);
}

static void kubernetes(void **state)
{
	struct notice_event e;

	assert_int_equal(
		notice_kube_node(
			SV("{\"kind\":\"Node\",\"spec\":{\"taints\":[{\"key\":\"nvidia.com/gpu\",\"effect\":\"NoSchedule\"}]}}"),
			&e),
		0);
	assert_int_equal(e.kind, NOTICE_NONE);
	assert_int_equal(
		notice_kube_node(
			SV("{\"kind\":\"Node\",\"spec\":{\"taints\":[{\"key\":\"nvidia.com/gpu\"},{\"effect\":\"NoSchedule\",\"key\":\"karpenter.sh/disrupted\"}]}}"),
			&e),
		0);
	assert_int_equal(e.kind, NOTICE_STOP);
	assert_int_equal(
		notice_kube_node(
			SV("{\"kind\":\"Node\",\"metadata\":{\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"},\"spec\":{}}"),
			&e),
		0);
	assert_int_equal(e.kind, NOTICE_STOP);
	assert_int_equal(notice_kube_node(SV("{\"kind\":\"Status\",\"code\":403}"), &e), -EBADMSG);
}

static void stopping(void **state)
{
	static const int64_t left[] = { -5000, 0, 1, 500, 5000, 30000, 120000, 3600000 };
	static const int64_t cost[] = { -1, 0, 100, 20000, 4000000 };

	for (size_t i = 0; i < sizeof left / sizeof *left; i++)
		for (size_t k = 0; k < sizeof cost / sizeof *cost; k++) {
			struct run_cost c = { cost[k], cost[k], cost[k], -1 };
			struct run_times t;
			run_plan_stop(1000000, 1000000 + left[i], &c, &t);
			assert_true(1000000 <= t.stop_at && t.stop_at <= t.term_at &&
				    t.term_at <= t.kill_at && t.kill_at <= t.end_at);
			assert_true(t.end_at <= 1000000 + (left[i] > 0 ? left[i] : 0));
		}
	/* two minutes: 25 s before the end are enough, and the end is 10 s early */
	struct run_times t;
	run_plan_stop(0, 120000, &(struct run_cost){ 100, 1000, 0, -1 }, &t);
	assert_int_equal(t.end_at, 110000);
	assert_int_equal(t.stop_at, 85000);
	/* what takes longer begins earlier, and the copy has its time */
	run_plan_stop(0, 120000, &(struct run_cost){ 100, 20000, 16000, -1 }, &t);
	assert_int_equal(t.stop_at, 110000 - 80000);
	assert_int_equal(t.kill_at, 110000 - 20000);
}

static void interval(void **state)
{
	struct run_cost c = { -1, -1, 0, -1 };
	struct run_hazard h = { 24, 0, 0 };

	assert_int_equal(run_interval_ms(&c, &h), RUN_FIRST_MS);
	assert_true(isnan(run_loss_frac(&c, &h, 1000)));
	c.stall_ms = 10000;
	int64_t calm = run_interval_ms(&c, &h);
	assert_true(fabs((double)calm / 3600000 - spot_interval_exact(10.0 / 3600, 24)) < 1e-6);
	h.interruptions = 23; /* one an hour */
	assert_true(run_interval_ms(&c, &h) < calm / 4);
	assert_true(run_loss_frac(&c, &h, run_interval_ms(&c, &h)) <= run_loss_frac(&c, &h, calm));
	c.save_ms = 3600000;
	assert_true(run_interval_ms(&c, &h) >= 2 * c.save_ms);
	c = (struct run_cost){ 0, 0, 0, 0 };
	assert_true(run_interval_ms(&c, &h) >= RUN_LEAST_MS);
}

/* A token that everybody may write says nothing of who we are; an empty one is another trouble. */
static void token_of_everybody(void **state)
{
	static const struct {
		const char *text, *said;
		mode_t mode;
	} t[] = {
		{ "token\n", "everybody may write it", 0666 },
		{ "\n", "no token in", 0600 },
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		char path[] = "/tmp/tare-notice-XXXXXX";
		int fd = mkstemp(path);
		struct notice_watch *w;
		struct notice n;
		struct err err = { 0 };
		const char *problem = NULL;
		assert_true(fd >= 0);
		assert_int_equal(write(fd, t[i].text, strlen(t[i].text)), strlen(t[i].text));
		assert_int_equal(fchmod(fd, t[i].mode), 0);
		close(fd);
		assert_int_equal(notice_open(&(struct notice_opt){ .sources = "kubernetes",
								   .kube_url = "http://127.0.0.1:1",
								   .kube_token_file = path,
								   .node = "n1",
								   .poll_ms = 100 },
					     tm_steady_ms(), &w, &err),
				 0);
		for (int k = 0; k < 1000 && !problem; k++) {
			assert_int_equal(notice_next(w, tm_steady_ms(), &n, &err), 0);
			problem = notice_problem(w);
			usleep(10000);
		}
		assert_non_null(problem);
		assert_non_null(strstr(problem, t[i].said));
		notice_close(w);
		unlink(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(aws),        cmocka_unit_test(azure),
		cmocka_unit_test(kubernetes), cmocka_unit_test(token_of_everybody),
		cmocka_unit_test(stopping),   cmocka_unit_test(interval)
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
