#include "opt/schedule/rerun.h"

#include <math.h>

#include "../base/test.h"

#define MIN  60000LL
#define HOUR 3600000LL
#define NONE RERUN_NO_CONFIG

static struct rerun_job job(uint32_t kind, uint32_t config, int64_t start, int64_t len, bool well)
{
	return (struct rerun_job){ .kind = kind,
				   .config = config,
				   .start_ms = start,
				   .end_ms = start + len,
				   .completed = well,
				   .failed = !well };
}

static void told_by_config(void **state)
{
	const struct rerun_job v[] = {
		job(1, 7, 0, HOUR, true),            /* first */
		job(1, 7, 30 * MIN, HOUR, true),     /* began before it was done */
		job(1, 8, 2 * HOUR, HOUR, true),     /* another configuration, equal length */
		job(1, 7, 5 * HOUR, 2 * HOUR, true), /* again, whatever its length */
		job(1, NONE, 9 * HOUR, HOUR, true),  /* not told: no word on it */
		job(2, 7, 20 * HOUR, HOUR, false),   /* another kind */
		job(2, 7, 23 * HOUR, HOUR, true),    /* that had failed: a retry is no repeat */
	};
	enum rerun_how how[COUNT(v)];

	rerun_again(COUNT(v), v, how);
	for (size_t i = 0; i < COUNT(v); i++)
		assert_int_equal(how[i], i == 3 ? RERUN_SAME_CONFIG : RERUN_FIRST);
}

static void told_by_length(void **state)
{
	const struct rerun_job v[] = {
		job(1, NONE, 0, 100 * MIN, true),
		job(1, NONE, 3 * HOUR, 102 * MIN, true),   /* 2 % of 102 is 2.04 */
		job(1, NONE, 7 * HOUR, 105 * MIN, true),   /* 2.9 % of the second */
		job(1, NONE, 11 * HOUR, 104 * MIN, false), /* failed: its length says nothing */
	};
	enum rerun_how how[COUNT(v)];

	rerun_again(COUNT(v), v, how);
	assert_int_equal(how[0], RERUN_FIRST);
	assert_int_equal(how[1], RERUN_SAME_LENGTH);
	assert_int_equal(how[2], RERUN_FIRST);
	assert_int_equal(how[3], RERUN_FIRST);
}

static void by_a_timetable(void **state)
{
	struct rerun_job v[6];
	enum rerun_how how[6];

	for (size_t i = 0; i < 6; i++)
		v[i] = job(1, 3, (int64_t)i * 24 * HOUR + (int64_t)(i % 2) * 20 * MIN, HOUR, true);
	rerun_again(6, v, how);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(how[i], RERUN_FIRST);
	v[5].start_ms += 6 * HOUR; /* once out of step */
	v[5].end_ms += 6 * HOUR;
	rerun_again(6, v, how);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(how[i], i ? RERUN_SAME_CONFIG : RERUN_FIRST);
}

static uint64_t state_;

static uint64_t draw(uint64_t n)
{
	state_ = state_ * 6364136223846793005u + 1442695040888963407u;
	return (state_ >> 33) % n;
}

/* Each pair looked at, and each row counted backwards, over random lists. */
static void against_a_count(void **state)
{
	struct rerun_job v[40];
	enum rerun_how how[40];
	size_t row[40];

	state_ = 9;
	for (int turn = 0; turn < 200; turn++) {
		int64_t t = 0;
		for (size_t i = 0; i < 40; i++) {
			t = i % 13 ? t + (int64_t)(draw(7 * 60)) * MIN : 0;
			v[i] = job((uint32_t)(i / 13), draw(3) ? (uint32_t)draw(2) : NONE, t,
				   (int64_t)(1 + draw(90)) * MIN, draw(3) != 0);
			v[i].failed = !v[i].completed && draw(2);
		}
		rerun_again(40, v, how);
		rerun_soon(40, v, 10 * MIN, row);
		for (size_t i = 0; i < 40; i++) {
			bool config = false, length = false;
			size_t in_row = 0;
			for (size_t k = 0; k < i; k++) {
				double a = (double)(v[k].end_ms - v[k].start_ms),
				       b = (double)(v[i].end_ms - v[i].start_ms);
				bool before = v[k].kind == v[i].kind && v[k].completed &&
					      v[k].end_ms <= v[i].start_ms;
				config |= before && v[k].config == v[i].config &&
					  v[i].config != NONE;
				length |= before && v[k].config == NONE && v[i].config == NONE &&
					  v[i].completed && fabs(a - b) <= 0.02 * fmax(a, b);
			}
			assert_int_equal(how[i] == RERUN_SAME_CONFIG, config);
			assert_int_equal(how[i] == RERUN_SAME_LENGTH, length);
			for (size_t k = i + 1; k-- > 0 && v[k].kind == v[i].kind && v[k].failed &&
					       v[k].end_ms - v[k].start_ms <= 10 * MIN;)
				in_row++;
			assert_int_equal(row[i], in_row);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(told_by_config),
		cmocka_unit_test(told_by_length),
		cmocka_unit_test(by_a_timetable),
		cmocka_unit_test(against_a_count),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
