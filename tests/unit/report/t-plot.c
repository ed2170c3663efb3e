/* The charts of the page, read back from their SVG. */
#include <math.h>
#include "cells.h"
#include "report/cost/cube.h"
#include "report/plot.h"

static struct report_in fleet(const char *const *dim, size_t ndim, const struct report_cell *cell,
			      size_t n, int64_t days)
{
	return (struct report_in){ .dim = dim,
				   .ndim = ndim,
				   .cell = cell,
				   .ncell = n,
				   .since_ms = T0,
				   .until_ms = T0 + days * MS_DAY,
				   .basis = BASIS_EFFECTIVE,
				   .now_ms = UNKNOWN_MS };
}

static char *page(struct report_in *in)
{
	return printed(in, OUT_HTML);
}

static size_t count(const char *t, const char *what)
{
	size_t n = 0;

	for (const char *p = t; (p = strstr(p, what)); p += strlen(what))
		n++;
	return n;
}

struct box {
	double x, y, w, h;
};

/* The bar whose title begins so. */
static struct box bar(const char *t, const char *title)
{
	char whole[128];
	struct box b;

	snprintf(whole, sizeof whole, "<title>%s", title);
	const char *p = strstr(t, whole);
	if (!p)
		fail_msg("no bar '%s'", title);
	while (strncmp(p, "<rect", 5))
		p--;
	assert_int_equal(sscanf(strstr(p, " x="),
				" x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\"", &b.x, &b.y,
				&b.w, &b.h),
			 4);
	return b;
}

static const char *const by_team[] = { "team" };

/* A day of +3 and -3 is drawn as both, on either side of the axis, with what is left at 0. */
static void below_the_axis(void **st)
{
	(void)st;
	const struct report_cell day[] = {
		gpu(DIMS("2024-10-01"), STATE_BUSY, H(1), "3", "USD"),
		line(DIMS("2024-10-01"), "-3", "USD"),
		gpu(DIMS("2024-10-02"), STATE_BUSY, H(1), "1", "USD"),
	};
	const struct report_cell team[] = { gpu(DIMS("a"), STATE_BUSY, H(2), "2", "USD"),
					    line(DIMS("credits"), "-3", "USD") };
	struct report_in in = fleet(by_team, 1, team, 2, 2);
	in.day = day;
	in.nday = 3;
	char *t = page(&in);
	struct box up = bar(t, "2024-10-01, busy: 3.00"), down = bar(t, "2024-10-01, other: -3.00");
	double axis = up.y + up.h;
	assert_true(down.y >= axis - 0.02 && down.y <= axis + 0.02);
	assert_true(down.h > up.h - 0.02 && down.h < up.h + 0.02);
	assert_true(up.y >= 10 && down.y + down.h <= 210.01);
	assert_int_equal(count(t, "<line class=\"net\" x1=\"64"), 1);
	/* the row of credits goes to the left of where the others begin */
	struct box a = bar(t, "a, busy: 4.00"), c = bar(t, "credits, other: -3.00");
	assert_true(c.x + c.w <= a.x + 0.02 && c.x >= 219.9);
	free(t);
}

/* Five days with cost in two weeks: fourteen places, and the bars stand where their days are. */
static void empty_days(void **st)
{
	(void)st;
	const struct report_cell day[] = {
		line(DIMS("2024-10-01"), "1", "USD"),
		line(DIMS("2024-10-02"), "1", "USD"),
		line(DIMS("2024-10-08"), "1", "USD"),
	};
	const struct report_cell team[] = { line(DIMS("a"), "3", "USD") };
	struct report_in in = fleet(by_team, 1, team, 1, 14);
	in.day = day;
	in.nday = 3;
	char *t = page(&in);
	double slot = (760.0 - 64.0) / 14;
	assert_true(fabs(bar(t, "2024-10-02, ").x - bar(t, "2024-10-01, ").x - slot) < 0.02);
	assert_true(fabs(bar(t, "2024-10-08, ").x - bar(t, "2024-10-01, ").x - 7 * slot) < 0.02);
	assert_true(bar(t, "2024-10-01, ").w < slot);
	free(t);
}

/* Rows of months and hours are drawn over time too. */
static void months(void **st)
{
	(void)st;
	static const char *const by_month[] = { "month" };
	const struct report_cell m[] = { line(DIMS("2024-10"), "1", "USD"),
					 line(DIMS("2025-01"), "1", "USD") };
	struct report_in in = fleet(by_month, 1, m, 2, 120);
	char *t = page(&in);
	double slot = (760.0 - 64.0) / 4;
	assert_true(fabs(bar(t, "2025-01, ").x - bar(t, "2024-10, ").x - 3 * slot) < 0.02);
	free(t);
	/* forty years by day cannot be told apart; ten thousand years are not walked through */
	const struct report_cell d[] = { line(DIMS("2024-10-01"), "1", "USD") };
	in = fleet(by_team, 1, d, 1, 40 * 366);
	in.day = d;
	in.nday = 1;
	t = page(&in);
	assert_non_null(strstr(t, "drawn by month"));
	free(t);
	in.until_ms = T0 + 10000 * 366 * MS_DAY;
	t = page(&in);
	assert_non_null(strstr(t, "its empty ends are left out"));
	free(t);
}

static void says_what_is_left_out(void **st)
{
	(void)st;
	static char name[124][8];
	static const char *dims[124][1];
	struct report_cell c[124];

	for (size_t i = 0; i < 124; i++) {
		snprintf(name[i], sizeof name[i], "t%03zu", i);
		dims[i][0] = name[i];
		c[i] = line(dims[i], i == 77 ? "-1000" : "1", "USD");
	}
	struct report_in in = fleet(by_team, 1, c, 124, 1);
	char *t = page(&in);
	assert_non_null(strstr(t, "Drawn: 15 of 124 rows"));
	bar(t, "t077, other: -1,000.00"); /* the largest, though below 0 */
	free(t);
	in.limit = 20;
	t = page(&in);
	assert_non_null(strstr(t, "Drawn: 15 of 124 rows"));
	assert_non_null(strstr(t, "the table has 20 and the sum of the rest"));
	free(t);
	in = fleet(by_team, 1, c, 15, 1);
	t = page(&in);
	assert_null(strstr(t, "Drawn:"));
	free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(below_the_axis),
					    cmocka_unit_test(empty_days), cmocka_unit_test(months),
					    cmocka_unit_test(says_what_is_left_out) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
