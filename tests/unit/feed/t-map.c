/* Maps: the shipped ones on the real traces, to their known sums, and what the format can say. */
#include <math.h>

#include "bills.h"

static void duty_cycles_of_a_day_of_serving(void **state)
{
	struct got g = { 0 };
	size_t zero = 0;

	got_map(&g, "alibaba-gentd26-duty");
	got_file(&g, "telemetry_alibaba_gentd26/pod_gpu_duty_cycle_anon.csv.gz");
	got_ok(&g);
	assert_int_equal(g.report.rows_kept, 157417);
	assert_int_equal(g.sample.n, 157417);
	for (size_t i = 0; i < g.sample.n; i++) {
		zero += g.sample.v[i].value[METRIC_GPU_UTIL_PCT] == 0;
		assert_int_equal(g.sample.v[i].step_ms, 57000);
		assert_true(isnan(g.sample.v[i].value[METRIC_MEM_USED_BYTES]));
	}
	assert_int_equal(zero, 105229);
	got_free(&g);
}

static void memory_of_a_day_has_its_columns_in_another_order(void **state)
{
	struct got g = { 0 };
	double sum = 0;

	got_map(&g, "alibaba-gentd26-memory");
	got_file(&g, "telemetry_alibaba_gentd26/pod_gpu_memory_used_bytes_anon.csv.gz");
	got_ok(&g);
	assert_int_equal(g.sample.n, 161413);
	for (size_t i = 0; i < g.sample.n; i++)
		sum += g.sample.v[i].value[METRIC_MEM_USED_BYTES];
	assert_true(fabs(sum - 3997346055993709.5) < 100); /* 24.76 GB on average */
	got_free(&g);
}

static void philly_by_virtual_cluster(void **state)
{
	struct got g = { 0 };
	struct intern clusters = { 0 }, jobs = { 0 };

	got_map(&g, "philly");
	got_file(&g, "trace_philly/philly.csv.gz");
	got_ok(&g);
	assert_int_equal(g.alloc.n, 82247);
	for (size_t i = 0; i < g.alloc.n; i++) {
		intern_add(&clusters, g.alloc.v[i].cluster);
		intern_add(&jobs, g.alloc.v[i].job_id);
		assert_true(sv_eq(g.alloc.v[i].cluster, g.alloc.v[i].team));
	}
	assert_int_equal(clusters.n, 15);
	assert_int_equal(jobs.n, 82247);
	assert_true(fabs(g.gpu_hours - 978078.4727777778) < 1e-4);
	intern_free(&clusters);
	intern_free(&jobs);
	got_free(&g);
}

static int64_t skipped_for(const struct got *g, const char *part)
{
	for (size_t i = 0; i < g->report.skip_reasons.n; i++)
		if (strstr(g->report.skip_reasons.v[i].reason, part))
			return g->report.skip_reasons.v[i].rows;
	return 0;
}

static void openb_pods_with_their_fractions(void **state)
{
	struct got g = { 0 };
	size_t named = 0;

	got_map(&g, "alibaba-openb-pods");
	got_file(&g, "trace_alibaba_gpu_v2023/openb_pod_list_default.csv.gz");
	got_ok(&g);
	assert_int_equal(g.report.rows_read, 8152);
	assert_int_equal(g.report.rows_kept, 6203);
	assert_true(fabs(g.gpu_hours - 51470.67415833334) < 1e-6);
	assert_int_equal(skipped_for(&g, "scheduled time"), 861);
	assert_int_equal(skipped_for(&g, "without a GPU"), 1088);
	for (size_t i = 0; i < g.report.skipped.n; i++)
		named += strstr(g.report.skipped.v[i].reason, "time") != NULL &&
			 !strncmp(g.report.skipped.v[i].key, "openb-pod-", 10);
	assert_int_equal(named, 861);
	got_free(&g);
}

static void openb_nodes(void **state)
{
	struct got g = { 0 };
	int64_t gpus = 0, v100_32 = 0;

	got_map(&g, "alibaba-openb-nodes");
	got_file(&g, "trace_alibaba_gpu_v2023/openb_node_list_all_node.csv");
	got_ok(&g);
	assert_int_equal(g.node.n, 1213);
	assert_int_equal(skipped_for(&g, "without GPUs"), 310);
	for (size_t i = 0; i < g.node.n; i++) {
		gpus += g.node.v[i].gpu_milli;
		v100_32 += sv_is(g.node.v[i].gpu_model, "V100-SXM2-32GB") ? g.node.v[i].gpu_milli
									  : 0;
	}
	assert_int_equal(gpus, 6212000);
	assert_int_equal(v100_32, 204000);
	got_free(&g);
}

static void dlrm_services_with_open_ends(void **state)
{
	struct got g = { 0 };
	struct intern apps = { 0 };
	size_t open = 0;

	got_map(&g, "alibaba-dlrm");
	got_file(&g, "trace_alibaba_dlrm_v2025/disaggregated_DLRM_trace.csv.gz");
	got_ok(&g);
	assert_int_equal(g.alloc.n, 7386);
	assert_int_equal(skipped_for(&g, "CPU instance"), 16485);
	assert_true(fabs(g.gpu_hours - 2375875.476666616) < 1e-3);
	for (size_t i = 0; i < g.alloc.n; i++) {
		intern_add(&apps, g.alloc.v[i].project);
		open += g.alloc.v[i].open_end;
		if (g.alloc.v[i].open_end)
			assert_int_equal(g.alloc.v[i].end_ms, 1735689600000 + 2677541000);
	}
	assert_int_equal(apps.n, 156);
	assert_true(open > 1000);
	intern_free(&apps);
	got_free(&g);
}

static void azure_llm_requests(void **state)
{
	struct got g = { 0 };
	int64_t in = 0, out = 0;

	got_map(&g, "azure-llm");
	got_file(&g, "llm_azure_2023/AzureLLMInferenceTrace_code.csv.gz");
	got_ok(&g);
	assert_int_equal(g.request.n, 8819);
	for (size_t i = 0; i < g.request.n; i++) {
		in += g.request.v[i].tokens_in;
		out += g.request.v[i].tokens_out;
	}
	assert_int_equal(in, 18059974);
	assert_int_equal(out, 245896);
	assert_int_equal(g.request.v[0].t_ms, 1700158623979);
	got_free(&g);
}

/* The rows that the trace's own description gives, and one without a GPU. */
static void acme_jobs(void **state)
{
	struct got g = { 0 };

	got_map(&g, "acme");
	got_text(
		&g,
		"job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,queue,gpu_time\n"
		"5778432,u5907,1,8,128,Other,FAILED,2023-03-01 00:18:22+08:00,2023-03-01 00:18:54+08:00,2023-03-01 00:20:51+08:00,117,32,936.0\n"
		"5778469,u5907,1,8,128,SFT,COMPLETED,2023-03-01 00:23:58+08:00,2023-03-01 00:24:11+08:00,2023-03-01 01:09:04+08:00,2693,13,21544.0\n"
		"5778470,u1,1,0,4,Debug,COMPLETED,2023-03-01 00:23:58+08:00,2023-03-01 00:24:11+08:00,2023-03-01 01:09:04+08:00,2693,13,0\n"
		"5778471,u1,1,16,4,SFT,CANCELLED,2023-03-01 00:23:58+08:00,,2023-03-01 01:09:04+08:00,,,0\n");
	got_ok(&g);
	assert_int_equal(g.alloc.n, 2);
	assert_int_equal(skipped_for(&g, "without a GPU"), 1);
	assert_int_equal(skipped_for(&g, "never started"), 1);
	assert_true(fabs(g.gpu_hours - (936 + 21544) / 3600.0) < 1e-9);
	assert_int_equal(g.alloc.v[0].start_ms - g.alloc.v[0].submit_ms, 32000);
	assert_true(sv_is(g.alloc.v[0].state, "FAILED"));
	assert_true(!g.alloc.v[0].workload.n && sv_is(g.alloc.v[1].workload, "training"));
	got_free(&g);
}

static void pai_2020_jobs_and_tasks(void **state)
{
	struct got g = { 0 };

	got_map(&g, "alibaba-pai-2020");
	got_text(
		&g,
		"job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type\n"
		"4f05,tensorflow,1.0,Terminated,1739162.0,1739200.0,600.0,29.296875,50.0,MISC\n"
		"job2,worker,3.0,Failed,1739162.0,1742762.0,600.0,29.296875,200.0,V100\n"
		"job2,ps,1.0,Failed,1739162.0,1742762.0,600.0,29.296875,,\n");
	got_ok(&g);
	assert_int_equal(g.alloc.n, 2);
	assert_int_equal(g.alloc.v[0].gpus_milli, 500);
	assert_int_equal(g.alloc.v[1].gpus_milli, 6000); /* 3 instances of 2 GPUs */
	assert_int_equal(g.alloc.v[1].cpu_milli, 18000);
	assert_true(fabs(g.gpu_hours - (0.5 * 38 + 6 * 3600) / 3600) < 1e-9);
	got_free(&g);
	g = (struct got){ 0 };
	got_map(&g, "alibaba-pai-100k");
	got_file(&g, "trace_alibaba_pai_v2020/pai-100k.csv.gz");
	got_ok(&g);
	assert_int_equal(g.alloc.n, 99998);
	assert_true(fabs(g.gpu_hours - 1011245.8513888889) < 1e-2);
	got_free(&g);
}

static void spot_2026_jobs_and_nodes(void **state)
{
	struct got g = { 0 };
	int64_t gpus = 0;

	got_map(&g, "alibaba-spot26-jobs");
	got_text(
		&g,
		"job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type\n"
		"239255,13,A10,20,1,1,0,2764799,HP\n253689,13,A10,8,1,1,0,15897599,HP\n"
		"437260,57,A100-SXM4-80GB,15,1,16,9589663,41060,Spot\n"
		"437261,57,A100-SXM4-80GB,15,1,94,9589663,71718,Spot\n");
	got_ok(&g);
	assert_int_equal(g.alloc.n, 4);
	assert_int_equal(g.alloc.v[3].gpus_milli, 94000);
	assert_true(sv_is(g.alloc.v[3].team, "org-57"));
	assert_true(fabs(g.gpu_hours - (2764799 + 15897599 + 16 * 41060 + 94 * 71718) / 3600.0) <
		    1e-6);
	got_free(&g);
	g = (struct got){ 0 };
	got_map(&g, "alibaba-spot26-nodes");
	got_file(&g, "trace_alibaba_spot_v2026/node_info_df.csv");
	got_ok(&g);
	assert_int_equal(g.node.n, 4278);
	for (size_t i = 0; i < g.node.n; i++)
		gpus += g.node.v[i].gpu_milli;
	assert_int_equal(gpus, 10412000);
	got_free(&g);
}

/* ---- the format -------------------------------------------------------------------------- */

static void with_map(struct got *g, const char *map, const char *text)
{
	if (feed_map_parse("test.yaml", sv_of(map), &g->map, &g->err))
		fail_msg("%s", g->err.msg);
	got_text(g, text);
}

static void units_times_and_words_are_converted(void **state)
{
	struct got g = { 0 };

	with_map(&g,
		 "version: 1\nkind: samples\nnull: [n/a]\ncolumns:\n"
		 "  time: {from: t, time: ms, origin: 2026-01-01T00:00:00Z}\n"
		 "  gpu: {text: \"{host}/{idx}\"}\n"
		 "  gpu_util_pct: {from: util, unit: frac}\n"
		 "  mem_used_bytes: {from: mem, unit: mib}\n"
		 "  power_w: {from: p, factor: 0.001}\n"
		 "set: {step_s: \"10\"}\n",
		 "t,host,idx,util,mem,p\n1500,n1,0,0.25,2,250500\n2500,n1,1,n/a,,\n");
	got_ok(&g);
	assert_int_equal(g.sample.n, 2);
	assert_int_equal(g.sample.v[0].t_ms, 1767225601500);
	assert_true(g.sample.v[0].value[METRIC_GPU_UTIL_PCT] == 25);
	assert_true(g.sample.v[0].value[METRIC_MEM_USED_BYTES] == 2097152);
	assert_true(g.sample.v[0].value[METRIC_POWER_W] == 250.5);
	assert_true(isnan(g.sample.v[1].value[METRIC_GPU_UTIL_PCT]));
	assert_int_equal(g.sample.v[1].step_ms, 10000);
	got_free(&g);
}

static void set_on_the_command_line_wins_over_the_map(void **state)
{
	struct got g = { .set = { { "step_s", "30" } }, .nset = 1 };

	with_map(
		&g,
		"version: 1\nkind: samples\ncolumns: {time: {from: t, time: s}, gpu: g, gpu_util_pct: u}\nset: {step_s: \"10\"}\n",
		"t,g,u\n1700000000,a,5\n");
	got_ok(&g);
	assert_int_equal(g.sample.v[0].step_ms, 30000);
	got_free(&g);
}

static void a_bad_cell_is_named_by_the_files_own_column(void **state)
{
	struct got g = { .max_rejects = 1 };

	with_map(
		&g,
		"version: 1\nkind: samples\ncolumns: {time: {from: when, time: [rfc3339, mdy]}, gpu: g, gpu_util_pct: u}\nset: {step_s: \"10\"}\n",
		"when,g,u\n1/2/26,a,5\n32/32/26,a,5\n");
	got_ok(&g);
	assert_int_equal(g.report.rows_read, 2);
	assert_int_equal(g.report.rows_kept, 1);
	assert_int_equal(g.report.rejects.v[0].line, 3);
	assert_string_equal(g.report.rejects.v[0].field, "when");
	assert_string_equal(g.report.rejects.v[0].reason, "'32/32/26' is not a time");
	got_free(&g);
}

static void a_column_that_the_file_lacks_is_an_error(void **state)
{
	struct got g = { 0 };

	with_map(&g,
		 "version: 1\nkind: samples\ncolumns: {time: {from: when, time: s}, gpu: card}\n",
		 "when,g\n1,a\n");
	assert_true(g.rc < 0);
	assert_non_null(strstr(g.err.msg, "no column 'card'"));
	got_free(&g);
}

static void maps_with_mistakes_are_refused_with_their_line(void **state)
{
	static const struct {
		const char *map, *says;
	} bad[] = {
		{ "kind: samples\n", "version: 1" },
		{ "version: 2\nkind: samples\n", "version" },
		{ "version: 1\n", "'kind' is missing" },
		{ "version: 1\nkind: nothing\n", "not a tabular kind" },
		{ "version: 1\nkind: dcgm\n", "not a tabular kind" },
		{ "version: 1\nkind: samples\ncolumns: {time: {from: a, tmie: s}}\n", "tmie" },
		{ "version: 1\nkind: samples\ncolumns: {time: {from: a, time: fortnights}}\n",
		  "fortnights" },
		{ "version: 1\nkind: samples\ncolumns: {power_w: {from: a, unit: mib}}\n",
		  "cannot be given in" },
		{ "version: 1\nkind: samples\ncolumns: {power_w: {from: a, times: [b]}}\n",
		  "times" },
		{ "version: 1\nkind: samples\nskip_if: [{column: a, is: b}]\n", "reason" },
		{ "version: 1\nkind: samples\nskip_if: [{column: a, reason: b}]\n",
		  "one of is, is_not, blank" },
		{ "version: 1\nkind: samples\ncolumns: {a: b}\nset: {A: c}\n", "given twice" },
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct feed_map *m = NULL;
		struct err err = { 0 };
		assert_true(feed_map_parse("bad.yaml", sv_of(bad[i].map), &m, &err) < 0);
		if (!strstr(err.msg, bad[i].says))
			fail_msg("'%s' does not say '%s'", err.msg, bad[i].says);
	}
}

static void an_unknown_map_is_told_with_the_nearest_name(void **state)
{
	struct feed_map *m;
	struct err err = { 0 };

	assert_true(feed_map_load("phily", &m, &err) < 0);
	assert_non_null(strstr(err.msg, "no map 'phily'"));
	assert_non_null(strstr(err.hint, "philly"));
}

static void a_map_and_another_kind_do_not_go_together(void **state)
{
	struct got g = { .kind = "nodes" };

	with_map(&g, "version: 1\nkind: samples\ncolumns: {time: t, gpu: g}\n", "t,g\n1,a\n");
	assert_true(g.rc < 0);
	assert_non_null(strstr(g.err.msg, "samples"));
	got_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(duty_cycles_of_a_day_of_serving),
		cmocka_unit_test(memory_of_a_day_has_its_columns_in_another_order),
		cmocka_unit_test(philly_by_virtual_cluster),
		cmocka_unit_test(openb_pods_with_their_fractions),
		cmocka_unit_test(openb_nodes),
		cmocka_unit_test(dlrm_services_with_open_ends),
		cmocka_unit_test(azure_llm_requests),
		cmocka_unit_test(acme_jobs),
		cmocka_unit_test(pai_2020_jobs_and_tasks),
		cmocka_unit_test(spot_2026_jobs_and_nodes),
		cmocka_unit_test(units_times_and_words_are_converted),
		cmocka_unit_test(set_on_the_command_line_wins_over_the_map),
		cmocka_unit_test(a_bad_cell_is_named_by_the_files_own_column),
		cmocka_unit_test(a_column_that_the_file_lacks_is_an_error),
		cmocka_unit_test(maps_with_mistakes_are_refused_with_their_line),
		cmocka_unit_test(an_unknown_map_is_told_with_the_nearest_name),
		cmocka_unit_test(a_map_and_another_kind_do_not_go_together),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
