/* Prices of the catalogue and of users' files, in one currency, with hardware of one's own among
 * them. */
#include "asked.h"

#include "answer/prices.h"

static int own_list(void **state)
{
	static const struct asked_file file[] = {
		{ "prices.csv",
		  "provider,region,instance_type,gpu_model,gpu_count,purchase,usd_hour,from\n"
		  "mine,here,box,T4,2,on_demand,0.50,2024-09-01T00:00:00Z\n" }
	};

	(void)state;
	return asked_open("version: 1\n", sizeof file / sizeof *file, file);
}

static struct prices_answer answer(struct prices_ask *q)
{
	struct prices_answer a = { 0 };
	struct err err = { 0 };

	q->ask = asked.ask;
	q->catalog = asked.catalog;
	q->query.currency = "*";
	fine(answer_prices(q, &a, &err), &err);
	return a;
}

static void of_a_users_file(void **state)
{
	struct prices_ask q = { .query = { .gpu = "T4", .provider = "mine", .at_ms = T0 },
				.currency = "USD" };
	struct prices_answer a = answer(&q);

	(void)state;
	assert_int_equal(a.n, 1);
	assert_string_equal(a.row[0].region, "here");
	assert_int_equal(a.row[0].gpu_milli, 2000);
	assert_true(a.row[0].gpu_hour == D("0.25"));
	assert_int_equal(a.at_ms, T0);
	assert_int_equal(a.hidden, 0);
}

static void other_currencies_are_counted(void **state)
{
	struct prices_ask q = { .query = { .gpu = "T4", .provider = "mine", .at_ms = T0 },
				.currency = "EUR" };
	struct prices_answer a = answer(&q);

	(void)state;
	assert_int_equal(a.n, 0);
	assert_int_equal(a.hidden, 1);
	assert_string_equal(a.hidden_currency, "USD");
}

static void owned_has_its_place(void **state)
{
	struct owned_terms own = { .purchase = 2000 * DEC_ONE, .years = 4 };
	struct prices_ask q = { .query = { .gpu = "T4", .at_ms = T0 },
				.currency = "USD",
				.owned = &own };
	struct prices_answer a = answer(&q);
	size_t at = SIZE_MAX;

	(void)state;
	assert_false(prices_only_owned(&q));
	for (size_t i = 0; i < a.n; i++) {
		if (!strcmp(a.row[i].provider, "owned"))
			at = i;
		if (i && a.row[i].gpu_milli)
			assert_true(a.row[i - 1].gpu_hour <= a.row[i].gpu_hour);
	}
	assert_true(at != SIZE_MAX);
	assert_string_equal(a.row[at].gpu_model, "T4");
}

/* Then nothing of others is read. */
static void only_owned(void **state)
{
	struct owned_terms own = { .purchase = 8760 * DEC_ONE, .years = 1 };
	struct prices_ask q = { .query = { .at_ms = T0 }, .currency = "USD", .owned = &own };

	(void)state;
	assert_true(prices_only_owned(&q));
	struct prices_answer a = answer(&q);
	assert_int_equal(a.n, 1);
	assert_string_equal(a.row[0].purchase, "owned");
	assert_true(a.row[0].gpu_hour == DEC_ONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(of_a_users_file),
					    cmocka_unit_test(other_currencies_are_counted),
					    cmocka_unit_test(owned_has_its_place),
					    cmocka_unit_test(only_owned) };
	return cmocka_run_group_tests(tests, own_list, asked_close);
}
