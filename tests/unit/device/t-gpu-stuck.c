/* A driver that hangs: the poll waits once, for as long as it is told to; then the GPUs are
 * unknown, never idle, and the others are read on. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/gpu_apart.h"

/* ---- a source that does as it is told ---------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static bool held;
static int polls, closed;
static struct gpu_set its;
static struct gpu_proc its_proc[2];

static int poll(void *self, int64_t now_ms, int64_t mono_ms, struct err *err)
{
	pthread_mutex_lock(&lock);
	while (held)
		pthread_cond_wait(&go, &lock);
	int n = ++polls;
	pthread_mutex_unlock(&lock);
	vec_clear(&its.dev);
	vec_clear(&its.event);
	for (int i = 0; i < 2; i++) {
		struct gpu_dev *d = vec_push(&its.dev);
		*d = (struct gpu_dev){ .present = true,
				       .nproc = i ? 2 : 0,
				       .proc = i ? its_proc : NULL,
				       .procs_known = true };
		gpu_info_init(&d->info);
		for (int m = 0; m < METRIC_N; m++)
			d->value[m] = n;
	}
	its_proc[0] = its_proc[1] =
		(struct gpu_proc){ .pid = 7, .start_ticks = 9, .mem_bytes = n, .sm_util_pct = n };
	snprintf(its.driver, sizeof its.driver, "test 1");
	if (n <= 2) /* the second one hangs */
		*vec_push(&its.event) = (struct gpu_event){ GPU_XID, 1, n == 1 ? 31 : 79 };
	its.generation = 5;
	return n == 1000 ? err_set(err, -12, "no memory") : 0;
}

static const struct gpu_set *set(const void *self)
{
	return &its;
}

static void done(void *self)
{
	pthread_mutex_lock(&lock);
	closed++;
	pthread_cond_broadcast(&go);
	pthread_mutex_unlock(&lock);
}

static const char *why(const void *self, size_t i, int metric)
{
	return "because";
}

static const struct gpu_src_ops ops = {
	.name = "test", .may_hang = true, .poll = poll, .set = set, .close = done, .why = why
};

static void hold(bool on)
{
	pthread_mutex_lock(&lock);
	held = on;
	pthread_cond_broadcast(&go);
	pthread_mutex_unlock(&lock);
}

static int64_t steady_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static const struct gpu_set *look(struct gpu_apart *a)
{
	struct err err;
	assert_int_equal(gpu_apart_poll(a, 1, 1, &err), 0);
	return gpu_apart_set(a);
}

#define PATIENCE_MS 1500 /* what does not hang is in time even where the processors are busy */

/* ---- the tests --------------------------------------------------------------------------- */

static void unknown_while_it_hangs(void **state)
{
	struct gpu_apart *a = gpu_apart_new(&ops, NULL, PATIENCE_MS);
	const struct gpu_set *s = look(a);
	assert_true(s->dev.n == 2 && s->dev.v[1].nproc == 2 && s->dev.v[1].value[0] == 1 &&
		    s->event.n == 1 && !s->dev.v[0].stuck);
	assert_string_equal(gpu_apart_why(a, 0, 0), "because");
	hold(true);
	int64_t began = steady_ms();
	s = look(a);
	assert_true(steady_ms() - began >= PATIENCE_MS - 5);
	assert_true(s->dev.n == 2 && s->dev.v[0].stuck && s->dev.v[0].present &&
		    s->dev.v[1].nproc == 2 && s->dev.v[1].proc[0].pid == 7);
	for (int m = 0; m < METRIC_N; m++)
		assert_true(isnan(s->dev.v[0].value[m]));
	assert_true(isnan(s->dev.v[1].proc[1].mem_bytes) && isnan(s->dev.v[1].proc[0].sm_util_pct));
	assert_true(s->event.n == 1 && s->event.v[0].kind == GPU_DRIVER_STUCK &&
		    s->event.v[0].dev == -1);
	assert_int_equal(s->generation, 5);
	assert_non_null(strstr(s->problem.p, "test 1"));
	assert_null(gpu_apart_why(a, 0, 0));
	began = steady_ms();
	for (int i = 0; i < 20; i++)
		assert_int_equal(look(a)->event.n, 0);  /* told once */
	assert_true(steady_ms() - began < PATIENCE_MS); /* nobody waits again */
	assert_true(gpu_apart_stuck_ms(a) >= PATIENCE_MS - 5);
	hold(false);
	for (int i = 0; i < 6000 && gpu_apart_stuck_ms(a); i++) {
		usleep(5000);
		s = look(a);
	}
	assert_int_equal(gpu_apart_stuck_ms(a), 0);
	assert_int_equal(s->event.n, 2); /* what the GPU said as it hung, and that it is back */
	assert_true(s->event.v[0].kind == GPU_XID && s->event.v[0].dev == 1 &&
		    s->event.v[0].code == 79 && s->event.v[1].kind == GPU_DRIVER_BACK);
	/* what the call that hung brought is thrown away */
	assert_true(!s->dev.v[0].stuck && s->dev.v[0].value[0] == 3);
	assert_int_equal(s->problem.n, 0);
	gpu_apart_close(a);
	assert_int_equal(closed, 1);
}

/* Closed while it hangs: nobody waits, and what the thread uses stays until it has come back. */
static void closed_while_it_hangs(void **state)
{
	struct gpu_apart *a = gpu_apart_new(&ops, NULL, 10);
	closed = 0;
	hold(true);
	assert_true(look(a)->dev.n == 0 && gpu_apart_stuck_ms(a) > 0); /* never seen anything */
	gpu_apart_close(a);
	pthread_mutex_lock(&lock);
	assert_int_equal(closed, 0);
	held = false;
	pthread_cond_broadcast(&go);
	while (!closed)
		pthread_cond_wait(&go, &lock);
	pthread_mutex_unlock(&lock);
	gpu_apart_close(NULL);
}

static void errors_come_through(void **state)
{
	struct gpu_apart *a = gpu_apart_new(&ops, NULL, 30000);
	struct err err;
	polls = 999;
	assert_int_equal(gpu_apart_poll(a, 1, 1, &err), -12);
	assert_string_equal(err.msg, "no memory");
	gpu_apart_close(a);
}

/* NVML's own binary interface: the GPUs of the stub hang for a while, from a moment on. */
static void the_library(void **state)
{
	struct gpu_feed_opt o = { .nvml = getenv("TARE_STUB"),
				  .sysfs = "/nowhere",
				  .want_procs = true,
				  .patience_ms = 700 };
	const struct gpu_view *v = NULL;
	struct gpu_feed *f;
	struct err err;
	bool was_stuck = false, back = false;
	char script[64];

	if (!o.nvml)
		skip();
	snprintf(script, sizeof script, "/tmp/t-gpu-stuck-%ld", (long)getpid());
	FILE *out = fopen(script, "w");
	fputs("cards 2\nat 0.15 driver hang 1.6\n", out);
	fclose(out);
	setenv("TARE_STUB_NVML", script, 1);
	assert_int_equal(gpu_feed_open(&o, &f, &err), 0);
	for (int i = 0; i < 3000 && !back; i++) {
		int64_t t = steady_ms();
		assert_int_equal(gpu_feed_poll(f, t, t, &v, &err), 0);
		assert_int_equal(v->ndev, 2);
		assert_true((v->stuck_ms > 0) == v->dev[0].stuck &&
			    v->dev[0].stuck == isnan(v->dev[0].value[METRIC_GPU_UTIL_PCT]));
		back = was_stuck && !v->stuck_ms;
		was_stuck |= v->stuck_ms > 0;
		if (v->stuck_ms)
			assert_non_null(strstr(v->problem, "has not answered"));
		usleep(10000);
	}
	assert_true(was_stuck && back && v->dev[1].nproc == 4);
	gpu_feed_close(f);
	unlink(script);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(unknown_while_it_hangs),
					    cmocka_unit_test(closed_while_it_hangs),
					    cmocka_unit_test(errors_come_through),
					    cmocka_unit_test(the_library) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
