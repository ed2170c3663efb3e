/* What --focus writes, the importer reads: the same sums, periods, resources and tags. */
#include "cells.h"
#include "feed/feed.h"
#include "report/invoice/focus.h"

struct seen {
	dec cost[BASIS_N], contracted;
	int64_t rows, from_ms, to_ms, gpu_milli;
	bool same_resource;
};

static int take_bill(void *ctx, const struct bill_line *b, struct err *err)
{
	struct seen *s = ctx;
	(void)err;
	for (int k = 0; k < BASIS_N; k++)
		s->cost[k] += b->has_cost[k] ? b->cost[k] : 0;
	s->contracted += b->has_contracted ? b->contracted : 0;
	s->rows++;
	s->same_resource &= sv_is(b->resource_id, "i-0abc") && sv_is(b->currency, "EUR") &&
			    sv_has(b->tags, SV("\"a,b\""));
	s->from_ms = b->from_ms;
	s->to_ms = b->to_ms;
	s->gpu_milli = b->gpu_milli;
	return 0;
}

static dec sum_of(const struct feed_report *r, const char *name)
{
	for (size_t i = 0; i < r->sums.n; i++)
		if (!strcmp(r->sums.v[i].name, name))
			return r->sums.v[i].sum;
	fail_msg("no sum %s", name);
	return 0;
}

static void comes_back(void **st)
{
	(void)st;
	struct focus *f = focus_new();
	struct str out = { 0 };
	struct err err = { 0 };
	struct bill_line b = { .provider = SV("AWS"),
			       .account = SV("123"),
			       .currency = SV("EUR"),
			       .charge_category = SV("Usage"),
			       .from_ms = T0,
			       .to_ms = T0 + H(1),
			       .period_from_ms = UNKNOWN_MS,
			       .period_to_ms = UNKNOWN_MS,
			       .resource_id = SV("i-0abc"),
			       .gpu_milli = 8000,
			       .instance_type = SV("p4d.24xlarge"),
			       .service_category = SV("Compute"),
			       .service_name = SV("Amazon Elastic Compute Cloud"),
			       .tags = SV("{\"env\":\"a,b\"}"),
			       .unit = SV("Hrs"),
			       .usage_type = SV("BoxUsage:p4d.24xlarge"),
			       .quantity = D("1"),
			       .has_quantity = true,
			       .contracted = D("20.7"),
			       .has_contracted = true,
			       .cost = { D("21.957642"), D("14.976514185869"), D("21.957642") },
			       .has_cost = { true, true, true } };
	static const char *const jobs[] = { "7", "8_[1-2]", "job, with \"quotes\"", "" };

	for (int i = 0; i < 4; i++) {
		struct entry e = { .hour_ms = T0,
				   .kind = KIND_GPU,
				   .state = *jobs[i] ? STATE_BUSY : STATE_UNALLOCATED,
				   .ms = H(1) + i * 7,
				   .priced = PRICED_BILL,
				   .scope = SV("n") };
		e.owner.field[OWNER_JOB] = sv_of(jobs[i]);
		focus_add_entry(f, &e);
	}
	focus_header(&out);
	focus_line(f, &b, SV("n"), &out);
	focus_line(f, &b, SV(""), &out);

	struct seen seen = { .same_resource = true };
	struct feed_sink sink = { .ctx = &seen, .bill = take_bill };
	/* the kind is found out */
	struct feed_file_opt opt = { .at_ms = UNKNOWN_MS, .now_ms = T0 };
	struct feed_report report = { 0 };
	struct input *in;
	assert_int_equal(input_from_memory("focus.csv", out.p, out.n, &in, &err), 0);
	if (feed_run_file(in, &opt, &sink, &report, &err) < 0)
		fail_msg("%s", err.msg);
	assert_string_equal(report.kind, "focus");
	assert_int_equal(report.rows_rejected, 0);
	assert_int_equal(seen.rows, 5);
	assert_true(seen.same_resource);
	for (int k = 0; k < BASIS_N; k++)
		assert_true(seen.cost[k] == 2 * b.cost[k]);
	assert_true(seen.contracted == 2 * b.contracted);
	assert_true(sum_of(&report, "EffectiveCost") == 2 * b.cost[BASIS_EFFECTIVE]);
	assert_int_equal(seen.from_ms, T0);
	assert_int_equal(seen.to_ms, T0 + H(1));
	assert_int_equal(seen.gpu_milli, 8000); /* known again as a GPU instance */
	feed_report_free(&report);
	input_close(in);
	str_free(&out);
	focus_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(comes_back) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
