/* Commands that are run and watched: exit codes, signals, processes by the hundred, orphans, whose
 * GPU it was. The GPUs are those of tests/stub/nvml. */
#include "../base/test.h"
#include "../test_wait.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "profile/profile_run.h"
#include "profile/profile_tree.h"
#include "base/mem.h"

static struct conf conf;
static struct catalog *cat;
static char dir[64];

static int go(const char *script, int64_t interval_ms, struct profile *p, struct err *err)
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)script, NULL };
	struct err tick = { 0 };
	struct profile_run_opt o = {
		.argv = argv,
		.watch = { .conf = &conf, .catalog = cat, .gpu.nvml = getenv("TARE_STUB") },
		.interval_ms = interval_ms,
		.start_ms = INT64_C(1795276800000),
		.steps = UNKNOWN_I64
	};
	return profile_run(&o, p, &tick, err);
}

static int code_of(const char *script)
{
	struct profile p;
	struct err err = { 0 };
	assert_int_equal(go(script, 1000, &p, &err), 0);
	int code = p.exit_code;
	profile_free(&p);
	return code;
}

static void exit_codes(void **state)
{
	assert_int_equal(code_of("exit 0"), 0);
	assert_int_equal(code_of("exit 7"), 7);
	assert_int_equal(code_of("kill -9 $$"), 128 + 9);
	assert_int_equal(code_of("kill -SEGV $$"), 128 + 11);
	assert_int_equal(code_of("yes | head -1 >/dev/null; exit 3"), 3);
	/* the program ignores SIGPIPE for itself; the command must not */
	assert_int_equal(code_of("yes > /dev/full"), 1);
	assert_int_equal(code_of("(sh -c 'yes; echo $? >&2' 2>/dev/null) | :; exit 0"), 0);
}

static void what_cannot_be_run(void **state)
{
	static const struct {
		const char *file;
		int code;
	} t[] = { { "no-such-program-anywhere", 127 }, { "/etc/passwd", 126 }, { "/", 126 } };
	for (size_t i = 0; i < 3; i++) {
		char *argv[] = { (char *)t[i].file, NULL };
		struct err err = { 0 }, tick = { 0 };
		struct profile p;
		struct profile_run_opt o = { .argv = argv,
					     .watch = { .conf = &conf,
							.gpu.nvml = getenv("TARE_STUB") },
					     .interval_ms = 1000,
					     .steps = UNKNOWN_I64 };
		assert_int_equal(profile_run(&o, &p, &tick, &err), -ENOEXEC);
		assert_int_equal(p.exit_code, t[i].code);
		assert_has(err.msg, t[i].file);
		profile_free(&p);
	}
}

static void two_hundred_children(void **state)
{
	struct profile p;
	struct err err = { 0 };
	char script[512];
	/* a fifth of them have lost their parents; each waits for a line of its own, all are looked
	 * at, and cat ends when the last of them has */
	snprintf(
		script, sizeof script,
		"mkfifo %s/lines; exec 3<>%s/lines; { i=0; while [ $i -lt 200 ]; do if [ $((i %% 5)) = 0 ]; then (read _ <&3 & exit 0); else read _ <&3 & fi; "
		"i=$((i+1)); done; sleep 1.5; while [ $i -gt 0 ]; do echo >&3; i=$((i-1)); done; } | cat; sleep .3",
		dir, dir);
	assert_int_equal(go(script, 100, &p, &err), 0);
	assert_int_equal(p.exit_code, 0);
	assert_in_range(p.procs_seen, 200, 500);
	assert_int_equal(p.procs_left, 0);
	float most = 0;
	for (size_t i = 0; i < p.host.n; i++)
		most = fmaxf(most, p.host.v[i].procs);
	assert_true(most >= 150);
	profile_free(&p);
}

static void processor_time_is_complete(void **state)
{
	struct profile p;
	struct err err = { 0 };
	struct rusage before, after;
	getrusage(RUSAGE_CHILDREN, &before);
	/* work in a grandchild whose parent is gone, and in children that ended between two
	 * looks */
	assert_int_equal(
		go("work() { i=0; while [ $i -lt $1 ]; do i=$((i+1)); done; }; { (work 300000 & exit 0); for k in 1 2 3 4; do (work 80000); done; } | cat; sleep .2",
		   100, &p, &err),
		0);
	getrusage(RUSAGE_CHILDREN, &after); /* it waited for all of them: the kernel's sum */
	double kernel_s = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec +
				   after.ru_stime.tv_sec - before.ru_stime.tv_sec) +
			  (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec +
				   after.ru_stime.tv_usec - before.ru_stime.tv_usec) /
				  1e6;
	assert_true(kernel_s > .02);
	/* what lives is read in hundredths of a second */
	assert_float_equal(p.cpu_s, kernel_s, .03);
	assert_int_equal(p.procs_left, 0);
	profile_free(&p);
}

static void outlives_the_command(void **state)
{
	struct profile p;
	struct err err = { 0 };
	char script[160], path[96], buf[32] = "";
	snprintf(path, sizeof path, "%s/left", dir);
	snprintf(script, sizeof script, "sleep 30 & echo $! > %s", path);
	assert_int_equal(go(script, 100, &p, &err), 0);
	assert_int_equal(p.procs_left, 1);
	profile_free(&p);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(buf, sizeof buf, f));
	fclose(f);
	pid_t left = (pid_t)atoi(buf);
	assert_int_equal(kill(left, SIGKILL), 0); /* it was left alone */
	waitpid(left, NULL, 0);
}

static int64_t number_in(const char *name)
{
	char path[96];
	long long v = 0;
	snprintf(path, sizeof path, "%s/%s", dir, name);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%lld", &v), 1);
	fclose(f);
	return v;
}

/* The GPUs: 0 is used by nobody, 1 by the process named in the file pid. */
static void whose_gpu(void **state)
{
	struct profile p;
	struct profile_report r;
	struct err err = { 0 };
	char script[512];
	snprintf(
		script, sizeof script,
		"date +%%s%%3N >%s/from; sh -c 'echo $$ > %s/pid; sleep 1.2'; rm %s/pid; date +%%s%%3N >%s/to; sleep 1.6",
		dir, dir, dir, dir);
	assert_int_equal(go(script, 100, &p, &err), 0);
	profile_report_make(&p, &conf, &r);
	assert_int_equal(r.ndev, 1);
	assert_int_equal(r.dev[0]->index, 1);
	assert_int_equal(r.dev[0]->how, PROFILE_BY_PROCESS);
	assert_string_equal(r.dev[0]->model, "H100-SXM5-80GB");
	assert_float_equal(r.all[METRIC_GPU_UTIL_PCT].mean, 70, 1);
	assert_float_equal(r.all[METRIC_MEM_USED_BYTES].peak / (1 << 30), 20, 1);
	/* 1.2 s, or longer on a busy machine */
	int64_t held_ms = number_in("to") - number_in("from");
	/* not the time after it */
	assert_true(r.gpu_ms > held_ms - 800 && r.gpu_ms < held_ms + 800);
	assert_int_equal(r.unused, 1);
	assert_int_equal(r.shared_ms, 0);
	assert_int_equal(r.judged.verdict, PROFILE_TOO_SHORT);
	profile_free(&p);
}

/* Another's process is on the GPU and the command on none: not its GPU, whatever moves there. */
static void not_ours(void **state)
{
	struct profile p;
	struct profile_report r;
	struct err err = { 0 };
	char path[96];
	snprintf(path, sizeof path, "%s/pid", dir);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%d\n", (int)getpid());
	fclose(f);
	assert_int_equal(go("sleep .5", 100, &p, &err), 0);
	unlink(path);
	profile_report_make(&p, &conf, &r);
	assert_int_equal(r.ndev, 0);
	assert_int_equal(r.judged.verdict, PROFILE_NO_GPU);
	assert_int_equal(r.unused, 2);
	profile_free(&p);
}

/* ---- signals ----------------------------------------------------------------------------- */

/* A process that runs the script under profile_run and exits with its code. */
static pid_t fork_run(const char *script)
{
	pid_t pid = fork();
	if (!pid) {
		struct profile p;
		struct err err = { 0 };
		int r = go(script, 100, &p, &err);
		_exit(r < 0 ? 125 : p.exit_code);
	}
	return pid;
}

static void handed_on(void **state)
{
	char script[512], path[96];
	int status;
	snprintf(path, sizeof path, "%s/up", dir);
	snprintf(script, sizeof script,
		 "trap 'rm %s; exit 42' TERM; : > %s; while :; do sleep .05; done", path, path);
	pid_t pid = fork_run(script);
	assert_true(appears(path));
	kill(pid, SIGTERM);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 42);
	assert_int_equal(access(path, F_OK), -1);
}

/* tare is killed: the command gets SIGTERM and ends in its own way. */
static void killed_itself(void **state)
{
	char script[512], up[96], told[96];
	snprintf(up, sizeof up, "%s/up", dir);
	snprintf(told, sizeof told, "%s/told", dir);
	snprintf(script, sizeof script,
		 "trap ': > %s; exit 0' TERM; : > %s; while :; do sleep .05; done", told, up);
	pid_t pid = fork_run(script);
	assert_true(appears(up));
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(appears(told));
	unlink(up);
	unlink(told);
}

static void tree_of_an_invented_machine(void **state)
{
	char path[160], cmd[200];
	/* 10 is asked for; 11 its child, 12 a grandchild, 13 another's, 14 and 15 a ring that
	 * reading at a bad moment can show */
	static const int p[][2] = { { 1, 0 },  { 10, 1 },  { 11, 10 }, { 12, 11 },
				    { 13, 1 }, { 14, 15 }, { 15, 14 }, { 16, 99 } };
	for (size_t i = 0; i < sizeof p / sizeof *p; i++) {
		snprintf(path, sizeof path, "%s/proc/%d", dir, p[i][0]);
		snprintf(cmd, sizeof cmd, "mkdir -p %s", path);
		assert_int_equal(system(cmd), 0);
		snprintf(path, sizeof path, "%s/proc/%d/stat", dir, p[i][0]);
		FILE *f = fopen(path, "w");
		assert_non_null(f);
		fprintf(f,
			"%d (a (b) c) S %d 1 1 0 -1 0 0 0 0 0 100 50 25 25 20 0 1 0 %d 1000 10 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
			p[i][0], p[i][1], 1000 + p[i][0]);
		fclose(f);
	}
	snprintf(path, sizeof path, "%s/proc", dir);
	struct profile_tree *t = profile_tree_new(path, 10);
	size_t n;
	assert_true(profile_tree_look(t, 1000));
	profile_tree_procs(t, &n);
	assert_int_equal(n, 2);
	assert_non_null(profile_tree_find(t, 11, 1011));
	assert_non_null(profile_tree_find(t, 12, 0));
	assert_null(profile_tree_find(t, 12, 999)); /* the number is another's by now */
	assert_null(profile_tree_find(t, 13, 0));
	assert_false(profile_tree_has(t, 14, 0));
	assert_false(profile_tree_has(t, 10, 0));
	profile_tree_free(t);
}

static int open_all(void **state)
{
	struct err err;
	char path[96];
	strcpy(dir, "/tmp/tare-profile-run-XXXXXX");
	if (!mkdtemp(dir) || !getenv("TARE_STUB") || conf_load(NULL, &conf, &err) < 0 ||
	    catalog_open(NULL, &cat, &err) < 0)
		return -1;
	snprintf(path, sizeof path, "%s/cards", dir);
	FILE *f = fopen(path, "w");
	if (!f)
		return -1;
	fprintf(f,
		"cards 2\ncard * procs=0 util=0 mem_gib_used=1 mem_gib=80 name=\"NVIDIA H100 80GB HBM3\" arch=9 amp=0\n"
		"card 1 procs=1 pidfile=%s/pid util=70 mem_gib_used=20\n",
		dir);
	fclose(f);
	setenv("TARE_STUB_NVML", path, 1);
	unsetenv("CUDA_VISIBLE_DEVICES");
	return 0;
}

static int close_all(void **state)
{
	char cmd[96];
	snprintf(cmd, sizeof cmd, "rm -r %s", dir);
	catalog_free(cat);
	conf_free(&conf);
	return system(cmd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exit_codes),
		cmocka_unit_test(what_cannot_be_run),
		cmocka_unit_test(two_hundred_children),
		cmocka_unit_test(processor_time_is_complete),
		cmocka_unit_test(outlives_the_command),
		cmocka_unit_test(whose_gpu),
		cmocka_unit_test(not_ours),
		cmocka_unit_test(handed_on),
		cmocka_unit_test(killed_itself),
		cmocka_unit_test(tree_of_an_invented_machine),
	};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
