#include "opt/size/curve.h"

#include "../base/test.h"

static void directions(void **state)
{
	static const struct {
		const char *name;
		enum better better;
		bool held_out;
	} want[] = {
		{ "val_loss", BETTER_LOWER, true },
		{ "train/loss", BETTER_LOWER, false },
		{ "Eval/Accuracy", BETTER_HIGHER, true },
		{ "validation.WER", BETTER_LOWER, true },
		{ "score_loss", BETTER_LOWER, false },
		{ "error_recall", BETTER_HIGHER, false },
		{ "top1", BETTER_HIGHER, false },
		{ "lr", BETTER_UNKNOWN, false },
		{ "evaluator", BETTER_UNKNOWN, false },
		{ "glossary", BETTER_UNKNOWN, false },
		{ "", BETTER_UNKNOWN, false },
		{ "//__", BETTER_UNKNOWN, false },
	};
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_int_equal(curve_better(want[i].name), want[i].better);
		assert_int_equal(curve_is_validation(want[i].name), want[i].held_out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(directions) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
