/* The ledger by each required tag: the usual ones, or those of the settings. */
#include "fleet.h"

#include "answer/tags.h"

static struct tags_answer answer(struct conf *conf)
{
	struct report_ask q = { .ask = asked.ask, .basis = BASIS_EFFECTIVE };
	struct tags_answer a = { 0 };
	struct err err = { 0 };
	bool empty;

	q.ask.conf = conf;
	fine(report_window(&q, &empty, &err), &err);
	fine(answer_tags(&q, &a, &err), &err);
	return a;
}

/* What has this value of the tag, and all there is. */
static dec cost_of(const struct tags_one *t, const char *value, dec *ret_all)
{
	dec sum = 0;

	*ret_all = 0;
	for (size_t i = 0; i < t->ncell; i++) {
		*ret_all += t->cell[i].cost;
		sum += strcmp(t->cell[i].dim[0], value) ? 0 : t->cell[i].cost;
	}
	return sum;
}

static void usual_ones(void **state)
{
	struct tags_answer a = answer(&asked.conf);
	dec all;

	(void)state;
	assert_false(a.configured);
	assert_int_equal(a.ntag, 4);
	assert_string_equal(a.tag[0].name, "team");
	assert_true(cost_of(&a.tag[0], "vision", &all) == D("5.672"));
	assert_true(all == D("17.116"));
	for (size_t i = 0; i < a.tag[0].ncell; i++) { /* the tag fills the place of team, too */
		const struct report_cell *c = &a.tag[0].cell[i];
		assert_string_equal(c->dim[0], c->dim[1]);
		assert_true(strcmp(c->dim[1], "vision") || !strcmp(c->dim[2], "ann"));
	}
}

static void those_of_the_settings(void **state)
{
	struct conf conf;
	struct err err = { 0 };
	dec all;

	(void)state;
	fine(conf_parse("test", SV("version: 1\ntags:\n  required: [tag:Name, project]\n"), &conf,
			&err),
	     &err);
	struct tags_answer a = answer(&conf);
	assert_true(a.configured);
	assert_int_equal(a.ntag, 2);
	assert_string_equal(a.tag[0].name, "tag:Name");
	assert_true(cost_of(&a.tag[0], "gpu-9", &all) >= D("0.1"));
	assert_true(all == D("17.116"));
	assert_string_equal(a.tag[1].name, "project");
	assert_true(cost_of(&a.tag[1], "ranker", &all) == D("3.545"));
	conf_free(&conf);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(usual_ones),
					    cmocka_unit_test(those_of_the_settings) };
	return cmocka_run_group_tests(tests, fleet_open, asked_close);
}
