/* The table of feeds: which kind a file is, what is said of files that are none, and the limits on
 * what is named. */
#include "bills.h"

static void check_kind(const char *path, const char *kind)
{
	struct got g = { .max_rejects = 100000 };

	got_file(&g, path);
	if (strcmp(g.report.kind, kind)) /* DCGM's sample wants --at as well */
		fail_msg("%s: kind '%s', not '%s' (%d: %s)", path, g.report.kind, kind, g.rc,
			 g.err.msg);
	got_free(&g);
}

static void kinds_are_told_from_real_files(void **state)
{
	check_kind("bills_focus/focus_1.0_sample_1000.csv.gz", "focus");
	check_kind("bills_opencost/azure_billingexports__headersets__German.csv", "azure-cost");
	check_kind("telemetry_dcgm/readme_sample.prom", "dcgm");
}

static void headers_of_every_tabular_kind_are_known(void **state)
{
	static const struct {
		const char *kind, *text;
	} files[] = {
		{ "nodes", "node,provider,region,gpu_model,gpu_count,purchase,from\n" },
		{ "allocations", "job_id,gpus,start,end\n" },
		{ "samples", "time,gpu,gpu_util_pct\n" },
		{ "requests", "time,service,latency_ms\n" },
		{ "prices", "provider,region,purchase,usd_hour,from,gpu_model\n" },
		{ "skypilot",
		  "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n" },
		{ "sacct", "JobID|JobName|Partition|State|AllocTRES|Start|End\n" },
	};

	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct got g = { .max_rejects = 100 };
		got_text(&g, files[i].text);
		if (strcmp(g.report.kind, files[i].kind))
			fail_msg("'%s' is taken as '%s', not '%s': %s", files[i].text,
				 g.report.kind, files[i].kind, g.err.msg);
		got_free(&g);
	}
}

static void what_is_no_input_is_said(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ "", "is empty" },
		{ "\x7f"
		  "ELF\x02\x01\x01",
		  "no kind that can be told from its first bytes" },
		{ "Dear all,\nplease pay.\n", "no kind" },
		{ "a,b,c\n1,2,3\n", "no kind that can be told from its columns" },
		{ "BilledCost,BilledCost,ChargePeriodStart\n1,2,3\n", "BilledCost" },
		{ "{\"a\":1}\n", "no kind" },
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct got g = { 0 };
		got_text(&g, bad[i].text);
		assert_true(g.rc < 0);
		if (!strstr(g.err.msg, bad[i].says) || !strstr(g.err.msg, "bill.csv"))
			fail_msg("'%s' does not say '%s'", g.err.msg, bad[i].says);
		got_free(&g);
	}
}

static void columns_that_a_kind_needs_are_named_at_once(void **state)
{
	struct got g = { .kind = "focus" };

	got_text(&g, "BilledCost,Other\n1,2\n");
	assert_true(g.rc < 0);
	assert_non_null(
		strstr(g.err.msg, "columns ChargePeriodStart, ChargePeriodEnd, BillingCurrency"));
	assert_non_null(strstr(g.err.hint, "--set"));
	got_free(&g);
}

static void every_feed_is_found_by_its_name(void **state)
{
	for (size_t i = 0; feed_table[i]; i++) {
		assert_ptr_equal(feed_find(feed_table[i]->kind), feed_table[i]);
		assert_non_null(feed_table[i]->about);
	}
	assert_null(feed_find("focusx"));
}

#define FOCUS_HEAD "BilledCost,ChargePeriodStart,ChargePeriodEnd,BillingCurrency\n"

static void rejects_stop_the_reading_soon_and_are_counted(void **state)
{
	struct got g = { .max_rejects = 2 };
	struct str s = { 0 };

	str_addz(&s, FOCUS_HEAD);
	for (int i = 0; i < 1000; i++)
		str_addz(&s, "x,2026-01-01,2026-01-02,USD\n");
	got_text(&g, str_z(&s));
	assert_true(g.rc < 0);
	/* a file of another format is not read to its end */
	assert_true(g.report.rows_rejected < 100);
	assert_non_null(strstr(
		g.err.msg,
		"more than 22 rows cannot be read: line 2, BilledCost: 'x' is not a decimal;"));
	got_free(&g);
	g.max_rejects = 1000;
	got_text(&g, str_z(&s));
	got_ok(&g);
	assert_int_equal(g.report.rows_rejected, 1000);
	assert_int_equal(g.report.rejects.n, FEED_NAMED_MAX);
	got_free(&g);
	str_free(&s);
}

static void the_number_of_rejects_is_exact_when_all_was_read(void **state)
{
	struct got g = { .max_rejects = 1 };

	got_text(
		&g, FOCUS_HEAD
		"x,2026-01-01,2026-01-02,USD\n1,2026-01-01,2026-01-02,USD\ny,2026-01-01,2026-01-02,USD\n");
	assert_true(g.rc < 0);
	assert_non_null(strstr(g.err.msg, "2 rows cannot be read: line 2"));
	got_free(&g);
}

static void notes_are_said_once_and_skips_counted_by_reason(void **state)
{
	struct feed_report p = { 0 };
	struct feed_run r = { .report = &p };

	for (int i = 0; i < 3; i++)
		feed_note(&p, "the same %d", 7);
	assert_int_equal(p.notes.n, 1);
	for (int i = 0; i < FEED_NAMED_MAX + 10; i++)
		feed_skip(&r, i, SV("k"), "one");
	feed_skip(&r, 5, SV_NULL, "two");
	assert_int_equal(p.rows_skipped, FEED_NAMED_MAX + 11);
	assert_int_equal(p.skipped.n, FEED_NAMED_MAX + 1);
	assert_int_equal(p.skip_reasons.n, 2);
	assert_int_equal(p.skip_reasons.v[0].rows, FEED_NAMED_MAX + 10);
	assert_string_equal(p.skipped.v[FEED_NAMED_MAX].key, "");
	feed_sum_add(&p, "a", true, 5);
	feed_sum_add(&p, "a", false, 0);
	feed_sum_add(&p, "b", true, -1);
	assert_int_equal(p.sums.n, 2);
	assert_int_equal(p.sums.v[0].unknown, 1);
	feed_report_free(&p);
}

static void the_last_set_wins(void **state)
{
	const struct feed_set set[] = { { "gpu_model", "A10" }, { "gpu_model", "L4" } };
	struct feed_run r = { .set = set, .nset = 2 };

	assert_string_equal(feed_set_get(&r, "GPU_MODEL"), "L4");
	assert_null(feed_set_get(&r, "gpu"));
}

static void json_lines_are_a_bill_too(void **state)
{
	struct got g = { 0 };

	got_text(
		&g,
		"{\"BilledCost\":1.25,\"EffectiveCost\":null,\"ChargePeriodStart\":\"2026-01-01T00:00:00Z\",\"ChargePeriodEnd\":\"2026-01-01T01:00:00Z\","
		"\"BillingCurrency\":\"USD\",\"Tags\":{\"team\":\"nlp\"}}\n");
	got_ok(&g);
	assert_string_equal(g.report.kind, "focus");
	assert_string_equal(got_sum(&g, "BilledCost"), "1.25");
	assert_sv(g.bill.v[0].tags, "{\"team\":\"nlp\"}");
	got_free(&g);
}

static void parquet_without_a_reader_is_refused(void **state)
{
	struct got g = { 0 };

	got_text(&g, "PAR1....");
	assert_true(g.rc < 0);
	assert_non_null(strstr(g.err.msg, "Parquet"));
	got_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_are_told_from_real_files),
		cmocka_unit_test(headers_of_every_tabular_kind_are_known),
		cmocka_unit_test(what_is_no_input_is_said),
		cmocka_unit_test(columns_that_a_kind_needs_are_named_at_once),
		cmocka_unit_test(every_feed_is_found_by_its_name),
		cmocka_unit_test(rejects_stop_the_reading_soon_and_are_counted),
		cmocka_unit_test(the_number_of_rejects_is_exact_when_all_was_read),
		cmocka_unit_test(notes_are_said_once_and_skips_counted_by_reason),
		cmocka_unit_test(the_last_set_wins),
		cmocka_unit_test(json_lines_are_a_bill_too),
		cmocka_unit_test(parquet_without_a_reader_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
