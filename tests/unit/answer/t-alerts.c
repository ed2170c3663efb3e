/* Alerts over the past: what fired, whose GPU it was, what it cost meanwhile. */
#include "asked.h"

#include <math.h>

#include "answer/alerts/alerts.h"

/* Four hours of a GPU at 4 dollars, hot for 40 minutes from the first hour on. */
static int a_hot_gpu(void **state)
{
	struct asked_file file[] = {
		{ "nodes.csv",
		  "node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour\n"
		  "n1,aws,us-east-1,A100-SXM4-80GB,1,on_demand,"
		  "2024-10-01T00:00:00Z,2024-10-01T04:00:00Z,4\n" },
		{ "jobs.csv", "job_id,team,user,workload,gpus,gpu_ids,node,start,end\n"
			      "9,nlp,bob,inference,1,0,n1,2024-10-01T00:00:00Z,"
			      "2024-10-01T04:00:00Z\n" },
		{ "samples.csv", NULL }
	};
	struct str s = { 0 };
	int r;

	(void)state;
	str_addz(&s, "time,node,gpu,gpu_util_pct,mem_used_bytes,temp_celsius,step_s\n");
	for (int m = 0; m < 240; m++)
		str_addf(&s, "2024-10-01T%02d:%02d:00Z,n1,0,70,40000000000,%d,60\n", m / 60, m % 60,
			 m >= 60 && m < 100 ? 88 : 50);
	file[2].text = str_z(&s);
	r = asked_open("version: 1\n", sizeof file / sizeof *file, file);
	str_free(&s);
	return r;
}

static struct alerts_answer answer(const struct alerts_ask *set)
{
	struct alerts_ask q = *set;
	struct alerts_answer a = { 0 };
	struct err err = { 0 };

	q.rule = alert_defaults;
	q.nrule = alert_defaults_n;
	fine(answer_alerts(&q, &a, &err), &err);
	return a;
}

static void fired_and_over(void **state)
{
	struct alerts_answer a = answer(&(struct alerts_ask){ .ask = asked.ask });
	const struct fired *f = a.fired;

	(void)state;
	assert_int_equal(a.end_ms, T0 + H(4));
	assert_int_equal(a.until_ms, T0 + H(4));
	assert_int_equal(a.since_ms, T0 + H(4) - H(24));
	assert_int_equal(a.gpus, 1);
	assert_int_equal(a.samples, 240);
	assert_int_equal(a.nfired, 1);
	assert_string_equal(f->rule->name, "gpu_hot");
	assert_string_equal(f->field[ALERT_NODE], "n1");
	assert_string_equal(f->field[ALERT_JOB], "9");
	assert_string_equal(f->field[ALERT_TEAM], "nlp");
	assert_int_equal(f->state, FIRED_OVER);
	assert_true(f->told && !f->silenced && !f->held_back);
	assert_true(f->worst == 88);
	/* after a minute for which it has to hold; over once it is cool for five */
	assert_true(f->from_ms >= T0 + H(1) && f->from_ms <= T0 + H(1) + 3 * 60000);
	assert_true(f->to_ms >= T0 + H(5 / 3.0) && f->to_ms <= T0 + H(5 / 3.0) + 8 * 60000);
	assert_true(f->has_cost);
	assert_string_equal(f->currency, "USD");
	assert_true(fabs(dec_to_double(f->cost) - 4.0 * (double)(f->to_ms - f->from_ms) / H(1)) <
		    1e-6);
}

static void silenced_is_not_told(void **state)
{
	struct alert_silence s = { .id = "s1",
				   .match = { { "team", "nl*", false } },
				   .nmatch = 1,
				   .from_ms = T0,
				   .until_ms = T0 + H(24) };
	struct alerts_answer a =
		answer(&(struct alerts_ask){ .ask = asked.ask, .silence = &s, .nsilence = 1 });

	(void)state;
	assert_int_equal(a.nfired, 1);
	assert_true(a.fired[0].silenced);
	assert_false(a.fired[0].told);
}

static void only_what_is_asked(void **state)
{
	struct alert_match m = { "severity", "critical", false };
	struct alerts_ask q = { .ask = asked.ask, .match = &m, .nmatch = 1 };

	(void)state;
	assert_int_equal(answer(&q).nfired, 0);
	q.match = NULL;
	q.nmatch = 0;
	q.ask.since_ms = T0 + H(3);
	assert_int_equal(answer(&q).nfired, 0); /* over before */
	q.ask.since_ms = T0 + H(1.25);
	q.ask.until_ms = T0 + H(1.5);
	assert_int_equal(answer(&q).nfired, 1); /* it had begun before */
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(fired_and_over),
					    cmocka_unit_test(silenced_is_not_told),
					    cmocka_unit_test(only_what_is_asked) };
	return cmocka_run_group_tests(tests, a_hot_gpu, asked_close);
}
