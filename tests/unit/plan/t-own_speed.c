/* Own measured speeds: appended by several at once, read again, the median of the newest of a GPU,
 * one GPU against another. */
#include "../base/test.h"
#include <errno.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>
#include "plan/lever/own_speed.h"

static struct catalog *cat;

static const struct gpu_spec *gpu(const char *name)
{
	return catalog_gpu(cat, sv_of(name));
}

static void read_text(const char *text, struct own_speeds *ret, int want)
{
	struct input *in;
	struct err err = { 0 };
	assert_int_equal(input_from_memory("speeds.csv", text, strlen(text), &in, &err), 0);
	int r = own_speeds_read(in, cat, ret, &err);
	assert_int_equal(r, want);
	if (r < 0)
		assert_has(err.msg, "speeds.csv");
	input_close(in);
}

static void median_of_the_newest(void **state)
{
	struct own_speeds s;
	struct gpu_speed_own own[TRANSFER_MAX_OWN];
	double vram;
	read_text("time,workload,gpu,gpus,speed,vram_p99_bytes\n"
		  /* the oldest of seven, in the middle of the file too */
		  "2026-11-09T00:00:00Z,a,T4,1,1,\n"
		  "2026-11-17T00:00:00Z,a,T4,1,50,100\n"
		  "2026-11-12T00:00:00Z,a,Tesla T4,2,20,300\n"
		  "2026-11-10T00:00:00Z,a,T4,1,900,\n"
		  "2026-11-13T00:00:00Z,A,T4,1,30,200\n"
		  "2026-11-14T00:00:00Z,a,T4,1,40,\n"
		  "2026-11-16T00:00:00Z,a,T4,4,240,\n"
		  "2026-11-16T00:00:00Z,a,V100-SXM2-16GB,1,120,\n"
		  "2026-11-16T00:00:00Z,b,V100-SXM2-16GB,1,7,\n"
		  "2026-11-16T00:00:00Z,a,Voodoo 2,1,7,\n",
		  &s, 0);
	assert_int_equal(s.unknown_gpu, 1);
	assert_int_equal(own_speeds_of(&s, "a", own, &vram), 2);
	assert_ptr_equal(own[0].gpu, gpu("T4"));
	assert_float_equal(own[0].speed, 40, 1e-12); /* 10 30 40 60 50 */
	assert_float_equal(vram, 300, 0);
	assert_float_equal(own_speeds_ratio(&s, "a", gpu("T4"), gpu("V100-SXM2-16GB")), 3, 1e-12);
	assert_true(isnan(own_speeds_ratio(&s, "b", gpu("T4"), gpu("V100-SXM2-16GB"))));
	assert_int_equal(own_speeds_of(&s, "c", own, &vram), 0);
	own_speeds_free(&s);
}

static void what_is_refused(void **state)
{
	struct own_speeds s;
	read_text("workload,gpu\nx,T4\n", &s, -EINVAL);
	read_text("workload,gpu,speed\nx,T4,-1\n", &s, -EINVAL);
	read_text("workload,gpu,speed\nx,T4,\n", &s, -EINVAL);
	read_text("workload,gpu,speed\n,T4,3\n", &s, -EINVAL);
	read_text("workload,gpu,speed,gpus\nx,T4,3,0\n", &s, -EINVAL);
	read_text("time,workload,gpu,speed\nsoon,x,T4,3\n", &s, -EINVAL);
	read_text("workload,gpu,speed\n", &s, 0);
	assert_int_equal(s.v.n, 0);
	own_speeds_free(&s);
}

static void appended_by_many(void **state)
{
	char dir[] = "/tmp/tare-own-XXXXXX", cmd[64];
	struct own_speeds s;
	struct err err = { 0 };
	assert_non_null(mkdtemp(dir));
	assert_int_equal(own_speeds_load(dir, cat, &s, &err), 0); /* no file: none */
	assert_int_equal(s.v.n, 0);
	own_speeds_free(&s);
	for (int p = 0; p < 8; p++)
		if (!fork()) {
			int r = 0;
			for (int i = 0; i < 10 && r >= 0; i++)
				r = own_speeds_append(
					dir,
					&(struct own_speed){ "a, \"b\"\n", "p-1", gpu("T4"), 1,
							     10 * p + i + 1, 100, 10, NAN,
							     1795219200000 + p * 10 + i },
					&err);
			_exit(r < 0);
		}
	for (int p = 0, status; p < 8; p++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	assert_int_equal(own_speeds_load(dir, cat, &s, &err), 0);
	assert_int_equal(s.v.n, 80); /* one header, no torn line */
	double sum = 0;
	for (size_t i = 0; i < 80; i++) {
		assert_string_equal(s.v.v[i].workload, "a, \"b\"");
		assert_true(isnan(s.v.v[i].vram_p99_bytes));
		sum += s.v.v[i].speed;
	}
	assert_float_equal(sum, 80 * 81 / 2., 1e-9);
	own_speeds_free(&s);
	snprintf(cmd, sizeof cmd, "rm -r %s", dir);
	assert_int_equal(system(cmd), 0);
	assert_true(own_speeds_append(
			    dir,
			    &(struct own_speed){
				    .workload = "a", .gpu = gpu("T4"), .gpus = 1, .speed = 1 },
			    &err) < 0);
	assert_has(err.msg, "speeds.csv");
}

static int open_all(void **state)
{
	struct err err;
	return catalog_open(NULL, &cat, &err) < 0 ? -1 : 0;
}

static int close_all(void **state)
{
	catalog_free(cat);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(median_of_the_newest),
					    cmocka_unit_test(what_is_refused),
					    cmocka_unit_test(appended_by_many) };
	return cmocka_run_group_tests(tests, open_all, close_all);
}
