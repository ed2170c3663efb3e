/* What a word of the last plan means: numbers as they were printed, ids, jobs, and what to do where
 * it means nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "answer/explain.h"

/* A plan of two recommendations over a history with the job "4117". */
static struct made {
	struct arena mem;
	struct plan_ask q;
	struct plan_answer a;
	struct rec rec[2];
	struct plan_last last;
	struct err err;
} m;

static int make(void **state)
{
	static const struct plan_asked_word spot = { "lever", "spot" };
	static const char *ids[] = { "share-search", "spot-train", "gone" };

	(void)state;
	memset(&m, 0, sizeof m);
	m.q.ask.mem = &m.mem;
	m.q.asked.word = &spot;
	m.q.asked.nword = 1;
	m.q.asked.since_ms = INT64_MIN;
	m.q.asked.until_ms = INT64_MAX;
	for (size_t i = 0; i < 2; i++) {
		m.rec[i].id = ids[1 - i]; /* another order than was printed */
		*vec_push(&m.a.plan.rec.v) = &m.rec[i];
	}
	*vec_push(&m.a.fleet.workload) = (struct workload){ .job = "4117" };
	m.last = (struct plan_last){ .found = true, .id = ids, .n = 3, .store = "" };
	return 0;
}

static int drop(void **state)
{
	(void)state;
	vec_free(&m.a.plan.rec.v);
	vec_free(&m.a.fleet.workload);
	arena_free(&m.mem);
	return 0;
}

static int ask(const char *word, struct explain *ret)
{
	memset(&m.err, 0, sizeof m.err);
	return answer_explain(&m.q, &m.last, &m.a, word, ret, &m.err);
}

static void a_number_is_what_was_printed_with_it(void **state)
{
	struct explain e;

	(void)state;
	assert_int_equal(ask("1", &e), 0);
	assert_int_equal(e.kind, EXPLAIN_REC);
	assert_string_equal(m.a.plan.rec.v.v[e.rec]->id, "share-search");
	m.last.n = 0; /* no plan was printed: its place in this one */
	assert_int_equal(ask("1", &e), 0);
	assert_string_equal(m.a.plan.rec.v.v[e.rec]->id, "spot-train");
}

static void words_are_ids_then_jobs(void **state)
{
	struct explain e;

	(void)state;
	assert_int_equal(ask("spot-train", &e), 0);
	assert_int_equal(e.kind, EXPLAIN_REC);
	assert_int_equal(e.rec, 0);
	assert_int_equal(ask("4117", &e), 0);
	assert_int_equal(e.kind, EXPLAIN_JOB);
	assert_int_equal(e.job.n, 1);
	assert_string_equal(e.job.id[0], "4117");
}

static void what_means_nothing_says_what_does(void **state)
{
	struct explain e;

	(void)state;
	assert_int_equal(ask("3", &e), -ENOENT);
	assert_non_null(strstr(m.err.msg, "'gone', number 3 of the last plan, is not in the plan"));
	assert_int_equal(ask("4", &e), -ENOENT);
	assert_non_null(strstr(m.err.msg, "has 3 recommendations, and there is no job '4'"));
	assert_string_equal(m.err.hint, "See it again: tare plan --lever spot");
	assert_int_equal(ask("spot-trian", &e), -ENOENT);
	assert_string_equal(m.err.hint, "Did you mean 'spot-train'?");
	assert_int_equal(ask("zzz", &e), -ENOENT);
	assert_string_equal(m.err.hint, "Numbers and ids are those of: tare plan");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, make, drop)
		T(a_number_is_what_was_printed_with_it),
		T(words_are_ids_then_jobs),
		T(what_means_nothing_says_what_does),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
