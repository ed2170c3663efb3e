/* Decisions about recommendations: kept, replaced, forgotten, and which one a word means. */
#include "asked.h"

#include <errno.h>

#include "answer/plan/plan_decide.h"

static int empty(void **state)
{
	(void)state;
	return asked_open("version: 1\n", 0, NULL);
}

static struct plan_marks marks(void)
{
	struct plan_marks m;
	struct err err = { 0 };

	fine(plan_marks_read(asked_path("store"), &asked.mem, &m, &err), &err);
	return m;
}

static void decide(const char *id, enum plan_word word, const char *reason, int64_t at_ms)
{
	const struct plan_mark m = { id, word, reason, "ann", at_ms };
	struct err err = { 0 };

	fine(plan_decide(asked_path("store"), &m, &err), &err);
}

static void a_decision_replaces_the_one_before(void **state)
{
	struct plan_marks m = marks();

	(void)state;
	assert_int_equal(m.n, 0);
	decide("spot-training", PLAN_ACCEPTED, "agreed", T0);
	decide("spot-training", PLAN_DISMISSED, "not in \"May\"", T0 + 1000);
	decide("share-search", PLAN_APPLIED, NULL, T0);
	m = marks();
	assert_int_equal(m.n, 2);
	assert_string_equal(m.v[0].id, "share-search");
	assert_int_equal(m.v[0].word, PLAN_APPLIED);
	assert_string_equal(m.v[0].reason, "");
	assert_string_equal(m.v[1].id, "spot-training");
	assert_int_equal(m.v[1].word, PLAN_DISMISSED);
	assert_string_equal(m.v[1].reason, "not in \"May\"");
	assert_string_equal(m.v[1].user, "ann");
	assert_int_equal(m.v[1].at_ms, T0 + 1000);
}

static void forgetting_wants_something_decided(void **state)
{
	const char *dir = asked_path("store");
	struct plan_marks m;
	struct err err = { 0 };

	(void)state;
	decide("a", PLAN_ACCEPTED, "", T0);
	m = marks();
	assert_int_equal(plan_forget(dir, &m, "b", false, &err), -ENOENT);
	assert_string_equal(err.msg, "nothing was decided about 'b'");
	assert_non_null(strstr(err.hint, "Decided is: a"));
	fine(plan_forget(dir, &m, "a", true, &err), &err);
	m = marks();
	assert_true(plan_marks_has(&m, "a")); /* dry */
	fine(plan_forget(dir, &m, "a", false, &err), &err);
	m = marks();
	assert_false(plan_marks_has(&m, "a"));
}

static void a_word_is_a_number_or_an_id(void **state)
{
	const char *ids[] = { "spot-training", "share-search" }, *id = NULL;
	const struct plan_last last = { .found = true, .id = ids, .n = 2, .store = "" };
	struct plan_marks m = { 0 };
	struct err err = { 0 };

	(void)state;
	fine(plan_subject(&last, &m, "2", &id, &err), &err);
	assert_string_equal(id, "share-search");
	fine(plan_subject(&last, &m, "spot-training", &id, &err), &err);
	assert_string_equal(id, "spot-training");
	assert_int_equal(plan_subject(&last, &m, "3", &id, &err), -ENOENT);
	assert_int_equal(plan_subject(&last, &m, "spot-trainin", &id, &err), -ENOENT);
	assert_string_equal(err.msg, "the last plan has no 'spot-trainin'");
	assert_string_equal(err.hint, "Did you mean 'spot-training'?");
	m = (struct plan_marks){ &(struct plan_mark){ .id = "older" }, 1 };
	fine(plan_subject(&last, &m, "older", &id, &err), &err); /* was decided about before */
}

/* Advice that was dismissed stays away while it says the same: the same words, about as much. */
static void advice_is_dismissed_until_it_changes(void **state)
{
	static const struct plan_said then = { "advice-a", " jobs book too much", 100 };
	const struct plan_not_taken no = { "spot-b", "risk is high" };
	const struct plan_last last = { .found = true,
					.advice = &then,
					.nadvice = 1,
					.refused = &no,
					.nrefused = 1,
					.store = "" };
	const struct plan_said *said = NULL;
	struct plan_marks m = { 0 };
	const char *id = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(plan_subject(&last, &m, "advice-a", &id, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "is advice: it was not replayed"));
	assert_int_equal(plan_subject(&last, &m, "spot-b", &id, &err), -ENOENT);
	assert_string_equal(err.msg, "'spot-b' is not in the plan: risk is high");
	fine(plan_subject_any(&last, &m, "spot-b", &id, &said, &err), &err);
	assert_null(said);
	fine(plan_subject_any(&last, &m, "advice-a", &id, &said, &err), &err);
	assert_ptr_equal(said, &then);

	const struct plan_mark mark = {
		.id = id, .word = PLAN_DISMISSED, .user = "ann", .said = said
	};
	fine(plan_decide(asked_path("store"), &mark, &err), &err);
	m = marks();
	assert_true(plan_marks_hide(&m, &then));
	assert_true(plan_marks_hide(&m, &(struct plan_said){ then.id, then.words, 124 }));
	assert_false(plan_marks_hide(&m, &(struct plan_said){ then.id, then.words, 126 }));
	assert_false(plan_marks_hide(&m, &(struct plan_said){ then.id, then.words, 74 }));
	assert_false(plan_marks_hide(&m, &(struct plan_said){ then.id, "other words", 100 }));
	assert_false(plan_marks_hide(&m, &(struct plan_said){ "advice-b", then.words, 100 }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_decision_replaces_the_one_before),
		cmocka_unit_test(forgetting_wants_something_decided),
		cmocka_unit_test(a_word_is_a_number_or_an_id),
		cmocka_unit_test(advice_is_dismissed_until_it_changes),
	};

	return cmocka_run_group_tests(tests, empty, asked_close);
}
