/* Does the ledger close: what the check finds, and what it lets pass. */
#include "common.h"
#include "base/tm.h"
#include "store/check.h"

#define DAY_FROM tm_floor(H(1), MS_DAY)

static void line(struct store *s, const char *scope, int64_t from_ms, int64_t to_ms, dec billed)
{
	struct bill_line l = { .provider = SV("aws"),
			       .resource_id = SV("i-1"),
			       .currency = SV("USD"),
			       .charge_category = SV("Usage"),
			       .from_ms = from_ms,
			       .to_ms = to_ms,
			       .period_from_ms = UNKNOWN_MS,
			       .period_to_ms = UNKNOWN_MS,
			       .cost = { billed },
			       .has_cost = { true },
			       .gpu_milli = 1000 };
	struct err err;
	fine(store_add_bill(s, 0, scope, &l, &err), &err);
}

static void entry(struct store *s, const char *scope, const char *gpu, int hour, int64_t ms,
		  int64_t nano)
{
	struct entry e = gpu_entry(hour, "alpha", STATE_BUSY, ms, nano);
	struct err err;
	e.scope = sv_of(scope);
	e.gpu = sv_of(gpu);
	e.nano[BASIS_EFFECTIVE] = UNKNOWN_NANO;
	fine(store_add_entry(s, &e, &err), &err);
}

static void rest(struct store *s, const char *scope, dec amount, dec rated)
{
	struct remainder r = { .scope = scope,
			       .currency = "USD",
			       .basis = BASIS_BILLED,
			       .from_ms = DAY_FROM,
			       .to_ms = DAY_FROM + MS_DAY,
			       .amount = amount,
			       .rated = rated };
	struct err err;
	fine(store_add_remainder(s, &r, &err), &err);
}

static size_t money(struct store *s, const struct check_what *what, struct check_diffs *d)
{
	static struct arena a;
	struct err err;
	d->kept.n = d->all = 0;
	fine(store_check_money(s, what, &a, d, &err), &err);
	return d->all;
}

static void money_that_closes(void **state)
{
	struct store *s = open_store(STORE_WRITE);
	struct check_diffs d = { .most = 10 };
	struct check_what what = { .currency = SV("USD") };
	begin(s);
	/* two days in one line, a credit that overlaps it, and a third of a nano left */
	line(s, "n1", H(1), H(25), nano_to_dec(30) + 333);
	line(s, "n1", H(20), H(30), -nano_to_dec(4));
	entry(s, "n1", "n1/0", 1, 1000, 20);
	entry(s, "n1", "n1/0", 26, 1000, 6);
	rest(s, "n1", 333, 0);
	/* by a rate alone, and both in one entry */
	entry(s, "n2", "n2/0", 1, 1000, 77);
	rest(s, "n2", 0, nano_to_dec(77));
	line(s, "n3", H(1), H(2), nano_to_dec(5));
	entry(s, "n3", "n3/0", 1, 1000, 12);
	rest(s, "n3", 0, nano_to_dec(7));
	/* of no machine */
	line(s, "", H(1), H(2), nano_to_dec(9));
	entry(s, "bill:1/0", "", 1, 0, 9);
	assert_int_equal(money(s, &what, &d), 0);
	commit(s, "h1");
	assert_int_equal(money(s, &what, &d), 0);
	store_close(s);
}

static void money_that_does_not(void **state)
{
	struct store *s = open_store(STORE_WRITE);
	struct check_diffs d = { .most = 10 };
	struct check_what what = { .currency = SV("USD") };
	begin(s);
	line(s, "n1", H(1), H(2), nano_to_dec(30));
	entry(s, "n1", "n1/0", 1, 1000, 30);
	line(s, "n2", H(1), H(2), nano_to_dec(30));
	entry(s, "n2", "n2/0", 1, 1000, 30);
	entry(s, "bill:1/0", "", 1, 0, 30); /* counted twice */
	line(s, "n3", H(30), H(31), 1);     /* taken by nobody */
	assert_int_equal(money(s, &what, &d), 2);
	for (size_t i = 0; i < 2; i++) {
		bool twice = !strcmp(d.kept.v[i].scope, "bill:1/0");
		assert_string_equal(d.kept.v[i].scope, twice ? "bill:1/0" : "n3");
		assert_true(d.kept.v[i].lines == (twice ? 0 : 1));
		assert_true(d.kept.v[i].entries == (twice ? nano_to_dec(30) : 0));
		assert_int_equal(d.kept.v[i].from_ms, tm_floor(twice ? H(1) : H(30), MS_DAY));
		assert_int_equal(d.kept.v[i].to_ms, d.kept.v[i].from_ms + MS_DAY);
	}
	/* only what was asked for */
	struct check_span n1 = { "n1", DAY_FROM, DAY_FROM + MS_DAY },
			  n3 = { "n3", DAY_FROM, DAY_FROM + MS_DAY };
	what.span = &n1, what.nspan = 1;
	assert_int_equal(money(s, &what, &d), 0);
	what.span = &n3;
	assert_int_equal(money(s, &what, &d), 0); /* that line is of another day */
	n3.to_ms += MS_DAY;
	assert_int_equal(money(s, &what, &d), 1);
	/* a node that its pool closes */
	struct check_pooled p = { SV("n3"), SV("pool:c/") };
	what = (struct check_what){ .pooled = &p, .npooled = 1, .currency = SV("USD") };
	entry(s, "pool:c/", "", 30, 1000, 0);
	rest(s, "pool:c/", 0, 0);
	assert_int_equal(money(s, &what, &d), 2);
	assert_true(!strcmp(d.kept.v[0].scope, "pool:c/") || !strcmp(d.kept.v[1].scope, "pool:c/"));
	struct err err;
	/* a set of machines whose line is an entry of one and of what is left of the set */
	line(s, "res:azure/set", H(60), H(61), nano_to_dec(30));
	entry(s, "n4", "n4/0", 60, 1000, 20);
	entry(s, "res:azure/set", "set/0", 60, 1000, 10);
	struct check_pooled of_set = { SV("n4"), SV("res:azure/set") };
	struct check_span set = { "res:azure/set", INT64_MIN, INT64_MAX },
			  n4 = { "n4", H(60), H(61) };
	what = (struct check_what){ .span = &n4, .nspan = 1, .currency = SV("USD") };
	assert_int_equal(money(s, &what, &d), 1);
	what.pooled = &of_set, what.npooled = 1, what.money = &set, what.nmoney = 1;
	assert_int_equal(money(s, &what, &d), 0);
	entry(s, "n4", "n4/0", 61, 1000, 1);
	assert_int_equal(money(s, &what, &d), 1);
	fine(store_reverse_scope(s, "n4", INT64_MIN, INT64_MAX, &err), &err);
	fine(store_reverse_scope(s, "res:azure/set", INT64_MIN, INT64_MAX, &err), &err);
	/* what was reversed is gone from all sides */
	fine(store_reverse_scope(s, "bill:1/0", INT64_MIN, INT64_MAX, &err), &err);
	what = (struct check_what){ .currency = SV("USD") };
	assert_int_equal(money(s, &what, &d), 2); /* the lines of n3 and of the set */
	store_rollback(s);
	store_close(s);
	vec_free(&d.kept);
}

static size_t time_of(struct store *s, struct check_diffs *d)
{
	static struct arena a;
	struct check_what what = { .currency = SV("USD") };
	struct err err;
	d->kept.n = d->all = 0;
	fine(store_check_time(s, &what, &a, d, &err), &err);
	return d->all;
}

static void paid(struct store *s, const char *scope, const char *gpu, int64_t from_ms,
		 int64_t to_ms, int64_t milli)
{
	struct paid_span p = { scope, sv_of(gpu), from_ms, to_ms, milli };
	struct err err;
	fine(store_add_paid(s, &p, &err), &err);
}

static void time_closes_or_not(void **state)
{
	struct store *s = open_store(STORE_WRITE);
	struct check_diffs d = { .most = 10 };
	begin(s);
	paid(s, "n1", "n1/0", H(1), H(3), 1000);
	paid(s, "n1", "n1/1", H(1), H(1) + 1, 125); /* an eighth of a GPU for 1 ms: 0 or 1 */
	paid(s, "pool:c/", "", H(1), H(2), 16000);
	for (int h = 1; h < 3; h++)
		entry(s, "n1", "n1/0", h, MS_HOUR, 0);
	entry(s, "pool:c/", "", 1, 10 * MS_HOUR, 0);
	entry(s, "pool:c/", "", 1, 6 * MS_HOUR, 0);
	entry(s, "gpu:x", "x", 1, MS_HOUR, 0); /* nobody says that it was paid */
	entry(s, "bill:1/0", "", 1, 5 * MS_HOUR, 0);
	assert_int_equal(time_of(s, &d), 0);
	commit(s, "h1");
	begin(s);
	entry(s, "gpu:x", "x", 1, 1, 0);
	entry(s, "n1", "n1/0", 2, -1, 0);
	paid(s, "pool:c/", "", H(2), H(3), 1000);
	assert_int_equal(time_of(s, &d), 3);
	for (size_t i = 0; i < d.kept.n; i++)
		assert_true(d.kept.v[i].is_time);
	/* reversals take paid time with the entries */
	struct err err;
	for (int i = 0; i < 3; i++)
		fine(store_reverse_scope(s, (const char *[]){ "gpu:x", "n1", "pool:c/" }[i],
					 DAY_FROM, DAY_FROM + MS_DAY, &err),
		     &err);
	assert_int_equal(time_of(s, &d), 0);
	commit(s, "h2");
	assert_int_equal(time_of(s, &d), 0);
	store_close(s);
	vec_free(&d.kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(money_that_closes, fresh_dir, remove_dir),
		cmocka_unit_test_setup_teardown(money_that_does_not, fresh_dir, remove_dir),
		cmocka_unit_test_setup_teardown(time_closes_or_not, fresh_dir, remove_dir),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
