/* The table and Markdown, to the letter. */
#include "cells.h"
#include "report/text.h"

static struct report_in fleet(const struct report_cell *cell, size_t n,
			      const struct report_reconcile *rec, size_t nrec)
{
	static const char *const dim[] = { "team" };
	return (struct report_in){ .dim = dim,
				   .ndim = 1,
				   .cell = cell,
				   .ncell = n,
				   .reconcile = rec,
				   .nreconcile = nrec,
				   .since_ms = T0,
				   .until_ms = T0 + 30 * MS_DAY,
				   .basis = BASIS_EFFECTIVE,
				   .now_ms = UNKNOWN_MS };
}

static void golden(void **st)
{
	(void)st;
	const struct report_cell c[] = {
		gpu(DIMS("vision"), STATE_BUSY, H(1279), "2.745", "USD"),
		gpu(DIMS("vision"), STATE_UNDERUSED, H(686), "2.745", "USD"),
		gpu(DIMS("vision"), STATE_IDLE_HELD, H(905), "2.745", "USD"),
		gpu(DIMS("vision"), STATE_LOST, H(187), "2.745", "USD"),
		gpu(DIMS("vision"), STATE_UNKNOWN, H(63), "2.745", "USD"),
		gpu(DIMS("batch"), STATE_UNKNOWN, H(100), "2.745", "USD"),
		gpu(DIMS(""), STATE_UNALLOCATED, H(685), "2.745", "USD"),
		line(DIMS("store"), "12.5", "USD"),
	};
	const struct report_reconcile rec = { .currency = "USD",
					      .billed = D("10732.725"),
					      .has_bill = true,
					      .ledger = D("10732.725") };
	struct report_in in = fleet(c, sizeof c / sizeof *c, &rec, 1);
	char *t = printed(&in, OUT_TABLE);
	expect(t, "30 days to 2024-10-30 · effective cost, USD · 3,905 GPU·h paid · 96 % measured\n"
		  "\n"
		  "team      GPU·h       cost  busy  underused   idle  lost  unknown\n"
		  "vision    3,120   8,564.40  41 %       22 %   29 %   6 %      2 %\n"
		  "(nobody)    685   1,880.32     -          -  100 %     -        -\n"
		  "batch       100     274.50     -          -      -   0 %    100 %\n"
		  "store         -      12.50     -          -      -     -        -\n"
		  "─────────────────────────────────────────────────────────────────\n"
		  "          3,905  10,731.72  33 %       17 %   41 %   5 %      4 %\n"
		  "\n"
		  "Bill 10,732.72 · ledger 10,732.72 · difference 0.00 · unpriced 0 GPU·h\n"
		  "Idle alone costs 4,364.55 USD in these 30 days. Most of it: vision, 2,484.22,\n"
		  "memory held, nothing running\n"
		  "(tare report --by job --where team=vision --sort waste).\n");
	free(t);
}

/* Nothing has a price: no cost is known, and that is not 0. */
static void unknown_is_not_zero(void **st)
{
	(void)st;
	const struct report_cell c[] = {
		gpu(DIMS("a"), STATE_BUSY, H(2), NULL, ""),
		gpu(DIMS("b"), STATE_IDLE_EMPTY, H(2), "0", ""),
	};
	const struct report_reconcile rec = { .currency = "", .unpriced_ms = H(2) };
	struct report_in in = fleet(c, 2, &rec, 1);
	char *t = printed(&in, OUT_TABLE);
	expect(t,
	       "30 days to 2024-10-30 · effective cost, USD · 4.000 GPU·h paid · 100 % measured\n"
	       "\n"
	       "team  GPU·h  cost   busy  underused   idle  lost  unknown\n"
	       "a     2.000     -  100 %        0 %    0 %   0 %      0 %\n"
	       "b     2.000  0.00    0 %        0 %  100 %   0 %      0 %\n"
	       "─────────────────────────────────────────────────────────\n"
	       "      4.000  0.00   50 %        0 %   50 %   0 %      0 %\n"
	       "\n"
	       "no bill · ledger 0.00 · unpriced 2.000 GPU·h\n");
	free(t);
}

static void currencies_are_not_added(void **st)
{
	(void)st;
	const struct report_cell c[] = {
		gpu(DIMS("a"), STATE_BUSY, H(10), "1", "EUR"),
		gpu(DIMS("a"), STATE_BUSY, H(20), "2", "USD"),
	};
	struct report_in in = fleet(c, 2, NULL, 0);
	char *t = printed(&in, OUT_TABLE);
	expect(t, "30 days to 2024-10-30 · effective cost, USD · 20.0 GPU·h paid · 100 % measured\n"
		  "\n"
		  "team  GPU·h   cost   busy  underused  idle  lost  unknown\n"
		  "a      20.0  40.00  100 %        0 %   0 %   0 %      0 %\n"
		  "─────────────────────────────────────────────────────────\n"
		  "       20.0  40.00  100 %        0 %   0 %   0 %      0 %\n"
		  "\n"
		  "30 days to 2024-10-30 · effective cost, EUR · 10.0 GPU·h paid · 100 % measured\n"
		  "\n"
		  "team  GPU·h   cost   busy  underused  idle  lost  unknown\n"
		  "a      10.0  10.00  100 %        0 %   0 %   0 %      0 %\n"
		  "─────────────────────────────────────────────────────────\n"
		  "       10.0  10.00  100 %        0 %   0 %   0 %      0 %\n");
	free(t);
}

/* Long names lose their middle, wide characters take two columns, an escape sequence never reaches
 * the terminal. */
static void names(void **st)
{
	(void)st;
	const struct report_cell c[] = {
		gpu(DIMS("a-very-long-team-name-that-nobody-would-ever-want-to-type-more-than-once"),
		    STATE_BUSY, H(3), "3", "USD"),
		gpu(DIMS("計算基盤チーム"), STATE_BUSY, H(2), "3", "USD"),
		gpu(DIMS("ev\033[31mil\xff"), STATE_BUSY, H(1), "3", "USD"),
	};
	struct report_in in = fleet(c, 3, NULL, 0);
	char *t = printed(&in, OUT_TABLE);
	expect(t,
	       "30 days to 2024-10-30 · effective cost, USD · 6.000 GPU·h paid · 100 % measured\n"
	       "\n"
	       "team                         GPU·h   cost   busy  underused  idle  lost  unknown\n"
	       "a-very-long-t…ore-than-once  3.000   9.00  100 %        0 %   0 %   0 %      0 %\n"
	       "計算基盤チーム               2.000   6.00  100 %        0 %   0 %   0 %      0 %\n"
	       "ev?[31mil?                   1.000   3.00  100 %        0 %   0 %   0 %      0 %\n"
	       "────────────────────────────────────────────────────────────────────────────────\n"
	       "                             6.000  18.00  100 %        0 %   0 %   0 %      0 %\n");
	for (char *p = t; *p;) { /* no line is wider than the terminal */
		size_t n = strcspn(p, "\n");
		assert_in_range(text_width((struct sv){ p, n }), 0, 80);
		p += n + (p[n] == '\n');
	}
	free(t);
}

static void limit_and_sort(void **st)
{
	(void)st;
	const struct report_cell c[] = {
		gpu(DIMS("a"), STATE_BUSY, H(10), "1", "USD"),
		gpu(DIMS("b"), STATE_IDLE_HELD, H(5), "1", "USD"),
		gpu(DIMS("c"), STATE_BUSY, H(20), "1", "USD"),
	};
	struct report_in in = fleet(c, 3, NULL, 0);
	in.limit = 1;
	in.sort = SORT_WASTE;
	in.sort_given = true;
	char *t = printed(&in, OUT_TABLE);
	assert_non_null(strstr(t, "\nb           5.0   5.00"));
	assert_non_null(strstr(t, "\n(2 more)   30.0  30.00"));
	assert_non_null(strstr(t, "\n           35.0  35.00"));
	free(t);
}

/* Names before shares: where a line is too long the least telling shares go first. */
static void narrow(void **st)
{
	(void)st;
	const struct report_cell c[] = { gpu(
		DIMS("a-team-with-a-name", "us-east-1-zone", "on_demand"), STATE_IDLE_HELD, H(10),
		"1", "USD") };
	struct report_in in = fleet(c, 1, NULL, 0);
	in.dim = DIMS("team", "region", "purchase");
	in.ndim = 3;
	char *t = printed(&in, OUT_TABLE);
	assert_non_null(strstr(
		t, "\nteam                region          purchase   GPU·h   cost  busy   idle\n"));
	free(t);
	in.width = 120;
	t = printed(&in, OUT_TABLE);
	assert_non_null(strstr(t, "busy  underused   idle  lost  unknown\n"));
	free(t);
}

/* "41 %" is 41, "<1 %" is 0, ">99 %" is 100, "-" is 0: the numbers of a line that ends in shares. */
static int shares_of_line(const char *line, size_t n, int *ret_seen)
{
	int sum = 0;

	*ret_seen = 0;
	for (const char *p = line; p < line + n; p++) {
		if (*p != '%')
			continue;
		const char *q = p - 1; /* the blank before the sign */
		while (q > line && q[-1] >= '0' && q[-1] <= '9')
			q--;
		bool less = q > line && q[-1] == '<', more = q > line && q[-1] == '>';
		sum += less ? 0 : more ? 100 : atoi(q);
		++*ret_seen;
	}
	return sum;
}

/* Whatever the row: what is printed of it adds up to 100 %, and so does a column of parts. */
static void shares_add_up(void **st)
{
	(void)st;
	static const enum state states[] = { STATE_BUSY,       STATE_UNDERUSED,   STATE_IDLE_HELD,
					     STATE_IDLE_EMPTY, STATE_UNALLOCATED, STATE_LOST,
					     STATE_OVERHEAD,   STATE_UNKNOWN };
	static char name[40][4];
	static const char *dims[40][1];
	struct report_cell c[40 * 8];
	uint32_t seed = 11;
	size_t n = 0;

	for (int r = 0; r < 40; r++) {
		snprintf(name[r], sizeof name[r], "t%d", r);
		dims[r][0] = name[r];
		for (size_t s = 0; s < 8; s++) {
			seed = seed * 1664525u + 1013904223u;
			int64_t ms = seed % 3 ? (int64_t)(seed >> 8) : (int64_t)(seed >> 24);
			c[n++] = gpu(dims[r], states[s], ms + 1, "1", "USD");
		}
	}
	struct report_in in = fleet(c, n, NULL, 0);
	char *t = printed(&in, OUT_TABLE);
	int lines = 0, seen;
	for (const char *p = strchr(t, '\n') + 1; *p; p += strcspn(p, "\n") + 1) {
		int sum = shares_of_line(p, strcspn(p, "\n"), &seen);
		lines += seen > 1;
		if (seen > 1 && sum != 100)
			fail_msg("%d: %.*s", sum, (int)strcspn(p, "\n"), p);
		if (!p[strcspn(p, "\n")])
			break;
	}
	assert_int_equal(lines, 41);
	free(t);
}

static void small_amounts(void **st)
{
	(void)st;
	struct arena a = { 0 };
	assert_string_equal(text_money(&a, D("0.004"), 2), "<0.01");
	assert_string_equal(text_money(&a, D("-0.004"), 2), ">-0.01");
	assert_string_equal(text_money(&a, 0, 2), "0.00");
	assert_string_equal(text_money(&a, D("26990.19"), 2), "26,990.19");
	assert_string_equal(text_share(&a, 1, 1000), "<1 %");
	assert_string_equal(text_share(&a, 999, 1000), ">99 %");
	assert_string_equal(text_share(&a, 1000, 1000), "100 %");
	assert_string_equal(text_share(&a, 0, 1000), "0 %");
	assert_string_equal(text_share(&a, 0, 0), "-");
	assert_string_equal(text_gpu_hours(&a, 1, 1), "<0.1");
	assert_string_equal(text_gpu_hours(&a, 0, 0), "0");
	arena_free(&a);
}

static void windows(void **st)
{
	(void)st;
	struct arena a = { 0 };
	assert_string_equal(text_window(&a, T0, T0 + MS_DAY), "1 day to 2024-10-01");
	assert_string_equal(text_window(&a, T0, T0 + 12 * MS_HOUR), "12 h to 2024-10-01 12:00 UTC");
	assert_string_equal(text_window(&a, UNKNOWN_MS, UNKNOWN_MS), "all of the ledger");
	assert_string_equal(text_window(&a, T0, UNKNOWN_MS), "since 2024-10-01T00:00:00Z");
	assert_string_equal(text_window(&a, T0 + 500, T0 + MS_HOUR),
			    "2024-10-01T00:00:00.500Z to 2024-10-01T01:00:00Z");
	assert_string_equal(text_window(&a, T0, T0 + 749 * MS_HOUR),
			    "2024-10-01 00:00 to 2024-11-01 05:00 UTC");
	assert_string_equal(text_these(&a, T0, T0 + MS_DAY), "this day");
	arena_free(&a);
}

static void markdown(void **st)
{
	(void)st;
	const struct report_cell c[] = { gpu(DIMS("a|b<script>"), STATE_BUSY, H(10), "1", "USD") };
	const struct report_reconcile rec = { .currency = "USD", .unbilled = D("10") };
	struct report_in in = fleet(c, 1, &rec, 1);
	char *t = printed(&in, OUT_MD);
	expect(t,
	       "30 days to 2024-10-30 · effective cost, USD · 10.0 GPU·h paid · 100 % measured\n"
	       "\n"
	       "| team | GPU·h | cost | busy | underused | idle | lost | unknown |\n"
	       "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
	       "| a\\|b&lt;script> | 10.0 | 10.00 | 100 % | 0 % | 0 % | 0 % | 0 % |\n"
	       "|  | **10.0** | **10.00** | **100 %** | **0 %** | **0 %** | **0 %** | **0 %** |\n"
	       "\n"
	       "no bill · ledger 10.00 · unpriced 0 GPU·h\n");
	free(t);
}

static void nothing_at_all(void **st)
{
	(void)st;
	struct report_in in = fleet(NULL, 0, NULL, 0);
	char *t = printed(&in, OUT_TABLE);
	expect(t,
	       "30 days to 2024-10-30 · effective cost, USD · no GPU time\n\nNothing in the ledger here.\n");
	free(t);
}

/* What a bill has and the ledger lacks is said, a rounding rest is called one. */
static void differences(void **st)
{
	(void)st;
	const struct report_cell c[] = { gpu(DIMS("a"), STATE_BUSY, H(10), "1", "USD") };
	struct report_reconcile rec = { .currency = "USD",
					.billed = D("12"),
					.has_bill = true,
					.ledger = D("10"),
					.partial = true };
	struct report_in in = fleet(c, 1, &rec, 1);
	char *t = printed(&in, OUT_TABLE);
	assert_non_null(strstr(
		t,
		"Bill 12.00 · ledger 10.00 · difference 2.00 · unpriced 0 GPU·h\nSome charges reach over"));
	free(t);
	rec.billed = D("10.0000000001");
	rec.unbilled = D("3");
	t = printed(&in, OUT_TABLE);
	assert_non_null(strstr(t, "difference 0.0000000001 ·"));
	free(t);
	rec.remainder = D("0.0000000001"); /* all of it is rounding */
	t = printed(&in, OUT_TABLE);
	assert_non_null(strstr(t, "difference 0.00 ·"));
	assert_non_null(strstr(t, "A further 3.00 is on no bill"));
	free(t);
}

static const char *folded(const char *line, size_t hang, size_t width)
{
	static struct str out;

	str_free(&out);
	out = (struct str){ 0 };
	text_fold(&out, sv_of(line), hang, width);
	return str_z(&out);
}

/* A command that is told in running text arrives in one piece: it is there to be pasted. */
static void a_command_is_one_word(void **state)
{
	(void)state;
	assert_string_equal(folded("one two three four", 0, 9), "one two\nthree\nfour\n");
	assert_string_equal(folded("  one two three", 2, 9), "  one two\n  three\n");
	assert_string_equal(folded("more (tare report --by job --sort waste). End", 0, 12),
			    "more\n(tare report --by job --sort waste).\nEnd\n");
	assert_string_equal(folded("a market (`tare price update`, a file) is", 0, 12),
			    "a market\n(`tare price update`,\na file) is\n");
	/* no command, or none that ends */
	assert_string_equal(folded("(tared weight is)", 0, 8), "(tared\nweight\nis)\n");
	assert_string_equal(folded("(tare weight is", 0, 8), "(tare\nweight\nis\n");
	folded("", 0, 8);
}

/* Five parts of 0.4 cents are 2: two of them print a cent more, none two. */
static void parts_of_a_change(void **st)
{
	struct compared row = { .dim = DIMS("a"), .currency = "USD", .has = { true, true } };
	struct compare_answer compared = { .row = &row,
					   .nrow = 1,
					   .w = { { T0, T0 + H(1) },
						  { T0 + H(1), T0 + H(2) },
						  { T0, T0 + H(1) },
						  { T0 + H(1), T0 + H(2) },
						  { 1, 1 } } };
	struct report_in in = { .dim = DIMS("team"),
				.ndim = 1,
				.since_ms = T0 + H(1),
				.until_ms = T0 + H(2),
				.width = 200,
				.compare = &compared };

	(void)st;
	for (int i = 0; i < COMPARE_PARTS; i++) {
		row.parts.known[i] = true;
		row.parts.part[i] = D("1000.004");
	}
	row.parts.now = row.parts.difference = D("5000.02");
	char *t = printed(&in, OUT_TABLE);
	assert_non_null(strstr(t, "5,000.02"));
	assert_non_null(strstr(t, "+1,000.01"));
	assert_null(strstr(t, "1,000.02"));
	free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden),
		cmocka_unit_test(unknown_is_not_zero),
		cmocka_unit_test(currencies_are_not_added),
		cmocka_unit_test(names),
		cmocka_unit_test(limit_and_sort),
		cmocka_unit_test(narrow),
		cmocka_unit_test(shares_add_up),
		cmocka_unit_test(small_amounts),
		cmocka_unit_test(windows),
		cmocka_unit_test(markdown),
		cmocka_unit_test(nothing_at_all),
		cmocka_unit_test(differences),
		cmocka_unit_test(parts_of_a_change),
		cmocka_unit_test(a_command_is_one_word),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
