/* The shipped tables against the snapshots they were written from: every price of every snapshot,
 * at its day. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "base/tab.h"
#include "base/tm.h"
#include "catalog/catalog.h"

static struct catalog *cat;

struct file {
	struct input *in;
	struct tab *t;
	const struct sv *cell;
	struct err err;
};

/* False: the file is not there. */
static bool file_open(struct file *f, const char *path)
{
	char full[500];
	const struct tab_csv_opt opt = { .sep = ',' };
	snprintf(full, sizeof full, "%s/data/%s",
		 getenv("TARE_SHARED") ? getenv("TARE_SHARED") : "", path);
	*f = (struct file){ 0 };
	if (input_open(full, &f->in, &f->err) < 0) {
		print_message("%s\n", f->err.msg);
		return false;
	}
	if (tab_csv_open(f->in, &opt, &f->t, &f->err) < 0)
		fail_msg("%s", f->err.msg);
	return true;
}

static bool file_next(struct file *f)
{
	int r = tab_next(f->t, &f->cell, &f->err);
	if (r < 0)
		fail_msg("%s", f->err.msg);
	return r > 0;
}

static struct sv cell(const struct file *f, const char *name)
{
	int i = tab_col(f->t, name);
	assert_true(i >= 0);
	return f->cell[i];
}

static void file_close(struct file *f)
{
	tab_close(f->t);
	input_close(f->in);
}

static char *text(char buf[100], struct sv s)
{
	snprintf(buf, 100, "%.*s", SVF(s));
	return buf;
}

static int cases;

/* The catalogue says this price at this moment. */
static void says(const char *provider, struct sv region, struct sv type, const char *purchase,
		 struct sv when, dec want, const char *currency)
{
	char r[100], t[100];
	struct price_row *row;
	struct err err;
	int64_t at;
	size_t n;
	assert_int_equal(tm_parse(when, 0, &at), 0);
	if (catalog_price_over(cat,
			       &(struct price_over){ provider, text(r, region), NULL, text(t, type),
						     NULL, purchase, at, at + 1 },
			       &row, &n, &err) < 0)
		fail_msg("%s", err.msg);
	if (n != 1 || row[0].hour != want || strcmp(row[0].currency, currency))
		fail_msg("%s %s %s %s at %.*s: %zu rows, %g", provider, r, t, purchase, SVF(when),
			 n, n ? dec_to_double(row[0].hour) : 0);
	free(row);
	cases++;
}

static dec number(struct sv s)
{
	dec v;
	assert_int_equal(dec_parse(s, 0, &v), 0);
	return v;
}

static void aws(void **state)
{
	struct file f;
	(void)state;
	if (!file_open(&f, "prices_aws/aws_gpu_ondemand_price_changes.csv"))
		skip();
	for (cases = 0; file_next(&f);)
		says("aws", cell(&f, "region"), cell(&f, "instance_type"), "on_demand",
		     cell(&f, "generated_at"), number(cell(&f, "price_hour")),
		     sv_is(cell(&f, "currency"), "CNY") ? "CNY" : "USD");
	assert_int_equal(cases, 185);
	file_close(&f);
}

static void azure(void **state)
{
	struct file f;
	(void)state;
	if (!file_open(&f, "prices_azure/azure_gpu_ondemand_latest.csv"))
		skip();
	for (cases = 0; file_next(&f);)
		says("azure", cell(&f, "region"), cell(&f, "vm_size"), "on_demand",
		     cell(&f, "generated_at"), number(cell(&f, "usd_hour")), "USD");
	assert_int_equal(cases, 1412);
	file_close(&f);
}

static void gcp_row(const struct file *f)
{
	static const struct {
		const char *column, *purchase;
		int hours;
	} c[] = { { "usd_hour", "on_demand", 1 },
		  { "usd_hour_spot", "spot", 1 },
		  { "usd_month_1y", "committed_1y", 730 },
		  { "usd_month_3y", "committed_3y", 730 } };
	for (int i = 0; i < 4; i++) {
		struct sv v = cell(f, c[i].column);
		char exact[64];
		if (!v.n)
			continue;
		/* divided before rounding: one more digit than a dec has must not be rounded
		 * twice */
		snprintf(exact, sizeof exact, "%.*se3", SVF(v));
		dec want = c[i].hours == 1 ? number(v)
					   : (dec)div_half_even(number(sv_of(exact)),
								(__int128)c[i].hours * 1000);
		says("gcp", cell(f, "region"), cell(f, "machine_type"), c[i].purchase,
		     cell(f, "snapshot_date"), want, "USD");
	}
}

static void gcp(void **state)
{
	static const char *const files[] = { "prices_gcp/gcp_gpu_price_history_monthly.csv.gz",
					     "prices_gcp/gcp_gpu_machine_types_latest.csv" };
	struct file f;
	(void)state;
	cases = 0;
	for (int i = 0; i < 2; i++) {
		if (!file_open(&f, files[i]))
			skip();
		while (file_next(&f))
			gcp_row(&f);
		file_close(&f);
	}
	print_message("%d prices\n", cases);
	assert_true(cases > 100000);
}

static void neocloud(void **state)
{
	struct file f;
	struct price_row *row;
	size_t n;
	struct err err;
	int64_t at;
	(void)state;
	assert_int_equal(tm_parse(SV("2026-10-10"), 0, &at), 0);
	if (!file_open(&f, "prices_neocloud/neocloud_gpu_prices_2026-10-10.csv"))
		skip();
	struct price_query q = { .at_ms = at, .no_quotes = true };
	assert_int_equal(catalog_prices(cat, &q, &row, &n, &err), 0);
	for (cases = 0; file_next(&f); cases++) {
		dec per_gpu = number(cell(&f, "usd_per_gpu_hour"));
		char provider[100];
		bool slice = sv_has(cell(&f, "sku"), SV("MIG")), found = false;
		text(provider, cell(&f, "source"));
		/* to a ten-thousandth: the source rounds; a slice's price is a seventh of a
		 * GPU's */
		for (size_t i = 0; i < n && !found; i++) {
			dec d = row[i].gpu_hour - (slice ? per_gpu * 7 : per_gpu);
			found = !strcmp(row[i].provider, provider) &&
				(d < 0 ? -d : d) < DEC_ONE / 10000 &&
				(!row[i].instance_type ||
				 sv_is(sv_trim(cell(&f, "sku")), row[i].instance_type));
		}
		if (!found)
			fail_msg("%s %.*s at %g is not there", provider, SVF(cell(&f, "sku")),
				 dec_to_double(per_gpu));
	}
	assert_int_equal(cases, 85);
	free(row);
	file_close(&f);
}

static int setup(void **state)
{
	struct err err;
	(void)state;
	return catalog_open(NULL, &cat, &err);
}

static int teardown(void **state)
{
	(void)state;
	catalog_free(cat);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(aws), cmocka_unit_test(azure),
					    cmocka_unit_test(gcp), cmocka_unit_test(neocloud) };
	return cmocka_run_group_tests(tests, setup, teardown);
}
