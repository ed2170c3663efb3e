/* Rows of several imports that tell of one thing: the newest file's count. */
#include "common.h"
#include "base/mem.h"
#include "store/newest.h"

struct row {
	const char *name;
	int n; /* which row it was */
	struct newest_end end;
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
		v[i] = (struct row){ name[i], (int)i, { 0 } };
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

static struct newest_end end(const void *row)
{
	const struct row *r = row;
	return r->end;
}

/* rows of one thing, told by files 1, 2, ...; which of them is kept */
static int kept_of(const struct newest_end *e, size_t n)
{
	struct row v[8];
	int64_t src[8];
	for (size_t i = 0; i < n; i++) {
		v[i] = (struct row){ "a", (int)i, e[i] };
		src[i] = (int64_t)i + 1;
	}
	assert_int_equal(newest_keep(v, n, sizeof *v, src, key, end), 1);
	return v[0].n;
}
#define KEPT_OF(...)                                        \
	kept_of((const struct newest_end[]){ __VA_ARGS__ }, \
		sizeof((const struct newest_end[]){ __VA_ARGS__ }) / sizeof(struct newest_end))

static void an_end_that_was_told_counts_above_a_later_word_that_it_runs(void **state)
{
	assert_int_equal(KEPT_OF({ END_OPEN, 0 }, { END_TOLD, 9 }, { END_OPEN, 0 }), 1);
	assert_int_equal(KEPT_OF({ END_TOLD, 9 }, { END_SEEN, 7 }), 0);
	assert_int_equal(KEPT_OF({ END_TOLD, 9 }, { END_SEEN, 9 }, { END_TOLD, 9 }), 2);
}

static void the_newest_end_that_was_told_counts(void **state)
{
	assert_int_equal(KEPT_OF({ END_TOLD, 9 }, { END_TOLD, 5 }, { END_OPEN, 0 }), 1);
}

static void what_was_seen_to_run_longer_had_not_ended(void **state)
{
	assert_int_equal(KEPT_OF({ END_TOLD, 9 }, { END_SEEN, 20 }), 1);
	assert_int_equal(KEPT_OF({ END_SEEN, 20 }, { END_TOLD, 9 }), 0);
	assert_int_equal(KEPT_OF({ END_SEEN, 20 }, { END_SEEN, 10 }, { END_OPEN, 0 }), 0);
}

static void rows_of_the_file_that_counts_are_all_kept(void **state)
{
	struct row v[] = { { "a", 0, { END_OPEN, 0 } },
			   { "a", 1, { END_OPEN, 0 } },
			   { "a", 2, { END_TOLD, 5 } },
			   { "b", 3, { END_OPEN, 0 } } };
	const int64_t src[] = { 9, 3, 3, 1 };
	assert_int_equal(newest_keep(v, 4, sizeof *v, src, key, end), 3);
	assert_int_equal(v[0].n, 1);
	assert_int_equal(v[1].n, 2);
	assert_int_equal(v[2].n, 3);
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
		cmocka_unit_test(an_end_that_was_told_counts_above_a_later_word_that_it_runs),
		cmocka_unit_test(the_newest_end_that_was_told_counts),
		cmocka_unit_test(what_was_seen_to_run_longer_had_not_ended),
		cmocka_unit_test(rows_of_the_file_that_counts_are_all_kept),
		cmocka_unit_test(no_rows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
