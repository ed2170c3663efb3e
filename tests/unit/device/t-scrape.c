/* GPUs and requests as metrics endpoints tell of them. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "device/gpu.h"
#include "device/scrape.h"
#include "device/scrape_gpu.h"
#include "device/serving.h"
#include "../loopback.h"

#define GPU(i) \
	"{gpu=\"" #i "\",UUID=\"GPU-" #i "\",modelName=\"NVIDIA H100 80GB HBM3\",Hostname=\"n1\"} "
#define INST(i, gi)                                                                        \
	"{gpu=\"" #i "\",UUID=\"GPU-" #i                                                   \
	"\",modelName=\"NVIDIA H100 80GB HBM3\",GPU_I_PROFILE=\"1g.10gb\",GPU_I_ID=\"" #gi \
	"\",Hostname=\"n1\"} "

static const struct scraped_dev *parse(struct scraped *s, const char *text, size_t want)
{
	const struct scraped_dev *d;

	scraped_parse(s, sv_of(text));
	assert_int_equal(scraped_all(s, &d), want);
	return d;
}

static void dcgm_text(void **state)
{
	struct scraped *s = scraped_new();
	const struct scraped_dev *d = parse(
		s,
		"# HELP x\nDCGM_FI_DEV_GPU_UTIL" GPU(0) "97\nDCGM_FI_DEV_FB_USED" GPU(0) "1024\nDCGM_FI_DEV_FB_FREE" GPU(
			0) "1024\n"
			   "DCGM_FI_DEV_SM_CLOCK" GPU(0) "1980\nDCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION" GPU(0) "5000\nDCGM_FI_DEV_XID_ERRORS" GPU(
				   0) "79\n"
				      "DCGM_FI_DEV_POWER_USAGE" GPU(0) "9223372036854775794\nDCGM_FI_DEV_GPU_UTIL" GPU(
					      1) "4294967295\n"
						 "DCGM_FI_PROF_GR_ENGINE_ACTIVE" INST(
							 1,
							 9) "0.5\nnonsense{{{\nsomething_else{gpu=\"0\"} 5\n",
		3);

	assert_true(d[0].value[METRIC_GPU_UTIL_PCT] == 97 &&
		    d[0].value[METRIC_MEM_TOTAL_BYTES] == 2147483648.0);
	assert_true(d[0].value[METRIC_SM_CLOCK_MHZ] == 1980 && d[0].value[METRIC_ENERGY_J] == 5 &&
		    d[0].value[METRIC_XID] == 79);
	assert_true(isnan(d[0].value[METRIC_POWER_W]) && isnan(d[1].value[METRIC_GPU_UTIL_PCT]));
	assert_true(d[2].value[METRIC_GPU_UTIL_PCT] == 50);
	assert_string_equal(d[2].profile, "1g.10gb");
	scraped_free(s);
}

static void other_exporters(void **state)
{
	struct scraped *s = scraped_new();
	const struct scraped_dev *d = parse(
		s,
		"nv_gpu_utilization{gpu_uuid=\"GPU-a\"} 0.25\nnv_gpu_memory_total_bytes{gpu_uuid=\"GPU-a\"} 1000\nnv_gpu_power_limit{gpu_uuid=\"GPU-a\"} 300\n"
		"nvidia_smi_utilization_gpu_ratio{uuid=\"b\"} 1\nnvidia_smi_clocks_current_sm_clock_hz{uuid=\"b\"} 1.41e9\n",
		2);

	assert_true(d[0].value[METRIC_GPU_UTIL_PCT] == 25 && d[0].power_limit_w == 300);
	assert_true(d[1].value[METRIC_GPU_UTIL_PCT] == 100 &&
		    fabs(d[1].value[METRIC_SM_CLOCK_MHZ] - 1410) < 1e-6);
	scraped_free(s);
}

/* ---- through a real connection ---- */

struct page {
	int status, asked;
	struct str body;
};

static void serve(void *ctx, const char *head, const char *body, struct answer *ret)
{
	struct page *p = ctx;

	p->asked++;
	ret->status = p->status;
	ret->body = str_sv(&p->body);
}

static const struct gpu_view *view(struct gpu_feed *f, int64_t mono_ms)
{
	const struct gpu_view *v;
	struct err err;

	assert_int_equal(gpu_feed_poll(f, 1795000000000 + mono_ms, mono_ms, &v, &err), 0);
	return v;
}

static void as_a_source(void **state)
{
	struct page p = { .status = 200 };
	struct loopback l = { .serve = serve, .ctx = &p };
	struct gpu_feed_opt o = { 0 };
	struct gpu_feed *f;
	const struct gpu_view *v;
	struct err err;
	char url[64];

	str_addz(&p.body,
		 "DCGM_FI_DEV_GPU_UTIL" GPU(0) "97\nDCGM_FI_PROF_SM_ACTIVE" INST(
			 1, 9) "0.5\nDCGM_FI_DEV_POWER_USAGE" GPU(2) "70\n"
								     "DCGM_FI_PROF_SM_ACTIVE" INST(
									     1, 10) "0.25\n");
	loopback_start(&l);
	snprintf(url, sizeof url, "http://bob:secret@127.0.0.1:%d/metrics?token=x", l.port);
	o.scrape = url;
	assert_int_equal(gpu_feed_open(&o, &f, &err), 0);
	v = view(f, 1000);
	assert_null(v->problem);
	snprintf(url, sizeof url, "scrape http://127.0.0.1:%d/metrics", l.port);
	assert_string_equal(v->driver, url);
	view(f, 1900);
	assert_int_equal(p.asked, 1); /* not more often than exporters read their GPUs */
	assert_int_equal(v->ndev, 5);
	assert_string_equal(v->dev[0].info.uuid, "GPU-0");
	assert_string_equal(v->dev[1].info.uuid, "GPU-2");
	assert_string_equal(v->dev[2].info.uuid, "GPU-1"); /* only its instances tell of it */
	assert_true(v->dev[2].info.mig_enabled && isnan(v->dev[2].value[METRIC_SM_ACTIVE_FRAC]));
	assert_int_equal(v->dev[3].info.parent, 2);
	assert_int_equal(v->dev[3].info.gi, 9);
	assert_true(v->dev[3].value[METRIC_SM_ACTIVE_FRAC] == 0.5 &&
		    v->dev[4].value[METRIC_SM_ACTIVE_FRAC] == 0.25);
	assert_int_equal(v->generation, 1);
	v = view(f, 2000);
	assert_int_equal(v->generation, 1);

	p.status = 500;
	v = view(f, 3000);
	assert_true(v->dev[0].present && v->problem && v->dev[0].value[METRIC_GPU_UTIL_PCT] == 97);
	p.asked = 0;
	view(f, 4000);
	assert_int_equal(p.asked, 0); /* left alone after a failure */
	v = view(f, 18000);
	assert_false(v->dev[0].present);
	assert_true(v->nevent == 3 && v->event[0].kind == GPU_LOST &&
		    isnan(v->dev[0].value[METRIC_GPU_UTIL_PCT]));
	p.status = 200;
	v = view(f, 24000);
	assert_true(v->dev[0].present && v->dev[0].value[METRIC_GPU_UTIL_PCT] == 97 && !v->problem);
	gpu_feed_close(f);
	loopback_stop(&l);
	str_free(&p.body);
}

static void tares_own(void **state)
{
	struct page p = { .status = 200 };
	struct loopback l = { .serve = serve, .ctx = &p };
	struct gpu_feed_opt o = { 0 };
	struct gpu_feed *f;
	const struct gpu_view *v;
	struct err err;
	char url[64];

	str_addz(
		&p.body,
		"# TYPE tare_gpu info\ntare_gpu_info{gpu=\"0\",uuid=\"GPU-a\",gpu_model=\"H100\"} 1\n"
		"tare_gpu_info{gpu=\"0\",uuid=\"MIG-b\",gpu_model=\"H100\",mig_profile=\"3g.40gb\",parent=\"GPU-a\"} 1\n"
		"tare_gpu_utilization_ratio{gpu=\"0\",uuid=\"MIG-b\"} 0.5\ntare_gpu_energy_joules_total{gpu=\"0\",uuid=\"GPU-a\"} 12\n"
		"tare_gpu_utilization_ratio{gpu=\"1\",uuid=\"GPU-c\"} 0.25\n# EOF\n");
	loopback_start(&l);
	snprintf(url, sizeof url, "http://127.0.0.1:%d/metrics", l.port);
	o.scrape = url;
	assert_int_equal(gpu_feed_open(&o, &f, &err), 0);
	v = view(f, 1000);
	assert_int_equal(v->ndev, 3);
	assert_string_equal(v->dev[0].info.name, "H100");
	assert_true(v->dev[0].info.mig_enabled && v->dev[0].value[METRIC_ENERGY_J] == 12 &&
		    isnan(v->dev[0].value[METRIC_GPU_UTIL_PCT]));
	assert_string_equal(v->dev[1].info.uuid, "MIG-b");
	assert_string_equal(v->dev[1].info.mig_profile, "3g.40gb");
	assert_true(v->dev[1].info.parent == 0 && v->dev[1].value[METRIC_GPU_UTIL_PCT] == 50);
	assert_true(v->dev[2].info.index == 1 && v->dev[2].value[METRIC_GPU_UTIL_PCT] == 25);
	gpu_feed_close(f);
	loopback_stop(&l);
	str_free(&p.body);
}

static void hostile_labels(void **state)
{
	struct scraped *s = scraped_new();
	struct str t = { 0 };
	const struct scraped_dev *d;

	str_addz(&t, "DCGM_FI_DEV_GPU_UTIL{UUID=\"\\\"\\n\033[2J");
	for (int i = 0; i < 1 << 20; i++)
		str_addc(&t, 'x');
	str_addz(&t, "\",modelName=\"} 1\\n\"} 5\n");
	for (int i = 0; i < 6000; i++)
		str_addf(&t, "DCGM_FI_DEV_GPU_UTIL{UUID=\"GPU-%d\"} 5\n", i);
	d = parse(s, t.p, 1024);
	assert_int_equal(strlen(d[0].uuid), sizeof d[0].uuid - 1);
	str_free(&t);
	scraped_free(s);
}

/* An answer without an end: as fast as it goes, or a byte now and then. */
struct endless {
	int fd, port, slow;
	pthread_t thread;
	volatile int stop;
};

static void *endless_run(void *ctx)
{
	struct endless *e = ctx;
	static char block[65536];
	int c = accept(e->fd, NULL, NULL);

	memset(block, '#', sizeof block);
	loopback_send(c, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n", 45);
	while (!e->stop && send(c, block, e->slow ? 1 : sizeof block, MSG_NOSIGNAL) > 0)
		if (e->slow)
			usleep(50000);
	close(c);
	return NULL;
}

static void never_ends(int slow, const char *why)
{
	struct endless e = { .slow = slow };
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t n = sizeof a;
	struct scrape *s;
	struct err err = { 0 };
	struct sv text;
	struct timespec t0, t1;
	char url[64];

	e.fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(e.fd, (struct sockaddr *)&a, sizeof a), 0);
	assert_int_equal(listen(e.fd, 1), 0);
	assert_int_equal(getsockname(e.fd, (struct sockaddr *)&a, &n), 0);
	assert_int_equal(pthread_create(&e.thread, NULL, endless_run, &e), 0);
	snprintf(url, sizeof url, "http://127.0.0.1:%d/", ntohs(a.sin_port));
	assert_int_equal(scrape_open(url, &s, &err), 0);
	clock_gettime(CLOCK_MONOTONIC, &t0);
	assert_true(scrape_get(s, 1000, &text, &err) < 0);
	clock_gettime(CLOCK_MONOTONIC, &t1);
	if (!strstr(err.msg, why))
		fail_msg("%s", err.msg);
	assert_true(t1.tv_sec - t0.tv_sec < 10);
	scrape_close(s);
	e.stop = 1;
	pthread_join(e.thread, NULL);
	close(e.fd);
}

static void endless_and_fast(void **state)
{
	never_ends(0, "longer than the 8388608 bytes");
}

static void endless_and_slow(void **state)
{
	never_ends(1, "127.0.0.1");
}

static void no_url(void **state)
{
	struct scrape *s;
	struct gpu_feed *f;
	struct err err;

	assert_int_equal(scrape_open("ftp://x/", &s, &err), -EINVAL);
	assert_int_equal(scrape_open("", &s, &err), -EINVAL);
	assert_int_equal(
		gpu_feed_open(&(struct gpu_feed_opt){ .scrape = "localhost:9400" }, &f, &err),
		-EINVAL);
	assert_non_null(strstr(err.hint, "http://"));
}

/* ---- requests ---- */

static const struct serving_reading *take(struct serving *s, const char *text, int64_t mono_ms,
					  size_t want)
{
	const struct serving_reading *r;
	size_t n;

	serving_take(s, sv_of(text), mono_ms, &r, &n);
	assert_int_equal(n, want);
	return r;
}

static void vllm(void **state)
{
	struct serving *s = serving_new();
	const struct serving_reading *r;

	r = take(
		s,
		"vllm:num_requests_running{engine=\"0\",model_name=\"m\"} 12.0\nvllm:num_requests_running{engine=\"1\",model_name=\"m\"} 4.0\n"
		"vllm:num_requests_waiting{engine=\"0\",model_name=\"m\"} 3\nvllm:kv_cache_usage_perc{engine=\"0\",model_name=\"m\"} 0.5\n"
		"vllm:kv_cache_usage_perc{engine=\"1\",model_name=\"m\"} 0.3\n"
		"vllm:request_success_total{finished_reason=\"stop\",model_name=\"m\"} 100\nvllm:request_success_total{finished_reason=\"length\",model_name=\"m\"} 10\n"
		"vllm:generation_tokens_total{model_name=\"m\"} 1000\nvllm:request_queue_time_seconds_sum{model_name=\"m\"} 5\n"
		"vllm:request_queue_time_seconds_count{model_name=\"m\"} 110\n",
		1000, 1);
	assert_string_equal(r->engine, "vllm");
	assert_string_equal(r->model, "m");
	assert_true(r->running == 16 && r->waiting == 3 && r->batch == 16 &&
		    fabs(r->cache_frac - 0.4) < 1e-9);
	assert_true(isnan(r->requests_s) && isnan(r->tokens_s) && isnan(r->queue_ms));
	r = take(
		s,
		"vllm:num_requests_running{model_name=\"m\"} 7\nvllm:request_success_total{model_name=\"m\"} 130\n"
		"vllm:generation_tokens_total{model_name=\"m\"} 3000\nvllm:request_queue_time_seconds_sum{model_name=\"m\"} 6\n"
		"vllm:request_queue_time_seconds_count{model_name=\"m\"} 130\n",
		11000, 1);
	assert_true(r->running == 7 && isnan(r->waiting) && r->requests_s == 2 &&
		    r->tokens_s == 200 && r->queue_ms == 50);
	/* the server began again */
	r = take(s, "vllm:generation_tokens_total{model_name=\"m\"} 10\n", 12000, 1);
	assert_true(isnan(r->tokens_s) && isnan(r->running));
	take(s, "up 1\n", 13000, 0);
	serving_close(s);
}

static void triton(void **state)
{
	struct serving *s = serving_new();
	const struct serving_reading *r;

	take(s,
	     "nv_inference_request_success{model=\"r\",version=\"1\"} 100\nnv_inference_count{model=\"r\",version=\"1\"} 400\n"
	     "nv_inference_exec_count{model=\"r\",version=\"1\"} 50\nnv_inference_queue_duration_us{model=\"r\",version=\"1\"} 1000000\n"
	     "nv_inference_compute_infer_duration_us{model=\"r\",version=\"1\"} 0\nnv_inference_pending_request_count{model=\"r\"} 6\n",
	     0, 1);
	r = take(
		s,
		"nv_inference_request_success{model=\"r\",version=\"1\"} 300\nnv_inference_count{model=\"r\",version=\"1\"} 1200\n"
		"nv_inference_exec_count{model=\"r\",version=\"1\"} 150\nnv_inference_queue_duration_us{model=\"r\",version=\"1\"} 3000000\n"
		"nv_inference_compute_infer_duration_us{model=\"r\",version=\"1\"} 25000000\nnv_inference_pending_request_count{model=\"r\"} 9\n",
		10000, 1);
	assert_string_equal(r->engine, "triton");
	assert_true(r->batch == 8 && r->queue_ms == 10 && r->running == 2.5 && r->waiting == 9 &&
		    r->requests_s == 20 && isnan(r->cache_frac));
	serving_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dcgm_text),
		cmocka_unit_test(other_exporters),
		cmocka_unit_test(as_a_source),
		cmocka_unit_test(tares_own),
		cmocka_unit_test(hostile_labels),
		cmocka_unit_test(endless_and_fast),
		cmocka_unit_test(endless_and_slow),
		cmocka_unit_test(no_url),
		cmocka_unit_test(vllm),
		cmocka_unit_test(triton),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
