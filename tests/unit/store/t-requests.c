#include <errno.h>
#include <math.h>

#include "common.h"
#include "store/hist.h"

static uint64_t seed = 3;
static uint32_t rnd(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33);
}

static int cmp_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static bool near(double got, double want)
{
	return fabs(got - want) <= 0.0101 * want;
}

static void quantiles(void **state)
{
	enum { N = 20000 };
	static double v[N];
	struct hist h = { 0 }, half[2] = { { 0 }, { 0 } }, merged = { 0 };
	struct str blob = { 0 };
	for (int i = 0; i < N; i++) {
		v[i] = exp((double)(rnd() % 10000) / 1000.0 - 2);
		hist_add(&h, v[i], 1);
		hist_add(&half[i % 2], v[i], 1);
	}
	qsort(v, N, sizeof *v, cmp_double);
	for (int q = 1; q < 100; q++)
		assert_true(near(hist_quantile(&h, q / 100.0), v[(size_t)ceil(q / 100.0 * N) - 1]));
	for (int i = 0; i < 2; i++) {
		str_clear(&blob);
		hist_pack(&half[i], &blob);
		assert_true(hist_merge(&merged, blob.p, blob.n));
		assert_true(blob.n < 3000);
	}
	assert_int_equal(merged.total, h.total);
	assert_true(hist_quantile(&merged, 0.95) == hist_quantile(&h, 0.95));
	assert_false(hist_merge(&merged, "\xff\xff", 2));
	assert_false(hist_merge(&merged, "\xff\xff\x7f\x01", 4));
	hist_clear(&h);
	assert_true(isnan(hist_quantile(&h, 0.5)));
	hist_add(&h, NAN, 1);
	hist_add(&h, -1, 1);
	assert_int_equal(h.total, 0);
	hist_add(&h, 0, 1);
	assert_true(hist_quantile(&h, 0.5) == 0);
	hist_add(&h, INFINITY, 5);
	hist_add(&h, 1e-300, 5);
	assert_int_equal(h.total, 11);
	hist_free(&h);
	hist_free(&merged);
	hist_free(&half[0]);
	hist_free(&half[1]);
	str_free(&blob);
}

static void texts(void **state)
{
	static const char *const bad[] = { "10",    "10:x", "x:1",      "10:1;10:2", "20:1;10:1",
					   "10:-1", "-1:1", "10:1;;20", ":" };
	struct hist h = { 0 };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_false(hist_add_text(&h, sv_of(bad[i])));
		hist_free(&h);
	}
	assert_true(hist_add_text(&h, SV("10:50; 20:50 ;+Inf:0;")));
	assert_int_equal(h.total, 100);
	assert_true(near(hist_quantile(&h, 0.5), 10));
	assert_true(near(hist_quantile(&h, 0.75), 15)); /* spread evenly within a bin */
	assert_true(hist_add_text(&h, SV("10:0;+Inf:900")));
	assert_true(near(hist_quantile(&h, 0.9), 10)); /* at least 10, nothing more is known */
	hist_free(&h);
}

/* The value of a rank by the line through the bin that it lies in: what bins of 2 % come near. */
static double between(const double *le, const int64_t *count, int n, double q)
{
	double total = 0, seen = 0;
	for (int i = 0; i < n; i++)
		total += (double)count[i];
	for (int i = 0; i < n; i++) {
		double below = i ? le[i - 1] : 0, rank = q * total - seen;
		if (rank <= (double)count[i])
			return below + (le[i] - below) * rank / (double)count[i];
		seen += (double)count[i];
	}
	return NAN;
}

/* A server's histograms add up bound by bound, packed or not, and take few bytes. */
static void server_histograms(void **state)
{
	enum { BINS = 9, MINUTES = 200 };
	static const double le[BINS] = { 0.5, 10, 25, 50, 100, 250, 1000, 2500, 10000 };
	struct hist h = { 0 }, back = { 0 };
	struct str text = { 0 }, blob = { 0 };
	int64_t count[BINS] = { 0 };
	for (int m = 0; m < MINUTES; m++) {
		struct hist minute = { 0 };
		str_clear(&text);
		str_clear(&blob);
		for (int i = 0; i < BINS; i++) {
			int64_t n = rnd() % 50;
			count[i] += n;
			str_addf(&text, "%.10g:%lld;", le[i], (long long)n);
		}
		assert_true(hist_add_text(&minute, str_sv(&text)));
		assert_true(hist_add_text(&h, str_sv(&text)));
		hist_pack(&minute, &blob);
		assert_true(blob.n <= 2 + 5 * BINS);
		assert_true(hist_merge(&back, blob.p, blob.n));
		hist_free(&minute);
	}
	assert_int_equal(back.total, h.total);
	assert_int_equal(back.nrange, BINS);
	for (int q = 1; q < 100; q++) {
		double got = hist_quantile(&h, q / 100.0);
		double want = between(le, count, BINS, q / 100.0);
		assert_true(fabs(got - want) <= 0.0101 * want + 0.01);
		assert_true(got == hist_quantile(&back, q / 100.0));
	}
	hist_free(&h);
	hist_free(&back);
	str_free(&text);
	str_free(&blob);
}

/* Bounds that are no short decimal keep all their bits; more bounds than are kept are spread; what
 * a store of before has reads as it did; damage is told. */
static void odd_histograms(void **state)
{
	static const char before[] = "\x02\x05\x04\x07"; /* 5 in bin 1, 7 in bin 3 */
	static const struct sv damaged[] = {
		{ "\xc5\x3e\x02", sizeof "\xc5\x3e\x02" - 1 },
		{ "\xc5\x3e\x03\x18\x18", sizeof "\xc5\x3e\x03\x18\x18" - 1 },
		{ "\xc5\x3e\x02\x00\x01\x02", sizeof "\xc5\x3e\x02\x00\x01\x02" - 1 },
		{ "\xc5\x3e\x01\x18\x28", sizeof "\xc5\x3e\x01\x18\x28" - 1 }
	};
	struct hist h = { 0 }, back = { 0 };
	struct str blob = { 0 };
	assert_true(hist_merge(&h, before, sizeof before - 1));
	assert_int_equal(h.total, 12);
	assert_true(near(hist_quantile(&h, 0.4), 1.03) && near(hist_quantile(&h, 0.5), 1.07));
	hist_free(&h);

	assert_true(hist_add_text(&h, SV("1.2345678901234567e-3:2;0.333333333333333333:3;1e9:4")));
	hist_pack(&h, &blob);
	assert_true(hist_merge(&back, blob.p, blob.n));
	assert_int_equal(back.nrange, 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_true(back.range[i].lo == h.range[i].lo && back.range[i].hi == h.range[i].hi);
	for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
		assert_false(hist_merge(&back, damaged[i].p, damaged[i].n));
	hist_free(&h);
	hist_free(&back);

	for (int i = 0; i < 2 * HIST_RANGES_MAX; i++) {
		struct str text = { 0 };
		str_addf(&text, "%d:0;%d:1", 1000 + i, 1001 + i);
		assert_true(hist_add_text(&h, str_sv(&text)));
		str_free(&text);
	}
	assert_int_equal(h.total, 2 * HIST_RANGES_MAX);
	assert_int_equal(h.nrange, HIST_RANGES_MAX);
	assert_true(near(hist_quantile(&h, 0.5), 1000 + HIST_RANGES_MAX));
	hist_free(&h);
	str_free(&blob);
}

static struct request_row row(int64_t t_ms, const char *service, const char *tenant,
			      const char *status, double latency)
{
	return (struct request_row){ .t_ms = t_ms,
				     .service = sv_of(service),
				     .tenant = sv_of(tenant),
				     .status = sv_of(status),
				     .count = 1,
				     .latency_ms = latency,
				     .tokens_in = UNKNOWN_I64,
				     .tokens_out = UNKNOWN_I64,
				     .gpu_ms = UNKNOWN_I64,
				     .prefill_ms = UNKNOWN_I64,
				     .decode_ms = UNKNOWN_I64 };
}

static struct request_stat *stats(struct store *s, int64_t from, int64_t to, bool by_tenant,
				  struct arena *a, size_t *n)
{
	struct err err;
	struct request_stats v;
	fine(store_requests(s, (struct span){ from, to }, by_tenant, a, &v, &err), &err);
	*n = v.n;
	return v.v;
}

static void summed_up(void **state)
{
	struct arena a = { 0 };
	struct err err;
	size_t n;
	struct store *s = open_store(STORE_WRITE);
	begin(s);
	for (int i = 0; i < 300000; i++) {
		struct request_row r =
			row(H(0) + i * 100LL, i % 2 ? "chat" : "embed", i % 3 ? "t1" : NULL,
			    i % 10 ? (i % 4 ? NULL : "200") : "500", i % 2 ? 10 + i % 90 : NAN);
		if (i % 2)
			r.tokens_in = 3;
		fine(store_add_request(s, 0, &r, &err), &err);
	}
	struct request_row h = row(H(9), "hist", NULL, "success", NAN);
	h.count = 5;
	h.latency_histogram = SV("100:4;200:1");
	h.gpu_ms = 77;
	h.prefill_ms = 20;
	h.decode_ms = 50;
	fine(store_add_request(s, 0, &h, &err), &err);
	size_t before;
	stats(s, INT64_MIN, INT64_MAX, false, &a, &before);
	assert_int_equal(before, 3); /* the open batch is seen */
	commit(s, "x");
	store_close(s);
	s = open_store(STORE_READ);
	struct request_stat *v = stats(s, INT64_MIN, INT64_MAX, false, &a, &n);
	assert_int_equal(n, 3);
	assert_true(sv_is(v[0].service, "chat") && sv_is(v[1].service, "embed") &&
		    sv_is(v[2].service, "hist"));
	assert_int_equal(v[0].count, 150000);
	assert_int_equal(v[0].ok, 150000);
	assert_int_equal(v[0].tokens_in, 450000);
	assert_int_equal(v[0].tokens_out, UNKNOWN_I64);
	assert_true(near(v[0].latency_p50_ms, 55));
	assert_true(near(v[0].latency_p99_ms, 99));
	assert_int_equal(v[1].count, 150000);
	assert_int_equal(v[1].ok, 120000); /* 500s are not */
	assert_int_equal(v[1].tokens_in, UNKNOWN_I64);
	assert_true(isnan(v[1].latency_p50_ms));
	assert_int_equal(v[2].count, 5);
	assert_int_equal(v[2].gpu_ms, 77);
	assert_true(v[2].prefill_ms == 20 && v[2].decode_ms == 50);
	assert_true(v[0].prefill_ms == UNKNOWN_I64 && v[0].decode_ms == UNKNOWN_I64);
	assert_int_equal(v[2].t_ms, H(9));
	v = stats(s, INT64_MIN, INT64_MAX, true, &a, &n);
	assert_int_equal(n, 5);
	assert_int_equal(v[0].count + v[1].count, 150000);
	v = stats(s, H(0), H(0) + 60000, false, &a, &n);
	assert_int_equal(v[0].count, 300);
	/* 300,000 requests are few rows. */
	struct store_fact *f;
	fine(store_facts(s, &a, &f, &n, &err), &err);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(f[i].key, "rows.request"))
			assert_true(atoi(f[i].value) < 6 * 501 + 2);
	arena_free(&a);
	store_close(s);
}

static void wrong_histogram(void **state)
{
	struct err err = { 0 };
	struct store *s = open_store(STORE_WRITE);
	begin(s);
	struct request_row r = row(H(0), "x", NULL, NULL, NAN);
	r.latency_histogram = SV("fast");
	assert_int_equal(store_add_request(s, 0, &r, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "fast"));
	store_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles),
		cmocka_unit_test(texts),
		cmocka_unit_test(server_histograms),
		cmocka_unit_test(odd_histograms),
#define T(f) cmocka_unit_test_setup_teardown(f, fresh_dir, remove_dir)
		T(summed_up),
		T(wrong_histogram),
#undef T
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
