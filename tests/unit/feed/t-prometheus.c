/* Against a server that misbehaves on purpose; what a real one says is tested in tests/peers. */
#include <errno.h>

#include "../net/server.h"
#include "feed/prometheus.h"
#include "rows_fix.h"

#define T0 1795000020 /* a whole minute */

struct fake {
	int bad;		 /* requests still to be answered badly */
	const char *status, *body; /* with this */
	int64_t slept_ms;
	int nsleep, max_steps;	 /* more steps than this in a query are refused with 422 */
	bool token_seen;
};

static double param(struct sv request, const char *name)
{
	const char *body = strstr(request.p, "\r\n\r\n"), *v = body ? strstr(body, name) : NULL;

	return v ? atof(v + strlen(name)) : 0;
}

/* 50 % busy in every step of one card; nothing else. */
static void good(struct sv request, struct str *out)
{
	double start = param(request, "&start="), end = param(request, "&end="), step = param(request, "&step=");
	struct str b = { 0 };

	str_addz(&b, "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[");
	if (strstr(request.p, "DCGM_FI_DEV_GPU_UTIL")) {
		str_addz(&b, "{\"metric\":{\"UUID\":\"GPU-a\",\"gpu\":\"0\",\"Hostname\":\"n\"},\"values\":[");
		for (double t = start; t <= end + 1e-6; t += step)
			str_addf(&b, "%s[%.3f,\"50\"]", t > start ? "," : "", t);
		str_addz(&b, "]}");
	}
	str_addz(&b, "]}}");
	server_say(out, "200 OK", "Content-Type: application/json\r\n", b.p);
	str_free(&b);
}

static void answer(void *ctx, int n, struct sv request, struct str *out)
{
	struct fake *f = ctx;
	double steps = (param(request, "&end=") - param(request, "&start=")) / param(request, "&step=") + 1;

	f->token_seen |= strstr(request.p, "Authorization: Bearer tok\r\n") != NULL;
	if (f->bad > 0) {
		f->bad--;
		if (f->status)
			server_say(out, f->status, "Retry-After: 2\r\n", f->body);
	} else if (f->max_steps && steps > f->max_steps + 0.5) {
		server_say(out, "422 Unprocessable Entity", "", "{\"status\":\"error\",\"errorType\":\"execution\",\"error\":\"query processing would load too many samples\"}");
	} else {
		good(request, out);
	}
}

static void sleeps(void *ctx, int64_t ms)
{
	struct fake *f = ctx;

	f->slept_ms += ms;
	f->nsleep++;
}

static void ask(struct fake *f, struct got *g, struct feed_prometheus_opt o)
{
	struct server s = { .answer = answer, .ctx = f };
	struct feed_sink sink = got_sink(g);
	char url[64];

	memset(g, 0, sizeof *g);
	server_start(&s);
	snprintf(url, sizeof url, "http://127.0.0.1:%d/", s.port);
	o.url = url;
	o.sleep = sleeps;
	o.sleep_ctx = f;
	o.since_ms = o.since_ms ? o.since_ms : T0 * 1000LL;
	o.until_ms = o.until_ms ? o.until_ms : T0 * 1000LL + 100 * 60000;
	g->rc = feed_prometheus_run(&o, &sink, &g->report, &g->err);
	server_stop(&s);
}

static void assert_all_there(const struct got *g, size_t n)
{
	assert_done(g);
	assert_int_equal(g->sample.n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(g->sample.v[i].v.t_ms, (T0 + (int64_t)i * 60) * 1000);
		assert_int_equal(g->sample.v[i].v.step_ms, 60000);
		assert_true(g->sample.v[i].v.value[METRIC_GPU_UTIL_PCT] == 50);
	}
}

static void all_is_well(void **state)
{
	struct fake f = { 0 };
	struct got g;

	ask(&f, &g, (struct feed_prometheus_opt){ .token = "tok" });
	assert_all_there(&g, 100);
	assert_true(f.token_seen);
	assert_int_equal(f.nsleep, 0);
	assert_int_equal(g.report.rows_kept, 100);
	assert_true(noted(&g, "kube-state-metrics"));
	got_free(&g);
}

static void passing_failures_are_retried(void **state)
{
	struct fake busy = { .bad = 3, .status = "503 Service Unavailable", .body = "starting" }, gone = { .bad = 2 };
	struct got g;

	ask(&busy, &g, (struct feed_prometheus_opt){ 0 });
	assert_all_there(&g, 100);
	assert_int_equal(busy.nsleep, 3);
	assert_int_equal(busy.slept_ms, 6000); /* as Retry-After says */
	got_free(&g);

	ask(&gone, &g, (struct feed_prometheus_opt){ 0 }); /* connections closed without an answer */
	assert_all_there(&g, 100);
	assert_int_equal(gone.slept_ms, 500 + 1000);
	got_free(&g);
}

static void lasting_failures_end_it(void **state)
{
	struct fake down = { .bad = 1000, .status = "500 Internal Server Error", .body = "no" },
		    no = { .bad = 1000, .status = "401 Unauthorized", .body = "token please" },
		    wrong = { .bad = 1000, .status = "400 Bad Request", .body = "{\"error\":\"parse error\"}" };
	struct got g;

	ask(&down, &g, (struct feed_prometheus_opt){ .retries = 2 });
	assert_int_equal(g.rc, -EAGAIN);
	assert_int_equal(down.nsleep, 2);
	assert_non_null(strstr(g.err.msg, "500"));
	got_free(&g);

	ask(&no, &g, (struct feed_prometheus_opt){ 0 });
	assert_int_equal(g.rc, -EACCES);
	assert_int_equal(no.nsleep, 0);
	got_free(&g);

	ask(&wrong, &g, (struct feed_prometheus_opt){ 0 });
	assert_int_equal(g.rc, -EPROTO);
	assert_non_null(strstr(g.err.msg, "parse error"));
	assert_non_null(strstr(g.err.msg, "avg_over_time(DCGM"));
	got_free(&g);
}

static void windows_shrink_to_what_the_server_bears(void **state)
{
	struct fake small = { .max_steps = 9 }, none = { .max_steps = -1 };
	struct got g;

	ask(&small, &g, (struct feed_prometheus_opt){ 0 });
	assert_all_there(&g, 100);
	got_free(&g);

	ask(&none, &g, (struct feed_prometheus_opt){ 0 }); /* refuses even one step */
	assert_int_equal(g.rc, -E2BIG);
	assert_non_null(strstr(g.err.msg, "too many samples"));
	assert_int_equal(g.sample.n, 0);
	got_free(&g);
}

static void other_servers(void **state)
{
	static const char *const body[] = { "<html>hello</html>", "{\"status\":\"success\"", "{\"status\":\"error\"}", "[]", "",
					    "{\"status\":\"success\",\"data\":{\"result\":[{\"metric\":{\"UUID\":\"a\"},\"values\":[[1,\"x\"]]}]}}",
					    "{\"status\":\"success\",\"data\":{\"result\":[{\"metric\":{\"UUID\":\"a\"},\"values\":[[1,\"5\"]]}]}}" };
	struct got g;

	for (size_t i = 0; i < sizeof body / sizeof *body; i++) {
		struct fake f = { .bad = 1000, .status = "200 OK", .body = body[i] };
		ask(&f, &g, (struct feed_prometheus_opt){ 0 });
		assert_int_equal(g.rc, -EBADMSG);
		assert_true(g.err.msg[0] != 0);
		assert_int_equal(g.sample.n, 0);
		got_free(&g);
	}
}

static void times(void **state)
{
	struct fake f = { 0 };
	struct got g;

	/* cut to whole steps inside; less than a step is an error */
	ask(&f, &g, (struct feed_prometheus_opt){ .until_ms = T0 * 1000LL + 150000 });
	assert_all_there(&g, 2);
	got_free(&g);
	ask(&f, &g, (struct feed_prometheus_opt){ .until_ms = T0 * 1000LL + 59999 });
	assert_int_equal(g.rc, -EINVAL);
	got_free(&g);
	ask(&f, &g, (struct feed_prometheus_opt){ .step_ms = 10 });
	assert_int_equal(g.rc, -EINVAL);
	got_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_is_well),	 cmocka_unit_test(passing_failures_are_retried),	    cmocka_unit_test(lasting_failures_end_it),
		cmocka_unit_test(other_servers), cmocka_unit_test(windows_shrink_to_what_the_server_bears), cmocka_unit_test(times),
	};

	setenv("no_proxy", "127.0.0.1", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
