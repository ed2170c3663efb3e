/* Raw readings into a record of the write-ahead and back, to the last bit; what is no record adds
 * nothing that was not there. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "agent/ahead.h"

#define T0 INT64_C(1790000000000)
enum { ROWS = 300 };

static struct tally_row row[ROWS];
static struct chunk_codec *codec;
static struct err err;

/* Three devices by turns; of the second no metric but one, of the third one that comes late. */
static void fill(void)
{
	for (int i = 0; i < ROWS; i++) {
		row[i] = (struct tally_row){ .dev = i % 3 + 1, .t_ms = T0 + i / 3 * 1000 };
		for (int m = 0; m < METRIC_N; m++)
			row[i].value[m] = (i % 3 == 1 && m != 2) ||
							  (i % 3 == 2 && m == 4 && i < 100) ||
							  m % 5 == 3
						  ? NAN
						  : (i * 7919 + m * 31) % 1000 / 8.0;
	}
}

static const struct raw_columns *of(const struct raw *r, int64_t dev)
{
	for (size_t i = 0; i < r->dev.n; i++)
		if (r->dev.v[i].dev == dev)
			return &r->dev.v[i];
	return NULL;
}

static void is_all(const struct raw *r)
{
	size_t at[4] = { 0 };
	assert_int_equal(r->dev.n, 3);
	for (int i = 0; i < ROWS; i++) {
		const struct raw_columns *c = of(r, row[i].dev);
		size_t k = at[row[i].dev]++;
		assert_true(c && c->n == ROWS / 3 && c->t_ms[k] == row[i].t_ms);
		for (int m = 0; m < METRIC_N; m++) {
			double v = c->value[m] ? c->value[m][k] : NAN;
			assert_true(v == row[i].value[m] || (isnan(v) && isnan(row[i].value[m])));
		}
	}
}

static void there_and_back(void **state)
{
	struct raw direct = { 0 }, back = { 0 };
	struct str record = { 0 };
	fill();
	for (int i = 0; i < ROWS; i++)
		raw_add(&direct, row[i].dev, row[i].t_ms, row[i].value);
	is_all(&direct);
	raw_pack(codec, row, ROWS, &record);
	assert_int_equal(raw_unpack(codec, str_sv(&record), &back, &err), 0);
	is_all(&back);
	assert_int_equal(raw_rows(&back), ROWS / 3);
	assert_int_equal(raw_clear(&back), ROWS);
	assert_int_equal(raw_rows(&back), 0);
	/* a column again after it was cleared */
	assert_int_equal(raw_unpack(codec, str_sv(&record), &back, &err), 0);
	is_all(&back);
	raw_pack(codec, row, 0, &record);
	assert_int_equal(record.n, 0);
	raw_free(&direct);
	raw_free(&back);
	str_free(&record);
}

/* Cut anywhere, or with a byte turned over: an error or other numbers, and never more than was
 * asked for. */
static void damaged(void **state)
{
	struct str record = { 0 };
	raw_pack(codec, row, 30, &record);
	for (size_t n = 1; n < record.n; n++) {
		struct raw r = { 0 };
		char *part = malloc(n);
		memcpy(part, record.p, n); /* of its own, so that a look beyond it is seen */
		int rc = raw_unpack(codec, (struct sv){ part, n }, &r, &err);
		assert_true(rc < 0 || r.dev.n < 3);
		raw_free(&r);
		free(part);
	}
	for (size_t i = 0; i < record.n; i++) {
		struct raw r = { 0 };
		record.p[i] ^= 0x55;
		raw_unpack(codec, str_sv(&record), &r, &err);
		record.p[i] ^= 0x55;
		raw_free(&r);
	}
	str_free(&record);
}

static void sized(void **state)
{
	struct sv one, in = { "\3\0\0\0abc\5\0\0\0d", 12 };
	assert_int_equal(raw_take_sized(&in, &one), 0);
	assert_true(sv_is(one, "abc"));
	assert_int_equal(raw_take_sized(&in, &one), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(there_and_back),
					    cmocka_unit_test(damaged), cmocka_unit_test(sized) };
	codec = chunk_codec_new();
	int r = cmocka_run_group_tests(tests, NULL, NULL);
	chunk_codec_free(codec);
	return r;
}
