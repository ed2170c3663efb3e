/* Against a server that misbehaves on purpose; what a real one says is tested in tests/peers. */
#include <errno.h>

#include "../net/server.h"
#include "feed/readings/prometheus.h"
#include "net/http.h"
#include "rows_fix.h"

#define T0 1795000020 /* a whole minute */

struct fake {
	int bad;                   /* requests still to be answered badly */
	const char *status, *body; /* with this */
	int64_t slept_ms;
	int nsleep, max_steps; /* more steps than this in a query are refused with 422 */
	bool token_seen;
	const struct fact *fact; /* [nfact], NULL = good() */
	size_t nfact;
};

static double param(struct sv request, const char *name)
{
	const char *body = strstr(request.p, "\r\n\r\n"), *v = body ? strstr(body, name) : NULL;

	return v ? atof(v + strlen(name)) : 0;
}

struct fact {
	const char *query, *labels, *value;
};

/* HAMi: two GPUs offered as twenty; pods with cores, with memory in percent, with memory in MiB,
 * and one that takes a GPU whole. */
#define HAMI_POD(pod, resource)               \
	"\"namespace\":\"ml\",\"pod\":\"" pod \
	"\",\"container\":\"c\",\"node\":\"n\",\"resource\":\"" resource "\""
static const struct fact hami[] = {
	{ "max_over_time(kube_node_status_capacity",
	  "\"node\":\"n\",\"resource\":\"nvidia_com_gpu\"", "20" },
	{ "last_over_time(kube_node_labels", "\"node\":\"n\",\"label_nvidia_com_gpu_count\":\"2\"",
	  "1" },
	{ "max_over_time(kube_pod_container_resource_requests",
	  HAMI_POD("quarter", "nvidia_com_gpucores"), "25" },
	{ "max_over_time(kube_pod_container_resource_requests",
	  HAMI_POD("quarter", "nvidia_com_gpumem"), "4000" },
	{ "max_over_time(kube_pod_container_resource_requests",
	  HAMI_POD("quarter", "nvidia_com_gpu"), "1" },
	{ "max_over_time(kube_pod_container_resource_requests", HAMI_POD("tenth", "nvidia_com_gpu"),
	  "2" },
	{ "max_over_time(kube_pod_container_resource_requests",
	  HAMI_POD("tenth", "nvidia_com_gpumem_percentage"), "10" },
	{ "max_over_time(kube_pod_container_resource_requests", HAMI_POD("some", "nvidia_com_gpu"),
	  "1" },
	{ "max_over_time(kube_pod_container_resource_requests",
	  HAMI_POD("some", "nvidia_com_gpumem"), "4000" },
	{ "max_over_time(kube_pod_container_resource_requests", HAMI_POD("whole", "nvidia_com_gpu"),
	  "1" },
	{ "last_over_time(kube_node_status_allocatable", "\"node\":\"n\",\"resource\":\"cpu\"",
	  "31.5" },
	{ "last_over_time(kube_node_status_allocatable", "\"node\":\"n\",\"resource\":\"memory\"",
	  "137438953472" },
	{ "sum by(namespace,pod,exported_namespace,exported_pod,resource)",
	  "\"namespace\":\"ml\",\"pod\":\"whole\",\"resource\":\"cpu\"", "7.5" },
	{ "sum by(namespace,pod,exported_namespace,exported_pod,resource)",
	  "\"namespace\":\"ml\",\"pod\":\"whole\",\"resource\":\"memory\"", "8589934592" },
};

/* MIG_STRATEGY=single: two A100, each cut into seven, are offered as fourteen GPUs. */
static const struct fact single[] = {
	{ "max_over_time(kube_node_status_capacity",
	  "\"node\":\"n\",\"resource\":\"nvidia_com_gpu\"", "14" },
	{ "last_over_time(kube_node_labels",
	  "\"node\":\"n\",\"label_nvidia_com_gpu_count\":\"14\",\"label_nvidia_com_gpu_product\":\"NVIDIA-A100-SXM4-80GB-MIG-1g.10gb\"",
	  "1" },
	{ "max_over_time(kube_pod_container_resource_requests", HAMI_POD("two", "nvidia_com_gpu"),
	  "2" },
};

/* MIG_STRATEGY=mixed on A100 of 80 GB: one cut into seven, one into two halves, others whole. */
#define OFFERS(resource, n)                                               \
	{                                                                 \
		"max_over_time(kube_node_status_capacity",                \
			"\"node\":\"n\",\"resource\":\"" resource "\"", n \
	}
#define LABELLED(more)                                                                                    \
	{                                                                                                 \
		"last_over_time(kube_node_labels",                                                        \
			"\"node\":\"n\",\"label_nvidia_com_gpu_product\":\"NVIDIA-A100-SXM4-80GB\"" more, \
			"1"                                                                               \
	}
#define READ(gpu, more)                                                                         \
	{                                                                                       \
		"avg_over_time(DCGM_FI_PROF_GR_ENGINE_ACTIVE",                                  \
			"\"Hostname\":\"n\",\"gpu\":\"" gpu "\",\"UUID\":\"GPU-" gpu "\"" more, \
			"0.5"                                                                   \
	}
#define INSTANCE(profile, id) ",\"GPU_I_PROFILE\":\"" profile "\",\"GPU_I_ID\":\"" id "\""
static const struct fact mixed[] = {
	OFFERS("nvidia_com_gpu", "2"),
	OFFERS("nvidia_com_mig_1g_10gb", "7"),
	OFFERS("nvidia_com_mig_3g_40gb", "2"),
	LABELLED(""),
};
/* The same, with a memory of eight eighths beside six sevenths of compute: two GPUs, not three. */
static const struct fact mixed_profiles[] = {
	OFFERS("nvidia_com_mig_1g_10gb", "4"),
	OFFERS("nvidia_com_mig_1g_10gb_me", "1"),
	OFFERS("nvidia_com_mig_2g_20gb", "1"),
	OFFERS("nvidia_com_mig_1g_20gb", "4"),
	LABELLED(""),
};
/* A GPU that is cut without an instance on it is in the label and in the readings. */
static const struct fact mixed_empty[] = {
	OFFERS("nvidia_com_gpu", "2"),
	OFFERS("nvidia_com_mig_1g_10gb", "1"),
	LABELLED(",\"label_nvidia_com_gpu_count\":\"4\""),
};
/* Whole GPUs offered four times each beside one that is cut: the label and the readings agree. */
static const struct fact mixed_shared[] = {
	OFFERS("nvidia_com_gpu", "8"),
	OFFERS("nvidia_com_mig_1g_10gb", "7"),
	LABELLED(",\"label_nvidia_com_gpu_count\":\"3\""),
	READ("0", INSTANCE("1g.10gb", "7")),
	READ("1", ""),
	READ("2", ""),
};
/* Offered as shares alone: as many as are read, or nothing is said of the machine. */
static const struct fact renamed[] = {
	OFFERS("nvidia_com_gpu_shared", "8"),
	LABELLED(""),
	READ("0", ""),
	READ("1", ""),
};
static const struct fact renamed_unread[] = { OFFERS("nvidia_com_gpu_shared", "8"), LABELLED("") };
#define FACTS(x)                                              \
	{                                                     \
		.fact = (x), .nfact = sizeof(x) / sizeof *(x) \
	}

static void facts(struct sv request, const struct fact *f, size_t n, struct str *out)
{
	double start = param(request, "&start="), end = param(request, "&end="),
	       step = param(request, "&step=");
	struct str b = { 0 }, want = { 0 };
	size_t found = 0;

	str_addz(&b, "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[");
	for (size_t i = 0; i < n; i++) {
		str_clear(&want);
		str_addz(&want, "query=");
		http_quote(&want, sv_of(f[i].query));
		if (!strstr(request.p, str_z(&want)))
			continue;
		str_addf(&b, "%s{\"metric\":{%s},\"values\":[", found++ ? "," : "", f[i].labels);
		for (double t = start; t <= end + 1e-6; t += step)
			str_addf(&b, "%s[%.3f,\"%s\"]", t > start ? "," : "", t, f[i].value);
		str_addz(&b, "]}");
	}
	str_addz(&b, "]}}");
	server_say(out, "200 OK", "Content-Type: application/json\r\n", b.p);
	str_free(&b);
	str_free(&want);
}

/* 50 % busy in every step of one GPU; nothing else. */
static void good(struct sv request, struct str *out)
{
	double start = param(request, "&start="), end = param(request, "&end="),
	       step = param(request, "&step=");
	struct str b = { 0 };

	str_addz(&b, "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[");
	if (strstr(request.p, "DCGM_FI_DEV_GPU_UTIL")) {
		str_addz(
			&b,
			"{\"metric\":{\"UUID\":\"GPU-a\",\"gpu\":\"0\",\"Hostname\":\"n\"},\"values\":[");
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
	double steps = (param(request, "&end=") - param(request, "&start=")) /
			       param(request, "&step=") +
		       1;

	f->token_seen |= strstr(request.p, "Authorization: Bearer tok\r\n") != NULL;
	if (f->bad > 0) {
		f->bad--;
		if (f->status)
			server_say(out, f->status, "Retry-After: 2\r\n", f->body);
	} else if (f->max_steps && steps > f->max_steps + 0.5) {
		server_say(
			out, "422 Unprocessable Entity", "",
			"{\"status\":\"error\",\"errorType\":\"execution\",\"error\":\"query processing would load too many samples\"}");
	} else if (f->fact) {
		facts(request, f->fact, f->nfact, out);
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

static const struct allocation *held_by(const struct got *g, const char *job)
{
	for (size_t i = 0; i < g->alloc.n; i++)
		if (sv_is(g->alloc.v[i].job_id, job))
			return &g->alloc.v[i];
	fail_msg("nobody is called %s", job);
	return NULL;
}

static void shares_of_hami(void **state)
{
	static const struct {
		const char *job;
		int64_t gpus_milli;
		enum share_kind kind;
		int64_t ppb;
	} want[] = { { "ml/quarter", 1000, SHARE_FRACTION, 250000000 },
		     { "ml/tenth", 2000, SHARE_FRACTION, 100000000 },
		     { "ml/some", 1000, SHARE_TIMESLICE, -1 },
		     { "ml/whole", 1000, SHARE_WHOLE, -1 } };
	struct fake f = FACTS(hami);
	struct got g;

	ask(&f, &g, (struct feed_prometheus_opt){ 0 });
	assert_done(&g);
	assert_int_equal(g.alloc.n, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct allocation *a = held_by(&g, want[i].job);
		assert_int_equal(a->gpus_milli, want[i].gpus_milli);
		assert_int_equal(a->share_kind, want[i].kind);
		assert_int_equal(a->share_ppb, want[i].ppb);
		assert_int_equal(a->end_ms - a->start_ms, 100 * 60000);
	}
	assert_int_equal(g.node.n, 1);
	assert_int_equal(g.node.v[0].gpu_milli, 2000);
	assert_int_equal(g.node.v[0].cpu_milli, 31500);
	assert_int_equal(g.node.v[0].ram_mib, 128 * 1024);
	assert_int_equal(held_by(&g, "ml/whole")->cpu_milli, 7500);
	assert_int_equal(held_by(&g, "ml/whole")->ram_mib, 8192);
	assert_int_equal(held_by(&g, "ml/some")->cpu_milli, 0); /* says nothing */
	got_free(&g);
}

static void instances_that_are_called_gpus(void **state)
{
	struct fake f = FACTS(single);
	struct got g;

	ask(&f, &g, (struct feed_prometheus_opt){ 0 });
	assert_done(&g);
	assert_int_equal(g.alloc.n, 1);
	assert_int_equal(g.alloc.v[0].gpus_milli, 2000);
	assert_int_equal(g.alloc.v[0].share_kind, SHARE_MIG);
	assert_true(sv_is(g.alloc.v[0].mig_profile, "1g.10gb"));
	assert_int_equal(g.node.n, 1);
	assert_int_equal(g.node.v[0].gpu_milli, 2000);
	assert_true(sv_is(g.node.v[0].gpu_model, "NVIDIA-A100-SXM4-80GB"));
	got_free(&g);
}

static void cards_of_mixed_mig(void **state)
{
	static const struct {
		struct fake f;
		int64_t gpu_milli;
		const char *ids;
	} want[] = {
		{ FACTS(mixed), 4000, "" },
		{ FACTS(mixed_profiles), 2000, "" },
		{ FACTS(mixed_empty), 4000, "" },
		{ FACTS(mixed_shared), 3000, "GPU-0;GPU-1;GPU-2" },
		{ FACTS(renamed), 2000, "GPU-0;GPU-1" },
	};
	struct got g;

	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		struct fake f = want[i].f;
		ask(&f, &g, (struct feed_prometheus_opt){ 0 });
		assert_done(&g);
		assert_int_equal(g.node.n, 1);
		assert_int_equal(g.node.v[0].gpu_milli, want[i].gpu_milli);
		assert_true(sv_is(g.node.v[0].gpu_ids, want[i].ids));
		got_free(&g);
	}
	struct fake f = FACTS(renamed_unread);
	ask(&f, &g, (struct feed_prometheus_opt){ 0 });
	assert_int_equal(g.node.n, 0);
	got_free(&g);
}

static void passing_failures_are_retried(void **state)
{
	struct fake busy = { .bad = 3, .status = "503 Service Unavailable", .body = "starting" },
		    gone = { .bad = 2 };
	struct got g;

	ask(&busy, &g, (struct feed_prometheus_opt){ 0 });
	assert_all_there(&g, 100);
	assert_int_equal(busy.nsleep, 3);
	assert_int_equal(busy.slept_ms, 6000); /* as Retry-After says */
	got_free(&g);

	/* connections closed without an answer */
	ask(&gone, &g, (struct feed_prometheus_opt){ 0 });
	assert_all_there(&g, 100);
	assert_int_equal(gone.slept_ms, 500 + 1000);
	got_free(&g);
}

static void lasting_failures_end_it(void **state)
{
	struct fake down = { .bad = 1000, .status = "500 Internal Server Error", .body = "no" },
		    no = { .bad = 1000, .status = "401 Unauthorized", .body = "token please" },
		    wrong = { .bad = 1000,
			      .status = "400 Bad Request",
			      .body = "{\"error\":\"parse error\"}" };
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
	static const char *const body[] = {
		"<html>hello</html>",
		"{\"status\":\"success\"",
		"{\"status\":\"error\"}",
		"[]",
		"",
		"{\"status\":\"success\",\"data\":{\"result\":[{\"metric\":{\"UUID\":\"a\"},\"values\":[[1,\"x\"]]}]}}",
		"{\"status\":\"success\",\"data\":{\"result\":[{\"metric\":{\"UUID\":\"a\"},\"values\":[[1,\"5\"]]}]}}"
	};
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
		cmocka_unit_test(all_is_well),
		cmocka_unit_test(shares_of_hami),
		cmocka_unit_test(instances_that_are_called_gpus),
		cmocka_unit_test(cards_of_mixed_mig),
		cmocka_unit_test(passing_failures_are_retried),
		cmocka_unit_test(lasting_failures_end_it),
		cmocka_unit_test(other_servers),
		cmocka_unit_test(windows_shrink_to_what_the_server_bears),
		cmocka_unit_test(times),
	};

	setenv("no_proxy", "127.0.0.1", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
