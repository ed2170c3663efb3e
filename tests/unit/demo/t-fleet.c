/* The demo's generator: exact sums, equal bytes for equal seeds, a fleet as it is described. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/dec.h"
#include "demo/fleet.h"

static int collect(void *ctx, const char *p, size_t n, struct err *err)
{
	(void)err;
	str_add(ctx, p, n);
	return 0;
}

static int refuse(void *ctx, const char *p, size_t n, struct err *err)
{
	int *left = ctx;

	(void)p;
	(void)n;
	return (*left)-- > 0 ? 0 : err_set(err, -28, "no space");
}

static const struct demo_file *file_named(const char *name)
{
	for (const struct demo_file *f = demo_files; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	fail_msg("no file '%s'", name);
	return NULL;
}

static struct str text_of(const struct demo_fleet *f, const char *name)
{
	struct str s = { 0 };
	struct demo_out out = { collect, &s };
	struct err err = { 0 };

	assert_int_equal(file_named(name)->write(f, &out, &err), 0);
	assert_true(s.n > 0);
	return s;
}

/* The next field of a CSV row, quotes taken off; *p stops at the comma or the end of the line. */
static struct sv field(const char **p, char *buf, size_t size)
{
	size_t n = 0;
	bool quoted = **p == '"';

	for (const char *q = *p + quoted;; q++) {
		if (quoted && *q == '"' && q[1] == '"')
			q++;
		else if (quoted ? *q == '"' : *q == ',' || *q == '\n') {
			*p = q + quoted;
			return (struct sv){ buf, n };
		}
		assert_true(*q && n < size);
		buf[n++] = *q;
	}
}

/* Sum of column `name` over rows whose column `where` has the text in it (NULL: all). */
static dec sum_of(const struct str *csv, const char *name, const char *where, const char *value,
		  long *ret_rows)
{
	char buf[512];
	int col = -1, cond = -1, ncol = 0;
	const char *p = csv->p;
	dec sum = 0;
	long rows = 0;

	for (;; p++, ncol++) {
		struct sv f = field(&p, buf, sizeof buf);
		if (sv_is(f, name))
			col = ncol;
		if (where && sv_is(f, where))
			cond = ncol;
		if (*p == '\n')
			break;
	}
	assert_true(col >= 0 && (!where || cond >= 0));
	for (p++; *p; p++) {
		dec v = 0;
		bool counts = !where;
		for (int c = 0;; c++, p++) {
			struct sv f = field(&p, buf, sizeof buf);
			if (c == col)
				assert_int_equal(dec_parse(f, 0, &v), 0);
			if (c == cond)
				counts = sv_has(f, sv_of(value));
			if (*p == '\n') {
				assert_int_equal(c, ncol);
				break;
			}
		}
		if (counts) {
			sum += v;
			rows++;
		}
	}
	if (ret_rows)
		*ret_rows = rows;
	return sum;
}

static void assert_dec(dec v, const char *want)
{
	char buf[DEC_BUF];

	assert_string_equal(dec_format(buf, v), want);
}

static void bill_is_200000(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 5; seed++) {
		struct demo_fleet f;
		demo_fleet_make(&f, DEMO_WASTEFUL, seed);
		struct str bill = text_of(&f, "bill.csv.zst");
		assert_dec(sum_of(&bill, "BilledCost", NULL, NULL, NULL), "200000");
		assert_dec(sum_of(&bill, "EffectiveCost", NULL, NULL, NULL), "200000");
		assert_dec(sum_of(&bill, "ListCost", NULL, NULL, NULL), "200000");
		assert_dec(sum_of(&bill, "BilledCost", "x_UsageType", "BoxUsage:p3.8xlarge", NULL),
			   "95000");
		assert_dec(
			sum_of(&bill, "BilledCost", "x_UsageType", "BoxUsage:p4d.24xlarge", NULL),
			"80145.3933");
		assert_dec(sum_of(&bill, "BilledCost", "x_UsageType", "BoxUsage:p3.16xlarge", NULL),
			   "15000");
		assert_dec(sum_of(&bill, "BilledCost", "x_UsageType", "TransitGateway", NULL),
			   "217.0867");
		str_free(&bill);
		demo_fleet_free(&f);
	}
}

static void savings_plan_is_amortised(void **state)
{
	struct demo_fleet f;
	long purchases, covered;

	(void)state;
	demo_fleet_make(&f, DEMO_TIDY, 1);
	struct str bill = text_of(&f, "bill.csv.zst");
	dec fee = sum_of(&bill, "BilledCost", "ChargeCategory", "Purchase", &purchases);
	dec used = sum_of(&bill, "EffectiveCost", "CommitmentDiscountStatus", "Used", &covered);
	assert_int_equal(purchases, 31);
	assert_int_equal(covered, 5 * DEMO_HOURS);
	assert_true(fee == used);
	assert_dec(sum_of(&bill, "EffectiveCost", "ChargeCategory", "Purchase", NULL), "0");
	assert_true(sum_of(&bill, "BilledCost", NULL, NULL, NULL) ==
		    sum_of(&bill, "EffectiveCost", NULL, NULL, NULL));
	str_free(&bill);
	demo_fleet_free(&f);
}

static void same_seed_same_bytes(void **state)
{
	static const char *const names[] = { "bill.csv.zst", "allocations.csv", "nodes.csv",
					     "requests.csv.zst", "samples-evaluation.csv.zst" };
	struct demo_fleet a, b, c;

	(void)state;
	demo_fleet_make(&a, DEMO_WASTEFUL, 42);
	demo_fleet_make(&b, DEMO_WASTEFUL, 42);
	demo_fleet_make(&c, DEMO_WASTEFUL, 43);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct str x = text_of(&a, names[i]), y = text_of(&b, names[i]),
			   z = text_of(&c, names[i]);
		assert_true(sv_eq(str_sv(&x), str_sv(&y)));
		assert_false(sv_eq(str_sv(&x), str_sv(&z)));
		str_free(&x);
		str_free(&y);
		str_free(&z);
	}
	demo_fleet_free(&a);
	demo_fleet_free(&b);
	demo_fleet_free(&c);
}

static void jobs_hold_what_is_there(void **state)
{
	(void)state;
	for (enum demo_kind kind = DEMO_WASTEFUL; kind <= DEMO_TIDY; kind++) {
		struct demo_fleet f;
		size_t one = 0, training = 0;
		demo_fleet_make(&f, kind, 7);
		for (size_t i = 0; i < f.job.n; i++) {
			const struct demo_job *j = &f.job.v[i], *before = i ? j - 1 : NULL;
			const struct demo_node *n = &f.node.v[j->node];
			assert_true(j->start_s >= n->from_s && j->end_s <= n->to_s &&
				    j->start_s < j->end_s);
			assert_true(j->submit_s <= j->start_s);
			assert_true(j->gpu >= 0 && j->gpus > 0 &&
				    j->gpu + j->gpus <= n->machine->gpus);
			if (before && before->node == j->node && j->work != DEMO_SERVE)
				assert_true(before->end_s <= j->start_s);
			if (n->cluster == DEMO_TRAINING && n->machine->gpus == 4) {
				training++;
				one += j->used == 1;
			}
		}
		/* "most jobs use one GPU", and none does in the tidy fleet */
		assert_true(kind == DEMO_TIDY ? one == 0
					      : one * 100 > training * 75 && one < training);
		demo_fleet_free(&f);
	}
}

static void serving_is_at_a_fifth(void **state)
{
	struct demo_fleet f;
	int64_t sum = 0, n = 0, gpus = 0;

	(void)state;
	demo_fleet_make(&f, DEMO_WASTEFUL, 1);
	for (size_t i = 0; i < f.job.n; i++) {
		const struct demo_job *j = &f.job.v[i];
		struct demo_reading r;
		if (j->work != DEMO_SERVE)
			continue;
		gpus += j->gpus;
		for (int64_t t = j->start_s; t < j->end_s; t += 600)
			if (demo_read(&f, j->node, j->gpu, j, t, &r)) {
				assert_true(r.util_pct >= 0 && r.util_pct <= 100 &&
					    r.sm_permille <= 1000);
				sum += r.util_pct;
				n++;
			}
	}
	assert_int_equal(gpus, 40);
	assert_true(sum > 18 * n && sum < 22 * n);
	demo_fleet_free(&f);
}

static void a_full_disk_is_an_error(void **state)
{
	struct demo_fleet f;

	(void)state;
	demo_fleet_make(&f, DEMO_WASTEFUL, 1);
	for (const struct demo_file *file = demo_files; file->name; file++) {
		int left = 0;
		struct demo_out out = { refuse, &left };
		struct err err = { 0 };
		assert_int_equal(file->write(&f, &out, &err), -28);
		assert_string_equal(err.msg, "no space");
	}
	demo_fleet_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bill_is_200000),
		cmocka_unit_test(savings_plan_is_amortised),
		cmocka_unit_test(same_seed_same_bytes),
		cmocka_unit_test(jobs_hold_what_is_there),
		cmocka_unit_test(serving_is_at_a_fifth),
		cmocka_unit_test(a_full_disk_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
