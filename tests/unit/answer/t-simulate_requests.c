/* A day of a serving fleet: why minutes were at 0 %, and how many containers would have done. */
#include <errno.h>
#include <math.h>

#include "asked.h"

#include "answer/simulate/simulate_requests.h"

#define CONTAINERS 4
#define MINUTES    120

static void put(struct str *s, int minute, double value, int who)
{
	str_addf(s, "%lld,%g,c%d\n", (long long)(T0 / 1000 + minute * 60), value, who);
}

static void save(const char *name, struct str *s)
{
	write_text(name, str_z(s));
	str_free(s);
}

/* Four containers for two hours; in turn one of them serves a request of a second each minute of
 * the first hour. c0 loads a model in minute 1; c3 holds little memory. */
static int write_series(void **state)
{
	struct str duty = { 0 }, qps = { 0 }, infer = { 0 }, memory = { 0 }, update = { 0 };
	struct str *all[] = { &duty, &qps, &infer, &memory, &update };

	assert_int_equal(fresh_dir(state), 0);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		str_addz(all[i], "time,value,container\n");
	for (int m = 0; m < MINUTES; m++)
		for (int c = 0; c < CONTAINERS; c++) {
			bool serves = m < 60 && m % CONTAINERS == c;
			put(&duty, m, serves ? 2 : 0, c);
			put(&memory, m, c == 3 ? 1e9 : 2e10, c);
			if (serves) {
				put(&qps, m, 1 / 60.0, c);
				put(&infer, m, 1000, c);
			}
		}
	put(&update, 1, 3000, 0);
	str_addf(&qps, "%lld,1,\n", (long long)(T0 / 1000)); /* of no container */
	save("duty.csv", &duty);
	save("qps.csv", &qps);
	save("infer.csv", &infer);
	save("memory.csv", &memory);
	save("update.csv", &update);
	return 0;
}

static struct simulate_requests_ask ask(void)
{
	return (struct simulate_requests_ask){ .file = { [SERIE_DUTY] = asked_path("duty.csv"),
							 [SERIE_QPS] = asked_path("qps.csv"),
							 [SERIE_INFER] = asked_path("infer.csv"),
							 [SERIE_MEMORY] = asked_path("memory.csv"),
							 [SERIE_UPDATE] =
								 asked_path("update.csv") },
					       .bound_bytes = 1e10,
					       .headroom = 0.5,
					       .slo_ms = NAN,
					       .seed = 1 };
}

static void idle_by_cause(void **state)
{
	struct simulate_requests_ask q = ask();
	struct simulate_requests a;
	struct err err = { 0 };
	int64_t sum = 0;

	(void)state;
	fine(answer_simulate_requests(&q, &a, &err), &err);
	assert_int_equal(a.minutes, CONTAINERS * MINUTES);
	assert_true(a.step_ms == 60000);
	assert_int_equal(a.zero, CONTAINERS * MINUTES - 60);
	for (int i = 0; i < IDLE_WHY_N; i++)
		sum += a.idle[i];
	assert_int_equal(sum, a.zero);
	assert_int_equal(a.idle[IDLE_LOADING], 1);
	assert_int_equal(a.idle[IDLE_EMPTY], MINUTES - 15); /* c3 but for what it serves */
	assert_int_equal(a.idle[IDLE_HOUR], 3 * 60);        /* the others in the second hour */
	assert_int_equal(a.idle[IDLE_BETWEEN], 3 * (60 - 15) - 1); /* and in the first */
	assert_int_equal(a.idle[IDLE_UNKNOWN], 0);
	assert_int_equal(a.nobody, 1);
	assert_true(a.mem_max == 2e10);
}

static void fewer_would_do(void **state)
{
	struct simulate_requests_ask q = ask();
	struct simulate_requests a;
	struct err err = { 0 };

	(void)state;
	fine(answer_simulate_requests(&q, &a, &err), &err);
	assert_int_equal(a.requests, 60);
	assert_int_equal(a.no_latency, 0);
	assert_int_equal(a.loads, 1);
	assert_true(a.busy_ms == 60000);
	assert_int_equal(a.containers, CONTAINERS);
	assert_int_equal(a.before.containers, CONTAINERS);
	assert_true(a.before.gpu_hours == 2 * CONTAINERS);
	/* one request a minute: one container is enough, the half on top of it is another */
	assert_int_equal(a.fewest, 1);
	assert_int_equal(a.after.containers, 2);
	assert_true(a.after.gpu_hours == 4);
	assert_true(a.after.latency.p99_ms <= a.before.latency.p99_ms);
	assert_true(isnan(a.before.queue_p99_ms)); /* no such series */
}

static void nobody_asked(void **state)
{
	struct simulate_requests_ask q = ask();
	struct simulate_requests a;
	struct err err = { 0 };

	(void)state;
	write_text("none.csv", "time,value\n1727740800,1\n");
	q.file[SERIE_QPS] = q.file[SERIE_INFER] = asked_path("none.csv");
	assert_int_equal(answer_simulate_requests(&q, &a, &err), -ENODATA);
	q.file[SERIE_DUTY] = asked_path("gone.csv");
	assert_int_equal(answer_simulate_requests(&q, &a, &err), -ENOENT);
	write_text("far.csv", "time,value,container\n1727740800,1,a\n1827740800,1,a\n");
	q.file[SERIE_DUTY] = asked_path("far.csv");
	assert_int_equal(answer_simulate_requests(&q, &a, &err), -ERANGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(idle_by_cause),
					    cmocka_unit_test(fewer_would_do),
					    cmocka_unit_test(nobody_asked) };
	return cmocka_run_group_tests(tests, write_series, asked_close);
}
