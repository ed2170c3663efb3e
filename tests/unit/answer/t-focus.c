/* Entries and bill lines come to the sink in the order in which rows are made of them. */
#include <errno.h>

#include "fleet.h"

#include "answer/focus.h"

struct seen {
	int64_t ms; /* of GPU entries since the last clear */
	int lines, unbilled, clears;
	dec cost;
};

static void on_entry(void *ctx, const struct entry *e)
{
	((struct seen *)ctx)->ms += e->kind == KIND_GPU ? e->ms : 0;
}

static int on_line(void *ctx, const struct bill_line *b, struct sv scope, struct err *err)
{
	struct seen *s = ctx;

	(void)err, (void)scope;
	assert_int_equal(s->ms, H(12)); /* its entries were before it */
	s->lines++;
	s->cost += b->cost[BASIS_EFFECTIVE];
	return 0;
}

static int on_unbilled(void *ctx, struct err *err)
{
	(void)err;
	((struct seen *)ctx)->unbilled++;
	return 0;
}

static void on_clear(void *ctx)
{
	((struct seen *)ctx)->clears++;
	((struct seen *)ctx)->ms = 0;
}

static void a_day(void **state)
{
	struct seen s = { 0 };
	struct focus_sink to = { &s, on_entry, on_line, on_unbilled, on_clear };
	struct report_ask q = { .ask = asked.ask, .basis = BASIS_EFFECTIVE };
	struct err err = { 0 };
	bool empty;

	(void)state;
	fine(report_window(&q, &empty, &err), &err);
	fine(answer_focus(&q, &to, &err), &err);
	assert_int_equal(s.lines, 2);
	assert_true(s.cost == D("17.116000000001"));
	assert_int_equal(s.unbilled, 1);
	assert_int_equal(s.clears, 1);
}

/* What a sink refuses ends the walk. */
static int refuse(void *ctx, const struct bill_line *b, struct sv scope, struct err *err)
{
	(void)ctx, (void)b, (void)scope;
	return err_set(err, -ENOSPC, "no room");
}

static void refused(void **state)
{
	struct seen s = { 0 };
	struct focus_sink to = { &s, on_entry, refuse, on_unbilled, on_clear };
	struct report_ask q = { .ask = asked.ask, .basis = BASIS_EFFECTIVE };
	struct err err = { 0 };
	bool empty;

	(void)state;
	fine(report_window(&q, &empty, &err), &err);
	assert_int_equal(answer_focus(&q, &to, &err), -ENOSPC);
	assert_string_equal(err.msg, "no room");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_day), cmocka_unit_test(refused) };
	return cmocka_run_group_tests(tests, fleet_open, asked_close);
}
