#include <errno.h>
#include <math.h>
#include "transfer_eval.h"
#include "../base/test.h"

#define GPUS      6
#define WORKLOADS 8
/* speed = peak^a_m * bandwidth^(1-a_m) * level_m: works between compute- and memory-bound */
static const struct transfer_gpu gpu[GPUS] = { { 100, 500 }, { 130, 900 },  { 300, 1600 },
					       { 360, 860 }, { 990, 3300 }, { 120, 300 } };

static double truth(int c, int w)
{
	double a = w % 2 ? .8 : .3;
	return pow(gpu[c].peak_tflops, a) * pow(gpu[c].bandwidth_gb_s, 1 - a) * pow(3, w) / 1000;
}

static struct transfer_cell cell_of(int c, int w)
{
	return (struct transfer_cell){ { c, 1, 0 }, { w, w, w % 2, 1, 1 }, truth(c, w) };
}

static size_t table_without(int without, struct transfer_cell *ret)
{
	size_t n = 0;
	for (int c = 0; c < GPUS; c++)
		for (int w = 0; w < WORKLOADS && c != without; w++)
			ret[n++] = cell_of(c, w);
	return n;
}

static void learns_what_the_data_sheet_says(void **state)
{
	struct err e = { 0 };
	struct transfer_cell cell[GPUS * WORKLOADS], own[2], ask[WORKLOADS];
	struct transfer_speed s[WORKLOADS];
	for (int out = 0; out < GPUS; out++) {
		struct transfer *t;
		struct one_factor o;
		size_t n = table_without(out, cell);
		double worst = 0, worst_one = 0;
		own[0] = cell_of(out, 0);
		own[1] = cell_of(out, 1);
		for (int w = 0; w < WORKLOADS; w++)
			ask[w] = cell_of(out, w);
		assert_int_equal(transfer_fit(GPUS, gpu, n, cell, &t, &e), 0);
		assert_int_equal(transfer_predict(t,
						  &(struct transfer_ask){ 2, own, WORKLOADS, ask },
						  s, &e),
				 0);
		assert_int_equal(one_factor_fit(n, cell, &o, &e), 0);
		for (int w = 2; w < WORKLOADS; w++) {
			worst = fmax(worst, fabs(s[w].speed / truth(out, w) - 1));
			worst_one = fmax(worst_one,
					 fabs(one_factor_predict(&o, 2, own, &ask[w].workload) /
						      truth(out, w) -
					      1));
			assert_true(s[w].lo <= s[w].speed && s[w].speed <= s[w].hi);
		}
		assert_true(worst < 0.08);
		assert_true(worst <= worst_one + 0.02);
		one_factor_free(&o);
		transfer_free(t);
	}
}

static void a_broken_measurement_does_not_carry_it_off(void **state)
{
	struct err e = { 0 };
	struct transfer_cell cell[GPUS * WORKLOADS], own[2] = { cell_of(4, 0), cell_of(4, 1) },
						     ask = cell_of(4, 3);
	struct transfer_speed s;
	struct transfer *t;
	size_t n = table_without(4, cell);
	own[0].speed *= 50;
	assert_int_equal(transfer_fit(GPUS, gpu, n, cell, &t, &e), 0);
	assert_int_equal(transfer_predict(t, &(struct transfer_ask){ 2, own, 1, &ask }, &s, &e), 0);
	/* the mean of both would be 7 times too fast */
	assert_true(fabs(s.speed / ask.speed - 1) < 0.3);
	transfer_free(t);
}

static void more_measurements_narrow_the_range(void **state)
{
	struct err e = { 0 };
	struct transfer_cell cell[GPUS * WORKLOADS], own[4], ask = cell_of(4, 7);
	struct transfer_speed none, four;
	struct transfer *t;
	size_t n = table_without(4, cell);
	for (int w = 0; w < 4; w++)
		own[w] = cell_of(4, w);
	assert_int_equal(transfer_fit(GPUS, gpu, n, cell, &t, &e), 0);
	assert_int_equal(transfer_predict(t, &(struct transfer_ask){ 0, NULL, 1, &ask }, &none, &e),
			 0);
	assert_int_equal(transfer_predict(t, &(struct transfer_ask){ 4, own, 1, &ask }, &four, &e),
			 0);
	assert_true(four.hi / four.lo < none.hi / none.lo);
	assert_true(none.lo < ask.speed && ask.speed < none.hi);
	transfer_free(t);
}

/* No table at all: the data sheet and one measurement, with a range that says so. */
static void without_a_table(void **state)
{
	struct err e = { 0 };
	struct transfer_cell own = cell_of(1, 0), ask = cell_of(4, 0);
	struct transfer_speed s;
	struct transfer *t;
	assert_int_equal(transfer_fit(GPUS, gpu, 0, NULL, &t, &e), 0);
	assert_int_equal(transfer_predict(t, &(struct transfer_ask){ 1, &own, 1, &ask }, &s, &e),
			 0);
	assert_true(s.speed > own.speed);
	assert_true(s.hi / s.lo > 3);
	transfer_free(t);
}

/* Own measurements in a unit that no table knows: times any factor, no ratio changes, in the point
 * or in the range; split works too. Seeded cases of 1 to 6 measurements. */
static void no_ratio_knows_the_unit(void **state)
{
	static const double factor[] = { 1e-9, 1e-3, 1 / 3.6, 1.7, 60, 3600, 1e6, 1e12 };
	struct err e = { 0 };
	struct transfer_cell cell[GPUS * WORKLOADS], own[6], ask[GPUS];
	struct transfer_speed at[GPUS], other[GPUS];
	struct transfer *t;
	uint64_t seed = 14;
	size_t n = table_without(5, cell);
	assert_int_equal(transfer_fit(GPUS, gpu, n, cell, &t, &e), 0);
	for (int round = 0; round < 60; round++) {
		size_t nown = 1 + (size_t)round % 6;
		double gpus = round % 3 ? 1 : 4;
		for (size_t i = 0; i < nown; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			own[i] = cell_of((int)(i % GPUS), round % WORKLOADS);
			own[i].workload.level = 900;
			own[i].workload.gpus = gpus;
			own[i].speed *= exp((double)(seed >> 40) / (1 << 24) * 2 - 1);
		}
		for (int c = 0; c < GPUS; c++) {
			ask[c] = own[0];
			ask[c].run.gpu = c;
		}
		assert_int_equal(
			transfer_predict(t, &(struct transfer_ask){ nown, own, GPUS, ask }, at, &e),
			0);
		for (size_t f = 0; f < sizeof factor / sizeof *factor; f++) {
			struct transfer_cell scaled[6];
			for (size_t i = 0; i < nown; i++) {
				scaled[i] = own[i];
				scaled[i].speed *= factor[f];
			}
			assert_int_equal(
				transfer_predict(t,
						 &(struct transfer_ask){ nown, scaled, GPUS, ask },
						 other, &e),
				0);
			for (int c = 0; c < GPUS; c++) {
				assert_true(fabs(other[c].speed / at[c].speed / factor[f] - 1) <
					    1e-9);
				assert_true(fabs(other[c].lo / at[c].lo / factor[f] - 1) < 1e-9);
				assert_true(fabs(other[c].hi / at[c].hi / factor[f] - 1) < 1e-9);
			}
		}
	}
	transfer_free(t);
}

static void same_input_same_answer(void **state)
{
	struct err e = { 0 };
	struct transfer_cell cell[GPUS * WORKLOADS], turned[GPUS * WORKLOADS], own = cell_of(2, 0),
									       ask = cell_of(2, 5);
	struct transfer_speed a, b;
	struct transfer *t;
	size_t n = table_without(2, cell);
	for (size_t i = 0; i < n; i++)
		turned[i] = cell[n - 1 - i];
	assert_int_equal(transfer_fit(GPUS, gpu, n, cell, &t, &e), 0);
	assert_int_equal(transfer_predict(t, &(struct transfer_ask){ 1, &own, 1, &ask }, &a, &e),
			 0);
	transfer_free(t);
	assert_int_equal(transfer_fit(GPUS, gpu, n, turned, &t, &e), 0);
	assert_int_equal(transfer_predict(t, &(struct transfer_ask){ 1, &own, 1, &ask }, &b, &e),
			 0);
	transfer_free(t);
	/* the order of the rows is none of its business */
	assert_true(fabs(a.speed / b.speed - 1) < 1e-9);
}

static void rubbish_is_refused(void **state)
{
	struct err e = { 0 };
	struct transfer *t = NULL;
	static const double bad[] = { 0, -1, NAN, INFINITY, 1e300 };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct transfer_cell c = cell_of(0, 0);
		c.speed = bad[i];
		assert_int_equal(transfer_fit(GPUS, gpu, 1, &c, &t, &e), -EINVAL);
	}
	struct transfer_cell c = cell_of(0, 0);
	c.run.gpu = GPUS;
	assert_int_equal(transfer_fit(GPUS, gpu, 1, &c, &t, &e), -EINVAL);
	c = cell_of(0, 0);
	c.workload.batch = NAN;
	assert_int_equal(transfer_fit(GPUS, gpu, 1, &c, &t, &e), -EINVAL);
	c = cell_of(0, 0);
	c.workload.family = 1000000;
	assert_int_equal(transfer_fit(GPUS, gpu, 1, &c, &t, &e), -EINVAL);
}

static void unknown_data_sheet_is_an_average_gpu(void **state)
{
	struct err e = { 0 };
	struct transfer_gpu some[GPUS];
	struct transfer_cell cell[GPUS * WORKLOADS], ask = cell_of(0, 0);
	struct transfer_speed s;
	struct transfer *t;
	memcpy(some, gpu, sizeof some);
	some[0] = (struct transfer_gpu){ NAN, NAN };
	size_t n = table_without(0, cell);
	assert_int_equal(transfer_fit(GPUS, some, n, cell, &t, &e), 0);
	assert_int_equal(transfer_predict(t, &(struct transfer_ask){ 0, NULL, 1, &ask }, &s, &e),
			 0);
	assert_true(isfinite(s.speed) && s.lo > 0 && s.hi > s.lo);
	transfer_free(t);
}

static void leave_one_out(void **state)
{
	struct err e = { 0 };
	struct transfer_cell cell[GPUS * WORKLOADS];
	struct transfer_eval v, w;
	size_t n = table_without(-1, cell);
	assert_int_equal(transfer_evaluate(GPUS, gpu, n, cell, n, cell, 5, 7, &v, &e), 0);
	assert_int_equal(transfer_evaluate(GPUS, gpu, n, cell, n, cell, 5, 7, &w, &e), 0);
	assert_int_equal(v.ngpu, GPUS);
	assert_int_equal(v.all.predictions, GPUS * 5 * (WORKLOADS - 2));
	assert_true(v.all.mape < 0.05 && v.all.mape < v.all.mape_one_factor / 2);
	assert_true(v.all.mape == w.all.mape);
	transfer_eval_free(&v);
	transfer_eval_free(&w);
	assert_int_equal(transfer_evaluate(GPUS, gpu, 0, NULL, 0, NULL, 5, 7, &v, &e), -ENODATA);
}

/*
 * Works split over GPUs in several machines: 1 / speed = computing, which a GPU makes faster, +
 * exchange over the network, which it does not. The left-out GPU is four times as fast as the
 * fastest that is known.
 */
static double split_truth(int c, int job, double gpus)
{
	double a = job % 2 ? .8 : .3,
	       compute = pow(gpu[c].peak_tflops, a) * pow(gpu[c].bandwidth_gb_s, 1 - a) / 400;
	return gpus / (1 / compute + (gpus > 1 ? (.3 + .2 * log2(gpus)) * (1 + job % 3) : 0));
}

static struct transfer_cell split_cell(int c, int job, int k)
{
	double gpus = (double)(1 << k);
	return (struct transfer_cell){ { c, 1, 1 },
				       { job, job, job % 2, 1, gpus },
				       split_truth(c, job, gpus) };
}

static void computing_and_exchange_add_up(void **state)
{
	struct err e = { 0 };
	struct transfer_cell cell[GPUS * WORKLOADS * 4], ask[WORKLOADS * 4],
		own[2] = { split_cell(4, 0, 0), split_cell(4, 1, 0) };
	struct transfer_speed s[WORKLOADS * 4];
	struct transfer *t;
	struct one_factor o;
	size_t n = 0, nask = 0;
	for (int c = 0; c < GPUS; c++)
		for (int job = 0; job < WORKLOADS; job++)
			for (int k = 0; k < 4; k++)
				*(c == 4 ? &ask[nask++] : &cell[n++]) = split_cell(c, job, k);
	assert_int_equal(transfer_fit(GPUS, gpu, n, cell, &t, &e), 0);
	assert_int_equal(transfer_predict(t, &(struct transfer_ask){ 2, own, nask, ask }, s, &e),
			 0);
	assert_int_equal(one_factor_fit(n, cell, &o, &e), 0);
	double sum = 0, sum_one = 0;
	for (size_t i = 0; i < nask; i++) {
		sum += fabs(s[i].speed / ask[i].speed - 1) / (double)nask;
		sum_one +=
			fabs(one_factor_predict(&o, 2, own, &ask[i].workload) / ask[i].speed - 1) /
			(double)nask;
		assert_true(s[i].lo <= s[i].speed && s[i].speed <= s[i].hi);
	}
	if (!(sum < 0.08 && sum < sum_one / 2))
		print_message("error %.3f, one-factor %.3f\n", sum, sum_one);
	assert_true(sum < 0.08 && sum < sum_one / 2);
	one_factor_free(&o);
	transfer_free(t);
}

/* What a split work does says something of the same work on one GPU, and a measurement that is no
 * number of either is an outlier. */
static void split_measurements_inform_one_gpu(void **state)
{
	struct err e = { 0 };
	struct transfer_cell cell[GPUS * WORKLOADS * 4],
		own[2] = { split_cell(4, 2, 1), split_cell(4, 3, 2) }, ask = split_cell(4, 2, 0);
	struct transfer_speed none, two, broken;
	struct transfer *t;
	size_t n = 0;
	for (int c = 0; c < GPUS; c++)
		for (int job = 0; job < WORKLOADS; job++)
			for (int k = 0; k < 4 && c != 4; k++)
				cell[n++] = split_cell(c, job, k);
	assert_int_equal(transfer_fit(GPUS, gpu, n, cell, &t, &e), 0);
	assert_int_equal(transfer_predict(t, &(struct transfer_ask){ 0, NULL, 1, &ask }, &none, &e),
			 0);
	assert_int_equal(transfer_predict(t, &(struct transfer_ask){ 2, own, 1, &ask }, &two, &e),
			 0);
	assert_true(two.hi / two.lo < none.hi / none.lo);
	assert_true(two.lo <= ask.speed && ask.speed <= two.hi);
	own[0].speed *= 1e6;
	assert_int_equal(
		transfer_predict(t, &(struct transfer_ask){ 2, own, 1, &ask }, &broken, &e), 0);
	assert_true(isfinite(broken.speed) && fabs(broken.speed / ask.speed - 1) < 1);
	transfer_free(t);
}

/* A table of which one row is off by the largest factors that are speeds at all: bad answers, but
 * numbers. */
static void split_workloads_in_other_units(void **state)
{
	struct err e = { 0 };
	static const double off[] = { 1e-25, 1e-17, 1e17, 1e25 };
	for (size_t b = 0; b < sizeof off / sizeof *off; b++) {
		struct transfer_cell cell[GPUS * WORKLOADS * 4],
			own[2] = { split_cell(4, 2, 1), split_cell(4, 3, 2) },
			ask = split_cell(4, 2, 0);
		struct transfer_speed s;
		struct transfer *t;
		size_t n = 0;
		for (int c = 0; c < 4; c++)
			for (int job = 0; job < WORKLOADS; job++)
				for (int k = 0; k < 4; k++)
					cell[n++] = split_cell(c, job, k);
		for (size_t i = 0; i < n; i++)
			if (cell[i].run.gpu == 0 && cell[i].workload.gpus > 1)
				cell[i].speed *= off[b];
		assert_int_equal(transfer_fit(GPUS, gpu, n, cell, &t, &e), 0);
		for (size_t nown = 0; nown <= 2; nown++) {
			assert_int_equal(
				transfer_predict(t, &(struct transfer_ask){ nown, own, 1, &ask },
						 &s, &e),
				0);
			assert_true(isfinite(s.speed) && isfinite(s.lo) && s.lo > 0 &&
				    s.lo <= s.speed && s.speed <= s.hi);
		}
		transfer_free(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(learns_what_the_data_sheet_says),
		cmocka_unit_test(a_broken_measurement_does_not_carry_it_off),
		cmocka_unit_test(more_measurements_narrow_the_range),
		cmocka_unit_test(without_a_table),
		cmocka_unit_test(no_ratio_knows_the_unit),
		cmocka_unit_test(same_input_same_answer),
		cmocka_unit_test(rubbish_is_refused),
		cmocka_unit_test(unknown_data_sheet_is_an_average_gpu),
		cmocka_unit_test(leave_one_out),
		cmocka_unit_test(computing_and_exchange_add_up),
		cmocka_unit_test(split_measurements_inform_one_gpu),
		cmocka_unit_test(split_workloads_in_other_units),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
