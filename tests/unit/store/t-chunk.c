#include <errno.h>
#include <math.h>

#include "common.h"
#include "store/chunk.h"

static uint64_t seed = 7;
static uint32_t rnd(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33);
}

static struct chunk_codec *codec;

/* Out and in again, bit for bit (all NANs are one). Returns the size. */
static size_t round_trip(const double *v, size_t n)
{
	struct str blob = { 0 };
	struct err err = { 0 };
	double *back = malloc((n + 1) * sizeof *back);
	chunk_encode(codec, v, n, &blob);
	assert_int_equal(chunk_rows(blob.p, blob.n), (int64_t)n);
	fine(chunk_decode(codec, blob.p, blob.n, n, back, &err), &err);
	for (size_t i = 0; i < n; i++)
		if (isnan(v[i]))
			assert_true(isnan(back[i]));
		else
			assert_memory_equal(&v[i], &back[i], sizeof *v);
	size_t size = blob.n;
	str_free(&blob);
	free(back);
	return size;
}

static void special_values(void **state)
{
	const double v[] = { 0,     -0.0,    1,      -1,  INFINITY,           -INFINITY,  NAN,
			     1e300, -1e-300, 5e-324, 0.1, 9007199254740993.0, 1e15 + 0.5, NAN };
	for (size_t n = 0; n <= sizeof v / sizeof *v; n++)
		round_trip(v, n);
	for (size_t i = 0; i < sizeof v / sizeof *v; i++)
		round_trip(&v[i], 1);
	const double none[] = { NAN, NAN, NAN };
	round_trip(none, 3);
}

enum { SHAPES = 9 };
static double one(int shape)
{
	static double walk;
	switch (shape) {
	case 0: return rnd() % 101;
	case 1: return (double)(rnd() % 100000) / 1000;
	case 2: return rnd() % 10 ? walk += rnd() % 7 : NAN;
	case 3: return 85899345920.0 + rnd() % 3;
	case 4: return (double)rnd() / 3.0;
	case 5: return -(double)(rnd() % 1000) / 1e6;
	case 6: return rnd() % 20 ? (double)(rnd() % 3000) / 30 : (double)rnd() / 7;
	case 7: return nextafter((double)(rnd() % 3000) / 60 - 20, rnd() % 3 ? 1e9 : -1e9);
	default: return rnd() % 2 ? NAN : 1e18 + rnd();
	}
}

static void random_columns(void **state)
{
	static double v[4000];
	for (int round = 0; round < 400; round++) {
		size_t n = rnd() % 4000;
		int shape = round % SHAPES;
		for (size_t i = 0; i < n; i++)
			v[i] = one(shape);
		round_trip(v, n);
	}
}

static void is_small(void **state)
{
	static double v[3600];
	for (size_t i = 0; i < 3600; i++)
		v[i] = 40960;
	assert_true(round_trip(v, 3600) < 40);
	for (size_t i = 0; i < 3600; i++)
		v[i] = (double)(rnd() % 101);
	assert_true(round_trip(v, 3600) < 3600);
	for (size_t i = 0; i < 3600; i++)
		v[i] = 300 + (double)(rnd() % 1000) / 100;
	assert_true(round_trip(v, 3600) < 3600 * 2);
	for (size_t i = 0; i < 3600; i++) /* means of 30 readings, a few of 29 and 31 */
		v[i] = (double)(rnd() % 300) / (i % 40 ? 30 : i % 80 ? 29 : 31);
	assert_true(round_trip(v, 3600) < 3600 * 2);
}

static void integers(void **state)
{
	struct str blob = { 0 };
	struct err err = { 0 };
	int64_t v[] = { INT64_MIN, INT64_MAX, 0, -1, 1700000000000LL, INT64_MIN + 1, 5, 5, 5 },
		back[9];
	for (size_t n = 0; n <= 9; n++) {
		str_clear(&blob);
		chunk_encode_i64(codec, v, n, &blob);
		fine(chunk_decode_i64(codec, blob.p, blob.n, n, back, &err), &err);
		assert_memory_equal(v, back, n * sizeof *v);
		assert_int_equal(chunk_decode_i64(codec, blob.p, blob.n, n + 1, back, &err),
				 -EBADMSG);
	}
	int64_t t[3600];
	for (int i = 0; i < 3600; i++)
		t[i] = 1700000000000LL + i * 1000;
	str_clear(&blob);
	chunk_encode_i64(codec, t, 3600, &blob);
	assert_true(blob.n < 60);
	str_free(&blob);
}

/* Every single flipped bit and every shorter blob is found out. */
static void check_damage(const double *v)
{
	struct str blob = { 0 };
	struct err err = { 0 };
	double back[200];
	chunk_encode(codec, v, 200, &blob);
	for (size_t i = 0; i < blob.n * 8; i++) {
		blob.p[i / 8] ^= (char)(1 << (i % 8));
		assert_int_equal(chunk_decode(codec, blob.p, blob.n, 200, back, &err), -EBADMSG);
		blob.p[i / 8] ^= (char)(1 << (i % 8));
	}
	for (size_t n = 0; n < blob.n; n++)
		assert_int_equal(chunk_decode(codec, blob.p, n, 200, back, &err), -EBADMSG);
	fine(chunk_decode(codec, blob.p, blob.n, 200, back, &err), &err);
	assert_int_equal(chunk_decode(codec, blob.p, blob.n, 199, back, &err), -EBADMSG);
	str_free(&blob);
}

static void damage(void **state)
{
	double v[200];
	for (int i = 0; i < 200; i++)
		v[i] = i % 9 ? (double)(rnd() % 1000) / 10 : NAN;
	check_damage(v);
	for (int i = 0; i < 200; i++)
		v[i] = i % 9 ? one(6) : NAN;
	check_damage(v);
}

/* Rubbish behind a right check sum must do no harm either. */
static void rubbish(void **state)
{
	static double back[CHUNK_ROWS_MAX];
	struct str blob = { 0 };
	struct err err = { 0 };
	double v[50];
	for (int round = 0; round < 20000; round++) {
		for (int i = 0; i < 50; i++)
			v[i] = one(round % SHAPES);
		str_clear(&blob);
		chunk_encode(codec, v, 50, &blob);
		for (int k = 0; k < 3; k++)
			blob.p[rnd() % blob.n] = (char)rnd();
		int r = chunk_decode_unchecked(codec, blob.p, blob.n - 4, back, &err);
		assert_true(r == 0 || r == -EBADMSG);
	}
	str_free(&blob);
}

static int make(void **state)
{
	codec = chunk_codec_new();
	return 0;
}

static int unmake(void **state)
{
	chunk_codec_free(codec);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(special_values), cmocka_unit_test(random_columns),
		cmocka_unit_test(is_small),       cmocka_unit_test(integers),
		cmocka_unit_test(damage),         cmocka_unit_test(rubbish),
	};
	return cmocka_run_group_tests(tests, make, unmake);
}
