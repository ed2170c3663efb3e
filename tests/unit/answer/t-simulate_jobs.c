/* Jobs of a file, or invented ones, on the virtual clock. */
#include <errno.h>
#include <math.h>

#include "asked.h"

#include "answer/simulate/simulate_jobs.h"

static struct simulate_jobs_ask ask(int64_t gpus, int64_t gpus_node)
{
	return (struct simulate_jobs_ask){
		.pool = { { .capacity = gpus, .gpus_node = gpus_node, .mem_bytes = NAN } },
		.npool = 1,
		.like = { .mem_bytes = NAN, .fallback_pool = -1 },
		.slack_frac = NAN,
		.load_frac = 0.9,
		.seed = 1
	};
}

/* Two machines of 4: the third job waits for the first, the fourth slips into the gap, the fifth
 * wants more than there is. Rows come in any order. */
static void a_list(void **state)
{
	struct simulate_jobs_ask q = ask(8, 4);
	struct simulate_jobs a;
	struct err err = { 0 };

	(void)state;
	write_text("jobs.csv", "start,length,gpus\n"
			       "2026-11-01T00:30:00Z,1,9\n"
			       "2026-11-01T00:20:00Z,0.5,1\n"
			       "2026-11-01T00:00:00Z,2,4\n"
			       "2026-11-01T00:00:00Z,3,3\n"
			       "2026-11-01T00:10:00Z,1,4\n");
	q.file = asked_path("jobs.csv");
	q.pool[0].usd_gpu_hour = 2;
	q.priced = true;
	fine(answer_simulate_jobs(&q, &a, &err), &err);
	assert_int_equal(a.r.jobs, 4);
	assert_int_equal(a.too_large, 1);
	assert_true(a.r.job_gpu_hours == 21.5);
	assert_true(a.r.paid_gpu_hours == 24);
	assert_true(a.r.cost_usd == 48);
	assert_true(a.r.wait_mean_s == 1650); /* the third waits for 110 minutes */
	assert_true(a.r.makespan_h == 3);
	assert_int_equal(a.gpus, 8);
	assert_int_equal(a.gpus_node, 4);
	assert_true(a.priced && isnan(a.cpu_s));
}

static void invented_ones_come_from_the_seed(void **state)
{
	struct simulate_jobs_ask q = ask(64, 8);
	struct simulate_jobs a, again, other;
	struct err err = { 0 };

	(void)state;
	q.generate = 500;
	fine(answer_simulate_jobs(&q, &a, &err), &err);
	fine(answer_simulate_jobs(&q, &again, &err), &err);
	q.seed = 2;
	fine(answer_simulate_jobs(&q, &other, &err), &err);
	assert_int_equal(a.r.jobs, 500);
	assert_true(a.r.digest == again.r.digest);
	assert_true(a.r.digest != other.r.digest);
	assert_int_equal(other.seed, 2);
}

static void nothing_to_run(void **state)
{
	struct simulate_jobs_ask q = ask(8, 4);
	struct simulate_jobs a;
	struct err err = { 0 };

	(void)state;
	write_text("large.csv", "start,length,gpus\n2026-11-01T00:00:00Z,1,9\n");
	q.file = asked_path("large.csv");
	assert_int_equal(answer_simulate_jobs(&q, &a, &err), -ENODATA);
	assert_string_equal(err.msg, "there is no job to run");
	q.file = asked_path("gone.csv");
	assert_int_equal(answer_simulate_jobs(&q, &a, &err), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_list),
					    cmocka_unit_test(invented_ones_come_from_the_seed),
					    cmocka_unit_test(nothing_to_run) };
	return cmocka_run_group_tests(tests, fresh_dir, asked_close);
}
