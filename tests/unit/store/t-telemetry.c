#include <errno.h>
#include <math.h>
#include <sqlite3.h>

#include "common.h"

static uint64_t seed = 11;
static uint32_t rnd(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33);
}

static struct sample reading(int64_t t_ms, double util, double power)
{
	struct sample v = { .t_ms = t_ms, .step_ms = 1000 };
	for (int m = 0; m < METRIC_N; m++)
		v.value[m] = NAN;
	v.value[METRIC_GPU_UTIL_PCT] = util;
	v.value[METRIC_POWER_W] = power;
	return v;
}

static struct sample_key key(const char *node, const char *gpu)
{
	return (struct sample_key){ .node = sv_of(node),
				    .gpu = sv_of(gpu),
				    .gpu_model = SV("H100"),
				    .usd_gpu_hour = 2 * DEC_ONE,
				    .has_usd_gpu_hour = true };
}

static void add(struct store *s, int file, struct sample_key k, struct sample v)
{
	struct err err;
	fine(store_add_sample(s, file, &k, &v, &err), &err);
}

static struct series *series(struct store *s, const char *node, struct arena *a, size_t *n)
{
	struct err err;
	struct series *v;
	fine(store_series(s, node, a, &v, n, &err), &err);
	return v;
}

struct read {
	size_t series;
	struct sample v;
};

static struct read *read_all(struct store *s, const struct series *v, size_t n, int64_t from,
			     int64_t to, size_t *ret_n)
{
	struct err err;
	struct sample_cursor *c;
	size_t cap = 1024, got = 0;
	struct read *out = malloc(cap * sizeof *out);
	int r;
	fine(store_samples(s, v, n, (struct span){ from, to }, &c, &err), &err);
	while ((r = sample_cursor_next(c, &out[got].series, &out[got].v, &err)) > 0)
		if (++got == cap)
			out = realloc(out, (cap *= 2) * sizeof *out);
	fine(r, &err);
	sample_cursor_close(c);
	*ret_n = got;
	return out;
}

static void comes_back(void **state)
{
	struct arena a = { 0 };
	struct store *s = open_store(STORE_WRITE);
	size_t n;
	begin(s);
	for (int i = 0; i < 5000; i++) {
		add(s, 0, key("n1", "0"), reading(H(0) + i * 1000, i % 101, 300.5));
		add(s, 0, key("n1", "1"), reading(H(0) + i * 1000, NAN, i));
	}
	add(s, 0, key(NULL, "GPU-1"), reading(H(0), 5, 6));
	commit(s, "x");
	store_close(s);
	s = open_store(STORE_READ);
	struct series *v = series(s, NULL, &a, &n);
	assert_int_equal(n, 3);
	assert_null(v[0].key.node.p);
	assert_true(sv_is(v[2].key.gpu, "1"));
	assert_true(sv_is(v[2].key.gpu_model, "H100"));
	assert_true(v[2].key.has_usd_gpu_hour && v[2].key.usd_gpu_hour == 2 * DEC_ONE);
	assert_int_equal(v[1].from_ms, H(0));
	assert_int_equal(v[1].to_ms, H(0) + 5000 * 1000);
	series(s, "", &a, &n);
	assert_int_equal(n, 1);
	v = series(s, "n1", &a, &n);
	assert_int_equal(n, 2);
	struct read *r = read_all(s, v, n, INT64_MIN, INT64_MAX, &n);
	assert_int_equal(n, 10000);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(r[i].series, i % 2);
		assert_int_equal(r[i].v.t_ms, H(0) + (int64_t)(i / 2) * 1000);
		assert_int_equal(r[i].v.step_ms, 1000);
		assert_true(r[i].v.value[METRIC_POWER_W] == (i % 2 ? (double)(i / 2) : 300.5));
		assert_true(i % 2 ? isnan(r[i].v.value[METRIC_GPU_UTIL_PCT])
				  : r[i].v.value[METRIC_GPU_UTIL_PCT] == (double)(i / 2 % 101));
	}
	free(r);
	/* A sample that reaches into the window belongs to it. */
	r = read_all(s, v, 2, H(0) + 10500, H(0) + 12000, &n);
	assert_int_equal(n, 4);
	assert_int_equal(r[0].v.t_ms, H(0) + 10000);
	free(r);
	arena_free(&a);
	store_close(s);
}

/* Any order in, order of time out; of one instant the later row wins, metric by metric. */
static void any_order(void **state)
{
	enum { N = 20000 };
	static double util[N], power[N];
	static bool here[N];
	struct arena a = { 0 };
	struct store *s = open_store(STORE_WRITE);
	size_t n, want = 0;
	for (int i = 0; i < N; i++)
		util[i] = power[i] = NAN;
	begin(s);
	for (int i = 0; i < 3 * N; i++) {
		int at = (int)(rnd() % N);
		double u = rnd() % 3 ? rnd() % 100 : NAN, p = rnd() % 2 ? rnd() : NAN;
		add(s, 0, key("n1", "0"), reading(H(0) + at * 1000LL, u, p));
		here[at] = true;
		if (!isnan(u))
			util[at] = u;
		if (!isnan(p))
			power[at] = p;
	}
	commit(s, "x");
	struct series *v = series(s, "n1", &a, &n);
	assert_int_equal(n, 1);
	struct read *r = read_all(s, v, 1, INT64_MIN, INT64_MAX, &n);
	int64_t before = INT64_MIN;
	for (size_t i = 0; i < n; i++) {
		assert_true(r[i].v.t_ms > before);
		before = r[i].v.t_ms;
		int at = (int)((before - H(0)) / 1000);
		double u = r[i].v.value[METRIC_GPU_UTIL_PCT], p = r[i].v.value[METRIC_POWER_W];
		assert_true(isnan(util[at]) ? isnan(u) : u == util[at]);
		assert_true(isnan(power[at]) ? isnan(p) : p == power[at]);
	}
	for (int i = 0; i < N; i++)
		want += here[i];
	assert_int_equal(n, want);
	free(r);
	arena_free(&a);
	store_close(s);
}

/* The same rows in several files of one batch and of several batches: the newest import wins where
 * it has a reading. */
static void newest_import_wins(void **state)
{
	struct arena a = { 0 };
	struct err err;
	struct scope_spans span;
	size_t n;
	struct store *s = open_store(STORE_WRITE);
	begin(s);
	add(s, 0, key("n1", "0"), reading(H(0) + 2000, 50, 100));
	add(s, 0, key("n1", "0"), reading(H(0) + 1000, 51, 101));
	commit(s, "old");
	begin(s);
	add(s, 0, key("n1", "0"), reading(H(0) + 2000, 60, NAN));
	add(s, 1, key("n1", "0"), reading(H(0) + 3000, 61, 102));
	add(s, 1, key("n1", "0"), reading(H(0) + 3000, NAN, 103));
	struct batch_file f[2] = { { "a", "samples", "new", "A", "{}", 0, 0 },
				   { "b", "samples", "new2", "B", "{}", 0, 0 } };
	fine(store_commit(s, 0, "tare import", f, 2, &err), &err);
	struct series *v = series(s, "n1", &a, &n);
	assert_int_equal(n, 1);
	struct read *r = read_all(s, v, 1, INT64_MIN, INT64_MAX, &n);
	assert_int_equal(n, 3);
	assert_true(r[0].v.value[METRIC_GPU_UTIL_PCT] == 51 && r[0].v.value[METRIC_POWER_W] == 101);
	assert_true(r[1].v.value[METRIC_GPU_UTIL_PCT] == 60 && r[1].v.value[METRIC_POWER_W] == 100);
	assert_true(r[2].v.value[METRIC_GPU_UTIL_PCT] == 61 && r[2].v.value[METRIC_POWER_W] == 103);
	free(r);
	begin(s);
	assert_int_equal(store_reverse_source(s, "samples", "B", &a, &span, &err), 1);
	assert_int_equal(span.n, 1);
	assert_string_equal(span.v[0].scope, "n1");
	assert_int_equal(span.v[0].from_ms, H(0) + 3000);
	commit(s, "rev");
	v = series(s, "n1", &a, &n);
	assert_int_equal(v[0].to_ms, H(0) + 3000);
	r = read_all(s, v, 1, INT64_MIN, INT64_MAX, &n);
	assert_int_equal(n, 2);
	free(r);
	arena_free(&a);
	store_close(s);
}

static void rolled_back(void **state)
{
	struct arena a = { 0 };
	size_t n;
	struct store *s = open_store(STORE_WRITE);
	begin(s);
	add(s, 0, key("n1", "0"), reading(H(0), 50, 100));
	series(s, NULL, &a, &n);
	assert_int_equal(n, 1);
	store_rollback(s);
	series(s, NULL, &a, &n);
	assert_int_equal(n, 0);
	begin(s);
	add(s, 0, key("n1", "0"), reading(H(0), 50, 100));
	commit(s, "x");
	series(s, NULL, &a, &n);
	assert_int_equal(n, 1);
	arena_free(&a);
	store_close(s);
}

/* Chunks that were committed under a batch that did not get through: readers do not see them, the
 * next writer removes them. */
static void orphans(void **state)
{
	struct arena a = { 0 };
	char path[300];
	sqlite3 *db;
	size_t n;
	struct store *s = open_store(STORE_WRITE);
	begin(s);
	add(s, 0, key("n1", "0"), reading(H(0), 50, 100));
	commit(s, "x");
	store_close(s);
	snprintf(path, sizeof path, "%s/telemetry.db", test_dir);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(
		sqlite3_exec(
			db,
			"INSERT INTO block (series, hour, src, from_ms, to_ms, n, hash) SELECT series, hour + 3600000, src + (1 << 20), "
			"from_ms + 3600000, to_ms + 3600000, n, hash FROM block; UPDATE last SET batch = 2",
			NULL, NULL, NULL),
		SQLITE_OK);
	sqlite3_close(db);
	s = open_store(STORE_READ);
	struct series *v = series(s, NULL, &a, &n);
	assert_int_equal(v[0].to_ms, H(0) + 1000);
	store_close(s);
	s = open_store(STORE_WRITE);
	begin(s); /* takes the number of the orphan */
	add(s, 0, key("n1", "0"), reading(H(0) + 5000, 50, 100));
	commit(s, "y");
	v = series(s, NULL, &a, &n);
	assert_int_equal(v[0].to_ms, H(0) + 6000);
	arena_free(&a);
	store_close(s);
}

static void damaged_chunk(void **state)
{
	struct arena a = { 0 };
	struct err err = { 0 };
	struct sample_cursor *c;
	struct sample v;
	char path[300];
	sqlite3 *db;
	size_t n, i;
	struct store *s = open_store(STORE_WRITE);
	begin(s);
	add(s, 0, key("n1", "0"), reading(H(0), 50, 100));
	commit(s, "x");
	store_close(s);
	snprintf(path, sizeof path, "%s/telemetry.db", test_dir);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db,
				      "UPDATE chunk SET data = x'01020304050607' WHERE id % 32 = 1",
				      NULL, NULL, NULL),
			 SQLITE_OK);
	sqlite3_close(db);
	s = open_store(STORE_READ);
	struct series *x = series(s, NULL, &a, &n);
	fine(store_samples(s, x, 1, SPAN_ALL, &c, &err), &err);
	assert_int_equal(sample_cursor_next(c, &i, &v, &err), -EBADMSG);
	sample_cursor_close(c);
	arena_free(&a);
	store_close(s);
}

/* More series than fit into memory at once: chunks are written early and merged on reading. */
static void more_than_memory(void **state)
{
	enum { SERIES = 3000, ROUNDS = 300 };
	struct arena a = { 0 };
	char gpu[16];
	size_t n;
	struct store *s = open_store(STORE_WRITE);
	begin(s);
	for (int t = 0; t < ROUNDS; t++)
		for (int g = 0; g < SERIES; g++) {
			struct sample v = reading(H(0) + t * 10000LL, t % 100, g);
			for (int m = 0; m < METRIC_N; m++)
				v.value[m] = isnan(v.value[m]) ? m : v.value[m];
			snprintf(gpu, sizeof gpu, "%d", g);
			add(s, 0, key("n1", gpu), v);
		}
	commit(s, "x");
	struct series *v = series(s, NULL, &a, &n);
	assert_int_equal(n, SERIES);
	struct read *r = read_all(s, &v[7], 2, INT64_MIN, INT64_MAX, &n);
	assert_int_equal(n, 2 * ROUNDS);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(r[i].v.t_ms, H(0) + (int64_t)(i / 2) * 10000);
	free(r);
	arena_free(&a);
	store_close(s);
}

/* Two series over two days, from imports of seconds, of 10 seconds, of minutes and of minutes that
 * come late, in blocks of an hour, of 6 hours and of a day: as if each row were kept alone. */
#define GRID_MS 5000
enum { GRID = 2 * 86400000 / GRID_MS, GRID_SERIES = 2 };
struct kept {
	bool there;
	struct sample v;
};
static void keep(struct kept *k, const struct sample *v)
{
	if (!k->there)
		*k = (struct kept){ true, *v };
	k->v.step_ms = v->step_ms;
	for (int m = 0; m < METRIC_N; m++)
		if (!isnan(v->value[m]))
			k->v.value[m] = v->value[m];
}

static void import_some(struct store *s, const char *hash, int step_ms, int rows,
			struct kept (*kept)[GRID])
{
	begin(s);
	for (int i = 0; i < rows; i++) {
		int g = (int)(rnd() % GRID_SERIES), at = (int)(rnd() % GRID);
		struct sample v = reading(H(0) + (int64_t)at * GRID_MS, rnd() % 100, rnd() % 400);

		v.value[rnd() % 2 ? METRIC_GPU_UTIL_PCT : METRIC_POWER_W] = NAN;
		v.step_ms = step_ms;
		add(s, 0, key("n1", g ? "1" : "0"), v);
		keep(&kept[g][at], &v);
	}
	commit(s, hash);
}

/* Rows of [from, to) in order of time, then of the series: those that were kept. */
static void compare_window(struct store *s, struct kept (*kept)[GRID], int64_t from, int64_t to)
{
	struct arena a = { 0 };
	size_t n, got = 0;
	struct series *v = series(s, NULL, &a, &n);
	struct read *r = read_all(s, v, GRID_SERIES, from, to, &n);

	for (int at = 0; at < GRID; at++)
		for (size_t g = 0; g < GRID_SERIES; g++) {
			const struct kept *k = &kept[g][at];
			bool in = k->there && k->v.t_ms < to && k->v.t_ms + k->v.step_ms > from;

			if (!in)
				continue;
			assert_true(got < n);
			assert_int_equal(r[got].series, g);
			assert_int_equal(r[got].v.t_ms, k->v.t_ms);
			assert_int_equal(r[got].v.step_ms, k->v.step_ms);
			for (int m = 0; m < METRIC_N; m++) {
				double x = r[got].v.value[m], y = k->v.value[m];

				assert_true(x == y || (isnan(x) && isnan(y)));
			}
			got++;
		}
	assert_int_equal(got, n);
	free(r);
	arena_free(&a);
}

static void spans_meet(void **state)
{
	static struct kept kept[GRID_SERIES][GRID];
	struct store *s = open_store(STORE_WRITE);

	memset(kept, 0, sizeof kept);
	import_some(s, "minutes", 60000, 4000, kept);
	import_some(s, "seconds", 1000, 3000, kept);
	import_some(s, "tens", 10000, 3000, kept);
	import_some(s, "late", 60000, 500, kept);
	compare_window(s, kept, INT64_MIN, INT64_MAX);
	for (int i = 0; i < 50; i++) {
		int64_t from = H(0) + rnd() % 172800000, to = from + 1 + rnd() % 90000000;

		compare_window(s, kept, from, to);
	}
	store_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, fresh_dir, remove_dir)
		T(comes_back), T(any_order),     T(newest_import_wins), T(rolled_back),
		T(orphans),    T(damaged_chunk), T(more_than_memory),   T(spans_meet),
#undef T
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
