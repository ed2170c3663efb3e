/* Rows of several imports that tell of one thing: the newest file's count. */
#include "common.h"
#include "base/mem.h"
#include "store/newest.h"

struct row {
	const char *name;
	int n; /* which row it was */
	int rank;
};

static void key(struct str *out, const void *row)
{
	const struct row *r = row;
	newest_part(out, sv_of(r->name));
}

/* names, one a row (NULL = unknown), with the files they are of; kept: the numbers of the rows. */
static void check(const char *const *name, const int64_t *src, size_t n, const int *kept,
		  size_t nkept)
{
	struct row v[16];
	for (size_t i = 0; i < n; i++)
		v[i] = (struct row){ name[i], (int)i, 0 };
	assert_int_equal(newest_keep(v, n, sizeof *v, src, key, NULL), nkept);
	for (size_t i = 0; i < nkept; i++)
		assert_int_equal(v[i].n, kept[i]);
}

static void the_newest_file_tells(void **state)
{
	check((const char *const[]){ "a", "b", "a", "c", "b" }, (const int64_t[]){ 1, 9, 2, 1, 3 },
	      5, (const int[]){ 1, 2, 3 }, 3);
}

static void rows_of_one_file_are_all_kept(void **state)
{
	check((const char *const[]){ "a", "a", "a", "a" }, (const int64_t[]){ 4, 3, 4, 4 }, 4,
	      (const int[]){ 0, 2, 3 }, 3);
}

static void unknown_is_not_empty(void **state)
{
	check((const char *const[]){ NULL, "" }, (const int64_t[]){ 1, 2 }, 2,
	      (const int[]){ 0, 1 }, 2);
}

static int rank(const void *row)
{
	const struct row *r = row;
	return r->rank;
}

static void what_says_more_counts_above_what_is_newer(void **state)
{
	struct row v[] = { { "a", 0, 0 }, { "a", 1, 1 }, { "a", 2, 0 }, { "b", 3, 0 },
			   { "b", 4, 0 }, { "a", 5, 1 }, { "a", 6, 0 } };
	const int64_t src[] = { 1, 2, 9, 1, 2, 3, 3 };
	assert_int_equal(newest_keep(v, 7, sizeof *v, src, key, rank), 3);
	assert_int_equal(v[0].n, 4);
	assert_int_equal(v[1].n, 5);
	assert_int_equal(v[2].n, 6); /* of the file that tells it best */
}

static void no_rows(void **state)
{
	check(NULL, NULL, 0, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_newest_file_tells),
		cmocka_unit_test(rows_of_one_file_are_all_kept),
		cmocka_unit_test(unknown_is_not_empty),
		cmocka_unit_test(what_says_more_counts_above_what_is_newer),
		cmocka_unit_test(no_rows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
