/* JSON with the keys of the contract, CSV, the HTML page: read back with other people's parsers
 * where there is one. */
#include "cells.h"
#include <jansson.h>
#include "base/tab.h"

static struct report_in by_team(const struct report_cell *cell, size_t n,
				const struct report_reconcile *rec, size_t nrec)
{
	static const char *const dim[] = { "team", "tag:app" };
	return (struct report_in){ .dim = dim,
				   .ndim = 2,
				   .cell = cell,
				   .ncell = n,
				   .reconcile = rec,
				   .nreconcile = nrec,
				   .since_ms = T0,
				   .until_ms = T0 + MS_DAY,
				   .basis = BASIS_BILLED,
				   .now_ms = UNKNOWN_MS };
}

static const char *text(json_t *o, const char *key)
{
	json_t *v = json_object_get(o, key);
	if (!json_is_string(v))
		fail_msg("'%s' is not a string", key);
	return json_string_value(v);
}

static json_t *parsed(const struct report_in *in)
{
	char *t = printed(in, OUT_JSON);
	json_error_t e;
	json_t *j = json_loads(t, JSON_REJECT_DUPLICATES, &e);
	if (!j)
		fail_msg("%s in %s", e.text, t);
	assert_int_equal(t[strlen(t) - 1], '\n');
	assert_ptr_equal(strchr(t, '\n'), t + strlen(t) - 1); /* one object, one line */
	assert_int_equal(strncmp(t, "{\"schema\":\"tare.report/1\",", 26), 0);
	free(t);
	return j;
}

static void json_keys(void **st)
{
	(void)st;
	const struct report_cell c[] = {
		gpu(DIMS("vision", "a"), STATE_BUSY, 1500, "3.6", "USD"),
		gpu(DIMS("vision", "a"), STATE_UNKNOWN, 500, NULL, "USD"),
		gpu(DIMS("", ""), STATE_UNALLOCATED, H(1), NULL, "USD"),
		line(DIMS("vision", "a"), "-0.25", "USD"),
	};
	const struct report_reconcile rec = { .currency = "USD",
					      .billed = D("5.000000000002"),
					      .has_bill = true,
					      .ledger = D("5"),
					      .unbilled = D("1.5"),
					      .remainder = 2,
					      .rest_num = 7200001,
					      .unpriced_ms = H(1) + 500 };
	struct report_in in = by_team(c, 4, &rec, 1);
	json_t *j = parsed(&in), *r, *x;

	assert_string_equal(text(json_object_get(j, "window"), "since"), "2024-10-01T00:00:00Z");
	assert_string_equal(text(json_object_get(j, "window"), "until"), "2024-10-02T00:00:00Z");
	assert_string_equal(text(j, "currency"), "USD");
	assert_string_equal(text(j, "basis"), "billed");
	assert_int_equal(json_array_size(json_object_get(j, "rows")), 2);
	r = json_array_get(json_object_get(j, "rows"), 1);
	assert_string_equal(text(r, "team"), "vision");
	assert_string_equal(text(r, "tag:app"), "a");
	assert_string_equal(text(r, "gpu_seconds"), "2");
	assert_string_equal(text(r, "cost"), "-0.2485"); /* 1.5 s at 3.6 $/h is 0.0015 */
	assert_string_equal(text(r, "unpriced_gpu_seconds"), "0.5");
	assert_string_equal(text(r, "other_cost"), "-0.25");
	x = json_object_get(json_object_get(r, "states"), "busy");
	assert_string_equal(text(x, "gpu_seconds"), "1.5");
	assert_string_equal(text(x, "cost"), "0.0015");
	x = json_object_get(json_object_get(r, "states"), "unknown");
	assert_true(json_is_null(json_object_get(x, "cost"))); /* no price: not 0 */
	assert_null(json_object_get(json_object_get(r, "states"), "lost"));
	r = json_array_get(json_object_get(j, "rows"), 0);
	assert_true(json_is_null(json_object_get(r, "team")));
	assert_true(json_is_null(json_object_get(r, "cost")));
	assert_true(json_is_null(json_object_get(r, "utilisation_frac")));
	x = json_object_get(j, "total");
	assert_string_equal(text(x, "gpu_seconds"), "3602");
	assert_string_equal(text(x, "cost"), "-0.2485");
	x = json_object_get(j, "reconcile");
	assert_string_equal(text(x, "billed"), "5.000000000002");
	assert_string_equal(text(x, "ledger"), "5");
	assert_string_equal(text(x, "difference"), "0.000000000002");
	assert_string_equal(text(x, "unpriced_gpu_seconds"), "3600.5");
	assert_string_equal(text(x, "unbilled"), "1.5");
	assert_string_equal(text(x, "remainder"), "0.000000000002");
	assert_string_equal(text(json_object_get(x, "remainder_exact"), "numerator"), "7200001");
	assert_string_equal(text(json_object_get(x, "remainder_exact"), "denominator"),
			    "3600000000000000000");
	assert_true(json_number_value(json_object_get(j, "coverage_frac")) > 0.9998);
	json_decref(j);
}

/* Without a bill the difference is what rounding left: rows and it are exact together. */
static void json_without_bill(void **st)
{
	(void)st;
	const struct report_cell c[] = { gpu(DIMS("a", ""), STATE_BUSY, H(1), "1", "") };
	const struct report_reconcile rec = {
		.currency = "USD", .unbilled = D("1"), .remainder = -5, .rest_num = -18000000
	};
	struct report_in in = by_team(c, 1, &rec, 1);
	json_t *j = parsed(&in), *x = json_object_get(j, "reconcile");

	assert_true(json_is_null(json_object_get(x, "billed")));
	assert_string_equal(text(x, "ledger"), "1");
	assert_string_equal(text(x, "difference"), "-0.000000000005");
	assert_string_equal(text(json_object_get(x, "remainder_exact"), "numerator"), "-1");
	assert_string_equal(text(json_object_get(x, "remainder_exact"), "denominator"),
			    "200000000000");
	json_decref(j);
}

static void json_currencies(void **st)
{
	(void)st;
	const struct report_cell c[] = {
		gpu(DIMS("a", ""), STATE_BUSY, H(1), "1", "USD"),
		gpu(DIMS("a", ""), STATE_BUSY, H(2), "1", "CNY"),
	};
	const struct report_reconcile rec[] = {
		{ .currency = "EUR", .billed = D("7"), .has_bill = true }
	};
	struct report_in in = by_team(c, 2, rec, 1);
	json_t *j = parsed(&in), *cur = json_object_get(j, "currencies");

	assert_true(json_is_null(json_object_get(j, "currency")));
	assert_true(json_is_null(json_object_get(json_object_get(j, "total"), "cost")));
	assert_string_equal(text(json_object_get(j, "total"), "gpu_seconds"), "10800");
	assert_int_equal(json_array_size(json_object_get(j, "rows")), 2);
	assert_int_equal(json_array_size(cur), 3);
	assert_string_equal(text(json_array_get(cur, 0), "currency"), "USD");
	assert_string_equal(text(json_array_get(cur, 1), "currency"), "CNY");
	assert_string_equal(text(json_object_get(json_array_get(cur, 1), "total"), "cost"), "2");
	/* a bill that the ledger lacks wholly */
	assert_string_equal(
		text(json_object_get(json_array_get(cur, 2), "reconcile"), "difference"), "7");
	json_decref(j);
}

static void json_names(void **st)
{
	(void)st;
	const struct report_cell c[] = { gpu(DIMS("q\"\\\n\001", "\xff"), STATE_BUSY, H(1), "1",
					     "USD") };
	struct report_in in = by_team(c, 1, NULL, 0);
	json_t *j = parsed(&in), *r = json_array_get(json_object_get(j, "rows"), 0);

	assert_string_equal(text(r, "team"), "q\"\\\n\001");
	assert_string_equal(text(r, "tag:app"), "\xef\xbf\xbd");
	json_decref(j);
}

static void csv_round_trip(void **st)
{
	(void)st;
	static const char *const names[][2] = { { "plain", "" },
						{ "a,b", "say \"x\"" },
						{ "line\nbreak", " blanks " } };
	struct report_cell c[3];
	for (int i = 0; i < 3; i++)
		c[i] = gpu(names[i], STATE_BUSY, H(3 - i), i == 2 ? NULL : "1", "USD");
	struct report_in in = by_team(c, 3, NULL, 0);
	char *t = printed(&in, OUT_CSV);
	struct err err = { 0 };
	struct input *input;
	struct tab *tab;
	const struct sv *cell;

	assert_int_equal(input_from_memory("report.csv", t, strlen(t), &input, &err), 0);
	assert_int_equal(tab_csv_open(input, &(struct tab_csv_opt){ .sep = ',' }, &tab, &err), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(tab_next(tab, &cell, &err), 1);
		assert_true(sv_is(cell[tab_col(tab, "team")], names[i][0]));
		assert_true(names[i][1][0] == 0 ||
			    sv_is(cell[tab_col(tab, "tag:app")], names[i][1]));
		assert_true(sv_is(cell[tab_col(tab, "cost")], i == 0 ? "3" : "2") ||
			    (i == 2 && !cell[tab_col(tab, "cost")].n));
	}
	assert_int_equal(tab_next(tab, &cell, &err), 0);
	tab_close(tab);
	input_close(input);
	free(t);
}

/* ---- HTML -------------------------------------------------------------------------------- */

/* A strict reader of the page's own style of markup: every element closed in order, every attribute
 * quoted, no bare < & or ". */
static void well_formed(const char *p)
{
	char open[64][16];
	int depth = 0;

	assert_int_equal(strncmp(p, "<!DOCTYPE html>\n", 16), 0);
	for (p += 16; *p; p++) {
		if (*p == '&') {
			size_t n = strcspn(p, ";");
			assert_in_range(n, 2, 5);
		}
		assert_true(*p != '>');
		if (*p != '<')
			continue;
		bool closing = p[1] == '/';
		const char *name = p + 1 + closing;
		size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789");
		assert_in_range(n, 1, 15);
		for (p = name + n; *p && *p != '>'; p++) {
			if (*p == '"')
				p += 1 + strcspn(p + 1, "\"<");
			assert_true(*p && *p != '<');
		}
		if (closing) {
			assert_true(depth > 0);
			depth--;
			assert_int_equal(strlen(open[depth]), n);
			assert_memory_equal(open[depth], name, n);
		} else if (p[-1] != '/') {
			assert_true(depth < 64);
			memcpy(open[depth], name, n);
			open[depth++][n] = 0;
			if (n == 5 && !memcmp(name, "style", 5)) /* the only raw text */
				p = strstr(p, "</style>") - 1;
		}
	}
	assert_int_equal(depth, 0);
}

static void html_page(void **st)
{
	(void)st;
	static const char evil[] = "<script>alert('1')</script>\" onload=\"x&y";
	const struct report_cell c[] = {
		gpu(DIMS(evil, "a"), STATE_BUSY, H(10), "1.23", "USD"),
		gpu(DIMS(evil, "a"), STATE_IDLE_HELD, H(10), "1.23", "USD"),
		gpu(DIMS("", ""), STATE_UNALLOCATED, H(5), "1", "\"><x"),
	};
	const struct report_cell day[] = {
		gpu(DIMS("2024-10-01"), STATE_BUSY, H(10), "1.23", "USD"),
		gpu(DIMS("2024-10-02"), STATE_IDLE_HELD, H(10), "1.23", "USD"),
	};
	struct report_in in = by_team(c, 3, NULL, 0);
	in.where = "team!=<b>";
	in.day = day;
	in.nday = 2;
	char *t = printed(&in, OUT_HTML);

	well_formed(t);
	assert_null(strstr(t, "<script"));
	assert_null(strstr(t, "<x"));
	assert_null(strstr(t, "<b>"));
	assert_non_null(strstr(t, "&lt;script&gt;alert(&#39;1&#39;)"));
	assert_null(strstr(t, "http:"));
	assert_null(strstr(t, "https:"));
	assert_null(strstr(t, "src="));
	assert_non_null(strstr(t, "default-src 'none'"));
	assert_non_null(strstr(t, "prefers-color-scheme:dark"));
	assert_non_null(strstr(t, "@media print"));
	assert_non_null(strstr(t, "role=\"img\" aria-labelledby=\"plot-days-USD\""));
	assert_non_null(strstr(t, "<th scope=\"col\">team</th>"));
	assert_non_null(strstr(t, "2024-10-02, idle, held: 12.30"));
	free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_keys),       cmocka_unit_test(json_without_bill),
		cmocka_unit_test(json_currencies), cmocka_unit_test(json_names),
		cmocka_unit_test(csv_round_trip),  cmocka_unit_test(html_page),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
