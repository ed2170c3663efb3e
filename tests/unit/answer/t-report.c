/* Who spent what: cells add up to the bill, exactly; filters leave the reconcile line alone. */
#include "fleet.h"

#include "answer/report.h"

static struct report_ask ask_open(void)
{
	struct report_ask q = { .ask = asked.ask, .basis = BASIS_EFFECTIVE };
	struct err err = { 0 };
	bool empty = true;

	fine(report_window(&q, &empty, &err), &err);
	assert_false(empty);
	return q;
}

static struct report_answer answer(const struct report_ask *q, const char *by)
{
	struct report_dims d = { 0 };
	struct report_answer a = { 0 };
	struct err err = { 0 };

	fine(report_dims_add(&d, by, q->ask.mem, &err), &err);
	fine(answer_report(q, &d, &a, &err), &err);
	return a;
}

/* Time and cost of GPU cells with these values of the first two dimensions. */
static dec cost_of(const struct report_answer *a, const char *d0, const char *d1, int64_t *ret_ms)
{
	dec sum = 0;

	*ret_ms = 0;
	for (size_t i = 0; i < a->ncell; i++) {
		const struct report_cell *c = &a->cell[i];
		if (!c->is_gpu || strcmp(c->dim[0], d0) != 0 || strcmp(c->dim[1], d1) != 0)
			continue;
		sum += c->cost;
		*ret_ms += c->ms;
	}
	return sum;
}

static void adds_up_to_the_bill(void **state)
{
	struct report_ask q = ask_open();
	struct report_answer a = answer(&q, "team,job");
	int64_t ms, all = 0;
	dec sum = 0;

	(void)state;
	assert_int_equal(q.since_ms, T0);
	assert_int_equal(q.until_ms, T0 + H(3));
	/* 12 GPU-hours at 1.418 */
	assert_true(cost_of(&a, "vision", "41", &ms) == D("5.672"));
	assert_int_equal(ms, H(4));
	assert_true(cost_of(&a, "search", "ranker", &ms) == D("3.545"));
	assert_int_equal(ms, H(2.5));
	assert_true(cost_of(&a, "", "", &ms) == D("7.799"));
	assert_int_equal(ms, H(5.5));
	for (size_t i = 0; i < a.ncell; i++) {
		sum += a.cell[i].cost;
		all += a.cell[i].is_gpu ? a.cell[i].ms : 0;
	}
	assert_int_equal(all, H(12));
	assert_true(sum == D("17.116"));
	assert_int_equal(a.nreconcile, 1);
	assert_string_equal(a.reconcile[0].currency, "USD");
	assert_true(a.reconcile[0].has_bill);
	assert_false(a.reconcile[0].partial);
	assert_true(a.reconcile[0].billed == D("17.116000000001"));
	assert_true(a.reconcile[0].ledger == sum);
	assert_true(a.reconcile[0].remainder == D("0.000000000001"));
	assert_true(a.reconcile[0].unbilled == 0);
	assert_int_equal(a.reconcile[0].unpriced_ms, 0);
	report_ask_free(&q);
}

static void filter_leaves_the_bill(void **state)
{
	struct report_ask q = ask_open();
	struct err err = { 0 };
	dec sum = 0;

	(void)state;
	fine(report_filter_add(&q.filter, "team=vision,search", q.ask.mem, &err), &err);
	struct report_answer a = answer(&q, "team,node");
	for (size_t i = 0; i < a.ncell; i++) {
		assert_string_equal(a.cell[i].dim[1], "gpu-9");
		sum += a.cell[i].cost;
	}
	assert_true(sum == D("9.217"));
	assert_true(a.reconcile[0].ledger == D("17.116"));
	assert_true(a.reconcile[0].billed == D("17.116000000001"));
	report_ask_free(&q);
}

static void a_part_of_the_time(void **state)
{
	struct report_ask q = { .ask = asked.ask, .basis = BASIS_LIST };
	struct err err = { 0 };
	bool empty = true;
	int64_t ms;

	(void)state;
	q.ask.since_ms = T0 + H(2);
	fine(report_window(&q, &empty, &err), &err);
	assert_false(empty);
	assert_int_equal(q.since_ms, T0 + H(2));
	struct report_answer a = answer(&q, "team,job");
	assert_true(cost_of(&a, "vision", "41", &ms) == 0);
	assert_true(cost_of(&a, "search", "ranker", &ms) == D("1.418"));
	assert_int_equal(ms, H(1));
	assert_true(a.reconcile[0].partial);
	report_ask_free(&q);
}

static void bad_words(void **state)
{
	struct report_filters f = { 0 };
	struct report_dims d = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_true(report_dims_add(&d, "colour", &asked.mem, &err) < 0);
	assert_non_null(strstr(err.msg, "colour"));
	assert_true(report_dims_add(&d, "team,team", &asked.mem, &err) < 0);
	assert_true(report_filter_add(&f, "team", &asked.mem, &err) < 0);
	vec_free(&f.v);
	str_free(&f.words);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(adds_up_to_the_bill),
					    cmocka_unit_test(filter_leaves_the_bill),
					    cmocka_unit_test(a_part_of_the_time),
					    cmocka_unit_test(bad_words) };
	return cmocka_run_group_tests(tests, fleet_open, asked_close);
}
