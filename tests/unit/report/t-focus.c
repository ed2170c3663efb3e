/* FOCUS rows: columns and formats against the lists of the specification, split charges that add up
 * to their origin. */
#include "cells.h"
#include <jansson.h>
#include <stdio.h>
#include "base/tab.h"
#include "report/invoice/focus.h"

static struct entry entry(int64_t hour_ms, const char *scope, const char *job, enum state s,
			  int64_t ms, enum priced priced)
{
	struct entry e = { .hour_ms = hour_ms,
			   .kind = KIND_GPU,
			   .state = s,
			   .ms = ms,
			   .util_ms = UNKNOWN_I64,
			   .priced = priced };
	e.scope = e.node = sv_of(scope);
	e.currency = SV("USD");
	e.owner.field[OWNER_JOB] = sv_of(job);
	if (*job)
		e.owner.field[OWNER_TEAM] = SV("vision, \"A\"");
	for (int b = 0; b < BASIS_N; b++)
		e.nano[b] = priced == PRICED_NOT ? UNKNOWN_NANO : ms;
	return e;
}

static struct bill_line vm_hour(int64_t from_ms, int64_t to_ms, const char *billed,
				const char *effective)
{
	struct bill_line b = { .provider = SV("AWS"),
			       .account = SV("123"),
			       .currency = SV("USD"),
			       .charge_category = SV("Usage"),
			       .from_ms = from_ms,
			       .to_ms = to_ms,
			       .period_from_ms = UNKNOWN_MS,
			       .period_to_ms = UNKNOWN_MS,
			       .quantity = D("1"),
			       .has_quantity = true,
			       .unit = SV("Hours"),
			       .resource_id = SV("i-0abc"),
			       .gpu_milli = 8000,
			       .instance_type = SV("p4d.24xlarge"),
			       .service_category = SV("Compute"),
			       .service_name = SV("Amazon Elastic Compute Cloud"),
			       .tags = SV("{\"env\":\"a,b\"}"),
			       .gpu_model = SV("A100-SXM4-40GB") };
	b.cost[BASIS_BILLED] = D(billed);
	b.cost[BASIS_EFFECTIVE] = D(effective);
	b.has_cost[BASIS_BILLED] = b.has_cost[BASIS_EFFECTIVE] = true;
	return b;
}

/* Rows read back: cells by column name. */
struct read_back {
	struct input *in;
	struct tab *tab;
	const struct sv *cell;
};

static void open_rows(struct read_back *r, const struct str *text)
{
	struct err err = { 0 };
	if (input_from_memory("focus.csv", text->p, text->n, &r->in, &err) < 0 ||
	    tab_csv_open(r->in, &(struct tab_csv_opt){ .sep = ',' }, &r->tab, &err) < 0)
		fail_msg("%s", err.msg);
}

static bool next_row(struct read_back *r)
{
	struct err err = { 0 };
	int n = tab_next(r->tab, &r->cell, &err);
	if (n < 0)
		fail_msg("%s", err.msg);
	return n > 0;
}

static void close_rows(struct read_back *r)
{
	tab_close(r->tab);
	input_close(r->in);
}

static struct sv at(const struct read_back *r, const char *col)
{
	int i = tab_col(r->tab, col);
	if (i < 0)
		fail_msg("no column %s", col);
	return r->cell[i];
}

static dec money(const struct read_back *r, const char *col)
{
	dec v;
	if (dec_parse(at(r, col), 0, &v) < 0)
		fail_msg("%s: '%.*s'", col, SVF(at(r, col)));
	return v;
}

static dec ratio_of(const struct read_back *r)
{
	struct sv v = at(r, "AllocatedMethodDetails");
	json_error_t e;
	json_t *j = json_loadb(v.p, v.n, JSON_REJECT_DUPLICATES, &e), *x;
	char text[64];
	dec ratio;
	assert_non_null(j);
	x = json_array_get(json_object_get(j, "Elements"), 0);
	assert_true(json_is_number(json_object_get(x, "AllocatedRatio")));
	assert_string_equal(json_string_value(json_object_get(x, "UsageUnit")), "GPU-Seconds");
	json_decref(j);
	/* as written, not through a double */
	const char *p = (const char *)memmem(v.p, v.n, "Ratio\":", 7) + 7;
	snprintf(text, sizeof text, "%.*s", (int)strcspn(p, ","), p);
	assert_int_equal(dec_parse(sv_of(text), 0, &ratio), 0);
	return ratio;
}

static void splits_add_up(void **st)
{
	(void)st;
	struct focus *f = focus_new();
	struct str out = { 0 };
	struct read_back r;
	const struct entry e[] = {
		entry(T0, "n1", "j1", STATE_BUSY, H(3), PRICED_BILL),
		entry(T0, "n1", "j1", STATE_IDLE_HELD, H(1), PRICED_BILL),
		entry(T0, "n1", "j2", STATE_LOST, H(1), PRICED_BILL),
		entry(T0, "n1", "", STATE_UNALLOCATED, H(2), PRICED_BILL),
		entry(T0, "n2", "j3", STATE_BUSY, H(8), PRICED_BILL),        /* another node */
		entry(T0 + H(1), "n1", "j4", STATE_BUSY, H(8), PRICED_BILL), /* another hour */
	};
	struct bill_line b = vm_hour(T0, T0 + H(1), "-10", "0.000000000100"),
			 other = vm_hour(T0, T0 + H(1), "5", "4");
	dec billed = 0, effective = 0, ratio = 0, quantity = 0;
	int rows = 0;

	for (size_t i = 0; i < sizeof e / sizeof *e; i++)
		focus_add_entry(f, &e[i]);
	focus_header(&out);
	focus_line(f, &b, SV("n1"), &out);
	focus_line(f, &other, SV(""), &out); /* no node: as it was */
	open_rows(&r, &out);
	static const char *const ids[] = { "j1", "j2", "idle", "" };
	for (; next_row(&r); rows++) {
		assert_true(sv_is(at(&r, "AllocatedResourceId"), ids[rows]));
		/* the origin's dimensions are kept */
		assert_true(sv_is(at(&r, "ResourceId"), "i-0abc"));
		assert_true(sv_is(at(&r, "Tags"), "{\"env\":\"a,b\"}"));
		assert_true(sv_is(at(&r, "ChargePeriodStart"), "2024-10-01T00:00:00Z"));
		assert_true(sv_is(at(&r, "ChargePeriodEnd"), "2024-10-01T01:00:00Z"));
		assert_true(sv_is(at(&r, "BillingPeriodEnd"), "2024-11-01T00:00:00Z"));
		assert_null(at(&r, "ListCost").p); /* unknown is not 0 */
		if (rows == 3)
			break;
		billed += money(&r, "BilledCost");
		effective += money(&r, "EffectiveCost");
		quantity += money(&r, "ConsumedQuantity");
		ratio += ratio_of(&r);
		json_t *tags = json_loadb(at(&r, "AllocatedTags").p, at(&r, "AllocatedTags").n, 0,
					  NULL);
		assert_true(json_is_object(tags));
		if (rows < 2)
			assert_string_equal(json_string_value(json_object_get(tags, "team")),
					    "vision, \"A\"");
		json_decref(tags);
		if (!rows) {
			assert_true(sv_is(at(&r, "x_GpuSeconds"), "14400"));
			assert_true(sv_is(at(&r, "x_IdleGpuSeconds"), "3600"));
		}
	}
	assert_int_equal(rows, 3);
	assert_true(billed == D("-10"));
	assert_true(effective == D("0.0000000001"));
	assert_true(quantity == D("1"));
	assert_true(ratio == DEC_ONE);
	assert_true(money(&r, "BilledCost") == D("5"));
	assert_null(at(&r, "AllocatedMethodId").p);
	assert_false(next_row(&r));
	close_rows(&r);
	assert_int_equal(focus_counts(f).rows, 4);
	assert_int_equal(focus_counts(f).split_lines, 1);
	str_free(&out);
	focus_free(f);
}

/* A line over several hours is split over all of them, one row per job. */
static void long_lines(void **st)
{
	(void)st;
	struct focus *f = focus_new();
	struct str out = { 0 };
	struct read_back r;
	struct bill_line b = vm_hour(T0 + 1000, T0 + H(3), "3", "3");
	const struct entry e[] = { entry(T0, "n", "a", STATE_BUSY, H(1), PRICED_BILL),
				   entry(T0 + H(1), "n", "b", STATE_BUSY, H(1), PRICED_BILL),
				   entry(T0 + H(2), "n", "a", STATE_BUSY, H(1), PRICED_BILL) };

	for (int i = 0; i < 3; i++)
		focus_add_entry(f, &e[i]);
	focus_header(&out);
	focus_line(f, &b, SV("n"), &out);
	b.to_ms = T0 + H(70000000); /* eight thousand years are no loop over hours */
	focus_line(f, &b, SV("n"), &out);
	open_rows(&r, &out);
	for (int i = 0; i < 2; i++) {
		assert_true(next_row(&r));
		assert_true(sv_is(at(&r, "AllocatedResourceId"), "a"));
		assert_true(money(&r, "EffectiveCost") == D("2"));
		assert_true(next_row(&r));
		assert_true(sv_is(at(&r, "EffectiveCost"), "1"));
	}
	assert_false(next_row(&r));
	close_rows(&r);
	str_free(&out);
	focus_free(f);
}

static void time_without_a_bill(void **st)
{
	(void)st;
	struct focus *f = focus_new();
	struct str out = { 0 };
	struct read_back r;
	struct entry own = entry(T0, "dgx", "j", STATE_BUSY, H(2), PRICED_RECORD),
		     none = entry(T0, "dgx", "k", STATE_BUSY, H(4), PRICED_NOT);
	own.nano[BASIS_BILLED] = UNKNOWN_NANO;
	own.nano[BASIS_EFFECTIVE] = 1500000001;

	focus_add_entry(f, &own);
	focus_add_entry(f, &none);
	focus_header(&out);
	focus_unbilled(f, &out);
	open_rows(&r, &out);
	assert_true(next_row(&r));
	assert_true(sv_is(at(&r, "BilledCost"), "0"));
	assert_true(sv_is(at(&r, "EffectiveCost"), "1.500000001"));
	assert_true(sv_is(at(&r, "x_CostSource"), "record"));
	assert_true(sv_is(at(&r, "AllocatedResourceId"), "j"));
	assert_false(next_row(&r));
	assert_int_equal(focus_counts(f).unpriced_ms, H(4));
	close_rows(&r);
	str_free(&out);
	focus_free(f);
}

/* ---- against the specification's own lists ----------------------------------------------- */

static FILE *shared(const char *name)
{
	const char *dir = getenv("TARE_SHARED");
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", dir ? dir : "", name);
	return fopen(path, "r");
}

static bool has_column(const char *name)
{
	size_t n;
	const char *const *col = focus_columns(&n);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(col[i], name))
			return true;
	return false;
}

/* Every column of 1.0 to 1.2 is there, and exactly those of 1.3 in its order. */
static void columns_of_the_specification(void **st)
{
	(void)st;
	FILE *all = shared("facts/focus_columns.csv"),
	     *by = shared("data/bills_focus/focus_columns_by_version.csv");
	char text[4096], name[128];
	size_t n, i = 0;
	const char *const *col = focus_columns(&n);

	if (!all || !by) {
		print_message("the column lists are not here\n");
		if (all)
			fclose(all);
		skip();
	}
	assert_non_null(fgets(text, sizeof text, all));
	while (fgets(text, sizeof text, all)) {
		assert_int_equal(sscanf(text, "%127[^,]", name), 1);
		assert_in_range(i, 0, n - 1);
		assert_string_equal(col[i], name);
		i++;
	}
	assert_int_equal(i, n);
	assert_non_null(fgets(text, sizeof text, by));
	for (i = 0; fgets(text, sizeof text, by); i++) {
		assert_int_equal(sscanf(text, "%*[^,],%127[^,]", name), 1);
		if (!has_column(name))
			fail_msg("%s is missing", name);
	}
	assert_int_equal(i, 150);
	fclose(all);
	fclose(by);
}

static bool is_time(struct sv v)
{
	int64_t ms;
	return v.n == 20 && v.p[10] == 'T' && v.p[19] == 'Z' && tm_parse(v, 0, &ms) == 0;
}

/* What may not be null is not, for a line that says little; times, amounts and JSON are in their
 * formats. */
static void formats_of_the_specification(void **st)
{
	(void)st;
	FILE *by = shared("data/bills_focus/focus_columns_by_version.csv");
	struct focus *f = focus_new();
	struct str out = { 0 };
	struct read_back r;
	struct bill_line b = vm_hour(T0, T0 + H(1), "10", "10");
	struct entry e = entry(T0, "n", "j", STATE_BUSY, H(8), PRICED_BILL),
		     own = entry(T0, "m", "k", STATE_BUSY, H(8), PRICED_CATALOG);
	struct read_back list;
	struct str text = { 0 };
	char buf[4096];

	if (!by) {
		focus_free(f);
		skip();
	}
	while (fgets(buf, sizeof buf, by))
		str_addz(&text, buf);
	b.cost[BASIS_LIST] = b.contracted = D("12");
	b.has_cost[BASIS_LIST] = b.has_contracted = true;
	focus_add_entry(f, &e);
	focus_add_entry(f, &own);
	focus_header(&out);
	focus_line(f, &b, SV("n"), &out);
	focus_unbilled(f, &out);
	open_rows(&r, &out);
	for (int row = 0; next_row(&r); row++) {
		open_rows(&list, &text);
		while (next_row(&list)) {
			char name[128];
			snprintf(name, sizeof name, "%.*s", SVF(at(&list, "column_id")));
			struct sv v = at(&r, name), type = at(&list, "data_type");
			dec d;
			if (!sv_is(at(&list, "spec_version"), "v1.2"))
				continue;
			/* ContractedCost of what nobody contracted is not known: the one mandatory
			 * value an unbilled row lacks */
			if (sv_is(at(&list, "feature_level"), "Mandatory") &&
			    sv_is(at(&list, "allows_nulls"), "False") &&
			    !(row == 1 && !strcmp(name, "ContractedCost")) && !v.p)
				fail_msg("row %d: %s is null", row, name);
			if (v.p && sv_is(type, "Date/Time"))
				assert_true(is_time(v));
			if (v.p && sv_is(type, "Decimal"))
				assert_int_equal(dec_parse(v, 0, &d), 0);
			if (v.p && sv_is(type, "JSON")) {
				json_t *j = json_loadb(v.p, v.n, 0, NULL);
				assert_true(json_is_object(j));
				json_decref(j);
			}
		}
		close_rows(&list);
	}
	str_free(&text);
	close_rows(&r);
	fclose(by);
	str_free(&out);
	focus_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splits_add_up),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(time_without_a_bill),
		cmocka_unit_test(columns_of_the_specification),
		cmocka_unit_test(formats_of_the_specification),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
