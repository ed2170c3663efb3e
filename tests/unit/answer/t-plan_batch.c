/* Batches: the fewest replicas whose replay holds, and what cannot be replayed is an error, no
 * bound that is missed. */
#include <errno.h>
#include <math.h>

#include "asked.h"

#include "answer/plan/plan_batch.h"

/* 10 + 2 ms a request, a bound of 200 ms. */
static struct batch_ask ask(double qps, const char *requests)
{
	return (struct batch_ask){ .in = { .slo_ms = 200,
					   .qps = qps,
					   .model = { 10, 2, NAN },
					   .max_batch = 128,
					   .model_ms = NAN },
				   .requests = requests,
				   .arrivals = BATCH_BURSTS,
				   .mem = &asked.mem };
}

static void a_rate_that_has_no_times(void **state)
{
	struct batch_ask q = ask(1e-305, NULL);
	struct batch_answer a;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(answer_plan_batch(&q, &a, &err), -EINVAL);
	assert_string_not_equal(err.msg, "");
	assert_false(a.replay.done);
	write_text("requests.csv", "t\n0\n10000\n10001\n");
	q = ask(1e-305, asked_path("requests.csv"));
	assert_int_equal(answer_plan_batch(&q, &a, &err), -EINVAL);
}

/* The rate changes thousands of times between two requests: nothing of it is felt. */
static void a_rate_that_is_low(void **state)
{
	struct batch_ask q = ask(1e-6, NULL);
	struct batch_answer a;
	struct err err = { 0 };

	(void)state;
	fine(answer_plan_batch(&q, &a, &err), &err);
	assert_int_equal(a.plan.replicas, 1);
	assert_true(a.replay.done && fabs(a.replay.p99_ms - 12) < 0.1);
}

/* A hundred requests at once, up to 45 in a batch of 100 ms: one replica gives the last ten after
 * 230 ms, two give all after 130 (one queue) or 120 ms (in turn). */
static void the_fewest_that_hold(void **state)
{
	struct batch_ask q;
	struct batch_answer a;
	struct err err = { 0 };
	struct str text = { 0 };

	(void)state;
	str_addz(&text, "t\n");
	for (int i = 0; i < 100; i++)
		str_addz(&text, "0\n");
	str_addz(&text, "1\n");
	write_text("burst.csv", str_z(&text));
	str_free(&text);
	q = ask(NAN, asked_path("burst.csv"));
	fine(answer_plan_batch(&q, &a, &err), &err);
	assert_int_equal(a.plan.replicas, 2);
	assert_true(fabs(a.replay.p99_ms - 130) < 1e-9);
	assert_true(fabs(a.replay.p99_fewer_ms - 230) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_rate_that_has_no_times),
					    cmocka_unit_test(a_rate_that_is_low),
					    cmocka_unit_test(the_fewest_that_hold) };
	return cmocka_run_group_tests(tests, fresh_dir, asked_close);
}
