/* The next attempt: what is read, what a program is told, and that Slurm's job is not put back for
 * ever. On a real Slurm: tests/peers/t-slurm-run.py. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include <jansson.h>

#include "act/launch.h"

static void test_read(void **state)
{
	struct arena mem = { 0 };
	struct launch l;
	struct err err = { 0 };
	struct str out = { 0 };
	(void)state;

	unsetenv("SLURM_JOB_ID");
	assert_int_equal(launch_parse("none", &mem, &l, &err), 0);
	assert_int_equal(l.kind, LAUNCH_NONE);
	assert_int_equal(launch_do(&l, &(struct launch_what){ 0 }, &err), 0);
	assert_int_equal(launch_parse("exec:  start  --again x ", &mem, &l, &err), 0);
	assert_int_equal(l.kind, LAUNCH_EXEC);
	launch_say(&l, &out);
	assert_string_equal(str_z(&out), "start --again x");
	assert_int_equal(launch_parse("requeue", &mem, &l, &err), -ENOENT);
	setenv("SLURM_JOB_ID", "12,13", 1);
	assert_int_equal(launch_parse("requeue", &mem, &l, &err), -ENOENT);
	const char *const bad[] = { "", "exec:", "exec:   ", "again", "requeue " };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(launch_parse(bad[i], &mem, &l, &err), -EINVAL);
	str_free(&out);
	arena_free(&mem);
}

/* A word of the command with quotes and a line's end is one string of the JSON. */
static void test_exec(void **state)
{
	struct arena mem = { 0 };
	char dir[] = "/tmp/tare-launch.XXXXXX", path[100], spec[200];
	char *argv[] = { (char *)"python3", (char *)"a\"b\n$(id)", NULL };
	struct launch_what w = { .why = "interrupted", .dir = "ck", .step = 70, .argv = argv };
	struct launch l;
	struct err err = { 0 };
	json_error_t je;
	(void)state;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/told", dir);
	snprintf(spec, sizeof spec, "exec:tee %s", path);
	assert_int_equal(launch_parse(spec, &mem, &l, &err), 0);
	assert_int_equal(launch_do(&l, &w, &err), 0);
	json_t *j = json_load_file(path, 0, &je);
	assert_non_null(j);
	assert_int_equal(json_integer_value(json_object_get(j, "safe_step")), 70);
	assert_true(json_is_null(json_object_get(j, "store")));
	assert_string_equal(json_string_value(json_array_get(json_object_get(j, "command"), 1)),
			    argv[1]);
	json_decref(j);
	assert_int_equal(launch_parse("exec:false", &mem, &l, &err), 0);
	assert_int_equal(launch_do(&l, &w, &err), -EAGAIN);
	assert_non_null(strstr(err.msg, "not started again: 'false' ended with 1"));
	assert_int_equal(launch_parse("exec:/nowhere/tare-x", &mem, &l, &err), 0);
	assert_int_equal(launch_do(&l, &w, &err), -ENOENT);
	unlink(path);
	rmdir(dir);
	arena_free(&mem);
}

static void test_requeue(void **state)
{
	struct arena mem = { 0 };
	struct launch l;
	struct err err = { 0 };
	struct str out = { 0 };
	(void)state;

	setenv("SLURM_JOB_ID", "4711", 1);
	assert_int_equal(launch_parse("requeue", &mem, &l, &err), 0);
	launch_say(&l, &out);
	assert_string_equal(str_z(&out), "scontrol requeue 4711");
	setenv("SLURM_RESTART_COUNT", "200", 1);
	assert_int_equal(launch_do(&l, &(struct launch_what){ 0 }, &err), -EDQUOT);
	str_free(&out);
	arena_free(&mem);
}

/* A scontrol that writes down what it is asked. */
static void test_elsewhere(void **state)
{
	struct arena mem = { 0 };
	char dir[] = "/tmp/tare-launch.XXXXXX", path[100], log[100], env[4200], got[1400] = "",
	     more[2][100];
	struct launch l;
	struct err err = { 0 };
	struct str out = { 0 };
	(void)state;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/scontrol", dir);
	snprintf(log, sizeof log, "%s/log", dir);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f,
		"#!/bin/sh\nkill -TERM $$\nd=${0##*/}; [ $d = scontrol ] && d=\necho $d \"$@\" >>%s\n[ \"$1\" != requeue ]\n",
		log);
	fclose(f);
	chmod(path, 0755);
	snprintf(more[0], sizeof more[0], "%s/sbatch", dir);
	snprintf(more[1], sizeof more[1], "%s/scancel", dir);
	assert_int_equal(symlink("scontrol", more[0]) | symlink("scontrol", more[1]), 0);
	snprintf(env, sizeof env, "%s:%s", dir, getenv("PATH"));
	setenv("PATH", env, 1);
	setenv("SLURM_JOB_ID", "4711", 1);
	unsetenv("SLURM_RESTART_COUNT");
	assert_int_equal(launch_parse("requeue", &mem, &l, &err), 0);
	assert_int_equal(launch_places(&l, "gpu,gpu2", "ib&a100", "spot", &err), 0);
	launch_say(&l, &out);
	assert_non_null(strstr(str_z(&out), "Partition=gpu,gpu2 'Features=ib&a100'"));
	/* also where the requeue fails: Slurm may have done it before */
	assert_int_equal(
		launch_do(&l, &(struct launch_what){ .hold = "on_demand", .on_demand_in_ms = 5000 },
			  &err),
		0);
	assert_int_equal(
		launch_do(&l, &(struct launch_what){ .hold = "wait", .on_demand_in_ms = -1 }, &err),
		0);
	assert_int_equal(
		launch_do(&l,
			  &(struct launch_what){ .hold = "wait",
						 .on_demand_in_ms = LAUNCH_EARLY_MS + 7000 },
			  &err),
		0);
	f = fopen(log, "r");
	assert_non_null(f);
	got[fread(got, 1, sizeof got - 1, f)] = 0;
	fclose(f);
	assert_string_equal(
		got,
		"requeue 4711\nscancel -Q -n tare-move-4711\nupdate JobId=4711 Partition=gpu,gpu2 Features=ib&a100\n"
		"requeue 4711\nscancel -Q -n tare-move-4711\nupdate JobId=4711 Partition=spot Features=\n"
		"requeue 4711\nscancel -Q -n tare-move-4711\n"
		"sbatch -Q -J tare-move-4711 --begin=now+7 -p gpu,gpu2 -n 1 -t 5 --mem=16 -o /dev/null --wrap scontrol update JobId=4711 Partition=gpu,gpu2 'Features=ib&a100'\n"
		"update JobId=4711 Partition=spot Features=\n");
	assert_int_equal(launch_places(&l, "gpu; rm", NULL, NULL, &err), -EINVAL);
	assert_int_equal(launch_places(&l, NULL, "a b", NULL, &err), -EINVAL);
	assert_int_equal(launch_places(&l, NULL, NULL, "", &err), -EINVAL);
	assert_int_equal(launch_parse("exec:true", &mem, &l, &err), 0);
	assert_int_equal(launch_places(&l, "gpu", NULL, NULL, &err), -EINVAL);
	assert_int_equal(launch_places(&l, NULL, NULL, NULL, &err), 0);
	unlink(log);
	unlink(path);
	unlink(more[0]);
	unlink(more[1]);
	rmdir(dir);
	str_free(&out);
	arena_free(&mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_read),
					    cmocka_unit_test(test_exec),
					    cmocka_unit_test(test_requeue),
					    cmocka_unit_test(test_elsewhere) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
