/* What came of an applied item: by hand, from a fleet of before and since. */
#include "fleet_fix.h"
#include "plan/proof/outcome.h"

#define DAYS(d) ((d)*24.0)
#define AT_DAY  28

static const char *const subject[] = { "cluster c" };

static struct outcome_applied applied(const char *id)
{
	return (struct outcome_applied){ .id = id,
					 .lever = "schedule",
					 .currency = "USD",
					 .at_ms = AT(DAYS(AT_DAY)),
					 .within_days = 2,
					 .saving_nano = 1000 * NANO,
					 .subject = (const char **)(uintptr_t)subject,
					 .nsubject = 1 };
}

/* A machine that is on all day for 28 days and works for six hours of it; from day 30 on it is on
 * for `on` hours and works for `busy` of them. 12.24 $ an hour. */
static void open_before_and_since(struct fix *x, int days_since, int on, int busy)
{
	fix_open(x, DAYS(30 + days_since));
	size_t n = fix_node(x, "n1", "c", 0, DAYS(30 + days_since));
	for (int d = 0; d < 30 + days_since; d++) {
		int hours = d < 30 ? 24 : on, works = d < 30 ? 6 : busy;
		struct workload *w = fix_workload(x, WORKLOAD_JOB, "j", n, 4, d * 24,
						  d * 24 + hours, 0);
		for (int h = 0; h < hours; h++) {
			struct workload_hour *k = &x->f.hour.v[w->hour0 + (size_t)h];
			k->busy_ms = h < works ? k->ms : 0;
			k->idle_ms = k->ms - k->busy_ms;
		}
	}
	fix_done(x);
}

static struct outcome tell(struct fix *x, const struct outcome_applied *v, size_t n)
{
	struct outcome o[2];

	outcomes_tell(&x->f, &x->conf, v, n, &x->mem, o);
	return o[0];
}

/* 24 hours for 6 of work, then 9: 15 hours of a day less; the month has 730. */
static void the_work_done_at_the_cost_of_before(void **state)
{
	const struct outcome_applied a = applied("a");
	struct fix x;

	open_before_and_since(&x, 14, 9, 6);
	struct outcome o = tell(&x, &a, 1);
	assert_string_equal(o.why ? o.why : "", "");
	assert_near((double)o.realised_nano / 1e9, 15 * 12.24 * 730 / 24);
	assert_near((double)o.p05_nano / 1e9, 15 * 12.24 * 730 / 24); /* every day is the same */
	assert_int_equal(o.together, 1);
	assert_int_equal(o.from_ms, AT(DAYS(30)));
	fix_close(&x);
	/* half the work in half the time saved nothing; it would have cost half as much */
	open_before_and_since(&x, 14, 12, 3);
	o = tell(&x, &a, 1);
	assert_string_equal(o.why ? o.why : "", "");
	assert_true(llabs(o.realised_nano) < NANO);
	fix_close(&x);
	/* a price that fell since is no merit of it */
	open_before_and_since(&x, 14, 24, 6);
	for (size_t i = 0; i < x.f.hour.n; i++)
		x.f.hour.v[i].nano /= x.f.hour.v[i].hour_ms >= AT(DAYS(30)) ? 2 : 1;
	o = tell(&x, &a, 1);
	assert_true(llabs(o.realised_nano) < NANO);
	fix_close(&x);
	/* nothing worked, before or since: what it was paid for is what it came to */
	open_before_and_since(&x, 14, 4, 0);
	for (size_t i = 0; i < x.f.hour.n; i++)
		x.f.hour.v[i].busy_ms = 0;
	o = tell(&x, &a, 1);
	assert_near((double)o.realised_nano / 1e9, 20 * 12.24 * 730 / 24);
	fix_close(&x);
}

/* Four GPUs that are paid day and night, or as long as they work, and work ten hours of a working
 * day and one of a day of the weekend; the item was never carried out. */
static void open_week(struct fix *x, int days, bool on_all_day)
{
	fix_open(x, DAYS(days));
	size_t n = fix_node(x, "n1", "c", 0, DAYS(days));
	for (int d = 0; d < days; d++) {
		bool weekend = (d + 2) % 7 >= 5; /* DAY0 is a Wednesday */
		int works = weekend ? 1 : 10, hours = on_all_day ? 24 : works + 2;
		struct workload *w = fix_workload(x, WORKLOAD_JOB, "j", n, 4, d * 24,
						  d * 24 + hours, 0);
		for (int h = 0; h < hours; h++) {
			struct workload_hour *k = &x->f.hour.v[w->hour0 + (size_t)h];
			k->busy_ms = h < works ? k->ms : 0;
			k->idle_ms = k->ms - k->busy_ms;
		}
	}
	fix_done(x);
}

/* Whatever day and hour it was told, and however long ago: nothing was done, nothing was saved. */
static void an_unchanged_week_is_worth_nothing(void **state)
{
	struct outcome_applied a = applied("a");

	for (int on_all_day = 0; on_all_day < 2; on_all_day++) {
		struct fix x;
		open_week(&x, 70, on_all_day);
		for (int at = 10; at < 10 + 7; at++)
			for (int days = 1; days <= 30; days++) {
				a.within_days = days % 3;
				a.at_ms = AT(DAYS(at) + days % 5 * 6);
				x.f.until_ms =
					AT(DAYS(at + days) + days % 5 * 6 + DAYS(a.within_days));
				struct outcome o = tell(&x, &a, 1);
				if (days < 7) {
					assert_has(o.why, "of 7 days since it is in force");
					continue;
				}
				assert_string_equal(o.why ? o.why : "", "");
				assert_true(llabs(o.realised_nano) < NANO);
				assert_true(o.p05_nano <= NANO && o.p95_nano >= -NANO);
				assert_int_equal((o.to_ms - o.from_ms) % (7 * MS_DAY), 0);
			}
		/* less than a week before it tells no more, whatever the settings ask for */
		x.conf.gates.outcome_days = 1;
		a.at_ms = AT(DAYS(6));
		assert_string_equal(tell(&x, &a, 1).why,
				    "6 days of history before it, 7 are asked for");
		/* four weeks of either side: weeks are drawn, and these are alike */
		a.at_ms = AT(DAYS(31));
		x.f.until_ms = AT(DAYS(70));
		struct outcome o = tell(&x, &a, 1);
		assert_true(llabs(o.p05_nano) < NANO && llabs(o.p95_nano) < NANO);
		fix_close(&x);
	}
}

static void what_cannot_be_told(void **state)
{
	struct outcome_applied v[] = { applied("a"), applied("b") };
	struct fix x;
	struct outcome o;

	open_before_and_since(&x, 6, 9, 6);
	o = tell(&x, v, 1);
	assert_string_equal(o.why, "too early: 6 of 7 days since it is in force");
	fix_close(&x);
	open_before_and_since(&x, 14, 9, 6);
	v[0].lever = "commit";
	assert_has(tell(&x, v, 1).why, "a commitment");
	v[0].lever = "schedule";
	v[0].currency = "EUR";
	assert_has(tell(&x, v, 1).why, "another currency");
	v[0].currency = "USD";
	v[0].nsubject = 0;
	assert_has(tell(&x, v, 1).why, "no cluster");
	v[0].nsubject = 1;
	/* two on one cluster are told together, from when both are in force */
	v[1].within_days = 4;
	o = tell(&x, v, 2);
	assert_string_equal(o.why ? o.why : "", "");
	assert_int_equal(o.together, 2);
	assert_int_equal(o.told_nano, 2000 * NANO);
	assert_int_equal(o.from_ms, AT(DAYS(32)));
	for (size_t i = 0; i < x.f.workload.n; i++)
		if (x.f.workload.v[i].start_ms >= AT(DAYS(30)))
			x.f.workload.v[i].gpu_model = "T4";
	assert_has(tell(&x, v, 1).why, "moved to other GPUs");
	for (size_t i = 0; i < x.f.hour.n; i++)
		x.f.hour.v[i].unknown_ms = x.f.hour.v[i].ms / 2;
	assert_has(tell(&x, v, 1).why, "not known for 50 %");
	fix_close(&x);
}

/* Of services the requests are the work: replicas that go take busy time with them. */
static void services_by_their_requests(void **state)
{
	const struct outcome_applied a = applied("a");
	struct fix x;

	open_before_and_since(&x, 14, 12, 3);
	for (size_t i = 0; i < x.f.workload.n; i++) {
		x.f.workload.v[i].kind = WORKLOAD_SERVICE;
		x.f.workload.v[i].service = "ranker";
	}
	struct fleet_service s = { .service = "ranker" };
	for (int m = 0; m < 44 * 1440; m++) {
		*vec_push(&x.f.minute) =
			(struct fleet_minute){ AT(m / 60.0), 100, 100, 20, 40, 80 };
		s.requests += 100;
		s.nmin++;
	}
	*vec_push(&x.f.service) = s;
	struct outcome o = tell(&x, &a, 1);
	assert_string_equal(o.why ? o.why : "", "");
	assert_near((double)o.realised_nano / 1e9,
		    12 * 12.24 * 730 / 24); /* as many requests, half the time */
	fix_close(&x);
}

/* Training on one kind of GPUs, services on another, in the one cluster that Kubernetes is. */
static void beside_services_on_other_gpus(void **state)
{
	static const char *const on_gpus[] = { "gpus V100-SXM2-16GB c" };
	struct outcome_applied v[] = { applied("a"), applied("b") };
	struct fix x;

	v[0].subject = (const char **)(uintptr_t)on_gpus;
	open_before_and_since(&x, 14, 9, 6);
	size_t n = fix_node(&x, "n2", "c", 0, DAYS(44));
	struct workload *w = fix_workload(&x, WORKLOAD_SERVICE, "", n, 4, 0, DAYS(44), 1);
	w->service = "chat";
	w->gpu_model = "L4";
	struct outcome o = tell(&x, v, 1);
	assert_string_equal(o.why ? o.why : "", "");
	assert_near((double)o.realised_nano / 1e9, 15 * 12.24 * 730 / 24);
	assert_int_equal(o.together, 1);
	/* another item about all of the cluster: not to be told apart */
	assert_int_equal(tell(&x, v, 2).together, 2);
	/* of all of it nothing can be told */
	assert_has(tell(&x, &v[1], 1).why, "no common measure");
	fix_close(&x);
}

static void subjects(void **state)
{
	struct fix x;
	struct rec r = { 0 };
	size_t n;

	open_before_and_since(&x, 1, 9, 6);
	*vec_push(&r.change) = (struct rec_change){ .workload = 0 };
	*vec_push(&r.change) = (struct rec_change){ .workload = 1 };
	const char **v = outcome_subject(&x.f, &r, &x.mem, &n);
	assert_int_equal(n, 1);
	assert_string_equal(v[0], "gpus V100-SXM2-16GB c");
	r.change.v[1].after.gpu_model = "L4"; /* its work goes elsewhere in the cluster */
	v = outcome_subject(&x.f, &r, &x.mem, &n);
	assert_int_equal(n, 2);
	assert_string_equal(v[1], "cluster c");
	x.f.workload.v[1].cluster = "";
	v = outcome_subject(&x.f, &r, &x.mem, &n);
	assert_int_equal(n, 2);
	assert_string_equal(v[1], "team vision");
	vec_free(&r.change);
	fix_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_work_done_at_the_cost_of_before),
		cmocka_unit_test(an_unchanged_week_is_worth_nothing),
		cmocka_unit_test(what_cannot_be_told),
		cmocka_unit_test(services_by_their_requests),
		cmocka_unit_test(beside_services_on_other_gpus),
		cmocka_unit_test(subjects),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
