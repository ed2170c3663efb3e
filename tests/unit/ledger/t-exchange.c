/* Rates of a day: the pair, the pair turned round, by way of a third; never older than asked, never
 * from the future, and nothing between two days is made up. */
#include "../base/test.h"

#include "base/tm.h"
#include "ledger/exchange.h"

#define DAY(n) (1790000640000 / MS_DAY * MS_DAY + (int64_t)(n)*MS_DAY)

static dec number(const char *z)
{
	dec v;
	assert_int_equal(dec_parse(sv_of(z), 0, &v), 0);
	return v;
}

static struct exchange_rate row(const char *from, const char *to, int day, const char *rate)
{
	return (struct exchange_rate){ sv_of(from), sv_of(to), DAY(day), number(rate) };
}

static bool rate_at(const struct exchange *x, const char *from, const char *to, int day, int max,
		    const char *want)
{
	struct exchange_found got;

	if (!exchange_at(x, from, to, DAY(day) + 5 * MS_HOUR, max, &got))
		return false;
	if (want && got.rate != number(want)) {
		char buf[DEC_BUF];
		fail_msg("%s to %s on day %d: %s, not %s", from, to, day, dec_format(buf, got.rate),
			 want);
	}
	return true;
}

static void days(void **state)
{
	struct exchange_rate v[] = { row("USD", "EUR", 12, "0.9"), row("USD", "EUR", 10, "0.8"),
				     row("USD", "EUR", 10, "0.85") };
	struct exchange x;
	struct exchange_found found;

	(void)state;
	exchange_take(&x, v, COUNT(v));
	assert_int_equal(x.n, 2); /* of a day told twice the later one */
	assert_false(rate_at(&x, "USD", "EUR", 9, 7, NULL));
	assert_true(rate_at(&x, "USD", "EUR", 10, 7, "0.85"));
	assert_true(rate_at(&x, "USD", "EUR", 11, 7, "0.85"));
	assert_true(rate_at(&x, "USD", "EUR", 12, 7, "0.9"));
	assert_true(rate_at(&x, "USD", "EUR", 19, 7, "0.9"));
	assert_false(rate_at(&x, "USD", "EUR", 20, 7, NULL));
	assert_true(rate_at(&x, "USD", "EUR", 900, -1, "0.9"));
	assert_true(exchange_at(&x, "USD", "EUR", DAY(11), 7, &found) && found.day_ms == DAY(10));
	assert_true(rate_at(&x, "EUR", "EUR", 1, 7, "1"));
	assert_false(rate_at(&x, "USD", "GBP", 12, 7, NULL));
	assert_false(rate_at(&(struct exchange){ 0 }, "USD", "EUR", 12, 7, NULL));
}

static void ways(void **state)
{
	struct exchange_rate v[] = { row("EUR", "USD", 1, "1.25"), row("EUR", "GBP", 1, "0.8"),
				     row("JPY", "USD", 1, "0.0064"), row("EUR", "CHF", -30, "1") };
	struct exchange x;

	(void)state;
	exchange_take(&x, v, COUNT(v));
	assert_true(rate_at(&x, "USD", "EUR", 1, 7, "0.8"));
	assert_true(rate_at(&x, "USD", "GBP", 1, 7, "0.64"));
	assert_true(rate_at(&x, "USD", "JPY", 1, 7, "156.25"));
	assert_false(rate_at(&x, "JPY", "GBP", 1, 7, NULL)); /* two between */
	assert_false(rate_at(&x, "USD", "CHF", 1, 7, NULL)); /* half of the way is too old */
	assert_true(rate_at(&x, "USD", "CHF", 1, -1, "0.8"));
}

static void amounts(void **state)
{
	(void)state;
	assert_int_equal(exchange_nano(1000000000, number("0.9")), 900000000);
	assert_int_equal(exchange_nano(-1000000000, number("0.9")), -900000000);
	assert_int_equal(exchange_nano(1, number("0.5")), 0); /* half-even */
	assert_int_equal(exchange_nano(3, number("0.5")), 2);
	assert_int_equal(exchange_nano(0, number("150")), 0);
	assert_true(exchange_nano(9000000000000000000, number("1000")) >
		    0); /* cut, not turned over */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(days),
		cmocka_unit_test(ways),
		cmocka_unit_test(amounts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
