#include <errno.h>

#include "common.h"

static void add(struct store *s, struct entry e)
{
	struct err err;
	fine(store_add_entry(s, &e, &err), &err);
}

static struct ledger_row *query(struct store *s, struct arena *a, size_t *n, size_t ndim,
				const enum dim *dim, const char *const *tag, size_t nfilter,
				const struct ledger_filter *filter, enum basis basis)
{
	struct err err;
	struct ledger_row *row = NULL;
	struct ledger_query q = { dim, tag, ndim, INT64_MIN, INT64_MAX, filter, nfilter, basis };
	fine(store_ledger(s, &q, a, &row, n, &err), &err);
	return row;
}

static void sums_by_team(void **state)
{
	struct store *s = open_store(STORE_WRITE);
	struct arena a = { 0 };
	size_t n;
	begin(s);
	add(s, gpu_entry(0, "alpha", STATE_BUSY, 1000, 5));
	add(s, gpu_entry(1, "alpha", STATE_BUSY, 3000, 7));
	add(s, gpu_entry(1, "beta", STATE_IDLE_HELD, 500, UNKNOWN_NANO));
	commit(s, "h1");
	store_close(s);

	s = open_store(STORE_READ);
	const enum dim dim[] = { DIM_TEAM };
	struct ledger_row *row = query(s, &a, &n, 1, dim, NULL, 0, NULL, BASIS_BILLED);
	assert_int_equal(n, 2);
	assert_true(sv_is(row[0].dim[0], "alpha"));
	assert_true(row[0].is_gpu);
	assert_int_equal(row[0].state, STATE_BUSY);
	assert_int_equal(row[0].ms, 4000);
	assert_int_equal(row[0].nano, 12);
	assert_int_equal(row[0].util_ms, UNKNOWN_I64);
	assert_int_equal(row[0].measured_ms, 4000);
	assert_int_equal(row[0].unpriced_ms, 0);
	assert_int_equal(row[1].unpriced_ms, 500);
	row = query(s, &a, &n, 1, dim, NULL, 0, NULL, BASIS_LIST);
	assert_int_equal(row[0].unpriced_ms, 4000);
	arena_free(&a);
	store_close(s);
}

/* ---- every dimension --------------------------------------------------------------------- */

static struct entry full_entry(void)
{
	struct entry e = gpu_entry(2, "alpha", STATE_IDLE_HELD, 60000, 900);
	e.kind = KIND_STORAGE;
	e.gpu = SV("n1/3");
	e.scope = SV("bill:1/0");
	e.provider = SV("aws");
	e.region = SV("us-east-1");
	e.zone = SV("us-east-1a");
	e.gpu_model = SV("A100");
	e.purchase = SV("spot");
	e.cause = CAUSE_STALLED;
	e.quality = QUALITY_ESTIMATED;
	e.priced = PRICED_BILL;
	e.util_ms = 12;
	e.service = SV("chat");
	e.charge = (struct billed_as){ .cloud_service = SV("Compute"),
				       .account = SV("12-34"),
				       .invoice = SV("I-7"),
				       .billing_account = SV("payer"),
				       .charge_category = SV("Usage"),
				       .instance_type = SV("p4d.24xlarge"),
				       .commitment = SV("arn:sp/1") };
	e.owner.field[OWNER_USER] = SV("o'hara");
	e.owner.field[OWNER_PROJECT] = SV("p1");
	e.owner.field[OWNER_ENV] = SV("prod");
	e.owner.field[OWNER_WORKLOAD] = SV("training");
	e.owner.field[OWNER_JOB] = SV("17");
	e.owner.field[OWNER_RUN] = SV("run 17");
	e.owner.source[OWNER_TEAM] = FROM_TAG;
	e.owner.source[OWNER_RUN] = FROM_INFERENCE;
	e.owner.tags = SV("{\"a/b~c\":\"x\",\"app\":\"web\",\"it's\":\"7\"}");
	return e;
}

static void every_dimension(void **state)
{
	static const struct {
		enum dim dim;
		const char *tag, *value;
	} want[] = {
		{ DIM_KIND, NULL, "storage" },
		{ DIM_TEAM, NULL, "alpha" },
		{ DIM_PROJECT, NULL, "p1" },
		{ DIM_ENV, NULL, "prod" },
		{ DIM_WORKLOAD, NULL, "training" },
		{ DIM_USER, NULL, "o'hara" },
		{ DIM_JOB, NULL, "17" },
		{ DIM_RUN, NULL, "run 17" },
		{ DIM_CLUSTER, NULL, "c" },
		{ DIM_NODE, NULL, "n1" },
		{ DIM_PROVIDER, NULL, "aws" },
		{ DIM_REGION, NULL, "us-east-1" },
		{ DIM_GPU_MODEL, NULL, "A100" },
		{ DIM_GPU, NULL, "n1/3" },
		{ DIM_PURCHASE, NULL, "spot" },
		{ DIM_STATE, NULL, "idle_held" },
		{ DIM_CAUSE, NULL, "stalled" },
		{ DIM_QUALITY, NULL, "estimated" },
		{ DIM_HOUR, NULL, "2023-11-15T01:00:00Z" },
		{ DIM_DAY, NULL, "2023-11-15" },
		{ DIM_MONTH, NULL, "2023-11" },
		{ DIM_ZONE, NULL, "us-east-1a" },
		{ DIM_SERVICE, NULL, "chat" },
		{ DIM_CLOUD_SERVICE, NULL, "Compute" },
		{ DIM_ACCOUNT, NULL, "12-34" },
		{ DIM_INSTANCE_TYPE, NULL, "p4d.24xlarge" },
		{ DIM_COMMITMENT, NULL, "arn:sp/1" },
		{ DIM_INVOICE, NULL, "I-7" },
		{ DIM_BILLING_ACCOUNT, NULL, "payer" },
		{ DIM_CHARGE_CATEGORY, NULL, "Usage" },
		{ DIM_TAG, "app", "web" },
		{ DIM_TAG, "a/b~c", "x" },
		{ DIM_TAG, "it's", "7" },
		{ DIM_TAG, "none", "" },
	};
	struct arena a = { 0 };
	size_t n;
	struct store *s = open_store(STORE_WRITE);
	begin(s);
	add(s, full_entry());
	struct entry other = { .hour_ms = H(900),
			       .currency = SV("EUR"),
			       .ms = 1,
			       .util_ms = UNKNOWN_I64,
			       .nano = { 1, 1, 1 } };
	add(s, other);
	commit(s, "x");
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		struct ledger_filter f = { want[i].dim, want[i].tag, want[i].value, false };
		struct ledger_row *r = query(s, &a, &n, 1, &want[i].dim, &want[i].tag, 1, &f,
					     BASIS_BILLED);
		assert_int_equal(n, want[i].value[0] ? 1 : 2); /* nobody has the tag "none" */
		r = &r[n - 1];
		assert_true(sv_is(r->dim[0], want[i].value));
		if (n == 2)
			continue;
		assert_int_equal(r->ms, 60000);
		assert_int_equal(r->estimated_ms, 60000);
		assert_int_equal(r->measured_ms, 0);
		assert_int_equal(r->util_ms, 12);
		assert_false(r->is_gpu);
		assert_true(r->nano == 900 && r->bill_nano == 900);
		assert_true(sv_is(r->currency, "USD"));
		f.negate = true;
		r = query(s, &a, &n, 1, &want[i].dim, &want[i].tag, 1, &f, BASIS_BILLED);
		assert_int_equal(n, 1);
		assert_true(sv_is(r->currency, "EUR"));
		assert_true(r->bill_nano == 0);
		f = (struct ledger_filter){ want[i].dim, want[i].tag, "nonsense", false };
		query(s, &a, &n, 1, &want[i].dim, &want[i].tag, 1, &f, BASIS_BILLED);
		assert_int_equal(n, 0);
	}
	/* All at once, and none. */
	enum dim dim[DIM_N];
	const char *tag[DIM_N] = { NULL };
	size_t ndim = 0;
	for (int d = 0; d < DIM_N; d++) {
		if (d == DIM_TAG)
			tag[ndim] = "app";
		if (d != DIM_ACCOUNT_NAME) /* of the bills */
			dim[ndim++] = (enum dim)d;
	}
	query(s, &a, &n, ndim, dim, tag, 0, NULL, BASIS_LIST);
	assert_int_equal(n, 2);
	query(s, &a, &n, 0, NULL, NULL, 0, NULL, BASIS_LIST);
	assert_int_equal(n, 2);
	arena_free(&a);
	store_close(s);
}

static void names_of_dimensions(void **state)
{
	for (int d = 0; d < DIM_TAG; d++)
		assert_int_equal(dim_of(sv_of(dim_name((enum dim)d))), d);
	assert_int_equal(dim_of(SV("tag:app")), DIM_TAG);
	assert_int_equal(dim_of(SV("tag:")), -1);
	assert_int_equal(dim_of(SV("tag")), -1);
	assert_int_equal(dim_of(SV("colour")), -1);
}

static void filters_and_window(void **state)
{
	struct arena a = { 0 };
	struct err err;
	struct ledger_row *row;
	size_t n;
	struct store *s = open_store(STORE_WRITE);
	begin(s);
	for (int i = 0; i < 12; i++) {
		static const char *const team[] = { "a", "b", "c", "" };
		add(s, gpu_entry(i, team[i % 4], STATE_BUSY, 1, 1 << i));
	}
	commit(s, "x");
	const struct ledger_filter two[] = { { DIM_TEAM, NULL, "a", false },
					     { DIM_STATE, NULL, "busy", false },
					     { DIM_TEAM, NULL, "b", false } };
	row = query(s, &a, &n, 0, NULL, NULL, 3, two, BASIS_BILLED);
	assert_true(row[0].nano == (1 | 2 | 16 | 32 | 256 | 512));
	const struct ledger_filter not [] = { { DIM_TEAM, NULL, "a", true },
					      { DIM_TEAM, NULL, "b", true } };
	row = query(s, &a, &n, 0, NULL, NULL, 2, not, BASIS_BILLED);
	assert_true(row[0].nano == (4 | 8 | 64 | 128 | 1024 | 2048));
	const struct ledger_filter none[] = { { DIM_TEAM, NULL, "", false } };
	row = query(s, &a, &n, 0, NULL, NULL, 1, none, BASIS_BILLED);
	assert_true(row[0].nano == (8 | 128 | 2048));
	struct ledger_query q = { .since_ms = H(3), .until_ms = H(5), .basis = BASIS_BILLED };
	fine(store_ledger(s, &q, &a, &row, &n, &err), &err);
	assert_true(n == 1 && row[0].nano == (8 | 16));
	arena_free(&a);
	store_close(s);
}

/* ---- reversals --------------------------------------------------------------------------- */

static struct remainder rest(const char *scope, int from, int to, dec amount)
{
	return (struct remainder){ .scope = scope,
				   .currency = "USD",
				   .basis = BASIS_EFFECTIVE,
				   .from_ms = H(from),
				   .to_ms = H(to),
				   .amount = amount,
				   .pico_ms = (__int128)amount << 60 };
}

static void reverse(struct store *s, const char *scope, int from, int to)
{
	struct err err;
	fine(store_reverse_scope(s, scope, H(from), H(to), &err), &err);
}

static __int128 total(struct store *s, int64_t *ret_ms, int64_t *ret_unpriced)
{
	struct arena a = { 0 };
	size_t n;
	__int128 sum = 0;
	struct ledger_row *r = query(s, &a, &n, 0, NULL, NULL, 0, NULL, BASIS_BILLED);
	*ret_ms = *ret_unpriced = 0;
	for (size_t i = 0; i < n; i++) {
		sum += r[i].nano;
		*ret_ms += r[i].ms;
		*ret_unpriced += r[i].unpriced_ms;
	}
	arena_free(&a);
	return sum;
}

static void check_total(struct store *s, int64_t ms, int64_t nano, int64_t unpriced)
{
	int64_t got_ms, got_unpriced;
	__int128 got = total(s, &got_ms, &got_unpriced);
	assert_int_equal(got_ms, ms);
	assert_true(got == nano);
	assert_int_equal(got_unpriced, unpriced);
}

static void check_rest(struct store *s, dec want)
{
	struct arena a = { 0 };
	struct err err;
	struct remainder *r;
	size_t n;
	fine(store_remainders(s, SPAN_ALL, &a, &r, &n, &err), &err);
	assert_int_equal(n, want != 0);
	if (n) {
		assert_true(r[0].amount == want && r[0].pico_ms == (__int128)want << 60);
		assert_string_equal(r[0].currency, "USD");
		assert_int_equal(r[0].basis, BASIS_EFFECTIVE);
	}
	arena_free(&a);
}

static void rebuild(void **state)
{
	struct err err;
	int64_t from, to;
	struct store *s = open_store(STORE_WRITE);
	struct entry other = gpu_entry(1, "b", STATE_BUSY, 7, 70);
	other.scope = SV("n2");
	begin(s);
	for (int h = 0; h < 10; h++) {
		add(s, gpu_entry(h, "a", STATE_BUSY, 100, 10));
		add(s, gpu_entry(h, "a", STATE_BUSY, 5, UNKNOWN_NANO)); /* same place, no price */
		struct remainder r = rest("n1", h, h + 1, 3);
		fine(store_add_remainder(s, &r, &err), &err);
	}
	add(s, other);
	commit(s, "1");
	check_total(s, 1057, 170, 50);
	check_rest(s, 30);

	/* Two scopes taken back in part and written again, the reversal asked for before, between
	 * and after the new entries. */
	begin(s);
	reverse(s, "n1", 2, 4);
	add(s, gpu_entry(2, "a", STATE_LOST, 105, 11));
	reverse(s, "n1", 3, 4); /* n1 has new rows by now: this counts them in, hour 2 stays */
	reverse(s, "n2", 0, 99);
	reverse(s, "nobody", 0, 99);
	check_total(s, 1057 - 210 - 7 + 105, 170 - 20 - 70 + 11, 40);
	check_rest(s, 24);
	commit(s, "2");
	check_total(s, 1057 - 210 - 7 + 105, 170 - 20 - 70 + 11, 40);

	/* Again, with overlapping spans: what is gone stays gone. */
	begin(s);
	reverse(s, "n1", 0, 5);
	reverse(s, "n1", 3, 10);
	reverse(s, "n1", 0, 1);
	commit(s, "3");
	check_total(s, 0, 0, 0);
	check_rest(s, 0);
	fine(store_ledger_span(s, &from, &to, &err), &err);
	assert_int_equal(from, UNKNOWN_MS);
	assert_int_equal(to, UNKNOWN_MS);

	/* Append only: all rows are still there. */
	struct arena a = { 0 };
	struct store_fact *f;
	size_t n;
	fine(store_facts(s, &a, &f, &n, &err), &err);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(f[i].key, "rows.ledger"))
			assert_true(atoi(f[i].value) > 40);
	arena_free(&a);
	store_close(s);
}

static void span(void **state)
{
	struct err err;
	int64_t from, to;
	struct store *s = open_store(STORE_WRITE);
	begin(s);
	for (int h = 3; h < 8; h++)
		add(s, gpu_entry(h, "a", STATE_BUSY, 100, 10));
	fine(store_ledger_span(s, &from, &to, &err), &err);
	assert_int_equal(from, H(3));
	assert_int_equal(to, H(8));
	commit(s, "1");
	begin(s);
	reverse(s, "n1", 0, 5);
	commit(s, "2");
	fine(store_ledger_span(s, &from, &to, &err), &err);
	assert_int_equal(from, H(5));
	assert_int_equal(to, H(8));
	store_close(s);
}

/* ---- entries come back ------------------------------------------------------------------- */

struct seen {
	size_t n;
	struct entry first;
	struct arena mem;
	int64_t before;
};

static int one_entry(void *ctx, const struct entry *e, struct err *err)
{
	struct seen *x = ctx;
	assert_true(e->hour_ms >= x->before);
	x->before = e->hour_ms;
	if (x->n++ == 0) {
		x->first = *e;
		x->first.owner.tags = (struct sv){
			arena_strn(&x->mem, e->owner.tags.p, e->owner.tags.n), e->owner.tags.n
		};
		for (int i = 0; i < OWNER_N; i++)
			x->first.owner.field[i] = (struct sv){
				arena_strn(&x->mem, e->owner.field[i].p, e->owner.field[i].n),
				e->owner.field[i].n
			};
	}
	return x->n == 500;
}

static void round_trip(void **state)
{
	struct err err;
	struct seen x = { .before = INT64_MIN };
	struct store *s = open_store(STORE_WRITE);
	begin(s);
	for (int i = 0; i < 300; i++)
		add(s, gpu_entry(3 + i * 7 % 300, "a", STATE_BUSY, 1, i % 2 ? 5 : UNKNOWN_NANO));
	struct entry e = full_entry();
	e.nano[BASIS_EFFECTIVE] = -5;
	add(s, e);
	commit(s, "x");
	fine(store_entries(s, INT64_MIN, INT64_MAX, one_entry, &x, &err), &err);
	assert_int_equal(x.n, 301);
	const struct entry *b = &x.first;
	assert_int_equal(b->hour_ms, e.hour_ms);
	assert_int_equal(b->kind, e.kind);
	assert_int_equal(b->state, e.state);
	assert_int_equal(b->cause, e.cause);
	assert_int_equal(b->quality, e.quality);
	assert_int_equal(b->priced, e.priced);
	assert_int_equal(b->ms, e.ms);
	assert_int_equal(b->util_ms, e.util_ms);
	assert_int_equal(b->nano[BASIS_BILLED], 900);
	assert_int_equal(b->nano[BASIS_EFFECTIVE], -5);
	assert_int_equal(b->nano[BASIS_LIST], UNKNOWN_NANO);
	for (int i = 0; i < OWNER_N; i++) {
		assert_true(sv_eq(b->owner.field[i], e.owner.field[i]));
		assert_int_equal(b->owner.source[i], e.owner.source[i]);
	}
	assert_true(sv_eq(b->owner.tags, e.owner.tags));
	x = (struct seen){ .before = INT64_MIN, .n = 499, .mem = x.mem };
	fine(store_entries(s, INT64_MIN, INT64_MAX, one_entry, &x, &err), &err);
	assert_int_equal(x.n, 500); /* stopped */
	arena_free(&x.mem);
	store_close(s);
}

static void tags_must_be_json(void **state)
{
	struct err err = { 0 };
	struct store *s = open_store(STORE_WRITE);
	struct entry e = full_entry();
	begin(s);
	e.owner.tags = SV("{\"a\":");
	assert_int_equal(store_add_entry(s, &e, &err), -EINVAL);
	e.owner.tags = SV("[1]");
	assert_int_equal(store_add_entry(s, &e, &err), -EINVAL);
	e.owner.tags = SV("");
	fine(store_add_entry(s, &e, &err), &err);
	store_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, fresh_dir, remove_dir)
		T(sums_by_team),       T(every_dimension),   cmocka_unit_test(names_of_dimensions),
		T(filters_and_window), T(rebuild),           T(span),
		T(round_trip),         T(tags_must_be_json),
#undef T
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
