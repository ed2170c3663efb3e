/* A recording played in time. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/gpu.h"
#include "tree.h"

static int open_text(struct tree *t, const char *text, struct gpu_feed **ret, struct err *err)
{
	struct gpu_feed_opt o = { 0 };

	tree_make(t);
	tree_put(t, "r.csv", text);
	o.replay = tree_at(t, "r.csv");
	return gpu_feed_open(&o, ret, err);
}

static const struct gpu_view *poll(struct gpu_feed *f, int64_t mono_ms)
{
	const struct gpu_view *v;
	struct err err;

	assert_int_equal(gpu_feed_poll(f, 1795000000000 + mono_ms, mono_ms, &v, &err), 0);
	return v;
}

static void in_time(void **state)
{
	struct tree t;
	struct gpu_feed *f;
	struct err err;
	const struct gpu_view *v;

	assert_int_equal(
		open_text(
			&t,
			"time,gpu,gpu_model,step_s,gpu_util_pct,mem_total_bytes,throttle_bits\n2026-11-20T10:00:00Z,0,H100,1,10,80,4\n"
			"2026-11-20T10:00:00Z,1,H100,1,50,80,\n2026-11-20T10:00:01Z,0,H100,1,20,80,\n2026-11-20T10:00:03Z,0,H100,1,30,80,\n",
			&f, &err),
		0);
	v = poll(f, 5000);
	assert_int_equal(v->ndev, 2);
	assert_int_equal(strncmp(v->driver, "replay ", 7), 0);
	assert_string_equal(v->dev[0].info.name, "H100");
	assert_int_equal(v->dev[1].info.index, 1);
	assert_true(v->dev[0].value[METRIC_GPU_UTIL_PCT] == 10 &&
		    v->dev[1].value[METRIC_GPU_UTIL_PCT] == 50);
	assert_true(v->dev[0].value[METRIC_THROTTLE_BITS] == 4 &&
		    v->dev[0].info.mem_total_bytes == 80);
	v = poll(f, 6000);
	assert_true(v->dev[0].value[METRIC_GPU_UTIL_PCT] == 20 &&
		    isnan(v->dev[1].value[METRIC_GPU_UTIL_PCT]));
	v = poll(f, 7500); /* a gap in the recording is unknown, not idle */
	assert_true(isnan(v->dev[0].value[METRIC_GPU_UTIL_PCT]) && v->dev[0].present);
	v = poll(f, 8000);
	assert_true(v->dev[0].value[METRIC_GPU_UTIL_PCT] == 30);
	assert_null(v->problem);
	v = poll(f, 9000);
	assert_string_equal(v->problem, "the recording has ended");
	assert_true(isnan(v->dev[0].value[METRIC_GPU_UTIL_PCT]));
	gpu_feed_close(f);
	tree_free(&t);
}

static void with_instances(void **state)
{
	struct tree t;
	struct gpu_feed *f;
	struct err err;
	const struct gpu_view *v;

	assert_int_equal(
		open_text(
			&t,
			"time,gpu,mig,step_s,gpu_util_pct,power_w\n2026-11-20T10:00:00Z,GPU-b,,1,,300\n2026-11-20T10:00:00Z,GPU-a,MIG-7,1,40,\n"
			"2026-11-20T10:00:00Z,GPU-b,MIG-9,1,41,\n2026-11-20T10:00:00Z,GPU-b,3g.40gb,1,42,\n",
			&f, &err),
		0);
	v = poll(f, 0);
	assert_int_equal(v->ndev, 5);
	assert_string_equal(v->dev[0].info.uuid, "GPU-b");
	assert_true(v->dev[0].info.mig_enabled && v->dev[0].value[METRIC_POWER_W] == 300);
	assert_string_equal(v->dev[1].info.uuid, "MIG-9");
	assert_int_equal(v->dev[1].info.parent, 0);
	assert_string_equal(v->dev[2].info.mig_profile, "3g.40gb");
	assert_int_equal(v->dev[2].info.parent, 0);
	assert_string_equal(v->dev[3].info.uuid, "GPU-a");
	assert_int_equal(v->dev[4].info.parent, 3);
	assert_true(v->dev[4].value[METRIC_GPU_UTIL_PCT] == 40);
	gpu_feed_close(f);
	tree_free(&t);
}

/* Index 0 of two machines is two GPUs: who keeps them by name must not take them for one. */
static void of_two_machines(void **state)
{
	struct tree t;
	struct gpu_feed *f;
	struct err err;
	const struct gpu_view *v;

	assert_int_equal(
		open_text(
			&t,
			"time,node,gpu,step_s,gpu_util_pct\n2026-11-20T10:00:00Z,a,0,1,40\n2026-11-20T10:00:00Z,b,0,1,60\n2026-11-20T10:00:00Z,b,GPU-x,1,60\n",
			&f, &err),
		0);
	v = poll(f, 0);
	assert_int_equal(v->ndev, 3);
	assert_string_equal(v->dev[0].info.uuid, "a/0");
	assert_string_equal(v->dev[1].info.uuid, "b/0");
	assert_string_equal(v->dev[1].info.node, "b");
	assert_string_equal(v->dev[2].info.uuid, "GPU-x");
	gpu_feed_close(f);
	tree_free(&t);
	assert_int_equal(
		open_text(&t, "time,node,gpu,step_s,gpu_util_pct\n2026-11-20T10:00:00Z,a,0,1,40\n",
			  &f, &err),
		0);
	v = poll(f, 0);
	assert_string_equal(v->dev[0].info.uuid, "");
	gpu_feed_close(f);
	tree_free(&t);
}

static void cannot_be_read(void **state)
{
	static const char *const bad[] = { "",
					   "time,gpu,gpu_util_pct\n",
					   "a,b\n1,2\n",
					   "time,gpu,gpu_util_pct\n2026-11-20T10:00:00Z,0,abc\n",
					   "time,gpu,gpu_util_pct\nyesterday,0,5\n",
					   "\0\1\2" };

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct tree t;
		struct gpu_feed *f;
		struct err err = { 0 };
		assert_true(open_text(&t, bad[i], &f, &err) < 0);
		assert_true(strlen(err.msg) > 10);
		tree_free(&t);
	}
	struct gpu_feed_opt o = { .replay = "/nowhere.csv" };
	struct gpu_feed *f;
	struct err err;
	assert_true(gpu_feed_open(&o, &f, &err) < 0);
}

static void faster(void **state)
{
	struct tree t;
	struct gpu_feed *f;
	struct err err;

	setenv("TARE_GPU_REPLAY_SPEED", "60", 1);
	assert_int_equal(
		open_text(
			&t,
			"time,gpu,step_s,gpu_util_pct\n2026-11-20T10:00:00Z,0,60,10\n2026-11-20T10:01:00Z,0,60,20\n",
			&f, &err),
		0);
	poll(f, 0);
	assert_true(poll(f, 1000)->dev[0].value[METRIC_GPU_UTIL_PCT] == 20);
	gpu_feed_close(f);
	tree_free(&t);
	setenv("TARE_GPU_REPLAY_SPEED", "x", 1);
	assert_int_equal(open_text(&t,
				   "time,gpu,step_s,gpu_util_pct\n2026-11-20T10:00:00Z,0,60,10\n",
				   &f, &err),
			 -EINVAL);
	tree_free(&t);
	unsetenv("TARE_GPU_REPLAY_SPEED");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(in_time),
					    cmocka_unit_test(with_instances),
					    cmocka_unit_test(of_two_machines),
					    cmocka_unit_test(cannot_be_read),
					    cmocka_unit_test(faster) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
