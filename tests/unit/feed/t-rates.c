#include <errno.h>

#include "rows_fix.h"

#define HEAD "date,from,to,rate\n"

static void rates(void **state)
{
	struct got g;

	got_text(&g, NULL, HEAD "2026-10-01,EUR,USD,1.1035\n2026-10-02T13:00:00Z,GBP,USD,1.25\n",
		 NULL);
	assert_done(&g);
	assert_string_equal(g.report.kind, "rates");
	assert_int_equal(g.rate.n, 2);
	assert_sv(g.rate.v[0].from, "EUR");
	assert_sv(g.rate.v[0].to, "USD");
	assert_true(g.rate.v[0].rate == DEC_ONE * 11035 / 10000);
	assert_int_equal(g.rate.v[0].day_ms, at("2026-10-01T00:00:00Z"));
	assert_int_equal(g.rate.v[1].day_ms, at("2026-10-02T00:00:00Z"));
	got_free(&g);
}

/* Each bad row is named by its field; the good one beside them is read. */
static void bad_rows(void **state)
{
	static const char *const field[] = { "from", "to", "rate", "rate", "rate", "date" };
	const size_t n = sizeof field / sizeof *field;
	struct got g;

	got_text_named(&g, "test", NULL,
		       HEAD "2026-10-01,eur,USD,1.1\n2026-10-01,EUR,EUR,1\n2026-10-01,EUR,USD,0\n"
			    "2026-10-01,EUR,USD,1000001\n2026-10-01,EUR,USD,one\n"
			    "yesterday,EUR,USD,1.1\n2026-10-01,EUR,USD,1.1\n",
		       NULL, UNKNOWN_MS, (int64_t)n);
	assert_done(&g);
	assert_int_equal(g.rate.n, 1);
	assert_int_equal(g.report.rows_rejected, n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(g.report.rejects.v[i].field, field[i]);
	got_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(rates), cmocka_unit_test(bad_rows) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
