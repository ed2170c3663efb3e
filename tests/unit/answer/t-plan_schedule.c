/* Schedules from files of prices, jobs and use. */
#include "asked.h"

#include <errno.h>
#include <math.h>

#include "answer/plan/plan_schedule.h"

/* "near" is cheap from 02:00 to 04:00, "far" always a little cheaper than near's usual price */
#define PRICES                                                       \
	"time,region,usd_hour\n"                                     \
	"2024-10-01T00:00:00Z,near,4\n2024-10-01T01:00:00Z,near,4\n" \
	"2024-10-01T02:00:00Z,near,1\n2024-10-01T03:00:00Z,near,1\n" \
	"2024-10-01T04:00:00Z,near,4\n2024-10-01T05:00:00Z,near,4\n" \
	"2024-10-01T00:00:00Z,far,3\n2024-10-01T05:00:00Z,far,3\n"

static int folder(void **state)
{
	int r = fresh_dir(state);

	if (r >= 0)
		write_text("prices.csv", PRICES);
	return r;
}

static int no_folder(void **state)
{
	arena_free(&asked.mem);
	return remove_dir(state);
}

static struct schedule_ask ask(void)
{
	return (struct schedule_ask){ .mem = &asked.mem,
				      .prices = { .file = asked_path("prices.csv"), .window = -1 },
				      .slot_ms = H(1),
				      .from_ms = UNKNOWN_MS,
				      .egress_gb = NAN,
				      .back_gb = NAN,
				      .egress_usd_gb = DEC_ONE / 50,
				      .home = "near" };
}

static struct schedule_job_answer job(struct schedule_job_ask *q)
{
	struct schedule_job_answer a;
	struct err err = { 0 };

	q->units = q->units ? q->units : 1;
	fine(answer_schedule_job(q, &a, &err), &err);
	return a;
}

static void the_cheapest_start(void **state)
{
	struct schedule_job_ask q = {
		.a = ask(), .length_ms = H(2), .deadline_ms = UNKNOWN_MS, .within_ms = UNKNOWN_MS
	};
	struct schedule_job_answer a = job(&q);

	(void)state;
	assert_int_equal(a.n, 2);
	assert_string_equal(a.option[0].name, "near");
	assert_int_equal(a.option[0].start_ms, T0 + H(2));
	assert_true(a.option[0].total == D("2"));
	assert_string_equal(a.option[1].name, "far");
	assert_true(a.option[1].total == D("6"));
	assert_ptr_equal(a.at_home, &a.option[0]);
	assert_true(fabs(a.saving_frac - 0.75) < 1e-12);
	assert_int_equal(a.from_ms, T0);
}

static void data_have_their_price_on_the_way(void **state)
{
	struct schedule_job_ask q = {
		.a = ask(), .length_ms = H(1), .deadline_ms = UNKNOWN_MS, .within_ms = H(1)
	};
	struct schedule_job_answer a = job(&q);

	(void)state;
	assert_string_equal(a.option[0].name, "far"); /* 3 against 4 */
	q.a.egress_gb = 40;
	q.a.back_gb = 20;
	a = job(&q);
	assert_string_equal(a.option[0].name, "near");
	assert_true(a.option[1].egress == D("1.2"));
	assert_true(a.option[1].total == D("4.2"));
}

static void pieces_where_they_are_better(void **state)
{
	struct schedule_job_ask q = { .a = ask(),
				      .length_ms = H(3),
				      .deadline_ms = UNKNOWN_MS,
				      .within_ms = UNKNOWN_MS,
				      .preemptible = true };
	struct schedule_job_answer a;

	(void)state;
	q.a.allow = (const char *const[]){ "near" };
	q.a.nallow = 1;
	a = job(&q);
	assert_int_equal(a.n, 1);
	assert_int_equal(a.option->npiece, 0); /* one run over the cheap hours costs as much */
	assert_true(a.option->total == D("6"));
	write_text("prices.csv", "time,region,usd_hour\n2024-10-01T00:00:00Z,near,1\n"
				 "2024-10-01T01:00:00Z,near,4\n2024-10-01T02:00:00Z,near,4\n"
				 "2024-10-01T03:00:00Z,near,1\n2024-10-01T04:00:00Z,near,4\n");
	q.length_ms = H(2);
	a = job(&q);
	assert_int_equal(a.option->npiece, 2);
	assert_int_equal(a.option->piece[1].from_ms, T0 + H(3));
	assert_int_equal(a.option->end_ms, T0 + H(4));
	assert_true(a.option->total == D("2"));
}

static void no_price_of_use(void **state)
{
	struct schedule_job_ask q = { .a = ask(),
				      .length_ms = H(1),
				      .units = 1,
				      .deadline_ms = UNKNOWN_MS,
				      .within_ms = UNKNOWN_MS };
	struct schedule_job_answer a;
	struct err err = { 0 };

	(void)state;
	q.a.from_ms = T0 + H(240);
	assert_int_equal(answer_schedule_job(&q, &a, &err), -ENODATA);
	q.a.from_ms = UNKNOWN_MS;
	q.a.home = NULL;
	q.a.allow = (const char *const[]){ "mars*" };
	q.a.nallow = 1;
	assert_int_equal(answer_schedule_job(&q, &a, &err), -ENODATA);
	assert_string_equal(err.msg, "no place of the prices is allowed");
	q.length_ms = H(50);
	q.a.nallow = 0;
	a = job(&q);
	assert_false(a.option->feasible);
	assert_true(isnan(a.saving_frac));
}

static void many_jobs_share_the_machines(void **state)
{
	struct schedule_fleet_ask q = { .a = ask(), .capacity = 1, .slack_ms = H(3) };
	struct schedule_fleet_answer a;
	struct err err = { 0 };

	(void)state;
	write_text("jobs.csv", "id,start,duration_s,gpus\n"
			       "a,2024-10-01T00:00:00Z,3600,1\n"
			       "b,2024-10-01T00:00:00Z,3600,1\n"
			       "late,2024-10-09T00:00:00Z,3600,1\n");
	q.jobs = asked_path("jobs.csv");
	q.a.allow = (const char *const[]){ "near" };
	q.a.nallow = 1;
	fine(answer_schedule_fleet(&q, &a, &err), &err);
	assert_int_equal(a.n, 2);
	assert_int_equal(a.outside, 1);
	assert_int_equal(a.left_out, 0);
	assert_string_equal(a.run[0].id, "a");
	assert_string_equal(a.run[0].place, "near");
	assert_int_not_equal(a.run[0].start_ms, a.run[1].start_ms);
	assert_int_equal(a.cost_nano, 2 * 1000000000LL); /* the two cheap hours */
	assert_true(a.has_at_once);
	assert_true(a.at_once == D("8"));
	assert_true(a.cost_nano >= a.flow_nano);
}

static void a_timetable_wants_weeks(void **state)
{
	struct schedule_table_ask q = { .opt.headroom_h = 0 };
	struct schedule_table_answer a;
	struct str s = { 0 };
	struct err err = { 0 };

	(void)state;
	str_addz(&s, "time,units\n");
	for (int h = 0; h < 24 * 21; h++)
		str_addf(&s, "%d,%d\n", h, h % 24 >= 8 && h % 24 < 18);
	write_text("use.csv", str_z(&s));
	str_free(&s);
	q.usage = asked_path("use.csv");
	fine(answer_schedule_table(&q, &a, &err), &err);
	assert_true(a.t.enough);
	assert_int_equal(a.n, 7); /* an interval a day */
	assert_int_equal(a.on[0].from_h, 8);
	assert_int_equal(a.on[0].to_h, 18);
	assert_int_equal(a.t.misses, 0);
	write_text("use.csv", "time,units\n0,1\n1,0\n");
	fine(answer_schedule_table(&q, &a, &err), &err);
	assert_false(a.t.enough);
	assert_int_equal(a.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_cheapest_start, folder, no_folder),
		cmocka_unit_test_setup_teardown(data_have_their_price_on_the_way, folder,
						no_folder),
		cmocka_unit_test_setup_teardown(pieces_where_they_are_better, folder, no_folder),
		cmocka_unit_test_setup_teardown(no_price_of_use, folder, no_folder),
		cmocka_unit_test_setup_teardown(many_jobs_share_the_machines, folder, no_folder),
		cmocka_unit_test_setup_teardown(a_timetable_wants_weeks, folder, no_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
