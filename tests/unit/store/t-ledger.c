#include "common.h"

static void add(struct store *s, struct entry e)
{
	struct err err;
	fine(store_add_entry(s, &e, &err), &err);
}

static struct ledger_row *query(struct store *s, struct arena *a, size_t *n, size_t ndim, const enum dim *dim, const char *const *tag,
				size_t nfilter, const struct ledger_filter *filter, enum basis basis)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sums_by_team, fresh_dir, remove_dir),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
