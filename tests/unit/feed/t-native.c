#include <errno.h>

#include "rows_fix.h"

static void nodes(void **state)
{
	struct got g;

	got_text(
		&g, NULL,
		"node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour,gpu_ids,extra\n"
		"n1,aws,us-east-1,A100,2,on_demand,2026-01-01,2026-02-01T00:00:00Z,21.957642,GPU-a;GPU-b,x\n"
		"n2,onprem,,H100,0.5,leased,2026-01-01T00:00:00+02:00,,,,x\n"
		"n3,aws,us-east-1,,0,on_demand,2026-01-01,,,,x\n",
		NULL);
	assert_done(&g);
	assert_string_equal(g.report.kind, "nodes");
	assert_int_equal(g.node.n, 2);
	assert_int_equal(g.node.v[0].gpu_milli, 2000);
	assert_true(g.node.v[0].has_usd_hour);
	assert_true(g.node.v[0].usd_hour == (dec)21957642 * 1000000);
	assert_sv(g.node.v[0].gpu_ids, "GPU-a;GPU-b");
	assert_int_equal(g.node.v[1].from_ms, at("2025-12-31T22:00:00Z"));
	assert_int_equal(g.node.v[1].to_ms, UNKNOWN_MS);
	assert_false(g.node.v[1].has_usd_hour);
	assert_int_equal(g.node.v[1].gpu_milli, 500);
	assert_sv(g.node.v[1].purchase, "leased");
	assert_true(noted(&g, "'leased'"));
	assert_int_equal(g.report.rows_skipped, 1);
	assert_string_equal(g.report.skipped.v[0].key, "n3");
	assert_int_equal(g.report.rows_kept, 2);
	got_free(&g);
}

/* CPU and memory of the host, of machines and of what jobs hold. */
static void host(void **state)
{
	struct got g;

	got_text(&g, NULL,
		 "node,provider,region,gpu_model,gpu_count,purchase,from,cpus,ram_gib\n"
		 "n1,aws,r,A100,8,spot,2026-01-01,95.5,1100\n"
		 "n2,aws,r,A100,8,spot,2026-01-01,,-\n",
		 NULL);
	assert_done(&g);
	assert_int_equal(g.node.v[0].cpu_milli, 95500);
	assert_int_equal(g.node.v[0].ram_mib, 1100 * 1024);
	assert_int_equal(g.node.v[1].cpu_milli, UNKNOWN_I64);
	assert_int_equal(g.node.v[1].ram_mib, UNKNOWN_I64);
	got_free(&g);

	got_text_named(
		&g, "jobs.csv", "allocations",
		"job_id,gpus,start,end,cpus,ram_gib\n1,2,2026-01-01,2026-01-02,0.5,3.5\n2,1,2026-01-01,2026-01-02,,\n"
		"3,1,2026-01-01,2026-01-02,-4,\n4,1,2026-01-01,2026-01-02,,much\n",
		NULL, UNKNOWN_MS, 2);
	assert_done(&g);
	assert_int_equal(g.alloc.v[0].cpu_milli, 500);
	assert_int_equal(g.alloc.v[0].ram_mib, 3584);
	assert_int_equal(g.alloc.v[1].cpu_milli, UNKNOWN_I64);
	assert_string_equal(g.report.rejects.v[0].field, "cpus");
	assert_string_equal(g.report.rejects.v[1].field, "ram_gib");
	got_free(&g);
}

static void bad_nodes(void **state)
{
	struct got g;

	got_text_named(
		&g, "nodes.csv", "nodes",
		"node,provider,region,gpu_model,gpu_count,purchase,from,to,gpu_ids,usd_hour\n"
		",aws,r,A100,8,spot,2026-01-01,,,\n"
		"n,aws,r,A100,-8,spot,2026-01-01,,,\n"
		"n,aws,r,A100,8,spot,01.01.2026,,,\n"
		"n,aws,r,A100,8,spot,2026-01-02,2026-01-01,,\n"
		"n,aws,r,A100,8,spot,2026-01-02,,GPU-a,\n"
		"n,aws,r,A100,8,spot,2026-01-02,,,\"12,24\"\n"
		"n,aws,r,A100,8,spot,2026-01-02,,,-1\n",
		NULL, UNKNOWN_MS, 7);
	assert_done(&g);
	static const char *const field[] = { "node",    "gpu_count", "from",    "to",
					     "gpu_ids", "usd_hour",  "usd_hour" };
	assert_int_equal(g.report.rows_rejected, 7);
	for (int i = 0; i < 7; i++) {
		assert_string_equal(g.report.rejects.v[i].field, field[i]);
		assert_int_equal(g.report.rejects.v[i].line, i + 2);
	}
	got_free(&g);

	got_text_named(&g, "nodes.csv", "nodes",
		       "node,gpu_model,gpu_count,from\nn,A100,8,2026-01-01\n", NULL, UNKNOWN_MS, 0);
	assert_int_equal(g.rc, -EINVAL); /* all that is missing in one error */
	assert_non_null(strstr(g.err.msg, "provider"));
	assert_non_null(strstr(g.err.msg, "purchase"));
	got_free(&g);

	got_text(&g, "nodes", "node,gpu_model,gpu_count,from\nn,A100,8,2026-01-01\n",
		 SETS("provider=onprem", "region=berlin", "purchase=owned"));
	assert_done(&g);
	assert_sv(g.node.v[0].region, "berlin");
	got_free(&g);
}

static void allocations(void **state)
{
	struct got g;

	got_text(
		&g, NULL,
		"job_id,gpus,start,end,user,team,workload,gpu_ids,share_kind,gpu_share,mig_profile,mig_start,limit_s,checkpointable,namespace,tags,tag:cc\n"
		"1,2,2026-01-01T00:00:00Z,2026-01-01T01:00:00Z,ann,nlp,training,0;1,,,,,3600,true,ml,,\n"
		"2,0.25,2026-01-01T00:00:00Z,,,,gaming,,,0.25,,,,no,,stage=x;env=dev,42\n"
		"3,1,2026-01-01T00:00:00Z,,,,,,,,1g.10gb,4,,,,\"{\"\"a\"\":\"\"b\"\"}\",7\n"
		"4,1,2026-01-01T00:00:00Z,,,,,,mps,0.5,,,,,,,\n"
		"5,8,,,,,,,,,,,,,,,\n"
		"6,0,2026-01-01T00:00:00Z,,,,,,,,,,,,,,\n",
		SETS("usd_gpu_hour=1.20", "gpu_model=A10", "currency=EUR"));
	assert_done(&g);
	assert_int_equal(g.alloc.n, 4);
	const struct allocation *a = g.alloc.v;
	assert_int_equal(a[0].gpus_milli, 2000);
	assert_int_equal(a[0].share_kind, SHARE_WHOLE);
	assert_int_equal(a[0].share_ppb, -1);
	assert_int_equal(a[0].limit_ms, 3600000);
	assert_int_equal(a[0].checkpointable, 1);
	assert_sv(a[0].gpu_ids, "0;1");
	assert_sv(a[0].gpu_model, "A10");
	assert_sv(a[0].namespace_, "ml");
	assert_sv(a[0].currency, "EUR");
	assert_true(a[0].has_usd_gpu_hour && a[0].usd_gpu_hour == DEC_ONE * 12 / 10);
	assert_sv(a[0].tags, "(null)");
	assert_int_equal(a[1].share_kind, SHARE_FRACTION);
	assert_int_equal(a[1].share_ppb, 250000000);
	assert_int_equal(a[1].end_ms, UNKNOWN_MS);
	assert_int_equal(a[1].checkpointable, 0);
	assert_sv(a[1].workload, "gaming");
	assert_true(noted(&g, "'gaming'"));
	assert_sv(a[1].tags, "{\"cc\":\"42\",\"stage\":\"x\",\"env\":\"dev\"}");
	assert_int_equal(a[2].share_kind, SHARE_MIG);
	assert_int_equal(a[2].mig_start, 4);
	assert_int_equal(a[2].checkpointable, -1);
	assert_sv(a[2].tags, "{\"cc\":\"7\",\"a\":\"b\"}");
	assert_int_equal(a[3].share_kind, SHARE_MPS);
	assert_int_equal(a[3].share_ppb, 500000000);
	assert_int_equal(g.report.rows_skipped, 2);
	assert_string_equal(g.report.skipped.v[0].key, "5");
	assert_true(noted(&g, "1 rows hold no GPU"));
	got_free(&g);
}

static void bad_allocations(void **state)
{
	struct got g;

	got_text_named(&g, "jobs.csv", "allocations",
		       "job_id,gpus,start,end,share_kind,gpu_share,limit_s,checkpointable\n"
		       ",1,2026-01-01,,,,,\n"
		       "1,many,2026-01-01,,,,,\n"
		       "1,1,2026-02-30,,,,,\n"
		       "1,1,2026-01-02,2026-01-01,,,,\n"
		       "1,1,2026-01-02,,half,,,\n"
		       "1,1,2026-01-02,,,1.5,,\n"
		       "1,1,2026-01-02,,,,soon,\n"
		       "1,1,2026-01-02,,,,,maybe\n"
		       "1,1,2026-01-02\n",
		       NULL, UNKNOWN_MS, 20);
	assert_done(&g);
	static const char *const field[] = { "job_id",  "gpus",           "start",
					     "end",     "share_kind",     "gpu_share",
					     "limit_s", "checkpointable", "" };
	assert_int_equal(g.report.rows_rejected, 9);
	for (int i = 0; i < 9; i++)
		assert_string_equal(g.report.rejects.v[i].field, field[i]);
	got_free(&g);

	got_text(&g, "allocations", "job_id,gpus,start\n1,1,2026-01-01\n", SETS("gpu_modle=A10"));
	assert_done(&g);
	assert_true(noted(&g, "did you mean gpu_model"));
	got_free(&g);
}

static void samples(void **state)
{
	struct got g;

	got_text(&g, NULL,
		 "gpu_util_pct,time,gpu,node,mem_used_bytes,step_s,sm_active_frac,job_id\n"
		 "0,2026-01-01T00:00:00Z,0,n1,1.5e10,60,0.5,j\n"
		 "12.5,2026-01-01 00:01:00,0,n1,,60,nan,j\n"
		 ",2026-01-01T23:59:59.5+00:00,GPU-a,,0,0.5,N/A,\n"
		 "3,1767225600,GPU-a,,0,60,,\n",
		 SETS("gpu_model=A10"));
	assert_done(&g);
	assert_string_equal(g.report.kind, "samples");
	assert_int_equal(g.sample.n, 4);
	const struct got_sample *s = g.sample.v;
	assert_true(s[0].v.value[METRIC_GPU_UTIL_PCT] == 0);
	assert_true(s[0].v.value[METRIC_MEM_USED_BYTES] == 1.5e10);
	assert_true(s[0].v.value[METRIC_SM_ACTIVE_FRAC] == 0.5);
	assert_true(isnan(s[0].v.value[METRIC_POWER_W]));
	assert_sv(s[0].key.node, "n1");
	assert_sv(s[0].key.job_id, "j");
	assert_sv(s[0].key.gpu_model, "A10");
	assert_int_equal(s[1].v.t_ms - s[0].v.t_ms, 60000);
	assert_true(s[1].v.value[METRIC_GPU_UTIL_PCT] == 12.5);
	assert_true(isnan(s[1].v.value[METRIC_MEM_USED_BYTES]) &&
		    isnan(s[1].v.value[METRIC_SM_ACTIVE_FRAC]));
	assert_int_equal(s[2].v.t_ms, at("2026-01-01T23:59:59.500Z"));
	assert_int_equal(s[2].v.step_ms, 500);
	assert_true(isnan(s[2].v.value[METRIC_GPU_UTIL_PCT]));
	assert_true(s[2].v.value[METRIC_MEM_USED_BYTES] == 0);
	assert_int_equal(s[3].v.t_ms, at("2026-01-01T00:00:00Z"));
	assert_true(noted(&g, "since 1970"));
	assert_int_equal(g.report.from_ms, at("2026-01-01T00:00:00Z"));
	assert_int_equal(g.report.to_ms, at("2026-01-02T00:00:00Z"));
	got_free(&g);
}

/* A series has its own step; one with a single reading has that of the file. */
static void derived_steps(void **state)
{
	struct got g;

	got_text(
		&g, "samples",
		"time,gpu,gpu_util_pct\n"
		"2026-01-01T00:00:00Z,a,1\n2026-01-01T00:00:00Z,b,1\n2026-01-01T00:00:10Z,b,1\n2026-01-01T00:00:20Z,b,1\n"
		"2026-01-01T00:01:00Z,a,1\n2026-01-01T00:00:30Z,b,1\n2026-01-01T00:02:00Z,a,1\n2026-01-01T00:07:00Z,a,1\n2026-01-01T00:00:00Z,c,1\n",
		NULL);
	assert_done(&g);
	assert_int_equal(g.sample.n, 9);
	for (size_t i = 0; i < g.sample.n; i++)
		assert_int_equal(g.sample.v[i].v.step_ms,
				 sv_is(g.sample.v[i].key.gpu, "a") ? 60000 : 10000);
	assert_true(noted(&g, "was assumed"));
	got_free(&g);

	got_text(&g, "samples", "time,gpu,gpu_util_pct\n2026-01-01T00:00:00Z,a,1\n",
		 SETS("step_s=57"));
	assert_done(&g);
	assert_int_equal(g.sample.v[0].v.step_ms, 57000);
	assert_int_equal(g.report.notes.n, 0);
	got_free(&g);
}

/* More rows than are held back: the order and the steps stay. */
static void many_samples(void **state)
{
	struct str text = { 0 };
	struct got g;
	char t[TM_BUF];
	enum { STEPS = 20000, GPUS = 8 };

	str_addz(&text, "time,gpu,gpu_util_pct\n");
	for (int i = 0; i < STEPS; i++)
		for (int k = 0; k < GPUS; k++)
			str_addf(&text, "%s,%d,%d\n", tm_format(t, 1767225600000 + i * 15000LL), k,
				 (i + k) % 101);
	got_text(&g, NULL, text.p, NULL);
	assert_done(&g);
	assert_int_equal(g.sample.n, STEPS * GPUS);
	assert_int_equal(g.report.rows_kept, STEPS * GPUS);
	for (int i = 0; i < STEPS * GPUS; i++) {
		const struct got_sample *s = &g.sample.v[i];
		if (s->v.t_ms != 1767225600000 + i / GPUS * 15000LL || s->v.step_ms != 15000 ||
		    s->key.gpu.p[0] != '0' + i % GPUS ||
		    s->v.value[METRIC_GPU_UTIL_PCT] != (i / GPUS + i % GPUS) % 101)
			fail_msg("row %d is wrong", i);
	}
	str_free(&text);
	got_free(&g);
}

static void bad_samples(void **state)
{
	struct got g;

	got_text_named(&g, "s.csv", "samples",
		       "time,gpu,gpu_util_pct,sm_active_frac,step_s,power_w\n"
		       ",a,1,,60,\n"
		       "2026-01-01T25:00:00Z,a,1,,60,\n"
		       "2026-01-01T00:00:00Z,,1,,60,\n"
		       "2026-01-01T00:00:00Z,a,101,,60,\n"
		       "2026-01-01T00:00:00Z,a,\"1,5\",,60,\n"
		       "2026-01-01T00:00:00Z,a,1,1.5,60,\n"
		       "2026-01-01T00:00:00Z,a,1,,0,\n"
		       "2026-01-01T00:00:00Z,a,1,,60,-3\n"
		       "2026-01-01T00:00:00Z,a,1,,60,3\n",
		       NULL, UNKNOWN_MS, 8);
	assert_done(&g);
	static const char *const field[] = { "time",         "time",         "gpu",
					     "gpu_util_pct", "gpu_util_pct", "sm_active_frac",
					     "step_s",       "power_w" };
	assert_int_equal(g.report.rows_rejected, 8);
	for (int i = 0; i < 8; i++)
		assert_string_equal(g.report.rejects.v[i].field, field[i]);
	assert_int_equal(g.sample.n, 1);
	got_free(&g);
}

static void requests(void **state)
{
	struct got g;

	got_text_named(
		&g, "req.csv", NULL,
		"time,service,count,latency_ms,latency_histogram,tokens_in,tokens_out,status,gpu_s,tenant\n"
		"2026-01-01T00:00:00Z,ranker,,12.5,,100,20,ok,0.025,t1\n"
		"2026-01-01T00:00:00Z,ranker,26,,10:5;50:20;+Inf:1,,,200,,\n"
		"2026-01-01T00:00:00Z,ranker,,,10:5;50:20,,,,,\n"
		"2026-01-01T00:00:00Z,ranker,0,,,,,,,\n"
		"2026-01-01T00:00:00Z,ranker,27,,10:5;50:20;+Inf:1,,,,,\n"
		"2026-01-01T00:00:00Z,ranker,,,50:5;10:20,,,,,\n"
		"2026-01-01T00:00:00Z,ranker,-1,,,,,,,\n"
		"2026-01-01T00:00:00Z,,1,,,,,,,\n",
		NULL, UNKNOWN_MS, 4);
	assert_done(&g);
	assert_string_equal(g.report.kind, "requests");
	assert_int_equal(g.request.n, 3);
	assert_int_equal(g.request.v[0].count, 1);
	assert_true(g.request.v[0].latency_ms == 12.5);
	assert_int_equal(g.request.v[0].gpu_ms, 25);
	assert_int_equal(g.request.v[0].tokens_in, 100);
	assert_sv(g.request.v[0].tenant, "t1");
	assert_int_equal(g.request.v[1].count, 26);
	assert_true(isnan(g.request.v[1].latency_ms));
	assert_int_equal(g.request.v[1].tokens_in, UNKNOWN_I64);
	assert_int_equal(g.request.v[2].count, 25);
	static const char *const field[] = { "latency_histogram", "latency_histogram", "count",
					     "service" };
	assert_int_equal(g.report.rows_rejected, 4);
	for (int i = 0; i < 4; i++)
		assert_string_equal(g.report.rejects.v[i].field, field[i]);
	assert_int_equal(g.report.rows_skipped, 1);
	got_free(&g);
}

static void prices(void **state)
{
	struct got g;

	got_text_named(
		&g, "p.csv", NULL,
		"provider,region,instance_type,gpu_model,gpu_count,purchase,usd_hour,from,to,currency,upfront_usd,term\n"
		"onprem,,,A100,1,owned,0.83,2026-01-01,,,,\n"
		"aliyun,cn-hangzhou,gn7,A10,1,on_demand,12.34,2026-01-01,2026-02-01,CNY,,\n"
		"aws,us-east-1,p4d.24xlarge,,8,reserved_1y,13.5,2026-01-01,,,1000.5,1y\n"
		"aws,us-east-1,,,8,on_demand,1,2026-01-01,,,,\n"
		"aws,us-east-1,x,,8,on_demand,cheap,2026-01-01,,,,\n"
		"aws,us-east-1,x,,8,on_demand,1,,,,,\n",
		NULL, UNKNOWN_MS, 3);
	assert_done(&g);
	assert_string_equal(g.report.kind, "prices");
	assert_int_equal(g.price.n, 3);
	assert_sv(g.price.v[0].source, "p.csv");
	/* the column is called usd_hour, the row says otherwise */
	assert_sv(g.price.v[1].currency, "CNY");
	assert_int_equal(g.price.v[1].to_ms, at("2026-02-01"));
	assert_true(g.price.v[2].upfront == DEC_ONE * 10005 / 10);
	assert_int_equal(g.price.v[2].gpu_milli, 8000);
	static const char *const field[] = { "instance_type", "usd_hour", "from" };
	assert_int_equal(g.report.rows_rejected, 3);
	for (int i = 0; i < 3; i++)
		assert_string_equal(g.report.rejects.v[i].field, field[i]);
	got_free(&g);
}

static void price_sheets(void **state)
{
	static const char *const file[] = { "configs__pricing_schema.csv",
					    "configs__pricing_schema_case.csv",
					    "configs__pricing_schema_mixed_gpu_ondemand.csv",
					    "configs__pricing_schema_pv.csv",
					    "configs__pricing_schema_pv_storageclass.csv",
					    "configs__pricing_schema_region.csv",
					    "configs__pricing_schema_special_char.csv" };
	static const size_t nprice[] = { 2, 1, 2, 0, 0, 0, 0 };
	struct got g;
	char path[200];

	for (size_t i = 0; i < 7; i++) {
		snprintf(path, sizeof path, "data/bills_opencost/%s", file[i]);
		got_shared(&g, path, NULL, NULL, UNKNOWN_MS);
		assert_done(&g);
		assert_string_equal(g.report.kind, "prices");
		assert_int_equal(g.price.n, nprice[i]);
		assert_int_equal(g.report.rows_read, g.report.rows_kept + g.report.rows_skipped);
		if (i == 0) {
			assert_sv(g.price.v[1].gpu_model, "Quadro_RTX_4001");
			assert_true(g.price.v[1].hour == DEC_ONE * 8 / 10);
			assert_int_equal(g.price.v[1].from_ms, at("2019-04-17T23:34:22Z"));
		}
		got_free(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes),
		cmocka_unit_test(bad_nodes),
		cmocka_unit_test(host),
		cmocka_unit_test(allocations),
		cmocka_unit_test(bad_allocations),
		cmocka_unit_test(samples),
		cmocka_unit_test(derived_steps),
		cmocka_unit_test(many_samples),
		cmocka_unit_test(bad_samples),
		cmocka_unit_test(requests),
		cmocka_unit_test(prices),
		cmocka_unit_test(price_sheets),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
